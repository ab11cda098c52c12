"""One fit: its rounds, and what is kept while they are made.

Imports ``checkpoint``, ``deciding`` and ``rounds``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.dask.checkpoint import Keeper, Standing
from rosenblatt.dask.deciding import answered
from rosenblatt.engine.averaging import followed, mean_budget, separated
from rosenblatt.engine.loop import learn, length, mean_weights
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.solutions import Pocket
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.fit.conclusion import Conclusion
from rosenblatt.places.cluster.cluster import ClusterError
from rosenblatt.places.cluster.guarantee import Guarantee, guarantee
from rosenblatt.places.cluster.mixing import Pace
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.rounds import MixingSweep, Round, started
from rosenblatt.solve.search import Refutation
from rosenblatt.teaching.cost import run_cost

# Rounds with mistakes after which certify=True decides.
ROUNDS = 10


def identity(data: Partitions, pace: Pace) -> dict[str, Any]:
    """What a fit must share with its checkpoint to go on as if nothing had happened."""
    return {
        "classes": [str(label) for label in data.facts.classes.tolist()],
        "columns": data.d,
        "rows of each partition": [int(s.rows) for s in data.surveys],
        "data set": [int(s.checksum) for s in data.surveys],
        "fit_intercept": data.facts.fit_intercept,
        "held_out": data.facts.held_out,
        **pace._asdict(),
    }


class Fit:
    """The rounds of one fit.

    Parameters
    ----------
    data : Partitions
    pace : Pace
    keeper : Keeper
        Where the fit is kept, round after round.
    earlier : Standing or None
        Where it goes on from.
    pocket : bool
        Whether to keep the mixed weights that are best on the training data.
    certify : bool
        Whether to decide separability after some rounds with mistakes.
    tell : callable, optional
        Sees each `Round`.

    Attributes
    ----------
    rounds : list of Round
        Those made here.
    pocket : Pocket or None
    answer : Separator, Refutation or None
        What was decided.
    """

    def __init__(
        self,
        data: Partitions,
        pace: Pace,
        keeper: Keeper,
        earlier: Standing | None = None,
        *,
        pocket: bool = False,
        certify: bool = False,
        tell: Callable[[Round], None] | None = None,
    ):
        self.data, self.pace, self.keeper, self.earlier = data, pace, keeper, earlier
        self.certify, self.tell = certify and data.whole, tell
        self.state = started(data, None if earlier is None else earlier.run.state)
        self.pocket = None
        if pocket:
            known = None if earlier is None else earlier.pocket
            self.pocket = Pocket() if known is None else known.copy()
        self.rounds: list[Round] = []
        self.history: list[Pass] = []
        self.answer: Any = None
        self._separator: np.ndarray | None = None

    def run(self, budget: Budget, validation: Partitions | None = None) -> Run:
        """Make the rounds: ``learn`` with partitions for points, and mixing for its sweep."""
        try:
            run = learn(
                self.data,  # type: ignore[arg-type]
                make_rule(len(self.data.facts.classes), self.pace.threshold, self.pace.ties),
                order="cyclic",
                state=self.state,
                everyone=np.arange(len(self.data.sources)),
                budget=budget,
                validation=None if validation is None else (validation, None),  # type: ignore
                sweeper=self._sweeper,
                watch=self._after_round,
            )
        except ClusterError as error:
            raise self._lost(error) from None
        made = self._made(run.history)
        self.keeper.write(self._standing(made))
        run = self._whole(replace(run, history=made, passes=len(made)))
        return self._with_separator(run)

    def took_rounding(self, run: Run, conclusion: Conclusion) -> bool:
        """Whether rounding took a point on the boundary, or just beyond it, for one that is right.

        Points on the boundary may be right where ties are.
        """
        strict = self.certify and self.answer is None and self.pace.ties == "mistake"
        return run.clean and strict and conclusion.verdict is Verdict.UNDECIDED

    def decided(self, run: Run) -> Run:
        """The run with the answer of a decision from where it is."""
        self.answer, self._separator, stop = answered(self.data, self.state)
        return self._with_separator(replace(run, clean=False, stop=stop))

    def _with_separator(self, run: Run) -> Run:
        if self._separator is None:
            return run
        run.state.weights[...] = self._separator
        return replace(run, weights=run.state.weights, clean=True)

    def with_mean(self, run: Run, budget: Budget) -> Run:
        """The run with weights to predict with: the mean over shuffled rounds, or better ones.

        As on one machine (``estimators.averaging``); rows are shuffled within their partitions.
        """
        pace = self.pace._replace(order="shuffled")
        try:
            data, threshold = self.data.scaled(pace)
            if pace.threshold == 0 and pace.ties == "mistake":
                pace = pace._replace(threshold=threshold)
            state = started(data)
            second = learn(
                data,  # type: ignore[arg-type]
                make_rule(len(data.facts.classes), pace.threshold, pace.ties),
                order="cyclic",
                state=state,
                everyone=np.arange(len(data.sources)),
                budget=mean_budget(budget),
                sweeper=partial(MixingSweep, pace, None),
            )
            assert data.scale is not None
            data.scale.back(state)
            second = replace(second, average=mean_weights(state))
            proved = isinstance(self.answer, Refutation)
            candidates = [second.average, second.weights] + ([] if proved else [run.weights])
            errors = [self.data.errors(weights, self.pace)[0] for weights in candidates]
        except KeyboardInterrupt:
            return replace(run, stop=Stop.INTERRUPTED)
        except ClusterError as error:
            raise self._lost(error) from None
        best = candidates[int(np.argmin(errors))]
        if not proved and not min(errors):
            return separated(run, replace(second, weights=best))
        return replace(followed(run, second, proved=False), best=best)

    def upper(self, validated: bool) -> float:
        """γ ≤ ‖w‖/M; weights put back to those best on validation data are no such sum."""
        return self.rounds[-1].guarantee.upper if self.rounds and not validated else math.inf

    def guarantee(self, run: Run, conclusion: Conclusion) -> Guarantee:
        """The mixing theorem's numbers by the mixed weights, whichever are kept."""
        found = guarantee(run.state, self.pace, self.data.reach, conclusion.margin.lower)
        return self.rounds[-1].guarantee._replace(bound=found.bound) if self.rounds else found

    def _sweeper(self, *args: Any) -> MixingSweep:
        done = 0 if self.earlier is None else self.earlier.run.passes
        self._sweep = MixingSweep(self.pace, self._see, *args, done=done, pocket=self.pocket)
        return self._sweep

    def _see(self, made: Round) -> None:
        self.rounds.append(made)
        if self.tell is not None:
            self.tell(made)

    def _after_round(self, row: Pass) -> Stop | None:
        """Keep what is learned, and decide where that is due."""
        self.history.append(row)
        self.keeper.offer(self._standing(tuple(self.history)))
        if self.certify and len(self.history) >= ROUNDS:
            self.answer, self._separator, stop = answered(self.data, self.state)
            return stop
        return None

    def _whole(self, run: Run) -> Run:
        """The run with what came before it."""
        return run if self.earlier is None else run.after(self.earlier.run)

    def _made(self, history: Sequence[Pass]) -> tuple[Pass, ...]:
        """The rounds made; the last counts even where what follows it was cut short."""
        before = 0 if self.earlier is None else self.earlier.run.passes
        if len(history) == self._sweep.done - before:
            return tuple(history)
        total, norm = self._sweep.total, length(self._sweep.latest)
        mistakes = total.updates - sum(row.mistakes for row in history)
        seconds = history[-1].seconds if history else 0.0
        return (*history, Pass(mistakes, total.looks, norm, math.nan, math.nan, seconds))

    def _standing(self, history: tuple[Pass, ...]) -> Standing:
        """Where the fit stands after those rounds."""
        total, weights = self._sweep.total, self._sweep.latest
        run = Run(
            weights=weights,
            average=weights,
            state=self.state._replace(weights=weights),
            mistakes=total.updates,
            updates=total.updates,
            passes=len(history),
            looks=total.looks,
            history=history,
            stop=Stop.INTERRUPTED,
            clean=False,
            seconds=history[-1].seconds if history else 0.0,
            cost=run_cost(self.data, total, classes=len(self.state.buffer)),  # type: ignore
        )
        return Standing(self._whole(run), self.pocket)

    def _lost(self, error: ClusterError) -> ClusterError:
        """Keep what there is; the error with what is left and how to go on."""
        standing = self._standing(self._made(self.history))
        if self.keeper.file is None:
            lost = _rounds(standing.run.passes, "is lost", "are lost")
            return ClusterError(f"{error} {lost}: checkpoint=PATH keeps them.")
        self.keeper.write(standing)
        kept = _rounds(self.keeper.kept, "is kept", "are kept")
        return ClusterError(f"{error} {kept} in {self.keeper.file.path}: resume=True goes on.")


def _rounds(number: int, one: str, many: str) -> str:
    return f"{number:,} round {one}" if number == 1 else f"{number:,} rounds {many}"

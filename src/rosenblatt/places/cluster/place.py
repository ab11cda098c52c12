"""Rows on a cluster: each question is asked of every partition where it lies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.engine.loop import learn, length, mean_weights
from rosenblatt.engine.rules import Multiclass, PerceptronRule, State, make_rule
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.places.cluster.asking import ClusterConstraints
from rosenblatt.places.cluster.checkpoint import ClusterStanding, Keeper
from rosenblatt.places.cluster.cluster import ClusterError
from rosenblatt.places.cluster.guarantee import Guarantee, guarantee
from rosenblatt.places.cluster.mixing import Pace
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.rounds import MixingRound, MixingSweep, one_round, started
from rosenblatt.places.cluster.verifying import floor
from rosenblatt.places.place import Size, Watch, refutation_by_rows
from rosenblatt.proof.certificate import Inseparability, Separation, classes_of
from rosenblatt.solve.search import Refutation
from rosenblatt.words import plural

ACTIVE = Pace(order="active")


class Cluster:
    """Partitions on a cluster as a place to learn and decide; a pass is a round of mixing.

    Parameters
    ----------
    data : Partitions
        The rows.
    pace : Pace
        How the partitions make their passes.
    keeper : Keeper, optional
        Where a fit is saved, round after round.
    earlier : ClusterStanding, optional
        Where an earlier run was left.
    tell : callable, optional
        Sees each `MixingRound`.

    Attributes
    ----------
    rounds : list of MixingRound
        Those made here.
    """

    again = True
    many_passes = False
    at_hand = False
    mean_goes_on = False
    passes_before = 0
    used = None

    def __init__(
        self,
        data: Partitions,
        pace: Pace = ACTIVE,
        keeper: Keeper | None = None,
        earlier: ClusterStanding | None = None,
        tell: Callable[[MixingRound], None] | None = None,
    ):
        self.data, self.pace, self.earlier, self.tell = data, pace, earlier, tell
        self.keeper = keeper or Keeper(None, {})
        self.classes, self.d, self.radius = data.facts.classes, data.d, data.radius
        self.vectors = len(self.classes) if len(self.classes) > 2 else 0
        self.fit_intercept, self.whole = data.facts.fit_intercept, data.whole
        self.rounds: list[MixingRound] = []
        self.history: list[Pass] = []

    @property
    def certifies_all(self) -> bool:
        """Whether all rows are in play: nothing is proved about rows not looked at."""
        return self.whole

    @property
    def rows(self) -> int:
        """Rows of all partitions."""
        return self.data.n

    @property
    def entries(self) -> int:
        """Stored entries of all partitions."""
        return sum(s.nbytes // s.itemsize for s in self.data.surveys if s.rows)

    @property
    def steps(self) -> tuple[float, float]:
        """The least and the largest step of a row in play."""
        least, largest = self.pace.spread
        return self.pace.eta * least, self.pace.eta * largest

    def start(self, earlier: State | None = None) -> State:
        """Zero weights, or where an earlier run was left."""
        return started(self.data, earlier)

    def counts_from_zero(self, state: State) -> bool:
        """True: the state itself holds the steps of earlier runs."""
        return True

    def bounded(self, run: Run) -> float:
        """The mistakes of partitions by their mixing shares, which the mixing theorem bounds."""
        return float(run.state.dual[1])

    def learn(
        self,
        rule: Any,
        state: State,
        *,
        order: str = "active",
        budget: Budget | None = None,
        seed: int = 0,
        watch: Watch | None = None,
        judge: Watch | None = None,
        held_out: Partitions | None = None,
        kept: dict[str, Any] | None = None,
    ) -> Run:
        """Make rounds until there is reason to stop; the pace has the order of the rows."""
        budget = budget or Budget()
        if budget.passes is not None:
            budget = replace(budget, passes=budget.passes - self.keeper.kept)
        done = 0 if self.earlier is None else self.earlier.run.passes
        self.pocket = (kept or {}).get("pocket")
        self.sweep = MixingSweep(
            *(self.data, rule, state),
            pace=self.pace,
            tell=self._see,
            done=done,
            pocket=self.pocket,
        )

        def after_round(row: Pass) -> Stop | None:
            self.history.append(row)
            self.keeper.offer(self._standing(tuple(self.history)))
            return None if watch is None else watch(row)

        with self._saving():
            run = learn(
                self.sweep,
                order=one_round,
                budget=budget,
                validation=None if held_out is None else (held_out, None),
                watch=after_round,
                judge=judge,
            )
        made = self._made(run.history)
        self.keeper.write(self._standing(made))
        return self._with_earlier(replace(run, history=made, passes=len(made)))

    def mean_run(self, rule: Any, state: State, budget: Budget, seed: int) -> Run:
        """Rounds from 0 over scaled columns, whose partitions shuffle their rows."""
        pace = self.pace._replace(order="shuffled")
        with self._saving():
            data, threshold = self.data.scaled(pace)
            if rule in (PerceptronRule(), Multiclass()):
                pace = pace._replace(threshold=threshold)
            rule = make_rule(len(self.classes), pace.threshold, pace.ties)
            state = started(data)
            run = learn(MixingSweep(data, rule, state, pace=pace), order=one_round, budget=budget)
        assert data.alike is not None
        data.alike.scale.back(state)
        return replace(run, average=mean_weights(state))

    def least_margin(self, rule: Any, run: Run) -> float:
        """Not computed: `separation` proves it on every partition."""
        return -math.inf

    def errors(
        self, rule: Any, candidates: Sequence[np.ndarray], held_out: Any = None
    ) -> np.ndarray:
        """The weighted share of errors of each candidate."""
        with self._saving():
            return np.array([self.data.errors(weights, self.pace)[0] for weights in candidates])

    def size(self) -> Size:
        """Of all partitions."""
        return Size(self.rows, self.d, self.vectors, self.entries / max(1, self.rows))

    def constraints(self) -> ClusterConstraints:
        """The rows of all partitions as linear constraints."""
        return ClusterConstraints(self.data)

    def touched(self, state: State) -> np.ndarray:
        """Not counted by row: the state's M and K, which `ClusterConstraints` does not use."""
        return state.dual

    def sure_margin(self, weights: np.ndarray) -> float:
        """Not computed: `separation` proves the margin of the rows in play."""
        return -math.inf

    def separation(self, weights: np.ndarray, upper: float, bind: bool) -> Separation:
        """The certificate, with a margin proved on every partition."""
        weights = np.array(weights, order="C")
        lower = min(self.data.ask(floor, weights))
        classes = classes_of(self.classes)[0]
        return Separation.reaching(lower, weights, classes, self.fit_intercept, upper, "")

    def refutation(self, found: Refutation, bind: bool) -> Inseparability:
        """The certificate, rows numbered through all partitions; never bound to the data.

        A fingerprint would need all rows in one place.
        """
        fetch = ClusterConstraints(self.data).points_of
        return refutation_by_rows(self, found, fetch, "")

    def guarantee(self, run: Run, margin: float) -> Guarantee:
        """The mixing theorem's numbers by the mixed weights, whichever are kept."""
        found = guarantee(run.state, self.pace, self.data.reach, margin)
        return self.rounds[-1].guarantee._replace(bound=found.bound) if self.rounds else found

    def _see(self, made: MixingRound) -> None:
        self.rounds.append(made)
        if self.tell is not None:
            self.tell(made)

    def _with_earlier(self, run: Run) -> Run:
        return run if self.earlier is None else run.after(self.earlier.run)

    def _made(self, history: Sequence[Pass]) -> tuple[Pass, ...]:
        """The rounds made; the last one counts even if the work after it was interrupted."""
        before = 0 if self.earlier is None else self.earlier.run.passes
        if len(history) == self.sweep.done - before:
            return tuple(history)
        total, norm = self.sweep.total, length(self.sweep.latest)
        mistakes = total.updates - sum(row.mistakes for row in history)
        seconds = history[-1].seconds if history else 0.0
        return (*history, Pass(mistakes, total.looks, norm, math.nan, math.nan, seconds))

    def _standing(self, history: tuple[Pass, ...]) -> ClusterStanding:
        """Where the fit stands after those rounds."""
        total, weights = self.sweep.total, self.sweep.latest
        run = Run(
            weights=weights,
            average=weights,
            state=self.sweep.state._replace(weights=weights),
            mistakes=total.updates,
            updates=total.updates,
            passes=len(history),
            looks=total.looks,
            history=history,
            stop=Stop.INTERRUPTED,
            clean=False,
            seconds=history[-1].seconds if history else 0.0,
            cost=self.sweep.cost()(),
            tally=total,
            moved=self.sweep.moved,
        )
        return ClusterStanding(self._with_earlier(run), self.pocket)

    @contextmanager
    def _saving(self) -> Iterator[None]:
        """If the cluster fails, save what there is, and say in the error how to go on."""
        try:
            yield
        except ClusterError as error:
            standing = self._standing(self._made(self.history))
            if self.keeper.file is None:
                lost = _rounds(standing.run.passes, "is lost", "are lost")
                raise ClusterError(f"{error} {lost}: checkpoint=PATH keeps them.") from None
            self.keeper.write(standing)
            kept = _rounds(self.keeper.kept, "is kept", "are kept")
            raise ClusterError(
                f"{error} {kept} in {self.keeper.file.path}: resume=True goes on."
            ) from None


def _rounds(number: int, one: str, many: str) -> str:
    return f"{plural(number, 'round')} {one if number == 1 else many}"

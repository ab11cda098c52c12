"""Rows on a cluster: each question is asked of every partition where it lies."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.engine.loop import Learning
from rosenblatt.engine.pieces import length
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import CertificateError
from rosenblatt.places.cluster.asking import ClusterConstraints, floor
from rosenblatt.places.cluster.batches import ClusterError
from rosenblatt.places.cluster.checkpoint import ClusterStanding, Keeper
from rosenblatt.places.cluster.guarantee import Guarantee, guarantee
from rosenblatt.places.cluster.mixing import Pace, asked
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.rounds import MixingRound, MixingSweep, one_round, started
from rosenblatt.places.place import Scaled, Schedule, Size, refutation_by_rows
from rosenblatt.proof.certificate import Inseparability, Separation, classes_of
from rosenblatt.solve.search import Refutation
from rosenblatt.text import plural

ACTIVE = Pace(order="active")


class ClusterLearning(Learning):
    """Rounds over a cluster, each kept as soon as it is made.

    Parameters
    ----------
    place : Cluster
    rule, state, schedule
        As for `Cluster.passes`.
    """

    def __init__(self, place: Cluster, rule: Any, state: State, schedule: Schedule):
        self.place = place
        done = 0 if place.earlier is None else place.earlier.run.passes
        place.pocket = (schedule.kept or {}).get("pocket")
        tell = None if place.scratch else place.see
        given = place.data, rule, state
        sweep = MixingSweep(*given, pace=place.pace, tell=tell, done=done, pocket=place.pocket)
        held_out = schedule.held_out
        super().__init__(
            sweep,
            order=one_round,
            budget=schedule.budget,
            validation=None if held_out is None else (held_out, None),
        )
        if not place.scratch:
            place.sweep = sweep

    def __iter__(self) -> Iterator[Pass]:
        rounds = super().__iter__()
        while True:
            with self.place.saving():
                made = next(rounds, None)
            if made is None:
                return
            if not self.place.scratch:
                self.place.keep(made)
            yield made

    def end(self, stop: Stop | None = None) -> Run:
        """What was learned, by this run and the one that it continues."""
        run = super().end(stop)
        return run if self.place.scratch else self.place.ended(run)


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

    rereadable = True
    # Whether rounds are for a mean, and neither told nor kept.
    scratch = False

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
        self.fit_intercept, self.all_in_play = data.facts.fit_intercept, data.whole
        self.rounds: list[MixingRound] = []
        self.history: list[Pass] = []
        self.sweep: Any = None
        self.pocket: Any = None

    @property
    def size(self) -> Size:
        """Rows, columns, entries and weight vectors."""
        entries = sum(s.nbytes // s.itemsize for s in self.data.surveys if s.rows)
        return Size(self.data.n, self.d, entries, self.vectors)

    @property
    def steps(self) -> tuple[float, float]:
        """The least and the largest step of a row in play."""
        least, largest = self.pace.spread
        return self.pace.eta * least, self.pace.eta * largest

    def start(self, earlier: State | None = None) -> State:
        """Zero weights, or where an earlier run was left."""
        return started(self.data, earlier)

    def bounded(self, run: Run) -> float:
        """The mistakes of partitions by their mixing shares, which the mixing theorem bounds."""
        return float(run.state.dual[1])

    def passes(self, rule: Any, state: State, schedule: Schedule) -> ClusterLearning:
        """Rounds of mixing; the pace has the order of the rows."""
        budget = schedule.budget
        if budget.passes is not None and not self.scratch:
            budget = replace(budget, passes=budget.passes - self.keeper.kept)
        return ClusterLearning(self, rule, state, schedule._replace(budget=budget))

    def scaled(self, seed: int) -> Scaled:
        """The same rows with columns made alike, whose partitions are to be shuffled."""
        pace = self.pace._replace(order="shuffled")
        with self.saving():
            data, step = self.data.scaled(pace)
        view = copy.copy(self)
        view.data, view.pace, view.earlier, view.scratch = data, pace, None, True
        assert data.alike is not None
        return Scaled(view, data.alike.scale, step)

    def ask(self, question: Callable[..., Any], *given: Any, held_out: Any = None) -> list[Any]:
        """The answer of each partition."""
        data = self.data if held_out is None else held_out
        with self.saving():
            return data.ask(asked, None, data.which, self.pace, data.alike, question, given)

    def constraints(self) -> ClusterConstraints:
        """The rows of all partitions as linear constraints."""
        return ClusterConstraints(self.data)

    def dual(self, state: State) -> np.ndarray:
        """Not counted by row: the state's M and K, which `ClusterConstraints` does not use."""
        return state.dual

    def separation(self, weights: np.ndarray, lower: float, upper: float, bind: bool) -> Separation:
        """The certificate, with a margin proved on every partition if it is not known."""
        if not self.all_in_play:
            raise CertificateError("nothing is proved about rows that are not looked at")
        weights = np.array(weights, order="C")
        lower = min(self.data.ask(floor, weights))
        classes = classes_of(self.classes)[0]
        return Separation.reaching(lower, weights, classes, self.fit_intercept, upper, "")

    def refutation(self, found: Refutation, bind: bool) -> Inseparability:
        """The certificate, rows numbered through all partitions; never bound to the data.

        A fingerprint would need all rows in one place.
        """
        fetch = ClusterConstraints(self.data).points_of
        return refutation_by_rows(self.classes, self.fit_intercept, found, fetch, "")

    def guarantee(self, run: Run, margin: float) -> Guarantee:
        """The mixing theorem's numbers by the mixed weights, whichever are kept."""
        found = guarantee(run.state, self.pace, self.data.reach, margin)
        return self.rounds[-1].guarantee._replace(bound=found.bound) if self.rounds else found

    def see(self, made: MixingRound) -> None:
        """Note a round, and tell of it."""
        self.rounds.append(made)
        if self.tell is not None:
            self.tell(made)

    def _with_earlier(self, run: Run) -> Run:
        return run if self.earlier is None else run.after(self.earlier.run)

    def keep(self, made: Pass) -> None:
        """Keep a round, and offer it to the checkpoint."""
        self.history.append(made)
        self.keeper.offer(self._standing(tuple(self.history)))

    def ended(self, run: Run) -> Run:
        """The run, written down, as the continuation of an earlier one."""
        made = self._made(run.history)
        self.keeper.write(self._standing(made))
        return self._with_earlier(replace(run, history=made, passes=len(made)))

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
            cost=self.sweep.cost(),
            tally=total,
            moved=self.sweep.moved,
        )
        return ClusterStanding(self._with_earlier(run), self.pocket)

    @contextmanager
    def saving(self) -> Iterator[None]:
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

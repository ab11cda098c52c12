"""`KernelSweep`: what the loop of ``learn`` drives to learn in feature space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.engine.counting import Counting, points_in_play
from rosenblatt.engine.kernels.dual import Dual, queue_coefficients
from rosenblatt.engine.kernels.gram import WINDOW, GramRows
from rosenblatt.engine.kernels.looks import GramView, lap
from rosenblatt.engine.kernels.scores import Scores
from rosenblatt.engine.loop import Ended
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.engine.pieces import ENTRIES_PER_CALL
from rosenblatt.engine.rules import State, Tally
from rosenblatt.engine.scoring import leads
from rosenblatt.engine.stopping import Stop

# Passes that are likely to follow one that made mistakes, if so many are allowed.
LIKELY = 3


class KernelSweep(Counting):
    """Looks at points through their scores, so that the one loop can learn in feature space.

    Some points are in view at a time, in the order in which they are to be looked at. As a view
    begins, their scores are brought up to date by one matrix product with what has changed since;
    within it, each mistake adds its Gram row to them. So a pass takes the kernel between each point
    and those mistaken before it, about half of their Gram rows, and keeps none. Once passes have
    taken as much as whole rows would, or those to come are likely to, and these rows fit the
    memory, all points come into view: then each row is computed once.

    Parameters
    ----------
    points, rule, state, in_play
        As for `CompiledSweep`; the state's weights are the coefficients c, of shape (1, n) or
        (K, n).
    gram : GramRows
    dual : Dual
    bias, radius : float
        What is added to the kernel, and R with it.
    passes : int
        The most that the run may make.
    """

    def __init__(
        self,
        points: Any,
        rule: Any,
        state: State,
        in_play: np.ndarray,
        *,
        gram: GramRows,
        dual: Dual,
        bias: float,
        radius: float,
        passes: int,
    ):
        self.points, self.rule, self.state = points, rule, state
        self.in_play, self.gram, self.dual = points_in_play(points, in_play), gram, dual
        self.bias, self.squared_radius = bias, max(radius * radius, np.finfo(float).tiny)
        self.scores = Scores(gram, bias, self.coefficients, dual.scores)
        # ‖w‖² = Σ cᵢfᵢ, which updates then keep up to date.
        c = self.coefficients()
        support = np.flatnonzero(c.any(axis=0))
        with np.errstate(over="ignore", invalid="ignore"):
            self._square = np.array([np.sum(c[:, support] * self.scores.of(support))])
            self._begin()
        self._lap = dispatcher(lap)
        # Passes not yet begun, and the kernel values that the last lap took.
        self._passes, self._taken = passes, 0

    def coefficients(self) -> np.ndarray:
        """The coefficients c now; those of a budgeted run are what its queue makes."""
        return queue_coefficients(self.dual) if len(self.dual.share) else self.state.weights

    @property
    def _all_in_view(self) -> bool:
        return len(self.gram.columns) == len(self.gram.slot)

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look at ``order`` until a lap of it is clean or ``laps`` are done; the last's updates."""
        last, order = 0, np.ascontiguousarray(order, dtype=np.int64)
        self._passes -= len(order) >= len(self.in_play)
        with np.errstate(over="ignore", invalid="ignore"):
            for done in range(laps):
                before, to_come = self.gram.computed, min(LIKELY, laps - done + self._passes)
                self._consider(order, spent=max(before, to_come * self._taken))
                last = self._one_lap(order, to_come)
                self._taken = self.gram.computed - before
                if last == 0 or self.left <= 0:
                    break
            self._store()
        return last

    def _one_lap(self, order: np.ndarray, to_come: int) -> int:
        """The updates of a lap, which so many are likely to come with, itself included."""
        at, last = 0, 0
        while at < len(order):
            before, gram = at, self.gram
            most = min(self.left, max(1, ENTRIES_PER_CALL // max(1, len(gram.columns))))
            view = GramView(
                gram.rows, gram.slot, gram.column, self._square, self.bias, self.squared_radius
            )
            with Uninterrupted():
                updates, at = self._lap(
                    view, float(self.rule.threshold), order, at, most, self.dual, self.state
                )
                looks = at - before
                self.count(Tally(updates, looks, 0, looks, updates * len(self.dual.codes)))
                last += updates
            if at == len(order):
                break
            unseen = gram.column[order[at]] < 0
            if self.left <= 0 and not unseen:
                break  # at a mistake, of which no more are allowed
            if unseen and at >= 2 * WINDOW:
                # As many mistakes as so far would take the kernel with half of them, on average.
                mistakes = last * len(order) // at
                self._consider(order, to_come * mistakes * len(order) // 2, mistakes)
            self._prepare(order[at:])
        self._check()
        return last

    def _check(self) -> None:
        if not np.isfinite(self.dual.scores).all():
            raise Ended(Stop.OVERFLOW)

    def _consider(self, order: np.ndarray, spent: float, mistakes: int = 0) -> None:
        """Have all of ``order`` in view, if that takes no more values than are spent without.

        And if there is room for the rows of so many mistakes, or of twice those made so far.
        """
        if self._all_in_view or (self.gram.column[order] >= 0).all():
            return
        rows = min(len(order), max(mistakes, 2 * int(np.count_nonzero(self.state.dual))))
        room = self.gram.room(len(order))
        if room >= rows > 0 and spent >= self.gram.price(rows, len(order)):
            self._turn(np.unique(order), rows)

    def _oldest(self, most: int) -> np.ndarray:
        """The points that a full budget forgets next."""
        size, (start, held) = len(self.dual.share), self.dual.ends[1:]
        if size == 0 or held < size - 1:
            return np.arange(0)
        return self.dual.queue[(start + np.arange(min(most, held))) % size, 0]

    def _prepare(self, ahead: np.ndarray) -> None:
        """Have what comes next in view, what the next mistake asks for, and what may follow it."""
        if len(self.dual.log) and self.dual.ends[0] == len(self.dual.log):
            self.dual = self.dual._replace(log=np.concatenate([self.dual.log] * 2))
        wanted = np.append(ahead[:1], self._oldest(1))
        if (self.gram.column[wanted] < 0).any():
            self._check()
            self._turn(np.unique(np.append(ahead[:WINDOW], self._oldest(WINDOW))))
            return
        ahead = ahead[: len(self.gram.columns)]
        near = ahead[(self.gram.slot[ahead] < 0) & (self.gram.column[ahead] >= 0)]
        scores = self.dual.scores[:, self.gram.column[near]]
        self.gram.fetch(wanted, near[self._leads(scores, near) <= self.rule.threshold])

    def _turn(self, points: np.ndarray, rows: int = 0) -> None:
        """Turn to other points, of which so many rows will be asked for."""
        self._store()
        matrix = self.gram.matrix(points) if self.gram.worth_all(rows, len(points)) else None
        self.scores.of(points, matrix)
        with Uninterrupted():
            self.gram.view(points, matrix)
            self._begin()

    def _begin(self) -> None:
        """Take the scores and coefficients of the points in view."""
        columns = self.gram.columns
        scores = self.scores.of(columns)
        if self._all_in_view:  # never to be left
            scores = self.scores.values
        self.dual = self.dual._replace(scores=np.ascontiguousarray(scores))
        self._before = self.state.weights[:, columns], self.total.updates

    def _store(self) -> None:
        """Give back the scores of the points in view, and note whose coefficients changed."""
        columns, (before, updates) = self.gram.columns, self._before
        if self._all_in_view or self.total.updates == updates:
            return
        with Uninterrupted():
            if len(self.dual.share):
                self.scores.all_changed()
            else:
                by = self.state.weights[:, columns] - before
                changed = by.any(axis=0)
                self.scores.changed(columns[changed], by[:, changed])
            self.scores.set(columns, self.dual.scores)
            self._before = self.state.weights[:, columns], self.total.updates

    def scores_of(self, points: np.ndarray) -> np.ndarray:
        """The scores of those points, at the weights after the last look."""
        if self._all_in_view:
            return self.scores.values[:, points]
        with np.errstate(over="ignore", invalid="ignore"):
            return self.scores.of(points)

    def _leads(self, scores: np.ndarray, points: np.ndarray) -> np.ndarray:
        return leads(scores, self.dual.codes[points])

    def margins(self, points: Any, order: np.ndarray) -> np.ndarray:
        """How far each of those points is on its right side."""
        return self._leads(self.scores_of(order), order)

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far."""
        return self.in_play[self.state.dual[self.in_play] > 0]

    def most_violated(self) -> int:
        """The point of least margin; finding it is a look at each."""
        n = len(self.in_play)
        self._consider(self.in_play, spent=math.inf)
        self.count(Tally(0, n, 0, n, 0))
        return int(self.in_play[np.argmin(self.margins(self.points, self.in_play))])

    def length(self) -> float:
        """‖w‖ in feature space."""
        return math.sqrt(max(0.0, self._square[0]))

    def finish(self) -> None:
        """Write the coefficients of a budgeted run, which are those of its queue."""
        self._store()
        if len(self.dual.share):
            self.state.weights[...] = self.coefficients()

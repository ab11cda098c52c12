"""`KernelSweep`: what the loop of ``learn`` drives to learn in feature space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.engine.kernels.dual import Dual, queue_coefficients
from rosenblatt.engine.kernels.gram import GramRows
from rosenblatt.engine.kernels.looks import GramView, lap
from rosenblatt.engine.loop import Ended
from rosenblatt.engine.machine.compiled import dispatcher
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.rules import State, Tally
from rosenblatt.engine.stopping import Stop
from rosenblatt.engine.sweep import ENTRIES_PER_CALL, Counting, in_play


class KernelSweep(Counting):
    """Looks at points through their scores, so that the one loop can learn in feature space.

    Parameters
    ----------
    points, rule, state, everyone
        As for `CompiledSweep`; the state's weights are the coefficients c, of shape (1, n) or
        (K, n).
    gram : GramRows
    dual : Dual
    bias, radius : float
        What is added to the kernel, and R with it.
    """

    def __init__(
        self,
        points: Any,
        rule: Any,
        state: State,
        everyone: np.ndarray,
        *,
        gram: GramRows,
        dual: Dual,
        bias: float,
        radius: float,
    ):
        self.points, self.rule, self.state = points, rule, state
        self.everyone, self.gram, self.dual = in_play(points, everyone), gram, dual
        self.bias, self.squared_radius = bias, max(radius * radius, np.finfo(float).tiny)
        self._lap = dispatcher(lap).calls()

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look at ``order`` until a lap of it is clean or ``laps`` are done; the last's updates."""
        last = 0
        for _ in range(laps):
            last = self._one_lap(np.ascontiguousarray(order, dtype=np.int64))
            if last == 0 or self.left <= 0:
                break
        if not np.isfinite(self.dual.scores).all():
            raise Ended(Stop.OVERFLOW)
        return last

    def _one_lap(self, order: np.ndarray) -> int:
        n = self.dual.scores.shape[1]
        at_once, at, last = max(1, ENTRIES_PER_CALL // n), 0, 0
        while at < len(order) and self.left > 0:
            before, most = at, min(self.left, at_once)
            rows = GramView(self.gram.rows, self.gram.slot, self.bias, self.squared_radius)
            with Uninterrupted():
                updates, at = self._lap(
                    rows, float(self.rule.threshold), order, at, most, self.dual, self.state
                )
                looks = at - before
                self.count(Tally(updates, looks, 0, looks, updates * n))
                last += updates
            if at < len(order):
                self._prepare(order[at:])
        return last

    def _prepare(self, ahead: np.ndarray) -> None:
        """Fetch what the next mistake asks for, and the rows of those that look like following."""
        if len(self.dual.log) and self.dual.ends[0] == len(self.dual.log):
            self.dual = self.dual._replace(log=np.concatenate([self.dual.log] * 2))
        wanted = ahead[:1]
        if len(self.dual.share) and self.dual.ends[2] == len(self.dual.share) - 1:
            wanted = np.append(wanted, self.dual.queue[self.dual.ends[1], 0])
        uncached = ahead[self.gram.slot[ahead] < 0]
        self.gram.fetch(wanted, uncached[self._margins(uncached) <= self.rule.threshold])

    def _margins(self, order: np.ndarray) -> np.ndarray:
        scores, codes = self.dual.scores[:, order], self.dual.codes[order]
        if len(scores) == 1:
            return (2 * codes - 1) * scores[0]
        own = np.take_along_axis(scores, codes[None], axis=0)[0]
        np.put_along_axis(scores, codes[None], -math.inf, axis=0)
        return own - scores.max(axis=0)

    def margins(self, points: Any, order: np.ndarray) -> np.ndarray:
        """How far each of those points is on its right side."""
        return self._margins(order)

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far."""
        return self.everyone[self.state.dual[self.everyone] > 0]

    def most_violated(self) -> int:
        """The point of least margin; finding it is a look at each."""
        n = len(self.everyone)
        self.count(Tally(0, n, 0, n, 0))
        return int(self.everyone[np.argmin(self._margins(self.everyone))])

    def settle(self) -> None:
        """Write the coefficients of a budgeted run, which are those of its queue."""
        if len(self.dual.share):
            self.state.weights[...] = queue_coefficients(self.dual)

"""Learning with a penalty: the sweep whose weights owe nothing when it is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.rules.penalties import pay_all, pay_up
from rosenblatt.engine.solutions import weighted_error
from rosenblatt.engine.sweep import CompiledSweep


class PenalisedSweep(CompiledSweep):
    """A compiled sweep after which all weights have paid their penalty."""

    repeats = False
    forgets = True

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look as ever; a clean lap counts only if the weights also separate after the penalty."""
        last = super().look(order, laps)
        self._pay_up()
        if last:
            return last
        return int(np.sum(~(self.margins(self.points, order) > self.rule.threshold)))

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far; all, while none has."""
        mistaken = super().mistaken()
        return mistaken if len(mistaken) else self.everyone

    def error(self, points: Any = None, order: Any = None) -> float:
        """The share of errors; among the points in play, each counts as it is learned from."""
        if points is not None:
            return super().error(points, order)
        return weighted_error(self.points, self.rule, self.state, self.everyone)

    def settle(self) -> None:
        """Pay, if the run was interrupted within a look."""
        super().settle()
        self._pay_up()

    def _pay_up(self) -> None:
        pay_up(self.rule, self.state.weights, compiled(pay_all))

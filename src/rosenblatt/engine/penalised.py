"""Learning with a penalty: the sweep whose weights owe nothing when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.rules import State
from rosenblatt.engine.rules.penalties import convert, pay_all
from rosenblatt.engine.solutions import weighted_error
from rosenblatt.engine.sweep import CompiledSweep


class PenalisedSweep(CompiledSweep):
    """A compiled sweep after which all weights have paid their penalty."""

    repeats = False
    forgets = True

    def __init__(self, *args: Any, **given: Any):
        super().__init__(*args, **given)
        if self.state.clock[0]:
            self._shift_drift(-1)

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
        """Pay, if the run was interrupted within a look; the drift is then as of any run."""
        self._pay_up()
        self._shift_drift(1)

    def _pay_up(self) -> None:
        for weights, drift, paid in vectors(self.state, self.rule.paid):
            compiled(pay_all)(weights, drift, paid, self.rule)
        convert(self.rule.account)

    def _shift_drift(self, times: int) -> None:
        """Add clock·w: the drift is that less the sum of the weights over all looks."""
        looks = times * int(self.state.clock[0])
        for weights, drift, paid in vectors(self.state, self.rule.paid):
            drift[: len(paid)] += looks * weights[: len(paid)]


def vectors(state: State, paid: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The weights, drifts and payments of each class, or of all at once, as they lie in memory.

    Examples
    --------
    >>> state = State(*np.zeros((2, 2, 3), order="F"), *[np.zeros(0)] * 4)
    >>> [len(paid) for _, _, paid in vectors(state, np.zeros((2, 2)))]
    [2, 2]
    """
    if state.weights.ndim == 1:
        yield state.weights, state.drift, paid
    elif all(numbers.flags.f_contiguous for numbers in (state.weights, state.drift, paid)):
        # The biases come last, and have no payments.
        yield state.weights.ravel(order="F"), state.drift.ravel(order="F"), paid.ravel(order="F")
    else:
        yield from zip(state.weights, state.drift, paid, strict=True)

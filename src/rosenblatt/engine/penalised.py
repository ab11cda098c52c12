"""Learning with a penalty: a sweep that applies pending penalties before weights are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.rules import State
from rosenblatt.engine.rules.penalties import convert, pay_all
from rosenblatt.engine.solutions import weighted_error
from rosenblatt.engine.sweep import CompiledSweep


class PenalisedSweep(CompiledSweep):
    """A compiled sweep that applies all pending penalties after each look."""

    forgets = True

    def __init__(self, *args: Any, **given: Any):
        super().__init__(*args, **given)
        if self.state.clock[0]:
            self._shift_drift(-1)

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look at ``order``; a clean lap counts only if weights separate after the penalty too."""
        last = super().look(order, laps)
        self._pay_up()
        if last:
            return last
        return int(np.sum(~(self.margins(self.points, order) > self.rule.threshold)))

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far; all, while none has."""
        mistaken = super().mistaken()
        return mistaken if len(mistaken) else self.in_play

    def error(self, points: Any = None, order: Any = None) -> float:
        """The share of errors; points in play are weighted by their steps."""
        if points is not None:
            return super().error(points, order)
        return weighted_error(self.points, self.rule, self.state, self.in_play)

    def finish(self) -> None:
        """Apply penalties still pending after an interrupt, and make the drift the usual one."""
        self._pay_up()
        self._shift_drift(1)

    def _pay_up(self) -> None:
        for weights, drift, paid in vectors(self.state, self.rule.paid):
            compiled(pay_all)(weights, drift, paid, self.rule)
        convert(self.rule.account)

    def _shift_drift(self, times: int) -> None:
        """Add clock·w: the usual drift is clock·w less the sum of the weights over all looks."""
        looks = times * int(self.state.clock[0])
        for weights, drift, paid in vectors(self.state, self.rule.paid):
            drift[: len(paid)] += looks * weights[: len(paid)]


def vectors(state: State, paid: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The weights, drifts and penalties paid of each class, or of all classes as one vector.

    Examples
    --------
    >>> state = State(*np.zeros((2, 2, 3), order="F"), *[np.zeros(0)] * 4)
    >>> [len(paid) for _, _, paid in vectors(state, np.zeros((2, 2)))]
    [2, 2]
    """
    if state.weights.ndim == 1:
        yield state.weights, state.drift, paid
    elif all(numbers.flags.f_contiguous for numbers in (state.weights, state.drift, paid)):
        # The biases come last, and pay no penalty.
        yield state.weights.ravel(order="F"), state.drift.ravel(order="F"), paid.ravel(order="F")
    else:
        yield from zip(state.weights, state.drift, paid, strict=True)

"""The arbiter: settles what a perceptron's passes leave open. Imports ``decision``'s parts.

When to call it is the ski-rental question, and has its answer: go on passing until the passes have
cost as much as deciding would, then decide. Whichever was right, at most twice the better choice
is spent. Costs are counted in entries read, never in seconds, so that a fit can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.decision import settle
from rosenblatt.estimators.problem import Problem
from rosenblatt.points import count, stored, width
from rosenblatt.requirements import Requirements
from rosenblatt.rules import State
from rosenblatt.run import Pass
from rosenblatt.stopping import Stop
from rosenblatt.working_set import Refutation, Search, Separator

# Measured, in entries of dense rows read: a decision in D dimensions costs a start, some looks over
# the data, and a multiple of D³; a pass costs its looks, of which each costs more than its entries,
# and the call.
START = 10_000_000
LOOKS = 40
PER_CUBE = 80
PER_LOOK = 20
CALL = 30_000
# Two equal rows of different classes are found for less than the start and the looks. Once these
# have been spent so many times over, to look for such rows first adds a quarter at most.
TIMES = 4


class Size(NamedTuple):
    """The size of data: rows, columns, weight vectors (0 for a single one), entries a row."""

    rows: int
    width: int
    vectors: int
    per_row: float


class Arbiter:
    """Decides a run's data when that has become the cheaper way on.

    Parameters
    ----------
    certify : {"auto", True, False}
        Whether to decide once it pays, at the first opportunity, or never.
    state : State
        The run's state, read when deciding.
    size : Size
        Of the data.
    make : callable
        Makes the requirements when they are first needed.
    moved : callable
        How far each point has moved the weights.
    passes : int
        Passes made before.
    """

    def __init__(
        self,
        certify: Any,
        state: State,
        size: Size,
        make: Callable[[], Requirements],
        moved: Callable[[], np.ndarray],
        passes: int = 0,
    ):
        self.certify, self.state, self.passes = certify, state, passes
        self.make, self.moved = make, moved
        self.answer: Separator | Refutation | None = None
        self.goal: Requirements | None = None
        vectors = max(1, size.vectors)
        self.per_look = PER_LOOK + vectors * size.per_row
        dimension = min(vectors * (size.width + 1), size.rows)
        looks = START + LOOKS * size.per_row * size.rows
        self.first_price, self.price = TIMES * looks, looks + PER_CUBE * dimension**3

    @classmethod
    def of(cls, certify: Any, problem: Problem, state: State) -> Arbiter:
        """The arbiter of a problem in memory."""
        points = problem.points
        per_row = stored(points) / count(points)

        size = Size(count(points), width(points), problem.vectors, per_row)
        return cls(certify, state, size, problem.requirements, lambda: state.dual)

    def after_pass(self, row: Pass) -> Stop | None:
        """Decide if that is due, once."""
        if self.answer is not None:
            return None
        self.passes += 1
        if self.certify != "auto":
            return self.decide() if self.certify else None
        spent = row.looks * self.per_look + self.passes * CALL
        if spent >= self.price:
            return self.decide()
        return self.contradict() if spent >= self.first_price and self.goal is None else None

    def contradict(self) -> Stop | None:
        """Refute the data by two equal rows of different classes, if there are any."""
        try:
            self.goal = self.make()
            found = self.goal.contradiction()
        except KeyboardInterrupt:
            return Stop.INTERRUPTED
        if found is None:
            return None
        self.answer = Refutation(*found, [1, 1])
        return Stop.INSEPARABLE

    def decide(self) -> Stop:
        """Decide now, from where the run is."""
        try:
            search = Search(self.goal or self.make())
            self.answer = settle(search, self.state.weights, self.moved(), separates=False)
        except KeyboardInterrupt:
            return Stop.INTERRUPTED
        return Stop.SEPARATED if isinstance(self.answer, Separator) else Stop.INSEPARABLE

    def separator(self) -> np.ndarray | None:
        """The weights found, shaped like the run's and as floats; None if there are none."""
        if not isinstance(self.answer, Separator):
            return None
        return self.answer.floats().reshape(self.state.weights.shape)

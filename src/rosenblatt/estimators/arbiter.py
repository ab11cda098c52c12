"""The arbiter: settles what a perceptron's passes leave open. Imports ``decision``'s parts.

When to call it is the ski-rental question, and has its answer: go on passing until the passes have
cost as much as deciding would, then decide. Whichever was right, at most twice the better choice
is spent. Costs are counted in entries read, never in seconds, so that a fit can be repeated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.decision import settle
from rosenblatt.estimators.problem import Problem
from rosenblatt.points import count, stored, width
from rosenblatt.rules import State
from rosenblatt.run import Pass
from rosenblatt.stopping import Stop
from rosenblatt.working_set import Refutation, Search, Separator

# Measured, in entries read: a decision in D dimensions costs a start, some looks over the data, and
# a multiple of D³; a pass costs its looks and the call.
START = 10_000_000
LOOKS = 30
PER_CUBE = 10
CALL = 30_000


class Arbiter:
    """Decides a run's data when that has become the cheaper way on.

    Parameters
    ----------
    certify : {"auto", True, False}
        Whether to decide once it pays, at the first opportunity, or never.
    problem : Problem
        What the run is given.
    state : State
        The run's state, read when deciding.
    """

    def __init__(self, certify: Any, problem: Problem, state: State):
        self.certify, self.problem, self.state = certify, problem, state
        self.passes = 0
        self.answer: Separator | Refutation | None = None
        points, vectors = problem.points, max(1, problem.vectors)
        per_row = stored(points) / count(points)
        self.per_look = vectors * per_row
        size = min(vectors * (width(points) + 1), problem.n)
        self.price = START + LOOKS * per_row * problem.n + PER_CUBE * size**3

    def after_pass(self, row: Pass) -> Stop | None:
        """Decide if that is due, once."""
        if self.answer is not None:
            return None
        self.passes += 1
        spent = row.looks * self.per_look + self.passes * CALL
        due = spent >= self.price if self.certify == "auto" else self.certify
        return self.decide() if due else None

    def decide(self) -> Stop:
        """Decide now, from where the run is."""
        try:
            search = Search(self.problem.requirements())
            dual = self.problem.of_own(self.state.dual)
            self.answer = settle(search, self.state.weights, dual, separates=False)
        except KeyboardInterrupt:
            return Stop.INTERRUPTED
        return Stop.SEPARATED if isinstance(self.answer, Separator) else Stop.INSEPARABLE

    def separator(self) -> np.ndarray | None:
        """The weights found, shaped like the run's and as floats; None if there are none."""
        if not isinstance(self.answer, Separator):
            return None
        weights = self.answer.weights
        if weights.dtype == object:
            largest = max(map(abs, weights))
            weights = np.array([float(w / largest) for w in weights])
        return weights.reshape(self.state.weights.shape)

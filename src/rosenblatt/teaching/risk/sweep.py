"""One pass of descent, as the loop of ``learn`` asks for it, and what it writes down."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.counting import Counting, points_in_play
from rosenblatt.engine.loop import Ended
from rosenblatt.engine.machine.threads import in_slices
from rosenblatt.engine.points import Points, stored, stored_by
from rosenblatt.engine.rules import State, Tally
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.teaching.risk.problem import Problem
from rosenblatt.teaching.risk.values import best_length

STEPS = ("fixed", "decaying", "line_search")


class Descent(NamedTuple):
    """How far a step goes, and over how many rows; see `descend`.

    Examples
    --------
    >>> check_rule(Descent(epsilon=0.1, step="fixed", batch_size=None)).epsilon
    0.1
    """

    epsilon: float
    step: str
    batch_size: int | None


def check_rule(rule: Descent) -> Descent:
    """The rule, or an error that says which of its parameters is wrong."""
    if not 0 < rule.epsilon < math.inf:
        raise InputError(f"epsilon must be a positive finite number, got {rule.epsilon!r}.")
    if rule.step not in STEPS:
        raise InputError(f"step must be one of {', '.join(map(repr, STEPS))}, got {rule.step!r}.")
    if rule.batch_size is not None and not rule.batch_size >= 1:
        raise InputError(f"batch_size must be at least 1 or None, got {rule.batch_size!r}.")
    if rule.batch_size is not None and rule.step == "line_search":
        raise InputError(
            "step='line_search' searches the whole risk: it needs batch_size=None, got "
            f"{rule.batch_size!r}."
        )
    return rule


class DescentSweep(Counting):
    """One pass is one step of descent, or one for each mini-batch; writes the path down.

    The loop's updates are the misclassified points that a step adds up: the m of `step_bound`.

    Examples
    --------
    >>> from rosenblatt import risk
    >>> path = risk.descend([[1, 4], [-5, -3], [3, -5]], [1, -1, -1], init=[1, -5],
    ...                     epsilon=0.2, fit_intercept=False)
    >>> path.errors.tolist()
    [3, 2, 2, 0]
    """

    def __init__(
        self,
        points: Points,
        rule: Descent,
        state: State,
        *,
        problem: Problem,
        record: DescentRecord,
    ):
        self.points, self.rule, self.state = points, rule, state
        self.in_play, self.problem, self.record = points_in_play(points, None), problem, record

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """One pass; how many points it found misclassified."""
        start = self.state.weights.copy()
        risk, weight, errors, epsilon = 0.0, 0.0, 0, 0.0
        for problem, rows in self._batches(order):
            met, mislaid, wrong, used = self._step(problem)
            risk, weight, errors = risk + met, weight + mislaid, errors + wrong
            epsilon = used if wrong else epsilon
            read = stored(self.points) if rows is None else stored_by(self.points, rows)
            self._count(len(problem.y), wrong, read)
        self.record.write(start, Entry(risk, weight, epsilon))
        if not self.state.weights.any() or (errors and np.array_equal(start, self.state.weights)):
            raise Ended(Stop.SETTLED)
        return errors

    def _batches(self, order: np.ndarray) -> Any:
        if self.rule.batch_size is None:
            yield self.problem, None
            return
        for piece in in_slices(len(order), int(self.rule.batch_size)):
            rows = order[piece]
            yield self.problem._replace(X=self.problem.X[rows], y=self.problem.y[rows]), rows

    def _step(self, problem: Problem) -> tuple[float, float, int, float]:
        """Move the weights; risk, weight and number of the errors before, and the ε used."""
        weights = self.state.weights
        with np.errstate(over="ignore", invalid="ignore"):
            margins = problem.margins(weights)
            wrong = margins < 0
            errors = int(np.count_nonzero(wrong))
            if errors == 0:
                return 0.0, 0.0, 0, 0.0
            downhill = problem.downhill(wrong)
            epsilon = self._epsilon(problem, margins, downhill)
            weights += epsilon * downhill
            return float(-margins[wrong].sum()), weight_of(problem, wrong), errors, epsilon

    def _epsilon(self, problem: Problem, margins: np.ndarray, downhill: np.ndarray) -> float:
        if self.rule.step == "line_search":
            return best_length(margins, problem.margins(downhill))
        if self.rule.step == "decaying":
            return self.rule.epsilon / math.sqrt(len(self.record.entries) + 1)
        return self.rule.epsilon

    def _count(self, looks: int, errors: int, read: int) -> None:
        self.count(Tally(errors, looks, 0, read, errors * read // max(1, looks)))
        self.state.clock[0] += looks

    def mistaken(self) -> np.ndarray:
        """All points: a batch has no memory of which were mistaken."""
        return self.in_play

    def most_violated(self) -> int:
        """The point of least margin."""
        return int(np.argmin(self.problem.margins(self.state.weights)))

    def margins(self, points: Points, order: np.ndarray) -> np.ndarray:
        """How far each of those points is on its right side."""
        return self.problem.margins(self.state.weights)[order]


def weight_of(problem: Problem, wrong: np.ndarray) -> float:
    """The weight of those points; without weights, their number."""
    return float(np.abs(problem.y[wrong]).sum())


class Entry(NamedTuple):
    """One pass of a path.

    Examples
    --------
    >>> Entry(risk=57.0, errors=3.0, epsilon=0.2).risk
    57.0
    """

    risk: float
    errors: float
    epsilon: float


class DescentRecord:
    """What a sweep writes down."""

    def __init__(self, keep_weights: bool):
        self.keep_weights = keep_weights
        self.entries: list[Entry] = []
        self.weights: list[np.ndarray] = []
        self.best = (math.inf, np.empty(0))

    def write(self, weights: np.ndarray, entry: Entry) -> None:
        """Write down a pass and the weights before it."""
        self.entries.append(entry)
        if not self.keep_weights:
            self.weights.clear()
        self.weights.append(weights)
        if entry.errors <= self.best[0]:
            self.best = (entry.errors, weights)

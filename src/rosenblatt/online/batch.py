"""Many examples at once for an online learner, through the engine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.checks import check_finite, check_rows
from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.points import make_points, squared_norms
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from rosenblatt.errors import InputError
from rosenblatt.online.features import BIAS, plain

if TYPE_CHECKING:
    from rosenblatt.online.learner import Perceptron


def learn_batch(learner: Perceptron, X: Any, labels: list[Any]) -> None:
    """Learn from the rows of a matrix or frame in their order."""
    if X.shape[0] == len(labels) == 0:
        return
    names = [plain(name) for name in getattr(X, "columns", range(X.shape[1]))]
    matrix = check_rows(X)
    if len(labels) != matrix.shape[0]:
        raise InputError(
            f"X and y must have the same number of rows: X has {matrix.shape[0]}, y has "
            f"{len(labels)}."
        )
    check_finite(make_points(matrix, np.zeros(len(labels))), names)
    columns = learner._features.join(names)
    learner._make_room()
    # A new class joins at its first example, so the batch is cut there.
    firsts: dict[Any, int] = {}
    for i, label in enumerate(labels):
        if label not in learner._codes:
            firsts.setdefault(label, i)
    cuts = sorted({0, *firsts.values()})
    for start, end in zip(cuts, [*cuts[1:], len(labels)], strict=True):
        if labels[start] not in learner._codes:
            learner._meet(labels[start])
        codes = np.array([learner._codes[label] for label in labels[start:end]])
        _learn(learner, matrix[start:end], codes, np.array([*columns, BIAS]))


def learn_rows(learner: Perceptron, rows: np.ndarray, codes: list[int]) -> bool:
    """Learn from rows of all features in the learner's order; False if one is not finite."""
    own = np.append(np.arange(1, rows.shape[1] + 1), BIAS)
    return _learn(learner, rows, np.fromiter(codes, np.intp, len(codes)), own)


def _learn(learner: Perceptron, X: Any, codes: np.ndarray, own: np.ndarray) -> bool:
    """One look at each row, all of known classes; False, and no look, if one is not finite.

    ``own`` are the learner's columns in the order of the engine's, the bias last.
    """
    single = learner._single
    classes = 2 if single else len(learner.classes)
    y = 2.0 * codes - 1.0 if single else codes
    points = make_points(X, y, fit_intercept=learner.fit_intercept)
    squares = np.empty(len(codes))
    compiled(squared_norms)(points, squares)
    if not squares.max() < math.inf:
        return False
    state = zero_state(points, 0 if single else classes)
    state.weights[...] = learner._weights[:, own].reshape(state.weights.shape)
    state.clock[0] = learner._looks
    sweep = CompiledSweep(points, make_rule(classes), state)
    try:
        sweep.look(sweep.everyone)
    finally:  # Ctrl-C may come between two pieces of a long batch
        sweep.settle()
        learner._weights[:, own] = state.weights
        learner._drift[:, own] += state.drift
        learner._looks = int(state.clock[0])
        learner._updates += sweep.total.updates
        longest = squares[state.dual > 0].max(initial=0.0)
        learner._radius = max(learner._radius, math.sqrt(longest))
    return True

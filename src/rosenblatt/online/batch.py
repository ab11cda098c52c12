"""Many examples at once for an online learner, through the engine."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.checks import check_finite, check_rows
from rosenblatt.compiled import compiled
from rosenblatt.errors import InputError
from rosenblatt.learn import learn, zero_state
from rosenblatt.online.features import BIAS, NOT_NUMBERS, plain
from rosenblatt.points import make_points, squared_norms
from rosenblatt.rules import make_rule
from rosenblatt.stopping import Budget, Stop

if TYPE_CHECKING:
    from rosenblatt.online.learner import Perceptron


def learn_batch(learner: Perceptron, X: Any, labels: list[Any]) -> None:
    """Learn from the rows of a matrix or frame in their order."""
    names = [plain(name) for name in getattr(X, "columns", range(X.shape[1]))]
    matrix = check_rows(None, X)
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
        _learn(learner, matrix[start:end], codes, [*columns, BIAS])


def learn_packed(learner: Perceptron, values: list[float], codes: list[int]) -> bool:
    """Learn from dicts of all features by their values, one after the other; False if any is bad."""
    try:
        matrix = np.frombuffer(struct.pack(f"{len(values)}d", *values)).reshape(len(codes), -1)
        check_finite(make_points(matrix, np.zeros(len(codes))))
    except (*NOT_NUMBERS, InputError):
        return False
    own = [*range(1, matrix.shape[1] + 1), BIAS]
    _learn(learner, matrix, np.array(codes), own)
    return True


def _learn(learner: Perceptron, X: Any, codes: np.ndarray, own: list[int]) -> None:
    """One cyclic pass over rows whose classes are all known."""
    single = learner._single
    classes = 2 if single else len(learner.classes)
    y = 2.0 * codes - 1.0 if single else codes
    points = make_points(X, y, fit_intercept=learner.fit_intercept)
    state = zero_state(points, 0 if single else classes)
    state.weights[...] = learner._weights[:, own].reshape(state.weights.shape)
    state.clock[0] = learner._looks
    budget = Budget(passes=1)
    run = learn(points, make_rule(classes), order="cyclic", state=state, budget=budget)
    learner._weights[:, own] = state.weights
    learner._drift[:, own] += state.drift
    learner._looks = int(state.clock[0])
    learner._updates += run.updates
    if run.updates:
        squares = np.empty(len(codes))
        compiled(squared_norms)(points, squares)
        learner._radius = max(learner._radius, math.sqrt(squares[state.dual > 0].max()))
    if run.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt

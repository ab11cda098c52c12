"""Many examples at once for an online learner, through the engine."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.checks import check_finite, check_rows
from rosenblatt.data.weights import each_sample_weight
from rosenblatt.engine.pieces import squares_of
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from rosenblatt.errors import InputError
from rosenblatt.online.checks import check_label
from rosenblatt.online.features import BIAS
from rosenblatt.online.predicting import feature_names

if TYPE_CHECKING:
    from rosenblatt.online.learning import Learner


def learn_batch(learner: Learner, X: Any, labels: list[Any], w: Any) -> None:
    """Learn from the rows of a matrix or frame in their order."""
    if X.shape[0] == len(labels) == 0:
        return
    names = feature_names(X)
    matrix = check_rows(X)
    if len(labels) != matrix.shape[0]:
        raise InputError(
            f"X and y must have the same number of rows: X has {matrix.shape[0]}, y has "
            f"{len(labels)}."
        )
    check_finite(make_points(matrix, np.zeros(len(labels))), names)
    steps = each_sample_weight(w, len(labels))
    cuts = sorted({0, *_first_rows(learner, labels)})
    columns = learner._features.join(names)
    learner._make_room()
    for start, end in zip(cuts, [*cuts[1:], len(labels)], strict=True):
        if labels[start] not in learner._codes:
            learner._meet(labels[start])
        codes = np.array([learner._codes[label] for label in labels[start:end]])
        if not learn(learner, matrix[start:end], codes, columns, steps[start:end]):
            raise InputError(
                f"the examples of rows {start} to {end - 1} are too long: a squared norm, or one "
                "times a weight, is beyond the range of double precision. Rescale the features."
            )


def _first_rows(learner: Learner, labels: list[Any]) -> Iterable[int]:
    """The first row of each new class, which joins there."""
    try:
        new = set(labels) - learner._codes.keys()
    except TypeError:  # some label is not hashable
        new = labels
    for label in new:
        check_label(label)
    return map(labels.index, new)


def learn(learner: Learner, X: Any, codes: np.ndarray, columns: Iterable[int], steps: Any) -> bool:
    """One look at each row, all of known classes; False, and no look, if one is too long.

    Parameters
    ----------
    learner : Learner
    X : ndarray or CSR matrix of shape (n, d)
    codes : ndarray of shape (n,)
        The classes of the rows.
    columns : iterable of d int
        The learner's column of each of theirs.
    steps : float or ndarray of shape (n,)
        The weights of the rows.
    """
    single, own = learner._single, np.array([*columns, BIAS])
    classes = 2 if single else len(learner.classes)
    y = 2.0 * codes - 1.0 if single else codes
    points = make_points(X, y, fit_intercept=learner.fit_intercept, steps=steps)
    squares = squares_of(points)
    with np.errstate(over="ignore"):
        longest = (squares * np.maximum(steps, 1.0) ** 2).max()
    if not longest < math.inf:
        return False
    state = zero_state(points, 0 if single else classes)
    state.weights[...] = learner._weights[:, own].reshape(state.weights.shape)
    state.clock[0] = learner._looks
    sweep = CompiledSweep(points, make_rule(classes, learner.threshold), state)
    try:
        sweep.look(sweep.in_play)
    finally:  # Ctrl-C may come between two pieces of a long batch
        sweep.finish()
        learner._weights[:, own] = state.weights
        learner._drift[:, own] += state.drift
        learner._looks = int(state.clock[0])
        learner._updates += sweep.total.updates
        longest = squares[state.dual > 0].max(initial=0.0)
        learner._radius = max(learner._radius, math.sqrt(longest))
    return True

"""Where descents begin: the perceptron, logistic regression and the linear support vector machine.

None of them minimises errors, and each is beaten by the others somewhere; descending from all of
them is never worse than the best of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.learn import learn
from rosenblatt.points import make_points
from rosenblatt.requirements import Requirements
from rosenblatt.rules import make_rule
from rosenblatt.stopping import Budget, Stop

PASSES = 10
# Inverse strengths of regularisation, on columns scaled to the same reach.
STRENGTHS = (1e4, 100.0, 1.0, 1e6, 0.01)
# Entries of X beyond which one fit of scikit-learn's takes too long to wait for.
LARGEST = 2 * 10**7


def perceptron(goal: Requirements) -> list[np.ndarray]:
    """The last and the averaged weights of some passes."""
    codes = goal.codes
    y = 2.0 * codes - 1.0 if goal.binary else codes
    points = make_points(goal.X, y, fit_intercept=bool(goal.bias))
    run = learn(points, make_rule(goal.classes), budget=Budget(passes=PASSES))
    if run.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return [run.weights.ravel(), run.average.ravel()]


def regressions(
    goal: Requirements, costs: np.ndarray, late: Callable[[], bool]
) -> Iterator[np.ndarray]:
    """Weights of regularised regressions and support vector machines, one after the other."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    stored = goal.X.nnz if goal.sparse else goal.X.size
    if stored > LARGEST or len(np.unique(goal.codes)) < goal.classes:
        return
    low, high = goal.bounds()
    reach = np.where(high > low, (high - low) / 4, 1.0)
    shift = np.zeros(goal.d) if goal.sparse or not goal.bias else (low + high) / 2
    X: Any = goal.X @ _diagonal(1 / reach) if goal.sparse else (goal.X - shift) / reach
    weight = costs / costs.max()
    for strength in STRENGTHS:
        for model in (
            LogisticRegression(C=strength, fit_intercept=bool(goal.bias), max_iter=200),
            LinearSVC(C=strength, fit_intercept=bool(goal.bias), max_iter=200, dual=False),
        ):
            if late():
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # none of these need converge
                model.fit(X, goal.codes, sample_weight=weight)
            yield _weights(model, reach, shift, goal)


def _diagonal(values: np.ndarray) -> Any:
    from scipy import sparse

    return sparse.diags_array(values)


def _weights(model: Any, reach: np.ndarray, shift: np.ndarray, goal: Requirements) -> np.ndarray:
    """The model's weights in the user's units."""
    coef = model.coef_ / reach
    bias = np.broadcast_to(model.intercept_, len(coef)) - coef @ shift
    return np.column_stack([coef, goal.bias * bias]).ravel()

"""Where descents begin: the perceptron, logistic regression and the linear support vector machine.

None of them minimises errors, and each is beaten by the others somewhere; descending from all of
them is never worse than the best of them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from rosenblatt.solve.attempts import PASSES_TO_START
from rosenblatt.solve.constraints import Constraints

# Inverse strengths of regularisation, on columns scaled to the same reach.
STRENGTHS = (1e4, 100.0, 1.0, 1e6, 0.01)
# Iterations of one fit, and looks at all rows that an iteration takes.
ITERATIONS, LOOKS = 200, 3


def perceptron(constraints: Constraints) -> Run:
    """Some passes of the perceptron."""
    codes = constraints.codes
    y = 2.0 * codes - 1.0 if constraints.binary else codes
    points = make_points(constraints.X, y, fit_intercept=bool(constraints.bias))
    # A class may have no row here, so the rows do not tell how many weight vectors there are.
    state = zero_state(points, 0 if constraints.binary else constraints.classes)
    sweep = CompiledSweep(points, make_rule(constraints.classes), state)
    run = learn(sweep, budget=Budget(passes=PASSES_TO_START))
    if run.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return run


def regressions(
    constraints: Constraints, costs: np.ndarray, seconds_left: Callable[[], float]
) -> Iterator[np.ndarray]:
    """Weights of regularised regressions and support vector machines, while there is time.

    A fit of scikit-learn's cannot be interrupted, so it is begun only where there is time for it.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    if len(np.unique(constraints.codes)) < constraints.classes:
        return
    began = time.perf_counter()
    constraints.look(np.zeros(constraints.dimension))
    needed = ITERATIONS * LOOKS * (time.perf_counter() - began)
    low, high = constraints.bounds()
    reach = np.where(high > low, (high - low) / 4, 1.0)
    shift = (
        np.zeros(constraints.d) if constraints.sparse or not constraints.bias else (low + high) / 2
    )
    X: Any = (
        constraints.X @ _diagonal(1 / reach)
        if constraints.sparse
        else (constraints.X - shift) / reach
    )
    weight = costs / costs.max()
    for strength in STRENGTHS:
        settings = {"C": strength, "fit_intercept": bool(constraints.bias), "max_iter": ITERATIONS}
        for model in (
            LogisticRegression(**settings),
            LinearSVC(dual=False, **settings),  # pyright: ignore[reportArgumentType]
        ):
            if seconds_left() < needed:
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # none of these need converge
                model.fit(X, constraints.codes, sample_weight=weight)
            yield _weights(model, reach, shift, constraints)


def _diagonal(values: np.ndarray) -> Any:
    from scipy import sparse

    return sparse.diags_array(values)


def _weights(
    model: Any, reach: np.ndarray, shift: np.ndarray, constraints: Constraints
) -> np.ndarray:
    """The model's weights in the user's units."""
    coef = model.coef_ / reach
    bias = np.broadcast_to(model.intercept_, len(coef)) - coef @ shift
    return np.column_stack([coef, constraints.bias * bias]).ravel()

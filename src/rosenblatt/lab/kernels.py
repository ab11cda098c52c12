"""The boundary that a kernel makes of the same points: `rosenblatt.KernelPerceptron`, drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.lab.request import Experiment, codes_of, plane_of

PLACES = 61  # a side at which the score is given
# (1 + x·z)² and (1 + x·z)³, and exp(−γ‖x − z‖²) with scikit-learn's γ.
KERNELS: dict[str, dict[str, Any]] = {
    "poly2": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
    "poly3": {"kernel": "poly", "degree": 3, "gamma": 1.0, "coef0": 1.0},
    "rbf": {"kernel": "rbf"},
}


def kernel(experiment: Experiment) -> dict[str, Any] | None:
    """The kernel perceptron of an experiment: scores on a grid, and what it gets wrong.

    Returns
    -------
    dict or None
        None without a kernel, or with fewer than two classes to learn. ``scores`` are those of the
        second of two classes; of more, ``classes`` are the predicted ones.

    Examples
    --------
    >>> from rosenblatt.lab.request import read
    >>> xor = [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    >>> made = kernel(read({"points": xor, "settings": {"kernel": "poly2"}}))
    >>> made["errors"], made["stop"]
    ([0, 0], 'SEPARATED')
    """
    chosen = experiment.settings
    codes = codes_of(experiment.points)
    if chosen.kernel == "none" or len(np.unique(codes)) < 2:
        return None
    from rosenblatt.estimators.kernel import KernelPerceptron  # takes scikit-learn's time to import

    plane = plane_of(experiment.points)
    model = KernelPerceptron(
        **KERNELS[chosen.kernel],
        order=chosen.order,
        threshold=float(chosen.delta),
        fit_intercept=chosen.bias,
        max_iter=experiment.passes,
        random_state=chosen.seed,
    ).fit(plane, codes)
    every = np.vstack([plane, plane_of(experiment.test)])
    reach = np.ptp(every, axis=0).max() + 2.0
    middle = (every.min(axis=0) + every.max(axis=0)) / 2
    sides = [np.linspace(m - reach, m + reach, PLACES) for m in middle]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    two = len(model.classes_) == 2
    found = model.decision_function(grid) if two else model.predict(grid)
    return {
        "box": [float(sides[0][0]), float(sides[0][-1]), float(sides[1][0]), float(sides[1][-1])],
        "scores" if two else "classes": found.reshape(PLACES, PLACES).tolist(),
        "errors": [_errors(model, experiment.points), _errors(model, experiment.test)],
        "support": model.support_.tolist(),
        "mistakes": int(model.mistakes_),
        "stop": model.stop_.name,
    }


def _errors(model: Any, points: Any) -> int:
    return (
        int(np.count_nonzero(model.predict(plane_of(points)) != codes_of(points))) if points else 0
    )

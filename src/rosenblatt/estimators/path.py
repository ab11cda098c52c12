"""The path of a penalty: error against the number of weights that are not 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import NUMBERS, PAIR, checked, optional
from rosenblatt.errors import InputError
from rosenblatt.estimators.perceptron import Perceptron


class PathPoint(NamedTuple):
    """One fit of a path.

    Errors are shares of wrong predictions; the validation error is NaN without validation data.
    """

    alpha: float
    nonzeros: int
    training_error: float
    validation_error: float


@dataclass(frozen=True)
class SparsityPath:
    """Fits of growing penalty, as a table.

    Attributes
    ----------
    points : tuple of PathPoint
        One row for each alpha, as given.
    estimators : tuple of Perceptron
        The fits themselves.
    weights : int
        How many weights there are, biases left out.
    """

    points: tuple[PathPoint, ...]
    estimators: tuple[Perceptron, ...]
    weights: int

    def column(self, name: str) -> np.ndarray:
        """One column as an array, such as ``"nonzeros"``."""
        return np.array([getattr(point, name) for point in self.points])

    def __str__(self) -> str:
        lines = [f"{'alpha':>10}  {'non-zeros':>10}  {'of ' + str(self.weights):>10}  error"]
        validated = not np.isnan(self.column("validation_error")).all()
        if validated:
            lines[0] += "     validation"
        for alpha, nonzeros, training, validation in self.points:
            line = f"{alpha:>10.3g}  {nonzeros:>10,}  {nonzeros / self.weights:>10.1%}"
            line += f"  {training:<8.2%}"
            lines.append(f"{line}  {validation:.2%}" if validated else line.rstrip())
        return "\n".join(lines)


@checked(alphas=NUMBERS, eval_set=optional(PAIR))
def sparsity_path(
    X: Any,
    y: Any,
    alphas: Any = (0.0, 1e-5, 1e-4, 1e-3, 1e-2),
    *,
    eval_set: Any = None,
    penalty: str = "l1",
    max_iter: int = 20,
    **parameters: Any,
) -> SparsityPath:
    """Fit a penalised perceptron for each alpha, and show error against non-zeros.

    Nothing makes the path monotone: a larger alpha usually, not always, leaves fewer non-zeros.

    Parameters
    ----------
    X, y
        As for `Perceptron.fit`.
    alphas : sequence of float
        The penalties to try.
    eval_set : tuple (X_val, y_val), optional
        Data to measure the validation error on; no fit stops by it.
    penalty : {"l1", "elasticnet", "l2"}
        Only the first two make weights exactly 0.
    max_iter : int
        The most passes of each fit.
    **parameters
        Others of `Perceptron`.

    Returns
    -------
    SparsityPath

    Examples
    --------
    Two columns of four matter, and a penalty finds them:

    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 4))
    >>> path = sparsity_path(X, X[:, 0] > X[:, 1], alphas=[0.0, 1e-3])
    >>> path.column("nonzeros")
    array([4, 2])
    """
    alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    if not alphas.size:
        raise InputError("alphas must name at least one penalty, got none.")
    fits = tuple(
        Perceptron(
            penalty=penalty,
            alpha=float(alpha),
            max_iter=max_iter,
            solution="last",
            **{"certify": False, **parameters},
        ).fit(X, y)
        for alpha in alphas
    )
    points = tuple(
        PathPoint(
            clf.alpha,
            int(np.count_nonzero(clf.coef_)),
            1 - clf.score(X, y),
            np.nan if eval_set is None else 1 - clf.score(*eval_set),
        )
        for clf in fits
    )
    return SparsityPath(points, fits, int(np.size(fits[0].coef_)))

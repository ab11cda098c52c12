"""The data of a risk: rows and signs, checked, with margins and sums over them, and a start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import check_finite, check_rows
from rosenblatt.data.labels import check_discrete, distinct, listed, read_labels
from rosenblatt.data.positive import positive_code
from rosenblatt.data.weights import sample_steps
from rosenblatt.engine.machine.threads import in_slices
from rosenblatt.engine.points import make_points
from rosenblatt.errors import InputError

# Rows of single precision are widened this many entries at a time, never all at once.
ENTRIES_AT_ONCE = 2**20


class Problem(NamedTuple):
    """Checked rows and signs, times the weights of the rows; the bias coordinate is 1, or 0.

    The classes are the labels that −1 and +1 stand for.
    """

    X: Any
    y: np.ndarray
    bias: float
    classes: tuple[Any, Any] = (-1, 1)

    def margins(self, weights: Any) -> np.ndarray:
        """yᵢ w·xᵢ, the bias included if the weights have one."""
        weights = np.asarray(weights, dtype=np.float64)
        d = self.X.shape[1]
        scores = np.empty(len(self.y))
        for rows in self._pieces():
            scores[rows] = self.X[rows] @ weights[:d]
        if len(weights) > d:
            scores += self.bias * weights[d]
        return self.y * scores

    def downhill(self, chosen: np.ndarray) -> np.ndarray:
        """Σ yᵢ(xᵢ, bias) over the chosen points."""
        signs = np.where(chosen, self.y, 0.0)
        total = np.zeros(self.X.shape[1] + 1)
        for rows in self._pieces():
            total[:-1] += self.X[rows].T @ signs[rows]
        total[-1] = self.bias * signs.sum()
        return total

    def weighted(self, sample_weight: Any) -> Problem:
        """The problem of the weighted risk, which is that of rows so many times as long.

        Rows of weight 0 are left out.
        """
        if sample_weight is None:
            return self
        steps = sample_steps(1.0, self.X, self.y, self.y, sample_weight, None)
        rows = np.flatnonzero(steps)
        if not len(rows):
            raise InputError("There is no point to learn from: every sample weight is 0.")
        return self._replace(X=self.X[rows], y=self.y[rows] * steps[rows])

    def _pieces(self) -> Any:
        n, d = self.X.shape
        if self.X.dtype == np.float64:
            return [slice(0, n)]
        return in_slices(n, max(1, ENTRIES_AT_ONCE // max(1, d)))


def checked_problem(
    X: Any, y: Any, weights: Any = None, bias: float = 1.0, positive: Any = None
) -> Problem:
    """The rows, signs and weights, or an error that says what is wrong with them."""
    X = check_rows(X)
    signs, classes = _signs(y, X.shape[0], positive)
    check_finite(make_points(X, signs))
    if weights is not None:
        checked_vector(weights, X.shape[1], "weights")
    return Problem(X, signs, bias, classes)


def _signs(y: Any, n: int, positive: Any) -> tuple[np.ndarray, tuple[Any, Any]]:
    """−1 or +1 for each label of two classes, and the two; signs may be all the same."""
    labels = read_labels(y)
    if labels.shape != (n,):
        raise InputError(f"y must have one label for each of {n} rows, got {labels.shape}.")
    check_discrete(labels)
    found, codes = distinct(labels)
    classes = listed(found)
    if len(classes) == 1 and classes[0] in (-1, 1):
        classes, codes = [-1, 1], codes + (classes[0] == 1)
    if len(classes) != 2:
        raise InputError(
            f"a risk is of two classes, such as the signs -1 and +1, but y has {len(classes)}: "
            f"{str(classes)[:80]}. For one class against others pass y == label."
        )
    code = positive_code(classes, positive)
    return np.where(codes == code, 1.0, -1.0), (classes[1 - code], classes[code])


def checked_vector(values: Any, d: int, name: str) -> np.ndarray:
    """Finite weights, with or without a bias, or an error that calls them by their name."""
    values = np.asarray(values, dtype=np.float64)
    if values.shape not in ((d,), (d + 1,)):
        raise InputError(
            f"{name} must have {d} entries, or {d + 1} with the bias last, got shape "
            f"{values.shape}."
        )
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"{name} must hold finite numbers, got {values[at]} at entry {at}.")
    return values


def starting_weights(problem: Problem, init: Any) -> np.ndarray:
    """Where to start: yᵢ(xᵢ, 1) of a row, or given weights; never at 0."""
    n, d = problem.X.shape
    if init is None:
        found = (i for i in range(n) if _signed_row(problem, i).any())
        init = next(found, 0)
    if isinstance(init, (int, np.integer)):
        if not -n <= init < n:
            raise InputError(f"init names row {init}, but X has {n} rows.")
        start = _signed_row(problem, int(init))
    else:
        start = np.zeros(d + 1)
        given = checked_vector(init, d, "init")
        start[: len(given)] = given
        if start[d] != 0 and not problem.bias:
            raise InputError("init has a bias, which needs fit_intercept=True.")
    if not start.any():
        raise InputError(
            "descent cannot start at weights of 0, where the risk is 0 though nothing is "
            "separated: choose a row that is not 0, or other weights."
        )
    return start


def _signed_row(problem: Problem, i: int) -> np.ndarray:
    row = problem.X[[i]]
    row = row.toarray() if hasattr(row, "toarray") else row
    return np.sign(problem.y[i]) * np.append(row.ravel().astype(np.float64), problem.bias)

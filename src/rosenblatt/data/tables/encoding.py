"""Numbers made of columns: their mean and scale, and one-hot columns of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Moments:
    """Mean and standard deviation of each feature, of rows that come in parts.

    The corrected two-pass algorithm for each part, and the update of Chan, Golub and LeVeque (1983)
    between them: the numbers of scikit-learn's ``StandardScaler``. Missing numbers (NaN) do not
    count, and the zeros that a sparse part does not store do.

    Examples
    --------
    >>> moments = Moments()
    >>> moments.add(np.array([[1.0, 5.0]]))
    >>> moments.add(np.array([[3.0, 5.0]]))
    >>> moments.mean.tolist(), moments.scale.tolist()
    ([2.0, 5.0], [1.0, 1.0])
    """

    def __init__(self) -> None:
        self.count, self.mean, self.variance = np.zeros(1), np.zeros(1), np.zeros(1)

    def add(self, X: Any) -> None:
        """Take some rows in."""
        count, total, squares = _of_sparse(X) if hasattr(X, "indptr") else _of_dense(X)
        if not self.count.any():
            self.count, self.mean, self.variance = count, total / count, squares / count
            return
        seen = self.count + count
        last, ratio = self.mean * self.count, self.count / count
        between = ratio / seen * (last / ratio - total) ** 2
        self.variance = (self.variance * self.count + squares + between) / seen
        self.mean, self.count = (last + total) / seen, seen

    @property
    def scale(self) -> np.ndarray:
        """The standard deviations; 1 where rounding alone makes a column vary."""
        eps = np.finfo(np.float64).eps
        rounding = self.count * eps * self.variance + (self.count * self.mean * eps) ** 2
        constant = (self.variance <= rounding) & np.isfinite(self.variance)
        return np.where(constant, 1.0, np.sqrt(self.variance))


def _of_dense(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each column: numbers, their sum, and the sum of squares about their mean."""
    absent = np.isnan(X)
    sums = np.nansum if absent.any() else np.sum
    count = X.shape[0] - absent.sum(axis=0).astype(np.float64)
    total = np.asarray(sums(X, axis=0, dtype=np.float64))
    away = X - total / count
    correction = sums(away, axis=0, dtype=np.float64)
    squares = np.asarray(sums(away**2, axis=0, dtype=np.float64))
    return count, total, squares - correction**2 / count


def _of_sparse(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    there = ~np.isnan(X.data)
    values, columns, d = X.data[there].astype(np.float64), X.indices[there], X.shape[1]
    count = X.shape[0] - np.bincount(X.indices[~there], minlength=d).astype(np.float64)
    mean = np.bincount(columns, values, d) / count
    away = values - mean[columns]
    zeros = count - np.bincount(columns, minlength=d)
    correction = np.bincount(columns, away, d) - zeros * mean
    squares = np.bincount(columns, away * away, d) + zeros * mean**2
    # As a mean and a variance, and back: rounded as scikit-learn rounds them.
    return count, mean * count, (squares - correction**2 / count) / count * count


def one_hot(columns: Sequence[Any], known: Sequence[Sequence[str]]) -> Any:
    """A CSR array with a column for each known value of each text column, 1 where a row has it.

    A row whose value is unknown has no 1 in these columns.

    Examples
    --------
    >>> one_hot([["red", "blue", "red"]], [["blue", "red"]]).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    from scipy import sparse

    starts = np.cumsum([0, *map(len, known)])
    places = [
        {value: start + at for at, value in enumerate(values)}
        for start, values in zip(starts.tolist(), known, strict=False)
    ]
    found = np.array(
        [
            [place.get(value, -1) for value in column]
            for place, column in zip(places, columns, strict=True)
        ]
    ).T
    indices = found[found >= 0]
    indptr = np.append(0, np.cumsum((found >= 0).sum(axis=1)))
    return sparse.csr_array(
        (np.ones(len(indices)), indices, indptr), shape=(len(found), int(starts[-1]))
    )

"""Columns in use: hashed text has a quarter of a million columns, most of them empty.

An empty column of a sparse matrix has no part in any score, so learning and the search for a proof
leave it out: weights, linear programs and exact systems have the columns in use only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.lazy import cached_property

# Columns are left out only where that leaves at most this share of them.
SHARE = 0.5


class UsedColumns:
    """The columns that rows use, and conversions between these columns and all columns.

    Parameters
    ----------
    numbers : ndarray of int or None
        Which they are, in order; None for all.
    width : int
        How many there are in all.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array(([1.0, 2.0], [3, 7], [0, 1, 2]), shape=(2, 10))
    >>> used = UsedColumns(np.array([3, 7]), 10)
    >>> used.count, used.rows(X).toarray().tolist()
    (2, [[1.0, 0.0], [0.0, 2.0]])
    >>> (used.all_of(used.rows(X)) != X).nnz
    0
    >>> used.widened(np.array([5, 6, 7]))
    array([0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 7])
    >>> used.narrowed(used.widened(np.array([5, 6, 7])))
    array([5, 6, 7])
    """

    def __init__(self, numbers: np.ndarray | None, width: int):
        self.numbers, self.width = numbers, width

    @property
    def count(self) -> int:
        """How many are in use."""
        return self.width if self.numbers is None else len(self.numbers)

    def same(self, other: UsedColumns) -> bool:
        """Whether these are the same columns of as many."""
        if self is other:
            return True
        return self.width == other.width and np.array_equal(self.numbers, other.numbers)  # type: ignore[arg-type]

    @cached_property
    def _places(self) -> np.ndarray:
        """The number of each column among those in use; arbitrary for the others."""
        assert self.numbers is not None
        places = np.empty(self.width, dtype=np.int32 if self.count < 2**31 else np.int64)
        places[self.numbers] = np.arange(self.count)
        return places

    def rows(self, X: Any) -> Any:
        """A CSR matrix of all columns, of which only these are in use, as one of these."""
        if self.numbers is None:
            return X
        # All indices are valid, and "clip" spares the check.
        indices = np.take(self._places, X.indices, mode="clip").astype(X.indices.dtype, copy=False)
        return type(X)((X.data, indices, X.indptr), shape=(X.shape[0], self.count))

    def all_of(self, X: Any) -> Any:
        """A CSR matrix of these columns as one of all."""
        if self.numbers is None:
            return X
        indices = self.numbers.astype(X.indices.dtype, copy=False)[X.indices]
        return type(X)((X.data, indices, X.indptr), shape=(X.shape[0], self.width))

    def narrowed(self, weights: np.ndarray) -> np.ndarray:
        """Weights of all columns, the bias last, as weights of these."""
        if self.numbers is None:
            return weights
        return np.concatenate([weights[..., self.numbers], weights[..., -1:]], axis=-1)

    def widened(self, weights: np.ndarray) -> np.ndarray:
        """Weights of these columns, the bias last, as weights of all, 0 for the others."""
        if self.numbers is None:
            return weights
        wide = self._among(weights[..., :-1], self.width + 1)
        wide[..., -1] = weights[..., -1]
        return wide

    def coefficients(self, coef: np.ndarray) -> np.ndarray:
        """Weights of these columns without a bias as those of all, 0 for the others."""
        return coef if self.numbers is None else self._among(coef, self.width)

    def _among(self, values: np.ndarray, width: int) -> np.ndarray:
        """Values of these columns among ``width``, in the same layout: by class, or by column."""
        by_column = values.ndim > 1 and values.strides[0] < values.strides[-1]
        shape, order = (*values.shape[:-1], width), "F" if by_column else "C"
        wide = np.zeros(shape, dtype=values.dtype, order=order)
        wide.T[self.numbers] = values.T
        return wide

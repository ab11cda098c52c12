"""Columns in use: hashed text has a quarter of a million columns, most of them empty.

An empty column of a sparse matrix has no part in any score, so that learning and the search for a
proof leave it out: weights, programs and exact systems are those of the columns in use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Columns are left out only where that leaves at most this share of them.
SHARE = 0.5


def columns_in_use(X: Any) -> np.ndarray | None:
    """The columns of a sparse matrix that are not empty; None where most of them are in use.

    Examples
    --------
    >>> from scipy import sparse
    >>> columns_in_use(sparse.csr_array(([1.0, 2.0], [3, 7], [0, 1, 2]), shape=(2, 10)))
    array([3, 7])
    """
    if not hasattr(X, "indptr"):
        return None
    from rosenblatt.engine.machine.compiled import compiled

    used, most = np.zeros(X.shape[1], dtype=bool), int(SHARE * X.shape[1])
    return None if compiled(mark)(X.indices, used, most) > most else np.flatnonzero(used)


def mark(indices: Any, used: Any, most: int) -> int:
    """Mark the columns that occur, until there are more than so many; how many were marked.

    Examples
    --------
    >>> used = [False] * 5
    >>> mark([3, 1, 3, 0], used, 2), used
    (3, [True, True, False, True, False])
    """
    count = 0
    for k in range(len(indices)):
        j = indices[k]
        if not used[j]:
            used[j] = True
            count += 1
            if count > most:
                break
    return count


def with_columns(X: Any, columns: np.ndarray) -> Any:
    """A CSR matrix with those columns only, which are in order, and all that are in use.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array(([1.0, 2.0], [3, 7], [0, 1, 2]), shape=(2, 10))
    >>> with_columns(X, np.array([3, 7])).toarray()
    array([[1., 0.],
           [0., 2.]])
    """
    place = np.empty(X.shape[1], dtype=X.indices.dtype)
    place[columns] = np.arange(len(columns))
    shape = (X.shape[0], len(columns))
    indices = np.take(place, X.indices, mode="clip")  # none is outside, and nobody need look again
    return type(X)((X.data, indices, X.indptr), shape=shape)


def among(X: Any, columns: np.ndarray, width: int) -> Any:
    """The way back from `with_columns`: those columns among so many.

    Examples
    --------
    >>> from scipy import sparse
    >>> among(sparse.csr_array([[5.0, 6.0]]), np.array([1, 2]), 4).toarray()
    array([[0., 5., 6., 0.]])
    """
    indices = columns.astype(X.indices.dtype, copy=False)[X.indices]
    return type(X)((X.data, indices, X.indptr), shape=(X.shape[0], width))


def narrowed(weights: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
    """The weights of those columns, and the bias."""
    if columns is None:
        return weights
    return np.concatenate([weights[..., columns], weights[..., -1:]], axis=-1)


def widened(weights: np.ndarray, columns: np.ndarray | None, width: int) -> np.ndarray:
    """Weights of those columns among so many, the others 0.

    Examples
    --------
    >>> widened(np.array([5, 6, 7]), np.array([1, 2]), 4)
    array([0, 5, 6, 0, 7])
    """
    if columns is None:
        return weights
    # Feature by feature where they are so: prediction from sparse rows would turn them each time.
    order = "F" if weights.flags.f_contiguous else "C"
    wide = np.zeros((*weights.shape[:-1], width + 1), dtype=weights.dtype, order=order)
    wide[..., columns], wide[..., -1] = weights[..., :-1], weights[..., -1]
    return wide

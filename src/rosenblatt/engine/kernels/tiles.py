"""Tiles of a matrix of products, small enough for the cache: what kernels are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from rosenblatt.engine.machine.threads import in_pieces, in_slices, one_blas_thread

# Multiplications from which on the tiles of a sum are worth a thread for each core.
WORTH_THREADS = 2**22


class Operand(NamedTuple):
    """Rows to multiply, and further columns of theirs; of dense rows, both as one matrix too."""

    rows: Any
    columns: Any = None
    joined: Any = None


def with_columns(rows: Any, *columns: Any, times: Any = 1.0) -> Operand:
    """The rows, times a factor, with further columns, each of numbers or all the same number.

    Examples
    --------
    >>> with_columns(np.array([[1.0, 2.0]]), np.array([3.0]), 1, times=2.0).joined
    array([[2., 4., 3., 1.]])
    """
    n, d = rows.shape
    joined = np.empty((n, len(columns) if sparse.issparse(rows) else d + len(columns)))
    for k, column in enumerate(columns):
        joined[:, k - len(columns)] = column
    if sparse.issparse(rows):
        return Operand(rows if times == 1 else times * rows, joined)
    np.multiply(rows, times, out=joined[:, :d])
    return Operand(joined[:, :d], joined[:, d:], joined)


def joint_products(left: Operand, right: Operand, out: Any = None) -> np.ndarray:
    """The products of all rows with their further columns: of dense rows, as one product."""
    if sparse.issparse(left.rows) or sparse.issparse(right.rows):
        out = products(left.rows, right.rows, out)
        out += left.columns @ right.columns.T
        return out
    return products(left.joined, right.joined, out)


def products(A: Any, B: Any, out: Any = None) -> np.ndarray:
    """The products of all rows of A with all of B, dense and in float64.

    Examples
    --------
    >>> products(sparse.csr_array([[1.0, 2.0]]), np.eye(2, dtype=np.float32))
    array([[1., 2.]])
    """
    if sparse.issparse(A) or sparse.issparse(B):
        if A.dtype != B.dtype:  # of both sparse, scikit-learn multiplies one kind only
            A, B = (rows.astype(np.float64, copy=False) for rows in (A, B))
        found = safe_sparse_dot(A, B.T, dense_output=True).astype(np.float64, copy=False)
        if out is None:
            return found
        out[...] = found
        return out
    A, B = (rows.astype(np.float64, copy=False) for rows in (A, B))
    return np.matmul(A, B.T, out=out)


def stored(X: Any) -> int:
    """How many numbers a matrix is made of.

    Examples
    --------
    >>> stored(np.eye(2)), stored(sparse.eye_array(2, format="csr"))
    (4, 2)
    """
    return X.nnz if sparse.issparse(X) else X.size


def squares(X: Any) -> np.ndarray:
    """The squares of the lengths of rows, in float64.

    Examples
    --------
    >>> squares(np.array([[3.0, 4.0]], dtype=np.float32))
    array([25.])
    """
    X = X.astype(np.float64, copy=False)
    return row_norms(X, squared=True) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)


def tile_by_tile(call: Callable[[slice], None], n: int, at_once: int, work: int) -> None:
    """Call for each piece of n rows: on all cores if so many multiplications are worth it.

    BLAS gets one thread for each: tiles are too small for more.
    """
    with one_blas_thread():
        if work >= WORTH_THREADS:
            in_pieces(call, n, at_once)
            return
        for piece in in_slices(n, at_once):
            call(piece)


def transpose(tile: np.ndarray, out: np.ndarray) -> None:
    """Write a tile's transpose, a few rows at a time, so that what is read stays in the cache.

    Examples
    --------
    >>> out = np.empty((3, 1))
    >>> transpose(np.array([[1.0, 2.0, 3.0]]), out)
    >>> out.ravel()
    array([1., 2., 3.])
    """
    for few in in_slices(len(tile), 16):
        out[:, few] = tile[few].T


def raise_to(values: np.ndarray, degree: int) -> np.ndarray:
    """A power of every value, in place, by squaring: many times faster than ``**``.

    Examples
    --------
    >>> raise_to(np.array([2.0, -1.0]), 5)
    array([32., -1.])
    """
    base = values.copy() if degree & (degree - 1) else values
    for bit in bin(degree)[3:]:
        np.multiply(values, values, out=values)
        if bit == "1":
            np.multiply(values, base, out=values)
    return values

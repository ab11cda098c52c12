"""Tests for zeros: empty columns, and matrices that are mostly 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.points import DenseRows, SparseRows
from rosenblatt.engine.used_columns import SHARE

# Entries of a matrix looked at in one piece.
PIECE = 2**20
# Share of entries that are not 0 up to which a matrix is mostly 0, as matrices of text are.
SELDOM = 0.05


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
    used, most = np.zeros(X.shape[1], dtype=bool), int(SHARE * X.shape[1])
    return None if compiled(mark)(X.indices, used, most) > most else np.flatnonzero(used)


def mark(indices: Any, used: Any, most: int) -> int:
    """Mark the columns that occur, until there are more than ``most``; return how many.

    Examples
    --------
    >>> used = [False] * 5
    >>> mark([3, 1, 3, 0], used, 2), used
    (3, [True, True, False, True, False])
    """
    count = 0
    for k in range(len(indices)):
        j = np.uint64(indices[k])
        if not used[j]:
            used[j] = True
            count += 1
            if count > most:
                break
    return count


def mostly_zero(rows: DenseRows | SparseRows) -> bool:
    """Whether few entries are not 0, however the others are stored.

    Examples
    --------
    >>> from rosenblatt.engine.points import as_rows
    >>> from scipy import sparse
    >>> X = np.zeros((10, 10))
    >>> X[3, :5] = 1.0
    >>> mostly_zero(as_rows(X)), mostly_zero(as_rows(sparse.csr_array(X)))
    (True, True)
    >>> X[4, 0] = 1.0
    >>> mostly_zero(as_rows(X)), mostly_zero(as_rows(sparse.csr_array(X)))
    (False, False)
    """
    if isinstance(rows, SparseRows):
        values, cells = rows.data, (len(rows.indptr) - 1) * rows.width
    else:
        values, cells = rows.values.ravel(), rows.values.size
    left = int(SELDOM * cells)
    for at in range(0, len(values), PIECE):
        if left < 0 or len(values) - at <= left:
            break
        left -= compiled(count_up_to)(values[at : at + PIECE], left)
    return left >= 0


def count_up_to(values: Any, most: int) -> int:
    """The number of values that are not 0, or ``most`` + 1 if there are more than ``most``.

    Examples
    --------
    >>> count_up_to([0.0, 2.0, 0.0, 3.0], 5), count_up_to([1.0] * 9, 5)
    (2, 6)
    """
    count = 0
    for value in values:
        count += value != 0.0
        if count > most:
            break
    return count

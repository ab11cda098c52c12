"""Sums over the columns of a matrix, from which their scales follow, and which are empty."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.threads import in_slices
from rosenblatt.engine.pieces import ENTRIES_PER_CALL
from rosenblatt.engine.used_columns import SHARE


class Sums(NamedTuple):
    """Sums over the rows, for each column, of differences d = x − c from a centre c.

    Attributes
    ----------
    totals, sizes, squares, present : ndarray
        Σd, Σ|d|, Σd², and the count of d ≠ 0.
    rows : int
    """

    totals: Any
    sizes: Any
    squares: Any
    present: Any
    rows: int


def add_up(parts: Iterable[Sums]) -> Sums:
    """The sums of several tables together, of which one at a time is held."""
    return reduce(lambda one, other: Sums(*map(add, one, other)), parts)


def sums(X: Any, centres: np.ndarray | None = None) -> Sums:
    """The sums of one table; centres are 0 by default.

    Examples
    --------
    >>> sums(np.array([[1.0, 0.0], [-3.0, 4.0]]))[:-1]
    (array([-2.,  4.]), array([4., 4.]), array([10., 16.]), array([2., 1.]))
    """
    n, d = X.shape
    centres = np.zeros(d) if centres is None else centres
    if hasattr(X, "indptr"):
        found = np.zeros((d, 5))
        compiled(add_entries)(X.indices, X.data, centres, found)
        absent = np.array([-centres, np.abs(centres), centres**2, centres != 0])
        return Sums(*(found.T[:4] + (n - found[:, 4]) * absent), rows=n)
    found = np.zeros((4, d))
    # Pieces short enough for a Ctrl-C between them.
    for piece in in_slices(n, max(1, ENTRIES_PER_CALL // max(1, d))):
        compiled(add_rows)(X[piece], centres, found)
    return Sums(*found, rows=n)


def add_rows(X: Any, centres: Any, found: Any) -> None:
    """Add Σd, Σ|d|, Σd² and the count of d ≠ 0 of each column to ``found``.

    Examples
    --------
    >>> found = np.zeros((4, 1))
    >>> add_rows(np.array([[1.0], [-3.0]]), np.array([-1.0]), found)
    >>> found.ravel()
    array([0., 4., 8., 2.])
    """
    for i in range(len(X)):
        for j in range(X.shape[1]):
            away = X[i, j] - centres[j]
            found[0, j] += away
            found[1, j] += abs(away)
            found[2, j] += away * away
            found[3, j] += 1.0 if away != 0.0 else 0.0


def add_entries(indices: Any, data: Any, centres: Any, found: Any) -> None:
    """As `add_rows`, for stored entries, counted last; ``found`` has a row for each column.

    Examples
    --------
    >>> found = np.zeros((2, 5))
    >>> add_entries([0, 0], [1.0, -3.0], [-1.0, 0.0], found)
    >>> found[0]
    array([0., 4., 8., 2., 2.])
    """
    for k in range(len(indices)):
        j = np.uint64(indices[k])
        away = data[k] - centres[j]
        found[j, 0] += away
        found[j, 1] += abs(away)
        found[j, 2] += away * away
        found[j, 3] += 1.0 if away != 0.0 else 0.0
        found[j, 4] += 1.0


def add_moments(indices: Any, data: Any, totals: Any, squares: Any) -> None:
    """Add each entry, and its square, to those of its column.

    Examples
    --------
    >>> totals, squares = np.zeros(2), np.zeros(2)
    >>> add_moments(np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]), totals, squares)
    >>> totals, squares
    (array([1., 5.]), array([ 1., 13.]))
    """
    for k in range(len(indices)):
        column, value = np.uint64(indices[k]), np.float64(data[k])
        totals[column] += value
        squares[column] += value * value


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

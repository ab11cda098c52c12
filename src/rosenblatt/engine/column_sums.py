"""Sums over the columns of a matrix, which are empty, and the scales and centres that follow."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.margins import UNIT
from rosenblatt.engine.pieces import ENTRIES_PER_CALL
from rosenblatt.engine.used_columns import SHARE

# Largest exponent of a scale: weights scaled back by it can still be squared.
LARGEST_EXPONENT = 400
# Largest exponent by which columns are enlarged; a few times two to its power is still finite.
LARGEST_ENLARGEMENT = 1000
# Columns whose size is within this many powers of two of the usual one keep their relative sizes.
ALIKE = 2.0
# A column is centred if at least this share of its entries is not 0.
FULL = 0.5
# Least share of rows in which a column must differ from its usual value to be enlarged.
RARE = 0.02
# Centres are multiples of 2^-QUARTER of a column's scale: whole numbers stay exact.
QUARTER = 2


class Sums(NamedTuple):
    """For each column the sum, the sum of |x| and the count of x ≠ 0; and the number of rows."""

    totals: np.ndarray
    sizes: np.ndarray
    present: np.ndarray
    rows: int


def add_up(parts: Iterable[Sums]) -> Sums:
    """The sums of several tables together, of which one at a time is held."""
    return functools.reduce(_added, parts)


def _added(one: Sums, other: Sums) -> Sums:
    added: list[Any] = [mine + its for mine, its in zip(one, other, strict=True)]
    return Sums(*added)


def sums(X: Any) -> Sums:
    """The sums of one table."""
    n, d = X.shape
    if hasattr(X, "indptr"):
        found = np.zeros((d, 3))
        compiled(add_sums_of_entries)(X.indices, X.data, found)
        return Sums(*found.T.copy(), rows=n)
    found = np.zeros((3, d))
    _of_pieces(add_sums, X, found)
    return Sums(found[0], found[1], found[2], n)


def spread(X: Any, means: np.ndarray) -> np.ndarray:
    """Σ|x − mean| and Σ(x − mean)² of each column of one table."""
    n, d = X.shape
    if hasattr(X, "indptr"):
        found = np.zeros((d, 3))
        compiled(add_spread_of_entries)(X.indices, X.data, means, found)
        others, away = n - found[:, 2], np.abs(means)
        return np.array([found[:, 0] + others * away, found[:, 1] + others * away**2])
    found = np.zeros((2, d))
    _of_pieces(add_spread, X, means, found)
    return found


def add_sums(X: Any, found: Any) -> None:
    """Add the sum, the sum of |x| and the count of x ≠ 0 of each column to ``found``.

    Examples
    --------
    >>> found = np.zeros((3, 2))
    >>> add_sums(np.array([[1.0, 0.0], [-3.0, 4.0]]), found)
    >>> found
    array([[-2.,  4.],
           [ 4.,  4.],
           [ 2.,  1.]])
    """
    for i in range(len(X)):
        for j in range(X.shape[1]):
            x = float(X[i, j])
            found[0, j] += x
            found[1, j] += abs(x)
            found[2, j] += 1.0 if x != 0.0 else 0.0


def add_spread(X: Any, means: Any, found: Any) -> None:
    """Add Σ|x − mean| and Σ(x − mean)² of each column to ``found``.

    Examples
    --------
    >>> found = np.zeros((2, 1))
    >>> add_spread(np.array([[1.0], [-3.0]]), np.array([-1.0]), found)
    >>> found
    array([[4.],
           [8.]])
    """
    for i in range(len(X)):
        for j in range(X.shape[1]):
            away = abs(X[i, j] - means[j])
            found[0, j] += away
            found[1, j] += away * away


def add_sums_of_entries(indices: Any, data: Any, found: Any) -> None:
    """As `add_sums`, for the entries of sparse rows; ``found`` has a row for each column.

    Examples
    --------
    >>> found = np.zeros((2, 3))
    >>> add_sums_of_entries([0, 0, 1], [1.0, -3.0, 4.0], found)
    >>> found
    array([[-2.,  4.,  2.],
           [ 4.,  4.,  1.]])
    """
    for k in range(len(indices)):
        j, x = indices[k], float(data[k])
        found[j, 0] += x
        found[j, 1] += abs(x)
        found[j, 2] += 1.0 if x != 0.0 else 0.0


def add_spread_of_entries(indices: Any, data: Any, means: Any, found: Any) -> None:
    """As `add_spread`, for the entries of sparse rows, which are counted as well.

    Examples
    --------
    >>> found = np.zeros((2, 3))
    >>> add_spread_of_entries([0, 0], [1.0, -3.0], [-1.0, 0.0], found)
    >>> found
    array([[4., 8., 2.],
           [0., 0., 0.]])
    """
    for k in range(len(indices)):
        j = indices[k]
        away = abs(float(data[k]) - means[j])
        found[j, 0] += away
        found[j, 1] += away * away
        found[j, 2] += 1.0


def _of_pieces(kernel: Callable[..., None], X: np.ndarray, *given: np.ndarray) -> None:
    """Call machine code for all rows, in pieces short enough for a Ctrl-C between them."""
    at_once = max(1, ENTRIES_PER_CALL // max(1, X.shape[1]))
    for at in range(0, len(X), at_once):
        compiled(kernel)(X[at : at + at_once], *given)


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


def means_of(totals: Any, present: Any, rows: int, centre: bool) -> np.ndarray:
    """The mean of each column that is centred, NaN for the others.

    Examples
    --------
    >>> means_of(np.array([6.0, 5.0]), np.array([3, 1]), 3, centre=True)
    array([ 2., nan])
    """
    return np.where(centre & (present >= FULL * rows), totals / rows, np.nan)


def sizes_of(
    sizes: Any, present: Any, around: Any, rows: int, full: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The two sizes of each column: equal where it is not centred, NaN where it has none.

    Parameters
    ----------
    sizes, present : array
        Σ|x|, and the count of x ≠ 0.
    around : array of shape (2, d)
        Σ|d| and Σd² of the differences from the mean.
    rows : int
    full : array of bool
        The columns that are centred.
    """
    with np.errstate(all="ignore"):
        plain = sizes / present
        # A constant column differs from its mean by rounding only: the error of a sum of n numbers
        # is at most n units of their size.
        away = np.where(around[0] > rows * UNIT * sizes, around[0], 0.0)
        return np.where(full, away / rows, plain), np.where(full, around[1] / away, plain)


def exponents_of(least: Any, most: Any, present: Any, rows: int) -> np.ndarray:
    """The exponent of each column's scale, from its two sizes.

    The usual exponent is the median over all entries that are not 0.

    Examples
    --------
    >>> exponents_of(np.array([1.0, 3.0, 900.0]), np.array([1.0, 5.0, 1000.0]), np.ones(3), 1)
    array([ 0,  2, 10], dtype=int32)

    Small numbers in one row of a hundred are left as they are.

    >>> small = np.array([1.0, 0.001, 0.001])
    >>> exponents_of(small, small, np.array([99.0, 9.0, 1.0]), 100)
    array([  0, -10,   0], dtype=int32)
    """
    with np.errstate(all="ignore"):
        # ``most`` is computed from squares, which may have left the range of floats.
        low, high = np.log2(least), np.log2(np.where((most > 0) & (most < math.inf), most, least))
    sized = np.flatnonzero(np.isfinite(low))
    usual = 0.0
    if len(sized):
        sized = sized[high[sized].argsort()]
        entries = present[sized].cumsum()
        usual = np.rint(high[sized[np.searchsorted(entries, entries[-1] / 2)]])
    # p is the share of rows that differ. If all of them differ by the same, a centred column's
    # lesser size is 4p(1 − p) of the larger, about 4p for small p. Without a size, low is NaN, and
    # neither comparison holds.
    low[~np.isfinite(low)] = np.nan
    with np.errstate(invalid="ignore"):
        differs = (present >= RARE * rows) & (low - high >= math.log2(4.0 * RARE))
        larger, smaller = low >= usual + ALIKE, (high <= usual - ALIKE) & differs
    exponents = np.where(larger, np.rint(low), np.where(smaller, np.rint(high), usual))
    return exponents.clip(-LARGEST_ENLARGEMENT, LARGEST_EXPONENT).astype(np.int32)


def centres_of(means: Any, exponents: Any) -> np.ndarray:
    """Means rounded to a fraction of their column's scale; 0 where a column is not centred."""
    shift = QUARTER - exponents
    return np.where(np.isnan(means), 0.0, np.ldexp(np.rint(np.ldexp(means, shift)), -shift))

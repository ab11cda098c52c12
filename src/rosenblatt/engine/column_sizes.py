"""Scales and centres of columns, from sums over their rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.engine.margins import UNIT

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

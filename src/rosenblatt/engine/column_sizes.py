"""Sizes, scales and centres of columns, from sums over their rows.

Plain functions for compilation; they take one table, or sums over several.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.column_sums import add_spread, add_sums
from rosenblatt.engine.margins import UNIT

# Largest exponent of a scale: weights scaled back by it can still be squared.
LARGEST_EXPONENT = 400
# Largest exponent by which columns are enlarged; a few times two to its power is still finite.
LARGEST_ENLARGEMENT = 1000
# Exponents of floats are between minus this and this.
WIDEST = 1100
# Columns whose size is within this many powers of two of the usual one keep their relative sizes.
ALIKE = 2.0
# A column is centred if at least this share of its entries is not 0.
FULL = 0.5
# Least share of rows in which a column must differ from its usual value to be enlarged.
RARE = 0.02
# Centres are multiples of 2^-QUARTER of a column's scale: whole numbers stay exact.
QUARTER = 2


class ScaleBuffers(NamedTuple):
    """Arrays for a scale and for the intermediate results of computing it.

    Attributes
    ----------
    means : ndarray of shape (d,)
        Means of the columns that are centred; 0 for the others.
    least, most : ndarray of shape (d,)
        The two sizes of each column.
    entries : ndarray
        Room to count entries by their exponents.
    exponents, centres : ndarray of shape (d,)
        Those of the scale.
    """

    means: Any
    least: Any
    most: Any
    entries: Any
    exponents: Any
    centres: Any

    @classmethod
    def of(cls, d: int) -> ScaleBuffers:
        """Room for so many columns."""
        means, least, most, centres = np.empty((4, d))
        entries = np.zeros(2 * WIDEST + 1)
        return cls(means, least, most, entries, np.empty(d, dtype=np.int32), centres)


def write_scale_of(X: Any, centre: bool, sums_of: Any, around: Any, room: Any) -> None:
    """Write the scale of a dense table.

    Examples
    --------
    >>> X, room = np.array([[1.0, 3000.0], [0.0, 5000.0], [0.0, 4000.0]]), ScaleBuffers.of(2)
    >>> write_scale_of(X, True, np.zeros((3, 2)), np.zeros((2, 2)), room)
    >>> room.exponents, room.centres
    (array([ 0, 10], dtype=int32), array([   0., 4096.]))
    """
    rows = float(len(X))
    add_sums(X, sums_of)
    if write_means(sums_of[0], sums_of[2], rows, centre, room.means) > 0:
        add_spread(X, room.means, around)
    write_scale(sums_of[1], sums_of[2], around, rows, centre, room)


def is_full(present: float, rows: float, centre: bool) -> bool:
    """Whether a column is centred, by the number of its entries that are not 0."""
    return centre and present >= FULL * rows


def write_means(totals: Any, present: Any, rows: float, centre: bool, means: Any) -> int:
    """Write the mean of each column that is centred, 0 for the others; return how many are centred.

    Examples
    --------
    >>> means = np.empty(2)
    >>> write_means(np.array([6.0, 5.0]), np.array([3.0, 1.0]), 3.0, True, means), means
    (1, array([2., 0.]))
    """
    full = 0
    for j in range(len(means)):
        means[j] = 0.0
        if is_full(present[j], rows, centre):
            means[j] = totals[j] / rows
            full += 1
    return full


def write_scale(
    sizes: Any, present: Any, around: Any, rows: float, centre: bool, room: Any
) -> None:
    """Write exponents and centres of columns, from sums, counts and spreads about the means."""
    for j in range(len(sizes)):
        room.least[j] = room.most[j] = sizes[j] / present[j] if present[j] > 0.0 else math.nan
        if is_full(present[j], rows, centre):
            # A constant column differs from its mean by rounding only: the error of a sum of n
            # numbers is at most n units of their size.
            away = around[0, j] if around[0, j] > rows * UNIT * sizes[j] else 0.0
            room.least[j] = away / rows
            room.most[j] = around[1, j] / away if away > 0.0 else math.nan
    write_exponents(room.least, room.most, present, rows, room.entries, room.exponents)
    for j in range(len(sizes)):
        room.centres[j] = 0.0
        if room.means[j] != 0.0:
            shift = float(QUARTER - room.exponents[j])
            room.centres[j] = np.rint(room.means[j] * 2.0**shift) * 2.0**-shift


def write_exponents(
    least: Any, most: Any, present: Any, rows: float, entries: Any, exponents: Any
) -> None:
    """Write the exponent of each column's scale, from its two sizes, which become logarithms.

    The usual exponent is the median over all entries that are not 0, which are counted by their
    exponents in ``entries``.

    Examples
    --------
    >>> least, most = np.array([1.0, 3.0, 900.0]), np.array([1.0, 5.0, 1000.0])
    >>> entries, exponents = np.zeros(2 * WIDEST + 1), np.zeros(3, dtype=np.int32)
    >>> write_exponents(least, most, np.ones(3), 1.0, entries, exponents)
    >>> exponents
    array([ 0,  2, 10], dtype=int32)

    Small numbers in one row of a hundred are left as they are.

    >>> small, entries = np.array([1.0, 0.001, 0.001]), np.zeros(2 * WIDEST + 1)
    >>> write_exponents(small, small * 1, np.array([99.0, 9.0, 1.0]), 100.0, entries, exponents)
    >>> exponents
    array([  0, -10,   0], dtype=int32)
    """
    total = 0.0
    for j in range(len(least)):
        # ``most`` is computed from squares, which may have left the range of floats.
        larger = most[j] if 0.0 < most[j] < math.inf else least[j]
        least_of_it, least[j] = least[j], math.nan
        if 0.0 < least_of_it < math.inf:
            least[j] = most[j] = math.log2(least_of_it)
            if larger != least_of_it:
                most[j] = math.log2(larger)
            entries[WIDEST + int(np.rint(most[j]))] += present[j]
            total += present[j]
    usual, half = -WIDEST, entries[0]
    while half < total / 2 and usual < WIDEST:
        usual += 1
        half += entries[WIDEST + usual]
    if total == 0.0:
        usual = 0
    # p is the share of rows that differ. If all of them differ by the same, a centred column's
    # lesser size is 4p(1 − p) of the larger, about 4p for small p.
    apart = math.log2(4.0 * RARE)
    for j in range(len(least)):
        exponent, low, high = usual, least[j], most[j]
        differs = present[j] >= RARE * rows and low - high >= apart
        # Without a size, low is NaN, and neither comparison holds.
        if low >= usual + ALIKE:
            exponent = int(np.rint(low))
        elif high <= usual - ALIKE and differs:
            exponent = int(np.rint(high))
        exponents[j] = min(max(exponent, -LARGEST_ENLARGEMENT), LARGEST_EXPONENT)

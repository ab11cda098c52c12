"""Estimates of the cost of a decision, made beforehand."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from rosenblatt.solve.effort import PROGRAM, exact_units, hash_units, iteration_units, look_units
from rosenblatt.solve.hinge import refutation_units, separator_units, takes_newton

# Looks of a typical search.
LOOKS = 5
# Rows per column up to which data are likely to be separable, whatever the labels (at 2 with
# probability ½: T. M. Cover, "Geometrical and statistical properties of systems of linear
# inequalities with applications in pattern recognition", IEEE Transactions on Electronic Computers
# 14 (1965), 326–334), and up to which passes find a separator sooner than a search does (measured).
COVER, ROWS_A_COLUMN = 1.9, 1.5


class Price(NamedTuple):
    """Units (see `effort`) that a proof is likely to cost, to within a factor of about five.

    Attributes
    ----------
    first : float
        Of inseparability, where contradictory rows, two classes or the first working sets are
        enough.
    whole : float
        Of inseparability, where all classes at once have to be decided.
    separator : float
        Of separability, where that is the likelier verdict; else infinite.
    quick : float
        Of inseparability by Newton's method, where it is tried, and multipliers that are proved to
        exist; else infinite.
    """

    first: float
    whole: float
    separator: float
    quick: float

    def beyond(self, spent: float) -> float:
        """The price of the cheapest way to a proof above what was spent without success."""
        ways = [units for units in self if spent < units < math.inf]
        return min(ways, default=spent)


@lru_cache(maxsize=64)
def price(n: int, d: int, per_row: float, classes: int) -> Price:
    """Likely cost of a decision.

    Parameters
    ----------
    n, d : int
        Rows and columns.
    per_row : float
        Entries a row: d of dense rows.
    classes : int

    Examples
    --------
    >>> two, four = price(2000, 20, 20, 2), price(2000, 20, 20, 4)
    >>> two.first == two.whole, four.first < four.whole
    (True, True)

    Few rows in many columns are likely to be separable, which is soon found out.

    >>> wide = price(100, 100_000, 100_000, 2)
    >>> wide.beyond(0) == wide.separator < wide.first / 10
    True
    """
    blocks = classes if classes > 2 else 1
    look = look_units(n, per_row, blocks)
    shared = hash_units(n, per_row) + look
    separator = math.inf
    if n <= COVER * (d + 1):
        sparse = per_row < d
        separator = shared + LOOKS * look + separator_units(n, d, per_row, blocks, sparse)
    pair = program_price(d + 1, n, 1, per_row + 1) + LOOKS * look_units(
        2 * n // classes, per_row, 1
    )
    quick = shared + refutation_units(2 * n // classes, d, sparse=per_row < d)
    if blocks == 1:
        return Price(shared + pair, shared + pair, separator, quick)
    whole = shared + program_price(d + 1, n, blocks - 1, per_row + 1) + LOOKS * look
    return Price(shared + 2 * pair, whole, separator, quick)


@lru_cache(maxsize=64)
def newton_price(n: int, d: int, per_row: float, classes: int) -> float:
    """Likely cost of a separator by Newton's method, and of its check; infinite if not used.

    Parameters
    ----------
    n, d, per_row, classes
        As for `price`.

    Examples
    --------
    >>> newton_price(500, 20, 20, 2) < price(500, 20, 20, 2).first / 10
    True
    >>> newton_price(500, 20, 20, 3)
    inf
    """
    sparse = per_row < d
    if not takes_newton(n, d, binary=classes == 2, sparse=sparse):
        return math.inf
    return 2 * look_units(n, per_row, 1) + separator_units(n, d, per_row, 1, sparse)


def program_price(width: int, n: int, blocks: int, entries: float | None = None) -> float:
    """Cost of the linear programs and the exact solution of a search.

    For ``blocks`` blocks of ``width`` columns; rows have ``entries`` in a block, or are dense.
    """
    dimension = min(blocks * width, n)
    per_row = min(blocks, 2) * (width if entries is None else entries)
    simplex = 3 * dimension * iteration_units(3 * dimension, per_row)
    return 4 * PROGRAM + simplex + 1.2 * exact_units(dimension + 1, dimension, 60)

"""Deterministic effort: the units that a search has spent, and the cost of its steps in units.

One unit is one multiply-add over dense rows, about a nanosecond of one core. Units are counted from
sizes, iterations and bits and never from a clock, so that a search runs out of budget at the same
step every time. The constants were measured; ``benchmarks/decide.py`` compares units with seconds.
"""

from __future__ import annotations

import math

import numpy as np

# A call through Python and numpy; one that sets up a linear program or calls its solver; the change
# of coordinates where columns are nearly dependent.
CALL = 50_000
PROGRAM = 400_000
REFINEMENT = 1_500_000
# Of a look: fixed cost of a point, besides its entries.
PER_POINT = 20
# Of a simplex iteration: each entry of the program, and each row.
PER_ENTRY, PER_ROW = 3, 60
# Of an exact linear system: each entry (made an integer, reduced modulo a prime), and each cube of
# its rank at 53 bits an entry.
PER_EXACT_ENTRY, PER_EXACT_CUBE = 2_000, 40
# Of a point whose requirements are decided in integers, and of its residue beyond other columns,
# which is summed without rounding: each entry.
PER_INTEGER, PER_RESIDUE = 300, 250


# Units per second.
PER_SECOND = 1e9


class OutOfBudget(Exception):
    """The next step would cost more than is left.

    Attributes
    ----------
    spent, asked, limit : int
        Units spent so far, units that the next step asked for, and the budget.
    """

    def __init__(self, spent: int, asked: int, limit: float):
        super().__init__(f"spent {spent:,} of {limit:,.0f} units; the next step asks {asked:,}")
        self.spent, self.asked, self.limit = spent, asked, limit


class Meter:
    """Units spent, and how many may be.

    Parameters
    ----------
    limit : float, optional
        The budget in units; None for no limit.

    Examples
    --------
    >>> meter = Meter(100)
    >>> meter.pay(70)
    >>> meter.pay(40)
    Traceback (most recent call last):
    ...
    rosenblatt.solve.effort.OutOfBudget: spent 70 of 100 units; the next step asks 40
    >>> meter.spent, meter.left
    (70, 30)
    """

    def __init__(self, limit: float | None = None):
        self.limit = math.inf if limit is None else limit
        self.spent = 0

    @property
    def left(self) -> float:
        """Units left."""
        return self.limit - self.spent

    def pay(self, units: float) -> None:
        """Spend units on a step about to be made, or refuse it."""
        asked = math.ceil(units)
        if asked > self.left:
            raise OutOfBudget(self.spent, asked, self.limit)
        self.spent += asked

    def add(self, units: float) -> None:
        """Spend units on a step that was bounded beforehand by what was left."""
        self.spent += math.ceil(units)


def look_units(n: int, per_row: float, blocks: int) -> float:
    """A look at all points."""
    return CALL + n * (PER_POINT + 0.5 * per_row + blocks * (PER_POINT / 2 + 0.5 * per_row))


def hash_units(n: int, per_row: float) -> float:
    """A hash of every row, and their order."""
    return 4 * CALL + n * (150 + 4 * per_row)


def descent_units(n: int, per_row: float, blocks: int, sparse: bool) -> float:
    """An evaluation of the squared hinge loss and its gradient, by matrix products."""
    return 2 * CALL + n * blocks * (PER_POINT + (3.0 if sparse else 0.3) * per_row)


def newton_units(n: int, width: int) -> float:
    """A step of Newton's method down the squared hinge loss of dense rows."""
    return 5_000 + n * (PER_POINT + 0.02 * width**2) + 0.05 * width**3


def rows_units(new: int, rows: int, width: int) -> float:
    """Writing ``new`` requirements, and the inner products of all rows."""
    return CALL + width * (20 * new + 0.04 * rows * min(rows, width))


def product_units(n: int, d: int, per_row: float, sparse: bool) -> float:
    """The inner products of all rows, where there are more columns than rows; else nothing."""
    if d < n:
        return 0.0
    return n * n * (per_row if sparse else 0.05 * d)


def vertex_units(rows: int, width: int) -> float:
    """Reducing a combination of so many rows to one of independent rows."""
    return CALL + 0.5 * rows * width**2


def elimination_units(rows: int, columns: int) -> float:
    """Finding dependent columns by elimination, where there are more columns than rows."""
    return 2 * CALL + (columns >= rows) * rows * (10_000 + rows * columns)


def existence_units(width: int) -> float:
    """A proof that ``width`` + 1 rows cancel: the inverse of a matrix, and products."""
    return CALL + 0.3 * width**3


def iteration_units(rows: int, width: float) -> float:
    """An iteration of the simplex method on so many rows of so many entries."""
    return 5_000 + rows * (PER_ROW + PER_ENTRY * width)


def exact_units(rows: int, columns: int, bits: int) -> float:
    """The solution of an exact linear system."""
    rank = min(rows, columns)
    # Integers of one word cost alike; longer ones lengthen both the lifting and its products.
    words = max(bits, 20) / 53
    return (
        2 * CALL
        + PER_EXACT_ENTRY * rows * columns
        + PER_EXACT_CUBE * rank**3 * words * max(1, words / 2)
    )


def written_units(width: int, bits: int = 60) -> float:
    """Solving for the multipliers of ``width`` + 1 rows."""
    return exact_units(width + 1, width, bits)


def bits_of(table: np.ndarray) -> int:
    """Bits of the largest integer in the columns, each scaled by a power of two to integers.

    Examples
    --------
    >>> bits_of(np.array([[0.5, 1.0], [6.0, 0.0]]))
    4
    """
    mantissa, exponent = np.frexp(np.asarray(table, dtype=np.float64))
    odd = np.ldexp(mantissa, 53).astype(np.int64)
    some = odd != 0
    if not some.any():
        return 1
    lowest = exponent - 54 + np.frexp((odd & -odd).astype(np.float64))[1]
    high = np.max(exponent, axis=0, where=some, initial=-5000)
    low = np.min(lowest, axis=0, where=some, initial=5000)
    return int(np.max(high - low, where=some.any(axis=0), initial=1))


def duration(seconds: float) -> str:
    """Seconds as text, to one or two digits, in the usual unit.

    Examples
    --------
    >>> duration(7.3), duration(95), duration(2e4), duration(3e6)
    ('7 seconds', '2 minutes', '6 hours', '35 days')
    """
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * size:
            return f"{float(f'{seconds / size:.2g}'):,.0f} {unit}"
    return f"{seconds:.0f} seconds"

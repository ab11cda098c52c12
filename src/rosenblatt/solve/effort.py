"""The unit of cost: what passes, searches and their steps cost, the same on every machine.

One unit is one multiply-add over dense rows, about a nanosecond of one core. Units are counted from
sizes, iterations and bits and never from a clock, so that a search runs out of budget at the same
step every time. Rates are measured to a factor of about two; ``benchmarks/decide.py`` compares
units with seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rosenblatt.solve.deadline import OutOfTime

# Units per second.
PER_SECOND = 1e9
# A call through Python and NumPy, in units.
CALL = 50_000
# A row that is looked at, in units, besides its entries.
PER_POINT = 20
# A multiply-add of a matrix product, and of a compiled loop over rows in no order, in units.
PER_PRODUCT = 0.05
# An entry in an iteration of the simplex method, in units.
PER_PIVOT = 3
# An entry made an integer, or summed without rounding, in units; and a multiply-add modulo primes,
# of numbers of 53 bits.
PER_EXACT, PER_MODULAR = 500, 40


class OutOfBudget(Exception):
    """The next step would cost more than is left.

    Attributes
    ----------
    spent, limit : float
        Units spent so far, and the budget.
    """

    def __init__(self, spent: float, limit: float):
        super().__init__(f"spent {spent:,} of {limit:,.0f} units, and the next step costs more")
        self.spent, self.limit = spent, limit


class Meter:
    """Units spent, and how many may be, within the time.

    Parameters
    ----------
    limit : float, optional
        The budget in units; None for no limit.
    time_left : callable, optional
        Seconds left.

    Examples
    --------
    >>> meter = Meter(100)
    >>> meter.pay(70)
    >>> meter.pay(40)
    Traceback (most recent call last):
    ...
    rosenblatt.solve.effort.OutOfBudget: spent 70 of 100 units, and the next step costs more
    >>> meter.spent, meter.left
    (70, 30)
    """

    def __init__(self, limit: float | None = None, time_left: Callable[[], float] | None = None):
        self.limit = math.inf if limit is None else limit
        self.time_left = time_left or (lambda: math.inf)
        self.spent = 0

    @property
    def left(self) -> float:
        """Units left."""
        return self.limit - self.spent

    def pay(self, units: float) -> None:
        """Spend units on a step about to be made, or refuse it; `OutOfTime` if no time is left."""
        if self.time_left() <= 0:
            raise OutOfTime
        asked = math.ceil(units)
        if asked > self.left:
            raise OutOfBudget(self.spent, self.limit)
        self.spent += asked


def look_units(n: int, per_row: float, blocks: int) -> float:
    """A look at n points of so many entries a row, or the loss and its gradient, or a pass.

    Examples
    --------
    >>> look_units(1000, 20, 1)
    90000
    """
    return CALL + n * (PER_POINT + blocks * per_row)


def newton_units(n: int, width: int) -> float:
    """A step of Newton's method down the squared hinge loss of dense rows."""
    return CALL + (n + width) * (PER_POINT + PER_PRODUCT * width**2 / 2)


def factor_units(rows: int, columns: int) -> float:
    """A factorisation of a matrix: its inverse, or the independent ones among its rows."""
    return CALL + rows * columns**2 / 2


def iteration_units(rows: int, width: float) -> float:
    """An iteration of the simplex method on so many rows of so many entries."""
    return (rows + 1) * PER_PIVOT * (PER_POINT + width)


def exact_entries_units(entries: float) -> float:
    """Entries made integers, or sums of so many products without rounding."""
    return CALL + PER_EXACT * entries


def exact_units(rows: int, columns: int, bits: int) -> float:
    """The solution of an exact linear system."""
    # Longer integers lengthen both the lifting and its products.
    words = max(1.0, bits / 53)
    return (
        exact_entries_units(4 * rows * columns) + PER_MODULAR * min(rows, columns) ** 3 * words**2
    )


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

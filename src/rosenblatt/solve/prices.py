"""What a proof is likely to cost, estimated from sizes."""

from __future__ import annotations

from rosenblatt.solve.effort import (
    CALL,
    exact_units,
    factor_units,
    iteration_units,
    look_units,
    newton_units,
)
from rosenblatt.solve.hinge import EVALUATIONS, takes_newton
from rosenblatt.solve.refuting import ROWS_A_COLUMN
from rosenblatt.solve.search import UNITS_PUT_OFF

# Steps that Newton's method usually takes, and looks of a typical search.
USUAL_STEPS, USUAL_LOOKS = 6, 10


def likely_cost(n: int, d: int, per_row: float, classes: int, spent: float = 0.0) -> float:
    """Units (see `effort`) that a proof is likely to cost, to within a factor of about five.

    The cheapest of the ways to a proof that cost more than was ``spent`` without success: a
    separator where rows are few, a refutation of two of the classes by Newton's method or by
    linear programs, or linear programs for all classes at once.

    Parameters
    ----------
    n, d : int
        Rows and columns.
    per_row : float
        Entries a row: d of dense rows.
    classes : int
    spent : float

    Examples
    --------
    >>> likely_cost(2000, 20, 20, 4) < likely_cost(2000, 20, 20, 4, spent=1e7) < 1e8
    True
    """
    blocks, pair = classes if classes > 2 else 1, 2 * n // classes
    look = look_units(n, per_row, blocks)
    ways = [program_cost(d + 1, pair, 1, per_row + 1)]
    width = min(pair, d + 1)
    steps = USUAL_STEPS * newton_units(pair, width)
    by_newton = takes_newton(pair, d, per_row < d)
    if by_newton and exact_units(width + 1, width, 60) <= UNITS_PUT_OFF:
        sample = min(pair, ROWS_A_COLUMN * width)
        ways += [2 * steps + factor_units(sample, width + 1) + factor_units(width, width)]
    # With half as many columns as rows random labels are as likely separable as not (T. M. Cover,
    # "Geometrical and statistical properties of systems of linear inequalities with applications
    # in pattern recognition", IEEE Transactions on Electronic Computers 14 (1965), 326–334).
    if n < 2 * (d + 1):
        ways += [steps if by_newton and blocks == 1 else EVALUATIONS * look]
    if blocks > 1:
        ways += [program_cost(d + 1, n, blocks - 1, per_row + 1)]
    looks = USUAL_LOOKS * look
    return min((looks + way for way in ways if spent < looks + way), default=spent)


def program_cost(width: int, n: int, blocks: int, entries: float) -> float:
    """Likely cost of the linear programs and the exact solution of a search.

    For ``blocks`` blocks of ``width`` columns, and rows of so many ``entries`` in a block.
    """
    dimension = min(blocks * width, n)
    simplex = 3 * dimension * iteration_units(3 * dimension, min(blocks, 2) * entries)
    return 4 * CALL + simplex + exact_units(dimension + 1, dimension, 60)

"""What a proof is likely to cost, estimated from sizes."""

from __future__ import annotations

from rosenblatt.solve.effort import (
    PROGRAM,
    exact_units,
    hash_units,
    iteration_units,
    look_units,
)
from rosenblatt.solve.hinge import refutation_units, separator_units

# Looks of a typical search.
USUAL_LOOKS = 5
# Rows per column up to which data are likely to be separable, whatever the labels: at 2 with
# probability ½ (T. M. Cover, "Geometrical and statistical properties of systems of linear
# inequalities with applications in pattern recognition", IEEE Transactions on Electronic Computers
# 14 (1965), 326–334).
ROWS_A_COLUMN = 1.9


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
    blocks, of_pair = classes if classes > 2 else 1, 2 * n // classes
    look, sparse = look_units(n, per_row, blocks), per_row < d
    looks_at_pair = USUAL_LOOKS * look_units(of_pair, per_row, 1)
    ways = [refutation_units(of_pair, d, sparse=sparse)]
    ways += [looks_at_pair + program_cost(d + 1, n, 1, per_row + 1)]
    if n <= ROWS_A_COLUMN * (d + 1):
        ways += [USUAL_LOOKS * look + separator_units(n, d, per_row, blocks, sparse)]
    if classes > 2:
        ways += [USUAL_LOOKS * look + program_cost(d + 1, n, blocks - 1, per_row + 1)]
    shared = hash_units(n, per_row) + look
    return min((shared + way for way in ways if spent < shared + way), default=spent)


def program_cost(width: int, n: int, blocks: int, entries: float) -> float:
    """Likely cost of the linear programs and the exact solution of a search.

    For ``blocks`` blocks of ``width`` columns, and rows of so many ``entries`` in a block.
    """
    dimension = min(blocks * width, n)
    simplex = 3 * dimension * iteration_units(3 * dimension, min(blocks, 2) * entries)
    return 4 * PROGRAM + simplex + exact_units(dimension + 1, dimension, 60)

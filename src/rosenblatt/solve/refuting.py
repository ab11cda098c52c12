"""Refutations by few rows, from the multipliers at which Newton's method ends.

At the least squared hinge loss its gradient is 0: Σ lackᵢ·aᵢ = 0, where lackᵢ ≥ 0 is how far
constraint i falls short of 1. So Newton's method ends at a separator, or at multipliers by which
the constraints refute each other (Farkas), one for every row that falls short. Exact arithmetic
needs few of them: a vertex, to which the combination is reduced in floating point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame, refined
from rosenblatt.solve.effort import factor_units
from rosenblatt.solve.hinge import Descent, least_loss
from rosenblatt.solve.linear_program import ROUNDING
from rosenblatt.solve.search import Refutation, Search

# Rows per column of the sample among which a refutation is searched for.
ROWS_A_COLUMN = 3
# Share of its terms below which a sum is taken for 0.
SHARE_OF_TERMS = 1e-3


@np.errstate(all="ignore")  # huge numbers end in no multipliers
def multipliers(search: Search, descent: Descent) -> np.ndarray | None:
    """Multipliers of few constraints that refute them, at the least loss; None if there are none.

    A sample of the constraints that fall short is tried first: mostly it is inseparable, too, and
    costs less.
    """
    short = np.flatnonzero(descent.scores < 1.0)
    some = _sample(short, descent.rows.shape[1])
    if len(some) < len(short):
        part = least_loss(descent.rows[some], pay=search.meter.pay)
        alpha = None if part is None else _few(search, part)
        if alpha is not None:
            found = np.zeros(len(descent.rows))
            found[some] = alpha
            return found
    return _few(search, descent)


def refuted_in_finer_coordinates(
    search: Search, constraints: Constraints, points: np.ndarray, short: np.ndarray
) -> Refutation | None:
    """A refutation where multipliers fail only in columns that are nearly dependent on others.

    Newton's method takes such columns for dependent, and its multipliers leave residues there. In
    coordinates that scale the residues up, these points, with some more that fell short, mostly
    refute each other as well.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> X, codes = np.column_stack([X, X @ [0.1, 0.7]]), rng.integers(0, 2, 60)
    >>> constraints = Constraints(X, codes, 2)
    >>> given = Search(constraints), constraints, np.arange(4), np.arange(60)
    >>> found = refuted_in_finer_coordinates(*given)
    >>> len(found.points), min(found.alpha) > 0
    (5, True)
    """
    some = np.union1d(points, _sample(short, constraints.d + 1))
    if constraints.sparse or len(some) <= constraints.d + 1:
        return None
    rivals = 1 - constraints.own(some)
    frame, table = refined(Frame(constraints), constraints.rows(some, rivals), search.meter.pay)
    if not frame.columns:
        return None
    with np.errstate(all="ignore"):
        descent = least_loss(table, pay=search.meter.pay)
        alpha = None if descent is None else _few(search, descent)
    return None if alpha is None else search.refuted_by(some, rivals, alpha, table)


def _sample(short: np.ndarray, width: int) -> np.ndarray:
    """Every so many of the points that fell short."""
    return short[:: max(1, len(short) // (ROWS_A_COLUMN * width))]


def _few(search: Search, descent: Descent) -> np.ndarray | None:
    """The vertex of the multipliers at which a descent ended; None if it ended elsewhere."""
    short = np.flatnonzero(descent.scores < 1.0)
    if not descent.fewest or not len(short):
        return None
    search.meter.pay(factor_units(len(short), descent.rows.shape[1] + 1))
    found = vertex(descent.rows[short], 1.0 - descent.scores[short])
    if found is None:
        return None
    alpha = np.zeros(len(descent.rows))
    alpha[short] = found
    return alpha


def vertex(rows: np.ndarray, alpha: np.ndarray) -> np.ndarray | None:
    """Multipliers of the same sum, not 0 only for independent rows (aᵢ, 1).

    None if Σ αᵢ·aᵢ is not 0.

    Parameters
    ----------
    rows : ndarray of shape (m, width)
    alpha : ndarray of shape (m,)
        Positive multipliers.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [2.0, 1.0]])
    >>> vertex(rows, np.array([1.0, 3.0, 1.0, 2.0, 1.0])).round(9)
    array([4., 4., 0., 0., 0.])
    """
    m, width = rows.shape
    beyond = np.abs(alpha @ rows)
    if not (beyond <= SHARE_OF_TERMS * (alpha @ np.abs(rows))).all():
        return None
    # The largest first: they are most likely to stay.
    order = np.argsort(-alpha, kind="stable")
    table = np.ones((m, width + 1))
    table[:, :-1] = rows[order]
    left, inverse = alpha[order], np.eye(width + 1)
    basis, shares = np.full(width + 1, -1), np.zeros(width + 1)
    compiled(to_vertex)(table, left, inverse, basis, shares)
    found = np.zeros(m)
    found[order] = left
    return found


def to_vertex(rows: Any, alpha: Any, inverse: Any, basis: Any, shares: Any) -> None:
    """Remove rows from the sum Σ αᵢ·aᵢ, without changing it, until the others are independent.

    A row that depends on those of the basis, a = Σ shareₖ·bₖ, passes its multiplier on to them, or
    as much of it as leaves theirs at 0 or above; then it replaces the row whose multiplier is 0.

    Parameters
    ----------
    rows : ndarray of shape (m, width)
    alpha : ndarray of shape (m,)
        Changed in place.
    inverse : ndarray of shape (width, width)
        Inverse of the basis, initially the unit matrix.
    basis : ndarray of int, shape (width,)
        Row numbers of the basis, initially −1.
    shares : ndarray of shape (width,)
        Work space.
    """
    width = np.uint64(rows.shape[1])
    for i in range(np.uint64(len(alpha))):
        place, largest = width, ROUNDING
        for k in range(width):
            total = 0.0
            for j in range(width):
                total += inverse[k, j] * rows[i, j]
            shares[k] = total
            if basis[k] < 0 and abs(total) > largest:
                place, largest = k, abs(total)
        if place == width:
            most = alpha[i]
            for k in range(width):
                if basis[k] >= 0 and shares[k] < -ROUNDING:
                    room = alpha[basis[k]] / -shares[k]
                    if room < most:
                        place, most = k, room
            for k in range(width):
                if basis[k] >= 0:
                    alpha[basis[k]] = max(0.0, alpha[basis[k]] + most * shares[k])
            if place == width:
                alpha[i] = 0.0
                continue
            alpha[i] -= most
            alpha[basis[place]] = 0.0
        basis[place] = i
        exchange(inverse, shares, place)


def exchange(inverse: Any, shares: Any, place: Any) -> None:
    """Update the inverse of the basis for a row of these shares at that place."""
    width = np.uint64(len(shares))
    scale = 1.0 / shares[place]
    for j in range(width):
        inverse[place, j] *= scale
    for k in range(width):
        share = shares[k]
        if k != place and share != 0.0:
            for j in range(width):
                inverse[k, j] -= share * inverse[place, j]

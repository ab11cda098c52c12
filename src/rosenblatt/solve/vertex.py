"""Reduces a combination of many rows that sums to 0 to one of few rows, in floating point.

At the least squared hinge loss its gradient is 0: Σ lackᵢ·aᵢ = 0, where lackᵢ ≥ 0 is how far
constraint i falls short of 1. So Newton's method ends at a separator, or at multipliers by which
the constraints refute each other (Farkas), one for every row that falls short. Exact arithmetic
needs few of them: a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.machine.jit import compiled

# Pivot below which rows are taken for dependent.
LEAST_PIVOT = 1e-9
# Share of its terms below which a sum is taken for 0.
SHARE_OF_TERMS = 1e-3


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
        place, largest = width, LEAST_PIVOT
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
                if basis[k] >= 0 and shares[k] < -LEAST_PIVOT:
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

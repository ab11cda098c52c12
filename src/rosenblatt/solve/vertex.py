"""From a combination of many rows that is 0 to one of few, in floating point.

Where the squared hinge loss is least its slope is 0: Σ lackᵢ·aᵢ = 0, where lackᵢ ≥ 0 is what
requirement i falls short of 1. So Newton's method ends at a separator, or at multipliers by which
the requirements refute each other (Farkas), spread over every row that falls short. Exact
arithmetic wants few: a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.machine.compiled import compiled

# Pivots smaller than this are taken for rounding, and so are sums that leave less, of their terms.
SMALL, NEARLY_ZERO = 1e-9, 1e-3


def vertex(rows: np.ndarray, alpha: np.ndarray) -> np.ndarray | None:
    """Multipliers of the same sum, 0 but for independent rows (aᵢ, 1); None if Σ αᵢ·aᵢ is not 0.

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
    if not (beyond <= NEARLY_ZERO * (alpha @ np.abs(rows))).all():
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
    """Take rows off the sum Σ αᵢ·aᵢ, which stays as it is, until those left are independent.

    A row that depends on those of the basis, a = Σ shareₖ·bₖ, hands its multiplier over to them,
    or as much of it as leaves theirs at 0 or above; then it takes the place of the one at 0.

    Parameters
    ----------
    rows : ndarray of shape (m, width)
    alpha : ndarray of shape (m,)
        Changed in place.
    inverse : ndarray of shape (width, width)
        Room for the inverse of the basis, the unit matrix at first.
    basis : ndarray of int, shape (width,)
        Room for its rows, −1 at first.
    shares : ndarray of shape (width,)
        Room.
    """
    width = np.uint64(rows.shape[1])
    for i in range(np.uint64(len(alpha))):
        place, largest = width, SMALL
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
                if basis[k] >= 0 and shares[k] < -SMALL:
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
    """The inverse of the basis with a row of these shares at that place."""
    width = np.uint64(len(shares))
    scale = 1.0 / shares[place]
    for j in range(width):
        inverse[place, j] *= scale
    for k in range(width):
        share = shares[k]
        if k != place and share != 0.0:
            for j in range(width):
                inverse[k, j] -= share * inverse[place, j]

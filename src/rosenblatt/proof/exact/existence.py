"""Rows that are known to cancel before their weights are: existence, proved in floating point.

As many rows as coordinates, and one more, have one combination that is 0, up to a factor. Floats
near to it prove that it has positive weights without computing it: the inverse of a matrix, however
it was found, bounds how far an approximate solution can be from the exact one, and rounding errors
are bounded on the way. The weights themselves, integers of thousands of digits, are solved for when
somebody asks.

References
----------
S. M. Rump, "Verification methods: rigorous results using floating-point arithmetic", Acta Numerica
19 (2010), 287–449, §10; N. J. Higham, "Accuracy and Stability of Numerical Algorithms" (2002),
§3.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.lazy import cached_property
from rosenblatt.proof.exact.combinations import solve_alpha
from rosenblatt.proof.exact.numbers import UNIT

# More than what underflows add to a sum of products of numbers up to 1, or to a residue so scaled.
TINY = 1e-150
# How far the inverse may be from one.
HALF = 0.5


class Implied:
    """Positive weights that are known to exist: Σ αᵢ·rowᵢ = 0, exactly, for rows that prove it.

    Parameters
    ----------
    rows : ndarray of shape (m, D)
        Of which `sure_weights` are known.
    near : ndarray of shape (m,)
        The weights, rounded.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -3.0]])
    >>> Implied(rows, np.array([1.0, 1.0, 0.3])).alpha
    (3, 3, 1)
    """

    def __init__(self, rows: np.ndarray, near: np.ndarray):
        self.rows, self.near = rows, near

    @cached_property
    def alpha(self) -> tuple[int, ...]:
        """The weights: whole numbers without a common divisor."""
        found = solve_alpha(self.rows, self.near)
        assert found is not None, "weights that are sure to exist have a solution"
        return tuple(found)

    def __repr__(self) -> str:
        return f"Implied({len(self.near)} rows)"


def sure_weights(rows: Any, near: Any) -> np.ndarray | None:
    """Positive weights with Σ αᵢ·rowᵢ = 0, rounded, if they are proved to exist.

    They are then the only ones, up to a factor. None says nothing.

    Parameters
    ----------
    rows : ndarray of shape (m, D)
        Floats, each taken as the rational it is, or for one that it is rounded from.
    near : ndarray of shape (m,)
        Approximate weights, positive.

    Notes
    -----
    Let one weight be given; the others x solve Mx = b, where M has the other rows for columns. For
    any C with ε = ‖I − CM‖ < 1, M has an inverse, and |x − x̃| ≤ |Cρ| + ε/(1 − ε)·‖Cρ‖ for
    ρ = b − Mx̃ (norms of largest row sums and entries). All is positive where x̃ is larger than that.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -3.0]])
    >>> sure_weights(rows, np.array([1.0, 1.0, 0.3])).round(9)
    array([1.        , 1.        , 0.33333333])
    >>> sure_weights(rows * [[1.0], [1.0], [-1.0]], np.array([1.0, 1.0, 0.3])) is None
    True
    """
    rows = np.asarray(rows, dtype=np.float64)
    rows = rows[:, rows.any(axis=0)]
    m, width = rows.shape
    if not 0 < width == m - 1 or not np.isfinite(rows).all():
        return None
    with np.errstate(all="ignore"):
        table, weights, powers = _of_one_size(rows, np.asarray(near, dtype=np.float64))
        at = int(weights.argmax())
        matrix, target = np.delete(table, at, axis=0).T, -weights[at] * table[at]
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return None
        found = inverse @ target
        found += inverse @ (target - matrix @ found)
        if not (found > 2 * _error(matrix, inverse, found, target)).all():
            return None
        return np.ldexp(np.insert(found, at, weights[at]), -powers)


def _of_one_size(
    rows: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns, then rows, scaled by powers of two to at most 1; their weights, and these powers."""
    table = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=0))[1])
    powers = np.frexp(np.abs(table).max(axis=1))[1]
    return np.ldexp(table, -powers[:, None]), np.ldexp(weights / weights.max(), powers), powers


def _error(
    matrix: np.ndarray, inverse: np.ndarray, found: np.ndarray, target: np.ndarray
) -> np.ndarray:
    """How far each entry of ``found`` can be from the solution of matrix·x = target; or infinite.

    Four times the rounding of a sum of products pays for that of the sums which bound it.
    """
    width = len(matrix)
    slack, size, factors = 4 * (width + 8) * UNIT, np.abs(matrix) + TINY, np.abs(inverse)
    beside = np.abs(np.eye(width) - inverse @ matrix).sum(axis=1)
    epsilon = float((beside + slack * (1 + factors @ size.sum(axis=1))).max())
    if not epsilon < HALF:
        return np.full(width, np.inf)
    residual = np.abs(target - matrix @ found) + slack * (size @ np.abs(found) + np.abs(target))
    moved = factors @ (residual + TINY)
    return moved + epsilon / (1 - epsilon) * moved.max()

"""The point of a hull nearest to 0, in floating point, by non-negative least squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.machine.threads import scipy_linalg

# Least distance of a row from the span of others, relative to the longest row, at which inner
# products are as good as the rows: relative errors of margins are then at most 1e-10.
INDEPENDENT = 1e-3


def least_norm(rows: np.ndarray) -> np.ndarray | None:
    """Weights, up to their sum, of the point z of least norm in the hull of the rows.

    min ‖Aᵀx‖² + (1 − Σx)² over x ≥ 0 has the solution x = α/(1 + z·z), so rows of the scale
    ‖z‖ ≈ 1 are solved best. None where rounding kept least squares from an answer.
    """
    scipy_linalg()
    from scipy.optimize import nnls

    target = np.zeros(rows.shape[1] + 1)
    target[0] = 1.0
    try:
        weights, _ = nnls(np.vstack([np.ones(len(rows)), rows.T]), target, maxiter=10 * len(rows))
    except RuntimeError:
        return None
    return weights if np.isfinite(weights).all() and weights.any() else None


def least_squares(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The least-squares solution of least norm."""
    lstsq = scipy_linalg().lstsq
    return lstsq(rows, values, lapack_driver="gelsy", check_finite=False)[0]  # type: ignore[index]


def coordinates(rows: Any) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The rows in at most as many dimensions as rows, lengths and angles kept; and the map back.

    Wide rows are represented by their inner products, which need no copy of them: the rows of a
    pivoted Cholesky factor of G = AAᵀ = LLᵀ have the inner products of those of A. Inner products
    square the condition number, so dense rows that are nearly dependent are factored themselves.
    """
    if rows.shape[1] <= rows.shape[0]:
        return (rows.toarray() if hasattr(rows, "indptr") else rows), lambda point: point
    sparse = hasattr(rows, "indptr")
    linalg = scipy_linalg()
    pivoted_cholesky: Any = linalg.get_lapack_funcs("pstrf", dtype=np.float64)
    products = rows @ rows.T
    factor, pivots, rank, _ = pivoted_cholesky(products.toarray() if sparse else products, lower=1)
    lower, order = np.tril(factor)[:, :rank], pivots - 1
    if not sparse and not _independent(lower):
        basis, triangle = np.linalg.qr(rows.T)
        return triangle.T, lambda point: basis @ point
    coordinates = np.empty_like(lower)
    coordinates[order] = lower

    def back(point: np.ndarray) -> np.ndarray:
        multipliers = np.zeros(len(order))
        solved = linalg.solve_triangular(lower[:rank], point, lower=True, trans=1)
        multipliers[order[:rank]] = solved
        return rows.T @ multipliers

    return coordinates, back


def _independent(lower: np.ndarray) -> bool:
    """Whether no row of a Cholesky factor is nearly a combination of those before it."""
    pivots = np.diag(lower)
    return len(pivots) == len(lower) and bool(pivots[-1] > INDEPENDENT * pivots[0])

"""The point of a hull nearest to 0, in floating point, by non-negative least squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.machine.threads import scipy_linalg


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
    """The shortest solution of least residual."""
    lstsq = scipy_linalg().lstsq
    return lstsq(rows, values, lapack_driver="gelsy", check_finite=False)[0]  # type: ignore[index]


def coordinates(rows: Any) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The rows in no more dimensions than there are rows, lengths and angles kept; the way back.

    Sparse rows are too wide to be made dense, so they are known by their inner products: a
    pivoted Cholesky factor of G = AAᵀ = LLᵀ has rows that multiply as those of A do.
    """
    if rows.shape[1] <= rows.shape[0]:
        return (rows.toarray() if hasattr(rows, "indptr") else rows), lambda point: point
    if not hasattr(rows, "indptr"):
        basis, triangle = np.linalg.qr(rows.T)
        return triangle.T, lambda point: basis @ point
    linalg = scipy_linalg()
    pivoted_cholesky: Any = linalg.get_lapack_funcs("pstrf", dtype=np.float64)
    factor, pivots, rank, _ = pivoted_cholesky((rows @ rows.T).toarray(), lower=1)
    lower = np.tril(factor)[:, :rank]
    coordinates = np.empty_like(lower)
    coordinates[pivots - 1] = lower
    span = rows[pivots[:rank] - 1]

    def back(point: np.ndarray) -> np.ndarray:
        return span.T @ linalg.solve_triangular(lower[:rank], point, lower=True, trans=1)

    return coordinates, back

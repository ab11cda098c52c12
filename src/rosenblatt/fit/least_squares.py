"""Least squares, which predict where columns are strongly correlated.

Passes learn next to nothing along the differences of such columns, as of spectra: the mean then has
many of its own training rows wrong, and least squares do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.machine.threads import one_blas_thread
from rosenblatt.engine.points import Points, as_matrix, count, width
from rosenblatt.fit import constants
from rosenblatt.places.place import Place, Scaled


def ridge_regression(place: Place, rows: Scaled) -> tuple[np.ndarray, float] | None:
    """Ridge regression on ±1 for each class, and the share of rows that it has wrong left out.

    The residual of row i without it in the fit is rᵢ/(1 − hᵢ), hᵢ = cᵢ·aᵢᵀ(AᵀCA + λ)⁻¹aᵢ: exactly,
    and at the cost of one inverse. None where it would cost much, or where all weights are 0.

    Parameters
    ----------
    place : Place
        The rows.
    rows : Scaled
        The same, scaled.

    Returns
    -------
    weights : ndarray
        In the units of the place.
    left_out : float

    Notes
    -----
    D. M. Allen, "The relationship between variable selection and data augmentation and a method for
    prediction", Technometrics 16 (1974), 125–127.
    """
    size = place.size
    columns = size.columns + 1
    if columns > constants.WIDEST:
        return None
    # Zeros cost the passes nothing where they are not stored, and are no entries wherever they are.
    entries = sum(place.ask(_entries))
    if columns * columns * size.rows > constants.WIDEST * entries:
        return None
    with one_blas_thread(), np.errstate(all="ignore"):
        matrix, sums = (
            np.sum(part, axis=0) for part in zip(*rows.place.ask(_moments), strict=True)
        )
        matrix.flat[:: columns + 1] += constants.RIDGE * np.trace(matrix) / columns or 1.0
        inverse = np.linalg.inv(matrix)
        table = (inverse @ sums).T
        wrong, total = np.sum(rows.place.ask(_left_out, inverse, table), axis=0)
    state = place.start()
    state.weights[...] = table.reshape(state.weights.shape)
    rows.scale.back(state)
    usable = np.isfinite(state.weights).all() and state.weights.any()
    return (state.weights, wrong / total) if usable else None


def _entries(points: Points, chosen: np.ndarray, vectors: int) -> int:
    """Entries that are not 0, the bias coordinate included."""
    matrix = as_matrix(points.rows)[_in_order(chosen, points)]
    stored = matrix.data if hasattr(matrix, "indptr") else matrix
    return int(np.count_nonzero(stored)) + len(chosen)


def _in_order(chosen: np.ndarray, points: Points) -> Any:
    """The chosen rows as they lie in memory: for sums their order does not matter."""
    return slice(None) if len(chosen) == count(points) else np.sort(chosen)


def _table(points: Points, chosen: np.ndarray, vectors: int) -> tuple[np.ndarray, ...]:
    """The rows with their bias coordinate, a column of signs for each class, and weights."""
    rows, some = np.empty((len(chosen), width(points) + 1)), _in_order(chosen, points)
    matrix = as_matrix(points.rows)[some]
    rows[:, :-1] = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    rows[:, -1] = points.bias
    y = points.y[some]
    signs = np.where(y[:, None] == np.arange(vectors), 1.0, -1.0) if vectors else y[:, None]
    return rows, signs, points.steps[some]


def _moments(points: Points, chosen: np.ndarray, vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """AᵀCA and AᵀCY."""
    rows, signs, weights = _table(points, chosen, vectors)
    heavy = rows * weights[:, None]
    return heavy.T @ rows, heavy.T @ signs


def _left_out(
    points: Points, chosen: np.ndarray, vectors: int, inverse: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """The weight of the rows that are wrong if they are left out, and of all."""
    rows, signs, weights = _table(points, chosen, vectors)
    own = weights * np.einsum("ij,ij->i", rows @ inverse, rows)
    scores = signs - (signs - rows @ table.T) / (1 - own)[:, None]
    best = scores.argmax(axis=1)
    right = best == signs.argmax(axis=1) if vectors else (scores * signs)[:, 0] > 0
    return np.array([weights[~right].sum(), weights.sum()])

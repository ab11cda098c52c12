"""Newton's method for the squared hinge loss of weighted rows, for each class against the rest.

Its first step from 0 is the least squares of all rows, which takes one matrix for all classes; the
later steps are made for each class. For few rows the least squares have a ridge, and leave-one-out
scores.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.solve.newton import RIDGE, descent_from, make_steps

# Steps after the least squares (measured: 2 predict as well as 10 do).
STEPS = 3
# Ridge for few rows, relative to the mean of the eigenvalues that are not 0 (measured: ten times as
# much predicts as well, but is chosen less often).
RIDGE_OF_FEW = 1e-3


def least_squares(rows: np.ndarray, signs: np.ndarray, importance: np.ndarray) -> np.ndarray:
    """The weights that minimise Σ cᵢ(yᵢ − aᵢ·w)², for each row of signs y.

    Parameters
    ----------
    rows : ndarray of shape (n, width)
        The points a, with their bias coordinate.
    signs : ndarray of shape (vectors, n)
        ±1.
    importance : ndarray of shape (n,)
        c, positive.

    Returns
    -------
    weights : ndarray of shape (vectors, width)

    Examples
    --------
    >>> rows, signs = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0]]), np.array([[-1.0, 1.0, -1.0]])
    >>> least_squares(rows, signs, np.array([1.0, 3.0, 1.0])).round(6)
    array([[ 1.5, -1. ]])
    """
    heavy = rows * importance[:, None]
    matrix = heavy.T @ rows
    # If all rows are 0, any ridge will do.
    matrix.flat[:: len(matrix) + 1] += RIDGE * np.trace(matrix) / len(matrix) or 1.0
    return np.linalg.solve(matrix, (signs @ heavy).T).T


def ridged(
    rows: np.ndarray, signs: np.ndarray, importance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`least_squares` of few rows with a ridge λ‖w‖², and the leave-one-out score of each row.

    The residual of row i without it in the fit is rᵢ/(1 − hᵢ), h being the diagonal of
    A(AᵀA + λ)⁻¹Aᵀ: exactly, and at the cost of one inverse, of columns or of rows.

    Returns
    -------
    weights : ndarray of shape (vectors, width)
    left_out : ndarray of shape (vectors, n)

    Notes
    -----
    D. M. Allen, "The relationship between variable selection and data augmentation and a method for
    prediction", Technometrics 16 (1974), 125–127.

    Examples
    --------
    >>> rows, signs = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]), np.array([[-1.0, -1.0, 1.0]])
    >>> weights, left_out = ridged(rows, signs, np.ones(3))
    >>> weights.round(2), left_out.round(1)
    (array([[ 1.  , -1.33]]), array([[-2.9,  0. , -1. ]]))
    """
    n, width = rows.shape
    heavy = np.sqrt(importance)
    table, wanted = rows * heavy[:, None], (signs * heavy).T
    few = n <= width
    matrix = table @ table.T if few else table.T @ table
    matrix.flat[:: len(matrix) + 1] += RIDGE_OF_FEW * np.trace(matrix) / len(matrix) or 1.0
    inverse = np.linalg.inv(matrix)
    if few:
        multipliers = inverse @ wanted
        weights, residuals = table.T @ multipliers, multipliers / np.diag(inverse)[:, None]
    else:
        weights = inverse @ (table.T @ wanted)
        own = np.einsum("ij,ij->i", table @ inverse, table)
        residuals = (wanted - table @ weights) / (1 - own)[:, None]
    return weights.T, ((wanted - residuals) / heavy[:, None]).T


def descended(
    rows: np.ndarray, signs: np.ndarray, importance: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Some steps of Newton's method for Σ cᵢ max(0, 1 − yᵢaᵢ·w)², from given weights.

    √c(1 − y·a·(w + v)) = 1 − (s + √c·y·a·v) for s = 1 − √c(1 − y·a·w): a descent that starts at the
    scores s, with rows √c·y·a, needs no weights of rows. Parameters are those of `least_squares`.

    Examples
    --------
    >>> rows, signs = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0]]), np.array([[-1.0, 1.0, -1.0]])
    >>> descended(rows, signs, np.array([1.0, 3.0, 1.0]), np.array([[9.0, 9.0]])).round(6)
    array([[ 1.5, -1. ]])
    """
    # Factors of at least 1, so that rows that the descent takes for met are right.
    sizes = np.sqrt(importance / importance.min())
    found = np.empty_like(weights)
    for own, start, out in zip(signs, weights, found, strict=True):
        table = rows * (sizes * own)[:, None]
        descent = descent_from(table, 1 - sizes + table @ start)
        spread = float(np.vdot(table, table)) / table.shape[1]
        compiled(make_steps)(descent, RIDGE * spread, STEPS)
        out[:] = start + descent.weights
    return found

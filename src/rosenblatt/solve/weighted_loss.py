"""Newton's method down the squared hinge loss of rows that weigh more and less, class by class.

From weights of 0 its first step is the least squares of all rows, which all fall short there: it
takes one matrix for all classes. The later steps are each class's own.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.solve.newton import RIDGE, descent_from, make_steps

# Steps from the least squares on (measured: 2 predict as well as 10 do).
STEPS = 3


def least_squares(rows: np.ndarray, signs: np.ndarray, importance: np.ndarray) -> np.ndarray:
    """The weights that minimise Σ cᵢ(yᵢ − aᵢ·w)², for each row of signs y.

    Parameters
    ----------
    rows : ndarray of shape (n, width)
        The points a, with their coordinate of the bias.
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
    # Rows that are all 0 say nothing of any weight.
    matrix.flat[:: len(matrix) + 1] += RIDGE * np.trace(matrix) / len(matrix) or 1.0
    return np.linalg.solve(matrix, (signs @ heavy).T).T


def descended(
    rows: np.ndarray, signs: np.ndarray, importance: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Some steps of Newton's method down Σ cᵢ max(0, 1 − yᵢaᵢ·w)², begun at weights; as above.

    √c(1 − y·a·(w + v)) = 1 − (s + √c·y·a·v) for s = 1 − √c(1 − y·a·w): to a descent that begins at
    the scores s, rows √c·y·a are all of the same weight.

    Examples
    --------
    >>> rows, signs = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0]]), np.array([[-1.0, 1.0, -1.0]])
    >>> descended(rows, signs, np.array([1.0, 3.0, 1.0]), np.array([[9.0, 9.0]])).round(6)
    array([[ 1.5, -1. ]])
    """
    # At least 1, so that a descent that takes its rows for met has all of them right.
    sizes = np.sqrt(importance / importance.min())
    found = np.empty_like(weights)
    for own, start, out in zip(signs, weights, found, strict=True):
        table = rows * (sizes * own)[:, None]
        descent = descent_from(table, 1 - sizes + table @ start)
        spread = float(np.vdot(table, table)) / table.shape[1]
        compiled(make_steps)(descent, RIDGE * spread, STEPS)
        out[:] = start + descent.weights
    return found

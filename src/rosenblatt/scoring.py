"""Scores of new rows by learned weights, on every core.

Imports the engine, and ``compiled`` at the first call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.learn import all_margins, zero_state
from rosenblatt.points import Points, SparseRows, as_rows, make_points, scores_of
from rosenblatt.rules import Perceptron
from rosenblatt.threads import in_pieces

# Products below which loading machine code would take longer than NumPy.
FEW_PRODUCTS = 2**20
# Products of one piece, about a millisecond: more than starting a thread, and soon interrupted.
PRODUCTS_AT_ONCE = 2**21
# Rows of one piece, at least: it reads all weights.
ROWS_AT_ONCE = 64


def linear_scores(X: Any, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """X·coefᵀ + intercept; a row's scores are the same whatever rows and threads are beside it.

    Where X has NaN or infinity so have the row's scores.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d), float32 or float64
    coef : ndarray of shape (K, d)
    intercept : ndarray of shape (K,)

    Returns
    -------
    scores : ndarray of shape (n, K), float64

    Examples
    --------
    >>> linear_scores(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), np.array([-5.0]))
    array([[6.]])
    """
    if len(coef) == 1:
        return _hyperplane(X, coef[0], intercept[0])
    return _dense(X, coef, intercept) if isinstance(X, np.ndarray) else _sparse(X, coef, intercept)


def _hyperplane(X: Any, coef: np.ndarray, intercept: float) -> np.ndarray:
    points = make_points(X, np.ones(X.shape[0]))
    state = zero_state(points)
    state.weights[:-1], state.weights[-1] = coef, intercept
    return all_margins(points, Perceptron(), state, np.arange(X.shape[0]))[:, None]


def _dense(X: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    return _scores(as_rows(X), 1.0, np.column_stack([coef, intercept]), None, X)


def _sparse(X: Any, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    # With a bias of 0, whose weight may be any, the weights need no copy that has one more column.
    rows = SparseRows(X.data, X.indices, X.indptr, width=0)
    return _scores(rows, 0.0, _feature_by_feature(coef), intercept, X)


def _feature_by_feature(coef: np.ndarray) -> np.ndarray:
    """The weights of a feature side by side, as a fit to sparse rows leaves them."""
    if coef.flags.f_contiguous:
        return coef
    out = np.empty(coef.shape, order="F")

    def turn(piece: slice) -> None:
        out[:, piece] = coef[:, piece]

    in_pieces(turn, coef.shape[1], max(1, PRODUCTS_AT_ONCE // len(coef)))
    return out


def _scores(rows: Any, bias: float, weights: np.ndarray, intercept: Any, X: Any) -> np.ndarray:
    from rosenblatt.compiled import compiled

    kernel = compiled(_score)
    n, classes = X.shape[0], len(weights)
    points, chosen = Points(rows, np.ones(0), np.ones(0), bias), np.arange(n)
    out = np.empty((n, classes))
    at_once = max(ROWS_AT_ONCE, PRODUCTS_AT_ONCE * n // max(1, products(X, classes)))

    def score(piece: slice) -> None:
        kernel(points, chosen[piece], weights, out[piece])
        if intercept is not None:
            out[piece] += intercept

    in_pieces(score, n, at_once)
    return out


def _score(points: Any, chosen: Any, weights: Any, out: Any) -> None:
    scores_of(points, chosen, weights, out)


def products(X: Any, classes: int) -> int:
    """Products that the scores of those rows take."""
    return classes * (X.nnz if hasattr(X, "nnz") else X.shape[0] * X.shape[1])


def is_large(X: Any, classes: int) -> bool:
    """Whether machine code pays: from the shapes alone, so that equal inputs score equally."""
    return products(X, classes) >= FEW_PRODUCTS

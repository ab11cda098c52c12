"""Scores of rows by given weights, on every core."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.threads import cores, in_pieces
from rosenblatt.engine.points import Points, as_rows, dot, is_inside, scores, scores_of

# Products below which loading machine code would take longer than NumPy.
FEW_PRODUCTS = 2**20
# Products of one piece: at least enough to be worth a thread, and at most a few milliseconds, so
# that a Ctrl-C is soon heard.
LEAST_AT_ONCE, MOST_AT_ONCE = 2**19, 2**24
# Pieces per core, if there is enough work: a core that was held up then delays the end less.
PIECES_A_CORE = 4
# Least rows of a piece, since each piece reads all weights.
ROWS_AT_ONCE = 64
# Labels and steps for rows that are only scored.
NO_ROW = np.ones(0)

Scorer = Callable[[slice, np.ndarray], bool]


def linear_scores(X: Any, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray | None:
    """X·coefᵀ + intercept; a row's scores do not depend on other rows or on threads.

    A row with NaN or infinity has scores of NaN or infinity.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d), float32 or float64
    coef : ndarray of shape (K, d)
    intercept : ndarray of shape (K,)

    Returns
    -------
    scores : ndarray of shape (n, K), float64, or None
        None for a CSR matrix with indices out of bounds, which are never followed.

    Examples
    --------
    >>> linear_scores(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), np.array([-5.0]))
    array([[6.]])
    """
    n, classes = X.shape[0], len(coef)
    if isinstance(X, np.ndarray):
        write = scorer(X, coef, intercept)
    elif len(X.indptr) == n + 1 and X.indptr[0] == 0 and len(X.data) == len(X.indices):
        write = scorer(X, coef, intercept, one=_one_checked, many=_many_checked)
    else:
        return None
    out, sound = np.empty((n, classes)), [True]
    rows = max(ROWS_AT_ONCE, -(-n // pieces_of(products(X, classes), cores())))
    in_pieces(lambda piece: sound.append(write(piece, out[piece])), n, rows)
    return out if all(sound) else None


def pieces_of(products: int, cores: int) -> int:
    """Number of pieces for so many products: the same for each core, unless they are few.

    Examples
    --------
    >>> [pieces_of(products, cores=2) for products in (1000, 5 * 2**19, 2**26, 9 * 2**24)]
    [1, 4, 8, 10]
    """
    a_core = max(PIECES_A_CORE, -(-products // (MOST_AT_ONCE * cores)))
    few = products // LEAST_AT_ONCE
    return max(1, min(a_core * cores, few - few % cores if few > cores else few))


def highest(scores: np.ndarray) -> np.ndarray:
    """The column of the largest score of each row, the first where several are; on every core.

    Examples
    --------
    >>> highest(np.array([[1.0, 3.0, 2.0], [5.0, 5.0, 0.0]]))
    array([1, 0])
    """
    out = np.empty(len(scores), dtype=np.intp)

    def find(piece: slice) -> None:
        scores[piece].argmax(axis=1, out=out[piece])

    in_pieces(find, len(scores), max(1, LEAST_AT_ONCE // scores.shape[1]))
    return out


def leads(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Margins of points of those classes, from scores of shape (1 or K, n).

    Examples
    --------
    >>> leads(np.array([[1.0, 2.0]]), np.array([1, 0])).tolist()
    [1.0, -2.0]
    >>> leads(np.array([[1.0], [4.0], [2.0]]), np.array([1])).tolist()
    [2.0]
    """
    if len(scores) == 1:
        return (2 * codes - 1) * scores[0]
    own = np.take_along_axis(scores, codes[None], axis=0)[0]
    rivals = scores.copy()
    np.put_along_axis(rivals, codes[None], -math.inf, axis=0)
    return own - rivals.max(axis=0)


def all_finite(scores: np.ndarray) -> bool:
    """Whether none of many numbers is NaN or infinite; on every core.

    Examples
    --------
    >>> all_finite(np.array([[1.0], [np.nan]]))
    False
    """
    found: list[bool] = []

    def check(piece: slice) -> None:
        found.append(bool(np.isfinite(scores[piece]).all()))

    in_pieces(check, len(scores), max(1, LEAST_AT_ONCE // scores.shape[1]))
    return all(found)


def _one(points: Any, chosen: Any, weights: Any, out: Any) -> bool:
    for k in range(len(chosen)):
        out[k, 0] = dot(points, chosen[k], weights)
    return True


def _many(points: Any, chosen: Any, weights: Any, out: Any) -> bool:
    scores_of(points, chosen, weights, out)
    return True


# Checked row by row: the check overlaps with the sums of the row before. A check of all indices
# beforehand would read them from memory twice.
def _one_checked(points: Any, chosen: Any, weights: Any, out: Any) -> bool:
    for k in range(len(chosen)):
        if not is_inside(points.rows, chosen[k], len(weights) - 1):
            return False
        out[k, 0] = dot(points, chosen[k], weights)
    return True


def _many_checked(points: Any, chosen: Any, weights: Any, out: Any) -> bool:
    for k in range(len(chosen)):
        if not is_inside(points.rows, chosen[k], weights.shape[1]):
            return False
        scores(points, chosen[k], weights, out[k])
    return True


def scorer(
    X: Any,
    coef: np.ndarray,
    intercept: np.ndarray,
    one: Callable[..., bool] = _one,
    many: Callable[..., bool] = _many,
) -> Scorer:
    """A function that writes the scores of a slice of the rows of X into a given array.

    By default it trusts the indices of sparse rows, and returns True.

    Examples
    --------
    >>> write = scorer(np.array([[1.0], [2.0], [3.0]]), np.array([[2.0]]), np.array([1.0]))
    >>> room = np.empty((2, 1))
    >>> write(slice(1, 3), room)
    True
    >>> room.ravel()
    array([5., 7.])
    """
    if len(coef) == 1:
        return _writer(one, as_rows(X), 1.0, np.concatenate((coef[0], intercept)), None)
    if isinstance(X, np.ndarray):
        weights = np.ascontiguousarray(np.column_stack([coef, intercept]))
        return _writer(many, as_rows(X), 1.0, weights, None)
    # With a bias of 0 its weight is never used, so the weights need no copy with one more column.
    rows: Any = as_rows(X)._replace(width=0)
    return _writer(many, rows, 0.0, _feature_by_feature(coef), intercept)


def _writer(
    score: Callable[..., bool], rows: Any, bias: float, weights: np.ndarray, constant: Any
) -> Scorer:
    kernel, points = compiled(score), Points(rows, NO_ROW, NO_ROW, bias)

    def write(piece: slice, out: np.ndarray) -> bool:
        sound = kernel(points, np.arange(piece.start, piece.stop), weights, out)
        if constant is not None:
            out += constant
        return sound

    return write


def _feature_by_feature(coef: np.ndarray) -> np.ndarray:
    """The weights of a feature side by side, as a fit to sparse rows leaves them."""
    if coef.flags.f_contiguous:
        return coef
    out = np.empty(coef.shape, order="F")

    def turn(piece: slice) -> None:
        out[:, piece] = coef[:, piece]

    in_pieces(turn, coef.shape[1], max(1, LEAST_AT_ONCE // len(coef)))
    return out


def products(X: Any, classes: int) -> int:
    """Number of products for the scores of those rows."""
    return classes * (X.nnz if hasattr(X, "nnz") else X.shape[0] * X.shape[1])


def is_large(X: Any, classes: int) -> bool:
    """Whether machine code pays; by the shapes alone, so that equal inputs score equally."""
    return products(X, classes) >= FEW_PRODUCTS

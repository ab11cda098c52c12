"""Signs of scores and margins, for certain: a floating-point filter, then exact integers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.exact.numbers import UNIT, as_fraction, as_matrix, power_of_two
from rosenblatt.exact.scores import Requirements, as_weights

SMALLEST_MARGIN = 1e-290  # smaller proved margins are given as 0


def normalised(weights: np.ndarray) -> np.ndarray:
    """Divide weights by a power of two so that the largest is in [½, 1); exact, keeps every sign.

    Floats that would lose digits by it are returned as they are.

    Examples
    --------
    >>> normalised(np.array([3.0, -4.0]))
    array([ 0.375, -0.5  ])
    """
    if weights.dtype == object:
        largest = max((abs(as_fraction(w)) for w in weights.flat), default=Fraction(0))
        if not largest:
            return weights
        size = largest.numerator.bit_length() - largest.denominator.bit_length() + 1
        scale = power_of_two(-size)
        scaled = np.array([as_fraction(w) * scale for w in weights.flat], dtype=object)
        return scaled.reshape(weights.shape)
    size = int(np.frexp(np.abs(weights).max(initial=0.0))[1])
    scaled = np.ldexp(weights, -size)
    return scaled if np.array_equal(np.ldexp(scaled, size), weights) else weights


def signs_of_scores(X: Any, weights: Any) -> tuple[np.ndarray, int]:
    """Return the exact sign of w·x + b for every row.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    weights : array, shape (d + 1,)
        Floats or ``Fraction``; the last is the bias b.

    Returns
    -------
    signs : ndarray of int8, shape (n,)
    n_rational : int
        Rows that the floating-point filter left open and exact integers settled.

    Notes
    -----
    Higham, *Accuracy and Stability of Numerical Algorithms*, §3.1: in any order of summation
    |fl(x·w) − x·w| ≤ γ_d Σ|x_j||w_j|, γ_d = du/(1 − du). The bound used is twice that, which pays
    for its own rounding, plus a term for underflow; on overflow no bound is claimed.

    Examples
    --------
    >>> signs_of_scores([[0.1, 0.2], [1.0, 2.0]], [1.0, 1.0, -0.3])
    (array([1, 1], dtype=int8), 1)

    The first is 2⁻⁵⁴·1.5, not 0: neither 0.1 nor 0.2 nor 0.3 is what it says.
    """
    matrix = as_matrix(X)
    vector = as_weights(weights, matrix.shape[1])
    if vector.ndim != 1:
        raise InputError(f"weights must be one vector, got shape {vector.shape}")
    positive = np.ones(matrix.shape[0], dtype=np.intp)
    signs, n_rational = signs_of_requirements(matrix, positive, vector)
    return signs[:, 0], n_rational


def signs_of_requirements(
    X: Any, codes: np.ndarray, weights: Any, threshold: float = 0.0
) -> tuple[np.ndarray, int]:
    """Return the exact sign of what each row requires to be positive, less a threshold.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    codes : ndarray of int, shape (n,)
        Class code of each row. Binary: 1 is the positive class, 0 the negative.
    weights : array, shape (d + 1,) or (K, d + 1)
        One vector: the row requires ±(w·x + b). One per class: it requires
        (w_y − w_k)·(x, 1) for every other class k (Kesler's construction).
    threshold : float

    Returns
    -------
    signs : ndarray of int8, shape (n, 1) or (n, K)
        The column of the row's own class is 1: nothing is required there.
    n_rational : int
        Rows settled by exact integers.

    Examples
    --------
    >>> signs, _ = signs_of_requirements([[1.0], [-1.0]], np.array([1, 0]), [2.0, 0.0])
    >>> signs.ravel()
    array([1, 1], dtype=int8)
    >>> signs, _ = signs_of_requirements([[1.0], [-1.0]], np.array([1, 0]), [2.0, 0.0], 2.0)
    >>> signs.ravel()
    array([0, 0], dtype=int8)
    """
    matrix = as_matrix(X)
    weighed = Requirements(as_weights(weights, matrix.shape[1]))
    signs = np.empty((matrix.shape[0], weighed.width), dtype=np.int8)
    n_rational = 0
    for part, rows, values, errors in weighed.bounded(matrix, codes):
        own, block = codes[part], signs[part]
        with np.errstate(over="ignore", invalid="ignore"):
            values -= threshold
            errors += 4 * UNIT * (np.abs(values) + abs(threshold))
            settled = np.abs(values) > errors
            block[:] = np.sign(values)
        weighed.fill_own(settled, own, True)
        left = np.flatnonzero(~settled.all(axis=1))
        for i, required, scale in weighed.exact(rows, own, left):
            block[i] = [_sign(v, scale, threshold) for v in required]
        weighed.fill_own(block, own, 1)
        n_rational += left.size
    return signs, n_rational


def margin_floor(X: Any, codes: np.ndarray, weights: Any) -> float:
    """Return a proved lower bound on min aᵢ·z/‖z‖, tight to rounding; 0 where z does not separate.

    The norm includes the bias. `reaches` accepts this bound for certain, on any machine.

    Parameters
    ----------
    X, codes, weights
        As for `signs_of_requirements`.

    Examples
    --------
    >>> bool(0.99999 < margin_floor([[1.0], [-1.0]], np.array([1, 0]), [2.0, 0.0]) <= 1)
    True
    """
    matrix = as_matrix(X)
    vectors = normalised(as_weights(weights, matrix.shape[1]))
    weighed = Requirements(vectors)
    floor = math.inf
    for part, rows, values, errors in weighed.bounded(matrix, codes):
        own = codes[part]
        with np.errstate(invalid="ignore"):
            low = values - errors - 4 * UNIT * np.abs(values)
        weighed.fill_own(low, own, np.inf)
        left = np.flatnonzero(~(low > 0).all(axis=1))
        for i, required, scale in weighed.exact(rows, own, left):
            others = [v for k, v in enumerate(required) if weighed.binary or k != own[i]]
            low[i] = _float_below(min(others) * scale)
        floor = min(floor, float(low.min(initial=math.inf)))
        if floor <= 0:
            return 0.0
    margin = floor / _norm_above(vectors) * (1 - 16 * UNIT)
    return margin if SMALLEST_MARGIN < margin < math.inf else 0.0


def reaches(X: Any, codes: np.ndarray, weights: Any, margin: float) -> tuple[np.ndarray, int]:
    """Return, for each row, whether aᵢ·z > 0 and aᵢ·z ≥ margin·‖z‖ are proved, bias included.

    Returns
    -------
    proved : ndarray of bool, shape (n,)
    n_rational : int

    Examples
    --------
    >>> reaches([[1.0], [-3.0]], np.array([1, 0]), [2.0, 0.0], 2.0)
    (array([False,  True]), 0)
    """
    matrix = as_matrix(X)
    vectors = normalised(as_weights(weights, matrix.shape[1]))
    threshold = 0.0
    if margin > 0:
        threshold = max(margin * _norm_above(vectors) * (1 + 4 * UNIT), SMALLEST_MARGIN / 8)
    if not math.isfinite(threshold):
        return np.zeros(matrix.shape[0], dtype=bool), 0
    signs, n_rational = signs_of_requirements(matrix, codes, vectors, threshold)
    proved = np.min(signs, axis=1) >= (0 if threshold else 1)
    return np.asarray(proved), n_rational


def _sign(value: int, scale: Fraction, threshold: float) -> int:
    difference = value - Fraction(threshold) / scale if threshold else value
    return (difference > 0) - (difference < 0)


def _float_below(value: Fraction) -> float:
    try:
        return math.nextafter(float(value), -math.inf)
    except OverflowError:
        return -math.inf if value < 0 else float(np.finfo(np.float64).max)


def _norm_above(vectors: np.ndarray) -> float:
    """Return ‖weights‖ of normalised weights, rounded up."""
    return math.hypot(*vectors.astype(np.float64).ravel().tolist()) * (1 + 8 * UNIT)

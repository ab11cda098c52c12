"""Signs of scores and margins, for certain: a floating-point filter, then exact integers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.proof.exact.numbers import UNIT, as_fraction, power_of_two, root_below
from rosenblatt.proof.exact.reading import as_matrix
from rosenblatt.proof.exact.scores import TINY, ExactConstraints, as_weights

# Norms and products of normalised weights within these are far from the ends of floats' range.
SAFE = (1e-250, 1e250)


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
    signs, n_rational = signs_of_constraints(matrix, positive, vector)
    return signs[:, 0], n_rational


def signs_of_constraints(X: Any, codes: np.ndarray, weights: Any) -> tuple[np.ndarray, int]:
    """Return the exact sign of what each row requires to be positive.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    codes : ndarray of int, shape (n,)
        Class code of each row. Binary: 1 is the positive class, 0 the negative.
    weights : array, shape (d + 1,) or (K, d + 1)
        One vector: the row requires ±(w·x + b). One per class: it requires
        (w_y − w_k)·(x, 1) for every other class k (Kesler's construction).

    Returns
    -------
    signs : ndarray of int8, shape (n, 1) or (n, K)
        The column of the row's own class is 1: nothing is required there.
    n_rational : int
        Rows settled by exact integers.

    Examples
    --------
    >>> signs, _ = signs_of_constraints([[1.0], [-1.0]], np.array([1, 0]), [2.0, 0.0])
    >>> signs.ravel()
    array([1, 1], dtype=int8)
    """
    matrix = as_matrix(X)
    weighed = ExactConstraints(as_weights(weights, matrix.shape[1]))
    signs = np.empty((matrix.shape[0], weighed.width), dtype=np.int8)
    n_rational = 0
    for part, rows, values, errors in weighed.bounded(matrix, codes):
        own, block = codes[part], signs[part]
        with np.errstate(invalid="ignore"):
            settled = np.abs(values) > errors
            block[:] = np.sign(values)
        weighed.fill_own(settled, own, True)
        left = np.flatnonzero(~settled.all(axis=1))
        block[left] = weighed.exact_signs(rows, own, left)
        weighed.fill_own(block, own, 1)
        n_rational += left.size
    return signs, n_rational


def margin_floor(X: Any, codes: np.ndarray, weights: Any) -> float:
    """Return a proved lower bound on min aᵢ·z/‖z‖, tight to rounding; −∞ where z separates nothing.

    The norm includes the bias. `reaches` accepts this bound for certain, on any machine. It is 0
    where z separates by less than the least float.

    Parameters
    ----------
    X, codes, weights
        As for `signs_of_constraints`.

    Examples
    --------
    >>> bool(0.99999 < margin_floor([[1.0], [-1.0]], np.array([1, 0]), [2.0, 0.0]) <= 1)
    True
    >>> margin_floor([[5e-324], [0.0]], np.array([1, 0]), [2.0, -5e-324])
    0.0
    >>> margin_floor([[5e-324], [0.0]], np.array([1, 0]), [1.0, 0.0])
    -inf
    """
    matrix = as_matrix(X)
    vectors = normalised(as_weights(weights, matrix.shape[1]))
    weighed = ExactConstraints(vectors)
    floor, least = math.inf, None
    for part, rows, values, errors in weighed.bounded(matrix, codes):
        own = codes[part]
        with np.errstate(invalid="ignore"):
            low = values - errors - 4 * UNIT * np.abs(values)
        weighed.fill_own(low, own, np.inf)
        # Rounding of numbers near the ends of the range is no longer relative.
        sure = (low > SAFE[0]) & ((low < SAFE[1]) | np.isposinf(low))
        left = np.flatnonzero(~sure.all(axis=1))
        for i, required, scale in weighed.exact(rows, own, left):
            others = [v for k, v in enumerate(required) if weighed.binary or k != own[i]]
            if min(others) <= 0:
                return -math.inf
            value = min(others) * scale
            least = value if least is None else min(least, value)
            low[i] = np.inf
        floor = min(floor, float(low.min(initial=math.inf)))
    return _quotient_below(floor, least, weighed)


def _quotient_below(floor: float, least: Fraction | None, weighed: ExactConstraints) -> float:
    """Return min(floor, least)/‖z‖, rounded down."""
    norm, size = _norm(weighed.vectors)
    quotient = math.inf
    if floor < math.inf and not size:
        # Room for the rounding of what `reaches` compares, so that its filter settles most rows.
        quotient = floor / norm * (1 - 40 * UNIT)
    elif floor < math.inf:
        least = Fraction(floor) if least is None else min(Fraction(floor), least)
    if least is not None:
        quotient = min(quotient, root_below((least * least) / weighed.squared_norm()))
    return quotient


def with_best_bias(X: Any, codes: np.ndarray, weights: Any) -> np.ndarray:
    """Return the weights with the bias that has both sides equally near, as ``Fraction``.

    Parameters
    ----------
    X, codes
        As for `signs_of_constraints`, of two classes.
    weights : array of float, shape (d + 1,)

    Examples
    --------
    >>> with_best_bias([[0.0], [1.0], [4.0]], np.array([0, 0, 1]), [2.0, 9.0])[-1]
    Fraction(-5, 1)
    """
    matrix = as_matrix(X)
    slopes = np.append(as_weights(weights, matrix.shape[1])[:-1], 0.0)
    weighed = ExactConstraints(slopes)
    nearest = [math.inf, math.inf]
    for part, _, values, errors in weighed.bounded(matrix, codes):
        for side in (0, 1):
            high = (values + errors)[codes[part] == side]
            nearest[side] = min(nearest[side], float(high.min(initial=math.inf)))
    least: list[Fraction | None] = [None, None]
    for part, rows, values, errors in weighed.bounded(matrix, codes):
        own = codes[part]
        low = (values - errors)[:, 0]
        left = np.flatnonzero(~(low > np.array(nearest)[own]))
        for i, (required,), scale in weighed.exact(rows, own, left):
            value, side = required * scale, int(own[i])
            best = least[side]
            least[side] = value if best is None else min(best, value)
    bias = ((least[0] or Fraction(0)) - (least[1] or Fraction(0))) / 2
    return np.array([*map(Fraction, slopes[:-1].tolist()), bias], dtype=object)


def reaches(X: Any, codes: np.ndarray, weights: Any, margin: float) -> tuple[np.ndarray, int]:
    """Return, for each row, whether aᵢ·z > 0 and aᵢ·z ≥ margin·‖z‖, bias included; exact.

    Returns
    -------
    reached : ndarray of bool, shape (n,)
    n_rational : int
        Rows settled by exact integers.

    Examples
    --------
    >>> reaches([[1.0], [-3.0]], np.array([1, 0]), [2.0, 0.0], 1.0)
    (array([ True,  True]), 1)
    >>> reaches([[1.0], [-3.0]], np.array([1, 0]), [2.0, 0.0], 1.0000000000000002)
    (array([False,  True]), 1)
    """
    matrix = as_matrix(X)
    vectors = normalised(as_weights(weights, matrix.shape[1]))
    weighed = ExactConstraints(vectors)
    norm, size = _norm(vectors)
    target = margin * norm
    sound = not size and (margin == 0 or SAFE[0] < target < SAFE[1])
    square: Fraction | None = None  # (margin·‖z‖)², where a row needs it
    reached = np.empty(matrix.shape[0], dtype=bool)
    n_rational = 0
    for part, rows, values, errors in weighed.bounded(matrix, codes):
        own = codes[part]
        with np.errstate(invalid="ignore"):
            values -= target
            errors += 8 * UNIT * (np.abs(values) + target)
            settled = (np.abs(values) > errors) & sound
        weighed.fill_own(settled, own, True)
        weighed.fill_own(values, own, 1.0)
        block: np.ndarray = np.asarray((values > 0).all(axis=1))
        left = np.flatnonzero(~settled.all(axis=1))
        for i, required, scale in weighed.exact(rows, own, left):
            least = min(v for k, v in enumerate(required) if weighed.binary or k != own[i])
            if square is None:
                square = Fraction(margin) ** 2 * weighed.squared_norm()
            block[i] = least > 0 and (least * scale) ** 2 >= square
        reached[part] = block
        n_rational += left.size
    return reached, n_rational


def floats_suffice(margin: float, norm: float, d: int, radius: float) -> bool:
    """Whether scores in floats, however they are summed, have the signs of exact ones.

    Parameters
    ----------
    margin : float
        What the weights are proved to reach, per unit of weight, bias included.
    norm : float
        That of the weights.
    d : int
        How many features.
    radius : float
        R, which no row exceeds.

    Examples
    --------
    >>> floats_suffice(1e-3, 1.0, 2, 10.0), floats_suffice(1e-16, 1.0, 2, 10.0)
    (True, False)
    """
    return margin > 8 * (d + 6) * (UNIT * radius + TINY / (norm or TINY))


def settled_scores(X: Any, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return scores whose signs, and whose largest in each row, are those of exact arithmetic.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    weights : ndarray, shape (V, d + 1)
        Floats or ``Fraction``, one vector for each column of scores; the bias is last.
    scores : ndarray, shape (n, V)
        As computed in floating point, in any order, from the weights rounded to floats.

    Returns
    -------
    ndarray, shape (n, V)
        The same, but for rows in which a sign or the largest is open within the rounding: these
        are rounded from the exact scores, and moved by a rounding more where that hides either.

    Examples
    --------
    >>> third = np.array([[Fraction(3), Fraction(-1)]], dtype=object)
    >>> X = np.array([[0.3333333333333333], [2.0]])
    >>> settled_scores(X, third, np.array([[0.0], [5.0]]))
    array([[-5.55111512e-17],
           [ 5.00000000e+00]])
    """
    matrix, out = as_matrix(X), scores.copy()
    weighed = ExactConstraints(weights)
    for part, rows, values, errors in weighed.bounded_scores(matrix):
        with np.errstate(invalid="ignore"):
            is_open = ~(np.abs(values) > errors).all(axis=1)
            if weighed.width > 1:
                second, best = np.partition(values, -2, axis=1)[:, -2:].T
                is_open |= ~(best - second > 2 * errors.max(axis=1))
        left = np.flatnonzero(is_open)
        for i, exact in weighed.exact_scores(rows, left):
            near = np.array([_away_from_zero(score) for score in exact])
            first = max(range(len(exact)), key=exact.__getitem__)
            if near.argmax() != first:
                near[first] = math.nextafter(near.max(), math.inf)
            out[part.start + i] = near
    return out


def _away_from_zero(value: Fraction) -> float:
    """Return the nearest float that has the number's sign and is finite."""
    try:
        near = float(value)
    except OverflowError:
        near = math.copysign(np.finfo(np.float64).max / 2, value)
    return near or math.copysign(math.ulp(0.0), value) if value else 0.0


def _norm(vectors: np.ndarray) -> tuple[float, int]:
    """Return ‖weights‖, to a few roundings, as a float times 2 to a power; of normalised ones 0."""
    floats = vectors.astype(np.float64)
    size = int(np.frexp(np.abs(floats).max(initial=0.0))[1])
    size = 0 if abs(size) <= 1 else size
    # What is lost below the range of floats is nothing beside the largest.
    return math.hypot(*np.ldexp(floats, -size).ravel().tolist()), size

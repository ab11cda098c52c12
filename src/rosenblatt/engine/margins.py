"""Geometric margins, the bracket of the best margin, and mistake bounds.

Labels are signs ±1 here. Weights carry the bias as their last coordinate. Two problems share them:
the *unpadded* one, a hyperplane w·x + b = 0 in the space of the points (distances divide by ‖w‖),
and the *padded* one, (w, b)·(x, 1) through the origin (divide by ‖(w, b)‖), which is the one the
perceptron solves and its mistake bounds speak of.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import FLAG, checked, refuse_masked
from rosenblatt.errors import InputError

__all__ = [
    "Bracket",
    "freund_schapire_bound",
    "hinge_bound",
    "mistake_bound",
    "mistake_bound_for",
    "point_margins",
    "radius",
    "set_margin",
    "signed_rows",
]

UNIT = 2.0**-53


class Bracket(NamedTuple):
    """What is known of a number from both sides: lower ≤ value ≤ upper.

    Examples
    --------
    >>> bracket = Bracket(0.9, 1.0)
    >>> print(bracket)
    [0.9, 1]
    >>> 0.95 in bracket, 1.5 in bracket
    (True, False)
    >>> round(bracket.relative_gap, 3)
    0.1
    """

    lower: float
    upper: float

    @property
    def relative_gap(self) -> float:
        """(upper − lower)/upper: 0 when the value is known, 1 when nothing is known below."""
        if self.lower == self.upper:
            return 0.0
        return 1.0 if math.isinf(self.upper) else (self.upper - self.lower) / self.upper

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.lower <= value <= self.upper

    def __str__(self) -> str:
        return f"[{self.lower:.6g}, {self.upper:.6g}]"


@checked()
def point_margins(X: Any, y: Any, weights: Any, *, padded: bool = False) -> np.ndarray:
    """Return the geometric margin y(w·x + b)/norm of every point: its signed distance.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    y : array-like of ±1, shape (n,)
    weights : array-like, shape (d + 1,)
        The bias is last.
    padded : bool
        False: norm = ‖w‖, the distance to the hyperplane in the space of the points.
        True: norm = ‖(w, b)‖, the distance of the padded point (x, 1) to the hyperplane through
        the origin.

    Examples
    --------
    >>> point_margins([[3.0, 4.0], [0.0, 0.0]], [1, -1], [3.0, 4.0, -5.0])
    array([4., 1.])
    """
    scores, signs, z = _scores(X, y, weights)
    norm = np.linalg.norm(z if padded else z[:-1])
    if norm == 0:
        raise InputError("the margin needs weights that are not all zero")
    return signs * scores / norm


@checked(bias=FLAG)
def signed_rows(X: Any, y: Any, *, bias: bool = True) -> Any:
    """Return the matrix A of rows aᵢ = yᵢ(xᵢ, 1): z separates the points where Az > 0.

    Padding turns the bias into one more weight, and the label goes into the row, so that one
    inequality is left for each point.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    y : array-like of ±1, shape (n,)
    bias : bool
        Whether rows get a last coordinate of 1 before they are multiplied by their label.

    Returns
    -------
    ndarray or CSR array of shape (n, d + 1), or (n, d) without a bias

    Examples
    --------
    >>> signed_rows([[2.0, 3.0], [4.0, 5.0]], [1, -1])
    array([[ 2.,  3.,  1.],
           [-4., -5., -1.]])
    """
    matrix = _matrix(X)
    column = _signs(y, matrix.shape[0])[:, None]
    if hasattr(matrix, "tocsr"):
        from scipy import sparse

        padded = sparse.hstack([matrix, np.ones_like(column)]) if bias else matrix
        return sparse.csr_array(padded.multiply(column))
    return column * (np.column_stack([matrix, np.ones_like(column)]) if bias else matrix)


@checked()
def set_margin(X: Any, y: Any, weights: Any, *, padded: bool = False) -> float:
    """Return the smallest margin of the points; positive when the weights separate them.

    Parameters are those of `point_margins`.

    Examples
    --------
    >>> set_margin([[3.0, 4.0], [0.0, 0.0]], [1, -1], [3.0, 4.0, -5.0])
    1.0
    """
    return float(point_margins(X, y, weights, padded=padded).min())


@checked(bias=FLAG)
def radius(X: Any, bias: bool = True) -> float:
    """Return R = max‖x‖ about the origin, of the padded points (x, 1) unless ``bias`` is False.

    Examples
    --------
    >>> radius([[3.0, 4.0], [0.0, 0.0]], bias=False)
    5.0
    """
    squares = _squared_norms(_matrix(X))
    return math.sqrt(float(squares.max()) + (1.0 if bias else 0.0))


@checked()
def mistake_bound(
    radius: float, margin: float, threshold: float = 0.0, eta: float = 1.0, spread: float = 1.0
) -> float:
    """Return (R² + 2δ/η)/γ², rounded up, which a perceptron started at 0 never exceeds in updates.

    With δ = 0 this is Novikoff's R²/γ². For δ > 0 an update is made when y·score ≤ δ:
    ‖w‖² then grows by at most η²R² + 2ηδ and w·u by at least ηγ each time. Where points have
    steps of their own, from s to η = ρs, the sum M of those taken obeys (γM)² ≤ M(ηR² + 2δ),
    and M is at least s for each: ρ times as many updates.

    Parameters
    ----------
    radius, margin : float
        Of one problem, padded or unpadded through the origin.
    threshold, eta : float
        δ ≥ 0 and the step η > 0, of several the largest.
    spread : float
        ρ ≥ 1, the largest step over the least.

    Examples
    --------
    >>> mistake_bound(2.0, 0.5), mistake_bound(2.0, 0.5, spread=3.0)
    (16.0, 48.0)
    >>> mistake_bound(2.0, 0.5, threshold=1.0, eta=2.0)
    20.0
    """
    if not (radius >= 0 and threshold >= 0 and eta > 0 and spread >= 1):
        raise InputError(
            "the bound needs radius ≥ 0, threshold ≥ 0, eta > 0 and spread ≥ 1, got "
            f"radius={radius}, threshold={threshold}, eta={eta}, spread={spread}"
        )
    _require_positive("margin", margin)
    return most_updates(radius, margin, threshold, eta, spread)


def most_updates(
    radius: float, margin: float, threshold: float, eta: float, spread: float
) -> float:
    """`mistake_bound` of numbers that are known to be what it needs."""
    if not all(map(math.isfinite, (radius, threshold, eta, spread))):
        return math.inf
    # As quotients of whole numbers, which need no common divisor to be multiplied.
    (R, r), (gamma, g) = float(radius).as_integer_ratio(), float(margin).as_integer_ratio()
    above, below = R * R, r * r
    if threshold:
        more = 2 * Fraction(float(threshold)) / Fraction(float(eta))
        above, below = above * more.denominator + below * more.numerator, below * more.denominator
    times, time = float(spread).as_integer_ratio()
    return quotient_up(above * g * g * times, below * gamma * gamma * time)


def quotient_up(above: int, below: int) -> float:
    """Return the least float that is not below this quotient; infinity beyond their range.

    Examples
    --------
    >>> quotient_up(1, 4), quotient_up(1, 3) > Fraction(1, 3)
    (0.25, True)
    """
    try:
        near = above / below
    except OverflowError:
        return math.inf if above > 0 else -float(np.finfo(np.float64).max)
    whole, part = near.as_integer_ratio()
    return near if whole * below >= above * part else math.nextafter(near, math.inf)


def outward(quotient: float, updates: int, reach: float, d: int) -> float:
    """Return ‖w‖/Σ steps with room for all rounding: the best margin is no larger.

    From a start at 0, w·u ≥ γ·Σ steps for the best unit vector u. The computed w may be astray by
    3 roundings of ‖w‖ ≤ √k·r for each of k updates, of which each adds at most r to its length;
    the sum of the steps by k roundings, and the norm by d + 1.

    Parameters
    ----------
    quotient : float
        ‖w‖/Σ steps, as computed.
    updates : int
        k.
    reach : float
        r over the least step: the radius, if all steps are equal and there is no threshold.
    d : int

    Examples
    --------
    >>> upper = outward(1.5, 2, 2.0, 1)
    >>> f"{upper:.12f}", upper > 1.5
    ('1.500000000000', True)
    """
    astray = 3 * UNIT * math.sqrt(updates) * reach
    return (quotient + astray) * (1 + UNIT * (4 * updates + 2 * d + 64)) + math.ulp(0.0)


@checked(bias=FLAG)
def mistake_bound_for(X: Any, y: Any, weights: Any, *, bias: bool = True) -> float:
    """Return R²‖z‖²/s², s = min aᵢ·z, rounded up: the first lecture's bound from a separator z.

    The smallest of these over all z is R²/γ².

    Parameters
    ----------
    X, y
        As for `point_margins`.
    weights : array-like, shape (d + 1,)
        z, the bias last; it must separate.
    bias : bool
        Whether the perceptron has a bias: R includes the padding then.

    Examples
    --------
    >>> mistake_bound_for([[1.0], [-1.0]], [1, -1], [2.0, 0.0])
    2.0...
    """
    margin = set_margin(X, y, weights, padded=True)
    if margin <= 0:
        raise InputError("the weights do not separate the points, so they bound nothing")
    reach, rounding = _reach(X, bias)
    return mistake_bound(reach, margin - rounding) if margin > rounding else math.inf


@checked(bias=FLAG)
def freund_schapire_bound(
    X: Any, y: Any, weights: Any, gamma: float, *, bias: bool = True
) -> float:
    """Return ((R + D)/γ)², rounded up, a bound on the mistakes of one pass, separable or not.

    D² = Σ max(0, γ − yᵢ u·xᵢ)², u the weights made unit (Freund and Schapire 1999, theorem 2).

    Parameters
    ----------
    X, y
        As for `point_margins`.
    weights : array-like, shape (d + 1,)
        Any comparator, the bias last.
    gamma : float
        Any γ > 0.
    bias : bool
        Whether the perceptron has a bias: R includes the padding then.

    Examples
    --------
    >>> X, y = [[1.0], [-1.0], [0.5]], [1, -1, -1]
    >>> round(freund_schapire_bound(X, y, [1.0, 0.0], 1.0, bias=False), 6)
    6.25
    """
    _require_positive("gamma", gamma)
    reach, rounding = _reach(X, bias)
    short = np.maximum(0.0, gamma - point_margins(X, y, weights, padded=True) + rounding)
    D = float(np.linalg.norm(short)) * (1 + (len(short) + 8) * UNIT)
    return ((reach + D) / gamma) ** 2 * (1 + 16 * UNIT)


@checked(bias=FLAG)
def hinge_bound(X: Any, y: Any, weights: Any, rho: float, *, bias: bool = True) -> float:
    """Return ¼(R/ρ + √(R²/ρ² + 4L))², rounded up, a bound on the mistakes of any one pass.

    L = Σ(1 − yᵢ u·xᵢ/ρ)₊, u the weights made unit (Mohri and Rostamizadeh 2013): with M
    mistakes ρ(M − L) ≤ u·w ≤ ‖w‖ ≤ R√M, solved for √M. The sum runs over all points, which is
    no less than over the mistaken ones.

    Parameters
    ----------
    X, y, weights, bias
        As for `freund_schapire_bound`.
    rho : float
        Any ρ > 0.

    Examples
    --------
    >>> X, y = [[1.0], [-1.0], [0.5]], [1, -1, -1]
    >>> round(hinge_bound(X, y, [1.0, 0.0], 1.0, bias=False), 6)
    3.322876
    """
    _require_positive("rho", rho)
    reach, rounding = _reach(X, bias)
    margins = point_margins(X, y, weights, padded=True) - rounding
    losses = np.maximum(0.0, 1.0 - margins / rho)
    total = float(losses.sum()) * (1 + (len(losses) + 8) * UNIT)
    ratio = reach / rho
    return (ratio + math.sqrt(ratio**2 + 4 * total)) ** 2 / 4 * (1 + 16 * UNIT)


def _reach(X: Any, bias: bool) -> tuple[float, float]:
    """R, rounded up; and how far rounding moves a margin: of d + 1 products, a norm, a division."""
    d = _matrix(X).shape[1]
    reach = radius(X, bias) * (1 + (d + 8) * UNIT)
    return reach, 4 * (d + 8) * UNIT * math.hypot(reach, 1.0)


def _matrix(X: Any) -> Any:
    refuse_masked(X, "X")
    try:
        matrix = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    except ValueError as error:
        raise InputError(f"X must be a matrix: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] == 0:
        raise InputError(f"X must be a matrix with at least one row, got shape {matrix.shape}")
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"X must hold real numbers, got dtype {matrix.dtype}")
    return matrix.astype(np.float64, copy=False)


def _squared_norms(matrix: Any) -> np.ndarray:
    if hasattr(matrix, "indptr"):
        return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", matrix, matrix)


def _scores(X: Any, y: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrix = _matrix(X)
    n, d = matrix.shape
    signs = _signs(y, n)
    z = np.asarray(weights, dtype=np.float64)
    if z.shape != (d + 1,):
        raise InputError(f"weights must be {d + 1} numbers, the bias last; got shape {z.shape}")
    return matrix @ z[:-1] + z[-1], signs, z


def _signs(y: Any, n: int) -> np.ndarray:
    refuse_masked(y, "y")
    signs = np.asarray(y)
    if signs.shape != (n,):
        raise InputError(f"y must hold {n} signs, one a row, got an array of shape {signs.shape}.")
    others = ~np.isin(signs, (-1, 1))
    if others.any():
        at = int(np.argmax(others))
        raise InputError(
            f"y must hold {n} signs, each +1 or −1, got {signs.tolist()[at]!r} at row {at}. Make "
            "signs of labels, for example with numpy.where(y == 'yes', 1, -1)."
        )
    return signs.astype(np.float64)


def _require_positive(name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise InputError(f"{name} must be a positive number, got {value}")

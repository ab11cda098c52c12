"""The point of least norm in a convex hull, exactly: Wolfe's algorithm over the rationals.

This is the fallback that lets a separability decision always halt with an exact answer, however
small the margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError

PRIME = 2**61 - 1


class MinNorm(NamedTuple):
    """The point of least norm in the convex hull of some rows, and the rows that span it."""

    support: list[int]
    """Indices of affinely independent rows: at most one more than there are columns."""
    alpha: list[Fraction]
    """Their weights: positive, with sum 1."""
    point: list[Fraction]
    """z = Σ αᵢaᵢ: zero exactly if no direction separates the rows, else such a direction."""
    squared_norm: Fraction
    """z·z, the square of the best margin of the rows."""


def min_norm_point(
    rows: Any,
    start: Sequence[int] = (),
    deadline: Callable[[], bool] | None = None,
    pay: Callable[[int, int], None] | None = None,
) -> MinNorm:
    """
    Find the point z of least Euclidean norm in the convex hull of the rows, exactly.

    Either z = 0, and the weights prove by Gordan's theorem that no direction has a positive
    product with every row; or aᵢ·z ≥ z·z > 0 for every row, and ‖z‖ is their best margin.

    Parameters
    ----------
    rows : array-like of shape (m, D)
        Finite floats, each the rational number that it is, or integers or Fractions (dtype
        object). Scaling a row or a column by a positive number keeps the verdict but moves z, so a
        caller who only wants the verdict may rescale both, for instance to shorten the mantissas.
    start : sequence of int
        A guess of the support, the surest first. It may be wrong, repeated or affinely dependent; a
        good one saves nearly all of the work.
    deadline : callable, optional
        Asked before every linear system; once it answers True, `TimeoutError` is raised.
    pay : callable, optional
        Told before every linear system its number of unknowns and the bits of the entries, for one
        who counts the effort; what it raises ends the search.

    Returns
    -------
    MinNorm
        The support, its weights, z and z·z.

    Notes
    -----
    P. Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11 (1976),
    128–149. A *corral* is an affinely independent set of rows whose affine hull comes nearest to 0
    at a point z inside their convex hull. The row of least aᵢ·z < z·z enters the corral, and rows
    leave until it is one again. Each time ‖z‖ falls strictly, which exact arithmetic preserves, so
    no corral comes back; there are finitely many, hence the algorithm ends on every input.

    Examples
    --------
    >>> result = min_norm_point([[1.0, 1.0], [-1.0, 1.0], [3.0, 2.0]])
    >>> result.support, [str(z) for z in result.point], str(result.squared_norm)
    ([0, 1], ['0', '1'], '1')

    One more row, and no direction is left:

    >>> result = min_norm_point([[1.0, 1.0], [-1.0, 1.0], [3.0, 2.0], [0.0, -3.0]])
    >>> sorted(zip(result.support, map(str, result.alpha))), str(result.squared_norm)
    ([(0, '3/8'), (1, '3/8'), (3, '1/4')], '0')
    """
    matrix, unit = _integers(rows)
    bits = int(max(map(abs, matrix.entries()), default=0)).bit_length()

    def ask(unknowns: int) -> None:
        if deadline is not None and deadline():
            raise TimeoutError("the deadline passed before the point of least norm was found")
        if pay is not None:
            pay(unknowns, bits)

    support = _affinely_independent(matrix, start) or [_shortest(matrix)]
    support, weights = _corral(matrix, support, [1] * len(support), ask)
    while True:
        point = _combination(matrix, support, weights)
        products = (matrix * point.transpose()).entries()
        entering = min(range(len(products)), key=products.__getitem__)
        # z is orthogonal to its corral's affine hull: every row of the corral has aᵢ·z = z·z.
        if products[entering] == products[support[0]]:
            return _in_fractions(support, weights, point, unit)
        support, weights = _corral(matrix, [*support, entering], [*weights, 0], ask)


def _integers(rows: Any) -> tuple[Any, Fraction]:
    """The rows as an integer matrix times the largest unit that allows it."""
    from flint import fmpz_mat

    array = np.asarray(rows)
    if array.ndim != 2 or len(array) == 0:
        raise InputError(f"expected a matrix with at least one row, got shape {array.shape}")
    try:
        ratios = [value.as_integer_ratio() for value in array.ravel().tolist()]
    except (ValueError, OverflowError) as error:
        raise InputError("expected finite numbers, got NaN or infinity") from error
    divisor = math.gcd(*{numerator for numerator, _ in ratios}) or 1
    multiple = math.lcm(*{denominator for _, denominator in ratios})
    entries = [n // divisor * (multiple // d) for n, d in ratios]
    return fmpz_mat(array.shape[0], array.shape[1], entries), Fraction(divisor, multiple)


def _padded(matrix: Any, support: Sequence[int]) -> Any:
    """The chosen rows (1, aᵢ): linearly independent exactly if the aᵢ are affinely so."""
    from flint import fmpz_mat

    columns = range(matrix.ncols())
    entries = [x for i in support for x in (1, *(matrix[i, j] for j in columns))]
    return fmpz_mat(len(support), matrix.ncols() + 1, entries)


def _affinely_independent(matrix: Any, start: Sequence[int]) -> list[int]:
    """The rows of the start that are affinely independent of those before them."""
    from flint import nmod_mat

    for index in start:
        if not 0 <= index < matrix.nrows():
            raise InputError(f"start names row {index}, but there are {matrix.nrows()} rows")
    # Independence modulo a prime implies independence; an unlucky prime only loses some rows.
    echelon, rank = nmod_mat(_padded(matrix, start).transpose(), PRIME).rref()
    pivots, column = [], 0
    for row in range(rank):
        while echelon[row, column] == 0:
            column += 1
        pivots.append(int(start[column]))
    return pivots


def _shortest(matrix: Any) -> int:
    """The row of least norm."""
    norms = [sum(x * x for x in row) for row in matrix.tolist()]
    return norms.index(min(norms))


def _corral(
    matrix: Any, support: list[int], weights: list[Any], ask: Callable[[int], None]
) -> tuple[list[int], list[Any]]:
    """
    Wolfe's minor cycles: from a convex combination to a corral that is at least as near to 0.

    Walk towards the nearest point of the affine hull; where the walk leaves the convex hull, drop
    the rows whose weight vanishes and start again. Weights are integers up to a common factor.
    """
    while True:
        ask(len(support))
        target = _affine_minimizer(matrix, support)
        if min(target) > 0:
            return support, target
        weights = _walk(weights, target)
        kept = [k for k, weight in enumerate(weights) if weight]
        support, weights = [support[k] for k in kept], [weights[k] for k in kept]


def _affine_minimizer(matrix: Any, support: list[int]) -> list[Any]:
    """
    The weights, up to a positive factor, of the affine hull's point of least norm.

    With P the padded rows they solve PPᵀv = e; as Pe₁ = e, a square P has
    the shorter system Pᵀv = e₁.
    """
    from flint import fmpz_mat

    padded = _padded(matrix, support)
    size = len(support)
    if size == padded.ncols():
        solution = padded.transpose().solve(fmpz_mat(size, 1, [1] + [0] * (size - 1)))
    else:
        solution = (padded * padded.transpose()).solve(fmpz_mat(size, 1, [1] * size))
    return solution.numer_denom()[0].entries()


def _walk(weights: list[Any], target: list[Any]) -> list[Any]:
    """The last convex combination on the way from the weights to the target."""
    from flint import fmpq, fmpz

    out = [k for k, goal in enumerate(target) if goal <= 0]
    first = max(out, key=lambda k: fmpq(-target[k], weights[k]))
    # (1 - θ)α + θv with θ = αₖ/(αₖ - vₖ), cleared of denominators.
    ahead, back = weights[first], -target[first]
    walked = [ahead * goal + back * weight for weight, goal in zip(weights, target, strict=True)]
    divisor = fmpz(0)
    for weight in walked:
        divisor = divisor.gcd(weight)
    return [weight // divisor for weight in walked]


def _combination(matrix: Any, support: list[int], weights: list[Any]) -> Any:
    """The rows' combination by these weights, as a matrix of one row."""
    from flint import fmpz_mat

    dense = [0] * matrix.nrows()
    for i, weight in zip(support, weights, strict=True):
        dense[i] = weight
    return fmpz_mat(1, matrix.nrows(), dense) * matrix


def _in_fractions(support: list[int], weights: list[Any], point: Any, unit: Fraction) -> MinNorm:
    """The result in the caller's units."""
    total = int(sum(weights))
    alpha = [Fraction(int(weight), total) for weight in weights]
    z = [unit * Fraction(int(x), total) for x in point.entries()]
    squares = int(sum(x * x for x in point.entries()))
    return MinNorm(support, alpha, z, unit**2 * Fraction(squares, total**2))

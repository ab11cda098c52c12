"""Rows that combine to zero: non-negative weights, exact, on as few rows as possible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.proof.exact import long_integers as long
from rosenblatt.proof.exact.nullspaces import (
    basis_of,
    equations,
    independent_columns,
    integer_matrix,
)
from rosenblatt.proof.exact.numbers import (
    Matrix,
    as_dense,
    as_floats,
    as_fraction,
    as_matrix,
    chunks,
    is_sparse,
    power_of_two,
    primitive,
    root_above,
    scaled_integers,
    scaled_rows,
    with_entries,
)

# Digits, or entries of columns, that are summed up at a time.
BLOCK = 1 << 20


def combination(X: Any, rows: Any, coefficients: Sequence[Any]) -> dict[int, Fraction]:
    """Return the coordinates of Σ cᵢ xᵢ that are not zero, exactly.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    rows : sequence of int
        The rows i of the sum; one may occur more than once.
    coefficients : sequence of int, float or Fraction
        Their cᵢ.

    Returns
    -------
    dict
        Column → value.

    Examples
    --------
    >>> combination([[1.0, 2.0], [3.0, 2.0]], [0, 1], [1, -1])
    {0: Fraction(-2, 1)}
    """
    chosen = as_matrix(X)[np.asarray(rows, dtype=np.intp)]
    factors, unit = _common_integers(list(coefficients))
    result = {}
    for columns, matrix, entries, exponents in _columns(chosen, long.bits_of(factors)):
        total = long.products(matrix, entries, factors[None, :])
        left = np.flatnonzero(long.signs(total))
        for i, (value,) in zip(left, long.as_integers(total[:, left]), strict=True):
            result[int(columns[i])] = value * unit * power_of_two(exponents[i])
    return result


def _common_integers(coefficients: list[Any]) -> tuple[np.ndarray, Fraction]:
    """Integers and the number that they are multiplied by to give the coefficients."""
    unit = Fraction(1)
    if not all(isinstance(c, int) for c in coefficients):
        fractions = [as_fraction(c) for c in coefficients]
        common = math.lcm(*(f.denominator for f in fractions))
        coefficients = [f.numerator * (common // f.denominator) for f in fractions]
        unit = Fraction(1, common)
    return np.array(coefficients, dtype=object), unit


def hull_point_norm(rows: Any, alpha: Any, sides: Any) -> float:
    """Return ‖Σ cᵢ·rowᵢ‖, rounded up, with weights c that sum to 1 on each side; exact.

    Parameters
    ----------
    rows : array or CSR matrix, shape (m, D)
    alpha : array-like of float, shape (m,)
        Positive; c is these over their sum, side by side.
    sides : array-like of bool, shape (m,)
        The side of each row; all alike where there is one.

    Examples
    --------
    >>> hull_point_norm(np.array([[3.0], [0.0], [1.0]]), [1.0, 2.0, 5.0], [True, True, False])
    2.0
    """
    integers = scaled_integers(alpha)[0].tolist()
    sides = np.asarray(sides, dtype=bool).tolist()
    total = {
        side: sum(a for a, s in zip(integers, sides, strict=True) if s == side) for side in sides
    }
    other = {side: total.get(not side, 1) for side in total}
    factors = [a * other[side] for a, side in zip(integers, sides, strict=True)]
    sums = combination(rows, np.arange(len(factors)), factors)
    square = sum((v * v for v in sums.values()), Fraction(0))
    return root_above(square / Fraction(math.prod(total.values())) ** 2)


def _columns(
    chosen: Matrix, bits: int
) -> Iterator[tuple[np.ndarray, Matrix, np.ndarray, np.ndarray]]:
    """Yield (columns, these as rows, their entries as integers, times 2 to which powers).

    As many columns at a time as have sums of so many bits, and entries, that are a block.
    """
    by_column: Any = chosen.tocsc().T if is_sparse(chosen) else as_floats(chosen).T
    used = np.arange(chosen.shape[1])
    if is_sparse(chosen):
        used = np.flatnonzero(np.diff(by_column.indptr))
    step = max(1, BLOCK // max(1, bits // long.BITS + 8, chosen.shape[0]))
    for at in range(0, len(used), step):
        columns = used[at : at + step]
        part = by_column[columns]
        if is_sparse(chosen):
            part = with_entries(part, as_floats(part.data))
            yield columns, part, *scaled_rows(part)
        else:
            entries, exponents = scaled_integers(part, axis=1)
            yield columns, part, entries, exponents.ravel()


def orthogonal_to_all(X: Any, vectors: Sequence[Sequence[int]]) -> bool:
    """Tell whether (x, 1)·v = 0, exactly, for every row x of X and every vector v.

    Examples
    --------
    >>> orthogonal_to_all([[1.0, 2.0], [2.0, 1.0]], [[1, 1, -3]])
    True
    >>> orthogonal_to_all([[1.0, 2.0], [2.0, 2.0]], [[1, 1, -3]])
    False
    """
    from flint import fmpz_mat

    if not vectors:
        return True
    used = [j for j in range(len(vectors[0])) if any(v[j] for v in vectors)]
    basis = fmpz_mat([[v[j] for v in vectors] for j in used])
    features = [j for j in used if j < len(vectors[0]) - 1]
    for _, rows in chunks(as_matrix(X)):
        part = as_dense(rows[:, features])
        if len(features) < len(used):
            part = np.column_stack([part, np.ones(len(part))])
        integers, _ = scaled_integers(part, axis=1)
        if any((fmpz_mat(integers.tolist()) * basis).entries()):
            return False
    return True


def solve_alpha(rows: Any, hint: Any = None) -> list[int] | None:
    """Find exact non-negative weights α ≠ 0 with Σ αᵢ·rowᵢ = 0, on few rows.

    Parameters
    ----------
    rows : array-like, shape (m, D)
        The rows aᵢ, signs and bias included.
    hint : array-like, shape (m,), optional
        Approximate α. Needed where the solutions have more than one dimension: there the free
        coordinates are taken from it and the others solved for.

    Returns
    -------
    list of int or None
        α of length m with greatest common divisor 1; its support is affinely independent.
        None where there is no solution, or none of the right signs next to the hint.

    Examples
    --------
    >>> solve_alpha([[1.0, 0.0], [-1.0, 1.0], [0.0, -3.0]])
    [3, 3, 1]
    >>> solve_alpha([[1.0, 0.0], [0.0, 1.0]]) is None
    True
    """
    from flint import fmpz_mat

    matrix = integer_matrix(rows, axis=0)
    guess = np.ones(matrix.nrows())
    if hint is not None:
        guess = np.maximum(np.asarray(hint, dtype=np.float64), 0.0)
    alpha, unique = _solve_equations(matrix, independent_columns(matrix), guess)
    if alpha is not None and any((fmpz_mat([alpha]) * matrix).entries()):
        # The prime hid an equation.
        alpha, unique = _solve_equations(matrix, list(range(matrix.ncols())), guess)
    return alpha if alpha is None or unique else caratheodory(rows, alpha)


def _solve_equations(
    matrix: Any, columns: list[int], guess: np.ndarray
) -> tuple[list[int] | None, bool]:
    """Return α ≥ 0 orthogonal to the columns, if one is found, and whether it is the only one."""
    # Pivots go to the first unknowns that can be pivots: let these be the weights far from 0.
    order = np.argsort(-guess, kind="stable").tolist()
    basis = basis_of(equations(matrix, order, columns))
    # Each basis vector ends with its own free coordinate, where all others are 0.
    free, _ = scaled_integers([guess[order[_last(v)]] for v in basis])
    weights = [1] if len(basis) == 1 else free.tolist()
    solution = [int(sum(map(mul, weights, entries))) for entries in zip(*basis, strict=True)]
    if all(v <= 0 for v in solution):
        solution = [-v for v in solution]
    if not any(solution) or min(solution) < 0:
        return None, False
    alpha = [0] * len(order)
    for position, value in zip(order, primitive(solution), strict=True):
        alpha[position] = value
    return alpha, len(basis) == 1


def _last(vector: Sequence[Any]) -> int:
    return max(i for i, v in enumerate(vector) if v)


def caratheodory(rows: Any, alpha: Sequence[Any]) -> list[int]:
    """Reduce α ≥ 0 with Σ αᵢ·rowᵢ = 0 to at most rank + 1 rows, exactly.

    Parameters
    ----------
    rows : array-like, shape (m, D)
    alpha : sequence of int or Fraction, length m

    Returns
    -------
    list of int
        Length m, zero where a row is not needed, greatest common divisor 1. What remains is the
        only solution on its rows.

    Examples
    --------
    >>> caratheodory([[1.0], [2.0], [-1.0], [-2.0]], [1, 1, 1, 1])
    [0, 1, 2, 0]
    """
    from flint import fmpq

    matrix = integer_matrix(rows, axis=0)
    support = [i for i, a in enumerate(alpha) if a]
    integers = primitive([alpha[i] for i in support])
    weights = {i: fmpq(w) for i, w in zip(support, integers, strict=True)}
    basis = [
        {i: fmpq(v) for i, v in zip(support, vector, strict=True) if v}
        for vector in basis_of(equations(matrix, support, range(matrix.ncols())))
    ]
    if not basis:
        raise InputError("the weights do not combine the rows to zero")
    while len(basis) > 1:
        direction = basis[-1] if not _parallel(basis[-1], weights) else basis[-2]
        for i in _move_to_boundary(weights, direction):
            _keep_vanishing(basis, i)
    result = [0] * len(alpha)
    reduced = primitive([Fraction(int(w.p), int(w.q)) for w in weights.values()])
    for i, value in zip(weights, reduced, strict=True):
        result[i] = value
    return result


def _move_to_boundary(weights: dict[int, Any], direction: dict[int, Any]) -> list[int]:
    """Move the weights along ± direction until some vanish; drop and return those."""
    if not any(v > 0 for v in direction.values()):
        direction = {i: -v for i, v in direction.items()}
    step = min(weights[i] / v for i, v in direction.items() if v > 0)
    vanished = []
    for i, v in direction.items():
        weights[i] -= step * v
        if not weights[i]:
            del weights[i]
            vanished.append(i)
    return vanished


def _keep_vanishing(basis: list[dict[int, Any]], i: int) -> None:
    """Replace the basis, in place, by one of its vectors that vanish at i."""
    pivot = next((k for k, v in enumerate(basis) if i in v), None)
    if pivot is None:
        return
    vector = basis.pop(pivot)
    for other in basis:
        if i in other:
            factor = other[i] / vector[i]
            for j, v in vector.items():
                value = other.get(j, 0) - factor * v
                if value:
                    other[j] = value
                else:
                    other.pop(j, None)


def _parallel(vector: dict[int, Any], weights: dict[int, Any]) -> bool:
    if vector.keys() != weights.keys():
        return False
    ratios = (vector[i] / weights[i] for i in vector)
    first = next(ratios)
    return all(r == first for r in ratios)

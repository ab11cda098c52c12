"""Faces of the cone {z : Az ≥ 0}: subspaces orthogonal to rows, and relations of rows, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.lazy import cached_property
from rosenblatt.proof import exact
from rosenblatt.solve.constraints import Constraints

# Rows of so few entries stay sparse when they are solved one by one.
SPARSE_ROW = 8


class Ray(NamedTuple):
    """A direction z of the cone, and the rows with aᵢ·z > 0."""

    weights: np.ndarray
    strict: np.ndarray


class Face:
    """The subspace {z : aᵢ·z = 0 for some rows i}, exactly.

    Parameters
    ----------
    constraints : Constraints
    rows : sequence of int
        Those rows; an independent part of them is kept.
    """

    def __init__(self, constraints: Constraints, rows: Sequence[int] = ()):
        self.constraints = constraints
        chosen = np.asarray(rows, dtype=np.intp)
        self.rows = chosen[spanning_rows(constraints, chosen)]
        self.matrix = dense_rows(constraints, self.rows)

    @cached_property
    def reduced(self) -> tuple[list[int], Any, int]:
        """Pivot columns and the reduced echelon form of the rows, as integers over one divisor."""
        echelon, divisor, rank = exact.integer_matrix(self.matrix, axis=1).rref()
        return exact.pivots(echelon, rank), echelon, int(divisor)

    def complete(self, values: Iterable[Any]) -> np.ndarray:
        """The vector of the face that has these values off the pivot columns."""
        from flint import fmpz_mat

        pivots, echelon, divisor = self.reduced
        vector = np.array([exact.as_fraction(v) for v in values], dtype=object)
        vector[pivots] = Fraction(0)
        if pivots:
            integers = exact.primitive(vector.tolist())
            unit = next((v / i for v, i in zip(vector, integers, strict=True) if i), Fraction(1))
            products = echelon * fmpz_mat([[i] for i in integers])
            sums = [int(products[row, 0]) for row in range(len(pivots))]
            vector[pivots] = [-unit * Fraction(total, divisor) for total in sums]
        return vector

    def basis(self) -> list[np.ndarray]:
        """Vectors that span the face."""
        pivots = set(self.reduced[0])
        units = np.eye(self.constraints.dimension, dtype=int).tolist()
        return [self.complete(unit) for j, unit in enumerate(units) if j not in pivots]

    def outside(self) -> np.ndarray:
        """Which rows of the data are not combinations of these.

        A random vector of the face is orthogonal to no other row, but for a chance of 2⁻⁴⁰; such a
        row would be missed here, and found when what is built on it is verified.
        """
        signs, _ = exact.signs_of_scores(self.constraints.X, exact.normalised(self.random()))
        return signs != 0

    def random(self) -> np.ndarray:
        """A random vector of the face: 0 only where all of them are, but for very bad luck."""
        rng = np.random.default_rng(len(self.rows))
        values = rng.integers(-(2**40), 2**40, size=self.constraints.dimension).tolist()
        values[-1] *= int(self.constraints.bias)
        return self.complete(values)


def dense_rows(constraints: Constraints, which: np.ndarray) -> np.ndarray:
    """The constraints of those points, as a dense matrix."""
    rows = constraints.rows(which, 1 - constraints.codes[which])
    return rows.toarray() if constraints.sparse else rows


def spanning_rows(constraints: Constraints, which: np.ndarray) -> list[int]:
    """Of those constraints, the places of some that are independent and span all."""
    if not constraints.sparse or constraints.per_row > SPARSE_ROW:
        return independent(dense_rows(constraints, which))
    kernel = exact.Kernel()
    rows = exact.entries(constraints.rows(which, 1 - constraints.codes[which]))
    return [k for k, row in enumerate(rows) if kernel.add(row)]


def product(wish: np.ndarray, weights: np.ndarray) -> Fraction:
    """Floats times a vector, exactly.

    Examples
    --------
    >>> product(np.array([0.5, 0.0]), np.array([3.0, 1.0]))
    Fraction(3, 2)
    """
    used = np.flatnonzero(wish)
    terms = (exact.as_fraction(wish[j]) * exact.as_fraction(weights[j]) for j in used)
    return sum(terms, Fraction(0))


def independent(rows: np.ndarray) -> list[int]:
    """Rows that are independent of those before them: all of them but for very bad luck.

    Examples
    --------
    >>> independent(np.array([[1.0, 2.0], [2.0, 4.0], [0.0, 1.0]]))
    [0, 2]
    """
    if not len(rows):
        return []
    return exact.independent_columns(exact.integer_matrix(rows, axis=1).transpose())


def signed_relation(rows: np.ndarray, signed: int) -> list[int] | None:
    """The one x with Σ xᵢ·rowᵢ = 0, if it is the only one and can have its first entries ≥ 0.

    Examples
    --------
    >>> signed_relation(np.array([[-1.0], [2.0]]), 1)
    [2, 1]
    >>> signed_relation(np.array([[1.0], [2.0]]), 2) is None
    True
    """
    used = rows[:, (rows != 0).any(axis=0)]
    basis = exact.nullspace(used.T) if used.shape[1] else []
    if len(basis) != 1:
        return None
    x = basis[0]
    if any(v < 0 for v in x[:signed]):
        x = [-v for v in x]
    return None if any(v < 0 for v in x[:signed]) or not any(x[:signed]) else x

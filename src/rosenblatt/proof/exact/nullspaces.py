"""Null spaces and ranks of rational matrices, by python-flint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.proof.exact.numbers import as_floats, primitive, scaled_integers

PRIME = (1 << 61) - 1


def nullspace(rows: Any) -> list[list[int]]:
    """Return an integer basis of {v : row·v = 0 for every row}.

    Parameters
    ----------
    rows : array-like, shape (m, D)
        Floats, each taken as the rational it is, or integers or ``Fraction``.

    Returns
    -------
    list of list of int
        Vectors of length D, each with greatest common divisor 1.

    Examples
    --------
    >>> nullspace([[0.5, 1.0, 0.0]])
    [[-2, 1, 0], [0, 0, 1]]
    """
    return [primitive([int(x) for x in v]) for v in basis_of(integer_matrix(rows, axis=1))]


def rank_at_least(rows: Any) -> int:
    """Return a lower bound on the rank that is the rank itself but for very bad luck.

    It is the rank modulo the prime 2⁶¹ − 1.

    Examples
    --------
    >>> rank_at_least([[1.0, 2.0], [2.0, 4.0]])
    1
    """
    from flint import nmod_mat

    return nmod_mat(integer_matrix(rows, axis=1), PRIME).rank()


def integer_matrix(rows: Any, axis: int) -> Any:
    """Return a flint matrix, its rows (axis 1) or columns (axis 0) scaled by positive numbers."""
    from flint import fmpz_mat

    table = np.asarray(rows)
    if table.ndim != 2:
        raise InputError(f"rows must form a matrix, got shape {table.shape}")
    if not table.size:
        return fmpz_mat(*table.shape)
    if table.dtype == object:
        lines = table if axis == 1 else table.T
        matrix = fmpz_mat([primitive(line) for line in lines.tolist()])
        return matrix if axis == 1 else matrix.transpose()
    integers, _ = scaled_integers(as_floats(table), axis=axis)
    return fmpz_mat(integers.tolist())


def equations(matrix: Any, rows: Sequence[int], columns: Iterable[int]) -> Any:
    """Return the transpose of chosen rows and columns; one line of zeros where there are none."""
    from flint import fmpz_mat

    return fmpz_mat([[matrix[i, j] for i in rows] for j in columns] or [[0] * len(rows)])


def independent_columns(matrix: Any) -> list[int]:
    """Return columns that are independent, and as many as there are but for very bad luck."""
    from flint import nmod_mat

    reduced, rank = nmod_mat(matrix, PRIME).rref()
    return pivots(reduced, rank)


def pivots(reduced: Any, rank: int) -> list[int]:
    """Return the first column of each row of an echelon form that is not 0."""
    found, column = [], 0
    for i in range(rank):
        while not int(reduced[i, column]):
            column += 1
        found.append(column)
        column += 1
    return found


def basis_of(matrix: Any) -> list[list[Any]]:
    """Return a basis of the null space, each vector zero at the free coordinates of the others."""
    reduced, denominator, rank = matrix.rref()
    leading = pivots(reduced, rank)
    pivot_set = set(leading)
    basis = []
    for free in range(matrix.ncols()):
        if free in pivot_set:
            continue
        vector = [denominator * 0] * matrix.ncols()
        vector[free] = denominator
        for i, pivot in enumerate(leading):
            if pivot > free:
                break
            vector[pivot] = -reduced[i, free]
        basis.append(vector)
    return basis

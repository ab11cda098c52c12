"""The rows of data as a certificate reads them: by rules of its own, cell by cell where need be.

A number is the double that it equals, and is refused where it equals none. Text and decimal
fractions name the double nearest to them, as in a file; dates and durations are none.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.lossless import is_held, sound
from rosenblatt.errors import InputError
from rosenblatt.proof.exact.numbers import Matrix, with_entries

# From here on not every whole number is a double.
LARGE = 2.0**53


def as_matrix(X: Any) -> Matrix:
    """Take dense or sparse data as a two-dimensional matrix of numbers.

    Parameters
    ----------
    X : array-like or scipy sparse, shape (n, d)
        Real numbers of any type, which are not copied; text that ``float`` reads and ``Decimal``,
        each as the nearest double. Duplicate entries of a sparse matrix are summed (in a copy).

    Returns
    -------
    ndarray or CSR matrix

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]]).shape
    (2, 2)
    >>> as_matrix([["0.1", 2]])
    array([[0.1, 2. ]])
    """
    X = in_numpy(X, "X")
    try:
        matrix: Matrix = X if hasattr(X, "tocsr") else _as_given(X)
    except ValueError as error:
        raise InputError(f"X is not a table of numbers: {error}") from None
    if len(matrix.shape) != 2:
        raise InputError(f"X must have two dimensions, got shape {matrix.shape}")
    if not hasattr(matrix, "tocsr"):
        return _numbers(matrix)
    matrix = sound(matrix).tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    numbers = _numbers(matrix.data)
    return matrix if numbers is matrix.data else with_entries(matrix, numbers)


def _as_given(X: Any) -> np.ndarray:
    """X as an array, of objects where NumPy would make text, or floats, of other numbers."""
    array = np.asarray(X)
    if isinstance(X, np.ndarray) or is_held(X):
        return array
    if array.dtype.kind in "US" or (array.dtype.kind == "f" and (np.abs(array) >= LARGE).any()):
        return np.asarray(X.astype(object) if hasattr(X, "astype") else X, dtype=object)
    return array


def _numbers(values: np.ndarray) -> np.ndarray:
    """Values as real numbers, without a copy where they are."""
    kind = values.dtype.kind
    if kind in "biuf":
        return values
    if kind not in "OUS":
        raise InputError(f"X must hold real numbers, got dtype {values.dtype}")
    return np.array([_double(cell) for cell in values.flat], dtype=np.float64).reshape(values.shape)


def _double(cell: Any) -> float:
    """The double that a cell is, or that its text or decimal fraction names."""
    try:
        double = float(cell)
        exact = _whole(cell) if isinstance(cell, (str, bytes, Decimal)) else cell
        if double != double or exact is None or bool(exact == double):
            return double
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"X must hold real numbers, got {cell!s:.60}: {error}") from None
    raise InputError(f"X holds {cell!s:.60}, which is not exactly a float64; rescale or round it")


def _whole(cell: str | bytes | Decimal) -> int | None:
    """The whole number that it is written as, which must be a double; None for a fraction."""
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else None
    try:
        return int(cell)
    except ValueError:
        return None

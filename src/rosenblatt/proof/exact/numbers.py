"""Data as rationals: matrices of floats, integers scaled by powers of two, fractions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.errors import InputError

Matrix = Any  # a two-dimensional ndarray, or a CSR matrix in canonical format

UNIT = 2.0**-53  # half the distance from 1 to the next float
CHUNK = 1 << 18  # entries looked at in one go: small enough for the cache
NOWHERE = 1 << 20  # above the exponent of every float


def is_sparse(matrix: Matrix) -> bool:
    """Tell a CSR matrix from an array."""
    return hasattr(matrix, "indptr")


def as_dense(matrix: Matrix) -> np.ndarray:
    """Return a matrix as an array."""
    return matrix.toarray() if is_sparse(matrix) else matrix


def with_entries(matrix: Matrix, entries: np.ndarray) -> Matrix:
    """Return the CSR matrix with other entries in the same places."""
    return type(matrix)((entries, matrix.indices, matrix.indptr), shape=matrix.shape)


def as_floats(values: np.ndarray) -> np.ndarray:
    """Convert to float64 and refuse what would change a value.

    Examples
    --------
    >>> as_floats(np.array([1, 2]))
    array([1., 2.])
    """
    try:
        floats = values.astype(np.float64, order="C", copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"X must hold real numbers: {error}") from None
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "O" or (kind in "iuf" and size >= 8 and values.dtype != np.float64):
        _require_lossless(values, floats)
    return floats


def _require_lossless(values: np.ndarray, floats: np.ndarray) -> None:
    if values.dtype.kind in "iu" and np.abs(floats).max(initial=0.0) < 2.0**53:
        return
    wide = np.longdouble if values.dtype.kind == "f" else object
    with np.errstate(invalid="ignore"):
        changed = (floats.astype(wide) != values.astype(wide)) & (floats == floats)
    if np.any(changed):
        value = values[changed].flat[0]
        raise InputError(f"X holds {value!s}, which is not exactly a float64; rescale or round it")


def chunks(X: Matrix, width: int = 1) -> Iterator[tuple[int, Matrix]]:
    """Yield (first row, rows as float64) over X, a cache-sized block at a time.

    Parameters
    ----------
    X : matrix from `as_matrix`
    width : int
        Numbers the caller wants to keep per row besides the row itself.

    Examples
    --------
    >>> [(start, rows.shape) for start, rows in chunks(np.ones((3, 2)))]
    [(0, (3, 2))]
    """
    n, d = X.shape
    per_row = max(1, width, X.nnz // max(n, 1) if is_sparse(X) else d)
    step = max(1, CHUNK // per_row)
    for start in range(0, n, step):
        rows = X[start : start + step]
        if is_sparse(rows):
            rows = with_entries(rows, as_floats(rows.data))
        else:
            rows = np.ascontiguousarray(as_floats(rows))
        _require_finite(rows, start)
        yield start, rows


def _require_finite(rows: Matrix, start: int) -> None:
    values = rows.data if is_sparse(rows) else rows
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    bad = np.flatnonzero(~np.isfinite(values))
    if not bad.size:  # the sum overflowed, the values did not
        return
    if is_sparse(rows):
        row = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1
        column = int(rows.indices[bad[0]])
    else:
        row, column = divmod(int(bad[0]), rows.shape[1])
    raise InputError(f"X holds {values.flat[bad[0]]} in row {start + row}, column {column}")


def scaled_integers(values: Any, axis: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Write floats as integers times a power of two: ``values == integers * 2.0**exponent``.

    Parameters
    ----------
    values : array-like of float
    axis : int or None
        The axis along which the power of two is shared; None shares one among all.

    Returns
    -------
    integers : ndarray of int64, or of Python ints where 64 bits are too few
    exponent : ndarray of int
        With ``values``' dimensions, length 1 along what is shared.

    Examples
    --------
    >>> scaled_integers([0.75, -2.0, 0.0])
    (array([ 3, -8,  0]), array([-2]))
    """
    floats = np.asarray(values, dtype=np.float64)
    odd, exponent, trailing = _odd_parts(floats)
    low = np.min(exponent, axis=axis, keepdims=True, where=odd != 0, initial=NOWHERE)
    low = np.where(low == NOWHERE, 0, low)
    return _shifted(odd, np.where(odd != 0, exponent - low, 0), trailing), low


def scaled_rows(rows: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Write the entries of each row of a CSR matrix, of which none is empty, as integers.

    Returns
    -------
    integers : ndarray of int64 or of Python ints
        In the order of the entries.
    exponents : ndarray of int, shape (n,)
        ``entries == integers * 2.0**exponents``, row by row.

    Examples
    --------
    >>> from scipy import sparse
    >>> scaled_rows(sparse.csr_array([[0.75, -2.0], [0.0, 4.0]]))
    (array([ 3, -8,  1]), array([-2,  2]))
    """
    odd, exponent, trailing = _odd_parts(rows.data)
    low = np.minimum.reduceat(np.where(odd != 0, exponent, NOWHERE), rows.indptr[:-1])
    low = np.where(low == NOWHERE, 0, low)
    shift = exponent - np.repeat(low, np.diff(rows.indptr))
    return _shifted(odd, np.where(odd != 0, shift, 0), trailing), low


def _odd_parts(floats: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Odd integers and exponents with floats == odd·2^exponent, and the zeros shifted away."""
    if not np.isfinite(floats).all():
        raise InputError("exact arithmetic needs finite numbers")
    mantissa, exponent = np.frexp(floats)
    odd = np.ldexp(mantissa, 53).astype(np.int64)
    trailing = np.frexp((odd & -odd).astype(np.float64))[1] - (odd != 0)
    odd >>= trailing
    return odd, exponent.astype(np.int64) - 53 + trailing, trailing


def _shifted(odd: np.ndarray, shift: np.ndarray, trailing: np.ndarray) -> np.ndarray:
    if np.max(shift - trailing, initial=0) <= 9:  # 53 significant bits at most: fits in 62
        return odd << shift
    return odd.astype(object) << shift.astype(object)


def power_of_two(exponent: int) -> Fraction:
    """Return 2**exponent exactly.

    Examples
    --------
    >>> power_of_two(-3)
    Fraction(1, 8)
    """
    exponent = int(exponent)
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def as_fraction(value: Any) -> Fraction:
    """Return the rational that a number is, numpy's included.

    Examples
    --------
    >>> as_fraction(np.float32(0.5))
    Fraction(1, 2)
    """
    return Fraction(value.item() if isinstance(value, np.generic) else value)


def primitive(values: Sequence[Any]) -> list[int]:
    """Scale rationals by one positive factor to integers without a common divisor.

    Examples
    --------
    >>> primitive([Fraction(1, 2), 0.75, 0])
    [2, 3, 0]
    """
    try:
        ratios = [v.as_integer_ratio() for v in values]
    except AttributeError:  # of NumPy's integers
        ratios = [as_fraction(v).as_integer_ratio() for v in values]
    common = math.lcm(*[bottom for _, bottom in ratios])
    integers = [top * (common // bottom) if top else 0 for top, bottom in ratios]
    divisor = math.gcd(*integers) or 1
    return [i // divisor for i in integers]


def root_below(square: Fraction) -> float:
    """Return the largest float whose square is at most this; exact.

    Examples
    --------
    >>> root_below(Fraction(2)), root_below(Fraction(9, 4)), root_below(Fraction(1, 10**700))
    (1.414213562373095, 1.5, 0.0)
    """
    # ⌊√(p·q·4ᵏ)⌋/(q·2ᵏ) ≤ √(p/q), with k large enough for 64 bits of the root.
    top, bottom = square.numerator, square.denominator
    shift = max(0, bottom.bit_length() - top.bit_length()) + 64
    root = Fraction(math.isqrt((top * bottom) << (2 * shift)), bottom << shift)
    try:
        near = float(root)
    except OverflowError:
        return float(np.finfo(np.float64).max)
    while Fraction(near) ** 2 > square:
        near = math.nextafter(near, 0.0)
    above = math.nextafter(near, math.inf)
    return above if above < math.inf and Fraction(above) ** 2 <= square else near


def root_above(square: Fraction) -> float:
    """Return the least float whose square is at least this; exact.

    Examples
    --------
    >>> root_above(Fraction(2)), root_above(Fraction(9, 4)), root_above(Fraction(1, 10**700))
    (1.4142135623730951, 1.5, 5e-324)
    """
    below = root_below(square)
    return below if Fraction(below) ** 2 == square else math.nextafter(below, math.inf)

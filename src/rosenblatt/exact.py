"""Exact arithmetic: every float is a rational, so signs and null spaces can be known for certain.

Signs of scores come from a floating-point filter with a rigorous error bound, and from integers
scaled by powers of two for the rows that the filter leaves open; null spaces from python-flint.
May import ``errors`` only; knows no solver.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from .errors import InputError

Matrix = Any  # a two-dimensional ndarray, or a CSR matrix in canonical format

UNIT = 2.0**-53  # half the distance from 1 to the next float
TINY = float(np.finfo(np.float64).tiny)  # smallest normal float
CHUNK = 1 << 18  # entries looked at in one go: small enough for the cache
SMALLEST_MARGIN = 1e-290  # smaller proved margins are given as 0
PRIME = (1 << 61) - 1


# --- Data as rationals ---------------------------------------------------------------------------


def as_matrix(X: Any) -> Matrix:
    """Take dense or sparse data as a two-dimensional matrix of numbers, without copying it.

    Parameters
    ----------
    X : array-like or scipy sparse, shape (n, d)
        Any real dtype. Duplicate entries of a sparse matrix are summed (in a copy).

    Returns
    -------
    ndarray or CSR matrix

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if hasattr(X, "tocsr"):
        if len(X.shape) != 2:
            raise InputError(f"X must have two dimensions, got shape {X.shape}")
        matrix = X.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    else:
        try:
            matrix = np.asarray(X)
        except ValueError as error:
            raise InputError(f"X is not a table of numbers: {error}") from None
        if matrix.ndim != 2:
            raise InputError(f"X must have two dimensions, got shape {matrix.shape}")
    if matrix.dtype.kind not in "biufO":
        raise InputError(f"X must hold real numbers, got dtype {matrix.dtype}")
    return matrix


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
    sparse = hasattr(X, "indptr")
    per_row = max(1, width, X.nnz // max(n, 1) if sparse else d)
    step = max(1, CHUNK // per_row)
    for start in range(0, n, step):
        rows = X[start : start + step]
        if sparse:
            rows = type(rows)((as_floats(rows.data), rows.indices, rows.indptr), shape=rows.shape)
        else:
            rows = np.ascontiguousarray(as_floats(rows))
        _require_finite(rows, start)
        yield start, rows


def _require_finite(rows: Matrix, start: int) -> None:
    values = rows.data if hasattr(rows, "indptr") else rows
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    bad = np.flatnonzero(~np.isfinite(values))
    if not bad.size:  # the sum overflowed, the values did not
        return
    if hasattr(rows, "indptr"):
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
    if not np.isfinite(floats).all():
        raise InputError("exact arithmetic needs finite numbers")
    mantissa, exponent = np.frexp(floats)
    odd = np.ldexp(mantissa, 53).astype(np.int64)
    nonzero = odd != 0
    trailing = np.frexp((odd & -odd).astype(np.float64))[1] - nonzero
    odd >>= trailing
    exponent = exponent.astype(np.int64) - 53 + trailing
    low = np.min(exponent, axis=axis, keepdims=True, where=nonzero, initial=1 << 20)
    low = np.where(low == 1 << 20, 0, low)
    shift = np.where(nonzero, exponent - low, 0)
    if np.max(shift - trailing, initial=0) <= 9:  # 53 significant bits at most: fits in 62
        return odd << shift, low
    return odd.astype(object) << shift.astype(object), low


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
    fractions = [as_fraction(v) for v in values]
    common = math.lcm(*(f.denominator for f in fractions))
    integers = [f.numerator * (common // f.denominator) for f in fractions]
    divisor = math.gcd(*integers) or 1
    return [i // divisor for i in integers]


# --- Signs of scores -----------------------------------------------------------------------------


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
    vector = _as_weights(weights, matrix.shape[1])
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
    vectors = _as_weights(weights, matrix.shape[1])
    signs = np.empty((matrix.shape[0], 1 if vectors.ndim == 1 else len(vectors)), dtype=np.int8)
    n_rational = 0
    integers = None
    for start, rows, values, errors in _bounded_requirements(matrix, codes, vectors):
        block = signs[start : start + len(values)]
        with np.errstate(over="ignore", invalid="ignore"):
            values -= threshold
            errors += 4 * UNIT * (np.abs(values) + abs(threshold))
            settled = np.abs(values) > errors
            block[:] = np.sign(values)
        if vectors.ndim == 2:
            settled[np.arange(len(block)), codes[start : start + len(block)]] = True
        open_rows = np.flatnonzero(~settled.all(axis=1))
        if open_rows.size:
            integers = integers or _integer_weights(vectors)
            own = codes[start + open_rows]
            exact = _exact_requirements(rows[open_rows], own, integers, vectors.ndim == 1)
            block[open_rows] = [
                [_sign(v, scale, threshold) for v in required] for required, scale in exact
            ]
            n_rational += open_rows.size
        if vectors.ndim == 2:
            block[np.arange(len(block)), codes[start : start + len(block)]] = 1
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
    vectors = normalised(_as_weights(weights, matrix.shape[1]))
    floor, integers = math.inf, None
    for start, rows, values, errors in _bounded_requirements(matrix, codes, vectors):
        with np.errstate(invalid="ignore"):
            low = values - errors - 4 * UNIT * np.abs(values)
        own = codes[start : start + len(low)]
        if vectors.ndim == 2:
            low[np.arange(len(low)), own] = np.inf
        open_rows = np.flatnonzero(~(low > 0).all(axis=1))
        if open_rows.size:
            integers = integers or _integer_weights(vectors)
            mine = own[open_rows]
            exact = _exact_requirements(rows[open_rows], mine, integers, vectors.ndim == 1)
            for i, (required, scale) in zip(open_rows, exact, strict=True):
                others = [v for k, v in enumerate(required) if vectors.ndim == 1 or k != own[i]]
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
    vectors = normalised(_as_weights(weights, matrix.shape[1]))
    threshold = 0.0
    if margin > 0:
        threshold = max(margin * _norm_above(vectors) * (1 + 4 * UNIT), SMALLEST_MARGIN / 8)
    if not math.isfinite(threshold):
        return np.zeros(matrix.shape[0], dtype=bool), 0
    signs, n_rational = signs_of_requirements(matrix, codes, vectors, threshold)
    proved = np.min(signs, axis=1) >= (0 if threshold else 1)
    return np.asarray(proved), n_rational


def _as_weights(weights: Any, d: int) -> np.ndarray:
    vectors = np.asarray(weights)
    if vectors.dtype != object:
        vectors = as_floats(vectors)
    if vectors.ndim not in (1, 2) or vectors.shape[-1] != d + 1:
        raise InputError(
            f"weights of shape {vectors.shape} do not fit {d} features: {d + 1} numbers are "
            "needed per vector, the bias last"
        )
    return vectors


def _float_weights(vectors: np.ndarray) -> np.ndarray | None:
    """Weights correctly rounded to floats; None where that is too coarse for the filter."""
    if vectors.dtype != object:
        return vectors
    try:
        floats = vectors.astype(np.float64)
    except OverflowError:
        return None
    coarse = (np.abs(floats) < TINY) & (vectors != 0)
    return None if coarse.any() else floats


def _bounded_requirements(
    X: Matrix, codes: np.ndarray, vectors: np.ndarray
) -> Iterator[tuple[int, Matrix, np.ndarray, np.ndarray]]:
    """Yield (first row, rows, requirements in floating point, bounds on their errors)."""
    floats = _float_weights(vectors)
    table = None if floats is None else np.atleast_2d(floats)
    width = 1 if vectors.ndim == 1 else len(vectors)
    for start, rows in chunks(X, width):
        m = rows.shape[0]
        own = codes[start : start + m]
        if table is None:
            yield start, rows, np.zeros((m, width)), np.full((m, width), np.inf)
            continue
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            values, errors = _bounded_scores(rows, table)
            if vectors.ndim == 1:
                values *= np.where(own == 1, 1.0, -1.0)[:, None]
            else:
                mine = np.arange(m), own
                sizes = np.abs(values)
                errors += errors[mine][:, None] + 4 * UNIT * (sizes + sizes[mine][:, None])
                values = values[mine][:, None] - values
            errors[~np.isfinite(values)] = np.inf
        yield start, rows, values, errors


def _bounded_scores(rows: Matrix, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    slopes, biases = table[:, :-1].T, table[:, -1]
    if hasattr(rows, "indptr"):
        terms = int(np.diff(rows.indptr).max(initial=0))
        sizes = type(rows)((np.abs(rows.data), rows.indices, rows.indptr), shape=rows.shape)
    else:
        terms, sizes = rows.shape[1], np.abs(rows)
    scores = rows @ slopes + biases
    bounds = sizes @ np.abs(slopes) + np.abs(biases)
    # 8·TINY a term covers underflow even where the processor flushes subnormal numbers to zero.
    bounds *= 2 * (terms + 6) * UNIT
    bounds += 8 * (terms + 6) * TINY
    return scores, bounds


def _integer_weights(vectors: np.ndarray) -> tuple[np.ndarray, Fraction]:
    """Return (integers, scale) with weights = integers * scale, one row per vector."""
    table = np.atleast_2d(vectors)
    if table.dtype != object:
        integers, exponent = scaled_integers(table)
        return integers, power_of_two(exponent.item())
    common = math.lcm(*(as_fraction(w).denominator for w in table.flat))
    integers = np.array([int(as_fraction(w) * common) for w in table.flat], dtype=object)
    return integers.reshape(table.shape), Fraction(1, common)


def _exact_requirements(
    rows: Matrix, own: np.ndarray, weights: tuple[np.ndarray, Fraction], binary: bool
) -> Iterator[tuple[list[int], Fraction]]:
    """Yield each row's requirements as integers, and the positive factor that makes them exact."""
    integers, scale = weights
    for code, (scores, exponent) in zip(own.tolist(), _exact_scores(rows, integers), strict=True):
        factor = scale * power_of_two(exponent)
        if binary:
            yield [scores[0] if code == 1 else -scores[0]], factor
        else:
            yield [scores[code] - score for score in scores], factor


def _exact_scores(rows: Matrix, integers: np.ndarray) -> Iterator[tuple[list[int], int]]:
    """Yield (scores, e): the score of each weight vector is scores·2ᵉ in units of the weights."""
    if hasattr(rows, "indptr"):
        bias = rows.shape[1]
        for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
            columns = np.append(rows.indices[start:stop], bias)
            row, exponent = scaled_integers(np.append(rows.data[start:stop], 1.0))
            row = row.tolist()
            yield [sum(map(mul, row, w)) for w in integers[:, columns].tolist()], exponent.item()
        return
    padded = np.column_stack([rows, np.ones(len(rows))])
    table, exponents = scaled_integers(padded, axis=1)
    small = table.dtype != object and integers.dtype != object
    if small and float(np.abs(table).max()) * float(np.abs(integers).sum()) < 2.0**62:
        scores = (table @ integers.T).tolist()
    else:
        vectors = integers.tolist()
        scores = ([sum(map(mul, row, w)) for w in vectors] for row in table.tolist())
    yield from zip(scores, exponents.ravel().tolist(), strict=True)


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


# --- Combinations of rows ------------------------------------------------------------------------


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
    exact = list(coefficients)
    if not all(isinstance(c, int) for c in exact):
        exact = [as_fraction(c) for c in exact]
    result = {}
    for column, positions, values in _columns(chosen):
        integers, exponent = scaled_integers(values)
        here = exact if positions is None else [exact[i] for i in positions]
        total = sum(map(mul, here, integers.tolist()))
        if total:
            result[column] = total * power_of_two(exponent.item())
    return result


def _columns(chosen: Matrix) -> Iterator[tuple[int, list[int] | None, np.ndarray]]:
    """Yield (column, rows it has entries in or None for all, its entries)."""
    if not hasattr(chosen, "indptr"):
        for column, values in enumerate(np.ascontiguousarray(as_floats(chosen).T)):
            yield column, None, values
        return
    by_column = chosen.tocsc()
    for column in np.flatnonzero(np.diff(by_column.indptr)):
        part = slice(by_column.indptr[column], by_column.indptr[column + 1])
        yield int(column), by_column.indices[part].tolist(), as_floats(by_column.data[part])


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
    return [primitive([int(x) for x in v]) for v in _nullspace(_integer_matrix(rows, axis=1))]


def rank_at_least(rows: Any) -> int:
    """Return a lower bound on the rank that is the rank itself but for very bad luck.

    It is the rank modulo the prime 2⁶¹ − 1.

    Examples
    --------
    >>> rank_at_least([[1.0, 2.0], [2.0, 4.0]])
    1
    """
    from flint import nmod_mat

    return nmod_mat(_integer_matrix(rows, axis=1), PRIME).rank()


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
        part = rows[:, features]
        part = part.toarray() if hasattr(part, "indptr") else part
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

    matrix = _integer_matrix(rows, axis=0)
    guess = np.ones(matrix.nrows())
    if hint is not None:
        guess = np.maximum(np.asarray(hint, dtype=np.float64), 0.0)
    alpha, unique = _solve_equations(matrix, _independent_columns(matrix), guess)
    if alpha is not None and any((fmpz_mat([alpha]) * matrix).entries()):
        # The prime hid an equation.
        alpha, unique = _solve_equations(matrix, list(range(matrix.ncols())), guess)
    return alpha if alpha is None or unique else caratheodory(rows, alpha)


def _solve_equations(
    matrix: Any, columns: list[int], guess: np.ndarray
) -> tuple[list[int] | None, bool]:
    """Return α ≥ 0 orthogonal to the columns, if one is found, and whether it is the only one."""
    from flint import fmpz_mat

    # Pivots go to the first unknowns that can be pivots: let these be the weights far from 0.
    order = np.argsort(-guess, kind="stable").tolist()
    equations = fmpz_mat([[matrix[i, j] for i in order] for j in columns] or [[0] * len(order)])
    basis = _nullspace(equations)
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

    matrix = _integer_matrix(rows, axis=0)
    support = [i for i, a in enumerate(alpha) if a]
    weights = dict(
        zip(support, (fmpq(w) for w in primitive([alpha[i] for i in support])), strict=True)
    )
    basis = [
        {i: fmpq(v) for i, v in zip(support, vector, strict=True) if v}
        for vector in _nullspace(_equations(matrix, support))
    ]
    if not basis:
        raise InputError("the weights do not combine the rows to zero")
    while len(basis) > 1:
        direction = basis[-1] if not _parallel(basis[-1], weights) else basis[-2]
        for i in _move_to_boundary(weights, direction):
            _keep_vanishing(basis, i)
    result = [0] * len(alpha)
    for i, value in zip(
        weights, primitive([Fraction(int(w.p), int(w.q)) for w in weights.values()]), strict=True
    ):
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


def _integer_matrix(rows: Any, axis: int) -> Any:
    """Return a flint matrix, its rows (axis 1) or columns (axis 0) scaled by positive numbers."""
    from flint import fmpz_mat

    table = np.asarray(rows)
    if table.ndim != 2:
        raise InputError(f"rows must form a matrix, got shape {table.shape}")
    if table.dtype == object:
        lines = table.tolist() if axis == 1 else table.T.tolist()
        matrix = fmpz_mat([primitive(line) for line in lines]) if table.size else None
        matrix = matrix if axis == 1 or matrix is None else matrix.transpose()
    else:
        integers, _ = scaled_integers(as_floats(table), axis=axis)
        matrix = fmpz_mat(integers.tolist()) if table.size else None
    return fmpz_mat(*table.shape) if matrix is None else matrix


def _equations(matrix: Any, support: Sequence[int]) -> Any:
    """Return the transpose of the chosen rows."""
    from flint import fmpz_mat

    return fmpz_mat([[matrix[i, j] for i in support] for j in range(matrix.ncols())])


def _independent_columns(matrix: Any) -> list[int]:
    """Return columns that are independent, and as many as there are but for very bad luck."""
    from flint import nmod_mat

    reduced, rank = nmod_mat(matrix, PRIME).rref()
    return _pivots(reduced, rank)


def _pivots(reduced: Any, rank: int) -> list[int]:
    pivots, column = [], 0
    for i in range(rank):
        while not int(reduced[i, column]):
            column += 1
        pivots.append(column)
        column += 1
    return pivots


def _last(vector: Sequence[Any]) -> int:
    return max(i for i, v in enumerate(vector) if v)


def _nullspace(matrix: Any) -> list[list[Any]]:
    """Return a basis of the null space, each vector zero at the free coordinates of the others."""
    reduced, denominator, rank = matrix.rref()
    pivots = _pivots(reduced, rank)
    pivot_set = set(pivots)
    basis = []
    for free in range(matrix.ncols()):
        if free in pivot_set:
            continue
        vector = [denominator * 0] * matrix.ncols()
        vector[free] = denominator
        for i, pivot in enumerate(pivots):
            if pivot > free:
                break
            vector[pivot] = -reduced[i, free]
        basis.append(vector)
    return basis

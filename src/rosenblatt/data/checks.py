"""Checks of what users pass in: every refusal says what was expected, came, and where."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.lossless import (
    is_held,
    is_sparse,
    names_of,
    own_kind,
    place,
    refuse_dates,
    refuse_rounded,
    refuse_text,
    sound,
)
from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.threads import in_pieces
from rosenblatt.engine.points import (
    MALFORMED,
    SORTED,
    DenseRows,
    Points,
    disorder,
    repeated,
)
from rosenblatt.errors import InputError, InputTypeError

FLOATS = (np.float64, np.float32)
INDICES = (np.int32, np.int64)
# Beyond this norm the square of a row is no longer a finite double.
LARGEST_NORM = 1e154
# Below this squares lose digits; rows as short as that are multiplied by 2 to this power first.
LEAST_SQUARE, SCALE = 1e-280, 800
# Indices that a thread checks at a time: 0.1 ms of work, more than it takes to wake the thread.
ENTRIES_AT_ONCE = 2**19


def check_rows(X: Any) -> Any:
    """X as a C-ordered float array, or as a CSR matrix that stores no entry twice.

    It is copied where it is neither, or of another type.
    """
    X = as_floats(X)
    if is_ready(X):
        return without_repeats(X) if is_sparse(X) else X
    X = in_numpy(X, "X")
    if is_sparse(X):
        X = summed(X)
    rows = as_table(X, order="C")
    if not is_held(X):
        refuse_rounded(X)
    if hasattr(X, "columns"):
        refuse_not_finite(rows, names_of(X))  # nobody else will know the names
    return rows


def as_floats(X: Any) -> Any:
    """An array of rows of whole or floating-point numbers as C-ordered floats; all else as it is.

    Such rows need no other check, and those of scikit-learn take longer than a small fit.

    Examples
    --------
    >>> as_floats(np.array([[1, 2]])), as_floats([[1, 2]])
    (array([[1., 2.]]), [[1, 2]])
    """
    if type(X) is not np.ndarray or X.ndim != 2 or 0 in X.shape:
        return X
    if X.dtype in FLOATS:
        return np.ascontiguousarray(X)
    if X.dtype.kind not in "biu":
        return X
    if not is_held(X):
        refuse_rounded(X)
    return np.ascontiguousarray(X, dtype=np.float64)


def is_ready(X: Any) -> bool:
    """Whether X is an array or a CSR matrix that needs no conversion, by its types alone."""
    kind = type(X)
    if kind is not np.ndarray and not (is_sparse(X) and X.format == "csr" and kind is own_kind(X)):
        return False
    if X.dtype not in FLOATS or X.ndim != 2 or 0 in X.shape:
        return False
    if kind is np.ndarray:
        return X.flags.c_contiguous
    return all(
        type(array) is np.ndarray and array.ndim == 1 and array.dtype in kinds
        for array, kinds in ((X.data, FLOATS), (X.indices, INDICES), (X.indptr, INDICES))
    )


def as_table(X: Any, order: Any = None) -> Any:
    """X as an array of floats with two dimensions, or as a CSR matrix; what is neither is refused.

    Takes arrays, lists, frames (those of sparse columns and of pandas' own types, too), and sparse
    matrices of any format. Single precision stays as it is; every other number becomes a double.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    >>> as_table([1, 2])
    Traceback (most recent call last):
    rosenblatt.errors.InputError: Expected a 2D array, got a 1D array instead: X must have a row for
    each example. Use X.reshape(-1, 1) if there is one feature, X.reshape(1, -1) if there is one
    row.
    """
    refuse_no_table(X)
    if is_sparse(X):
        rows = _csr(X)
    elif has_sparse_columns(X):
        rows = _csr(X.sparse.to_coo()) if omits_zeros(X) else _dense(X.sparse.to_dense(), order)
    else:
        rows = _dense(X, order)
    for size, what in zip(rows.shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise InputError(
                f"Found array with 0 {what}(s) (shape={rows.shape}) while a minimum of 1 is "
                "required."
            )
    return rows


def _csr(X: Any) -> Any:
    _refuse_complex(X.dtype)
    return _as_csr(X) if X.dtype in FLOATS else summed(X).astype(np.float64)


def _as_csr(X: Any) -> Any:
    if X.ndim != 2:
        raise InputError(f"Expected a 2D matrix, got a {X.ndim}D one instead: X must have rows.")
    return sound(X).tocsr()


def has_sparse_columns(X: Any) -> bool:
    """Whether X is a pandas frame all of whose columns are sparse."""
    kinds = getattr(X, "dtypes", ())
    if not (hasattr(kinds, "__array__") and len(kinds)):
        return False
    return all(type(kind).__name__ == "SparseDtype" for kind in kinds)


def omits_zeros(X: Any) -> bool:
    """Whether what a frame of sparse columns does not store is 0, rather than, say, NaN."""
    return all(kind.fill_value == 0 for kind in X.dtypes)


def refuse_no_table(X: Any) -> None:
    """Refuse what cannot become an array of rows, for what it is.

    Examples
    --------
    >>> refuse_no_table([[1, 2], [3]])
    Traceback (most recent call last):
    rosenblatt.errors.InputError: X has rows of different lengths: row 0 has 2, row 1 has 1. ...
    """
    if is_sparse(X):  # of which one kind is a dict
        return
    if isinstance(X, (str, bytes, Mapping, set)) or X is None:
        raise InputError(f"X must be a table of numbers with two dimensions, got {_kind_of(X)}.")
    if isinstance(X, Iterator):
        raise InputError("X must be a table of numbers, got an iterator: pass list(X).")
    if not isinstance(X, (list, tuple)):
        return
    if not X:
        raise InputError("X has no rows: Found array with 0 sample(s), while 1 is required.")
    first = _length(X[0])
    for at, row in enumerate(X):
        if _length(row) != first:
            raise InputError(
                f"X has rows of different lengths: row 0 has {first}, row {at} has {_length(row)}. "
                "Expected a table: as many numbers in each row."
            )


def _length(row: Any) -> int:
    """How many numbers a row of a list has; 0 of what is no row."""
    return len(row) if isinstance(row, (list, tuple)) or np.ndim(row) == 1 else 0


def _dense(X: Any, order: Any) -> np.ndarray:
    if isinstance(X, np.matrix):
        raise InputTypeError("np.matrix is not supported: convert X with np.asarray(X).")
    kinds = getattr(X, "dtypes", None)
    if kinds is None or not hasattr(kinds, "__array__"):
        kinds = [X.dtype] if hasattr(X, "dtype") else []
    refuse_dates(X)
    kinds = list(kinds)
    plain = all(isinstance(kind, np.dtype) for kind in kinds)
    wanted = np.dtype(np.float64)
    if kinds and plain and all(kind.kind != "O" for kind in kinds):
        for kind in kinds:
            _refuse_complex(kind)
        if all(kind in FLOATS for kind in kinds):
            wanted = np.result_type(*kinds)
    # Missing values of pandas' own types of numbers are NaN only to pandas.
    own = [k for k in kinds if not isinstance(k, np.dtype) and getattr(k, "kind", "") in "biuf"]
    try:
        numbers = X.astype(wanted) if own and hasattr(X, "astype") else X
        table = np.asarray(numbers, dtype=wanted, order=order)
    except OverflowError as error:
        raise InputError(f"X has a number beyond the range of double precision: {error}") from error
    except (ValueError, TypeError) as error:
        refuse_text(X, error)
        raise InputError(f"X must be a table of numbers with two dimensions: {error}") from error
    _refuse_dimensions(table)
    return table


def _kind_of(X: Any) -> str:
    name = type(X).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _refuse_complex(kind: Any) -> None:
    if kind.kind == "c":
        raise InputError(f"Complex data not supported: X must hold real numbers, got {kind}.")


def _refuse_dimensions(table: np.ndarray) -> None:
    if table.ndim == 0:
        raise InputError(
            f"Expected a 2D array, got a scalar instead: X must have rows and columns, got {table}."
        )
    if table.ndim == 1:
        raise InputError(
            "Expected a 2D array, got a 1D array instead: X must have a row for each example. Use "
            "X.reshape(-1, 1) if there is one feature, X.reshape(1, -1) if there is one row."
        )
    if table.ndim > 2:
        raise InputError(
            f"Found array with dim {table.ndim} (shape={table.shape}), while dim 2 is required."
        )


def summed(X: Any) -> Any:
    """A sparse matrix as CSR without repeated entries, whose sums are those of ``X.toarray()``.

    They are sums in X's own type, so they come before any conversion: twice true is true, not 2.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> summed(csr_array(([True, True], [0, 0], [0, 2]), shape=(1, 1))).data
    array([ True])
    """
    return without_repeats(_as_csr(X))


def without_repeats(X: Any) -> Any:
    """A CSR matrix, checked, or a copy where entries that it stores twice are added up.

    One look at its indices tells; sorting them would take longer than a fit, and nothing needs it.
    """
    X, found = check_indices(X)
    if found == SORTED:
        return X
    room = np.zeros(X.shape[1], X.indptr.dtype)
    if compiled(repeated)(X.indices, X.indptr, room):
        X = X.copy()
        X.has_canonical_format = X.has_sorted_indices = False
        X.sum_duplicates()
    return X


def check_indices(X: Any) -> tuple[Any, int]:
    """`sound` in compiled code, for many entries; the matrix, and how its indices are ordered."""
    whole = len(X.indptr) == X.shape[0] + 1 and len(X.data) == len(X.indices)
    found = _disorder(X) if whole else MALFORMED
    if found == MALFORMED:
        X = sound(X)  # raises, or removes entries stored beyond the last row
        found = _disorder(X)
    return X, found


def _disorder(X: Any) -> int:
    """The worst disorder of any rows, looked for on every core."""
    rows, entries = X.shape[0], len(X.indices)
    if X.indptr[0] != 0 or X.indptr[rows] != entries:
        return MALFORMED
    if entries <= ENTRIES_AT_ONCE:
        return compiled(disorder)(X.indices, X.indptr, X.shape[1])
    found = [SORTED]

    def look(piece: slice) -> None:
        starts = X.indptr[piece.start : piece.stop + 1]
        own = X.indices[starts[0] : starts[-1]]
        found.append(compiled(disorder)(own, starts - starts[0], X.shape[1]))

    in_pieces(look, rows, max(1, rows * ENTRIES_AT_ONCE // max(1, entries)))
    return max(found)


def check_finite(points: Points, names: Any = None) -> float:
    """The radius max‖(xᵢ, 1)‖; refuses NaN, infinity, and rows too long to square."""
    return check_squares(points, names)[0]


def check_squares(points: Points, names: Any = None) -> tuple[float, np.ndarray]:
    """The same, and ‖(xᵢ, 1)‖² of every row."""
    from rosenblatt.engine.pieces import squares_of

    squares = squares_of(points)
    largest = float(squares.max())
    if largest < LEAST_SQUARE:
        # They are lost below the range of floats: square scaled rows instead.
        largest = float(squares_of(_lengthened(points)).max())
        return math.ldexp(math.sqrt(largest), -SCALE), squares
    radius = math.sqrt(largest)
    if not radius < LARGEST_NORM:
        _refuse(points, int(np.flatnonzero(~(squares < LARGEST_NORM**2))[0]), names)
    return radius, squares


def _lengthened(points: Points) -> Points:
    """Rows multiplied by a power of two; there is no bias where all rows are short."""
    rows = points.rows
    name = "values" if isinstance(rows, DenseRows) else "data"
    return points._replace(rows=rows._replace(**{name: np.ldexp(getattr(rows, name), SCALE)}))


def _refuse(points: Points, row: int, names: Any) -> None:
    from rosenblatt.engine.points import entries

    stored = [(j, float(x)) for j, x in entries(points, row)]
    column, value = next(
        ((j, x) for j, x in stored if not np.isfinite(x)), max(stored, key=lambda jx: abs(jx[1]))
    )
    where = place(row, column, names)
    _refuse_value(value, where)
    raise InputError(
        f"Input X is too large at {where}: {value:g} squared is beyond the range of double "
        "precision (inf). Write the column in larger units, or leave it out."
    )


def _refuse_value(value: float, where: str) -> None:
    if np.isnan(value):
        raise InputError(
            f"Input X contains NaN at {where}. Drop such rows or fill them in, for example with "
            "sklearn.impute.SimpleImputer."
        )
    if np.isinf(value):
        raise InputError(f"Input X contains infinity at {where}. Replace it by a finite number.")


def refuse_not_finite(X: Any, names: Any = None) -> None:
    """Refuse rows that hold NaN or infinity, and say where."""
    values = X.data if is_sparse(X) else X
    finite = np.isfinite(values)
    if finite.all():
        return
    at = int(np.argmin(finite))
    if is_sparse(X):
        row, column = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
    else:
        row, column = divmod(at, X.shape[1])
    _refuse_value(float(np.ravel(values)[at]), place(row, column, names))

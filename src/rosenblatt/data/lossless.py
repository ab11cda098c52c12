"""Cells as they were given: numbers that double precision cannot hold, text, dates."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from rosenblatt.errors import InputError, InputTypeError

# Up to this size a double holds every whole number.
LARGEST_WHOLE = 2**53


def is_sparse(X: Any) -> bool:
    """Whether X is one of SciPy's sparse matrices, told without importing SciPy.

    Examples
    --------
    >>> from scipy.sparse import coo_array
    >>> is_sparse(coo_array([[1.0]])), is_sparse(np.eye(2))
    (True, False)
    """
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and scipy.issparse(X)


def is_held(X: Any) -> bool:
    """Whether the types alone say that double precision holds every number."""
    kinds = getattr(X, "dtypes", None)  # of a frame's columns
    kinds = [X.dtype] if kinds is None and hasattr(X, "dtype") else kinds
    return kinds is not None and all(
        getattr(kind, "itemsize", 8) <= {"b": 1, "f": 8}.get(getattr(kind, "kind", ""), 4)
        for kind in kinds
    )


def rounded(values: np.ndarray) -> np.ndarray:
    """Which whole numbers no double equals; of other numbers, none.

    Examples
    --------
    >>> rounded(np.array([2**53, 2**53 + 1, -(2**60)]))
    array([False,  True, False])
    """
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return np.zeros(values.shape, bool)
    large = (values > LARGEST_WHOLE) | (values < -LARGEST_WHOLE)
    sizes = np.abs(values[large]).astype(np.uint64)
    # A double is an odd number of at most 53 binary digits, times a power of two.
    large[large] = sizes // (sizes & (~sizes + np.uint64(1))) > LARGEST_WHOLE
    return large


def refuse_rounded(X: Any) -> None:
    """Refuse numbers that differ from their doubles: rounded, different rows would be the same."""
    values = X.tocsr().data if hasattr(X, "tocsr") else np.asarray(X)
    large = values.dtype == np.float64 and (np.abs(values) >= LARGEST_WHOLE).any()
    if large or values.dtype.kind in "US":
        values = _objects(X)  # as they were before they became floats, or text, like those beside
    if values.dtype.kind in "iu":
        others = rounded(values)
    elif values.dtype.kind in "OUS":
        try:
            others = np.array([_is_rounded(value) for value in values.flat], dtype=bool)
        except TypeError as error:  # what NumPy takes for a number, such as its dates
            refuse_text(X, error)
            raise
    else:
        others = (values != values.astype(np.float64)) & (values == values)
    if not others.any():
        if values.dtype.kind in "OUS" and values.ndim == 2:
            _refuse_merged(values, names_of(X))
        return
    at = int(np.argmax(others))
    where = "" if hasattr(X, "tocsr") else f" at {place(*divmod(at, values.shape[1]), names_of(X))}"
    raise InputError(
        f"X has {_shown(values.flat[at])}{where}: no number of double precision equals it, so it "
        "would be silently rounded (whole numbers within ±2**53 never are). Subtract an offset or "
        "convert the column to float yourself."
    )


def refuse_dates(X: Any) -> None:
    """Refuse columns of dates or durations: which numbers these are, no type says.

    Examples
    --------
    >>> import pandas
    >>> refuse_dates(pandas.DataFrame({"when": pandas.to_datetime(["2026-11-16"])}))
    Traceback (most recent call last):
    rosenblatt.errors.InputTypeError: Input X must hold numbers, got dates (datetime64[...]) in
    column 0 ('when'). Leave it out or make numbers of it, for example days since the first:
    (X['when'] - X['when'].min()).dt.days.
    """
    for column, kind in enumerate(X.dtypes if hasattr(X, "columns") else _kinds(X)):
        letter = _letter(kind)
        if letter not in ("M", "m"):
            continue
        days, seconds = "(X - X.min()) / np.timedelta64(1, 'D')", "X / np.timedelta64(1, 's')"
        where = f"column {column}"
        if hasattr(X, "columns"):
            name = list(X.columns)[column]
            whole = "total_days()" if hasattr(kind, "is_temporal") else "days"  # Polars' word
            days, seconds = f"(X[{name!r}] - X[{name!r}].min()).dt.{whole}", f"X[{name!r}].dt"
            where, seconds = f"{where} ({str(name)!r})", f"{seconds}.total_seconds()"
        what, means = "dates", f"days since the first: {days}"
        if letter == "m":
            what, means = "durations", f"seconds: {seconds}"
        raise InputTypeError(
            f"Input X must hold numbers, got {what} ({kind}) in {where}. "
            f"Leave it out or make numbers of it, for example {means}."
        )


def _letter(kind: Any) -> str:
    """NumPy's letter for a column's type: M for dates, m for durations, Polars' too."""
    if not hasattr(kind, "is_temporal"):
        return getattr(kind, "kind", "")
    return ("m" if str(kind).startswith("Duration") else "M") if kind.is_temporal() else ""


def _kinds(X: Any) -> Iterable[np.dtype]:
    """The type of an array, or those that NumPy's own cells in the first row of objects have."""
    if getattr(getattr(X, "dtype", None), "kind", "O") != "O":
        return (X.dtype,)
    rows = X if isinstance(X, (list, tuple)) or getattr(X, "ndim", 0) == 2 else ()
    first = next(iter(rows), ())
    cells = first if isinstance(first, (list, tuple, np.ndarray)) else ()
    return [getattr(cell, "dtype", np.dtype(object)) for cell in cells]


def refuse_text(X: Any, error: Exception) -> None:
    """Say which cell is text that is no number, or something else that is none, if one is found."""
    try:
        cells = _objects(X)
    except ValueError:  # lists of different lengths
        return
    for at, cell in enumerate(cells.flat if cells.ndim == 2 else ()):
        if cell is None:  # a missing number
            continue
        where = place(*divmod(at, cells.shape[1]), names_of(X))
        try:
            float(cell)
        except ValueError:
            raise InputError(
                f"Input X holds text at {where}: {error}. Leave the column out or make numbers of "
                "it, for example with sklearn's OneHotEncoder."
            ) from error
        except OverflowError:  # a number, though none for doubles
            continue
        except TypeError:
            raise InputTypeError(
                f"Input X holds a {type(cell).__name__} at {where}, which is no number: {error}. "
                "Leave the column out or make numbers of it."
            ) from error


def _objects(X: Any) -> np.ndarray:
    return np.asarray(X.astype(object) if hasattr(X, "astype") else X, dtype=object)


def _is_rounded(value: Any) -> bool:
    """Whether an exact number is another one as a double; a decimal fraction is read as text is."""
    if isinstance(value, (str, bytes, Decimal)):
        try:
            value = int(value) if value == value else 0
        except (ValueError, ArithmeticError):  # a fraction, an exponent, an infinity
            return False
    if isinstance(value, Integral):
        try:
            return int(value) != float(int(value))
        except OverflowError:
            return True
    if value is None or isinstance(value, float):
        return False
    if type(value).__name__ == "NAType":  # pandas' missing number, equal and unequal to nothing
        return False
    return bool(value == value) and not bool(value == float(value))


def _refuse_merged(cells: np.ndarray, names: list[str] | None) -> None:
    """Refuse different numbers of a column, given as text or Decimals, that are one double."""
    for column in range(cells.shape[1]):
        seen: dict[float, tuple[Any, int]] = {}
        if not any(isinstance(cell, (str, bytes, Decimal)) for cell in cells[:, column]):
            continue
        for row, cell in enumerate(cells[:, column]):
            if not isinstance(cell, (str, bytes, Decimal, Real)):  # a missing number
                continue
            double = float(cell)
            digits = _beyond_double(cell, double)
            first, at = seen.setdefault(double, (digits, row))
            if first != digits:
                raise InputError(
                    f"X has {_shown(cells[at, column])} at {place(at, column, names)} and "
                    f"{_shown(cell)} at {place(row, column, names)}: different numbers that are "
                    "the same in double precision. Subtract an offset or round them yourself."
                )


def _beyond_double(cell: Any, double: float) -> Decimal | None:
    """The number that a text or Decimal is, unless its double stands for it.

    That is one which the double equals, or is written as: 0.1 is the double nearest to it.

    Examples
    --------
    >>> [_beyond_double(cell, 0.1) for cell in ("0.1", Decimal(0.1), 0.1)]
    [None, None, None]
    >>> _beyond_double("0.10000000000000000001", 0.1)
    Decimal('0.10000000000000000001')
    """
    if not isinstance(cell, (str, bytes, Decimal)):
        return None
    try:
        given = Decimal(cell.decode() if isinstance(cell, bytes) else cell)
    except ArithmeticError:  # an exponent beyond all bounds
        return None
    stands = not given.is_finite() or given == Decimal(repr(double)) or given == Decimal(double)
    return None if stands else given


def _shown(cell: Any) -> str:
    return str(cell)[:60]


def names_of(X: Any) -> list[str] | None:
    """The names of a frame's columns; None of what is no frame."""
    return list(map(str, X.columns)) if hasattr(X, "columns") else None


def refuse_other_names(known: Any, given: Sequence[str] | None) -> None:
    """Refuse a frame whose columns have other names than those learned from, or another order.

    Examples
    --------
    >>> refuse_other_names(["a", "b"], None)
    >>> refuse_other_names(["a", "b"], ["b", "a"])
    Traceback (most recent call last):
    rosenblatt.errors.InputError: The feature names should match those that were passed during fit,
    in their order: a, b; got b, a.
    """
    if known is None or given is None or list(given) == list(map(str, known)):
        return
    raise InputError(
        "The feature names should match those that were passed during fit, in their order: "
        f"{', '.join(map(str, known))}; got {', '.join(given)}."
    )


def place(row: int, column: int, names: Any) -> str:
    """A cell in words."""
    return f"row {row}, column {column}" + (f" ({names[column]!r})" if names is not None else "")


def own_kind(X: Any) -> Any:
    """The class of SciPy's that a sparse matrix is of, or is derived from.

    The constructor of a derived class, such as formulaic's, may take other arguments.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix
    >>> class Design(csc_matrix):
    ...     pass
    >>> own_kind(Design([[1.0]]))
    <class 'scipy.sparse._csc.csc_matrix'>
    """
    scipy = sys.modules["scipy.sparse"]
    return getattr(scipy, f"{X.format}_{'array' if isinstance(X, scipy.sparray) else 'matrix'}")


def sound(X: Any) -> Any:
    """A sparse matrix of SciPy's class over the same memory, with all indices checked.

    Compiled code, also SciPy's, trusts indices: a wrong one would read or write anywhere.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[0.0, 1.0], [2.0, 0.0]])
    >>> X.indices[0] = 7
    >>> sound(X)
    Traceback (most recent call last):
    rosenblatt.errors.InputError: X is a malformed CSR matrix: ... Build it anew, for example ...
    """
    try:
        # A new matrix: check_format would truncate the caller's arrays if they are too long.
        if X.format == "coo":
            return own_kind(X)((X.data, (X.row, X.col)), shape=X.shape)
        if X.format in ("csr", "csc"):
            made = own_kind(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False)
            made.check_format(full_check=True)
            return made
        return X
    except (ValueError, IndexError, TypeError) as error:
        raise InputError(
            f"X is a malformed {X.format.upper()} matrix: {str(error).rstrip('.')}. Build it anew, "
            "for example with scipy.sparse.csr_matrix((data, (rows, columns)), shape=...)."
        ) from error

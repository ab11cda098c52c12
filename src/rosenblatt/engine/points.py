"""Points: the training set as the algorithms read it.

Rows are dense or CSR, the bias is an appended coordinate of 1 (the lectures' padding), and ``dot``,
``add`` and ``scores`` are all that a rule may do with a row. Each is written here as plain Python,
which runs over floats, `fractions.Fraction` or a counting number alike; over arrays of floats it is
NumPy's, row by row, and `compiled` gives each its machine code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np


class DenseRows(NamedTuple):
    """Rows of a matrix that stores every entry."""

    values: Any


class SparseRows(NamedTuple):
    """Rows of a CSR matrix; duplicate entries add up, order within a row is free."""

    data: Any
    indices: Any
    indptr: Any
    width: int


class ChosenRows(NamedTuple):
    """Some rows of a table, read where they are.

    Attributes
    ----------
    table : DenseRows or SparseRows
    numbers : sequence of int
        Which of its rows.
    stored : int
        How many entries they store.
    """

    table: Any
    numbers: Any
    stored: int


class Points(NamedTuple):
    """Labelled rows.

    Attributes
    ----------
    rows : DenseRows, SparseRows or ChosenRows
        The n rows xᵢ.
    y : sequence
        Signs −1 and +1 (two classes), or class codes 0 … K − 1.
    steps : sequence of float
        How far an update moves along each row: η times the sample's weight.
    bias : float
        The appended coordinate: 1 with a bias, 0 without. Weights always have room for it, last.
    """

    rows: Any
    y: Any
    steps: Any
    bias: Any


def as_matrix(rows: Any) -> Any:
    """The rows as an array or a CSR matrix."""
    if not isinstance(rows, SparseRows):
        return rows.values
    from scipy.sparse import csr_array

    return csr_array((rows.data, rows.indices, rows.indptr), (len(rows.indptr) - 1, rows.width))


def table_of(rows: Any) -> Any:
    """The table that rows are chosen from; the rows themselves if they are not chosen."""
    return rows.table if isinstance(rows, ChosenRows) else rows


def in_table(points: Points) -> Points:
    """The points with the whole table for their chosen rows, numbered as in the table."""
    return Points(points.rows.table, points.y, points.steps, points.bias)


def entries(points: Points, i: int) -> Iterator[tuple[int, Any]]:
    """The (column, value) pairs stored in row i, the bias coordinate left out."""
    rows = points.rows
    if isinstance(rows, ChosenRows):
        yield from entries(in_table(points), rows.numbers[i])
    elif isinstance(rows, DenseRows):
        yield from enumerate(rows.values[i])
    else:
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            yield int(rows.indices[k]), rows.data[k]


def _as_arrays(points: Points, i: int, others: Any) -> tuple[Any, Any] | None:
    """The columns and values of row i, for NumPy; None unless they and the others are floats."""
    rows = points.rows
    if isinstance(rows, ChosenRows):
        return _as_arrays(in_table(points), rows.numbers[i], others)
    values = rows.values if isinstance(rows, DenseRows) else rows.data
    for numbers in (values, others):
        if not isinstance(numbers, np.ndarray) or numbers.dtype.kind != "f":
            return None
    if isinstance(rows, DenseRows):
        return slice(values.shape[1]), values[i]
    stored = slice(rows.indptr[i], rows.indptr[i + 1])
    return rows.indices[stored], values[stored]


def dot(points: Points, i: int, weights: Any) -> Any:
    """The score w·xᵢ + b, one multiply-add per stored entry and one for the bias."""
    total = points.bias * weights[len(weights) - 1]
    row = _as_arrays(points, i, weights)
    if row is not None:
        return total + row[1].dot(weights[row[0]])
    for j, x in entries(points, i):
        total += x * weights[j]
    return total


def add(points: Points, i: int, amount: Any, weights: Any) -> None:
    """In place w ← w + amount·xᵢ and b ← b + amount."""
    row = _as_arrays(points, i, weights)
    if row is not None:
        np.add.at(weights, row[0], amount * row[1].astype(weights.dtype))
    else:
        for j, x in entries(points, i):
            weights[j] += amount * x
    weights[len(weights) - 1] += amount * points.bias


def scores(points: Points, i: int, weights: Any, out: Any) -> None:
    """Write the score of row i for each class into ``out``: the product W·xᵢ."""
    row = _as_arrays(points, i, weights)
    if row is not None:
        out[:] = weights[:, row[0]].dot(row[1]) + points.bias * weights[:, -1]
        return
    for k in range(len(out)):
        out[k] = dot(points, i, weights[k])


def scores_of(points: Points, chosen: Any, weights: Any, out: Any) -> None:
    """Write the scores of each of those rows into a row of ``out``: a product of matrices."""
    for k in range(len(chosen)):
        scores(points, chosen[k], weights, out[k])


def products(points: Points, i: int, chosen: Any, out: Any) -> None:
    """Write (xᵢ, 1)·(xⱼ, 1) of each of those rows j into ``out``: a row of the Gram matrix."""
    row: dict[int, Any] = {}
    for j, x in entries(points, i):
        row[j] = row.get(j, 0) + x
    for k in range(len(chosen)):
        out[k] = points.bias * points.bias
        for j, x in entries(points, chosen[k]):
            out[k] += row.get(j, 0) * x


def number(order: Any, at: int) -> Any:
    """The point at that place of an order; points are numbered from 0.

    An empty order stands for all points as they come, and costs no reads.
    """
    return order[at] if len(order) else at


def lap_length(points: Points, order: Any) -> int:
    """How many points an order has: those it names, or all of them."""
    return len(order) or count(points)


def fetch(points: Points, state: Any, order: Any, at: int) -> None:
    """Prefetch what a look soon after ``order[at]`` needs; plain Python does nothing."""


def size(points: Points, i: int) -> int:
    """The number of stored entries of row i, the bias not counted."""
    rows = points.rows
    if isinstance(rows, ChosenRows):
        return size(in_table(points), rows.numbers[i])
    return (
        len(rows.values[i]) if isinstance(rows, DenseRows) else rows.indptr[i + 1] - rows.indptr[i]
    )


def column(points: Points, i: int, k: int) -> int:
    """The column of the k-th stored entry of row i, the bias not counted."""
    rows = points.rows
    if isinstance(rows, ChosenRows):
        return column(in_table(points), rows.numbers[i], k)
    return k if isinstance(rows, DenseRows) else int(rows.indices[rows.indptr[i] + k])


def squared_norm(points: Points, i: int) -> Any:
    """‖(xᵢ, 1)‖²."""
    total = points.bias * points.bias
    row = _as_arrays(points, i, points.steps)
    if row is not None:
        return total + float(row[1].astype(np.float64).dot(row[1]))
    for _, x in entries(points, i):
        total += x * x
    return total


def squared_norms(points: Points, out: Any) -> None:
    """Write ‖(xᵢ, 1)‖² of every row into ``out``."""
    for i in range(len(out)):
        out[i] = squared_norm(points, i)


# Results of `disorder`.
SORTED, UNSORTED, MALFORMED = range(3)


def disorder(indices: Any, indptr: Any, width: int) -> int:
    """Whether the columns of each row of a CSR matrix are sorted, unsorted, or out of bounds.

    Parameters
    ----------
    indices, indptr : array
        Of a CSR matrix.
    width : int
        Its columns.

    Examples
    --------
    >>> disorder([0, 2, 1, 0], [0, 2, 4], 3) == UNSORTED
    True
    """
    entries, rows = len(indices), len(indptr) - 1
    if indptr[0] != 0 or indptr[rows] != entries:
        return MALFORMED
    for i in range(rows):
        if indptr[i] > indptr[i + 1]:
            return MALFORMED
    if entries == 0:
        return SORTED
    least = largest = indices[0]
    falls = 0
    for k in range(1, entries):
        least, largest = min(least, indices[k]), max(largest, indices[k])
        falls += indices[k] <= indices[k - 1]
    if least < 0 or largest >= width:
        return MALFORMED
    for i in range(1, rows):
        k = indptr[i]
        # Columns may fall between rows; around empty rows, count that once.
        if k != indptr[i - 1] and k < entries:
            falls -= indices[k] <= indices[k - 1]
    return SORTED if falls == 0 else UNSORTED


def is_inside(rows: SparseRows, i: int, width: int) -> bool:
    """Whether the entries and columns of row i are within bounds.

    Examples
    --------
    >>> rows = SparseRows(np.ones(3), np.array([0, 7, 1]), np.array([0, 1, 2, 4]), width=2)
    >>> [is_inside(rows, i, width=2) for i in range(3)]
    [True, False, False]
    """
    first, end = rows.indptr[i], rows.indptr[i + 1]
    if first < 0 or first > end or end > len(rows.indices):
        return False
    if first == end:
        return True
    least = largest = rows.indices[first]
    # Unsigned, so that machine code need not check for indices that count from the end.
    for k in range(np.uint64(first), np.uint64(end)):
        least, largest = min(least, rows.indices[k]), max(largest, rows.indices[k])
    return bool(least >= 0 and largest < width)


def repeated(indices: Any, indptr: Any, last_row: Any) -> bool:
    """Whether a row of a CSR matrix has a column twice.

    Parameters
    ----------
    indices, indptr : array
        Of a CSR matrix.
    last_row : array
        Work space, a 0 for each column.

    Examples
    --------
    >>> repeated([0, 2, 1, 0], [0, 2, 4], [0, 0, 0]), repeated([0, 2, 1, 1], [0, 2, 4], [0, 0, 0])
    (False, True)
    """
    for i in range(len(indptr) - 1):
        # Unsigned, so that machine code need not check for indices that count from the end.
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            if last_row[j] == i + 1:
                return True
            last_row[j] = i + 1
    return False


def count(points: Points) -> int:
    """The number of points n."""
    return len(points.y)


def width(points: Points) -> int:
    """The number of features d, the bias not counted."""
    rows = table_of(points.rows)
    return rows.width if isinstance(rows, SparseRows) else np.shape(rows.values)[1]


def stored(points: Points) -> int:
    """The number of stored entries: n·d for dense rows, nnz for sparse ones."""
    rows = points.rows
    if isinstance(rows, ChosenRows):
        return rows.stored
    if isinstance(rows, SparseRows):
        return len(rows.data)
    n, d = np.shape(rows.values)
    return n * d


def stored_by(points: Points, which: Any) -> int:
    """The number of entries that those rows store."""
    rows = points.rows
    if isinstance(rows, ChosenRows):
        return stored_by(in_table(points), rows.numbers[which])
    if isinstance(rows, SparseRows):
        return int(np.sum(np.diff(rows.indptr)[which]))
    return len(which) * width(points)


def as_rows(X: Any) -> DenseRows | SparseRows:
    """View a checked array or CSR matrix as rows, copying only what is not row-contiguous."""
    if hasattr(X, "indptr"):
        return SparseRows(to_read(X.data), to_read(X.indices), to_read(X.indptr), int(X.shape[1]))
    return DenseRows(to_read(np.ascontiguousarray(X)))


def to_read(values: Any) -> Any:
    """A view that cannot be written to: machine code for it serves all rows, those of a memory map
    or a data frame among them.
    """
    view = values.view()
    view.flags.writeable = False
    return view


def make_points(X: Any, y: Any, *, fit_intercept: bool = True, steps: float | Any = 1.0) -> Points:
    """Points of a checked float matrix and its signs or codes.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d), float32 or float64
    y : ndarray of shape (n,)
        Signs as floats, or class codes as integers.
    fit_intercept : bool
        Whether to append the coordinate 1.
    steps : float or ndarray of shape (n,)
        Step η, or η times each sample's weight.

    Examples
    --------
    >>> points = make_points(np.array([[3.0, 2.0]]), np.array([1.0]))
    >>> dot(points, 0, np.array([1.0, 1.0, -4.0]))
    np.float64(1.0)
    """
    y = np.asarray(y)
    if np.ndim(steps) == 0:
        step, steps = steps, np.empty(len(y))
        steps.fill(step)
    return Points(as_rows(X), y, np.asarray(steps, dtype=np.float64), 1.0 if fit_intercept else 0.0)


def exact_points(
    X: Sequence[Sequence[Any]], y: Sequence[int], *, fit_intercept: bool = True, eta: Any = 1
) -> Points:
    """Points over `fractions.Fraction`: every float is taken as the rational it is."""
    from fractions import Fraction

    values = [[Fraction(x) for x in row] for row in np.asarray(X).tolist()]
    return Points(
        DenseRows(values), list(y), [Fraction(eta)] * len(y), Fraction(1 if fit_intercept else 0)
    )

"""Columns centred and scaled by powers of two, for the passes that make a classifier.

A perceptron's steps are as long as its rows, so that a column of thousands drowns one of tenths,
and one far from 0 drowns its own differences. Whether a column is centred depends on its entries,
not on how they are stored, so that dense and sparse copies of a matrix are treated alike.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.column_sums import Sums, columns_in_use, sums
from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.margins import UNIT
from rosenblatt.engine.pieces import squares_of, squares_of_rows
from rosenblatt.engine.points import DenseRows, Points, SparseRows, as_rows, to_read
from rosenblatt.engine.rules import State
from rosenblatt.lazy import cached_property

# Multiple of the median ‖x‖² above which a row is long: it has no say in how columns are scaled,
# and its step is shortened.
LONG = 9.0
# Least share of rows that are not long. Where they are fewer, they may be next to nothing, and all
# rows have a say.
MOST = 0.6
# A column is centred if at least this share of its entries is not 0.
FULL = 0.5
# Columns whose size is within this many powers of two of the usual one keep their relative sizes.
ALIKE = 2.0
# Columns are enlarged only if at least this share of rows differ from their usual value, or for
# centred ones a quarter of it: by (Σ|d|)²/(nΣd²), exact where all that differ do so by the same.
RARE = 0.04
# Centres are multiples of 2^-QUARTER of a column's scale: whole numbers stay exact.
QUARTER = 2
# Largest power of two by which columns are scaled: their weights can still be squared.
LARGEST_EXPONENT = 400


class Scale(NamedTuple):
    """x becomes (x − centre)/2^exponent, column by column.

    Attributes
    ----------
    exponents : ndarray of int32
    centres : ndarray
        0 for columns that are mostly 0, and where there is no bias to take the shift back.
    """

    exponents: np.ndarray
    centres: np.ndarray

    def rows(self, X: Any) -> DenseRows | SparseRows:
        """The scaled rows of a matrix; the given rows if there is nothing to scale."""
        if not (self.exponents.any() or self.centres.any()):
            return as_rows(X)
        if hasattr(X, "indptr"):
            return self._sparse(X)
        shifted = np.subtract(X, self.centres, dtype=X.dtype)
        # As exact as `ldexp`, and faster.
        shifted *= np.ldexp(1.0, -self.exponents)
        return DenseRows(to_read(shifted))

    def _sparse(self, X: Any) -> SparseRows:
        (n, d), centred = X.shape, np.flatnonzero(self.centres)
        room = X.nnz + n * len(centred)
        data, indices = np.empty(room, X.dtype), np.empty(room, X.indices.dtype)
        counted = X.indptr.dtype if room <= np.iinfo(X.indptr.dtype).max else np.int64
        indptr, seen = np.zeros(n + 1, counted), np.zeros(d, np.intp)
        given = as_rows(X), self.centres, np.ldexp(1.0, -self.exponents), centred, seen
        compiled(write_scaled)(*given, data, indices, indptr[1:])
        end = indptr[-1]
        return SparseRows(to_read(data[:end]), to_read(indices[:end]), to_read(indptr), d)

    def into(self, state: State) -> None:
        """Convert a state's weights from the user's columns to scaled ones, in place."""
        for weights in (state.weights, state.drift):
            of_columns = weights[..., :-1]
            weights[..., -1] += of_columns @ self.centres
            np.ldexp(of_columns, self.exponents, out=of_columns)

    def back(self, state: State) -> None:
        """Convert a state's weights from scaled columns to the user's, in place."""
        for weights in (state.weights, state.drift):
            of_columns = weights[..., :-1]
            np.ldexp(of_columns, -self.exponents, out=of_columns)
            weights[..., -1] -= of_columns @ self.centres


class ScaledMatrix(NamedTuple):
    """A scale, the rows scaled by it, and ‖x‖² of each of them, without a bias."""

    scale: Scale
    rows: DenseRows | SparseRows
    squares: np.ndarray


class ScaledColumns:
    """The scaled columns of a matrix, made once for all runs that want them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Finite floats.
    centre : bool
        Whether columns may be shifted.
    in_play : ndarray of int, optional
        The rows that say how the columns are scaled; all by default.

    Examples
    --------
    >>> X = np.array([[1.0, 3000.0], [0.0, 5000.0], [0.0, 4000.0]])
    >>> scale, rows, squares = ScaledColumns(X, centre=True).scaled()
    >>> scale
    Scale(exponents=array([ 0, 10], dtype=int32), centres=array([   0., 4096.]))
    >>> rows.values
    array([[ 1.       , -1.0703125],
           [ 0.       ,  0.8828125],
           [ 0.       , -0.09375  ]])
    """

    def __init__(self, X: Any, centre: bool, in_play: np.ndarray | None = None):
        self.X, self.centre, self._in_play = X, centre, in_play
        self._scaled: ScaledMatrix | None = None
        self._lock = threading.Lock()

    @cached_property
    def in_use(self) -> np.ndarray | None:
        """The columns that are not empty; None for most of them."""
        return columns_in_use(self.X)

    def scaled(self) -> ScaledMatrix:
        """The scale, the rows scaled by it, and their squares; made by the first who asks."""
        with self._lock:
            if self._scaled is None:
                self._scaled = by_usual_rows(self.X, self.centre, self._in_play)
            return self._scaled


def by_usual_rows(X: Any, centre: bool, in_play: np.ndarray | None) -> ScaledMatrix:
    """All rows, with columns scaled by the rows in play that are not much longer than most.

    A few long rows would make all others short beside the bias coordinate.
    """
    made = by_rows(X, centre, in_play)
    own = made.squares if in_play is None else made.squares[in_play]
    usual = own <= longest(own)
    if usual.all() or usual.mean() < MOST:
        return made
    return by_rows(X, centre, usual.nonzero()[0] if in_play is None else in_play[usual])


def by_rows(X: Any, centre: bool, some: np.ndarray | None) -> ScaledMatrix:
    """All rows, with columns scaled by some of them."""
    table = X if some is None else X[some]
    scale = scale_of(partial(sums, table), centre)
    rows = scale.rows(X)
    return ScaledMatrix(scale, rows, squares_of_rows(rows, X.shape[0]))


def longest(squares: np.ndarray) -> float:
    """The ‖x‖² up to which a row is not long, by those of all rows, of which 0 are left out."""
    squares = squares[squares > 0.0]
    if not len(squares):
        return math.inf
    median = len(squares) // 2
    return LONG * float(np.partition(squares, median)[median])


class UsualRows(NamedTuple):
    """Selects the rows that are not much longer than most, of tables that come one by one.

    Attributes
    ----------
    scale : Scale
        Of the columns in which lengths are measured.
    limit : float
        The ‖x‖² up to which a row is not much longer.

    Examples
    --------
    >>> usual = UsualRows.told_by(np.array([[1.0], [-2.0], [3.0]]), centre=False)
    >>> usual.of(np.array([[-1.0], [1000.0], [2.0]]))
    array([[-1.],
           [ 2.]])
    """

    scale: Scale
    limit: float

    @classmethod
    def told_by(cls, X: Any, centre: bool) -> UsualRows:
        """With scale and limit estimated from some of the rows."""
        scale, _, squares = by_usual_rows(X, centre, None)
        return cls(scale, longest(squares))

    def of(self, X: Any) -> Any:
        """The usual rows of a table."""
        usual = squares_of_rows(self.scale.rows(X), X.shape[0]) <= self.limit
        return X if usual.all() else X[usual]


def scale_of(sums_around: Callable[[np.ndarray | None], Sums], centre: bool) -> Scale:
    """The scale of columns, from sums over their rows.

    The size of a column is the mean size of its entries that are not 0. A centred column has two
    sizes: of the differences d from its mean, Σ|d|/n and Σd²/Σ|d|. For 0s and 1s the latter is ½
    however rare the 0s are, while the former goes to 0 with them: to enlarge the column by it would
    make the rare rows very long. Sizes within a factor of four of the usual one may have a meaning,
    and are kept; a column is scaled to the usual size only if both its sizes are outside. The usual
    size is the median over all entries that are not 0. A constant column has no size, and is not
    scaled: a later row in which it differs would be drowned by it. Nor is a column enlarged that
    differs in a few rows only: they say next to nothing of its size.

    Parameters
    ----------
    sums_around : callable
        The `sums` over all rows of differences from 0, or from given centres.
    centre : bool
        Whether columns may be shifted.

    Examples
    --------
    >>> X = np.array([[2.0, 3.0, 900.0, 0.1], [-2.0, -3.0, -900.0, 0.1]])
    >>> scale_of(partial(sums, X), True).exponents
    array([ 2,  2, 10,  2], dtype=int32)
    """
    totals, sizes, squares, present, rows = sums_around(None)
    full = centre & (present >= FULL * rows)
    means, away = np.where(full, totals / rows, 0.0), sizes
    if full.any():
        _, away, squares, _, _ = sums_around(means)
    with np.errstate(all="ignore"):
        # A constant column differs from its mean by rounding only: the error of a sum of n numbers
        # is at most n units of their size.
        away = np.where(away > rows * UNIT * sizes, away, np.nan)
        least = np.log2(away / np.where(full, rows, present))
        most = np.where(full & (squares > 0), np.log2(squares / away), least)
        share = away / rows * (away / squares)
    sized, usual = np.flatnonzero(~np.isnan(least)), 0.0
    if len(sized):
        sized = sized[most[sized].argsort()]
        entries = present[sized].cumsum()
        usual = np.rint(most[sized[np.searchsorted(entries, entries[-1] / 2)]])
    larger, smaller = least >= usual + ALIKE, (most <= usual - ALIKE) & (share >= RARE)
    exponents = np.where(larger, np.rint(least), np.where(smaller, np.rint(most), usual))
    exponents = exponents.clip(-LARGEST_EXPONENT, LARGEST_EXPONENT).astype(np.int32)
    shift = QUARTER - exponents
    return Scale(exponents, np.ldexp(np.rint(np.ldexp(means, shift)), -shift))


def shortened(steps: np.ndarray, squares: np.ndarray, most: float) -> np.ndarray:
    """Steps, shortened where ‖(x, 1)‖² exceeds ``most``, as if it were ``most``.

    Else the steps along a few very long rows would dominate the mean.

    Examples
    --------
    >>> shortened(np.ones(3), np.array([1.0, 2.0, 80.0]), most=20.0)
    array([1.  , 1.  , 0.25])
    """
    return steps * (most / np.maximum(squares, most)) if squares.max(initial=0.0) > most else steps


class Alike(NamedTuple):
    """Scale of columns and limit of steps, for points that come table by table.

    Attributes
    ----------
    scale : Scale
        Of the columns.
    most : float
        The most that a step of 1 may add to the margin of its own point.
    """

    scale: Scale
    most: float

    @classmethod
    def by(cls, scale: Scale, X: Any, bias: float) -> Alike:
        """With the limit of steps estimated from some of the rows."""
        return cls(scale, longest(squares_of_rows(scale.rows(X), X.shape[0], bias)))

    def points(self, points: Points, X: Any) -> Points:
        """The points of a table's rows, with scaled columns and limited steps."""
        points = points._replace(rows=self.scale.rows(X))
        return points._replace(steps=shortened(points.steps, squares_of(points), self.most))


def write_scaled(
    rows: Any,
    centres: Any,
    factors: Any,
    centred: Any,
    seen: Any,
    data: Any,
    indices: Any,
    ends: Any,
) -> None:
    """Write (x − centre)·factor of sparse rows, and where each row ends.

    Each row gets an entry for each of the ``centred`` columns; ``seen`` is room for the row, from
    1, in which each column was met last.

    Examples
    --------
    >>> rows = SparseRows([6.0, 1.0, 5.0], [2, 0, 0], [0, 2, 3], 3)
    >>> data, indices, ends = [0.0] * 4, [0] * 4, [0] * 2
    >>> centres, factors = [0.0, 0.0, 4.0], [1.0, 1.0, 0.5]
    >>> write_scaled(rows, centres, factors, [2], [0, 0, 0], data, indices, ends)
    >>> data, indices, ends
    ([1.0, 1.0, 5.0, -2.0], [2, 0, 0, 2], [2, 4])
    """
    end = 0
    for i in range(len(ends)):
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            j, x = rows.indices[k], float(rows.data[k])
            # Duplicate entries add up, so only the first is shifted.
            if centres[j] != 0.0 and seen[j] != i + 1:
                x -= centres[j]
                seen[j] = i + 1
            data[end], indices[end] = x * factors[j], j
            end += 1
        for j in centred:
            if seen[j] != i + 1:
                data[end], indices[end] = -centres[j] * factors[j], j
                end += 1
        ends[i] = end

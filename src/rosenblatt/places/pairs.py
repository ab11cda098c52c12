"""The rows of two classes among many, found by machine code, which releases Python's lock.

Pairs are learned side by side. Finding the rows of a pair takes time in proportion to these rows,
however many classes there are. They are not copied at first: a copy takes as long as two passes,
and most runs need no more. Longer runs and searches for proofs make a copy.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.counting import Passes
from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.points import ChosenRows, DenseRows, Points, SparseRows, as_rows, width
from rosenblatt.engine.rules import Tally
from rosenblatt.engine.scaling import ScaledColumns
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.engine.zeros import columns_in_use
from rosenblatt.once import cached_property
from rosenblatt.places.parts import Part


class Pair(NamedTuple):
    """The rows of two classes, as they come.

    Attributes
    ----------
    rows, places : ndarray of int
        Their numbers among all rows, and among all rows sorted by class.
    signs, codes : ndarray
        +1 and 1 for the positive class, −1 and 0 for the other.
    steps, squares : ndarray
        Steps and ‖(x, 1)‖² of these rows.
    """

    rows: Any
    places: Any
    signs: Any
    codes: Any
    steps: Any
    squares: Any


# Bytes of rows up to which a copy sorted by class is made: consecutive rows are read at twice the
# speed.
FEW_BYTES = 2**26
# Passes over scattered rows after which a copy would have paid.
PASSES = 8
# One part in so many is allocated in excess: the next pair may be larger.
SPARE = 8


class Room:
    """Memory for copies of rows, reused once an earlier copy is no longer referenced.

    New pages of memory take as long as the copy itself, and longer in threads.

    Examples
    --------
    >>> room = Room()
    >>> address = room.empty((2, 3), np.dtype(float)).ctypes.data
    >>> rows = room.empty((3, 2), np.dtype(float))
    >>> rows.ctypes.data == address, room.empty((3, 2), np.dtype(float)).ctypes.data == address
    (True, False)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Memory, and the array that uses it, which is the base of all views of it.
        self._kept: list[tuple[memoryview, weakref.ref[np.ndarray]]] = []

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An uninitialised array; its memory is not reused while it or a view of it exists."""
        many = math.prod(shape)
        with self._lock:
            memory = self._idle(many * dtype.itemsize)
            own = np.frombuffer(memory, dtype, many)
            self._kept.append((memory, weakref.ref(own)))
        return own.reshape(shape)

    def _idle(self, size: int) -> memoryview:
        """Unused memory of at least that size; unused memory that is all smaller is released."""
        idle = [at for at, (_, own) in enumerate(self._kept) if own() is None]
        for at in idle:
            if len(self._kept[at][0]) >= size:
                return self._kept.pop(at)[0]
        for at in reversed(idle):
            del self._kept[at]
        return np.empty(size + size // SPARE, np.uint8).data


class ClassRows:
    """The row numbers of each class.

    Parameters
    ----------
    codes : ndarray of int
        The class of each row.
    classes : int
        How many there are.

    Examples
    --------
    >>> by_class = ClassRows(np.array([2, 1, 0, 2]), 3)
    >>> pair = by_class.pair(Part(positive=2, negative=0), np.ones(4), np.arange(4.0))
    >>> pair.rows, pair.signs, pair.squares
    (array([0, 2, 3]), array([ 1., -1.,  1.]), array([0., 2., 3.]))
    """

    def __init__(self, codes: np.ndarray, classes: int):
        self._table: tuple[Any, list[int]] | None = None
        self._lock = threading.Lock()
        self._codes, self._classes, self.room = codes, classes, Room()

    @cached_property
    def _by_class(self) -> tuple[np.ndarray, list[int]]:
        """Row numbers sorted by class, and where each class starts and ends."""
        counts = np.bincount(self._codes, minlength=self._classes)
        return self._codes.argsort(kind="stable"), [0, *np.cumsum(counts).tolist()]

    def pair(self, part: Part, steps: np.ndarray, squares: np.ndarray) -> Pair:
        """The rows of two classes, with their steps and squares among those of all rows."""
        order, starts = self._by_class
        positive = order[starts[part.positive] : starts[part.positive + 1]]
        negative = order[starts[part.negative] : starts[part.negative + 1]]
        many = len(positive) + len(negative)
        numbers = [np.empty(many, order.dtype) for _ in range(3)]
        rows, places, codes = numbers
        pair = Pair(rows, places, np.empty(many), codes, np.empty(many), np.empty(many))
        begin = starts[part.positive], starts[part.negative]
        compiled(merge)(positive, negative, *begin, steps, squares, pair)
        return pair

    def chosen(self, part: Part, points: Points, pair: Pair) -> ChosenRows:
        """The rows of a pair in the given table or, if that is small, in a copy sorted by class.

        Examples
        --------
        >>> from rosenblatt.engine.points import make_points
        >>> points = make_points(np.eye(3), np.array([0, 1, 0]))
        >>> by_class, part = ClassRows(points.y, 2), Part(0, 1)
        >>> pair = by_class.pair(part, points.steps, np.ones(3))
        >>> table, numbers, stored = by_class.chosen(part, points, pair)
        >>> table.values[numbers]
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """
        with self._lock:
            table, entries = self._sorted_rows(points.rows)
        numbers = pair.rows if table is points.rows else pair.places
        if isinstance(table, DenseRows):
            return ChosenRows(table, numbers, len(numbers) * width(points))
        return ChosenRows(table, numbers, entries[part.positive] + entries[part.negative])

    def _sorted_rows(self, rows: DenseRows | SparseRows) -> tuple[Any, list[int]]:
        """The table of all rows, and the stored entries of each class, for a CSR matrix."""
        if self._table is None:
            order, starts = self._by_class
            few = sum(getattr(part, "nbytes", 0) for part in rows) <= FEW_BYTES
            if isinstance(rows, DenseRows):
                self._table = DenseRows(copied(rows, order, np.empty)) if few else rows, []
            else:
                before = np.append(0, np.cumsum(np.diff(rows.indptr)[order]))
                entries = np.diff(before[starts]).tolist()
                self._table = rows, entries
                if few:
                    data, indices, indptr = copied(rows, order, np.empty)
                    self._table = SparseRows(data, indices, indptr, rows.width), entries
        return self._table


def copied(rows: DenseRows | SparseRows, chosen: np.ndarray, empty: Callable[..., Any]) -> Any:
    """A copy of some rows: their values, or for CSR rows data, indices and indptr.

    ``empty`` allocates arrays of a shape and dtype.
    """
    if isinstance(rows, DenseRows):
        values = empty((len(chosen), rows.values.shape[1]), rows.values.dtype)
        compiled(copy_dense)(rows.values, chosen, values)
        return values
    indptr = np.empty(len(chosen) + 1, rows.indptr.dtype)
    entries = compiled(room_for)(rows.indptr, chosen, indptr)
    data, indices = empty((entries,), rows.data.dtype), empty((entries,), rows.indices.dtype)
    compiled(copy_sparse)(rows, chosen, data, indices)
    return data, indices, indptr


class CopiedColumns(ScaledColumns):
    """The scaled columns of some rows, which are copied on first use.

    Parameters
    ----------
    chosen : ChosenRows
    X : ndarray or CSR matrix
        The rows that they are chosen from.
    centre : bool
        As for `ScaledColumns`.
    room : Room
        Memory for the copy.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> chosen = ChosenRows(DenseRows(X), np.array([2, 0]), stored=4)
    >>> CopiedColumns(chosen, X, True, Room()).X
    array([[5., 6.],
           [1., 2.]])
    """

    def __init__(self, chosen: ChosenRows, X: Any, centre: bool, room: Room):
        super().__init__(None, centre)
        del self.X
        self._chosen, self._all, self._room = chosen, X, room

    @cached_property
    def X(self) -> Any:  # type: ignore[override]
        """The copy of the rows."""
        rows, numbers, _ = self._chosen
        made = copied(rows, numbers, self._room.empty)
        if isinstance(rows, DenseRows):
            return made
        return type(self._all)(made, shape=(len(numbers), rows.width))

    @cached_property
    def in_use(self) -> np.ndarray | None:
        """The columns that are not empty; None if most are not, and for dense rows."""
        dense = isinstance(self._chosen.table, DenseRows)
        return None if dense else columns_in_use(self.X)


class PairSweep(CompiledSweep):
    """A sweep that reads rows in place, and after some passes from a copy.

    Parameters
    ----------
    columns : CopiedColumns
        Of the points.
    *how
        As for `CompiledSweep`.
    """

    def __init__(self, columns: CopiedColumns, points: Points, *how: Any):
        super().__init__(points, *how)
        self._columns = columns

    def _call(self, piece: np.ndarray, laps: int, budget: int) -> Tally:
        self._copy_after(self.total.looks)
        return super()._call(piece, laps, budget)

    def passes(self, most: int, arrange: Any = None) -> Passes | None:
        """Passes in one call; as many as are planned may be worth a copy beforehand."""
        self._copy_after(self.total.looks + most * len(self.everyone))
        return super().passes(most, arrange)

    def _copy_after(self, looks: int) -> None:
        """Copy the rows, if that many looks are worth it."""
        there = isinstance(self.points.rows, ChosenRows)
        if there and looks >= PASSES * len(self.everyone):
            self.points = self.points._replace(rows=as_rows(self._columns.X))


def merge(
    positive: Any, negative: Any, begin: int, other_begin: int, steps: Any, squares: Any, pair: Pair
) -> None:
    """Merge two increasing sequences of row numbers into a pair, with all that it holds of rows.

    ``begin`` and ``other_begin`` are the places of their first rows among rows sorted by class.

    Examples
    --------
    >>> pair = Pair(*([0, 0, 0] for _ in range(6)))
    >>> merge([1, 5], [3], 4, 2, [1] * 6, [0, 1, 4, 9, 16, 25], pair)
    >>> pair.rows, pair.places, pair.signs, pair.codes, pair.squares
    ([1, 3, 5], [4, 2, 5], [1.0, -1.0, 1.0], [1, 0, 1], [1, 9, 25])
    """
    p = q = 0
    # Selects instead of branches while there are both: which comes next is unpredictable.
    while p < len(positive) and q < len(negative):
        one, other = positive[p], negative[q]
        first = 1 if one < other else 0
        pair.rows[p + q] = one if first else other
        pair.places[p + q] = begin + p if first else other_begin + q
        pair.codes[p + q] = first
        p, q = p + first, q + 1 - first
    while p < len(positive):
        pair.rows[p + q], pair.places[p + q], pair.codes[p + q] = positive[p], begin + p, 1
        p += 1
    while q < len(negative):
        pair.rows[p + q], pair.places[p + q], pair.codes[p + q] = negative[q], other_begin + q, 0
        q += 1
    for k in range(len(pair.rows)):
        i = pair.rows[k]
        pair.signs[k] = 2.0 * pair.codes[k] - 1.0
        pair.steps[k], pair.squares[k] = steps[i], squares[i]


def copy_dense(values: Any, chosen: Any, out: Any) -> None:
    """Copy the chosen rows."""
    for k in range(len(chosen)):
        copy(values[chosen[k]], out[k])


def room_for(indptr: Any, chosen: Any, out: Any) -> int:
    """Write the indptr of the chosen rows of a CSR matrix; return the number of their entries.

    Examples
    --------
    >>> out = [0, 0, 0]
    >>> room_for([0, 2, 5, 6], [2, 1], out), out
    (4, [0, 1, 4])
    """
    total = 0
    out[0] = 0
    for k in range(len(chosen)):
        total += indptr[chosen[k] + 1] - indptr[chosen[k]]
        out[k + 1] = total
    return total


def copy_sparse(rows: Any, chosen: Any, data: Any, indices: Any) -> None:
    """Copy the entries of the chosen rows of a CSR matrix."""
    at = 0
    for k in range(len(chosen)):
        start, stop = rows.indptr[chosen[k]], rows.indptr[chosen[k] + 1]
        copy(rows.data[start:stop], data[at:])
        copy(rows.indices[start:stop], indices[at:])
        at += stop - start


def copy(values: Any, out: Any) -> None:
    """Copy a row in a loop, which the compiler vectorises."""
    for j in range(len(values)):
        out[j] = values[j]

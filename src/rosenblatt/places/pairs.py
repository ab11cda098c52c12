"""The rows of two classes among many, found by machine code, which holds no lock.

Pairs are learned from side by side. To find the rows of one takes as long as there are rows of its
own, however many classes there are. They are not copied: that takes as long as two passes, and most
runs need no more. Longer runs, and searches for proofs, have a copy made.
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
        Their numbers among all, and among all sorted by class.
    signs, codes : ndarray
        +1 and 1 of the positive class, −1 and 0 of the other.
    steps, squares : ndarray
        Their own among those of all rows.
    """

    rows: Any
    places: Any
    signs: Any
    codes: Any
    steps: Any
    squares: Any


# Bytes of rows that may be taken a second time, to have each class in one piece: what is read row
# after row is read at twice the speed.
FEW_BYTES = 2**26
# Passes over rows among others that take as much longer as a copy takes.
PASSES = 8
# How much more memory is taken than is asked for, as a part of it: the next pair may be larger.
SPARE = 8


class Room:
    """Memory for copies of rows, used again once nobody has the earlier ones.

    New pages take as long as the copy itself, and longer in threads.

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
        # Memory, and the array that has it, to which all views of it lead back.
        self._kept: list[tuple[memoryview, weakref.ref[np.ndarray]]] = []

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array of any numbers; its memory is its own as long as it or a view of it is there."""
        many = math.prod(shape)
        with self._lock:
            memory = self._idle(many * dtype.itemsize)
            own = np.frombuffer(memory, dtype, many)
            self._kept.append((memory, weakref.ref(own)))
        return own.reshape(shape)

    def _idle(self, size: int) -> memoryview:
        """Memory of that size that nobody uses; where all that is idle is smaller, it is let go."""
        idle = [at for at, (_, own) in enumerate(self._kept) if own() is None]
        for at in idle:
            if len(self._kept[at][0]) >= size:
                return self._kept.pop(at)[0]
        for at in reversed(idle):
            del self._kept[at]
        return np.empty(size + size // SPARE, np.uint8).data


class ClassRows:
    """Which rows are of which class.

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
        """The rows of the first class, of the next, …; and where each class starts and ends."""
        counts = np.bincount(self._codes, minlength=self._classes)
        return self._codes.argsort(kind="stable"), [0, *np.cumsum(counts).tolist()]

    def pair(self, part: Part, steps: np.ndarray, squares: np.ndarray) -> Pair:
        """The rows of two classes, and what there is of each among the steps and squares of all."""
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
        """The rows of a pair, among all or, where these are few, among all sorted by class.

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
        """The table of all rows, and how many entries each class stores, of a CSR matrix."""
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
    """A copy of some rows: their values; of CSR rows data, indices and indptr.

    ``empty`` makes arrays of a shape and dtype.
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
    """The columns of some rows, which are copied when they are first asked for.

    Parameters
    ----------
    chosen : ChosenRows
    X : ndarray or CSR matrix
        What they are chosen from.
    centre : bool
        As for `ScaledColumns`.
    room : Room
        Where to.

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
        """The rows alone."""
        rows, numbers, _ = self._chosen
        made = copied(rows, numbers, self._room.empty)
        if isinstance(rows, DenseRows):
            return made
        return type(self._all)(made, shape=(len(numbers), rows.width))

    @cached_property
    def in_use(self) -> np.ndarray | None:
        """The columns that are not empty; None for most of them, and of dense rows for all."""
        dense = isinstance(self._chosen.table, DenseRows)
        return None if dense else columns_in_use(self.X)


class PairSweep(CompiledSweep):
    """A sweep that reads rows where they are, and after some passes a copy of them.

    Parameters
    ----------
    columns : CopiedColumns
        Those of the points.
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
        """As ever; so many at one go may be worth a copy at once."""
        self._copy_after(self.total.looks + most * len(self.everyone))
        return super().passes(most, arrange)

    def _copy_after(self, looks: int) -> None:
        """Have the rows copied, if so many looks at them are worth it."""
        there = isinstance(self.points.rows, ChosenRows)
        if there and looks >= PASSES * len(self.everyone):
            self.points = self.points._replace(rows=as_rows(self._columns.X))


def merge(
    positive: Any, negative: Any, begin: int, other_begin: int, steps: Any, squares: Any, pair: Pair
) -> None:
    """Write the numbers of two rising sequences in order, and what there is of each.

    ``begin`` and ``other_begin`` are the places of their first ones.

    Examples
    --------
    >>> pair = Pair(*([0, 0, 0] for _ in range(6)))
    >>> merge([1, 5], [3], 4, 2, [1] * 6, [0, 1, 4, 9, 16, 25], pair)
    >>> pair.rows, pair.places, pair.signs, pair.codes, pair.squares
    ([1, 3, 5], [4, 2, 5], [1.0, -1.0, 1.0], [1, 0, 1], [1, 9, 25])
    """
    p = q = 0
    # Chosen, not branched to, as long as there are both: which is next cannot be foretold.
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
    """Copy those rows, one below the other."""
    for k in range(len(chosen)):
        copy(values[chosen[k]], out[k])


def room_for(indptr: Any, chosen: Any, out: Any) -> int:
    """Write where each of those rows of a CSR matrix is to start; how many entries they have.

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
    """Copy the entries of those rows of a CSR matrix, one after the other."""
    at = 0
    for k in range(len(chosen)):
        start, stop = rows.indptr[chosen[k]], rows.indptr[chosen[k] + 1]
        copy(rows.data[start:stop], data[at:])
        copy(rows.indices[start:stop], indices[at:])
        at += stop - start


def copy(values: Any, out: Any) -> None:
    """Copy one by one: from a row of its own, machine code takes several at once."""
    for j in range(len(values)):
        out[j] = values[j]

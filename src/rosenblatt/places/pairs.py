"""The rows of two classes among many, gathered by machine code, which holds no lock.

Pairs are learned from side by side. To find the rows of one takes as long as there are rows of its
own, however many classes there are.
"""

from __future__ import annotations

import math
import threading
import weakref
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.points import DenseRows, SparseRows
from rosenblatt.places.parts import Part


class Pair(NamedTuple):
    """The rows of two classes, as they come.

    Attributes
    ----------
    rows : ndarray of int
        Their numbers among all.
    signs, codes : ndarray
        +1 and 1 of the positive class, −1 and 0 of the other.
    steps, squares : ndarray
        Their own among those of all rows.
    """

    rows: Any
    signs: Any
    codes: Any
    steps: Any
    squares: Any


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
        self._codes, self._classes, self._room = codes, classes, Room()

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
        rows, codes = np.empty(many, order.dtype), np.empty(many, np.intp)
        pair = Pair(rows, np.empty(many), codes, np.empty(many), np.empty(many))
        compiled(merge)(positive, negative, steps, squares, pair)
        return pair

    def gathered(self, X: Any, rows: DenseRows | SparseRows, chosen: np.ndarray) -> Any:
        """A copy of some rows of X, which has those rows.

        Examples
        --------
        >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> ClassRows(np.array([0, 1, 0]), 2).gathered(X, DenseRows(X), np.array([2, 0]))
        array([[5., 6.],
               [1., 2.]])
        """
        empty = self._room.empty
        if isinstance(rows, DenseRows):
            out = empty((len(chosen), rows.values.shape[1]), rows.values.dtype)
            compiled(copy_dense)(rows.values, chosen, out)
            return out
        indptr = np.empty(len(chosen) + 1, rows.indptr.dtype)
        entries = compiled(room_for)(rows.indptr, chosen, indptr)
        data, indices = empty((entries,), rows.data.dtype), empty((entries,), rows.indices.dtype)
        compiled(copy_sparse)(rows.data, rows.indices, rows.indptr, chosen, data, indices)
        return type(X)((data, indices, indptr), shape=(len(chosen), X.shape[1]))


def merge(positive: Any, negative: Any, steps: Any, squares: Any, pair: Pair) -> None:
    """Write the numbers of two rising sequences in order, and what there is of each.

    Examples
    --------
    >>> pair = Pair([0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0])
    >>> merge([1, 5], [3], [1] * 6, [0, 1, 4, 9, 16, 25], pair)
    >>> pair.rows, pair.signs, pair.codes, pair.squares
    ([1, 3, 5], [1.0, -1.0, 1.0], [1, 0, 1], [1, 9, 25])
    """
    p = q = 0
    # Chosen, not branched to, as long as there are both: which is next cannot be foretold.
    while p < len(positive) and q < len(negative):
        one, other = positive[p], negative[q]
        first = 1 if one < other else 0
        pair.rows[p + q] = one if first else other
        pair.codes[p + q] = first
        p, q = p + first, q + 1 - first
    while p < len(positive):
        pair.rows[p + q], pair.codes[p + q] = positive[p], 1
        p += 1
    while q < len(negative):
        pair.rows[p + q], pair.codes[p + q] = negative[q], 0
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


def copy_sparse(
    data: Any, indices: Any, indptr: Any, chosen: Any, out_data: Any, out_indices: Any
) -> None:
    """Copy the entries of those rows of a CSR matrix, one after the other."""
    at = 0
    for k in range(len(chosen)):
        start, stop = indptr[chosen[k]], indptr[chosen[k] + 1]
        copy(data[start:stop], out_data[at:])
        copy(indices[start:stop], out_indices[at:])
        at += stop - start


def copy(values: Any, out: Any) -> None:
    """Copy one by one: from a row of its own, machine code takes several at once."""
    for j in range(len(values)):
        out[j] = values[j]

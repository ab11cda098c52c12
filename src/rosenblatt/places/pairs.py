"""The rows of two classes among many, gathered by machine code, which holds no lock.

Pairs are learned from side by side. To find the rows of one takes as long as there are rows of its
own, however many classes there are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.engine.points import DenseRows, SparseRows
from rosenblatt.places.parts import Part


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
    >>> rows, signs = ClassRows(np.array([2, 1, 0, 2]), 3).pair(Part(positive=2, negative=0))
    >>> rows, signs
    (array([0, 2, 3]), array([ 1., -1.,  1.]))
    """

    def __init__(self, codes: np.ndarray, classes: int):
        self._codes, self._classes = codes, classes

    @cached_property
    def _by_class(self) -> tuple[np.ndarray, list[int]]:
        """The rows of the first class, of the next, …; and where each class starts and ends."""
        counts = np.bincount(self._codes, minlength=self._classes)
        return self._codes.argsort(kind="stable"), [0, *np.cumsum(counts).tolist()]

    def pair(self, part: Part) -> tuple[np.ndarray, np.ndarray]:
        """The rows of two classes, as they come, and +1 or −1 for each."""
        from rosenblatt.engine.machine.compiled import compiled

        order, starts = self._by_class
        positive = order[starts[part.positive] : starts[part.positive + 1]]
        negative = order[starts[part.negative] : starts[part.negative + 1]]
        many = len(positive) + len(negative)
        rows, signs = np.empty(many, order.dtype), np.empty(many)
        compiled(merge)(positive, negative, rows, signs)
        return rows, signs


def merge(positive: Any, negative: Any, rows: Any, signs: Any) -> None:
    """Write the numbers of two rising sequences in order, and of which of both each is.

    Examples
    --------
    >>> rows, signs = [0, 0, 0], [0, 0, 0]
    >>> merge([1, 5], [3], rows, signs)
    >>> rows, signs
    ([1, 3, 5], [1.0, -1.0, 1.0])
    """
    p = q = 0
    for k in range(len(rows)):
        if q == len(negative) or (p < len(positive) and positive[p] < negative[q]):
            rows[k], signs[k] = positive[p], 1.0
            p += 1
        else:
            rows[k], signs[k] = negative[q], -1.0
            q += 1


def gathered(X: Any, rows: DenseRows | SparseRows, chosen: np.ndarray) -> Any:
    """A copy of some rows of X, which has those rows.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> gathered(X, DenseRows(X), np.array([2, 0]))
    array([[5., 6.],
           [1., 2.]])
    """
    from rosenblatt.engine.machine.compiled import compiled

    if isinstance(rows, DenseRows):
        out = np.empty((len(chosen), rows.values.shape[1]), rows.values.dtype)
        compiled(copy_dense)(rows.values, chosen, out)
        return out
    indptr = np.empty(len(chosen) + 1, rows.indptr.dtype)
    entries = compiled(room_for)(rows.indptr, chosen, indptr)
    data, indices = np.empty(entries, rows.data.dtype), np.empty(entries, rows.indices.dtype)
    compiled(copy_sparse)(rows.data, rows.indices, rows.indptr, chosen, data, indices)
    return type(X)((data, indices, indptr), shape=(len(chosen), X.shape[1]))


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

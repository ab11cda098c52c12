"""Rows of a Gram matrix within a budget of memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.kernels.kernel import Kernel
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.lazy import cached_property

# Points in view at a time, until a view of all is worth its price; few points are all in view.
WINDOW = 256
# Rows computed at once: this many more each time, so that easy data costs few rows and hard data
# few calls, until a block has that many entries.
MORE_ROWS = 4
ENTRIES_AT_ONCE = 2**21
# Once this share of the rows in view was asked for, the rest will be: one product is best.
HARD = 1 / 8
MEGABYTE = 2**20


class GramRows:
    """Rows of the Gram matrix, computed in blocks when asked for, within a budget of memory.

    A row has entries for the points in view only: `view` turns to others. Few points are in view
    at first, since a point's score takes the kernel between it and the points mistaken before, no
    more. Rows give way at random where they do not fit: a scan in a fixed order would never find
    again what the least recently used cache has just dropped.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR matrix of shape (n, d), or a precomputed Gram matrix
    megabytes : float
        The budget.

    Attributes
    ----------
    columns : ndarray of int
        The points in view.
    column : ndarray of shape (n,)
        The place of each point among them, −1 if it is not in view.
    slot : ndarray of shape (n,)
        The row of each point, −1 if it is not at hand.
    computed : int
        Entries that were computed so far.

    Examples
    --------
    >>> gram = GramRows(Kernel("linear", {}), np.eye(9), megabytes=1)
    >>> gram.fetch(np.array([2]))
    >>> gram.slot[:4].tolist(), gram.rows[0, :4].tolist()
    ([-1, -1, 0, -1], [0.0, 0.0, 1.0, 0.0])
    >>> gram.view(np.arange(1, 9))
    >>> gram.fetch(np.array([2]))
    >>> gram.rows[gram.slot[2], :3].tolist()
    [0.0, 1.0, 0.0]
    """

    def __init__(self, kernel: Kernel, X: Any, megabytes: float):
        n = X.shape[0]
        self.kernel, self.X, self.computed = kernel, X, 0
        self._bytes = float(megabytes) * MEGABYTE
        self._rng = np.random.default_rng(0)
        self._block = 0
        self.dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        self.slot, self.column = np.full(n, -1), np.full(n, -1)
        self.columns, self.rows = np.arange(0), np.empty((0, 0), dtype=self.dtype)
        if kernel.metric == "precomputed":
            self.rows, self.columns = X, np.arange(n)
            self.slot, self.column = np.arange(n), np.arange(n)
        elif n <= 2 * WINDOW:
            self.view(np.arange(n))

    @cached_property
    def diagonal(self) -> np.ndarray:
        """k(xᵢ, xᵢ) of every row."""
        return self.kernel.diagonal(self.X)

    @property
    def capacity(self) -> int:
        """How many rows fit."""
        return len(self.rows)

    def room(self, points: int) -> int:
        """How many rows fit if so many points are in view."""
        return min(points, max(2, int(self._bytes / (points * self.dtype.itemsize))))

    def price(self, rows: int, points: int) -> int:
        """The kernel values that so many rows take if so many points are in view."""
        return points * points // 2 if self.worth_all(rows, points) else rows * points

    def worth_all(self, rows: int, points: int) -> bool:
        """Whether who asks for so many rows of so many points had better have all of them."""
        hard = rows > HARD * points and not callable(self.kernel.metric)
        return hard and self.room(points) == points

    def matrix(self, columns: np.ndarray) -> np.ndarray:
        """All rows of those points, for `view`."""
        X = self._of(columns)
        values = self.kernel.gram(X)
        self.computed += self.kernel.gram_entries(X)
        return values.astype(self.dtype, copy=False)

    def _of(self, columns: np.ndarray) -> Any:
        return self.X if len(columns) == len(self.slot) else self.X[columns]

    def view(self, columns: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Turn to those points, with all their rows at hand or without any."""
        self.slot[:] = -1
        self.column[self.columns] = -1
        self.column[columns] = np.arange(len(columns))
        self.columns, self._in_view = columns, self._of(columns)
        if rows is not None:
            self.rows, self._owner = rows, columns.copy()
            self.slot[columns] = np.arange(len(columns))
            return
        shape = self.room(len(columns)), len(columns)
        if self.rows.shape != shape:
            self.rows = np.empty(shape, dtype=self.dtype)
        self._owner = np.full(shape[0], -1)

    def fetch(self, wanted: np.ndarray, perhaps: Any = ()) -> None:
        """Have the rows of ``wanted`` at hand, and as many of ``perhaps`` as one block takes.

        All are in view; ``perhaps`` are distinct points whose rows are not at hand, the likeliest
        first.
        """
        missing = [i for i in dict.fromkeys(wanted) if self.slot[i] < 0]
        if not missing:
            return
        width = len(self.columns)
        self._block += MORE_ROWS
        room = min(self._block, self.capacity // 2, ENTRIES_AT_ONCE // width)
        guesses = np.asarray(perhaps, dtype=np.int64)
        for i in wanted:  # one or two
            guesses = guesses[guesses != i]
        block = np.append(missing, guesses[: max(0, room - len(missing))]).astype(np.int64)
        asked = int(np.count_nonzero(self._owner >= 0)) + len(block)
        if self.worth_all(asked, width):
            rows = self.matrix(self.columns)
            with Uninterrupted():
                self.view(self.columns, rows)
            return
        places = self._places(len(block), keep=wanted)
        values = self.kernel.block(self.X[block], self._in_view)
        self.computed += values.size
        with Uninterrupted():
            evicted = self._owner[places]
            self.slot[evicted[evicted >= 0]] = -1
            self.rows[places] = values
            self._owner[places], self.slot[block] = block, places

    def sums(
        self, points: np.ndarray, others: np.ndarray, parts: Sequence[tuple[slice, np.ndarray]]
    ) -> np.ndarray:
        """Σᵢ cᵢ k(xᵢ, ·) over some points, at others: `Kernel.sums`."""
        self.computed += len(points) * len(others)
        return self.kernel.sums(self.X, points, self.X[others], parts)

    def _places(self, count: int, keep: np.ndarray) -> np.ndarray:
        free = np.flatnonzero(self._owner < 0)[:count]
        taken = np.flatnonzero((self._owner >= 0) & ~np.isin(self._owner, keep))
        return np.append(free, self._rng.permutation(taken)[: count - len(free)])

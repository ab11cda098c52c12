"""Ways: the orders in which a pass goes through the chunks of a file.

A way depends on the rows, the seed and the number of the pass alone, so that a resumed run repeats
it exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.places.file.rows import FileRows, Piece, joined


class BlockStep(NamedTuple):
    """Rows in memory, and the order in which to look at some of them next."""

    piece: Piece
    order: np.ndarray


Way = Callable[[FileRows, np.random.Generator, int], Iterator[BlockStep]]


def in_turn(rows: FileRows, rng: np.random.Generator, room: int) -> Iterator[BlockStep]:
    """All rows as they come."""
    for piece in rows.pieces():
        yield BlockStep(piece, np.arange(len(piece.ids)))
        del piece  # before the next one is read


def mixed(rows: FileRows, rng: np.random.Generator, room: int) -> Iterator[BlockStep]:
    """All rows, shuffled within and across chunks through a pool of ``room`` bytes.

    Whenever another chunk would not fit into the pool, a random half of it is looked at, in random
    order, and the other half stays to be mixed with the chunks that follow: a row may be looked at
    long after it was read, never before. Rows that fit into the pool together come in a uniformly
    random order.
    """
    pool: list[Piece] = []
    for piece in rows.pieces():
        pool.append(piece)
        last = piece.nbytes
        del piece  # only the pool refers to it
        if sum(part.nbytes for part in pool) + last > room:
            whole = joined(pool)
            pool.clear()
            order = rng.permutation(len(whole.ids))
            half = -(-len(order) // 2)
            stay = np.sort(order[half:])
            yield BlockStep(whole, order[:half])
            pool.append(whole.some(stay))
            del whole
    if sum(len(part.ids) for part in pool):
        whole = joined(pool)
        pool.clear()
        yield BlockStep(whole, rng.permutation(len(whole.ids)))


class WorkingRows:
    """The rows ever mistaken, in file order, as far as they fit into ``room`` bytes.

    Once a row does not fit, no more are taken in; such rows are looked at only once a pass.

    Attributes
    ----------
    ids : ndarray of int64
        Their sorted numbers.
    full : bool
        Whether a row was left out.
    """

    def __init__(self, room: int):
        self.room, self.full = room, False
        self.ids = np.zeros(0, np.int64)
        self._rows: Piece | None = None
        self._new: list[Piece] = []
        self.nbytes = 0

    def take(self, piece: Piece, mistaken: np.ndarray) -> None:
        """Take in those rows of a piece that are new."""
        if self.full or not len(mistaken):
            return
        numbers = piece.ids[mistaken]
        at = np.searchsorted(self.ids, numbers)
        known = np.append(self.ids, -1)[at] == numbers
        self._take(piece.some(mistaken[~known]))

    def _take(self, new: Piece) -> None:
        if not len(new.ids):
            return
        left = self.room - self.nbytes
        if new.nbytes > left:
            self.full = True
            new = new.some(np.arange(int(len(new.ids) * max(0, left) / new.nbytes)))
        self._new.append(new)
        self.nbytes += new.nbytes

    def rows(self) -> Piece | None:
        """All rows kept, those taken in since the last call included."""
        if self._new:
            parts = [*([self._rows] if self._rows is not None else []), *self._new]
            self._rows = None
            self._new.clear()
            whole = joined(parts)
            del parts
            ascending = np.argsort(whole.ids, kind="stable")
            in_order = bool(np.all(ascending[1:] > ascending[:-1]))
            self._rows = whole if in_order else whole.some(ascending)
            self.ids = self._rows.ids
        return self._rows if len(self.ids) else None

    def numbers(self) -> np.ndarray:
        """The row numbers of all, those not yet joined by `rows` included."""
        return np.sort(np.concatenate([self.ids, *(piece.ids for piece in self._new)]))

    def refill(self, rows: FileRows, ids: np.ndarray, nbytes: int, full: bool) -> None:
        """Fetch the rows that an earlier run kept."""
        if len(ids):
            self._rows = rows.gather(ids)
            self.ids = self._rows.ids
        self.nbytes, self.full = nbytes, full


def of_pass(seed: int, number: int, part: int = 0) -> np.random.Generator:
    """The generator for a part of one pass, which does not depend on earlier passes."""
    return np.random.default_rng((seed, number, part))

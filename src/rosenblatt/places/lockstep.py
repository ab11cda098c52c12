"""Runs over the same rows, kept in step, so that a piece of rows is read from memory once for all.

A run alone reads its rows from memory at every pass. Runs that take turns piece by piece, the one
furthest behind first, find the piece in the cache. The order of turns has no influence on results.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from rosenblatt.engine.points import DenseRows, Points
from rosenblatt.engine.rules import Tally
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.places.parts import REST, Part

# The orders that look at rows as they come.
IN_ORDER = ("active", "cyclic")
# Bytes of a piece, which stays in the cache that the cores share.
PIECE = 2**23
# Bytes of rows up to which all of them stay in that cache anyway.
FEW_BYTES = 2**26
# Runs that take turns at one core: each holds a few numbers for every row.
RUNS_A_CORE = 8


def pays(points: Points, parts: Sequence[Part | None]) -> bool:
    """Whether turns pay: all parts have the same rows, which are dense and larger than a cache."""
    same = all(part is not None and part.negative == REST for part in parts)
    return same and isinstance(points.rows, DenseRows) and points.rows.values.nbytes > FEW_BYTES


class Turns:
    """Lets ``at_once`` runs work at a time; of those that wait, the one furthest behind is next.

    Examples
    --------
    >>> turns = Turns(at_once=1)
    >>> turns.alone(lambda: "done")
    'done'
    """

    def __init__(self, at_once: int):
        self._free = at_once
        self._lock = threading.Lock()
        self._ticket = count()
        self._waiting: list[tuple[int, int, threading.Event]] = []

    def alone(self, work: Callable[[], Any]) -> Any:
        """Do the work as soon as fewer than ``at_once`` runs are working."""
        with self._lock:
            own = None if self._free else self._wait(0)
            self._free -= own is None
        if own is not None:
            own.wait()
        try:
            return work()
        finally:
            with self._lock:
                if self._waiting:
                    heapq.heappop(self._waiting)[2].set()
                else:
                    self._free += 1

    def let_pass(self, place: int) -> None:
        """Wait, if another run is further behind than this place."""
        with self._lock:
            if not self._waiting or self._waiting[0][0] >= place:
                return
            heapq.heappop(self._waiting)[2].set()
            own = self._wait(place)
        own.wait()

    def _wait(self, place: int) -> threading.Event:
        own = threading.Event()
        heapq.heappush(self._waiting, (place, next(self._ticket), own))
        return own


class InStep(CompiledSweep):
    """A sweep that lets runs further behind work between two pieces."""

    def __init__(self, turns: Turns, points: Points, *how: Any, **given: Any):
        super().__init__(points, *how, **given)
        self.turns = turns
        row = points.rows.values.itemsize * points.rows.values.shape[1]
        self._rows_per_call = min(self._rows_per_call, max(1, PIECE // max(1, row)))

    def _call(self, piece: np.ndarray, laps: int, budget: int) -> Tally:
        self.turns.let_pass(self.total.looks)
        return super()._call(piece, laps, budget)

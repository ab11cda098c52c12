"""The sweep over the rows of a file, chunk by chunk, for the loop of ``learn``.

Each chunk has its own `CompiledSweep`, over the same weights; the rows held in memory are bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.counting import Counting
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.orders import ACTIVE_EFFORT
from rosenblatt.engine.pieces import ENTRIES_PER_CALL, all_margins
from rosenblatt.engine.points import Points, count, stored
from rosenblatt.engine.rules import NO_LOOKS, State, Tally
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.errors import InputError
from rosenblatt.places.file.block_orders import Way, WorkingRows, in_turn, mixed, of_pass
from rosenblatt.places.file.rows import FileRows, Piece


class Position(NamedTuple):
    """How far a run has come.

    Attributes
    ----------
    passes : int
        Passes finished.
    steps : int
        Steps made in this pass on the way through the file.
    laps : int
        Laps made over the rows kept.
    found : int
        Updates made in this pass on the way through the file.
    over : bool
        Whether the laps have ended.
    """

    passes: int = 0
    steps: int = 0
    laps: int = 0
    found: int = 0
    over: bool = False


START = Position()


class FileProgress(NamedTuple):
    """How far a streamed fit has come.

    Attributes
    ----------
    passes : int
        Passes finished.
    position, size : int, int or None
        Bytes of the file read in this pass, and in all.
    looks, mistakes : int
        So far.
    kept, full : int, bool
        Rows in the working set of ``active`` order, and whether some did not fit into it.
    """

    passes: int
    position: int
    size: int | None
    looks: int
    mistakes: int
    kept: int
    full: bool


@dataclass
class FileStanding:
    """All that a resumed run needs to continue identically, besides its rows and history.

    Attributes
    ----------
    place : Position
        How far it has come.
    begun : Tally
        The looks and updates before this pass.
    total : Tally
        Those until now.
    moved : float
        The sum of all steps made: the length of the dual form.
    averaged : int
        Multiply-adds that the average took.
    radius : float
        The longest row so far.
    weights, drift, clock : ndarray
        Of the state, now.
    before : ndarray or None
        The weights at the start of this pass, where a stopping test compares with them.
    kept, kept_bytes, kept_full
        The numbers of the rows kept, their size, and whether some did not fit.
    """

    place: Position = START
    begun: Tally = NO_LOOKS
    total: Tally = NO_LOOKS
    moved: float = 0.0
    averaged: int = 0
    radius: float = 0.0
    weights: Any = None
    drift: Any = None
    clock: Any = None
    before: Any = None
    kept: Any = field(default_factory=lambda: np.zeros(0, np.int64))
    kept_bytes: int = 0
    kept_full: bool = False


class FileSweep(Counting):
    """Looks at the rows of a file for `learn`.

    Parameters
    ----------
    rows : FileRows
        The rows to learn from.
    rule, state
        As for `CompiledSweep`.
    seed : int
        Of the shuffled ways through the file.
    room : int
        Bytes of rows that may be held between chunks.
    standing : FileStanding, optional
        Where an earlier run was left, to resume it.
    remember : bool
        Whether the weights at the start of a pass are part of the standing.
    watch : callable, optional
        Sees the sweep after each step.
    """

    def __init__(
        self,
        rows: FileRows,
        rule: Any,
        state: State,
        *,
        seed: int,
        room: int,
        standing: FileStanding | None = None,
        remember: bool = False,
        watch: Callable[[FileSweep], None] | None = None,
    ):
        self.rows, self.seed, self.room, self.watch = rows, seed, room, watch or (lambda _: None)
        self.points, self.rule, self.state = rows.none, rule, state
        self.kept = WorkingRows(room)
        self.place = START
        self.distance, self.averaged = 0.0, 0
        self.remember, self.before = remember, None
        self.ahead = standing
        if standing is not None:
            self.total = standing.begun
            if standing.before is not None:
                state.weights[...] = standing.before
        self.begun = self.total

    @property
    def moved(self) -> float:
        """The sum of all steps made."""
        return self.distance

    @property
    def come_in_classes(self) -> bool:  # type: ignore[override]
        """Whether rows of one class tend to follow each other; not known in the first pass."""
        return self.rows.come_in_classes

    def standing(self) -> FileStanding:
        """Where the run is; the arrays are not copied."""
        state = self.state
        return FileStanding(
            self.place,
            self.begun,
            self.total,
            self.distance,
            self.averaged,
            self.rows.radius,
            state.weights,
            state.drift,
            state.clock,
            self.before,
            self.kept.numbers(),
            self.kept.nbytes,
            self.kept.full,
        )

    def progress(self) -> FileProgress:
        """How far the run has come."""
        reader, kept = self.rows.reader, self.kept
        at = (getattr(reader, "position", 0), getattr(reader, "size", None))
        counts = self.total.looks, self.total.updates, len(kept.ids)
        return FileProgress(self.place.passes, *at, *counts, kept.full)

    def begin(self) -> None:
        """Begin a pass, or resume one."""
        if self.ahead is None:
            started = self.place.steps > 0
            self.place = Position(self.place.passes + started)
            self.begun = self.total
            self.before = self.state.weights.copy() if self.remember else None
            return
        then, self.ahead = self.ahead, None
        self.place, self.begun, self.total = then.place, then.begun, then.total
        self.distance, self.averaged, self.before = then.moved, then.averaged, then.before
        self.rows.radius = then.radius
        self.state.weights[...] = then.weights
        self.state.drift[...] = then.drift
        self.state.clock[...] = then.clock
        self.kept.refill(self.rows, then.kept, then.kept_bytes, then.kept_full)

    def through(self, way: Way, keep: bool = False) -> int:
        """Look at all rows once; return the updates made."""
        number, done = 0, self.place.steps
        rng = of_pass(self.seed, self.place.passes)
        for piece, order in way(self.rows, rng, self.room):
            number += 1  # noqa: SIM113 - enumerate would hold on to the last piece
            if number > done:
                if self.left <= 0:
                    break
                with Uninterrupted():
                    found = self.place.found + self._step(piece, order, keep)
                    self.place = self.place._replace(steps=number, found=found)
                self.watch(self)
            del piece  # before the next ones are read
        return self.place.found

    def _step(self, piece: Piece, order: np.ndarray, keep: bool) -> int:
        points = self.rows.points(piece)
        if self.place.passes == 0:
            self.rows.measure(points, piece)
        found, moved = self._look(points, order, 1)
        if keep:
            self.kept.take(piece, np.flatnonzero(moved))
        return found

    def again(self, shuffle: bool) -> None:
        """Look at the rows kept, lap after lap until they are clean."""
        kept = self.kept.rows()
        if kept is None:
            return
        points = self.rows.points(kept)
        order = np.arange(len(kept.ids))
        if shuffle:
            order = of_pass(self.seed, self.place.passes, 1).permutation(order)
        seen = self.total.looks - self.begun.looks if self.rows.n is None else self.rows.n
        laps = max(1, ACTIVE_EFFORT * seen // len(order))
        # Laps between two settlements of the drift depend on the rows alone, so that a resumed run
        # rounds alike.
        at_once = max(1, ENTRIES_PER_CALL // max(1, stored(points)))
        while self.place.laps < laps and not self.place.over and self.left > 0:
            with Uninterrupted():
                some = min(at_once, laps - self.place.laps)
                last, _ = self._look(points, order, some)
                self.place = self.place._replace(laps=self.place.laps + some, over=last == 0)
            self.watch(self)

    def _look(self, points: Points, order: np.ndarray, laps: int) -> tuple[int, np.ndarray]:
        """Look at points in memory; the updates of the last lap, and the steps of each point."""
        n = count(points)
        state = self.state._replace(dual=np.zeros(n), pending=np.zeros(n))
        sweep = CompiledSweep(points, self.rule, state, order)
        sweep.allowed = self.left
        last = sweep.look(order, laps)
        sweep.finish()
        self.averaged += sweep.averaged
        self.count(sweep.total)
        self.distance += sweep.moved
        return last, state.dual

    def error(self, points: Any = None, order: Any = None) -> float:
        """The share of rows on the wrong side or the boundary, by one pass."""
        wrong = rows = 0
        for some in margins_of(self.rows, self.rule, self.state):
            wrong, rows = wrong + int(np.count_nonzero(some <= 0)), rows + len(some)
        return wrong / rows


def margins_of(rows: FileRows, rule: Any, state: State) -> Any:
    """How far each row is on its right side at the state's weights, chunk by chunk."""
    for piece in rows.pieces():
        yield all_margins(rows.points(piece), rule, state, np.arange(len(piece.ids)))


def cyclic(sweep: FileSweep, rng: Any) -> int:
    """All rows, as they come."""
    sweep.begin()
    return sweep.through(in_turn)


def shuffled(sweep: FileSweep, rng: Any) -> int:
    """All rows, mixed through a pool in memory, anew each pass."""
    sweep.begin()
    return sweep.through(mixed)


def active(sweep: FileSweep, rng: Any) -> int:
    """All rows once, then those ever mistaken that fit into memory, until they are clean.

    Mixed where rows come class by class, for the reason that ``orders.active`` gives.
    """
    sweep.begin()
    mix = sweep.come_in_classes
    found = sweep.through(mixed if mix else in_turn, keep=True)
    if found:
        sweep.again(shuffle=mix)
    return found


ORDERS = {"active": active, "cyclic": cyclic, "shuffled": shuffled}


def order_named(name: str) -> Callable[[FileSweep, Any], int]:
    """The order of that name on a stream.

    Examples
    --------
    >>> order_named("worst")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: order must be one of 'active', 'cyclic', 'shuffled' on a stream,
    got 'worst'.
    """
    if not isinstance(name, str) or name not in ORDERS:
        known = ", ".join(map(repr, ORDERS))
        raise InputError(f"order must be one of {known} on a stream, got {name!r}.")
    return ORDERS[name]

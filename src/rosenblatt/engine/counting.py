"""Protocols of sweeps, and the counts that all sweeps have in common.

A sweep has the points, the rule and the state, makes looks, and counts them.
"""

from __future__ import annotations

import math
from operator import add
from typing import Any, Protocol

import numpy as np

from rosenblatt.engine.costs import RunCost, run_cost
from rosenblatt.engine.orders import come_in_classes
from rosenblatt.engine.pieces import length
from rosenblatt.engine.points import Points, count, stored, stored_by
from rosenblatt.engine.rules import NO_LOOKS, State, Tally
from rosenblatt.errors import InputError
from rosenblatt.lazy import cached_property

UNLIMITED = np.iinfo(np.int64).max


class Sweep(Protocol):
    """What the loop asks of a sweep.

    Attributes
    ----------
    state : State
        Weights and what else is learned, changed in place.
    total : Tally
        Looks and updates so far.
    allowed : int
        The most updates it may make in all.
    forgets : bool
        Whether later weights may remain worse than earlier ones. If training errors are measured,
        the run then keeps the last weights whose error is within ``tol`` of the least so far.
    """

    state: State
    total: Tally
    allowed: int
    forgets: bool

    @property
    def left(self) -> int:
        """Updates that are still allowed."""
        ...

    @property
    def least(self) -> float:
        """The least margin met since the last update; NaN if the sweep does not track it."""
        ...

    @property
    def moved(self) -> float:
        """The sum of all steps made: the length of the dual form."""
        ...

    def error(self, points: Any = None, order: Any = None) -> float:
        """The share of errors among those points, by default among the points in play."""
        ...

    def length(self) -> float:
        """‖w‖ now."""
        ...

    def finish(self) -> None:
        """Bring up to date what is kept lazily; called once, at the end of a run."""
        ...

    def cost(self) -> RunCost:
        """The cost of the looks and updates so far."""
        ...


class PointSweep(Sweep, Protocol):
    """What the named orders ask of a sweep in addition: looks at points by their numbers.

    Attributes
    ----------
    came_clean : bool
        Whether the last look ended with a lap without an update, and margins tell whom to watch.
    """

    points: Any
    in_play: Any
    came_clean: bool

    @property
    def come_in_classes(self) -> bool:
        """Whether the points come class by class."""
        ...

    def look(self, order: Any, laps: int = 1) -> int:
        """Look at the points of ``order``, up to ``laps`` times; updates of the last lap."""
        ...

    def mistaken(self) -> Any:
        """The points that have changed the weights so far."""
        ...

    def hardly_right(self) -> tuple[int, Any]:
        """Look at all points without updates, where laps came clean: how many err, whom to watch.

        A point far on its right side is seldom mistaken after the few updates still to be made, so
        that most of the looks that would find nothing are saved.
        """
        ...

    def most_violated(self) -> int:
        """The point furthest on its wrong side."""
        ...


class Counting:
    """Base class of sweeps: points, counts, and what follows from them."""

    points: Any
    rule: Any
    state: State
    in_play: Any
    total: Tally = NO_LOOKS
    allowed: int = UNLIMITED
    averaged: int = 0  # multiply-adds that brought the drift up to date
    mixed: bool = False
    forgets: bool = False
    came_clean: bool = False

    @property
    def left(self) -> int:
        """Updates that are still allowed."""
        return self.allowed - self.total.updates

    def count(self, made: Tally) -> None:
        """Add looks and updates to the total."""
        self.total = Tally(*map(add, self.total, made))

    @cached_property
    def come_in_classes(self) -> bool:
        """Whether the points come class by class."""
        return not self.mixed and come_in_classes(np.asarray(self.points.y)[self.in_play])

    @property
    def least(self) -> float:
        """Not tracked here: NaN."""
        return math.nan

    @property
    def moved(self) -> float:
        """The sum of all steps made, from the dual form."""
        return float(self.state.dual.sum())

    def look(self, order: Any, laps: int = 1) -> int:
        """Look at ``order`` until a lap of it is clean or ``laps`` are done; the last's updates."""
        raise NotImplementedError

    def mistaken(self) -> Any:
        """The points that have changed the weights so far."""
        raise NotImplementedError

    def hardly_right(self) -> tuple[int, Any]:
        """Look at all points without updates; needed where ``came_clean`` can be true."""
        raise NotImplementedError

    def count_aside(self) -> None:
        """Count a look at each point without an update."""
        in_play, whole = self.in_play, len(self.in_play) == count(self.points)
        read = stored(self.points) if whole else stored_by(self.points, in_play)
        self.count(Tally(0, len(in_play), 0, read, 0))

    def look_aside(self) -> np.ndarray:
        """The margins of all points, counted as a look at each."""
        self.count_aside()
        return self.margins(self.points, self.in_play)

    def most_violated(self) -> int:
        """The point of least margin; counted as a look at each point."""
        return int(self.in_play[np.argmin(self.look_aside())])

    def margins(self, points: Any, order: Any) -> np.ndarray:
        """How far each of those points is on its right side, at the current weights."""
        raise NotImplementedError

    def error(self, points: Any = None, order: Any = None) -> float:
        """The share of those points on the wrong side or the boundary; by default of all."""
        if points is None:
            points, order = self.points, self.in_play
        return float(np.mean(self.margins(points, order) <= 0))

    def length(self) -> float:
        """‖w‖ now, over all classes."""
        return length(self.state.weights)

    def finish(self) -> None:
        """Does nothing: no updates are pending here."""

    def cost(self) -> RunCost:
        """The cost of the looks and updates so far."""
        return run_cost(self.points, self.total, len(self.state.buffer), self.averaged)


def points_in_play(points: Points, chosen: np.ndarray | None) -> np.ndarray:
    """The points in play: those given, or all; an error if there are none."""
    chosen = np.arange(count(points)) if chosen is None else chosen
    if len(chosen) == 0:
        raise InputError("There is no point to learn from: n = 0, or every sample weight is 0.")
    return chosen

"""`CompiledSweep`, by which the loop looks at rows in memory, and the states that runs start at.

Files, clusters, kernels, traces and descents have sweeps of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.counting import Counting, points_in_play
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.machine.jit import compiled, dispatcher
from rosenblatt.engine.machine.lookahead import looking_ahead
from rosenblatt.engine.orders import HARDLY, near_boundary
from rosenblatt.engine.pieces import (
    ENTRIES_PER_CALL,
    all_margins,
    mean_step,
    of_pieces,
    own,
    rows_within,
    squares_of,
)
from rosenblatt.engine.points import (
    Points,
    SparseRows,
    count,
    table_of,
    width,
)
from rosenblatt.engine.rules import State, Tally
from rosenblatt.errors import InputError
from rosenblatt.lazy import cached_property

# Doubles of a cache line.
LINE = 8
# The order of all points as they come, as `rules.cycle` takes it: dense rows of single precision
# are read in a fifth less time than by their numbers.
AS_THEY_COME = np.empty(0, dtype=np.intp)


def zero_state(points: Points, classes: int = 0) -> State:
    """A state at w = 0; ``classes`` is K for one weight vector a class, 0 for two signs.

    Sparse rows want the K weights of a feature side by side, dense rows each class's weights.
    """
    n, d = count(points), width(points)
    shape = (classes, d + 1) if classes else (d + 1,)
    order = "F" if isinstance(table_of(points.rows), SparseRows) else "C"
    return State(
        weights=zeros_on_a_line(shape, order),
        drift=zeros_on_a_line(shape, order),
        dual=np.zeros(n),
        pending=np.zeros(n),
        clock=np.zeros(1, dtype=np.int64),
        buffer=np.zeros(classes),
    )


def zeros_on_a_line(shape: tuple[int, ...], order: Any) -> np.ndarray:
    """Zeros that begin with a cache line: no register spans two, which saves 4 to 8% of a pass."""
    count = math.prod(shape)
    room = np.zeros(count + LINE)
    skip = -room.__array_interface__["data"][0] // room.itemsize % LINE
    return room[skip : skip + count].reshape(shape, order=order)


def resumed(state: State, points: Points) -> State:
    """A state for these points that continues from another."""
    fresh = zero_state(points, len(state.buffer))
    if fresh.weights.shape != state.weights.shape:
        raise InputError(
            f"A run can only go on with as many features and classes as it had: its weights have "
            f"shape {state.weights.shape}, these points need {fresh.weights.shape}."
        )
    fresh.weights[...] = state.weights
    fresh.drift[...] = state.drift
    fresh.clock[...] = state.clock
    return fresh


class CompiledSweep(Counting):
    """Looks at points by machine code, in pieces short enough for a Ctrl-C between them.

    Parameters
    ----------
    points : Points
        What to learn from.
    rule : PerceptronRule, Multiclass, …
        How a mistake changes the weights.
    state : State, optional
        Where to start; changed in place. Zero weights by default.
    in_play : ndarray of int, optional
        The points in play; all by default.
    squares : ndarray, optional
        ‖(x, 1)‖² of every point, if they are known.
    mixed : bool
        Whether the points in play are known to come in a random order.
    """

    def __init__(
        self,
        points: Points,
        rule: Any,
        state: State | None = None,
        in_play: np.ndarray | None = None,
        squares: np.ndarray | None = None,
        mixed: bool = False,
    ):
        if state is None:
            state = zero_state(points, rules.vectors(rule, points))
        self.points, self.rule, self.state = points, rule, state
        self.in_play = points_in_play(points, in_play)
        self._squares, self._least, self.mixed = squares, None, mixed
        self._cycle: Callable[..., Tally] = dispatcher(rules.cycle)
        self._own = rule.with_least_margin()
        self._ahead = looking_ahead(self._own, points, len(state.buffer))
        self._rows_per_call = rows_within(ENTRIES_PER_CALL, points)

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look at ``order`` until a lap of it is clean or ``laps`` are done; the last's updates."""
        last, n, rows = 0, len(order), self._rows_per_call
        is_all = order is self.in_play and n <= rows and self._has_all
        order = AS_THEY_COME if is_all else np.asarray(order)
        while laps > 0 and self.left > 0:
            last, at_once = 0, max(1, min(laps, rows // max(1, n)))
            for at in range(0, n, rows):
                if self.left > 0:
                    with Uninterrupted():
                        last += self.call(order[at : at + rows], at_once, self.left).last
            if last == 0:
                break
            laps -= at_once
        self.came_clean = last == 0 and self.rule.is_plain
        return last

    def call(self, piece: np.ndarray, laps: int, budget: int) -> Tally:
        """Make laps over a piece of an order, up to so many updates, by one call; counted."""
        self._least = None
        # A call that ends at its first update would not use scores taken ahead.
        rule = self._ahead if budget > 1 else self._own
        tally = self._cycle(rule, self.points, piece, laps, budget, self.state)
        self.count(tally)
        return tally

    @cached_property
    def _has_all(self) -> bool:
        n = count(self.points)
        return len(self.in_play) == n and bool((self.in_play == np.arange(n)).all())

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far."""
        return self.in_play[self.state.dual[self.in_play] > 0]

    def margins(self, points: Points, order: np.ndarray) -> np.ndarray:
        """How far each of those points is on its right side, at the current weights."""
        return all_margins(points, self.rule, self.state, order)

    def hardly_right(self) -> tuple[int, np.ndarray]:
        """Look at all points without updates: how many err, and those near the boundary."""
        self.count_aside()
        kernel, in_play, limit = dispatcher(near_boundary), self.in_play, HARDLY * self._usual_step
        out, given = np.empty_like(in_play), (self.rule, self.points)

        def look(piece: slice) -> tuple[int, float, np.ndarray]:
            room = out[piece]
            wrong, some, least = kernel(*given, in_play[piece], own(self.state), limit, room)
            return wrong, least, room[:some]

        errors, least, doubtful = zip(*of_pieces(self.points, len(in_play), look), strict=True)
        self._least = float(np.min(least))
        return sum(errors), np.concatenate(doubtful) if any(errors) else in_play

    def look_aside(self) -> np.ndarray:
        """The margins of all points, counted as a look at each; notes the least of them."""
        margins = super().look_aside()
        self._least = float(margins.min())
        return margins

    @cached_property
    def _usual_step(self) -> float:
        """Mean of what an update adds to the margin of its own point."""
        squares = squares_of(self.points) if self._squares is None else self._squares
        return mean_step(self.points, squares)

    @property
    def least(self) -> float:
        """The least margin met since the last update; NaN if the rule does not track it."""
        return self._own.least_margin if self._least is None else self._least

    def finish(self) -> None:
        """Bring the drift up to date."""
        if self.state.weights.ndim > 1:
            return
        some = self.state.pending.nonzero()[0]
        if len(some):
            self.averaged += compiled(rules.add_pending)(self.points, some, self.state)

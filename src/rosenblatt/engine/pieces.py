"""Margins, norms and the like of many points, computed in pieces short enough for a Ctrl-C."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.engine.machine.threads import in_pieces
from rosenblatt.engine.points import Points, count, squared_norms, stored
from rosenblatt.engine.rules import SQUARES, State

Result = TypeVar("Result")

# Entries a compiled call may touch before Python gets to see a Ctrl-C: some ten milliseconds.
ENTRIES_PER_CALL = 2**24
# Entries of a piece that threads share: a millisecond or so.
ENTRIES_PER_PIECE = ENTRIES_PER_CALL // 8
FLOAT = np.dtype(np.float64)


def all_margins(points: Points, rule: Any, state: State, order: np.ndarray) -> np.ndarray:
    """How far each of those points is on its right side, at the state's weights."""
    kernel, out = dispatcher(rules.margins), np.empty(len(order))

    def look(piece: slice) -> None:
        kernel(rule, points, order[piece], own(state), out[piece])

    of_pieces(points, len(order), look)
    return out


def own(state: State) -> State:
    """The state with its own buffer for a row's scores, which threads cannot share."""
    return state._replace(buffer=np.empty_like(state.buffer)) if len(state.buffer) else state


def of_pieces(points: Points, n: int, look: Callable[[slice], Result]) -> list[Result]:
    """Results of ``look`` for consecutive pieces of n points, in order."""
    if stored(points) <= ENTRIES_PER_PIECE:
        return [look(slice(0, n))]
    found: dict[int, Result] = {}

    def note(piece: slice) -> None:
        found[piece.start] = look(piece)

    in_pieces(note, n, rows_within(ENTRIES_PER_PIECE, points))
    return [found[start] for start in sorted(found)]


def squares_of(points: Points) -> np.ndarray:
    """‖(x, 1)‖² of every point."""
    return squares_of_rows(points.rows, count(points), points.bias)


def squares_of_rows(rows: Any, n: int, bias: float = 0.0) -> np.ndarray:
    """‖(x, bias)‖² of n rows."""
    squares = np.empty(n)
    # Labels do not matter: with floats for all, one version of the machine code serves all.
    dispatcher(squared_norms)(Points(rows, squares, squares, bias), squares)
    return squares


def mean_step(points: Points, squares: np.ndarray) -> float:
    """The mean of η‖x‖² over points that have a step: what it adds to the point's own margin."""
    # One core, no warning on overflow.
    total = float(np.einsum("i,i", points.steps, squares))
    return total / max(1, int(np.count_nonzero(points.steps)))


def length(weights: Any) -> float:
    """‖w‖ over all classes, in floating point, of float or exact weights."""
    if getattr(weights, "dtype", None) == FLOAT:
        # One core, no warning on overflow; class by class, so that rounding grows with d alone.
        squares = np.einsum("...j,...j", weights, weights)
        square = float(squares.sum() if weights.ndim > 1 else squares)
        if SQUARES[0] < square < SQUARES[1]:
            return math.sqrt(square)
    largest = np.abs(weights).max()
    if not 0 < largest < math.inf:
        return float(largest)
    return float(largest) * math.sqrt(float(np.square(weights / largest).sum()))


def rows_within(entries: int, points: Points) -> int:
    """How many rows store about so many entries, at least one."""
    per_row = max(1, stored(points) // max(1, count(points)))
    return max(1, entries // per_row)

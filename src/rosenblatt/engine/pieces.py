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
from rosenblatt.engine.rules import State

Result = TypeVar("Result")

# Entries a compiled call may touch before Python gets to see a Ctrl-C: some ten milliseconds.
ENTRIES_PER_CALL = 2**24
# Entries of a piece that threads share: a millisecond or so.
ENTRIES_PER_PIECE = ENTRIES_PER_CALL // 8
# Length up to which BLAS multiplies two vectors on one core.
ONE_CORE = 8192


def all_margins(points: Points, rule: Any, state: State, order: np.ndarray) -> np.ndarray:
    """How far each of those points is on its right side, at the state's weights."""
    kernel = dispatcher(rules.margins)
    return of_each(points, order, lambda some, out: kernel(rule, points, some, own(state), out))


def own(state: State) -> State:
    """The state with its own buffer for a row's scores, which threads cannot share."""
    return state._replace(buffer=np.empty_like(state.buffer)) if len(state.buffer) else state


def of_each(
    points: Points, order: np.ndarray, look: Callable[[np.ndarray, np.ndarray], None]
) -> np.ndarray:
    """A number for each of those points, written by ``look``, some points at a time.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> points = make_points(np.array([[1.0], [2.0], [3.0]]), np.array([1.0, -1.0, 1.0]))
    >>> of_each(points, np.array([2, 0]), lambda some, out: np.copyto(out, 10.0 * some))
    array([20.,  0.])
    """
    out = np.empty(len(order))
    of_pieces(points, len(order), lambda piece: look(order[piece], out[piece]))
    return out


def of_pieces(points: Points, n: int, look: Callable[[slice], Result]) -> list[Result]:
    """Results of ``look`` for consecutive pieces of n points, in order."""
    if stored(points) <= ENTRIES_PER_PIECE:
        return [look(slice(0, n))]
    found: dict[int, Result] = {}

    def note(piece: slice) -> None:
        found[piece.start] = look(piece)

    in_pieces(note, n, rows_per_piece(points))
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


def middle(values: np.ndarray) -> float:
    """The median, the upper one of an even count; infinite for no numbers.

    Examples
    --------
    >>> middle(np.array([3.0, 1.0, 2.0])), middle(np.array([4.0, 1.0])), middle(np.array([]))
    (2.0, 4.0, inf)
    """
    if not len(values):
        return math.inf
    at = len(values) // 2
    return float(np.partition(values, at)[at])


def mean_step(points: Points, squares: np.ndarray) -> float:
    """The mean of η‖x‖² over points that have a step: what it adds to the point's own margin."""
    return inner(points.steps, squares) / max(1, int(np.count_nonzero(points.steps)))


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """The dot product, in pieces for which BLAS uses one core: waking threads takes longer."""
    with np.errstate(over="ignore"):
        if len(a) <= ONE_CORE:
            return float(a.dot(b))
        cuts = [slice(at, at + ONE_CORE) for at in range(0, len(a), ONE_CORE)]
        return float(sum([a[cut].dot(b[cut]) for cut in cuts]))


def rows_per_call(points: Points) -> int:
    """How many rows one compiled call may look at."""
    return _rows_of(points, ENTRIES_PER_CALL)


def rows_per_piece(points: Points) -> int:
    """How many rows a thread looks at before it takes others."""
    return _rows_of(points, ENTRIES_PER_PIECE)


def _rows_of(points: Points, entries: int) -> int:
    per_row = max(1, stored(points) // max(1, count(points)))
    return max(1, entries // per_row)

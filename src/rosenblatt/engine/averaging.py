"""What the passes for a mean share, wherever the rows lie: the length of steps, and an order.

The classifier is the mean of the weights over all looks of full passes in random orders, over
scaled columns, with a perceptron that also corrects points too near its boundary (Freund and
Schapire 1999; Collins 2002; Krauth and Mézard 1987).
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.engine.pieces import of_pieces, squares_of, squares_of_rows
from rosenblatt.engine.points import Points, dot, width
from rosenblatt.engine.scaling import Scale, longest


def shortened(steps: np.ndarray, squares: np.ndarray, most: float) -> np.ndarray:
    """Steps, shortened where ‖(x, 1)‖² exceeds ``most``, as if it were ``most``.

    Else the steps along a few very long rows would dominate the mean.

    Examples
    --------
    >>> shortened(np.ones(3), np.array([1.0, 2.0, 80.0]), most=20.0)
    array([1.  , 1.  , 0.25])
    """
    return steps * (most / np.maximum(squares, most)) if squares.max(initial=0.0) > most else steps


class Alike(NamedTuple):
    """Scale of columns and limit of steps, for points that come table by table.

    Attributes
    ----------
    scale : Scale
        Of the columns.
    most : float
        The most that a step of 1 may add to the margin of its own point.
    """

    scale: Scale
    most: float

    @classmethod
    def by(cls, scale: Scale, X: Any, bias: float) -> Alike:
        """With the limit of steps estimated from some of the rows."""
        return cls(scale, longest(squares_of_rows(scale.rows(X), X.shape[0], bias)))

    def points(self, points: Points, X: Any) -> Points:
        """The points of a table's rows, with scaled columns and limited steps."""
        points = points._replace(rows=self.scale.rows(X))
        return points._replace(steps=shortened(points.steps, squares_of(points), self.most))


def by_content(points: Points, in_play: np.ndarray) -> np.ndarray:
    """Those points in an order that depends on their content, not on the order in which they came.

    They are sorted by a random linear function of row, label and relative step, so that a shuffle
    with a given seed, and all that is learned in its order, is the same in whatever order the rows
    came, and whatever the scale of the steps.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([1.0, -1.0, 1.0])
    >>> there = by_content(make_points(X, y), np.arange(3))
    >>> back = by_content(make_points(X[::-1].copy(), y[::-1].copy()), np.arange(3))
    >>> np.array_equal(X[there], X[::-1][back])
    True
    """
    random, kernel = _random(width(points) + 3), dispatcher(contents)
    largest = points.steps.max(initial=0.0)
    if largest > 0:
        points = points._replace(steps=points.steps / largest)
    keys = np.empty(len(in_play))

    def look(piece: slice) -> None:
        kernel(points, in_play[piece], random, keys[piece])

    of_pieces(points, len(in_play), look)
    return in_play[keys.argsort()]


def contents(points: Points, order: Any, random: Any, out: Any) -> None:
    """Write a linear function of row, label and step of each of those points into ``out``."""
    d = len(random) - 3
    for k in range(len(order)):
        i = order[k]
        of_row = dot(points, i, random[: d + 1])
        out[k] = of_row + random[d + 1] * points.y[i] + random[d + 2] * points.steps[i]


@functools.lru_cache(maxsize=1)
def _random(size: int) -> np.ndarray:
    """Random whole numbers: keys of whole-number rows are exact, so dense and sparse ones agree.

    Cached, since making them takes as long as a pass over a hundred rows.
    """
    return np.random.default_rng(0).integers(2**40, size=size).astype(np.float64)

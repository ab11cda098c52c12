"""The fewest errors, drawn: weights that make them, and the rows to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import heading, note
from rosenblatt.figures.drawing.marks import ring, tag
from rosenblatt.figures.drawing.projection import view_of
from rosenblatt.figures.drawing.sources import data_of, hyperplane_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.spaces import x_space

NAMED = 12  # rows that get a number beside their circles
# In points: how far a number is from the middle of its circle, and from other numbers and circles.
BESIDE, ROOM = np.array([22, 16]), np.array([26, 15])


@figure()
def fewest_errors(
    source: Any,
    X: Any,
    y: Any,
    *,
    ax: Any = None,
    view: Any = "auto",
    names: Any = None,
    title: str | None = None,
) -> Any:
    """The rows without which two classes are separable, and a line that separates the others.

    Parameters
    ----------
    source : FewestErrors
        Of two classes.
    X, y : array and labels
        The points it speaks of.
    ax, view, names
        As for `x_space`.
    title : str, optional
        The bracket by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.xor()[:2]
    >>> figures.fewest_errors(rb.fewest_errors(X, y), X, y).get_title(loc="left")
    'Fewest errors: 1 of 4'
    """
    proof: Any = getattr(source, "certificate", None)
    if getattr(proof, "kind", "") != "fewest-errors" or not proof.binary:
        raise InputError(
            "figures.fewest_errors draws the answer of rosenblatt.fewest_errors for two classes, "
            f"got a {type(source).__name__}: pass rosenblatt.fewest_errors(X, y), or for one class "
            "of several rosenblatt.fewest_errors(X, y == label)."
        )
    many = f"{source.lower:,}" if source.exact else f"{source.lower:,} to {source.upper:,}"
    title = f"Fewest errors: {many} of {source.n:,}" if title is None else title
    data = data_of(None, X, y, names)
    source = source.facing(data.classes[-1])  # as bare weights are drawn
    weights = np.asarray(source.weights / np.abs(source.weights).max(), dtype=float)
    ax = x_space(
        weights, X, y, ax=ax, normal=False, mistakes=False, view=view, names=names, title=title
    )
    if not len(source.rows):
        return ax
    seen = view_of(data, hyperplane_of(weights, data), view)
    points = seen.points(data.dense(source.rows), data.signs[source.rows])
    palette = palette_of(ax)
    ring(ax, points, source.rows, data, f"to look at: {len(points):,}", palette.proof)
    heading(ax, title)
    numbered = _number(ax, points[:NAMED], source.rows[:NAMED].tolist())
    note(ax, _said_of([row for row in source.rows.tolist() if row not in numbered]))
    return ax


def _number(ax: Any, points: np.ndarray, rows: list[int]) -> set[int]:
    """Write the rows beside their circles, where there is room; those that are written."""
    ax.figure.draw_without_rendering()  # places the axes, and with them the circles
    to_points = 72 / ax.figure.dpi
    circles = ax.transData.transform(points) * to_points
    low, high = ax.bbox.get_points() * to_points
    taken, written = [*circles], set[int]()
    for row, point, circle in zip(rows, points, circles, strict=True):
        for offset in _around(point - points.mean(axis=0)):
            place = circle + offset
            free = all((abs(place - other) > ROOM).any() for other in taken if other is not circle)
            if free and (place > low).all() and (place < high).all():
                tag(ax, str(row), point, palette_of(ax).proof, offset=offset)
                taken.append(place)
                written.add(row)
                break
    return written


def _around(direction: np.ndarray) -> list[tuple[float, float]]:
    """Where a word may stand beside a circle, in points: best away from the other circles.

    Examples
    --------
    >>> [(round(x), round(y)) for x, y in _around(np.array([2.0, 0.0]))[:3]]
    [(22, 0), (22, 16), (22, -16)]
    """
    first = np.arctan2(direction[1], direction[0]) if direction.any() else np.pi / 2
    turns = np.pi / 4 * np.array([0, 1, -1, 2, -2, 3, -3, 4])
    ways = np.column_stack([np.cos(first + turns), np.sin(first + turns)])
    return [(float(x), float(y)) for x, y in BESIDE * ways / np.abs(ways).max(axis=1)[:, None]]


def _said_of(rows: list[int]) -> str:
    """What to say of circles without a number."""
    if not rows:
        return ""
    if len(rows) > NAMED:
        return f"{len(rows):,} of the rows circled are not numbered: all are in rows"
    listed = ", ".join(map(str, rows))
    return f"circled without a number: {'row' if len(rows) == 1 else 'rows'} {listed}"

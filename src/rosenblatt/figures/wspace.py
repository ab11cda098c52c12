"""w-space: every sample a line, the weights a point, learning a path into the wedge."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arguments import FLAG
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, finish, fit_to, row_of_axes
from rosenblatt.figures.drawing.marks import arrow, tag
from rosenblatt.figures.drawing.sources import DrawnData, data_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.figures.spaces import x_space
from rosenblatt.figures.wplane import LINES, Plane, drawn_lines, wedge, weight_plane
from rosenblatt.teaching.geometry import Box, clip_line

NAMED = 9  # samples that get a name of their own
ARROWS = 30  # steps of a path that are arrows; longer ones are a thread
NUMBERED = 12  # steps of a path that get a number


@figure(path=FLAG)
def w_space(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    path: bool = True,
    sides: bool = True,
    names: Any = None,
    title: str = "",
) -> Any:
    """Weight space: each sample is the line w·x = 0, and allows the side that the arrows point to.

    The wedge where all agree is shaded; the weights of a Trace, or of a descent, walk into it. Of
    many samples those are drawn that bound the wedge, and some of the others.

    Parameters
    ----------
    source, X, y, ax, names, title
        As for `x_space`, for one or two features; also a `risk.Path`.
    path, sides : bool
        Draw the way of the weights, and the allowed side of each line.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures, trace
    >>> data = datasets.three_samples()
    >>> ax = figures.w_space(trace(data.X, data.y, fit_intercept=False))
    >>> len(ax.lines) >= 3
    True
    """
    data = data_of(source, X, y, names)
    plane = weight_plane(source, data)
    ax = axes_for(ax)
    palette = palette_of(ax)
    box = _box(plane)
    allowed = wedge(plane, box)
    if len(allowed):
        ax.fill(*allowed.T, color=palette.weights, alpha=0.22, lw=0, zorder=1, label="feasible w")
    rows, said = drawn_lines(plane, allowed)
    draw_lines(ax, plane, data, rows, box)
    for row in rows:
        _draw_sides(ax, plane, data, row, box, sides)
    if path and len(plane.path):
        _draw_path(ax, plane.path)
    ax.axhline(0, color=palette.faint, lw=0.6, zorder=0)
    ax.axvline(0, color=palette.faint, lw=0.6, zorder=0)
    none = "" if len(allowed) else "no weights in the picture have every sample on its side"
    fit_to(ax, box)
    finish(ax, plane.labels, title, plane.note, said, none)
    return ax


def draw_lines(ax: Any, plane: Plane, data: DrawnData, rows: np.ndarray, box: Box) -> None:
    """Draw the lines of those samples, each class in its colour and dashes."""
    palette = palette_of(ax)
    words = named(data.classes)
    seen = set()
    for row in rows[np.argsort(data.signs[rows], kind="stable")]:
        ends = clip_line(plane.rows[row], float(plane.offsets[row]), box)
        if ends is not None:
            positive = bool(data.signs[row] > 0)
            ax.plot(
                *ends.T,
                color=palette.positive if positive else palette.negative,
                ls="-" if positive else (0, (6, 2)),
                lw=2.5 if len(rows) <= NAMED else 1.4,
                zorder=2,
                label="_" if positive in seen else words[-1 if positive else 0],
            )
            seen.add(positive)


def _box(plane: Plane) -> Box:
    """Around the origin and the path; the cone has no size of its own."""
    reach = float(np.abs(plane.path).max(initial=0.0)) or 1.0
    lengths = np.linalg.norm(plane.rows, axis=1)
    near = np.abs(plane.offsets[lengths > 0]) / lengths[lengths > 0]
    if len(near) and np.median(near) > 0:
        reach = max(reach, float(np.median(near)))
    return Box(*[1.35 * reach * side for side in (-1, 1, -1, 1)])


def _draw_sides(ax: Any, plane: Plane, data: DrawnData, k: int, box: Box, sides: bool) -> None:
    """Arrows to the side that a sample allows, and the sample's name where there are few."""
    normal = plane.rows[k]
    ends = clip_line(normal, float(plane.offsets[k]), box)
    if ends is None:
        return
    palette = palette_of(ax)
    colour = palette.positive if data.signs[k] > 0 else palette.negative
    along = normal / np.linalg.norm(normal)
    if sides and data.n <= LINES:
        for share in (0.12, 0.88):
            base = ends[0] + share * (ends[1] - ends[0])
            arrow(ax, base, base + 0.05 * box.size * along, colour, lw=1.6)
    if data.n <= NAMED:
        end = max(ends, key=lambda p: (p[1], p[0]))
        beside = end + 0.06 * (ends.mean(axis=0) - end) - 0.05 * box.size * along
        inset = 0.05 * box.size
        inside = np.clip(
            beside,
            [box.left + inset, box.bottom + inset],
            [box.right - inset, box.top - inset],
        )
        tag(ax, f"$x^{{({k + 1})}}$", inside, colour)


def _draw_path(ax: Any, path: np.ndarray) -> None:
    palette = palette_of(ax)
    last = len(path) - 1
    if last > ARROWS:
        ax.plot(*path.T, color=palette.path, lw=1.0, alpha=0.8, zorder=3)
    for k in range(last if last <= ARROWS else 0):
        if np.any(path[k] != path[k + 1]):
            arrow(ax, path[k], path[k + 1], palette.path, lw=2.2)
    if last > 0:
        ax.plot(*path[0], "o", color=palette.path, ms=7, zorder=5)
    if 0 < last <= NUMBERED:
        for k in range(1, last):
            tag(ax, str(k), path[k], palette.path, offset=(9, -9))
    ax.plot(*path[-1], "*", color=palette.weights, ms=19, mec=palette.paper, zorder=6, label="w")


@figure()
def xw_space(
    source: Any, X: Any = None, y: Any = None, *, axes: Any = None, names: Any = None
) -> Any:
    """x-space and w-space side by side: points become lines, the line becomes a point.

    Parameters
    ----------
    source, X, y, names
        As for `w_space`.
    axes : two matplotlib Axes, optional

    Returns
    -------
    array of two matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> data = datasets.three_samples()
    >>> left, right = figures.xw_space([1, 4, 0], data.X, data.y)
    >>> left.get_title(loc="left"), right.get_title(loc="left")
    ('x-space', 'w-space')
    """
    data = data_of(source, X, y, names)
    plane = weight_plane(source, data)
    left, right = axes = row_of_axes(axes, 2)
    x_space(source, X, y, ax=left, names=names, title="x-space", regions=False)
    w_space(source, X, y, ax=right, names=names, title="w-space")
    if data.n <= NAMED and data.d == 2:
        palette = palette_of(left)
        for k, point in enumerate(data.dense()):
            colour = palette.positive if data.signs[k] > 0 else palette.negative
            tag(left, f"$x^{{({k + 1})}}$", point, colour, offset=(16, 12))
        if not plane.offsets.any():
            left.plot(0, 0, "+", color=palette.faint, ms=10, zorder=1)
    return axes

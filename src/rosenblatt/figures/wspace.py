"""w-space: every sample a line, the weights a point, learning a path into the wedge."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.canvas import axes_for, fit_to, heading, note, row_of_axes
from rosenblatt.figures.drawing.marks import arrow, tag
from rosenblatt.figures.drawing.sources import (
    DrawnData,
    data_of,
    has_bias,
    is_descent,
    is_trace,
    path_of,
    weights_of,
)
from rosenblatt.figures.drawing.style import palette_of, styled
from rosenblatt.figures.spaces import x_space
from rosenblatt.teaching.geometry import Box, clip_halfplanes, clip_line

LINES = 200  # drawn at most
NAMED = 9  # samples that get a name of their own
ARROWS = 30  # steps of a path that are arrows; longer ones are a thread
NUMBERED = 12  # steps of a path that get a number


class Plane(NamedTuple):
    """A plane of weights: rows aᵢ and offsets cᵢ of the constraints aᵢ·w + cᵢ ≥ 0 in it.

    Attributes
    ----------
    rows : ndarray of shape (n, 2)
    offsets : ndarray of shape (n,)
    path : ndarray of shape (t, 2)
        The weights, the last of them the final ones; maybe none.
    labels : tuple of str
    note : str
    """

    rows: np.ndarray
    offsets: np.ndarray
    path: np.ndarray
    labels: tuple[str, str]
    note: str = ""


def weight_plane(source: Any, data: DrawnData) -> Plane:
    """The plane of weights that w-space draws.

    Exact for two features without a bias, and for one feature with a bias, where weights have two
    coordinates. Two features with a bias have three: drawn is the section at the final bias.

    Examples
    --------
    >>> data = data_of(None, [[1, 4], [-5, -3], [3, -5]], [1, -1, -1])
    >>> weight_plane([1, 4, 0], data).rows.tolist()
    [[1.0, 4.0], [5.0, 3.0], [-3.0, 5.0]]
    """
    if data.d > 2:
        raise InputError(
            f"w-space is drawn for weights of two coordinates, but there are {data.d} features: "
            "choose two columns, or figures.x_space, which projects."
        )
    if len(data.classes) > 2:
        raise InputError("w-space is about two classes.")
    path = np.empty((0, data.d + 1))
    source = getattr(source, "path_", source)  # a BatchPerceptron keeps its descent
    if source is not None:
        stepwise = is_trace(source) or is_descent(source)
        path = path_of(source) if stepwise else weights_of(source)[None]
    if path.shape[1:] != (data.d + 1,):
        raise InputError(f"X has {data.d} features, so weights must be {data.d + 1}, bias last.")
    signed = data.signs[:, None] * data.dense()
    if data.d == 1:
        return Plane(np.column_stack([signed, data.signs]), np.zeros(data.n), path, ("$w$", "$b$"))
    bias = float(path[-1, -1]) if len(path) else 0.0
    said = ""
    if source is not None and has_bias(source):
        said = f"section of (w₁, w₂, b) at the final bias b = {bias:.4g}"
        if len(path) > 1:
            said += "; the path is seen along b"
    return Plane(signed, data.signs * bias, path[:, :2], ("$w_{1}$", "$w_{2}$"), said)


def wedge(plane: Plane, box: Box) -> np.ndarray:
    """The corners of the weights in the box that have every sample on its side.

    Examples
    --------
    >>> plane = Plane(np.array([[1.0, 0], [0, 1]]), np.zeros(2), np.empty((0, 2)), ("", ""))
    >>> wedge(plane, Box(-1, 1, -1, 1)).tolist()
    [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    return clip_halfplanes(box, plane.rows, plane.offsets)


@styled
def w_space(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    path: bool = True,
    sides: bool = True,
    title: str = "",
) -> Any:
    """Weight space: each sample is the line w·x = 0, and allows the side that the arrows point to.

    The wedge where all agree is shaded; the weights of a Trace, or of a descent, walk into it.

    Parameters
    ----------
    source, X, y, ax, title
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
    data = data_of(source, X, y)
    plane = weight_plane(source, data)
    ax = axes_for(ax)
    palette = palette_of(ax)
    box = _box(plane)
    allowed = wedge(plane, box)
    if len(allowed):
        ax.fill(*allowed.T, color=palette.weights, alpha=0.22, lw=0, zorder=1, label="feasible w")
    for k in range(min(LINES, data.n)):
        _draw_sample(ax, plane, data, k, box, sides and data.n <= 40)
    if path and len(plane.path):
        _draw_path(ax, plane.path)
    ax.axhline(0, color=palette.faint, lw=0.6, zorder=0)
    ax.axvline(0, color=palette.faint, lw=0.6, zorder=0)
    notes = [plane.note]
    if data.n > LINES:
        notes.append(f"{LINES} of {data.n:,} lines shown; the wedge counts them all")
    if not len(allowed):
        notes.append("no weights in the picture have every sample on its side")
    fit_to(ax, box)
    ax.set_xlabel(plane.labels[0])
    ax.set_ylabel(plane.labels[1])
    heading(ax, title)
    note(ax, *notes)
    return ax


def _box(plane: Plane) -> Box:
    """Around the origin and the path; the cone has no size of its own."""
    reach = float(np.abs(plane.path).max(initial=0.0)) or 1.0
    lengths = np.linalg.norm(plane.rows, axis=1)
    near = np.abs(plane.offsets[lengths > 0]) / lengths[lengths > 0]
    if len(near) and np.median(near) > 0:
        reach = max(reach, float(np.median(near)))
    return Box(*[1.35 * reach * side for side in (-1, 1, -1, 1)])


def _draw_sample(ax: Any, plane: Plane, data: DrawnData, k: int, box: Box, sides: bool) -> None:
    normal, offset = plane.rows[k], float(plane.offsets[k])
    ends = clip_line(normal, offset, box)
    if ends is None:
        return
    palette = palette_of(ax)
    colour = palette.positive if data.signs[k] > 0 else palette.negative
    ax.plot(
        *ends.T,
        color=colour,
        lw=2.5 if data.n <= 40 else 0.8,
        ls="-" if data.signs[k] > 0 else (0, (6, 2)),
        alpha=1.0 if data.n <= 40 else 0.4,
        zorder=2,
    )
    along = normal / np.linalg.norm(normal)
    if sides:
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


@styled
def xw_space(source: Any, X: Any = None, y: Any = None, *, axes: Any = None) -> Any:
    """x-space and w-space side by side: points become lines, the line becomes a point.

    Parameters
    ----------
    source, X, y
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
    data = data_of(source, X, y)
    plane = weight_plane(source, data)
    left, right = axes = row_of_axes(axes, 2)
    x_space(source, X, y, ax=left, title="x-space", regions=False)
    w_space(source, X, y, ax=right, title="w-space")
    if data.n <= NAMED and data.d == 2:
        palette = palette_of(left)
        for k, point in enumerate(data.dense()):
            colour = palette.positive if data.signs[k] > 0 else palette.negative
            tag(left, f"$x^{{({k + 1})}}$", point, colour, offset=(16, 12))
        if not plane.offsets.any():
            left.plot(0, 0, "+", color=palette.faint, ms=10, zorder=1)
    return axes

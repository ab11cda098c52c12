"""The bias: points lifted to x₃ = 1, and the line that a moved bias shifts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.activation import STEMS, sheet, solid_points
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, finish, finish_solid, fit_to, said_scale
from rosenblatt.figures.drawing.marks import arrow, draw_points, shown_rows, tag, tag_along
from rosenblatt.figures.drawing.projection import planar
from rosenblatt.figures.drawing.sources import data_of, hyperplane_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.teaching.geometry import Box, clip_line, foot, frame

WORD = np.array([0.15, 0.03])  # half of a word's length and height, as shares of the box
WHOLE = 7  # digits of whole numbers that are written out


@figure()
def lifted_points(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    elevation: float = 18.0,
    azimuth: float = -60.0,
    names: Any = None,
    title: str = "",
) -> Any:
    """Points of the plane lifted to x₃ = 1, where a plane through the origin cuts any line.

    Parameters
    ----------
    source, X, y, names
        As for `x_space`, with two features. With weights, the part of the plane
        w·x + b·x₃ = 0 between the origin and the line that it cuts at height 1.
    ax : 3-D matplotlib Axes, optional
    elevation, azimuth : float
        Where to look from, in degrees.
    title : str

    Returns
    -------
    3-D matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> data = datasets.five_points()
    >>> figures.lifted_points([1, -1, -1], data.X, data.y).get_zlabel()
    '$x_{3}$'
    """
    data = planar(data_of(source, X, y, names), "the lift to height 1")
    plane = hyperplane_of(source, data)
    ax = axes_for(ax, solid=True, size=(7.4, 6.4))
    ax.computed_zorder = False
    palette = palette_of(ax)
    rows, said = shown_rows(data)
    points = data.dense(rows)
    box, _ = frame(np.vstack([points, np.zeros((1, 2))]))
    sheet(ax, box, lambda p: 1 + 0 * p[..., 0], palette.faint, 0.18)
    sheet(ax, box, lambda p: 0 * p[..., 0], palette.faint, 0.08)
    for x1, x2 in points if len(points) <= STEMS else ():
        ax.plot([x1, x1], [x2, x2], [0, 1], color=palette.faint, lw=1, ls=":", zorder=2)
    solid_points(ax, np.column_stack([points, np.ones(len(points))]), data.codes[rows], data)
    ax.scatter(0, 0, 0, color=palette.ink, s=45, zorder=5)
    ends = None if plane is None else clip_line(plane.normal, plane.bias, box)
    if ends is not None:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        corners = np.vstack([np.zeros(3), np.column_stack([ends, np.ones(2)])])
        ax.add_collection3d(
            Poly3DCollection([corners], facecolor=palette.weights, alpha=0.3, zorder=1)
        )
        ax.plot(*corners[1:].T, color=palette.ink, lw=3.5, zorder=3)
        for corner in corners[1:]:
            ax.plot(*np.array([corners[0], corner]).T, color=palette.weights, lw=1.5, zorder=3)
    ax.set(xlim=(box.left, box.right), ylim=(box.bottom, box.top), zlim=(0, 1.1))
    missing = plane is not None and ends is None
    outside = "the line lies outside the picture" if missing else ""
    finish_solid(ax, (*data.labels, "$x_{3}$"), (elevation, azimuth), title, said, outside)
    ax.set_zticks([0, 1])
    return ax


@figure()
def moved_bias(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    steps: Sequence[float] | None = None,
    ax: Any = None,
    names: Any = None,
    title: str = "",
) -> Any:
    """The decision line for several biases: parallel lines, shifted along w.

    A larger bias moves the line against w, towards the negative side, so that more points are
    called positive; a smaller one moves it along w.

    Parameters
    ----------
    source, X, y, ax, names, title
        As for `x_space`, with two features.
    steps : sequence of float, optional
        What is added to the bias, one line each; by default a round number that moves the line by
        about an eighth of the points' width along w, once and twice to either side.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> data = datasets.six_points()
    >>> ax = figures.moved_bias([3, 1, 0], data.X, data.y, steps=[-3, 3])
    >>> [text.get_text() for text in ax.texts if text.get_text().startswith("b =")]
    ['b = −3', 'b = 0', 'b = 3']
    """
    data = planar(data_of(source, X, y, names), "the moved bias")
    plane = hyperplane_of(source, data)
    if plane is None or not plane.normal.any():
        raise InputError("a bias moves a line, which needs weights w other than 0.")
    ax = axes_for(ax)
    palette = palette_of(ax)
    rows, said = shown_rows(data)
    points = data.dense(rows)
    middle = points.mean(axis=0)
    steps = _steps(plane.scores(points)) if steps is None else steps
    biases = sorted({plane.bias, *(plane.bias + float(step) for step in steps)})
    feet = [foot(plane.normal, bias, middle[None])[0] for bias in biases]
    box, to_scale = frame(np.vstack([points, *feet]))
    draw_points(ax, points, data.codes[rows], data.classes)
    base = foot(plane.normal, plane.bias, middle[None])[0]
    along = plane.normal / np.linalg.norm(plane.normal)
    shaft = base + np.linspace(0, 0.2, 9)[:, None] * box.size * along
    covered = np.vstack([points, shaft])  # what words should leave free
    places: list[np.ndarray] = []
    for bias, words in zip(biases, _told_apart(biases), strict=True):
        ends = clip_line(plane.normal, bias, box)
        if ends is None:
            continue
        kept = bias == plane.bias
        ax.plot(
            *ends.T, color=palette.ink if kept else palette.faint, lw=3 if kept else 1.8,
            ls="-" if kept else (0, (5, 3)), zorder=2,
        )  # fmt: skip
        places.append(_free_place(ends, box, covered, places))
        tag_along(ax, words, places[-1], ends, palette.ink if kept else palette.faint)
    if to_scale:
        arrow(ax, base, shaft[-3], palette.weights)
        tag(ax, "w", shaft[-1], palette.weights)
    fit_to(ax, box, to_scale)
    finish(ax, data.labels, title, said, said_scale(to_scale))
    return ax


def _free_place(
    ends: np.ndarray, box: Box, covered: np.ndarray, taken: list[np.ndarray]
) -> np.ndarray:
    """The place on a segment where a word along it covers the fewest points, and no other word."""
    sides = np.array([box.right - box.left, box.top - box.bottom])
    upper, lower = ends[np.argsort(-ends[:, 1])]
    places = upper + np.linspace(0, 1, 41)[:, None] * (lower - upper)
    way = (lower - upper) / sides
    way /= np.linalg.norm(way)
    covers = np.zeros(len(places))
    for others, reach, cost in ((covered, WORD, 1), (taken, 2 * WORD, 1000)):
        for other in others:
            away = (places - other) / sides
            off = np.column_stack([away @ way, away @ [way[1], -way[0]]])
            covers += cost * (np.abs(off) < reach).all(axis=1)
    rim = np.minimum(places - [box.left, box.bottom], [box.right, box.top] - places) / sides
    covers += 1000 * (rim < WORD[0] * np.abs(way) + WORD[1]).any(axis=1)
    return places[int(covers.argmin())]


def _told_apart(biases: Sequence[float]) -> list[str]:
    """Biases in words, with as many digits as tell them apart, and no exponent if it can be helped.

    Examples
    --------
    >>> _told_apart([-10550.2, -10500.2]), _told_apart([0.25]), _told_apart([23456789.0, 23456790])
    (['b = −10550', 'b = −10500'], ['b = 0.25'], ['b = 23456789', 'b = 23456790'])
    """
    largest = max(map(abs, biases)) or 1.0
    gaps = np.diff(biases)
    apart = math.log10(largest / float(gaps.min())) if len(gaps) else 0.0
    whole = math.floor(math.log10(largest)) + 1
    digits = max(4, math.ceil(apart) + 1, whole if whole <= WHOLE else 0)
    return [f"b = {bias:.{digits}g}".replace("-", "−") for bias in biases]


def _steps(scores: np.ndarray) -> list[float]:
    """Steps of the bias, 1, 2 or 5 times a power of ten, that points of those scores can show.

    Examples
    --------
    >>> _steps(np.array([-30.0, 60.0]))
    [-20.0, -10.0, 10.0, 20.0]
    """
    size = float(np.ptp(scores)) / 8 or 1.0
    power = 10.0 ** math.floor(math.log10(size))
    step = max(m * power for m in (1, 2, 5) if m * power <= size * (1 + 1e-9))
    return [-2 * step, -step, step, 2 * step]

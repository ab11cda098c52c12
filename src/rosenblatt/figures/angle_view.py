"""The angle view: a point is positive where its angle to w is acute."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.canvas import axes_for, fit_to, heading
from rosenblatt.figures.drawing.marks import arrow, draw_points, shade_sides, tag
from rosenblatt.figures.drawing.sources import data_of, hyperplane_of
from rosenblatt.figures.drawing.style import palette_of, styled
from rosenblatt.teaching.geometry import Box, angle_between, clip_line


@styled
def angles(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    rows: Any = None,
    ax: Any = None,
    title: str = "",
) -> Any:
    """The angle view: w·x > 0 where the angle between w and x is acute.

    Draws w and the points as arrows from the origin, the half-plane of acute angles, and the
    angles themselves. For hyperplanes through the origin of the plane.

    Parameters
    ----------
    source, X, y, ax, title
        As for `x_space`.
    rows : sequence of int, optional
        The points to draw as arrows; by default the one nearest to the line in each class.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures, trace
    >>> data = datasets.six_points()
    >>> ax = figures.angles(trace(data.X, data.y, **data.settings))
    >>> [text.get_text() for text in ax.texts if "°" in text.get_text()]
    ['63°', '98°']
    """
    data = data_of(source, X, y)
    plane = hyperplane_of(source, data)
    if plane is None or data.d != 2 or plane.bias != 0 or not plane.normal.any():
        raise InputError(
            "the angle view needs two features and a line through the origin: weights with a "
            "bias of 0 that are not all 0."
        )
    ax = axes_for(ax)
    palette = palette_of(ax)
    points = data.dense()
    if rows is None:
        distance = np.abs(plane.scores(points)) + np.where(points.any(axis=1), 0, np.inf)
        rows = [np.where(data.codes == k, distance, np.inf).argmin() for k in (1, 0)]
    reach = float(np.abs(points).max())
    box = Box(-1.2 * reach, 1.2 * reach, -1.2 * reach, 1.2 * reach)
    shade_sides(ax, plane.normal, 0.0, box)
    ax.plot(*np.asarray(clip_line(plane.normal, 0.0, box)).T, color=palette.ink, lw=3, zorder=2)
    draw_points(ax, points, data.codes, data.classes)
    along = plane.normal / np.linalg.norm(plane.normal)
    arrow(ax, (0, 0), 0.9 * reach * along, palette.weights)
    tag(ax, "w", 0.99 * reach * along, palette.weights)
    colours = palette.classes(len(data.classes))
    for k, row in enumerate(rows):
        arrow(ax, (0, 0), points[row], colours[data.codes[row]], lw=2)
        _draw_angle(ax, along, points[row], (0.3 + 0.1 * k) * reach, colours[data.codes[row]])
    fit_to(ax, box)
    ax.set_xlabel(data.labels[0])
    ax.set_ylabel(data.labels[1])
    heading(ax, title)
    return ax


def _draw_angle(ax: Any, along: np.ndarray, point: np.ndarray, radius: float, colour: str) -> None:
    from matplotlib.patches import Arc

    start = float(np.degrees(np.arctan2(along[1], along[0])))
    degrees = angle_between(along, point)
    turn = 1.0 if along[0] * point[1] - along[1] * point[0] >= 0 else -1.0
    first, last = sorted((start, start + turn * degrees))
    ax.add_patch(
        Arc((0, 0), 2 * radius, 2 * radius, theta1=first, theta2=last, color=colour, lw=2.2)
    )
    middle = np.radians(start + turn * degrees / 2)
    at = 1.28 * radius * np.array([np.cos(middle), np.sin(middle)])
    tag(ax, f"{degrees:.0f}°", at, colour)

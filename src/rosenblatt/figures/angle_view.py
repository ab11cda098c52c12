"""The angle view: a point is positive where its angle to w is acute."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure, rows_among
from rosenblatt.figures.drawing.canvas import axes_for, finish, fit_to
from rosenblatt.figures.drawing.marks import (
    arrow,
    draw_angle,
    draw_points,
    ring,
    shade_sides,
    tag,
)
from rosenblatt.figures.drawing.projection import planar
from rosenblatt.figures.drawing.sources import data_of, hyperplane_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.spaces import wrong_rows
from rosenblatt.teaching.geometry import Box, clip_line

SHAFT = np.linspace(0, 1, 21)  # shares of an arrow that words are to leave free


@figure()
def angles(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    rows: Any = None,
    ax: Any = None,
    names: Any = None,
    title: str = "",
) -> Any:
    """The angle view: w·x > 0 where the angle between w and x is acute.

    Draws w and some points as arrows from the origin, the half-plane of acute angles, and the
    angles themselves; points on the wrong side are circled. For hyperplanes through the origin of
    the plane.

    Parameters
    ----------
    source, X, y, ax, names, title
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
    data = planar(data_of(source, X, y, names), "the angle view")
    plane = hyperplane_of(source, data)
    if plane is None or plane.bias != 0 or not plane.normal.any():
        raise InputError(
            "the angle view needs a line through the origin, weights with a bias of 0 that are not "
            "all 0: fit with fit_intercept=False."
        )
    ax = axes_for(ax)
    palette = palette_of(ax)
    points = data.dense()
    if rows is not None:
        rows = rows_among(rows, data.n, "rows")
    else:
        distance = np.abs(plane.scores(points)) + np.where(points.any(axis=1), 0, np.inf)
        rows = [np.where(data.codes == k, distance, np.inf).argmin() for k in (1, 0)]
    reach = float(np.abs(points).max())
    box = Box(-1.2 * reach, 1.2 * reach, -1.2 * reach, 1.2 * reach)
    shade_sides(ax, plane.normal, 0.0, box)
    ax.plot(*np.asarray(clip_line(plane.normal, 0.0, box)).T, color=palette.ink, lw=3, zorder=2)
    fit_to(ax, box)
    draw_points(ax, points, data.codes, data.classes)
    wrong = wrong_rows(plane, data)
    if len(wrong):
        ring(ax, points[wrong], wrong, data, f"mistakes: {len(wrong):,}", palette.ink)
    along = plane.normal / np.linalg.norm(plane.normal)
    arrow(ax, (0, 0), 0.9 * reach * along, palette.weights)
    tag(ax, "w", 0.99 * reach * along, palette.weights)
    colours = palette.classes(len(data.classes))
    shafts = [share * tip for tip in (along * reach, *points[rows]) for share in SHAFT]
    covered = np.vstack([points, shafts])
    for k, row in enumerate(rows):
        arrow(ax, (0, 0), points[row], colours[data.codes[row]], lw=2)
        radius, colour = (0.26 + 0.19 * k) * reach, colours[data.codes[row]]
        draw_angle(ax, along, points[row], radius, colour, covered)
    finish(ax, data.labels, title)
    return ax

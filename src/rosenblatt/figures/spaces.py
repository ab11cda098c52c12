"""x-space: points, the line between them, its normal, regions, slab and margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure, rows_among
from rosenblatt.figures.drawing.canvas import axes_for, finish, fit_to, said_scale
from rosenblatt.figures.drawing.marks import (
    arrow,
    draw_points,
    ring,
    roomiest,
    shade_sides,
    shown_rows,
    tag,
)
from rosenblatt.figures.drawing.projection import View, view_of
from rosenblatt.figures.drawing.sources import (
    DrawnData,
    Hyperplane,
    data_of,
    hyperplane_of,
    is_widest,
)
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.teaching.geometry import Box, clip_halfplanes, clip_line, foot, frame

TOUCHING = 1e-6  # margins this close, relative to the least, are support vectors
FEET, NEAREST = 20, 3  # distances drawn of so few points; of more, the nearest of each class


def support_rows(plane: Hyperplane, data: DrawnData) -> tuple[np.ndarray, float]:
    """The rows nearest to the hyperplane, and how near: its margin, if it separates.

    Examples
    --------
    >>> data = data_of(None, [[1, 4], [-5, -3], [3, -5], [9, 9]], [1, -1, -1, 1])
    >>> rows, margin = support_rows(Hyperplane(np.array([1 / 17, 4 / 17]), 0.0), data)
    >>> rows, round(margin**2, 6)
    (array([0, 1, 2]), 17.0)
    """
    if not plane.normal.any():
        raise InputError("the weights w are 0: there is no line, and no margin to draw.")
    distances = data.signs * plane.unit().scores(data.X)
    least = float(distances.min())
    if least <= 0:
        raise InputError(
            f"{int((distances <= 0).sum())} points are not on their side of the line, so there is "
            "no slab between the classes. Draw without it, or from rosenblatt.MaxMargin."
        )
    return np.flatnonzero(distances <= least * (1 + TOUCHING)), least


@figure()
def x_space(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    regions: bool = True,
    normal: bool = True,
    slab: bool = False,
    perpendiculars: Any = False,
    mistakes: bool = True,
    view: Any = "auto",
    names: Any = None,
    title: str = "",
) -> Any:
    """Points of two classes and the line that a perceptron, or anything linear, puts between them.

    Without a source, points of any number of classes.

    Parameters
    ----------
    source : fitted estimator, Run, Trace, Decision, certificate, MarginResult or weights, optional
        Where the line comes from (weights are d + 1 numbers, the bias last); no line without it.
    X, y : array or sparse matrix, and labels
        The points; a Trace has its own.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    regions, normal, mistakes : bool
        Tint the two sides; draw the weight vector from the line; circle points on the wrong side.
    slab : bool
        Draw the empty slab between the classes and circle the points that it rests on. Its margin
        is called this line's, unless the source is one of maximum margin.
    perpendiculars : bool or sequence of int
        Draw the distances to the line of those rows; True is for all of up to 20 points, and for
        the three points of each class that are nearest to the line where there are more. None
        where the columns' scales differ so much that they would not look perpendicular.
    view : {"auto", "w", "lda", "pca"}, or two columns
        How more than two features are drawn: see `projection.view_of`. The axes say it.
    names : sequence of str, optional
        The features' names; by default those of a data frame's columns.
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import Perceptron, datasets, figures
    >>> data = datasets.five_points()
    >>> ax = figures.x_space(Perceptron().fit(data.X, data.y), data.X, data.y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('$x_{1}$', '$x_{2}$')
    """
    data = data_of(source, X, y, names)
    plane = hyperplane_of(source, data)
    seen = view_of(data, plane, view)
    ax = axes_for(ax)
    palette = palette_of(ax)
    resting, margin = support_rows(plane, data) if slab and plane else (NONE, 0.0)
    wrong = wrong_rows(plane, data) if mistakes and plane else NONE
    measured, about = _measured(plane, data, perpendiculars, resting)
    rows, said = shown_rows(data, [*resting, *measured])
    points = seen.points(data.X[rows], data.signs[rows])
    line = None if plane is None else seen.line(plane.unit())
    box, to_scale = frame(_with_line(points, line))
    if len(seen.axes) == 1:
        box, to_scale = box._replace(bottom=-1.8, top=1.8), False
    draw_points(ax, points, data.codes[rows], data.classes)
    notes = [seen.note, said]
    if plane is not None:
        notes.append(_draw_line(ax, plane, line, box, points, regions, normal and to_scale))
    if line is not None and line[0].any():
        if slab:
            name = "margin" if is_widest(source) else "this line's margin"
            _draw_slab(ax, line, margin, box, name)
        if len(measured) and not to_scale and len(seen.axes) == 2:
            notes.append("distances are not drawn: they would not look perpendicular")
        elif len(measured):
            _draw_feet(ax, line, points[np.isin(rows, measured)])
            notes.append(about)
    if slab and len(resting):
        at = np.isin(rows, resting)
        ring(ax, points[at], rows[at], data, "support", palette.proof)
    if len(wrong):
        at = np.isin(rows, wrong)
        ring(ax, points[at], rows[at], data, f"mistakes: {len(wrong):,}", palette.ink)
    finish_view(ax, seen, data, (box, to_scale), title, *notes)
    return ax


NONE = np.array([], int)


def _measured(
    plane: Hyperplane | None, data: DrawnData, asked: Any, resting: np.ndarray
) -> tuple[np.ndarray, str]:
    """The rows whose distances are drawn, and what to say if they are not all."""
    if asked is False or plane is None:
        return NONE, ""
    if asked is not True:
        return rows_among(asked, data.n, "perpendiculars"), ""
    if data.n <= FEET:
        return np.arange(data.n), ""
    distances = np.abs(plane.scores(data.X))
    nearest = []
    for code in range(len(data.classes)):
        mine = np.flatnonzero(data.codes == code)
        nearest.extend(mine[np.argsort(distances[mine], kind="stable")[:NEAREST]])
    return np.union1d(nearest, resting).astype(
        int
    ), "distances are drawn for the nearest points only"


def wrong_rows(plane: Hyperplane, data: DrawnData) -> np.ndarray:
    """Rows on the wrong side; on the boundary the prediction is the positive class."""
    scores = plane.scores(data.X)
    return np.flatnonzero((scores >= 0) != (data.signs > 0))


def _with_line(points: np.ndarray, line: Any) -> np.ndarray:
    """Points and the line's nearest point to their middle, if that is not far away."""
    if line is None or not line[0].any():
        return points
    middle = points.mean(axis=0)
    nearest = foot(line[0], line[1], middle[None])[0]
    spans = np.ptp(points, axis=0)
    reach = 1.5 * np.where(spans > 0, spans, spans.max())
    near = (np.abs(nearest - middle) <= reach).all()
    return np.vstack([points, nearest]) if near else points


def _draw_line(
    ax: Any,
    plane: Hyperplane,
    line: Any,
    box: Box,
    points: np.ndarray,
    regions: bool,
    normal: bool,
) -> str:
    """Draw the line, its sides and its normal; what has to be said if it cannot be drawn."""
    palette = palette_of(ax)
    if not plane.normal.any():
        return f"w = 0: no line; every score is b = {plane.bias:.4g}"
    if line is None:
        return "the hyperplane is no line in this view, so it is not drawn: choose view='w'"
    if regions:
        shade_sides(ax, line[0], line[1], box)
    ends = clip_line(line[0], line[1], box)
    if ends is None:
        side = line[1] + float(line[0] @ points[0]) >= 0
        return (
            f"the line lies outside the picture; all of it is {'positive' if side else 'negative'}"
        )
    ax.plot(*ends.T, color=palette.ink, lw=3, solid_capstyle="round", zorder=2)
    if normal:
        along = line[0] / np.linalg.norm(line[0])
        base = roomiest(ends, 0.16 * box.size * along, points, box)
        tip = base + 0.16 * box.size * along
        arrow(ax, base, tip, palette.weights)
        tag(ax, "w", tip + 0.035 * box.size * along, palette.weights)
    return ""


def _draw_slab(ax: Any, line: Any, margin: float, box: Box, name: str) -> None:
    palette = palette_of(ax)
    normal, offset = line
    reach = margin * np.linalg.norm(normal)
    band = clip_halfplanes(box, [normal, -normal], [offset + reach, reach - offset])
    said = f"{name} {margin:.3g}"
    ax.fill(*band.T, color=palette.weights, alpha=0.2, lw=0, zorder=1, label=said)
    for shift in (reach, -reach):
        ends = clip_line(normal, offset + shift, box)
        if ends is not None:
            ax.plot(*ends.T, color=palette.weights, lw=1.8, ls=(0, (5, 3)), zorder=2)


def _draw_feet(ax: Any, line: Any, points: np.ndarray) -> None:
    from matplotlib.collections import LineCollection

    segments = np.stack([points, foot(line[0], line[1], points)], axis=1)
    style = {"colors": palette_of(ax).path, "linewidths": 2.2, "zorder": 2, "label": "distance"}
    ax.add_collection(LineCollection(list(segments), **style), autolim=False)


def finish_view(
    ax: Any, seen: View, data: DrawnData, box: tuple[Box, bool], title: str, *notes: str
) -> None:
    """End a picture of points in a view; a single feature has the classes for heights."""
    fit_to(ax, *box)
    if len(seen.axes) == 1:
        ax.set_yticks([-1, 1], (["", *named(data.classes)])[-2:])
    else:
        notes = (*notes, said_scale(box[1]))
    finish(ax, seen.labels, title, *notes)

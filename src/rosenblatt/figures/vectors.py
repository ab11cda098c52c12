"""Vectors of the plane: an update as a sum, a projection, and the ball that holds the points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.arguments import Expected, is_whole
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import VECTOR, figure
from rosenblatt.figures.drawing.canvas import axes_for, finish, fit_to
from rosenblatt.figures.drawing.marks import (
    arrow,
    draw_angle,
    draw_points,
    freest,
    ring,
    shown_rows,
    tag,
    word_size,
)
from rosenblatt.figures.drawing.projection import planar
from rosenblatt.figures.drawing.sources import data_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.teaching.geometry import Box, clip_line, frame

# Places all over a word, from −1 to 1.
SPREAD = np.stack(np.meshgrid([-1, -0.5, 0, 0.5, 1], [-1, 0, 1]), axis=-1).reshape(-1, 2)
SIGN = Expected("1 or -1", lambda value: is_whole(value) and value in (-1, 1))


def _room(*vectors: np.ndarray, pad: float = 0.22) -> Box:
    """A box to one scale around the origin and the tips of vectors, and no streak."""
    tips = np.vstack([np.zeros(2), *vectors])
    middle, spans = (tips.max(axis=0) + tips.min(axis=0)) / 2, np.ptp(tips, axis=0)
    half = np.maximum(spans, 0.6 * spans.max() or 1.0) / 2 + pad * spans.max()
    return Box(*np.column_stack([middle - half, middle + half]).ravel().tolist())


@figure(x=VECTOR, y=SIGN)
def update_vectors(
    w: Any, x: Any, y: int = 1, *, eta: float = 1.0, ax: Any = None, title: str = ""
) -> Any:
    """An update as a sum of vectors: old w + η·y·x = new w, and the angles before and after.

    The angle is the one between the weights and y·x: obtuse while the point is misclassified, and
    smaller after the update, unless the weights are on the line of x and stay on their side of 0.
    The decision lines are drawn too, old and new.

    Parameters
    ----------
    w, x : two numbers each
        The weights before the update, and the point.
    y : {1, -1}
        Its label.
    eta : float
        η > 0.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import figures
    >>> ax = figures.update_vectors([3, -1], [-1, 2])
    >>> [text.get_text() for text in ax.texts if "°" in text.get_text()]
    ['135°', '90°']
    """
    old, point = np.asarray(w, dtype=float), np.asarray(x, dtype=float)
    if not point.any():
        raise InputError("an update needs a point x other than 0.")
    added = eta * y * point
    new = old + added
    ax = axes_for(ax)
    palette = palette_of(ax)
    box = _room(old, added, new)
    colour = palette.positive if y > 0 else palette.negative
    for vector, ink, style, name in (
        (old, palette.faint, (0, (5, 3)), "old line"),
        (new, palette.ink, "-", "new line"),
    ):
        ends = clip_line(vector, 0.0, box)
        if ends is not None:
            ax.plot(*ends.T, color=ink, ls=style, lw=2, zorder=1, label=name)
    ax.plot(*np.array([old, new]).T, color=colour, ls=":", lw=2, zorder=2)
    ax.plot(*np.array([added, new]).T, color=palette.faint, ls=":", lw=1.5, zorder=2)
    step = f"{'+' if y > 0 else '−'}{'' if eta == 1 else f'{eta:g}'}x"
    same = not old.any()
    fit_to(ax, box)
    _draw_named(
        ax,
        (old, palette.path, "old w"),
        (added, colour, "" if same else step),
        (new, palette.weights, f"new w = {step}" if same else "new w"),
    )
    ax.plot(0, 0, "o", color=palette.ink, ms=5, zorder=6)
    if old.any():
        draw_angle(ax, old, added, 0.16 * box.size, palette.path)
    if new.any() and not same:
        draw_angle(ax, new, added, 0.27 * box.size, palette.weights)
    before, after = float(old @ added), float(new @ added)
    said = f"y·w·x was {before / eta:.4g} and is {after / eta:.4g}: larger by η‖x‖² = "
    finish(ax, ("$w_{1}$", "$w_{2}$"), title, said + f"{eta * float(point @ point):.4g}")
    return ax


def _draw_named(ax: Any, *vectors: tuple[np.ndarray, str, str]) -> None:
    """Arrows from the origin with their colours and names, which keep off arrows and each other."""
    shafts = [share * vector for vector, _, _ in vectors for share in np.linspace(0, 1, 101)]
    covered = np.array(shafts)
    for vector, ink, name in vectors:
        if not vector.any():
            continue
        arrow(ax, (0, 0), vector, ink)
        size = word_size(ax, name)
        first = math.atan2(vector[1], vector[0])
        turns = first + math.pi / 4 * np.array([0, 1, -1, 2, -2, 3, -3])
        places = vector + 1.3 * size * np.column_stack([np.cos(turns), np.sin(turns)])
        at = freest(places, covered, size)
        tag(ax, name, at, ink)
        covered = np.vstack([covered, at + size * SPREAD])


@figure()
def vector_projection(u: Any, v: Any, *, ax: Any = None, title: str = "") -> Any:
    """The projection of u on v: the foot of the perpendicular from u, (u·v/‖v‖²)·v.

    With w for v it is why ``|w·x|/‖w‖`` is the distance of x from the line w·x = 0.

    Parameters
    ----------
    u, v : two numbers each
        v must not be 0.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import figures
    >>> ax = figures.vector_projection([3, 4], [5, 0])
    >>> ax.texts[-1].get_text()
    'signed length u·v/‖v‖ = 3; projection (3, 0)'
    """
    one, other = np.asarray(u, dtype=float), np.asarray(v, dtype=float)
    square = float(other @ other)
    if square == 0:
        raise InputError("nothing can be projected on v = 0: it has no direction.")
    shadow = float(one @ other) / square * other
    ax = axes_for(ax)
    palette = palette_of(ax)
    box = _room(one, other, shadow)
    ax.axline((0, 0), tuple(other), color=palette.faint, lw=1.2, ls="--", zorder=1)
    ax.plot(*np.array([one, shadow]).T, color=palette.faint, lw=2, ls=":", zorder=2)
    _right_angle(ax, shadow, one, other, 0.035 * box.size)
    for vector, ink, name in ((other, palette.faint, "v"), (one, palette.positive, "u")):
        if vector.any():
            arrow(ax, (0, 0), vector, ink)
            tag(ax, name, vector + 0.05 * box.size * vector / np.linalg.norm(vector), ink)
    if shadow.any():
        arrow(ax, (0, 0), shadow, palette.weights, lw=4)
        across = np.array([other[1], -other[0]]) / math.sqrt(square)
        away = across if one @ across <= 0 else -across
        tag(ax, "projection", shadow / 2 + 0.05 * box.size * away, palette.weights)
    ax.plot(0, 0, "o", color=palette.ink, ms=5, zorder=6)
    fit_to(ax, box)
    length, (first, second) = float(one @ other) / math.sqrt(square), shadow + 0.0
    said = f"signed length u·v/‖v‖ = {length:.4g}; projection ({first:.4g}, {second:.4g})"
    finish(ax, ("", ""), title, said)
    return ax


def _right_angle(
    ax: Any, foot: np.ndarray, tip: np.ndarray, along: np.ndarray, size: float
) -> None:
    up = tip - foot
    if np.linalg.norm(up) < 1.5 * size:
        return
    up = size * up / np.linalg.norm(up)
    side = -size * along / np.linalg.norm(along)
    if foot @ along < 0:
        side = -side
    corner = np.array([foot + side, foot + side + up, foot + up])
    ax.plot(*corner.T, color=palette_of(ax).faint, lw=1.5, zorder=2)


@figure()
def ball(
    X: Any, y: Any, *, centre: bool = False, ax: Any = None, names: Any = None, title: str = ""
) -> Any:
    """The points in the ball of radius R = max‖x‖ about the origin.

    It is the R of the mistake bound of a run without a bias. With one, each point has one more
    coordinate of 1, and the bound's is √(R² + 1).

    Parameters
    ----------
    X, y : array of shape (n, 2), and labels
    centre : bool
        Also draw the ball about the middle of the points, which is not the one of the theorem.
    ax : matplotlib Axes, optional
    names : sequence of str, optional
        The features' names; by default those of a data frame's columns.
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> ax = figures.ball(*datasets.six_points()[:2])
    >>> ax.get_legend_handles_labels()[1]
    ['−1', '+1', 'R = 2.236', 'farthest']
    """
    data = planar(data_of(None, X, y, names), "the ball")
    rows, said = shown_rows(data)
    points = data.dense()
    norms = np.linalg.norm(points, axis=1)
    R = float(norms.max())
    ax = axes_for(ax)
    palette = palette_of(ax)
    draw_points(ax, points[rows], data.codes[rows], data.classes)
    ax.plot(*_circle(np.zeros(2), R), color=palette.weights, label=f"R = {R:.4g}", zorder=2)
    farthest = np.array([int(norms.argmax())])
    far = points[farthest]
    ring(ax, far, farthest, data, "farthest", palette.proof)
    ax.plot(*np.vstack([np.zeros(2), far]).T, color=palette.weights, lw=2, zorder=2)
    reach = [np.array([-R, -R]), np.array([R, R])]
    if centre:
        middle = points.mean(axis=0)
        own = float(np.linalg.norm(points - middle, axis=1).max())
        about = f"about their middle: {own:.4g}"
        ax.plot(*_circle(middle, own), color=palette.faint, ls="--", lw=1.8, label=about)
        ax.plot(*middle, "+", color=palette.faint, ms=12, mew=2)
        reach += [middle - own, middle + own]
    ax.plot(0, 0, "o", color=palette.ink, ms=6, zorder=6)
    tag(ax, "0", (0, 0), palette.ink, offset=(-10, -10))
    fit_to(ax, frame(np.array(reach), pad=0.06)[0])
    finish(ax, data.labels, title, said, columns=3 if centre else 4)
    return ax


def _circle(middle: np.ndarray, radius: float) -> np.ndarray:
    turn = np.linspace(0, 2 * math.pi, 361)
    return middle[:, None] + radius * np.array([np.cos(turn), np.sin(turn)])

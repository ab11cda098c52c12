"""The marks that figures are made of: points, rings, arrows, words, tinted sides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.figures.drawing.sources import DrawnData
from rosenblatt.figures.drawing.style import MOST_DRAWN, markers, palette_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.teaching.geometry import Box, angle_between, clip_halfplanes

LETTERS = 0.75  # of the room that a word takes


def shown_rows(data: DrawnData, keep: Any = ()) -> tuple[np.ndarray, str]:
    """The rows to draw, and what to say if they are not all: a random sample, and those to keep.

    Examples
    --------
    >>> rows, said = shown_rows(DrawnData(np.zeros((50_000, 2)), np.zeros(50_000, int), (0,)), [7])
    >>> len(rows) <= 10_001, 7 in rows, said
    (True, True, '10,000 of 50,000 points shown, chosen at random')
    """
    if data.n <= MOST_DRAWN:
        return np.arange(data.n), ""
    chosen = np.random.default_rng(0).choice(data.n, MOST_DRAWN, replace=False)
    rows = np.union1d(chosen, np.asarray(keep, dtype=int)[:MOST_DRAWN])
    return rows, f"{MOST_DRAWN:,} of {data.n:,} points shown, chosen at random"


def point_size(n: int) -> float:
    """The area of a marker: large enough for a slide, small enough not to cover the others."""
    return float(np.clip(1500 / max(1, n) ** 0.62, 5, 130))


def draw_points(ax: Any, points: np.ndarray, codes: np.ndarray, classes: Any, **style: Any) -> None:
    """Scatter points, each class with its marker and colour."""
    palette = palette_of(ax)
    size = style.pop("s", point_size(len(points)))
    words = style.pop("labels", named(classes))
    for k, (colour, marker) in enumerate(
        zip(palette.classes(len(classes)), markers(len(classes)), strict=True)
    ):
        mine = codes == k
        if not mine.any():
            continue
        ax.scatter(
            *points[mine].T,
            s=size * (1.15 if marker in "X*P" else 1.0),
            c=colour,
            marker=marker,
            edgecolors=palette.paper,
            linewidths=0.6 if size > 25 else 0,
            alpha=1.0 if len(points) <= 2000 else 0.6,
            label=words[k],
            **{"zorder": 3, **style},
        )


def ring(
    ax: Any, points: np.ndarray, rows: np.ndarray, data: DrawnData, label: str, colour: str
) -> None:
    """Circle those rows, drawn once more: else a circle may show another point that covers its own.

    Many circles are thin, or they would hide what they are about.
    """
    size, unnamed = point_size(data.n), ["_"] * len(data.classes)
    draw_points(ax, points, data.codes[rows], data.classes, s=size, labels=unnamed, zorder=3.5)
    thin = float(np.clip((100 / max(1, len(points))) ** 0.5, 0.2, 1.0))
    ax.scatter(
        *points.T,
        s=max(60.0 * thin, 3.4 * thin * size),
        facecolors="none",
        edgecolors=colour,
        linewidths=1.8 * thin,
        alpha=max(0.3, thin),
        label=label,
        zorder=4,
    )


def arrow(ax: Any, start: Any, end: Any, colour: str, **style: Any) -> None:
    """An arrow with a head that is seen from the back of a room."""
    properties = {"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "lw": 2.8, "color": colour}
    properties |= {"shrinkA": 0, "shrinkB": 0, **style}
    ax.annotate("", xy=end, xytext=start, arrowprops=properties, zorder=5)


def tag(ax: Any, text: str, at: Any, colour: str, offset: tuple[float, float] = (0, 0)) -> None:
    """A word at a place, readable over whatever is behind it."""
    from matplotlib import patheffects

    halo = [patheffects.withStroke(linewidth=3, foreground=palette_of(ax).paper)]
    words = ax.annotate(
        text, at, xytext=offset, textcoords="offset points", color=colour, ha="center", va="center"
    )
    words.set(path_effects=halo, zorder=6)


def tag_along(ax: Any, text: str, at: Any, ends: np.ndarray, colour: str) -> None:
    """A word along a segment, which it interrupts, the right way up and under points."""
    across, up = ends[1] - ends[0]
    words = ax.text(*at, text, color=colour, ha="center", va="center", rotation_mode="anchor")
    turn = math.degrees(math.atan2(up, across))
    words.set(rotation=(turn + 90) % 180 - 90, transform_rotates_text=True)
    words.set(bbox={"fc": palette_of(ax).paper, "ec": "none", "pad": 0.5}, zorder=2.5)


def draw_angle(
    ax: Any,
    first: np.ndarray,
    second: np.ndarray,
    radius: float,
    colour: str,
    covered: np.ndarray | None = None,
) -> None:
    """The angle between two vectors from the origin, with its number off what is covered."""
    from matplotlib.patches import Arc

    degrees = angle_between(first, second)
    turn = 1.0 if first[0] * second[1] - first[1] * second[0] >= 0 else -1.0
    start = math.degrees(math.atan2(first[1], first[0]))
    low, high = sorted((start, start + turn * degrees))
    ax.add_patch(Arc((0, 0), 2 * radius, 2 * radius, theta1=low, theta2=high, color=colour, lw=2.2))
    # Best in the middle of the arc, outside; else at its sides, or inside, if that is freer.
    aside = np.arange(0, max(15, degrees / 2 - 10), 7)
    ways = np.radians((low + high) / 2 + np.column_stack([aside, -aside]).ravel())
    circle = radius * np.column_stack([np.cos(ways), np.sin(ways)])
    places = np.vstack([away * circle for away in (1.28, 0.72, 1.6, 0.5)])
    words = in_degrees(degrees)
    at = places[0] if covered is None else freest(places, covered, word_size(ax, words))
    tag(ax, words, at, colour)


def word_size(ax: Any, words: str) -> np.ndarray:
    """About half the width and height of words in the units of the axes, whose limits are set."""
    spans = [abs(high - low) for low, high in (ax.get_xlim(), ax.get_ylim())]
    return np.array([(0.01 * len(words) + 0.01) * spans[0], 0.03 * spans[1]])


def freest(places: np.ndarray, covered: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The first of the places at which a word, half as wide and high as ``size``, covers least.

    Examples
    --------
    >>> places = np.array([[0.0, 0.0], [3.0, 0.0], [6.0, 0.0]])
    >>> freest(places, np.array([[0.5, 0.5]]), np.array([1.0, 1.0]))
    array([3., 0.])
    """
    away = np.abs(places[:, None] - covered) / size
    nearest = away.max(axis=-1)
    # What lies under the letters counts for more than what touches them.
    hits = (nearest < 1).sum(axis=1) + 10 * (nearest < LETTERS).sum(axis=1)
    return places[int(hits.argmin())]


def in_degrees(degrees: float) -> str:
    """An angle in words: whole degrees, but a right angle only where it is one.

    Examples
    --------
    >>> in_degrees(63.4), in_degrees(90.0), in_degrees(90.04), in_degrees(89.7)
    ('63°', '90°', '90.04°', '89.7°')
    """
    if f"{degrees:.0f}" != "90" or abs(degrees - 90) < 1e-9:
        return f"{degrees:.0f}°"
    away = abs(degrees - 90)
    return f"{degrees:.{math.ceil(-math.log10(away))}f}°" if away > 1e-6 else "≈ 90°"


def roomiest(ends: np.ndarray, reach: np.ndarray, points: np.ndarray, box: Box) -> np.ndarray:
    """The place on a segment from which a step of ``reach`` keeps farthest from all points."""
    bases = ends[0] + np.linspace(0.1, 0.9, 17)[:, None] * (ends[1] - ends[0])
    tips = bases + 1.6 * reach
    inside = (tips > [box.left, box.bottom]).all(1) & (tips < [box.right, box.top]).all(1)
    bases = bases[inside] if inside.any() else bases[8:9]
    probes = np.stack([bases + share * reach for share in (0.4, 0.7, 1.0, 1.2)], axis=1)
    few = points[:: max(1, len(points) // 500)]
    gaps = np.linalg.norm(probes[:, :, None] - few, axis=-1).min(axis=(1, 2))
    return bases[int(np.minimum(gaps, 0.12 * box.size).argmax())]


def shade_sides(ax: Any, normal: np.ndarray, offset: float, box: Box) -> None:
    """Tint the two sides of a line in the colours of their classes."""
    palette = palette_of(ax)
    for sign, colour in ((1, palette.positive), (-1, palette.negative)):
        side = clip_halfplanes(box, [sign * normal], [sign * offset])
        if len(side):
            ax.fill(*side.T, color=colour, alpha=0.10, lw=0, zorder=0)

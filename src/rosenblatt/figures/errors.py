"""The fewest errors, drawn: weights that make them, and the rows to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import heading
from rosenblatt.figures.drawing.marks import point_size, ring, tag
from rosenblatt.figures.drawing.projection import view_of
from rosenblatt.figures.drawing.sources import data_of, hyperplane_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.spaces import x_space

# Rows that are named beside their circles, where there is room for a number (in points).
NAMED = 12
ROOM = np.array([30, 16])


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
    ring(ax, points, f"to look at: {len(points):,}", palette.proof, point_size(data.n))
    written: list[np.ndarray] = []
    for row, point in list(zip(source.rows.tolist(), points, strict=True))[:NAMED]:
        offset = _away(point - points.mean(axis=0))
        place = ax.transData.transform(point) * 72 / ax.figure.dpi + offset
        if all((abs(place - other) > ROOM).any() for other in written):
            tag(ax, str(row), point, palette.proof, offset=offset)
            written.append(place)
    heading(ax, title)
    return ax


def _away(direction: np.ndarray) -> tuple[float, float]:
    """Where a word stands beside a circle: on the side away from the other circles."""
    length = float(np.hypot(*direction))
    x, y = direction / length if length > 0 else (0.0, 1.0)
    return 20 * float(x), 16 * float(y)

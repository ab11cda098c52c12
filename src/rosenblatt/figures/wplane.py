"""The plane of w-space as numbers: a constraint a sample, the weights that meet all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.sources import (
    DrawnData,
    has_bias,
    is_descent,
    is_trace,
    path_of,
    weights_of,
)
from rosenblatt.teaching.geometry import Box, clip_halfplanes

LINES = 16  # drawn at most: beyond it a picture is ink


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
    >>> from rosenblatt.figures.drawing.sources import data_of
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
        labels = (data.weight_labels[0] if data.names else "$w$", "$b$")
        return Plane(np.column_stack([signed, data.signs]), np.zeros(data.n), path, labels)
    bias = float(path[-1, -1]) if len(path) else 0.0
    said = ""
    if source is not None and has_bias(source):
        said = f"section of (w₁, w₂, b) at the final bias b = {bias:.4g}"
        if len(path) > 1:
            said += "; the path is seen along b"
    first, second = data.weight_labels
    return Plane(signed, data.signs * bias, path[:, :2], (first, second), said)


def wedge(plane: Plane, box: Box) -> np.ndarray:
    """The corners of the weights in the box that have every sample on its side; maybe none.

    A point or a segment that meets all constraints is on the boundary of some: no weights there.

    Examples
    --------
    >>> plane = Plane(np.array([[1.0, 0], [0, 1]]), np.zeros(2), np.empty((0, 2)), ("", ""))
    >>> wedge(plane, Box(-1, 1, -1, 1)).tolist()
    [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    >>> against = plane._replace(rows=np.array([[1.0, 0], [-1, 0]]))
    >>> len(wedge(against, Box(-1, 1, -1, 1)))
    0
    """
    corners = clip_halfplanes(box, plane.rows, plane.offsets)
    if not len(corners):
        return corners
    x, y = (corners - corners[0]).T
    area = 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
    return corners if area > 1e-9 * box.size**2 else np.empty((0, 2))


def drawn_lines(plane: Plane, allowed: np.ndarray, most: int = LINES) -> tuple[np.ndarray, str]:
    """The rows whose lines are drawn, and what to say if they are not all.

    Of many, those that bound the allowed weights, and others evenly spread over the rows.

    Examples
    --------
    >>> rows = np.array([[1.0, 0], [2, 1], [0, 1], [1, 1]])
    >>> plane = Plane(rows, np.zeros(4), np.empty((0, 2)), ("", ""))
    >>> drawn_lines(plane, wedge(plane, Box(-1, 1, -1, 1)), most=3)
    (array([0, 1, 2]), '3 of 4 lines drawn: those that bound the feasible w, and a sample')
    """
    n = len(plane.rows)
    if n <= most:
        return np.arange(n), ""
    said, bounding = f"{most} of {n:,} lines drawn", np.zeros(n, bool)
    if len(allowed):
        lengths = np.linalg.norm(plane.rows, axis=1)
        heights = np.abs(plane.rows @ allowed.T + plane.offsets[:, None])
        touching = heights <= 1e-9 * lengths[:, None] * np.abs(allowed).max()
        bounding = (touching.sum(axis=1) > 1) & (lengths > 0)
        said += ": those that bound the feasible w, and a sample"
    first, others = np.flatnonzero(bounding)[:most], np.flatnonzero(~bounding)
    spread = np.linspace(0, len(others) - 1, most - len(first)).round().astype(int)
    return np.sort(np.concatenate([first, others[spread]])), said

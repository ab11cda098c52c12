"""Several classes: the regions where each has the highest score."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, finish, fit_to, said_scale
from rosenblatt.figures.drawing.marks import draw_points, ring, shown_rows
from rosenblatt.figures.drawing.projection import View, planar, view_of
from rosenblatt.figures.drawing.sources import DrawnData, data_of, predictions_of, weights_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.spaces import x_space
from rosenblatt.teaching.geometry import Box, clip_halfplanes, frame

GRID = 241  # places a side where a classifier that is not linear is asked


def region(weights: np.ndarray, k: int, box: Box) -> np.ndarray:
    """The corners of the part of the box where class k has the highest score.

    Parameters
    ----------
    weights : ndarray of shape (K, 3)
        The bias last.
    k : int
    box : Box

    Examples
    --------
    >>> weights = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 0, -9]])
    >>> region(weights, 0, Box(-1, 1, 0, 1)).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    >>> len(region(weights, 2, Box(-1, 1, 0, 1)))
    0
    """
    ahead = np.delete(weights[k] - weights, k, axis=0)
    return clip_halfplanes(box, ahead[:, :2], ahead[:, 2])


@figure()
def regions(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    mistakes: bool = True,
    view: Any = "auto",
    names: Any = None,
    title: str = "",
) -> Any:
    """Where each class has the highest score; with two classes, `x_space`.

    A classifier that is not linear, such as a KernelPerceptron, is asked on a grid.

    Parameters
    ----------
    source, X, y, ax, mistakes, view, names, title
        As for `x_space`. Of more than two features three classes are seen in the plane that their
        weights span, where regions are exact; more classes by Fisher's directions, with the
        regions of the plane through the mean. What is misclassified is circled.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.load("iris")[:2]
    >>> ax = figures.regions(rb.Perceptron().fit(X[:, 2:], y), X[:, 2:], y)
    """
    data = data_of(source, X, y, names)
    if hasattr(source, "predict") and not hasattr(source, "coef_"):
        return _asked(source, data, axes_for(ax), mistakes, title)
    weights = weights_of(source)
    if weights.ndim == 1:
        return x_space(
            source, X, y, ax=ax, mistakes=mistakes, view=view, names=names, title=title
        )  # fmt: skip
    if weights.shape != (len(data.classes), data.d + 1):
        raise InputError(
            f"{len(data.classes)} classes of {data.d} features need weights of shape "
            f"{(len(data.classes), data.d + 1)}, got {weights.shape}."
        )
    ax = axes_for(ax)
    palette = palette_of(ax)
    colours = palette.classes(len(data.classes))
    scores = np.asarray(data.X @ weights[:, :-1].T) + weights[:, -1]
    wrong = np.flatnonzero(scores.argmax(axis=1) != data.codes)
    spanned = (
        _plane_of(weights) if data.d > 2 and isinstance(view, str) and view == "auto" else None
    )
    seen = spanned or view_of(data, None, view)
    rows, said = shown_rows(data)
    points = seen.points(data.X[rows], data.signs[rows])
    box, to_scale = frame(points)
    notes = [seen.note, said]
    if len(seen.axes) == 2:
        drawn = _in_view(weights, seen.axes, np.asarray(data.X.mean(axis=0)).ravel())
        for k, colour in enumerate(colours):
            part = region(drawn, k, box)
            if len(part):
                ax.fill(*part.T, facecolor=colour, alpha=0.16, zorder=0)
                ax.fill(*part.T, fill=False, edgecolor=palette.ink, lw=2, zorder=1)
        if data.d > 2 and spanned is None:
            notes.append("regions of the plane through the mean: points beside it may be in others")
    draw_points(ax, points, data.codes[rows], data.classes)
    if mistakes and len(wrong):
        at = np.isin(rows, wrong)
        ring(ax, points[at], rows[at], data, f"mistakes: {len(wrong):,}", palette.ink)
    fit_to(ax, box, to_scale)
    finish(ax, seen.labels, title, *notes, said_scale(to_scale), columns=6)
    return ax


def _plane_of(weights: np.ndarray) -> View | None:
    """The plane that the differences of three classes' weights span: all that decides is in it.

    Examples
    --------
    >>> _plane_of(np.array([[0.0, 0, 0, 1], [0, 2, 0, 0], [0, 0, 3, 0]])).axes.round(9).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    if len(weights) != 3:
        return None
    _, lengths, axes = np.linalg.svd(weights[1:, :-1] - weights[0, :-1], full_matrices=False)
    if lengths[1] <= 1e-9 * lengths[0]:
        return None
    axes *= np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])[:, None]
    words = "seen in the plane that the weights span, where the regions are exact"
    return View(axes, ("first direction of the weights", "second direction"), words)


def _in_view(weights: np.ndarray, axes: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Weights of the points m + Aᵀ(p − A·m) of a view's plane through m, as functions of p."""
    normals, beside = weights[:, :-1], mean - axes.T @ (axes @ mean)
    return np.column_stack([normals @ axes.T, normals @ beside + weights[:, -1]])


def _asked(model: Any, data: DrawnData, ax: Any, mistakes: bool, title: str) -> Any:
    """The regions of any classifier of two features, by its predictions on a grid."""
    planar(data, f"what is not linear, as a {type(model).__name__},")
    palette = palette_of(ax)
    rows, said = shown_rows(data)
    points = data.dense(rows)
    box, to_scale = frame(points)
    x = np.linspace(box.left, box.right, GRID)
    y = np.linspace(box.bottom, box.top, GRID)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    classes = np.asarray(data.classes)
    codes = np.searchsorted(classes, predictions_of(model, grid)).reshape(GRID, GRID)
    for k, colour in enumerate(palette.classes(len(data.classes))):
        mine = (codes == k).astype(float)
        if 0 < mine.mean() < 1:
            ax.contour(x, y, mine, levels=[0.5], colors=palette.ink, linewidths=2.5, zorder=2)
        ax.contourf(x, y, mine, levels=[0.5, 1.5], colors=[colour], alpha=0.16, zorder=0)
    draw_points(ax, points, data.codes[rows], data.classes)
    wrong = np.searchsorted(classes, predictions_of(model, data.X)) != data.codes
    if mistakes and wrong.any():
        words = f"mistakes: {int(wrong.sum()):,}"
        at = wrong[rows]
        ring(ax, points[at], rows[at], data, words, palette.ink)
    fit_to(ax, box, to_scale)
    finish(ax, data.labels, title, said, said_scale(to_scale))
    return ax

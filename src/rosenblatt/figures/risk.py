"""The risk R(w) = Σ −yᵢ w·xᵢ over the misclassified: its surface, its contours, and descents."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, finish, finish_solid, fit_to, row_of_axes
from rosenblatt.figures.drawing.marks import arrow
from rosenblatt.figures.drawing.sources import DrawnData, data_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.figures.wplane import Plane, drawn_lines, wedge, weight_plane
from rosenblatt.figures.wspace import ARROWS, draw_lines
from rosenblatt.teaching.geometry import Box, clip_line, risk_at
from rosenblatt.text import plural

GRID, COARSE, MANY_SAMPLES = 161, 61, 2_000  # places a side; fewer where there are many samples
CREASES = 12
TURN = math.radians(120)  # straight back, a descent would pass through 0


def _planes(source: Any, data: DrawnData) -> dict[str, Plane]:
    """One plane a descent; several of them share one picture only if they share the plane."""
    sources = source if isinstance(source, Mapping) else {"": source}
    if not sources:
        raise InputError(
            "there is nothing to draw: the dict of descents is empty; put one in, or pass None."
        )
    planes = {str(name): weight_plane(item, data) for name, item in sources.items()}
    offsets = [plane.offsets for plane in planes.values()]
    if any(not np.array_equal(other, offsets[0]) for other in offsets):
        raise InputError(
            "these descents end at different biases, so no one section shows them all: run them "
            "with fit_intercept=False."
        )
    return planes


def _reach(planes: Mapping[str, Plane]) -> float:
    """Far enough to see each path; R has no scale of its own, R(cw) = c·R(w)."""
    return 1.2 * (max(float(np.abs(p.path).max(initial=0.0)) for p in planes.values()) or 1.0)


def _colours(ax: Any) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    palette = palette_of(ax)
    deep = "#013A63" if palette.paper == "#FFFFFF" else "#8FD0FF"
    return LinearSegmentedColormap.from_list("risk", [palette.paper, palette.positive, deep])


@figure()
def risk_surface(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    elevation: float = 32.0,
    azimuth: float | None = None,
    names: Any = None,
    title: str = "",
) -> Any:
    """The risk as a surface over w-space: a cone of flat faces, creased on the samples' lines.

    Parameters
    ----------
    source : Trace, risk.Path, any source of `w_space`, or a dict of them, optional
        Whose way down to draw.
    X, y : array and labels
        One or two features; a Trace has its own.
    ax : 3-D matplotlib Axes, optional
    elevation, azimuth : float, optional
        Where to look from, in degrees; by default from where the risk is least.
    names : sequence of str, optional
        The features' names; by default those of a data frame's columns.
    title : str

    Returns
    -------
    3-D matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> data = datasets.three_samples()
    >>> figures.risk_surface(None, data.X, data.y).get_zlabel()
    '$R(w)$'
    """
    data = data_of(source, X, y, names)
    planes = _planes(source, data)
    plane = next(iter(planes.values()))
    ax = axes_for(ax, solid=True, size=(7.6, 6.4))
    palette = palette_of(ax)
    ax.computed_zorder = False
    reach = _reach(planes)
    side = np.linspace(-reach, reach, 81 if data.n <= MANY_SAMPLES else COARSE)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    heights = risk_at(plane.rows, plane.offsets, grid)
    ax.plot_surface(
        grid[..., 0], grid[..., 1], heights, cmap=_colours(ax), rcount=80, ccount=80, lw=0,
        alpha=0.95, antialiased=False, zorder=1,
    )  # fmt: skip
    box = Box(-reach, reach, -reach, reach)
    allowed = wedge(plane, box)
    _draw_floor(ax, allowed)
    rows, said = drawn_lines(plane, allowed, CREASES)
    words = dict(zip((1.0, -1.0), named(data.classes)[::-1], strict=False))
    for k in rows[np.argsort(data.signs[rows], kind="stable")]:
        ends = clip_line(plane.rows[k], float(plane.offsets[k]), box)
        if ends is not None:
            crease = ends[0] + np.linspace(0, 1, 60)[:, None] * (ends[1] - ends[0])
            colour = palette.positive if data.signs[k] > 0 else palette.negative
            ax.plot(
                *crease.T,
                risk_at(plane.rows, plane.offsets, crease),
                color=colour,
                lw=2.2,
                zorder=3,
                label=words.pop(float(data.signs[k]), "_"),
            )
    for colour, (name, walked) in zip(_hues(palette, planes), planes.items(), strict=True):
        if len(walked.path):
            line = _dense(walked.path)
            ax.plot(
                *line.T,
                risk_at(plane.rows, plane.offsets, line),
                color=colour,
                lw=3,
                zorder=4,
                label=name,
            )
            tops = risk_at(plane.rows, plane.offsets, walked.path)
            ax.plot(*walked.path.T, tops, "o", color=colour, ms=6, zorder=5)
    turn = _downhill(grid, heights) if azimuth is None else azimuth
    labels = (*plane.labels, "$R(w)$")
    finish_solid(ax, labels, (elevation, turn), title, plane.note, said.replace("lines", "creases"))
    return ax


def _draw_floor(ax: Any, corners: np.ndarray) -> None:
    """The weights without risk, which the surface touches."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    if len(corners):
        floor = np.column_stack([corners, np.zeros(len(corners))])
        ax.add_collection3d(
            Poly3DCollection([floor], facecolor=palette_of(ax).weights, alpha=0.3, zorder=2)
        )


def _downhill(grid: np.ndarray, heights: np.ndarray) -> float:
    """The azimuth of the least risk, and a little beside it."""
    low = grid[heights <= np.quantile(heights, 0.1)].mean(axis=0)
    return float(np.degrees(np.arctan2(low[1], low[0]))) - 40.0


def _dense(path: np.ndarray) -> np.ndarray:
    """A path with points in between, so that it follows the creases."""
    share = np.linspace(0, 1, 21)[:, None]
    legs = [a + share * (b - a) for a, b in itertools.pairwise(path)]
    return np.vstack(legs) if legs else path


def _hues(palette: Any, planes: Mapping[str, Plane]) -> list[str]:
    hues = [palette.proof, palette.weights, palette.ink, palette.path]
    return [hues[k % len(hues)] for k in range(len(planes))]


@figure()
def risk_contours(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    names: Any = None,
    title: str = "",
) -> Any:
    """Lines of equal risk over w-space, with descents on them; where R = 0 is left bright.

    Parameters
    ----------
    source, X, y, ax, names, title
        As for `risk_surface`, on flat axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> from rosenblatt.risk import descend
    >>> data = datasets.three_samples()
    >>> downhill = descend(data.X, data.y, init=[1, -5], epsilon=0.2, fit_intercept=False)
    >>> ax = figures.risk_contours({"GD": downhill}, data.X, data.y)
    >>> ax.get_xlabel()
    '$w_{1}$'
    """
    return _contours(source, data_of(source, X, y, names), axes_for(ax), title)


def _contours(source: Any, data: DrawnData, ax: Any, title: str, *notes: str) -> Any:
    planes = _planes(source, data)
    plane = next(iter(planes.values()))
    palette = palette_of(ax)
    reach = _reach(planes)
    side = np.linspace(-reach, reach, GRID if data.n <= MANY_SAMPLES else COARSE)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    heights = risk_at(plane.rows, plane.offsets, grid)
    top = float(heights.max()) or 1.0
    levels = np.linspace(0, top, 13)
    levels[0] = 1e-9 * top
    ax.contourf(side, side, heights, levels=levels, cmap=_colours(ax), alpha=0.75, zorder=0)
    ax.contour(
        side, side, heights, levels=levels, colors=palette.ink, linewidths=0.7, alpha=0.5, zorder=1
    )
    box = Box(-reach, reach, -reach, reach)
    rows, said = drawn_lines(plane, wedge(plane, box))
    draw_lines(ax, plane, data, rows, box)
    for colour, (name, walked) in zip(_hues(palette, planes), planes.items(), strict=True):
        _draw_descent(ax, walked.path, colour, name)
    fit_to(ax, box)
    finish(ax, plane.labels, title, plane.note, said, *notes)
    return ax


def _draw_descent(ax: Any, path: np.ndarray, colour: str, name: str) -> None:
    if not len(path):
        return
    paper = palette_of(ax).paper
    if len(path) > ARROWS:
        ax.plot(*path.T, color=colour, lw=1.2, zorder=4)
    else:
        for start, end in itertools.pairwise(path):
            if np.any(start != end):
                arrow(ax, start, end, colour, lw=2)
    ax.plot(*path[0], "o", color=colour, ms=9, mec=paper, zorder=5)
    steps = len(path) - 1
    label = f"{name}: {plural(steps, 'step')}" if name else None
    ax.plot(*path[-1], "*", color=colour, ms=18, mec=paper, zorder=6, ls="", label=label)


def uphill(data: DrawnData) -> np.ndarray | None:
    """Weights to start a descent from: the mean of y·x, turned against most of the points.

    A row, the start of `rosenblatt.risk.descend`, may separate them already. None where the mean
    is 0, and a row does not.

    Examples
    --------
    >>> uphill(data_of(None, [[1, 4], [-5, -3], [3, -5]], [1, -1, -1])).round(2)
    array([ 2.96, -2.87])
    """
    mean = np.asarray(data.X.T @ data.signs).ravel() / data.n
    if not mean.any():
        return None
    if data.d != 2:
        return -mean
    turned = complex(*mean) * np.exp(-1j * TURN)
    return np.array([turned.real, turned.imag])


@figure()
def step_sizes(
    X: Any,
    y: Any,
    epsilons: Sequence[float] | None = None,
    *,
    axes: Any = None,
    init: Any = None,
    names: Any = None,
) -> Any:
    """Gradient descent on the risk with a step too small, a good one, and one too large.

    They are judged by what they reach in 200 steps: see `rosenblatt.risk.Study.called`. Of points
    that are easy to separate no step may be too large: then the largest is called good, too.

    Parameters
    ----------
    X, y : array and labels
        Two features; the line goes through the origin.
    epsilons : sequence of float, optional
        The step sizes; by default three powers of ten about the best.
    axes : matplotlib Axes, one a step size, optional
    init : array or int, optional
        Where to start: see `rosenblatt.risk.descend`. By default the mean of y·x turned by 120°,
        from where there is some way to go.
    names : sequence of str, optional
        The features' names; by default those of a data frame's columns.

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> data = datasets.three_samples()
    >>> axes = figures.step_sizes(data.X, data.y, [0.01, 0.1, 1], init=[1, -5])
    >>> len(axes)
    3
    """
    from rosenblatt.teaching.risk import study

    data = data_of(None, X, y, names)
    init = uphill(data) if init is None else init
    tried = study(data.X, data.signs, epsilons, init=init, fit_intercept=False, max_iter=200)
    chosen = range(len(tried.paths))
    if epsilons is None:
        good = min(max(tried.good, 1), len(tried.paths) - 2)
        chosen = (good - 1, good, good + 1)
    axes = row_of_axes(axes, len(chosen), size=(5.4, 5.6))
    for ax, k in zip(axes, chosen, strict=True):
        path = tried.paths[k]
        end = "R = 0" if path.risk[-1] == 0 else f"R = {path.risk[-1]:.3g}"
        said = f"{plural(path.steps, 'step')}, {end}"
        title = f"ε = {tried.epsilons[k]:.3g}: {tried.called(k)}"
        _contours(path, data, ax, title, said)
    return axes

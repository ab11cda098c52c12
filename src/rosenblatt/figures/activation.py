"""The activation w·x + b as a plane over the data, with and without its bias, and with x₁x₂."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.arguments import is_pair
from rosenblatt.errors import InputError, NotSeparableError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, finish_solid, row_of_axes
from rosenblatt.figures.drawing.marks import shown_rows
from rosenblatt.figures.drawing.projection import planar
from rosenblatt.figures.drawing.sources import DrawnData, Hyperplane, data_of, hyperplane_of
from rosenblatt.figures.drawing.style import markers, palette_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.figures.spaces import x_space
from rosenblatt.teaching.geometry import Box, clip_line, clip_plane, frame

STEMS = 60  # points that get a line up to their activation
ROOM = 0.5  # above and below products, of their range


@figure()
def activation_plane(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    bias: bool = True,
    elevation: float = 20.0,
    azimuth: float = -65.0,
    names: Any = None,
    title: str = "",
) -> Any:
    """The activation over the plane of the data; it crosses zero on the decision line.

    Parameters
    ----------
    source, X, y, names
        As for `x_space`, with two features.
    ax : 3-D matplotlib Axes, optional
    bias : bool
        Whether to add the bias; without it the plane goes through the origin.
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
    >>> figures.activation_plane([1, -1, -1], data.X, data.y).get_zlabel()
    'activation'
    """
    data = planar(data_of(source, X, y, names), "the activation plane")
    plane = hyperplane_of(source, data)
    if plane is None:
        raise InputError("the activation plane needs weights: pass a fitted estimator, or them.")
    ax = axes_for(ax, solid=True, size=(7.4, 6.4))
    palette = palette_of(ax)
    ax.computed_zorder = False
    plane = plane if bias else Hyperplane(plane.normal, 0.0)
    rows, said = shown_rows(data)
    points = data.dense(rows)
    box, _ = frame(np.vstack([points, np.zeros((1, 2))]))
    corners = box.corners()
    sheet(ax, box, lambda p: 0 * p[..., 0], palette.faint, 0.16)
    sheet(ax, box, lambda p: p @ plane.normal + plane.bias, palette.weights, 0.38)
    ends = clip_line(plane.normal, plane.bias, box)
    if ends is not None:
        ax.plot(*ends.T, 0, color=palette.ink, lw=3.5, zorder=3)
    solid_points(ax, np.column_stack([points, np.zeros(len(points))]), data.codes[rows], data)
    if len(points) <= STEMS:
        for point, score in zip(points, plane.scores(points), strict=True):
            ax.plot(*np.array([point, point]).T, [0, score], color=palette.path, lw=1.3, zorder=2)
    heights = plane.scores(corners)
    ax.set_zlim(min(0, heights.min()), max(0, heights.max()) or 1.0)
    flat = "" if plane.normal.any() else "w = 0: the activation is the same everywhere"
    labels = (*data.labels, "activation")
    finish_solid(ax, labels, (elevation, azimuth), title, said, flat)
    return ax


def sheet(ax: Any, box: Box, heights: Any, colour: str, alpha: float) -> None:
    """A tinted surface of those heights over a box."""
    x = np.linspace(box.left, box.right, 9)
    y = np.linspace(box.bottom, box.top, 9)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    ax.plot_surface(
        grid[..., 0], grid[..., 1], heights(grid), color=colour, alpha=alpha, lw=0, zorder=1
    )


def solid_points(ax: Any, points: np.ndarray, codes: np.ndarray, data: DrawnData) -> None:
    """Points of space, each class with its marker and colour."""
    palette = palette_of(ax)
    colours, shapes = palette.classes(len(data.classes)), markers(len(data.classes))
    for k, name in enumerate(named(data.classes)):
        mine = points[codes == k]
        if len(mine):
            ax.scatter(
                *mine.T, c=colours[k], marker=shapes[k], s=70, edgecolors=palette.paper,
                depthshade=False, label=name, zorder=4,
            )  # fmt: skip


@figure()
def activation_bias(
    source: Any, X: Any = None, y: Any = None, *, axes: Any = None, names: Any = None
) -> Any:
    """The activation plane without and with its bias: the bias lifts it off the origin.

    Parameters
    ----------
    source, X, y, names
        As for `activation_plane`.
    axes : two 3-D matplotlib Axes, optional

    Returns
    -------
    array of two 3-D matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> data = datasets.five_points()
    >>> len(figures.activation_bias([1, -1, -1], data.X, data.y))
    2
    """
    axes = row_of_axes(axes, 2, solid=(True, True))
    without, with_bias = "without bias: w·x", "with bias: w·x + b"
    activation_plane(source, X, y, ax=axes[0], bias=False, names=names, title=without)
    activation_plane(source, X, y, ax=axes[1], names=names, title=with_bias)
    return axes


@figure()
def side_by_side(
    sets: Mapping[str, tuple[Any, Any]], *, proofs: Any = None, axes: Any = None
) -> Any:
    """Data sets next to each other: the widest slab of one that separates, hulls that meet else.

    Parameters
    ----------
    sets : dict of str to (X, y)
        Two classes each.
    proofs : list of certificates or None, one a set, optional
        Drawn instead; without this list the titles say the verdicts.
    axes : matplotlib Axes, one a set, optional

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> sets = {name: datasets.load(name)[:2] for name in ("three_samples", "xor")}
    >>> [ax.get_title(loc="left") for ax in figures.side_by_side(sets)]
    ['three_samples: separable', 'xor: inseparable']
    """
    from rosenblatt.figures.certificates import certificate

    if not isinstance(sets, Mapping) or not sets or not all(map(is_pair, sets.values())):
        raise InputError(
            "side_by_side draws a dict of names to data sets, such as {'mine': (X, y)}; got "
            f"{str(sets)[:60]} (a {type(sets).__name__})."
        )
    if proofs is not None and (not isinstance(proofs, list) or len(proofs) != len(sets)):
        raise InputError(f"proofs must be a list of {len(sets)} certificates, one for each set.")
    axes = row_of_axes(axes, len(sets))
    for k, (name, (X, y)) in enumerate(sets.items()):
        said = [f"{name}: separable", f"{name}: inseparable"] if proofs is None else [name, name]
        if proofs is None or proofs[k] is None:
            _best_line(X, y, axes[k], *said)
        else:
            certificate(proofs[k], X, y, ax=axes[k], title=name)
    return axes


def _best_line(X: Any, y: Any, ax: Any, title: str, without: str, names: Any = None) -> None:
    """The line of maximum margin in its slab, or the proof that there is no line."""
    from rosenblatt.figures.certificates import hulls
    from rosenblatt.solve.max_margin import max_margin

    try:
        best = max_margin(X, y)
    except NotSeparableError as none:
        hulls(none.certificate, X, y, ax=ax, names=names, title=without)
    else:
        x_space(best, X, y, ax=ax, slab=True, names=names, title=title)


@figure()
def with_product(X: Any = None, y: Any = None, *, axes: Any = None, names: Any = None) -> Any:
    """Points without and with the feature x₁x₂: of exclusive or no line, but a plane.

    The titles say what there is: a line or none, a plane or none.

    Parameters
    ----------
    X, y : array of shape (n, 2) and labels of two classes, optional
        By default exclusive or itself.
    axes : two matplotlib Axes, the second of them 3-D, optional
    names : sequence of str, optional
        The features' names; by default those of a data frame's columns.

    Returns
    -------
    array of two matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import figures
    >>> flat, lifted = figures.with_product()
    >>> flat.get_title(loc="left"), lifted.get_title(loc="left"), lifted.get_zlabel()
    ('two features: no line', 'with their product: a plane', '$x_{1}x_{2}$')
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    from rosenblatt.data import datasets

    if X is None or y is None:
        X, y = datasets.xor()[:2]
    data = planar(data_of(None, X, y, names), "the product of two features")
    lifted = datasets.with_product(data.dense())
    plane = _best_plane(lifted, data.signs)
    axes = row_of_axes(axes, 2, solid=(False, True))
    _best_line(X, y, axes[0], "two features: a line", "two features: no line", names)
    ax = axes[1]
    ax.computed_zorder = False
    palette = palette_of(ax)
    box, _ = frame(data.dense(), pad=0.08, square=False)
    low, high = lifted[:, 2].min(), lifted[:, 2].max()
    room = ROOM * (high - low or 1.0)
    if plane is not None:
        corners = clip_plane(
            plane[:3],
            plane[3],
            [box.left, box.bottom, low - room],
            [box.right, box.top, high + room],
        )
        ax.add_collection3d(
            Poly3DCollection([corners], facecolor=palette.weights, alpha=0.35, zorder=1)
        )
    ax.set(xlim=(box.left, box.right), ylim=(box.bottom, box.top), zlim=(low - room, high + room))
    rows, said = shown_rows(data)
    solid_points(ax, lifted[rows], data.codes[rows], data)
    for point in lifted if data.n <= STEMS else ():
        shadow = np.array([point, [*point[:2], min(0.0, lifted[:, 2].min())]])
        ax.plot(*shadow.T, color=palette.faint, lw=1, ls=":", zorder=2)
    product = "product" if data.names else "$x_{1}x_{2}$"
    title = f"with their product: {'no plane either' if plane is None else 'a plane'}"
    finish_solid(ax, (*data.labels, product), (18, -70), title, said)
    ax.set_box_aspect(None, zoom=0.9)
    return axes


def _best_plane(points: np.ndarray, signs: np.ndarray) -> np.ndarray | None:
    """The plane of maximum margin, or None where no plane separates the points."""
    from rosenblatt.solve.max_margin import max_margin

    try:
        return max_margin(points, signs).weights
    except NotSeparableError:
        return None

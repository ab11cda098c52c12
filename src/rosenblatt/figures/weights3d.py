"""Weight space with bias: the constraints yᵢ(xᵢ·w + α) ≥ 1 as planes in (w₁, w₂, α)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, finish, finish_solid, fit_to
from rosenblatt.figures.drawing.marks import arrow, tag
from rosenblatt.figures.drawing.sources import DrawnData, data_of, hyperplane_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.teaching.geometry import Box, clip_halfplanes, clip_line

PLANES = 6  # drawn at most: those nearest to the point marked
LINES = 12
# Of a picture from −1 to 1: what is smaller is looked at from nearer; the least area that is seen.
CLOSE_UP, SEEN = 0.8, 0.01
# The best margin is known to 1e-6 of itself, and its weights to about the root of that: what is
# smaller than this, of a picture from −1 to 1, shows rounding and no more.
NOISE = 1e-3
# The largest denominator that a title shows, and how near a number must be to such a fraction.
DENOMINATOR, EQUAL = 99, 1e-9
NEARLY = 1e-3  # ‖w‖ this much above the least, relatively, is the least in three digits


class HalfSpaces(NamedTuple):
    """yᵢ(xᵢ·w + α) ≥ 1 as rows·(w₁, w₂, α) ≥ 1, and a point that meets them.

    Attributes
    ----------
    rows : ndarray of shape (n, 3)
    point : ndarray of shape (3,)
        The weights of the source, as long as they must be.
    order : ndarray of int
        The rows, tightest at the point first.
    least : float
        The least ‖w‖ of all that meet them, that of the optimum.
    """

    rows: np.ndarray
    point: np.ndarray
    order: np.ndarray
    least: float

    @property
    def length(self) -> float:
        """‖w‖ of the point."""
        return float(np.linalg.norm(self.point[:2]))

    @property
    def name(self) -> str:
        """What the point is: the optimum, or just the weights of the source."""
        return "optimum" if self.length <= (1 + NEARLY) * self.least else "w"

    @property
    def about(self) -> str:
        """What a reader must know of a point that is not the optimum."""
        if self.name == "optimum":
            return ""
        return f"‖w‖ = {self.length:.3g}; the optimum, the least of all, has {self.least:.3g}"

    def heights(self, row: int, w: np.ndarray) -> np.ndarray:
        """The α of that row's plane over weights w of shape (…, 2): where its constraint is tight.

        Examples
        --------
        >>> data = data_of(None, [[1, 4], [-5, -3], [3, -5]], [1, -1, -1])
        >>> constraints_of(None, data).heights(0, np.array([[0.0, 0.0], [1.0, 0.0]]))
        array([1., 0.])
        """
        return (1 - w @ self.rows[row, :2]) / self.rows[row, 2]


def constraints_of(source: Any, data: DrawnData) -> HalfSpaces:
    """The constraints of two-dimensional data, and the point of the source; None for the optimum.

    Examples
    --------
    >>> data = data_of(None, [[1, 4], [-5, -3], [3, -5]], [1, -1, -1])
    >>> best = constraints_of(None, data)
    >>> np.round(17 * best.point, 6) + 0, best.name
    (array([1., 4., 0.]), 'optimum')
    >>> constraints_of([1, 3, 0], data).name
    'w'
    """
    if data.d != 2 or len(data.classes) != 2:
        raise InputError(
            f"(w₁, w₂, α) is the weight space of two features and two classes; here are {data.d} "
            f"features and {len(data.classes)} classes: choose two columns of X, and two classes."
        )
    from rosenblatt.solve.max_margin import max_margin

    signed = data.signs[:, None]
    rows = np.column_stack([signed * data.dense(), signed])
    chosen = None if source is None else _meeting(rows, hyperplane_of(source, data))
    best = _meeting(rows, hyperplane_of(max_margin(data.X, data.signs), data))
    point = best if chosen is None else chosen
    order = np.argsort(rows @ point, kind="stable")
    return HalfSpaces(rows, point, order, float(np.linalg.norm(best[:2])))


def _meeting(rows: np.ndarray, plane: Any) -> np.ndarray:
    """Separating weights, as long as they must be to meet the constraints."""
    weights = np.append(plane.normal, plane.bias)
    least = float((rows @ weights).min())
    if not least > 0:
        raise InputError(
            "these weights do not separate the points, so they meet none of the constraints: pass "
            "weights that do, or None for the maximum margin."
        )
    return weights / least


def _hues(ax: Any, data: DrawnData, rows: np.ndarray) -> list[Any]:
    """A tint of the class's colour for each plane, so that planes of one class differ."""
    from matplotlib.colors import to_rgb

    palette = palette_of(ax)
    seen = {1.0: 0, -1.0: 0}
    hues = []
    for row in rows:
        sign = float(data.signs[row])
        base = np.array(to_rgb(palette.positive if sign > 0 else palette.negative))
        share = min(0.45, 0.3 * seen[sign])
        hues.append(tuple((1 - share) * base + share * np.array(to_rgb(palette.path))))
        seen[sign] += 1
    return hues


@figure()
def weight_planes(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    elevation: float = 15.0,
    azimuth: float = -130.0,
    names: Any = None,
    title: str = "",
) -> Any:
    """The planes yᵢ(xᵢ·w + α) = 1 in weight space, and the feasible point of least ‖w‖.

    Parameters
    ----------
    source : MaxMargin, MarginResult, anything else with separating weights, or them, optional
        The point to mark instead; it is called the optimum only where it has the least ‖w‖, and
        else a note says how far it is from that.
    X, y : array of shape (n, 2) and labels
    ax : 3-D matplotlib Axes, optional
    elevation, azimuth : float
        Where to look from, in degrees.
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
    >>> figures.weight_planes(None, data.X, data.y).get_zlabel()
    'α'
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    data = data_of(source, X, y, names)
    system = constraints_of(source, data)
    ax = axes_for(ax, solid=True, size=(7.6, 6.6))
    palette = palette_of(ax)
    ax.computed_zorder = False
    best = system.point
    reach = 1.6 * float(np.linalg.norm(best[:2]))
    box = Box(best[0] - reach, best[0] + reach, best[1] - reach, best[1] + reach)
    rows = system.order[:PLANES]
    spread = 1.2 * float(np.abs(system.rows[rows[:3], :2]).max()) * reach
    for row, hue in zip(rows, _hues(ax, data, rows), strict=True):
        sheet = Poly3DCollection([patch(system, row, box, spread)], facecolor=hue, alpha=0.5)
        sheet.set(label=f"$x^{{({row + 1})}}$, {_sign(data, row)}", edgecolor=hue, zorder=1)
        ax.add_collection3d(sheet)
    ax.set_xlim(box.left, box.right)
    ax.set_ylim(box.bottom, box.top)
    ax.set_zlim(best[2] - spread, best[2] + spread)
    axis = [0.0, 0.0, best[2]]
    ax.plot(*np.array([axis, best]).T, color=palette.ink, ls=":", lw=2, zorder=3)
    ax.scatter(*axis, color=palette.ink, s=30, zorder=4, depthshade=False)
    ax.scatter(
        *best, color=palette.weights, marker="*", s=330, edgecolors=palette.paper, zorder=5,
        depthshade=False, label=_at(system),
    )  # fmt: skip
    said = f"the {PLANES} tightest of {data.n:,} planes drawn" if data.n > PLANES else ""
    finish_solid(ax, (*data.weight_labels, "α"), (elevation, azimuth), title, said, system.about)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.04), ncols=2)
    return ax


def patch(system: HalfSpaces, row: int, box: Box, spread: float) -> np.ndarray:
    """The corners of a row's plane over a box of (w₁, w₂), at most ``spread`` from the point's α.

    Examples
    --------
    >>> system = constraints_of(None, data_of(None, [[1, 4], [-5, -3], [3, -5]], [1, -1, -1]))
    >>> corners = patch(system, 1, Box(-1, 1, -1, 1), 2.0)
    >>> bool(np.allclose(corners @ system.rows[1], 1) and (abs(corners[:, 2]) <= 2.000001).all())
    True
    """
    a, b, c = system.rows[row]
    middle = system.point[2]
    # α = (1 − a·w₁ − b·w₂)/c within the spread: two half-planes of (w₁, w₂).
    slope = np.array([[-a / c, -b / c], [a / c, b / c]])
    offsets = [1 / c - middle + spread, middle + spread - 1 / c]
    corners = clip_halfplanes(box, slope, offsets)
    return np.column_stack([corners, system.heights(row, corners)])


def _sign(data: DrawnData, row: int) -> str:
    return named(data.classes)[data.codes[row]]


def _at(system: HalfSpaces) -> str:
    w1, w2, bias = (as_fraction(v + 0.0).replace("-", "−") for v in np.round(system.point, 12))
    return f"{system.name} ({w1}, {w2}, {bias})"


@figure()
def weight_section(
    source: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    names: Any = None,
    title: str = "",
) -> Any:
    """The section of weight space at the w₁ of a point: lines in (w₂, α), and where all agree.

    The point is the optimum, or what `weight_planes` marks instead.

    Parameters
    ----------
    source, X, y, names, title
        As for `weight_planes`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> data = datasets.three_samples()
    >>> ax = figures.weight_section(None, data.X, data.y)
    >>> ax.get_title(loc="left")
    'Section at w₁ = 1/17'
    """
    data = data_of(source, X, y, names)
    system = constraints_of(source, data)
    ax = axes_for(ax)
    palette = palette_of(ax)
    best = system.point
    normals, offsets = section(system)
    reach = 1.7 * float(np.linalg.norm(best[:2]))
    tall = max(reach * float(np.abs(system.rows[system.order[:3], 1]).max()), 1e-300)
    box = _about(best, reach, tall)
    allowed = clip_halfplanes(box, normals, offsets)
    closer, seen = _nearer((allowed - best[1:]) / (reach, tall))
    box = _about(best, closer * reach, closer * tall)
    if seen:
        ax.fill(*allowed.T, color=palette.weights, alpha=0.22, lw=0, label="feasible", zorder=1)
    stretch = np.array([box.right - box.left, box.top - box.bottom])
    rows = system.order[:LINES]
    unsaid = dict(enumerate(named(data.classes)))  # classes that the legend lacks so far
    for row, hue in zip(rows, _hues(ax, data, rows), strict=True):
        ends = clip_line(normals[row], float(offsets[row]), box)
        if ends is None:
            continue
        name = unsaid.pop(int(data.codes[row]), "_")
        dashes = "-" if data.signs[row] > 0 else (0, (6, 2))
        ax.plot(*ends.T, color=hue, ls=dashes, zorder=2, label=name)
        if data.n <= PLANES:
            base = ends[0] + 0.14 * (ends[1] - ends[0])
            up = normals[row] * stretch  # perpendicular on the page, whose axes differ in scale
            step = 0.06 * stretch * up / np.linalg.norm(up)
            arrow(ax, base, base + step, hue, lw=1.6)
            tag(ax, f"$x^{{({row + 1})}}$", base - 0.9 * step, hue)
    ax.axvline(0, color=palette.faint, lw=0.8, zorder=0)
    ax.axhline(0, color=palette.faint, lw=0.8, zorder=0)
    ax.plot(
        *best[1:], "*", color=palette.weights, ms=20, mec=palette.paper, zorder=6, label=system.name
    )
    fit_to(ax, box, to_scale=False)
    said = f"the {LINES} tightest of {data.n:,} lines drawn" if data.n > LINES else ""
    alone = "" if seen else "at this w₁ hardly any weights but those marked meet all constraints"
    where = as_fraction(best[0]).replace("-", "−")
    title = title or f"Section at {data.weight_labels[0] if data.names else 'w₁'} = {where}"
    finish(ax, (data.weight_labels[1], "α"), title, said, alone, system.about)
    return ax


def as_fraction(value: float) -> str:
    """A number as a fraction of small numbers where it is one to nine digits, else in three digits.

    Examples
    --------
    >>> as_fraction(1 / 17), as_fraction(-2.0), as_fraction(0.0588)
    ('1/17', '-2', '0.0588')
    """
    near = Fraction(value).limit_denominator(DENOMINATOR)
    return str(near) if abs(float(near) - value) <= EQUAL * abs(value) else f"{value:.3g}"


def _about(best: np.ndarray, reach: float, tall: float) -> Box:
    return Box(best[1] - reach, best[1] + reach, best[2] - tall, best[2] + tall)


def _nearer(corners: np.ndarray) -> tuple[float, bool]:
    """How much nearer to look at a polygon of a picture from −1 to 1, and whether it is seen then.

    Examples
    --------
    >>> _nearer(np.array([[0, 0], [0.5, 0], [0, 0.5]]))
    (0.625, True)
    >>> _nearer(np.array([[0, 0], [0.08, 0.08], [0.04, 0.04001]]))
    (1.0, False)
    >>> _nearer(1e-14 * np.array([[0, 0], [0.5, 0], [0, 0.5]]))  # rounding noise
    (1.0, False)
    """
    if not len(corners):
        return 1.0, False
    closer = min(1.0, float(np.ptp(corners, axis=0).max()) / CLOSE_UP)
    if closer < NOISE:
        return 1.0, False
    x, y = corners.T
    area = abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1))) / 2
    return (closer, True) if area > SEEN * closer**2 else (1.0, False)


def section(system: HalfSpaces) -> tuple[np.ndarray, np.ndarray]:
    """The constraints at the point's w₁, as normals·(w₂, α) + offsets ≥ 0.

    Examples
    --------
    >>> data = data_of(None, [[1, 4], [-5, -3], [3, -5]], [1, -1, -1])
    >>> normals, offsets = section(constraints_of(None, data))
    >>> normals[0], round(17 * offsets[0], 6)
    (array([4., 1.]), np.float64(-16.0))
    """
    return system.rows[:, 1:], system.rows[:, 0] * system.point[0] - 1

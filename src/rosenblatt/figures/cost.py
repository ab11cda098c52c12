"""Cost: measured time and counted operations against size, with the fitted exponent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.arguments import is_pair
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, heading, row_of_axes
from rosenblatt.figures.drawing.style import MARKERS, palette_of


@figure()
def cost(
    source: Any, *, ax: Any = None, size: str = "size", law: str = "power", title: str = ""
) -> Any:
    """Costs against sizes, both logarithmic: a power law is a line, its exponent the slope.

    Parameters
    ----------
    source : Doubling, (sizes, costs), or a dict of them
        What `rosenblatt.cost.doubling` returned, or numbers of your own.
    ax : matplotlib Axes, optional
    size : str
        What grows.
    law : {"power", "class"}
        What is drawn through the costs, and named: size to a power, or the class of growth that
        explains them best (`rosenblatt.cost.growth_class`), such as O(log n), which is no power.
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import figures
    >>> ax = figures.cost({"matrix times vector": ([10, 20, 40], [210, 820, 3240])})
    >>> ax.get_legend_handles_labels()[1]
    ['matrix times vector: size$^{1.97}$']
    >>> ax = figures.cost(([15, 127, 1023], [8, 14, 20]), law="class")
    >>> ax.get_legend_handles_labels()[1]
    ['O(log n)']
    """
    if not (isinstance(law, str) and law in LAWS):
        raise InputError(f"law must be one of {', '.join(map(repr, LAWS))}, got {law!r}.")
    series = source if isinstance(source, Mapping) else {"": source}
    if not series:
        raise InputError("there is nothing to draw: the dict of costs is empty.")
    ax = axes_for(ax, size=(7.6, 5.6))
    palette = palette_of(ax)
    units = set()
    for k, (name, table) in enumerate(series.items()):
        sizes, costs = _columns(table)
        units.add(getattr(table, "unit", "cost"))
        colour = palette.several[(k + 1) % len(palette.several)]
        along = np.geomspace(min(sizes), max(sizes), 100)
        drawn, called = LAWS[law](sizes, costs, along, size)
        ax.plot(along, drawn, color=colour, lw=2, zorder=1)
        ax.plot(
            sizes, costs, MARKERS[(k + 1) % len(MARKERS)], color=colour, ms=10, mec=palette.paper,
            label=f"{name}: {called}" if name else called, zorder=2,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(size)
    ax.set_ylabel(units.pop() if len(units) == 1 else "cost")
    heading(ax, title, columns=1 if len(series) > 2 else 2)
    return ax


def _power(sizes: Any, costs: Any, along: np.ndarray, size: str) -> tuple[np.ndarray, str]:
    """The power law of least squares, and its name."""
    from rosenblatt.teaching.cost import growth_exponent

    law = growth_exponent(sizes, costs)
    return law.factor * along**law.exponent, f"{size}$^{{{law.exponent:.2f}}}$"


def _class(sizes: Any, costs: Any, along: np.ndarray, size: str) -> tuple[np.ndarray, str]:
    """The class of growth that explains the costs best, and its name."""
    from rosenblatt.teaching.cost import growth_class
    from rosenblatt.teaching.cost.classes import CLASSES

    found = growth_class(sizes, costs)
    return found.factor * CLASSES[found.name][1](along) + found.offset, found.order


LAWS = {"power": _power, "class": _class}


def _columns(table: Any) -> tuple[Any, Any]:
    """Sizes and costs, which `growth_exponent` checks."""
    if hasattr(table, "sizes") and hasattr(table, "costs"):
        return table.sizes, table.costs
    if not is_pair(table) and not (isinstance(table, np.ndarray) and len(table) == 2):
        raise InputError(
            f"cannot draw a {type(table).__name__} as costs: pass (sizes, costs), what "
            "rosenblatt.cost.doubling returned, or a dict of them."
        )
    return table[0], table[1]


@figure()
def growth_classes(most: int = 64, *, ax: Any = None, title: str = "") -> Any:
    """The named classes of growth, from constant to exponential, for n from 1 on.

    Parameters
    ----------
    most : int
        The largest n.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import figures
    >>> figures.growth_classes().get_legend_handles_labels()[1][:3]
    ['constant, O(1)', 'logarithmic, O(log n)', 'linear, O(n)']
    """
    from rosenblatt.teaching.cost.classes import CLASSES

    if most < 4:
        raise InputError(f"most must be at least 4, got {most}.")
    ax = axes_for(ax, size=(7.6, 5.6))
    palette = palette_of(ax)
    n = np.linspace(1, most, 400)
    for k, (name, (order, shape)) in enumerate(CLASSES.items()):
        with np.errstate(over="ignore"):
            values = shape(n)
        colour = palette.several[k % len(palette.several)]
        ax.plot(n, values, color=colour, ls=("-", "--", "-.")[k % 3], label=f"{name}, {order}")
    ax.set(xlim=(1, most), ylim=(0.7, 20.0 * most**3))
    ax.set_yscale("log")
    ax.set_xlabel("n")
    ax.set_ylabel("operations")
    heading(ax, title, columns=2)
    return ax


@figure()
def cost_scaling(
    *,
    points: Sequence[int] = (2_000, 8_000, 32_000, 128_000),
    features: Sequence[int] = (8, 32, 128, 512),
    margins: Sequence[float] = (0.2, 0.1, 0.05, 0.025, 0.0125),
    axes: Any = None,
) -> Any:
    """How a pass costs n and d, and how updates grow with 1/γ²: measured now, on this machine.

    Parameters
    ----------
    points, features : sequence of int
        The n (with 20 features) and the d (with 4,000 points) to time one pass at.
    margins : sequence of float
        The γ of the clouds, of radius 1, that are learned to the end.
    axes : three matplotlib Axes, optional

    Returns
    -------
    array of three matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import figures
    >>> axes = figures.cost_scaling(points=[500, 1000], features=[4, 8], margins=[0.3, 0.2])
    >>> [ax.get_xlabel() for ax in axes]
    ['n', 'd', '1/γ²']
    """
    axes = row_of_axes(axes, 3, size=(5.6, 5.4))
    cost(_of_passes([(n, 20) for n in points], points), ax=axes[0], size="n", title="points")
    cost(
        _of_passes([(4_000, d) for d in features], features), ax=axes[1], size="d", title="features"
    )
    inverse = [1 / gamma**2 for gamma in margins]
    cost(
        {"updates": (inverse, _updates(margins)), "bound R²/γ²": (inverse, inverse)},
        ax=axes[2],
        size="1/γ²",
        title="margin",
    )
    axes[0].set_ylabel("multiply-adds, or nanoseconds")
    axes[1].set_ylabel("")
    axes[2].set_ylabel("updates")
    return axes


def _pass(n: int, d: int) -> Any:
    """Points without a bias, and a run of a single pass over them."""
    from rosenblatt.data.datasets import gaussian
    from rosenblatt.engine.loop import learn
    from rosenblatt.engine.points import make_points
    from rosenblatt.engine.rules import PerceptronRule
    from rosenblatt.engine.stopping import Budget
    from rosenblatt.engine.sweep import CompiledSweep

    cloud = gaussian(n, d, 0.1)
    ready = make_points(cloud.X, cloud.y.astype(float))
    return lambda: learn(
        CompiledSweep(ready, PerceptronRule()), order="cyclic", budget=Budget(passes=1)
    )


def _of_passes(shapes: Sequence[tuple[int, int]], sizes: Sequence[int]) -> dict[str, Any]:
    counted, timed = [], []
    for n, d in shapes:
        go = _pass(n, d)
        counted.append(go().cost.multiply_adds)
        timed.append(1e9 * min(go().seconds for _ in range(5)))
    return {"multiply-adds": (sizes, counted), "nanoseconds": (sizes, timed)}


def _updates(margins: Sequence[float]) -> list[int]:
    from rosenblatt.data.datasets import separable
    from rosenblatt.engine.loop import learn
    from rosenblatt.engine.points import make_points
    from rosenblatt.engine.rules import PerceptronRule
    from rosenblatt.engine.sweep import CompiledSweep

    made = []
    for gamma in margins:
        cloud = separable(2_000, 20, gamma)
        ready = make_points(cloud.X, cloud.y.astype(float), fit_intercept=False)
        made.append(learn(CompiledSweep(ready, PerceptronRule()), order="cyclic").updates)
    return made

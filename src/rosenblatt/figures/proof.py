"""The proof, drawn: k·γ ≤ ‖w‖ ≤ √k·R, the margin's bracket, mistakes against their bound."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, finish
from rosenblatt.figures.drawing.sources import is_trace, run_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.growth import ProofGrowth, bracket_of, growth_of
from rosenblatt.text import plural

DOTS = 60  # passes that get a large dot each
BEFORE_1 = 0.8  # where a logarithmic axis of updates begins, so that a mark at 1 is seen whole
DECADES = 30  # numbers that differ by a larger factor get a logarithmic axis


@figure()
def sandwich(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    gamma: float | None = None,
    ax: Any = None,
    title: str = "",
) -> Any:
    """Novikoff's proof: ‖w‖ between k·γ and √k·R, which meet at k = R²/γ² updates.

    Of three classes and more an update moves two weight vectors: √(2k)·R, and 2R²/γ². The upper
    curve and the bound of a Perceptron with ``margin=`` are those of its rule.

    Parameters
    ----------
    source : Trace, fitted Perceptron, or Run
        A Trace shows every update and may start anywhere; the others show the end of every pass,
        and started at 0.
    X, y : array and labels, optional
        To find the best margin γ (and, for a Run, the radius R) with. A Trace has its own.
    gamma : float, optional
        The best margin, if it is known, the bias included as in `rosenblatt.margin`. One that the
        run disproves is refused. Of a Trace that did not start at 0 it is computed in any case.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures, trace
    >>> data = datasets.five_points()
    >>> ax = figures.sandwich(trace(data.X, data.y, max_passes=1000))
    >>> ax.get_xlabel()
    'updates k'
    """
    growth = growth_of(source, X, y, gamma)
    ax = axes_for(ax, size=(7.6, 5.6))
    palette = palette_of(ax)
    made = int(growth.updates[-1])
    far = growth.bound if math.isfinite(growth.bound) else 1.25 * max(made, 1)
    logarithmic = far > 12 * max(made, 1)
    low = BEFORE_1 if logarithmic else 0.0
    high = far * (1.6 if logarithmic else 1.08)
    k = np.geomspace(low, high, 300) if logarithmic else np.linspace(0, high, 300)
    upper, lower = growth.upper(k), growth.lower(k)
    ax.plot(k, upper, color=palette.negative, ls=(0, (6, 2)), label=growth.names[0])
    if growth.gamma > 0:
        name = growth.names[1] + ("" if growth.exact else ", the part of γ known")
        ax.plot(k, lower, color=palette.positive, ls="-.", label=name)
    inside = lower <= upper
    ax.fill_between(k, lower, upper, where=list(inside), color=palette.faint, alpha=0.13, lw=0)
    dot: dict[str, Any] = {"marker": "o", "ms": 10, "mec": palette.paper, "markevery": [-1]}
    dot |= {"color": palette.weights, "lw": 3.2, "label": r"$\|w\|$", "zorder": 5}
    alone = made <= (1 if logarithmic else 0)  # k = 0 is on no logarithmic axis
    ax.plot(growth.updates, growth.norms, ls="" if alone else "-", **dot)
    if logarithmic:
        ax.set_xscale("log", nonpositive="mask")
        ax.set_yscale("log", nonpositive="mask")
    else:
        ax.locator_params(axis="x", integer=True)
    ax.set_xlim(low, high)
    top = float(growth.upper(high))
    ax.set_ylim(min(growth.radius, growth.gamma or growth.radius) / 2 if logarithmic else 0, top)
    _mark_bound(ax, growth, made)
    said = "" if growth.gamma > 0 else "no margin is known: the run is not bounded from below"
    if growth.gamma == 0 and growth.exact:
        said = "the points are inseparable: there is no γ, and no bound on k"
    finish(ax, ("updates k", r"$\|w\|\,/\,\eta$"), title, said)
    return ax


def _mark_bound(ax: Any, growth: ProofGrowth, made: int) -> None:
    palette = palette_of(ax)
    words = plural(made, "update")
    place = {"xy": (1, 0), "xycoords": ax.transAxes}
    if math.isfinite(growth.bound):
        ax.axvline(growth.bound, color=palette.ink, ls=":", lw=2)
        words += f" ≤ {growth.said_bound}"
        place = {"xy": (growth.bound, 0), "xycoords": ax.get_xaxis_transform()}
    ax.annotate(words, xytext=(-8, 8), textcoords="offset points", ha="right", va="bottom", **place)


@figure()
def bracket(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Any = None,
    title: str = "",
) -> Any:
    """What a run knows of the best margin γ: at least what it has reached, at most ‖w‖/k.

    The axis is logarithmic where the numbers differ by more than a factor of 30. A lower end of 0,
    as long as nothing is separated, is left out there.

    Parameters
    ----------
    source, X, y, ax, title
        As for `sandwich`. A Trace shows both ends close in; a fitted Perceptron the upper end pass
        by pass and the lower one that it reached at the end.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures, trace
    >>> ax = figures.bracket(trace(*datasets.three_samples()[:2]))
    >>> ax.get_ylabel()
    'margin'
    """
    growth = growth_of(source, X, y)
    k, lower, upper = bracket_of(source, growth, X, y)
    if not len(k):
        raise InputError("the run made no update, so it knows nothing of the margin.")
    ax = axes_for(ax, size=(7.6, 5.6))
    palette = palette_of(ax)
    known = growth.gamma > 0 and growth.exact
    numbers = np.concatenate([upper, lower[lower > 0], [growth.gamma] if known else []])
    low, high = float(numbers.min()), float(numbers.max())
    logarithmic = high > DECADES * low
    dot: dict[str, Any] = {"marker": "o", "ms": 9, "clip_on": False, "zorder": 5}
    alone = len(k) == 1  # a line of one point would not be seen
    name = r"$\|w\|/k$, upper end"
    line: dict[str, Any] = {"ls": "", **dot} if alone else {"ls": (0, (6, 2))}
    ax.plot(k, upper, color=palette.negative, label=name, **line)
    if lower[-1] > 0:
        reached = np.where(lower > 0, lower, np.nan) if logarithmic else lower
        dot |= {"markevery": [-1], "ls": "" if alone else "-", "label": "reached, lower end"}
        ax.plot(k, reached, color=palette.positive, **dot)
    at_rest = low / 2 if logarithmic else 0.0
    known_all_along = alone or not np.isnan(lower).any()
    floor = np.where(lower > 0, lower, at_rest) if known_all_along else np.full(len(k), at_rest)
    ax.fill_between(k, floor, upper, color=palette.faint, alpha=0.15, lw=6 if alone else 0)
    if known:
        label = rf"$\gamma$ = {growth.gamma:.4g}"
        ax.axhline(growth.gamma, color=palette.ink, ls=":", lw=2, label=label)
    ax.set_xlim(*((0, 2 * k[0]) if alone else (min(1, k[0]), k[-1])))
    if logarithmic:
        ax.set_yscale("log")
        ax.set_ylim(low / 2, 2 * high)
    else:
        ax.set_ylim(0, 1.05 * high)
    ax.locator_params(axis="x", integer=True)
    finish(ax, ("updates k", "margin"), title, _of_margin(growth, lower), columns=3)
    return ax


def _of_margin(growth: ProofGrowth, lower: np.ndarray) -> str:
    """What a bracket without a lower end means."""
    if growth.gamma == 0 and growth.exact:
        return "the points are inseparable: there is no margin, and the upper end falls towards 0"
    return "" if lower[-1] > 0 else "nothing is separated yet: the lower end is 0"


@figure()
def mistakes_per_pass(source: Any, *, ax: Any = None, title: str = "") -> Any:
    """How many mistakes each pass made.

    Parameters
    ----------
    source : fitted Perceptron, Run or Trace
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures, trace
    >>> ax = figures.mistakes_per_pass(trace(*datasets.five_points()[:2]))
    >>> ax.get_xlabel()
    'pass'
    """
    run = run_of(source)
    mistakes = run.column("mistakes")
    if not len(mistakes):
        raise InputError("the run ended before its first pass was over.")
    ax = axes_for(ax, size=(7.6, 5.2))
    palette = palette_of(ax)
    passes = np.arange(1, len(mistakes) + 1)
    if len(mistakes) <= 60:
        ax.bar(passes, mistakes, color=palette.positive, width=0.8)
    else:
        ax.fill_between(passes, mistakes, step="mid", color=palette.positive, lw=0)
    ax.set_xlim(0.4, len(mistakes) + 0.6)
    ax.set_ylim(0, 1.06 * max(1, int(mistakes.max())))
    ax.locator_params(integer=True, min_n_ticks=1)
    made = f"{plural(int(mistakes.sum()), 'mistake')} in {plural(len(mistakes), 'pass')}"
    said = f"{made}. {_first(run.stop)}"
    finish(ax, ("pass", "mistakes"), title, said)
    return ax


def _first(stop: Any) -> str:
    return str(stop).split(". ")[0].rstrip(".") + "."


@figure()
def online_mistakes(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    gamma: float | None = None,
    ax: Any = None,
    title: str = "",
) -> Any:
    """Mistakes so far against examples seen, under the bound that holds however long it goes on.

    Parameters
    ----------
    source, X, y, gamma, ax, title
        As for `sandwich`. A Trace shows every mistake as a step; the others know their counts at
        the end of each pass, dots that lines join.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures, trace
    >>> ax = figures.online_mistakes(trace(*datasets.five_points()[:2]))
    >>> ax.get_ylabel()
    'mistakes so far'
    """
    growth = growth_of(source, X, y, gamma)
    style: dict[str, Any]
    if is_trace(source):
        seen = np.arange(len(source.steps) + 1)
        made = np.concatenate([[0], np.cumsum([step.mistake for step in source.steps])])
        style, counted = {"drawstyle": "steps-post", "lw": 3}, ""
    else:
        seen = np.concatenate([[0], run_of(source).column("looks")])
        made = growth.updates
        style = {"marker": "o", "ms": 8 if len(seen) <= DOTS else 3, "lw": 1.5, "clip_on": False}
        counted = "counted at the end of each pass: dots, which the lines only join"
    ax = axes_for(ax, size=(7.6, 5.2))
    palette = palette_of(ax)
    ax.plot(seen, made, color=palette.weights, label="mistakes", **style)
    top = float(made[-1])
    if math.isfinite(growth.bound):
        words = f"bound {growth.said_bound}"
        ax.axhline(growth.bound, color=palette.negative, ls=(0, (6, 2)), label=words)
        top = growth.bound
        if growth.bound > 20 * max(1, made[-1]):
            ax.set_yscale("symlog", linthresh=1)
            ax.set_yticks(_powers(2 * growth.bound))
            top *= 2
    if ax.get_yscale() == "linear":
        ax.locator_params(integer=True, min_n_ticks=1)
    ax.set_xlim(0, max(1, int(seen[-1])))
    ax.set_ylim(0, 1.1 * max(1.0, top))
    said = "" if math.isfinite(growth.bound) else "no margin is known, so there is no bound"
    if growth.gamma == 0 and growth.exact:
        said = "the points are inseparable: there is no margin, and no bound"
    finish(ax, ("examples seen", "mistakes so far"), title, counted, said)
    return ax


def _powers(most: float) -> list[float]:
    """0 and powers of ten up to a number, no more than eight of them.

    Examples
    --------
    >>> _powers(500), len(_powers(1e16))
    ([0.0, 1.0, 10.0, 100.0], 7)
    """
    highest = math.floor(math.log10(most))
    return [0.0, *(10.0**k for k in range(0, highest + 1, 1 + highest // 7))]

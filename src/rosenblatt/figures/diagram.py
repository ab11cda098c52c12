"""The unit's diagram: inputs, weights, sum, threshold, output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.arguments import optional
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import FINITES, figure
from rosenblatt.figures.drawing.canvas import axes_for
from rosenblatt.figures.drawing.sources import weights_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import feature_labels, names_of

SHOWN_INPUTS = 6  # inputs drawn; of more, the first ones and the last


@figure(x=optional(FINITES))
def unit(
    weights: Any = None,
    x: Any = None,
    *,
    inputs: int = 3,
    names: Sequence[str] | None = None,
    ax: Any = None,
    title: str = "",
) -> Any:
    """The perceptron as a unit: inputs times weights, summed, compared with zero.

    Parameters
    ----------
    weights : d + 1 numbers, the bias last, or a fitted estimator of two classes, optional
        Written on the connections; symbols without them.
    x : d numbers, optional
        Written on the inputs; with weights, the sum and the output are computed.
    inputs : int
        d, where there are no weights and no x.
    names : sequence of str, optional
        The inputs' names; by default those of the data frame that was fitted.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import figures
    >>> ax = figures.unit([0.5, 0.5, -50], [90, 80])
    >>> [text.get_text() for text in ax.texts][-2:]
    ['w·x + b = 35', '+1']
    """
    w = None if weights is None else weights_of(weights)
    if w is not None and w.ndim == 2:
        raise InputError(
            f"a unit has one weight vector, and here are {len(w)}: pass one of them, as "
            "np.append(model.coef_[k], model.intercept_[k])."
        )
    given = None if x is None else np.asarray(x, dtype=float).ravel()
    d = len(w) - 1 if w is not None else len(given) if given is not None else inputs
    if d < 1 or (given is not None and len(given) != d):
        raise InputError(
            "the unit needs d inputs and d + 1 weights, the bias last; got "
            f"{0 if w is None else len(w)} weights and {'no' if given is None else len(given)} "
            "inputs."
        )
    called = feature_labels(names_of(weights, d, names), d)
    labels = [_input(k, called, given) for k in range(d)] + ["1"]
    edges = [_weight(k, d, w) for k in range(d + 1)]
    if d > SHOWN_INPUTS:
        cut = SHOWN_INPUTS - 2
        labels = [*labels[:cut], "⋮", *labels[-2:]]
        edges = [*edges[:cut], "", *edges[-2:]]
    ax = axes_for(ax, size=(8.4, max(3.2, 0.9 * len(labels))))
    score = None if w is None or given is None else float(w[:-1] @ given + w[-1])
    _draw(ax, labels, edges, score)
    if title:
        ax.set_title(title)
    return ax


def _input(k: int, names: Sequence[str], given: np.ndarray | None) -> str:
    return names[k] if given is None else f"{names[k]} = {given[k]:.4g}"


def _weight(k: int, d: int, w: np.ndarray | None) -> str:
    if w is None:
        return "$b$" if k == d else f"$w_{{{k + 1}}}$"
    return f"{w[k]:.4g}".replace("-", "−")


def _draw(ax: Any, labels: list[str], edges: list[str], score: float | None) -> None:
    from matplotlib.patches import Circle, FancyBboxPatch

    palette = palette_of(ax)
    heights = np.linspace(1, -1, len(labels)) * 0.42 * len(labels)
    middle, size = np.array([4.2, 0.0]), 0.55
    for height, label, edge in zip(heights, labels, edges, strict=True):
        ax.text(0, height, label, ha="right", va="center", color=palette.positive)
        if label == "⋮":
            continue
        start = np.array([0.2, height])
        way = middle - start
        end = middle - size * way / np.linalg.norm(way)
        _line(ax, start, end)
        ax.text(
            *(start + 0.3 * (end - start)), edge, ha="center", va="center", color=palette.weights,
            bbox={"fc": palette.paper, "ec": "none", "pad": 1.5},
        )  # fmt: skip
    ax.add_patch(Circle(tuple(middle), size, fc=palette.paper, ec=palette.ink, lw=2.5))
    ax.text(*middle, "Σ", ha="center", va="center", fontsize=22)
    step = np.array([6.4, 0.0])
    ax.add_patch(
        FancyBboxPatch(
            tuple(step - 0.5), 1, 1, boxstyle="round,pad=0.05", fc=palette.paper, ec=palette.ink,
            lw=2.5,
        )
    )  # fmt: skip
    ax.plot(step[0] + np.array([-0.4, 0, 0, 0.4]), [-0.25, -0.25, 0.25, 0.25],
            color=palette.proof, lw=3)  # fmt: skip
    _line(ax, (middle[0] + size, 0), (step[0] - 0.55, 0))
    _line(ax, (step[0] + 0.55, 0), (step[0] + 1.4, 0))
    said = "w·x + b" if score is None else f"w·x + b = {score:.4g}".replace("-", "−")
    out = "±1" if score is None else ("+1" if score >= 0 else "−1")
    ax.text(step[0], 0.8, "sign", ha="center", va="bottom", color=palette.proof)
    ax.text(middle[0] - 0.3, -0.75, said, ha="left", va="top")
    ax.text(step[0] + 1.55, 0, out, ha="left", va="center", fontsize=18)
    reach = max(1.4, float(np.abs(heights).max()) + 0.4)
    ax.set(xlim=(-1.9, 8.8), ylim=(-reach, reach))
    ax.set_aspect("equal")
    ax.axis("off")


def _line(ax: Any, start: Any, end: Any) -> None:
    style = {"arrowstyle": "-|>,head_width=0.25,head_length=0.5", "lw": 1.8, "shrinkA": 0,
             "shrinkB": 0, "color": palette_of(ax).ink}  # fmt: skip
    ax.annotate("", xy=end, xytext=start, arrowprops=style, zorder=1)

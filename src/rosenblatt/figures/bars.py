"""Weights as bars, one a feature: what speaks for a class, and what against it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import note, panels
from rosenblatt.figures.drawing.sources import names_of_weights, weights_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import feature_labels, names_of


@figure()
def weight_bars(
    source: Any, *, names: Any = None, most: int = 15, axes: Any = None, title: str = ""
) -> Any:
    """Each class's weights as bars, the features of the largest weights first.

    A weight is what one unit of its feature adds to the score: compare the bars of different
    features where the features have one scale.

    Parameters
    ----------
    source : fitted estimator, Run, Trace, Decision or weights
    names : sequence of str, optional
        The features' names; by default those of the data frame that was learned from.
    most : int
        Features shown at most.
    axes : matplotlib Axes, one a weight vector, optional
    title : str

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.load("iris")[:2]
    >>> axes = figures.weight_bars(rb.Perceptron().fit(X, y))
    >>> [ax.get_title() for ax in axes]
    ['0', '1', '2']
    """
    weights = np.atleast_2d(weights_of(source))[:, :-1]
    count, d = weights.shape
    if most < 1:
        raise InputError(f"most must be at least 1, got {most}.")
    words = np.array(feature_labels(names_of(source, d, names), d))
    order = np.argsort(-np.abs(weights).max(axis=0), kind="stable")[:most]
    columns = min(4, count)
    axes = panels(axes, count, columns, (3.2 + 2.6 / columns, 1.6 + 0.32 * len(order)))
    palette = palette_of(axes[0])
    reach = 1.08 * float(np.abs(weights).max()) or 1.0
    classes = names_of_weights(source, count)
    for k, (ax, row, word) in enumerate(zip(axes, weights, classes, strict=False)):
        colours = np.where(row[order] > 0, palette.positive, palette.negative)
        ax.barh(range(len(order)), row[order], color=list(colours), height=0.7)
        ax.axvline(0, color=palette.ink, lw=1.2)
        ax.set_xlim(-reach, reach)
        ax.set_ylim(len(order) - 0.4, -0.6)
        ax.set_yticks(range(len(order)), words[order] if k % columns == 0 else [""] * len(order))
        ax.tick_params(axis="y", length=0)
        ax.locator_params(axis="x", nbins=5)
        ax.set_xlabel("weight")
        ax.set_title(word, loc="center", fontsize=13, wrap=True)
    if len(order) < d:
        note(axes[0], f"the {len(order)} largest of {d} features' weights")
    if title:
        axes[0].figure.suptitle(title, x=0.01, ha="left", weight="bold")
    return axes[:count]

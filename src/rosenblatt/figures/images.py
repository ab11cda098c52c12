"""Where features are pixels: the examples of a proof as a contact sheet, weights as images."""

from __future__ import annotations

import math
import textwrap
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import panels
from rosenblatt.figures.drawing.sources import (
    certificate_of,
    data_of,
    names_of_weights,
    weights_of,
)
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import named

GUILTY = 24  # images on a contact sheet
LEAST_SIDE = 5  # pixels a side of what is taken for an image unasked


def image_shape(features: int, shape: Any, instead: str) -> tuple[int, int]:
    """The height and width of an image of so many pixels, square unless told otherwise.

    Few features are no image unless a shape says so: iris has four, and no pixels.

    Examples
    --------
    >>> image_shape(64, None, ""), image_shape(6, (2, 3), "")
    ((8, 8), (2, 3))
    """
    side = math.isqrt(features)
    if shape is None and (side * side != features or side < LEAST_SIDE):
        raise InputError(
            f"this is a figure for images, and {features} features are no square one of at least "
            f"{LEAST_SIDE} × {LEAST_SIDE} pixels: draw {instead}, or pass shape=(height, width) "
            "if they are pixels."
        )
    height, width = shape if shape is not None else (side, side)
    if height * width != features:
        raise InputError(
            f"{features} features are no image of {height} × {width} pixels: pass shape=(height, "
            "width) with that product."
        )
    return int(height), int(width)


@figure()
def contact_sheet(
    source: Any,
    X: Any,
    y: Any,
    *,
    shape: Any = None,
    most: int = GUILTY,
    axes: Any = None,
    title: str | None = None,
) -> Any:
    """The images that prove an inseparability, the heaviest first, each with its class and weight.

    Parameters
    ----------
    source : Decision, Inseparability, or estimator fitted with one
    X, y : array of shape (n, height·width) and labels
    shape : (height, width), optional
        Square by default, of at least 5 × 5 pixels.
    most : int
        Images shown at most; the title says how many there are.
    axes : matplotlib Axes, enough of them, optional
    title : str, optional

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import figures
    >>> X = [[0, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]]
    >>> axes = figures.contact_sheet(rb.decide(X, [0, 0, 1, 1]), X, [0, 0, 1, 1], shape=(2, 2))
    >>> len(axes)
    4
    """
    proof = certificate_of(source)
    if proof.kind != "inseparability":
        raise InputError(
            f"a contact sheet shows the rows of an inseparability; this certificate is of "
            f"{proof.kind}."
        )
    data = data_of(source, X, y)
    shape = image_shape(data.d, shape, "certificate" if proof.rivals is None else "pairs_matrix")
    shares = proof.shares
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")[:most]
    axes = panels(axes, len(order), min(8, len(order)), (1.35, 1.95))
    palette = palette_of(axes[0])
    colours, words = palette.classes(len(data.classes)), named(data.classes)
    for ax, k in zip(axes, order, strict=False):
        row = proof.rows[k]
        ax.imshow(data.dense([row]).reshape(shape), cmap="gray_r", interpolation="nearest")
        code = data.codes[row]
        label = textwrap.shorten(words[code], 13, placeholder="…")
        if proof.rivals is not None:
            label += f" not {words[proof.rivals[k]]}"
        label = textwrap.fill(f"{label} {100 * shares[k]:.2g}%", 14)
        ax.set_title(label, fontsize=11, weight="normal", color=colours[code], pad=3)
        ax.set(xticks=[], yticks=[])
        for spine in ax.spines.values():
            spine.set(visible=True, color=colours[code], linewidth=2.5)
    if title is None:
        shown = f", {len(order)} of them shown" if len(order) < len(shares) else ""
        title = f"Inseparable: {len(shares)} images prove it{shown}"
    axes[0].figure.suptitle(title, x=0.01, ha="left", weight="bold", color=palette.ink)
    return axes[: len(order)]


@figure()
def weight_images(source: Any, *, shape: Any = None, axes: Any = None, title: str = "") -> Any:
    """Each class's weights as an image: what speaks for the class, and what against it.

    Parameters
    ----------
    source : fitted estimator, Run, Trace, Decision or weights
        Whose features are pixels.
    shape : (height, width), optional
        Square by default, of at least 5 × 5 pixels; `weight_bars` draws what is no image.
    axes : matplotlib Axes, one a weight vector, optional
    title : str

    Returns
    -------
    array of matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.load("digits")[:2]
    >>> axes = figures.weight_images(rb.Perceptron(max_iter=5).fit(X, y))
    >>> len(axes)
    10
    """
    weights = np.atleast_2d(weights_of(source))[:, :-1]
    shape = image_shape(weights.shape[1], shape, "weight_bars")
    words = names_of_weights(source, len(weights))
    columns = min(5, len(weights))
    size = 2.0 if columns > 1 else 3.4
    axes = panels(axes, len(weights), columns, (size + 1 / columns, size + 0.3))
    palette = palette_of(axes[0])
    most = float(np.abs(weights).max()) or 1.0
    drawn: Any = None
    for ax, row, word in zip(axes, weights, words, strict=False):
        drawn = ax.imshow(
            row.reshape(shape), cmap=_against_for(palette), vmin=-most, vmax=most,
            interpolation="nearest",
        )  # fmt: skip
        ax.set_title(textwrap.fill(word, int(9 * size)), loc="center", pad=4, fontsize=13)
        ax.set(xticks=[], yticks=[])
        for spine in ax.spines.values():
            spine.set(visible=True, color=palette.faint, linewidth=0.8)
    bar = axes[0].figure.colorbar(drawn, ax=list(axes), shrink=0.7, ticks=[-most, 0, most])
    bar.ax.set_yticklabels(["against", "0", "for"])
    bar.outline.set_visible(False)
    if title:
        axes[0].figure.suptitle(title, x=0.01, ha="left", weight="bold")
    return axes[: len(weights)]


def _against_for(palette: Any) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(
        "against_for", [palette.negative, palette.paper, palette.positive]
    )

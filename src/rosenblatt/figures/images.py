"""Where features are pixels: the examples of a proof as a contact sheet, weights as images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures.certificates import shares_of
from rosenblatt.figures.drawing.sources import certificate_of, data_of, weights_of
from rosenblatt.figures.drawing.style import named, palette_of, pyplot, styled

GUILTY = 24  # images on a contact sheet


def image_shape(features: int, shape: Any = None) -> tuple[int, int]:
    """The height and width of an image of so many pixels, square unless told otherwise.

    Examples
    --------
    >>> image_shape(64), image_shape(6, (2, 3))
    ((8, 8), (2, 3))
    """
    side = math.isqrt(features)
    if shape is None and side * side != features:
        raise InputError(
            f"{features} features are no square image: pass shape=(height, width), or draw "
            "something else if they are no pixels."
        )
    height, width = shape if shape is not None else (side, side)
    if height * width != features:
        raise InputError(
            f"{features} features are no image of {height} × {width} pixels: pass shape=(height, "
            "width) with that product."
        )
    return int(height), int(width)


@styled
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
        Square by default.
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
    >>> axes = figures.contact_sheet(rb.decide(X, [0, 0, 1, 1]), X, [0, 0, 1, 1])
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
    shape = image_shape(data.d, shape)
    shares = shares_of(proof) / shares_of(proof).sum()
    order = np.argsort(-shares, kind="stable")[:most]
    if axes is None:
        columns = min(8, len(order))
        lines = math.ceil(len(order) / columns)
        _, grid = pyplot().subplots(
            lines, columns, figsize=(1.35 * columns, 1.72 * lines + 0.7), squeeze=False
        )
        axes = grid.ravel()
    axes = np.asarray(axes, dtype=object).ravel()
    if len(axes) < len(order):
        raise InputError(f"axes must be {len(order)} or more, got {len(axes)}.")
    palette = palette_of(axes[0])
    colours, words = palette.classes(len(data.classes)), named(data.classes)
    for ax in axes[len(order) :]:
        ax.set_axis_off()
    for ax, k in zip(axes, order, strict=False):
        row = proof.rows[k]
        ax.imshow(data.dense([row]).reshape(shape), cmap="gray_r", interpolation="nearest")
        code = data.codes[row]
        label = words[code]
        if proof.rivals is not None:
            label += f" not {words[proof.rivals[k]]}"
        ax.set_title(f"{label}  {100 * shares[k]:.2g}%", fontsize=11, color=colours[code], pad=3)
        ax.set(xticks=[], yticks=[])
        for spine in ax.spines.values():
            spine.set(visible=True, color=colours[code], linewidth=2.5)
    if title is None:
        shown = f", {len(order)} of them shown" if len(order) < len(shares) else ""
        title = f"Inseparable: {len(shares)} images prove it{shown}"
    axes[0].figure.suptitle(title, x=0.01, ha="left", weight="bold", color=palette.ink)
    return axes[: len(order)]


@styled
def weight_images(source: Any, *, shape: Any = None, axes: Any = None, title: str = "") -> Any:
    """Each class's weights as an image: what speaks for the class, and what against it.

    Parameters
    ----------
    source : fitted estimator, Run, Trace, Decision or weights
        Whose features are pixels.
    shape : (height, width), optional
        Square by default.
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
    shape = image_shape(weights.shape[1], shape)
    classes = getattr(source, "classes_", getattr(source, "classes", range(len(weights))))
    words = named(list(classes))
    words = [f"{words[1]} against {words[0]}"] if len(weights) == 1 < len(words) else words
    if axes is None:
        columns = min(5, len(weights))
        lines = math.ceil(len(weights) / columns)
        _, grid = pyplot().subplots(
            lines, columns, figsize=(2.0 * columns + 1, 2.3 * lines), squeeze=False
        )
        axes = grid.ravel()
    axes = np.asarray(axes, dtype=object).ravel()
    if len(axes) < len(weights):
        raise InputError(f"axes must be {len(weights)} or more, got {len(axes)}.")
    palette = palette_of(axes[0])
    most = float(np.abs(weights).max()) or 1.0
    for ax in axes[len(weights) :]:
        ax.set_axis_off()
    drawn: Any = None
    for ax, row, word in zip(axes, weights, words, strict=False):
        drawn = ax.imshow(
            row.reshape(shape), cmap=_against_for(palette), vmin=-most, vmax=most,
            interpolation="nearest",
        )  # fmt: skip
        ax.set_title(word, loc="center", pad=4)
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

"""Classes against classes: which pairs are separable, and which are taken for each other."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from rosenblatt.arguments import is_labels
from rosenblatt.data.labels import distinct, listed, read_labels
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.arguments import figure
from rosenblatt.figures.drawing.canvas import axes_for, note
from rosenblatt.figures.drawing.sources import data_of, predictions_of
from rosenblatt.figures.drawing.style import palette_of
from rosenblatt.figures.drawing.words import named
from rosenblatt.text import plural


@figure()
def pairs_matrix(source: Any, y: Any = None, *, ax: Any = None, title: str = "") -> Any:
    """Which pairs of classes are linearly separable, and by which margin.

    Parameters
    ----------
    source : Pairs, or X
        What `rosenblatt.pairs` returned, which knows no margins; or points to ask it about.
    y : labels, optional
        With X: each separable pair then shows its best margin, as `rosenblatt.margin` finds it,
        the γ of the mistake bound. On large data it takes longer to find than the decision.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> ax = figures.pairs_matrix(*datasets.load("iris")[:2])
    >>> [text.get_text() for text in ax.texts][:6]
    ['0.749', '1.29', '0.749', 'no', '1.29', 'no']
    """
    from matplotlib.colors import ListedColormap

    source, margins = _pairs(source, y)
    ax = axes_for(ax)
    palette = palette_of(ax)
    answers = source.separable
    size = len(answers)
    shades = ListedColormap([palette.negative, palette.positive])
    ax.imshow(np.ma.masked_invalid(answers), cmap=shades, vmin=0, vmax=1, alpha=0.85)
    for (j, k), answer in np.ndenumerate(answers):
        if j != k:
            yes = f"{margins[j, k]:.3g}" if y is not None else "yes"
            words = {1.0: yes, 0.0: "no"}.get(answer, "?")
            _cell(ax, j, k, words, size, "white" if palette.paper == "#FFFFFF" else "black")
    _label_cells(ax, named(source.classes))
    undecided = int(np.isnan(answers).sum() - size) // 2
    some, margin = bool((answers == 1).any()), ""
    if some and y is not None:
        margin = "margins of the points with a coordinate of 1 for the bias"
    ax.set_title(title or _title(some, undecided, margin))
    note(ax, margin, f"{plural(undecided, 'pair')} undecided" if undecided else "")
    return ax


def _title(some: bool, undecided: int, margin: str) -> str:
    if some:
        return "Separable pairs, and their margins" if margin else "Separable pairs"
    return "No pair known to be separable" if undecided else "No pair is separable"


def _pairs(source: Any, y: Any) -> tuple[Any, np.ndarray]:
    """The decisions of all pairs of classes, and the margins of the separable ones."""
    from rosenblatt.solve.decision import pairs
    from rosenblatt.solve.max_margin import margin

    if hasattr(source, "decisions"):
        if y is not None:
            raise InputError("pass what rosenblatt.pairs returned, or X and y, not both.")
        return source, np.empty(0)
    if y is None:
        raise InputError("pass what rosenblatt.pairs returned, or X and y.")
    data, decided = data_of(None, source, y), pairs(source, y)
    margins = np.full((len(data.classes), len(data.classes)), np.nan)
    for j, k in np.argwhere(np.triu(decided.separable == 1)):
        mine = np.isin(data.codes, (j, k))
        found = margin(data.X[mine], data.codes[mine] == k, rtol=1e-4)
        margins[j, k] = margins[k, j] = found.lower
    return decided, margins


def _cell(ax: Any, j: int, k: int, words: str, size: int, colour: str) -> None:
    points = float(np.clip(130 / size, 6, 16))
    ax.text(k, j, words, ha="center", va="center", color=colour, fontsize=points)


def _label_cells(ax: Any, words: list[str]) -> None:
    words = [textwrap.fill(word, 16) for word in words]
    steep = max(map(len, words)) > 4
    leaning = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if steep else {}
    ax.set_xticks(range(len(words)), words, **leaning)
    ax.set_yticks(range(len(words)), words)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _predicted(source: Any, X: Any, n: int) -> np.ndarray:
    """The labels that an estimator predicts, or those given, one for each of n rows."""
    if not hasattr(source, "predict") and not is_labels(source):
        raise InputError(
            f"cannot draw the confusion of a {type(source).__name__}: pass a fitted estimator, or "
            "the labels that it predicted."
        )
    found = predictions_of(source, X) if hasattr(source, "predict") else source
    predicted = read_labels(found)
    if len(predicted) != n:
        raise InputError(
            f"there are {plural(len(predicted), 'prediction')} but {plural(n, 'label')} in y: "
            "pass what was predicted of these rows."
        )
    return predicted


@figure()
def confusion(source: Any, X: Any, y: Any, *, ax: Any = None, title: str = "") -> Any:
    """How often a point of one class is taken for another.

    Parameters
    ----------
    source : fitted estimator, or labels
        What predicts; or the predictions themselves.
    X, y : array and labels
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt import datasets, figures
    >>> X, y = datasets.load("iris")[:2]
    >>> ax = figures.confusion(rb.Perceptron().fit(X, y), X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted', 'true')
    """
    from matplotlib.colors import LinearSegmentedColormap

    true = read_labels(y)
    predicted = _predicted(source, X, len(true))
    classes, codes = distinct(read_labels(np.concatenate([true, predicted])))
    counts = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(counts, (codes[: len(true)], codes[len(true) :]), 1)
    ax = axes_for(ax)
    palette = palette_of(ax)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    shades = LinearSegmentedColormap.from_list("share", [palette.paper, palette.positive])
    ax.imshow(shares, cmap=shades, vmin=0, vmax=1)
    for (j, k), count in np.ndenumerate(counts):
        if count or j == k:
            strong = shares[j, k] > 0.5
            ink = palette.paper if strong else palette.ink
            _cell(ax, j, k, f"{count:,}", len(counts), ink)
    _label_cells(ax, named(listed(classes)))
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    right = np.trace(counts) / max(1, counts.sum())
    ax.set_title(title or f"{100 * right:.4g}% right")
    return ax

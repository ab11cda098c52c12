"""Every kind of figure from points and labels alone: what the command line draws.

Learns what a kind needs (a fit, a trace, a decision) and hands it to that kind's function.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.figures import (
    activation,
    angle_view,
    bars,
    certificates,
    errors,
    images,
    matrices,
    multiclass,
    proof,
    risk,
    spaces,
    weights3d,
    wspace,
)
from rosenblatt.figures.drawing.arguments import figure

# A trace keeps every step; beyond these a fit, which keeps every pass, is drawn instead.
ROWS, STEPS = 2_000, 20_000


def _trace(X: Any, y: Any, **options: Any) -> Any:
    from rosenblatt.teaching.tracing import trace

    return trace(X, y, max_steps=STEPS, exact=False, **options)


def _walk(X: Any, y: Any, **options: Any) -> Any:
    """The run step by step where that is short enough to keep, else pass by pass."""
    if np.shape(X)[0] <= ROWS:
        with suppress(InputError):
            return _trace(X, y, **options)
    return _fit(X, y, order="cyclic", **options)


def _fit(X: Any, y: Any, **options: Any) -> Any:
    from rosenblatt.estimators.perceptron import Perceptron

    return Perceptron(**options).fit(X, y)


def _decide(X: Any, y: Any) -> Any:
    from rosenblatt.solve.decision import decide

    return decide(X, y)


def _fewest(X: Any, y: Any) -> Any:
    from rosenblatt.solve.fewest import fewest_errors

    return fewest_errors(X, y)


def _max_margin(X: Any, y: Any) -> Any:
    from rosenblatt.solve.max_margin import max_margin

    return max_margin(X, y)


def _descend(X: Any, y: Any) -> Any:
    from rosenblatt.figures.drawing.sources import data_of
    from rosenblatt.teaching.risk import descend

    data = data_of(None, X, y)
    options = {"step": "line_search", "max_iter": 100, "init": risk.uphill(data)}
    return descend(data.X, data.signs, fit_intercept=False, **options)


Draw = Callable[[Any, Any, Any], Any]

# From a kind's name to its picture of X and y; names are the features', for those that show them.
PICTURES: dict[str, Draw] = {
    "points": lambda X, y, names: spaces.x_space(None, X, y, names=names),
    "x_space": lambda X, y, names: spaces.x_space(_fit(X, y), X, y, names=names),
    "max_margin": lambda X, y, names: spaces.x_space(
        _max_margin(X, y), X, y, slab=True, names=names
    ),
    "margins": lambda X, y, names: spaces.x_space(
        _fit(X, y), X, y, perpendiculars=True, names=names
    ),
    "angles": lambda X, y, names: angle_view.angles(
        _fit(X, y, fit_intercept=False), X, y, names=names
    ),
    "w_space": lambda X, y, names: wspace.w_space(
        _walk(X, y, fit_intercept=False), X, y, names=names
    ),
    "xw_space": lambda X, y, names: wspace.xw_space(
        _walk(X, y, fit_intercept=False), X, y, names=names
    ),
    "risk_surface": lambda X, y, names: risk.risk_surface(_descend(X, y), X, y, names=names),
    "risk_contours": lambda X, y, names: risk.risk_contours(
        {"line search": _descend(X, y)}, X, y, names=names
    ),
    "step_sizes": lambda X, y, names: risk.step_sizes(X, y, names=names),
    "weight_planes": lambda X, y, names: weights3d.weight_planes(None, X, y, names=names),
    "weight_section": lambda X, y, names: weights3d.weight_section(None, X, y, names=names),
    "sandwich": lambda X, y, names: proof.sandwich(_walk(X, y), X, y),
    "bracket": lambda X, y, names: proof.bracket(_walk(X, y), X, y),
    "mistakes": lambda X, y, names: proof.mistakes_per_pass(_fit(X, y, order="cyclic")),
    "online": lambda X, y, names: proof.online_mistakes(_walk(X, y), X, y),
    "activation": lambda X, y, names: activation.activation_bias(_fit(X, y), X, y, names=names),
    "product": lambda X, y, names: activation.with_product(X, y, names=names),
    "certificate": lambda X, y, names: certificates.certificate(_decide(X, y), X, y, names=names),
    "fewest_errors": lambda X, y, names: errors.fewest_errors(_fewest(X, y), X, y, names=names),
    "contact_sheet": lambda X, y, names: images.contact_sheet(_decide(X, y), X, y),
    "regions": lambda X, y, names: multiclass.regions(_fit(X, y), X, y, names=names),
    "weight_images": lambda X, y, names: images.weight_images(_fit(X, y)),
    "weight_bars": lambda X, y, names: bars.weight_bars(_fit(X, y), names=names),
    "pairs": lambda X, y, names: matrices.pairs_matrix(X, y),
    "confusion": lambda X, y, names: matrices.confusion(_fit(X, y), X, y),
}


def kinds() -> list[str]:
    """The names that `picture` knows, `animate` not among them.

    Examples
    --------
    >>> "sandwich" in kinds()
    True
    """
    return list(PICTURES)


@figure()
def picture(kind: str, X: Any, y: Any, *, names: Any = None) -> Any:
    """The figure of that kind for points and labels, after learning whatever it needs.

    Parameters
    ----------
    kind : str
        One of `kinds`.
    X, y : array or sparse matrix, and labels
    names : sequence of str, optional
        The features' names.

    Returns
    -------
    matplotlib Figure
        ``picture(...).savefig("file.png")``, or ``.svg``, or ``.pdf``.

    Examples
    --------
    >>> from rosenblatt import datasets, figures
    >>> len(figures.picture("xw_space", *datasets.three_samples()[:2]).axes)
    2
    """
    if kind not in PICTURES:
        raise InputError(f"there is no figure {kind!r}; there are {', '.join(PICTURES)}.")
    drawn = PICTURES[kind](X, y, names)
    return np.ravel(np.asarray(drawn, dtype=object))[0].figure

"""The criterion R, its gradient, and its exact minimum along a ray."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.errors import InputError
from rosenblatt.teaching.risk.problem import checked_problem, checked_vector


@checked()
def criterion(X: Any, y: Any, weights: Any, *, positive: Any = None) -> float:
    """The risk R(w) = Σ −yᵢ w·xᵢ over the misclassified points.

    Convex, piecewise linear and positively homogeneous; 0 exactly where no point is misclassified.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    y : array of shape (n,)
        Signs ±1, or labels of two classes.
    weights : array of shape (d,) or (d + 1,)
        Without a bias, or with the bias last.
    positive : label, optional
        Which class has the sign +1; as for `rosenblatt.decide`.

    Examples
    --------
    >>> criterion([[1.0, 2.0], [3.0, -1.0]], [1, -1], [1.0, 0.0])
    3.0
    """
    margins = checked_problem(X, y, weights, positive=positive).margins(weights)
    return float(0.0 - margins[margins < 0].sum())


@checked()
def gradient(X: Any, y: Any, weights: Any, *, positive: Any = None) -> np.ndarray:
    """The gradient ∇R(w) = −Σ yᵢxᵢ over the misclassified points.

    Where some point lies on the boundary R has a crease, and this is one of its subgradients:
    R(v) ≥ R(w) + g·(v − w) for every v. Parameters are those of `criterion`.

    Examples
    --------
    >>> gradient([[1.0, 2.0], [3.0, -1.0]], [1, -1], [1.0, 0.0])
    array([ 3., -1.])
    """
    problem = checked_problem(X, y, weights, positive=positive)
    downhill = problem.downhill(problem.margins(weights) < 0)
    return 0.0 - downhill[: len(weights)]


@checked()
def line_search(X: Any, y: Any, weights: Any, direction: Any, *, positive: Any = None) -> float:
    """The t ≥ 0 that minimises R(w + t·direction), exactly, in O(nd + n log n).

    Along a ray R is convex and piecewise linear: its slope rises by ``|pᵢ|``, pᵢ = yᵢ direction·xᵢ,
    where point i changes sides, so that the minimum is the first break where the slope is no
    longer negative. Of an interval without errors the middle is taken, off every boundary (twice
    its beginning, if it has no end). R never increases.

    Parameters
    ----------
    X, y, weights, positive
        As in `criterion`.
    direction : array like weights

    Examples
    --------
    >>> X, y = [[1.0, 2.0], [3.0, -1.0]], [1, -1]
    >>> t = line_search(X, y, [1.0, 0.0], [-3.0, 1.0])
    >>> t, criterion(X, y, [1 - 3 * t, t])
    (0.65, 0.0)
    """
    problem = checked_problem(X, y, weights, positive=positive)
    direction = checked_vector(direction, problem.X.shape[1], "direction")
    if len(direction) != len(weights):
        raise InputError(
            f"direction must have as many entries as weights, {len(weights)}; got {len(direction)}."
        )
    return best_length(problem.margins(weights), problem.margins(direction))


def best_length(margins: np.ndarray, change: np.ndarray) -> float:
    """The t ≥ 0 that minimises Σ max(0, −(mᵢ + t·pᵢ)), m the margins and p their change."""
    wrong, mends, spoils = margins < 0, change > 0, change < 0
    with np.errstate(all="ignore"):
        breaks = -margins / change
    if not np.any(wrong & ~mends):
        first = breaks[wrong].max(initial=0.0)
        last = breaks[~wrong & spoils].min(initial=math.inf)
        if first < last:
            return float(2 * first if last == math.inf else (first + last) / 2)
    slope = -change[wrong | ((margins == 0) & spoils)].sum()
    crossing = np.flatnonzero((wrong & mends) | ((margins > 0) & spoils))
    if slope >= 0 or len(crossing) == 0:
        return 0.0
    crossing = crossing[np.argsort(breaks[crossing], kind="stable")]
    slopes = slope + np.cumsum(np.abs(change[crossing]))
    at = min(int(np.searchsorted(slopes, 0.0)), len(crossing) - 1)
    return float(breaks[crossing[at]])

"""How the weights of a run grew, and what its proof says of them: the numbers of ``proof``."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.rules.margin_share import dynamic_margin_bound, longest_weights
from rosenblatt.errors import InputError, NotSeparableError
from rosenblatt.figures.drawing.sources import (
    DrawnData,
    data_of,
    has_bias,
    is_trace,
    path_of,
    run_of,
)
from rosenblatt.text import plural

ROUNDING = 1e-9  # of ‖w‖/k, relatively


class ProofGrowth(NamedTuple):
    """How the weights of a run grew, and what holds them.

    Attributes
    ----------
    updates : ndarray
        k, from 0.
    norms : ndarray
        ‖w‖/η after k updates.
    radius : float
        R, times √2 where an update moves two weight vectors; with a threshold δ, √(R² + 2δ/η).
    gamma : float
        The best margin, or the part of it that is known; 0 where nothing separates the points.
    exact : bool
        Whether gamma is the best margin itself.
    ahead : float
        w₀·u/η, how far the start points along the unit vector u of the best margin; 0 from 0.
    several : bool
        Whether an update moves two of several weight vectors, so that ``radius`` is √2·R.
    share : float
        s of a rule that is after this share of the margin; 0 by others.
    """

    updates: np.ndarray
    norms: np.ndarray
    radius: float
    gamma: float
    exact: bool
    ahead: float = 0.0
    several: bool = False
    share: float = 0.0

    @property
    def bound(self) -> float:
        """The k at which the two curves meet: ``radius``²/γ² from a start at 0."""
        if self.gamma <= 0:
            return math.inf
        if self.share:
            return dynamic_margin_bound(self.radius, self.gamma, self.share)
        # (a + kγ)² = b² + kR² with a = w₀·u and b = ‖w₀‖ ≥ |a|; the larger root is the meeting.
        half = self.radius**2 / 2 - self.ahead * self.gamma
        rest = self.gamma**2 * (float(self.norms[0]) ** 2 - self.ahead**2)
        return (half + math.sqrt(half**2 + max(0.0, rest))) / self.gamma**2

    def upper(self, k: Any) -> Any:
        """√(‖w₀‖² + k·``radius``²), which is √k·``radius`` from a start at 0; or the share's."""
        if self.share:
            return longest_weights(self.radius, k, self.share)
        return np.sqrt(self.norms[0] ** 2 + k * self.radius**2)

    def lower(self, k: Any) -> Any:
        """w₀·u + kγ, which is kγ from a start at 0."""
        return self.ahead + self.gamma * k

    @property
    def names(self) -> tuple[str, str]:
        """The upper and the lower curve in symbols."""
        k = "2k" if self.several else "k"
        if self.share:
            return f"the longest w of margin={self.share:g}", r"$k\,\gamma$"
        if self.norms[0] == 0:
            return rf"$\sqrt{{{k}}}\,R$", r"$k\,\gamma$"
        return rf"$\sqrt{{\|w_0\|^2 + {k}\,R^2}}$", r"$w_0\!\cdot\! u + k\,\gamma$"

    @property
    def said_bound(self) -> str:
        """The bound in words."""
        if self.share:
            return f"{self.bound:,.4g}, the bound for margin={self.share:g}"
        if self.norms[0] == 0:
            return f"{'2' if self.several else ''}R²/γ² = {self.bound:,.4g}"
        return f"{self.bound:,.4g}, where the curves meet"


def growth_of(source: Any, X: Any = None, y: Any = None, gamma: float | None = None) -> ProofGrowth:
    """What the sandwich draws, from a Trace update by update, or from a run pass by pass.

    Examples
    --------
    >>> from rosenblatt import datasets, trace
    >>> data = datasets.six_points()
    >>> growth = growth_of(trace(data.X, data.y, **data.settings))
    >>> growth.updates, (growth.norms**2).round(9), round(growth.radius**2, 9)
    (array([0, 1, 2, 3]), array([ 0.,  5.,  5., 10.]), 5.0)
    >>> bool((growth.updates * growth.gamma <= growth.norms).all())
    True
    """
    data = None if X is None and not is_trace(source) else data_of(source, X, y)
    if is_trace(source):
        path = path_of(source)
        path = path.reshape(len(path), -1)
        updates, norms = np.arange(len(path)), np.linalg.norm(path, axis=1) / float(source.eta)
    else:
        run = run_of(source)
        eta = float(run.state.dual.sum()) / max(1, run.updates) or 1.0
        updates = np.concatenate([[0], np.cumsum(run.column("mistakes"))]).astype(int)
        norms = np.concatenate([[0.0], run.column("norm")]) / eta
    radius = getattr(source, "radius_", None) or _radius(source, data)
    several = np.ndim(run_of(source).weights) == 2
    radius = radius * math.sqrt(2 if several else 1)
    eta = getattr(source, "eta", getattr(source, "eta0", 1.0))
    threshold = float(getattr(source, "threshold", 0.0)) / float(eta)
    radius = math.sqrt(radius**2 + 2 * threshold)
    share = float(getattr(source, "margin", 0.0)) if hasattr(source, "margin_") else 0.0
    start = path_of(source)[0] / float(eta) if is_trace(source) else np.zeros(1)
    from_zero = not start.any()
    if gamma and from_zero:
        found, exact, unit = float(gamma), True, None
    else:
        found, exact, unit = _best_margin(source, data, several)
    ahead = 0.0 if unit is None or from_zero else float(start @ unit)
    growth = ProofGrowth(updates, norms, radius, found, exact, ahead, several, share)
    if gamma is not None and from_zero:
        _refuse_false(growth, gamma)
    return growth


def _refuse_false(growth: ProofGrowth, gamma: float) -> None:
    """Refuse a given margin that the run disproves, and 0 where the points may be separable."""
    if gamma == 0 and not (growth.gamma == 0 and growth.exact):
        raise InputError(
            "gamma=0 says that the points are inseparable, which is not so, or not known: leave "
            "gamma out, or pass rosenblatt.margin(X, y).lower."
        )
    k, ends = _upper_ends(growth)
    if not len(k) or gamma <= ends.min() * (1 + ROUNDING):
        return
    at = int(ends.argmin())
    raise InputError(
        f"gamma={gamma:.6g} is not the margin of these points: after {plural(int(k[at]), 'update')}"
        f" ‖w‖/k is {ends[at]:.6g}, and no margin of theirs is above that. Pass rosenblatt.margin("
        "X, y).lower, or the margin_ of MaxMargin(bias='padded'); that of MaxMargin() is of a free "
        "bias, and another one."
    )


def _upper_ends(growth: ProofGrowth) -> tuple[np.ndarray, np.ndarray]:
    """The k at which something is known, and ‖w‖/k there, which no margin exceeds."""
    # A pass without mistakes leaves k as it was: the last of equal ones stands for them.
    met = (growth.updates > 0) & (np.diff(growth.updates, append=np.inf) > 0)
    k = growth.updates[met]
    return k, growth.norms[met] / k


def _radius(source: Any, data: DrawnData | None) -> float:
    if data is None:
        raise InputError("the radius R of the points is not known from a Run alone: pass X and y.")
    from rosenblatt.engine.margins import radius

    return radius(data.X, bias=_padded(source))


def _padded(source: Any) -> bool:
    return has_bias(source) if hasattr(source, "fit_intercept") else True


def _best_margin(source: Any, data: DrawnData | None, several: bool) -> tuple[float, bool, Any]:
    """The best margin, whether it is known to be, and the unit vector that has it."""
    known = getattr(source, "margin_", None)
    if data is None or several:
        if known is None:
            return 0.0, False, None
        return known.lower, known.relative_gap < 1e-3, None
    from rosenblatt.solve.max_margin import max_margin

    try:
        found = max_margin(data.X, data.signs, bias="padded" if _padded(source) else "none")
    except NotSeparableError:
        return 0.0, True, None
    return found.bracket.lower, True, found.weights / np.linalg.norm(found.weights)


def bracket_of(
    source: Any, growth: ProofGrowth, X: Any = None, y: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """After k updates: k, the best margin reached so far, and the least ‖w‖/k so far.

    What a run pass by pass had reached before its end is not known, and NaN.

    Examples
    --------
    >>> from rosenblatt import datasets, trace
    >>> run = trace(*datasets.three_samples()[:2])
    >>> growth = growth_of(run)
    >>> k, lower, upper = bracket_of(run, growth)
    >>> bool((lower <= growth.gamma + 1e-9).all() and (growth.gamma <= upper + 1e-9).all())
    True
    """
    if growth.norms[0] > 0:
        raise InputError("the bracket ‖w‖/k ≥ γ needs a run that started at w = 0.")
    k, ends = _upper_ends(growth)
    upper = np.minimum.accumulate(ends)
    if not is_trace(source):
        lower, known = np.full(len(k), np.nan), getattr(source, "margin_", None)
        lower[-1:] = 0.0 if known is None else known.lower
        return k, lower, upper
    data = data_of(source, X, y)
    path = path_of(source)[1:]
    if path.ndim == 3:
        raise InputError("the bracket of a Trace is drawn for two classes.")
    margins = (data.dense() @ path[:, :-1].T + path[:, -1]) * data.signs[:, None]
    norms = np.linalg.norm(path, axis=1)
    reached = margins.min(axis=0) / np.where(norms > 0, norms, 1.0)
    return k, np.maximum.accumulate(np.maximum(reached, 0.0)), upper

"""What the views of the lab show beside the run: the verdict, the proof, weight space, the risk.

All numbers are the library's: `decide`, `max_margin`, ``margins``, ``cost`` and ``geometry``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.margins import mistake_bound, radius
from rosenblatt.errors import NotSeparableError
from rosenblatt.lab.request import Experiment
from rosenblatt.lab.running import Walk
from rosenblatt.proof.certificate import Inseparability
from rosenblatt.solve.decision import Decision, decide
from rosenblatt.solve.margin_search import MarginResult
from rosenblatt.solve.max_margin import max_margin
from rosenblatt.teaching.cost import look_cost, update_cost
from rosenblatt.teaching.geometry import convex_hull, meeting

SECONDS = 5.0  # for a decision
REMEMBERED = 64  # data sets whose verdict is kept


class Known(NamedTuple):
    """What is known of the data alone.

    Attributes
    ----------
    decision : Decision or None
        None while fewer than two classes have points.
    slab : MarginResult or None
        The maximum margin in x-space, of two separable classes.
    best : MarginResult or None
        That of the mistake bound: the bias padded, or none.
    """

    decision: Decision | None
    slab: MarginResult | None
    best: MarginResult | None


def known(experiment: Experiment) -> Known:
    """The verdict and the best margins; remembered, for settings change more often than data."""
    X, chosen = experiment.X, experiment.settings
    found = _known(
        X.tobytes(), X.shape, tuple(experiment.codes.tolist()), experiment.classes, chosen.bias
    )
    if found.decision is not None and found.decision.separable is None:
        _known.cache_clear()  # another time it may be decided
    return found


@lru_cache(maxsize=REMEMBERED)
def _known(
    data: bytes,
    shape: tuple[int, int],
    codes: tuple[int, ...],
    classes: tuple[str, ...],
    bias: bool,
) -> Known:
    # A copy: read-only arrays would have to be compiled for once more, within the time to decide.
    X, y = np.frombuffer(data).reshape(shape).copy(), np.array(codes)
    if len(set(codes)) < 2:
        return Known(None, None, None)
    _compile(many=len(set(codes)) > 2)
    how: dict[str, Any] = {"positive": classes[max(codes)]} if len(set(codes)) == 2 else {}
    decision = decide(X, np.array(classes)[y], fit_intercept=bias, time_limit=SECONDS, **how)
    if len(set(codes)) > 2 or not decision.separable:
        return Known(decision, None, None)
    try:
        slab, best = (
            max_margin(X, y, bias=kind) for kind in (("free", "padded") if bias else ("none",) * 2)
        )
    except NotSeparableError:  # pragma: no cover - decide has just said otherwise
        return Known(decision, None, None)
    return Known(decision, slab, best)


@cache
def _compile(many: bool) -> None:
    """Decide exclusive or, for as long as it takes: compiling is not to count as deciding."""
    X = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [9.0, 9.0]]
    decide(X, [0, 0, 1, 1, 2 if many else 0])


def verdict(experiment: Experiment) -> dict[str, Any]:
    """Separable or not, with what proves it, for x-space to draw.

    Examples
    --------
    >>> from rosenblatt.lab.request import read
    >>> xor = [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    >>> said = verdict(read({"points": xor}))
    >>> said["verdict"], said["rows"], said["meeting"]
    ('inseparable', [0, 1, 2, 3], [0.5, 0.5])
    """
    found = known(experiment)
    if found.decision is None:
        return {"verdict": "open", "text": "Add points of two classes: one alone is always right."}
    said: dict[str, Any] = {"verdict": str(found.decision.verdict)}
    proof = found.decision.certificate
    if proof is not None:
        said["text"] = proof.explain()
    if isinstance(proof, Inseparability):
        said |= _guilty(experiment, proof)
    if found.slab is not None:
        said |= {
            "margin": list(found.slab.bracket),
            "slab": found.slab.weights.tolist(),
            "support": found.slab.support.tolist(),
        }
    return said


def _guilty(experiment: Experiment, proof: Inseparability) -> dict[str, Any]:
    """The rows that cancel; with a bias, two classes' hulls and a point that they share."""
    total = sum(map(Fraction, proof.alpha))
    said: dict[str, Any] = {
        "rows": proof.rows.tolist(),
        "alpha": [str(weight) for weight in proof.alpha],
        "shares": [float(Fraction(weight) / total) for weight in proof.alpha],
    }
    if proof.rivals is None and experiment.settings.bias:
        _, codes = np.unique(experiment.codes, return_inverse=True)
        both = meeting(proof, experiment.X, 2 * codes - 1)
        said["meeting"] = both[0][:2].tolist()
        said["hulls"] = [convex_hull(experiment.X[codes == k, :2]).tolist() for k in (0, 1)]
    return said


def proof(experiment: Experiment, made: Walk) -> dict[str, Any] | None:
    """Novikoff's proof with the numbers put in, update by update.

    With u the unit weights of the best margin γ and an update w' = w + ηyx:
    u·w' = u·w + ηy u·x ≥ u·w + ηγ, and ‖w'‖² = ‖w‖² + 2ηy w·x + η²‖x‖² ≤ ‖w‖² + 2ηδ + η²R².
    So u·w₀ + kηγ ≤ u·w ≤ ‖w‖ ≤ √(‖w₀‖² + kη²(R² + 2δ/η)) after k updates from w₀.

    Returns
    -------
    dict or None
        None where the proof does not speak: more than two classes, or descent.
    """
    chosen = experiment.settings
    said = experiment.two and chosen.rule == "perceptron" and len(experiment.points) > 0
    if not said:
        return None
    found = known(experiment)
    rows = _rows(experiment)
    reach = math.sqrt(radius(experiment.X, chosen.bias) ** 2 + 2 * chosen.delta / chosen.eta)
    mistaken = np.array(made.looked, dtype=int)[np.array(made.mistakes, dtype=bool)]
    added = chosen.eta * rows[mistaken].reshape(-1, rows.shape[1])
    before, after = made.weights[:-1], made.weights[1:]
    lengths = np.linalg.norm(made.weights, axis=1)
    k = np.arange(len(made.weights))
    told = {
        "radius": radius(experiment.X, chosen.bias),
        "reach": reach,
        "eta": chosen.eta,
        "delta": chosen.delta,
        "norms": lengths.tolist(),
        "upper": np.hypot(lengths[0], np.sqrt(k) * chosen.eta * reach).tolist(),
        "cross": (2 * np.sum(before * added, axis=1)).tolist(),
        "square": np.sum(added**2, axis=1).tolist(),
        "bracket": _brackets(rows, after, lengths, chosen.eta),
    }
    if found.best is None:
        return told | {"gamma": None}
    u = found.best.weights / np.linalg.norm(found.best.weights)
    gamma = found.best.bracket.lower
    along = made.weights @ u
    bound = mistake_bound(told["radius"], gamma, chosen.delta, chosen.eta)
    if lengths[0]:
        bound = _bound_from(lengths[0], along[0], chosen.eta * gamma, chosen.eta * reach)
    return told | {
        "gamma": gamma,
        "bound": bound,
        "lower": (along[0] + k * chosen.eta * gamma).tolist(),
        "along": along.tolist(),
        "gain": (added @ u).tolist(),
        "used": len(mistaken) / bound,
    }


def _bound_from(length: float, along: float, gain: float, reach: float) -> float:
    """The largest k with u·w₀ + k·gain ≤ √(‖w₀‖² + k·reach²), the root of a parabola."""
    half = reach**2 - 2 * along * gain
    rest = 4 * gain**2 * max(0.0, length**2 - along**2)
    return (half + math.sqrt(half**2 + rest)) / (2 * gain**2)


def _rows(experiment: Experiment) -> np.ndarray:
    """The rows yᵢ(xᵢ, 1); the last coordinate is 0 without a bias."""
    padding = np.full((len(experiment.points), 1), float(experiment.settings.bias))
    return experiment.signs[:, None] * np.hstack([experiment.X, padding])


def _brackets(
    rows: np.ndarray, after: np.ndarray, lengths: np.ndarray, eta: float
) -> list[list[float]]:
    """After k updates: the margin reached so far ≤ γ ≤ the least (‖w‖ + ‖w₀‖)/(kη) so far."""
    if not len(after):
        return []
    start, lengths = lengths[0], lengths[1:]
    safe = np.where(lengths > 0, lengths, 1.0)
    reached = (after @ rows.T).min(axis=1) / safe
    least = np.minimum.accumulate((lengths + start) / (eta * np.arange(1, len(after) + 1)))
    most = np.maximum.accumulate(np.maximum(reached, 0.0))
    return np.column_stack([most, least]).tolist()


def section(experiment: Experiment, made: Walk) -> dict[str, Any] | None:
    """Weight space: the rows whose lines divide it, how far to draw, the risk along the way.

    Two features without a bias have weights of two coordinates, and one plane is all of weight
    space. Otherwise the page draws the section at the current bias (and other weights).
    """
    if not experiment.two or not len(experiment.points):
        return None
    rows = _rows(experiment)
    return {
        "flat": not (experiment.settings.bias or experiment.settings.extra),
        "reach": 1.3 * (float(np.abs(made.weights[:, :2]).max()) or 1.0),
        "rows": rows.tolist(),
        "path_risk": _risk_along(rows, made.weights).tolist(),
    }


def _risk_along(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """R at each weight vector of the path, its own bias included."""
    return -np.minimum(weights @ rows.T, 0.0).sum(axis=1)


def costs(experiment: Experiment, made: Walk) -> dict[str, Any]:
    """Operations of one look and of one update, and their total after each step."""
    d = experiment.X.shape[1]
    classes = 0 if experiment.two else len(experiment.classes)
    look, update = look_cost(d, classes=classes), update_cost(d, classes=classes)
    n, chosen = len(experiment.points), experiment.settings
    looks = np.arange(1, len(made.looked) + 1)
    if chosen.rule != "perceptron":
        looks = looks * n
    elif chosen.order == "worst":
        looks = looks * (n + 1)
    total = looks * look.total + np.cumsum(made.mistakes, dtype=int) * update.total
    return {"look": str(look), "update": str(update), "total": [0, *total.tolist()]}

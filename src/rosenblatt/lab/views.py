"""What the views of the lab show beside the run: the verdict, the proof, weight space, the risk.

All numbers are the library's: `decide`, `max_margin`, ``margins``, ``cost`` and the geometry of the
figures. Imports them (matplotlib is not among them) and, of this package, ``reading`` and
``running``.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.margins import mistake_bound, radius
from rosenblatt.errors import NotSeparableError
from rosenblatt.figures.certificates import meeting
from rosenblatt.figures.drawing.sources import Data
from rosenblatt.figures.geometry import Box, convex_hull
from rosenblatt.figures.risk import risk_at
from rosenblatt.figures.wspace import Plane, wedge
from rosenblatt.lab.request import Experiment
from rosenblatt.lab.running import Walk
from rosenblatt.proof.certificate import Inseparability
from rosenblatt.solve.decision import Decision, decide
from rosenblatt.solve.max_margin import MarginResult, max_margin
from rosenblatt.teaching.cost import look_cost, update_cost

SECONDS = 5.0  # for a decision
GRID = 41  # places a side at which the risk is given
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
    decision = decide(X, np.array(classes)[y], fit_intercept=bias, time_limit=SECONDS)
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
    said: dict[str, Any] = {
        "rows": proof.rows.tolist(),
        "alpha": [str(weight) for weight in proof.alpha],
    }
    if proof.rivals is None and experiment.settings.bias:
        classes, codes = np.unique(experiment.codes, return_inverse=True)
        both = meeting(proof, Data(experiment.X, codes, tuple(classes)))
        said["meeting"] = both[0][:2].tolist()
        said["hulls"] = [convex_hull(experiment.X[codes == k, :2]).tolist() for k in (0, 1)]
    return said


def proof(experiment: Experiment, made: Walk) -> dict[str, Any] | None:
    """Novikoff's proof with the numbers put in, update by update.

    With u the unit weights of the best margin γ and an update w' = w + ηyx:
    u·w' = u·w + ηy u·x ≥ u·w + ηγ, and ‖w'‖² = ‖w‖² + 2ηy w·x + η²‖x‖² ≤ ‖w‖² + 2ηδ + η²R².
    So kηγ ≤ u·w ≤ ‖w‖ ≤ √k·η·√(R² + 2δ/η) after k updates from 0.

    Returns
    -------
    dict or None
        None where the proof does not speak: more than two classes, descent, a start other than 0.
    """
    chosen = experiment.settings
    said = experiment.two and chosen.rule == "perceptron" and len(experiment.points) > 0
    if not said or made.weights[0].any():
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
        "upper": (np.sqrt(k) * chosen.eta * reach).tolist(),
        "cross": (2 * np.sum(before * added, axis=1)).tolist(),
        "square": np.sum(added**2, axis=1).tolist(),
        "bracket": _brackets(rows, after, lengths[1:], chosen.eta),
    }
    if found.best is None:
        return told | {"gamma": None}
    u = found.best.weights / np.linalg.norm(found.best.weights)
    gamma = found.best.bracket.lower
    bound = mistake_bound(told["radius"], gamma, chosen.delta, chosen.eta)
    return told | {
        "gamma": gamma,
        "bound": bound,
        "lower": (k * chosen.eta * gamma).tolist(),
        "along": (made.weights @ u).tolist(),
        "gain": (added @ u).tolist(),
        "used": len(mistaken) / bound,
    }


def _rows(experiment: Experiment) -> np.ndarray:
    """The rows yᵢ(xᵢ, 1); the last coordinate is 0 without a bias."""
    padding = np.full((len(experiment.points), 1), float(experiment.settings.bias))
    return experiment.signs[:, None] * np.hstack([experiment.X, padding])


def _brackets(
    rows: np.ndarray, after: np.ndarray, lengths: np.ndarray, eta: float
) -> list[list[float]]:
    """After k updates from 0: the margin reached so far ≤ γ ≤ the least ‖w‖/(kη) so far."""
    if not len(after):
        return []
    safe = np.where(lengths > 0, lengths, 1.0)
    reached = (after @ rows.T).min(axis=1) / safe
    least = np.minimum.accumulate(lengths / (eta * np.arange(1, len(after) + 1)))
    most = np.maximum.accumulate(np.maximum(reached, 0.0))
    return np.column_stack([most, least]).tolist()


def section(experiment: Experiment, made: Walk) -> dict[str, Any] | None:
    """Weight space at the step looked at: lines, the wedge where all agree, and the risk.

    Two features without a bias have weights of two coordinates, and this is all of weight space.
    Otherwise it is the section at the current bias (and weight of x₁x₂).
    """
    if not experiment.two or not len(experiment.points):
        return None
    update = [0, *made.update][min(experiment.at, len(made.update))]
    rows = _rows(experiment)
    reach = 1.3 * (float(np.abs(made.weights[:, :2]).max()) or 1.0)
    box = Box(-reach, reach, -reach, reach)
    offsets = rows[:, 2:] @ made.weights[update, 2:]
    plane = Plane(rows[:, :2], offsets, made.weights[:, :2], ("w₁", "w₂"))
    side = np.linspace(-reach, reach, GRID)
    heights = risk_at(plane, np.stack(np.meshgrid(side, side), axis=-1))
    return {
        "update": update,
        "flat": not (experiment.settings.bias or experiment.settings.product),
        "reach": reach,
        "rows": rows.tolist(),
        "wedge": wedge(plane, box).tolist(),
        "risk": [_short(line) for line in heights],
        "top": float(heights.max()),
        "path_risk": _short(_risk_along(rows, made.weights)),
    }


def _risk_along(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """R at each weight vector of the path, its own bias included."""
    return -np.minimum(weights @ rows.T, 0.0).sum(axis=1)


def _short(heights: np.ndarray) -> list[float]:
    """Heights of the picture; four digits are finer than its pixels."""
    # All in one format: a section has 1,681 of them, and is asked for at every step.
    return [float(text) for text in ("%.4g " * len(heights) % tuple(heights.tolist())).split()]


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

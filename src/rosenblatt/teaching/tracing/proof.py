"""The lines of the convergence proof, with the numbers of a traced run in them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.arguments import refuse_masked
from rosenblatt.errors import InputError


def proof_lines(trace: Any, separator: Any = None) -> dict[str, np.ndarray]:
    """The numbers lower ≤ inner ≤ norm ≤ upper after each step.

    Each update adds at most η²R² + 2ηδ to ‖w‖² (Novikoff 1962), and at least ηγ to w·u for every
    unit vector u that has all points at least γ on their right side.

    Parameters
    ----------
    trace : Trace
    separator : array-like like the trace's weights, optional
        A direction that separates the points; its unit vector is u, its margin γ.

    Returns
    -------
    dict of str to ndarray
        k, norm and upper; with a separator also inner = w·u and lower = w₀·u + kηγ.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> lines = proof_lines(trace([[3, 4], [0, -5]], [1, -1], fit_intercept=False), [3, 4])
    >>> [lines[name][0].round(3).item() for name in ("lower", "inner", "norm", "upper")]
    [4.0, 5.0, 5.0, 5.0]
    """
    path = trace.weights
    path = path.reshape(len(path), -1)
    rows = np.asarray(trace.rows).astype(float)
    eta, delta = float(trace.eta), float(trace.threshold)
    k = np.cumsum([step.mistake for step in trace.steps])
    moved = 1 if len(trace.classes) == 2 else 2  # weight vectors that an update changes
    square = moved * eta**2 * float((rows**2).sum(axis=1).max()) + 2 * eta * delta
    lines = {
        "k": k,
        "norm": np.linalg.norm(path[1:], axis=1),
        "upper": np.sqrt(path[0] @ path[0] + k * square),
    }
    if separator is None:
        return lines
    u = _unit(separator, trace.weights[0].shape)
    gamma = _margin(trace, rows, u)
    if gamma <= 0:
        raise InputError(
            "separator does not separate the points that the trace looked at: the least margin "
            f"is {gamma:.6g}. rosenblatt.MaxMargin and rosenblatt.decide find one if there is one."
        )
    inner = path @ u.ravel()
    return lines | {"inner": inner[1:], "lower": inner[0] + k * eta * gamma}


def _unit(separator: Any, shape: tuple[int, ...]) -> np.ndarray:
    refuse_masked(separator, "separator")
    try:
        u = np.asarray(separator).astype(float)
    except (TypeError, ValueError):
        raise InputError(f"separator must be an array of numbers, got {separator!r}.") from None
    length = math.sqrt(float((u**2).sum()))
    if u.shape != shape or not 0 < length < math.inf:
        raise InputError(
            f"separator must have the shape of the trace's weights, {shape}, the bias where the "
            f"trace shows it, and not be 0; got {u.tolist()}."
        )
    return u / length


def _margin(trace: Any, rows: np.ndarray, u: np.ndarray) -> float:
    """The least margin of the points that were looked at."""
    labels = {step.index: trace.classes.index(step.label) for step in trace.steps}
    seen = np.array(list(labels))
    codes = np.array(list(labels.values()))
    if u.ndim == 1:
        return float(((2 * codes - 1) * (rows[seen] @ u)).min())
    scores = rows[seen] @ u.T
    own = scores[np.arange(len(seen)), codes]
    scores[np.arange(len(seen)), codes] = -math.inf
    return float((own - scores.max(axis=1)).min())

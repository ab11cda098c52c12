"""What an estimator's parameters ask for: checked, and as the engine wants it.

Imports the engine, ``fitting`` and ``problem``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.estimators.fitting import Plan
from rosenblatt.estimators.parameters import check_kinds
from rosenblatt.estimators.problem import MULTICLASS
from rosenblatt.rules import State
from rosenblatt.solutions import SOLUTIONS
from rosenblatt.stopping import Budget

CHOICES = {
    "solution": SOLUTIONS,
    "multiclass": MULTICLASS,
    "certify": ("auto", True, False),
}
KEPT = ("pocket", "vote")


def check_choices(estimator: Any) -> None:
    """Refuse names that mean nothing, and settings that exclude each other."""
    check_kinds(estimator)
    for name, allowed in CHOICES.items():
        if getattr(estimator, name) not in allowed:
            raise InputError(
                f"{name} must be one of {', '.join(map(repr, allowed))}, "
                f"got {getattr(estimator, name)!r}."
            )
    if not all(name in KEPT for name in estimator.keep):
        raise InputError(f"keep must be a tuple of names from {KEPT}, got {estimator.keep!r}.")
    if estimator.margin:
        _check_margin(estimator)
    if estimator.penalty is None:
        return
    if estimator.keep or estimator.solution not in ("auto", "last"):
        raise InputError(
            f"penalty={estimator.penalty!r} changes the weights at every look, so only the last "
            f"are kept: use solution='last' and keep=(), got solution={estimator.solution!r}, "
            f"keep={estimator.keep!r}."
        )
    if estimator.certify is True:
        raise InputError(
            f"certify=True needs penalty=None, got {estimator.penalty!r}: a penalised run proves "
            "nothing. Ask rosenblatt.decide whether the classes are separable."
        )


def _check_margin(estimator: Any) -> None:
    """Refuse a margin together with another rule's settings."""
    others = {"threshold": 0.0, "ties": "mistake", "penalty": None}
    for name, needed in others.items():
        if getattr(estimator, name) != needed:
            raise InputError(
                f"margin={estimator.margin!r} sets its own threshold at each look, and needs "
                f"{name}={needed!r}; got {getattr(estimator, name)!r}."
            )


def order_of(estimator: Any) -> Any:
    """The order, by our name or scikit-learn's, or as a tuple of rows."""
    if estimator.shuffle is None:
        given = estimator.order
        return given if isinstance(given, str) else tuple(given)
    return "shuffled" if estimator.shuffle else "cyclic"


def plan_of(estimator: Any, order: Any, passes: int, certify: Any, announce: Any = None) -> Plan:
    """What all runs of a fit have in common."""
    return Plan(
        order=order,
        budget=Budget(
            passes=passes,
            updates=estimator.max_updates,
            tol=estimator.tol,
            patience=estimator.n_iter_no_change,
            weight_tol=estimator.weight_tol,
        ),
        threshold=float(estimator.threshold),
        ties=estimator.ties,
        margin=estimator.margin,
        penalty=estimator.penalty,
        alpha=estimator.alpha,
        l1_ratio=estimator.l1_ratio,
        certify=certify if estimator.penalty is None else False,
        solution=estimator.solution if estimator.penalty is None else "last",
        announce=announce,
    )


def classifier(weights: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
    """The attributes that make these weights a classifier."""
    weights = np.atleast_2d(weights)
    return {
        "classes_": classes,
        # As the run left them: class by class, or feature by feature where rows are sparse.
        "coef_": np.array(weights[:, :-1], order="K"),
        "intercept_": np.array(weights[:, -1]),
    }


def set_start(start: Any, coef: Any, intercept: Any, fit_intercept: bool) -> None:
    """Start at the given weights instead of at 0: a state's, or those in an array."""
    weights = start.weights if isinstance(start, State) else start
    for name, value, part in (
        ("coef_init", coef, weights[..., :-1]),
        ("intercept_init", intercept, weights[..., -1:]),
    ):
        if value is None:
            continue
        value = np.asarray(value, dtype=np.float64)
        if value.size != part.size:
            raise InputError(f"{name} must have {part.size} entries, got shape {value.shape}.")
        if not np.isfinite(value).all():
            raise InputError(f"{name} must hold finite numbers, got {value.ravel()[:5]}.")
        part[...] = value.reshape(part.shape)
    if intercept is not None and not fit_intercept and np.any(weights[..., -1]):
        raise InputError("intercept_init needs fit_intercept=True.")

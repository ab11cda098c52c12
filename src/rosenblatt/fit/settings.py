"""`Settings`, the parameters of a fit: their checks, and the `Plan` made of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache, partial
from typing import Any

import numpy as np

from rosenblatt.arguments import NUMBER, NUMBERS, either, refuse_masked, refuse_others
from rosenblatt.engine.rules import State
from rosenblatt.engine.solutions import SOLUTIONS
from rosenblatt.engine.stopping import Budget
from rosenblatt.errors import InputError
from rosenblatt.fit.parameters import check_kinds
from rosenblatt.fit.plan import Plan, perceptron_rule
from rosenblatt.places.parts import MULTICLASS

CHOICES = {
    "solution": SOLUTIONS,
    "multiclass": MULTICLASS,
    "certify": ("auto", True, False),
}
KEPT = ("pocket", "vote")
WEIGHTS = either(NUMBERS, NUMBER)
# scikit-learn's own.
USUAL_TOL = 1e-3


@dataclass(frozen=True)
class Settings:
    """The parameters of a fit, with the names, meanings and defaults of `rosenblatt.Perceptron`.

    Examples
    --------
    >>> Settings(order="cyclic").max_iter
    1000
    """

    fit_intercept: bool = True
    max_iter: int = 1000
    max_updates: int | None = None
    tol: float | str | None = "auto"
    n_iter_no_change: int = 5
    weight_tol: float | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    eta0: float = 1.0
    threshold: float = 0.0
    margin: float = 0.0
    order: str = "active"
    shuffle: bool | None = None
    ties: str = "mistake"
    solution: str = "auto"
    keep: Any = ()
    max_voters: int = 1000
    multiclass: str = "native"
    penalty: str | None = None
    alpha: float = 1e-4
    l1_ratio: float = 0.15
    certify: Any = "auto"
    class_weight: Any = None
    warm_start: bool = False
    random_state: Any = 0
    n_jobs: int | None = None
    verbose: int = 0

    @classmethod
    def of(cls, estimator: Any) -> Settings:
        """Settings of an estimator; defaults for parameters that it does not have."""
        given, settings = vars(estimator), object.__new__(cls)
        settings.__dict__.update({name: given.get(name, usual) for name, usual in USUAL.items()})
        return settings

    def asdict(self) -> dict[str, Any]:
        """The parameters by their names, in alphabetical order."""
        return {name: getattr(self, name) for name in sorted(USUAL)}


USUAL = {field.name: field.default for field in fields(Settings)}


def check_choices(settings: Settings) -> None:
    """Refuse unknown names, and settings that exclude each other."""
    try:
        _checked(*vars(settings).values())
    except TypeError:  # a dict or an array among them
        _check(settings)


@lru_cache(maxsize=16, typed=True)
def _checked(*values: Any) -> None:
    """`_check`, cached: a check takes as long as some passes."""
    _check(Settings(*values))


def _check(settings: Settings) -> None:
    check_kinds(settings)
    for name, allowed in CHOICES.items():
        if getattr(settings, name) not in allowed:
            raise InputError(
                f"{name} must be one of {', '.join(map(repr, allowed))}, "
                f"got {getattr(settings, name)!r}."
            )
    if not all(name in KEPT for name in settings.keep):
        raise InputError(f"keep must be a tuple of names from {KEPT}, got {settings.keep!r}.")
    meant = "shuffled" if settings.shuffle else "cyclic"
    known = isinstance(settings.order, str) and settings.order in ("active", meant)
    if settings.shuffle is not None and not known:
        raise InputError(
            f"shuffle={settings.shuffle!r} is scikit-learn's name for order={meant!r}, which "
            f"contradicts order={settings.order!r}: set one of them only."
        )
    if settings.margin:
        _check_margin(settings)
    if settings.penalty is None:
        return
    if settings.keep or settings.solution not in ("auto", "last", "average", "separator"):
        raise InputError(
            f"penalty={settings.penalty!r} changes the weights at every look, so only the last "
            "are kept, and their mean: use solution='auto', 'last' or 'average' and keep=(), got "
            f"solution={settings.solution!r}, keep={settings.keep!r}."
        )
    if settings.certify is True:
        raise InputError(
            f"certify=True needs penalty=None, got {settings.penalty!r}: a penalised run proves "
            "nothing. Ask rosenblatt.decide whether the classes are separable."
        )


def _check_margin(settings: Any) -> None:
    """Refuse a margin together with another rule's settings."""
    others = {"threshold": 0.0, "ties": "mistake", "penalty": None}
    for name, needed in others.items():
        if getattr(settings, name) != needed:
            raise InputError(
                f"margin={settings.margin!r} sets its own threshold at each look, and needs "
                f"{name}={needed!r}; got {getattr(settings, name)!r}."
            )


def order_of(settings: Any) -> Any:
    """The order, by our name or scikit-learn's, or as a tuple of rows."""
    if settings.shuffle is None:
        return settings.order if isinstance(settings.order, str) else tuple(settings.order)
    return "shuffled" if settings.shuffle else "cyclic"


def order_of_passes(settings: Any) -> Any:
    """The order of a fit; shuffled instead of active with a penalty.

    A penalty is paid for each look: to return to mistaken points would penalise what the other
    points taught, and make passes that never come clean many times as long.
    """
    order = order_of(settings)
    return "shuffled" if order == "active" and pays_penalty(settings) else order


def pays_penalty(settings: Any) -> bool:
    """Whether looks shrink the weights."""
    return settings.penalty is not None and settings.alpha != 0


def tol_of(settings: Any, passes: int, validated: bool) -> float | None:
    """The tolerance on the training error; by default only a penalised run needs one to end.

    Examples
    --------
    >>> tol_of(Settings(penalty="l2"), 1000, False), tol_of(Settings(), 1000, False)
    (0.001, None)
    """
    if settings.tol != "auto":
        return settings.tol
    idle = validated or passes <= settings.n_iter_no_change
    return USUAL_TOL if pays_penalty(settings) and not idle else None


def plan_of(
    settings: Any,
    order: Any,
    passes: int,
    certify: Any,
    callback_of: Any = None,
    validated: bool = False,
) -> Plan:
    """What all runs of a fit have in common; ``validated`` ones end by their own test."""
    certify = certify if settings.penalty is None else False
    ours = order == "active" and certify is not False
    return Plan(
        order=order,
        budget=Budget(
            passes,
            settings.max_updates,
            tol_of(settings, passes, validated),
            settings.n_iter_no_change,
            settings.weight_tol,
        ),
        rule=partial(perceptron_rule, settings),
        certify=certify,
        solution=settings.solution,
        averages=ours and settings.solution in ("auto", "average"),
        callback_of=callback_of,
    )


def set_start(start: Any, coef: Any, intercept: Any, fit_intercept: bool) -> None:
    """Start at the given weights instead of at 0: a state's, or those in an array."""
    weights = start.weights if isinstance(start, State) else start
    for name, value, part in (
        ("coef_init", coef, weights[..., :-1]),
        ("intercept_init", intercept, weights[..., -1:]),
    ):
        if value is None:
            continue
        refuse_others({name: WEIGHTS}, [(name, value)])
        refuse_masked(value, name)
        value = np.asarray(value, dtype=np.float64)
        if value.size != part.size:
            raise InputError(f"{name} must have {part.size} entries, got shape {value.shape}.")
        if not np.isfinite(value).all():
            raise InputError(f"{name} must hold finite numbers, got {value.ravel()[:5]}.")
        part[...] = value.reshape(part.shape)
    if intercept is not None and not fit_intercept and np.any(weights[..., -1]):
        raise InputError("intercept_init needs fit_intercept=True.")

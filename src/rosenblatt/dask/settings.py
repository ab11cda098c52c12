"""What an estimator's parameters ask for: checked, and as the rounds want it."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from rosenblatt.arguments import refuse_others
from rosenblatt.data import weights as weighting
from rosenblatt.engine.stopping import Budget
from rosenblatt.errors import InputError
from rosenblatt.fit.parameters import PARAMETERS
from rosenblatt.fit.settings import Settings, tol_of
from rosenblatt.places.cluster.mixing import MIXINGS, ORDERS, Pace
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.text import plural

CHOICES = {
    "mixing": MIXINGS,
    "order": ORDERS,
    "solution": ("auto", "last", "average", "pocket"),
    "ties": ("mistake", "positive", "negative"),
    "certify": (True, False),
}
# Values that a cluster does not support: why, and what to use instead.
WHY_NOT = {
    ("solution", "vote"): "every hyperplane of every partition would have to travel; "
    "solution='average' predicts much the same (Freund and Schapire 1999)",
    ("order", "worst"): "it needs a look at all points for each step; use order='active'",
    ("ties", "correct"): "it needs a start that is not 0, and rounds start at 0; use "
    "ties='mistake'",
    ("certify", "auto"): "what deciding costs is not known of a cluster; use certify=True, which "
    "decides after ten rounds with mistakes, or False",
}
# Parameters that a cluster does not support: why, and what to use instead.
_PENALTY = (
    "a penalty pulls at the weights at every look, and no bound holds of what is mixed then; use "
    "early_stopping=True, or rosenblatt.Perceptron(penalty=...) on one machine (partial_fit takes "
    "batches)"
)
ELSEWHERE = {
    "penalty": _PENALTY,
    "alpha": _PENALTY,
    "l1_ratio": _PENALTY,
    "margin": "its threshold follows one run's weights, and mixed weights are of many; use "
    "threshold=, or rosenblatt.dask.MaxMargin for the best margin of all",
    "multiclass": "one vector of weights for each class is learned in one fit; for one class "
    "against the rest, fit on labels such as y == 'a'",
    "shuffle": "use order='shuffled' or order='cyclic'",
    "keep": "one solution is tracked; fit with solution='pocket' for the pocket",
    "max_voters": "there is no vote; use solution='average'",
    "n_jobs": "the workers of the cluster are the jobs",
}
Init = TypeVar("Init", bound=Callable[..., None])


def without(local: type, reasons: dict[str, str]) -> Callable[[Init], Init]:
    """An ``__init__`` that rejects parameters which a cluster does not support.

    Parameters
    ----------
    local : type
        The estimator of one machine; its defaults are accepted, as they ask for nothing.
    reasons : dict
        For each such parameter, why, and what to use instead.
    """
    defaults = {
        name: parameter.default for name, parameter in inspect.signature(local).parameters.items()
    }

    def decorate(init: Init) -> Init:
        @functools.wraps(init)
        def checked(self: Any, *args: Any, **given: Any) -> None:
            for name in reasons.keys() & given.keys():
                value = given.pop(name)
                if value is not defaults[name] and value != defaults[name]:
                    raise InputError(
                        f"{name}={value!r} is not offered on a cluster: {reasons[name]}."
                    )
            init(self, *args, **given)

        return checked  # type: ignore[return-value]

    return decorate


def check_parameters(estimator: Any) -> None:
    """Refuse values that mean nothing, or nothing on a cluster."""
    for name, allowed in CHOICES.items():
        value = getattr(estimator, name)
        if not any(value is known or value == known for known in allowed):
            why = WHY_NOT.get((name, value)) if isinstance(value, str) else None
            raise InputError(
                f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
                f"{f': {why}' if why else ''}."
            )
    if not (estimator.eta0 > 0 and math.isfinite(estimator.eta0)):
        raise InputError(f"eta0 must be a positive finite number, got {estimator.eta0!r}.")
    seed = estimator.random_state
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"random_state must be a whole number of at least 0, got {seed!r}.")
    names = ("tol", "validation_fraction")
    refuse_others(PARAMETERS, [(name, getattr(estimator, name)) for name in names])
    budget_of(estimator, estimator.max_iter)


def pace_of(estimator: Any, data: Partitions) -> Pace:
    """How the partitions make their passes."""
    weights = class_weights(estimator.class_weight, data.facts.classes, data.counts)
    least, largest = data.spread
    return Pace(
        threshold=float(estimator.threshold),
        ties=estimator.ties,
        eta=float(estimator.eta0),
        class_weights=weights,
        spread=(least * min(weights, default=1.0), largest * max(weights, default=1.0)),
        order=estimator.order,
        mixing=estimator.mixing,
        seed=int(estimator.random_state),
        averages=estimator.solution in ("auto", "average"),
    )


def class_weights(asked: Any, classes: np.ndarray, counts: np.ndarray) -> tuple[float, ...]:
    """The weight of each class; none where all count alike.

    Examples
    --------
    >>> class_weights("balanced", np.array(["a", "b"]), np.array([30, 10]))
    (0.6666666666666666, 2.0)
    >>> class_weights({1: 5}, np.array([0, 1]), np.array([30, 10]))
    (1.0, 5.0)
    """
    if asked is None:
        return ()
    return tuple(weighting.class_weights(asked, classes, counts).tolist())


def budget_of(estimator: Any, rounds: int) -> Budget:
    """When to give up."""
    if rounds < 1 <= estimator.max_iter:
        raise InputError(
            f"the checkpoint holds {plural(estimator.max_iter - rounds, 'round')} already, and "
            f"max_iter={estimator.max_iter} allows no more; raise it to go on."
        )
    return Budget(
        passes=rounds,
        updates=estimator.max_updates,
        tol=tol_of(Settings.of(estimator), rounds, False),
        patience=estimator.n_iter_no_change,
        weight_tol=estimator.weight_tol,
    )

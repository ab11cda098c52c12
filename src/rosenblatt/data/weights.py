"""Weights of rows and of classes, and the steps that they make of η."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np

from rosenblatt.arguments import is_beyond
from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.labels import listed
from rosenblatt.errors import InputError

# Between which the largest step of a row must lie.
LEAST_STEP, LARGEST_STEP = 1e-300, 1e300


@np.errstate(over="ignore")
def sample_steps(
    eta: float,
    X: Any,
    codes: np.ndarray,
    classes: np.ndarray,
    sample_weight: Any,
    class_weight: Any,
) -> np.ndarray:
    """Each point's step: η times its own weight times its class's."""
    steps = np.full(X.shape[0], eta, dtype=np.float64)
    if sample_weight is not None:
        sample_weight = in_numpy(sample_weight, "sample_weight")
        steps *= check_sample_weight(sample_weight, X.shape[0])
    if class_weight is not None:
        # Rows of weight 0 do not count.
        counts = np.bincount(codes[steps > 0], minlength=len(classes))
        steps *= class_weights(class_weight, classes, counts)[codes]
    return check_steps(steps)


def check_steps(steps: Any) -> Any:
    """The steps, if sums of their products with rows are likely to be numbers that floats hold.

    Examples
    --------
    >>> check_steps(0.5)
    0.5
    """
    largest = float(np.max(steps))
    if LEAST_STEP <= largest <= LARGEST_STEP:
        return steps
    raise InputError(
        "The largest step of a row, which is eta0 times its sample_weight times its class_weight, "
        f"must lie between {LEAST_STEP:g} and {LARGEST_STEP:g}, got {largest:g}. Divide the "
        "weights by the largest of them: only how large they are beside each other matters."
    )


def check_sample_weight(weights: Any, n: int) -> np.ndarray:
    """One weight for each row, none of them negative and some of them positive."""
    found = each_sample_weight(weights, n)
    if not found.any():
        raise InputError("Sample weights must contain at least one non-zero number.")
    return found


def each_sample_weight(weights: Any, n: int) -> np.ndarray:
    """One weight for each row, none of them negative."""
    if isinstance(weights, Number) and not is_beyond(weights):
        found = np.full(n, weights, dtype=np.float64)
    else:
        try:
            found = np.asarray(weights, dtype=np.float64)
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"sample_weight must hold numbers: {error}") from error
    if found.ndim != 1:
        raise InputError(
            f"Sample weights must be 1D array or scalar, got {found.ndim}D array. Expected a "
            f"number, or a 1D array of length {n}."
        )
    if found.shape != (n,):
        raise InputError(
            f"sample_weight.shape == {found.shape}, expected {(n,)}! Pass one weight for each row."
        )
    for wrong, problem in (
        (np.isnan(found), "contains NaN"),
        (np.isinf(found), "contains infinity"),
        (found < 0, "has a negative value: Negative values in data passed to `sample_weight`"),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InputError(f"Input sample_weight {problem} at row {at} ({found[at]:g}).")
    return found


def class_weights(weighting: Any, classes: np.ndarray, counts: Any) -> np.ndarray:
    """The weight of each class, wherever the rows are.

    Parameters
    ----------
    weighting : dict, "balanced" or None
        Of a dict, classes that are not named weigh 1. "balanced" is n/(K·nₖ) for the K classes
        that have rows (King and Zeng 2001, as scikit-learn has it).
    classes : ndarray
        The labels.
    counts : ndarray of int or None
        The rows of each class; needed for "balanced".

    Examples
    --------
    >>> class_weights("balanced", np.array(["a", "b"]), np.array([30, 10]))
    array([0.66666667, 2.        ])
    >>> class_weights({1: 5}, np.array([0, 1]), None)
    array([1., 5.])
    """
    weights = np.ones(len(classes))
    if weighting is None:
        return weights
    if isinstance(weighting, Mapping):
        unnamed = []
        for at, label in enumerate(listed(classes)):
            found = next((key for key in _keys(label) if key in weighting), None)
            if found is None:
                unnamed.append(label)
            else:
                weights[at] = _weight(weighting, found)
        if unnamed and len(classes) - len(unnamed) != len(weighting):
            raise InputError(
                f"class_weight={weighting!r}: The classes, {unnamed}, are not in class_weight, "
                "which names others."
            )
    elif isinstance(weighting, str) and weighting == "balanced":
        if counts is None:
            raise InputError(
                "class_weight='balanced' needs rows of every class, counted beforehand."
            )
        present = counts > 0
        weights[present] = counts.sum() / (np.count_nonzero(present) * counts[present])
    else:
        raise InputError(f"class_weight must be a dict, 'balanced' or None, got {weighting!r}.")
    if not (np.all(weights > 0) and np.all(np.isfinite(weights))):
        raise InputError(
            f"class_weight must give every class a positive finite weight, got {weighting}."
        )
    return weights


def _keys(label: Any) -> list[Any]:
    """What a dict of weights may call a class: by its label, or text by the number it spells."""
    try:
        return [label, int(label)]
    except (ValueError, TypeError):
        return [label]


def _weight(weighting: Mapping[Any, Any], key: Any) -> float:
    try:
        return float(weighting[key])
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"class_weight={weighting!r}: {error}") from error

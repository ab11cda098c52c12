"""What an online learner is given, checked: examples, labels, weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from rosenblatt.engine.rules import make_rule
from rosenblatt.errors import InputError, InputTypeError


def entries(x: Any) -> Any:
    """An example as a mapping, or if it is dense and nameless as an array."""
    if isinstance(x, Mapping):
        return x
    if hasattr(x, "tocoo"):
        coo = x.tocoo()
        if len(coo.shape) == 2 and coo.shape[0] != 1:
            raise InputError(f"an example must be one sparse row, got shape {coo.shape}.")
        coo.sum_duplicates()
        return dict(zip(coo.coords[-1].tolist(), coo.data.tolist(), strict=True))
    if hasattr(x, "to_dict"):
        return x.to_dict()
    array = np.asarray(x)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise InputTypeError(
            "an example must be a dict, a sparse row, or an array of numbers of one dimension; "
            f"got {type(x).__name__} of shape {array.shape} and dtype {array.dtype}."
        )
    return array.astype(np.float64, copy=False)


def check(x: Any, row: np.ndarray) -> None:
    """Refuse an example whose squared length is no finite number."""
    with np.errstate(over="ignore", invalid="ignore"):
        squared = row.dot(row)
    if not squared < math.inf:
        raise refusal(x)


def refusal(x: Any) -> InputError:
    """What is wrong with an example."""
    x = entries(x)
    for name, value in x.items() if isinstance(x, Mapping) else enumerate(x.tolist()):
        try:
            finite = math.isfinite(value)
        except (TypeError, OverflowError):
            return InputTypeError(f"feature {name!r} must be a number, got {value!r}.")
        if not finite:
            return InputError(f"feature {name!r} must be a finite number, got {value!r}.")
    return InputError(
        "the example is too long: its squared norm is beyond the range of double precision. "
        "Rescale its features."
    )


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def check_label(label: Any) -> None:
    """Refuse a label that no dict can find again."""
    label = plain(label)
    try:
        hash(label)
    except TypeError:
        raise InputTypeError(f"a label must be hashable, got {label!r}.") from None
    if label is None or label != label:
        raise InputError(f"a label must be a value that equals itself, got {label!r}.")


def check_weight(w: Any) -> float:
    """The weight of an example, a finite number that is not negative."""
    if not isinstance(w, Real) or not 0 <= float(w) < math.inf:
        raise InputError(f"the weight w of an example must be a number from 0 on, got {w!r}.")
    return float(w)


def check_threshold(threshold: Any) -> float:
    """The threshold of a mistake, as the engine's rules take it."""
    if not isinstance(threshold, Real):
        raise InputTypeError(f"threshold must be a number, got {threshold!r}.")
    make_rule(2, float(threshold))
    return float(threshold)


def check_bool(name: str, value: Any) -> bool:
    """A parameter that is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)

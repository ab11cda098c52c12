"""What an online learner is given, checked: examples, labels, weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from rosenblatt.arguments import NUMBER, refuse_masked, refuse_others
from rosenblatt.data.array_api import in_numpy
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
    refuse_masked(x, "x")
    array = np.asarray(x)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise InputTypeError(
            "an example must be a dict, a sparse row, or an array of numbers of one dimension; "
            f"got {type(x).__name__} of shape {array.shape} and dtype {array.dtype}."
        )
    return array.astype(np.float64, copy=False)


def check(x: Any, row: np.ndarray) -> None:
    """Refuse an example whose squared length is no finite number."""
    if not np.vdot(row, row) < math.inf:  # unlike dot, vdot does not warn of it
        raise refusal(x)


def refusal(x: Any) -> InputError:
    """What is wrong with an example."""
    x = entries(x)
    for name, value in x.items() if isinstance(x, Mapping) else enumerate(x.tolist()):
        try:
            finite = math.isfinite(value)
        except OverflowError:
            return InputError(f"feature {name!r} must be a number of double precision's range.")
        except TypeError:
            return InputTypeError(
                f"feature {name!r} must be a number, got {value!r}. Leave it out (it counts as 0 "
                "then), or make numbers of it, as river's OneHotEncoder and StatImputer do."
            )
        if not finite:
            return InputError(
                f"feature {name!r} must be a finite number, got {value!r}. Leave it out (it counts "
                "as 0 then), or fill it in."
            )
    return InputError(
        "the example is too long: its squared norm, or that times its squared weight, is beyond "
        "the range of double precision. Rescale its features."
    )


def examples(X: Any) -> Iterable[Any]:
    """Many examples that are no matrix, one by one."""
    if isinstance(X, (Mapping, str)) or not isinstance(X, Iterable):
        raise InputTypeError(
            "X must be an array, sparse matrix or frame of two dimensions, or an iterable of "
            f"examples; got {type(X).__name__}. For a single example there are learn_one, "
            "predict_one and predict_proba_one."
        )
    return X


def aligned(X: Any, y: Any, w: Any) -> Iterable[tuple[Any, Any, Any]]:
    """Examples, each with its label and weight, that are equally many."""
    parts: tuple[Any, ...] = (examples(X), y) if np.ndim(w) == 0 else (examples(X), y, w)
    sizes = {len(part) for part in parts if hasattr(part, "__len__")}
    if len(sizes) > 1:
        raise InputError(f"X, y and w must be equally long, got lengths {sorted(sizes)}.")
    if len(parts) == 2:
        return ((x, label, w) for x, label in zip(*parts, strict=True))
    return zip(*parts, strict=True)


def plain(value: Any) -> Any:
    """A NumPy scalar, or an array without dimensions of any library, as Python's value.

    Examples
    --------
    >>> plain(np.float64(0.5)), plain(np.array(3)), plain("a")
    (0.5, 3, 'a')
    """
    if isinstance(value, np.generic):
        return value.item()
    return in_numpy(value, "y").item() if getattr(value, "ndim", None) == 0 else value


def named_labels(classes: Any) -> list[Any]:
    """Labels given as an iterable; text is refused, as its letters would be the labels."""
    if isinstance(classes, (str, bytes, Mapping)) or not isinstance(classes, Iterable):
        raise InputTypeError(f"classes must be labels, such as ['no', 'yes'], got {classes!r}.")
    labels = [plain(label) for label in in_numpy(classes, "classes")]
    for label in labels:
        check_label(label)
    return labels


def check_label(label: Any) -> None:
    """Refuse a label that no dict can find again."""
    label = plain(label)
    try:
        hash(label)
    except TypeError:
        raise InputTypeError(f"a label must be hashable, got {label!r}.") from None
    try:
        missing = label is None or bool(label != label)
    except TypeError:  # pandas' NA
        missing = True
    if missing:
        raise InputError(
            f"a label must be a value that equals itself, got {label!r}. Leave out examples "
            "without a label."
        )


def check_weight(w: Any) -> float:
    """The weight of an example, a finite number that is not negative."""
    if not isinstance(w, Real) or not 0 <= float(w) < math.inf:
        raise InputError(f"the weight w of an example must be a number from 0 on, got {w!r}.")
    return float(w)


def check_threshold(threshold: Any) -> float:
    """The threshold of a mistake, as the engine's rules take it."""
    refuse_others({"threshold": NUMBER}, [("threshold", threshold)])
    make_rule(2, float(threshold))
    return float(threshold)

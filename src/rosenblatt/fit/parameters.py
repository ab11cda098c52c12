"""What kind of value each parameter of an estimator takes, by name.

A name means the same in every estimator that has it. Which of the values of a kind are sensible is
checked where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import InputError


class Expected(NamedTuple):
    """A kind of value: in words, and as a test."""

    words: str
    fits: Callable[[Any], bool]


# Where Python's own types stand before the abstract ones, they are recognised ten times faster.
def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, Integral)) and not _is_flag(value) and abs(int(value)) < 2**63


def _is_number(value: Any) -> bool:
    return isinstance(value, (float, int, Real)) and not _is_flag(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_seed(value: Any) -> bool:
    if _is_whole(value):
        return 0 <= int(value) < 2**32
    return value is None or value is np.random or isinstance(value, np.random.RandomState)


def _is_names(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, (str, bytes, Mapping))


def _is_start(value: Any) -> bool:
    return isinstance(value, (Integral, np.ndarray, list, tuple)) and not _is_flag(value)


def _is_rows(value: Any) -> bool:
    return isinstance(value, (list, tuple, range, np.ndarray))


def _is_weighting(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, str) and value == "balanced")


FLAG = Expected("True or False", _is_flag)
WHOLE = Expected("a whole number below 2⁶³", _is_whole)
NUMBER = Expected("a number", _is_number)
TEXT = Expected("a name (a string)", _is_text)


def _either(one: Expected, other: Expected) -> Expected:
    return Expected(
        f"{one.words} or {other.words}", lambda value: one.fits(value) or other.fits(value)
    )


def _optional(expected: Expected) -> Expected:
    return Expected(
        f"{expected.words} or None", lambda value: value is None or expected.fits(value)
    )


PARAMETERS: dict[str, Expected] = {
    **dict.fromkeys(("early_stopping", "fit_intercept", "keep_path", "padded", "warm_start"), FLAG),
    **dict.fromkeys(("max_iter", "max_rounds", "max_voters", "n_iter_no_change"), WHOLE),
    **dict.fromkeys(("batch_size", "budget", "max_updates"), _optional(WHOLE)),
    **dict.fromkeys(("C", "alpha", "cache_size", "coef0", "degree", "epsilon", "eta0"), NUMBER),
    **dict.fromkeys(("l1_ratio", "margin", "rtol", "threshold", "validation_fraction"), NUMBER),
    **dict.fromkeys(("tol", "weight_tol"), _optional(NUMBER)),
    **dict.fromkeys(("bias", "loss", "multiclass", "solution", "step", "ties"), TEXT),
    "average": Expected("a bool or a count of looks", _either(FLAG, WHOLE).fits),
    "certify": _either(TEXT, FLAG),
    "class_weight": _optional(Expected("a dict, 'balanced'", _is_weighting)),
    "gamma": _either(NUMBER, TEXT),
    "init": _optional(Expected("a row (a whole number), an array of weights", _is_start)),
    "keep": Expected("a tuple of names", _is_names),
    "kernel": _either(TEXT, Expected("a function of two rows", callable)),
    "kernel_params": _optional(Expected("a dict", lambda value: isinstance(value, dict))),
    "n_jobs": _optional(
        Expected("a whole number other than 0", lambda value: _is_whole(value) and value != 0)
    ),
    "order": _either(TEXT, Expected("a sequence of row numbers", _is_rows)),
    "penalty": _optional(TEXT),
    "random_state": Expected("a whole number from 0 to 2³² − 1, a RandomState or None", _is_seed),
    "shuffle": _optional(FLAG),
    "verbose": _either(FLAG, WHOLE),
}


def check_kinds(estimator: Any) -> None:
    """Refuse a parameter of the wrong kind, whatever it would do later.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> check_kinds(Perceptron(max_iter=1.5))
    Traceback (most recent call last):
    rosenblatt.errors.InputError: max_iter must be a whole number below 2⁶³, got 1.5 (a
    float).
    """
    for name, value in vars(estimator).items():
        expected = PARAMETERS.get(name)
        if expected is not None and not expected.fits(value):
            kind = type(value).__name__
            article = "an" if kind[0] in "aeiou" else "a"
            raise InputError(
                f"{name} must be {expected.words}, got {_shown(value)} ({article} {kind})."
            )


def check_streaming(estimator: Any) -> None:
    """Refuse what `partial_fit` cannot do, because it sees one batch of the data at a time."""
    if isinstance(estimator.class_weight, str):
        raise InputError(
            "class_weight='balanced' is not supported by partial_fit, which sees one batch at a "
            "time: pass a dict, made of all labels by sklearn.utils.class_weight."
            "compute_class_weight('balanced', classes=classes, y=y)."
        )
    if estimator.early_stopping:
        raise InputError(
            "early_stopping=True is not supported by partial_fit, which makes one pass: use fit, "
            "or measure the error between batches."
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"

"""What kind of value each parameter of an estimator takes, by name.

A name means the same in every estimator that has it. Whether a value of the right kind is sensible
is checked where it is used; here only for parameters that a fit may never use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from rosenblatt.arguments import (
    FLAG,
    NUMBER,
    TEXT,
    TOLERANCE,
    WHOLE,
    Expected,
    either,
    is_flag,
    is_names,
    is_number,
    is_rows,
    is_whole,
    optional,
    refuse_others,
)
from rosenblatt.errors import InputError


def _is_seed(value: Any) -> bool:
    if is_whole(value):
        return 0 <= int(value) < 2**32
    return value is None or value is np.random or isinstance(value, np.random.RandomState)


def _is_start(value: Any) -> bool:
    return isinstance(value, (Integral, np.ndarray, list, tuple)) and not is_flag(value)


def _is_tolerance(value: Any) -> bool:
    return value == "auto" if isinstance(value, str) else TOLERANCE.fits(value)


def _is_finite(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _is_fraction(value: Any) -> bool:
    return is_number(value) and 0 < value < 1


def _is_weighting(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, str) and value == "balanced")


PARAMETERS: dict[str, Expected] = {
    **dict.fromkeys(("early_stopping", "fit_intercept", "keep_path", "padded", "warm_start"), FLAG),
    **dict.fromkeys(("max_iter", "max_rounds", "max_voters", "n_iter_no_change"), WHOLE),
    **dict.fromkeys(("batch_size", "budget", "max_updates"), optional(WHOLE)),
    **dict.fromkeys(("C", "alpha", "cache_size", "degree", "epsilon", "eta0"), NUMBER),
    **dict.fromkeys(("l1_ratio", "margin", "rtol", "threshold"), NUMBER),
    "coef0": Expected("a finite number", _is_finite),
    "tol": optional(Expected(f"{TOLERANCE.words}, 'auto'", _is_tolerance)),
    "validation_fraction": Expected("a number between 0 and 1", _is_fraction),
    "weight_tol": optional(TOLERANCE),
    **dict.fromkeys(("bias", "loss", "multiclass", "solution", "step", "ties"), TEXT),
    "average": Expected("a bool or a count of looks", either(FLAG, WHOLE).fits),
    "certify": either(TEXT, FLAG),
    "class_weight": optional(Expected("a dict, 'balanced'", _is_weighting)),
    "gamma": either(NUMBER, TEXT),
    "init": optional(Expected("a row (a whole number), an array of weights", _is_start)),
    "keep": Expected("a tuple of names", is_names),
    "kernel": either(TEXT, Expected("a function of two rows", callable)),
    "kernel_params": optional(Expected("a dict", lambda value: isinstance(value, dict))),
    "n_jobs": optional(
        Expected("a whole number other than 0", lambda value: is_whole(value) and value != 0)
    ),
    "order": either(TEXT, Expected("a sequence of row numbers", is_rows)),
    "penalty": optional(TEXT),
    "random_state": Expected("a whole number from 0 to 2³² − 1, a RandomState or None", _is_seed),
    "shuffle": optional(FLAG),
    "verbose": either(FLAG, WHOLE),
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
    refuse_others(PARAMETERS, vars(estimator).items())


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

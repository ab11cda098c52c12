"""Kinds of values that parameters take: in words, and as a test; wrong ones are refused by name.

Which of the values of a kind are sensible is checked where they are used.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import wraps
from numbers import Integral, Rational, Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.text import plural

P = ParamSpec("P")
R = TypeVar("R")


class Expected(NamedTuple):
    """A kind of value: in words, and as a test."""

    words: str
    fits: Callable[[Any], bool]


# Where Python's own types stand before the abstract ones, they are recognised ten times faster.
def is_flag(value: Any) -> bool:
    """Whether it is True or False."""
    return isinstance(value, (bool, np.bool_))


def is_integer(value: Any) -> bool:
    """Whether it is a whole number, of any size."""
    return isinstance(value, (int, Integral)) and not is_flag(value)


def is_whole(value: Any) -> bool:
    """Whether it is a whole number that machine code can count with."""
    return is_integer(value) and abs(int(value)) < 2**63


def is_count(value: Any) -> bool:
    """Whether it is a whole number from 0 on that can be computed with."""
    return is_integer(value) and value >= 0 and not is_beyond(value)


def is_number(value: Any) -> bool:
    """Whether it is a real number that a double can be near to."""
    if isinstance(value, float):
        return True
    return isinstance(value, (int, Real)) and not is_flag(value) and not is_beyond(value)


def is_tolerance(value: Any) -> bool:
    """Whether it is a number from 0 on."""
    return is_number(value) and value >= 0


def is_beyond(value: Any) -> bool:
    """Whether it is an exact number beyond the range of doubles."""
    try:
        return isinstance(value, (int, Rational)) and not math.isfinite(float(value))
    except OverflowError:
        return True


def is_names(value: Any) -> bool:
    """Whether it is a collection that is not text."""
    return isinstance(value, Collection) and not isinstance(value, (str, bytes, Mapping))


def is_numbers(value: Any) -> bool:
    """Whether NumPy makes an array of real numbers with one dimension or more of it."""
    if isinstance(value, (str, bytes, Mapping)) or value is None:
        return False
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            return array.ndim > 0 and all(is_number(cell) for cell in array.flat)
        return array.ndim > 0 and array.dtype.kind in "biuf"
    except ValueError:  # lists of different lengths
        return False


def is_labels(value: Any) -> bool:
    """Whether it can be gone through, and holds what may be a label."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return False
    return not isinstance(value, Collection) or all(isinstance(v, Hashable) for v in value)


def is_pair(value: Any) -> bool:
    """Whether it is two things."""
    return isinstance(value, (tuple, list)) and len(value) == 2


def is_rows(value: Any) -> bool:
    """Whether it is a sequence that may be row numbers."""
    return isinstance(value, (list, tuple, range, np.ndarray))


def is_seed(value: Any) -> bool:
    """Whether NumPy's ``default_rng`` draws from it."""
    generators = (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)
    legacy = isinstance(value, np.random.RandomState)
    whole = is_integer(value) and value >= 0
    return value is None or whole or legacy or isinstance(value, generators)


def either(one: Expected, other: Expected) -> Expected:
    """One kind or another."""
    return Expected(
        f"{one.words} or {other.words}", lambda value: one.fits(value) or other.fits(value)
    )


def optional(expected: Expected) -> Expected:
    """A kind or None."""
    return Expected(
        f"{expected.words} or None", lambda value: value is None or expected.fits(value)
    )


FLAG = Expected("True or False", is_flag)
WHOLE = Expected("a whole number below 2⁶³", is_whole)
COUNT = Expected("a whole number from 0 on", is_count)
NUMBER = Expected("a number", is_number)
TOLERANCE = Expected("a number of at least 0", is_tolerance)
NUMBERS = Expected("an array of numbers", is_numbers)
TEXT = Expected("a name (a string)", lambda value: isinstance(value, str))
NAMES = Expected("a sequence of names", is_names)
LABELS = Expected("a sequence of labels", is_labels)
SIZE = Expected("a whole number from 0 to 2⁶³", lambda value: is_whole(value) and value >= 0)
PAIR = Expected("a pair (X, y)", is_pair)
PATH = Expected("a path", lambda value: isinstance(value, (str, os.PathLike)))
FUNCTION = Expected("a function", callable)

# Of functions; the parameters of estimators are in `rosenblatt.fit.parameters`.
ARGUMENTS: dict[str, Expected] = {
    **dict.fromkeys(("fit_intercept", "padded", "keep_weights", "sparse", "average"), FLAG),
    **dict.fromkeys(("n", "d", "m", "kept", "errors", "looks", "read", "updates"), COUNT),
    **dict.fromkeys(("written", "flips", "nonzeros"), COUNT),
    **dict.fromkeys(("radius", "margin", "start", "epsilon", "threshold", "eta", "spread"), NUMBER),
    **dict.fromkeys(("rho", "gamma", "mistakes", "log_delta", "distance", "prior", "rtol"), NUMBER),
    **dict.fromkeys(("weights", "direction", "sizes", "costs"), NUMBERS),
    **dict.fromkeys(("multiclass", "ties", "step", "case", "penalty", "name"), TEXT),
    **dict.fromkeys(("max_passes", "max_steps", "memory"), WHOLE),
    **dict.fromkeys(("max_iter", "batch_size"), optional(WHOLE)),
    **dict.fromkeys(("weight_tol", "tol"), optional(TOLERANCE)),
    "time_limit": optional(NUMBER),
    **dict.fromkeys(("epsilons", "coef_init", "intercept_init"), optional(NUMBERS)),
    "names": optional(NAMES),
    "path": PATH,
    "progress": optional(FUNCTION),
    "sample_weight": optional(either(NUMBER, NUMBERS)),
    "seed": Expected("a whole number from 0 on, a Generator or None", is_seed),
}


def checked(**own: Expected | None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse arguments of the wrong kind, by the kind that a name has everywhere, or here.

    Parameters
    ----------
    **own : Expected or None
        Kinds of parameters whose names have none in ``ARGUMENTS``, or another; None for those
        that the function checks itself.

    Examples
    --------
    >>> @checked()
    ... def half(n):
    ...     return n / 2
    >>> half("a")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: n must be a whole number from 0 on, got 'a' (a str).
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        code = function.__code__  # type: ignore[attr-defined]
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        kinds = {name: own.get(name, ARGUMENTS.get(name)) for name in names}
        asked = {name: kind for name, kind in kinds.items() if kind is not None}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            refuse_others(asked, zip(names, args, strict=False))
            if kwargs:
                refuse_others(asked, kwargs.items())
            return function(*args, **kwargs)

        return call

    return decorate


# Types that have no mask, as most parameters are of.
PLAIN = frozenset((bool, int, float, str, type(None)))


def refuse_others(kinds: Mapping[str, Expected], values: Any) -> None:
    """Refuse a value of the wrong kind, or with masked entries, among pairs of names and values.

    Examples
    --------
    >>> refuse_others({"tol": NUMBER}, [("tol", None)])
    Traceback (most recent call last):
    rosenblatt.errors.InputError: tol must be a number, got None (a NoneType).
    """
    for name, value in values:
        expected = kinds.get(name)
        if expected is None:
            continue
        if type(value) not in PLAIN:
            refuse_masked(value, name)
        if not expected.fits(value):
            kind = type(value).__name__
            article = "an" if kind[0] in "aeiou" else "a"
            large = " beyond the range of double precision" if is_beyond(value) else ""
            raise InputError(
                f"{name} must be {expected.words}, got {_shown(value)} ({article} {kind}{large})."
            )


def refuse_masked(values: Any, name: str) -> None:
    """Refuse an array, or a list of arrays, of which entries are masked.

    Examples
    --------
    >>> refuse_masked(np.ma.masked_array([1.0, 2.0], mask=[False, True]), "X")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: X has 1 masked entry, and what is masked is unknown: fill it first
    (X.filled(...)), or leave out such rows.
    """
    # Naming numpy.ma imports it, which most have no need of.
    count = 0
    for part in values if isinstance(values, (list, tuple)) else [values]:
        if hasattr(part, "mask") and isinstance(part, np.ma.MaskedArray):
            count += np.ma.count_masked(part)
    if count:
        raise InputError(
            f"{name} has {plural(int(count), 'masked entry')}, and what is masked is unknown: fill "
            f"it first ({name}.filled(...)), or leave out such rows."
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"

"""Checks of the values in an experiment: each returns the value, or says what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.errors import InputError

LARGEST = 1e6  # of a coordinate, a weight, a step size
SMALLEST = 1e-100  # of a coordinate that is not 0: the square of a smaller one may be 0


def one_of(names: Any) -> Callable[[Any, str], str]:
    """A check that a value is one of those names."""

    def reader(value: Any, name: str) -> str:
        if not isinstance(value, str) or value not in names:
            raise InputError(f"{name} must be one of {', '.join(names)}; got {shown(value)}.")
        return value

    return reader


def flag(value: Any, name: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InputError(f"{name} must be true or false, got {shown(value)}.")
    return value


def number(value: Any, name: str, least: float, most: float = LARGEST) -> float:
    """A finite number within limits."""
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    if not numeric or not least <= value <= most or not math.isfinite(value):
        raise InputError(f"{name} must be a number from {least:g} to {most:g}, got {shown(value)}.")
    return value


def coordinate(value: Any, name: str) -> float:
    """A number of which the square is not lost."""
    read = number(value, name, -LARGEST)
    if 0 < abs(read) < SMALLEST:
        raise InputError(f"{name} must be 0 or at least {SMALLEST:g} in size, got {shown(value)}.")
    return read


def whole(value: Any, name: str, least: int, most: int) -> int:
    """A whole number within limits."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(
            f"{name} must be a whole number from {least} to {most}, got {shown(value)}."
        )
    return value


def refuse_unknown(given: Mapping[Any, Any], known: Any, where: str) -> None:
    """Refuse an object that has a key it may not have."""
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(
            f"{where} has no {shown(unknown[0])}; known are {', '.join(sorted(known))}."
        )


def shown(value: Any) -> str:
    """A value as it is told in an error: not too long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

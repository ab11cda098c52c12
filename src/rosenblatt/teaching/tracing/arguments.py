"""What a user hands to `trace`, as exact numbers, codes, points and a start."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import is_beyond
from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.labels import check_discrete, distinct, listed, read_labels
from rosenblatt.data.positive import positive_code
from rosenblatt.engine.points import DenseRows, Points, exact_points, make_points
from rosenblatt.engine.rules import State
from rosenblatt.engine.sweep import zero_state
from rosenblatt.errors import InputError


def read_numbers(values: Any, name: str, ndim: int) -> np.ndarray:
    """An array of Fractions (from whole or rational numbers) and finite floats."""
    array = np.array(in_numpy(values, name), dtype=object)
    if array.ndim != ndim:
        shape = ("one number", "a list of numbers", "a table: n rows of d numbers")[ndim]
        raise InputError(f"{name} must be {shape}, got an array of shape {array.shape}.")
    if array.size == 0:
        raise InputError(f"{name} holds no numbers: its shape is {array.shape}.")
    out = np.empty(array.shape, dtype=object)
    for at in np.ndindex(array.shape):
        out[at] = read_number(array[at], name, at)
    return out


def read_number(value: Any, name: str, at: tuple[int, ...]) -> Fraction | float:
    """One number, as a Fraction where it is rational and as a finite float otherwise."""
    where = "".join(f"[{k}]" for k in at)
    if isinstance(value, bool | np.bool_):
        return Fraction(int(value))
    if isinstance(value, numbers.Rational):
        # numpy integers are rationals too, but would overflow inside a Fraction
        return Fraction(int(value.numerator), int(value.denominator))
    if not isinstance(value, numbers.Real):
        raise InputError(f"{name}{where} must be a real number, got {value!r}.")
    if not math.isfinite(value):
        raise InputError(f"{name}{where} must be finite, got {value}.")
    return float(value)


def refuse_beyond(numbers: Iterable[Any], name: str) -> None:
    """Refuse exact numbers that no float is near to, where floats are to be computed with."""
    for number in numbers:
        if is_beyond(number):
            raise InputError(
                f"{name} holds {str(number)[:30]}…, which is beyond the range of double precision. "
                f"Rescale {name}, or pass exact=True to compute with fractions."
            )


def is_rational(x: Fraction | float) -> bool:
    """Whether a number is a fraction by type or whole by value."""
    return isinstance(x, Fraction) or float(x).is_integer()


def read_codes(y: Any, classes: Any, positive: Any, n: int) -> tuple[list[Any], list[int]]:
    """The classes, of two the positive one last, and the code of each point among them."""
    given = read_labels(y)
    if given.shape != (n,):
        raise InputError(f"y must hold one label for each of the {n} rows of X, got {given.shape}.")
    check_discrete(given)
    if classes is None:
        labels = _classes_in(given, positive)
    else:
        labels = listed(read_labels(classes))
        if len(set(labels)) != len(labels) or len(labels) < 2:
            raise InputError(f"classes must be two or more different labels, got {labels}.")
        if positive is not None and not positive_code(labels, positive):
            raise InputError(
                f"positive={positive!r} contradicts classes={labels}, of which the second is the "
                "positive one. Pass one of the two."
            )
    code = {label: k for k, label in enumerate(labels)}
    for i, label in enumerate(listed(given)):
        if label not in code:
            raise InputError(f"y[{i}] is {label!r}, which is not among classes = {labels}.")
    return labels, [code[label] for label in listed(given)]


def _classes_in(y: np.ndarray, positive: Any) -> list[Any]:
    """The labels in order, the positive of two last; −1 and +1 where only one of them is there."""
    labels = listed(distinct(y)[0])
    if len(labels) == 1 and labels[0] in (-1, 1):
        labels = [-1, 1]
    if len(labels) < 2:
        raise InputError(
            f"y has only one label, {labels[0]!r}. Pass classes=[negative, positive] to trace it."
        )
    return labels if positive_code(labels, positive) else labels[::-1]


def read_start(init: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The start as an array of that shape; zeros without one."""
    if init is None:
        return np.full(shape, Fraction(0), dtype=object)
    start = read_numbers(init, "init", np.ndim(init))
    if start.shape != shape:
        raise InputError(
            f"init must have shape {shape}, got {start.shape}: one weight for each column of X "
            'and, with fit_intercept, one for the bias, which comes first unless bias="last".'
        )
    return start


def build_points(
    values: np.ndarray, codes: list[int], classes: int, fit_intercept: bool, eta: Any, exact: bool
) -> Points:
    """The points, over fractions or floats."""
    signs = [2 * code - 1 for code in codes] if classes == 2 else codes
    if exact:
        return exact_points(values.tolist(), signs, fit_intercept=fit_intercept, eta=eta)
    points = make_points(values.astype(float), signs, fit_intercept=fit_intercept, steps=float(eta))
    # The plain rules read Python's own floats and integers twice as fast as numpy's.
    rows = DenseRows(points.rows.values.tolist())
    return points._replace(rows=rows, y=points.y.tolist(), steps=points.steps.tolist())


def build_state(points: Points, classes: int, start: np.ndarray, exact: bool) -> State:
    """The state at that start, over fractions or floats."""
    state = zero_state(points, 0 if classes == 2 else classes)
    if exact:
        state = State(*(np.full(part.shape, Fraction(0), dtype=object) for part in state))
    state.weights[..., : start.shape[-1]] = as_fractions(start) if exact else start
    return state


def as_fractions(values: np.ndarray) -> np.ndarray:
    """Every number as the rational it is."""
    return np.vectorize(Fraction, otypes=[object])(values)


# --- What is shown -------------------------------------------------------------------------------

"""How an experiment runs: its settings, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.orders import ORDERS
from rosenblatt.engine.rules import TIES
from rosenblatt.engine.solutions import SOLUTIONS
from rosenblatt.errors import InputError
from rosenblatt.lab.checking import LARGEST, flag, number, one_of, refuse_unknown, shown, whole

POINTS, CLASSES, NAME = 500, 5, 40  # points and classes at most, and letters of a class's name
WIDEST = 7  # weights of one hyperplane
STEPS = 2000  # recorded at most
RULES = ("perceptron", "batch", "sgd")
KERNELS = ("none", "poly2", "poly3", "rbf")
STEP_SIZES = ("fixed", "decaying", "line_search")


@dataclass(frozen=True)
class LabSettings:
    """How to run; the defaults are those of `rosenblatt.trace`.

    Attributes
    ----------
    rule : {"perceptron", "batch", "sgd"}
        Point by point; all misclassified points at once; or mini-batches of ``batch`` points.
    order, ties, solution, bias, seed
        As for `rosenblatt.trace` and `rosenblatt.Perceptron`; ``bias`` is its ``fit_intercept``.
    eta, delta : number
        The step size and the threshold.
    step_size : {"fixed", "decaying", "line_search"}
        Of batch descent.
    start : tuple of numbers, or of one tuple for each class, or None
        The weights to start with, the bias first if there is one; None for 0. One tuple for each
        class where there are more than two.
    product, squares, radius : bool
        Whether points have the further features x₁x₂; x₁² and x₂²; r² = x₁² + x₂².
    kernel : {"none", "poly2", "poly3", "rbf"}
        Of a kernel perceptron on the same points, drawn beside the run.
    """

    rule: str = "perceptron"
    order: str = "cyclic"
    eta: float = 1
    delta: float = 0
    start: tuple[Any, ...] | None = None
    bias: bool = True
    ties: str = "mistake"
    solution: str = "last"
    product: bool = False
    squares: bool = False
    radius: bool = False
    kernel: str = "none"
    step_size: str = "fixed"
    batch: int = 4
    seed: int = 0
    max_passes: int = 100

    @property
    def extra(self) -> int:
        """How many features there are beside x₁ and x₂."""
        return self.product + 2 * self.squares + self.radius

    @property
    def width(self) -> int:
        """Weights of one hyperplane, the bias included if there is one."""
        return 2 + self.extra + self.bias

    def features(self, plane: np.ndarray) -> np.ndarray:
        """The features of points of the plane, x₁ and x₂ first.

        Examples
        --------
        >>> LabSettings(product=True, squares=True, radius=True).features(np.array([[2.0, 3.0]]))
        array([[ 2.,  3.,  6.,  4.,  9., 13.]])
        """
        columns = [plane]
        if self.product:
            columns.append(plane.prod(axis=1, keepdims=True))
        if self.squares:
            columns.append(plane**2)
        if self.radius:
            columns.append((plane**2).sum(axis=1, keepdims=True))
        return np.hstack(columns)


def read_settings(given: Any, classes: tuple[str, ...]) -> LabSettings:
    """The settings in what a browser sent, checked against the classes."""
    if not isinstance(given, Mapping):
        raise InputError(f"settings must be an object, got {shown(given)}.")
    refuse_unknown(given, READERS, "settings")
    chosen = LabSettings(**{name: READERS[name](value, name) for name, value in given.items()})
    two = len(classes) == 2
    if chosen.rule != "perceptron" and not two:
        raise InputError("batch descent and SGD are about two classes; use rule='perceptron'.")
    if chosen.rule == "sgd" and chosen.step_size == "line_search":
        raise InputError("a line search looks along the whole risk: use rule='batch' with it.")
    if chosen.start is not None:
        _check_start(chosen, len(classes))
    return chosen


def _check_start(chosen: LabSettings, classes: int) -> None:
    """Two classes start with one row of weights, more of them with one row for each class."""
    wide = chosen.width
    first = ", the bias first" if chosen.bias else ""
    rows = [row for row in chosen.start or () if isinstance(row, tuple)]
    if classes == 2:
        if rows or len(chosen.start or ()) != wide:
            came = f"{len(rows)} rows" if rows else len(chosen.start or ())
            raise InputError(f"start must be {wide} numbers{first}, got {came}.")
    elif [len(row) for row in rows] != [wide] * classes:
        came = f"rows of {', '.join(str(len(row)) for row in rows)}" if rows else "one row"
        raise InputError(
            f"start must be {classes} rows of {wide} numbers{first}, one for each class, "
            f"such as {'; '.join([', '.join('0' * wide)] * classes)}; got {came}."
        )


def _start(value: Any, name: str) -> tuple[Any, ...] | None:
    """Weights, or rows of weights; which of them is wanted depends on the classes."""
    if value is None:
        return None
    if not isinstance(value, list) or not value or len(value) > WIDEST:
        raise InputError(f"{name} must be a list of weights or null, got {shown(value)}.")
    if all(isinstance(row, list) for row in value):
        return tuple(_weights(row, f"{name}[{k}]") for k, row in enumerate(value))
    return _weights(value, name)


def _weights(value: list[Any], name: str) -> tuple[float, ...]:
    return tuple(number(w, f"{name}[{k}]", -LARGEST) for k, w in enumerate(value[: WIDEST + 1]))


READERS: dict[str, Callable[[Any, str], Any]] = {
    "rule": one_of(RULES),
    "order": one_of(tuple(ORDERS)),
    "eta": lambda value, name: number(value, name, 1e-6),
    "delta": lambda value, name: number(value, name, 0),
    "start": _start,
    "bias": flag,
    "ties": one_of(tuple(TIES)),
    "solution": one_of(tuple(name for name in SOLUTIONS if name != "auto")),
    "product": flag,
    "squares": flag,
    "radius": flag,
    "kernel": one_of(KERNELS),
    "step_size": one_of(STEP_SIZES),
    "batch": lambda value, name: whole(value, name, 1, POINTS),
    "seed": lambda value, name: whole(value, name, 0, 2**32 - 1),
    "max_passes": lambda value, name: whole(value, name, 1, STEPS),
}

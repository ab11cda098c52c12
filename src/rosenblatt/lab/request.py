"""An experiment as a browser sends it, checked: points, classes, settings, and their limits.

Every number that comes in is bounded here, so that nothing behind needs to ask. Imports ``errors``,
``orders``, ``rules`` and ``solutions``, for the names they know.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.datasets import separable, with_product
from rosenblatt.engine.orders import ACTIVE_EFFORT, ORDERS
from rosenblatt.engine.rules import TIES
from rosenblatt.engine.solutions import SOLUTIONS
from rosenblatt.errors import InputError

POINTS, CLASSES, NAME = 500, 5, 40  # points and classes at most, and letters of a class's name
STEPS = 2000  # recorded at most
JOININGS = 20  # different steps at which points join
LARGEST = 1e6  # of a coordinate, a weight, a step size
SMALLEST = 1e-100  # of a coordinate that is not 0: the square of a smaller one may be 0
RULES = ("perceptron", "batch", "sgd")
STEP_SIZES = ("fixed", "decaying", "line_search")
# Whole multiples of 1/1024 up to LARGEST are exact in floats, and make short fractions.
GRAIN = 1024


class Point(NamedTuple):
    """A point of the plane, its class, and the step at which it joined; 0 for the start."""

    x1: float
    x2: float
    code: int
    joined: int = 0


@dataclass(frozen=True)
class Settings:
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
    start : tuple of numbers, or None
        The weights to start with, the bias first if there is one; None for 0.
    product : bool
        Whether points have the third feature x₁x₂.
    """

    rule: str = "perceptron"
    order: str = "cyclic"
    eta: float = 1
    delta: float = 0
    start: tuple[float, ...] | None = None
    bias: bool = True
    ties: str = "mistake"
    solution: str = "last"
    product: bool = False
    step_size: str = "fixed"
    batch: int = 4
    seed: int = 0
    max_passes: int = 100


@dataclass(frozen=True)
class Experiment:
    """What one page is about: the classes, the points, the settings, and the step it looks at."""

    classes: tuple[str, ...]
    points: tuple[Point, ...]
    settings: Settings
    at: int = 0

    @property
    def codes(self) -> np.ndarray:
        """The class of each point, as its place among the classes."""
        return np.array([point.code for point in self.points], dtype=int)

    @property
    def labels(self) -> list[str]:
        """The class of each point, by name."""
        return [self.classes[point.code] for point in self.points]

    @property
    def signs(self) -> np.ndarray:
        """+1 for the second of two classes, −1 for the first."""
        return 2.0 * self.codes - 1.0

    @property
    def X(self) -> np.ndarray:
        """The features: x₁, x₂ and, if asked for, their product."""
        plane = np.array([point[:2] for point in self.points], dtype=float).reshape(-1, 2)
        return with_product(plane) if self.settings.product else plane

    @property
    def two(self) -> bool:
        """Whether there are two classes, and so one hyperplane."""
        return len(self.classes) == 2

    @property
    def width(self) -> int:
        """Weights of one hyperplane, the bias included if there is one."""
        return 2 + self.settings.product + self.settings.bias

    @property
    def exact(self) -> bool:
        """Whether all numbers are short fractions: the run is then exact and finds its cycles."""
        chosen = self.settings
        numbers = [chosen.eta, chosen.delta, *(chosen.start or ())]
        numbers += [x for point in self.points for x in point[:2]]
        return all(float(GRAIN * x).is_integer() for x in numbers)

    @property
    def passes(self) -> int:
        """Passes that may be recorded: those asked for, within `STEPS`."""
        n = max(1, len(self.points))
        # The worst order records one step a pass, but looks at every point to find it.
        looks = {"active": (1 + ACTIVE_EFFORT) * n, "iid": 2 * n, "worst": 1 + n // 20}
        steps = looks.get(self.settings.order, n) if self.settings.rule == "perceptron" else 1
        return max(1, min(self.settings.max_passes, STEPS // steps))


def read(given: Any) -> Experiment:
    """The experiment in what a browser sent, or an error that says what is wrong with it.

    Examples
    --------
    >>> experiment = read({"classes": ["no", "yes"], "points": [[1, 2, 1], [0, 0, 0]]})
    >>> experiment.labels, experiment.settings.order
    (['yes', 'no'], 'cyclic')
    >>> read({"classes": ["no", "yes"], "points": [[1, 2, 7]]})
    Traceback (most recent call last):
    rosenblatt.errors.InputError: points[0][2] must be a whole number from 0 to 1, got 7.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"an experiment must be an object, got {_shown(given)}.")
    known = {"classes", "points", "settings", "at", "random", "want"}
    _refuse_unknown(given, known, "an experiment")
    classes = _classes(given.get("classes", ["no", "yes"]))
    if given.get("random") is not None:
        if len(classes) != 2:
            raise InputError("random points with a margin are of two classes.")
        points = _random(given["random"])
    else:
        points = _points(given.get("points", []), len(classes))
    settings = _settings(given.get("settings", {}), classes)
    return Experiment(classes, points, settings, _whole(given.get("at", 0), "at", 0, 3 * STEPS))


def _classes(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not 2 <= len(given) <= CLASSES:
        raise InputError(f"classes must be a list of 2 to {CLASSES} names, got {_shown(given)}.")
    for name in given:
        if not isinstance(name, str) or not 0 < len(name) <= NAME:
            raise InputError(f"a class's name has 1 to {NAME} letters, got {_shown(name)}.")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InputError(f"a class's name must be text of Unicode, got {_shown(name)}.")
    if len(set(given)) < len(given):
        raise InputError(f"classes must have different names, got {_shown(given)}.")
    return tuple(given)


def _points(given: Any, classes: int) -> tuple[Point, ...]:
    if not isinstance(given, list):
        raise InputError(f"points must be a list of [x1, x2, class], got {_shown(given)}.")
    if len(given) > POINTS:
        raise InputError(f"the lab holds {POINTS} points at most, got {len(given):,}.")
    points = []
    for k, row in enumerate(given):
        where = f"points[{k}]"
        if not isinstance(row, list) or len(row) not in (3, 4):
            raise InputError(
                f"{where} must be [x1, x2, class] or [x1, x2, class, step], got {_shown(row)}."
            )
        points.append(
            Point(
                _coordinate(row[0], f"{where}[0]"),
                _coordinate(row[1], f"{where}[1]"),
                _whole(row[2], f"{where}[2]", 0, classes - 1),
                _whole(row[3], f"{where}[3]", 0, 2 * STEPS) if len(row) == 4 else 0,
            )
        )
    times = [point.joined for point in points]
    if times != sorted(times):
        raise InputError("points that joined later must come later in the list.")
    if len(set(times)) > JOININGS:
        raise InputError(f"points may join at {JOININGS} different steps at most.")
    return tuple(points)


def _random(given: Any) -> tuple[Point, ...]:
    """Points of at least the chosen margin, rounded to 1/64, for which a little more is asked."""
    if not isinstance(given, Mapping):
        raise InputError(f"random must be an object, got {_shown(given)}.")
    _refuse_unknown(given, {"n", "margin", "seed"}, "random")
    n = _whole(given.get("n", 30), "random.n", 2, POINTS)
    margin = _number(given.get("margin", 0.5), "random.margin", 0.01, 4.0)
    seed = _whole(given.get("seed", 0), "random.seed", 0, 2**32 - 1)
    cloud = separable(n, 2, margin + 1 / 64, radius=5.0, seed=seed)
    rounded = np.round(cloud.X * 64) / 64
    return tuple(
        Point(float(x1), float(x2), int(y > 0))
        for (x1, x2), y in zip(rounded, cloud.y, strict=True)
    )


def _settings(given: Any, classes: tuple[str, ...]) -> Settings:
    if not isinstance(given, Mapping):
        raise InputError(f"settings must be an object, got {_shown(given)}.")
    _refuse_unknown(given, READERS, "settings")
    chosen = Settings(**{name: READERS[name](value, name) for name, value in given.items()})
    two = len(classes) == 2
    if chosen.rule != "perceptron" and not two:
        raise InputError("batch descent and SGD are about two classes; use rule='perceptron'.")
    if chosen.rule == "sgd" and chosen.step_size == "line_search":
        raise InputError("a line search looks along the whole risk: use rule='batch' with it.")
    if chosen.start is not None:
        wide = 2 + chosen.product + chosen.bias
        if not two:
            raise InputError("a start other than 0 is for two classes.")
        if len(chosen.start) != wide:
            raise InputError(
                f"start must be {wide} numbers{', the bias first' if chosen.bias else ''}, "
                f"got {len(chosen.start)}."
            )
    return chosen


def _one_of(names: Any) -> Callable[[Any, str], str]:
    def reader(value: Any, name: str) -> str:
        if not isinstance(value, str) or value not in names:
            raise InputError(f"{name} must be one of {', '.join(names)}; got {_shown(value)}.")
        return value

    return reader


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{name} must be true or false, got {_shown(value)}.")
    return value


def _number(value: Any, name: str, least: float, most: float = LARGEST) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not least <= value <= most or not math.isfinite(value):
        raise InputError(
            f"{name} must be a number from {least:g} to {most:g}, got {_shown(value)}."
        )
    return value


def _coordinate(value: Any, name: str) -> float:
    number = _number(value, name, -LARGEST)
    if 0 < abs(number) < SMALLEST:
        raise InputError(f"{name} must be 0 or at least {SMALLEST:g} in size, got {_shown(value)}.")
    return number


def _whole(value: Any, name: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(
            f"{name} must be a whole number from {least} to {most}, got {_shown(value)}."
        )
    return value


def _start(value: Any, name: str) -> tuple[float, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > 4:
        raise InputError(f"{name} must be a list of weights or null, got {_shown(value)}.")
    return tuple(_number(w, f"{name}[{k}]", -LARGEST) for k, w in enumerate(value))


READERS: dict[str, Callable[[Any, str], Any]] = {
    "rule": _one_of(RULES),
    "order": _one_of(tuple(ORDERS)),
    "eta": lambda value, name: _number(value, name, 1e-6),
    "delta": lambda value, name: _number(value, name, 0),
    "start": _start,
    "bias": _flag,
    "ties": _one_of(tuple(TIES)),
    "solution": _one_of(tuple(name for name in SOLUTIONS if name != "auto")),
    "product": _flag,
    "step_size": _one_of(STEP_SIZES),
    "batch": lambda value, name: _whole(value, name, 1, POINTS),
    "seed": lambda value, name: _whole(value, name, 0, 2**32 - 1),
    "max_passes": lambda value, name: _whole(value, name, 1, STEPS),
}


def _refuse_unknown(given: Mapping[Any, Any], known: Any, where: str) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(
            f"{where} has no {_shown(unknown[0])}; known are {', '.join(sorted(known))}."
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

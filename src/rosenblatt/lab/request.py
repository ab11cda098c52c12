"""An experiment as a browser sends it, checked: points, classes, settings, and their limits.

Every number that comes in is bounded here, so that nothing behind needs to ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.datasets import separable
from rosenblatt.engine.orders import ACTIVE_EFFORT
from rosenblatt.errors import InputError
from rosenblatt.lab.checking import coordinate, number, refuse_unknown, shown, whole
from rosenblatt.lab.settings import CLASSES, NAME, POINTS, STEPS, LabSettings, read_settings

JOININGS = 20  # different steps at which points join
# Whole multiples of 1/1024 up to LARGEST are exact in floats, and make short fractions.
GRAIN = 1024


class Point(NamedTuple):
    """A point of the plane, its class, and the step at which it joined; 0 for the start."""

    x1: float
    x2: float
    code: int
    joined: int = 0


@dataclass(frozen=True)
class Experiment:
    """What one page is about: the classes, the points, the settings, and the step it looks at."""

    classes: tuple[str, ...]
    points: tuple[Point, ...]
    settings: LabSettings
    at: int = 0
    test: tuple[Point, ...] = ()  # not learned from

    @property
    def codes(self) -> np.ndarray:
        """The class of each point, as its place among the classes."""
        return codes_of(self.points)

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
        """The features of the points: x₁, x₂ and those asked for."""
        return self.settings.features(plane_of(self.points))

    @property
    def two(self) -> bool:
        """Whether there are two classes, and so one hyperplane."""
        return len(self.classes) == 2

    @property
    def exact(self) -> bool:
        """Whether all numbers are short fractions: the run is then exact and finds its cycles."""
        chosen = self.settings
        numbers = [chosen.eta, chosen.delta, *np.ravel(chosen.start or ()).tolist()]
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


def codes_of(points: tuple[Point, ...]) -> np.ndarray:
    """The classes of points, as places among the classes."""
    return np.array([point.code for point in points], dtype=int)


def plane_of(points: tuple[Point, ...]) -> np.ndarray:
    """Where points are."""
    return np.array([point[:2] for point in points], dtype=float).reshape(-1, 2)


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
        raise InputError(f"an experiment must be an object, got {shown(given)}.")
    known = {"classes", "points", "settings", "at", "random", "test", "want"}
    refuse_unknown(given, known, "an experiment")
    classes = _classes(given.get("classes", ["no", "yes"]))
    if given.get("random") is not None:
        if len(classes) != 2:
            raise InputError("random points with a margin are of two classes.")
        points, test = _random(given["random"])
    else:
        points = _points(given.get("points", []), len(classes))
        test = _points(given.get("test", []), len(classes), "test")
    settings = read_settings(given.get("settings", {}), classes)
    at = whole(given.get("at", 0), "at", 0, 3 * STEPS)
    return Experiment(classes, points, settings, at, test)


def _classes(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not 2 <= len(given) <= CLASSES:
        raise InputError(f"classes must be a list of 2 to {CLASSES} names, got {shown(given)}.")
    for name in given:
        if not isinstance(name, str) or not 0 < len(name) <= NAME:
            raise InputError(f"a class's name has 1 to {NAME} letters, got {shown(name)}.")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InputError(f"a class's name must be text of Unicode, got {shown(name)}.")
    if len(set(given)) < len(given):
        raise InputError(f"classes must have different names, got {shown(given)}.")
    return tuple(given)


def _points(given: Any, classes: int, name: str = "points") -> tuple[Point, ...]:
    if not isinstance(given, list):
        raise InputError(f"{name} must be a list of [x1, x2, class], got {shown(given)}.")
    if len(given) > POINTS:
        raise InputError(f"the lab holds {POINTS} points at most, got {len(given):,}.")
    points = []
    for k, row in enumerate(given):
        where = f"{name}[{k}]"
        if not isinstance(row, list) or len(row) not in (3, 4):
            raise InputError(
                f"{where} must be [x1, x2, class] or [x1, x2, class, step], got {shown(row)}."
            )
        points.append(
            Point(
                coordinate(row[0], f"{where}[0]"),
                coordinate(row[1], f"{where}[1]"),
                whole(row[2], f"{where}[2]", 0, classes - 1),
                whole(row[3], f"{where}[3]", 0, 2 * STEPS) if len(row) == 4 else 0,
            )
        )
    times = [point.joined for point in points]
    if times != sorted(times):
        raise InputError("points that joined later must come later in the list.")
    if len(set(times)) > JOININGS:
        raise InputError(f"points may join at {JOININGS} different steps at most.")
    return tuple(points)


def _random(given: Any) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Points to learn from and to test on, of at least the chosen margin but for the noise.

    They are rounded to 1/64, for which a little more margin is asked. Noise is the share of labels
    that are turned round, in both sets.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"random must be an object, got {shown(given)}.")
    refuse_unknown(given, {"n", "margin", "seed", "noise", "test"}, "random")
    n = whole(given.get("n", 30), "random.n", 2, POINTS)
    more = whole(given.get("test", 0), "random.test", 0, POINTS)
    margin = number(given.get("margin", 0.5), "random.margin", 0.01, 4.0)
    noise = number(given.get("noise", 0), "random.noise", 0, 0.5)
    seed = whole(given.get("seed", 0), "random.seed", 0, 2**32 - 1)
    cloud = separable(n + more, 2, margin + 1 / 64, radius=5.0, seed=seed)
    turned = np.random.default_rng([seed, 1]).random(n + more) < noise
    codes = (cloud.y > 0) ^ turned
    rounded = np.round(cloud.X * 64) / 64
    drawn = [Point(x1, x2, int(k)) for (x1, x2), k in zip(rounded.tolist(), codes, strict=True)]
    return tuple(drawn[:n]), tuple(drawn[n:])

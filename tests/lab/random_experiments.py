"""Random experiments of the lab, of every kind that its page can make."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from rosenblatt import datasets
from rosenblatt.lab.presets import from_module, presets

NAMES = ["no", "yes", "maybe", "d", "e"]
SEED = 20260401
# How many of each kind.
KINDS = {"grid": 1100, "apart": 250, "floats": 200, "joining": 150, "descent": 250, "kernel": 100}


def experiments() -> Iterator[tuple[str, dict[str, Any]]]:
    """The kind and the experiment; always the same ones."""
    source = random.Random(SEED)
    for kind, count in KINDS.items():
        for _ in range(count):
            experiment = MAKERS[kind](source)
            if source.random() < 0.4:
                experiment["test"] = _tested(source, len(experiment["classes"]))
            yield kind, experiment


def worked_examples() -> Iterator[tuple[str, dict[str, Any]]]:
    """The examples of the lectures that lie in the plane."""
    for name in datasets.EXAMPLES:
        data = datasets.load(name)
        if data.X.shape[1] != 2:
            continue
        classes = sorted(set(data.y.tolist())) if data.classes is None else list(data.classes)
        settings: dict[str, Any] = {"bias": data.fit_intercept, "ties": data.ties}
        if data.init is not None:
            settings["start"] = data.init.tolist()
        if data.passes is not None:
            settings["max_passes"] = data.passes
        points = [
            [*map(float, x), classes.index(label)]
            for x, label in zip(data.X, data.y.tolist(), strict=True)
        ]
        yield name, {"classes": list(map(str, classes)), "points": points, "settings": settings}


def presets_of_the_page() -> Iterator[tuple[str, dict[str, Any]]]:
    """The page's own experiments, with every setting said."""
    known = from_module("js/defaults.js", "DEFAULTS")
    for preset in presets():
        experiment = preset["experiment"]
        yield preset["name"], experiment | {"settings": known | experiment["settings"]}


def _tested(source: random.Random, classes: int) -> list[list[float]]:
    """Points to test on, some of them on lines that separate others."""
    return [
        [source.randint(-8, 8) / 2, source.randint(-8, 8) / 2, source.randrange(classes)]
        for _ in range(source.randint(1, 6))
    ]


def _settings(source: random.Random, classes: int) -> dict[str, Any]:
    ties = ["mistake", "mistake", "positive", "negative"] if classes == 2 else ["mistake"]
    return {
        "order": source.choice(["cyclic", "shuffled", "active", "worst"]),
        "eta": source.choice([1, 1, 0.5, 3]),
        "delta": source.choice([0, 0, 1]),
        "bias": source.random() < 0.7,
        "product": source.random() < 0.25,
        "squares": source.random() < 0.15,
        "radius": source.random() < 0.15,
        "ties": source.choice(ties),
        "seed": source.choice([0, 1, 2, 3, 2**32 - 1]),
        "max_passes": source.randint(1, 15),
    }


def _width(settings: dict[str, Any]) -> int:
    more = settings["product"] + 2 * settings["squares"] + settings["radius"]
    return 2 + more + settings["bias"]


def _grid(source: random.Random) -> dict[str, Any]:
    """Few points on a grid, contradictions and missing classes included, and any start."""
    classes = source.choice([2, 2, 2, 3, 4])

    def quarter() -> float:
        return source.randint(-16, 16) / 4

    points = [
        [quarter(), quarter(), source.randrange(classes)] for _ in range(source.randint(1, 9))
    ]
    settings = _settings(source, classes)
    if source.random() < 0.3:
        rows = [[source.randint(-3, 3) for _ in range(_width(settings))] for _ in range(classes)]
        settings["start"] = rows[0] if classes == 2 else rows
    return {"classes": NAMES[:classes], "points": points, "settings": settings}


def _apart(source: random.Random) -> dict[str, Any]:
    """Up to 40 points around centres, mostly separable, on a fine grid."""
    classes = source.choice([2, 2, 2, 3])
    centres = [(source.uniform(-3, 3), source.uniform(-3, 3)) for _ in range(classes)]
    spread = source.choice([0.3, 0.8, 1.5])
    points = []
    for _ in range(source.randint(4, 25)):
        code = source.randrange(classes)
        x1, x2 = (round(source.gauss(c, spread) * 64) / 64 for c in centres[code])
        points.append([x1, x2, code])
    settings = _settings(source, classes) | {"max_passes": source.randint(1, 16)}
    return {"classes": NAMES[:classes], "points": points, "settings": settings}


def _floats(source: random.Random) -> dict[str, Any]:
    """Numbers that are no short fractions, at scales from thousandths to thousands."""
    experiment = _apart(source)
    scale = 10 ** source.uniform(-3, 3)
    for point in experiment["points"]:
        point[:2] = (x * scale + source.gauss(0, 0.1 * scale) for x in point[:2])
    experiment["settings"]["eta"] = source.choice([1, 0.1, 0.3])
    return experiment


def _joining(source: random.Random) -> dict[str, Any]:
    experiment = _grid(source)
    classes = len(experiment["classes"])
    times = sorted(source.randint(0, 30) for _ in range(source.randint(1, 3)))
    experiment["points"] += [
        [source.randint(-8, 8) / 2, source.randint(-8, 8) / 2, source.randrange(classes), at]
        for at in times
    ]
    return experiment


def _descent(source: random.Random) -> dict[str, Any]:
    experiment = source.choice([_grid, _apart])(source)
    experiment["classes"] = NAMES[:2]
    for point in experiment["points"]:
        point[2] %= 2
    settings = experiment["settings"]
    settings.pop("start", None)
    settings |= {"rule": source.choice(["batch", "sgd"]), "ties": "mistake", "delta": 0}
    sizes = ["fixed", "decaying"] + ["line_search"] * (settings["rule"] == "batch")
    settings |= {"step_size": source.choice(sizes), "batch": source.randint(1, 6)}
    if source.random() < 0.3:
        settings["start"] = [source.choice([-2, -1, 1, 3]) for _ in range(_width(settings))]
    return experiment


def _kernel(source: random.Random) -> dict[str, Any]:
    experiment = source.choice([_grid, _apart])(source)
    settings = experiment["settings"]
    # An estimator draws the seed of its permutations from the one that it is given.
    order = source.choice(["cyclic", "worst"])
    settings |= {"kernel": source.choice(["poly2", "poly3", "rbf"]), "ties": "mistake"}
    settings |= {"order": order}
    settings.pop("start", None)
    return experiment


MAKERS = {
    "grid": _grid,
    "apart": _apart,
    "floats": _floats,
    "joining": _joining,
    "descent": _descent,
    "kernel": _kernel,
}

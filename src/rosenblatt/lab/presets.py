"""Experiments to begin with: the lectures' worked examples, and sets that show one thing each."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data import datasets
from rosenblatt.data.datasets import Example

# The lectures' examples of the plane; those of three features are not for this page.
LECTURES = {
    "five_points": "Five points, one pass",
    "six_points": "Six points, no bias",
    "two_points": "Two points",
    "two_points_moved": "Two points, one moved",
    "pass_the_class": "Who passed the class?",
    "three_samples": "Three samples",
    "xor": "Exclusive or",
    "quadrants": "Opposite quadrants",
}


def presets() -> list[dict[str, Any]]:
    """Every preset: its name, title, one line on what it shows, group and experiment.

    Examples
    --------
    >>> from rosenblatt.lab.experiment import compute
    >>> first = presets()[0]
    >>> first["title"], compute(first["experiment"])["run"]["text"][-1]
    ('Five points, one pass', '[-1, 1, -1]')
    """
    lectures = [
        _preset(name, title, (data := datasets.load(name)).description, "Lectures", _of(data))
        for name, title in LECTURES.items()
    ]
    return [*lectures, _quadrants_with_product(), _one_point(), *_shapes()]


def _preset(
    name: str, title: str, text: str, group: str, experiment: dict[str, Any]
) -> dict[str, Any]:
    return {"name": name, "title": title, "text": text, "group": group, "experiment": experiment}


def _of(data: Example) -> dict[str, Any]:
    """An example of the lectures as an experiment that reproduces it."""
    classes = sorted(set(data.y.tolist())) if data.classes is None else list(data.classes)
    names = [f"{label:+d}".replace("-", "−") for label in classes]  # as the lectures write them
    settings: dict[str, Any] = {"bias": data.fit_intercept, "ties": data.ties}
    if data.init is not None:
        settings["start"] = data.init.tolist()
    if data.passes is not None:
        settings["max_passes"] = data.passes
    codes = [classes.index(label) for label in data.y.tolist()]
    return _experiment(data.X, codes, names, settings)


def _experiment(
    X: Any, codes: Any, names: list[str], settings: dict[str, Any] | None = None
) -> dict[str, Any]:
    points = [[*map(float, x), int(k)] for x, k in zip(np.asarray(X), codes, strict=True)]
    return {"classes": names, "points": points, "settings": settings or {}}


def _quadrants_with_product() -> dict[str, Any]:
    experiment = _of(datasets.quadrants())
    experiment["settings"]["product"] = True
    text = "The same with the feature x₁x₂: now a curve separates them."
    return _preset("quadrants_product", "Quadrants with x₁x₂", text, "Lectures", experiment)


def _one_point() -> dict[str, Any]:
    """The lectures write its bias as a last feature of 1."""
    data = datasets.three_classes()
    start = np.asarray(data.init)[:, [2, 0, 1]].tolist()
    names = [str(label) for label in data.classes or ()]
    settings = {"start": start, "max_passes": 1}
    experiment = _experiment(data.X[:, :2], data.y.tolist(), names, settings)
    title = "One point, three classes"
    return _preset("one_point", title, data.description, "Lectures", experiment)


def _shapes() -> list[dict[str, Any]]:
    two = ["−1", "+1"]
    easy = [[-3, -1], [-2, 1], [-3, 2], [-1, -2], [-2, -3], [2, 1], [3, -1], [1, 3], [3, 2], [2, 4]]
    close = [[-2, -2], [-1, -1.25], [0, -0.25], [1, 0.75], [2, 1.75]]
    close += [[-2, -1.5], [-1, -0.75], [0, 0.25], [1, 1.25], [2, 2.5]]
    touch = [[-2, -1], [-1, 1], [0, 0], [-1, -2], [0, 0], [1, -1], [2, 1], [1, 2]]
    return [
        _preset(
            "separable", "Separable", "A wide gap: a few mistakes and it is over.", "Shapes",
            _experiment(easy, [0] * 5 + [1] * 5, two),
        ),
        _preset(
            "barely", "Barely separable", "A narrow gap: many mistakes, as the bound foretells.",
            "Shapes", _experiment(close, [0] * 5 + [1] * 5, two),
        ),
        _preset(
            "touching", "Touching", "One point in both classes: the two hulls meet there.",
            "Shapes", _experiment(touch, [0] * 4 + [1] * 4, two),
        ),
        _preset(
            "outlier", "Clusters and an outlier", "One point among the others ruins it all.",
            "Shapes", _experiment([*easy, [2.5, 1.5]], [0] * 5 + [1] * 5 + [0], two),
        ),
        _preset(
            "three_classes", "Three classes", "One weight vector for each class.", "Shapes",
            _experiment(
                [[-3, 2], [-2, 3], [-3, 3], [3, 2], [2, 3], [3, 3], [0, -3], [1, -2], [-1, -2]],
                [0, 0, 0, 1, 1, 1, 2, 2, 2], ["a", "b", "c"],
            ),
        ),
    ]  # fmt: skip

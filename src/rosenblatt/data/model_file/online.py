"""Online learners as plain values and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data.model_file.values import NUMBERS, Fields, require
from rosenblatt.online.learner import Perceptron
from rosenblatt.online.weights import weight_vectors

COUNTS = ("looks", "updates")


def online_values(learner: Perceptron) -> dict[str, Any]:
    """What was learned as plain values."""
    state = learner.to_dict()
    arrays = {name: np.array(state[name]) for name in ("weights", "drift")}
    kept = {name: state[name] for name in ("classes", "features", *COUNTS, "radius")}
    return kept | arrays


def online_of(params: dict[str, Any], values: Any) -> Perceptron:
    """The learner that `online_values` wrote, once all of it is checked."""
    fresh = Perceptron(**params)
    fields = Fields(values, "the learner")
    classes, features = _distinct(fields, "classes"), _distinct(fields, "features")
    require(all(label is not None and label == label for label in classes), "bad classes")
    first = fresh.classes[: len(classes)]
    require(len(first) == len(fresh.classes) and classes[: len(first)] == first, "bad classes")
    shape = (weight_vectors(len(classes)), len(features) + 1)
    weights, drift = (fields.array(name, "f", *shape) for name in ("weights", "drift"))
    require(np.isfinite(weights).all() and np.isfinite(drift).all(), "a weight is not finite")
    looks, updates = map(fields.count, COUNTS)
    radius = float(fields.take("radius", *NUMBERS))
    require(updates <= looks and 0 <= radius < np.inf, "the counts contradict each other")
    learned = {"classes": classes, "features": features, "weights": weights, "drift": drift}
    counted = {"looks": looks, "updates": updates, "radius": radius}
    fresh._restore({**fresh.to_dict(), **learned, **counted})
    return fresh


def _distinct(fields: Fields, name: str) -> list[Any]:
    found = fields.take(name, list)
    require(len(set(found)) == len(found), f"{name} must be different")
    return found

"""What an online learner is made of: parameters, weights by feature and class; its copies."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.online.checks import check_threshold, plain
from rosenblatt.online.features import BIAS, DOUBLE, FeatureTable

# Examples that may wait to be learned from together, their bytes, and the examples that it takes
# for the engine to be worth its call.
ROWS_WAITING, BYTES_WAITING = 2**10, 2**20
MANY_ROWS = 16


class Update(NamedTuple):
    """The example of an update: its columns and values, and with which sign each vector moved."""

    where: Any
    row: np.ndarray
    moved: dict[int, float]


class Weights:
    """Weights by feature and class, with room for new ones of both."""

    def _start(self, known: list[Any] | None = None, **parameters: Any) -> None:
        """Begin with weights of 0."""
        zeros = [[0.0]] * weight_vectors(len(known or []))
        counts = {"looks": 0, "updates": 0, "radius": 0.0}
        begun = {"classes": known or [], "features": [], "weights": zeros, "drift": zeros}
        self._restore({"known": known, **begun, **counts, **parameters})

    def _catch_up(self) -> None:
        """Learn from the examples that wait."""
        raise NotImplementedError

    @property
    def threshold(self) -> float:
        """δ ≥ 0: an example is a mistake while y·score does not exceed it."""
        return self._threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        self._catch_up()
        self._threshold = check_threshold(value)

    @property
    def fit_intercept(self) -> bool:
        """Whether examples have the bias coordinate 1."""
        return self._features.bias == 1.0

    @property
    def features(self) -> list[Any]:
        """The names met so far."""
        return list(self._features.names)

    @property
    def weights(self) -> dict[Any, Any]:
        """The last weights by feature; with K > 2 classes a dict of such dicts."""
        self._catch_up()
        names = self._features.names
        vectors = [dict(zip(names, w[1:].tolist(), strict=False)) for w in self._weights]
        return vectors[0] if self._single else dict(zip(self.classes, vectors, strict=True))

    @property
    def bias(self) -> Any:
        """The last bias; with K > 2 classes a dict."""
        self._catch_up()
        biases = self._weights[:, BIAS].tolist()
        return biases[0] if self._single else dict(zip(self.classes, biases, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """All of the learner as lists and numbers, for JSON or `from_dict`."""
        self._catch_up()
        return {
            "known": None if self._known is None else list(self._known),
            "classes": list(self.classes),
            "average": self.average,
            "fit_intercept": self.fit_intercept,
            "threshold": self._threshold,
            "features": self.features,
            "weights": self._weights[:, : len(self._names) + 1].tolist(),
            "drift": self._drift[:, : len(self._names) + 1].tolist(),
            "looks": self._looks,
            "updates": self._updates,
            "radius": self._radius,
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._waiting: list[int] = []
        self._filled, self._buffer = 0, bytearray()
        self._asked = True
        self._known, self.classes = state["known"], list(state["classes"])
        self.average, self.threshold = state["average"], state.get("threshold", 0.0)
        self._looks, self._updates = state["looks"], state["updates"]
        self._radius = state["radius"]
        self._codes = {label: code for code, label in enumerate(self.classes)}
        self._last: Update | None = None
        self._products: tuple[int, list[Any]] | None = None
        self._weights, self._drift = np.array(state["weights"]), np.array(state["drift"])
        self._features = FeatureTable(1.0 if state["fit_intercept"] else 0.0)
        self._names = self._features.names
        self._features.join(state["features"])
        self._shape = (0, 0)
        self._make_room()

    def _make_room(self) -> None:
        """Give every class its weights and every feature its column."""
        vectors, width = weight_vectors(len(self.classes)), len(self._names) + 1
        if self._shape == (vectors, width):
            return
        self._shape = (vectors, width)
        capacity = self._weights.shape[1]
        if len(self._weights) < vectors or capacity < width:
            capacity = capacity if width <= capacity else 2 * width
            self._weights = grown(self._weights, vectors, capacity)
            self._drift = grown(self._drift, vectors, capacity)
        self._single = vectors == 1
        self._stride = DOUBLE * (width - 1)
        self._room = min(ROWS_WAITING * self._stride, BYTES_WAITING)
        if len(self._buffer) < self._room + self._stride:
            self._buffer = bytearray(self._room + 2 * self._stride)

    def _meet(self, label: Any) -> int:
        """The code of a label not met before."""
        label = plain(label)
        for new in (False, True) if isinstance(label, bool) and not self.classes else (label,):
            self._codes[new] = len(self.classes)
            self.classes.append(new)
        self._make_room()
        return self._codes[label]

    def _get_params(self) -> dict[str, Any]:
        """The arguments of the constructor, a subclass's own among them."""
        ours = {
            "classes": None if self._known is None else list(self._known),
            "average": self.average,
            "fit_intercept": self.fit_intercept,
            "threshold": self.threshold,
        }
        taken = inspect.signature(type(self)).parameters.values()
        names = [p.name for p in taken if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        if any(p.kind is p.VAR_KEYWORD for p in taken):  # which a subclass passes on
            names += [name for name in ours if name not in names]
        return {name: ours[name] if name in ours else getattr(self, name) for name in names}

    def clone(
        self, new_params: Mapping[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A new learner of the same class and parameters.

        Parameters
        ----------
        new_params : dict, optional
            Parameters that are to be others.
        include_attributes : bool
            Whether it knows what this one has learned; by default it has learned nothing.

        Examples
        --------
        >>> from rosenblatt.online import Perceptron
        >>> learner = Perceptron(average=True)
        >>> learner.learn_one({"a": 1}, True)
        >>> learner.clone().looks, learner.clone({"threshold": 1}, include_attributes=True).looks
        (0, 1)
        """
        params = copy.deepcopy(self._get_params()) | dict(new_params or {})
        twin = type(self)(**params)
        if include_attributes:
            learned, chosen = copy.deepcopy(self.__getstate__()), twin.__getstate__()
            beside = {k: v for k, v in chosen["beside"].items() if k in params}
            learned |= {k: chosen[k] for k in ("known", "average", "fit_intercept", "threshold")}
            twin.__setstate__({**learned, "beside": learned["beside"] | beside})
            for label in twin._known or ():
                if label not in twin._codes:
                    twin._meet(label)
        return twin

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """The learner that `to_dict` described.

        Examples
        --------
        >>> from rosenblatt.online import Perceptron
        >>> learner = Perceptron()
        >>> learner.learn_one([1.0, 2.0], True)
        >>> Perceptron.from_dict(learner.to_dict()).score_one([1.0, 0.0])
        2.0
        """
        learner = cls()
        missing = learner.to_dict().keys() - state.keys() - {"threshold"}  # that came later
        if missing:
            raise InputError(f"not what to_dict tells: {', '.join(sorted(missing))} missing.")
        learner._restore(state)
        return learner

    def __getstate__(self) -> dict[str, Any]:
        """What `to_dict` tells, and whatever a subclass has beside it."""
        ours = _attributes()
        beside = {name: value for name, value in vars(self).items() if name not in ours}
        return {**self.to_dict(), "beside": beside}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self._restore(state)
        vars(self).update(state.get("beside", {}))


@cache
def _attributes() -> frozenset[str]:
    """The attributes of a learner that is of no subclass."""
    from rosenblatt.online.learner import Perceptron

    return frozenset(vars(Perceptron()))


def weight_vectors(classes: int) -> int:
    """How many that many classes have: two share one."""
    return classes if classes > 2 else 1


def grown(weights: np.ndarray, vectors: int, columns: int) -> np.ndarray:
    """The weights with room for more: two classes' w is −w and w among several classes'."""
    if len(weights) == 1 < vectors:
        weights = np.vstack([-weights, weights])
    out = np.zeros((vectors, columns))
    out[: len(weights), : weights.shape[1]] = weights
    return out

"""`Perceptron`, for streams."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.engine.rules import strongest_rival
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.kinds import LABELS, checked, optional
from rosenblatt.online.features import (
    BIAS,
    DOUBLE,
    NOT_NUMBERS,
    FeatureTable,
    check,
    plain,
    refusal,
)

if TYPE_CHECKING:
    from rosenblatt.online.game import Round


# How much may wait to be learned from together, and the examples that
# it takes for the engine to be worth its call.
BYTES_WAITING = 2**20
MANY = 16


class Update(NamedTuple):
    """The example of an update: its columns and values, its class and the rival."""

    where: Any
    row: np.ndarray
    code: int
    rival: int


class Perceptron:
    """The perceptron of the first lecture, for streams.

    After a mistake (y·score ≤ 0) w ← w + y·x. Two classes share one weight vector, positive for
    the second of ``classes``. When a third appears, w becomes the vectors −w, w and 0, one a class,
    and the rule the multiclass one: reward the true class, punish its strongest rival. As the
    perceptron of two classes *is* the multiclass rule with −w and w, nothing is lost. Updates are
    at most R²/γ² (Novikoff 1962), with more than two classes 2R²/γ².

    Parameters
    ----------
    classes : iterable, optional
        Labels known beforehand; others may still join. Booleans are always known to be two.
    average : bool
        Predict by the mean of the weights over all looks instead of the last.
    fit_intercept : bool
        Whether examples have the bias coordinate 1.

    Attributes
    ----------
    classes : list
        Labels, in order of appearance.
    looks, updates : int
        Examples learned from, and those that changed the weights.
    radius : float
        R of the latter.

    Notes
    -----
    An array's features have the names 0, 1, 2, …, and so have a sparse row's. A feature without a
    value is 0.

    What is learned is learned at once, but for the dicts that follow an example with the same
    features: they wait, and are learned from together when anything is asked of the learner or
    many wait. This is faster; if one of them is not finite, it is left out and that is told then.

    To use a learner in river, import river before making it.

    Examples
    --------
    The first lecture's pass class: homework and exam marks.

    >>> learner = Perceptron(classes=["fail", "pass"])
    >>> learner.learn_one({"homework": 90, "exam": 80}, "pass")
    >>> learner.learn_one({"homework": 40, "exam": 30}, "fail")
    >>> learner.predict_one({"homework": 50, "exam": 60}), learner.updates
    ('pass', 2)
    >>> learner.weights
    {'homework': 50.0, 'exam': 50.0}

    A third class, and a new feature:

    >>> learner.learn_one({"homework": 90, "exam": 80, "prize": 1}, "honours")
    >>> learner.predict_one({"homework": 90, "exam": 80, "prize": 1})
    'honours'
    """

    # What river asks of a classifier.
    _multiclass = True
    _supervised = True

    @checked(classes=optional(LABELS))
    def __init__(
        self,
        classes: Iterable[Any] | None = None,
        *,
        average: bool = False,
        fit_intercept: bool = True,
    ):
        known = None if classes is None else [plain(label) for label in classes]
        if known is not None and len(set(known)) < max(2, len(known)):
            raise InputError(f"classes must be at least two different labels, got {known!r}.")
        zeros = [[0.0]] * _vectors(len(known or []))
        self._restore(
            {
                "known": known,
                "classes": known or [],
                "average": average,
                "fit_intercept": fit_intercept,
                "features": [],
                "weights": zeros,
                "drift": zeros,
                "looks": 0,
                "updates": 0,
                "radius": 0.0,
            }
        )

    def learn_one(self, x: Any, y: Any) -> None:
        """Look at one example, and learn from it if it is a mistake.

        Parameters
        ----------
        x : dict, array of one dimension, or sparse row
        y : hashable
            Its label; a new one is a new class.
        """
        if self._asked or type(x) is not dict or list(x) != self._names:
            return self._learn_now(x, y)
        try:
            code = self._codes[y]
            self._pack(self._buffer, self._filled, *x.values())
        except (KeyError, TypeError, *NOT_NUMBERS):
            return self._learn_now(x, y)
        self._waiting.append(code)
        self._filled += self._stride
        return self._catch_up() if self._filled >= BYTES_WAITING else None

    def _learn_now(self, x: Any, y: Any) -> None:
        """`learn_one`, of any example and at once."""
        self._catch_up()
        where, row = self._features.read(x, join=True)
        self._make_room()
        try:
            code = self._codes[y]
        except (KeyError, TypeError):
            check(x, row)
            code = self._meet(y)
        scores = self._scores(where, row)
        if self._single:
            rival = 1 - code
            ahead = scores[0] if code else -scores[0]
        else:
            rival = strongest_rival(scores, code)
            ahead = scores[code] - scores[rival]
        # An infinite lead, or one that is no number, comes from an example to refuse.
        if not 0 < ahead < math.inf:
            check(x, row)
            self._update(Update(where, row, code, rival))
        self._looks += 1
        self._asked = not self._names

    def _catch_up(self) -> None:
        """Learn from the examples that wait: together if they are many."""
        self._asked = True
        if not self._waiting:
            return
        codes, self._waiting, self._filled = self._waiting, [], 0
        rows = np.frombuffer(self._buffer)[: len(codes) * len(self._names)]
        rows = rows.reshape(len(codes), -1)
        if len(codes) >= MANY:
            from rosenblatt.online.batch import learn_rows

            if learn_rows(self, rows, codes):
                return
        refused = None
        for row, code in zip(rows.tolist(), codes, strict=True):
            try:
                self._learn_now(dict(zip(self._names, row, strict=True)), self.classes[code])
            except InputError as error:
                refused = refused or error
        self._asked = True
        if refused:
            raise refused

    def _scores(self, where: Any, row: np.ndarray, average: bool = False) -> list[float]:
        weights = self._weights[:, where]
        if average and self._looks:
            weights = weights - self._drift[:, where] / self._looks
        return weights.dot(row).tolist()

    def _update(self, update: Update) -> None:
        """Move the weights, and their drift as in `rules.State`."""
        where, row, code, rival = update
        for kept, change in ((self._weights, row), (self._drift, self._looks * row)):
            if self._single:
                kept[0, where] += change if code else -change
            else:
                kept[code, where] += change
                kept[rival, where] -= change
        self._radius = max(self._radius, math.sqrt(row.dot(row)))
        self._updates += 1
        self._last = update

    def score_one(self, x: Any) -> Any:
        """The score w·x + b, positive for ``classes[1]``; with K > 2 classes a dict of scores."""
        self._catch_up()
        where, row = self._features.read(x)
        scores = self._scores(where, row, self.average)
        if not all(map(math.isfinite, scores)):
            raise refusal(x)
        return scores[0] if self._single else dict(zip(self.classes, scores, strict=True))

    def predict_one(self, x: Any) -> Any:
        """The label of one example: on the boundary the positive one; None before any is known."""
        scores = self.score_one(x)
        if not self._single:
            return max(scores, key=scores.__getitem__)
        if len(self.classes) < 2:
            return self.classes[0] if self.classes else None
        return self.classes[scores >= 0]

    def learn_many(self, X: Any, y: Iterable[Any]) -> None:
        """Learn from many examples in their order, as `learn_one` would one by one.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), data frame, or iterable of examples
            A frame's columns name the features.
        y : iterable of n labels
        """
        if not (hasattr(X, "shape") and len(X.shape) == 2):
            for x, label in zip(X, y, strict=True):
                self.learn_one(x, label)
            return
        from rosenblatt.online.batch import learn_batch

        self._catch_up()
        learn_batch(self, X, [plain(label) for label in y])

    def partial_fit(
        self, X: Any, y: Iterable[Any], classes: Iterable[Any] | None = None
    ) -> Perceptron:
        """`learn_many` under scikit-learn's name; ``classes`` may name labels still to come."""
        self._catch_up()
        for label in classes if classes is not None else ():
            if plain(label) not in self._codes:
                self._meet(label)
        self.learn_many(X, y)
        return self

    def protocol(self, stream: Iterable[tuple[Any, Any]], **options: Any) -> Iterator[Round]:
        """Play the online game over a stream: `rosenblatt.online.protocol`."""
        from rosenblatt.online.game import protocol

        return protocol(self, stream, **options)

    @property
    def looks(self) -> int:
        """Examples learned from."""
        self._catch_up()
        return self._looks

    @property
    def updates(self) -> int:
        """Examples that changed the weights: the mistakes, of which a score of 0 is one."""
        self._catch_up()
        return self._updates

    @property
    def radius(self) -> float:
        """R, the length of the longest example that made an update: the bound is of no others."""
        self._catch_up()
        return self._radius

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

    def clone(self) -> Perceptron:
        """A new learner with the same parameters, that has learned nothing."""
        return Perceptron(self._known, average=self.average, fit_intercept=self.fit_intercept)

    def to_dict(self) -> dict[str, Any]:
        """All of the learner as lists and numbers, for JSON or `from_dict`."""
        self._catch_up()
        return {
            "known": self._known,
            "classes": list(self.classes),
            "average": self.average,
            "fit_intercept": self.fit_intercept,
            "features": self.features,
            "weights": self._weights[:, : len(self._names) + 1].tolist(),
            "drift": self._drift[:, : len(self._names) + 1].tolist(),
            "looks": self._looks,
            "updates": self._updates,
            "radius": self._radius,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Perceptron:
        """The learner that `to_dict` described.

        Examples
        --------
        >>> learner = Perceptron()
        >>> learner.learn_one([1.0, 2.0], True)
        >>> Perceptron.from_dict(learner.to_dict()).score_one([1.0, 0.0])
        2.0
        """
        learner = cls()
        learner._restore(state)
        return learner

    __getstate__ = to_dict

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self._restore(state)

    def __repr__(self) -> str:
        return (
            f"<online.Perceptron: {len(self.classes)} classes, {len(self.features):,} features, "
            f"{self.updates:,} updates in {self.looks:,} looks>"
        )

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._known, self.classes = state["known"], list(state["classes"])
        self.average, self.fit_intercept = state["average"], state["fit_intercept"]
        self._looks, self._updates = state["looks"], state["updates"]
        self._radius = state["radius"]
        self._asked = True
        self._waiting: list[int] = []
        self._filled, self._buffer = 0, bytearray()
        self._codes = {label: code for code, label in enumerate(self.classes)}
        self._last: Update | None = None
        self._weights, self._drift = np.array(state["weights"]), np.array(state["drift"])
        self._features = FeatureTable(1.0 if self.fit_intercept else 0.0)
        self._names = self._features.names
        self._features.join(state["features"])
        self._make_room()
        if "river.base" in sys.modules:
            sys.modules["river.base"].Classifier.register(Perceptron)

    def _make_room(self) -> None:
        """Give every class its weights and every feature its column."""
        vectors, width = _vectors(len(self.classes)), len(self._features.names) + 1
        capacity = self._weights.shape[1]
        if len(self._weights) < vectors or capacity < width:
            capacity = capacity if width <= capacity else 2 * width
            self._weights = grown(self._weights, vectors, capacity)
            self._drift = grown(self._drift, vectors, capacity)
        self._single = vectors == 1
        self._stride = DOUBLE * (width - 1)
        self._pack = struct.Struct(f"{width - 1}d").pack_into
        if len(self._buffer) < BYTES_WAITING + self._stride:
            self._buffer = bytearray(BYTES_WAITING + 2 * self._stride // DOUBLE * DOUBLE)

    def _meet(self, label: Any) -> int:
        """The code of a label not met before."""
        label = plain(label)
        try:
            hash(label)
        except TypeError:
            raise InputTypeError(f"a label must be hashable, got {label!r}.") from None
        if label is None or label != label:
            raise InputError(f"a label must be a value that equals itself, got {label!r}.")
        for new in (False, True) if isinstance(label, bool) and not self.classes else (label,):
            self._codes[new] = len(self.classes)
            self.classes.append(new)
        self._make_room()
        return self._codes[label]


def _vectors(classes: int) -> int:
    return classes if classes > 2 else 1


def grown(weights: np.ndarray, vectors: int, columns: int) -> np.ndarray:
    """The weights with room for more: two classes' w is −w and w among several classes'."""
    if len(weights) == 1 < vectors:
        weights = np.vstack([-weights, weights])
    out = np.zeros((vectors, columns))
    out[: len(weights), : weights.shape[1]] = weights
    return out

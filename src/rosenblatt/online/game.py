"""The online game: predict, reveal, count the mistakes, and hold them against their bound."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import refuse_masked
from rosenblatt.engine.margins import UNIT, Bracket, mistake_bound, outward
from rosenblatt.errors import InputError
from rosenblatt.online.checks import plain
from rosenblatt.online.learner import Perceptron
from rosenblatt.online.weights import Update, grown


class Round(NamedTuple):
    """One round of the game, and the counts after it.

    Attributes
    ----------
    label, prediction
        The truth, and what was said before it was known.
    mistakes : int
        Wrong predictions so far.
    updates : int
        Changes of the weights so far.
    bound : float
        What the updates cannot exceed.
    margin : Bracket
        Of the best margin that any weights have on the examples that made updates.

    Examples
    --------
    >>> from rosenblatt import online
    >>> game = online.protocol(online.Perceptron(), [([1.0], 1), ([-1.0], 0), ([2.0], 1)])
    >>> [(turn.prediction, turn.label, turn.mistakes) for turn in game]
    [(None, 1, 1), (1, 0, 2), (1, 1, 2)]
    """

    label: Any
    prediction: Any
    mistakes: int
    updates: int
    bound: float
    margin: Bracket


def protocol(
    learner: Perceptron,
    stream: Iterable[tuple[Any, Any]],
    *,
    comparator: Any = None,
    remember: int = 1000,
) -> Iterator[Round]:
    """Play the first lecture's game: see x, predict, see y, suffer a mistake or not, learn.

    The bound is on the updates since a start at 0, so the learner must be new. With a comparator z
    that has L = Σ(1 − y·z·x)₊ over the updates it is ¼(R‖z‖ + √(R²‖z‖² + 4L))² (Mohri and
    Rostamizadeh 2013): the lecture's R²‖z‖² while L = 0. Without one it is R²/γ² (with more than
    two classes 2R²/γ²), γ being the margin over the updates of weights found in hindsight:
    Novikoff's proof asks nothing of the other examples. It is infinite once no weights separate
    them. A threshold δ adds 2δ to R² (to 2R² with more than two classes): ‖w‖² grows by so much
    more. A wrong prediction is an update, unless the mean of the weights predicts, or a class was
    not known before its first example.

    Parameters
    ----------
    learner : Perceptron
        One that has not learned yet.
    stream : iterable of (x, y)
        Examples and their labels, as `Perceptron.learn_one` takes them.
    comparator : dict or array, optional
        Weights by feature, the bias under None, or an array with the bias last; positive for the
        second of two classes. Scale them to the margin wanted of them, 1.
    remember : int
        Updates kept to look for the best weights of; later ones are only tested.

    Yields
    ------
    Round
        After every example.

    Examples
    --------
    >>> marks = [({"homework": 90, "exam": 80}, True), ({"homework": 40, "exam": 30}, False)]
    >>> for round in protocol(Perceptron([False, True]), 3 * marks):
    ...     print(round.prediction, round.label, round.mistakes, round.updates, round.margin)
    True True 0 1 [120.42, 120.42]
    True False 1 2 [2.96511, 35.3553]
    True True 1 2 [2.96511, 35.3553]
    True False 2 3 [2.96511, 7.46101]
    True True 2 3 [2.96511, 7.46101]
    True False 3 4 [2.96511, 7.46101]
    """
    if learner.looks:
        raise InputError(
            "the game needs a new learner, for its bound is on all updates since the start; this "
            f"one has learned from {learner.looks:,} examples: use its clone()."
        )
    referee = Hindsight(remember) if comparator is None else Comparator(comparator)
    mistakes, upper = 0, math.inf
    for x, y in stream:
        prediction, before, y = learner.predict_one(x), learner.updates, plain(y)
        learner.learn_one(x, y)
        mistakes += bool(prediction != y)
        if learner.updates > before and learner._last is not None:
            referee.see(learner, learner._last)
        # The sandwich, k·γ ≤ ‖w‖; and γ can only shrink.
        if learner.updates:
            quotient = float(np.linalg.norm(learner._weights)) / learner.updates
            wide, reach = learner._weights.size, 2 * length(learner)
            upper = min(upper, outward(quotient, learner.updates, reach, wide))
        margin = Bracket(min(referee.lower, upper), upper)
        bound = referee.bound(learner)
        yield Round(y, prediction, mistakes, learner.updates, bound, margin)


class Comparator:
    """Bounds updates by the losses of given weights of two classes."""

    def __init__(self, weights: Any):
        if not isinstance(weights, Mapping):
            refuse_masked(weights, "comparator")
            *values, bias = np.asarray(weights, dtype=np.float64).ravel().tolist()
            weights = {**dict(enumerate(values)), None: bias}
        self.weights = weights
        self.norm = math.sqrt(sum(w * w for w in weights.values()))
        if not 0 < self.norm < math.inf:
            raise InputError("the comparator must be finite weights that are not all 0.")
        self.loss, self.lower = 0.0, 0.0
        self._least = math.inf

    def see(self, learner: Perceptron, update: Update) -> None:
        """Take note of an update."""
        if not learner._single:
            raise InputError(
                f"a comparator is for two classes, and a third has appeared: {learner.classes!r}."
            )
        names = [None, *learner._features.names]
        z = np.array([self.weights.get(name, 0.0) for name in names])
        ahead = update.moved[0] * float(z[update.where].dot(update.row))
        ahead -= rounding(len(names)) * self.norm * float(np.linalg.norm(update.row))
        self.loss += max(0.0, 1 - ahead) * (1 + 4 * UNIT)
        self._least = min(self._least, ahead / self.norm * (1 - 4 * UNIT))
        self.lower = max(0.0, self._least)

    def bound(self, learner: Perceptron) -> float:
        """The most updates."""
        ratio = length(learner) * self.norm * (1 + rounding(len(self.weights)))
        loss = self.loss * (1 + 2 * UNIT * learner.updates)
        return (ratio + math.sqrt(ratio**2 + 4 * loss)) ** 2 / 4 * (1 + 16 * UNIT)


class Hindsight:
    """Bounds updates by weights that separate all examples that made them.

    Weights z stay while their margin is at least half of the best when they were found. Then they
    are sought anew, as the point of least norm in the hull of the remembered updates.
    """

    def __init__(self, remember: int):
        if remember < 1:
            raise InputError(f"remember must be at least 1, got {remember}.")
        self.remember = remember
        self.updates: list[Update] = []
        self.z = np.zeros((0, 0))
        self.best, self.lower = 0.0, 0.0
        self.separable = True

    def see(self, learner: Perceptron, update: Update) -> None:
        """Take note of an update."""
        if not self.separable:
            return
        shape = (len(learner._weights), len(learner._features.names) + 1)
        kept = len(self.updates) < self.remember
        if kept:
            self.updates.append(update._replace(row=update.row.copy()))
        if len(self.z) == shape[0]:
            self.z = grown(self.z, *shape)
            ahead = float(np.vdot(signed(update, shape), self.z)) / float(np.linalg.norm(self.z))
            # Rounded down, so that the bound is rounded up.
            ahead -= rounding(self.z.size) * float(np.linalg.norm(update.row))
            self.lower = min(self.lower, ahead)
        else:
            self.lower = 0.0
        if self.lower <= self.best / 2 and kept:
            self._solve(shape)
        self.lower = max(0.0, self.lower)
        self.separable = self.lower > 0

    def _solve(self, shape: tuple[int, int]) -> None:
        """The least ‖Σαᵢaᵢ‖ over Σα = 1 by non-negative least squares, as in ``wolfe``."""
        from scipy.optimize import nnls

        rows = np.array([signed(update, shape).ravel() for update in self.updates])
        scale = np.abs(rows).max() or 1.0
        padded = np.column_stack([np.ones(len(rows)), rows / scale])
        try:
            alpha, _ = nnls(padded.T, np.eye(1, padded.shape[1])[0])
        except RuntimeError:
            return
        z = alpha @ rows / alpha.sum()
        norm = float(np.linalg.norm(z))
        if norm > 1e-9 * scale:
            self.z, self.best = z.reshape(shape), norm
            longest = float(np.linalg.norm(rows, axis=1).max())
            self.lower = float((rows @ z).min()) / norm - rounding(len(z)) * longest

    def bound(self, learner: Perceptron) -> float:
        """The most updates."""
        if not learner.updates:
            return 0.0
        reach = learner.radius * (1 if learner._single else math.sqrt(2))
        reach *= 1 + rounding(self.z.size)
        if self.lower <= 0:
            return math.inf
        return mistake_bound(reach, self.lower, learner.threshold)


def length(learner: Perceptron) -> float:
    """√(R² + 2δ): ‖w‖² grows by at most its square with each update of two classes."""
    return math.hypot(learner.radius, math.sqrt(2 * learner.threshold))


def rounding(products: int) -> float:
    """What the rounding of so many products and of their sum, of norms and of a division moves."""
    return 2 * (products + 8) * UNIT


def signed(update: Update, shape: tuple[int, int]) -> np.ndarray:
    """What an update adds to the weights: y·x, or x for the true class and −x for the rival."""
    out = np.zeros(shape)
    for vector, sign in update.moved.items():
        out[vector, update.where] = sign * update.row
    return out

"""Learning from one example at a time, at once or after waiting for others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.data.array_api import in_numpy
from rosenblatt.engine.rules import strongest_rival
from rosenblatt.errors import InputError
from rosenblatt.online.checks import aligned, check, check_label, check_weight, plain
from rosenblatt.online.features import NOT_NUMBERS
from rosenblatt.online.weights import MANY_ROWS, Update, Weights


class Learner(Weights):
    """Changes weights by examples as they come."""

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Look at one example, and learn from it if it is a mistake.

        Parameters
        ----------
        x : dict, array of one dimension, or sparse row
            Its features; new ones join.
        y : hashable
            Its label; a new one is a new class.
        w : float
            Its weight: the length of the step that it makes if it is a mistake. 0 makes none.
        """
        if self._asked or type(x) is not dict or list(x) != self._names or w != 1.0:
            return self._learn_now(x, y, w)
        try:
            code = self._codes[y]
            self._features.pack(self._buffer, self._filled, *x.values())
        except (KeyError, TypeError, *NOT_NUMBERS):
            return self._learn_now(x, y)
        self._waiting.append(code)
        self._filled += self._stride
        return self._catch_up() if self._filled >= self._room else None

    def _learn_now(self, x: Any, y: Any, w: float = 1.0) -> None:
        """`learn_one`, of any example and at once.

        The step is that of `make_rule`, for a row of named columns: by the engine's rule as plain
        Python an example takes up to twice as long, and by its machine code more.
        """
        self._catch_up()
        if w != 1.0:
            w = check_weight(w)
        try:
            code = self._codes[y]
        except (KeyError, TypeError):  # a new label, or one in an array
            y = plain(y)
            check_label(y)
            code = self._codes.get(y)
        where, row = self._features.read(x, join=True)
        check(x, row if w <= 1.0 else w * row)
        code = self._meet(y) if code is None else code
        self._make_room()
        scores = scores_of(self._weights[:, where], row)
        if self._single:
            moved = {0: 1.0 if code else -1.0}
            ahead = moved[0] * scores[0]
        else:
            rival = strongest_rival(scores, code)
            moved = {code: 1.0, rival: -1.0}
            ahead = scores[code] - scores[rival]
        if w > 0 and ahead <= self._threshold:
            for vector, sign in moved.items():
                change = sign * w * row
                self._weights[vector, where] += change
                self._drift[vector, where] += self._looks * change  # as in `rules.State`
            self._radius = max(self._radius, math.sqrt(row.dot(row)))
            self._updates += 1
            self._last = Update(where, row, moved)
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
        if len(codes) >= MANY_ROWS:
            from rosenblatt.online.batch import learn

            if learn(self, rows, np.array(codes), range(1, len(self._names) + 1), 1.0):
                return
        refused = []
        for row, code in zip(rows.tolist(), codes, strict=True):
            try:
                self._learn_now(dict(zip(self._names, row, strict=True)), self.classes[code])
            except InputError as error:
                refused.append(error)
        self._asked = True
        if refused:
            left_out = f"{len(refused):,} of {len(codes):,} examples that waited were left out."
            raise type(refused[0])(f"{left_out} The first: {refused[0]}")

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn from many examples in their order, as `learn_one` would one by one.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), data frame, or iterable of examples
            A frame's columns name the features.
        y : iterable of n labels
            All are checked before anything is learned, unless X is an iterable.
        w : float or iterable of n numbers
            The weight of each example, or of all.
        """
        # pyarrow has its own scalars
        labels = y.to_pylist() if hasattr(y, "to_pylist") else in_numpy(y, "y")
        w = in_numpy(w, "w")
        if hasattr(X, "shape") and len(X.shape) == 2:
            from rosenblatt.online.batch import learn_batch

            self._catch_up()
            learn_batch(self, X, [plain(label) for label in labels], w)
        else:
            for x, label, weight in aligned(X, labels, w):
                self.learn_one(x, label, weight)

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


def scores_of(weights: np.ndarray, row: np.ndarray) -> list[float]:
    """The scores of an example; no numbers if one of its values is not finite.

    NumPy's vdot is the product that does not warn of those, which are refused with reasons.
    """
    if len(weights) == 1:
        return [float(np.vdot(weights, row))]
    return weights.dot(row).tolist() if np.vdot(row, row) < math.inf else [math.nan] * len(weights)

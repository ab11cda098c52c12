"""What a run is given: a training set, or the part of one that a binary problem is about.

Imports the engine's ``points`` and ``requirements``.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.points import Points
from rosenblatt.requirements import Requirements

MULTICLASS = ("native", "ovr", "ovo")
REST = -1


class Part(NamedTuple):
    """A binary problem among the classes: one class against another or against the rest."""

    positive: int
    negative: int

    def signs(self, codes: np.ndarray) -> np.ndarray:
        """+1, −1, and 0 for rows that the part is not about.

        Examples
        --------
        >>> Part(2, 0).signs(np.array([0, 1, 2])), Part(2, REST).signs(np.array([0, 1, 2]))
        (array([-1.,  0.,  1.]), array([-1., -1.,  1.]))
        """
        others = 0.0 if self.negative != REST else -1.0
        signs = np.full(len(codes), others)
        signs[codes == self.positive] = 1.0
        if self.negative != REST:
            signs[codes == self.negative] = -1.0
        return signs


def parts_of(classes: int, multiclass: str) -> list[Part | None]:
    """The runs that so many classes need; None is a native one, of all classes at once.

    Examples
    --------
    >>> parts_of(2, "ovo")
    [Part(positive=1, negative=0)]
    >>> parts_of(3, "native")
    [None]
    >>> [(part.negative, part.positive) for part in parts_of(3, "ovo")]
    [(0, 1), (0, 2), (1, 2)]
    """
    if classes == 2:
        return [Part(1, 0)]
    if multiclass == "ovr":
        return [Part(k, REST) for k in range(classes)]
    if multiclass == "ovo":
        return [Part(b, a) for a, b in combinations(range(classes), 2)]
    return [None]


class Problem(NamedTuple):
    """What a run is given.

    Attributes
    ----------
    X : array
        As checked.
    classes, codes : ndarray
        The sorted labels, and the code of each row.
    points : Points
        The rows as the engine reads them.
    rule : rule
        With its threshold.
    everyone : ndarray of int
        The rows in play.
    radius : float
        R.
    eta : float
        The step.
    rows : ndarray of int, optional
        The rows that the problem is about; all by default.
    """

    X: Any
    classes: np.ndarray
    codes: np.ndarray
    points: Points
    rule: Any
    everyone: np.ndarray
    radius: float
    eta: float
    rows: np.ndarray | None = None

    @property
    def vectors(self) -> int:
        """Weight vectors: K for K > 2 classes, 0 for the single one of two."""
        return len(self.classes) if len(self.classes) > 2 else 0

    @property
    def fit_intercept(self) -> bool:
        """Whether there is a bias."""
        return self.points.bias != 0

    @property
    def n(self) -> int:
        """How many rows the problem is about."""
        return len(self.codes) if self.rows is None else len(self.rows)

    @property
    def whole(self) -> bool:
        """Whether all of those are in play."""
        return len(self.everyone) == self.n

    def of_own(self, values: Any) -> Any:
        """Of one value for each row, those that the problem is about."""
        return values if self.rows is None else values[self.rows]

    def data(self) -> tuple[Any, np.ndarray]:
        """The rows and labels that a certificate speaks of; a copy, unless it is all rows."""
        return self.of_own(self.X), self.classes[self.of_own(self.codes)]

    def requirements(self) -> Requirements:
        """The same as requirements."""
        rows, codes = self.of_own(self.X), self.of_own(self.codes)
        return Requirements(rows, codes, len(self.classes), self.fit_intercept)

    def part(self, part: Part | None) -> Problem:
        """The problem of that part: its own signs, and the same rows."""
        if part is None:
            return self
        if len(self.classes) == 2:
            signs = self.codes * 2.0
            signs -= 1.0
            return self._replace(points=self.points._replace(y=signs))
        signs = part.signs(self.codes)
        rows = None
        classes = np.array([False, True])
        if part.negative != REST:
            classes = self.classes[[part.negative, part.positive]]
            rows = np.flatnonzero(signs)
        everyone = self.everyone if rows is None else self.everyone[signs[self.everyone] != 0]
        return self._replace(
            classes=classes,
            codes=(signs > 0).astype(np.intp),
            points=self.points._replace(y=signs),
            everyone=everyone,
            rows=rows,
        )

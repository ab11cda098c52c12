"""What a run is given: a training set, or the part of one that a binary problem is about.

Imports the engine's ``points`` and ``requirements``.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.points import Points, as_rows
from rosenblatt.engine.scaling import Columns
from rosenblatt.solve.constraints import Requirements

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
    columns : Columns
        The rows, their columns scaled alike when that is first asked for.
    """

    X: Any
    classes: np.ndarray
    codes: np.ndarray
    points: Points
    rule: Any
    everyone: np.ndarray
    radius: float
    eta: float
    columns: Columns

    @property
    def vectors(self) -> int:
        """Weight vectors: K for K > 2 classes, 0 for the single one of two."""
        return len(self.classes) if len(self.classes) > 2 else 0

    @property
    def fit_intercept(self) -> bool:
        """Whether there is a bias."""
        return self.points.bias != 0

    @property
    def whole(self) -> bool:
        """Whether all rows are in play."""
        return len(self.everyone) == len(self.codes)

    def data(self) -> tuple[Any, np.ndarray]:
        """The rows and labels that a certificate speaks of."""
        return self.X, self.classes[self.codes]

    @property
    def columns_in_use(self) -> np.ndarray | None:
        """The columns that requirements are about; None for all of them."""
        return self.columns.in_use

    def requirements(self) -> Requirements:
        """The rows in play as linear constraints, on the columns in use."""
        used, X, codes = self.columns_in_use, self.X, self.codes
        if not self.whole:
            X, codes = X[self.everyone], codes[self.everyone]
        X = X if used is None else X[:, used]
        return Requirements(X, codes, len(self.classes), self.fit_intercept)

    def part(self, part: Part | None) -> Problem:
        """The problem of that part; two classes of many come as a copy of their rows alone.

        Runs read them over and over: side by side they are read faster than among all the others.
        """
        if part is None:
            return self
        if len(self.classes) == 2:
            signs = self.codes * 2.0
            signs -= 1.0
            return self._replace(points=self.points._replace(y=signs))
        own, classes = self, np.array([False, True])
        if part.negative != REST:
            own, classes = self._of_classes(part), self.classes[[part.negative, part.positive]]
        signs = part.signs(own.codes)
        return own._replace(
            classes=classes,
            codes=(signs > 0).astype(np.intp),
            points=own.points._replace(y=signs),
        )

    def _of_classes(self, part: Part) -> Problem:
        """The same with the rows of two classes only."""
        belongs = (self.codes == part.positive) | (self.codes == part.negative)
        rows = np.flatnonzero(belongs)
        X = self.X[rows] if hasattr(self.X, "indptr") else self.X.take(rows, axis=0)
        points = self.points._replace(rows=as_rows(X), steps=self.points.steps[rows])
        everyone = np.searchsorted(rows, self.everyone[belongs[self.everyone]])
        return self._replace(
            X=X,
            codes=self.codes[rows],
            points=points,
            everyone=everyone,
            columns=Columns(X, self.fit_intercept),
        )

"""Binary problems among many classes: one class against another or against the rest."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import check_rows
from rosenblatt.data.labels import check_labels

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
    """The binary problems for so many classes; None is a native run, of all classes at once.

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


class Labelled(NamedTuple):
    """Checked rows, class codes, the classes, and the labels that a certificate names."""

    X: Any
    codes: np.ndarray
    classes: np.ndarray
    y: Any

    @classmethod
    def checked(cls, X: Any, y: Any) -> Labelled:
        """Checked rows and labels; refuses data that cannot be decided, with a reason."""
        rows = check_rows(X)
        classes, codes = check_labels(y, rows.shape[0])
        return cls(rows, codes, classes, classes[codes])

    def against_rest(self, k: int) -> Labelled:
        """Class k against all others, labelled True and False."""
        codes = (self.codes == k).astype(np.intp)
        return Labelled(self.X, codes, np.array([False, True]), codes == 1)

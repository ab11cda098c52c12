"""The rows of partitions as linear constraints: workers look at them, and send only the worst.

`ClusterConstraints` answers as `Constraints` of all rows would; points are numbered through all
partitions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.places.cluster.partitions import Partitions
from rosenblatt.places.cluster.work import PartitionBlock
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Separation, Verification
from rosenblatt.solve.constraints import Constraints, argsmallest
from rosenblatt.solve.linear_constraints import SearchStart, Worst


def requirements_of(block: PartitionBlock) -> Constraints:
    """The constraints of a block."""
    return Constraints(block.X, block.codes, block.classes, block.fit_intercept)


def worst_of(block: PartitionBlock, index: int, weights: np.ndarray, most: int) -> Worst | None:
    """The points of a partition that weights fulfil least."""
    return requirements_of(block).worst(weights, most) if len(block.codes) else None


def exactly_of(
    block: PartitionBlock, index: int, weights: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """The first points of a partition that weights do not fulfil, in exact arithmetic."""
    return requirements_of(block).violated_exactly(weights, most) if len(block.codes) else None


def bounds_of(block: PartitionBlock, index: int, _: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """The least and the largest value of each column of a partition."""
    return requirements_of(block).bounds() if len(block.codes) else None


def rows_of(block: PartitionBlock, index: int, _: Any, wanted: dict[int, np.ndarray]) -> Any:
    """Some rows of a partition and their class codes."""
    if index not in wanted:
        return None
    return block.X[wanted[index]], block.codes[wanted[index]]


def floor(block: PartitionBlock, index: int, weights: np.ndarray) -> float:
    """The margin that weights are proved to reach on a partition; infinite on an empty one."""
    if not len(block.train):
        return np.inf
    whole = len(block.train) == len(block.codes)
    X, codes = (block.X, block.codes) if whole else (block.X[block.train], block.codes[block.train])
    return exact.margin_floor(X, codes, weights)


def checked(
    block: PartitionBlock, index: int, _: Any, proof: Separation, labels: np.ndarray
) -> Verification | None:
    """What the certificate's own check says of a partition."""
    return proof.verify(block.X, labels[block.codes]) if len(block.codes) else None


class ClusterConstraints:
    """The constraints of partitions.

    Parameters
    ----------
    data : Partitions
    """

    in_memory = False

    def __init__(self, data: Partitions):
        self.data, self.n, self.d = data, data.n, data.d
        self.columns = UsedColumns(None, data.d)
        self.classes = len(data.facts.classes)
        self.bias = 1.0 if data.facts.fit_intercept else 0.0
        self.sparse = any(s.sparse for s in data.surveys)
        stored = sum(s.nbytes / s.itemsize for s in data.surveys if s.rows)
        self.per_row = min(float(self.d), stored / max(1, self.n))
        self.binary = self.classes == 2
        self.blocks = 1 if self.binary else self.classes
        self.dimension = self.blocks * (self.d + 1)
        self._places: dict[int, int] = {}
        self._known: Constraints | None = None

    def worst(self, weights: np.ndarray, most: int) -> Worst:
        """The points least fulfilled by weights, at most so many; one look at each."""
        answers = [
            (int(offset), answer)
            for offset, answer in zip(
                self.data.offsets, self.data.ask(worst_of, weights, most), strict=False
            )
            if answer is not None
        ]
        margins = np.concatenate([a.margins for _, a in answers])
        chosen = argsmallest(margins, most)
        points = np.concatenate([a.points + offset for offset, a in answers])
        rivals = np.concatenate([a.rivals for _, a in answers])
        least = np.array([a.least for _, a in answers])
        nearest = np.array([np.where(a.nearest < 0, -1, a.nearest + at) for at, a in answers])
        where = least.argmin(axis=0)
        classes = np.arange(self.classes)
        return Worst(
            sum(a.violated for _, a in answers),
            points[chosen],
            rivals[chosen],
            margins[chosen],
            least[where, classes],
            nearest[where, classes],
        )

    def violated_exactly(self, weights: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The first points that weights, taken as rationals, do not fulfil, and their rivals."""
        answers = self.data.ask(exactly_of, weights, most)
        found = [
            (answer[0] + int(offset), answer[1])
            for offset, answer in zip(self.data.offsets, answers, strict=False)
            if answer is not None
        ]
        points, rivals = (np.concatenate(side) for side in zip(*found, strict=True))
        return points[:most], rivals[:most]

    def likeliest(self, weights: np.ndarray, dual: np.ndarray, few: int) -> SearchStart:
        """Points to begin with: the most violated ones; a cluster does not count updates by row."""
        found = self.worst(weights, 2 * few)
        unknown = np.zeros((0, 2), dtype=np.intp)
        return SearchStart(found.violated, found.points, found.rivals, unknown)

    def own(self, points: np.ndarray) -> np.ndarray:
        """The class codes of those points."""
        return self._fetched(points).own(self._at(points))

    def rows(self, points: np.ndarray, rivals: np.ndarray) -> Any:
        """The constraints of those points against those rivals."""
        return self._fetched(points).rows(self._at(points), rivals)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of each column."""
        answers = [answer for answer in self.data.ask(bounds_of, None) if answer is not None]
        low, high = (np.array(side) for side in zip(*answers, strict=True))
        return low.min(axis=0), high.max(axis=0)

    def contradiction(self) -> None:
        """Not searched for: to compare all rows would take a message for each."""

    def points_of(self, points: np.ndarray) -> tuple[Any, np.ndarray]:
        """Those rows as they are, and their class codes."""
        known = self._fetched(points)
        at = self._at(points)
        return known.X[at], known.codes[at]

    def _at(self, points: np.ndarray) -> np.ndarray:
        return np.array([self._places[int(i)] for i in points], dtype=np.intp)

    def _fetched(self, points: np.ndarray) -> Constraints:
        """The rows that were sent so far, these among them."""
        new = np.array(sorted({int(i) for i in points} - self._places.keys()), dtype=np.intp)
        if len(new):
            pieces = np.searchsorted(self.data.offsets, new, side="right") - 1
            wanted = {
                int(piece): new[pieces == piece] - int(self.data.offsets[piece])
                for piece in np.unique(pieces)
            }
            answers = [a for a in self.data.ask(rows_of, None, wanted) if a is not None]
            X, codes = [a[0] for a in answers], [a[1] for a in answers]
            if self._known is not None:
                X, codes = [self._known.X, *X], [self._known.codes, *codes]
            self._places.update(zip(new.tolist(), range(len(self._places), self.n), strict=False))
            stacked = sparse.vstack(X, format="csr") if self.sparse else np.vstack(X)
            self._known = Constraints(stacked, np.concatenate(codes), self.classes, bool(self.bias))
        assert self._known is not None
        return self._known

"""The `LinearConstraints` protocol: what a search asks of the rows, and the answers.

Implemented for rows in memory (`solve.constraints`), in a file, and on a cluster.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.engine.used_columns import UsedColumns


class Worst(NamedTuple):
    """The points whose constraints are least fulfilled, worst first.

    Attributes
    ----------
    violated : int
        How many of all points have a constraint that is not met.
    points, rivals : ndarray of int
        As many as were asked for, or all.
    margins : ndarray
        How far their constraints are met.
    least, nearest : ndarray
        For each class the least margin of its points, and the point that has it; infinity and −1
        for a class without points.
    """

    violated: int
    points: np.ndarray
    rivals: np.ndarray
    margins: np.ndarray
    least: np.ndarray
    nearest: np.ndarray


class SearchStart(NamedTuple):
    """Where a search may begin.

    Attributes
    ----------
    violated : int
        How many of all points have a constraint that is not met.
    points, rivals : ndarray of int
        Points to begin with, and their rivals.
    confused : ndarray of int, shape (m, 2)
        The class and the rival of each such point, where known.
    """

    violated: int
    points: np.ndarray
    rivals: np.ndarray
    confused: np.ndarray


class LinearConstraints(Protocol):
    """The constraints Az > 0: points are looked at where they lie, and only the worst are sent."""

    n: int
    d: int
    per_row: float
    blocks: int
    dimension: int
    bias: float
    sparse: bool
    binary: bool
    in_memory: bool
    columns: UsedColumns

    def worst(self, weights: np.ndarray, most: int) -> Worst:
        """The points least fulfilled by weights, at most so many."""
        ...

    def violated_exactly(self, weights: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The first points that weights, taken as rationals, do not fulfil, and their rivals."""
        ...

    def likeliest(self, weights: np.ndarray, dual: np.ndarray, few: int) -> SearchStart:
        """Points to begin with, from where a perceptron is."""
        ...

    def own(self, points: np.ndarray) -> np.ndarray:
        """The class codes of those points."""
        ...

    def rows(self, points: np.ndarray, rivals: np.ndarray) -> Any:
        """The constraints of those points against those rivals."""
        ...

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of each column."""
        ...

    def contradiction(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Two identical rows of different classes, and their rivals, where a search is cheap."""
        ...

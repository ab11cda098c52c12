"""Coefficients as combinations of the coordinates in which their cone is written."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof import exact


class Coordinates(NamedTuple):
    """For each coefficient its factors by coordinate; None for all if they are the same.

    Coefficients that are ``loose`` depend on more than the cone's coordinates, and so can change
    without any constraint changing.

    Examples
    --------
    >>> both = Coordinates([{0: 1}, {0: -1, 1: 2}])
    >>> both.coefficients(np.array([3, 1]))
    [Fraction(3, 1), Fraction(-1, 1)]
    >>> both.aim(1, 3)
    array([-1.,  2.,  0.])
    """

    factors: list[dict[int, Any]] | None = None
    loose: frozenset[int] = frozenset()

    def coefficients(self, weights: Any) -> list[Fraction]:
        """The coefficients at a point of the cone, exactly."""
        point = [exact.as_fraction(v) for v in weights]
        if self.factors is None:
            return point
        return [sum((c * point[k] for k, c in row.items()), Fraction(0)) for row in self.factors]

    def aim(self, j: int, dimension: int) -> np.ndarray:
        """A direction whose product with a point is a positive multiple of coefficient j there."""
        direction = np.zeros(dimension)
        row = {j: 1} if self.factors is None else self.factors[j]
        for k, v in zip(row, exact.primitive(list(row.values())), strict=True):
            direction[k] = v
        return direction

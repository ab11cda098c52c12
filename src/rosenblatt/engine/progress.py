"""Which weights of a stream predict: by how often they were wrong on rows yet to be learned from.

The mean of all weights since the beginning predicts best while rows come from one source. Where the
source changes, or where a large column keeps the mean from having its bias right, the last weights
do. Rows that have not been learned from tell, and every batch brings some (progressive validation:
A. Blum, A. Kalai and J. Langford, "Beating the hold-out", COLT 1999, 203–208).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.orders import come_in_classes

# Rows after which errors count half as much.
HALF_LIFE = 500
# Rows of a batch that the mean is tried on, at most, and that must be there to say something.
MOST, LEAST = 256, 8
# Standard errors by which the last weights must have been better.
CLEARLY = 2.0


class Recent(NamedTuple):
    """Rows that came lately, and how many of them were predicted wrongly before they were learned.

    Attributes
    ----------
    rows : float
    by_mean, by_last : float
        Errors of the mean, and mistakes of the weights on their way; older ones count less.

    Examples
    --------
    >>> Recent(400.0, by_mean=60.0, by_last=90.0).prefers_last
    False
    >>> Recent(400.0, by_mean=200.0, by_last=90.0).prefers_last
    True
    """

    rows: float = 0.0
    by_mean: float = 0.0
    by_last: float = 0.0

    @property
    def prefers_last(self) -> bool:
        """Whether the last weights were clearly better."""
        return self.by_mean > self.by_last + CLEARLY * math.sqrt(self.by_mean + self.by_last)

    def after(self, rows: int, by_mean: float, by_last: float) -> Recent:
        """With a batch of so many rows, of which these shares were wrong.

        Examples
        --------
        >>> Recent(500.0, 40.0, 50.0).after(500, by_mean=0.2, by_last=0.1)
        Recent(rows=750.0, by_mean=120.0, by_last=75.0)
        """
        kept = 0.5 ** (rows / HALF_LIFE)
        new = (rows, by_mean * rows, by_last * rows)
        return Recent(*(kept * old + more for old, more in zip(self, new, strict=True)))


def tried(count: int) -> np.ndarray | None:
    """The rows of a batch that the mean is tried on; None where they are too few.

    Examples
    --------
    >>> tried(5), len(tried(100)), len(tried(10_000))
    (None, 100, 256)
    """
    if count < LEAST:
        return None
    return np.linspace(0, count - 1, min(count, MOST)).astype(np.intp)


def says_something(y: np.ndarray) -> bool:
    """Whether the labels of a batch are mixed: of sorted ones the next is always the last seen.

    Examples
    --------
    >>> says_something(np.array([1.0, -1.0] * 4)), says_something(np.ones(8))
    (True, False)
    """
    return bool((y != y[0]).any()) and not come_in_classes(y)

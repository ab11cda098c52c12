"""The choice of weights that predict in a stream, by their errors on rows not yet learned from.

The mean of all weights since the beginning predicts best while rows come from one source. Where the
source changes, or where a large column keeps the mean from having its bias right, the last weights
do; and after a whole fit, its own weights do for a while. Errors on rows not yet learned from tell
which, and every batch brings such rows (progressive validation: A. Blum, A. Kalai and J. Langford,
"Beating the hold-out", COLT 1999, 203–208).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.orders import come_in_classes

# Rows after which errors count half as much.
ROWS_OF_HALF_LIFE = 500
# Most rows of a batch that weights are tried on.
ROWS_TRIED = 256
# Least rows of a batch that show whether labels come sorted.
ROWS_THAT_SHOW_ORDER = 8


class Recent(NamedTuple):
    """Counts of recent rows, and of errors on them before they were learned from.

    Attributes
    ----------
    rows : float
    by_mean, by_last, by_kept : float
        Errors of the mean, mistakes made while learning, and errors of the weights that a fit
        before the batches chose; older ones count less.

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
    by_kept: float = 0.0

    @property
    def prefers_last(self) -> bool:
        """Whether the last weights were clearly better than the mean."""
        return _clearly_more(self.by_mean, self.by_last)

    @property
    def drops_kept(self) -> bool:
        """Whether the mean or the last weights were clearly better than the kept weights."""
        return _clearly_more(self.by_kept, min(self.by_mean, self.by_last))

    def after(self, seen: int, more: Recent) -> Recent:
        """The counts after a batch of ``seen`` rows, older counts discounted.

        Examples
        --------
        >>> Recent(500.0, 40.0, 50.0).after(500, Recent(500.0, 100.0, 50.0))
        Recent(rows=750.0, by_mean=120.0, by_last=75.0, by_kept=0.0)
        """
        share = 0.5 ** (seen / ROWS_OF_HALF_LIFE)
        return Recent(*(share * old + new for old, new in zip(self, more, strict=True)))


def _clearly_more(errors: float, others: float) -> bool:
    """Whether there are more errors by over a standard error of the difference."""
    return errors > others + math.sqrt(errors + others)


def tried(count: int) -> np.ndarray:
    """The rows of a batch that weights are tried on.

    Examples
    --------
    >>> tried(5), len(tried(10_000))
    (array([0, 1, 2, 3, 4]), 256)
    """
    return np.linspace(0, count - 1, min(count, ROWS_TRIED)).astype(np.intp)


def says_something(y: np.ndarray) -> bool:
    """Whether a batch can tell weights apart: of sorted labels, the next is always the last seen.

    Examples
    --------
    >>> says_something(np.array([0, 1] * 4)), says_something(np.ones(8, int))
    (True, False)
    """
    if len(y) < ROWS_THAT_SHOW_ORDER:
        return True
    return bool((y != y[0]).any()) and not come_in_classes(y)

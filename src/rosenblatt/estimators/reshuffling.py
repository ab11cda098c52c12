"""The random orders of scikit-learn's stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rosenblatt.engine.machine.jit import compiled

LARGEST_SEED = np.iinfo(np.int32).max


class Reshuffle:
    """scikit-learn's orders: each pass reshuffles the last one's, by the same 32-bit xorshift.

    Stands where `learn` wants a generator, so that one seed gives the same orders in both.

    Parameters
    ----------
    source : int or RandomState
        Where the seed is drawn from, as scikit-learn draws it.

    Examples
    --------
    >>> Reshuffle(0).permutation(np.arange(5)).tolist()
    [2, 4, 1, 3, 0]
    """

    def __init__(self, source: Any):
        rng = check_random_state(source)
        rng.randint(1, LARGEST_SEED)  # scikit-learn seeds its data set first
        self.seed = rng.randint(LARGEST_SEED)
        self.order: np.ndarray | None = None

    def permutation(self, points: np.ndarray) -> np.ndarray:
        """The next order of those points."""
        if self.order is None:
            self.order = points.copy()
        compiled(reshuffle)(self.order, self.seed or 1)
        return self.order


def reshuffle(order: Any, seed: int) -> None:
    """Fisher and Yates's shuffle in place, fed by Marsaglia's xorshift (13, 17, 5)."""
    n = len(order)
    for i in range(n - 1):
        seed ^= (seed << 13) & 0xFFFFFFFF
        seed ^= seed >> 17
        seed ^= (seed << 5) & 0xFFFFFFFF
        j = i + (seed & 0x7FFFFFFF) % (n - i)
        order[i], order[j] = order[j], order[i]

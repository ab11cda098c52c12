"""Kernels, and rows of their Gram matrix within a budget of memory."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.metrics.pairwise import pairwise_kernels

from rosenblatt.errors import InputError

# Rows computed at once: this many more each time, so that easy data costs few rows and hard data
# few calls, until a block has that many entries.
MORE_ROWS = 4
ENTRIES_AT_ONCE = 2**21
DIAGONAL_AT_ONCE = 512
# Once this share of the matrix was asked for, the rest will be: one product of the whole is best.
HARD = 1 / 32
MEGABYTE = 2**20
# Kernels that are 1 between a row and itself: exp(−γ·0).
OF_DISTANCES = ("rbf", "laplacian")


class Kernel(NamedTuple):
    """A kernel of scikit-learn's by name, a function of two rows, or "precomputed".

    Examples
    --------
    >>> Kernel("poly", {"degree": 2, "coef0": 1.0, "gamma": 1.0}).block([[1.0]], [[2.0], [3.0]])
    array([[ 9., 16.]])
    """

    metric: Any
    params: dict[str, Any]

    def block(self, A: Any, B: Any) -> np.ndarray:
        """The matrix k(aᵢ, bⱼ); of "precomputed" rows, A as it is."""
        if self.metric == "precomputed":
            return A
        named = not callable(self.metric)
        with config_context(assume_finite=True), np.errstate(over="ignore", invalid="ignore"):
            values = pairwise_kernels(A, B, metric=self.metric, filter_params=named, **self.params)
            total = values.sum()
        if not np.isfinite(total) and not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"The kernel {self.metric!r} gave {values[i, j]} between two rows (row {i} of a "
                f"block and row {j}): it must be finite. Rescale the columns or lower the degree."
            )
        return values

    def diagonal(self, X: Any) -> np.ndarray:
        """k(xᵢ, xᵢ) of every row; infinite, with a warning, where it is negative.

        No kernel is negative there: what is has no radius, and no bound holds.
        """
        if self.metric == "precomputed":
            values = np.array(np.diagonal(X), dtype=np.float64)
        elif self.metric in OF_DISTANCES:
            values = np.ones(X.shape[0])
        else:
            size = 1 if callable(self.metric) else DIAGONAL_AT_ONCE
            pieces = [X[at : at + size] for at in range(0, X.shape[0], size)]
            values = np.concatenate([np.diagonal(self.block(rows, rows)) for rows in pieces])
        bad = np.flatnonzero(values < 0)
        if len(bad):
            warnings.warn(
                f"k(x, x) is {values[bad[0]]} at row {bad[0]}, but no kernel is negative there: "
                f"{self.metric!r} is not positive semi-definite, and no mistake bound holds.",
                UserWarning,
                stacklevel=2,
            )
        return np.where(values < 0, math.inf, values).astype(np.float64)


class GramRows:
    """Rows of the Gram matrix, computed in blocks when asked for, within a budget of memory.

    With every row within the budget, few are computed at all on data that is easily separated;
    on other data the whole matrix is, by one BLAS product, once that is clear. Beyond it rows give
    way at random: a scan in a fixed order would never find again what the least recently used
    cache has just dropped.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR matrix of shape (n, d), or a precomputed Gram matrix
    megabytes : float
        The budget.

    Examples
    --------
    >>> gram = GramRows(Kernel("linear", {}), np.eye(3), megabytes=1)
    >>> gram.fetch(np.array([2]))
    >>> gram.slot.tolist(), gram.rows[0].tolist()
    ([-1, -1, 0], [0.0, 0.0, 1.0])
    """

    def __init__(self, kernel: Kernel, X: Any, megabytes: float):
        n = X.shape[0]
        self.kernel, self.X, self.computed = kernel, X, 0
        if kernel.metric == "precomputed":
            self.rows, self.slot, self.capacity = X, np.arange(n), n
            return
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        wanted = int(float(megabytes) * MEGABYTE / (n * np.dtype(dtype).itemsize))
        self.capacity = min(n, max(2, wanted))
        self.rows = np.empty((self.capacity, n), dtype=dtype)
        self.slot = np.full(n, -1)
        self._owner = np.full(self.capacity, -1)
        self._rng = np.random.default_rng(0)
        self._block = 0

    def fetch(self, wanted: np.ndarray, perhaps: Any = ()) -> None:
        """Have the rows of ``wanted`` at hand, and as many of ``perhaps`` as one block takes.

        ``perhaps`` are distinct points whose rows are not at hand, the likeliest first.
        """
        missing = [i for i in dict.fromkeys(wanted) if self.slot[i] < 0]
        if not missing:
            return
        n = len(self.slot)
        if self.capacity == n and self.computed > HARD * n * n and not callable(self.kernel.metric):
            self.rows, self.slot[:] = self.kernel.block(self.X, self.X), np.arange(n)
            self.computed += n * n
            return
        self._block += MORE_ROWS
        room = min(self._block, self.capacity // 2, ENTRIES_AT_ONCE // n)
        guesses = np.setdiff1d(perhaps, wanted, assume_unique=True)
        block = np.append(missing, guesses[: max(0, room - len(missing))]).astype(np.int64)
        places = self._places(len(block), keep=wanted)
        values = self.kernel.block(self.X[block], self.X)
        self.computed += values.size
        evicted = self._owner[places]
        self.slot[evicted[evicted >= 0]] = -1
        self.rows[places] = values
        self._owner[places], self.slot[block] = block, places

    def _places(self, count: int, keep: np.ndarray) -> np.ndarray:
        free = np.flatnonzero(self._owner < 0)[:count]
        taken = np.flatnonzero((self._owner >= 0) & ~np.isin(self._owner, keep))
        return np.append(free, self._rng.permutation(taken)[: count - len(free)])

"""Kernels: what the dual form takes instead of products of rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.metrics.pairwise import pairwise_kernels

from rosenblatt.engine.machine.threads import in_pieces, in_slices
from rosenblatt.errors import InputError

# Tiles of a block: products are finished (exp, powers) while they are still in the cache.
ROWS_OF_TILE = 256
COLUMNS_OF_TILE = 256
# Multiplications from which on the tiles of a block are worth a thread for each core.
WORTH_THREADS = 2**30
DIAGONAL_AT_ONCE = 512
# Kernels that are 1 between a row and itself: exp(−γ·0).
OF_DISTANCES = ("rbf", "laplacian")
# Kernels of x·x′ (and, of "rbf", of the two squares) that are finished in place.
OF_PRODUCTS = ("linear", "poly", "polynomial", "rbf")


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
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._tiled(A, B) if self._of_products(A, B) else self._values(A, B)
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
        elif self._of_products(X, X):
            with np.errstate(over="ignore"):
                values = np.einsum("ij,ij->i", X, X)[None]
                values = self._finisher(X, X)(values, slice(0), slice(0))[0]
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

    def _values(self, A: Any, B: Any) -> np.ndarray:
        named = not callable(self.metric)
        with config_context(assume_finite=True):
            return pairwise_kernels(A, B, metric=self.metric, filter_params=named, **self.params)

    def _of_products(self, A: Any, B: Any) -> bool:
        """Whether a block of those rows is one of products, with parameters as they should be."""
        if callable(self.metric) or self.metric not in OF_PRODUCTS:
            return False
        if not all(isinstance(rows, np.ndarray) and rows.dtype == np.float64 for rows in (A, B)):
            return False
        names = {"linear": (), "rbf": ("gamma",)}.get(self.metric, ("gamma", "coef0", "degree"))
        given = [self.params.get(name) for name in names]
        numbers = all(isinstance(value, (int, float)) for value in given)
        return numbers and (len(names) < 3 or (given[2] >= 1 and given[2] == int(given[2])))

    def _tiled(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        values, finish = np.empty((len(A), len(B))), self._finisher(A, B)
        # One row against many would leave most of a tile empty.
        height = max(1, min(len(A), ROWS_OF_TILE))
        width = ROWS_OF_TILE * COLUMNS_OF_TILE // height

        def tiles(rows: slice) -> None:
            for some in in_slices(len(A), height):
                tile = values[some, rows]
                np.matmul(A[some], B[rows].T, out=tile)
                finish(tile, some, rows)

        if values.size * A.shape[1] >= WORTH_THREADS:
            in_pieces(tiles, len(B), width)
        else:
            for rows in in_slices(len(B), width):
                tiles(rows)
        return values

    def _finisher(
        self, A: np.ndarray, B: np.ndarray
    ) -> Callable[[np.ndarray, slice, slice], np.ndarray]:
        """What makes kernel values of the products of those rows of A and of B, in place."""
        if self.metric == "linear":
            return lambda products, i, j: products
        gamma = self.params["gamma"]
        if self.metric == "rbf":
            left, right = (gamma * np.einsum("ij,ij->i", rows, rows) for rows in (A, B))

            def gaussian(products: np.ndarray, i: slice, j: slice) -> np.ndarray:
                products *= 2 * gamma
                products -= left[i, None]
                products -= right[j]
                np.minimum(products, 0.0, out=products)
                return np.exp(products, out=products)

            return gaussian

        def polynomial(products: np.ndarray, i: slice, j: slice) -> np.ndarray:
            products *= gamma
            products += self.params["coef0"]
            return raise_to(products, int(self.params["degree"]))

        return polynomial


def raise_to(values: np.ndarray, degree: int) -> np.ndarray:
    """A power of every value, in place, by squaring: many times faster than ``**``.

    Examples
    --------
    >>> raise_to(np.array([2.0, -1.0]), 5)
    array([32., -1.])
    """
    base = values.copy() if degree & (degree - 1) else values
    for bit in bin(degree)[3:]:
        np.multiply(values, values, out=values)
        if bit == "1":
            np.multiply(values, base, out=values)
    return values

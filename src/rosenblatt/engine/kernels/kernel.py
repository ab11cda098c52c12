"""Kernels: what the dual form takes instead of products of rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.metrics.pairwise import pairwise_kernels

from rosenblatt.engine.exponentials import exponentiate
from rosenblatt.engine.kernels.tiles import (
    Operand,
    joint_products,
    products,
    raise_to,
    squares,
    stored,
    tile_by_tile,
    transpose,
    with_columns,
)
from rosenblatt.engine.machine.threads import in_slices
from rosenblatt.errors import InputError, users_line

# Rows and columns of a tile, whose products are finished (exp, powers) while they are in the cache.
TILE = 256
# Of CSR rows and of kernels that scikit-learn computes, whose every call has its price.
LARGE_TILE = 512
DIAGONAL_AT_ONCE = 512
# Kernels that are 1 between a row and itself: exp(−γ·0).
OF_DISTANCES = ("rbf", "laplacian")
# Kernels of x·x′ (and, of "rbf", of the two squares) that are finished in place.
OF_PRODUCTS = ("linear", "poly", "polynomial", "rbf")


class Kernel(NamedTuple):
    """A kernel of scikit-learn's by name, a function of two rows, or "precomputed".

    Examples
    --------
    >>> square = Kernel("poly", {"degree": 2, "coef0": 1.0, "gamma": 1.0})
    >>> square.block(np.array([[1.0]]), np.array([[2.0], [3.0]]))
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
        return self._finite(values)

    def _finite(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
        if not np.isfinite(total) and not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"The kernel {self.metric!r} gave {values[i, j]} between two rows (row {i} of a "
                f"block and row {j}): it must be finite. Rescale the columns or lower the degree."
            )
        return values

    def gram(self, X: Any) -> np.ndarray:
        """The matrix k(xᵢ, xⱼ), of which half is computed.

        Examples
        --------
        >>> Kernel("linear", {}).gram(np.array([[1.0], [2.0]]))
        array([[1., 2.],
               [2., 4.]])
        """
        n, of_products = X.shape[0], self._of_products(X, X)
        values, size = np.empty((n, n)), self._side(X)

        def fill(i: slice) -> None:
            left = self._left(X[i]) if of_products else Operand(X[i])
            for j in in_slices(i.stop, size):
                tile = values[i, j]
                if of_products:
                    self._fill(left, self._right(X[j]), out=tile)
                else:
                    tile[...] = self._values(left.rows, X[j])
                if j.start < i.start:
                    transpose(tile, out=values[j, i])

        with np.errstate(over="ignore", invalid="ignore"):
            tile_by_tile(fill, n, size, n * stored(X) // 2 if of_products else 0)
        return self._finite(values)

    def gram_entries(self, X: Any) -> int:
        """How many entries `gram` computes: tiles on the diagonal are computed whole."""
        return sum((i.stop - i.start) * i.stop for i in in_slices(X.shape[0], self._side(X)))

    def _side(self, X: Any) -> int:
        hot = self._of_products(X, X) and not sparse.issparse(X)
        return TILE if hot else LARGE_TILE

    def sums(
        self, X: Any, points: np.ndarray, B: Any, parts: Sequence[tuple[slice, np.ndarray]]
    ) -> np.ndarray:
        """Σᵢ cᵢ k(xᵢ, b) over some points of X, for every row b of B.

        Parameters
        ----------
        X : array or CSR matrix
        points : ndarray of int
            The rows of X to sum over.
        B : array or CSR matrix
        parts : sequence of slice and ndarray of shape (K, len(points))
            Parts of B and the coefficients c for each.

        Examples
        --------
        >>> X, c = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0, -1.0]])
        >>> Kernel("linear", {}).sums(X, np.array([0, 2]), X[:2], [(slice(0, 2), c)])
        array([[-2., -4.]])
        """
        of_products = self._of_products(X, B)
        right = self._right(B) if of_products else Operand(B)
        pieces = np.zeros((-(-len(points) // TILE), len(parts[0][1]), B.shape[0]))

        def add(some: slice) -> None:
            A, out = X[points[some]], pieces[some.start // TILE]
            tile = self._fill(self._left(A), right) if of_products else self.block(A, right.rows)
            with np.errstate(over="ignore", invalid="ignore"):
                for mine, c in parts:
                    np.matmul(c[:, some], tile[:, mine], out=out[:, mine])

        tile_by_tile(add, len(points), TILE, len(points) * stored(B) if of_products else 0)
        sums = pieces.sum(axis=0)
        if not np.isfinite(sums).all():
            self.block(X[points], B)  # says which value is not finite
        return sums

    def diagonal(self, X: Any) -> np.ndarray:
        """k(xᵢ, xᵢ) of every row; infinite, with a warning, where it is negative.

        No kernel is negative there: what is has no radius, and no bound holds.
        """
        if self.metric == "precomputed":
            values = np.array(np.diagonal(X), dtype=np.float64)
        elif self.metric in OF_DISTANCES:
            values = np.ones(X.shape[0])
        elif self._of_products(X, X):
            with np.errstate(over="ignore", invalid="ignore"):
                values = self._finish(squares(X))
            for i in np.flatnonzero(~np.isfinite(values)):
                self.block(X[i : i + 1], X[i : i + 1])  # says so
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
                stacklevel=users_line(),
            )
        return np.where(values < 0, math.inf, values).astype(np.float64)

    def _values(self, A: Any, B: Any) -> np.ndarray:
        if not (A.shape[0] and B.shape[0]):  # no support vectors yet
            return np.zeros((A.shape[0], B.shape[0]))
        with config_context(assume_finite=True):
            if callable(self.metric):
                return pairwise_kernels(A, B, metric=cast(Any, self._number))
            # Some of scikit-learn's do not read memory that may not be written, such as a map's.
            A, B = (
                rows if sparse.issparse(rows) else np.require(rows, requirements="W")
                for rows in (A, B)
            )
            return pairwise_kernels(A, B, metric=self.metric, filter_params=True, **self.params)

    def _number(self, a: Any, b: Any) -> float:
        """What a function of two rows returned, which must be a number."""
        value = self.metric(a, b, **self.params)
        if isinstance(value, (Real, np.bool_)) or (
            isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "bfiu"
        ):
            return float(value)
        what = f"an array of shape {value.shape}" if hasattr(value, "shape") else repr(value)
        raise InputError(
            f"The kernel {self.metric!r} must return a number for two rows, got {what} "
            f"({type(value).__name__}). If it makes a matrix of all rows at once, call it yourself "
            "and give that matrix as X, with kernel='precomputed'."
        )

    def _of_products(self, A: Any, B: Any) -> bool:
        """Whether it is one of `OF_PRODUCTS`, of such rows and with such parameters as it takes."""
        if callable(self.metric) or self.metric not in OF_PRODUCTS:
            return False
        if not all(sparse.issparse(rows) or isinstance(rows, np.ndarray) for rows in (A, B)):
            return False
        if self.metric == "linear":
            return True
        names = ("gamma",) if self.metric == "rbf" else ("gamma", "coef0", "degree")
        if not all(isinstance(self.params.get(name), Real) for name in names):
            return False
        degree = 1.0 if self.metric == "rbf" else float(self.params["degree"])
        return self.params["gamma"] >= 0 and degree >= 1 and degree.is_integer()

    def _tiled(self, A: Any, B: Any) -> np.ndarray:
        if sparse.issparse(A) or sparse.issparse(B):
            return self._fill(self._left(A), self._right(B))
        values = np.empty((len(A), len(B)))
        # A row against many would leave most of a tile empty.
        height = max(1, min(len(A), TILE))

        def fill(j: slice) -> None:
            right = self._right(B[j])
            for i in in_slices(len(A), height):
                self._fill(self._left(A[i]), right, out=values[i, j])

        tile_by_tile(fill, len(B), TILE * TILE // height, values.size * A.shape[1])
        return values

    def _fill(self, left: Operand, right: Operand, out: Any = None) -> np.ndarray:
        """Fill a tile: the products, and what makes kernel values of them while they are hot."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.metric != "rbf":
                return self._finish(products(left.rows, right.rows, out))
            return exponentiate(joint_products(left, right, out))

    def _left(self, A: Any) -> Operand:
        """What is multiplied by `_right`: −γ‖a − b‖² = 2γ a·b + (−γ‖a‖², 1)·(1, −γ‖b‖²)."""
        if self.metric != "rbf":
            return Operand(A)
        gamma = self.params["gamma"]
        return with_columns(A, -gamma * squares(A), 1.0, times=2 * gamma)

    def _right(self, B: Any) -> Operand:
        if self.metric != "rbf":
            return Operand(B)
        return with_columns(B, 1.0, -self.params["gamma"] * squares(B))

    def _finish(self, products: np.ndarray) -> np.ndarray:
        """What "linear" and "poly" make of products, in place."""
        if self.metric == "linear":
            return products
        products *= self.params["gamma"]
        products += self.params["coef0"]
        return raise_to(products, int(self.params["degree"]))

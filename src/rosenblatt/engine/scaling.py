"""Columns made alike for the passes that make a classifier: centred, and scaled by powers of two.

A perceptron's steps are as long as its rows, so that a column of thousands drowns one of tenths,
and one far from 0 drowns its own differences. Whether a column is centred depends on its entries
and not on how they are stored, so that dense and sparse copies of a matrix are treated alike.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.points import DenseRows, SparseRows, as_rows
from rosenblatt.engine.rules import State
from rosenblatt.engine.used_columns import SHARE

# Weights scaled back by up to 2 to this power are still squared without overflow.
LARGEST = 400
# Columns whose size is within this many powers of two of the usual one keep their relative sizes.
ALIKE = 2.0
# A column is centred if this share of its entries is not 0.
FULL = 0.5
# Centres are multiples of 2^-QUARTER of a column's scale: whole numbers stay exact.
QUARTER = 2
# Entries of a dense matrix looked at in one piece.
PIECE = 2**20


class Scale(NamedTuple):
    """x becomes (x − centre)/2^exponent, column by column.

    Attributes
    ----------
    exponents : ndarray of int32
    centres : ndarray
        0 for columns that are mostly 0, and where there is no bias to take the shift back.
    """

    exponents: np.ndarray
    centres: np.ndarray

    def rows(self, X: Any) -> DenseRows | SparseRows:
        """The scaled rows of a matrix; its own where there is nothing to scale."""
        if not (self.exponents.any() or self.centres.any()):
            return as_rows(X)
        if hasattr(X, "indptr"):
            return self._sparse(X)
        shifted = np.subtract(X, self.centres, dtype=X.dtype)
        return DenseRows(np.ldexp(shifted, -self.exponents, out=shifted))

    def _sparse(self, X: Any) -> SparseRows:
        from scipy import sparse

        centred = np.flatnonzero(self.centres)
        if len(centred):
            others = sparse.csr_array(X, copy=True)
            others.data[self.centres[others.indices] != 0] = 0
            full = X[:, centred].toarray() - self.centres[centred]
            ends = np.arange(0, full.size + 1, len(centred))
            columns = np.tile(centred, len(full))
            shifted = sparse.csr_array((full.ravel(), columns, ends), shape=X.shape)
            X = sparse.csr_array(others + shifted).astype(X.dtype)
        rows = as_rows(X)
        assert isinstance(rows, SparseRows)
        return rows._replace(data=np.ldexp(rows.data, -self.exponents[rows.indices]))

    def into(self, state: State) -> None:
        """Make the weights of a state those of scaled columns, in place."""
        for weights in (state.weights, state.drift):
            weights[..., -1] += weights[..., :-1] @ self.centres
            weights[..., :-1] = np.ldexp(weights[..., :-1], self.exponents)

    def back(self, state: State) -> None:
        """Make the weights of scaled columns those of the user's, in place."""
        for weights in (state.weights, state.drift):
            weights[..., :-1] = np.ldexp(weights[..., :-1], -self.exponents)
            weights[..., -1] -= weights[..., :-1] @ self.centres


class ScaledColumns:
    """The scaled columns of a matrix, made once for all runs that want them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Finite floats.
    centre : bool
        Whether columns may be shifted.

    Examples
    --------
    >>> X = np.array([[1.0, 3000.0], [0.0, 5000.0], [0.0, 4000.0]])
    >>> columns = ScaledColumns(X, centre=True)
    >>> columns.scale
    Scale(exponents=array([ 0, 10], dtype=int32), centres=array([   0., 4096.]))
    >>> columns.rows.values
    array([[ 1.       , -1.0703125],
           [ 0.       ,  0.8828125],
           [ 0.       , -0.09375  ]])
    """

    def __init__(self, X: Any, centre: bool):
        self.X, self.centre = X, centre
        self._lock = threading.Lock()

    @cached_property
    def scale(self) -> Scale:
        """How the columns are scaled."""
        return scale_of(lambda: [self.X], self.centre)

    @cached_property
    def in_use(self) -> np.ndarray | None:
        """The columns that are not empty; None for most of them."""
        return columns_in_use(self.X)

    @property
    def rows(self) -> DenseRows | SparseRows:
        """The scaled rows."""
        with self._lock:
            return self._rows

    @cached_property
    def _rows(self) -> DenseRows | SparseRows:
        return self.scale.rows(self.X)


def scale_of(tables: Callable[[], Iterable[Any]], centre: bool) -> Scale:
    """The scale of columns whose rows come in several tables, which may be gone through twice.

    The size of a column is the mean size of its entries that are not 0. Of one that is centred it
    is between two means: of all differences d from its mean, Σ|d|/n, and of these weighted by
    themselves, Σd²/Σ|d|. Of 0s and 1s the latter is ½ however rare the 0s are, while the former
    goes to 0 with them: to enlarge the column by it would make the rare rows very long. Sizes
    within a factor of four of the usual one may mean something, and are kept; columns all of whose
    sizes are beyond are brought to it.

    Parameters
    ----------
    tables : callable
        Gives the tables, ndarrays or CSR matrices.
    centre : bool
        Whether columns may be shifted.
    """
    return scale_of_sums(add_up(map(sums, tables())), centre, lambda means: _spreads(tables, means))


class Sums(NamedTuple):
    """Of each column: the sum, the sum of sizes, and how many are not 0; rows in all."""

    totals: np.ndarray
    sizes: np.ndarray
    present: np.ndarray
    rows: int


def add_up(parts: Iterable[Sums]) -> Sums:
    """The sums of several tables together."""
    added: list[Any] = [sum(part) for part in zip(*parts, strict=True)]
    return Sums(*added)


def scale_of_sums(found: Sums, centre: bool, spreads: Callable[[np.ndarray], np.ndarray]) -> Scale:
    """The scale that sums over all rows make; ``spreads`` gives `spread` of them where asked."""
    totals, sizes, present, rows = found
    full = (present >= FULL * rows) & centre
    means = np.where(full, totals / rows, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least = most = sizes / present
        if full.any():
            away, squares = spreads(means)
            least, most = np.where(full, (away / rows, squares / away), least)
        low, high = np.log2(least), np.log2(most)
    known = np.isfinite(low)
    high = np.where(np.isfinite(high), high, low)  # squares overflow sooner
    usual = np.round(_median(high[known], present[known])) if known.any() else 0.0
    small, large = known & (high <= usual - ALIKE), known & (low >= usual + ALIKE)
    exponents = np.select([small, large], [np.round(high), np.round(low)], usual)
    exponents = np.clip(exponents, -LARGEST, LARGEST).astype(np.int32)
    quarters = np.round(np.ldexp(means, QUARTER - exponents))
    return Scale(exponents, np.ldexp(quarters, exponents - QUARTER))


def _median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values)
    half = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(half, half[-1] / 2)])


def sums(X: Any) -> Sums:
    """The sums of one table."""
    n, d = X.shape
    if hasattr(X, "indptr"):
        totals, sizes = (np.bincount(X.indices, of, minlength=d) for of in (X.data, np.abs(X.data)))
        return Sums(totals, sizes, np.bincount(X.indices[X.data != 0], minlength=d), n)
    totals, sizes, present = np.zeros(d), np.zeros(d), np.zeros(d, dtype=np.intp)
    for piece in _pieces(X):
        totals += piece.sum(axis=0, dtype=np.float64)
        sizes += np.abs(piece).sum(axis=0, dtype=np.float64)
        present += np.count_nonzero(piece, axis=0)
    return Sums(totals, sizes, present, n)


def spread(X: Any, means: np.ndarray) -> np.ndarray:
    """Σ|x − mean| and Σ(x − mean)² of each column of one table."""
    n, d = X.shape
    found = np.zeros((2, d))
    if hasattr(X, "indptr"):
        away = np.abs(X.data - means[X.indices])
        others = n - np.bincount(X.indices, minlength=d)
        for power, sums_of in enumerate(found, start=1):
            around = np.bincount(X.indices, away**power, minlength=d)
            sums_of[:] = around + others * np.abs(means) ** power
        return found
    for piece in _pieces(X):
        away = np.abs(piece - means)
        found += away.sum(axis=0), np.einsum("ij,ij->j", away, away)
    return found


def _spreads(tables: Callable[[], Iterable[Any]], means: np.ndarray) -> np.ndarray:
    return np.sum([spread(X, means) for X in tables()], axis=0)


def _pieces(X: np.ndarray) -> Iterable[np.ndarray]:
    at_once = max(1, PIECE // max(1, X.shape[1]))
    return (X[at : at + at_once] for at in range(0, len(X), at_once))


def columns_in_use(X: Any) -> np.ndarray | None:
    """The columns of a sparse matrix that are not empty; None where most of them are in use.

    Examples
    --------
    >>> from scipy import sparse
    >>> columns_in_use(sparse.csr_array(([1.0, 2.0], [3, 7], [0, 1, 2]), shape=(2, 10)))
    array([3, 7])
    """
    if not hasattr(X, "indptr"):
        return None
    used, most = np.zeros(X.shape[1], dtype=bool), int(SHARE * X.shape[1])
    return None if compiled(mark)(X.indices, used, most) > most else np.flatnonzero(used)


def mark(indices: Any, used: Any, most: int) -> int:
    """Mark the columns that occur, until there are more than so many; how many were marked.

    Examples
    --------
    >>> used = [False] * 5
    >>> mark([3, 1, 3, 0], used, 2), used
    (3, [True, True, False, True, False])
    """
    count = 0
    for k in range(len(indices)):
        j = np.uint64(indices[k])
        if not used[j]:
            used[j] = True
            count += 1
            if count > most:
                break
    return count

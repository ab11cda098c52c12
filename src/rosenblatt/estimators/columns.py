"""Columns of comparable size: each scaled by a power of two, which is exact."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.points import DenseRows, SparseRows, as_rows
from rosenblatt.rules import State

# Weights scaled back by up to 2 to this power are still squared without overflow.
LARGEST = 400
# Entries of a dense matrix looked at in one piece.
PIECE = 2**20


class Columns:
    """The columns of a matrix, scaled once for all runs that want them.

    A column is divided by the power of two nearest to the mean size of its entries other than 0:
    a one-hot column stays as it is, and columns of metres and of millimetres become alike.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Finite floats.

    Examples
    --------
    >>> columns = Columns(np.array([[1.0, 3000.0], [0.0, 5000.0]]))
    >>> columns.exponents
    array([ 0, 12], dtype=int32)
    >>> columns.rows.values
    array([[1.        , 0.73242188],
           [0.        , 1.22070312]])
    """

    def __init__(self, X: Any):
        self.X = X
        self._lock = threading.Lock()

    @cached_property
    def exponents(self) -> np.ndarray:
        """The exponent of each column's power of two."""
        return exponents_of([self.X])

    @property
    def rows(self) -> DenseRows | SparseRows:
        """The scaled rows; those given where every column is of size 1 already."""
        with self._lock:
            return self._rows

    @cached_property
    def _rows(self) -> DenseRows | SparseRows:
        return scaled(as_rows(self.X), self.exponents)


def exponents_of(tables: Iterable[Any]) -> np.ndarray:
    """The exponent of the power of two for each column, of rows that come in several tables."""
    total: Any = 0.0
    present: Any = 0
    for X in tables:
        sizes, others = _sizes(X)
        total, present = total + sizes, present + others
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        exponents = np.rint(np.log2(total / present))
    usual = np.where(np.isfinite(exponents), exponents, 0.0)
    return np.clip(usual, -LARGEST, LARGEST).astype(np.int32)


def _sizes(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The sum of the sizes of each column's entries, and how many of them are not 0."""
    d = X.shape[1]
    if hasattr(X, "indptr"):
        total = np.bincount(X.indices, np.abs(X.data), minlength=d)
        return total, np.bincount(X.indices[X.data != 0], minlength=d)
    total, present = np.zeros(d), np.zeros(d)
    at_once = max(1, PIECE // max(1, d))
    for at in range(0, len(X), at_once):
        sizes = np.abs(X[at : at + at_once])
        total += sizes.sum(axis=0, dtype=np.float64)
        present += np.count_nonzero(sizes, axis=0)
    return total, present


def scaled(rows: Any, exponents: np.ndarray) -> Any:
    """Rows with their columns divided by those powers of two; no copy where all are 1."""
    if not exponents.any():
        return rows
    if isinstance(rows, SparseRows):
        return rows._replace(data=np.ldexp(rows.data, -exponents[rows.indices]))
    return DenseRows(np.ldexp(rows.values, -exponents))


def into(state: State, exponents: np.ndarray) -> None:
    """Make the weights of a state those of scaled columns, in place."""
    for weights in (state.weights, state.drift):
        weights[..., :-1] = np.ldexp(weights[..., :-1], exponents)


def back(state: State, exponents: np.ndarray) -> None:
    """Make the weights of scaled columns those of the user's, in place."""
    into(state, -exponents)

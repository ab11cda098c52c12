"""What rows require of weights: bounded in floating point, or exact in integers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.lazy import cached_property
from rosenblatt.proof.exact import long_integers as long
from rosenblatt.proof.exact.numbers import (
    UNIT,
    Matrix,
    as_floats,
    as_fraction,
    chunks,
    is_sparse,
    power_of_two,
    scaled_integers,
    scaled_rows,
    with_entries,
)

TINY = float(np.finfo(np.float64).tiny)  # smallest normal float
BLOCK = 1 << 20  # digits of scores made in one go


def as_weights(weights: Any, d: int) -> np.ndarray:
    """Return one weight vector, or one per class, of floats or ``Fraction``, for d features."""
    vectors = np.asarray(weights)
    if vectors.dtype != object:
        vectors = as_floats(vectors)
    if vectors.ndim not in (1, 2) or vectors.shape[-1] != d + 1:
        raise InputError(
            f"weights of shape {vectors.shape} do not fit {d} features: {d + 1} numbers are "
            "needed per vector, the bias last"
        )
    return vectors


class ExactConstraints:
    """What each row requires to be positive, in two arithmetics.

    With one weight vector a row requires ±(w·x + b). With one per class it requires
    (w_y − w_k)·(x, 1) for every other class k (Kesler's construction): a column per class, of
    which that of the row's own class means nothing.

    Parameters
    ----------
    vectors : ndarray
        From `as_weights`.
    """

    def __init__(self, vectors: np.ndarray):
        self.vectors = vectors
        self.binary = vectors.ndim == 1
        self.width = 1 if self.binary else len(vectors)

    def fill_own(self, table: np.ndarray, own: np.ndarray, value: float) -> None:
        """Set what stands in the columns of the rows' own classes."""
        if not self.binary:
            table[np.arange(len(own)), own] = value

    def bounded(
        self, X: Matrix, codes: np.ndarray
    ) -> Iterator[tuple[slice, Matrix, np.ndarray, np.ndarray]]:
        """Yield (which rows, the rows, constraints in floating point, bounds on their errors)."""
        for part, rows, values, errors in self.bounded_scores(X):
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                if self.binary:
                    values *= np.where(codes[part] == 1, 1.0, -1.0)[:, None]
                else:
                    mine = np.arange(len(values)), codes[part]
                    sizes = np.abs(values)
                    errors += errors[mine][:, None] + 4 * UNIT * (sizes + sizes[mine][:, None])
                    values = values[mine][:, None] - values
                errors[~np.isfinite(values)] = np.inf
            yield part, rows, values, errors

    def bounded_scores(self, X: Matrix) -> Iterator[tuple[slice, Matrix, np.ndarray, np.ndarray]]:
        """Yield (which rows, the rows, scores in floating point, bounds on their errors)."""
        table = self._floats()
        for start, rows in chunks(X, self.width):
            part = slice(start, start + rows.shape[0])
            shape = rows.shape[0], self.width
            values, errors = np.zeros(shape), np.full(shape, np.inf)
            if table is not None:
                with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                    values, errors = _bounded_scores(rows, table)
                    errors[~np.isfinite(values)] = np.inf
            yield part, rows, values, errors

    def exact_scores(
        self, rows: Matrix, chosen: np.ndarray
    ) -> Iterator[tuple[int, list[Fraction]]]:
        """Yield, of chosen rows, (row, its scores)."""
        scale = self.integers[1] if chosen.size else 1
        for part, total, exponents in self._products(rows, chosen):
            scored = zip(part.tolist(), long.as_integers(total), exponents.tolist(), strict=True)
            for i, scores, exponent in scored:
                yield i, [score * scale * power_of_two(exponent) for score in scores]

    def exact(
        self, rows: Matrix, own: np.ndarray, chosen: np.ndarray
    ) -> Iterator[tuple[int, list[int], Fraction]]:
        """Yield, of chosen rows, (row, constraints as integers, their positive factor)."""
        scale = self.integers[1] if chosen.size else Fraction(1)
        for part, total, exponents in self._products(rows, chosen):
            required = long.as_integers(self._required(total, own[part]))
            for i, values, e in zip(part.tolist(), required, exponents.tolist(), strict=True):
                yield i, values, scale * power_of_two(e)

    def exact_signs(self, rows: Matrix, own: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The signs of chosen rows' constraints."""
        signs = np.empty((len(chosen), self.width), dtype=np.int8)
        at = 0
        for part, total, _ in self._products(rows, chosen):
            signs[at : at + len(part)] = long.signs(self._required(total, own[part]))
            at += len(part)
        return signs

    def _products(
        self, rows: Matrix, chosen: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield (some of the chosen rows, their scores in digits, in units of 2 to which power)."""
        if not chosen.size:
            return
        integers = self.integers[0]
        step = max(1, BLOCK // (self.width * (long.bits_of(integers) // long.BITS + 4)))
        for start in range(0, len(chosen), step):
            part = chosen[start : start + step]
            padded, entries, exponents = _padded_integers(rows[part])
            weights = integers
            if is_sparse(padded):
                padded, used = _on_used_columns(padded)
                weights = integers[:, used]
            yield part, long.products(padded, entries, weights), exponents

    def _required(self, scores: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Constraints from scores, both in digits."""
        if self.binary:
            return long.carried(np.where(own == 1, 1, -1)[:, None] * scores)
        mine = scores[:, np.arange(len(own)), own]
        return long.carried(mine[:, :, None] - scores)

    def squared_norm(self) -> Fraction:
        """‖weights‖², exactly."""
        integers, scale = self.integers
        return sum(v * v for v in map(int, integers.ravel().tolist())) * scale**2

    def _floats(self) -> np.ndarray | None:
        """Weights correctly rounded to floats; None where that is too coarse for the filter."""
        if self.vectors.dtype != object:
            return np.atleast_2d(self.vectors)
        try:
            floats = self.vectors.astype(np.float64)
        except OverflowError:
            return None
        coarse = (np.abs(floats) < TINY) & (self.vectors != 0)
        return None if coarse.any() else np.atleast_2d(floats)

    @cached_property
    def integers(self) -> tuple[np.ndarray, Fraction]:
        """(integers, scale) with weights = integers * scale, one row per vector."""
        table = np.atleast_2d(self.vectors)
        if table.dtype != object:
            integers, exponent = scaled_integers(table)
            return integers, power_of_two(exponent.item())
        common = math.lcm(*(as_fraction(w).denominator for w in table.flat))
        integers = np.array([int(as_fraction(w) * common) for w in table.flat], dtype=object)
        return integers.reshape(table.shape), Fraction(1, common)


def _bounded_scores(rows: Matrix, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    slopes, biases = table[:, :-1].T, table[:, -1]
    if is_sparse(rows):
        terms = int(np.diff(rows.indptr).max(initial=0))
        sizes = with_entries(rows, np.abs(rows.data))
    else:
        terms, sizes = rows.shape[1], np.abs(rows)
    scores = rows @ slopes + biases
    return scores, rounding(terms, sizes @ np.abs(slopes) + np.abs(biases))


def rounding(terms: int, sizes: Any) -> Any:
    """How far a sum of so many products may be off, computed in any order.

    ``sizes`` is what their absolute values add up to at most, as computed.
    """
    # 8·TINY a term covers underflow even where the processor flushes subnormal numbers to zero.
    return sizes * (2 * (terms + 6) * UNIT) + 8 * (terms + 6) * TINY


def _padded_integers(rows: Matrix) -> tuple[Matrix, np.ndarray, np.ndarray]:
    """Rows (x, 1), their entries as integers, and the power of two of each row."""
    ones = np.ones((rows.shape[0], 1))
    if is_sparse(rows):
        from scipy import sparse

        padded = sparse.hstack([rows, sparse.csr_array(ones)], format="csr")
        return padded, *scaled_rows(padded)
    padded = np.column_stack([rows, ones])
    entries, exponents = scaled_integers(padded, axis=1)
    return padded, entries, exponents.ravel()


def _on_used_columns(rows: Matrix) -> tuple[Matrix, np.ndarray]:
    """The CSR matrix without its empty columns, and those that are left."""
    seen = np.zeros(rows.shape[1], dtype=bool)
    seen[rows.indices] = True
    used, indices = np.flatnonzero(seen), (np.cumsum(seen) - 1)[rows.indices]
    return type(rows)((rows.data, indices, rows.indptr), shape=(rows.shape[0], len(used))), used

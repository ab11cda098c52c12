"""Weights of small loss for rows in memory: what predicts where columns are strongly correlated.

Along the differences of such columns passes learn next to nothing. A search for a proof descends to
weights of least loss anyway, but mostly of two classes, without validation data, and as if all rows
weighed the same. Else they are made here: at a small part of what a fit costs, unless they are
likely to predict better. Of few rows, which such weights would have all right, it is told by the
scores of each row without it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.averaging import longest_step, shortened
from rosenblatt.engine.machine.threads import one_blas_thread
from rosenblatt.engine.orders import Permutations
from rosenblatt.engine.points import SparseRows
from rosenblatt.engine.run import Run
from rosenblatt.places.memory import Memory
from rosenblatt.solve.weighted_loss import descended, least_squares, ridged

# Rows for each column: that the least squares are made of (measured: of 10 they often seem worse
# than the mean where they are better), that they are tried on and descended from, and below which
# they say nothing.
SAMPLE, MANY, FEW = 30, 100, 5
# By how much the share of new rows that a mean of few has wrong is less than the middle between the
# shares of its own that it has wrong, and that its first pass corrected (measured: by 0.13, with a
# correlation of 0.87; so as to be surer, by more). From which share of its own on that is told, and
# how much of it other weights may have wrong below (measured on 2,621 fits: of 33 sets mapped in 12
# ways chosen for 39 of 2,094, by 0.7 points better; of spectra and of columns nearly the same by 11
# and 9).
BELOW, WRONG, SURER = 0.2, 0.1, 0.5
# Products that the least squares may take: some milliseconds.
PRODUCTS = 2**26
# The share of entries stored below which the least squares cost much beside looks.
FULL = 0.5
# The least weight of a row, of the largest one, that makes a difference in double precision.
LIGHTEST = 1e-12


def of_least_loss(place: Memory, rule: Any, mean: np.ndarray, seed: int) -> np.ndarray | None:
    """Weights of small loss, or None where they cost much or are not likely to predict better.

    Of many classes they are likely to where the least squares have fewer training errors than the
    mean: these are the first step down from weights of 0, all classes share its matrix, and the
    other steps would cost many times as much. Of two classes one of which is rare, the least
    squares may take every row for the other.

    Parameters
    ----------
    place : Memory
    rule : Rule
        Which tells errors.
    mean : ndarray
        The weights to beat.
    seed : int
        Of the rows that are drawn where there are many.
    """
    width = place.d + 1
    most = min(SAMPLE * width, PRODUCTS // width**2)
    if most < FEW * width or are_few(place) or is_sparse(place):
        return None
    many = some_of(place, MANY * width, seed)
    with one_blas_thread():
        weights = least_squares(*Table.of(some_of(many, most, seed)))
        if place.vectors:
            errors = many.errors(rule, [scaled_back(place, weights), mean])
            if not errors[0] < errors[1]:
                return None
        found = scaled_back(place, descended(*Table.of(many), weights))
        return found if np.isfinite(found).all() else None


def are_few(place: Memory) -> bool:
    """Whether rows are so few for the columns that least squares say nothing of others."""
    return place.rows < FEW * (place.d + 1)


def is_sparse(place: Memory) -> bool:
    """Whether looks, which read what is stored, cost little beside least squares, of all."""
    return place.entries < FULL * len(place.codes) * place.d


def of_few_rows(place: Memory, rule: Any, run: Run) -> np.ndarray | None:
    """Least squares of few rows, kept small; None where the mean is likely to predict as well.

    They are told to be better where they would be wrong on rows left out less often than the mean
    is likely to be on new ones.

    Parameters
    ----------
    place : Memory
    rule : Rule
        Which tells errors.
    run : Run
        The mean's passes, from weights of 0.
    """
    products = place.rows * (place.d + 1) * min(place.rows, place.d + 1)
    if products > PRODUCTS or is_sparse(place) or not run.passes:
        return None
    (wrong,) = place.errors(rule, [run.average])
    expected = (wrong + run.history[0].mistakes / place.rows) / 2 - BELOW
    expected *= 1.0 if wrong > WRONG else SURER
    if not expected > 0:
        return None
    table, codes = Table.of(place), place.codes[place.everyone]
    with one_blas_thread(), np.errstate(all="ignore"):
        weights, left_out = ridged(*table)
    heavy = table.importance / table.importance.sum()
    predicted = left_out.argmax(axis=0) if place.vectors else left_out[0] > 0
    if not float(heavy[predicted != codes].sum()) < expected:
        return None
    found = scaled_back(place, weights)
    return found if np.isfinite(found).all() else None


def some_of(place: Memory, most: int, seed: int) -> Memory:
    """The same with at most so many rows in play, drawn at random."""
    everyone = place.everyone
    if most >= len(everyone):
        return place
    return place._replace(everyone=Permutations(seed).permutation(everyone)[:most])


class Table(NamedTuple):
    """Rows of a place as `least_squares` has them, over columns made alike."""

    rows: np.ndarray
    signs: np.ndarray
    importance: np.ndarray

    @classmethod
    def of(cls, place: Memory) -> Table:
        """The rows in play, as heavy as the mean's passes have them."""
        chosen, points, columns = place.everyone, place.points, place.columns
        rows = np.empty((len(chosen), place.d + 1))
        rows[:, :-1] = in_full(columns.rows, chosen)
        rows[:, -1] = points.bias
        squares = columns.squares[chosen] + points.bias**2
        heavy = shortened(points.steps[chosen], squares, longest_step(squares))
        classes = np.arange(place.vectors)[:, None] if place.vectors else np.array([[1]])
        signs = np.where(place.codes[chosen] == classes, 1.0, -1.0)
        return cls(rows, signs, np.maximum(heavy / heavy.max(), LIGHTEST))


def in_full(rows: Any, chosen: np.ndarray) -> np.ndarray:
    """Some of the rows, zeros and all."""
    if not isinstance(rows, SparseRows):
        return rows.values[chosen]
    from scipy import sparse

    shape = len(rows.indptr) - 1, rows.width
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape)[chosen].toarray()


def scaled_back(place: Memory, weights: np.ndarray) -> np.ndarray:
    """Weights of columns made alike as those of the user's, shaped like a run's."""
    state = place.start()
    state.weights[...] = weights.reshape(state.weights.shape)
    place.columns.scale.back(state)
    return state.weights

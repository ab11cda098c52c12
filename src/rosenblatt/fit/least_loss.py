"""Weights of small loss for rows in memory, which predict where columns are strongly correlated.

Passes learn next to nothing along the differences of such columns. A search for a proof descends to
weights of least loss anyway, but mostly with two classes, without validation data and with rows of
equal weight. In other cases they are computed here, at a small part of the cost of a fit unless
they are likely to predict better. Of few rows such weights would have all right, so that
leave-one-out scores tell whether they are better.
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

# Rows per column: for the least squares (measured: of 10 they often seem worse than the mean where
# they are better), for their errors and the descent from them, and below which least squares say
# nothing of new rows.
SAMPLE, MANY, FEW = 30, 100, 5
# The error of a mean on new rows is estimated as the middle between its training error and the
# share of mistakes in its first pass, less BELOW (measured: less 0.13, with a correlation of 0.87;
# BELOW is more, to be surer). Where its training error is at most WRONG, the estimate is multiplied
# by SURER (measured on 2,621 fits: of 33 sets mapped in 12 ways least squares are chosen for 39 of
# 2,094 fits, better by 0.7 points; of spectra and of columns nearly the same they are better by 11
# and 9).
BELOW, WRONG, SURER = 0.2, 0.1, 0.5
# Multiplications that least squares may take: some milliseconds.
PRODUCTS = 2**26
# Share of stored entries below which least squares cost much beside looks.
FULL = 0.5
# Least weight of a row, relative to the largest, that makes a difference in double precision.
LIGHTEST = 1e-12


def of_least_loss(place: Memory, rule: Any, mean: np.ndarray, seed: int) -> np.ndarray | None:
    """Weights of small loss, or None where they cost much or are not likely to predict better.

    With many classes they are likely to where the least squares have fewer training errors than the
    mean: least squares are the first step of the descent from weights of 0, all classes share their
    matrix, and further steps cost many times as much. Two classes are not tested so: if one is
    rare, least squares may assign every row to the other.

    Parameters
    ----------
    place : Memory
    rule : Rule
        Tells which rows are errors.
    mean : ndarray
        The weights to beat.
    seed : int
        Seed of the sample of rows, where there are many.
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
    """Whether rows are so few for the columns that least squares say nothing of new rows."""
    return place.rows < FEW * (place.d + 1)


def is_sparse(place: Memory) -> bool:
    """Whether looks, which read stored entries only, cost little beside least squares."""
    return place.entries < FULL * len(place.codes) * place.d


def of_few_rows(place: Memory, rule: Any, run: Run) -> np.ndarray | None:
    """Ridge regression of few rows; None where the mean is likely to predict as well.

    It is chosen where its leave-one-out error is less than the estimated error of the mean on new
    rows.

    Parameters
    ----------
    place : Memory
    rule : Rule
        Tells which rows are errors.
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
    """The place with at most ``most`` rows in play, drawn at random."""
    everyone = place.everyone
    if most >= len(everyone):
        return place
    return place._replace(everyone=Permutations(seed).permutation(everyone)[:most])


class Table(NamedTuple):
    """Rows of a place as `least_squares` takes them, with scaled columns."""

    rows: np.ndarray
    signs: np.ndarray
    importance: np.ndarray

    @classmethod
    def of(cls, place: Memory) -> Table:
        """The rows in play, weighted as in the mean's passes."""
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
    """The chosen rows as a dense array."""
    if not isinstance(rows, SparseRows):
        return rows.values[chosen]
    from scipy import sparse

    shape = len(rows.indptr) - 1, rows.width
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape)[chosen].toarray()


def scaled_back(place: Memory, weights: np.ndarray) -> np.ndarray:
    """Weights of scaled columns in the user's units, shaped like a run's."""
    state = place.start()
    state.weights[...] = weights.reshape(state.weights.shape)
    place.columns.scale.back(state)
    return state.weights

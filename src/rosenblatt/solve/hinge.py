"""Descent of the squared hinge loss: the quick way to a separator that passes do not find.

½Σ max(0, 1 − aᵢ·w)² has the infimum 0 exactly if the constraints can be met together, and every
descent then meets them eventually. Newton's method takes some ten steps; it is used where its
matrices are small. Otherwise the descent is by gradients.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.threads import scipy_linalg
from rosenblatt.solve.constraints import ENTRIES_AT_ONCE, Constraints
from rosenblatt.solve.coordinates import Frame
from rosenblatt.solve.effort import PER_PRODUCT, look_units, newton_units
from rosenblatt.solve.nearest_point import coordinates
from rosenblatt.solve.search import Search

# Most steps of a descent: separable data took 3 to 17, and rounding may keep it going for ever.
MOST_STEPS = 50
# Ridge that makes the matrix invertible, relative to the mean of its diagonal.
RIDGE = 1e-10
# Most moves along a step in search of the least loss on it.
MOVES = 8
# Relative decrease of the loss below which no step is made: the gradient is mere rounding.
LEAST_DECREASE = 1e-14
# Score that a separator must give each constraint before descent ends: the first separator met has
# a tiny margin.
WIDE_SCORE = 0.5
# Evaluations that separable data usually take, and within which the loss must halve, or descent by
# gradients is given up.
EVALUATIONS = 60
# Rows per column of the sample that is whitened; and a ridge, relative to the mean variance, so
# that neither a rare nor a nearly dependent column outweighs the others.
ROWS_WHITENED, RIDGE_OF_VARIANCES = 30, 0.01


class _Ended(Exception):
    """Descent has ended."""


class Descent(NamedTuple):
    """Where a descent ended.

    Attributes
    ----------
    rows : ndarray of shape (n, width)
        The constraints.
    scores : ndarray of shape (n,)
        aᵢ·w at the end.
    best : ndarray of shape (width,)
        The weights of fewest violated constraints on the way.
    fewest : int
        How many these violate; n + 1 if no scores were finite.
    """

    rows: np.ndarray
    scores: np.ndarray
    best: np.ndarray
    fewest: int


class Descended(NamedTuple):
    """Where a descent of all constraints ended.

    Attributes
    ----------
    weights : ndarray
        Those of fewest violated points on its way.
    least : Descent or None
        Of Newton's method, where it ended in its own coordinates.
    """

    weights: np.ndarray
    least: Descent | None = None


def least_loss(
    rows: np.ndarray, pay: Callable[[float], None] = lambda units: None
) -> Descent | None:
    """Descend from 0 to weights that meet all constraints by some margin, or to the least loss.

    Parameters
    ----------
    rows : ndarray of shape (n, width)
    pay : callable
        Called with the units of each step, before it is made.

    Returns
    -------
    Descent or None
        None where rows are 0, or too large or small for their squares.

    Notes
    -----
    O. L. Mangasarian, "A finite Newton method for classification", Optimization Methods and
    Software 17 (2002), 913–929; S. S. Keerthi and D. DeCoste, "A modified finite Newton method for
    fast solution of large scale linear SVMs", JMLR 6 (2005), 341–361.

    Examples
    --------
    >>> descent = least_loss(np.array([[1.0, 1.0], [-2.0, -1.0]]))
    >>> descent.fewest, descent.scores > 0
    (0, array([ True,  True]))
    """
    n, width = rows.shape
    ridge = RIDGE * float(np.vdot(rows, rows)) / max(1, width)
    if not 0 < ridge < math.inf:
        return None
    weights, scores, matrix = np.zeros(width), np.zeros(n), np.zeros((width, width))
    short, best, fewest = np.zeros(n, dtype=bool), weights, n + 1
    for _ in range(MOST_STEPS):
        pay(newton_units(n, width))
        lack = np.maximum(0.0, 1.0 - scores)
        before, short = short, lack > 0
        # Few rows come to fall short from step to step, or no longer do.
        come, gone = rows[short & ~before], rows[before & ~short]
        matrix += come.T @ come - gone.T @ gone
        slope = lack @ rows - ridge * weights
        try:
            step = np.linalg.solve(matrix + ridge * np.eye(width), slope)
        except np.linalg.LinAlgError:
            break
        moved = rows @ step
        bends = ridge * (weights @ step), ridge * (step @ step)
        length = _length(1.0 - scores, moved, short, *bends)
        weights, scores = weights + length * step, scores + length * moved
        violated = n - int(np.count_nonzero(scores > 0))
        if violated <= fewest and np.isfinite(scores).all():
            best, fewest = weights, violated
        wide = violated == 0 and scores.min() >= WIDE_SCORE
        if wide or not length * (slope @ step) > LEAST_DECREASE * (lack @ lack):
            break
    return Descent(rows, scores, best, fewest)


def _length(
    lack: np.ndarray, moved: np.ndarray, before: np.ndarray, slope: Any, bend: Any
) -> float:
    """The length t of a step at which Σ max(0, lack − t·moved)² + 2·slope·t + bend·t² is least.

    By Newton's method, kept between lengths where the sum falls and where it rises: it is a
    parabola as long as the same rows fall short as ``before``, at 0, where 1 is its least point.
    """
    at, low, high = 1.0, 0.0, math.inf
    for _ in range(MOVES):
        left = lack - at * moved
        short = left > 0
        if (short == before).all():
            break
        before, pull = short, moved * short
        derivative, curve = slope + at * bend - left @ pull, bend + pull @ pull
        low, high = (low, at) if derivative > 0 else (at, high)
        to = at - derivative / curve if curve > 0 else at
        at = to if low < to < high else (low + min(high, 2 * at)) / 2
    return at


def takes_newton(n: int, d: int, sparse: bool) -> bool:
    """Whether Newton's method is fast for two classes: few enough rows or columns."""
    return n * (min(n, d + 1) if sparse else d + 1) <= ENTRIES_AT_ONCE


def newton(search: Search, constraints: Constraints) -> Descended | None:
    """The weights of fewest violated points on the way down from 0, by Newton's method.

    Examples
    --------
    >>> X, codes = np.array([[0.0, 1.0], [1.0, 1.1], [1.0, 0.0]]), np.array([0, 1, 0])
    >>> constraints = Constraints(X, codes, 2)
    >>> constraints.worst(newton(Search(constraints), constraints).weights, 1).violated
    0
    """
    n, d = constraints.n, constraints.d
    # Of more columns than rows, inner products are taken first.
    each = constraints.per_row if constraints.sparse else PER_PRODUCT * d
    search.meter.pay(search.look_price + (d >= n) * n * n * each)
    with np.errstate(all="ignore"):
        frame = Frame(constraints)
        rows, back = coordinates(frame.into(constraints.rows(np.arange(n), 1 - constraints.codes)))
        descent = least_loss(rows, search.meter.pay)
        if descent is None or descent.fewest > n:
            return None
        found = frame.back(back(descent.best))
    if not np.isfinite(found).all():
        return None
    return Descended(found, descent)


def descend(search: Search, constraints: Constraints, most: int) -> Descended | None:
    """The weights of fewest violated points on the way down from 0, by L-BFGS.

    Ends at the first that meet all constraints, after at most so many evaluations, or once the
    loss hardly falls any more; None if no weights were finite.

    Parameters
    ----------
    search : Search
        The search that pays for it, with its time limit.
    constraints : Constraints
        Of the search, with rows in memory.
    most : int
        Evaluations of the loss.

    Examples
    --------
    >>> X, codes = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 2])
    >>> constraints = Constraints(X, codes, 3)
    >>> constraints.worst(descend(Search(constraints), constraints, 100).weights, 1).violated
    0
    """
    scipy_linalg()
    from scipy.optimize import minimize

    with np.errstate(over="ignore"):
        frame = _frame(search, constraints)
    each = look_units(constraints.n, constraints.per_row, constraints.blocks)
    best, fewest, losses = None, constraints.n + 1, []

    def loss_at(z: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best, fewest
        search.meter.pay(each)
        weights = frame.back(z)
        loss, gradient, violated = constraints.hinge(weights)
        losses.append(loss)
        if violated < fewest and np.isfinite(loss):
            best, fewest = weights, violated
        stalled = len(losses) > EVALUATIONS and loss > losses[-1 - EVALUATIONS] / 2
        if fewest == 0 or stalled or len(losses) >= most or not np.isfinite(loss):
            raise _Ended
        return loss, frame.slope(gradient)

    with suppress(_Ended), np.errstate(over="ignore", invalid="ignore"):
        minimize(
            loss_at,
            np.zeros(constraints.dimension),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": most, "maxfun": most, "maxcor": 20},
        )
    return None if best is None else Descended(best)


def _frame(search: Search, constraints: Constraints) -> Frame | Whitened:
    search.meter.pay(search.look_price)
    frame = Frame(constraints)
    step = max(1, constraints.n // (ROWS_WHITENED * constraints.d))
    cost = newton_units(constraints.n // step, constraints.d)
    if constraints.sparse or cost > EVALUATIONS * search.look_price:
        return frame
    sample = np.asarray(constraints.X[::step], dtype=np.float64)
    if not np.isfinite(sample - frame.shift).all():
        return frame
    search.meter.pay(cost)
    return Whitened(frame, sample)


class Whitened:
    """Coordinates in which a sample of the rows has about the unit matrix for its covariance.

    Descent by gradients takes many times fewer steps there.

    Parameters
    ----------
    frame : Frame
    sample : ndarray of shape (m, d)
        Rows.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(1000, 2)) @ np.array([[3.0, 1.0], [0.0, 0.1]])
    >>> frame = Whitened(Frame(Constraints(X, np.arange(1000) % 2, 2)), X)
    >>> basis = np.array([frame.back(z) for z in np.eye(3)])[:2, :-1]
    >>> float(np.linalg.cond(np.cov(X.T))) > 1000, float(np.linalg.cond(np.cov(basis @ X.T))) < 10
    (True, True)
    """

    def __init__(self, frame: Frame, sample: np.ndarray):
        solve_triangular = scipy_linalg().solve_triangular
        self.frame = frame
        table = np.ldexp(sample - frame.shift, -frame.exponents[: frame.d])
        self.mean = table.mean(axis=0) * frame.bias
        table = table - self.mean
        covariance = table.T @ table / len(table)
        # If all columns are constant, any ridge will do.
        ridge = RIDGE_OF_VARIANCES * np.trace(covariance) / frame.d or 1.0
        lower = np.linalg.cholesky(covariance + ridge * np.eye(frame.d))
        self.matrix = solve_triangular(lower, np.eye(frame.d), lower=True)

    def back(self, z: np.ndarray) -> np.ndarray:
        """Weights of these coordinates as weights of the user's."""
        table = z.reshape(self.frame.blocks, -1) * 1.0
        table[:, :-1] = table[:, :-1] @ self.matrix
        table[:, -1] -= table[:, :-1] @ self.mean
        return self.frame.back(table.ravel())

    def slope(self, gradient: np.ndarray) -> np.ndarray:
        """A gradient by the user's weights as one by weights of these coordinates."""
        table = self.frame.slope(gradient).reshape(self.frame.blocks, -1)
        table[:, :-1] = (table[:, :-1] - table[:, -1:] * self.mean) @ self.matrix.T
        return table.ravel()

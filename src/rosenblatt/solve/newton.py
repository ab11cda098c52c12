"""Newton's method for the squared hinge loss, ½Σ max(0, 1 − aᵢ·w)² over few columns or rows.

Each step solves the least squares of the constraints that fall short of 1, and goes as far as the
loss falls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.solve.effort import newton_units

# Most steps of a descent; separable data took 3 to 17.
MOST_STEPS = 25
# Ridge that makes the matrix invertible, relative to the mean of its diagonal.
RIDGE = 1e-10
# Most moves along a step in search of the least loss on it.
MOVES = 8
# Relative decrease of the loss below which no step is made: the gradient is mere rounding.
LEAST_DECREASE = 1e-14
# Score that a separator must give each constraint before descent ends: the first separator met has
# a tiny margin.
WIDE_SCORE = 0.5


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
    weights, scores = np.zeros(width), np.zeros(n)
    best, fewest = weights, n + 1
    for _ in range(MOST_STEPS):
        pay(newton_units(n, width))
        lack = np.maximum(0.0, 1.0 - scores)
        part, slope = rows[lack > 0], lack @ rows - ridge * weights
        try:
            step = np.linalg.solve(part.T @ part + ridge * np.eye(width), slope)
        except np.linalg.LinAlgError:
            break
        moved = rows @ step
        length = _length(1.0 - scores, moved, ridge * (weights @ step), ridge * (step @ step))
        weights, scores = weights + length * step, scores + length * moved
        violated = n - int(np.count_nonzero(scores > 0))
        if violated <= fewest and np.isfinite(scores).all():
            best, fewest = weights, violated
        wide = violated == 0 and scores.min() >= WIDE_SCORE
        if wide or not length * (slope @ step) > LEAST_DECREASE * (lack @ lack):
            break
    return Descent(rows, scores, best, fewest)


def _length(lack: np.ndarray, moved: np.ndarray, slope: float, bend: float) -> float:
    """The length t of a step at which Σ max(0, lack − t·moved)² + 2·slope·t + bend·t² is least.

    By Newton's method, kept between lengths where the sum falls and where it rises: it is a
    parabola as long as the same rows fall short.
    """
    at, low, high, before = 1.0, 0.0, math.inf, None
    for _ in range(MOVES):
        left = lack - at * moved
        short = left > 0
        if before is not None and np.array_equal(short, before):
            break
        before, pull = short, moved * short
        derivative, curve = slope + at * bend - left @ pull, bend + pull @ pull
        low, high = (low, at) if derivative > 0 else (at, high)
        to = at - derivative / curve if curve > 0 else at
        at = to if low < to < high else (low + min(high, 2 * at)) / 2
    return at

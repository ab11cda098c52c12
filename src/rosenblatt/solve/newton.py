"""Newton's method for the squared hinge loss, in plain functions for compilation.

A step takes some tens of microseconds where rows are few, less than as many calls of NumPy. The
matrix Σ a·aᵀ of the constraints that fall short changes little from step to step, so only the rows
that came to fall short, or no longer do, are added to it or taken off.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.solve.effort import newton_units

# Most steps of a descent (separable data took 3 to 17), and usual ones.
MOST_STEPS, USUAL_STEPS = 25, 6
# Ridge that makes the matrix invertible, relative to the mean of its diagonal.
RIDGE = 1e-10
# In the line search of a step: most halvings, and the relative tolerance.
HALVINGS, STEP_TOLERANCE = 8, 1e-3
# Relative decrease of the loss below which no step is made: the gradient is mere rounding.
LEAST_DECREASE = 1e-14
# Score that a separator must give each constraint before descent ends: the first separator met has
# a tiny margin.
WIDE_SCORE = 0.5
ONE, TWO, THREE, FOUR = (np.uint64(k) for k in (1, 2, 3, 4))


class Descent(NamedTuple):
    """State of a descent, and work space for its steps; matrices are stored as upper triangles.

    Attributes
    ----------
    rows : ndarray of shape (n, width)
        The constraints.
    scores, moved : ndarray of shape (n,)
        aᵢ·w, the starting weights included, and aᵢ·step.
    weights, best : ndarray of shape (width,)
        w less the starting weights; and that of fewest violated constraints so far.
    step, slope : ndarray of shape (width,)
    matrix, factor : ndarray of shape (width, width)
        The sum of a·aᵀ over the constraints that fall short, and its Cholesky factor.
    within : ndarray of float, shape (n,)
        1 for the constraints that are in the sum, else 0.
    chosen : ndarray of int, shape (n,)
        The constraints to add to it or to subtract.
    counts : ndarray of int, shape (2,)
        The fewest violated so far, and steps made.
    """

    rows: Any
    scores: Any
    moved: Any
    weights: Any
    best: Any
    step: Any
    slope: Any
    matrix: Any
    factor: Any
    within: Any
    chosen: Any
    counts: Any


def descent_from(rows: np.ndarray, scores: np.ndarray | None = None) -> Descent:
    """The descent at weights of 0, or at some that give the constraints these scores.

    Its weights are what is added to those.

    Examples
    --------
    >>> descent = descent_from(np.array([[1.0, 1.0], [-2.0, -1.0]]))
    >>> make_steps(descent, 1e-9, 5), int(descent.counts[0])
    (False, 0)

    Constraints that are met leave nothing to add.

    >>> descent = descent_from(np.array([[1.0, 1.0], [-2.0, -1.0]]), np.array([3.0, 2.0]))
    >>> make_steps(descent, 1e-9, 5), descent.best.tolist()
    (False, [0.0, 0.0])
    """
    rows = np.ascontiguousarray(rows)
    n, width = rows.shape
    moved, within = np.zeros((2, n))
    scores = np.zeros(n) if scores is None else np.array(scores, dtype=np.float64)
    matrix, factor = np.zeros((2, width, width))
    chosen, counts = np.zeros(n, dtype=np.int64), np.array([n + 1, 0])
    w, best, step, slope = np.zeros((4, width))
    return Descent(
        rows, scores, moved, w, best, step, slope, matrix, factor, within, chosen, counts
    )


def least_loss(
    rows: np.ndarray,
    scores: np.ndarray | None = None,
    *,
    steps: int = MOST_STEPS,
    pay: Callable[[float], None] = lambda units: None,
) -> Descent | None:
    """Descend to weights that meet all constraints, or to the least loss, or for so many steps.

    Parameters
    ----------
    rows, scores
        As for `descent_from`.
    steps : int
    pay : callable
        Called with the units of each step, before it is made.

    Returns
    -------
    Descent or None
        None where rows are 0, or too large or small for their squares.

    Examples
    --------
    >>> descent = least_loss(np.array([[1.0, 1.0], [-2.0, -1.0]]))
    >>> int(descent.counts[0]), descent.scores > 0
    (0, array([ True,  True]))
    """
    ridge = RIDGE * float(np.vdot(rows, rows)) / max(1, rows.shape[1])
    if not 0 < ridge < math.inf:
        return None
    descent, more = descent_from(rows, scores), True
    while more and descent.counts[1] < steps:
        pay(newton_units(*rows.shape))
        more = compiled(make_steps)(descent, ridge, 1)
    return descent


def make_steps(descent: Descent, ridge: float, most: int) -> bool:
    """Make at most so many steps; return whether there is more to do.

    Each solves the least squares of the constraints that fall short of 1, and goes as far as the
    loss falls. A descent is done if it meets all constraints by some margin, or at the least loss.
    """
    for _ in range(most):
        descent.counts[1] += 1
        lacking = gather(descent)
        slope_of(descent, ridge)
        if not factorise(descent, ridge):
            return False
        solve(descent)
        gain = 0.0
        for j in range(len(descent.slope)):
            gain += descent.slope[j] * descent.step[j]
        length = walk(descent, ridge)
        violated = go(descent, length)
        if 0 <= violated <= descent.counts[0]:
            descent.counts[0] = violated
            for j in range(len(descent.best)):
                descent.best[j] = descent.weights[j]
        done = violated == 0 and least(descent) >= WIDE_SCORE
        if done or not length * gain > LEAST_DECREASE * lacking:
            return False
    return True


def least(descent: Descent) -> float:
    """The least score."""
    found = math.inf
    for i in range(len(descent.scores)):
        found = min(found, descent.scores[i])
    return found


def gather(descent: Descent) -> float:
    """Update the sum of a·aᵀ; return Σ (1 − a·w)² over the constraints that fall short."""
    scores, within, chosen = descent.scores, descent.within, descent.chosen
    lacking, short, changed = 0.0, 0, 0
    for i in range(len(scores)):
        lack = max(0.0, 1.0 - scores[i])
        lacking += lack * lack
        is_short = scores[i] < 1.0
        short += is_short
        changed += is_short != (within[i] > 0.0)
    if short < changed:
        clear(descent)
    count = 0
    for i in range(len(scores)):
        if (scores[i] < 1.0) != (within[i] > 0.0):
            chosen[count] = i
            count += 1
    add_products(descent, count)
    for k in range(count):
        within[chosen[k]] = 1.0 - within[chosen[k]]
    return lacking


def clear(descent: Descent) -> None:
    """Reset the sum."""
    for i in range(len(descent.matrix)):
        for j in range(i, len(descent.matrix)):
            descent.matrix[i, j] = 0.0
    for i in range(len(descent.within)):
        descent.within[i] = 0.0


def add_products(descent: Descent, count: int) -> None:
    """Add a·aᵀ of the chosen rows that are not in the sum, and subtract it for those that are."""
    rows, matrix, within = descent.rows, descent.matrix, descent.within
    width, many = np.uint64(rows.shape[1]), np.uint64(count)
    for k in range(np.uint64(0), many, FOUR):
        # Four at once, so that the matrix is read and written a quarter as often.
        a = np.uint64(descent.chosen[k])
        b = np.uint64(descent.chosen[min(k + ONE, many - ONE)])
        c = np.uint64(descent.chosen[min(k + TWO, many - ONE)])
        d = np.uint64(descent.chosen[min(k + THREE, many - ONE)])
        sign_a = 1.0 - 2.0 * within[a]
        sign_b = (1.0 - 2.0 * within[b]) * (k + ONE < many)
        sign_c = (1.0 - 2.0 * within[c]) * (k + TWO < many)
        sign_d = (1.0 - 2.0 * within[d]) * (k + THREE < many)
        even = width - width % TWO
        for i in range(np.uint64(0), even, TWO):
            # Two rows of the matrix, of which the second begins before its diagonal.
            h = i + ONE
            a_i, b_i, c_i, d_i = (
                sign_a * rows[a, i],
                sign_b * rows[b, i],
                sign_c * rows[c, i],
                sign_d * rows[d, i],
            )
            a_h, b_h, c_h, d_h = (
                sign_a * rows[a, h],
                sign_b * rows[b, h],
                sign_c * rows[c, h],
                sign_d * rows[d, h],
            )
            for j in range(i, width):
                a_j, b_j, c_j, d_j = rows[a, j], rows[b, j], rows[c, j], rows[d, j]
                matrix[i, j] += (a_i * a_j + b_i * b_j) + (c_i * c_j + d_i * d_j)
                matrix[h, j] += (a_h * a_j + b_h * b_j) + (c_h * c_j + d_h * d_j)
        if even < width:
            square = sign_a * rows[a, even] ** 2 + sign_b * rows[b, even] ** 2
            matrix[even, even] += square + sign_c * rows[c, even] ** 2 + sign_d * rows[d, even] ** 2


def slope_of(descent: Descent, ridge: float) -> None:
    """The negative gradient: Σ (1 − a·w)·a over the constraints that fall short, less ridge·w.

    In ridge·w, w is the difference from the starting weights.
    """
    rows, slope = descent.rows, descent.slope
    width = np.uint64(rows.shape[1])
    for j in range(width):
        slope[j] = -ridge * descent.weights[j]
    for i in range(np.uint64(len(descent.scores))):
        lack = 1.0 - descent.scores[i]
        if lack > 0.0:
            for j in range(width):
                slope[j] += lack * rows[i, j]


def factorise(descent: Descent, ridge: float) -> bool:
    """Cholesky factor: UᵀU = matrix + ridge, row by row; False if a pivot is not positive."""
    matrix, factor = descent.matrix, descent.factor
    width = np.uint64(len(matrix))
    for i in range(width):
        for j in range(i, width):
            factor[i, j] = matrix[i, j]
        factor[i, i] += ridge
        fours = i - i % FOUR
        for k in range(np.uint64(0), fours, FOUR):
            a, b, c, d = factor[k, i], factor[k + ONE, i], factor[k + TWO, i], factor[k + THREE, i]
            for j in range(i, width):
                factor[i, j] -= (a * factor[k, j] + b * factor[k + ONE, j]) + (
                    c * factor[k + TWO, j] + d * factor[k + THREE, j]
                )
        for k in range(fours, i):
            a = factor[k, i]
            for j in range(i, width):
                factor[i, j] -= a * factor[k, j]
        pivot = factor[i, i]
        if not 0.0 < pivot < math.inf:
            return False
        scale = 1.0 / math.sqrt(pivot)
        for j in range(i, width):
            factor[i, j] *= scale
    return True


def solve(descent: Descent) -> None:
    """Solve UᵀU·step = slope for the step."""
    factor, step = descent.factor, descent.step
    width = np.uint64(len(step))
    for j in range(width):
        step[j] = descent.slope[j]
    for i in range(width):
        step[i] /= factor[i, i]
        known = step[i]
        for j in range(i + ONE, width):
            step[j] -= known * factor[i, j]
    for k in range(width):
        i = width - ONE - k
        total = step[i]
        for j in range(i + ONE, width):
            total -= factor[i, j] * step[j]
        step[i] = total / factor[i, i]


def walk(descent: Descent, ridge: float) -> float:
    """Line search: the minimum of the loss along the step, by safeguarded Newton's method."""
    rows, step, scores, moved = descent.rows, descent.step, descent.scores, descent.moved
    n, width = np.uint64(rows.shape[0]), np.uint64(rows.shape[1])
    slope = bend = 0.0
    for j in range(width):
        slope += ridge * descent.weights[j] * step[j]
        bend += ridge * step[j] * step[j]
    for i in range(n):
        total = 0.0
        for j in range(width):
            total += rows[i, j] * step[j]
        moved[i] = total
    at, low, high = 1.0, 0.0, math.inf
    for _ in range(HALVINGS):
        derivative, curve = slope + at * bend, bend
        for i in range(n):
            lack = 1.0 - scores[i] - at * moved[i]
            pull = moved[i] if lack > 0.0 else 0.0
            derivative -= lack * pull
            curve += pull * pull
        if derivative > 0:
            high = at
        else:
            low = at
        to = at - derivative / curve if curve > 0 else at
        if not low < to < high:
            to = (low + min(high, 2 * at)) / 2
        if abs(to - at) <= STEP_TOLERANCE * at:
            return to
        at = to
    return at


def go(descent: Descent, length: float) -> int:
    """Move along the step; return the number of violated constraints, −1 if unknown."""
    scores, moved, weights = descent.scores, descent.moved, descent.weights
    for j in range(len(weights)):
        weights[j] += length * descent.step[j]
    violated = unknown = 0
    for i in range(len(scores)):
        scores[i] += length * moved[i]
        violated += not scores[i] > 0.0
        unknown += not abs(scores[i]) < math.inf
    return -1 if unknown else violated

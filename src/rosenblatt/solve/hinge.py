"""Descent of the squared hinge loss: the quick way to a separator that passes do not find.

½Σ max(0, 1 − aᵢ·w)² has the infimum 0 exactly if the requirements can be met together, and every
descent then meets them eventually. Newton's method takes some ten steps; it is used where its
matrices are small, or where few requirements are violated at weights that a separator should be
near. Otherwise the descent is by gradients.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.machine.threads import scipy_linalg
from rosenblatt.engine.pieces import middle
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame
from rosenblatt.solve.effort import (
    descent_units,
    existence_units,
    newton_units,
    product_units,
    rows_units,
    vertex_units,
    written_units,
)
from rosenblatt.solve.nearest_point import coordinates
from rosenblatt.solve.newton import (
    LIKELY_STEPS,
    RIDGE,
    STEPS,
    WIDE,
    Descent,
    descent_from,
    make_steps,
)
from rosenblatt.solve.refuting import REFUTING, multipliers
from rosenblatt.solve.search import LATER, Search

# Entries of a dense copy of all rows, and rank, up to which Newton's method is tried.
COPIED, RANK = 2**22, 1000
# For a descent that starts at given weights: the usual score that these are scaled to, where 1 is
# required; and the ridges, applied in turn (measured on 18 sets: four bring 0.08 points more, one
# alone 0.2 less).
FAR, LOWERED = 256.0, np.array([1e-5, RIDGE])
# Share of points violated at given weights up to which many classes are likely to be separated from
# there.
VIOLATED = 0.15
# Most units of steps in one compiled call, which Ctrl-C does not interrupt.
MOMENT = 10_000_000
# Evaluations within which the loss must fall to this share of itself, or descent is given up.
STRIDE, SLOW = 40, 0.6
# Evaluations that separable data usually take, and units of L-BFGS per weight.
LIKELY_EVALUATIONS, PER_WEIGHT = 60, 40
# Sample size for whitening, in rows per column, and the most columns that are whitened.
SAMPLE, WIDEST = 30, 2000
# In whitening: the least spread of a column relative to its range, and a ridge added to the
# variances, so that neither a rare nor a nearly dependent column outweighs the others.
RAREST, WHITENING = 0.02, 0.01
NOBODY = np.zeros(0, dtype=np.intp)


class _Ended(Exception):
    """Descent has ended."""


class Descended(NamedTuple):
    """Where a descent ended.

    Attributes
    ----------
    weights : ndarray
        Those of fewest violated points on its way.
    alpha : ndarray of shape (n,) or None
        Multipliers of few points by which their requirements sum to 0, up to rounding; None if
        there are no such candidates.
    near : bool
        Whether it started at the weights that the search was given to be near.
    short : ndarray of int
        The points whose requirement fell short of 1 at the end.
    """

    weights: np.ndarray
    alpha: np.ndarray | None = None
    near: bool = False
    short: np.ndarray = NOBODY


def takes_newton(n: int, d: int, *, binary: bool, sparse: bool) -> bool:
    """Whether Newton's method is fast: two classes, and few enough rows or columns."""
    rank = min(n, d + 1)
    small = n * rank <= COPIED and (sparse or n * d <= COPIED)
    return binary and small and rank <= RANK


def separator_units(n: int, d: int, per_row: float, blocks: int, sparse: bool) -> float:
    """Likely cost of a separator by descent, if there is one."""
    if takes_newton(n, d, binary=blocks == 1, sparse=sparse):
        steps = LIKELY_STEPS * newton_units(n, min(n, d + 1))
        return steps + product_units(n, d, per_row, sparse)
    each = descent_units(n, per_row, blocks, sparse) + PER_WEIGHT * blocks * (d + 1)
    return LIKELY_EVALUATIONS * each


def refutation_units(n: int, d: int, *, sparse: bool) -> float:
    """Likely cost of a refutation of two classes by Newton's method; infinite if not used."""
    width = min(n, d + 1)
    if not takes_newton(n, d, binary=True, sparse=sparse) or written_units(width) > LATER:
        return math.inf
    return (
        2 * LIKELY_STEPS * newton_units(n, width)
        + vertex_units(min(n, REFUTING * width), width + 1)
        + existence_units(width)
    )


def newton(search: Search, goal: Constraints) -> Descended | None:
    """The weights of fewest violated points on the way down, by Newton's method.

    Each step solves the least squares of the points whose requirement falls short of 1, and goes as
    far as the loss falls; ends at weights that meet all requirements, or at the least loss. The
    descent starts at 0, or at the weights that the search was given to be near. If the separator is
    to predict, a ridge that is lowered in steps keeps the weights from going further than needed.

    Notes
    -----
    O. L. Mangasarian, "A finite Newton method for classification", Optimization Methods and
    Software 17 (2002), 913–929; S. S. Keerthi and D. DeCoste, "A modified finite Newton method for
    fast solution of large scale linear SVMs", JMLR 6 (2005), 341–361.

    Examples
    --------
    >>> X, codes = np.array([[0.0, 1.0], [1.0, 1.1], [1.0, 0.0]]), np.array([0, 1, 0])
    >>> goal = Constraints(X, codes, 2)
    >>> goal.worst(newton(Search(goal), goal).weights, 1).violated
    0
    """
    products = product_units(goal.n, goal.d, goal.per_row, goal.sparse)
    search.meter.pay(search.look_price + products)
    with np.errstate(all="ignore"):
        near, scores, _ = _near(search, goal)
        frame = _frame_of(search, goal)
        predicts = near is not None or search.finest is not None
        ridges = LOWERED if predicts else LOWERED[-1:]
        way = _way(search, frame.all_of(goal), scores, ridges)
        if way is None:
            return None
        fewest = int(way.descent.counts[0])
        alpha = None if way.more or not fewest else multipliers(search, way.descent, way.ridge)
        begun = 0.0 if near is None else np.ldexp(near, frame.lift)
        found, search.descended = frame.back(way.best) + begun, frame.back(way.least) + begun
        if not np.isfinite(found).all():
            return None
        short = np.flatnonzero(way.descent.scores < 1.0)
        return Descended(found, alpha, near is not None, short)


def newton_among(search: Search, goal: Constraints) -> Descended | None:
    """Weights near those that the search was given, which meet all requirements of many classes.

    Few requirements are violated at the given weights. Newton's method meets these, then these and
    those violated by its result, and so on, each time from the given weights. None if that costs
    more than a descent by gradients is likely to, or if some requirements cannot be met.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, near = rng.normal(size=(50, 20)), rng.normal(size=(3, 21))
    >>> codes = (X @ near[:, :-1].T + near[:, -1]).argmax(axis=1)
    >>> codes[0] = (codes[0] + 1) % 3
    >>> goal = Constraints(X, codes, 3)
    >>> found = newton_among(Search(goal, near=lambda: near), goal)
    >>> goal.worst(near, 1).violated, goal.worst(found.weights, 1).violated
    (1, 0)
    """
    search.meter.pay(search.look_price)
    most = search.spent + separator_units(goal.n, goal.d, goal.per_row, goal.blocks, goal.sparse)
    frame, chosen = _frame_of(search, goal), np.zeros(0, dtype=np.intp)
    tables, scores = [], np.zeros(0)
    with np.errstate(all="ignore"):
        near, margins, rivals = _near(search, goal)
        found = near
        if near is not None and (frame.lift or np.mean(~(margins > 0)) > VIOLATED):
            return None
        while found is not None:
            short = np.flatnonzero(~(margins >= WIDE))
            new = np.setdiff1d(short * goal.classes + rivals[short], chosen)
            if not len(new):
                return Descended(found, near=True) if (margins > 0).all() else None
            chosen = np.append(chosen, new)
            many, width = len(chosen), min(len(chosen), goal.dimension)
            price = rows_units(len(new), many, goal.dimension) + search.look_price
            likely = price + LIKELY_STEPS * newton_units(many, width)
            if search.spent + likely > most:
                return None
            search.check_time()
            search.meter.pay(price)
            rows = goal.rows(*np.divmod(new, goal.classes))
            tables, scores = [*tables, frame.into(rows)], np.append(scores, rows @ near)
            way = _way(search, _stacked(tables), scores, LOWERED[-1:])
            if way is None or way.descent.counts[0]:
                return None
            found = near + frame.back(way.best)
            margins, rivals = goal.look(found)
    return None


def _stacked(tables: list[Any]) -> Any:
    if not hasattr(tables[0], "indptr"):
        return np.concatenate(tables)
    from scipy import sparse

    return sparse.vstack(tables, format="csr")


def _frame_of(search: Search, goal: Constraints) -> Frame:
    """The coordinates of the descent, with the least exponents that the search was given."""
    return Frame(goal, None if search.finest is None else search.finest())


def _near(search: Search, goal: Constraints) -> tuple[Any, Any, Any]:
    """The weights to start at, scaled, with their scores and rivals; None to start at 0."""
    if search.near is None:
        return None, None, None
    search.meter.pay(search.look_price)
    near = search.near().ravel()
    scores, rivals = goal.look(near)
    usual = middle(np.abs(scores))
    size = FAR / usual if usual > 0 else np.inf
    if not 0 < size < np.inf:
        return None, None, None
    scores *= size
    if not np.isfinite(scores).all():
        return None, None, None
    return size * near, scores, rivals


class _Way(NamedTuple):
    """A descent, its weights of fewest errors and of least loss, its ridge, and if it may go on."""

    descent: Descent
    best: np.ndarray
    least: np.ndarray
    ridge: float
    more: bool


def _way(search: Search, rows: Any, scores: np.ndarray | None, ridges: np.ndarray) -> _Way | None:
    """Descend from 0, or from weights that give the rows these scores, with each ridge in turn."""
    rows, back = coordinates(rows)
    spread = float(np.vdot(rows, rows)) / max(1, rows.shape[1])
    if not 0 < RIDGE * spread < np.inf:
        return None
    descent, ridge, more = descent_from(rows, scores), RIDGE * spread, True
    for ridge in ridges * spread:
        more = _make_steps(search, descent, ridge)
        if not descent.counts[0]:
            break
    if descent.counts[0] > len(rows):
        return None
    return _Way(descent, back(descent.best), back(descent.weights), ridge, more)


def _make_steps(search: Search, descent: Descent, ridge: float) -> bool:
    """Make the steps of a descent, and pay for them; return whether there is more to do."""
    steps_from, each = compiled(make_steps), newton_units(*descent.rows.shape)
    began = made = int(descent.counts[1])
    more, most = True, began + STEPS
    while more and made < most:
        if made:
            search.check_time()
        search.meter.pay(each)
        steps = 1 + int(min(most - made - 1, search.meter.left / each, MOMENT / each))
        more = steps_from(descent, ridge, steps)
        count = int(descent.counts[1])
        search.meter.add((count - made - 1) * each)
        made = count
    return more


def descend(search: Search, goal: Constraints, most: int) -> Descended | None:
    """The weights of fewest violated points on the way down from 0, by L-BFGS.

    Ends at the first that meet all requirements, after at most so many evaluations, or once the
    loss hardly falls any more; None if no weights were finite.

    Parameters
    ----------
    search : Search
        The search that pays for it, with its time limit.
    goal : Constraints
        Of the search, with rows in memory.
    most : int
        Evaluations of the loss.

    Examples
    --------
    >>> X, codes = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 2])
    >>> goal = Constraints(X, codes, 3)
    >>> goal.worst(descend(Search(goal), goal, 100).weights, 1).violated
    0
    """
    scipy_linalg()
    from scipy.optimize import minimize

    with np.errstate(over="ignore"):
        frame = _frame(search, goal)
    each = descent_units(goal.n, goal.per_row, goal.blocks, goal.sparse)
    best, fewest, losses = None, goal.n + 1, []

    def loss_at(z: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best, fewest
        search.check_time()
        search.meter.pay(each)
        weights = frame.back(z)
        loss, gradient, violated = goal.hinge(weights)
        if loss <= min(losses, default=np.inf):
            search.descended = weights
        losses.append(loss)
        if violated < fewest and np.isfinite(loss):
            best, fewest = weights, violated
        stalled = len(losses) > STRIDE and loss >= SLOW * losses[-1 - STRIDE]
        if fewest == 0 or stalled or len(losses) >= most or not np.isfinite(loss):
            raise _Ended
        return loss, frame.slope(gradient)

    with suppress(_Ended), np.errstate(over="ignore", invalid="ignore"):
        minimize(
            loss_at,
            np.zeros(goal.dimension),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": most, "maxfun": most, "maxcor": 20},
        )
    return None if best is None else Descended(best)


def _frame(search: Search, goal: Constraints) -> Frame | Whitened:
    search.meter.pay(search.look_price)
    frame = Frame(goal)
    if goal.sparse or goal.d > WIDEST:
        return frame
    step = max(1, goal.n // (SAMPLE * goal.d))
    sample = np.asarray(goal.X[::step], dtype=np.float64)
    if not np.isfinite(sample - frame.shift).all():
        return frame
    search.meter.pay(0.2 * goal.d**2 * (len(sample) + goal.d))
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
        sizes = np.sqrt(np.mean(table**2, axis=0))
        sizes = np.maximum(sizes, RAREST)
        table /= sizes
        covariance = table.T @ table / len(table) + WHITENING * np.eye(frame.d)
        lower = np.linalg.cholesky(covariance)
        self.matrix = solve_triangular(lower, np.diag(1 / sizes), lower=True)

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

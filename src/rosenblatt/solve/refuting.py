"""Refutations by few rows, from the multipliers at which Newton's method ends."""

from __future__ import annotations

import numpy as np

from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame, refined
from rosenblatt.solve.effort import factor_units
from rosenblatt.solve.newton import Descent, least_loss
from rosenblatt.solve.search import Refutation, Search
from rosenblatt.solve.vertex import vertex

# Rows per column of the sample among which a refutation is searched for.
ROWS_A_COLUMN = 3


def multipliers(search: Search, descent: Descent) -> np.ndarray | None:
    """Multipliers of few constraints that refute them, at the least loss; None if there are none.

    A sample of the constraints that fall short is tried first: mostly it is inseparable, too, and
    costs less.
    """
    short = np.flatnonzero(descent.scores < 1.0)
    some = _sample(short, descent.rows.shape[1])
    if len(some) < len(short):
        part = least_loss(descent.rows[some], pay=search.meter.pay)
        alpha = None if part is None else _few(search, part)
        if alpha is not None:
            found = np.zeros(len(descent.rows))
            found[some] = alpha
            return found
    return _few(search, descent)


def refuted_in_finer_coordinates(
    search: Search, constraints: Constraints, points: np.ndarray, short: np.ndarray
) -> Refutation | None:
    """A refutation where multipliers fail only in columns that are nearly dependent on others.

    Newton's method takes such columns for dependent, and its multipliers leave residues there. In
    coordinates that scale the residues up, these points, with some more that fell short, mostly
    refute each other as well.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> X, codes = np.column_stack([X, X @ [0.1, 0.7]]), rng.integers(0, 2, 60)
    >>> constraints = Constraints(X, codes, 2)
    >>> given = Search(constraints), constraints, np.arange(4), np.arange(60)
    >>> found = refuted_in_finer_coordinates(*given)
    >>> len(found.points), min(found.alpha) > 0
    (5, True)
    """
    some = np.union1d(points, _sample(short, constraints.d + 1))
    if constraints.sparse or len(some) <= constraints.d + 1:
        return None
    rivals = 1 - constraints.own(some)
    search.check_time()
    frame, table = refined(Frame(constraints), constraints.rows(some, rivals), search.meter.pay)
    if not frame.columns:
        return None
    with np.errstate(all="ignore"):
        descent = least_loss(table, pay=search.meter.pay)
        alpha = None if descent is None else _few(search, descent)
    return None if alpha is None else search.refuted_by(some, rivals, alpha, table)


def _sample(short: np.ndarray, width: int) -> np.ndarray:
    """Every so many of the points that fell short."""
    return short[:: max(1, len(short) // (ROWS_A_COLUMN * width))]


def _few(search: Search, descent: Descent) -> np.ndarray | None:
    """The vertex of the multipliers at which a descent ended; None if it ended elsewhere."""
    short = np.flatnonzero(descent.scores < 1.0)
    if not descent.counts[0] or not len(short):
        return None
    search.meter.pay(factor_units(len(short), descent.rows.shape[1] + 1))
    found = vertex(descent.rows[short], 1.0 - descent.scores[short])
    if found is None:
        return None
    alpha = np.zeros(len(descent.rows))
    alpha[short] = found
    return alpha

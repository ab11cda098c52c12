"""Refutations by few rows, from the multipliers at which Newton's method ends."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame, refined
from rosenblatt.solve.effort import PER_EXACT_ENTRY, REFINEMENT, newton_units, vertex_units
from rosenblatt.solve.newton import LIKELY_STEPS, RIDGE, STEPS, Descent, descent_from, make_steps
from rosenblatt.solve.search import Refutation, Search
from rosenblatt.solve.vertex import vertex

# Rows per column of the sample among which a refutation is searched for; and of the rows added in
# refined coordinates, where each costs more.
REFUTING, FINELY = 6, 2


def multipliers(search: Search, descent: Descent, ridge: float) -> np.ndarray | None:
    """Multipliers of few requirements that refute them, at the least loss; None if there are none.

    A sample of the requirements that fall short is tried first: mostly it is inseparable, too, and
    costs less.
    """
    width = descent.rows.shape[1]
    short = np.flatnonzero(descent.scores < 1.0)
    every = len(short) // (REFUTING * width)
    if every > 1:
        some = short[::every]
        search.meter.pay(LIKELY_STEPS * newton_units(len(some), width))
        part = descent_from(descent.rows[some])
        compiled(make_steps)(part, ridge / every, STEPS)
        within = np.flatnonzero(part.scores < 1.0)
        lacking = 1.0 - part.scores[within]
        alpha = _vertex(search, descent, some[within], lacking) if part.counts[0] else None
        if alpha is not None:
            return alpha
    return _vertex(search, descent, short, 1.0 - descent.scores[short])


def refuted_in_finer_coordinates(
    search: Search, goal: Constraints, points: np.ndarray, short: np.ndarray
) -> Refutation | None:
    """A refutation where multipliers fail only in columns that are nearly dependent on others.

    Newton's method takes such columns for dependent, and its multipliers leave residues there. In
    coordinates that scale the residues up, these points, with some more that fell short, mostly
    refute each other as well.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> goal = Constraints(np.column_stack([X, X @ [0.1, 0.7]]), rng.integers(0, 2, 60), 2)
    >>> found = refuted_in_finer_coordinates(Search(goal), goal, np.arange(4), np.arange(60))
    >>> len(found.points), min(found.alpha) > 0
    (5, True)
    """
    width = goal.d + 1
    some = np.union1d(points, short[:: max(1, len(short) // (FINELY * width))])
    if goal.sparse or len(some) <= width:
        return None
    rivals = 1 - goal.own(some)
    rows = goal.rows(some, rivals)
    search.check_time()
    search.meter.pay(
        REFINEMENT
        + goal.d * width * PER_EXACT_ENTRY / 4
        + LIKELY_STEPS * newton_units(len(some), width)
    )
    frame, table = refined(Frame(goal), rows, search.residues_price(rows))
    if not frame.columns:
        return None
    with np.errstate(all="ignore"):
        descent = descent_from(table)
        ridge = RIDGE * float(np.vdot(table, table)) / width
        compiled(make_steps)(descent, ridge, STEPS)
        within = np.flatnonzero(descent.scores < 1.0)
        if not descent.counts[0] or not len(within):
            return None
        alpha = _vertex(search, descent, within, 1.0 - descent.scores[within])
    return None if alpha is None else search.refuted_by(some, rivals, alpha, table)


def _vertex(
    search: Search, descent: Descent, points: np.ndarray, lacking: np.ndarray
) -> np.ndarray | None:
    """The vertex of the multipliers of these points, as multipliers of all points."""
    search.meter.pay(vertex_units(len(points), descent.rows.shape[1] + 1))
    found = vertex(descent.rows[points], lacking)
    if found is None:
        return None
    alpha = np.zeros(len(descent.rows))
    alpha[points] = found
    return alpha

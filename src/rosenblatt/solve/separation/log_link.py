"""A log link as a cone: (x, 1)·z = 0 where y > 0, and (x, 1)·z ≤ 0 where y = 0.

Correia, Guimarães and Zylkin, "Verifying the existence of maximum likelihood estimates for
generalized linear models", 2019; for probabilities Schwendinger, Grün and Hornik, "A comparison of
optimization solvers for log binomial regression", 2021.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.separation.cone import Cone
from rosenblatt.solve.separation.coordinates import Coordinates

# Integers up to this are floats.
LARGEST_EXACT = 2**53


class Relative(NamedTuple):
    """The rows with y = 0, as far as they are free where those with y > 0 are fixed.

    Attributes
    ----------
    constraints : Constraints
    owner, of : ndarray of int
        Rows of the data with y = 0, and the constraint of each.
    known : dict
        Constraints that combine to 0, with their factors.
    coordinates : Coordinates
    sources : ndarray of int
        A row of the data for each constraint; −1 for one of y > 0.
    scales : list
        What each constraint is multiplied by to give −(x, 1) of that row, which is positive.
    """

    constraints: Constraints
    owner: np.ndarray
    of: np.ndarray
    known: dict[int, int]
    coordinates: Coordinates
    sources: np.ndarray
    scales: list[Any]


def relative(X: Any, won: np.ndarray, bias: bool) -> Relative:
    """The cone of a log link.

    Sparse rows, such as those of fixed effects, are first solved for the rows with y > 0: what is
    left has few coordinates. Where the result is no matrix of floats, or rows are dense, rows with
    y > 0 are constraints of either sign, which are known to combine to 0.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    >>> found = relative(X, np.array([True, False, False, False]), bias=False)
    >>> found.constraints.X.toarray(), found.of
    (array([[-1.]]), array([0, 0, 0]))
    """
    found = _solved(X, won, bias) if hasattr(X, "indptr") else None
    return found or _signed(X, won, bias)


def _signed(X: Any, won: np.ndarray, bias: bool) -> Relative:
    """Of the rows with y > 0, some that span all, with either sign; and all others."""
    above, below = np.flatnonzero(won), np.flatnonzero(~won)
    if len(above):
        fixed = Constraints(X[above], np.ones(len(above), dtype=np.intp), 2, bias)
        above = above[Cone(fixed).space().rows]
    r = len(above)
    rows = np.concatenate([above, above, below])
    codes = np.zeros(len(rows), dtype=np.intp)
    codes[:r] = 1
    sources = np.concatenate([np.full(2 * r, -1), below])
    known = dict.fromkeys(range(2 * r), 1)
    constraints = Constraints(X[rows], codes, 2, bias)
    of = 2 * r + np.arange(len(below))
    return Relative(constraints, below, of, known, Coordinates(), sources, [1] * len(rows))


def _solved(X: Any, won: np.ndarray, bias: bool) -> Relative | None:
    """The different rows with y = 0, in coordinates of the vectors orthogonal to the others."""
    from scipy import sparse

    kernel = exact.Kernel.of(exact.entries(X[won], bias))
    below = np.flatnonzero(~won)
    places: dict[tuple[Any, ...], int] = {}
    owner, of, sources, scales = [], [], [], []
    for i, row in zip(below.tolist(), exact.entries(X[below], bias), strict=True):
        rest = kernel.reduced(row)
        if not rest:
            continue
        columns = sorted(rest)
        values = exact.primitive([-rest[j] for j in columns])
        at = places.setdefault((*columns, *values), len(places))
        if at == len(sources):
            sources.append(i)
            scales.append(Fraction(-rest[columns[0]]) / values[0])
        owner.append(i)
        of.append(at)
    used = sorted({j for key in places for j in key[: len(key) // 2]})
    index = {j: k for k, j in enumerate(used)}
    values = [v for key in places for v in key[len(key) // 2 :]]
    own = [kernel.at(j) for j in range(X.shape[1] + bias)]
    factors = [{index[k]: c for k, c in row.items() if k in index} for row in own]
    loose = frozenset(j for j, row in enumerate(own) if any(k not in index for k in row))
    of_factors = [v for row in factors for v in exact.primitive(list(row.values()))]
    if any(abs(v) > LARGEST_EXACT for v in [*values, *of_factors]):
        return None
    lengths = [len(key) // 2 for key in places]
    columns = [index[j] for key in places for j in key[: len(key) // 2]]
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    if not places:  # nothing is free: one row of zeros
        starts, scales, sources = np.array([0, 0]), [1], [-1]
    shape = (max(1, len(places)), max(1, len(used)))
    B = sparse.csr_array((np.array(values, dtype=float), np.array(columns, int), starts), shape)
    constraints = Constraints(B, np.ones(shape[0], dtype=np.intp), 2, False)
    rows = [np.array(found, dtype=np.intp) for found in (owner, of, sources)]
    return Relative(constraints, rows[0], rows[1], {}, Coordinates(factors, loose), rows[2], scales)

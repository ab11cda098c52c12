"""Irreducible inseparable subsets of rows that are cheap at given prices.

Gleeson and Ryan 1990: the vertices of {α ≥ 0 : Aᵀα = 0, Σα = 1} have the irreducible inseparable
subsets as their supports. Minimising Σ pᵢαᵢ there prefers rows of low price; its dual, solved here
on a working set of rows, is: maximise t subject to aᵢ·z ≥ t − pᵢ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame
from rosenblatt.solve.effort import Meter
from rosenblatt.solve.linear_program import ROUNDING, Solution
from rosenblatt.solve.search import Search, Separator
from rosenblatt.solve.working_set import Checked, WorkingSet

# A unit of price in the program: so little that rows that cancel always come first.
PRICE_UNIT = 1e-4
# Price of rows that are left out.
EXCLUDED = np.inf


class Subset(NamedTuple):
    """Rows that no weights have right together: Σ αᵢaᵢ = 0, exactly."""

    points: np.ndarray
    alpha: tuple[int, ...]
    rivals: np.ndarray | None
    rows: frozenset[int]

    @classmethod
    def of(cls, points: np.ndarray, alpha: list[int], rivals: np.ndarray | None) -> Subset:
        """From rows and their weights, some of which may be 0."""
        kept = [i for i, a in enumerate(alpha) if a]
        chosen = points[kept]
        weights = tuple(exact.primitive([alpha[i] for i in kept]))
        against = None if rivals is None else rivals[kept]
        return cls(chosen, weights, against, frozenset(chosen.tolist()))


class Finder:
    """Finds subsets, by a linear program that keeps its basis and its working set.

    Parameters
    ----------
    constraints : Constraints
    time_left : callable, optional
        Seconds left.

    Examples
    --------
    >>> constraints = Constraints(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), 2)
    >>> finder = Finder(constraints)
    >>> len(finder.cheapest(np.zeros(4)).rows)
    3
    >>> finder.cheapest(np.array([0.0, np.inf, 0.0, 0.0])) is None
    True
    >>> finder.separator is not None
    True
    """

    def __init__(self, constraints: Constraints, time_left: Callable[[], float] | None = None):
        self.constraints, self.time_left = constraints, time_left
        self.frame = Frame(constraints)
        self.working = WorkingSet(constraints, self.frame, meter=Meter(time_left=time_left))
        self.separator: np.ndarray | None = None

    def cheapest(self, prices: np.ndarray) -> Subset | None:
        """A subset of low total price, or None where floating point finds none.

        Rows of infinite price are left out. Where the others are separable, as far as floats tell,
        ``separator`` then holds the weights, else None.
        """
        self.separator, working, floors = None, self.working, -PRICE_UNIT * prices
        if not len(working.points):
            working.add(*self._first(prices))
        working.lower(floors)

        def check(solution: Solution) -> Checked:
            margins, rivals = self.constraints.look(working.frame.back(solution.z))
            beyond = np.ldexp(margins, -self.frame.lift) - floors - solution.height
            worst = working.worst(beyond, beyond < -10 * ROUNDING)
            return Checked(None, worst, rivals[worst])

        _, solution = working.search(check)
        subset = self._exact(solution.alpha)
        dearest = PRICE_UNIT * prices[np.isfinite(prices)].max(initial=0.0)
        if subset is None and solution.height > dearest:
            self.separator = self.frame.back(solution.z)
        return subset

    def proposed(self, kept: np.ndarray) -> np.ndarray | Subset | None:
        """Weights that are right on all rows kept, or a subset of them, where floats find either.

        What is found is checked, exactly.
        """
        subset = self.cheapest(np.where(kept, 0.0, EXCLUDED))
        if subset is not None or self.separator is None:
            return subset
        table = self.separator.reshape(self.constraints.blocks, -1)
        table = table[0] if self.constraints.binary else table
        X, codes = self.constraints.X[kept], self.constraints.codes[kept]
        right = exact.signs_of_constraints(X, codes, table)[0].min(initial=1) > 0
        return self.separator if right else None

    def decided(self, kept: np.ndarray) -> np.ndarray | Subset:
        """Weights that are right on all rows kept, or a subset of them; always one, exactly."""
        answer = self.proposed(kept)
        return self._searched(np.flatnonzero(kept)) if answer is None else answer

    def _searched(self, rows: np.ndarray) -> np.ndarray | Subset:
        """The same by the exact search, which takes longer and always ends."""
        constraints = self.constraints
        X, codes = constraints.X[rows], constraints.codes[rows]
        part = Constraints(X, codes, constraints.classes, bool(constraints.bias))
        first = np.arange(min(len(rows), self.working.batch))
        rivals = part.look(np.zeros(constraints.dimension))[1][first]
        answer = Search(part, self.time_left).run(first, rivals)
        if isinstance(answer, Separator):
            return answer.weights
        against = None if constraints.binary else answer.rivals
        return Subset.of(rows[answer.points], list(answer.alpha), against)

    def _first(self, prices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(np.isfinite(prices))
        count = min(len(rows), self.working.batch)
        few = rows[np.linspace(0, len(rows) - 1, count).astype(int)]
        return few, self.constraints.look(np.zeros(self.constraints.dimension))[1][few]

    def _exact(self, alpha: np.ndarray) -> Subset | None:
        """The program's multipliers made exact, where their support allows it."""
        support = np.flatnonzero(alpha > ROUNDING * alpha.max(initial=0.0))
        if not len(support):
            return None
        constraints = self.constraints
        points, rivals = self.working.points[support], self.working.rivals[support]
        rows = constraints.rows(points, rivals)
        if constraints.sparse:
            rows = rows[:, np.unique(rows.indices)].toarray()
        solved = exact.solve_alpha(rows, alpha[support])
        if solved is None:
            return None
        return Subset.of(points, solved, None if constraints.binary else rivals)


def contradictions(constraints: Constraints, costs: np.ndarray) -> list[Subset]:
    """Pairs of identical rows of different classes, as many as their costs can carry.

    Examples
    --------
    >>> constraints = Constraints(np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 1, 1]), 2)
    >>> [len(pair.rows) for pair in contradictions(constraints, np.ones(4))]
    [2]
    """
    keys = constraints.hashes()
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    pairs = []
    for group in np.split(order, ends):
        if len(group) > 1 and len(np.unique(constraints.codes[group])) > 1:
            pairs += _matched(constraints, group, costs)
    return pairs


def _matched(constraints: Constraints, group: np.ndarray, costs: np.ndarray) -> list[Subset]:
    """Pair rows of the largest class with the others, until one side's costs are spent."""
    left = {int(row): int(costs[row]) for row in group}
    kinds, counts = np.unique(constraints.codes[group], return_counts=True)
    mine = [int(row) for row in group if constraints.codes[row] == kinds[np.argmax(counts)]]
    others = [int(row) for row in group if int(row) not in set(mine)]
    pairs = []
    while mine and others:
        pair = np.array([mine[-1], others[-1]])
        rivals = constraints.codes[pair[::-1]]
        rows = constraints.rows(pair, rivals)
        if not abs(rows[0] + rows[1]).sum():
            pairs.append(Subset.of(pair, [1, 1], None if constraints.binary else rivals))
        spent = min(left[mine[-1]], left[others[-1]])
        for side in (mine, others):
            left[side[-1]] -= spent
            if not left[side[-1]]:
                side.pop()
    return pairs

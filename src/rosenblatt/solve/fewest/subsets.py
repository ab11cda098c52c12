"""Irreducible inseparable subsets of rows that are cheap at given prices.

Gleeson and Ryan 1990: the vertices of {α ≥ 0 : Aᵀα = 0, Σα = 1} have the irreducible inseparable
subsets as their supports. Minimising Σ pᵢαᵢ there prefers rows of low price; its dual, solved here
on a working set of rows, is: maximise t subject to aᵢ·z ≥ t − pᵢ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.linear_program import Program
from rosenblatt.solve.search import Frame, OutOfTime, Search, Separator

# Prices count for so little that rows that cancel always come first.
SCALE = 1e-4
# Below this share of the largest a multiplier is taken for rounding.
NEGLIGIBLE = 1e-9
# A violation beyond the program's own tolerance.
OPEN = 1e-8
EXCLUDED = np.inf
# HiGHS's names of the simplex methods, and the iterations that a row or column may take.
DUAL, PRIMAL = 1, 4
ITERATIONS = 20


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
    goal : Requirements
    time_left : callable
        Seconds left, or None for no limit.

    Examples
    --------
    >>> goal = Constraints(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), 2)
    >>> finder = Finder(goal)
    >>> len(finder.cheapest(np.zeros(4)).rows)
    3
    >>> finder.cheapest(np.array([0.0, np.inf, 0.0, 0.0])) is None
    True
    >>> finder.separator is not None
    True
    """

    def __init__(self, goal: Constraints, time_left: Callable[[], float | None] = lambda: None):
        self.goal, self.time_left = goal, time_left
        self.frame = Frame(goal)
        self.program = Program(goal.dimension)
        self.points = np.zeros(0, dtype=np.intp)
        self.rivals = np.zeros(0, dtype=np.intp)
        self.members: set[tuple[int, int]] = set()
        self.batch = max(20, goal.dimension)
        self.separator: np.ndarray | None = None

    def cheapest(self, prices: np.ndarray) -> Subset | None:
        """A subset of low total price, or None where floating point finds none.

        Rows of infinite price are left out. Where the others are separable, as far as floats tell,
        ``separator`` then holds the weights, else None.
        """
        self.separator = None
        if not len(self.points):
            self.take_in(*self._first(prices))
        self._set_prices(prices)
        while True:
            solved = self._solve()
            if solved is None:
                return None
            t, z, alpha = solved
            weights = self.frame.back(z)
            if not self._grow(weights, t, prices):
                break
            self._set_prices(prices)
        subset = self._exact(alpha)
        if subset is None and t > SCALE * prices[np.isfinite(prices)].max(initial=0.0):
            self.separator = weights
        return subset

    def settled(self, kept: np.ndarray) -> np.ndarray | Subset | None:
        """Weights that are right on all rows kept, or a subset of them, where floats find either.

        What is found is checked, exactly.
        """
        subset = self.cheapest(np.where(kept, 0.0, EXCLUDED))
        if subset is not None or self.separator is None:
            return subset
        table = self.separator.reshape(self.goal.blocks, -1)
        table = table[0] if self.goal.binary else table
        X, codes = self.goal.X[kept], self.goal.codes[kept]
        right = exact.signs_of_requirements(X, codes, table)[0].min(initial=1) > 0
        return self.separator if right else None

    def decided(self, kept: np.ndarray) -> np.ndarray | Subset:
        """Weights that are right on all rows kept, or a subset of them; always one, exactly."""
        answer = self.settled(kept)
        return self._searched(np.flatnonzero(kept)) if answer is None else answer

    def _searched(self, rows: np.ndarray) -> np.ndarray | Subset:
        """The same by the exact search, which takes longer and always ends."""
        goal = self.goal
        part = Constraints(goal.X[rows], goal.codes[rows], goal.classes, bool(goal.bias))
        first = np.arange(min(len(rows), self.batch))
        rivals = part.look(np.zeros(goal.dimension))[1][first]
        answer = Search(part, self.time_left).run(first, rivals)
        if isinstance(answer, Separator):
            return answer.weights
        against = None if goal.binary else answer.rivals
        return Subset.of(rows[answer.points], list(answer.alpha), against)

    def _first(self, prices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(np.isfinite(prices))
        few = rows[np.linspace(0, len(rows) - 1, min(len(rows), self.batch)).astype(int)]
        return few, self.goal.look(np.zeros(self.goal.dimension))[1][few]

    def take_in(self, points: np.ndarray, rivals: np.ndarray) -> bool:
        """Take in the requirements that are new; whether there are any."""
        pairs = zip(points.tolist(), rivals.tolist(), strict=True)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.members]
        if not new:
            return False
        self.members.update(new)
        chosen, against = (np.array(side, dtype=np.intp) for side in zip(*new, strict=True))
        self.points = np.concatenate([self.points, chosen])
        self.rivals = np.concatenate([self.rivals, against])
        self.program.add(self.frame.into(self.goal.rows(chosen, against)))
        return True

    def _set_prices(self, prices: np.ndarray) -> None:
        count = len(self.points)
        lower = -SCALE * prices[self.points]
        model: Any = self.program.model
        model.changeRowsBounds(
            count, np.arange(count, dtype=np.int32), lower, np.full(count, np.inf)
        )

    def _solve(self) -> tuple[float, np.ndarray, np.ndarray] | None:
        """Solve the program; None where rounding sends both simplex methods round in circles."""
        import highspy

        model = self.program.model
        for strategy in (DUAL, PRIMAL):
            most = ITERATIONS * (self.goal.dimension + len(self.points)) + 1000
            model.setOptionValue("simplex_iteration_limit", most)
            model.setOptionValue("simplex_strategy", strategy)
            left = self.time_left()
            solved = self.program.solve(left) if left is None or left > 0 else None
            if solved is None:
                raise OutOfTime
            if model.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                return solved
            model.clearSolver()
        return None

    def _grow(self, weights: np.ndarray, t: float, prices: np.ndarray) -> bool:
        """Look at all rows; take in those that the program's answer does not hold for."""
        margins, rivals = self.goal.look(weights)
        excess = np.ldexp(margins, -self.frame.lift) + SCALE * prices - t
        worst = np.flatnonzero(excess < -OPEN)
        if not len(worst):
            return False
        worst = worst[np.argsort(excess[worst], kind="stable")[: self.batch]]
        return self.take_in(worst, rivals[worst])

    def _exact(self, alpha: np.ndarray) -> Subset | None:
        """The program's multipliers made exact, where their support allows it."""
        support = np.flatnonzero(alpha > NEGLIGIBLE * alpha.max(initial=0.0))
        if not len(support):
            return None
        rows = self.goal.rows(self.points[support], self.rivals[support])
        if self.goal.sparse:
            rows = rows[:, np.unique(rows.indices)].toarray()
        solved = exact.solve_alpha(rows, alpha[support])
        if solved is None:
            return None
        rivals = None if self.goal.binary else self.rivals[support]
        return Subset.of(self.points[support], solved, rivals)


def contradictions(goal: Constraints, costs: np.ndarray) -> list[Subset]:
    """Pairs of identical rows of different classes, as many as their costs can carry.

    Examples
    --------
    >>> goal = Constraints(np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 1, 1]), 2)
    >>> [len(pair.rows) for pair in contradictions(goal, np.ones(4))]
    [2]
    """
    keys = goal.hashes()
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    pairs = []
    for group in np.split(order, ends):
        if len(group) > 1 and len(np.unique(goal.codes[group])) > 1:
            pairs += _matched(goal, group, costs)
    return pairs


def _matched(goal: Constraints, group: np.ndarray, costs: np.ndarray) -> list[Subset]:
    """Pair rows of the largest class with the others, until one side's costs are spent."""
    left = {int(row): int(costs[row]) for row in group}
    kinds, counts = np.unique(goal.codes[group], return_counts=True)
    mine = [int(row) for row in group if goal.codes[row] == kinds[np.argmax(counts)]]
    others = [int(row) for row in group if int(row) not in set(mine)]
    pairs = []
    while mine and others:
        pair = np.array([mine[-1], others[-1]])
        rivals = goal.codes[pair[::-1]]
        rows = goal.rows(pair, rivals)
        if not abs(rows[0] + rows[1]).sum():
            pairs.append(Subset.of(pair, [1, 1], None if goal.binary else rivals))
        spent = min(left[mine[-1]], left[others[-1]])
        for side in (mine, others):
            left[side[-1]] -= spent
            if not left[side[-1]]:
                side.pop()
    return pairs

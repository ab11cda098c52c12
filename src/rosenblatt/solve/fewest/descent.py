"""Weights with few errors: descent on the number of errors itself, one line at a time.

Along a line w + tv the errors change only where a row crosses the boundary, so the best t is found
by sorting (Li and Lin 2007, "Optimizing 0/1 loss for perceptrons by random coordinate descent").
Directions are coordinates, rows in error, and random ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.solve.constraints import Constraints

# Rounds of directions without progress after which a descent ends.
PATIENCE = 3
# Columns tried in a round, of more a random choice.
COLUMNS = 200


class ErrorDescent:
    """Descends from weights to weights; keeps the best it has seen.

    Parameters
    ----------
    constraints : Constraints
    costs : ndarray of int
        What an error on each row costs.
    seed : int

    Attributes
    ----------
    weights : ndarray of shape (blocks · (d + 1),)
        The best so far.
    cost : float
        What their errors cost; scores on the boundary are errors.

    Examples
    --------
    >>> constraints = Constraints(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]), 2)
    >>> descent = ErrorDescent(constraints, np.ones(3, dtype=int))
    >>> descent.run(np.array([1.0, 0.0]))
    >>> descent.cost
    1.0
    """

    def __init__(self, constraints: Constraints, costs: np.ndarray, seed: int = 0):
        self.constraints = constraints
        self.costs = costs.astype(np.float64)
        self.rng = np.random.default_rng(seed)
        self.columns = constraints.X.tocsc() if constraints.sparse else constraints.X
        low, high = constraints.bounds()
        reach = high / 2 - low / 2
        self.reach = np.append(np.where(reach > 0, reach, 1.0), 1.0)
        self.weights, self.cost = np.zeros(constraints.dimension), float("inf")

    def offer(self, weights: np.ndarray) -> bool:
        """Keep weights if they are the best so far; whether they are."""
        margins, _ = self.constraints.look(weights)
        cost = float(self.costs[~(margins > 0)].sum())
        if cost < self.cost:
            self.weights, self.cost = np.array(weights, dtype=float).ravel(), cost
            return True
        return False

    @np.errstate(over="ignore", invalid="ignore")  # a line that leaves the floats leads nowhere
    def run(self, weights: np.ndarray, late: Callable[[], bool] = lambda: False) -> None:
        """Descend from weights until some rounds have found nothing better, or it is late."""
        weights = np.array(weights, dtype=float).ravel()
        self.offer(weights)
        constraints = self.constraints
        scores = self._scores(weights)
        cost, idle = self._cost(scores), 0
        while idle < PATIENCE and cost > 0 and not late():
            before = cost
            for block, direction, slopes in self._directions(scores):
                if late():
                    break
                t, reached = self._best_step(scores, block, slopes, cost)
                if t:
                    table = weights.reshape(constraints.blocks, -1)
                    table[block] += t * direction
                    scores[:, block] += t * slopes
                    cost = reached
            # Sums of many steps drift; what counts is the weights.
            scores = self._scores(weights)
            cost = self._cost(scores)
            self.offer(weights)
            idle = 0 if cost < before else idle + 1

    def _scores(self, weights: np.ndarray) -> np.ndarray:
        table = weights.reshape(self.constraints.blocks, -1)
        return self.constraints.X @ table[:, :-1].T + self.constraints.bias * table[:, -1]

    def _cost(self, scores: np.ndarray) -> float:
        offset, _, fixed = self._line(scores, 0, np.zeros(len(scores)))
        return float(self.costs[fixed | ~(offset > 0)].sum())

    def _directions(self, scores: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Lines to search: a block of the weights, its direction, and the scores' slopes."""
        constraints, rng = self.constraints, self.rng
        for block in rng.permutation(constraints.blocks).tolist():
            for j in rng.permutation(constraints.d + 1)[:COLUMNS].tolist():
                direction = np.zeros(constraints.d + 1)
                direction[j] = 1.0 / self.reach[j]
                yield block, direction, self._column(j) / self.reach[j]
        wrong = self._wrong(scores)
        for row in rng.permutation(wrong)[:20].tolist():
            direction = np.append(self._row(row), constraints.bias) / self.reach / self.reach
            yield (
                int(constraints.codes[row]) if constraints.blocks > 1 else 0,
                direction,
                self._slopes(direction),
            )
        for _ in range(20):
            direction = rng.standard_normal(constraints.d + 1) / self.reach
            direction[-1] *= constraints.bias
            yield int(rng.integers(constraints.blocks)), direction, self._slopes(direction)

    def _wrong(self, scores: np.ndarray) -> np.ndarray:
        offset, _, fixed = self._line(scores, 0, np.zeros(len(scores)))
        return np.flatnonzero(fixed | ~(offset > 0))

    def _column(self, j: int) -> np.ndarray:
        if j == self.constraints.d:
            return np.full(self.constraints.n, self.constraints.bias)
        if self.constraints.sparse:
            return self.columns[:, [j]].toarray().ravel().astype(float)
        return self.columns[:, j].astype(float)

    def _row(self, row: int) -> np.ndarray:
        found: Any = self.constraints.X[[row]]
        return (found.toarray() if self.constraints.sparse else found).ravel().astype(float)

    def _slopes(self, direction: np.ndarray) -> np.ndarray:
        return self.constraints.X @ direction[:-1] + self.constraints.bias * direction[-1]

    def _line(
        self, scores: np.ndarray, block: int, slopes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row i is right at t where offset + t·slope > 0, unless it is wrong whatever t is."""
        codes = self.constraints.codes
        if self.constraints.binary:
            sign = np.where(codes == 1, 1.0, -1.0)
            return sign * scores[:, 0], sign * slopes, np.zeros(len(codes), dtype=bool)
        at = np.arange(len(codes))
        mine = codes == block
        own, moving = scores[at, codes], scores[:, block].copy()
        others = scores.copy()
        others[at, codes] = -np.inf
        others[:, block] = -np.inf
        best = others.max(axis=1)
        offset = np.where(mine, own - best, own - moving)
        return offset, np.where(mine, slopes, -slopes), ~mine & ~(own > best)

    def _best_step(
        self, scores: np.ndarray, block: int, slopes: np.ndarray, now: float
    ) -> tuple[float, float]:
        """The t of fewest errors, and what they cost; 0 where staying is no worse."""
        offset, slope, fixed = self._line(scores, block, slopes)
        moving = np.flatnonzero((slope != 0) & ~fixed)
        if not len(moving):
            return 0.0, now
        still = self.costs.sum() - self.costs[moving].sum()
        still -= self.costs[(slope == 0) & ~fixed & (offset > 0)].sum()
        rising = slope[moving] > 0
        crossing = -offset[moving] / slope[moving]
        order = np.argsort(crossing)
        change = np.where(rising, -self.costs[moving], self.costs[moving])[order]
        crossing = crossing[order]
        # Costs between crossings, from far left on: rising rows are wrong there.
        costs = still + self.costs[moving][rising].sum() + np.append(0.0, np.cumsum(change))
        left = np.append(crossing[0] - 1.0 - abs(crossing[0]), crossing)
        right = np.append(crossing, crossing[-1] + 1.0 + abs(crossing[-1]))
        middle = left / 2 + right / 2
        # An interval too narrow for a float inside it does not exist.
        costs[~((left < middle) & (middle < right))] = np.inf
        least = costs.min()
        if not least <= now:
            return 0.0, now
        ties = np.flatnonzero(costs == least)
        widest = ties[np.argmax(right[ties] - left[ties])]
        chosen = widest if least < now else self.rng.choice(ties)
        return float(middle[chosen]), float(least)

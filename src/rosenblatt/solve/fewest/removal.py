"""Removing rows until the rest is separable, and no more of them than needed."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from rosenblatt.solve.fewest.cover import Covering, cost_of
from rosenblatt.solve.fewest.subsets import Finder, Subset


class Removal:
    """The best removal so far: its rows, and weights that are right on all others.

    Parameters
    ----------
    finder : Finder
    covering : Covering
        Takes in the subsets met on the way.

    Attributes
    ----------
    rows : set of int
    weights : ndarray
        Floats, or fractions where floats do not suffice.
    cost : int
    witnesses : dict
        From removed rows to the number of a subset that forbids putting them back.
    """

    def __init__(self, finder: Finder, covering: Covering):
        self.finder, self.covering = finder, covering
        self.costs = covering.costs
        self.rows = set(range(finder.constraints.n))
        self.weights: np.ndarray = np.zeros(finder.constraints.dimension)
        self.cost = cost_of(self.costs, self.rows)
        self.witnesses: dict[int, int] = {}

    def offer(self, weights: np.ndarray) -> bool:
        """Remove what weights have wrong, if that costs less than the best removal so far.

        Weights of columns of subnormal numbers may be beyond floats, and say nothing.
        """
        if weights.dtype != object and not np.isfinite(weights).all():
            return False
        wrong, _ = self.finder.constraints.violated_exactly(weights, self.finder.constraints.n)
        rows = set(wrong.tolist())
        cost = cost_of(self.costs, rows)
        if cost >= self.cost:
            return False
        self.rows, self.weights, self.cost, self.witnesses = rows, weights, cost, {}
        return True

    @property
    def irreducible(self) -> bool:
        """Whether every removed row is known to be needed."""
        return self.rows == self.witnesses.keys()

    def reduce(self, late: Callable[[], bool], *, surely: bool = False) -> None:
        """Put rows back as long as the rest stays separable, and there is time.

        Surely: exact arithmetic decides where floats do not tell.
        """
        margins, _ = self.finder.constraints.look(np.asarray(self.weights, dtype=float))
        for row in sorted(self.rows, key=lambda row: -margins[row]):
            if row in self.rows and row not in self.witnesses and not late():
                self._put_back(row, surely=surely)

    def _put_back(self, row: int, *, surely: bool = False) -> None:
        """Put one row back, or note the subset that forbids it; surely, or where floats tell."""
        witness = self._known(row, self.rows)
        if witness is None:
            kept = self._kept(self.rows - {row})
            answer = self.finder.decided(kept) if surely else self.finder.proposed(kept)
            if not isinstance(answer, Subset):
                if answer is not None:
                    self.offer(answer)
                return
            self.covering.add(answer)
            witness = self.covering.known[answer.rows]
        self.witnesses[row] = witness

    def _known(self, row: int, rows: Collection[int]) -> int | None:
        """A known subset that has this row and no other of those removed."""
        gone = set(rows) - {row}
        return next(
            (
                at
                for at in self.covering.containing.get(row, ())
                if self.covering.subsets[at].rows.isdisjoint(gone)
            ),
            None,
        )

    def _kept(self, removed: Collection[int]) -> np.ndarray:
        kept = np.ones(self.finder.constraints.n, dtype=bool)
        kept[list(removed)] = False
        return kept

    def exchange(self, rng: np.random.Generator) -> bool:
        """Put one row back and remove another for it, then put back what can be; whether better.

        Known subsets tell of most rows that they cannot be put back, without a program.
        """
        row = int(rng.choice(sorted(self.rows)))
        if row not in self.witnesses:
            self._put_back(row)
            return row not in self.rows
        others = [
            other
            for other in self.covering.subsets[self.witnesses[row]].rows
            if other != row and self.costs[other] <= self.costs[row]
        ]
        if not others:
            return False
        rows = (self.rows - {row}) | {int(rng.choice(sorted(others)))}
        return self._complete(rows)

    def _complete(self, rows: set[int]) -> bool:
        """Make a removal of rows that nearly are one, and keep it if it is no worse."""
        finder, covering = self.finder, self.covering
        while True:
            answer = finder.proposed(self._kept(rows))
            if answer is None:
                return False
            if not isinstance(answer, Subset):
                break
            covering.add(answer)
            uses = {r: len(covering.containing.get(r, ())) / self.costs[r] for r in answer.rows}
            rows = rows | {max(uses, key=lambda r: (uses[r], -r))}
            if cost_of(self.costs, rows) > 1.1 * self.cost + 2 * self.costs.max():
                return False
        for row in sorted(rows, key=lambda r: (-self.costs[r], r)):
            if self._known(row, rows) is not None:
                continue
            found = finder.proposed(self._kept(rows - {row}))
            if isinstance(found, Subset):
                covering.add(found)
            elif found is not None:
                rows, answer = rows - {row}, found
        cost = cost_of(self.costs, rows)
        better = cost < self.cost
        if cost <= self.cost:
            self.rows, self.weights, self.cost = rows, answer, cost
            self.witnesses = {}
            for row in rows:
                known = self._known(row, rows)
                if known is not None:
                    self.witnesses[row] = known
        return better

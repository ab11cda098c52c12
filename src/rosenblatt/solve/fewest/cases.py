"""Branch and cut: cases by rows, each bounded by the covering program over known subsets.

The tree of cases is the proof of the lower end: every case carries exact multipliers.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rosenblatt.proof.certificate.tree import DEEPEST, Branch, Impossible, Leaf, Node
from rosenblatt.solve.fewest.cover import Covering, cost_of, worth
from rosenblatt.solve.fewest.removal import Removal
from rosenblatt.solve.fewest.subsets import EXCLUDED, Finder, Subset

# A subset whose rows are removed by less than this is not covered.
COVERED = 1 - 1e-6
# Shares this near to 0 or 1 are whole.
WHOLE = 1e-6
# Subsets looked for between two solutions of the covering program, at first and within cases.
AT_ROOT, IN_CASES = 100, 10


class TooDeep(Exception):
    """The least bound is that of a case as deep as a certificate may hold."""


@dataclass
class Case:
    """One case: rows removed and kept on the way to it, what it proves, and where it splits."""

    removed: tuple[int, ...]
    kept: tuple[int, ...]
    proof: Leaf | Impossible = field(default_factory=lambda: Leaf(()))
    bound: float = 0
    value: float = 0
    shares: dict[int, float] = field(default_factory=dict)
    cases: tuple[int, Case, Case] | None = None

    def tree(self, enough: float) -> Node:
        """The proof of a bound: cases that prove it by themselves are not split."""
        if self.cases is None or self.bound >= enough:
            return self.proof
        row, removed, kept = self.cases
        return Branch(row, removed.tree(enough), kept.tree(enough))

    @property
    def depth(self) -> int:
        """Rows that were split by."""
        return len(self.removed) + len(self.kept)


class Cases:
    """The search over cases, best bound first.

    Parameters
    ----------
    finder, covering, removal
        Shared with the search for weights.
    """

    def __init__(self, finder: Finder, covering: Covering, removal: Removal):
        self.finder, self.covering, self.removal = finder, covering, removal
        self.costs = covering.costs
        self.root = Case((), ())
        self.open: list[tuple[float, int, Case]] = [(0, 0, self.root)]
        self.count = 1
        self.lower = 0

    @property
    def done(self) -> bool:
        """Whether both ends meet, or nothing is left to split."""
        return self.lower >= self.removal.cost or not self.open

    def root_step(self, late: Callable[[], bool]) -> bool:
        """Add subsets to the covering program of all cases; whether there were any."""
        grown = self._cut(self.root, AT_ROOT, late)
        self.open = [(self.root.bound, 0, self.root)]
        self._raise_lower()
        return grown

    def step(self) -> None:
        """Split the case of least bound; where it is interrupted, it stays open."""
        case = self.open[0][2]
        # Subsets found since it was made may settle it.
        while self._cut(case, IN_CASES) and case.bound < self.removal.cost:
            pass
        if case.bound < self.removal.cost:
            self._split(case)
        heapq.heappop(self.open)
        self._raise_lower()

    def _raise_lower(self) -> None:
        bounds = [bound for bound, _, _ in self.open]
        least = min([*bounds, self.removal.cost])
        self.lower = max(self.lower, int(least))

    def tree(self) -> Node:
        """The proof of the lower end."""
        return self.root.tree(self.lower)

    def _push(self, case: Case) -> None:
        self.count += 1
        heapq.heappush(self.open, (case.bound, self.count, case))

    def _split(self, case: Case) -> None:
        fractional = {r: s for r, s in case.shares.items() if WHOLE < s < 1 - WHOLE}
        if not fractional or case.depth >= DEEPEST:
            self._push(case)
            self._raise_lower()
            raise TooDeep
        row = min(fractional, key=lambda r: (abs(fractional[r] - 0.5), -self.costs[r], r))
        removed = Case((*case.removed, row), case.kept)
        kept = Case(case.removed, (*case.kept, row))
        for child in (removed, kept):
            self._solve(child)
        case.cases = (row, removed, kept)
        for child in (removed, kept):
            if child.bound < self.removal.cost:
                self._push(child)

    def _solve(self, case: Case) -> None:
        """Bound a case by the subsets known."""
        broken = self.covering.broken(case.kept)
        if broken is not None:
            case.proof, case.bound = Impossible(broken), math.inf
            return
        solved = self.covering.solve(case.removed, case.kept)
        value = worth(solved.leaf)
        bound = cost_of(self.costs, case.removed) + math.ceil(value)
        case.shares = solved.removed
        case.proof, case.bound, case.value = solved.leaf, bound, float(value)

    def _cut(self, case: Case, most: int, late: Callable[[], bool] = lambda: False) -> bool:
        """Find subsets that the case's shares do not cover; whether there were any."""
        self._solve(case)
        if case.bound >= self.removal.cost:
            return False
        shares = np.zeros(self.finder.constraints.n)
        for row, share in case.shares.items():
            shares[row] = min(1.0, share)
        shares[list(case.removed)] = EXCLUDED
        grown = self._priced(shares, most, late)
        whole = all(s >= 1 - WHOLE or s <= WHOLE for s in case.shares.values())
        if not grown and whole:
            grown = self._decide(shares)
        if grown:
            self._solve(case)
        return grown

    def _priced(self, shares: np.ndarray, most: int, late: Callable[[], bool]) -> bool:
        """Subsets that are cheap at the shares; each found makes its rows dearer for the next."""
        prices, grown = shares.copy(), False
        prices[shares >= 1 - WHOLE] = EXCLUDED
        for _ in range(most):
            if late():
                break
            subset = self.finder.cheapest(prices)
            if subset is None:
                if self.finder.separator is not None:
                    self.removal.offer(self.finder.separator)
                break
            rows = list(subset.rows)
            if shares[rows].sum() < COVERED and self.covering.add(subset):
                grown = True
            elif prices[rows].sum() >= 1:
                break
            prices[rows] += max(0.1, 1.0 / len(rows))
        return grown

    def _decide(self, shares: np.ndarray) -> bool:
        """Whether the rest of a whole removal is inseparable still; exactly."""
        answer = self.finder.decided(shares < 1 - WHOLE)
        if isinstance(answer, Subset):
            return self.covering.add(answer)
        self.removal.offer(answer)
        return False

"""The covering program: how much must be removed so that every known subset loses a row?

minimise Σ cᵢyᵢ subject to Σ_{i ∈ S} yᵢ ≥ 1 for the subsets S found so far, y ≥ 0, by HiGHS. Its
dual has the multipliers λ that a certificate records; they are made exact here, in fractions that
load no row with more than its cost.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof.certificate.tree import Leaf
from rosenblatt.solve.fewest.subsets import Subset
from rosenblatt.solve.linear_program import new_model, run

# Denominators of multipliers.
DENOMINATOR = 10_000
# Multipliers that are solved for exactly where costs are large.
LARGEST_VERTEX = 100
# Smaller shares of a row are taken for rounding.
NEGLIGIBLE = 1e-9


class Solved(NamedTuple):
    """The program's answer in one case.

    Attributes
    ----------
    removed : dict
        From rows to the share of them removed, where it is not 0.
    leaf : Leaf
        The exact multipliers.
    """

    removed: dict[int, float]
    leaf: Leaf


class Covering:
    """The subsets found so far, and the program over them.

    Parameters
    ----------
    costs : ndarray of int
        Of all rows.

    Examples
    --------
    >>> covering = Covering(np.ones(3, dtype=int))
    >>> for rows in ([0, 1], [1, 2], [0, 2]):
    ...     _ = covering.add(Subset.of(np.array(rows), [1, 1], None))
    >>> solved = covering.solve((), ())
    >>> solved.removed, sum(m for _, m in solved.leaf.multipliers)
    ({0: 0.5, 1: 0.5, 2: 0.5}, Fraction(3, 2))
    """

    def __init__(self, costs: np.ndarray):
        self.costs = costs
        self.scale = float(costs.max(initial=1))
        self.subsets: list[Subset] = []
        self.known: dict[frozenset[int], int] = {}
        self.columns: dict[int, int] = {}
        self.rows: list[int] = []
        self.containing: dict[int, list[int]] = {}
        self.fixed: tuple[Collection[int], Collection[int]] = ((), ())
        self.model = new_model(presolve="off")

    def add(self, subset: Subset) -> bool:
        """Take in a subset; whether it is new."""
        if subset.rows in self.known:
            return False
        self.known[subset.rows] = len(self.subsets)
        rows = sorted(subset.rows)
        for row in rows:
            if row not in self.columns:
                self.columns[row] = len(self.rows)
                self.rows.append(row)
                self.model.addVar(0.0, np.inf)
                self.model.changeColCost(self.columns[row], self.costs[row] / self.scale)
            self.containing.setdefault(row, []).append(len(self.subsets))
        index = np.array([self.columns[row] for row in rows], dtype=np.int32)
        self.model.addRow(1.0, np.inf, len(rows), index, np.ones(len(rows)))
        self.subsets.append(subset)
        return True

    def broken(self, kept: Collection[int]) -> int | None:
        """A subset of which all rows are kept, if there is one."""
        held = set(kept)
        candidates = {at for row in held for at in self.containing.get(row, ())}
        return next((at for at in sorted(candidates) if self.subsets[at].rows <= held), None)

    def solve(self, removed: Sequence[int], kept: Sequence[int]) -> Solved:
        """The program with those rows removed, and those not removable."""
        self._fix(removed, kept)
        run(self.model)
        solution = self.model.getSolution()
        values, duals = np.asarray(solution.col_value), np.asarray(solution.row_dual)
        gone = set(removed)
        shares = {
            self.rows[j]: float(values[j])
            for j in np.flatnonzero(values > NEGLIGIBLE)
            if self.rows[j] not in gone
        }
        return Solved(shares, self._leaf(duals, shares, gone, set(kept)))

    def _fix(self, removed: Sequence[int], kept: Sequence[int]) -> None:
        """Free the subsets that have a removed row; fix kept rows at 0."""
        before_removed, before_kept = self.fixed
        for row in before_removed:
            for at in self.containing.get(row, ()):
                self.model.changeRowBounds(at, 1.0, np.inf)
        for row in before_kept:
            if row in self.columns:
                self.model.changeColBounds(self.columns[row], 0.0, np.inf)
        for row in removed:
            for at in self.containing.get(row, ()):
                self.model.changeRowBounds(at, -np.inf, np.inf)
        for row in kept:
            if row in self.columns:
                self.model.changeColBounds(self.columns[row], 0.0, 0.0)
        self.fixed = (tuple(removed), tuple(kept))

    def _leaf(
        self, duals: np.ndarray, shares: dict[int, float], removed: set[int], kept: set[int]
    ) -> Leaf:
        """Multipliers near the program's that keep every row within its cost, exactly."""
        chosen = {
            int(at): Fraction(float(duals[at]) * self.scale).limit_denominator(DENOMINATOR)
            for at in np.flatnonzero(duals > NEGLIGIBLE)
            if self.subsets[at].rows.isdisjoint(removed)
        }
        if self.scale > DENOMINATOR:
            chosen = self._vertex(list(chosen), [r for r in shares if r not in kept]) or chosen
        load: dict[int, Fraction] = {}
        for at, multiplier in chosen.items():
            for row in self.subsets[at].rows - kept:
                load[row] = load.get(row, Fraction(0)) + multiplier
        over = max((total / int(self.costs[row]) for row, total in load.items()), default=0)
        shrink = 1 / Fraction(over) if over > 1 else Fraction(1)
        return Leaf(tuple((at, m * shrink) for at, m in chosen.items() if m))

    def _vertex(self, subsets: list[int], rows: list[int]) -> dict[int, Fraction] | None:
        """The multipliers that load these rows with exactly their costs, if there is one choice.

        Rows that are removed in part are loaded in full: with large costs, rounding would lose
        more than the next whole number gives back.
        """
        from flint import fmpz_mat

        if not subsets or len(subsets) != len(rows) or len(rows) > LARGEST_VERTEX:
            return None
        table = [[int(row in self.subsets[at].rows) for at in subsets] for row in rows]
        matrix = fmpz_mat(table)
        if matrix.rank() < len(rows):
            return None
        solved = matrix.solve(fmpz_mat([[int(self.costs[row])] for row in rows])).entries()
        values = [Fraction(int(v.p), int(v.q)) for v in solved]
        return dict(zip(subsets, values, strict=True)) if min(values) >= 0 else None


def worth(leaf: Leaf) -> Fraction:
    """Σλ."""
    return sum((m for _, m in leaf.multipliers), Fraction(0))


def cost_of(costs: Any, rows: Collection[int]) -> int:
    """What removing these rows costs, in Python's integers, which do not overflow."""
    return sum(int(costs[row]) for row in rows)

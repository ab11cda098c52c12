"""Separate or refute: decide Az > 0 on a few constraints at a time.

If a subset of the constraints cannot be met, neither can all of them; if weights that meet a subset
meet the rest too, all are met. Floating point proposes, exact arithmetic disposes: every answer of
this module has been checked over the rationals, and because a working set only grows, the search
always ends. Its cost is metered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.coordinates import Frame, Refined, refined
from rosenblatt.solve.effort import (
    CALL,
    Meter,
    bits_of,
    exact_entries_units,
    exact_units,
    factor_units,
    look_units,
)
from rosenblatt.solve.linear_constraints import LinearConstraints
from rosenblatt.solve.linear_program import ROUNDING, Program, Solution
from rosenblatt.solve.wolfe import min_norm_point
from rosenblatt.solve.working_set import Checked, WorkingSet

# Numbers smaller than this may underflow when they are scaled or subtracted.
UNDERFLOWS = 1e-200
# Units of an exact solution up to which it is put off until a user asks for it.
UNITS_PUT_OFF = 2e9


class Separator(NamedTuple):
    """Weights that meet every constraint: floats, or fractions where floats cannot."""

    weights: np.ndarray

    def floats(self) -> np.ndarray:
        """The weights in floating point; fractions are scaled to at most 1 first."""
        return self.scaled().astype(np.float64)

    def scaled(self) -> np.ndarray:
        """The weights; fractions are scaled to at most 1."""
        if self.weights.dtype != object:
            return self.weights
        return self.weights / max(map(abs, self.weights))


class Refutation(NamedTuple):
    """Constraints that no weights meet together: Σ αᵢ aᵢ = 0, exactly.

    The multipliers may only be known to exist; they are then solved for on first use.
    """

    points: np.ndarray
    rivals: np.ndarray
    multipliers: Sequence[int] | exact.Implied

    @property
    def alpha(self) -> Sequence[int]:
        """The multipliers, whole numbers."""
        known = self.multipliers
        return known.alpha if isinstance(known, exact.Implied) else known


class SearchRound(NamedTuple):
    """Where the search stands after a look over all points."""

    number: int
    size: int
    violated: int
    fewest: int
    weights: np.ndarray


class Search:
    """The search for a separator or a refutation.

    Parameters
    ----------
    constraints : LinearConstraints
        What is to be met.
    time_left : callable, optional
        Seconds left; `OutOfTime` is raised when they are spent. A meter has its own.
    progress : callable, optional
        Sees each `SearchRound`.
    budget : float or Meter, optional
        Units that may be spent (see `effort`); `OutOfBudget` is raised before they are exceeded.

    Attributes
    ----------
    best, fewest : ndarray, int
        The weights that violate constraints of the fewest points so far, and of how many.
    rounds : int
        Working sets solved and looked at.

    Examples
    --------
    >>> from rosenblatt.solve.constraints import Constraints
    >>> X, codes = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    >>> Search(Constraints(X, codes, 2)).run(np.arange(3), 1 - codes)
    Refutation(points=array([0, 1, 2]), rivals=array([1, 0, 1]), multipliers=Implied(3 rows))
    """

    def __init__(
        self,
        constraints: LinearConstraints,
        time_left: Callable[[], float] | None = None,
        progress: Callable[[SearchRound], None] | None = None,
        budget: float | Meter | None = None,
    ):
        self.constraints, self.progress = constraints, progress
        self.meter = budget if isinstance(budget, Meter) else Meter(budget, time_left)
        # Adding one vector to every class's weights changes nothing: the last class's may be 0.
        self.free = constraints.dimension - (constraints.d + 1) * (constraints.blocks > 1)
        self.working: WorkingSet | None = None
        self.base: Frame
        self.rounds, self.announced = 0, False
        self.fewest, self.best = constraints.n + 1, np.zeros(constraints.dimension)

    @property
    def spent(self) -> int:
        """Units spent."""
        return self.meter.spent

    @property
    def look_price(self) -> float:
        """Units of a look at all points."""
        return look_units(self.constraints.n, self.constraints.per_row, self.constraints.blocks)

    def consider(self, weights: np.ndarray, violated: int) -> None:
        """Keep weights that violate constraints of fewer points than any before."""
        if violated < self.fewest:
            self.fewest, self.best = violated, weights

    def run(self, points: np.ndarray, rivals: np.ndarray) -> Separator | Refutation:
        """Search from a first working set."""
        self.meter.pay(self.look_price + CALL)
        self.base = Frame(self.constraints)
        working = WorkingSet(self.constraints, self.base, Program(self.free), meter=self.meter)
        self.working = working
        working.add(points, rivals)
        while True:
            answer, solution = working.search(self._check)
            if answer is None and not self._refine(working):
                answer = self._by_nearest_point(working, solution.alpha)
            if answer is not None:
                return answer

    def _check(self, solution: Solution) -> Checked:
        """A refutation by the program's multipliers, or a look at all points with its weights."""
        working = self.working
        assert working is not None
        if solution.height <= ROUNDING:
            return Checked(self.refuted_by(working.points, working.rivals, solution.alpha))
        others = np.zeros(self.constraints.dimension - self.free)
        return self._look(working, working.frame.back(np.append(solution.z, others)))

    def _look(self, working: WorkingSet, weights: np.ndarray) -> Checked:
        """Look at all points with weights; floats come before fractions."""
        fractions = weights.dtype == object
        floats = Separator(weights).floats()
        self.meter.pay(self.look_price)
        found = self.constraints.worst(floats, working.batch)
        self.rounds += 1
        self.consider(floats, found.violated)
        if self.progress is not None:
            so_far = self.rounds, len(working.points), found.violated, self.fewest, self.best
            self.progress(SearchRound(*so_far))
        violated: Any = found.points[: found.violated], found.rivals[: found.violated]
        if working.lacks(*violated):
            return Checked(None, *violated)
        entries = self.constraints.n * self.constraints.per_row
        for candidate in [floats] * (not found.violated) + [weights] * fractions:
            exactly = candidate.dtype == object
            self.meter.pay(3 * self.look_price + exactly * exact_entries_units(entries))
            violated = self.constraints.violated_exactly(candidate, working.batch)
            if not len(violated[0]):
                return Checked(Separator(candidate))
            if working.lacks(*violated):
                return Checked(None, *violated)
        return Checked()

    def refuted_by(
        self,
        points: np.ndarray,
        rivals: np.ndarray,
        alpha: np.ndarray,
        table: np.ndarray | None = None,
    ) -> Refutation | None:
        """A refutation by multipliers that are proved to exist, or made exact; None if neither.

        ``table`` has these constraints in coordinates in which they are better conditioned.
        """
        if not alpha.max(initial=0.0) > 0:
            return None  # the program ended within its tolerances
        support = np.flatnonzero(alpha > ROUNDING * alpha.max())
        points, rivals, alpha = points[support], rivals[support], alpha[support]
        rows, _ = self._exact_rows(points, rivals)
        implied = self._implied(rows, alpha, table if table is None else table[support])
        if implied is not None:
            return Refutation(points, rivals, implied)
        self.meter.pay(exact_entries_units(rows.size) + 2 * rows.size * min(rows.shape))
        if exact.rank_at_least(rows) == len(support):
            return None
        self.meter.pay(exact_units(rows.shape[0], rows.shape[1], bits_of(rows)))
        solved = exact.solve_alpha(rows, alpha)
        return None if solved is None else _refutation(points, rivals, solved)

    def _implied(
        self, rows: np.ndarray, alpha: np.ndarray, table: np.ndarray | None
    ) -> exact.Implied | None:
        """Multipliers near these, if they are proved to exist and are cheap to solve for.

        The entries of a table may be linear functions of the coordinates, rounded once.
        """
        if table is None:
            self.meter.pay(factor_units(*rows.shape))
            table = exact.spanning_columns(rows)
        # The bound on rounding does not cover underflow.
        elif np.min(np.abs(rows), where=rows != 0, initial=np.inf) < UNDERFLOWS:
            return None
        if table is None:
            return None
        width = table.shape[1]
        if exact_units(width + 1, width, bits_of(rows)) > UNITS_PUT_OFF:
            return None
        self.meter.pay(factor_units(width, width))
        sure = exact.sure_weights(table, alpha)
        return None if sure is None else exact.Implied(rows, sure)

    def _refine(self, working: WorkingSet) -> bool:
        """Change to coordinates without nearly dependent columns; whether that is new."""
        constraints = self.constraints
        if constraints.sparse:
            return False
        points, first = np.unique(working.points, return_index=True)
        rows = constraints.rows(points, working.rivals[first])
        rows = rows.reshape(len(points), constraints.blocks, -1)
        own = constraints.own(points) if constraints.blocks > 1 else 0
        better, _ = refined(self.base, rows[np.arange(len(points)), own], self.meter.pay)
        before = working.frame.columns if isinstance(working.frame, Refined) else []
        if set(better.columns) <= set(before):
            return False
        self.meter.pay(CALL)
        working.change(better, Program(self.free))
        return True

    def _by_nearest_point(
        self, working: WorkingSet, alpha: np.ndarray
    ) -> Separator | Refutation | None:
        """Decide the working set over the rationals, by the point of its hull nearest to 0.

        None where all points say that the working set was too small.
        """
        rows, columns = self._exact_rows(working.points, working.rivals)
        exponents = self.base.exponents[columns]
        scaled = np.ldexp(rows, -exponents)
        if not np.array_equal(np.ldexp(scaled, exponents), rows):
            # Scaling underflowed, and lost bits of tiny numbers.
            scaled, exponents = rows, np.zeros_like(exponents)
        guess = np.argsort(-alpha, kind="stable")[: np.count_nonzero(alpha)]
        self.meter.pay(exact_entries_units(2 * rows.size))

        def pay(unknowns: int, bits: int) -> None:
            products = rows.size * (50 + unknowns * bits / 64)
            # The inner products have twice the bits.
            self.meter.pay(exact_units(unknowns, unknowns, 2 * bits) + products)

        nearest = min_norm_point(scaled, guess.tolist(), pay=pay)
        if not any(nearest.point):
            support = np.array(nearest.support, dtype=np.intp)
            of = working.points[support], working.rivals[support]
            return _refutation(*of, exact.primitive(nearest.alpha))
        weights = np.full(self.constraints.dimension, Fraction(0), dtype=object)
        weights[columns] = [
            z / Fraction(2) ** int(e) for z, e in zip(nearest.point, exponents, strict=True)
        ]
        seen = self._look(working, weights)
        grown = working.add(seen.points, seen.rivals)
        assert grown or seen.answer is not None, "the nearest point meets its working set"
        return seen.answer

    def _exact_rows(self, points: np.ndarray, rivals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Those constraints as they are, dense, on the columns that any of them uses."""
        rows = self.constraints.rows(points, rivals)[:, : self.free]
        if not self.constraints.sparse:
            return rows, np.arange(rows.shape[1])
        columns = np.unique(rows.indices)
        return rows[:, columns].toarray(), columns


def _refutation(points: np.ndarray, rivals: np.ndarray, alpha: Sequence[int]) -> Refutation:
    """The refutation by the constraints whose multiplier is not 0."""
    kept = np.array([at for at, value in enumerate(alpha) if value], dtype=np.intp)
    return Refutation(points[kept], rivals[kept], [value for value in alpha if value])

"""Separate or refute: decide Az > 0 on a few requirements at a time.

If a subset of the requirements cannot be met, neither can all of them; if weights that meet a
subset meet the rest too, all are met. Floating point proposes, exact arithmetic disposes: every
answer of this module has been checked over the rationals, and because a working set only grows, the
search always ends. Its cost is metered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proof import exact
from rosenblatt.solve.coordinates import Frame, Refined, refined
from rosenblatt.solve.effort import (
    PER_INTEGER,
    PER_RESIDUE,
    PROGRAM,
    REFINEMENT,
    Meter,
    OutOfBudget,
    bits_of,
    elimination_units,
    exact_units,
    existence_units,
    iteration_units,
    look_units,
    written_units,
)
from rosenblatt.solve.goal import Goal
from rosenblatt.solve.linear_program import Program
from rosenblatt.solve.wolfe import min_norm_point

# The program's t is within its tolerances below this, and only exact arithmetic can decide.
OPEN = 1e-9
# Share of the largest multiplier below which others are at first taken for rounding: in solutions
# of programs, and in a vertex after a descent.
NEGLIGIBLE, ROUNDED = 1e-10, 1e-8
# Rows with larger entries are scaled down: HiGHS refuses those of 1e15.
HUGE = 1e6

# Numbers smaller than this may underflow when they are scaled or subtracted.
UNDERFLOWS = 1e-200
# Most units of an exact solution that is put off until a user asks for it.
LATER = 2e9
# Entries of rows that are written at a time.
WRITTEN = 2**24


class Separator(NamedTuple):
    """Weights that meet every requirement: floats, or fractions where floats cannot.

    ``near`` says whether they are near the weights that the search was given.
    """

    weights: np.ndarray
    near: bool = False

    def floats(self) -> np.ndarray:
        """The weights in floating point; fractions are scaled to at most 1 first."""
        return self.scaled().astype(np.float64)

    def scaled(self) -> np.ndarray:
        """The weights; fractions are scaled to at most 1."""
        if self.weights.dtype != object:
            return self.weights
        return self.weights / max(map(abs, self.weights))


class Refutation(NamedTuple):
    """Requirements that no weights meet together: Σ αᵢ aᵢ = 0, exactly.

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


class WorkingSetGrew(NamedTuple):
    """The working set grew: solve again."""


class SearchRound(NamedTuple):
    """Where the search stands after a look over all points."""

    number: int
    size: int
    violated: int
    fewest: int
    weights: np.ndarray


class OutOfTime(Exception):
    """The deadline has passed."""


class Search:
    """The search for a separator or a refutation.

    Parameters
    ----------
    goal : Goal
        What is to be met.
    time_left : callable, optional
        Seconds left, or None for no limit; `OutOfTime` is raised when they are spent.
    progress : callable, optional
        Sees each `SearchRound`.
    budget : float or Meter, optional
        Units that may be spent (see `effort`); `OutOfBudget` is raised before they are exceeded.
    near : callable, optional
        Returns weights that a separator should be near.
    finest : callable, optional
        Returns the least exponents of the columns in the coordinates of a descent (see `Frame`).

    Examples
    --------
    >>> from rosenblatt.solve.constraints import Constraints
    >>> X, codes = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    >>> Search(Constraints(X, codes, 2)).run(np.arange(3), 1 - codes)
    Refutation(points=array([0, 1, 2]), rivals=array([1, 0, 1]), multipliers=Implied(3 rows))
    """

    def __init__(
        self,
        goal: Goal,
        time_left: Callable[[], float | None] = lambda: None,
        progress: Callable[[SearchRound], None] | None = None,
        budget: float | Meter | None = None,
        near: Callable[[], np.ndarray] | None = None,
        finest: Callable[[], np.ndarray] | None = None,
    ):
        self.goal, self.time_left, self.progress = goal, time_left, progress
        self.near, self.finest = near, finest
        self.meter = budget if isinstance(budget, Meter) else Meter(budget)
        # Adding one vector to every class's weights changes nothing: the last class's may be 0.
        self.free = goal.dimension - (goal.d + 1 if goal.blocks > 1 else 0)
        # Entries of a row of the program: two blocks, or one.
        self.width = min(self.free, goal.d + 1 if goal.binary else 2 * goal.d + 2)
        self.frame: Frame | Refined
        self.program: Program
        self.sizes: np.ndarray
        self.points = np.zeros(0, dtype=np.intp)
        self.rivals = np.zeros(0, dtype=np.intp)
        self.members: set[tuple[int, int]] = set()
        self.rounds, self.announced = 0, False
        self.fewest, self.best = goal.n + 1, np.zeros(goal.dimension)
        # The weights of least loss that a descent came to.
        self.descended: np.ndarray | None = None
        # Rows of many classes are long; so many are written in one call that it stays short.
        written = goal.dimension if not goal.sparse else self.width
        self.batch = max(50, min(1000, goal.dimension, WRITTEN // written))

    @property
    def spent(self) -> int:
        """Units spent."""
        return self.meter.spent

    @property
    def look_price(self) -> float:
        """Units of a look at all points."""
        return look_units(self.goal.n, self.goal.per_row, self.goal.blocks)

    def run(self, points: np.ndarray, rivals: np.ndarray) -> Separator | Refutation:
        """Search from a first working set."""
        if not self.members:
            self.meter.pay(self.look_price)
            self._set_frame(Frame(self.goal))
        self._add(points, rivals)
        while True:
            t, z, alpha = self._solve()
            answer = self._try(self._back(z)) if t > OPEN else self._refute(alpha)
            if answer is None:
                answer = self._refine()
            if answer is None:
                answer = self._settle(alpha)
            if not isinstance(answer, WorkingSetGrew):
                return answer

    def residues_price(self, rows: np.ndarray) -> Callable[[int], None]:
        """A function that pays for replacing so many columns of these rows by residues."""
        return lambda columns: self.meter.pay(PER_RESIDUE * columns * rows.size)

    def _set_frame(self, frame: Frame | Refined) -> None:
        """Write the program of the working set in these coordinates."""
        self.meter.pay(PROGRAM)
        self.frame, self.program, self.sizes = frame, Program(self.free), np.zeros(0)
        if len(self.points):
            self._write(self.points, self.rivals)

    def _write(self, points: np.ndarray, rivals: np.ndarray) -> None:
        rows = self.goal.rows(points, rivals)
        replaced = len(self.frame.residues) if isinstance(self.frame, Refined) else 0
        self.meter.pay(len(points) * (20 * self.free + PER_RESIDUE * replaced * self.goal.d))
        table = self.frame.into(rows)[:, : self.free]
        self.sizes = np.append(self.sizes, _sizes(table))
        last = self.sizes[len(self.sizes) - len(points) :]
        self.program.add(table if (last == 1.0).all() else _divided(table, last))

    def _back(self, z: np.ndarray) -> np.ndarray:
        return self.frame.back(np.append(z, np.zeros(self.goal.dimension - self.free)))

    def _add(self, points: np.ndarray, rivals: np.ndarray) -> int:
        """Add the requirements that are new; return how many."""
        pairs = zip(points.tolist(), rivals.tolist(), strict=True)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.members]
        if new:
            self.members.update(new)
            chosen, against = (np.array(side, dtype=np.intp) for side in zip(*new, strict=True))
            self.points = np.concatenate([self.points, chosen])
            self.rivals = np.concatenate([self.rivals, against])
            self._write(chosen, against)
        return len(new)

    def _solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        self.check_time()
        each = iteration_units(len(self.points), self.width)
        self.meter.pay(PROGRAM)
        solved = self.program.solve(self.time_left(), self.meter.left / each)
        self.meter.add(each * self.program.iterations)
        if solved is None:
            self.check_time()
            raise OutOfBudget(self.spent, int(each), self.meter.limit)
        t, z, alpha = solved
        return t, z, alpha / self.sizes

    def check_time(self) -> None:
        """Raise `OutOfTime` once the time is spent."""
        if self._is_late():
            raise OutOfTime

    def _is_late(self) -> bool:
        left = self.time_left()
        return left is not None and left <= 0

    def _try(self, weights: np.ndarray) -> Separator | WorkingSetGrew | None:
        """Look at all points; None if the working set itself is not met beyond rounding."""
        if weights.dtype == object:
            return self._try_exact(weights)
        self.meter.pay(self.look_price)
        found = self.goal.worst(weights, self.batch)
        violated = found.violated
        self.rounds += 1
        if violated < self.fewest:
            self.fewest, self.best = violated, weights
        if self.progress is not None:
            self.progress(
                SearchRound(self.rounds, len(self.points), violated, self.fewest, self.best)
            )
        worst, rivals = found.points[:violated], found.rivals[:violated]
        if violated == 0:
            self.meter.pay(3 * self.look_price)
            worst, rivals = self.goal.violated_exactly(weights, self.batch)
            if len(worst) == 0:
                return Separator(weights)
        return WorkingSetGrew() if self._add(worst, rivals) else None

    def _try_exact(self, weights: np.ndarray) -> Separator | WorkingSetGrew | None:
        """Try rational weights: rounded to floats first, then exactly.

        None if they do not meet the working set.
        """
        largest = max(abs(w) for w in weights)
        floats = np.array([float(w / largest) for w in weights])
        answer = self._try(floats)
        if answer is not None:
            return answer
        self.meter.pay(self.look_price + PER_INTEGER * self.goal.n * self.goal.per_row)
        violated, rivals = self.goal.violated_exactly(weights, self.batch)
        if len(violated) == 0:
            return Separator(weights)
        return WorkingSetGrew() if self._add(violated, rivals) else None

    def _refute(self, alpha: np.ndarray) -> Refutation | None:
        """The program's multipliers made exact, where their support allows it."""
        return self.refuted_by(self.points, self.rivals, alpha)

    def refuted_by(
        self,
        points: np.ndarray,
        rivals: np.ndarray,
        alpha: np.ndarray,
        table: np.ndarray | None = None,
    ) -> Refutation | None:
        """A refutation by multipliers that are proved to exist, or made exact; None if neither.

        ``table`` has these requirements in coordinates in which they are better conditioned.
        """
        if not alpha.max(initial=0.0) > 0:
            return None  # the program ended within its tolerances
        implied = self._implied(points, rivals, alpha, table)
        if implied is not None:
            return implied
        support = np.flatnonzero(alpha > NEGLIGIBLE * alpha.max())
        points, rivals, alpha = points[support], rivals[support], alpha[support]
        rows, _ = self._exact_rows(points, rivals)
        self.meter.pay(rows.size * (500 + 2 * min(rows.shape)))
        if exact.rank_at_least(rows) == len(support):
            return None
        self.meter.pay(exact_units(rows.shape[0], rows.shape[1], bits_of(rows)))
        solved = exact.solve_alpha(rows, alpha)
        return None if solved is None else _refutation(points, rivals, solved)

    def _implied(
        self, points: np.ndarray, rivals: np.ndarray, alpha: np.ndarray, table: np.ndarray | None
    ) -> Refutation | None:
        """Multipliers near these, if they are proved to exist and are cheap to solve for.

        The entries of a table may be linear functions of the coordinates, rounded once.
        """
        support = np.flatnonzero(alpha > ROUNDED * alpha.max())
        points, rivals, alpha = points[support], rivals[support], alpha[support]
        rows, _ = self._exact_rows(points, rivals)
        if table is None:
            self.meter.pay(elimination_units(*rows.shape))
            table = exact.spanning_columns(rows)
        else:
            # The bound on rounding does not cover underflow.
            small = np.min(np.abs(rows), where=rows != 0, initial=np.inf) < UNDERFLOWS
            table = None if small else table[support]
        if table is None or written_units(table.shape[1], bits_of(rows)) > LATER:
            return None
        self.meter.pay(existence_units(table.shape[1]))
        sure = exact.sure_weights(table, alpha)
        return None if sure is None else Refutation(points, rivals, exact.Implied(rows, sure))

    def _refine(self) -> WorkingSetGrew | None:
        """Change to coordinates without nearly dependent columns, where that is new."""
        goal, base = self.goal, self._base()
        if goal.sparse:
            return None
        points, first = np.unique(self.points, return_index=True)
        rows = goal.rows(points, self.rivals[first]).reshape(len(points), goal.blocks, -1)
        rows = rows[np.arange(len(points)), goal.own(points) if goal.blocks > 1 else 0]
        self.meter.pay(REFINEMENT + len(points) * goal.d * (500 + 4 * goal.d))
        better, _ = refined(base, rows, self.residues_price(rows))
        old = self.frame.columns if isinstance(self.frame, Refined) else []
        if set(better.columns) <= set(old):
            return None
        self._set_frame(better)
        return WorkingSetGrew()

    def _settle(self, alpha: np.ndarray) -> Separator | Refutation | WorkingSetGrew:
        """Decide the working set over the rationals: the point of its hull nearest to 0."""
        rows, columns = self._exact_rows(self.points, self.rivals)
        exponents = self._base().exponents[columns]
        scaled = np.ldexp(rows, -exponents)
        if not np.array_equal(np.ldexp(scaled, exponents), rows):
            # Scaling underflowed, and lost bits of tiny numbers.
            scaled, exponents = rows, np.zeros_like(exponents)
        guess = np.argsort(-alpha, kind="stable")[: np.count_nonzero(alpha)]
        self.meter.pay(rows.size * 1000)

        def pay(unknowns: int, bits: int) -> None:
            products = rows.size * (50 + unknowns * bits / 64)
            # The inner products have twice the bits.
            self.meter.pay(exact_units(unknowns, unknowns, 2 * bits) + products)

        try:
            nearest = min_norm_point(scaled, guess.tolist(), deadline=self._is_late, pay=pay)
        except TimeoutError:
            raise OutOfTime from None
        if not any(nearest.point):
            support = np.array(nearest.support, dtype=np.intp)
            of = self.points[support], self.rivals[support]
            return _refutation(*of, exact.primitive(nearest.alpha))
        weights = np.full(self.goal.dimension, Fraction(0), dtype=object)
        weights[columns] = [
            z / Fraction(2) ** int(e) for z, e in zip(nearest.point, exponents, strict=True)
        ]
        answer = self._try_exact(weights)
        assert answer is not None, "the nearest point meets its working set"
        return answer

    def _base(self) -> Frame:
        return self.frame.frame if isinstance(self.frame, Refined) else self.frame

    def _exact_rows(self, points: np.ndarray, rivals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Those requirements as they are, dense, on the columns that any of them uses."""
        rows = self.goal.rows(points, rivals)[:, : self.free]
        if not self.goal.sparse:
            return rows, np.arange(rows.shape[1])
        columns = np.unique(rows.indices)
        return rows[:, columns].toarray(), columns


def _refutation(points: np.ndarray, rivals: np.ndarray, alpha: Sequence[int]) -> Refutation:
    """The refutation by the requirements whose multiplier is not 0."""
    kept = np.array([at for at, value in enumerate(alpha) if value], dtype=np.intp)
    return Refutation(points[kept], rivals[kept], [value for value in alpha if value])


def _sizes(table: Any) -> np.ndarray:
    """Divisors of the rows of a program: powers of two for rows with huge entries, else 1."""
    largest = abs(table).max(axis=1)
    largest = largest.toarray().ravel() if hasattr(largest, "toarray") else largest
    return np.where(largest > HUGE, np.ldexp(1.0, np.minimum(np.frexp(largest)[1], 1000)), 1.0)


def _divided(table: Any, sizes: np.ndarray) -> Any:
    """The rows divided by their sizes."""
    if hasattr(table, "indptr"):
        divided = table.copy()
        divided.data = divided.data / np.repeat(sizes, np.diff(divided.indptr))
        return divided
    return np.nan_to_num(table / sizes[:, None])

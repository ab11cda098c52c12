"""Separate or refute: decide Az > 0 on a few requirements at a time.

If a subset of the requirements cannot be met, neither can all of them; if weights that meet a
subset meet the rest too, all are met. Floating point proposes, exact arithmetic disposes: nothing
leaves this module that has not been checked over the rationals, and because a working set only
grows, it always ends. Imports ``requirements``, ``program``, ``wolfe`` and ``exact``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import exact
from rosenblatt.program import Program
from rosenblatt.requirements import Goal
from rosenblatt.wolfe import min_norm_point

# Below this the program's t is within its tolerances, and only exact arithmetic can tell.
OPEN = 1e-9
# Multipliers smaller than this share of the largest are taken for rounding at first.
NEGLIGIBLE = 1e-10
# Weights below 2 to this power have squares that sum to a finite number.
SQUARABLE = 500


class Separator(NamedTuple):
    """Weights that meet every requirement: floats, or fractions where floats cannot."""

    weights: np.ndarray

    def floats(self) -> np.ndarray:
        """The weights in floating point; fractions are scaled to at most 1 first."""
        if self.weights.dtype != object:
            return self.weights
        largest = max(map(abs, self.weights))
        return np.array([float(w / largest) for w in self.weights])


class Refutation(NamedTuple):
    """Requirements that no weights meet together: Σ αᵢ aᵢ = 0, exactly."""

    points: np.ndarray
    rivals: np.ndarray
    alpha: list[int]


class GoOn(NamedTuple):
    """The working set grew: solve again."""


class Round(NamedTuple):
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
        Sees each `Round`.

    Examples
    --------
    >>> from rosenblatt.requirements import Requirements
    >>> X, codes = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    >>> Search(Requirements(X, codes, 2)).run(np.arange(3), 1 - codes)
    Refutation(points=array([0, 1, 2]), rivals=array([1, 0, 1]), alpha=[1, 2, 1])
    """

    def __init__(
        self,
        goal: Goal,
        time_left: Callable[[], float | None] = lambda: None,
        progress: Callable[[Round], None] | None = None,
    ):
        self.goal, self.time_left, self.progress = goal, time_left, progress
        self.frame = Frame(goal)
        self.program = Program(goal.dimension)
        self.points = np.zeros(0, dtype=np.intp)
        self.rivals = np.zeros(0, dtype=np.intp)
        self.members: set[tuple[int, int]] = set()
        self.rounds = 0
        self.fewest, self.best = goal.n + 1, np.zeros(goal.dimension)
        self.batch = min(1000, max(50, goal.dimension))

    def run(self, points: np.ndarray, rivals: np.ndarray) -> Separator | Refutation:
        """Search from a first working set."""
        self._add(points, rivals)
        while True:
            t, z, alpha = self._solve()
            answer = self._try(self.frame.back(z)) if t > OPEN else self._refute(alpha)
            if answer is None:
                answer = self._settle(alpha)
            if not isinstance(answer, GoOn):
                return answer

    def _add(self, points: np.ndarray, rivals: np.ndarray) -> int:
        """Take in the requirements that are new; how many."""
        pairs = zip(points.tolist(), rivals.tolist(), strict=True)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.members]
        if new:
            self.members.update(new)
            chosen, against = (np.array(side, dtype=np.intp) for side in zip(*new, strict=True))
            self.points = np.concatenate([self.points, chosen])
            self.rivals = np.concatenate([self.rivals, against])
            self.program.add(self.frame.into(self.goal.rows(chosen, against)))
        return len(new)

    def _solve(self) -> tuple[float, np.ndarray, np.ndarray]:
        self._check_time()
        solved = self.program.solve(self.time_left())
        if solved is None:
            raise OutOfTime
        return solved

    def _check_time(self) -> None:
        left = self.time_left()
        if left is not None and left <= 0:
            raise OutOfTime

    def _try(self, weights: np.ndarray) -> Separator | GoOn | None:
        """Look at all points; None if the working set itself is not met beyond rounding."""
        found = self.goal.worst(weights, self.batch)
        violated = found.violated
        self.rounds += 1
        if violated < self.fewest:
            self.fewest, self.best = violated, weights
        if self.progress is not None:
            self.progress(Round(self.rounds, len(self.points), violated, self.fewest, self.best))
        worst, rivals = found.points[:violated], found.rivals[:violated]
        if violated == 0:
            worst, rivals = self.goal.violated_exactly(weights, self.batch)
            if len(worst) == 0:
                return Separator(weights)
        return GoOn() if self._add(worst, rivals) else None

    def _refute(self, alpha: np.ndarray) -> Refutation | None:
        """The program's multipliers made exact, where their support allows it."""
        support = np.flatnonzero(alpha > NEGLIGIBLE * alpha.max())
        rows, _ = self._exact_rows(support)
        solved = exact.solve_alpha(rows, alpha[support])
        return None if solved is None else self._refutation(support, solved)

    def _refutation(self, support: Iterable[int], alpha: Sequence[int]) -> Refutation:
        kept = [(i, a) for i, a in zip(support, alpha, strict=True) if a]
        index = np.array([i for i, _ in kept], dtype=np.intp)
        return Refutation(self.points[index], self.rivals[index], [a for _, a in kept])

    def _settle(self, alpha: np.ndarray) -> Separator | Refutation | GoOn:
        """Decide the working set over the rationals: the point of its hull nearest to 0."""
        rows, columns = self._exact_rows(np.arange(len(self.points)))
        exponents = self.frame.exponents[columns]
        guess = np.argsort(-alpha, kind="stable")[: np.count_nonzero(alpha)]
        try:
            nearest = min_norm_point(
                np.ldexp(rows, -exponents), guess.tolist(), deadline=self._is_late
            )
        except TimeoutError:
            raise OutOfTime from None
        if not any(nearest.point):
            return self._refutation(nearest.support, exact.primitive(nearest.alpha))
        weights = np.full(self.goal.dimension, Fraction(0), dtype=object)
        weights[columns] = [
            z / Fraction(2) ** int(e) for z, e in zip(nearest.point, exponents, strict=True)
        ]
        return self._try_exact(weights)

    def _try_exact(self, weights: np.ndarray) -> Separator | GoOn:
        """Weights that meet the working set exactly: as floats if these do, else as fractions."""
        largest = max(abs(w) for w in weights)
        floats = np.array([float(w / largest) for w in weights])
        answer = self._try(floats)
        if answer is not None:
            return answer
        violated, rivals = self.goal.violated_exactly(weights, self.batch)
        if len(violated) == 0:
            return Separator(weights)
        self._add(violated, rivals)
        return GoOn()

    def _is_late(self) -> bool:
        left = self.time_left()
        return left is not None and left <= 0

    def _exact_rows(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Those requirements as they are, dense, on the columns that any of them uses."""
        rows = self.goal.rows(self.points[which], self.rivals[which])
        if not self.goal.sparse:
            return rows, np.arange(rows.shape[1])
        columns = np.unique(rows.indices)
        return rows[:, columns].toarray(), columns


class Frame:
    """Coordinates in which columns are comparable: (x − shift)/2^exponent.

    Scaling by powers of two is exact. The shift, which the bias takes back, only serves the
    floating-point program; sparse data and data without a bias are not shifted.
    """

    def __init__(self, goal: Goal):
        d, blocks = goal.d, goal.blocks
        low, high = goal.bounds()
        self.shift = np.zeros(d) if goal.sparse or not goal.bias else low / 2 + high / 2
        reach = np.maximum(high - self.shift, self.shift - low)
        exponents = np.append(np.frexp(reach)[1], 0)
        self.exponents = np.tile(exponents, blocks)
        # Only the direction of weights counts: those of tiny columns are made less huge.
        self.lift = min(0, int(exponents.min()) + SQUARABLE)
        self.blocks, self.d, self.bias = blocks, d, goal.bias

    def into(self, rows: Any) -> Any:
        """Requirements in these coordinates."""
        if hasattr(rows, "indices"):
            scaled = rows.copy()
            scaled.data = np.ldexp(scaled.data, -self.exponents[scaled.indices])
            return scaled
        table = rows.reshape(-1, self.blocks, self.d + 1).copy()
        table[:, :, :-1] -= table[:, :, -1:] * self.shift
        return np.ldexp(table.reshape(rows.shape), -self.exponents)

    def back(self, z: np.ndarray) -> np.ndarray:
        """Weights of these coordinates as weights of the user's."""
        table = np.ldexp(z, self.lift - self.exponents).reshape(self.blocks, self.d + 1)
        table[:, -1] = self.bias * (table[:, -1] - table[:, :-1] @ self.shift)
        return table.ravel()

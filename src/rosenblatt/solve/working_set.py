"""The search by working sets, the same for every question.

Few constraints matter. A linear program over some of them is solved, its solution is tried on all
points in one look, and those that violate it most are taken in. A working set only grows, so that
this ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.solve.constraints import ENTRIES_AT_ONCE
from rosenblatt.solve.coordinates import Frame, Refined
from rosenblatt.solve.deadline import OutOfTime
from rosenblatt.solve.effort import (
    CALL,
    Meter,
    OutOfBudget,
    exact_entries_units,
    iteration_units,
)
from rosenblatt.solve.linear_constraints import LinearConstraints
from rosenblatt.solve.linear_program import Program, Solution

NOBODY = np.zeros(0, dtype=np.intp)


def batch_of(constraints: LinearConstraints) -> int:
    """Constraints that are taken in at a time: about as many as a solution rests on."""
    dimension = constraints.dimension
    return max(200, min(1000, dimension, ENTRIES_AT_ONCE // dimension))


class Checked(NamedTuple):
    """What a look at all points says of a solution.

    Attributes
    ----------
    answer : optional
        What is asked for, if the solution gives it.
    points, rivals : ndarray of int
        Else the constraints that it violates, the most violated first.
    """

    answer: Any = None
    points: np.ndarray = NOBODY
    rivals: np.ndarray = NOBODY


class WorkingSet:
    """Constraints that were taken into a linear program, each once.

    Parameters
    ----------
    constraints : LinearConstraints
    frame : Frame or Refined
        The program's coordinates.
    program : Program, optional
        With what else holds; by default none.
    depth, floor : float
        A constraint is written as a·z − depth·t ≥ floor.
    meter : Meter, optional
        Pays for programs.

    Attributes
    ----------
    points, rivals : ndarray of int
        In the order in which they were taken in.
    fixed : int
        Rows that the program had before.
    """

    def __init__(
        self,
        constraints: LinearConstraints,
        frame: Frame | Refined,
        program: Program | None = None,
        *,
        depth: float = 1.0,
        floor: float = 0.0,
        meter: Meter | None = None,
    ):
        self.constraints, self.depth = constraints, depth
        self.batch = batch_of(constraints)
        self.floors = np.broadcast_to(floor, constraints.n)
        self.meter = meter or Meter()
        self.points, self.rivals = NOBODY, NOBODY
        self._members: set[tuple[int, int]] = set()
        self.frame = frame
        self.program = program or Program(constraints.dimension)
        self.fixed = len(self.program.equal)

    def worst(self, margins: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Of some points, a mask, those of least margin: as many as are taken in at a time."""
        some = np.flatnonzero(of)
        return some[np.argsort(margins[some], kind="stable")[: self.batch]]

    def lower(self, floors: np.ndarray) -> None:
        """Set the floor of every point."""
        self.floors = floors
        self.program.lower(floors[self.points])

    def change(self, frame: Frame | Refined, program: Program) -> None:
        """Write the same constraints in other coordinates."""
        self.frame, self.program = frame, program
        if len(self.points):
            self._write(self.points, self.rivals)

    def lacks(self, points: np.ndarray, rivals: np.ndarray) -> bool:
        """Whether any of these constraints is new."""
        return bool(self._new(points, rivals))

    def _new(self, points: np.ndarray, rivals: np.ndarray) -> list[tuple[int, int]]:
        pairs = zip(points.tolist(), rivals.tolist(), strict=True)
        return [pair for pair in dict.fromkeys(pairs) if pair not in self._members]

    def add(self, points: np.ndarray, rivals: np.ndarray) -> bool:
        """Take in the constraints that are new; whether there are any."""
        new = self._new(points, rivals)
        if not new:
            return False
        self._members.update(new)
        chosen, against = (np.array(side, dtype=np.intp) for side in zip(*new, strict=True))
        self.points = np.concatenate([self.points, chosen])
        self.rivals = np.concatenate([self.rivals, against])
        self._write(chosen, against)
        return True

    def _write(self, points: np.ndarray, rivals: np.ndarray) -> None:
        rows, width = self.constraints.rows(points, rivals), self.program.dimension
        self.meter.pay(20 * len(points) * width)
        if isinstance(self.frame, Refined):
            columns = len(self.frame.columns)
            self.meter.pay(exact_entries_units(columns * len(points) * self.constraints.d))
        table = self.frame.into(rows)[:, :width]
        self.program.add(table, depth=self.depth, floors=self.floors[points])

    def search(self, check: Callable[[Solution], Checked]) -> tuple[Any, Solution]:
        """Solve, and take in what is violated, until nothing new is: the answer and its solution.

        Parameters
        ----------
        check : callable
            Looks at all points with a solution.
        """
        while True:
            solution = self.solve()
            seen = check(solution)
            if seen.answer is not None or not self.add(seen.points, seen.rivals):
                return seen.answer, solution

    def solve(self) -> Solution:
        """Solve the program of the constraints so far, within units and time."""
        # Entries of a row: two blocks, or one.
        width = min(
            self.program.dimension, min(2, self.constraints.blocks) * self.constraints.d + 2
        )
        each = iteration_units(len(self.points), width)
        self.meter.pay(CALL)
        solution = self.program.solve(self.meter.time_left(), self.meter.left / each)
        self.meter.pay(int(min(each * self.program.iterations, self.meter.left)))
        if solution is None and self.meter.left < each:
            raise OutOfBudget(self.meter.spent, self.meter.limit)
        if solution is None:
            raise OutOfTime
        return solution

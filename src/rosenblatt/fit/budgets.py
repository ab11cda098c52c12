"""The arbiter: settles what a perceptron's passes leave open, where that is affordable.

A proof is a gift, not the price of a fit. Two signs say that passes alone will not separate: the
points mistaken before did not come clean within their laps, or the passes have cost as much as
deciding is likely to. What a search for a proof may then cost depends on what there is to hope for.
Where many looks are mistakes a refutation is likely, and near: as much as some passes. Where few
are, passes may well be the shorter way: as much as they have cost so far, and again whenever that
has doubled (the ski-rental rule: at most a few times the better choice). Where proofs are too
costly and the mistakes no longer become fewer, the run ends undecided. Costs are counted in entries
read, never in seconds, so that a fit can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.orders import ACTIVE_EFFORT
from rosenblatt.engine.points import count, stored, width
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Stop
from rosenblatt.engine.used_columns import narrowed, widened
from rosenblatt.fit.problem import Problem
from rosenblatt.solve.attempts import Price, price, settle
from rosenblatt.solve.constraints import Requirements
from rosenblatt.solve.effort import OutOfBudget
from rosenblatt.solve.search import Refutation, Search, Separator

# Measured, in entries of dense rows read: what a look costs besides its entries, and a call.
PER_LOOK = 20
CALL = 30_000
# What a search may cost where many looks are mistakes: so many passes on top of some milliseconds
# while passes are cheap, few of them where they are not.
FREE, PASSES = 16_000_000, 150
FREE_OF_MANY, PASSES_OF_MANY = 150_000_000, 10
# The share of a pass's looks that are mistakes up to which passes may be the shorter way (measured:
# 0.02 to 0.15 on data that they separate, above it on noisy data), and how many are made for it.
NEARLY, PASSES_TO_GO = 0.15, 100
# Passes in a row that do not bring the mistakes of a pass down to this share of the fewest yet.
SHARE, PATIENCE = 0.9, 2
# Units of a second: entries read.
PER_SECOND = 1e9


class Size(NamedTuple):
    """The size of data.

    Attributes
    ----------
    rows, width : int
        Rows, and columns in use.
    vectors : int
        Weight vectors, 0 for a single one.
    per_row : float
        Entries a row.
    """

    rows: int
    width: int
    vectors: int
    per_row: float


class Arbiter:
    """Decides a run's data when that has become the cheaper way on.

    Parameters
    ----------
    certify : {"auto", True, False}
        Whether to decide where it is affordable, at the first opportunity, or never.
    state : State
        The run's state, read when deciding.
    size : callable
        The `Size` of the data, asked for when it is first needed.
    make : callable
        Makes the requirements when they are first needed.
    moved : callable
        How far each point has moved the weights.
    patient : bool
        Whether the run is to spend all its passes, even if a proof is out of reach.
    passes : int
        Passes made before.
    columns : callable
        The columns that the requirements are about, None for all.
    rows : ndarray, optional
        The rows that they are about; all by default.
    """

    def __init__(
        self,
        certify: Any,
        state: State,
        size: Callable[[], Size],
        make: Callable[[], Requirements],
        moved: Callable[[], np.ndarray],
        *,
        patient: bool = False,
        passes: int = 0,
        columns: Callable[[], np.ndarray | None] = lambda: None,
        rows: np.ndarray | None = None,
    ):
        self.certify, self.state, self.passes, self.patient = certify, state, passes, patient
        self.make, self.moved, self._size = make, moved, size
        self.columns, self.rows = columns, rows
        self.answer: Separator | Refutation | None = None
        self.looks = self.stale = 0
        self.fewest, self.due = np.inf, 0.0

    def after_pass(self, row: Pass) -> Stop | None:
        """Decide if that is due."""
        if self.answer is not None or self.certify is False:
            return None
        self.passes += 1
        if self.certify != "auto":
            return self.decide()
        return self._after_pass(row)

    def _after_pass(self, row: Pass) -> Stop | None:
        size = self.size
        per_look = PER_LOOK + max(1, size.vectors) * size.per_row
        spent = row.looks * per_look + self.passes * CALL
        one_pass = size.rows * per_look + CALL
        looks, self.looks = row.looks - self.looks, row.looks
        self.stale = self.stale + 1 if row.mistakes > SHARE * self.fewest else 0
        self.fewest = min(self.fewest, row.mistakes)
        nearly = row.mistakes <= NEARLY * looks
        tired = looks > ACTIVE_EFFORT * size.rows and not nearly
        enough = FREE_OF_MANY + PASSES_TO_GO * one_pass
        if spent >= (self.due or (0.0 if tired else min(self.cost.first, enough))):
            return self._search(spent, one_pass, nearly)
        hopeless = self.due and self.stale >= PATIENCE and (spent >= enough or not nearly)
        return Stop.COSTLY if hopeless and not self.patient else None

    def _search(self, spent: float, one_pass: float, nearly: bool) -> Stop | None:
        """Search for a proof at a cost that suits what there is to hope for."""
        few, many = FREE + PASSES * one_pass, FREE_OF_MANY + PASSES_OF_MANY * one_pass
        budget = FREE + 2 * spent if nearly else min(few, many)
        self.due = max(2 * spent, budget)
        return self.decide(budget)

    @cached_property
    def size(self) -> Size:
        """Of the data."""
        return self._size()

    @cached_property
    def cost(self) -> Price:
        """What a proof is likely to cost."""
        size = self.size
        return price(size.rows, size.width, size.per_row, max(2, size.vectors))

    @property
    def proof_seconds(self) -> float:
        """About how long the proof takes that was not found; 0 where there is one."""
        return 0.0 if self.answer is not None else self.cost.whole / PER_SECOND

    @cached_property
    def goal(self) -> Requirements:
        """The data as requirements."""
        return self.make()

    def decide(self, budget: float | None = None) -> Stop | None:
        """Decide now, from where the run is; None where the budget does not suffice."""
        try:
            search = Search(self.goal, budget=budget)
            weights = narrowed(self.state.weights, self.columns())
            answer = settle(search, weights, self.moved(), separates=False)
        except KeyboardInterrupt:
            return Stop.INTERRUPTED
        except OutOfBudget:
            return None
        if self.rows is not None and isinstance(answer, Refutation):
            answer = answer._replace(points=self.rows[answer.points])
        self.answer = answer
        return Stop.SEPARATED if isinstance(self.answer, Separator) else Stop.INSEPARABLE

    @classmethod
    def of(cls, certify: Any, problem: Problem, state: State, order: str) -> Arbiter:
        """The arbiter of a problem in memory."""
        n, per_row = len(problem.everyone), stored(problem.points) / count(problem.points)
        rows = None if problem.whole else problem.everyone

        def size() -> Size:
            columns = problem.columns_in_use
            used = width(problem.points) if columns is None else len(columns)
            return Size(n, used, problem.vectors, per_row)

        def moved() -> np.ndarray:
            return state.dual if rows is None else state.dual[rows]

        return cls(
            *(certify, state, size, problem.requirements, moved),
            patient=order != "active",
            columns=lambda: problem.columns_in_use,
            rows=rows,
        )

    def separator(self) -> np.ndarray | None:
        """The weights found, shaped like the run's and as floats; None if there are none."""
        if not isinstance(self.answer, Separator):
            return None
        shape = self.state.weights.shape
        weights = self.answer.floats().reshape(*shape[:-1], -1)
        return widened(weights, self.columns(), shape[-1] - 1)

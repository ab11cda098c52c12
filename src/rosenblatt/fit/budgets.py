"""The arbiter: decides whether data are separable where passes do not, if that is affordable.

Two signs say that passes alone will not separate: the points mistaken before did not come clean
within their laps, or the passes have cost as much as deciding is likely to. The budget of a search
for a proof then depends on the prospects. Where many looks are mistakes, a refutation is likely and
near: the budget is the cost of some passes. Where few are, or rows are hardly more than columns,
passes may well be the shorter way: the budget is what they have cost so far, and again whenever
that has doubled (the ski-rental rule: at most a few times the better choice). Where proofs are too
costly and mistakes no longer become fewer, the run ends undecided. Two equal rows of different
classes, which texts and counts often have, are searched for separately, as soon as that is cheap
beside the passes made. Costs are counted in entries read, never in seconds, so that a fit can be
repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.orders import ACTIVE_EFFORT
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Stop
from rosenblatt.once import cached_property
from rosenblatt.places.place import Place, Size
from rosenblatt.solve.attempts import contradicted, settle
from rosenblatt.solve.effort import PER_SECOND, OutOfBudget, hash_units
from rosenblatt.solve.goal import Goal
from rosenblatt.solve.prices import ROWS_A_COLUMN, Price, newton_price, price
from rosenblatt.solve.search import Refutation, Search, Separator

# Measured, in entries of dense rows read: fixed cost of a look, and of a call.
PER_LOOK = 20
CALL = 30_000
# Budget of a search where many looks are mistakes: a fixed cost plus so many passes; the second
# pair, of fewer passes, is the lesser where passes are long.
FREE, PASSES = 16_000_000, 150
FREE_OF_MANY, PASSES_OF_MANY = 150_000_000, 10
# Share of mistakes among the looks of a pass up to which passes may be the shorter way (measured:
# 0.02 to 0.15 on data that they separate, above it on noisy data), and how many passes that allows.
NEARLY, PASSES_TO_GO = 0.15, 100
# Passes within which data of few rows per column are mostly separated.
PASSES_IF_WIDE = 30
# A pass is stale if its mistakes exceed this share of the fewest so far; and stale passes in a row
# after which mistakes are taken to fall no longer.
SHARE, PATIENCE = 0.9, 2
# Multiple of a search's price that passes may cost while mistakes become fewer; and stale passes in
# a row from which on a search by linear programs waits no longer (measured when it was due: up to 7
# on most images that passes go on to separate soon, 15 and more on others).
FALLING, STEADY = 2, 10
# Multiple of the price of a search for equal rows that passes cost before it is made: if it fails,
# it has added an eighth to them.
EQUAL = 8


class Arbiter:
    """Decides whether a run's data are separable, once that is cheaper than further passes.

    Parameters
    ----------
    certify : {"auto", True, False}
        Whether to decide where it is affordable, at the first opportunity, or never.
    place : Place
        Where the data lies.
    state : State
        The run's state, read when deciding.
    patient : bool
        Whether the run is to spend all its passes, even if a proof is out of reach.
    near : callable, optional
        Returns weights that a separator should be near.
    finest : callable, optional
        Returns the least exponents by which a search scales the columns.
    """

    def __init__(
        self,
        certify: Any,
        place: Place,
        state: State,
        *,
        patient: bool = False,
        near: Callable[[], np.ndarray] | None = None,
        finest: Callable[[], np.ndarray] | None = None,
    ):
        self.certify, self.place, self.state, self.patient = certify, place, state, patient
        self.near, self.finest = near, finest
        self.passes = place.passes_before
        self.answer: Separator | Refutation | None = None
        self.descended: np.ndarray | None = None
        self.looks = self.stale = 0
        self.nearly = False
        self.fewest, self.due, self.in_vain = np.inf, 0.0, 0.0
        self.may_contradict = place.at_hand and not patient

    def after_pass(self, row: Pass) -> Stop | None:
        """Decide, if a decision is due."""
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
        wide = size.rows <= ROWS_A_COLUMN * size.width and self.passes <= PASSES_IF_WIDE
        nearly = self.nearly = wide or row.mistakes <= NEARLY * looks
        tired = looks > ACTIVE_EFFORT * size.rows and not nearly
        enough = FREE_OF_MANY + PASSES_TO_GO * one_pass
        program = min(self.cost.first, enough)
        longest = min(self.cost.first, FALLING * enough) if self.stale < STEADY else program
        if spent >= (self.due or (0.0 if tired else min(longest, self._newton))):
            return self._search(max(spent, program), one_pass, nearly)
        if self.may_contradict and spent >= EQUAL * hash_units(size.rows, size.per_row):
            return self.contradict()
        hopeless = self.due and self.stale >= PATIENCE and (spent >= enough or not nearly)
        return self._last_search(spent) if hopeless and not self.patient else None

    def _search(self, spent: float, one_pass: float, nearly: bool) -> Stop | None:
        """Search for a proof with a budget that suits the prospects."""
        few, many = FREE + PASSES * one_pass, FREE_OF_MANY + PASSES_OF_MANY * one_pass
        budget = FREE + 2 * spent if nearly else min(few, many)
        self.due = max(2 * spent, budget)
        return self.decide(budget)

    def _last_search(self, spent: float) -> Stop | None:
        """Search once more for as much as all passes cost, unless such a search has failed."""
        found = self.decide(FREE + spent) if self.in_vain < spent else None
        return found or Stop.COSTLY

    @cached_property
    def size(self) -> Size:
        """Size of the data."""
        return self.place.size()

    @cached_property
    def cost(self) -> Price:
        """Likely cost of a proof."""
        size = self.size
        return price(size.rows, size.width, size.per_row, max(2, size.vectors))

    @property
    def _newton(self) -> float:
        """What passes may cost before Newton's method: its price, or more while mistakes fall.

        With many classes it refutes pairs, usually several of them, and is tried only once mistakes
        no longer fall. Passes in an order that the user chose are to be seen: only linear programs
        cut them short.
        """
        if self.patient:
            return np.inf
        size = self.size
        if size.vectors:
            return (size.vectors - 1) * self.cost.quick if self.stale >= PATIENCE else np.inf
        cost = newton_price(size.rows, size.width, size.per_row, 2)
        return cost if self.stale else FALLING * cost

    @property
    def proof_seconds(self) -> float:
        """Estimated seconds of a proof that was not found; 0 if there is one.

        An order of magnitude: the price of the cheapest way to a proof that has not failed.
        """
        if self.answer is not None:
            return 0.0
        # Classes that are nearly separated are seldom refuted by two of them.
        cost = self.cost._replace(first=self.cost.whole) if self.nearly else self.cost
        return cost.beyond(self.in_vain) / PER_SECOND

    @cached_property
    def goal(self) -> Goal:
        """The data as linear constraints."""
        return self.place.constraints()

    def decide(self, budget: float | None = None) -> Stop | None:
        """Decide now, from the run's weights; None if the budget does not suffice."""
        search = None
        try:
            narrowed = self.goal.columns.narrowed
            near, finest = self.near, self.finest
            search = Search(
                self.goal,
                budget=budget,
                near=None if near is None else lambda: narrowed(near()),
                finest=None if finest is None else lambda: narrowed(np.append(finest(), 0))[:-1],
            )
            weights = narrowed(self.state.weights)
            self.answer = settle(search, weights, self.place.touched(self.state), separates=False)
        except KeyboardInterrupt:
            return Stop.INTERRUPTED
        except OutOfBudget as error:
            self.in_vain = max(self.in_vain, error.limit)
            return None
        finally:
            self.descended = None if search is None else search.descended
        return Stop.SEPARATED if isinstance(self.answer, Separator) else Stop.INSEPARABLE

    def go_near(self, weights: np.ndarray | None) -> None:
        """Replace the separator found by one near these weights, if that is found cheaply."""
        if weights is not None:
            self.near = lambda: weights
            self.decide(FREE)

    def contradict(self) -> Stop | None:
        """Look for two equal rows of different classes, once."""
        self.may_contradict = False
        self.answer = contradicted(Search(self.goal))
        return None if self.answer is None else Stop.INSEPARABLE

    def separator(self) -> np.ndarray | None:
        """The weights found, shaped like the run's and as floats; None if there are none."""
        return self._widened(self.answer.floats()) if isinstance(self.answer, Separator) else None

    def least_loss(self) -> np.ndarray | None:
        """The weights of least loss that a search descended to; None if there are none."""
        found = self.descended
        return None if found is None or not np.isfinite(found).all() else self._widened(found)

    def _widened(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the columns in use shaped like the run's."""
        shape = self.state.weights.shape
        return self.goal.columns.widened(weights.reshape(*shape[:-1], -1))


class FixedRoundsArbiter(Arbiter):
    """Decides after a fixed number of passes with mistakes, at any cost."""

    rounds = 10

    def __init__(self, certify: Any, place: Place, state: State, **how: Any):
        super().__init__(certify is True and place.whole, place, state, **how)

    def after_pass(self, row: Pass) -> Stop | None:
        """Decide, if a decision is due."""
        self.passes += 1
        due = self.certify and self.answer is None and self.passes >= self.rounds
        return self.decide() if due else None

    @property
    def proof_seconds(self) -> float:
        """Always 0: not estimated."""
        return 0.0

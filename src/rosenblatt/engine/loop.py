"""The one loop: start, pass, stop?

Every learner of the package is this loop with a rule, an order and a budget. It imports the
engine's modules (points, rules, orders, stopping, run, cost) and, at the first call, ``compiled``.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import add
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.machine.lookahead import looking_ahead
from rosenblatt.engine.machine.threads import in_pieces
from rosenblatt.engine.orders import Permutations, order_named
from rosenblatt.engine.points import Points, SparseRows, count, stored, stored_by, width
from rosenblatt.engine.rules import State, Tally
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop, no_longer_falls
from rosenblatt.errors import InputError
from rosenblatt.teaching.cost import run_cost

# Entries a compiled call may touch before Python gets to see a Ctrl-C: some ten milliseconds.
ENTRIES_PER_CALL = 2**24
# Threads share what one call would do in pieces of still a millisecond or so.
PIECES_PER_CALL = 8
# Points that are looked up faster than it is found out whether they are all there are.
FEW = 1000
# Squares that neither overflow nor lose digits below the range of floats.
SQUARES = (1e-200, 1e300)
UNLIMITED = np.iinfo(np.int64).max


def zero_state(points: Points, classes: int = 0) -> State:
    """A state at w = 0; ``classes`` is K for one weight vector a class, 0 for two signs.

    Sparse rows want the K weights of a feature side by side, dense rows each class's weights.
    """
    n, d = count(points), width(points)
    shape = (classes, d + 1) if classes else (d + 1,)
    layout = "F" if isinstance(points.rows, SparseRows) else "C"
    return State(
        weights=np.zeros(shape, order=layout),
        drift=np.zeros(shape, order=layout),
        dual=np.zeros(n),
        late=np.zeros(n),
        clock=np.zeros(1, dtype=np.int64),
        buffer=np.zeros(classes),
    )


def resumed(state: State, points: Points) -> State:
    """The state to go on with where another left off, on these points."""
    fresh = zero_state(points, len(state.buffer))
    if fresh.weights.shape != state.weights.shape:
        raise InputError(
            f"A run can only go on with as many features and classes as it had: its weights have "
            f"shape {state.weights.shape}, these points need {fresh.weights.shape}."
        )
    fresh.weights[...] = state.weights
    fresh.drift[...] = state.drift
    fresh.clock[...] = state.clock
    return fresh


def all_margins(points: Points, rule: Any, state: State, order: np.ndarray) -> np.ndarray:
    """How far each of those points is on its right side, at the state's weights."""
    from rosenblatt.engine.machine.compiled import compiled

    kernel, out = compiled(rules.margins), np.empty(len(order))

    def look(piece: slice) -> None:
        own = state._replace(buffer=np.empty_like(state.buffer))
        kernel(rule, points, order[piece], own, out[piece])

    in_pieces(look, len(order), max(1, rows_per_call(points) // PIECES_PER_CALL))
    return out


def rows_per_call(points: Points) -> int:
    """How many rows one compiled call may look at."""
    per_row = max(1, stored(points) // max(1, count(points)))
    return max(1, ENTRIES_PER_CALL // per_row)


class CompiledSweep:
    """Looks at points through machine code, in pieces short enough to be interrupted between."""

    def __init__(self, points: Points, rule: Any, state: State, everyone: np.ndarray, budget: int):
        from rosenblatt.engine.machine.compiled import dispatcher

        self.points, self.rule, self.state, self.everyone = points, rule, state, everyone
        self.left = budget
        self.total = Tally(0, 0, 0, 0, 0)
        self._compiled = dispatcher(rules.cycle)
        self._own = rule
        if type(rule) is rules.Perceptron:
            self._own = rules.Attentive(rule, np.array([math.inf]))
        self._ahead = looking_ahead(self._own, points, len(state.buffer))
        self._rows_per_call = rows_per_call(points)

    def look(self, order: np.ndarray, laps: int = 1) -> int:
        """Look at ``order`` until a lap of it is clean or ``laps`` are done; the last's updates."""
        last = 0
        while laps > 0 and self.left > 0:
            at_once = max(1, min(laps, self._rows_per_call // max(1, len(order))))
            last = self._lap(order, at_once)
            if last == 0:
                break
            laps -= at_once
        return last

    def _lap(self, order: np.ndarray, laps: int) -> int:
        last = 0
        for at in range(0, len(order), self._rows_per_call):
            if self.left <= 0:
                break
            piece = np.asarray(order[at : at + self._rows_per_call])
            with Uninterrupted():
                last += self._call(piece, laps, self.left).last
        return last

    def _call(self, piece: np.ndarray, laps: int, budget: int) -> Tally:
        # A call that ends at its first update would not use the scores it has taken ahead.
        rule = self._ahead if budget > 1 else self._own
        tally = self._cycle(rule, self.points, piece, laps, budget, self.state)
        self.left -= tally.updates
        self.total = Tally(*map(add, self.total, tally))
        return tally

    def _cycle(self, rule: Any, points: Points, order: np.ndarray, *given: Any) -> Tally:
        """`rules.cycle`, compiled."""
        return self._compiled(rule, points, order, *given)

    @cached_property
    def _whole(self) -> bool:
        return np.array_equal(self.everyone, np.arange(count(self.points)))

    def mistaken(self) -> np.ndarray:
        """The points that have changed the weights so far."""
        if len(self.everyone) > FEW and self._whole:
            return np.flatnonzero(self.state.dual > 0)
        return self.everyone[self.state.dual[self.everyone] > 0]

    def margins(self, points: Points, order: np.ndarray) -> np.ndarray:
        """How far each of those points is on its right side, at the current weights."""
        return all_margins(points, self.rule, self.state, order)

    def most_violated(self) -> int:
        """The point of least margin; finding it is a look at each."""
        everyone = self.everyone
        updates, looks, last, read, written = self.total
        self.total = Tally(
            updates, looks + len(everyone), last, read + stored_by(self.points, everyone), written
        )
        return int(everyone[np.argmin(self.margins(self.points, everyone))])

    @property
    def least(self) -> float:
        """The least margin met since the last update; NaN of a rule that does not tell."""
        return float(self._own.least[0]) if type(self._own) is rules.Attentive else math.nan

    def settle(self) -> None:
        """Bring the drift up to date."""
        from rosenblatt.engine.machine.compiled import compiled

        if self.state.weights.ndim == 1:
            late = np.flatnonzero(self.state.late != 0)
            compiled(rules.settle)(self.points, late, self.state)


def learn(
    points: Points,
    rule: Any,
    *,
    order: str | Callable[..., int] = "active",
    state: State | None = None,
    everyone: np.ndarray | None = None,
    budget: Budget | None = None,
    validation: tuple[Points, np.ndarray] | None = None,
    rng: Permutations | np.random.Generator | None = None,
    sweeper: Callable[..., Any] = CompiledSweep,
    watch: Callable[[Pass], Stop | None] | None = None,
    earlier: Sequence[Pass] = (),
) -> Run:
    """Pass over the points in the given order, by the given rule, until there is reason to stop.

    Parameters
    ----------
    points : Points
        What to learn from.
    rule : Perceptron, Multiclass, …
        How a mistake changes the weights.
    order : {"active", "cyclic", "shuffled", "worst"} or callable
        Which point next; a callable makes one pass, like those of ``orders``.
    state : State, optional
        Where to start; changed in place. Zero weights by default.
    everyone : ndarray of int, optional
        The points in play; all by default.
    budget : Budget, optional
        When to give up; by default never before the points are separated.
    validation : Points and indices, optional
        Held-out points; stop when their error no longer falls, and keep the best weights.
    rng : Permutations or Generator, optional
        Source of permutations.
    watch : callable, optional
        Sees each finished `Pass`; may return a `Stop` to end the run.
    earlier : sequence of Pass
        The passes so far, of a run that goes on.

    Returns
    -------
    Run

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import Perceptron
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0])
    >>> run = learn(make_points(X, y), Perceptron())
    >>> run.stop, run.updates, run.weights.tolist()
    (Stop.SEPARATED, 1, [1.0, 1.0, 1.0])
    """
    one_pass = order if callable(order) else order_named(order)
    budget = budget or Budget()
    rng = Permutations(0) if rng is None else rng
    if state is None:
        state = zero_state(points, rules.vectors(rule, points))
    everyone = np.arange(count(points)) if everyone is None else everyone
    if len(everyone) == 0:
        raise InputError("There is no point to learn from: n = 0, or every sample weight is 0.")
    sweep = sweeper(points, rule, state, everyone, budget.updates or UNLIMITED)
    best = _Best(math.inf, state.weights)
    history = list(earlier)
    found, held_out, stop = 1, math.nan, None
    began = working_seconds() - (history[-1].seconds if history else 0.0)
    try:
        while stop is None:
            done = sweep.total.updates
            before = None if budget.weight_tol is None else state.weights.copy()
            held_out = math.nan  # of weights that are about to change
            found = one_pass(sweep, rng)
            training = 0.0 if not found else math.nan
            if found and budget.tol is not None:
                training = _error(sweep, points, everyone)
            held_out = math.nan if validation is None else _error(sweep, *validation)
            # Of weights equally good on the validation data, those that separate are preferred.
            if held_out < best.error or (not found and held_out == best.error):
                best = _Best(held_out, state.weights.copy())
            made, norm = sweep.total.updates - done, length(state.weights)
            seconds = working_seconds() - began
            history.append(Pass(made, sweep.total.looks, norm, training, held_out, seconds))
            stop = _reason(found, sweep.left, history, before, state.weights, budget)
            if stop is None and watch is not None:
                stop = watch(history[-1])
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    except Ended as ended:
        stop = ended.stop
    cost = run_cost(points, sweep.total, classes=len(state.buffer), late=state.late)
    sweep.settle()
    average = mean_weights(state)
    if best.weights is not state.weights:
        state.weights[...] = best.weights
    return Run(
        weights=state.weights,
        average=average,
        state=state,
        mistakes=sweep.total.updates,
        updates=sweep.total.updates,
        passes=len(history),
        looks=sweep.total.looks,
        history=tuple(history),
        stop=stop,
        clean=found == 0 and (validation is None or held_out == best.error),
        seconds=working_seconds() - began,
        cost=cost,
    )


def working_seconds() -> float:
    """A clock that stands still while kernels are compiled, which happens once."""
    compiling = sys.modules.get("rosenblatt.engine.machine.compilation")
    return time.perf_counter() - (compiling.compile_seconds() if compiling else 0.0)


def mean_weights(state: State) -> Any:
    """The mean of the weights over all looks so far."""
    with np.errstate(over="ignore", invalid="ignore"):
        return state.weights - state.drift / max(1, state.clock[0])


class Ended(Exception):
    """Raised inside a sweep to end the run at once, for the reason it carries."""

    def __init__(self, stop: Stop):
        super().__init__(stop.name)
        self.stop = stop


class _Best(NamedTuple):
    error: float
    weights: Any


def length(weights: Any) -> float:
    """‖w‖ over all classes, in floating point, of float or exact weights."""
    if getattr(weights, "dtype", None) == np.float64:
        # On one core, and silent on overflow; class by class, so that rounding grows with d alone.
        square = float(np.einsum("...j,...j", weights, weights).sum())
        if SQUARES[0] < square < SQUARES[1]:
            return math.sqrt(square)
    largest = np.abs(weights).max()
    if not 0 < largest < math.inf:
        return float(largest)
    return float(largest) * math.sqrt(float(np.square(weights / largest).sum()))


def _error(sweep: Any, points: Any, order: Any) -> float:
    """The share of errors among those points; a sweep may have its own way to count them."""
    own = getattr(sweep, "error", None)
    return own(points, order) if own else float(np.mean(sweep.margins(points, order) <= 0))


def _reason(
    found: int, left: int, history: list[Pass], before: Any, weights: Any, budget: Budget
) -> Stop | None:
    """The first of the lectures' reasons to stop that holds after a pass."""
    newest = history[-1]
    if not math.isfinite(newest.norm):
        return Stop.OVERFLOW
    if found == 0:
        return Stop.SEPARATED
    if left <= 0:
        return Stop.UPDATES
    if not math.isnan(newest.validation_error):
        held_out = [row.validation_error for row in history]
        if no_longer_falls(held_out, 0.0, budget.patience):
            return Stop.VALIDATION_ERROR
    if budget.tol is not None:
        training = [row.training_error for row in history]
        if no_longer_falls(training, budget.tol, budget.patience):
            return Stop.TRAINING_ERROR
    limit = budget.weight_tol
    if limit is not None and length(weights - before) <= limit * newest.norm:
        return Stop.SETTLED
    if budget.passes is not None and len(history) >= budget.passes:
        return Stop.PASSES
    return None

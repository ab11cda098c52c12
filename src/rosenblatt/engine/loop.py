"""The learning loop: passes over a sweep until there is reason to stop.

Every learner of the package is this loop with a sweep, an order and a budget.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.counting import UNLIMITED, Sweep
from rosenblatt.engine.machine.jit import compile_seconds
from rosenblatt.engine.orders import Permutations, order_named
from rosenblatt.engine.pieces import length
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop, no_longer_falls


class Learning:
    """Passes over the points of a sweep, made one at a time: iterate over it.

    Each item is a finished `Pass`; `end` says what was learned. It knows when to give up and when
    points are separated, and nothing of proofs or of which weights are to predict.

    Parameters
    ----------
    sweep : Sweep
        The points, the rule and the state to start at, which changes.
    order : {"active", "cyclic", "iid", "shuffled", "worst"}, sequence of int, or callable
        Which point next; a sequence names the rows of a pass; a callable makes one pass, like
        those of ``orders``: given the sweep and ``rng``, it returns how many mistakes it met.
    budget : Budget, optional
        When to give up; by default never before the points are separated.
    validation : points and indices, optional
        Held-out points; stop when their error no longer falls, and keep the best weights.
    rng : Permutations or Generator, optional
        Source of permutations.
    earlier : sequence of Pass
        The passes so far, of a run that goes on.

    Attributes
    ----------
    stop : Stop or None
        Why there is no further pass.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> from rosenblatt.engine.sweep import CompiledSweep
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0])
    >>> learning = Learning(CompiledSweep(make_points(X, y), PerceptronRule()), order="cyclic")
    >>> [made.mistakes for made in learning]
    [1, 0]
    >>> learning.end().stop
    Stop.SEPARATED
    """

    def __init__(
        self,
        sweep: Sweep,
        *,
        order: str | Sequence[int] | Callable[..., int] = "active",
        budget: Budget | None = None,
        validation: tuple[Any, Any] | None = None,
        rng: Permutations | np.random.Generator | None = None,
        earlier: Sequence[Pass] = (),
    ):
        self.sweep, self.validation, self.earlier = sweep, validation, earlier
        self.budget = budget = budget or Budget()
        self.rng = Permutations(0) if rng is None else rng
        self.stop: Stop | None = None
        sweep.allowed = budget.updates or UNLIMITED
        self._one_pass: Callable[..., int] = order_named(order)
        self._best = _Best(math.inf, sweep.state.weights)
        self.history = list(earlier)
        self._found, self._held_out = 1, math.nan
        # Difference up to which training errors count as equal, where they choose.
        self._room = math.nan
        if sweep.forgets and validation is None and budget.tol is not None:
            self._room = max(0.0, budget.tol)
        self._began = working_seconds() - (earlier[-1].seconds if earlier else 0.0)

    def __iter__(self) -> Iterator[Pass]:
        """Make pass after pass, until there is a reason to stop."""
        sweep, state = self.sweep, self.sweep.state
        try:
            while self.stop is None:
                done = sweep.total.updates
                before = None if self.budget.weight_tol is None else state.weights.copy()
                self._held_out = math.nan  # unknown, should the pass be interrupted
                found = self._one_pass(sweep, self.rng)
                yield self._measured(found, sweep.total.updates - done, before)
        except KeyboardInterrupt:
            self.stop = Stop.INTERRUPTED
        except Ended as ended:
            self.stop = ended.stop

    def _measured(self, found: int, made: int, before: Any) -> Pass:
        """The record of a finished pass; notes the first reason to stop that holds."""
        sweep, budget = self.sweep, self.budget
        weights = sweep.state.weights
        self._found = found
        training = 0.0 if not found else math.nan
        if found and budget.tol is not None:
            training = sweep.error()
        held_out = math.nan if self.validation is None else sweep.error(*self.validation)
        self._held_out = held_out
        # Of weights equally good on the validation data, those that separate are preferred.
        if held_out < self._best.error or (not found and held_out == self._best.error):
            self._best = _Best(held_out, weights.copy("K"))
        elif training <= self._best.error + self._room:
            self._best = _Best(min(training, self._best.error), weights.copy("K"))
        norm, seconds = sweep.length(), working_seconds() - self._began
        newest = Pass(made, sweep.total.looks, norm, training, held_out, seconds)
        self.history.append(newest)
        self.stop = _reason(found, sweep.left, self.history, before, weights, budget)
        return newest

    def all(self) -> Run:
        """Make all passes."""
        for _ in self:
            pass
        return self.end()

    def end(self, stop: Stop | None = None) -> Run:
        """What was learned; ``stop`` says why no further pass is wanted, unless there is none."""
        sweep, best, state = self.sweep, self._best, self.sweep.state
        stop = self.stop or stop
        sweep.finish()
        found, validated = self._found, self.validation is not None
        clean = found == 0 and (not validated or self._held_out == best.error)
        if stop is Stop.SEPARATED and found == 0 and not clean:
            stop = Stop.VALIDATION_ERROR  # the weights that separate are not those kept
        average = mean_weights(state)
        if best.weights is not state.weights:
            put(state, best.weights)
        return Run(
            weights=state.weights,
            average=average,
            state=state,
            mistakes=sweep.total.updates,
            updates=sweep.total.updates,
            passes=len(self.history),
            looks=sweep.total.looks,
            history=tuple(self.history),
            stop=stop or Stop.INTERRUPTED,
            clean=clean,
            seconds=working_seconds() - self._began,
            cost=sweep.cost(),
            tally=sweep.total,
            least=sweep.least if clean else math.nan,
            moved=sweep.moved,
        )


def learn(sweep: Sweep, *, watch: Callable[[Pass], Stop | None] | None = None, **how: Any) -> Run:
    """Pass over the points of a sweep in the given order until there is reason to stop.

    Parameters
    ----------
    sweep : Sweep
    watch : callable, optional
        Sees each finished `Pass`, the last too; may return a `Stop` to end the run.
    **how
        Of `Learning`: ``order``, ``budget``, ``validation``, ``rng``, ``earlier``.

    Returns
    -------
    Run

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> from rosenblatt.engine.sweep import CompiledSweep
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0])
    >>> run = learn(CompiledSweep(make_points(X, y), PerceptronRule()))
    >>> run.stop, run.updates, run.weights.tolist()
    (Stop.SEPARATED, 1, [1.0, 1.0, 1.0])
    """
    learning, asked = Learning(sweep, **how), None
    if watch is None:
        return learning.all()
    try:
        for made in learning:
            asked = watch(made)
            if asked is not None:
                break
    except KeyboardInterrupt:  # while it was watched
        asked = Stop.INTERRUPTED
    except Ended as ended:
        asked = ended.stop
    return learning.end(asked)


def working_seconds() -> float:
    """A clock that does not count the time of compilation."""
    return time.perf_counter() - compile_seconds()


def mean_weights(state: State) -> Any:
    """The mean of the weights over all looks so far."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = state.drift / -max(1, int(state.clock[0]))
        mean += state.weights
        return mean


def put(state: State, weights: Any) -> None:
    """Replace the weights of a run; the mean over the looks so far stays as it is.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.sweep import CompiledSweep, zero_state
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> points = make_points(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]))
    >>> state = learn(CompiledSweep(points, PerceptronRule())).state
    >>> mean = mean_weights(state)
    >>> put(state, np.array([5.0, 7.0]))
    >>> np.allclose(mean_weights(state), mean), state.weights
    (True, array([5., 7.]))
    """
    with np.errstate(over="ignore", invalid="ignore"):
        state.drift[...] += int(state.clock[0]) * (weights - state.weights)
    state.weights[...] = weights


def put_mean(state: State, mean: Any) -> None:
    """Replace the mean over the looks so far, from which a later run goes on."""
    with np.errstate(over="ignore", invalid="ignore"):
        state.drift[...] = int(state.clock[0]) * (state.weights - mean)


class Ended(Exception):
    """Raised inside a sweep to end the run at once, for the reason it carries."""

    def __init__(self, stop: Stop):
        super().__init__(stop.name)
        self.stop = stop


class _Best(NamedTuple):
    error: float
    weights: Any


def _reason(
    found: int,
    left: int,
    history: list[Pass],
    before: Any,
    weights: Any,
    budget: Budget,
) -> Stop | None:
    """The first reason to stop that holds after a pass."""
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

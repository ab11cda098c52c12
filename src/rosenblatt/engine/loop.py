"""The learning loop: passes over a sweep until there is reason to stop.

Every learner of the package is this loop with a sweep, an order and a budget.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.counting import UNLIMITED, Passes, Sweep
from rosenblatt.engine.orders import FirstPermutations, Permutations, cyclic, order_named, shuffled
from rosenblatt.engine.pieces import inner
from rosenblatt.engine.rules import SQUARES, State
from rosenblatt.engine.run import Pass, Record, Run
from rosenblatt.engine.stopping import Budget, Stop, no_longer_falls

# Weights up to which plain Python computes a norm faster than NumPy.
FEW = 64
FLOAT = np.dtype(np.float64)


def learn(
    sweep: Sweep,
    *,
    order: str | Sequence[int] | Callable[..., int] = "active",
    budget: Budget | None = None,
    validation: tuple[Any, Any] | None = None,
    rng: Permutations | FirstPermutations | np.random.Generator | None = None,
    watch: Callable[[Pass], Stop | None] | None = None,
    judge: Callable[[Pass], Stop | None] | None = None,
    earlier: Sequence[Pass] = (),
) -> Run:
    """Pass over the points of a sweep in the given order until there is reason to stop.

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
    watch : callable, optional
        Sees each finished `Pass`, the last too; may return a `Stop` to end the run.
    judge : callable, optional
        Asked after a `Pass` that gives no reason to stop whether there is another.
    earlier : sequence of Pass
        The passes so far, of a run that goes on.

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
    one_pass: Callable[..., int] = order_named(order)
    budget = budget or Budget()
    rng = Permutations(0) if rng is None else rng
    sweep.allowed = budget.updates or UNLIMITED
    state = sweep.state
    best = _Best(math.inf, state.weights)
    record = Record(earlier)
    found, held_out, stop = 1, math.nan, None
    room = math.nan  # difference up to which training errors count as equal, where they choose
    if sweep.forgets and validation is None and budget.tol is not None:
        room = max(0.0, budget.tol)
    began = working_seconds() - record.seconds
    source = rng if isinstance(rng, (Permutations, FirstPermutations)) else Permutations.by(rng)
    arrange = source.orders if one_pass is shuffled else None
    repeats = one_pass is cyclic or one_pass is shuffled
    unseen = repeats and watch is judge is validation is budget.tol is budget.weight_tol is None
    at_one_go = budget.passes if unseen else None  # only with a limit: the record grows fast
    try:
        while stop is None:
            done = sweep.total.updates
            before = None if budget.weight_tol is None else state.weights.copy()
            held_out = math.nan  # unknown, should the pass be interrupted
            several = sweep.passes(at_one_go - record.count, arrange) if at_one_go else None
            if several is None:
                found = one_pass(sweep, rng)
            else:
                found = int(several.updates[-1])
                done = sweep.total.updates - found
                others = _all_but_last(several, record.seconds, working_seconds() - began)
                record.add_later(len(several.updates) - 1, others)
            training = 0.0 if not found else math.nan
            if found and budget.tol is not None:
                training = sweep.error()
            held_out = math.nan if validation is None else sweep.error(*validation)
            # Of weights equally good on the validation data, those that separate are preferred.
            if held_out < best.error or (not found and held_out == best.error):
                best = _Best(held_out, state.weights.copy("K"))
            elif training <= best.error + room:
                best = _Best(min(training, best.error), state.weights.copy("K"))
            made, norm = sweep.total.updates - done, length(state.weights)
            seconds = working_seconds() - began
            newest = Pass(made, sweep.total.looks, norm, training, held_out, seconds)
            record.add(newest)
            stop = _reason(found, sweep.left, record, newest, before, state.weights, budget)
            if watch is not None:
                asked = watch(newest)
                stop = stop or asked
            if stop is None and judge is not None:
                stop = judge(newest)
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    except Ended as ended:
        stop = ended.stop
    sweep.settle()
    cost: Any = sweep.cost()
    clean = found == 0 and (validation is None or held_out == best.error)
    if stop is Stop.SEPARATED and found == 0 and not clean:
        stop = Stop.VALIDATION_ERROR  # the weights that separate are not those kept
    average = mean_weights(state)
    if best.weights is not state.weights:
        put(state, best.weights)
    rows: Any = record.rows
    return Run(
        weights=state.weights,
        average=average,
        state=state,
        mistakes=sweep.total.updates,
        updates=sweep.total.updates,
        passes=record.count,
        looks=sweep.total.looks,
        history=rows,
        stop=stop,
        clean=clean,
        seconds=working_seconds() - began,
        cost=cost,
        tally=sweep.total,
        least=sweep.least if clean else math.nan,
        moved=sweep.moved,
    )


def working_seconds() -> float:
    """A clock that does not count the time of compilation."""
    compiling = sys.modules.get("rosenblatt.engine.machine.compilation")
    return time.perf_counter() - (compiling.compile_seconds() if compiling else 0.0)


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


def _all_but_last(made: Passes, start: float, now: float) -> Iterator[Pass]:
    """Records of passes made in one call, time shared evenly; the loop records the last one."""
    count = len(made.updates)
    seconds = start + (now - start) / count * np.arange(1, count)
    looks = made.before + np.cumsum(made.looks[:-1])
    counts = made.updates[:-1].tolist(), looks.tolist()
    norms = np.sqrt(made.squares[:-1]).tolist()
    rows = zip(*counts, norms, repeat(math.nan), repeat(math.nan), seconds.tolist(), strict=False)
    yield from map(partial(tuple.__new__, Pass), rows)  # Pass._make, without Python for each row


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
    if getattr(weights, "dtype", None) == FLOAT:
        if weights.size <= FEW:
            return math.hypot(*(weights if weights.ndim == 1 else weights.ravel()).tolist())
        # One core, no warning on overflow; class by class, so that rounding grows with d alone.
        if weights.ndim == 1:
            square = inner(weights, weights)
        else:
            square = float(np.einsum("...j,...j", weights, weights).sum())
        if SQUARES[0] < square < SQUARES[1]:
            return math.sqrt(square)
    largest = np.abs(weights).max()
    if not 0 < largest < math.inf:
        return float(largest)
    return float(largest) * math.sqrt(float(np.square(weights / largest).sum()))


def _reason(
    found: int,
    left: int,
    record: Record,
    newest: Pass,
    before: Any,
    weights: Any,
    budget: Budget,
) -> Stop | None:
    """The first reason to stop that holds after a pass."""
    if not math.isfinite(newest.norm):
        return Stop.OVERFLOW
    if found == 0:
        return Stop.SEPARATED
    if left <= 0:
        return Stop.UPDATES
    if not math.isnan(newest.validation_error):
        held_out = [row.validation_error for row in record.rows()]
        if no_longer_falls(held_out, 0.0, budget.patience):
            return Stop.VALIDATION_ERROR
    if budget.tol is not None:
        training = [row.training_error for row in record.rows()]
        if no_longer_falls(training, budget.tol, budget.patience):
            return Stop.TRAINING_ERROR
    limit = budget.weight_tol
    if limit is not None and length(weights - before) <= limit * newest.norm:
        return Stop.SETTLED
    if budget.passes is not None and record.count >= budget.passes:
        return Stop.PASSES
    return None

"""Iterative parameter mixing: one pass for each partition, then the weights are averaged.

McDonald, Hall and Mann, *Distributed training strategies for the structured perceptron* (2010).
In round n partition i passes over its points from the mixed weights w, makes k_{i,n} mistakes and
ends at w_{i,n}; the next w is Σᵢ μ_{i,n} w_{i,n} with μ ≥ 0 and Σᵢ μ_{i,n} = 1. For unit u with
margin γ, u·w_{i,n} ≥ u·w + ηγk_{i,n}, and ‖w_{i,n}‖² ≤ ‖w‖² + (η²R² + 2ηδ)k_{i,n}. Mixing keeps the
first by linearity and the second by convexity, so K = Σₙ Σᵢ μ_{i,n} k_{i,n} obeys

    K·ηγ ≤ ‖w‖ ≤ √(K·(η²R² + 2ηδ)),    hence    K ≤ (R² + 2δ/η)/γ²,

whatever the partitions, which may even change from round to round, and whatever μ. A round with a
mistake adds at least 1 to K if μ is in proportion to the mistakes (Σk²/Σk ≥ 1) and at least 1/S if
it is uniform over S partitions, so at most R²/γ² or S·R²/γ² rounds make a mistake. Averaging once
at the end (one-shot mixing) has no such guarantee: theorem 2 of the paper is a separable set on
which the average of separators of the parts fails for ever.

The rounds are the passes of ``learn``, whose loop, stops, budgets and history are used as they
are. Imports it, ``work`` and ``margins``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.dask.work import Block
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.learn import all_margins, learn, length, zero_state
from rosenblatt.margins import mistake_bound
from rosenblatt.rules import State, Tally, make_rule
from rosenblatt.run import Run
from rosenblatt.solutions import Pocket
from rosenblatt.stopping import Budget

MIXINGS = ("uniform", "mistakes")
ORDERS = ("active", "cyclic", "shuffled")
# Partial sums are of so many partitions in a row: a fixed shape, so that rounding is too.
FAN_IN = 4
# Rounding may take this share of a length; a wrong sum takes far more.
SLACK = 1e-9


class Pace(NamedTuple):
    """How a partition makes its pass.

    Attributes
    ----------
    threshold, ties, eta : float, str, float
        Of the rule, and the step.
    order : {"active", "cyclic", "shuffled"}
    mixing : {"uniform", "mistakes"}
    seed : int
    averages : bool
        Whether the sum of the weights over all looks is wanted too.
    """

    threshold: float = 0.0
    ties: str = "mistake"
    eta: float = 1.0
    order: str = "cyclic"
    mixing: str = "uniform"
    seed: int = 0
    averages: bool = True


class Mixed(NamedTuple):
    """What the passes of some partitions came to; these add up.

    Attributes
    ----------
    weights : ndarray or None
        Σ μᵢwᵢ over the partitions that changed them, μ not yet divided by its sum.
    share, idle : float
        Σ μᵢ, and the part of it that belongs to partitions that changed nothing.
    weighted : float
        Σ μᵢkᵢ.
    looked : ndarray or None
        The sum of the weights over all looks of the partitions that changed them.
    idle_looks : int
        Looks of those that changed nothing.
    updates, found, looks, read, written : int
        As in `rules.Tally`; found counts the mistakes of the full looks.
    seconds : float
        The longest pass.
    moved : int
        Bytes of the arrays summed so far.
    """

    weights: Any = None
    share: float = 0.0
    idle: float = 0.0
    weighted: float = 0.0
    looked: Any = None
    idle_looks: int = 0
    updates: int = 0
    found: int = 0
    looks: int = 0
    read: int = 0
    written: int = 0
    seconds: float = 0.0
    moved: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes that it takes to send it."""
        return sum(0 if a is None else a.nbytes for a in (self.weights, self.looked))


def one_pass(block: Block, index: int, weights: np.ndarray, pace: Pace, number: int) -> Mixed:
    """One pass over a partition from the given weights, by the engine's own loop."""
    if not len(block.train):
        return Mixed()
    began = time.perf_counter()
    points = block.points(pace.eta)
    state = zero_state(points, block.vectors)
    state.weights[...] = weights
    run = learn(
        points,
        make_rule(block.classes, pace.threshold, pace.ties),
        order=pace.order,
        state=state,
        everyone=block.train,
        budget=Budget(passes=1),
        rng=np.random.default_rng([pace.seed, number, index]),
    )
    share = 1.0 if pace.mixing == "uniform" else float(run.updates)
    changed = run.updates > 0
    looked = None
    if changed and pace.averages:
        looked = run.looks * state.weights - state.drift
    read, written = _entries(run, points, block.vectors)
    return Mixed(
        weights=share * state.weights if changed else None,
        share=share,
        idle=0.0 if changed else share,
        weighted=share * run.updates,
        looked=looked,
        idle_looks=0 if changed else run.looks,
        updates=run.updates,
        found=0 if run.clean else run.updates,
        looks=run.looks,
        read=read,
        written=written,
        seconds=time.perf_counter() - began,
    )


def _entries(run: Run, points: Any, vectors: int) -> tuple[int, int]:
    """Stored entries read and changed by a run: `learning_cost` solved for them."""
    rows = points.rows
    arrays = (rows.data, rows.indices) if hasattr(rows, "indptr") else (rows.values,)
    read = run.cost.bytes // sum(array.itemsize for array in arrays)
    if vectors:
        added = (run.cost.multiply_adds - vectors * (read + run.looks)) // 2
    else:
        added = run.cost.multiply_adds - read - 2 * run.looks
    return read, added - run.updates


def add_up(parts: Sequence[Mixed]) -> Mixed:
    """The sum of some parts, in their order.

    Examples
    --------
    >>> add_up([Mixed(share=2.0, updates=2), Mixed(share=1.0, updates=1)]).updates
    3
    """
    arrays = {name: _sum([getattr(part, name) for part in parts]) for name in ("weights", "looked")}
    numbers = {
        name: sum(getattr(part, name) for part in parts)
        for name in Mixed._fields
        if name not in ("weights", "looked", "seconds", "moved")
    }
    moved = sum(part.moved + part.nbytes for part in parts)
    return Mixed(**arrays, **numbers, seconds=max(part.seconds for part in parts), moved=moved)


def _sum(arrays: Sequence[Any]) -> Any:
    present = [array for array in arrays if array is not None]
    if not present:
        return None
    total = present[0].copy("K")
    for array in present[1:]:
        total += array
    return total


def tree(parts: Sequence[Any], combine: Callable[[list[Any]], Any]) -> Any:
    """Combine neighbours until one is left; the shape depends on nothing but their number.

    Examples
    --------
    >>> tree(range(10), sum)
    45
    """
    level = list(parts)
    while True:
        level = [combine(level[at : at + FAN_IN]) for at in range(0, len(level), FAN_IN)]
        if len(level) == 1:
            return level[0]


class Guarantee(NamedTuple):
    """The mixing theorem, with the numbers of a run in it.

    Attributes
    ----------
    weighted_mistakes : float
        K = Σ μk.
    length, longest : float
        ‖w‖, and √(K·(η²R² + 2ηδ)), which it never exceeds.
    upper : float
        ‖w‖/(ηK), which no margin exceeds.
    bound : float
        (R² + 2δ/η)/γ², which K never exceeds, by the margin that the weights reach; infinite
        where they do not separate.

    Examples
    --------
    >>> held = Guarantee(weighted_mistakes=4.0, length=2.0, longest=4.0, upper=0.5, bound=16.0)
    >>> held.holds, held.bound
    (True, 16.0)
    """

    weighted_mistakes: float
    length: float
    longest: float
    upper: float
    bound: float = math.inf

    @property
    def holds(self) -> bool:
        """Whether the numbers are as the theorem says; only a wrong computation breaks it."""
        return self.length <= self.longest * (
            1 + SLACK
        ) and self.weighted_mistakes <= self.bound * (1 + SLACK)

    def __str__(self) -> str:
        bound = "no bound known yet" if math.isinf(self.bound) else f"bound {self.bound:,.6g}"
        return (
            f"{self.weighted_mistakes:,.6g} weighted mistakes ({bound}), "
            f"‖w‖ = {self.length:.6g} ≤ {self.longest:.6g}"
        )


class Round(NamedTuple):
    """One round, for whoever watches.

    Attributes
    ----------
    number : int
        From 1 on.
    mistakes : int
        Of all partitions together.
    guarantee : Guarantee
        After it.
    seconds, busy : float
        Of the round, and of its longest pass: the rest is overhead.
    moved : int
        Bytes of weights that travelled, at most.
    """

    number: int
    mistakes: int
    guarantee: Guarantee
    seconds: float
    busy: float
    moved: int


class MixingSweep:
    """A sweep of ``learn`` whose look over all points is a round of mixing.

    Parameters
    ----------
    pace : Pace
    tell : callable or None
        Sees each `Round`.
    points, rule, state, everyone, budget
        As for `rosenblatt.learn.CompiledSweep`; points are partitions that answer ``mix`` and
        ``errors`` and know their ``reach``. ``state.dual`` holds the one number η·K.
    done : int
        Rounds made before this run.
    pocket : Pocket, optional
        Offered the mixed weights of each round.
    """

    def __init__(
        self,
        pace: Pace,
        tell: Callable[[Round], None] | None,
        points: Any,
        rule: Any,
        state: State,
        everyone: Any,
        budget: int,
        *,
        done: int = 0,
        pocket: Pocket | None = None,
    ):
        self.pace, self.tell, self.done, self.pocket = pace, tell, done, pocket
        self.points, self.rule, self.state, self.everyone = points, rule, state, everyone
        self.left = budget
        self.total = Tally(0, 0, 0, 0, 0)

    def look(self, order: Any, laps: int = 1) -> int:
        """One round: every partition passes once, and the weights are mixed."""
        began = time.perf_counter()
        self.done += 1
        mixed, moved = self.points.mix(self.state.weights, self.pace, self.done)
        if not mixed.looks:
            raise InputError("There is no point to learn from: every partition is empty.")
        self._take(mixed)
        made = Tally(mixed.updates, mixed.looks, mixed.found, mixed.read, mixed.written)
        self.total = Tally(*(a + b for a, b in zip(self.total, made, strict=True)))
        self.left -= mixed.updates
        if self.pocket is not None:
            self.pocket.trials += 1
            self.pocket.offer(self.state.weights, self.error(self.points, None))
        held = guarantee(self.state, self.pace, self.points.reach)
        seconds = time.perf_counter() - began
        if self.tell is not None:
            self.tell(Round(self.done, mixed.updates, held, seconds, mixed.seconds, moved))
        if not held.holds and math.isfinite(held.length):
            raise RosenblattError(
                f"round {self.done} broke the mixing theorem ({held}), which no data can do: a "
                "worker returned wrong numbers. Check its memory, and its version of the library."
            )
        return mixed.found

    def _take(self, mixed: Mixed) -> None:
        """The next weights: what the partitions made of the last, in their shares."""
        state, before = self.state, self.state.weights
        if mixed.weights is None:
            looked = mixed.looks * before
            after = before
        else:
            after = (mixed.weights + mixed.idle * before) / mixed.share
            looked = 0.0 if mixed.looked is None else mixed.looked + mixed.idle_looks * before
            state.dual[0] += self.pace.eta * mixed.weighted / mixed.share
        if self.pace.averages:
            # Of T looks the mean is weights − drift/T, as in every other run.
            sum_of_weights = state.clock[0] * before - state.drift + looked
            state.drift[...] = (state.clock[0] + mixed.looks) * after - sum_of_weights
        state.clock[0] += mixed.looks
        state.weights[...] = after

    def error(self, points: Any, order: Any) -> float:
        """The share of a set's points that the weights have on the wrong side."""
        wrong, rows = points.errors(self.state.weights)
        return wrong / rows

    def settle(self) -> None:
        """The drift is up to date after each round."""


def started(points: Any, earlier: State | None = None) -> State:
    """The state to start with: zero, or where an earlier run was left."""
    classes = len(points.facts.classes)
    state = zero_state(points, classes if classes > 2 else 0)._replace(dual=np.zeros(1))
    if earlier is None:
        return state
    if earlier.weights.shape != state.weights.shape:
        raise InputError(
            f"A run can only go on with as many features and classes as it had: its weights have "
            f"shape {earlier.weights.shape}, these partitions need {state.weights.shape}."
        )
    for name in ("weights", "drift", "dual", "clock"):
        getattr(state, name)[...] = getattr(earlier, name)
    return state


def guarantee(state: State, pace: Pace, reach: float, margin: float = 0.0) -> Guarantee:
    """The theorem's numbers at a state, with the margin that is known to be reached."""
    weighted, size = float(state.dual[0]) / pace.eta, length(state.weights)
    growth = (pace.eta * reach) ** 2 + 2 * pace.eta * pace.threshold
    return Guarantee(
        weighted_mistakes=weighted,
        length=size,
        longest=math.sqrt(weighted * growth),
        upper=size / float(state.dual[0]) if weighted else math.inf,
        bound=mistake_bound(reach, margin, pace.threshold, pace.eta) if margin > 0 else math.inf,
    )


def wrong(block: Block, index: int, weights: np.ndarray, which: str) -> tuple[int, int]:
    """Points of a partition on the wrong side or on the boundary, and how many there are.

    ``which`` are its rows to ``train`` on, or those ``held`` out.
    """
    chosen: np.ndarray = getattr(block, which)
    if not len(chosen):
        return 0, 0
    points = block.points()
    state = zero_state(points, block.vectors)
    state.weights[...] = weights
    margins = all_margins(points, make_rule(block.classes), state, chosen)
    return int(np.sum(~(margins > 0))), len(chosen)

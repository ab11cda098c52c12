"""One round of mixing: a pass over each partition, and the weighted sum of the results.

McDonald, Hall and Mann, *Distributed training strategies for the structured perceptron* (2010); the
theorem is in ``guarantee``. Averaging once at the end (one-shot mixing) has no such guarantee:
theorem 2 of the paper is a separable set on which the average of separators of the parts always
fails. Plain functions, which run anywhere.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.column_sums import Sums, sums
from rosenblatt.engine.loop import learn
from rosenblatt.engine.pieces import all_margins, squares_of
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.scaling import Alike, UsualRows
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from rosenblatt.places.cluster.work import PartitionBlock

MIXINGS = ("uniform", "mistakes")
ORDERS = ("active", "cyclic", "shuffled")
# Partitions per partial sum: fixed, so that rounding is reproducible.
FAN_IN = 4


class Pace(NamedTuple):
    """Settings of a partition's pass.

    Attributes
    ----------
    threshold, ties, eta : float, str, float
        Of the rule, and the step.
    class_weights : tuple of float
        By which the step is multiplied, class by class; none where all count alike.
    spread : tuple of float
        The least and the largest weight that a point may have, its own and its class's together.
    order : {"active", "cyclic", "shuffled"}
    mixing : {"uniform", "mistakes"}
    seed : int
    averages : bool
        Whether the sum of the weights over all looks is wanted too.

    Examples
    --------
    >>> Pace(order="shuffled").mixing
    'uniform'
    """

    threshold: float = 0.0
    ties: str = "mistake"
    eta: float = 1.0
    class_weights: tuple[float, ...] = ()
    spread: tuple[float, float] = (1.0, 1.0)
    order: str = "cyclic"
    mixing: str = "uniform"
    seed: int = 0
    averages: bool = True

    def steps(self, block: PartitionBlock) -> float | np.ndarray:
        """η, or η times the weight of each point."""
        if not self.class_weights and block.weights is None:
            return self.eta
        steps = np.full(len(block.codes), self.eta)
        if self.class_weights:
            steps *= np.array(self.class_weights)[block.codes]
        return steps if block.weights is None else steps * block.weights

    def with_spread_of(self, other: tuple[float, float]) -> Pace:
        """The pace with its spread extended to that of an earlier one."""
        least, largest = zip(self.spread, other, strict=True)
        return self._replace(spread=(min(least), max(largest)))


class Mixed(NamedTuple):
    """Sums over the passes of some partitions.

    Attributes
    ----------
    weights : ndarray or None
        Σ μᵢwᵢ over the partitions that changed them, μ not yet divided by its sum.
    share, idle : float
        Σ μᵢ, and the part of it that belongs to partitions that changed nothing.
    weighted, stepped : float
        Σ μᵢkᵢ, and Σ μᵢ(the sum of the steps of i's mistakes).
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

    Examples
    --------
    >>> Mixed._fields[:3]
    ('weights', 'share', 'idle')
    """

    weights: Any = None
    share: float = 0.0
    idle: float = 0.0
    weighted: float = 0.0
    stepped: float = 0.0
    looked: Any = None
    idle_looks: int = 0
    updates: int = 0
    found: int = 0
    looks: int = 0
    read: int = 0
    written: int = 0
    seconds: float = 0.0
    moved: int = 0

    def after(self, before: np.ndarray) -> np.ndarray:
        """The mixed weights of all partitions, which passed from the weights before.

        Examples
        --------
        >>> Mixed(weights=np.array([3.0, 1.0]), share=2.0, idle=1.0).after(np.array([1.0, 1.0]))
        array([2., 1.])
        """
        if self.weights is None:
            return before.copy()
        return (self.weights + self.idle * before) / self.share

    @property
    def nbytes(self) -> int:
        """Bytes to send."""
        return sum(0 if a is None else a.nbytes for a in (self.weights, self.looked))


def one_pass(
    block: PartitionBlock,
    index: int,
    weights: np.ndarray,
    pace: Pace,
    number: int,
    alike: Alike | None = None,
) -> Mixed:
    """One pass over a batch from the given weights, by the engine's own loop.

    Parameters
    ----------
    block : PartitionBlock
        A batch, as `prepare` returns it.
    index, number : int
        Of the batch, from 0, and of the round, from 1: with the seed, they say how rows are
        shuffled.
    weights : ndarray of shape (d + 1,) or (K, d + 1)
        To start from, the bias last; they do not change.
    pace : Pace
        Settings of the pass.
    alike : optional
        A scale of the columns and a limit of steps.

    Returns
    -------
    Mixed

    Examples
    --------
    >>> from rosenblatt.rounds import Pace, PartitionFacts, combine, one_pass, prepare
    >>> facts = PartitionFacts(width=1, first=0, classes=np.array([0, 1]))
    >>> batches = [(np.array([[-1.0], [2.0]]), [0, 1]), (np.array([[-3.0], [1.0]]), [0, 1])]
    >>> weights = np.zeros(2)
    >>> for number in (1, 2, 3):
    ...     parts = [
    ...         one_pass(prepare(batch, index, facts=facts), index, weights, Pace(), number)
    ...         for index, batch in enumerate(batches)
    ...     ]
    ...     mixed = combine(parts)
    ...     weights = mixed.after(weights)
    >>> weights, mixed.found
    (array([ 2., -1.]), 0)
    """
    if not len(block.train):
        return Mixed()
    began = time.perf_counter()
    points = block.points(pace.steps(block))
    if alike is not None:
        points = alike.points(points, block.X)
    state = zero_state(points, block.vectors)
    state.weights[...] = weights
    run = learn(
        CompiledSweep(
            points,
            make_rule(block.classes, pace.threshold, pace.ties),
            state=state,
            in_play=block.train,
        ),
        order=pace.order,
        budget=Budget(passes=1),
        rng=np.random.default_rng([pace.seed, number, index]),
    )
    share = 1.0 if pace.mixing == "uniform" else float(run.updates)
    changed = run.updates > 0
    looked = None
    if changed and pace.averages:
        looked = run.looks * state.weights - state.drift
    return Mixed(
        weights=share * state.weights if changed else None,
        share=share,
        idle=0.0 if changed else share,
        weighted=share * run.updates,
        stepped=share * run.moved,
        looked=looked,
        idle_looks=0 if changed else run.looks,
        updates=run.updates,
        found=0 if run.clean else run.updates,
        looks=run.looks,
        read=run.tally.read,
        written=run.tally.written,
        seconds=time.perf_counter() - began,
    )


def some_of(block: PartitionBlock, index: int, _: None, share: float, seed: int) -> Any:
    """A share of the rows of a partition to learn from, drawn at random, one at least."""
    chosen = np.random.default_rng([seed, index]).permutation(block.train)
    return block.X[np.sort(chosen[: math.ceil(share * len(chosen))])]


def sums_of(
    block: PartitionBlock, index: int, centres: np.ndarray | None, usual: UsualRows
) -> Sums:
    """Column sums of a partition's usual rows around centres, for the common scale."""
    return sums(usual.of(block.rows_to_learn), centres)


def lengths_of(
    block: PartitionBlock, index: int, _: None, pace: Pace, alike: Alike
) -> tuple[float, float, float]:
    """Largest norm, sum of η‖x‖² and number of the points to learn from, after scaling."""
    points = alike.points(block.points(pace.steps(block)), block.X)
    squares = squares_of(points)[block.train]
    largest = math.sqrt(squares.max(initial=0.0))
    return largest, float(np.sum(points.steps[block.train] * squares)), float(len(squares))


def combine(parts: Sequence[Mixed]) -> Mixed:
    """The sum of some parts, in their order: of all, or of some to be combined with others.

    Examples
    --------
    >>> combine([Mixed(share=2.0, updates=2), Mixed(share=1.0, updates=1)]).updates
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


def asked(
    block: PartitionBlock,
    index: int,
    _: None,
    which: str,
    pace: Pace,
    alike: Alike | None,
    question: Callable[..., Any],
    given: tuple[Any, ...],
) -> Any:
    """What a partition answers to a question about its rows to ``train`` on, or ``held`` out."""
    points = block.points(pace.steps(block))
    if alike is not None:
        points = alike.points(points, block.X)
    return question(points, getattr(block, which), block.vectors, *given)


def wrong(
    block: PartitionBlock, index: int, weights: np.ndarray, which: str, pace: Pace | None
) -> tuple[float, float]:
    """Points of a partition on the wrong side or on the boundary, and how many there are.

    ``which`` are its rows to ``train`` on, or those ``held`` out. Each counts 1 or, where a pace is
    given, its step.
    """
    chosen: np.ndarray = getattr(block, which)
    if not len(chosen):
        return 0.0, 0.0
    points = block.points(1.0 if pace is None else pace.steps(block))
    state = zero_state(points, block.vectors)
    state.weights[...] = weights
    margins = all_margins(points, make_rule(block.classes), state, chosen)
    counts = points.steps[chosen]
    return float(counts[~(margins > 0)].sum()), float(counts.sum())

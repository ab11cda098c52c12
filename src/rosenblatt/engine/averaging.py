"""The classifier that `auto` predicts with: the mean over shuffled passes.

The active order looks for a separator and dwells on the points it got wrong, so that its weights,
and their mean, say little of the others. What predicts is learned by itself: full passes in random
orders, over columns made alike, by a perceptron that also corrects points too near to its boundary,
and the mean of the weights over all their looks (Freund and Schapire 1999; Collins 2002; Krauth and
Mézard 1987). Where no separator was found it competes with the other weights at hand, so that what
is chosen is never worse on the training points than any of them. Where there is one, a separator
near to the mean predicts: further passes begin at the mean, or (see ``solve.hinge``) a search does.
Where that would take too long for what it brings, a mean over some looks is moved until it
separates (``engine.moving``).
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.counting import UNLIMITED
from rosenblatt.engine.loop import learn, mean_weights, put
from rosenblatt.engine.machine.compiled import dispatcher
from rosenblatt.engine.orders import FirstPermutations, Permutations
from rosenblatt.engine.pieces import mean_step, middle, of_each, squares_of, squares_of_rows
from rosenblatt.engine.points import Points, dot, width
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.scaling import Scale, ScaledColumns
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep

# Passes that the mean is taken over, and how long orders of them all may be to be kept.
PASSES, KEPT = 10, 2**15
# Where weights are corrected on the points that they have wrong: how many times these weights that
# begins at (measured: 4 to 32 are alike, 1 costs up to 2 points), and how long that may take.
SHORT, CORRECTIONS = 8, Budget(10)
# Times what a step usually adds to the margin of its own point that it adds at most.
LONGEST = 9.0
# Runs that ended so are not followed by others: there is a separator, no hope, or no time.
FINAL = (Stop.SEPARATED, Stop.OVERFLOW, Stop.CALLBACK)
CUT_SHORT = (Stop.INTERRUPTED, Stop.OVERFLOW, Stop.CALLBACK)


def automatic(plan: Any) -> bool:
    """Whether it is left to us which weights predict; textbook runs keep their own."""
    return plan.solution == "auto" and plan.order == "active" and plan.certify is not False


def wants_mean(run: Run, plan: Any) -> bool:
    """Whether no separator was found, and the weights that predict are yet to be learned."""
    return automatic(plan) and not run.clean and run.stop not in FINAL


def wants_average(run: Run, plan: Any) -> bool:
    """Whether a mean was asked for of a run whose own says little: it dwells on mistaken points."""
    ours = plan.solution == "average" and plan.order == "active" and plan.certify is not False
    return ours and run.stop not in CUT_SHORT


@functools.lru_cache(maxsize=16)
def mean_budget(budget: Budget, passes: int = PASSES) -> Budget:
    """How many passes the mean is taken over: never more than the run itself was allowed.

    Examples
    --------
    >>> mean_budget(Budget()).passes, mean_budget(Budget(passes=5)).passes
    (10, 5)
    """
    return Budget(min(passes, budget.passes or passes), budget.updates)


def scaled_mean_passes(
    points: Points,
    rule: Any,
    state: State,
    everyone: np.ndarray,
    budget: Budget,
    seed: int,
    columns: ScaledColumns,
) -> Run:
    """Full passes in random orders, over columns made alike, from the given state, which changes.

    The state before and after, and the weights, are in the user's units.
    """
    columns.scale.into(state)
    squares = columns.squares + points.bias**2
    steps = shortened(points.steps, squares, longest_step(squares[everyone]))
    points = points._replace(rows=columns.rows, steps=steps)
    rule, everyone = with_margin(rule, points, squares), by_content(points, everyone)
    sweep = CompiledSweep(points, rule, state=state, everyone=everyone)
    n, passes, rng = len(everyone), budget.passes or 0, Permutations(seed)
    if passes and n * passes <= KEPT:
        rng = FirstPermutations(n, seed, passes)
    run = learn(sweep, order="shuffled", budget=budget, rng=rng)
    columns.scale.back(state)
    return run.but(average=mean_weights(state))


def longest_step(squares: np.ndarray) -> float:
    """The most that a step of 1 is to add to the margin of its own point, of rows' ‖(x, 1)‖²."""
    return LONGEST * usual_square(squares)


def usual_square(squares: np.ndarray) -> float:
    """The middle of rows' ‖(x, 1)‖²; where most rows are 0, and there is no bias, of the others.

    Examples
    --------
    >>> usual_square(np.array([4.0, 1.0, 5.0])), usual_square(np.array([0.0, 2.0, 0.0]))
    (4.0, 2.0)
    """
    return middle(squares) or middle(squares[squares > 0])


def shortened(steps: np.ndarray, squares: np.ndarray, most: float) -> np.ndarray:
    """Steps of which none adds more to the margin of its own point than a usual one of so much.

    One along a row that is very long would be all that the mean consists of.

    Examples
    --------
    >>> shortened(np.ones(3), np.array([1.0, 2.0, 80.0]), most=20.0)
    array([1.  , 1.  , 0.25])
    """
    return steps * (most / np.maximum(squares, most)) if squares.max(initial=0.0) > most else steps


class Alike(NamedTuple):
    """How points that come table by table are made alike: their columns, and their long steps.

    Attributes
    ----------
    scale : Scale
        Of the columns.
    most : float
        What a step of 1 adds at most to the margin of its own point.
    """

    scale: Scale
    most: float

    @classmethod
    def by(cls, scale: Scale, X: Any, bias: float) -> Alike:
        """As some of the rows tell what a step usually adds."""
        return cls(scale, longest_step(squares_of_rows(scale.rows(X), X.shape[0], bias)))

    def points(self, points: Points, X: Any) -> Points:
        """The points of a table's rows, made alike."""
        points = points._replace(rows=self.scale.rows(X))
        return points._replace(steps=shortened(points.steps, squares_of(points), self.most))


def corrections(points: Points, rule: Any, state: State, everyone: np.ndarray) -> Run:
    """Passes that begin at the given weights, and end near to them.

    Or rather at many times these, for which the steps are short; what they are to end near is in
    the state, which changes. The points come in a random order.
    """
    state.weights[...] *= SHORT
    return learn(CompiledSweep(points, rule, state, everyone, mixed=True), budget=CORRECTIONS)


def scaled_corrections(
    points: Points,
    rule: Any,
    state: State,
    everyone: np.ndarray,
    columns: ScaledColumns,
) -> Run:
    """`corrections` over columns made alike; the weights are in the user's units."""
    columns.scale.into(state)
    run = corrections(points._replace(rows=columns.rows), rule, state, everyone)
    columns.scale.back(state)
    return run.but(weights=state.weights)


def quick_mean(
    points: Points, rule: Any, state: State, order: np.ndarray, budget: Budget
) -> np.ndarray:
    """The mean over laps of one order, up to a clean one, from the given state, which changes.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> from rosenblatt.engine.sweep import zero_state
    >>> points = make_points(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]))
    >>> quick_mean(points, PerceptronRule(), zero_state(points), np.arange(2), Budget(10))
    array([1.75, 0.25])
    """
    sweep = CompiledSweep(points, rule, state=state, everyone=order)
    sweep.allowed = budget.updates or UNLIMITED
    sweep.look(order, laps=budget.passes or 1)
    sweep.settle()
    return mean_weights(state)


def with_margin(rule: Any, points: Points, squares: np.ndarray | None = None) -> Any:
    """The rule with the mean of η‖x‖² for threshold, unless it has one of its own.

    One step on a point then brings it from the boundary to beyond the threshold, in the mean.
    ``squares`` are the ‖x‖², where they are known.
    """
    if not rule.is_plain:
        return rule
    squares = squares_of(points) if squares is None else squares
    return rule._replace(threshold=mean_step(points, squares))


def by_content(points: Points, everyone: np.ndarray) -> np.ndarray:
    """Those points in an order that depends on what they are, and not on how they came.

    They are sorted by a random linear function of row, label and step, of the largest one, so that
    a shuffle with a given seed, and all that is learned in its order, is the same in whatever order
    the rows came, and however long all steps are.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([1.0, -1.0, 1.0])
    >>> there = by_content(make_points(X, y), np.arange(3))
    >>> back = by_content(make_points(X[::-1].copy(), y[::-1].copy()), np.arange(3))
    >>> np.array_equal(X[there], X[::-1][back])
    True
    """
    random, kernel = _random(width(points) + 3), dispatcher(contents)
    largest = points.steps.max(initial=0.0)
    if largest > 0:
        points = points._replace(steps=points.steps / largest)
    keys = of_each(points, everyone, lambda some, out: kernel(points, some, random, out))
    return everyone[keys.argsort()]


def contents(points: Points, order: Any, random: Any, out: Any) -> None:
    """Write a linear function of row, label and step of each of those points into ``out``."""
    d = len(random) - 3
    for k in range(len(order)):
        i = order[k]
        of_row = dot(points, i, random[: d + 1])
        out[k] = of_row + random[d + 1] * points.y[i] + random[d + 2] * points.steps[i]


@functools.lru_cache(maxsize=1)
def _random(size: int) -> np.ndarray:
    """Whole numbers, so that the keys of whole numbers are exact: dense or sparse, they are equal.

    Making them takes as long as a pass over a hundred rows.
    """
    return np.random.default_rng(0).integers(2**40, size=size).astype(np.float64)


def followed(first: Run, second: Run, *, proved: bool) -> Run:
    """The search for a separator and the passes after it, as one record.

    It goes on from the search where that may still come to an end, else from the mean's passes.
    """
    rows = tuple(
        row._replace(looks=first.looks + row.looks, seconds=first.seconds + row.seconds)
        for row in second.history
    )
    whole = second.but(history=rows).after(first)
    state = second.state if proved else first.state
    return whole.but(
        state=state,
        stop=first.stop,
        clean=False,
        least=math.nan,
        moved=first.moved,
        averaged=second.passes,
        proof_seconds=first.proof_seconds,
    )


def separated(first: Run, second: Run) -> Run:
    """The search, ended by a separator that the passes after it met.

    The mistakes remain those of the search: the bound is about a run in the units of the user.
    """
    whole = followed(first, second, proved=False)
    put(first.state, second.weights)
    return whole.but(
        weights=first.state.weights,
        average=first.average,
        mistakes=first.mistakes,
        updates=first.updates,
        stop=Stop.SEPARATED,
        clean=True,
        proof_seconds=0.0,
    )


def averaged(first: Run, second: Run) -> Run:
    """The search, and the mean of the passes after it, from which another run goes on.

    The weights and mistakes remain those of the search, which the verdict speaks of.
    """
    return followed(first, second, proved=True).but(
        weights=first.weights,
        mistakes=first.mistakes,
        updates=first.updates,
        clean=first.clean,
        least=first.least,
    )

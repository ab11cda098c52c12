"""The classifier that `auto` predicts with: the mean over shuffled passes.

The active order looks for a separator and dwells on the points it got wrong, so that its weights,
and their mean, say little of the other points. The classifier is learned separately: by full passes
in random orders, over scaled columns, with a perceptron that also corrects points too near its
boundary; it is the mean of the weights over all looks (Freund and Schapire 1999; Collins 2002;
Krauth and Mézard 1987). If no separator was found, the mean competes with the other weights at
hand, so that the choice is never worse on the training points than any of them. If there is one, a
separator near the mean predicts: further passes start at the mean, or a search does (see
``solve.hinge``). Where that costs more than it brings, a mean over some looks is moved until it
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

# Passes that the mean is taken over, and the most row numbers of all their orders to be cached.
PASSES, KEPT = 10, 2**15
# Corrections of weights on the points that they have wrong: the multiple of the weights to start at
# (measured: 4 to 32 are alike, 1 costs up to 2 points), and the budget.
SHORT, CORRECTIONS = 8, Budget(10)
# Most that a step may add to the margin of its own point, in multiples of what it usually adds.
LONGEST = 9.0
# Stops after which no passes for a mean are made: separated, unusable weights, or told to stop.
FINAL = (Stop.SEPARATED, Stop.OVERFLOW, Stop.CALLBACK)
CUT_SHORT = (Stop.INTERRUPTED, Stop.OVERFLOW, Stop.CALLBACK)


def automatic(plan: Any) -> bool:
    """Whether the choice of the weights that predict is left to us, as it is by default."""
    return plan.solution == "auto" and plan.order == "active" and plan.certify is not False


def wants_mean(run: Run, plan: Any) -> bool:
    """Whether a mean is needed to predict, since no separator was found."""
    return automatic(plan) and not run.clean and run.stop not in FINAL


def wants_average(run: Run, plan: Any) -> bool:
    """Whether to learn the average that was asked for: the active order dwells on mistakes."""
    ours = plan.solution == "average" and plan.order == "active" and plan.certify is not False
    return ours and run.stop not in CUT_SHORT


@functools.lru_cache(maxsize=16)
def mean_budget(budget: Budget, passes: int = PASSES) -> Budget:
    """Budget of the passes for the mean: never more than the run itself was allowed.

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
    """Full passes in random orders, over scaled columns, from the given state, which changes.

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
    """The most that a step of 1 may add to the margin of its own point, from the ‖(x, 1)‖²."""
    return LONGEST * usual_square(squares)


def usual_square(squares: np.ndarray) -> float:
    """The median of ‖(x, 1)‖²; of those that are not 0, if most are 0 (without a bias).

    Examples
    --------
    >>> usual_square(np.array([4.0, 1.0, 5.0])), usual_square(np.array([0.0, 2.0, 0.0]))
    (4.0, 2.0)
    """
    return middle(squares) or middle(squares[squares > 0])


def shortened(steps: np.ndarray, squares: np.ndarray, most: float) -> np.ndarray:
    """Steps, shortened where ‖(x, 1)‖² exceeds ``most``, as if it were ``most``.

    Else the steps along a few very long rows would dominate the mean.

    Examples
    --------
    >>> shortened(np.ones(3), np.array([1.0, 2.0, 80.0]), most=20.0)
    array([1.  , 1.  , 0.25])
    """
    return steps * (most / np.maximum(squares, most)) if squares.max(initial=0.0) > most else steps


class Alike(NamedTuple):
    """Scale of columns and limit of steps, for points that come table by table.

    Attributes
    ----------
    scale : Scale
        Of the columns.
    most : float
        The most that a step of 1 may add to the margin of its own point.
    """

    scale: Scale
    most: float

    @classmethod
    def by(cls, scale: Scale, X: Any, bias: float) -> Alike:
        """With the limit of steps estimated from some of the rows."""
        return cls(scale, longest_step(squares_of_rows(scale.rows(X), X.shape[0], bias)))

    def points(self, points: Points, X: Any) -> Points:
        """The points of a table's rows, with scaled columns and limited steps."""
        points = points._replace(rows=self.scale.rows(X))
        return points._replace(steps=shortened(points.steps, squares_of(points), self.most))


def corrections(points: Points, rule: Any, state: State, everyone: np.ndarray) -> Run:
    """Passes that start at the weights of the state, which changes, and end near them.

    They start at a multiple of these weights, beside which the steps are short. The points come in
    a random order.
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
    """`corrections` over scaled columns; the weights are in the user's units."""
    columns.scale.into(state)
    run = corrections(points._replace(rows=columns.rows), rule, state, everyone)
    columns.scale.back(state)
    return run.but(weights=state.weights)


def quick_mean(
    points: Points, rule: Any, state: State, order: np.ndarray, budget: Budget
) -> np.ndarray:
    """The mean over laps of one order, until one is clean, from the given state, which changes.

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
    """The plain rule with the mean of η‖x‖² as its threshold; any other rule as it is.

    One step on a point at the boundary then brings it to the threshold, on average. ``squares`` are
    the ‖x‖², if they are known.
    """
    if not rule.is_plain:
        return rule
    squares = squares_of(points) if squares is None else squares
    return rule._replace(threshold=mean_step(points, squares))


def by_content(points: Points, everyone: np.ndarray) -> np.ndarray:
    """Those points in an order that depends on their content, not on the order in which they came.

    They are sorted by a random linear function of row, label and relative step, so that a shuffle
    with a given seed, and all that is learned in its order, is the same in whatever order the rows
    came, and whatever the scale of the steps.

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
    """Random whole numbers: keys of whole-number rows are exact, so dense and sparse ones agree.

    Cached, since making them takes as long as a pass over a hundred rows.
    """
    return np.random.default_rng(0).integers(2**40, size=size).astype(np.float64)


def followed(first: Run, second: Run, *, proved: bool) -> Run:
    """The search for a separator and the mean's passes after it, as one record.

    A later run resumes the mean's passes if inseparability is ``proved``, else the search.
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
    """The search, ended by a separator that the mean's passes met.

    The mistakes remain those of the search: the bound is for a run in the user's units.
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
    """The search with the mean of the passes after it, which a later run resumes.

    The weights and mistakes remain those of the search, which the verdict is about.
    """
    return followed(first, second, proved=True).but(
        weights=first.weights,
        mistakes=first.mistakes,
        updates=first.updates,
        clean=first.clean,
        least=first.least,
    )

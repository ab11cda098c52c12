"""The classifier of data that a run did not separate: the mean over shuffled passes.

The active order looks for a separator and dwells on the points it got wrong, so that its weights,
and their mean, say little of the others. Once it has found none, what predicts is learned by
itself: full passes in random orders, over columns scaled alike, and the mean of the weights over
all their looks (Freund and Schapire 1999; Collins 2002). It competes with the other weights at
hand, so that what is chosen is never worse on the training points than any of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.estimators.columns import Columns, back, into
from rosenblatt.learn import all_margins, learn, mean_weights, zero_state
from rosenblatt.orders import Permutations
from rosenblatt.points import Points, count, width
from rosenblatt.rules import Perceptron, State
from rosenblatt.run import Run
from rosenblatt.stopping import Budget, Stop

# Passes that the mean is taken over, and looks: a small set is passed over more often.
PASSES = 10
LOOKS = 20_000
# Runs that ended so are not followed by others: there is a separator, no hope, or no time.
FINAL = (Stop.SEPARATED, Stop.OVERFLOW, Stop.CALLBACK)


def wants_mean(run: Run, plan: Any) -> bool:
    """Whether the weights that predict are yet to be learned; textbook runs keep their own."""
    automatic = plan.solution == "auto" and plan.order == "active" and plan.certify is not False
    return automatic and not run.clean and run.stop not in FINAL


def mean_budget(budget: Budget, rows: int) -> Budget:
    """How many passes the mean is taken over: never more than the run itself was allowed.

    Examples
    --------
    >>> mean_budget(Budget(), rows=100).passes, mean_budget(Budget(passes=5), rows=100).passes
    (200, 5)
    """
    passes = max(PASSES, -(-LOOKS // max(1, rows)))
    return Budget(min(passes, budget.passes or passes), budget.updates)


def mean_run(
    points: Points,
    rule: Any,
    state: State,
    everyone: np.ndarray,
    budget: Budget,
    seed: int,
    columns: Columns,
) -> Run:
    """Full passes in random orders from the given state, which changes; weights in user's units."""
    into(state, columns.exponents)
    run = learn(
        points._replace(rows=columns.rows),
        rule,
        order="shuffled",
        state=state,
        everyone=by_content(points, everyone),
        budget=mean_budget(budget, len(everyone)),
        rng=Permutations(seed),
    )
    back(state, columns.exponents)
    return replace(run, average=mean_weights(state))


def by_content(points: Points, everyone: np.ndarray) -> np.ndarray:
    """Those points in an order that depends on what they are, and not on how they came.

    They are sorted by a random linear function of row, label and step, so that a shuffle with a
    given seed, and all that is learned in its order, is the same in whatever order the rows came.

    Examples
    --------
    >>> from rosenblatt.points import make_points
    >>> X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([1.0, -1.0, 1.0])
    >>> there = by_content(make_points(X, y), np.arange(3))
    >>> back = by_content(make_points(X[::-1].copy(), y[::-1].copy()), np.arange(3))
    >>> np.array_equal(X[there], X[::-1][back])
    True
    """
    # Whole numbers, so that the keys of whole numbers are exact: dense or sparse, they are equal.
    random = np.random.default_rng(0).integers(2**40, size=width(points) + 3).astype(np.float64)
    unlabelled = points._replace(y=np.ones(count(points)))
    state = zero_state(unlabelled)._replace(weights=random[:-2])
    with np.errstate(over="ignore", invalid="ignore"):
        keys = all_margins(unlabelled, Perceptron(), state, everyone)
        keys += random[-2] * points.y[everyone] + random[-1] * points.steps[everyone]
    return everyone[np.argsort(keys)]


def followed(first: Run, second: Run, *, proved: bool) -> Run:
    """The search for a separator and the passes after it, as one record.

    It goes on from the search where that may still come to an end, else from the mean's passes.
    """
    rows = tuple(
        row._replace(looks=first.looks + row.looks, seconds=first.seconds + row.seconds)
        for row in second.history
    )
    whole = replace(second, history=rows).after(first)
    state = second.state if proved else first.state
    return replace(whole, state=state, stop=first.stop, clean=False, averaged=second.passes)


def separated(first: Run, second: Run) -> Run:
    """The search, ended by a separator that the passes after it met.

    The mistakes remain those of the search: the bound is about a run in the units of the user.
    """
    whole = followed(first, second, proved=False)
    first.state.weights[...] = second.weights
    return replace(
        whole,
        weights=first.state.weights,
        average=first.average,
        mistakes=first.mistakes,
        updates=first.updates,
        stop=Stop.SEPARATED,
        clean=True,
    )

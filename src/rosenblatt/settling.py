"""From where a perceptron is to a separator or a refutation: the cheap attempts first.

Weights that separate exactly; two equal rows of different classes; weights that descend; a pair of
classes that no hyperplane separates; then working sets of all classes. Imports ``working_set``,
``hinge``, ``requirements`` and ``metering``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.hinge import STRIDE, descend
from rosenblatt.metering import (
    PROGRAM,
    descent_units,
    exact_units,
    iteration_units,
    look_units,
)
from rosenblatt.requirements import Start
from rosenblatt.working_set import Refutation, Search, Separator

# Hashing all rows, in looks at them; looks of a typical search.
HASHES, LOOKS = 4, 5
# The share of a decision's price that descent may cost: with two classes or until it is seen to
# stall, and otherwise, of the price of all classes at once.
SHARE, SHARE_OF_WHOLE = 0.25, 0.1


def settle(
    search: Search, weights: np.ndarray, dual: np.ndarray, *, separates: bool
) -> Separator | Refutation:
    """Go on from where a perceptron is to a separator or a refutation.

    Parameters
    ----------
    search : Search
        Over the same points.
    weights, dual : ndarray
        The perceptron's.
    separates : bool
        Whether its last pass made no mistake.
    """
    goal, weights = search.goal, np.ascontiguousarray(weights).ravel()
    search.best = weights
    if separates and not len(goal.violated_exactly(weights, 1)[0]):
        search.fewest = 0
        return Separator(weights)
    search.meter.pay(HASHES * search.look_price)
    contradiction = goal.contradiction()
    if contradiction is not None:
        search.fewest = min(search.fewest, goal.n)
        return Refutation(*contradiction, [1, 1])
    start = _started(search, weights, dual)
    if isinstance(start, Separator):
        return start
    if goal.at_hand and not goal.binary:
        refutation = _refuted_by_a_pair(search, dual, start.confusion)
        if refutation is not None:
            return refutation
    return search.run(start.points, start.rivals)


def _started(search: Search, weights: np.ndarray, dual: np.ndarray) -> Start | Separator:
    """The points that moved the weights most, and those worst off: the likeliest to matter."""
    goal, few = search.goal, min(search.free, search.batch)
    search.meter.pay(search.look_price)
    start = goal.likeliest(weights, dual, few)
    search.fewest, search.best = start.violated, weights
    found = _descended(search) if goal.at_hand else None
    if found is None:
        return start
    search.meter.pay(search.look_price)
    lower = goal.likeliest(found, dual, few)
    if lower.violated == 0:
        search.meter.pay(3 * search.look_price)
        if not len(goal.violated_exactly(found, 1)[0]):
            return Separator(found)
    if lower.violated < search.fewest:
        search.fewest, search.best = lower.violated, found
    return lower


def _descended(search: Search) -> np.ndarray | None:
    """Weights down the squared hinge loss, where many steps of it cost less than programs."""
    goal: Any = search.goal
    cost = price(goal.n, goal.d, goal.per_row, max(2, goal.blocks))
    each = descent_units(goal.n, goal.per_row, goal.blocks, goal.sparse)
    if STRIDE * each > SHARE * cost.first:
        return None
    share = SHARE * cost.first if goal.binary else SHARE_OF_WHOLE * cost.whole
    return descend(search, goal, int(max(2 * STRIDE, share / each)))


def _refuted_by_a_pair(
    search: Search, dual: np.ndarray, confusion: np.ndarray
) -> Refutation | None:
    """A pair of classes that no hyperplane separates, the most confused first.

    Weights that separate all classes separate each pair by their difference w_k − w_j, in d + 1
    dimensions, and Σ α(x, 1) over the points of both, each against the other, is the same proof.
    Pairs are tried for as long as they cost no more than all classes at once.
    """
    goal: Any = search.goal
    table = search.best.reshape(goal.blocks, -1)
    both = np.triu(confusion + confusion.T)
    most = search.spent + price(goal.n, goal.d, goal.per_row, goal.blocks).whole
    for at in np.argsort(-both, axis=None, kind="stable")[: np.count_nonzero(both)]:
        j, k = divmod(int(at), goal.blocks)
        if search.spent > most:
            return None
        pair, points = goal.pair(j, k)
        part = Search(pair, search.time_left, budget=search.meter)
        answer = _started(part, table[k] - table[j], dual[points])
        if isinstance(answer, Start):
            answer = part.run(answer.points, answer.rivals)
        search.rounds += part.rounds
        if isinstance(answer, Refutation):
            rivals = np.where(goal.own(points[answer.points]) == j, k, j)
            return Refutation(points[answer.points], rivals, answer.alpha)
    return None


class Price(NamedTuple):
    """Units (see `metering`) that a proof of inseparability is likely to cost.

    Attributes
    ----------
    first : float
        Where contradictory rows, two classes or the first working sets are enough.
    whole : float
        Where all classes at once have to be decided.
    """

    first: float
    whole: float


def price(n: int, d: int, per_row: float, classes: int) -> Price:
    """What a decision is likely to cost.

    Parameters
    ----------
    n, d : int
        Rows and columns.
    per_row : float
        Entries a row: d of dense rows.
    classes : int

    Examples
    --------
    >>> two, four = price(2000, 20, 20, 2), price(2000, 20, 20, 4)
    >>> two.first == two.whole, four.first < four.whole
    (True, True)
    """
    blocks = classes if classes > 2 else 1
    shared = (1 + HASHES) * look_units(n, per_row, blocks)
    pair = _program_price(d + 1, n) + LOOKS * look_units(2 * n // classes, per_row, 1)
    if blocks == 1:
        return Price(shared + pair, shared + pair)
    looks = LOOKS * look_units(n, per_row, blocks)
    return Price(shared + 2 * pair, shared + _program_price((blocks - 1) * (d + 1), n) + looks)


def _program_price(dimension: int, n: int) -> float:
    """Linear programs and the exact solution of a search in so many dimensions."""
    dimension = min(dimension, n)
    simplex = 3 * dimension * iteration_units(3 * dimension, dimension)
    return 4 * PROGRAM + simplex + 1.2 * exact_units(dimension + 1, dimension, 60)

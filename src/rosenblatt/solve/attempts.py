"""Attempts to find a separator or a refutation from a perceptron's weights, cheap ones first.

In order: weights that separate exactly; two equal rows of different classes; descent of a loss
(before equal rows where that is cheap), to a separator or to a refutation where it ends; pairs of
classes that no hyperplane separates, or larger sets of classes; then working sets of all classes.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.engine.machine.threads import one_blas_thread
from rosenblatt.errors import TakesLong, users_line
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.effort import PER_SECOND, OutOfBudget, descent_units, duration, hash_units
from rosenblatt.solve.goal import Goal, SearchStart
from rosenblatt.solve.hinge import (
    STRIDE,
    Descended,
    descend,
    newton,
    newton_among,
    separator_units,
    takes_newton,
)
from rosenblatt.solve.prices import Price, price, program_price
from rosenblatt.solve.refuting import refuted_in_finer_coordinates
from rosenblatt.solve.search import Refutation, Search, Separator

# Share of a decision's price that descent may cost: with two classes, or for its first evaluations;
# and with many classes, of the price of all classes at once.
SHARE, SHARE_OF_WHOLE = 0.25, 0.1
# Seconds from which on a search is announced beforehand, and within which a refutation by some of
# the classes is mostly found.
LONG, SOON = 20.0, 3.0
# Multiple of the price of a search for equal rows up to which Newton's method comes before it.
TIMES = 2
# Linear programs are not begun if their likely price is more than this multiple of what is left.
HOPELESS = 4


def settle(
    search: Search, weights: np.ndarray, dual: np.ndarray, *, separates: bool
) -> Separator | Refutation:
    """Find a separator or a refutation, starting from a perceptron's weights.

    Parameters
    ----------
    search : Search
        Over the same points.
    weights, dual : ndarray
        The perceptron's.
    separates : bool
        Whether its last pass made no mistake.
    """
    goal: Any = search.goal
    weights = np.ascontiguousarray(weights).ravel()
    search.best = weights
    with one_blas_thread():
        if separates and _meets_all(search, weights):
            return Separator(weights)
        found = None
        if newton_comes_first(goal):
            found = newton(search, goal)
            if found is not None and _separates(search, found):
                return Separator(found.weights, found.near)
        return _settled(search, weights, dual, found)


def _meets_all(search: Search, weights: np.ndarray) -> bool:
    """Whether the weights meet all requirements, exactly."""
    search.meter.pay(3 * search.look_price)
    goal: Any = search.goal
    if len(goal.violated_exactly(weights, 1)[0]):
        return False
    search.fewest, search.best = 0, weights
    return True


def _separates(search: Search, found: Descended) -> bool:
    """Whether a descent ended at a separator, not at candidates for a refutation."""
    return found.alpha is None and _meets_all(search, found.weights)


def _settled(
    search: Search, weights: np.ndarray, dual: np.ndarray, found: Descended | None
) -> Separator | Refutation:
    """Settle what a descent, if there was one, left open."""
    goal: Any = search.goal
    refutation = contradicted(search)
    if refutation is not None:
        return refutation
    by_gradients = goal.at_hand and goal.binary and not _takes_newton(goal)
    if by_gradients:
        _announce(search)
    start = _started(search, weights, dual, found)
    if not isinstance(start, SearchStart):
        return start
    if goal.at_hand and not goal.binary:
        refutation = _refuted_by_some(search, dual, start.confused)
        if refutation is not None:
            return refutation
    likely = program_price(goal.d + 1, goal.n, max(1, goal.blocks - 1))
    if likely > HOPELESS * search.meter.left:
        raise OutOfBudget(search.spent, int(likely), search.meter.limit)
    if not by_gradients:
        _announce(search)
    return search.run(start.points, start.rivals)


def contradicted(search: Search) -> Refutation | None:
    """Two equal rows of different classes, if there are any.

    Examples
    --------
    >>> goal = Constraints(np.array([[1.0], [2.0], [1.0]]), np.array([0, 1, 1]), 2)
    >>> contradicted(Search(goal)).points
    array([0, 2])
    """
    goal = search.goal
    search.meter.pay(hash_units(goal.n, goal.per_row))
    contradiction = goal.contradiction()
    if contradiction is None:
        return None
    search.fewest = min(search.fewest, goal.n)
    return Refutation(*contradiction, [1, 1])


def _announce(search: Search) -> None:
    """Warn of how long a proof is likely to take, if that is long."""
    goal, left = search.goal, search.time_left()
    blocks = max(1, goal.blocks - 1)
    likely = _price(goal).beyond(search.spent) / PER_SECOND
    short = likely < LONG or (left is not None and left < LONG)
    if search.announced or search.meter.limit < math.inf or short:
        return
    search.announced = True
    unknowns = min(blocks * (goal.d + 1), goal.n)
    limited = "" if left is None else f", of which time_limit leaves {duration(left)}"
    warnings.warn(
        f"The perceptron did not settle whether these classes are separable. Linear programs and "
        f"exact arithmetic of up to {unknowns:,} unknowns will, and are likely to take about "
        f"{duration(likely)}{limited}. With time_limit= decide ends earlier, without a verdict.",
        TakesLong,
        stacklevel=users_line(),
    )


def _started(
    search: Search, weights: np.ndarray, dual: np.ndarray, found: Descended | None = None
) -> SearchStart | Separator | Refutation:
    """A first working set: the points that moved the weights most, and the most violated ones.

    Or a proof by descent, which is made here unless its result is given as ``found``.
    """
    goal, few = search.goal, min(search.free, search.batch)
    search.meter.pay(search.look_price)
    if found is None:
        start = goal.likeliest(weights, dual, few)
        search.fewest, search.best = start.violated, weights
        found = _descended(search)
        if found is None:
            return start
        if _separates(search, found):
            return Separator(found.weights, found.near)
    else:
        _note(search, weights)
    search.meter.pay(search.look_price)
    _note(search, found.weights)
    refutation = _refuted(search, found)
    if refutation is not None:
        return refutation
    search.meter.pay(search.look_price)
    return goal.likeliest(found.weights, dual, few)


def _note(search: Search, weights: np.ndarray) -> None:
    """Keep the weights if they violate fewer requirements than any before."""
    goal: Any = search.goal
    violated = int(np.sum(~(goal.look(weights)[0] > 0)))
    if violated < search.fewest:
        search.fewest, search.best = violated, weights


def _refuted(search: Search, found: Descended) -> Refutation | None:
    """An exact refutation from the multipliers at which descent ended, if there is one."""
    if found.alpha is None:
        return None
    search.check_time()
    _announce(search)
    goal: Any = search.goal
    points = np.flatnonzero(found.alpha)
    refutation = search.refuted_by(points, 1 - goal.own(points), found.alpha[points])
    return refutation or refuted_in_finer_coordinates(search, goal, points, found.short)


def _descended(search: Search) -> Descended | None:
    """Descend the squared hinge loss, where that pays."""
    goal: Any = search.goal
    if not goal.at_hand:
        return None
    if _takes_newton(goal):
        return newton(search, goal)
    if search.near is not None and not goal.binary:
        found = newton_among(search, goal)
        if found is not None:
            return found
    if not _descends(goal):
        return None
    cost, each = _prices(goal)
    share = SHARE * cost.first if goal.binary else SHARE_OF_WHOLE * cost.whole
    return descend(search, goal, int(max(2 * STRIDE, share / each)))


def _takes_newton(goal: Constraints) -> bool:
    return takes_newton(goal.n, goal.d, binary=goal.binary, sparse=goal.sparse)


def newton_comes_first(goal: Constraints) -> bool:
    """Whether Newton's method costs hardly more than a search for equal rows, which are rare."""
    if not (goal.at_hand and _takes_newton(goal)):
        return False
    likely = separator_units(goal.n, goal.d, goal.per_row, 1, goal.sparse)
    return likely <= TIMES * hash_units(goal.n, goal.per_row)


def _descends(goal: Constraints) -> bool:
    """Whether many evaluations of the loss cost less than linear programs."""
    cost, each = _prices(goal)
    return STRIDE * each <= SHARE * cost.first


def _prices(goal: Constraints) -> tuple[Price, float]:
    """The price of a decision, and that of an evaluation of the loss."""
    each = descent_units(goal.n, goal.per_row, goal.blocks, goal.sparse)
    return _price(goal), each


def _price(goal: Goal) -> Price:
    return price(goal.n, goal.d, goal.per_row, max(2, goal.blocks))


def _refuted_by_some(search: Search, dual: np.ndarray, confused: np.ndarray) -> Refutation | None:
    """A refutation by some of the classes: the most confused pairs, then larger sets.

    Weights that separate all classes separate some of them too, and Σ α(x, 1) over points of these,
    against rivals among these, is the same proof in fewer dimensions: d + 1 for a pair, whose
    weights are w_k − w_j. Tried as long as that costs no more than all classes at once.
    """
    goal: Any = search.goal
    most = search.spent + _price(goal).whole
    soon = search.spent + SOON * PER_SECOND
    for classes in _confused(confused, goal.classes):
        if search.spent > soon:
            _announce(search)
        part, points = goal.some(classes)
        if search.spent > most or (len(classes) > 2 and not _descends(part)):
            return None
        answer = _settled_part(search, part, classes, dual[points])
        if isinstance(answer, Refutation):
            rivals = np.array(classes)[answer.rivals]
            return Refutation(points[answer.points], rivals, answer.multipliers)
    return None


def _settled_part(
    search: Search, goal: Constraints, classes: list[int], dual: np.ndarray
) -> Separator | Refutation:
    """A search among the requirements of some classes, from the state of the whole search."""
    table = search.best.reshape(search.goal.blocks, -1)[classes]
    part = Search(goal, search.time_left, budget=search.meter)
    part.announced = True  # by the whole search, where it is
    weights = table[1] - table[0] if goal.binary else table.ravel()
    answer = _started(part, weights, dual)
    if isinstance(answer, SearchStart):
        answer = part.run(answer.points, answer.rivals)
    search.rounds += part.rounds
    return answer


def _confused(points: np.ndarray, classes: int) -> Iterator[list[int]]:
    """Pairs of classes, the most confused first; then larger sets, grown from the first pair.

    Of each point that is confused, its class and its rival are given.

    Examples
    --------
    >>> points = [[1, 2], [2, 1], [2, 1], [3, 1], [1, 3], [0, 1], [3, 2]]
    >>> list(_confused(np.array(points), 4))
    [[1, 2], [1, 3], [0, 1], [2, 3], [1, 2, 3]]
    """
    keys = points.min(axis=1) * classes + points.max(axis=1)
    pairs, counts = np.unique(keys, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    low, high, counts = pairs[order] // classes, pairs[order] % classes, counts[order]
    yield from np.column_stack([low, high]).tolist()
    grown = [int(low[0]), int(high[0])] if len(low) else []
    while 0 < len(grown) < classes - 1:
        with_grown = np.bincount(high, counts * np.isin(low, grown), minlength=classes)
        with_grown += np.bincount(low, counts * np.isin(high, grown), minlength=classes)
        with_grown[grown] = -1
        grown = [*grown, int(with_grown.argmax())]
        yield grown

"""Attempts to find a separator or a refutation from a perceptron's weights, cheap ones first.

In order: weights that separate exactly; two equal rows of different classes; of many classes, the
most confused pair; descent of a loss (before equal rows where that is cheaper), to a separator or
to a refutation where it ends; more pairs, and larger sets of classes; then working sets of all.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt.engine.machine.threads import one_blas_thread
from rosenblatt.errors import TakesLong, users_line
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.effort import PER_SECOND, OutOfBudget, hash_units, look_units
from rosenblatt.solve.hinge import (
    STRIDE,
    Descended,
    descend,
    newton,
    separator_units,
    takes_newton,
)
from rosenblatt.solve.linear_constraints import LinearConstraints, SearchStart
from rosenblatt.solve.prices import likely_cost, program_cost
from rosenblatt.solve.refuting import refuted_in_finer_coordinates
from rosenblatt.solve.search import Refutation, Search, SearchRound, Separator
from rosenblatt.solve.working_set import batch_of
from rosenblatt.text import duration

# Seconds from which on a search is announced beforehand.
LONG_SECONDS = 20.0


def find_proof(
    constraints: LinearConstraints,
    weights: np.ndarray,
    dual: np.ndarray,
    *,
    budget: float = math.inf,
    time_left: Callable[[], float] | None = None,
    progress: Callable[[SearchRound], None] | None = None,
) -> Separator | Refutation:
    """Find a separator or a refutation, starting from a perceptron's weights.

    Parameters
    ----------
    constraints : LinearConstraints
        The rows, on the columns in use.
    weights : ndarray
        The perceptron's, on these columns.
    dual : ndarray
        The sum of the steps that each row has made.
    budget : float
        Units that may be spent (see `effort`).
    time_left : callable, optional
        Seconds left.
    progress : callable, optional
        Sees each `SearchRound`.

    Raises
    ------
    OutOfBudget
        Before more than the budget is spent.
    OutOfTime
        Once no time is left.

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    >>> find_proof(Constraints(X, codes, 2), np.zeros(2), np.zeros(3)).points
    array([0, 1, 2])
    """
    return prove(Search(constraints, time_left, progress, budget), weights, dual)


def prove(search: Search, weights: np.ndarray, dual: np.ndarray) -> Separator | Refutation:
    """`find_proof` by a search that is new, and that shows afterwards how far it came."""
    search.best = np.ascontiguousarray(weights).ravel()
    with one_blas_thread():
        return _proved(search, search.best, dual)


def meets_all(search: Search, weights: np.ndarray) -> bool:
    """Whether the weights meet all constraints, exactly."""
    search.meter.pay(3 * search.look_price)
    if len(search.constraints.violated_exactly(weights, 1)[0]):
        return False
    search.consider(weights, 0)
    return True


def _proved(search: Search, weights: np.ndarray, dual: np.ndarray) -> Separator | Refutation:
    """What is cheap first: descent, the weights themselves, equal rows; then linear programs."""
    constraints: Any = search.constraints
    found = newton(search, constraints) if newton_comes_first(constraints) else None
    if found is not None and _separates(search, found):
        return Separator(found.weights)
    start = _first_look(search, weights, dual)
    if not start.violated and meets_all(search, weights):
        return Separator(weights)
    refutation = contradicted(search)
    if refutation is not None:
        return refutation
    by_gradients = constraints.in_memory and constraints.binary and not _takes_newton(constraints)
    if by_gradients:
        _announce(search)
    several = constraints.in_memory and not constraints.binary
    if several:  # mostly one pair is enough
        pair = islice(_confused(start.confused, constraints.classes), 1)
        refutation = _refuted_by_some(search, dual, pair, _program_cost(constraints))
        if refutation is not None:
            return refutation
    start = _descended_to(search, start, dual, found or _descended(search))
    if not isinstance(start, SearchStart):
        return start
    if several:
        sets = _confused(start.confused, constraints.classes)
        refutation = _refuted_by_some(search, dual, sets, _program_cost(constraints))
        if refutation is not None:
            return refutation
    if _program_cost(constraints) > search.meter.left:
        raise OutOfBudget(search.spent, search.meter.limit)
    if not by_gradients:
        _announce(search)
    return search.run(start.points, start.rivals)


def contradicted(search: Search) -> Refutation | None:
    """Two equal rows of different classes, if there are any.

    Examples
    --------
    >>> constraints = Constraints(np.array([[1.0], [2.0], [1.0]]), np.array([0, 1, 1]), 2)
    >>> contradicted(Search(constraints)).points
    array([0, 2])
    """
    constraints = search.constraints
    search.meter.pay(hash_units(constraints.n, constraints.per_row))
    contradiction = constraints.contradiction()
    return None if contradiction is None else Refutation(*contradiction, [1, 1])


def newton_comes_first(constraints: Constraints) -> bool:
    """Whether Newton's method costs less than a search for equal rows, which are rare."""
    if not (constraints.in_memory and _takes_newton(constraints)):
        return False
    n, d, per_row = constraints.n, constraints.d, constraints.per_row
    return separator_units(n, d, per_row, 1, constraints.sparse) <= hash_units(n, per_row)


def _first_look(search: Search, weights: np.ndarray, dual: np.ndarray) -> SearchStart:
    """A first working set: the points that moved the weights most, and the most violated ones."""
    search.meter.pay(search.look_price)
    start = search.constraints.likeliest(
        weights, dual, min(search.free, batch_of(search.constraints))
    )
    search.consider(weights, start.violated)
    return start


def _descended(search: Search) -> Descended | None:
    """Descend the squared hinge loss, where that pays: for as much as programs are likely to cost.

    Descent by gradients is not begun where it cannot go far for that.
    """
    constraints: Any = search.constraints
    if not constraints.in_memory:
        return None
    if _takes_newton(constraints):
        return newton(search, constraints)
    most = _evaluations(constraints)
    return descend(search, constraints, most) if most >= STRIDE else None


def _takes_newton(constraints: Constraints) -> bool:
    n, d, sparse = constraints.n, constraints.d, constraints.sparse
    return takes_newton(n, d, binary=constraints.binary, sparse=sparse)


def _evaluations(constraints: Constraints) -> int:
    """Evaluations of the loss that cost as much as linear programs."""
    each = look_units(constraints.n, constraints.per_row, constraints.blocks)
    return int(_program_cost(constraints) / each)


def _program_cost(constraints: LinearConstraints) -> float:
    blocks = max(1, constraints.blocks - 1)
    return program_cost(constraints.d + 1, constraints.n, blocks, constraints.per_row + 1)


def _descended_to(
    search: Search, start: SearchStart, dual: np.ndarray, found: Descended | None
) -> SearchStart | Separator | Refutation:
    """A proof by what a descent found, or a first working set from there."""
    if found is None:
        return start
    if _separates(search, found):
        return Separator(found.weights)
    start = _first_look(search, found.weights, dual)
    return _refuted(search, found) or start


def _separates(search: Search, found: Descended) -> bool:
    """Whether a descent ended at a separator, not at candidates for a refutation."""
    return found.alpha is None and meets_all(search, found.weights)


def _refuted(search: Search, found: Descended) -> Refutation | None:
    """An exact refutation from the multipliers at which descent ended, if there is one."""
    if found.alpha is None:
        return None
    search.check_time()
    _announce(search)
    constraints: Any = search.constraints
    points = np.flatnonzero(found.alpha)
    refutation = search.refuted_by(points, 1 - constraints.own(points), found.alpha[points])
    return refutation or refuted_in_finer_coordinates(search, constraints, points, found.short)


def _refuted_by_some(
    search: Search, dual: np.ndarray, sets: Iterable[list[int]], most: float
) -> Refutation | None:
    """A refutation by some of the classes, one set after the other.

    Weights that separate all classes separate some of them too, and Σ α(x, 1) over points of these,
    against rivals among these, is the same proof in fewer dimensions: d + 1 for a pair, whose
    weights are w_k − w_j. No further set is tried once so many units are spent.
    """
    constraints: Any = search.constraints
    most += search.spent
    for classes in sets:
        part, points = constraints.some(classes)
        if search.spent > most or (len(classes) > 2 and _evaluations(part) < STRIDE):
            return None
        answer = _proved_of_some(search, part, classes, dual[points])
        if isinstance(answer, Refutation):
            rivals = np.array(classes)[answer.rivals]
            return Refutation(points[answer.points], rivals, answer.multipliers)
        _announce(search)
    return None


def _proved_of_some(
    search: Search, constraints: Constraints, classes: list[int], dual: np.ndarray
) -> Separator | Refutation:
    """A search among the constraints of some classes, from the state of the whole search."""
    table = search.best.reshape(search.constraints.blocks, -1)[classes]
    part = Search(constraints, search.time_left, budget=search.meter)
    part.announced = True  # by the whole search, where it is
    weights = table[1] - table[0] if constraints.binary else table.ravel()
    start = _first_look(part, weights, dual)
    answer = _descended_to(part, start, dual, _descended(part))
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


def _announce(search: Search) -> None:
    """Warn of how long a proof is likely to take, if that is long and nothing limits its cost."""
    if search.announced or search.meter.limit < math.inf:
        return
    constraints, left = search.constraints, search.time_left()
    size = constraints.n, constraints.d, constraints.per_row, max(2, constraints.blocks)
    likely = likely_cost(*size, search.spent) / PER_SECOND
    if min(likely, left) < LONG_SECONDS:
        return
    search.announced = True
    unknowns = min(max(1, constraints.blocks - 1) * (constraints.d + 1), constraints.n)
    limited = "" if left == math.inf else f", of which time_limit leaves {duration(left)}"
    warnings.warn(
        f"The perceptron did not settle whether these classes are separable. Linear programs and "
        f"exact arithmetic of up to {unknowns:,} unknowns will, and are likely to take about "
        f"{duration(likely)}{limited}. With time_limit= decide ends earlier, without a verdict.",
        TakesLong,
        stacklevel=users_line(),
    )

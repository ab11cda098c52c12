"""Attempts to find a separator or a refutation from a perceptron's weights, cheap ones first.

In order: weights that separate exactly; two equal rows of different classes; of many classes, the
most confused pair; descent of a loss, to a separator or to a refutation where it ends; more pairs,
and larger sets of classes; then working sets of all.
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
from rosenblatt.solve.effort import PER_SECOND, OutOfBudget, look_units
from rosenblatt.solve.hinge import EVALUATIONS, descend, newton, takes_newton
from rosenblatt.solve.linear_constraints import LinearConstraints, SearchStart
from rosenblatt.solve.prices import likely_cost, program_cost
from rosenblatt.solve.refuting import multipliers, refuted_in_finer_coordinates
from rosenblatt.solve.search import Refutation, Search, SearchRound, Separator
from rosenblatt.solve.working_set import batch_of
from rosenblatt.text import duration

# Passes of the perceptron before a search takes over.
PASSES_TO_START = 10
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
        start = _first_look(search, search.best, dual)
        if not start.violated and meets_all(search, search.best):
            return Separator(search.best)
        return contradicted(search) or _searched(search, start, dual)


def meets_all(search: Search, weights: np.ndarray) -> bool:
    """Whether the weights meet all constraints, exactly."""
    search.meter.pay(3 * search.look_price)
    if len(search.constraints.violated_exactly(weights, 1)[0]):
        return False
    search.consider(weights, 0)
    return True


def contradicted(search: Search) -> Refutation | None:
    """Two equal rows of different classes, if there are any.

    Examples
    --------
    >>> constraints = Constraints(np.array([[1.0], [2.0], [1.0]]), np.array([0, 1, 1]), 2)
    >>> contradicted(Search(constraints)).points
    array([0, 2])
    """
    constraints = search.constraints
    # A hash of every row, and their order, take about as long as four looks for one class.
    search.meter.pay(4 * look_units(constraints.n, constraints.per_row, 1))
    contradiction = constraints.contradiction()
    return None if contradiction is None else Refutation(*contradiction, [1, 1])


def _searched(search: Search, start: SearchStart, dual: np.ndarray) -> Separator | Refutation:
    """A proof by descent, by some of many classes, or at last by linear programs."""
    constraints: Any = search.constraints
    by_gradients = constraints.in_memory and constraints.binary and not _by_newton(constraints)
    if by_gradients:
        _announce(search)
    several = constraints.in_memory and not constraints.binary
    if several:  # mostly one pair is enough
        pair = islice(_confused(start.confused, constraints.classes), 1)
        refutation = _refuted_by_some(search, dual, pair, _program_cost(constraints))
        if refutation is not None:
            return refutation
    descended = _descended(search, start, dual)
    if not isinstance(descended, SearchStart):
        return descended
    start = descended
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


def _first_look(search: Search, weights: np.ndarray, dual: np.ndarray) -> SearchStart:
    """A first working set: the points that moved the weights most, and the most violated ones."""
    start = search.constraints.likeliest(
        weights, dual, min(search.free, batch_of(search.constraints))
    )
    search.consider(weights, start.violated)
    # Paid afterwards: something is known of all points, however little time there is.
    search.meter.pay(search.look_price)
    return start


def _descended(
    search: Search, start: SearchStart, dual: np.ndarray
) -> SearchStart | Separator | Refutation:
    """A proof by descent of the squared hinge loss, or a first working set from where it ends.

    Descent may cost what programs are likely to. By gradients it is not begun where it cannot go
    far for that.
    """
    constraints: Any = search.constraints
    if _by_newton(constraints):
        found = newton(search, constraints)
    else:
        most = _evaluations(constraints) if constraints.in_memory else 0
        found = descend(search, constraints, most) if most >= EVALUATIONS else None
    if found is None:
        return start
    least = found.least
    alpha = multipliers(search, least) if least is not None and least.fewest else None
    if alpha is None and meets_all(search, found.weights):
        return Separator(found.weights)
    start = _first_look(search, found.weights, dual)
    if least is None or alpha is None:
        return start
    _announce(search)
    points, short = np.flatnonzero(alpha), np.flatnonzero(least.scores < 1.0)
    refutation = search.refuted_by(points, 1 - constraints.own(points), alpha[points])
    return refutation or refuted_in_finer_coordinates(search, constraints, points, short) or start


def _by_newton(constraints: Constraints) -> bool:
    few = takes_newton(constraints.n, constraints.d, constraints.sparse)
    return constraints.in_memory and constraints.binary and few


def _evaluations(constraints: Constraints) -> int:
    """Evaluations of the loss that cost as much as linear programs."""
    each = look_units(constraints.n, constraints.per_row, constraints.blocks)
    return int(_program_cost(constraints) / each)


def _program_cost(constraints: LinearConstraints) -> float:
    blocks = max(1, constraints.blocks - 1)
    return program_cost(constraints.d + 1, constraints.n, blocks, constraints.per_row + 1)


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
        if search.spent > most or (len(classes) > 2 and _evaluations(part) < EVALUATIONS):
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
    part = Search(constraints, budget=search.meter)
    part.announced = True  # by the whole search, where it is
    weights = table[1] - table[0] if constraints.binary else table.ravel()
    start = _first_look(part, weights, dual)
    answer = _descended(part, start, dual)
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
    constraints, left = search.constraints, search.meter.time_left()
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

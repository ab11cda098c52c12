"""Orders: which point is looked at next.

The mistake bound holds for any choice of the next mistake, so an order is free to look where
mistakes are likely. Each order makes one pass over a sweep and returns the updates that its
full look over the points made, or the mistakes that it met: none means that the points are
separated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arguments import refuse_masked
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.engine.pieces import of_pieces
from rosenblatt.engine.points import Points, dot, fetch, width
from rosenblatt.engine.rules import margin
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.engine.counting import PointSweep

# A full sweep costs n looks. At most this many times n looks go to the doubtful points after it, so
# that a set that never comes clean cannot stall the run: full sweeps are a fifth of it or more.
ACTIVE_EFFORT = 4
# A point is hardly right if its margin is at most this share of what an update adds on average to
# the margin of its own point. Few of the others are mistaken before the doubtful points are clean
# (measured on 27 sets: 0.1 to 0.5 are alike, 0 needs twice the sweeps, and from 1 on too many
# points are doubtful).
HARDLY = 0.3


class Permutations:
    """The permutations of a seed.

    Examples
    --------
    >>> Permutations(0).permutation(3) == np.random.default_rng(0).permutation(3)
    array([ True,  True,  True])
    """

    def __init__(self, seed: int):
        self._generator = np.random.default_rng(seed)

    def permutation(self, points: Any) -> np.ndarray:
        """Those points, or the numbers below a count, in a random order."""
        return self._generator.permutation(points)

    def choice(self, points: Any, size: int) -> np.ndarray:
        """A sample of those points, drawn with replacement."""
        return self._generator.choice(points, size)


def permutations_of(seed: Any) -> Any:
    """The permutations of a seed, or the source of permutations itself."""
    return seed if hasattr(seed, "permutation") else Permutations(seed)


def cyclic(sweep: PointSweep, rng: Any) -> int:
    """All points, as they come."""
    return sweep.look(sweep.in_play)


def shuffled(sweep: PointSweep, rng: Any) -> int:
    """All points, in a fresh permutation each pass."""
    return sweep.look(rng.permutation(sweep.in_play))


def active(sweep: PointSweep, rng: Any) -> int:
    """All points once, then those ever mistaken or hardly right, over and over until clean.

    As they come, which is fastest to read; but in a random order where they come class by class,
    since weights that have just seen a thousand points of one class are a poor average.
    """
    arrange = rng.permutation if sweep.come_in_classes else np.asarray
    before = sweep.total.updates
    if sweep.came_clean:
        found, doubtful = sweep.hardly_right()
    else:
        found, doubtful = sweep.look(arrange(sweep.in_play)), sweep.mistaken()
    if found:
        some = arrange(doubtful)
        sweep.look(some, laps=max(1, ACTIVE_EFFORT * len(sweep.in_play) // len(some)))
        if sweep.total.updates == before and sweep.left > 0:
            # Margins and looks round differently, and only a look counts.
            found = sweep.look(arrange(sweep.in_play))
    return found


def near_boundary(
    rule: Any, points: Any, order: Any, state: Any, limit: float, out: Any
) -> tuple[int, int, float]:
    """Write the points of an order that are hardly right, or ever were mistaken, into ``out``.

    Parameters
    ----------
    rule, points, order, state
        As for `rules.margins`.
    limit : float
        Up to which margin a point is hardly right.
    out : array of int
        Room for as many.

    Returns
    -------
    wrong, some : int
        Points that are not right, and points written.
    least : float
        The least margin; NaN if one of them is.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> from rosenblatt.engine.sweep import zero_state
    >>> points = make_points(np.array([[-1.0], [0.1], [3.0], [4.0]]), np.ones(4))
    >>> state = zero_state(points)
    >>> state.weights[0], state.dual[3] = 1, 2
    >>> room = [0, 0, 0, 0]
    >>> wrong, some, least = near_boundary(PerceptronRule(), points, range(4), state, 0.5, room)
    >>> wrong, float(least), room[:some]
    (1, -1.0, [0, 1, 3])
    """
    wrong, some, least = 0, 0, math.inf
    for k in range(len(order)):
        i = order[k]
        fetch(points, state, order, k)
        ahead = margin(rule, points, i, state)
        wrong += not ahead > 0
        if ahead < least or ahead != ahead:
            least = ahead
        out[some] = i
        some += not ahead > limit or state.dual[i] > 0
    return wrong, some, least


def by_content(points: Points, in_play: np.ndarray) -> np.ndarray:
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
    # Whole numbers: keys of whole-number rows are exact, so that dense and sparse ones agree.
    random = np.random.default_rng(0).integers(2**40, size=width(points) + 3).astype(np.float64)
    kernel = dispatcher(contents)
    largest = points.steps.max(initial=0.0)
    if largest > 0:
        points = points._replace(steps=points.steps / largest)
    keys = np.empty(len(in_play))

    def look(piece: slice) -> None:
        kernel(points, in_play[piece], random, keys[piece])

    of_pieces(points, len(in_play), look)
    return in_play[keys.argsort()]


def contents(points: Points, order: Any, random: Any, out: Any) -> None:
    """Write a linear function of row, label and step of each of those points into ``out``."""
    d = len(random) - 3
    for k in range(len(order)):
        i = order[k]
        of_row = dot(points, i, random[: d + 1])
        out[k] = of_row + random[d + 1] * points.y[i] + random[d + 2] * points.steps[i]


def come_in_classes(y: np.ndarray) -> bool:
    """Whether the label changes from point to point less than half as often as by chance.

    Examples
    --------
    >>> come_in_classes(np.array([0, 0, 0, 1, 1, 1])), come_in_classes(np.array([0, 1, 0, 1, 1, 0]))
    (True, False)
    """
    if y.dtype.kind == "f":  # signs
        y = y > 0
        positive = int(np.count_nonzero(y))
        counts = [len(y) - positive, positive]
    else:
        counts = np.bincount(y - y.min()).tolist()
    return seldom(int(np.count_nonzero(y[1:] != y[:-1])), counts)


def seldom(changes: int, counts: Any) -> bool:
    """Whether labels change less than half as often as by chance, given the counts of classes."""
    n = sum(counts)
    return bool(changes < (n - 1) * (1 - np.square(np.divide(counts, n)).sum()) / 2)


def worst(sweep: PointSweep, rng: Any) -> int:
    """Only the most violated of all points: a look at each for at most one update.

    Where it is no mistake, another just as far off may be one (ties), so all are looked at again.
    """
    return sweep.look(np.array([sweep.most_violated()])) or sweep.look(sweep.in_play)


def iid(sweep: PointSweep, rng: Any) -> int:
    """As many points as there are, each drawn anew from all of them.

    Draws may miss a point, so where none of them was a mistake all points are looked at.
    """
    in_play = sweep.in_play
    return sweep.look(rng.choice(in_play, len(in_play))) or sweep.look(in_play)


def in_sequence(rows: np.ndarray, sweep: PointSweep, rng: Any) -> int:
    """The given rows one after another, again in each pass.

    Where none of them was a mistake and they are not all, all points are looked at.
    """
    known = np.isin(rows, sweep.in_play)
    if not known.all():
        at = int(np.argmin(known))
        n = len(sweep.points.y)
        raise InputError(
            f"order[{at}] is {rows[at]}, which is not a row to learn from: rows are numbered "
            f"from 0 to {n - 1}, and those held out or of weight 0 are left out."
        )
    found = sweep.look(rows)
    if found or np.isin(sweep.in_play, rows).all():
        return found
    return sweep.look(sweep.in_play)


ORDERS: dict[str, Callable[[PointSweep, Any], int]] = {
    "active": active,
    "cyclic": cyclic,
    "iid": iid,
    "shuffled": shuffled,
    "worst": worst,
}


def order_named(order: Any) -> Callable[[PointSweep, Any], int]:
    """The order given by its name, by row numbers, or as a function.

    Parameters
    ----------
    order : str, sequence of int or callable

    Examples
    --------
    >>> order_named("cyclic").__name__
    'cyclic'
    >>> order_named([1, 0, 1.5])
    Traceback (most recent call last):
    rosenblatt.errors.InputError: order must be one of 'active', 'cyclic', 'iid', 'shuffled',
    'worst', or a sequence of row numbers such as [1, 0, 1]; got [1, 0, 1.5].
    """
    if isinstance(order, str) and order in ORDERS:
        return ORDERS[order]
    if callable(order):
        return _own_pass(order)
    if not isinstance(order, str):
        refuse_masked(order, "order")
        try:
            rows = np.asarray(order)
        except ValueError:  # rows of different lengths
            rows = np.empty(0)
        if rows.ndim == 1 and len(rows) and rows.dtype.kind in "iu":
            return partial(in_sequence, rows)
    raise InputError(
        f"order must be one of {', '.join(map(repr, ORDERS))}, or a sequence of row numbers such "
        f"as [1, 0, 1]; got {order!r}."
    )


def _own_pass(order: Any) -> Callable[..., int]:
    """The user's function, checked to take the arguments of an order."""
    try:
        signature(order).bind(None, None)
    except ValueError:  # a built-in without a signature
        return order
    except TypeError as error:
        raise InputError(
            "an order that is a function makes one pass: it is called with two arguments, the "
            "sweep over the points and the source of permutations, and returns how many mistakes "
            f"it met, as sweep.look(rows) does; this one takes others ({error}). To look at rows "
            "in a sequence of your own, pass their numbers, such as [1, 0, 1]."
        ) from None
    return order

"""What a rule is: a tuple of its parameters with a ``step``, and a default for everything else.

Plain Python: run as it stands over exact fractions, a rule is the traced, exact algorithm;
compiled, it is the fast one.
"""

from __future__ import annotations

import math
from types import new_class
from typing import TYPE_CHECKING, Any, NamedTuple, dataclass_transform

from rosenblatt.engine.points import add, dot

# How far a look moves the weights that finds nothing to correct.
NOTHING = 0.0


class State(NamedTuple):
    """What a run changes.

    Attributes
    ----------
    weights : array of shape (d + 1,) or (K, d + 1)
        The bias is the last coordinate.
    drift : array like weights
        Σ t·Δ over the updates Δ made after t looks; see `move`.
    dual : array of shape (n,)
        How far each point has moved the weights in all: w = w₀ + Σ dualᵢ·yᵢ·xᵢ (two classes).
    pending : array of shape (n,)
        Each point's share of the drift, not yet added to it: an update then writes one number
        here instead of a row there. `add_pending` adds it up.
    clock : array of shape (1,)
        Looks so far.
    buffer : array of shape (K,)
        Room for one row's scores.
    """

    weights: Any
    drift: Any
    dual: Any
    pending: Any
    clock: Any
    buffer: Any


@dataclass_transform(frozen_default=True)
class Rule(tuple[Any, ...]):
    """How one look at one point may change the weights: derive from it, and write ``step``.

    The annotated names of a class derived from it are its parameters, as in a `NamedTuple`; what
    a run must remember is an array among them. ``step``, ``margin`` and ``foresee``, and the
    functions that they call, are compiled as they stand: they may use what numba compiles. All
    else is asked in plain Python, and has a default here.

    Attributes
    ----------
    per_class : bool
        Whether it keeps one weight vector for each class.
    threshold : float
        δ ≥ 0, if a point is a mistake while its margin does not exceed a constant δ.
    share : float
        The share of the best margin that the rule reaches, if it is made to reach one.
    bounded : bool
        Whether its steps are those of the rows, so that Novikoff's theorem bounds its updates.
    owes_penalty : bool
        Whether weights owe a penalty between looks, as those of `Penalised` do.
    looks_ahead : bool
        Whether its step is that of `Multiclass`, so that scores can be taken a block ahead.
    """

    per_class: bool = False
    threshold: Any = 0.0
    share: Any = 0.0
    bounded: bool = True
    owes_penalty: bool = False
    looks_ahead: bool = False

    if TYPE_CHECKING:
        _fields: tuple[str, ...]

        def _replace(self, **fields: Any) -> Any: ...

    def __init_subclass__(cls) -> None:
        """Make the class a named tuple, which numba compiles."""
        if cls.__mro__[1] is not Rule:
            raise TypeError(
                f"A rule derives from Rule itself, but {cls.__name__} derives from "
                f"{cls.__mro__[1].__name__}: make that a parameter, or call its functions."
            )
        own, fields = vars(cls), cls.__annotations__
        space = {name: own[name] for name in fields if name in own}
        space |= {"__annotations__": fields, "__module__": cls.__module__}
        made = new_class(cls.__name__, (NamedTuple,), exec_body=lambda body: body.update(space))
        for name, value in vars(made).items():
            if name in fields or not (name in own or name == "__orig_bases__"):
                setattr(cls, name, value)

    def step(rule, points, i, state):
        """Look at point i once; the amount by which it moved the weights, 0 if it was right."""
        raise NotImplementedError(f"{type(rule).__name__} has no step(rule, points, i, state).")

    def margin(rule, points, i, state):
        """How far the point is on its right side, in units of ‖w‖."""
        return points.y[i] * dot(points, i, state.weights)

    def foresee(rule, points, order, at, state):
        """See which points come next, from ``number(order, at)`` on."""

    @property
    def corrects_ties(self) -> bool:
        """Whether a point at the threshold, on either side, is a mistake."""
        return True

    @property
    def is_plain(self) -> bool:
        """Whether it is the textbook's: all mistakes, and no others, are corrected."""
        return False

    @property
    def least_margin(self) -> float:
        """The least margin that was met since the last update; NaN of a rule that does not tell."""
        return math.nan

    def with_least_margin(self) -> Rule:
        """The same steps by a rule that tells the least margin it met, where there is one."""
        return self


def move(points: Any, i: int, change: Any, state: Any) -> None:
    """w ← w + change·y·x, and the mean of the weights with it.

    The mean over the first T looks is w − (Σ t·Δ)/T, summed over the updates Δ made after t looks
    (Collins 2002): each is missing from t of the T weights. So averaging costs a look nothing and
    an update one number. A clock that starts below 0 leaves the looks before 0 out of the mean.
    """
    add(points, i, change * points.y[i], state.weights)
    state.pending[i] += change * max(state.clock[0], 0)


def move_classes(points: Any, i: int, rival: int, change: Any, state: Any) -> None:
    """W_y ← W_y + change·x and W_rival ← W_rival − change·x, and the mean with them, as `move`."""
    y, clock = points.y[i], max(state.clock[0], 0)
    add(points, i, change, state.weights[y])
    add(points, i, -change, state.weights[rival])
    add(points, i, change * clock, state.drift[y])
    add(points, i, -change * clock, state.drift[rival])


def step(rule: Any, points: Any, i: int, state: Any) -> Any:
    """Look at point i once; the amount by which it moved the weights, 0 if it was right."""
    return rule.step(points, i, state)


def foresee(rule: Any, points: Any, order: Any, at: int, state: Any) -> None:
    """Show the rule which points come next, from ``number(order, at)`` on."""
    rule.foresee(points, order, at, state)


def margin(rule: Any, points: Any, i: int, state: Any) -> Any:
    """How far point i is on its right side, the weights untouched."""
    return rule.margin(points, i, state)

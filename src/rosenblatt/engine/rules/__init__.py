"""The rules: how one look at one point may change the weights.

A rule is a small tuple of its parameters with one function, ``step``, that reads like the lecture.
``cycle`` is the loop around every rule. All of it is plain Python: run as it stands over exact
fractions it is the traced, exact perceptron; compiled it is the fast one. Imports ``points``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rosenblatt.engine.points import add, dot, fetch, scores, size
from rosenblatt.errors import InputError

# Weights grow to some multiples of the threshold, and must stay finite when squared.
LARGEST_THRESHOLD = 1e150
# Whether a score exactly on the boundary is a mistake, on a negative and on a positive point.
TIES = {
    "mistake": (True, True),
    "positive": (True, False),
    "negative": (False, True),
    "correct": (False, False),
}


class State(NamedTuple):
    """What a run changes.

    Attributes
    ----------
    weights : array of shape (d + 1,) or (K, d + 1)
        The bias is the last coordinate.
    drift : array like weights
        Σ t·Δ over the updates Δ made after t looks. The mean of the weights over the first T looks
        is then weights − drift/T (Collins 2002), so that averaging costs nothing at a look.
    dual : array of shape (n,)
        How far each point has moved the weights in all: w = w₀ + Σ dualᵢ·yᵢ·xᵢ (two classes).
    late : array of shape (n,)
        Each point's share of the drift, not yet added to it: an update then writes one number
        here instead of a row there. `settle` adds it up.
    clock : array of shape (1,)
        Looks so far.
    buffer : array of shape (K,)
        Room for one row's scores.
    """

    weights: Any
    drift: Any
    dual: Any
    late: Any
    clock: Any
    buffer: Any


class Perceptron(NamedTuple):
    """Rosenblatt 1958: after a mistake, w ← w + η·y·x.

    Started at 0, in any order, at most (R² + 2δ/η)/γ² updates (Novikoff 1962; with a threshold δ,
    Krauth and Mézard 1987), and a final margin of at least γδ/(ηR² + 2δ).

    Attributes
    ----------
    threshold : float
        δ ≥ 0: a point is a mistake while y·score does not exceed it.
    tie_negative, tie_positive : bool
        Whether y·score = δ is a mistake on a negative and on a positive point.
    """

    threshold: Any = 0.0
    tie_negative: bool = True
    tie_positive: bool = True

    def margin(rule, points, i, state):
        """How far the point is on its right side, in units of ‖w‖."""
        return points.y[i] * dot(points, i, state.weights)

    def step(rule, points, i, state):
        """w ← w + η·y·x where y·score ≤ δ."""
        return correct(rule, points, i, points.y[i] * dot(points, i, state.weights), state)


class Attentive(NamedTuple):
    """`Perceptron`, and the least margin that it has met since its last update.

    After a look over all points without a mistake that is the least of all, for which no further
    look is needed.

    Attributes
    ----------
    rule : Perceptron
        How a mistake changes the weights.
    least : array of shape (1,)
        Infinite before the first look and after an update.
    """

    rule: Any
    least: Any

    def step(rule, points, i, state):
        """The step of the rule, its margin noted."""
        ahead = margin(rule.rule, points, i, state)
        change = correct(rule.rule, points, i, ahead, state)
        if change > NOTHING:
            rule.least[0] = INFINITE
        elif ahead < rule.least[0]:
            rule.least[0] = ahead
        return change


class Multiclass(NamedTuple):
    """One weight vector per class: reward the true one, punish the strongest rival.

    Started at 0, in any order, at most 2R²/γ² updates when threshold = 0, with γ the best margin
    of weights of Frobenius norm 1 (Crammer and Singer 2003).

    Attributes
    ----------
    threshold : float
        δ ≥ 0: a point is a mistake while the true class leads its best rival by no more.
    tie : bool
        Whether a lead of exactly δ is a mistake.
    """

    threshold: Any = 0.0
    tie: bool = True

    per_class = True

    def margin(rule, points, i, state):
        """The lead of the true class over its strongest rival."""
        scores(points, i, state.weights, state.buffer)
        y = points.y[i]
        return state.buffer[y] - state.buffer[strongest_rival(state.buffer, y)]

    def step(rule, points, i, state):
        """W_y ← W_y + η·x and W_rival ← W_rival − η·x where the lead is at most δ."""
        scores(points, i, state.weights, state.buffer)
        return respond(rule, points, i, state.buffer, state)


NOTHING = 0.0
INFINITE = float("inf")


def make_rule(classes: int, threshold: Any = 0.0, ties: str = "mistake") -> Perceptron | Multiclass:
    """The perceptron's rule for that many classes.

    Examples
    --------
    >>> make_rule(2, ties="positive")
    Perceptron(threshold=0.0, tie_negative=True, tie_positive=False)
    >>> make_rule(3)
    Multiclass(threshold=0.0, tie=True)
    """
    if not 0 <= threshold < LARGEST_THRESHOLD:
        raise InputError(
            f"threshold must be a number of at least 0 and below {LARGEST_THRESHOLD:g}, "
            f"got {threshold!r}."
        )
    if ties not in TIES:
        raise InputError(f"ties must be one of {', '.join(map(repr, TIES))}, got {ties!r}.")
    if classes == 2:
        return Perceptron(threshold, *TIES[ties])
    if ties in ("positive", "negative"):
        raise InputError(
            f"ties={ties!r} is about two classes, but there are {classes}; "
            "use 'mistake' or 'correct'."
        )
    return Multiclass(threshold, TIES[ties][0])


def vectors(rule: Any, points: Any) -> int:
    """Weight vectors that the rule keeps, one for each class; 0 if it keeps a single one."""
    return int(max(points.y)) + 1 if getattr(rule, "per_class", False) else 0


def correct(rule: Any, points: Any, i: int, ahead: Any, state: Any) -> Any:
    """What `Perceptron` does about point i, given how far it is on its right side."""
    y = points.y[i]
    tie = rule.tie_positive if y > 0 else rule.tie_negative
    if ahead > rule.threshold or (ahead == rule.threshold and not tie):
        return NOTHING
    add(points, i, points.steps[i] * y, state.weights)
    state.late[i] += points.steps[i] * state.clock[0]
    return points.steps[i]


def respond(rule: Any, points: Any, i: int, class_scores: Any, state: Any) -> Any:
    """What `Multiclass` does about point i, given its scores."""
    y = points.y[i]
    rival = strongest_rival(class_scores, y)
    ahead = class_scores[y] - class_scores[rival]
    if ahead > rule.threshold or (ahead == rule.threshold and not rule.tie):
        return NOTHING
    change = points.steps[i]
    add(points, i, change, state.weights[y])
    add(points, i, -change, state.weights[rival])
    add(points, i, change * state.clock[0], state.drift[y])
    add(points, i, -change * state.clock[0], state.drift[rival])
    return change


def strongest_rival(class_scores: Any, y: int) -> int:
    """The first class of the highest score among all but y."""
    best = 1 if y == 0 else 0
    for k in range(len(class_scores)):
        if k != y and class_scores[k] > class_scores[best]:
            best = k
    return best


def step(rule: Any, points: Any, i: int, state: Any) -> Any:
    """Look at point i once; the amount by which it moved the weights, 0 if it was right."""
    return type(rule).step(rule, points, i, state)


def foresee(rule: Any, points: Any, order: Any, at: int, state: Any) -> None:
    """Show a rule that wants to see it which points come next, from ``order[at]`` on."""
    if hasattr(rule, "foresee"):
        type(rule).foresee(rule, points, order, at, state)


def margin(rule: Any, points: Any, i: int, state: Any) -> Any:
    """How far point i is on its right side, the weights untouched."""
    return type(rule).margin(rule, points, i, state)


class Tally(NamedTuple):
    """What some looks came to."""

    updates: int
    looks: int
    last: int  # updates of the final lap: 0 means it was clean
    read: int  # stored entries read by looks
    written: int  # stored entries changed by updates


NO_LOOKS = Tally(0, 0, 0, 0, 0)


def cycle(rule: Any, points: Any, order: Any, laps: int, budget: int, state: Any) -> Tally:
    """Look at the points of ``order``, lap after lap, until a lap is clean.

    Ends early after ``laps`` laps or ``budget`` updates.
    """
    updates, looks, last, read, written = 0, 0, 0, 0, 0
    for _ in range(laps):
        last = 0
        for at in range(len(order)):
            i = order[at]
            fetch(points, state, order, at)
            foresee(rule, points, order, at, state)
            change = step(rule, points, i, state)
            state.clock[0] += 1
            looks += 1
            read += size(points, i)
            if change > NOTHING:
                state.dual[i] += change
                written += size(points, i)
                last += 1
                updates += 1
                if updates == budget:
                    return Tally(updates, looks, last, read, written)
        if last == 0:
            break
    return Tally(updates, looks, last, read, written)


def settle(points: Any, order: Any, state: Any) -> None:
    """Move each point's late share into the drift."""
    for i in order:
        add(points, i, state.late[i] * points.y[i], state.drift)
        state.late[i] *= 0


def margins(rule: Any, points: Any, order: Any, state: Any, out: Any) -> None:
    """Write the margin of each point of ``order`` into ``out``."""
    for k in range(len(order)):
        out[k] = margin(rule, points, order[k], state)

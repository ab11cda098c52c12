"""The rules, one file per family, and the loop around every rule: `cycle`.

All of it is plain Python; `engine.machine.jit` makes machine code of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rosenblatt.engine.points import add, fetch, lap_length, number, size
from rosenblatt.engine.rules.base import (
    NOTHING,
    Rule,
    State,
    foresee,
    margin,
    move,
    move_classes,
    step,
)
from rosenblatt.engine.rules.perceptron import (
    TIES,
    Multiclass,
    PerceptronRule,
    make_rule,
    strongest_rival,
)

__all__ = [
    "NOTHING",
    "SQUARES",
    "TIES",
    "Multiclass",
    "PerceptronRule",
    "Rule",
    "State",
    "Tally",
    "add_pending",
    "cycle",
    "make_rule",
    "margin",
    "margins",
    "move",
    "move_classes",
    "step",
    "strongest_rival",
    "vectors",
]

# Squares that neither overflow nor lose digits below the range of floats.
SQUARES = (1e-200, 1e300)


class Tally(NamedTuple):
    """What some looks came to."""

    updates: int
    looks: int
    last: int  # updates of the final lap: 0 means it was clean
    read: int  # stored entries read by looks
    written: int  # stored entries changed by updates


NO_LOOKS = Tally(0, 0, 0, 0, 0)


def vectors(rule: Rule, points: Any) -> int:
    """Weight vectors that the rule keeps, one for each class; 0 if it keeps a single one."""
    return int(max(points.y)) + 1 if rule.per_class else 0


def cycle(rule: Any, points: Any, order: Any, laps: int, budget: int, state: Any) -> Tally:
    """Look at the points of ``order``, lap after lap, until a lap is clean.

    An empty order is that of all points as they come. Ends early after ``laps`` laps or ``budget``
    updates.
    """
    updates, looks, last, read, written = 0, 0, 0, 0, 0
    for _ in range(laps):
        last = 0
        for at in range(lap_length(points, order)):
            i = number(order, at)
            entries = size(points, i)
            fetch(points, state, order, at)
            foresee(rule, points, order, at, state)
            change = step(rule, points, i, state)
            state.clock[0] += 1
            looks += 1
            read += entries
            if change > NOTHING:
                state.dual[i] += change
                written += entries
                last += 1
                updates += 1
                if updates == budget:
                    return Tally(updates, looks, last, read, written)
        if last == 0:
            break
    return Tally(updates, looks, last, read, written)


def add_pending(points: Any, order: Any, state: Any) -> int:
    """Add the pending shares of the points of ``order`` to the drift; the multiply-adds it takes.

    A point without one adds nothing. An empty order is that of all points as they come.
    """
    made = 0
    for at in range(lap_length(points, order)):
        i = number(order, at)
        fetch(points, state, order, at)
        share = state.pending[i]
        made += size(points, i) + 1 if share != 0 else 0
        add(points, i, share * points.y[i], state.drift)
        state.pending[i] = share * 0
    return made


def margins(rule: Any, points: Any, order: Any, state: Any, out: Any) -> None:
    """Write the margin of each point of ``order`` into ``out``."""
    for k in range(len(order)):
        fetch(points, state, order, k)
        out[k] = margin(rule, points, order[k], state)

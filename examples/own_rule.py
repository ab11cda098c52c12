"""A rule of your own: derive from Rule and write its step. All else comes with the loop."""

import numpy as np

from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import dot, make_points, squared_norm
from rosenblatt.engine.rules import NOTHING, Rule, move
from rosenblatt.engine.sweep import CompiledSweep


class Relaxation(Rule):
    """Agmon 1954, Motzkin and Schoenberg 1954: a mistake moves w towards y·score = 1.

    It comes nearer to each u with y·score ≥ 1 everywhere: ‖w − u‖² falls by λ(2 − λ)/‖x‖² or more.
    So there are at most R²/γ²/(λ(2 − λ)) updates from w = 0, in any order.
    """

    factor: float = 1.0  # λ, above 0 and below 2: the share of the way to y·score = 1

    def step(rule, points, i, state):
        """w ← w + λ·gap/‖x‖²·y·x where y·score ≤ 0; returns how far it moved."""
        gap = gap_of(points, i, state)
        if gap < 1:
            return NOTHING
        change = points.steps[i] * rule.factor * gap / squared_norm(points, i)
        move(points, i, change, state)  # the weights, and the mean of the weights
        return change


def gap_of(points, i, state):
    """1 − y·score: a helper is a plain function, compiled with the rules that call it."""
    return 1 - points.y[i] * dot(points, i, state.weights)


X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [0.5, -1.0]])
points = make_points(X, np.array([1.0, 1.0, -1.0, -1.0]))
for factor in (0.5, 1.0, 1.5):
    run = learn(CompiledSweep(points, Relaxation(factor)), order="cyclic")
    print(f"λ = {factor}: {run.updates} updates, w = {run.weights.round(2)}. {run.stop.value}")

"""A rule of your own: every mistake adds a row of length 1, however long the row is."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import rosenblatt as rb
from rosenblatt.learn import learn
from rosenblatt.points import add, dot, make_points, squared_norm
from rosenblatt.rules import NOTHING, Perceptron


class Normalised(NamedTuple):
    """w ← w + y·x/‖x‖ after a mistake: the perceptron of the rows scaled to length 1.

    Started at 0, in any order, at most 1/γ² updates, γ the best margin of the scaled rows (Novikoff
    1962 with R = 1): a few long rows no longer decide how many.
    """

    threshold: Any = 0.0

    def margin(rule, points, i, state):
        """How far the point is on its right side."""
        return points.y[i] * dot(points, i, state.weights)

    def step(rule, points, i, state):
        """Look at point i once; return how far it moved the weights, 0 if it was right."""
        y = points.y[i]
        length = squared_norm(points, i)
        if length == 0 or y * dot(points, i, state.weights) > rule.threshold:
            return NOTHING
        change = points.steps[i] / math.sqrt(length)
        add(points, i, change * y, state.weights)
        state.late[i] += change * state.clock[0]  # for the mean of the weights
        return change


def main() -> None:
    """Rows of very different lengths: the bound of the scaled rows is the smaller one."""
    cloud = rb.datasets.gaussian(2000, 10, 0.05, seed=0)
    X = cloud.X * np.geomspace(0.01, 100, len(cloud.X))[:, None]
    points = make_points(X, cloud.y, fit_intercept=False)
    for rule in (Perceptron(), Normalised()):
        run = learn(points, rule, order="cyclic")
        print(
            f"{type(rule).__name__:11} {run.updates:7,} updates, {run.passes:,} passes: {run.stop}"
        )
    scaled = X / np.linalg.norm(X, axis=1, keepdims=True)
    gamma = rb.margin(scaled, cloud.y, fit_intercept=False).lower
    print(f"The scaled rows have margin {gamma:.4f}: at most {1 / gamma**2:,.0f} updates.")
    assert run.updates <= 1 / gamma**2


if __name__ == "__main__":
    main()

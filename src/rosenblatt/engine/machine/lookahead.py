"""Scores of a block of points at a time, by one product of matrices.

Row by row, each look at K classes of d features reads K·d weights. `Ahead` computes the scores of a
block of rows at once, which reads the weights once per block, and after an update corrects the
scores of the rows to come by the block's Gram matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.points import (
    DenseRows,
    Points,
    lap_length,
    number,
    products,
    scores_of,
    width,
)
from rosenblatt.engine.rules.base import NOTHING, Rule
from rosenblatt.engine.rules.perceptron import respond, strongest_rival

# Rows of a block: two tiles. An update costs half as many products of rows, on average.
BLOCK = 8
# Weights below which looking ahead does not pay: they fit into the processor's first cache.
FEWEST_WEIGHTS = 2**12


class Ahead(Rule):
    """`Multiclass`, looking a block ahead: the same looks and updates, in the same order.

    W ← W + η(e_y − e_r)xᵢᵀ changes the score of a later point j by +η·xᵢ·xⱼ for class y, by
    −η·xᵢ·xⱼ for the rival r, and not at all for the others. Integers give the weights of
    `Multiclass` to the bit; otherwise a lead within rounding of the threshold may fall on its other
    side.

    Attributes
    ----------
    rule : Multiclass
        How a mistake changes the weights.
    scores : array of shape (B, K)
        Those of the points of the block, by the present weights.
    block : array of shape (B,)
        Which points these are.
    place : array of shape (2,)
        How many of them have been looked at, and how many there are.
    gram : array of shape (B,)
        Work space for a row of the Gram matrix.
    """

    rule: Any
    scores: Any
    block: Any
    place: Any
    gram: Any

    per_class = True

    def foresee(rule, points, order, at, state):
        """Compute the scores of the next block, once this one has been looked at."""
        if at == 0 or rule.place[0] == rule.place[1]:
            there = min(len(rule.block), lap_length(points, order) - at)
            rule.place[0], rule.place[1] = 0, there
            for k in range(there):
                rule.block[k] = number(order, at + k)
            scores_of(points, rule.block[:there], state.weights, rule.scores[:there])

    def step(rule, points, i, state):
        """The step of the rule; then correct the scores of the points to come."""
        at = rule.place[0]
        rule.place[0] = at + 1
        change = respond(rule.rule, points, i, rule.scores[at], state)
        if change > NOTHING:
            y = points.y[i]
            rival = strongest_rival(rule.scores[at], y)
            there = rule.place[1]
            products(points, i, rule.block[at + 1 : there], rule.gram)
            for k in range(at + 1, there):
                rule.scores[k, y] += change * rule.gram[k - at - 1]
                rule.scores[k, rival] -= change * rule.gram[k - at - 1]
        return change


def looking_ahead(rule: Rule, points: Points, classes: int) -> Rule:
    """The rule, looking ahead where that is faster: many weights, dense rows.

    Examples
    --------
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import Multiclass
    >>> points = make_points(np.zeros((3, 2000)), np.array([0, 1, 2]))
    >>> looking_ahead(Multiclass(), points, classes=3).scores.shape
    (8, 3)
    """
    dense = isinstance(points.rows, DenseRows)
    if not rule.looks_ahead or not dense or classes * width(points) < FEWEST_WEIGHTS:
        return rule
    return Ahead(
        rule,
        np.zeros((BLOCK, classes)),
        np.zeros(BLOCK, dtype=np.intp),
        np.zeros(2, dtype=np.intp),
        np.zeros(BLOCK),
    )

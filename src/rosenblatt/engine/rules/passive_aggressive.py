"""Passive-aggressive rules: the least change of the weights that ends a point's loss."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.engine.points import Points, dot, scores, squared_norm
from rosenblatt.engine.rules.base import NOTHING, Rule, move, move_classes
from rosenblatt.engine.rules.perceptron import Multiclass, strongest_rival
from rosenblatt.errors import InputError


class PassiveAggressiveRule(Rule):
    """Crammer et al. 2006: the least change of w that ends a point's hinge loss.

    With ℓ = (1 − y·score)₊ the step is τ = min(cap, ℓ/(‖x‖² + slack)). PA has neither, PA-I has
    cap C, PA-II has slack 1/(2C). Started at 0, over any sequence and for any u:

    - PA: Σℓ² ≤ R²‖u‖² if u has loss 0 everywhere (theorem 2);
    - PA-I: mistakes ≤ max(R², 1/C)·(‖u‖² + 2C·Σℓ(u)) (theorem 4);
    - PA-II: Σℓ² ≤ (R² + 1/(2C))·(‖u‖² + 2C·Σℓ(u)²) (theorem 5).

    They are theorems of the padded points: ‖x‖² must count the bias coordinate (padding = 1).

    Attributes
    ----------
    cap, slack : float
        The most a step may be, and what softens it.
    padding : float
        1 if the bias coordinate counts in ‖x‖²; 0 if not, as in scikit-learn.
    suffered : array of shape (1,)
        Σℓ over all looks so far.
    """

    cap: Any
    slack: Any
    padding: Any
    suffered: Any

    bounded = False

    def step(rule, points, i, state):
        """w ← w + τ·y·x where y·score < 1."""
        y = points.y[i]
        loss = 1 - y * dot(points, i, state.weights)
        if loss <= 0:
            return NOTHING
        rule.suffered[0] += loss
        counted = Points(points.rows, points.y, points.steps, points.bias * rule.padding)
        length = squared_norm(counted, i) + rule.slack
        if length == 0:
            return NOTHING
        change = points.steps[i] * min(rule.cap, loss / length)
        move(points, i, change, state)
        return change


class MulticlassPassiveAggressive(Rule):
    """Passive-aggressive steps with one weight vector a class (Crammer et al. 2006).

    The loss is 1 minus the lead of the true class over its strongest rival. Moving both by τ·x
    changes the lead by 2τ‖x‖², so τ = min(cap, ℓ/(2‖x‖² + slack)), and the bounds of
    `PassiveAggressiveRule` hold with 2R² for R².

    Attributes
    ----------
    cap, slack, padding, suffered
        As for `PassiveAggressiveRule`.
    """

    cap: Any
    slack: Any
    padding: Any
    suffered: Any

    per_class = True
    bounded = False
    margin = Multiclass.margin

    def step(rule, points, i, state):
        """W_y ← W_y + τ·x and W_rival ← W_rival − τ·x where the lead is under 1."""
        scores(points, i, state.weights, state.buffer)
        y = points.y[i]
        rival = strongest_rival(state.buffer, y)
        loss = 1 - (state.buffer[y] - state.buffer[rival])
        if loss <= 0:
            return NOTHING
        rule.suffered[0] += loss
        counted = Points(points.rows, points.y, points.steps, points.bias * rule.padding)
        length = 2 * squared_norm(counted, i) + rule.slack
        if length == 0:
            return NOTHING
        change = points.steps[i] * min(rule.cap, loss / length)
        move_classes(points, i, rival, change, state)
        return change


def make_passive_aggressive(
    classes: int, C: float = 1.0, loss: str = "hinge", *, padded: bool = True
) -> PassiveAggressiveRule | MulticlassPassiveAggressive:
    """The passive-aggressive rule for that many classes.

    Parameters
    ----------
    classes : int
        2 for signs; more for one weight vector a class.
    C : float
        Aggressiveness; infinity is PA itself.
    loss : {"hinge", "squared_hinge"}
        PA-I or PA-II.
    padded : bool
        Whether the bias coordinate counts in ‖x‖².

    Examples
    --------
    >>> make_passive_aggressive(2, C=0.5)._replace(suffered=None)
    PassiveAggressiveRule(cap=0.5, slack=0.0, padding=1.0, suffered=None)
    >>> make_passive_aggressive(2, C=0.5, loss="squared_hinge")._replace(suffered=None)
    PassiveAggressiveRule(cap=inf, slack=1.0, padding=1.0, suffered=None)
    """
    if not C > 0:
        raise InputError(f"C must be a positive number, got {C!r}.")
    if loss not in ("hinge", "squared_hinge"):
        raise InputError(f"loss must be 'hinge' (PA-I) or 'squared_hinge' (PA-II), got {loss!r}.")
    cap, slack = (float(C), 0.0) if loss == "hinge" else (math.inf, 0.5 / C)
    kind = PassiveAggressiveRule if classes == 2 else MulticlassPassiveAggressive
    return kind(cap, slack, 1.0 if padded else 0.0, np.zeros(1))

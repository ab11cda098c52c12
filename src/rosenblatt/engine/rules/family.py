"""More rules: passive-aggressive steps, and a margin as near to the best as wanted.

Each is a tuple of parameters with ``margin`` and ``step``, as in ``rules``, and runs in the same
loop, plain or compiled. They write the same fields of `rules.State` as the perceptron does:
``weights``, ``late`` (or, with one weight vector a class, ``drift``) and, in the loop, ``dual``.
What else a rule must remember is an array among its own fields. Imports ``rules`` and ``points``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.margins import mistake_bound
from rosenblatt.engine.points import Points, add, dot, scores, squared_norm
from rosenblatt.engine.rules import NOTHING, Multiclass, Perceptron, strongest_rival
from rosenblatt.errors import InputError


class PassiveAggressive(NamedTuple):
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

    margin = Perceptron.margin

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
        add(points, i, change * y, state.weights)
        # Looks before the clock's zero are not averaged over.
        state.late[i] += change * max(state.clock[0], 0)
        return change


class MulticlassPassiveAggressive(NamedTuple):
    """Passive-aggressive steps with one weight vector a class (Crammer et al. 2006).

    The loss is 1 minus the lead of the true class over its strongest rival. Moving both by τ·x
    changes the lead by 2τ‖x‖², so τ = min(cap, ℓ/(2‖x‖² + slack)), and the bounds of
    `PassiveAggressive` hold with 2R² for R².

    Attributes
    ----------
    cap, slack, padding, suffered
        As for `PassiveAggressive`.
    """

    cap: Any
    slack: Any
    padding: Any
    suffered: Any

    per_class = True
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
        clock = max(state.clock[0], 0)
        add(points, i, change, state.weights[y])
        add(points, i, -change, state.weights[rival])
        add(points, i, change * clock, state.drift[y])
        add(points, i, -change * clock, state.drift[rival])
        return change


class DynamicMargin(NamedTuple):
    """Panagiotakopoulos and Tsampouka 2011: a threshold that follows the margin's upper bound.

    After steps that sum to t, γ ≤ ‖w‖/t. A point is a mistake while y·score ≤ s·‖w‖²/t, that is,
    while its margin is not above the share s of that bound; so once no mistake is left the margin
    exceeds s·γ. Needs a start at 0. Updates are bounded by `dynamic_margin_bound`.

    Chosen over ALMA₂ (Gentile 2001), whose projection rescales the whole vector at an update: here
    an update stays one row, and w a sum of rows. To 0.5 and 0.9 of the margin, on random unit rows,
    ALMA₂ made 11 to 30 times as many updates.

    Attributes
    ----------
    share : float
        s = 1 − ε.
    memory : array of shape (2,)
        ‖w‖² and t, of the run whose clock is going; cleared when a clock starts.
    """

    share: Any
    memory: Any

    margin = Perceptron.margin

    def step(rule, points, i, state):
        """w ← w + η·y·x where y·score ≤ s·‖w‖²/t."""
        memory = rule.memory
        if state.clock[0] == 0:
            memory[0] *= 0
            memory[1] *= 0
        y = points.y[i]
        ahead = y * dot(points, i, state.weights)
        if ahead * memory[1] > rule.share * memory[0]:
            return NOTHING
        change = points.steps[i]
        memory[0] += change * (2 * ahead + change * squared_norm(points, i))
        memory[1] += change
        add(points, i, change * y, state.weights)
        state.late[i] += change * state.clock[0]
        return change


class MulticlassDynamicMargin(NamedTuple):
    """`DynamicMargin` with one weight vector a class: the lead of the true class is the score.

    γ is then the best lead of weights of Frobenius norm 1, and an update lengthens ‖W‖² by
    2η·lead + 2η²‖x‖².

    Attributes
    ----------
    share, memory
        As for `DynamicMargin`.
    """

    share: Any
    memory: Any

    per_class = True
    margin = Multiclass.margin

    def step(rule, points, i, state):
        """W_y ← W_y + η·x and W_rival ← W_rival − η·x where the lead is ≤ s·‖W‖²/t."""
        memory = rule.memory
        if state.clock[0] == 0:
            memory[0] *= 0
            memory[1] *= 0
        scores(points, i, state.weights, state.buffer)
        y = points.y[i]
        rival = strongest_rival(state.buffer, y)
        ahead = state.buffer[y] - state.buffer[rival]
        if ahead * memory[1] > rule.share * memory[0]:
            return NOTHING
        change = points.steps[i]
        memory[0] += 2 * change * (ahead + change * squared_norm(points, i))
        memory[1] += change
        add(points, i, change, state.weights[y])
        add(points, i, -change, state.weights[rival])
        add(points, i, change * state.clock[0], state.drift[y])
        add(points, i, -change * state.clock[0], state.drift[rival])
        return change


def make_passive_aggressive(
    classes: int, C: float = 1.0, loss: str = "hinge", *, padded: bool = True
) -> PassiveAggressive | MulticlassPassiveAggressive:
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
    PassiveAggressive(cap=0.5, slack=0.0, padding=1.0, suffered=None)
    >>> make_passive_aggressive(2, C=0.5, loss="squared_hinge")._replace(suffered=None)
    PassiveAggressive(cap=inf, slack=1.0, padding=1.0, suffered=None)
    """
    if not C > 0:
        raise InputError(f"C must be a positive number, got {C!r}.")
    if loss not in ("hinge", "squared_hinge"):
        raise InputError(f"loss must be 'hinge' (PA-I) or 'squared_hinge' (PA-II), got {loss!r}.")
    cap, slack = (float(C), 0.0) if loss == "hinge" else (math.inf, 0.5 / C)
    kind = PassiveAggressive if classes == 2 else MulticlassPassiveAggressive
    return kind(cap, slack, 1.0 if padded else 0.0, np.zeros(1))


def make_margin_rule(classes: int, share: float) -> DynamicMargin | MulticlassDynamicMargin:
    """The rule that reaches that share of the best margin, for that many classes.

    Parameters
    ----------
    classes : int
        2 for signs; more for one weight vector a class.
    share : float
        1 − ε: at least 0 and under 1. The nearer to 1, the more updates.

    Examples
    --------
    The perceptron is content with its first update, a margin of 0.447; the best is 7/√13 = 1.941.

    >>> from rosenblatt.engine.loop import learn
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import Perceptron
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> points = make_points(X, np.ones(2), fit_intercept=False)
    >>> for rule in (Perceptron(), make_margin_rule(2, 0.95), make_margin_rule(2, 0.999)):
    ...     run = learn(points, rule)
    ...     print(run.updates, round(float(min(X @ run.weights[:2]) / run.history[-1].norm), 3))
    1 0.447
    3 1.886
    13 1.941
    """
    if not 0 <= share < 1:
        raise InputError(
            f"the share of the best margin must be at least 0 and under 1, got {share!r}."
        )
    kind = DynamicMargin if classes == 2 else MulticlassDynamicMargin
    return kind(float(share), np.zeros(2))


def dynamic_margin_bound(radius: float, margin: float, share: float) -> float:
    """The most updates of `DynamicMargin`: (2s/(2s − 1)·R²/γ²)^(1/(2 − 2s)) for s > ½.

    The t-th update (η = 1) leaves ‖w‖² at most (1 + 2s/(t − 1))·‖w‖² + R². By induction on t,
    ‖w‖² ≤ R²·2s·t^(2s)/(2s − 1) for s > ½ and R²·t/(1 − 2s) for s < ½, while ‖w‖ ≥ γt. That of a
    larger share holds too, and 0.6 serves all below.

    Parameters
    ----------
    radius : float
        R; with one weight vector a class, √2·R.
    margin : float
        γ.
    share : float
        s.

    Examples
    --------
    >>> dynamic_margin_bound(2.0, 1.0, 0.0), round(dynamic_margin_bound(2.0, 1.0, 0.75))
    (4.0, 144)
    """
    if not (radius >= 0 and margin > 0 and 0 <= share < 1):
        raise InputError(
            "the bound needs radius ≥ 0, margin > 0 and 0 ≤ share < 1, got "
            f"radius={radius}, margin={margin}, share={share}."
        )
    ratio = mistake_bound(radius, margin)
    linear = ratio / (1 - 2 * share) if share < 0.5 else math.inf
    s = max(share, 0.6)
    try:
        return min(linear, (2 * s / (2 * s - 1) * ratio) ** (1 / (2 - 2 * s)))
    except OverflowError:
        return linear

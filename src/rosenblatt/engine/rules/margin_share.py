"""A margin as near to the best as wanted: the dynamic margin, and the bound of its updates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.engine.margins import mistake_bound
from rosenblatt.engine.points import dot, scores, squared_norm
from rosenblatt.engine.rules.base import NOTHING, Rule, move, move_classes
from rosenblatt.engine.rules.perceptron import Multiclass, strongest_rival
from rosenblatt.errors import InputError

# A bound for a larger share holds too; this share's serves all below.
ENOUGH = 0.6


class DynamicMargin(Rule):
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
        move(points, i, change, state)
        return change


class MulticlassDynamicMargin(Rule):
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
        move_classes(points, i, rival, change, state)
        return change


def make_margin_rule(
    classes: int, share: float, earlier: Any = None
) -> DynamicMargin | MulticlassDynamicMargin:
    """The rule that reaches that share of the best margin, for that many classes.

    Parameters
    ----------
    classes : int
        2 for signs; more for one weight vector a class.
    share : float
        1 − ε: at least 0 and under 1. The nearer to 1, the more updates.
    earlier : rule, optional
        Whose memory to go on with, if it is of the same kind.

    Examples
    --------
    The perceptron is content with its first update, a margin of 0.447; the best is 7/√13 = 1.941.

    >>> from rosenblatt.engine.loop import learn
    >>> from rosenblatt.engine.points import make_points
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> from rosenblatt.engine.sweep import CompiledSweep
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> points = make_points(X, np.ones(2), fit_intercept=False)
    >>> for rule in (PerceptronRule(), make_margin_rule(2, 0.95), make_margin_rule(2, 0.999)):
    ...     run = learn(CompiledSweep(points, rule))
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
    memory = earlier.memory.copy() if isinstance(earlier, kind) else np.zeros(2)
    return kind(float(share), memory)


def dynamic_margin_bound(radius: float, margin: float, share: float) -> float:
    """The most updates of `DynamicMargin`: (2s/(2s − 1)·R²/γ²)^(1/(2 − 2s)) for s > ½.

    The t-th update (η = 1) leaves ‖w‖² at most (1 + 2s/(t − 1))·‖w‖² + R². By induction on t,
    ‖w‖² ≤ R²·2s·t^(2s)/(2s − 1) for s > ½ and R²·t/(1 − 2s) for s < ½, while ‖w‖ ≥ γt.

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
    s = max(share, ENOUGH)
    try:
        return min(linear, (2 * s / (2 * s - 1) * ratio) ** (1 / (2 - 2 * s)))
    except OverflowError:
        return linear


def longest_weights(radius: float, updates: Any, share: float) -> Any:
    """The most that ‖w‖ is after so many updates of `DynamicMargin` (η = 1): √t·R where s = 0.

    Parameters
    ----------
    radius, share : float
        As for `dynamic_margin_bound`, at whose number of updates this is γt.
    updates : float or ndarray
        t.

    Examples
    --------
    >>> float(longest_weights(2.0, 9, 0.0))
    6.0
    >>> bound = dynamic_margin_bound(2.0, 1.0, 0.75)
    >>> round(float(longest_weights(2.0, bound, 0.75)) / bound, 9)
    1.0
    """
    s = max(share, ENOUGH)
    square = 2 * s / (2 * s - 1) * updates ** (2 * s)
    if share < 0.5:
        square = np.minimum(square, updates / (1 - 2 * share))
    return radius * np.sqrt(square)

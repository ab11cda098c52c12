"""The perceptron of two classes, and that of one weight vector a class."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.points import scores
from rosenblatt.engine.rules.base import NOTHING, Rule, margin, move, move_classes
from rosenblatt.errors import InputError

INFINITE = float("inf")
# Weights grow to some multiples of the threshold, and must stay finite when squared.
LARGEST_THRESHOLD = 1e150
# Whether a score exactly on the boundary is a mistake, on a negative and on a positive point.
TIES = {
    "mistake": (True, True),
    "positive": (True, False),
    "negative": (False, True),
    "correct": (False, False),
}


class PerceptronRule(Rule):
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

    def step(rule, points, i, state):
        """w ← w + η·y·x where y·score ≤ δ."""
        return correct(rule, points, i, margin(rule, points, i, state), state)

    @property
    def corrects_ties(self) -> bool:
        """Whether a point at the threshold, on either side, is a mistake."""
        return self.tie_negative and self.tie_positive

    @property
    def is_plain(self) -> bool:
        """Whether all its parameters are the defaults."""
        return self == PLAIN

    def with_least_margin(self) -> Rule:
        """The same steps by `Attentive`."""
        return Attentive(self, np.array([INFINITE]))


PLAIN = PerceptronRule()


class Attentive(Rule):
    """`PerceptronRule`, and the least margin that it has met since its last update.

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
        rule.least[0] = INFINITE if change > NOTHING else min(rule.least[0], ahead)
        return change

    @property
    def least_margin(self) -> float:
        """The least margin that was met since the last update."""
        return float(self.least[0])


class Multiclass(Rule):
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
    looks_ahead = True

    def margin(rule, points, i, state):
        """The lead of the true class over its strongest rival."""
        scores(points, i, state.weights, state.buffer)
        y = points.y[i]
        return state.buffer[y] - state.buffer[strongest_rival(state.buffer, y)]

    def step(rule, points, i, state):
        """W_y ← W_y + η·x and W_rival ← W_rival − η·x where the lead is at most δ."""
        scores(points, i, state.weights, state.buffer)
        return respond(rule, points, i, state.buffer, state)

    @property
    def corrects_ties(self) -> bool:
        """Whether a lead at the threshold is a mistake."""
        return self.tie

    @property
    def is_plain(self) -> bool:
        """Whether all its parameters are the defaults."""
        return self == Multiclass()


def make_rule(
    classes: int, threshold: Any = 0.0, ties: str = "mistake"
) -> PerceptronRule | Multiclass:
    """The perceptron's rule for that many classes.

    Examples
    --------
    >>> make_rule(2, ties="positive")
    PerceptronRule(threshold=0.0, tie_negative=True, tie_positive=False)
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
        return PerceptronRule(threshold, *TIES[ties])
    if ties in ("positive", "negative"):
        raise InputError(
            f"Only binary classification is supported by ties={ties!r}, but there are {classes} "
            "classes; use ties='mistake' or 'correct', or tell them apart two at a time, by "
            "multiclass='ovr' or 'ovo' where an estimator has it."
        )
    return Multiclass(threshold, TIES[ties][0])


def is_right(rule: Any, points: Any, i: int, ahead: Any) -> bool:
    """Whether `PerceptronRule` leaves point i alone, so far on its right side."""
    tie = rule.tie_positive if points.y[i] > 0 else rule.tie_negative
    return ahead > rule.threshold or (ahead == rule.threshold and not tie)


def leads(rule: Any, ahead: Any) -> bool:
    """Whether `Multiclass` leaves a point alone whose class is so far ahead."""
    return ahead > rule.threshold or (ahead == rule.threshold and not rule.tie)


def correct(rule: Any, points: Any, i: int, ahead: Any, state: Any) -> Any:
    """What `PerceptronRule` does about point i, given how far it is on its right side."""
    if is_right(rule, points, i, ahead):
        return NOTHING
    move(points, i, points.steps[i], state)
    return points.steps[i]


def respond(rule: Any, points: Any, i: int, class_scores: Any, state: Any) -> Any:
    """What `Multiclass` does about point i, given its scores."""
    y = points.y[i]
    rival = strongest_rival(class_scores, y)
    if leads(rule, class_scores[y] - class_scores[rival]):
        return NOTHING
    move_classes(points, i, rival, points.steps[i], state)
    return points.steps[i]


def strongest_rival(class_scores: Any, y: int) -> int:
    """The first class of the highest score among all but y."""
    best = 1 if y == 0 else 0
    for k in range(len(class_scores)):
        if k != y and class_scores[k] > class_scores[best]:
            best = k
    return best

"""Penalties: a rule that after each look pulls all weights towards 0, paid lazily.

`Penalised` wraps another rule. What a weight owes is paid when a row that has its feature is next
looked at, so that sparse rows stay sparse, and equals paying after every look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.points import column, size
from rosenblatt.engine.rules.base import Rule, margin, step
from rosenblatt.errors import InputError

PENALTIES = (None, "l1", "l2", "elasticnet")
# Debts are counted in units that grow as the scale shrinks; below this they are converted.
SMALLEST_SCALE = 1e-100


class Penalised(Rule):
    """After each look, w ← (1 − λ₂)·w and then |w| shrinks by what is owed of λ₁; never the bias.

    λ₁ = η·α·l1_ratio is the cumulative penalty of Tsuruoka, Tsujii and Ananiadou 2009: after t
    looks a weight owes λ₁·t less what it has paid, and pays it at once, but never past 0; so a
    weight stays 0 until its updates exceed all that was owed. λ₂ = η·α·(1 − l1_ratio) is the decay
    of the squared norm. With both, a debt of λ₁ at scale s = (1 − λ₂)^t is λ₁/s in units of w/s,
    in which decay changes nothing and debts add up.

    No mistake bound holds: penalised weights forget, so a run need not end even on separable
    data. A clean pass counts only if the weights separate after the penalty.

    Attributes
    ----------
    rule : rule
        How a mistake changes the weights.
    l1, l2 : float
        λ₁ and λ₂, for each look.
    account : array of shape (2,)
        Owed so far, Σ λ₁/s, and the scale s.
    paid : array of shape (d,) or (K, d)
        What each weight has paid, signed, in units of w/s.
    since : array like paid
        The scale when it last paid.
    """

    rule: Any
    l1: Any
    l2: Any
    account: Any
    paid: Any
    since: Any

    owes_penalty = True

    @property
    def threshold(self) -> Any:
        """The threshold of the rule."""
        return self.rule.threshold

    def margin(rule, points, i, state):
        """How far the point is on its right side, at weights that owe nothing."""
        return margin(rule.rule, points, i, state)

    def step(rule, points, i, state):
        """Pay what the row's weights owe, learn from it, then charge the penalty of one look."""
        pay(points, i, state.weights, rule.paid, rule.since, rule.account)
        change = step(rule.rule, points, i, state)
        rule.account[1] *= 1 - rule.l2
        rule.account[0] += rule.l1 / rule.account[1]
        if rule.account[1] < SMALLEST_SCALE:
            pay_all(state.weights, rule.paid, rule.since, rule.account)
            convert(rule.account)
        return change


class PenalisedMulticlass(Rule):
    """`Penalised` with one weight vector a class: all of them pay.

    Attributes
    ----------
    rule, l1, l2, account, paid, since
        As for `Penalised`.
    """

    rule: Any
    l1: Any
    l2: Any
    account: Any
    paid: Any
    since: Any

    per_class = True
    owes_penalty = True
    threshold = Penalised.threshold
    margin = Penalised.margin

    def step(rule, points, i, state):
        """Pay what the row's weights owe, learn from it, then charge the penalty of one look."""
        for k in range(len(state.weights)):
            pay(points, i, state.weights[k], rule.paid[k], rule.since[k], rule.account)
        change = step(rule.rule, points, i, state)
        rule.account[1] *= 1 - rule.l2
        rule.account[0] += rule.l1 / rule.account[1]
        if rule.account[1] < SMALLEST_SCALE:
            for k in range(len(state.weights)):
                pay_all(state.weights[k], rule.paid[k], rule.since[k], rule.account)
            convert(rule.account)
        return change


def pay_one(j: Any, weights: Any, paid: Any, since: Any, account: Any) -> None:
    """Weight j pays what it owes."""
    before = weights[j] / since[j]
    after = before
    if before > 0:
        after = max(0.0, before - (account[0] + paid[j]))
    elif before < 0:
        after = min(0.0, before + (account[0] - paid[j]))
    paid[j] += after - before
    weights[j] = after * account[1]
    since[j] = account[1]


def pay(points: Any, i: int, weights: Any, paid: Any, since: Any, account: Any) -> None:
    """The weights of the features that row i stores pay what they owe."""
    for k in range(size(points, i)):
        pay_one(column(points, i, k), weights, paid, since, account)


def pay_all(weights: Any, paid: Any, since: Any, account: Any) -> None:
    """All weights pay, and count in units of scale 1 from now on."""
    for j in range(len(paid)):
        pay_one(j, weights, paid, since, account)
        paid[j] *= account[1]
        since[j] = 1.0


def convert(account: Any) -> None:
    """Count what is owed in units of scale 1, all weights having paid."""
    account[0] *= account[1]
    account[1] = 1.0


def penalised(
    rule: Any,
    weights: np.ndarray,
    penalty: str | None,
    alpha: float,
    l1_ratio: float,
    eta: float,
    earlier: Any = None,
) -> Any:
    """The rule with a penalty; the rule itself where there is none.

    Parameters
    ----------
    rule : rule
        How a mistake changes the weights.
    weights : ndarray of shape (d + 1,) or (K, d + 1)
        Those it will change.
    penalty : {None, "l1", "l2", "elasticnet"}
    alpha, l1_ratio, eta : float
        α ≥ 0, the share of l1 in an elastic net, and the step η.
    earlier : Penalised, optional
        Whose accounts to go on with.

    Examples
    --------
    >>> from rosenblatt.engine.rules import PerceptronRule
    >>> rule = penalised(PerceptronRule(), np.zeros(3), "elasticnet", 0.5, 0.25, 1.0)
    >>> rule.l1, rule.l2
    (0.125, 0.375)
    >>> penalised(PerceptronRule(), np.zeros(3), None, 0.5, 0.25, 1.0) == PerceptronRule()
    True
    """
    if penalty not in PENALTIES:
        raise InputError(
            f"penalty must be one of {', '.join(map(repr, PENALTIES))}, got {penalty!r}."
        )
    if not 0 <= alpha < np.inf:
        raise InputError(f"alpha must be a finite number of at least 0, got {alpha!r}.")
    if not 0 <= l1_ratio <= 1:
        raise InputError(f"l1_ratio must be a number from 0 to 1, got {l1_ratio!r}.")
    if penalty is None or alpha == 0:
        return rule
    share = {"l1": 1.0, "l2": 0.0, "elasticnet": float(l1_ratio)}[penalty]
    l1, l2 = eta * alpha * share, eta * alpha * (1 - share)
    if not l2 < 1:
        raise InputError(
            f"eta0·alpha·(1 − l1_ratio) must be less than 1, got {l2:g}: every look would set all "
            "weights to 0. Lower alpha."
        )
    form = Penalised if weights.ndim == 1 else PenalisedMulticlass
    if isinstance(earlier, form):
        accounts = (earlier.account, earlier.paid, earlier.since)
        return form(rule, l1, l2, *(account.copy("K") for account in accounts))
    like = weights[..., :-1]
    return form(rule, l1, l2, np.array([0.0, 1.0]), np.zeros_like(like), np.ones_like(like))


def pay_up(rule: Any, weights: Any, whole: Any = pay_all) -> None:
    """All weights pay what they owe, by ``pay_all`` or its machine code."""
    if weights.ndim == 1:
        whole(weights, rule.paid, rule.since, rule.account)
    else:
        for k in range(len(weights)):
            whole(weights[k], rule.paid[k], rule.since[k], rule.account)
    convert(rule.account)

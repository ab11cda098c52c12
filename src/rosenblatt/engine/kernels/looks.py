"""Looks at points through their scores, as plain functions that numba compiles."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

# The share of the mistakes that a Forgetron may lose to forgetting (Dekel et al. 2008, §5).
FORGETTING = 15 / 32


class GramView(NamedTuple):
    """The Gram rows at hand and the points in view, as compiled code reads them.

    ``square`` is ‖w‖², kept up to date: of shape (1,).
    """

    rows: Any
    slot: Any
    column: Any
    square: Any
    bias: float
    squared_radius: float


def standing(gram: Any, dual: Any, i: int) -> tuple[float, int]:
    """How far point i is on its right side, and its strongest rival (−1 of two classes)."""
    code, at = dual.codes[i], gram.column[i]
    if dual.scores.shape[0] == 1:
        return (2 * code - 1) * dual.scores[0, at], -1
    rival = 1 if code == 0 else 0
    for k in range(dual.scores.shape[0]):
        if k != code and dual.scores[k, at] > dual.scores[rival, at]:
            rival = k
    return dual.scores[code, at] - dual.scores[rival, at], rival


def lengthen(gram: Any, i: int, rival: int, amount: float, ahead: float) -> None:
    """‖w + a·φ‖² = ‖w‖² + 2a·(w·φ) + a²‖φ‖²: φ of the class, less φ of a rival if there is one.

    ``ahead`` is y·f, or the lead over the rival, before that.
    """
    norm = gram.rows[gram.slot[i], gram.column[i]] + gram.bias
    gram.square[0] += amount * (2 * ahead + amount * norm * (1 if rival < 0 else 2))


def shift(gram: Any, dual: Any, i: int, rival: int, amount: float) -> None:
    """f ← f + amount·y·(k(xᵢ, ·) + bias): of two classes, or for the class and against a rival.

    Of the points in view.
    """
    place, code = gram.slot[i], dual.codes[i]
    if rival < 0:
        step = (2 * code - 1) * amount
        for j in range(dual.scores.shape[1]):
            dual.scores[0, j] += step * (gram.rows[place, j] + gram.bias)
        return
    for j in range(dual.scores.shape[1]):
        change = amount * (gram.rows[place, j] + gram.bias)
        dual.scores[code, j] += change
        dual.scores[rival, j] -= change


def remember(gram: Any, dual: Any, i: int, rival: int) -> None:
    """Append an update to the queue; beyond the budget, shrink all and forget the oldest.

    Self-tuned Forgetron (Dekel, Shalev-Shwartz and Singer 2008): to remove the oldest entry of
    share σ, with margin μ in the scores, costs Ψ = (φσ)² + 2φσ − 2φ²σμ of progress after everything
    has shrunk by φ; φ ≤ 1 is the largest that keeps the total Q + Ψ within 15/32 of the mistakes.
    The bound is about steps of 1.
    """
    size = len(dual.share)
    place = (dual.ends[1] + dual.ends[2]) % size
    dual.queue[place, 0], dual.queue[place, 1], dual.share[place] = i, rival, dual.steps[i]
    dual.ends[2] += 1
    dual.ledger[0] += 1
    if dual.ends[2] < size:
        return
    oldest = dual.ends[1]
    r, against, share = dual.queue[oldest, 0], dual.queue[oldest, 1], dual.share[oldest]
    code, at = dual.codes[r], gram.column[r]
    if against < 0:
        ahead = lead = (2 * code - 1) * dual.scores[0, at]
    else:
        lead = dual.scores[code, at] - dual.scores[against, at]
        ahead = lead / 2
    # Ψ(φ) = aφ² + bφ starts at 0 and must not pass what is left to spend.
    a, b = share * share - 2 * share * ahead / gram.squared_radius, 2 * share
    left = FORGETTING * dual.ledger[0] - dual.ledger[1]
    shrink = 1.0
    if a + b > left:
        shrink = 2 * left / (b + math.sqrt(b * b + 4 * a * left))
    for k in range(dual.scores.shape[0]):
        for j in range(dual.scores.shape[1]):
            dual.scores[k, j] *= shrink
    for e in range(size):
        dual.share[e] *= shrink
    gram.square[0] *= shrink * shrink
    lengthen(gram, r, against, -share * shrink, lead * shrink)
    shift(gram, dual, r, against, -share * shrink)
    dual.ledger[1] += a * shrink * shrink + b * shrink
    dual.share[oldest] = 0.0
    dual.ends[1] = (oldest + 1) % size
    dual.ends[2] -= 1


def lap(
    gram: Any, threshold: float, order: Any, at: int, most: int, dual: Any, state: Any
) -> tuple[int, int]:
    """Look at the points of ``order`` from place ``at`` on; updates made, and the place reached.

    Ends early after ``most`` updates, before a point that is not in view, and before a mistake
    whose Gram row is not at hand.
    """
    updates = 0
    budgeted, logged = len(dual.share) > 0, len(dual.log) > 0
    while at < len(order):
        i = order[at]
        if gram.column[i] < 0:
            return updates, at
        ahead, rival = standing(gram, dual, i)
        if ahead <= threshold:
            full = budgeted and dual.ends[2] == len(dual.share) - 1
            if (
                updates == most
                or gram.slot[i] < 0
                or (full and gram.slot[dual.queue[dual.ends[1], 0]] < 0)
                or (logged and dual.ends[0] == len(dual.log))
            ):
                return updates, at
            step, now = dual.steps[i], state.clock[0]
            lengthen(gram, i, rival, step, ahead)
            shift(gram, dual, i, rival, step)
            if budgeted:
                remember(gram, dual, i, rival)
            else:
                mine = dual.codes[i] if rival >= 0 else 0
                change = step if rival >= 0 else (2 * dual.codes[i] - 1) * step
                state.weights[mine, i] += change
                state.drift[mine, i] += change * now
                if rival >= 0:
                    state.weights[rival, i] -= step
                    state.drift[rival, i] -= step * now
            if logged:
                entry = dual.ends[0]
                dual.log[entry, 0], dual.log[entry, 1], dual.log[entry, 2] = i, rival, now
                dual.ends[0] += 1
            state.dual[i] += step
            updates += 1
        state.clock[0] += 1
        at += 1
    return updates, at

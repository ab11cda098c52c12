"""What a run in dual form changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Dual(NamedTuple):
    """What a run in dual form changes, beside the loop's `State`.

    Attributes
    ----------
    scores : ndarray of shape (1, n) or (K, n)
        f of every point: one score for two classes, else one a class.
    codes, steps : ndarray of shape (n,)
        The class of each point, and its step.
    log : ndarray of shape (m, 3)
        Point, rival and time of each update, for voting; without rows if nobody asked.
    queue : ndarray of shape (B + 1, 2)
        Point and rival of the remembered updates, a ring from the oldest on; B = −1 for no budget.
    share : ndarray of shape (B + 1,)
        What is left of each: σ.
    ledger : ndarray of shape (2,)
        Mistakes made, and what forgetting has cost: Q.
    ends : ndarray of shape (3,)
        Entries of the log; the oldest place of the queue; entries of the queue.
    """

    scores: Any
    codes: Any
    steps: Any
    log: Any
    queue: Any
    share: Any
    ledger: Any
    ends: Any


def make_dual(
    codes: np.ndarray, steps: np.ndarray, vectors: int, budget: int | None, logged: bool
) -> Dual:
    """The dual of w = 0; ``vectors`` is K for a score a class, 1 for one in all."""
    entries = 0 if budget is None else budget + 1
    return Dual(
        scores=np.zeros((vectors, len(codes))),
        codes=codes,
        steps=steps,
        log=np.zeros((1024 if logged else 0, 3), dtype=np.int64),
        queue=np.zeros((entries, 2), dtype=np.int64),
        share=np.zeros(entries),
        ledger=np.zeros(2),
        ends=np.zeros(3, dtype=np.int64),
    )


def queue_coefficients(dual: Dual) -> np.ndarray:
    """The coefficients c that the remembered updates make."""
    coefficients = np.zeros_like(dual.scores)
    for place in np.flatnonzero(dual.share):
        (i, rival), share = dual.queue[place], dual.share[place]
        if rival < 0:
            coefficients[0, i] += (2 * dual.codes[i] - 1) * share
        else:
            coefficients[dual.codes[i], i] += share
            coefficients[rival, i] -= share
    return coefficients

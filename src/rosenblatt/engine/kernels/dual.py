"""What a run in dual form changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Dual(NamedTuple):
    """What a run in dual form changes, beside the loop's `State`.

    Attributes
    ----------
    scores : ndarray of shape (1, v) or (K, v)
        f of the points in view: one score for two classes, else one a class. Before a run and
        after it, of all points, NaN where they are not known.
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
    coefficients = np.zeros((len(dual.scores), len(dual.codes)))
    there = np.flatnonzero(dual.share)
    (points, rivals), share = dual.queue[there].T, dual.share[there]
    codes = dual.codes[points]
    if len(coefficients) == 1:
        np.add.at(coefficients[0], points, (2 * codes - 1) * share)
    else:
        np.add.at(coefficients, (codes, points), share)
        np.subtract.at(coefficients, (rivals, points), share)
    return coefficients

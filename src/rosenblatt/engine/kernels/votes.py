"""The vote of all intermediate hyperplanes, as a plain function that numba compiles."""

from __future__ import annotations

from typing import Any


def vote(
    block: Any,
    bias: float,
    moves: Any,
    codes: Any,
    steps: Any,
    lifetimes: Any,
    scores: Any,
    out: Any,
) -> None:
    """Add up the votes of all intermediate hyperplanes (Freund and Schapire 1999).

    Parameters
    ----------
    block : ndarray of shape (m, S)
        Kernel between the rows to predict and the support vectors.
    bias : float
    moves : ndarray of shape (u, 2)
        Support vector and rival of each update.
    codes, steps : ndarray of shape (S,)
        The classes and steps of the support vectors.
    lifetimes : ndarray of shape (u,)
        Looks that the weights after each update served for.
    scores : ndarray of shape (1,) or (K,)
        Room.
    out : ndarray of shape (m, 1) or (m, K)
        Of two classes the positive votes less the negative ones, else the votes of each class.
    """
    for t in range(block.shape[0]):
        scores[:] = 0.0
        for e in range(len(lifetimes)):
            i, rival = moves[e, 0], moves[e, 1]
            value, code = steps[i] * (block[t, i] + bias), codes[i]
            if rival < 0:
                scores[0] += value if code == 1 else -value
                out[t, 0] += lifetimes[e] if scores[0] >= 0 else -lifetimes[e]
                continue
            scores[code] += value
            scores[rival] -= value
            winner = 0
            for k in range(1, len(scores)):
                if scores[k] > scores[winner]:
                    winner = k
            out[t, winner] += lifetimes[e]

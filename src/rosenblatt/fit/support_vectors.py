"""Support vectors: what a run in dual form keeps for later runs and for predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from rosenblatt.engine.kernels import Dual, KernelSweep
    from rosenblatt.engine.rules import State


class SupportVectors(NamedTuple):
    """The support vectors and the state from which another call of `partial_fit` goes on.

    ``places`` are their row numbers in the stream, of which ``seen`` rows have been seen;
    ``average`` is the mean of their coefficients over all looks.
    """

    X: Any
    codes: np.ndarray
    places: np.ndarray
    state: State
    dual: Dual
    seen: int
    average: np.ndarray


def compressed(
    X: Any, places: np.ndarray, state: State, sweep: KernelSweep, seen: int, average: np.ndarray
) -> SupportVectors:
    """The support vectors alone, with all indices of points renumbered accordingly."""
    dual = sweep.dual
    # A budget forgets points; without one, a point that ever changed the weights stays, even at 0.
    in_play = state.weights.any(axis=0) if len(dual.share) else state.dual > 0
    support = np.flatnonzero(in_play)
    number = np.zeros(len(places), dtype=np.int64)
    number[support] = np.arange(len(support))
    log, queue = dual.log.copy(), dual.queue.copy()
    log[:, 0], queue[:, 0] = number[log[:, 0]], number[queue[:, 0]]
    small = state._replace(
        weights=state.weights[:, support],
        drift=state.drift[:, support],
        dual=state.dual[support],
        pending=state.pending[support],
        clock=state.clock.copy(),
    )
    kept = dual._replace(
        scores=sweep.scores.known_of(support),
        codes=dual.codes[support],
        steps=dual.steps[support],
        log=log,
        queue=queue,
    )
    return SupportVectors(
        X[support], kept.codes, places[support], small, kept, seen, average[:, support]
    )


def stacked(*rows: Any) -> Any:
    """Rows stacked vertically, as a CSR matrix if some of them are sparse."""
    if any(map(sparse.issparse, rows)):
        return sparse.csr_array(sparse.vstack(rows))
    return np.vstack(rows)


def spread(coefficients: np.ndarray, places: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Coefficients of the points at some places, as those of more points; 0 for the others.

    Examples
    --------
    >>> spread(np.array([[1.0, -2.0]]), np.array([3, 7]), np.array([3, 4, 7]))
    array([[ 1.,  0., -2.]])
    """
    if len(places) == len(support):
        return coefficients
    wide = np.zeros((len(coefficients), len(support)))
    wide[:, np.searchsorted(support, places)] = coefficients
    return wide


def rows_of(kept: Sequence[SupportVectors], support: np.ndarray) -> Any:
    """The support vectors of several runs, each once, in the order of their places."""
    if len(kept) == 1:
        return kept[0].X
    first = np.unique(np.concatenate([part.places for part in kept]), return_index=True)[1]
    return stacked(*(part.X for part in kept))[first]

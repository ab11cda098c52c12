"""Runs of the loop in dual form, and what is kept of them for the next.

Imports the engine and ``kernels``, which brings numba along, so import this late.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rosenblatt.engine.kernels import (
    Dual,
    GramRows,
    Kernel,
    KernelSweep,
    make_dual,
    queue_coefficients,
    vote,
)
from rosenblatt.engine.loop import learn
from rosenblatt.engine.machine.compiled import compiled
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.points import DenseRows, Points
from rosenblatt.engine.randomness import check_random_state
from rosenblatt.engine.rules import Perceptron as Rule
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget


class Kept(NamedTuple):
    """What another call of `partial_fit` goes on from; all of it about the support vectors.

    ``places`` are their rows in the stream, of which ``seen`` have been seen.
    """

    X: Any
    codes: np.ndarray
    places: np.ndarray
    state: State
    dual: Dual
    seen: int


class Task(NamedTuple):
    """What a run is to learn: classes of rows, with a kernel, from what was kept of earlier runs.

    ``radius`` is the largest √k(x, x) met in those, the bias included; ``everyone`` the new rows in
    the order that passes, or shuffles of them, are to take them.
    """

    kernel: Kernel
    X: Any
    codes: np.ndarray
    classes: int
    order: str
    passes: int
    kept: Kept | None
    radius: float
    everyone: np.ndarray


class Outcome(NamedTuple):
    """A run with norms of feature space, what is kept of it, and the scores of its points."""

    run: Run
    kept: Kept
    scores: np.ndarray
    radius: float
    computed: int


def fit_dual(estimator: Any, task: Task) -> Outcome:
    """Run the loop over rows, with the parameters of a `KernelPerceptron`."""
    X, codes, kept = task.X, task.codes, task.kept
    seen = kept.seen if kept else 0
    new = len(codes)
    places = np.arange(seen, seen + new)
    if kept:
        X, places = _stack(kept.X, X), np.append(kept.places, places)
        codes = np.append(kept.codes, codes)
    bias = 1.0 if estimator.fit_intercept else 0.0
    squares = task.kernel.diagonal(X) + bias
    radius = max(task.radius, math.sqrt(float(squares.max())))
    state, dual = _start(estimator, task._replace(X=X, codes=codes), bias)
    gram = GramRows(task.kernel, X, estimator.cache_size)
    norms: list[float] = []
    sweep = KernelSweep(
        Points(DenseRows(gram.rows), codes, np.ones(len(codes)), bias),
        Rule(float(estimator.threshold)),
        state,
        len(codes) - new + task.everyone,
        gram=gram,
        dual=dual,
        bias=bias,
        radius=radius,
    )

    def watch(_: Pass) -> None:
        # The loop knows ‖c‖ only; ‖w‖² = Σ cᵢfᵢ.
        c = queue_coefficients(dual) if estimator.budget else state.weights
        norms.append(math.sqrt(max(0.0, float(np.sum(c * dual.scores)))))

    run = learn(
        sweep,
        order=task.order,
        budget=Budget(passes=task.passes, updates=estimator.max_updates),
        rng=np.random.default_rng(check_random_state(estimator.random_state).randint(2**31)),
        watch=watch,
    )
    if len(norms) < len(run.history):
        watch(run.history[-1])
    history = tuple(p._replace(norm=a) for p, a in zip(run.history, norms, strict=True))
    return Outcome(
        replace(run, history=history),
        _compress(X, places, state, sweep.dual, seen + new),
        dual.scores,
        radius,
        gram.computed,
    )


def _start(estimator: Any, task: Task, bias: float) -> tuple[State, Dual]:
    """Where to start: at 0, or where the last call ended."""
    n, classes, kept = len(task.codes), task.classes, task.kept
    vectors = classes if classes > 2 else 1
    state = State(
        weights=np.zeros((vectors, n)),
        drift=np.zeros((vectors, n)),
        dual=np.zeros(n),
        late=np.zeros(n),
        clock=np.zeros(1, dtype=np.int64),
        buffer=np.zeros(classes if classes > 2 else 0),
    )
    logged = estimator.solution == "vote"
    dual = make_dual(task.codes.astype(np.int64), vectors, estimator.budget, logged)
    if kept:
        old = len(kept.codes)
        state.weights[:, :old], state.drift[:, :old] = kept.state.weights, kept.state.drift
        state.dual[:old], state.clock[...] = kept.state.dual, kept.state.clock
        dual = kept.dual._replace(scores=dual.scores, codes=dual.codes)
        dual.scores[...] = kept.state.weights @ (task.kernel.block(task.X, kept.X).T + bias)
    return state, dual


def errors_of(scores: np.ndarray, codes: np.ndarray) -> int:
    """Points on their wrong side or on the boundary."""
    return int(np.count_nonzero(~(_leads(scores, codes) > 0)))


def add_votes(kept: Kept, block: np.ndarray, bias: float, out: np.ndarray) -> None:
    """Add the votes of all intermediate weights, as fractions of all, to the scores of rows.

    ``block`` is the kernel between those rows and the support vectors.
    """
    log = kept.dual.log[: kept.dual.ends[0]]
    lifetimes = np.diff(np.append(log[:, 2], kept.state.clock)).astype(np.float64)
    room = np.zeros(out.shape[1])
    compiled(vote)(block, bias, log, kept.codes, lifetimes, room, out)
    out /= lifetimes.sum()


def bracket(run: Run, codes: np.ndarray, scores: np.ndarray, budgeted: bool) -> Bracket:
    """The sandwich in feature space: least margin/‖w‖ ≤ γ ≤ ‖w‖/updates."""
    norm = run.history[-1].norm if run.history else 0.0
    upper = norm / run.updates if not budgeted and norm > 0 else math.inf
    lower = 0.0
    if run.clean and norm > 0:
        lower = max(0.0, float(_leads(scores, codes).min()) / norm)
    return Bracket(lower, max(lower, upper))


def _leads(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    if len(scores) == 1:
        return (2 * codes - 1) * scores[0]
    own = scores[codes, np.arange(len(codes))]
    rivals = np.where(np.arange(len(scores))[:, None] == codes, -np.inf, scores)
    return own - rivals.max(axis=0)


def _stack(above: Any, below: Any) -> Any:
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.csr_array(sparse.vstack([above, below]))
    return np.vstack([above, below])


def _compress(X: Any, places: np.ndarray, state: State, dual: Dual, seen: int) -> Kept:
    """The support vectors alone, and all that speaks of points renumbered to speak of them."""
    support = np.flatnonzero(state.weights.any(axis=0))
    number = np.zeros(len(places), dtype=np.int64)
    number[support] = np.arange(len(support))
    log, queue = dual.log.copy(), dual.queue.copy()
    log[:, 0], queue[:, 0] = number[log[:, 0]], number[queue[:, 0]]
    small = state._replace(
        weights=state.weights[:, support],
        drift=state.drift[:, support],
        dual=state.dual[support],
        late=state.late[support],
    )
    codes = dual.codes[support]
    kept = dual._replace(scores=dual.scores[:, support], codes=codes, log=log, queue=queue)
    return Kept(X[support], codes, places[support], small, kept, seen)

"""Runs of the loop in dual form, and what they keep for later runs.

Imports numba, so import this module late.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.kernels import (
    Dual,
    GramRows,
    Kernel,
    KernelSweep,
    make_dual,
    vote,
)
from rosenblatt.engine.loop import learn
from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.threads import one_blas_thread
from rosenblatt.engine.margins import Bracket, mistake_bound
from rosenblatt.engine.orders import by_content
from rosenblatt.engine.points import DenseRows, Points, make_points
from rosenblatt.engine.rules import PerceptronRule as Rule
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.scoring import leads
from rosenblatt.engine.stopping import CUT_SHORT, Budget, Stop
from rosenblatt.fit import constants
from rosenblatt.fit.support_vectors import SupportVectors, compressed, stacked

CallbackOf = Callable[[Callable[[], SupportVectors]], Callable[[Pass], Stop | None]]


class DualTask(NamedTuple):
    """A run to make in dual form: rows and classes, a kernel, and what earlier runs kept.

    Attributes
    ----------
    kernel, X, codes, classes
        The rows, the class of each, and how many classes there are.
    steps : ndarray
        Of the rows.
    in_play : ndarray of int
        The rows in play, in the order that passes, or shuffles of them, are to take them.
    held_out : ndarray of int or None
        Rows to validate on.
    order, passes
        Of the run.
    seed : int
        Of its permutations.
    kept : SupportVectors or None
        Of earlier runs, with the largest √k(x, x) met in those, the bias included, as ``radius``.
    gram : GramRows or None
        Rows of the Gram matrix that runs over the same rows share.
    callback_of : callable or None
        Makes the callback that sees each pass and may stop the run. It is given a function that
        returns what the run would keep if it ended now.
    """

    kernel: Kernel
    X: Any
    codes: np.ndarray
    classes: int
    steps: np.ndarray
    in_play: np.ndarray
    held_out: np.ndarray | None
    order: str
    passes: int
    seed: int
    kept: SupportVectors | None = None
    radius: float = 0.0
    gram: GramRows | None = None
    callback_of: Callable[[Callable[[], SupportVectors]], Callable[[Pass], Stop | None]] | None = (
        None
    )


class DualOutcome(NamedTuple):
    """A run with norms of feature space, what it keeps, and the scores it gives points."""

    run: Run
    kept: SupportVectors
    scores: Callable[[np.ndarray], np.ndarray]
    norm: float
    radius: float
    computed: int


class DualFit(NamedTuple):
    """The result of a run, or of the search for a separator and the mean after it.

    Attributes
    ----------
    run : Run
        Its state is that of ``kept``.
    kept : SupportVectors
        The support vectors.
    mean : bool
        Whether the mean of the weights is what ``solution="auto"`` predicts with, or the last.
    margin : Bracket
        Of the best margin in feature space.
    mistake_bound : float
        On the updates, by its lower end.
    radius : float
        R.
    computed : int
        Entries of the Gram matrix.
    """

    run: Run
    kept: SupportVectors
    mean: bool
    margin: Bracket
    mistake_bound: float
    radius: float
    computed: int

    def stopped(self, stop: Stop) -> DualFit:
        """The same with another stop; without a margin if that is ROUNDING."""
        found = self._replace(run=replace(self.run, stop=stop))
        if stop is not Stop.ROUNDING:
            return found
        return found._replace(margin=Bracket(0.0, self.margin.upper), mistake_bound=math.inf)


class _Choice(NamedTuple):
    """What predicts: support vectors, by their mean or last coefficients, and what it took."""

    run: Run
    kept: SupportVectors
    mean: bool
    computed: int


def fit_parts(estimator: Any, tasks: Sequence[DualTask]) -> list[DualFit]:
    """Make every run; after a Ctrl-C within one, the others make one pass each."""
    found: list[DualFit] = []
    for task in tasks:
        over = any(made.run.stop is Stop.INTERRUPTED for made in found)
        own = task._replace(order="cyclic", passes=1) if over else task
        found.append(fit_part(estimator, own))
    return found


def fit_part(estimator: Any, task: DualTask) -> DualFit:
    """Learn, choose, conclude: the stages of `rosenblatt.fit.procedure`, in feature space.

    No kernel value is exact, so that nothing is proved here; and passes are so dear, and few rows
    inseparable, that the mean is made only where the last weights do not separate.
    """
    learned = fit_dual(estimator, task)
    try:
        chosen = _choose(estimator, task, learned)
    except KeyboardInterrupt:  # what was learned is kept
        run = replace(learned.run, stop=Stop.INTERRUPTED)
        chosen = _as_learned(estimator, task, learned._replace(run=run))
    return _conclude(estimator, task, learned, chosen)


def fit_batch(estimator: Any, task: DualTask, earlier: Run | None) -> DualFit:
    """Make a pass over a batch; the margin of a stream is unknown."""
    found = fit_dual(estimator, task)
    run = found.run if earlier is None else found.run.after(earlier)
    mean = not run.clean and estimator.budget is None
    unknown = Bracket(0.0, math.inf), math.inf
    run = _of_support(run.of_batch(), found.kept)
    return DualFit(run, found.kept, mean, *unknown, found.radius, found.computed)


def _of_support(run: Run, kept: SupportVectors) -> Run:
    """The run with the coefficients of the support vectors only."""
    state = kept.state
    return replace(run, state=state, weights=state.weights, average=kept.average)


def _choose(estimator: Any, task: DualTask, learned: DualOutcome) -> _Choice:
    """The last weights if they separate; else the mean over shuffled passes, or last weights.

    The mean predicts unless last weights have fewer errors. With a budget there is no mean, since
    support vectors are forgotten: instead, the last weights after one pass, for which the bound
    holds, compete with those of the search, which dwelt on the points it got wrong.
    """
    run, in_play = learned.run, task.in_play
    asked = task.order == "active" and estimator.solution == "auto"
    if not asked or run.clean or run.stop in CUT_SHORT:
        return _as_learned(estimator, task, learned)
    if task.kernel.metric != "precomputed":
        points = make_points(task.X, task.codes.astype(np.float64), steps=task.steps)
        in_play = by_content(points, in_play)
    passes = min(constants.MEAN_PASSES, estimator.max_iter) if estimator.budget is None else 1
    again = task._replace(order="shuffled", passes=passes, in_play=in_play)
    more = fit_dual(estimator, again._replace(held_out=None, callback_of=None))
    of_mean, of_more, of_learned = _errors(estimator, task, learned, more)
    mean = of_mean <= min(of_more, of_learned)
    kept = learned.kept if not mean and of_more > of_learned else more.kept
    return _Choice(run.but(averaged=more.run.passes), kept, mean, more.computed)


def _as_learned(estimator: Any, task: DualTask, learned: DualOutcome) -> _Choice:
    """The choice of a run that is not followed by another: its last weights, or their mean."""
    mean = not learned.run.clean and estimator.budget is None and task.held_out is None
    return _Choice(learned.run, learned.kept, mean, 0)


def _conclude(estimator: Any, task: DualTask, learned: DualOutcome, chosen: _Choice) -> DualFit:
    """The result of a run: the bracket of γ and the mistake bound, by the weights it learned."""
    margin, bound, steps = _bracket(estimator, task, learned), math.inf, task.steps[task.in_play]
    if margin.lower > 0:
        reach = learned.radius * math.sqrt(2 if task.classes > 2 else 1)
        largest = float(steps.max())
        spread = largest / float(steps.min())
        bound = mistake_bound(reach, margin.lower, estimator.threshold, largest, spread)
    run, kept = _of_support(chosen.run, chosen.kept), chosen.kept
    computed = learned.computed + chosen.computed
    return DualFit(run, kept, chosen.mean, margin, bound, learned.radius, computed)


def _errors(
    estimator: Any, task: DualTask, first: DualOutcome, second: DualOutcome
) -> tuple[float, float, float]:
    """Weighted errors of the mean, of the last weights of its passes, and of the search's weights.

    On the rows held out, each of which counts once, or on those in play.
    """
    chosen = task.in_play if task.held_out is None else task.held_out
    weights = task.steps[chosen] if task.held_out is None else np.ones(len(chosen))
    codes = task.codes[chosen]

    def scored(kept: SupportVectors, coefficients: np.ndarray) -> np.ndarray:
        bias = coefficients.sum(axis=1) * (1.0 if estimator.fit_intercept else 0.0)
        blocks = kernel_blocks(
            task.kernel, task.X[chosen], kept.X, kept.places, estimator.cache_size
        )
        return np.vstack([block @ coefficients.T + bias for _, block in blocks]).T

    if task.held_out is None:
        search = first.scores(chosen)
    else:  # the weights were restored to the best on these rows
        search = scored(first.kept, first.kept.state.weights)

    def error(scores: np.ndarray) -> float:
        return float(weights[~(leads(scores, codes) > 0)].sum())

    mean = math.inf
    if estimator.budget is None:
        mean = error(scored(second.kept, second.kept.average))
    return mean, error(second.scores(chosen)), error(search)


def fit_dual(estimator: Any, task: DualTask) -> DualOutcome:
    """Run the loop over rows, with the parameters of a `KernelPerceptron`."""
    X, codes, steps, kept = task.X, task.codes, task.steps, task.kept
    seen = kept.seen if kept else 0
    new = len(codes)
    places = np.arange(seen, seen + new)
    if kept:
        X, places = stacked(kept.X, X), np.append(kept.places, places)
        codes, steps = np.append(kept.codes, codes), np.append(kept.dual.steps, steps)
    bias = 1.0 if estimator.fit_intercept else 0.0
    gram = task.gram or GramRows(task.kernel, X, estimator.cache_size)
    before = gram.computed
    radius = max(task.radius, math.sqrt(float(gram.diagonal.max()) + bias))
    state, dual = _start(estimator, task._replace(X=X, codes=codes, steps=steps))
    every_row = np.broadcast_to(np.float64(), (len(codes), len(codes)))
    points = Points(DenseRows(every_row), codes, steps, bias)
    sweep = KernelSweep(
        points,
        Rule(float(estimator.threshold)),
        state,
        len(codes) - new + task.in_play,
        gram=gram,
        dual=dual,
        bias=bias,
        radius=radius,
        passes=task.passes,
    )

    def now() -> SupportVectors:
        weights = sweep.coefficients()
        average = weights - state.drift / max(1, state.clock[0])
        current = state._replace(weights=weights)
        return compressed(X, places, current, sweep, seen + new, average)

    callback = None if task.callback_of is None else task.callback_of(now)
    budget = Budget(task.passes, estimator.max_updates, patience=estimator.n_iter_no_change)
    with one_blas_thread():
        run = learn(
            sweep,
            order=task.order,
            budget=budget,
            validation=None if task.held_out is None else (points, task.held_out),
            rng=np.random.default_rng(task.seed),
            watch=callback,
        )
    if task.held_out is not None:  # the weights were restored to the best
        sweep.scores.all_changed()
    if kept:  # update scores now: the next batch is likely to need them
        sweep.scores_of(np.flatnonzero(state.weights.any(axis=0)))
    return DualOutcome(
        run,
        compressed(X, places, state, sweep, seen + new, run.average),
        sweep.scores_of,
        sweep.length(),
        radius,
        gram.computed - before,
    )


def _start(estimator: Any, task: DualTask) -> tuple[State, Dual]:
    """Where to start: at 0, or where the last call ended."""
    n, classes, kept = len(task.codes), task.classes, task.kept
    vectors = classes if classes > 2 else 1
    state = State(
        weights=np.zeros((vectors, n)),
        drift=np.zeros((vectors, n)),
        dual=np.zeros(n),
        pending=np.zeros(n),
        clock=np.zeros(1, dtype=np.int64),
        buffer=np.zeros(classes if classes > 2 else 0),
    )
    logged = "vote" in (estimator.solution, *estimator.keep)
    codes = task.codes.astype(np.int64)
    dual = make_dual(codes, task.steps, vectors, estimator.budget, logged)
    if kept:
        old = len(kept.codes)
        state.weights[:, :old], state.drift[:, :old] = kept.state.weights, kept.state.drift
        state.dual[:old], state.clock[...] = kept.state.dual, kept.state.clock
        dual = kept.dual._replace(codes=dual.codes, steps=dual.steps)
    return state, dual


def kernel_blocks(
    kernel: Kernel, X: Any, support: Any, places: np.ndarray, megabytes: float
) -> Any:
    """The kernel between rows and support vectors, some rows at a time: slices and their blocks.

    For a precomputed kernel, X is its matrix with all training rows, and ``places`` are the columns
    of the support vectors.
    """
    at_once = max(1, int(float(megabytes) * 2**20 / (8 * max(1, len(places)))))
    for at in range(0, X.shape[0], at_once):
        rows = slice(at, min(at + at_once, X.shape[0]))
        if kernel.metric == "precomputed":
            yield rows, np.ascontiguousarray(X[rows][:, places])
        else:
            yield rows, kernel.block(X[rows], support)


def add_votes(kept: SupportVectors, block: np.ndarray, bias: float, out: np.ndarray) -> None:
    """Add the votes of all intermediate weights, as fractions of all, to the scores of rows.

    ``block`` is the kernel between those rows and the support vectors.
    """
    log = kept.dual.log[: kept.dual.ends[0]]
    lifetimes = np.diff(np.append(log[:, 2], kept.state.clock)).astype(np.float64)
    room = np.zeros(out.shape[1])
    compiled(vote)(block, bias, log, kept.codes, kept.dual.steps, lifetimes, room, out)
    out /= lifetimes.sum()


def _bracket(estimator: Any, task: DualTask, found: DualOutcome) -> Bracket:
    """The sandwich in feature space: least margin/‖w‖ ≤ γ ≤ ‖w‖/Σ steps.

    There is no upper bound for weights restored to the best on rows held out, nor with a budget.
    """
    run, norm = found.run, found.norm
    moved = float(run.state.dual.sum())
    lower, upper = 0.0, math.inf
    if estimator.budget is None and task.held_out is None and norm > 0:
        upper = norm / moved
    if run.clean and norm > 0:
        least = leads(found.scores(task.in_play), task.codes[task.in_play]).min()
        lower = max(0.0, float(least) / norm)
    return Bracket(lower, max(lower, upper))

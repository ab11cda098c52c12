"""From rows and `Settings` to `Fitted`: a fit in memory, a batch after others, a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import FLAG, FUNCTION, PATH, TOLERANCE, checked, optional
from rosenblatt.data.array_api import in_numpy
from rosenblatt.data.checks import check_rows
from rosenblatt.data.labels import check_labels, check_same_classes
from rosenblatt.data.weights import check_steps, sample_steps
from rosenblatt.engine.machine.interrupts import Listening
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.progress import Recent, says_something, tried
from rosenblatt.engine.randomness import check_random_state, random_seeds
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.solutions import make_keepers
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.fit.conclusion import Conclusion, FittedRun
from rosenblatt.fit.fitted import Fitted
from rosenblatt.fit.one_vs import check_same_runs
from rosenblatt.fit.parts import fit_all
from rosenblatt.fit.plan import Task
from rosenblatt.fit.settings import (
    Settings,
    check_choices,
    order_of,
    order_of_passes,
    plan_of,
    set_start,
)
from rosenblatt.fit.validation import Validation, hold_out, own_validation
from rosenblatt.places.memory import Memory
from rosenblatt.places.parts import Part, parts_of
from rosenblatt.text import plural

Watch = Callable[[Pass], Stop | None]
CallbackOf = Callable[[State, Any], Watch]


class Examples(NamedTuple):
    """Checked rows with class codes, and the check for further rows.

    Attributes
    ----------
    X : ndarray or CSR matrix
    classes, codes : ndarray
    names : array of str or None
        Of the features.
    weights : array or None
        Of the rows.
    check : callable
        Makes rows of an ``eval_set``, or refuses it.
    """

    X: Any
    classes: np.ndarray
    codes: np.ndarray
    names: Any = None
    weights: Any = None
    check: Callable[[Any], Any] = check_rows


class Start(NamedTuple):
    """Where a fit starts: at 0, at given weights, or with ``warm_start`` where one ended."""

    coef: Any = None
    intercept: Any = None
    earlier: Fitted | None = None


def fit(
    X: Any,
    y: Any,
    settings: Settings | None = None,
    *,
    sample_weight: Any = None,
    eval_set: Any = None,
    watch: Watch | None = None,
) -> Fitted:
    """Learn from labelled rows until there is reason to stop.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d)
    y : array of shape (n,)
        Labels of any kind; two or more distinct ones.
    settings : Settings, optional
    sample_weight : array of shape (n,), optional
        Multiplies each point's step.
    eval_set : tuple (X_val, y_val), optional
        Validation data.
    watch : callable, optional
        Sees each `Pass` of a fit that is one run, and may return a `Stop`.

    Examples
    --------
    >>> fit([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]).run.stop
    Stop.INSEPARABLE
    """
    X = in_numpy(X, "X")
    rows = check_rows(X)
    classes, codes = check_labels(y, rows.shape[0])
    names = np.array(X.columns, dtype=object) if hasattr(X, "columns") else None
    examples = Examples(rows, classes, codes, names, sample_weight)
    callback_of = None if watch is None else lambda state, rule: watch
    return fit_examples(examples, settings or Settings(), Start(), eval_set, callback_of)


def fit_examples(
    examples: Examples,
    settings: Settings,
    start: Start,
    eval_set: Any = None,
    callback_of: CallbackOf | None = None,
) -> Fitted:
    """`fit` of checked rows; ``callback_of`` makes the callback of each pass from a run's state."""
    with Listening() as heard:
        try:
            place = place_of(examples, settings)
            parts = parts_of(len(place.classes), settings.multiclass)
            starts = _starts(place, settings, start, len(parts))
            # The split draws from the random state before the seeds of the runs do.
            random = settings.random_state
            random = check_random_state(random) if settings.early_stopping else random
            place, validation = _validation(place, examples, settings, eval_set, random)
            callback_of = _told(settings, callback_of if len(parts) == 1 else None)
            validated = validation is not None
            order = order_of_passes(settings)
            passes, certify = settings.max_iter, settings.certify
            plan = plan_of(settings, order, passes, certify, callback_of, validated)
            tasks = _tasks(parts, starts, settings, random, start.earlier)
            found = fit_all(place, tasks, plan, validation, settings.n_jobs)
        except Exception as error:
            if heard.raised:  # a Ctrl-C within NumPy may surface as another exception
                raise KeyboardInterrupt from error
            raise
    fitted = Fitted.of(settings, place.classes, place.radius, found, validated, examples.names)
    return fitted.interrupted() if heard.ended() else fitted


def fit_batch(examples: Examples, settings: Settings, earlier: Fitted | None) -> Fitted:
    """One pass over a batch, in its own order or shuffled, from where the last one ended."""
    place = place_of(examples, settings)
    parts = parts_of(len(place.classes), settings.multiclass)
    starts: list[Any] = [None] * len(parts)
    if earlier is not None:
        place = place._replace(radius=max(place.radius, earlier.radius))
        check_same_runs(earlier.runs, settings.multiclass, len(parts))
        starts = [run.state for run in earlier.runs]
    order = "shuffled" if order_of(settings) == "shuffled" else "cyclic"
    tasks = _tasks(parts, starts, settings, settings.random_state, earlier)
    # The weights that predict are chosen below, by rows before they were learned from.
    plan = replace(plan_of(settings, order, 1, False), solution="last")
    outcomes = fit_all(place, tasks, plan, None, settings.n_jobs)
    outcomes = [
        outcome._replace(run=outcome.run.of_batch(), conclusion=Conclusion())
        for outcome in outcomes
    ]
    if earlier is not None:
        choose = settings.solution == "auto"
        recent = _recent(place, parts, outcomes, earlier.runs) if choose else None
        outcomes = [
            outcome._replace(run=_gone_on(outcome.run, before, recent))
            for outcome, before in zip(outcomes, earlier.runs, strict=True)
        ]
    return Fitted.of(settings, place.classes, place.radius, outcomes, names=examples.names)


@checked(every=TOLERANCE, checkpoint=optional(PATH), resume=FLAG, progress=optional(FUNCTION))
def fit_file(
    reader: Any,
    settings: Settings | None = None,
    *,
    classes: Any = None,
    memory: int = 1 << 29,
    checkpoint: Any = None,
    every: float = 60.0,
    resume: bool = False,
    progress: Callable[[Any], None] | None = None,
    earlier: Fitted | None = None,
) -> Fitted:
    """Learn from a file chunk by chunk: parameters as in `rosenblatt.Perceptron.fit_stream`.

    Parameters
    ----------
    reader : Reader, str or path
    settings : Settings, optional
    classes : array, optional
    memory : int
    checkpoint : str or path, optional
    every : float
    resume : bool
    progress : callable, optional
    earlier : Fitted, optional
        Where to go on from, with ``warm_start``.
    """
    from rosenblatt.data.checkpoint import check_place
    from rosenblatt.fit import stream

    settings = settings or Settings()
    check_choices(settings)
    stream.check_streamable(settings)
    if checkpoint is not None:
        check_place(checkpoint)
    with stream.rows_of(settings, reader, classes, memory) as rows:
        start = None
        if earlier is not None and settings.warm_start:
            check_same_classes(rows.classes, earlier.classes)
            check_same_runs(earlier.runs, settings.multiclass, 1)
            start = earlier.runs[0].state
        how = stream.Streamed(memory, checkpoint, every, resume, progress)
        outcome = stream.fit_rows(settings, rows, how, start, _told(settings, None))
    fitted = Fitted.of(settings, rows.classes, rows.radius, [outcome])
    return fitted.named(getattr(rows.reader, "names", None) or ())


def place_of(examples: Examples, settings: Settings) -> Memory:
    """The place of checked rows, with settings checked as well."""
    check_choices(settings)
    if settings.solution == "separator":
        raise InputError(
            "solution='separator' is for with_solution, after a fit that has found one: fit with "
            "solution='auto', which also predicts by a separator where it is near the mean."
        )
    if not (settings.eta0 > 0 and math.isfinite(settings.eta0)):
        raise InputError(f"eta0 must be a positive finite number, got {settings.eta0!r}.")
    X, classes, codes = examples.X, examples.classes, examples.codes
    weights, of_classes = examples.weights, settings.class_weight
    steps: Any = check_steps(float(settings.eta0))
    if not (weights is of_classes is None):
        steps = sample_steps(steps, X, codes, classes, weights, of_classes)
    how = {"fit_intercept": settings.fit_intercept, "names": examples.names}
    return Memory.of(X, classes, codes, steps=steps, **how)


def _starts(place: Memory, settings: Settings, start: Start, runs: int) -> list[Any]:
    """Where each run starts: at an earlier fit's state, at given weights, or at 0."""
    if start.coef is None and start.intercept is None:
        if start.earlier is None or not settings.warm_start:
            return [None] * runs
        check_same_classes(place.classes, start.earlier.classes)
        check_same_runs(start.earlier.runs, settings.multiclass, runs)
        return [run.state for run in start.earlier.runs]
    rows = place.size.vectors if runs == 1 else runs
    width = place.size.columns + 1
    shape = (rows, width) if rows else (width,)
    weights = np.zeros(shape)
    set_start(weights, start.coef, start.intercept, settings.fit_intercept)
    return [weights] if runs == 1 else list(weights)


def _tasks(
    parts: Sequence[Part | None],
    starts: list[Any],
    settings: Settings,
    random: Any,
    earlier: Fitted | None,
) -> list[Task]:
    """One task for each part; resumed ones take over what earlier runs kept."""
    resumed = earlier if isinstance(starts[0], State) else None
    names = {settings.solution, *settings.keep}
    seeds = random_seeds(random, len(parts))
    tasks = []
    for at, (part, start, seed) in enumerate(zip(parts, starts, seeds, strict=True)):
        kept, rule = make_keepers(names, settings.max_voters), None
        if resumed is not None:
            kept.update({k: v.copy() for k, v in resumed.kept[at].items() if k in kept})
            rule = resumed.rules[at]
        tasks.append(Task(part, start, seed, kept, rule))
    return tasks


def _validation(
    place: Memory, examples: Examples, settings: Settings, eval_set: Any, random: Any
) -> tuple[Memory, Validation | None]:
    """The rows left to learn from, and those to validate on."""
    if eval_set is not None:
        intercept, names = settings.fit_intercept, examples.names
        return place, own_validation(eval_set, place.classes, intercept, examples.check, names)
    if settings.early_stopping:
        return hold_out(place, settings.validation_fraction, random)
    return place, None


def _told(settings: Settings, callback_of: CallbackOf | None) -> CallbackOf | None:
    """The callback of each pass, which prints a line if ``verbose`` asks for it."""
    if settings.verbose < 2:
        return callback_of

    def of_run(state: State, rule: Any) -> Watch:
        callback = None if callback_of is None else callback_of(state, rule)

        def tell(row: Pass) -> Stop | None:
            print(f"{row.seconds:8.3f} s  {plural(row.mistakes, 'mistake')}  norm {row.norm:.4g}")
            return None if callback is None else callback(row)

        return tell

    return of_run


def _recent(
    place: Memory,
    parts: Sequence[Part | None],
    outcomes: Sequence[FittedRun],
    runs: Sequence[Run],
) -> Recent:
    """Recent errors of the weights of earlier runs, this batch included.

    Errors of all runs are added up: one choice is made for all of them, so that scores stay
    comparable.
    """
    recent, seen = runs[0].recent, place.size.rows
    if not seen or not says_something(place.codes[place.in_play]):
        return recent
    for part, outcome, before in zip(parts, outcomes, runs, strict=True):
        own = place.part(part)
        rows = own.size.rows
        if not rows or outcome.rule is None:  # an interrupted margin run keeps no rule
            continue
        chosen = own.in_play[tried(rows)]

        def errors(weights: Any, own=own, outcome=outcome, chosen=chosen, rows=rows) -> float:
            if weights is None:
                return 0.0
            state = outcome.run.state._replace(weights=weights)
            margins = all_margins(own.points, outcome.rule, state, chosen)
            return rows * int(np.count_nonzero(~(margins > 0))) / len(chosen)

        more = Recent(rows, errors(before.average), outcome.run.mistakes, errors(before.best))
        recent = recent.after(seen, more)
        seen = 0  # earlier errors are discounted once per batch
    return recent


def _gone_on(run: Run, earlier: Run, recent: Recent | None) -> Run:
    """The record of an earlier run and a pass over a batch after it.

    The weights that a fit before the batches chose go on predicting until others have clearly been
    better or, where that is not tracked, until the next mistake. A pass without a mistake leaves
    the run as clean as it was.
    """
    drops = bool(run.updates) if recent is None else recent.drops_kept
    best = None if drops else earlier.best
    gone_on = run.after(earlier).but(recent=recent or Recent(), best=best)
    return gone_on if run.updates else gone_on.but(clean=earlier.clean)

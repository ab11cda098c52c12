"""Fitting an estimator to a file, chunk by chunk. Imports ``streaming``, ``conclusion``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import __version__
from rosenblatt.data.checkpoint import check_place
from rosenblatt.data.checks import class_weights
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.randomness import check_random_state
from rosenblatt.engine.rules import State, make_rule
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.fit.budgets import Arbiter, Size
from rosenblatt.fit.conclusion import (
    Conclusion,
    conclude,
    upper_end,
    with_separator,
)
from rosenblatt.fit.fitting import Plan, started
from rosenblatt.fit.one_vs import Outcome
from rosenblatt.fit.problem import Problem
from rosenblatt.fit.settings import order_of, plan_of
from rosenblatt.fit.stream_mean import wants_stream_mean, with_stream_mean
from rosenblatt.places.file.checkpoint import Checkpoint
from rosenblatt.places.file.constraints import StreamRequirements
from rosenblatt.places.file.decision import moved_by, refutation_of, separation_of
from rosenblatt.places.file.learning import learn_stream
from rosenblatt.places.file.rows import Rows, opened
from rosenblatt.places.file.sweep import Progress, StreamSweep, margins_of
from rosenblatt.proof.certificate import Inseparability, Separation, classes_of
from rosenblatt.solve.search import Refutation

# What the name of a checkpoint ends in that holds passes for the mean.
MEAN = ".mean"
# What a streamed fit does not do, and what to do instead.
REFUSED: dict[str, tuple[Any, str]] = {
    "penalty": ((None,), "use penalty=None"),
    "margin": ((0.0,), "use margin=0"),
    "early_stopping": ((False,), "use early_stopping=False"),
    "solution": (("auto", "last", "average"), "use solution='auto', 'last' or 'average'"),
    "keep": (((), []), "use keep=()"),
}


class Streamed(NamedTuple):
    """How a file is to be fitted.

    Attributes
    ----------
    memory : int
        Bytes for rows.
    checkpoint : str, path or None
    every : float
        Seconds between checkpoints.
    resume : bool
    progress : callable or None
    """

    memory: int
    checkpoint: Any
    every: float
    resume: bool
    progress: Callable[[Progress], None] | None


def check_streamable(estimator: Any) -> None:
    """Refuse settings that need all rows at once."""
    for name, (allowed, advice) in REFUSED.items():
        value = getattr(estimator, name)
        if value not in allowed:
            raise InputError(
                f"{name}={value!r} needs all rows in memory: {advice} in fit_stream, or read the "
                "file and use fit."
            )


def rows_of(estimator: Any, reader: Any, classes: Any, memory: int) -> Rows:
    """The rows of a reader as the estimator weighs them."""
    rows = Rows(opened(reader, memory), classes, fit_intercept=estimator.fit_intercept)
    if estimator.multiclass != "native" and len(rows.classes) > 2:
        raise InputError(
            f"multiclass={estimator.multiclass!r} would take a pass for each part: use "
            "multiclass='native' in fit_stream, or read the file and use fit."
        )
    steps = np.full(len(rows.classes), float(estimator.eta0))
    weights = estimator.class_weight
    steps *= class_weights(weights, rows.classes, _counts(rows))
    if not (np.all(steps > 0) and np.isfinite(steps).all()):
        raise InputError(
            "eta0 and every class's class_weight must be positive finite numbers, got "
            f"eta0={estimator.eta0!r}, class_weight={weights!r}."
        )
    rows.steps = lambda codes: steps[codes]
    return rows


def _counts(rows: Rows) -> np.ndarray | None:
    """The rows of each class, where a pass has counted them."""
    known = rows.facts is not None and len(rows.facts.counts) == len(rows.classes)
    return np.asarray(rows.facts.counts) if known else None  # type: ignore[union-attr]


def fit_rows(
    estimator: Any, rows: Rows, how: Streamed, start: State | None, announce: Any
) -> tuple[Problem, Outcome]:
    """Make the run over a file, and conclude from it what can be concluded."""
    plan = plan_of(estimator, order_of(estimator), estimator.max_iter, estimator.certify)
    rule = make_rule(max(2, rows.vectors), plan.threshold, plan.ties)
    empty = np.zeros(0, np.intp)
    problem = Problem(
        *(rows.none.rows, rows.classes, empty, rows.none, rule, empty, 0.0, estimator.eta0),
        columns=None,  # type: ignore[arg-type]
    )
    state = started(problem, start, plan.ties)
    from_zero = not state.weights.any()
    seed = int(check_random_state(estimator.random_state).randint(2**31))
    about = _about(rows, plan, how, seed, state)
    checkpoint, of_mean = (_checkpoint(rows, how, about, part) for part in ("", MEAN))
    decided = Settled(rows, plan.certify, state, plan.order)

    def watch(row: Pass, sweep: StreamSweep) -> Stop | None:
        return announce(row) or decided.after_pass(row, sweep)

    learned = learn_stream(
        rows,
        rule,
        order=plan.order,
        state=state,
        budget=plan.budget,
        seed=seed,
        memory=how.memory,
        checkpoint=checkpoint,
        resume=how.resume,
        progress=how.progress,
        watch=watch,
    )
    upper = upper_end(learned.run, learned.moved) if from_zero else math.inf
    run, conclusion = learned.run, Conclusion(Bracket(0.0, upper))
    if not rows.once:
        evidence = OnFile(rows)
        run = with_separator(evidence, rule, run, decided.separator())
        bind = plan.certify is True
        conclusion = conclude(evidence, rule, run, upper, decided.answer, bind)
        took = run.clean and conclusion.verdict is Verdict.UNDECIDED and decided.may()
        if took and plan.ties == "mistake":
            # Rounding took a point on the line, or just beyond it, for one that is right.
            run = replace(run, clean=False, stop=decided.now(run, learned.kept))
            run = with_separator(evidence, rule, run, decided.separator())
            conclusion = conclude(evidence, rule, run, upper, decided.answer, bind)
    if conclusion.verdict is Verdict.UNDECIDED and plan.certify == "auto":
        run = replace(run, proof_seconds=decided.proof_seconds)
    if wants_stream_mean(run, plan, rows):
        if checkpoint is not None:
            checkpoint.save(learned.standing, list(run.history))
        run = with_stream_mean(
            rows,
            rule,
            started(problem, start, plan.ties),
            plan,
            run,
            proved=conclusion.verdict is Verdict.INSEPARABLE,
            seed=seed,
            memory=how.memory,
            checkpoint=of_mean,
            progress=how.progress,
        )
        if run.clean:
            conclusion = conclude(OnFile(rows), rule, run, upper, None, plan.certify is True)
    if run.stop is not Stop.INTERRUPTED:
        for file in (checkpoint, of_mean):
            if file is not None:
                file.remove()
    return problem._replace(radius=rows.radius), Outcome(run, conclusion, {}, rule)


def _checkpoint(rows: Rows, how: Streamed, about: dict[str, Any], part: str) -> Any:
    """The checkpoint of the search for a separator, or of the passes for the mean after it."""
    if how.checkpoint is None:
        if how.resume:
            raise InputError("resume=True needs the checkpoint to go on from: checkpoint=...")
        return None
    if rows.once:
        raise InputError(f"{rows.label} can be read only once, so there is nothing to resume")
    path = os.fspath(how.checkpoint) + part
    file = Checkpoint(path, about | ({"part": part} if part else {}), how.every)
    if part and not how.resume:
        check_place(path)
        file.remove()
    return file


def _about(rows: Rows, plan: Plan, how: Streamed, seed: int, state: State) -> dict[str, Any]:
    """What a run must share with its checkpoint to go on from it."""
    if rows.once:
        return {}
    return {
        "library": __version__,
        **rows.identity(),
        "order": plan.order,
        "memory": how.memory,
        "seed": seed,
        "threshold": plan.threshold,
        "ties": plan.ties,
        "fit_intercept": rows.fit_intercept,
        "steps": rows.steps(np.arange(len(rows.classes))).tolist(),
        "start": float(np.abs(state.weights).sum()),
        "weight_tol": plan.budget.weight_tol,
    }


class Settled:
    """Decides a file when that has become the cheaper way on; see `Arbiter`."""

    def __init__(self, rows: Rows, certify: Any, state: State, order: str):
        self.rows, self.state = rows, state
        self.certify, self.patient = certify, order != "active"
        self.arbiter: Arbiter | None = None

    def after_pass(self, row: Pass, sweep: StreamSweep) -> Stop | None:
        """Decide if that is due."""
        rows = self.rows
        if self.certify is False or rows.n is None:
            return None

        if self.arbiter is None:
            self.arbiter = self._arbiter(sweep.kept.numbers, sweep.place.passes)
        return self.arbiter.after_pass(row)

    def may(self) -> bool:
        """Whether there is still something to decide, and leave to do so."""
        return self.certify is not False and self.answer is None and self.rows.n is not None

    def now(self, run: Run, kept: np.ndarray) -> Stop:
        """Decide from where the run is; why it ends."""
        self.arbiter = self._arbiter(lambda: kept, run.passes)
        return self.arbiter.decide() or run.stop

    def _arbiter(self, kept: Callable[[], np.ndarray], passes: int) -> Arbiter:
        rows = self.rows
        return Arbiter(
            self.certify,
            self.state,
            self._size,
            lambda: StreamRequirements(rows),
            lambda: moved_by(kept(), rows.n or 0),
            patient=self.patient,
            passes=passes,
        )

    def _size(self) -> Size:
        rows = self.rows
        assert rows.n is not None
        used = np.zeros(rows.d, dtype=bool)
        for X in rows.tables():
            used[X.indices if hasattr(X, "indptr") else slice(None)] = True
        return Size(rows.n, int(used.sum()), rows.vectors, rows.entries / rows.n)

    @property
    def proof_seconds(self) -> float:
        """About how long the proof takes that was not found."""
        return 0.0 if self.arbiter is None else self.arbiter.proof_seconds

    @property
    def answer(self) -> Any:
        """What was found, if it was asked for."""
        return None if self.arbiter is None else self.arbiter.answer

    def separator(self) -> np.ndarray | None:
        """The weights found, if they were asked for."""
        return None if self.arbiter is None else self.arbiter.separator()


class OnFile:
    """The rows of a file as evidence; each look at them is a pass."""

    whole = True

    def __init__(self, rows: Rows):
        self.rows = rows
        of_classes = rows.steps(np.arange(len(rows.classes)))
        self.steps = float(of_classes.min()), float(of_classes.max())
        self.radius, self.d, self.vectors = rows.radius, rows.d, rows.vectors
        self.classes, self.fit_intercept = classes_of(rows.classes)[0], rows.fit_intercept

    def least_margin(self, rule: Any, run: Run) -> float:
        """By one pass."""
        return min(float(some.min()) for some in margins_of(self.rows, rule, run.state))

    def refutation(self, found: Refutation) -> Inseparability:
        """Of the rows of the file."""
        return refutation_of(found, self.rows)

    def separation(self, weights: np.ndarray, upper: float) -> Separation:
        """Of the rows of the file."""
        return separation_of(self.rows, np.array(weights, order="C"), upper)

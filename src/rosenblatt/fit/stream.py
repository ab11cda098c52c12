"""Fits to a file, chunk by chunk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import __version__
from rosenblatt.data.weights import class_weights
from rosenblatt.engine.randomness import check_random_state
from rosenblatt.engine.rules import State
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.fit.conclusion import FittedRun
from rosenblatt.fit.plan import Plan, Task
from rosenblatt.fit.procedure import fit
from rosenblatt.fit.settings import Settings, order_of, plan_of
from rosenblatt.places.file.place import File, Saved
from rosenblatt.places.file.rows import (
    CHUNKS,
    CHUNKS_ALONE,
    FileRows,
    fill_memory,
    opened,
    parsed_once,
)
from rosenblatt.places.file.sweep import FileProgress

# Settings that a streamed fit accepts, of parameters that it restricts, and what to do instead.
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
    progress: Callable[[FileProgress], None] | None


def check_streamable(estimator: Any) -> None:
    """Refuse settings that need all rows at once."""
    for name, (allowed, advice) in REFUSED.items():
        value = getattr(estimator, name)
        if value not in allowed:
            raise InputError(
                f"{name}={value!r} needs all rows in memory: {advice} in fit_stream, or read the "
                "file and use fit."
            )


@contextmanager
def rows_of(estimator: Any, reader: Any, classes: Any, memory: int) -> Iterator[FileRows]:
    """The rows of a reader, with the estimator's steps and class weights; parsed once."""
    # Passes in the order of the file hold no rows between chunks; a search for a proof does.
    alone = order_of(estimator) == "cyclic" and estimator.certify is False
    named = isinstance(reader, (str, os.PathLike))
    reader = opened(reader, memory, CHUNKS_ALONE if alone else CHUNKS)
    if alone and named:
        fill_memory(reader, memory)
    with parsed_once(reader):
        yield _weighted(estimator, reader, classes)


def _weighted(estimator: Any, reader: Any, classes: Any) -> FileRows:
    rows = FileRows(reader, classes, fit_intercept=estimator.fit_intercept)
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


def _counts(rows: FileRows) -> np.ndarray | None:
    """The rows of each class, where a pass has counted them."""
    known = rows.facts is not None and len(rows.facts.counts) == len(rows.classes)
    return np.asarray(rows.facts.counts) if known else None  # type: ignore[union-attr]


def fit_rows(
    settings: Settings, rows: FileRows, how: Streamed, start: State | None, callback_of: Any
) -> FittedRun:
    """Make the run over a file, and conclude from it what can be concluded."""
    plan = plan_of(settings, order_of(settings), settings.max_iter, settings.certify, callback_of)
    seed = int(check_random_state(settings.random_state).randint(2**31))
    saved = _saved(settings, rows, plan, how, seed, start)
    place = File(rows, memory=how.memory, saved=saved, progress=how.progress)
    outcome = fit(place, Task(None, start, seed, {}), plan)
    if saved is not None and outcome.run.stop is not Stop.INTERRUPTED:
        saved.remove()
    return outcome


def _saved(
    settings: Settings, rows: FileRows, plan: Plan, how: Streamed, seed: int, start: State | None
) -> Saved | None:
    """Where the run is saved; None without a checkpoint."""
    if how.checkpoint is None:
        if how.resume:
            raise InputError("resume=True needs the checkpoint to go on from: checkpoint=...")
        return None
    if rows.once:
        raise InputError(f"{rows.label} can be read only once, so there is nothing to resume")
    about = {
        "library": __version__,
        **rows.identity(),
        "order": plan.order,
        "memory": how.memory,
        "seed": seed,
        "threshold": float(settings.threshold),
        "ties": settings.ties,
        "fit_intercept": rows.fit_intercept,
        "steps": rows.steps(np.arange(len(rows.classes))).tolist(),
        "start": 0.0 if start is None else float(np.abs(start.weights).sum()),
        "weight_tol": plan.budget.weight_tol,
        "n_iter_no_change": plan.budget.patience,
    }
    return Saved(how.checkpoint, about, how.every, how.resume)

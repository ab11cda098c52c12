"""The mean over shuffled passes of a file, where a run over it found no separator.

As in ``averaging``, but rows are mixed through a pool in memory, and compared in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.engine.averaging import (
    followed,
    mean_budget,
    separated,
    wants_mean,
    with_margin,
)
from rosenblatt.engine.loop import all_margins, mean_weights
from rosenblatt.engine.points import Points
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.scaling import Scale, scale_of
from rosenblatt.engine.stopping import Stop
from rosenblatt.fit.fitting import Plan
from rosenblatt.places.file.checkpoint import Checkpoint
from rosenblatt.places.file.learning import learn_stream
from rosenblatt.places.file.rows import Piece, Rows
from rosenblatt.places.file.sweep import Progress


class ScaledRows(Rows):
    """The rows of a file, their columns made alike."""

    def __init__(self, rows: Rows, scale: Scale):
        vars(self).update(vars(rows))
        self._opened, self.scale = None, scale

    def points(self, piece: Piece) -> Points:
        """The scaled rows as the engine reads them."""
        return super().points(piece)._replace(rows=self.scale.rows(piece.X))


def first_piece(rows: Rows) -> Piece:
    """The rows that a file begins with: enough to tell how long rows are."""
    return next(rows.pieces())


def wants_stream_mean(run: Run, plan: Plan, rows: Rows) -> bool:
    """Whether passes for a mean are due; whoever interrupts a file does not wait for ten more."""
    return wants_mean(run, plan) and not rows.once and run.stop is not Stop.INTERRUPTED


def with_stream_mean(
    rows: Rows,
    rule: Any,
    state: State,
    plan: Plan,
    first: Run,
    *,
    proved: bool,
    seed: int,
    memory: int,
    checkpoint: Checkpoint | None,
    progress: Callable[[Progress], None] | None,
) -> Run:
    """The run with weights to predict with: the mean over shuffled passes, or better ones.

    Parameters
    ----------
    rows, rule, state
        What to learn from, how, and where to start.
    plan, seed, memory, progress
        As of the run before.
    first : Run
        What came of it.
    proved : bool
        Whether it is proved that there is no separator.
    checkpoint : Checkpoint, optional
        Where the passes are saved; if it is there, they go on from it.
    """
    scale = scale_of(rows.tables, rows.fit_intercept)
    scaled = ScaledRows(rows, scale)
    scale.into(state)
    second = learn_stream(
        scaled,
        with_margin(rule, scaled.points(first_piece(rows))),
        order="shuffled",
        state=state,
        budget=mean_budget(plan.budget),
        seed=seed,
        memory=memory,
        checkpoint=checkpoint,
        resume=checkpoint is not None and checkpoint.exists(),
        progress=None if progress is None else _after(first, progress),
    ).run
    scale.back(state)
    second = replace(second, average=mean_weights(state))
    if second.clean and not proved:
        return separated(first, second)
    run = followed(first, second, proved=proved)
    if second.stop is Stop.INTERRUPTED:
        return replace(run, stop=Stop.INTERRUPTED, best=second.average)
    candidates = [second.average, second.weights]
    if not proved:
        candidates.append(first.weights)
    errors = errors_of(rows, rule, state, candidates)
    best = candidates[int(np.argmin(errors))]
    if not proved and not errors.min():
        return separated(first, replace(second, weights=best))
    return replace(run, best=best)


def _after(first: Run, progress: Callable[[Progress], None]) -> Callable[[Progress], None]:
    def tell(made: Progress) -> None:
        progress(
            made._replace(
                passes=first.passes + made.passes,
                looks=first.looks + made.looks,
                mistakes=first.mistakes + made.mistakes,
            )
        )

    return tell


def errors_of(rows: Rows, rule: Any, state: State, candidates: Sequence[np.ndarray]) -> np.ndarray:
    """What each candidate has on the wrong side or the boundary, by step; in one pass."""
    errors = np.zeros(len(candidates))
    for piece in rows.pieces():
        points = rows.points(piece)
        everyone = np.arange(len(piece.ids))
        for at, weights in enumerate(candidates):
            margins = all_margins(points, rule, state._replace(weights=weights), everyone)
            errors[at] += points.steps[~(margins > 0)].sum()
    return errors

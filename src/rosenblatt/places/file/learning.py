"""Learning from a file: `learn` over a `StreamSweep`, with checkpoints. Imports both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checkpoint import CheckpointError
from rosenblatt.engine.loop import learn, zero_state
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.errors import InputError
from rosenblatt.places.file.checkpoint import Checkpoint
from rosenblatt.places.file.rows import Rows
from rosenblatt.places.file.sweep import Progress, Standing, StreamSweep, order_named

# Rows held between chunks take this part of the memory allowed; joining them takes as much again,
# and the chunks being read and parsed the rest.
PART = 4
LEAST = 1 << 20


class Learned(NamedTuple):
    """A run over a file, and what only its sweep knows.

    Attributes
    ----------
    run : Run
        Its state has no dual form: a file has too many rows.
    moved : float
        The sum of all steps made.
    kept : ndarray of int64
        The numbers of the rows in the working set.
    standing : Standing
        Where the sweep is, for a checkpoint.
    """

    run: Run
    moved: float
    kept: Any
    standing: Standing


def learn_stream(
    rows: Rows,
    rule: Any,
    *,
    order: str = "active",
    state: State | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    memory: int = 1 << 29,
    checkpoint: Checkpoint | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    watch: Callable[[Pass, StreamSweep], Stop | None] | None = None,
) -> Learned:
    r"""Pass over the rows of a file by the given rule, until there is reason to stop.

    Parameters
    ----------
    rows : Rows
    rule, order, budget
        As for `learn`; ``worst`` is no order of a stream.
    state : State, optional
        Where to start; changed in place.
    seed : int
        Of the shuffled ways.
    memory : int
        Bytes that rows may take, those being read included.
    checkpoint : Checkpoint, optional
        Where to save the run every so often, and when it is interrupted.
    resume : bool
        Whether to go on from the checkpoint.
    progress : callable
        Sees the `Progress` after each step.
    watch : callable
        Sees each finished `Pass` and the sweep; may return a `Stop` to end the run.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.readers import open_reader
    >>> from rosenblatt.engine.rules import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp(), "rows.csv")
    >>> _ = path.write_text("x,y\n1,1\n-1,0\n")
    >>> learn_stream(Rows(open_reader(path)), Perceptron()).run.weights
    array([2., 0.])
    """
    if memory < LEAST:
        raise InputError(f"memory must be at least {LEAST:,} bytes, got {memory!r}.")
    budget = budget or Budget()
    if rows.once and budget.passes != 1:
        raise InputError(
            f"{rows.label} can be read only once: allow one pass (max_iter=1), or save it to a "
            "file for more."
        )
    state = zero_state(rows.none, rows.vectors) if state is None else state
    standing, history = checkpoint.load() if checkpoint and resume else (None, [])
    if standing is not None and np.shape(standing.weights) != state.weights.shape:
        raise CheckpointError(
            f"the checkpoint's weights have shape {np.shape(standing.weights)}, these rows need "
            f"{state.weights.shape}; leave resume out to start again"
        )

    def after_step(sweep: StreamSweep) -> None:
        if progress is not None:
            progress(sweep.progress())
        if checkpoint is not None and checkpoint.due():
            checkpoint.save(sweep.standing(), history)

    def after_pass(row: Pass) -> Stop | None:
        history.append(row)
        return None if watch is None else watch(row, sweeps[0])

    remember = budget.weight_tol is not None
    sweeps: list[StreamSweep] = []

    def sweeper(*given: Any) -> StreamSweep:
        made = partial(StreamSweep, rows, seed, memory // PART, after_step, standing, remember)
        sweeps.append(made(*given))
        return sweeps[0]

    run = learn(
        rows.none,
        rule,
        order=order_named(order),
        state=state,
        everyone=range(1),  # type: ignore[arg-type]
        budget=budget,
        sweeper=sweeper,
        watch=after_pass,
        earlier=tuple(history),
    )
    sweep = sweeps[0]
    if checkpoint is not None and run.stop is Stop.INTERRUPTED:
        checkpoint.save(sweep.standing(), history)
    if not rows.vectors:
        run = replace(run, cost=run.cost._replace(averaging=sweep.averaged))
    return Learned(run, sweep.moved, sweep.kept.numbers(), sweep.standing())

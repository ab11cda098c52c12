"""Many runs side by side: one for each class against the rest, or for each pair of classes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

import numpy as np

from rosenblatt.engine.costs import run_cost
from rosenblatt.engine.loop import mean_weights
from rosenblatt.engine.machine.threads import side_by_side, threads_for
from rosenblatt.engine.rules import NO_LOOKS, State
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Stop
from rosenblatt.fit.conclusion import Conclusion, FittedRun
from rosenblatt.fit.one_vs import worth_threads
from rosenblatt.fit.plan import Plan, Task, begun
from rosenblatt.fit.procedure import fit
from rosenblatt.fit.validation import Validation, without_empty_columns
from rosenblatt.places.memory import Memory


def fit_all(
    place: Memory,
    tasks: Sequence[Task],
    plan: Plan,
    validation: Validation | None,
    n_jobs: int | None,
) -> list[FittedRun]:
    """Make every run, in threads: machine code holds no lock, and the rows are shared.

    After a Ctrl-C within a run, the other ones end with their next pass.
    """
    if all(map(partial(can_be_narrow, plan), tasks)):
        place, validation = without_empty_columns(place, validation)
    if len(tasks) == 1:
        return [widened(place, fit_part(place, tasks[0], plan=plan, validation=validation))]
    interrupted = threading.Event()
    how = {"plan": plan, "validation": validation, "interrupted": interrupted}

    parts, proofs = [task.part for task in tasks], plan.certify is not False
    worth = worth_threads(parts, place.size.entries, len(place.classes), proofs)
    jobs = threads_for(n_jobs) if worth else 1
    make = partial(fit_part, place, **how)
    try:
        made = side_by_side(lambda task: trimmed(make(task)), tasks, jobs, interrupted)
    except KeyboardInterrupt:
        interrupted.set()
        raise
    return [widened(place, outcome) for outcome in made]


def trimmed(outcome: FittedRun) -> FittedRun:
    """The outcome without the per-row state that only a run in progress needs, to save memory."""
    state = outcome.run.state._replace(pending=np.zeros(0))
    return outcome._replace(run=outcome.run.but(state=state))


def fit_part(
    place: Memory,
    task: Task,
    *,
    plan: Plan,
    validation: Validation | None,
    interrupted: threading.Event | None = None,
) -> FittedRun:
    """Make the run of one part of the classes."""
    place = place.part(task.part)
    if task.part is not None and not len(place.in_play):
        state, rule = begun(place, plan, task.start, task.earlier)
        return FittedRun(idle(place, state), Conclusion(), task.kept, rule)
    held_out = None if validation is None else validation.part(task.part)
    return fit(place, task, plan, held_out=held_out, interrupted=interrupted)


def can_be_narrow(plan: Plan, task: Task) -> bool:
    """Whether no start or callback needs weights of all columns before the run ends."""
    return plan.callback_of is None and task.start is None


def widened(place: Memory, outcome: FittedRun) -> FittedRun:
    """The outcome of a run on the columns in use, with weights for all columns."""
    if place.used is None:
        return outcome
    for keeper in outcome.kept.values():
        keeper.widen(place.used)
    rule = outcome.rule
    if rule is not None and rule.owes_penalty:
        rule = rule._replace(paid=place.used.coefficients(rule.paid))
    return outcome._replace(run=outcome.run.widened(place.used), rule=rule)


def idle(place: Memory, state: State) -> Run:
    """The empty run of a batch that has no rows of its classes."""
    return Run(
        weights=state.weights,
        average=mean_weights(state),
        state=state,
        mistakes=0,
        updates=0,
        passes=0,
        looks=0,
        history=(),
        stop=Stop.PASSES,
        clean=False,
        seconds=0.0,
        cost=run_cost(place.points, NO_LOOKS, classes=len(state.buffer)),
    )

"""The procedure of a fit, the same for every place, and many runs of it side by side."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.engine.averaging import automatic, wants_average, wants_mean
from rosenblatt.engine.costs import run_cost
from rosenblatt.engine.loop import mean_weights
from rosenblatt.engine.machine.threads import side_by_side, threads_for
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.rules import NO_LOOKS, PerceptronRule, State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.fit.better_separator import (
    is_small,
    may_improve,
    separators_differ,
    unless_overfit,
    wants_better_separator,
    with_better_separator,
)
from rosenblatt.fit.budgets import Arbiter
from rosenblatt.fit.conclusion import (
    Conclusion,
    conclude,
    confirmed,
    margin_wanted,
    sandwich,
    with_separator,
)
from rosenblatt.fit.one_vs import Outcome, odds_power, weights_of, worth_threads
from rosenblatt.fit.plan import Plan, Task, rule_of, started
from rosenblatt.fit.predictor import MeanPasses, checked_mean, with_average, with_mean
from rosenblatt.fit.validation import Validation, without_empty_columns
from rosenblatt.places.lockstep import IN_ORDER, RUNS_A_CORE, Turns, pays
from rosenblatt.places.memory import Memory
from rosenblatt.places.parts import REST
from rosenblatt.places.place import Place
from rosenblatt.solve.search import Separator

UNKNOWN = Bracket(0.0, math.inf)


def fit_all(
    place: Memory,
    tasks: Sequence[Task],
    plan: Plan,
    validation: Validation | None,
    n_jobs: int | None,
) -> list[Outcome]:
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
    worth = worth_threads(parts, place.entries, len(place.classes), proofs)
    jobs = threads_for(n_jobs) if worth else 1
    threads, turns = jobs, None
    if jobs > 1 and plan.order in IN_ORDER and pays(place.points, parts):
        threads, turns = min(len(tasks), RUNS_A_CORE * jobs), Turns(jobs)
    make = partial(fit_part, place._replace(turns=turns), **how)

    def make_small(task: Task) -> Outcome:
        if turns is None:
            return trimmed(make(task))
        return turns.alone(lambda: trimmed(make(task)))

    try:
        made = side_by_side(make_small, tasks, threads, interrupted)
    except KeyboardInterrupt:
        interrupted.set()
        raise
    return [widened(place, outcome) for outcome in made]


def trimmed(outcome: Outcome) -> Outcome:
    """The outcome without the per-row state that only a run in progress needs, to save memory."""
    state = outcome.run.state._replace(late=np.zeros(0))
    return outcome._replace(run=outcome.run.but(state=state))


def fit_part(
    place: Memory,
    task: Task,
    *,
    plan: Plan,
    validation: Validation | None,
    interrupted: threading.Event | None = None,
) -> Outcome:
    """Make the run of one part of the classes."""
    place = place.part(task.part)
    if task.part is not None and not len(place.everyone):
        state = started(place, task.start, plan)
        rule = rule_of(place, plan, state, task.earlier)
        return Outcome(idle(place, state), Conclusion(), task.kept, rule)
    held_out = None if validation is None else validation.part(task.part)
    outcome = fit(place, task, plan, held_out=held_out, interrupted=interrupted)
    rivals = task.part is not None and task.part.negative == REST and held_out is None
    return comparable(place, outcome) if rivals and automatic(plan) else outcome


def comparable(place: Memory, outcome: Outcome) -> Outcome:
    """The outcome of one class against the rest, scaled so that scores of classes compare."""
    run, everyone = outcome.run, place.everyone
    weights = weights_of("auto", run, outcome.kept)
    state = run.state._replace(weights=weights)
    try:
        margins = all_margins(place.points, PerceptronRule(), state, everyone)
    except KeyboardInterrupt:
        return outcome._replace(run=run.but(stop=Stop.INTERRUPTED))
    power = odds_power(margins, place.points.y[everyone], place.points.steps[everyone])
    return outcome._replace(run=run.but(best=np.ldexp(weights, power)))


def can_be_narrow(plan: Plan, task: Task) -> bool:
    """Whether no start or callback needs weights of all columns before the run ends."""
    return plan.announce is None and task.start is None


def widened(place: Memory, outcome: Outcome) -> Outcome:
    """The outcome of a run on the columns in use, with weights for all columns."""
    if place.used is None:
        return outcome
    for keeper in outcome.kept.values():
        keeper.widen(place.used)
    rule = outcome.rule
    if rule is not None and rule.owes_penalty:
        rule = rule._replace(paid=place.used.coefficients(rule.paid))
    return outcome._replace(run=outcome.run.widened(place.used), rule=rule)


def fit(
    place: Place,
    task: Task,
    plan: Plan,
    *,
    held_out: Any = None,
    interrupted: threading.Event | None = None,
    arbiter: type[Arbiter] = Arbiter,
) -> Outcome:
    """Make one run, wherever the rows lie, and conclude from it what can be concluded.

    Parameters
    ----------
    place : Place
        The rows: in memory, in a file, on a cluster.
    task : Task
        Where to start, the seed, what is kept.
    plan : Plan
        How to learn.
    held_out : optional
        Validation rows, as the place knows them.
    interrupted : Event, optional
        Set by a Ctrl-C, here or in another run of the same fit.
    arbiter : type
        Decides when passes alone do not.

    Returns
    -------
    Outcome
    """
    free = automatic(plan) and held_out is None and not task.kept
    if free and isinstance(place, Memory) and is_small(place):
        place = place.shuffled(task.seed)
    state = started(place, task.start, plan)
    rule = rule_of(place, plan, state, task.earlier)
    counted = held_out is None and (task.start is None or place.counts_from_zero(state))
    # Rows of weight 0 take no part; rows held out end the run by their own test.
    provable = place.again and (place.whole or held_out is None)
    certify = plan.certify if provable else False
    passes, wanted = MeanPasses(place, task, plan), {}
    if isinstance(place, Memory):
        wanted["finest"] = passes.exponents
        if wants_better_separator(plan) and held_out is None and separators_differ(place):
            wanted["near"] = passes.mean
    judge = arbiter(certify, place, state, patient=plan.order != "active", **wanted)
    announce = None if plan.announce is None else plan.announce(state)

    def after_pass(row: Pass) -> Stop | None:
        if interrupted is not None and interrupted.is_set():
            return Stop.INTERRUPTED
        stop = judge.after_pass(row)
        # A margin run must not stop at the first separator.
        return None if plan.margin and stop is Stop.SEPARATED else stop

    judged = interrupted is not None or certify is not False
    run = place.learn(
        rule,
        state,
        order=plan.order,
        budget=plan.budget,
        seed=task.seed,
        watch=announce,
        judge=after_pass if judged else None,
        held_out=held_out,
        kept=task.kept,
    )
    if run.stop is Stop.INTERRUPTED and interrupted is not None:
        interrupted.set()
    if rule.owes_penalty:
        return Outcome(*penalised_outcome(place, rule, run, plan, held_out), task.kept, rule)
    # Weights restored to the best on validation data are not those that the steps add up to.
    upper = sandwich(run) if counted else math.inf
    if not place.again:
        conclusion = Conclusion(Bracket(0.0, upper))
        return Outcome(confirmed(run, conclusion), conclusion, task.kept, rule)
    try:
        return _concluded(passes, held_out, rule, run, judge, upper, certify)
    except KeyboardInterrupt:  # what was learned is kept, whatever it would have shown
        run = run.but(weights=run.state.weights, stop=Stop.INTERRUPTED)
        return Outcome(run, Conclusion(), task.kept, None if plan.margin else rule)


def _concluded(
    passes: MeanPasses,
    held_out: Any,
    rule: Any,
    run: Run,
    judge: Arbiter,
    upper: float,
    certify: Any,
) -> Outcome:
    """What a run shows, proved as far as that is asked for, and the weights to predict with."""
    place, task, plan = passes.place, passes.task, passes.plan
    if isinstance(judge.answer, Separator) and judge.answer.near:
        judge.go_near(passes.better())
    kept_rule, answer = rule, judge.answer
    wanted = margin_wanted(place, rule, run, upper)
    if run.clean and isinstance(answer, Separator):
        answer = None  # it is no proof for the later weights of a margin run
    elif judge.separator() is not None:
        run = with_separator(place, rule, run, judge.separator())
        # The steps that a margin rule remembers are not those that lead to these weights.
        kept_rule = None if plan.margin else rule
    _keep_separator(task, run, judge)
    bind = plan.certify is True
    mean = judge.near if isinstance(judge.answer, Separator) and judge.answer.near else None
    free = wants_better_separator(plan) and held_out is None and run.clean and mean is None
    if free and isinstance(place, Memory) and may_improve(place, run):
        try:
            better = with_better_separator(passes, rule, run, upper)
        except KeyboardInterrupt:
            run = run.but(stop=Stop.INTERRUPTED)
        else:
            if better is not None:
                return Outcome(*better, task.kept, kept_rule)
    conclusion = conclude(place, rule, run, upper, answer, bind)
    open_question = run.clean and place.whole and conclusion.verdict is Verdict.UNDECIDED
    if open_question and (judge.answer is not answer or _may_decide(plan, judge)):
        # Rounding put a point on its right side that lies on the line or just beyond it.
        stop = judge.decide() if judge.answer is None else Stop.SEPARATED
        run = run.but(clean=False, least=math.nan, stop=stop or run.stop)
        run = with_separator(place, rule, run, judge.separator())
        kept_rule = None if plan.margin else rule
        _keep_separator(task, run, judge)
        conclusion = conclude(place, rule, run, upper, judge.answer, bind)
    if conclusion.verdict is Verdict.UNDECIDED and certify == "auto":
        run = run.but(proof_seconds=judge.proof_seconds)
    run = confirmed(run, conclusion, wanted, rule.share)
    if mean is not None and isinstance(place, Memory):
        run = unless_overfit(place, rule, run, mean())
    outcome = Outcome(run, conclusion, task.kept, kept_rule)
    if isinstance(place, Memory) and wants_average(run, plan):
        return with_average(passes, outcome)
    # Whoever interrupts a file or a cluster does not wait for ten passes more.
    over = run.stop is Stop.INTERRUPTED and not place.at_hand
    if over or not wants_mean(run, plan):
        return outcome
    outcome = with_mean(passes, outcome, held_out, judge.least_loss())
    return checked_mean(place, rule, plan, outcome, run, upper)


def penalised_outcome(
    place: Place, rule: Any, run: Run, plan: Plan, held_out: Any
) -> tuple[Run, Conclusion]:
    """The run and conclusion of a penalised run, which proves at most that its weights separate.

    A penalty makes weights forget, so that the last ones are those of the last mistakes, and their
    mean over all looks predicts better. Weights that are 0 in the end are set to 0 in the mean,
    since a penalty is meant to make weights sparse. Where columns differ much in size, though, the
    weights after some pass make fewer errors.
    """
    mean = np.where(run.weights == 0, 0.0, run.average)
    mean[..., -1] = run.average[..., -1]
    run = run.but(average=mean)
    conclusion = conclude(place, rule, run, math.inf, None, bind=False)
    run = confirmed(run, conclusion)
    if plan.solution == "auto":
        both = held_out is not None and run.stop is Stop.SEPARATED
        sets = (None, held_out) if both else (held_out,)
        run = with_fewer_errors(place, rule, run, sets)
    return run, replace(conclusion, margin=UNKNOWN, mistake_bound=math.inf)


def with_fewer_errors(place: Place, rule: Any, run: Run, sets: Sequence[Any]) -> Run:
    """The run, to predict by the mean of its weights or by the weights, whichever errs less.

    Errors are counted on these sets of held-out rows together; None stands for the rows that were
    learned from, which a separator must have right.
    """
    candidates = run.average, run.weights
    try:
        errors = np.sum([place.errors(rule, candidates, rows) for rows in sets], axis=0)
    except KeyboardInterrupt:
        return run.but(stop=Stop.INTERRUPTED)
    # Rounded, so that rows of next to no weight do not decide.
    return run.but(best=candidates[int(np.argmin(errors.round(6)))])


def _keep_separator(task: Task, run: Run, judge: Arbiter) -> None:
    """Put the separator that the arbiter found into the pocket."""
    if "pocket" in task.kept and judge.separator() is not None:
        task.kept["pocket"].offer(run.weights, 0.0)


def _may_decide(plan: Plan, judge: Arbiter) -> bool:
    """Whether to search for a proof after a clean run; not if points on the line count as right."""
    return judge.certify is not False and plan.ties == "mistake" and judge.answer is None


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

"""The one procedure of a fit, wherever the rows lie, and many runs of it side by side."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.averaging import (
    PASSES,
    automatic,
    followed,
    mean_budget,
    quick_mean,
    separated,
    towards,
    wants_mean,
    with_margin,
)
from rosenblatt.engine.costs import run_cost
from rosenblatt.engine.loop import mean_weights
from rosenblatt.engine.machine.threads import side_by_side, threads_for
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.orders import Permutations
from rosenblatt.engine.rules import NO_LOOKS, State, make_rule
from rosenblatt.engine.rules.margin_share import make_margin_rule
from rosenblatt.engine.rules.penalties import penalised
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.engine.sweep import all_margins
from rosenblatt.errors import InputError
from rosenblatt.fit.budgets import Arbiter
from rosenblatt.fit.conclusion import Conclusion, conclude, confirmed, sandwich, with_separator
from rosenblatt.fit.one_vs import Outcome
from rosenblatt.fit.validation import Validation
from rosenblatt.places.lockstep import IN_ORDER, RUNS_A_CORE, Turns, pays
from rosenblatt.places.memory import Memory
from rosenblatt.places.parts import Part
from rosenblatt.places.place import Place

UNKNOWN = Bracket(0.0, math.inf)
# Entries of a set whose passes take some microseconds each.
SMALL = 2**14
# Looks to improve on a separator, for each mistake on the way to it (measured on 17 sets: half as
# many cost up to 1.5 points of accuracy, more bring nothing).
LOOKS_A_MISTAKE = 20


class Task(NamedTuple):
    """One run to make.

    Attributes
    ----------
    part : Part or None
        The binary problem; None is all classes at once.
    start : State, ndarray or None
        An earlier run's state to go on with, or weights to start at, or 0.
    seed : int
        Of its permutations.
    kept : dict
        What keeps the solutions asked for.
    earlier : rule, optional
        An earlier run's rule, whose memory goes on.
    """

    part: Part | None
    start: Any
    seed: int
    kept: dict[str, Any]
    earlier: Any = None


@dataclass(frozen=True)
class Plan:
    """How every run of a fit is made.

    Attributes
    ----------
    order, budget
        As in `learn`.
    eta : float
        The step.
    threshold, ties : float, str
        Of the rule.
    margin : float
        The share of the best margin to reach; 0 for the rule of the threshold.
    penalty, alpha, l1_ratio
        Of the penalty.
    certify : {"auto", True, False}
        When to decide.
    solution : str
        Which weights are asked for.
    announce : callable, optional
        Given a run's state, what sees each pass and may stop the run.
    """

    order: Any
    budget: Budget
    eta: float
    threshold: float
    ties: str
    margin: float
    penalty: str | None
    alpha: float
    l1_ratio: float
    certify: Any
    solution: str
    announce: Callable[[State], Callable[[Pass], Stop | None]] | None = None


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
    if validation is None and all(map(partial(can_be_narrow, plan), tasks)):
        place = place.narrow()
    if len(tasks) == 1:
        return [fit_part(place, tasks[0], plan=plan, validation=validation)]
    interrupted = threading.Event()
    how = {"plan": plan, "validation": validation, "interrupted": interrupted}

    jobs = threads_for(n_jobs)
    threads, turns = jobs, None
    if jobs > 1 and plan.order in IN_ORDER and pays(place.points, [t.part for t in tasks]):
        threads, turns = min(len(tasks), RUNS_A_CORE * jobs), Turns(jobs)
    make = partial(fit_part, place._replace(turns=turns), **how)

    def make_small(task: Task) -> Outcome:
        if turns is None:
            return trimmed(make(task))
        return turns.alone(lambda: trimmed(make(task)))

    try:
        return side_by_side(make_small, tasks, threads)
    except KeyboardInterrupt:
        interrupted.set()
        raise


def trimmed(outcome: Outcome) -> Outcome:
    """The outcome without what only a run under way needs of every row: there are many runs."""
    state = outcome.run.state._replace(late=np.zeros(0))
    return outcome._replace(run=replace(outcome.run, state=state))


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
        state = started(place, task.start, plan.ties)
        rule = rule_of(place, plan, state, task.earlier)
        outcome = Outcome(idle(place, state), Conclusion(), task.kept, rule)
    else:
        held_out = None if validation is None else validation.part(task.part)
        outcome = fit(place, task, plan, held_out=held_out, interrupted=interrupted)
    return outcome if place.wide is None else widened(place, outcome)


def can_be_narrow(plan: Plan, task: Task) -> bool:
    """Whether nobody but the run itself sees its weights before it ends."""
    return plan.announce is None and plan.penalty is None and task.start is None and not task.kept


def widened(place: Memory, outcome: Outcome) -> Outcome:
    """The outcome of a run on the columns in use with weights of all columns."""
    run, wide = outcome.run, place.all_columns
    state = run.state._replace(weights=wide(run.state.weights), drift=wide(run.state.drift))
    run = replace(
        run,
        state=state,
        weights=state.weights if run.weights is run.state.weights else wide(run.weights),
        average=wide(run.average),
        best=None if run.best is None else wide(run.best),
    )
    return outcome._replace(run=run)


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
        What decides when passes alone do not.

    Returns
    -------
    Outcome
    """
    if isinstance(place, Memory) and automatic(plan) and not task.kept and is_small(place):
        place = place.shuffled(task.seed)
    alone = interrupted is None
    interrupted = interrupted or threading.Event()
    state = started(place, task.start, plan.ties)
    rule = rule_of(place, plan, state, task.earlier)
    counted = place.counts_from_zero(state) and held_out is None
    # Rows of weight 0 take no part; rows held out end the run by their own test.
    provable = place.again and (place.whole or held_out is None)
    certify = plan.certify if provable else False
    judge = arbiter(certify, place, state, patient=plan.order != "active")
    announce = None if plan.announce is None else plan.announce(state)

    def watch(row: Pass) -> Stop | None:
        if interrupted.is_set():
            return Stop.INTERRUPTED
        stop = (announce and announce(row)) or judge.after_pass(row)
        # A margin run must not stop at the first separator.
        return None if plan.margin and stop is Stop.SEPARATED else stop

    unseen = alone and announce is None and certify is False and isinstance(place, Memory)
    run = place.learn(
        rule,
        state,
        order=plan.order,
        budget=plan.budget,
        seed=task.seed,
        watch=None if unseen else watch,
        held_out=held_out,
        kept=task.kept,
    )
    if run.stop is Stop.INTERRUPTED:
        interrupted.set()
    if rule.owes_penalty:
        return Outcome(*penalised_outcome(place, rule, run), task.kept, rule)
    # Weights restored to the best on validation data are not those that the steps add up to.
    upper = sandwich(run) if counted else math.inf
    if not place.again:
        conclusion = Conclusion(Bracket(0.0, upper))
        return Outcome(confirmed(run, conclusion), conclusion, task.kept, rule)
    kept_rule = rule
    if not run.clean and judge.separator() is not None:
        run = with_separator(place, rule, run, judge.separator())
        # The steps that a margin rule remembers are not those that lead to these weights.
        kept_rule = None if plan.margin else rule
    if "pocket" in task.kept and judge.separator() is not None:
        task.kept["pocket"].offer(run.weights, 0.0)
    bind = plan.certify is True
    if run.clean and held_out is None and isinstance(place, Memory) and wants_wider(plan):
        try:
            wider = with_wider(place, rule, task, plan, run, upper)
        except KeyboardInterrupt:
            run = replace(run, stop=Stop.INTERRUPTED)
        else:
            if wider is not None:
                return Outcome(*wider, task.kept, kept_rule)
    conclusion = conclude(place, rule, run, upper, judge.answer, bind)
    open_question = run.clean and place.whole and conclusion.verdict is Verdict.UNDECIDED
    if open_question and _may_decide(plan, judge):
        # Rounding took a point on the line, or just beyond it, for one that is right.
        stop = judge.decide()
        run = replace(run, clean=False, least=math.nan, stop=stop or run.stop)
        run = with_separator(place, rule, run, judge.separator())
        kept_rule = None if plan.margin else rule
        conclusion = conclude(place, rule, run, upper, judge.answer, bind)
    if conclusion.verdict is Verdict.UNDECIDED and certify == "auto":
        run = replace(run, proof_seconds=judge.proof_seconds)
    run = confirmed(run, conclusion)
    outcome = Outcome(run, conclusion, task.kept, kept_rule)
    # Whoever interrupts a file or a cluster does not wait for ten passes more.
    over = run.stop is Stop.INTERRUPTED and not place.at_hand
    if over or not wants_mean(run, plan):
        return outcome
    outcome = with_mean(place, task, plan, outcome, held_out)
    return checked_mean(place, rule, plan, outcome, run, upper)


def penalised_outcome(place: Place, rule: Any, run: Run) -> tuple[Run, Conclusion]:
    """Penalised weights are no sum of updates, so neither drift nor sandwich speaks of them."""
    run = replace(run, average=np.full_like(run.average, np.nan))
    conclusion = conclude(place, rule, run, math.inf, None, bind=False)
    run = confirmed(run, conclusion)
    return run, replace(conclusion, margin=UNKNOWN, mistake_bound=math.inf)


def checked_mean(
    place: Place, rule: Any, plan: Plan, outcome: Outcome, first: Run, upper: float
) -> Outcome:
    """The outcome with its proof, where the passes for the mean met a separator."""
    found = outcome.run
    if not found.clean:
        return outcome
    conclusion = conclude(place, rule, found, upper, None, plan.certify is True)
    if place.whole and conclusion.verdict is Verdict.UNDECIDED:
        # Only rounding has all points on their right side.
        found = replace(found, clean=False, stop=first.stop, best=found.weights)
    found = confirmed(found, conclusion)
    return outcome._replace(run=found, conclusion=conclusion)


def with_mean(
    place: Place, task: Task, plan: Plan, outcome: Outcome, held_out: Any = None
) -> Outcome:
    """The outcome with weights to predict with: the mean over shuffled passes, or better ones.

    They are compared on the validation data if there are any, else on the training points.
    """
    first = outcome.run
    proved = outcome.conclusion.verdict is Verdict.INSEPARABLE
    state = started(place, task.start, plan.ties)
    rule = rule_of(place, plan, state, task.earlier)
    try:
        second = place.mean_run(rule, state, mean_budget(plan.budget), task.seed)
        if second.clean and held_out is None and not proved:
            return outcome._replace(run=separated(first, second))
        goes_on = proved and place.mean_goes_on
        run = followed(first, second, proved=goes_on)
        if second.stop is Stop.INTERRUPTED and not place.at_hand:
            run = replace(run, stop=Stop.INTERRUPTED, best=second.average)
            return outcome._replace(run=run)
        candidates = [second.average, second.weights] if second.passes else []
        if not (proved and candidates):
            # What was searched for may still be found, and the search may have come near.
            candidates.append(first.weights)
        candidates += [kept.weights for name, kept in task.kept.items() if name == "pocket"]
        errors = place.errors(rule, candidates, held_out)
    except KeyboardInterrupt:
        return outcome._replace(run=replace(first, stop=Stop.INTERRUPTED))
    best = candidates[int(np.argmin(errors))]
    if not proved and held_out is None and not errors.min():
        return outcome._replace(run=separated(first, replace(second, weights=best)))
    if held_out is not None:
        # The last weights of a validated run are those best on the validation data.
        run = replace(run, weights=first.weights)
    return outcome._replace(run=replace(run, best=best), rule=rule if goes_on else outcome.rule)


def is_small(place: Memory) -> bool:
    """Whether passes take but microseconds."""
    return place.entries * max(1, place.vectors) <= SMALL


def wants_wider(plan: Plan) -> bool:
    """Whether a separator is to be improved on: one of the plain rule."""
    plain = plan.threshold == 0 and plan.margin == 0 and plan.ties == "mistake"
    return automatic(plan) and plain


def with_wider(
    place: Memory, rule: Any, task: Task, plan: Plan, run: Run, upper: float
) -> tuple[Run, Conclusion] | None:
    """A separator that is likely to predict better than the first one met, with its proof.

    The mean over at most a third as many looks as the search took, and only so many for each
    mistake it made: where mistakes were few, new rows are seldom wrong, and there is little to
    gain. A sample of the rows where that is less than a pass; where passes take but microseconds,
    ten of them, in an order that does not depend on how the rows came. None without a proof.
    """
    everyone = place.everyone
    looks = max(1, min(run.looks // 3, LOOKS_A_MISTAKE * run.updates))
    if is_small(place):
        looks, order = PASSES * place.rows, everyone
    elif looks < place.rows:
        order = Permutations(task.seed).choice(everyone, looks)
    else:
        order = Permutations(task.seed).permutation(everyone)
    budget = mean_budget(plan.budget, min(PASSES, max(1, looks // place.rows)))
    state = started(place, task.start, plan.ties)
    margin_rule = with_margin(rule, place.points, place.squares)
    mean = quick_mean(place.points, margin_rule, state, order, budget)

    def margins(weights: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        return all_margins(place.points, rule, state._replace(weights=weights), chosen)

    wider, least = towards(mean, run.weights, place.everyone, margins)
    found = replace(run, weights=wider, state=run.state._replace(weights=wider), least=least)
    conclusion = conclude(place, rule, found, upper, None, plan.certify is True)
    if conclusion.verdict is not Verdict.SEPARABLE:
        return None
    return replace(run, best=wider, averaged=budget.passes), conclusion


def _may_decide(plan: Plan, judge: Arbiter) -> bool:
    """Whether a run that ended without a proof is to have one; points on the line may be right."""
    return judge.certify is not False and plan.ties == "mistake" and judge.answer is None


def rule_of(place: Place, plan: Plan, state: State, earlier: Any) -> Any:
    """The rule that the plan asks for; it remembers what an earlier one did."""
    classes = max(2, place.vectors)
    if not plan.margin:
        rule = make_rule(classes, plan.threshold, plan.ties)
        return penalised(
            rule, state.weights, plan.penalty, plan.alpha, plan.l1_ratio, plan.eta, earlier
        )
    rule = make_margin_rule(classes, plan.margin, earlier)
    if state.weights.any() and not rule.memory.any():
        raise InputError(
            f"margin={plan.margin!r} counts the steps since weights of 0: start there, without "
            "coef_init, intercept_init or an earlier fit that had no margin."
        )
    return rule


def started(place: Place, start: Any, ties: str) -> State:
    """The state to start with."""
    if isinstance(start, State):
        return place.start(start)
    state = place.start()
    if start is not None:
        state.weights[...] = start
    if ties == "correct" and not state.weights.any():
        raise InputError(
            "ties='correct' never moves from weights of 0: give fit a coef_init that is not 0, or "
            "use ties='mistake'."
        )
    return state


def idle(place: Memory, state: State) -> Run:
    """The run over a batch without a row of its classes."""
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

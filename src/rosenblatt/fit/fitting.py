"""One run of a fit, from its problem to its outcome, and many of them side by side.

Imports the engine, ``conclusion``, ``in_step`` and ``one_vs``.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from rosenblatt.engine.averaging import (
    PASSES,
    automatic,
    followed,
    mean_budget,
    mean_run,
    scaled_mean_run,
    separated,
    towards,
    wants_mean,
)
from rosenblatt.engine.loop import (
    CompiledSweep,
    all_margins,
    learn,
    mean_weights,
    resumed,
    zero_state,
)
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.orders import Permutations
from rosenblatt.engine.penalised import PenalisedSweep
from rosenblatt.engine.points import Points, count, stored
from rosenblatt.engine.rules import State, Tally, make_rule
from rosenblatt.engine.rules.family import make_margin_rule
from rosenblatt.engine.rules.penalties import penalised
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.solutions import KeepingSweep, weighted_error
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.errors import InputError
from rosenblatt.estimators.validation import Validation
from rosenblatt.fit.budgets import Arbiter
from rosenblatt.fit.conclusion import (
    Conclusion,
    InMemory,
    conclude,
    sandwich,
    with_separator,
)
from rosenblatt.fit.lockstep import IN_ORDER, RUNS_A_CORE, InStep, Turns, pays
from rosenblatt.fit.one_vs import Outcome
from rosenblatt.fit.problem import Part, Problem
from rosenblatt.teaching.cost import run_cost

UNKNOWN = Bracket(0.0, math.inf)
# Sets of so few entries are passed over at least so often to improve on a separator: milliseconds.
SMALL, FEW_PASSES = 2**20, 5


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

    order: str
    budget: Budget
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
    problem: Problem,
    tasks: Sequence[Task],
    plan: Plan,
    validation: Validation | None,
    n_jobs: int | None,
) -> list[Outcome]:
    """Make every run, in threads: machine code holds no lock, and the rows are shared.

    After a Ctrl-C within a run, the other ones end with their next pass.
    """
    interrupted = threading.Event()
    make = partial(fit_one, problem, plan=plan, validation=validation, interrupted=interrupted)
    if len(tasks) == 1:
        return [make(tasks[0])]

    # Threads may be started where processes may not: in a worker of multiprocessing.
    with parallel_config(backend="threading"):
        jobs = effective_n_jobs(n_jobs)  # type: ignore[arg-type]
    threads, turns = jobs, None
    if jobs > 1 and plan.order in IN_ORDER and pays(problem.points, [t.part for t in tasks]):
        threads, turns = min(len(tasks), RUNS_A_CORE * jobs), Turns(jobs)

    def make_small(task: Task) -> Outcome:
        if turns is None:
            return trimmed(make(task))
        return turns.alone(lambda: trimmed(make(task, turns=turns)))

    try:
        at_once: Any = Parallel(n_jobs=threads, require="sharedmem")
        return at_once(delayed(make_small)(task) for task in tasks)
    except KeyboardInterrupt:
        interrupted.set()
        raise


def trimmed(outcome: Outcome) -> Outcome:
    """The outcome without what only a run under way needs of every row: there are many runs."""
    state = outcome.run.state._replace(late=np.zeros(0))
    return outcome._replace(run=replace(outcome.run, state=state))


def fit_one(
    problem: Problem,
    task: Task,
    *,
    plan: Plan,
    validation: Validation | None,
    interrupted: threading.Event,
    turns: Turns | None = None,
) -> Outcome:
    """Make one run, and conclude from it what can be concluded."""
    problem = problem.part(task.part)
    state = started(problem, task.start, plan.ties)
    rule = rule_of(problem, plan, state, task.earlier)
    problem = problem._replace(rule=rule)
    if task.part is not None and not len(problem.everyone):
        return Outcome(idle(problem, state), Conclusion(), task.kept, rule)
    from_zero = not state.weights.any()
    held_out = None if validation is None else validation.part(task.part)
    # Rows of weight 0 take no part; rows held out end the run by their own test.
    certify = plan.certify if problem.whole or held_out is None else False
    arbiter = Arbiter.of(certify, problem, state, plan.order)
    announce = None if plan.announce is None else plan.announce(state)

    def watch(row: Pass) -> Stop | None:
        if interrupted.is_set():
            return Stop.INTERRUPTED
        stop = (announce and announce(row)) or arbiter.after_pass(row)
        # Some separator is not what a run for a margin is after.
        return None if plan.margin and stop is Stop.SEPARATED else stop

    sweeps = []

    def sweeper(*given: Any) -> Any:
        sweeps.append(_sweeper(rule, task.kept, turns)(*given))
        return sweeps[0]

    run = learn(
        problem.points,
        rule,
        order=plan.order,
        state=state,
        everyone=problem.everyone,
        budget=plan.budget,
        validation=held_out,
        rng=Permutations(task.seed),
        sweeper=sweeper,
        watch=watch,
    )
    if run.stop is Stop.INTERRUPTED:
        interrupted.set()
    evidence = InMemory(problem, sweeps[0].least if run.clean else math.nan)
    if hasattr(rule, "account"):
        # Penalised weights are no sum of updates, so neither drift nor sandwich speaks of them.
        run = replace(run, average=np.full_like(run.average, np.nan))
        conclusion = conclude(evidence, rule, run, math.inf, arbiter.answer, bind=False)
        conclusion = replace(conclusion, margin=UNKNOWN, mistake_bound=math.inf)
        return Outcome(run, conclusion, task.kept, rule)
    # Weights restored to the best on validation data are not those that the steps add up to.
    upper = sandwich(run) if from_zero and held_out is None else math.inf
    if not run.clean and arbiter.separator() is not None:
        run = with_separator(evidence, problem.rule, run, arbiter.separator())
        if plan.margin:
            # The steps it remembers are not those that lead to these weights.
            rule = None
    if "pocket" in task.kept and arbiter.separator() is not None:
        task.kept["pocket"].offer(run.weights, 0.0)
    bind = plan.certify is True
    conclusion = conclude(evidence, problem.rule, run, upper, arbiter.answer, bind)
    open_question = run.clean and problem.whole and conclusion.verdict is Verdict.UNDECIDED
    if open_question and _may_decide(plan, arbiter):
        # Rounding took a point on the line, or just beyond it, for one that is right.
        evidence, stop = InMemory(problem), arbiter.decide()
        run = replace(run, clean=False, stop=stop or run.stop)
        run = with_separator(evidence, problem.rule, run, arbiter.separator())
        conclusion = conclude(evidence, problem.rule, run, upper, arbiter.answer, bind)
    if conclusion.verdict is Verdict.UNDECIDED and certify == "auto":
        run = replace(run, proof_seconds=arbiter.proof_seconds)
    outcome = Outcome(run, conclusion, task.kept, rule)
    if run.clean and held_out is None and wants_wider(plan, conclusion):
        return with_wider(problem, task, plan, outcome, upper)
    if not wants_mean(run, plan):
        return outcome
    outcome = with_mean(problem, task, plan, outcome, held_out)
    if outcome.run.clean:
        found = outcome.run
        conclusion = conclude(InMemory(problem), problem.rule, found, upper, None, bind)
        if problem.whole and conclusion.verdict is Verdict.UNDECIDED:
            # Only rounding has all points on their right side.
            found = replace(found, clean=False, stop=run.stop, best=found.weights)
        outcome = outcome._replace(run=found, conclusion=conclusion)
    return outcome


def with_mean(
    problem: Problem,
    task: Task,
    plan: Plan,
    outcome: Outcome,
    held_out: tuple[Points, np.ndarray] | None,
) -> Outcome:
    """The outcome with weights to predict with: the mean over shuffled passes, or better ones.

    They are compared on the validation data if there are any, else on the training points.
    """
    first = outcome.run
    proved = outcome.conclusion.verdict is Verdict.INSEPARABLE
    state = started(problem, task.start, plan.ties)
    rule = rule_of(problem, plan, state, task.earlier)
    budget = mean_budget(plan.budget)
    given = problem.points, rule, state, problem.everyone, budget, task.seed
    points, chosen = held_out or (problem.points, problem.everyone)
    if held_out is not None:
        points = points._replace(steps=np.ones(count(points)))

    def error(weights: np.ndarray) -> float:
        return weighted_error(points, rule, state._replace(weights=weights), chosen)

    try:
        second = scaled_mean_run(*given, columns=problem.columns)
        if second.clean and held_out is None and not proved:
            return outcome._replace(run=separated(first, second))
        candidates = [second.average, second.weights] if second.passes else []
        if not (proved and candidates):
            # What was searched for may still be found, and the search may have come near.
            candidates.append(first.weights)
        candidates += [kept.weights for name, kept in task.kept.items() if name == "pocket"]
        best = min(candidates, key=error)
        if not proved and held_out is None and error(best) == 0:
            return outcome._replace(run=separated(first, replace(second, weights=best)))
    except KeyboardInterrupt:
        return outcome._replace(run=replace(first, stop=Stop.INTERRUPTED))
    run = followed(first, second, proved=proved)
    if held_out is not None:
        # The last weights of a validated run are those best on the validation data.
        run = replace(run, weights=first.weights)
    return outcome._replace(run=replace(run, best=best), rule=rule if proved else outcome.rule)


def wants_wider(plan: Plan, conclusion: Conclusion) -> bool:
    """Whether a separator is to be improved on: one of the plain rule, with its proof."""
    plain = plan.threshold == 0 and plan.margin == 0 and plan.ties == "mistake"
    return automatic(plan) and plain and conclusion.certificate is not None


def with_wider(problem: Problem, task: Task, plan: Plan, outcome: Outcome, upper: float) -> Outcome:
    """The outcome with a separator that is likely to predict better than the first one met."""
    run, points, everyone = outcome.run, problem.points, problem.everyone
    state = started(problem, task.start, plan.ties)
    # A shuffled look, at rows all over memory, takes about as long as three in order.
    passes = -(-run.looks // (3 * len(everyone)))
    if stored(points) * max(1, problem.vectors) <= SMALL:
        passes = max(FEW_PASSES, passes)
    budget = mean_budget(plan.budget, min(PASSES, passes))

    def margins(weights: np.ndarray) -> np.ndarray:
        return all_margins(points, problem.rule, state._replace(weights=weights), everyone)

    try:
        second = mean_run(points, problem.rule, state, everyone, budget, task.seed)
        wider = towards(second.average, run.weights, margins)
        found = replace(run, weights=wider, state=run.state._replace(weights=wider))
        bind = plan.certify is True
        conclusion = conclude(InMemory(problem), problem.rule, found, upper, None, bind)
    except KeyboardInterrupt:
        return outcome
    if conclusion.verdict is not Verdict.SEPARABLE:
        return outcome
    run = replace(run, best=wider, averaged=second.passes)
    return outcome._replace(run=run, conclusion=conclusion)


def _may_decide(plan: Plan, arbiter: Arbiter) -> bool:
    """Whether a run that ended without a proof is to have one; points on the line may be right."""
    wanted = arbiter.certify is not False and plan.ties == "mistake" and not plan.margin
    return wanted and arbiter.answer is None


def rule_of(problem: Problem, plan: Plan, state: State, earlier: Any) -> Any:
    """The rule that the plan asks for; it remembers what an earlier one did."""
    classes = max(2, problem.vectors)
    if not plan.margin:
        rule = make_rule(classes, plan.threshold, plan.ties)
        return penalised(
            rule, state.weights, plan.penalty, plan.alpha, plan.l1_ratio, problem.eta, earlier
        )
    rule = make_margin_rule(classes, plan.margin)
    if isinstance(earlier, type(rule)):
        return rule._replace(memory=earlier.memory.copy())
    if state.weights.any():
        raise InputError(
            f"margin={plan.margin!r} counts the steps since weights of 0: start there, without "
            "coef_init, intercept_init or an earlier fit that had no margin."
        )
    return rule


def _sweeper(rule: Any, kept: dict[str, Any], turns: Turns | None) -> Any:
    if hasattr(rule, "account"):
        return PenalisedSweep
    if kept:
        return partial(KeepingSweep, tuple(kept.values()))
    return CompiledSweep if turns is None else partial(InStep, turns)


def started(problem: Problem, start: Any, ties: str) -> State:
    """The state to start with."""
    if isinstance(start, State):
        return resumed(start, problem.points)
    state = zero_state(problem.points, problem.vectors)
    if start is not None:
        state.weights[...] = start
    if ties == "correct" and not state.weights.any():
        raise InputError(
            "ties='correct' never moves from weights of 0: give fit a coef_init that is not 0, or "
            "use ties='mistake'."
        )
    return state


def idle(problem: Problem, state: State) -> Run:
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
        cost=run_cost(problem.points, Tally(0, 0, 0, 0, 0), classes=len(state.buffer)),
    )

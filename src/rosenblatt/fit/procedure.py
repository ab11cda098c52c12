"""The procedure of a fit, the same for every place: learn, decide, choose, conclude.

Each stage hands the next a value, and none calls another.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import CUT_SHORT, Stop, Verdict
from rosenblatt.fit.choose import choose
from rosenblatt.fit.conclusion import (
    Conclusion,
    FittedRun,
    conclude,
    confirmed,
    margin_wanted,
    reached,
    sandwich,
    with_separator,
)
from rosenblatt.fit.plan import Plan, Task, begun
from rosenblatt.fit.when import SkiRental
from rosenblatt.places.place import Place
from rosenblatt.solve.attempts import find_proof
from rosenblatt.solve.effort import OutOfBudget
from rosenblatt.solve.search import Refutation, Separator

Answer = Separator | Refutation


def fit(
    place: Place,
    task: Task,
    plan: Plan,
    *,
    held_out: Any = None,
    interrupted: threading.Event | None = None,
) -> FittedRun:
    """Make one run, wherever the rows lie: learn, decide, choose, conclude.

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

    Returns
    -------
    FittedRun
    """
    state, rule = begun(place, plan, task.start, task.earlier)
    # Steps add up to the weights after a start at 0, or where the state counts those before it.
    counted = held_out is None and bool(not state.weights.any() or state.dual.any())
    # Rows of weight 0 take no part; rows held out end the run by their own test.
    provable = place.rereadable and (place.all_in_play or held_out is None)
    certify = plan.certify if provable else False
    learning = place.passes(rule, state, plan.schedule(task, held_out))
    rental = SkiRental(certify, place, plan.patience, plan.decide_after, learning.earlier)
    callback = None if plan.callback_of is None else plan.callback_of(state, rule)
    answer = stop = None
    try:
        for made in learning:
            stop = asked_to_stop(made, callback, interrupted)
            if learning.stop is None and stop is None and answer is None:
                budget = rental.budget(made)
                answer = proof_of(place, state, budget) if budget else None
                stop = stop_of(answer, rule) or rental.hopeless
            if stop is not None:
                break
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    run = learning.end(stop)
    if run.stop is Stop.INTERRUPTED and interrupted is not None:
        interrupted.set()
    # Weights restored to the best on validation data are not those that the steps add up to.
    upper = sandwich(run) if counted else math.inf
    try:
        wanted = margin_wanted(place, rule, run, upper)
        asked = certify is True and answer is None and run.stop not in CUT_SHORT
        if run.clean or asked:  # what a search found before is no proof of a margin run's weights
            run, answer = at_any_cost(place, rule, run, certify)
        if isinstance(answer, Separator):
            run = with_separator(place, rule, run, answer, task.kept)
        run = choose(place, task, plan, rule, run, held_out)
        conclusion = conclude(place, rule, run, upper, answer, plan.certify is True)
    except KeyboardInterrupt:  # what was learned is kept, whatever it would have shown
        run = run.but(weights=run.state.weights, stop=Stop.INTERRUPTED)
        return FittedRun(run, Conclusion(), task.kept, None if rule.share else rule)
    if conclusion.verdict is Verdict.UNDECIDED and certify == "auto":
        run = run.but(proof_seconds=rental.seconds)
    # The steps that a margin rule remembers are not those that lead to a separator found.
    gone_on = rule.share and isinstance(answer, Separator)
    run = confirmed(place, rule, run, conclusion, wanted)
    return FittedRun(run, conclusion, task.kept, None if gone_on else rule)


def asked_to_stop(
    made: Pass, callback: Callable[[Pass], Stop | None] | None, interrupted: threading.Event | None
) -> Stop | None:
    """Why a callback, or a Ctrl-C in another run of the same fit, wants no further pass."""
    asked = None if callback is None else callback(made)
    return Stop.INTERRUPTED if interrupted is not None and interrupted.is_set() else asked


def stop_of(answer: Answer | None, rule: Any) -> Stop | None:
    """Why a proof ends a run; a separator does not if the run is to reach a margin."""
    if isinstance(answer, Refutation):
        return Stop.INSEPARABLE
    return Stop.SEPARATED if answer is not None and not rule.share else None


def proof_of(place: Place, state: State, budget: float) -> Answer | None:
    """A separator or a refutation of the rows, searched for from where a run is; None if too dear.

    Parameters
    ----------
    place : Place
    state : State
        Of the run.
    budget : float
        What the search may cost, in entries read.
    """
    constraints: Any = place.constraints()
    start = constraints.columns.narrowed(state.weights)
    try:
        return find_proof(constraints, start, place.dual(state), budget=budget)
    except OutOfBudget:
        return None


def at_any_cost(place: Place, rule: Any, run: Run, certify: Any) -> tuple[Run, Answer | None]:
    """A clean run whose points are right for certain; else what a search at any cost finds.

    A point may be on its right side by rounding only, or on the boundary; or a budget was spent
    before a search was due.
    """
    sought = certify is not False and place.all_in_play and rule.corrects_ties
    if run.clean and (not sought or reached(place, rule, run) > 0):
        return run, None
    answer = proof_of(place, run.state, math.inf)
    stop = stop_of(answer, rule) or run.stop
    return run.but(clean=False, least=math.nan, stop=stop), answer

"""Which weights predict, in three lines.

The mean over ten shuffled passes, over columns made alike, with the mean of η‖x‖² as threshold.
Where the classes are separable and at most ten more passes, begun at that mean, correct it until it
separates them, the point nearest to the mean on the way there that still separates.
Otherwise the mean, and the separator is in the certificate.

The mean over all looks predicts better than any last weights (Freund and Schapire 1999; Collins
2002), and the nearer a separator is to it, the better it predicts. `benchmarks/ablation.py` tells
what each constant changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.loop import mean_weights, put, put_mean
from rosenblatt.engine.pieces import length
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import CUT_SHORT, Budget, Stop
from rosenblatt.fit import constants
from rosenblatt.fit.conclusion import proved
from rosenblatt.fit.least_squares import ridge_regression
from rosenblatt.fit.plan import Plan, Task, begun
from rosenblatt.places.place import (
    Place,
    Scaled,
    Schedule,
    count_missed,
    errors,
    least_margin,
    share_of_way,
)


def choose(place: Place, task: Task, plan: Plan, rule: Any, run: Run, held_out: Any = None) -> Run:
    """The run with the mean as its ``average``, and the weights to predict with as ``best``.

    A run in an order of the user's own, or without proofs, keeps the weights that it has; so does
    one that separated by a rule with a threshold or a margin of its own, and one that was cut
    short. Validation rows, where there are some, choose between the mean and the weights that were
    best on them; a penalty's mean is that of its own looks.

    Parameters
    ----------
    place, task, plan, rule
        The rows, and how the run was made.
    run : Run
        Clean if its weights separate.
    held_out : optional
        Validation rows, as the place knows them.
    """
    if rule.owes_penalty:
        return of_penalised(place, plan, rule, run, held_out)
    if not (plan.averages and place.rereadable) or run.stop in CUT_SHORT:
        return run
    rows = place.scaled(task.seed)
    mean, made = mean_of_passes(place, rows, task, plan)
    put_mean(run.state, mean)
    run = run.but(average=mean, averaged=made)
    if plan.solution != "auto" or (run.clean and not rule.is_plain):
        return run
    if held_out is not None:
        candidates = mean, run.weights
        best = candidates[int(np.argmin(errors(place, rule, candidates, held_out)))]
        return predicting_by(place, rule, run, best) if run.clean else run.but(best=best)
    if run.stop is Stop.INSEPARABLE or not rule.is_plain:
        return run.but(best=mean_or_least_squares(place, rows, rule, mean))
    found = predicting_by(place, rule, run, mean)
    if not found.missed:
        return found
    better = separator_near(place, rows, task, rule, mean) if run.clean else None
    if better is None:
        better = mean_or_least_squares(place, rows, rule, mean)
    return found if better is mean else predicting_by(place, rule, run, better)


def predicting_by(place: Place, rule: Any, run: Run, best: np.ndarray) -> Run:
    """The run with weights to predict with, which are its separator if they are certain to be one.

    That also settles what the run left open. Where only rounding is in doubt, the run's own weights
    predict, if these separate.
    """
    least = least_margin(place, rule, best)
    if not least > 0:
        return run.but(best=best, missed=count_missed(place, rule, best))
    if proved(least, best, place) <= 0:
        return run if run.clean else run.but(best=best)
    if not run.clean:
        put(run.state, best)
        run = run.but(weights=run.state.weights, clean=True, stop=Stop.SEPARATED)
    return run.but(best=best, least=least)


def separator_near(
    place: Place, rows: Scaled, task: Task, rule: Any, mean: np.ndarray
) -> np.ndarray | None:
    """The separator nearest to the mean on the way to where corrections lead; None if to none."""
    corrected = corrected_mean(place, rows, task, rule, mean)
    if corrected is None:
        return None
    share = share_of_way(place, rule, mean, corrected)
    share += constants.BEYOND * (1 - share)
    return (1 - share) * mean + share * corrected


def mean_of_passes(place: Place, rows: Scaled, task: Task, plan: Plan) -> tuple[np.ndarray, int]:
    """The mean over shuffled passes from 0, or from given weights, and how many were made."""
    given = None if isinstance(task.start, State) else task.start
    state, rule = begun(place, plan, given, task.earlier)
    if rule.is_plain:
        # One step on a point at the boundary then brings it to the threshold, on average.
        rule = rule._replace(threshold=rows.step)
    most = constants.MEAN_PASSES
    budget = Budget(min(most, plan.budget.passes or most), plan.budget.updates)
    rows.scale.into(state)
    run = rows.place.passes(rule, state, Schedule("shuffled", budget, task.seed)).all()
    rows.scale.back(state)
    if run.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return mean_weights(state), run.passes


def mean_or_least_squares(place: Place, rows: Scaled, rule: Any, mean: np.ndarray) -> np.ndarray:
    """Least squares where they have fewer rows wrong left out than the mean has of its own.

    As long as the mean, so that scores of one class against the rest compare.
    """
    found = ridge_regression(place, rows)
    if found is None or found[1] >= errors(place, rule, [mean])[0]:
        return mean
    return found[0] * (length(mean) / length(found[0]))


def corrected_mean(
    place: Place, rows: Scaled, task: Task, rule: Any, mean: np.ndarray
) -> np.ndarray | None:
    """Weights as long as the mean that separate, after passes begun at it; None if they do not."""
    state = place.start()
    state.weights[...] = constants.HEAD_START * mean
    rows.scale.into(state)
    budget = Budget(passes=constants.MEAN_PASSES)
    run = rows.place.passes(rule, state, Schedule("active", budget, task.seed)).all()
    rows.scale.back(state)
    if run.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    longer = length(state.weights)
    return state.weights * (length(mean) / longer) if run.clean and longer > 0 else None


def of_penalised(place: Place, plan: Plan, rule: Any, run: Run, held_out: Any) -> Run:
    """The choice of a penalised run: the mean over its looks, or its last weights if they err less.

    A penalty makes weights forget, so that the last ones are those of the last mistakes, and their
    mean over all looks predicts better. Weights that are 0 in the end are set to 0 in the mean,
    since a penalty is meant to make weights sparse. Where columns differ much in size, though, the
    weights after some pass make fewer errors. A separator must have right the rows that were
    learned from, too.
    """
    mean = np.where(run.weights == 0, 0.0, run.average)
    mean[..., -1] = run.average[..., -1]
    run = run.but(average=mean)
    if plan.solution != "auto":
        return run
    both = held_out is not None and run.stop is Stop.SEPARATED
    sets = (None, held_out) if both else (held_out,)
    candidates = mean, run.weights
    wrong = np.sum([errors(place, rule, candidates, rows) for rows in sets], axis=0)
    # Rounded, so that rows of next to no weight do not decide.
    best = candidates[int(np.argmin(wrong.round(6)))]
    return predicting_by(place, rule, run, best) if run.clean else run.but(best=best)

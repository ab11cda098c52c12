"""The weights that predict where no separator is known: a mean over passes, or better ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.averaging import (
    averaged,
    followed,
    mean_budget,
    separated,
)
from rosenblatt.engine.loop import length
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.fit.conclusion import conclude, confirmed
from rosenblatt.fit.least_loss import are_few, of_few_rows, of_least_loss
from rosenblatt.fit.one_vs import Outcome
from rosenblatt.fit.plan import Plan, Task, rule_of, started
from rosenblatt.once import cached_property
from rosenblatt.places.memory import Memory
from rosenblatt.places.place import Place

# Training errors per column by which weights of least loss must beat other weights (measured: on 25
# usual sets a half costs nothing; on correlated columns 1 costs up to 8 points).
HANDICAP = 0.75
# The same where a separator is to be near the better ones, so that no errors are possible
# (measured: on 12 usual sets a quarter costs 0.1 points; on correlated columns, one row in 20
# positive, a half brings nothing). Many classes, each fitted against the rest, have HANDICAP.
NEAR_HANDICAP = 0.35


class MeanPasses:
    """The shuffled passes whose mean predicts for a task, made on first use."""

    def __init__(self, place: Place, task: Task, plan: Plan):
        self.place, self.task, self.plan = place, task, plan

    @cached_property
    def run(self) -> Run:
        """The run that makes the passes."""
        place, task, plan = self.place, self.task, self.plan
        state = started(place, task.start, plan)
        self.rule = rule_of(place, plan, state, task.earlier)
        return place.mean_run(self.rule, state, mean_budget(plan.budget), task.seed)

    def mean(self) -> np.ndarray:
        """The mean over the passes; raises KeyboardInterrupt if a Ctrl-C ended them."""
        if self.run.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return self.run.average

    @cached_property
    def least_loss(self) -> np.ndarray | None:
        """Weights of least loss, rows weighted by their steps; None where not worth the cost."""
        place: Any = self.place
        return of_least_loss(place, self.rule, self.run.average, self.task.seed)

    @cached_property
    def of_few_rows(self) -> np.ndarray | None:
        """Least-squares weights of few rows; None where the mean is likely to be as good."""
        place: Any = self.place
        if self.task.start is not None or not are_few(place):
            return None
        return of_few_rows(place, self.rule, self.run)

    def better(self) -> np.ndarray | None:
        """Weights of least loss, scaled to the length of the mean, if they are likely better."""
        place, mean = self.place, self.mean()
        least = self.of_few_rows
        if least is not None:
            return least * (length(mean) / length(least))
        (errors,) = place.errors(self.rule, [mean])
        allowed = (HANDICAP if place.vectors else NEAR_HANDICAP) * (place.d + 1) / place.rows
        least = self.least_loss if errors > allowed else None
        if least is None or not place.errors(self.rule, [least])[0] + allowed < errors:
            return None
        return least * (length(mean) / length(least))

    def exponents(self) -> np.ndarray:
        """Exponents by which the passes scale columns; for rows in memory."""
        place: Any = self.place
        return place.columns.scale.exponents


def with_mean(
    passes: MeanPasses,
    outcome: Outcome,
    held_out: Any = None,
    descended: np.ndarray | None = None,
) -> Outcome:
    """The outcome with weights to predict with: the mean over shuffled passes, or better ones.

    Candidates are compared on the validation data if there are any, else on the training points.
    There, weights of least loss (those that a search ``descended`` to, or those of weighted rows)
    must have fewer errors by nearly one per column, since fitting that many weights alone saves as
    many. They are better where columns are strongly correlated: passes learn next to nothing along
    the differences of such columns.
    """
    first, place, task = outcome.run, passes.place, passes.task
    proved = outcome.conclusion.verdict is Verdict.INSEPARABLE
    try:
        second, rule = passes.run, passes.rule
        if second.clean and held_out is None and not proved:
            return outcome._replace(run=separated(first, second))
        goes_on = proved and place.mean_goes_on
        run = followed(first, second, proved=goes_on)
        if second.stop is Stop.INTERRUPTED and not place.at_hand:
            run = run.but(stop=Stop.INTERRUPTED, best=second.average)
            return outcome._replace(run=run)
        candidates = [second.average, second.weights] if second.passes else []
        if not (proved and candidates):
            # There may be a separator, and the search may have come near it.
            candidates.append(first.weights)
        candidates += [kept.weights for name, kept in task.kept.items() if name == "pocket"]
        few = passes.of_few_rows if isinstance(place, Memory) else None
        if few is not None:
            # Judged by rows left out or held out, not by their training errors.
            candidates = [few] if held_out is None else [*candidates, few]
        handicaps = [0.0] * len(candidates)
        allowed = HANDICAP * (place.d + 1) if held_out is None else 0.0
        if descended is not None and few is None:
            candidates.append(descended)
            handicaps.append(allowed / place.rows)
        if isinstance(place, Memory) and (descended is None or not place.all_alike):
            least = passes.least_loss
            if least is not None:
                candidates.append(least)
                handicaps.append(allowed / place.rows_alike)
        errors = place.errors(rule, candidates, held_out) + handicaps
    except KeyboardInterrupt:
        return outcome._replace(run=first.but(stop=Stop.INTERRUPTED))
    best = candidates[int(np.argmin(errors))]
    if not proved and held_out is None and not errors.min():
        return outcome._replace(run=separated(first, second.but(weights=best)))
    if held_out is not None:
        # The last weights of a validated run are those best on the validation data.
        run = run.but(weights=first.weights)
    return outcome._replace(run=run.but(best=best), rule=rule if goes_on else outcome.rule)


def with_average(passes: MeanPasses, outcome: Outcome) -> Outcome:
    """The outcome with the mean over shuffled passes as its average, whatever the verdict."""
    try:
        second = passes.run
    except KeyboardInterrupt:
        return outcome._replace(run=outcome.run.but(stop=Stop.INTERRUPTED))
    return outcome._replace(run=averaged(outcome.run, second), rule=passes.rule)


def checked_mean(
    place: Place, rule: Any, plan: Plan, outcome: Outcome, first: Run, upper: float
) -> Outcome:
    """The outcome with its proof, where the passes for the mean met a separator."""
    found = outcome.run
    if not found.clean:
        return outcome
    conclusion = conclude(place, rule, found, upper, None, plan.certify is True)
    if place.whole and conclusion.verdict is Verdict.UNDECIDED:
        # All points are on their right side only as rounding has it.
        found = found.but(clean=False, stop=first.stop, best=found.weights)
    found = confirmed(found, conclusion)
    return outcome._replace(run=found, conclusion=conclusion)

"""The weights that predict: an improved separator or, where there is none, a mean over passes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.engine.averaging import (
    LONGEST,
    PASSES,
    automatic,
    averaged,
    followed,
    mean_budget,
    quick_mean,
    separated,
    shortened,
    with_margin,
)
from rosenblatt.engine.loop import length
from rosenblatt.engine.margins import UNIT
from rosenblatt.engine.moving import between, towards
from rosenblatt.engine.orders import Permutations, come_in_classes
from rosenblatt.engine.pieces import all_margins, middle
from rosenblatt.engine.points import Points, table_of
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.engine.zeros import mostly_zero
from rosenblatt.fit.conclusion import TINY, Conclusion, conclude, confirmed
from rosenblatt.fit.least_loss import of_least_loss
from rosenblatt.fit.one_vs import Outcome
from rosenblatt.fit.plan import Plan, Task, rule_of, started
from rosenblatt.once import cached_property
from rosenblatt.places.memory import Memory
from rosenblatt.places.place import Place

# Entries of a set whose passes take some microseconds each.
SMALL = 2**14
# Looks to improve on a separator, for each mistake on the way to it (measured on 17 sets: half as
# many cost up to 1.5 points of accuracy, more bring nothing).
LOOKS_A_MISTAKE = 20

# The share of errors that is not worth another look at every row.
NOTICEABLE = 0.001
# Training errors for each column by which weights of least loss must be better (measured: on 25
# usual sets a half costs nothing; on correlated columns 1 costs up to 8 points).
HANDICAP = 0.75
# And those that a separator is to be near to, which can have none (measured: on 12 usual sets a
# quarter costs 0.1 points; on correlated columns, one row in 20 positive, a half brings nothing).
NEAR_HANDICAP = 0.35
# The coordinate of the bias while a separator of text is improved on, of the usual ‖x‖ (measured).
LITTLE = 0.3
# Rows for each weight up to which one separator predicts noticeably better than another; and up to
# which, with two classes, by enough to be worth ten passes more than those that separated them.
ROWS_A_WEIGHT, ROWS_A_WEIGHT_OF_TWO = 50, 10
# Times the square of the bias's coordinate up to which ‖x‖² is short beside it, and times the usual
# ‖x‖² that the longest row has where texts are not all made as long.
SHORT, LENGTHS = 0.1, 4.0
# How much of the way to the first separator is far from the mean (measured on 50 sets of texts:
# from 0.5 on corrections bring up to 4 points, below they cost up to half a point).
FAR = 0.5
# Mistakes for each row up to which a few passes bring nothing (measured on text and images: up to
# 0.07 none was 0.01 points better for them, from 0.1 on most are).
FEW = 0.05


class MeanPasses:
    """The shuffled passes of a task whose mean predicts, made when they are first asked for."""

    def __init__(self, place: Place, task: Task, plan: Plan):
        self.place, self.task, self.plan = place, task, plan

    @cached_property
    def run(self) -> Run:
        """The passes."""
        place, task, plan = self.place, self.task, self.plan
        state = started(place, task.start, plan)
        self.rule = rule_of(place, plan, state, task.earlier)
        return place.mean_run(self.rule, state, mean_budget(plan.budget), task.seed)

    def mean(self) -> np.ndarray:
        """Their mean; raises KeyboardInterrupt where a Ctrl-C ended them."""
        if self.run.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return self.run.average

    @cached_property
    def least_loss(self) -> np.ndarray | None:
        """Weights of least loss of the rows by their weights; None where that is not worth it."""
        place: Any = self.place
        return of_least_loss(place, self.rule, self.run.average, self.task.seed)

    def better(self) -> np.ndarray | None:
        """Weights of least loss, as long as the mean, if they tell two classes apart better.

        Those of many classes, each against the rest, are no better to separate near to (measured).
        """
        place, mean = self.place, self.mean()
        if place.vectors:
            return None
        (errors,) = place.errors(self.rule, [mean])
        allowed = NEAR_HANDICAP * (place.d + 1) / place.rows
        least = self.least_loss if errors > allowed else None
        if least is None or not place.errors(self.rule, [least])[0] + allowed < errors:
            return None
        return least * (length(mean) / length(least))

    def exponents(self) -> np.ndarray:
        """Of the sizes by which columns are made alike for them, in memory."""
        place: Any = self.place
        return place.columns.scale.exponents


def with_mean(
    passes: MeanPasses,
    outcome: Outcome,
    held_out: Any = None,
    descended: np.ndarray | None = None,
) -> Outcome:
    """The outcome with weights to predict with: the mean over shuffled passes, or better ones.

    They are compared on the validation data if there are any, else on the training points. There,
    weights of least loss, those that a search ``descended`` to or those of rows by their weights,
    must have fewer errors by nearly one for each column: so many fewer are had by fitting that many
    weights alone. They are better where columns are strongly correlated, along whose differences
    passes learn next to nothing.
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
            # What was searched for may still be found, and the search may have come near.
            candidates.append(first.weights)
        candidates += [kept.weights for name, kept in task.kept.items() if name == "pocket"]
        handicaps = [0.0] * len(candidates)
        allowed = HANDICAP * (place.d + 1) if held_out is None else 0.0
        if descended is not None:
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
    """The outcome with the mean over shuffled passes for its average, whatever was concluded."""
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
        # Only rounding has all points on their right side.
        found = found.but(clean=False, stop=first.stop, best=found.weights)
    found = confirmed(found, conclusion)
    return outcome._replace(run=found, conclusion=conclusion)


def wants_wider(plan: Plan) -> bool:
    """Whether a separator is to be improved on: one of the plain rule."""
    plain = plan.threshold == 0 and plan.margin == 0 and plan.ties == "mistake"
    return automatic(plan) and plain


def leave_much_open(place: Memory) -> bool:
    """Whether rows are so few that their separators differ noticeably on others.

    Where they are many, ten passes for the mean would take longer than to separate them.
    """
    return place.rows <= ROWS_A_WEIGHT * (place.d + 1)


def is_worth_it(place: Memory, run: Run) -> bool:
    """Whether a better separator than the first one met may predict noticeably better.

    In the mean over training sets, a separator is wrong on a new row at most as often as a row of
    the set is mistaken on the way to it: leaving that row out would change nothing otherwise (the
    leave-one-out bound; Freund and Schapire 1999, theorem 3). Most mistakes are early ones, so that
    errors are far fewer, and what is left of them takes many passes, which only small sets have.
    """
    return run.updates > (NOTICEABLE if is_small(place) else FEW) * place.rows


def is_small(place: Memory) -> bool:
    """Whether passes take but microseconds."""
    return place.entries * max(1, place.vectors) <= SMALL


def is_text(place: Memory) -> bool:
    """Whether there is a bias, and rows are mostly 0."""
    return place.fit_intercept and mostly_zero(table_of(place.points.rows))


def with_little_bias(
    points: Points, rule: Any, state: State, order: np.ndarray, budget: Budget, usual: float
) -> np.ndarray:
    """`quick_mean` with a bias that is little beside rows, most of which are so long.

    Rows of text made as long as the coordinate of the bias have it learn, before any word, that a
    class is rare. Beside rows that are longer it is little as it is: with even less of it, words
    that all texts have would learn that instead.
    """
    little = min(1.0, LITTLE * usual)
    state.weights[..., -1] /= little
    mean = quick_mean(points._replace(bias=little), rule, state, order, budget)
    mean[..., -1] *= little
    return mean


def comes_near(place: Memory, usual: float) -> bool:
    """Whether a separator near to the mean over shuffled passes is worth these passes.

    Where rows are few for the weights, and learning takes its time anyway: rows that are mostly 0
    are separated in less than the ten passes would take, so that it is worth while only to have
    columns scaled that drown others, or that the bias drowns. ``usual`` is ‖(x, 1)‖² of most rows.
    """
    if mostly_zero(table_of(place.points.rows)):
        if usual <= (1 + SHORT) * place.points.bias**2:
            return True
        longest = place.squares[place.everyone].max()
        return longest > LENGTHS * usual and place.columns.unlike
    few = ROWS_A_WEIGHT if place.vectors else ROWS_A_WEIGHT_OF_TWO
    return not is_small(place) and place.rows <= few * (place.d + 1)


def of_short_steps(place: Memory, usual: float) -> Points:
    """The points of a place with steps of which none moves the weights much more than most do.

    Of texts of very different lengths, the longest would be all that is learned.
    """
    points = place.points
    return points._replace(steps=shortened(points.steps, place.squares, LONGEST * usual))


def mean_of_looks(
    place: Memory, points: Points, rule: Any, passes: MeanPasses, run: Run, text_of: float | None
) -> tuple[np.ndarray, int]:
    """The mean over at most half as many looks as the search took, and how many passes they are.

    And only over so many for each mistake it made: where mistakes were few, new rows are seldom
    wrong, and there is little to gain. Where passes take but microseconds, ten of them. In an order
    that does not depend on how the rows came, where that takes no longer; else from the separator.
    Rows are text of such a usual ‖x‖, or none.
    """
    task, plan = passes.task, passes.plan
    small, order = is_small(place), place.everyone
    most = PASSES if small else min(run.looks // 2, LOOKS_A_MISTAKE * run.updates) // place.rows
    budget = mean_budget(plan.budget, min(PASSES, max(1, most)))
    state = started(place, task.start, plan)
    margin_rule = with_margin(rule, points, place.squares)
    if small and not place.mixed:
        # What keeps a pocket or votes was searched in the order in which rows came.
        order = place.shuffled(task.seed).everyone
    elif not place.mixed and come_in_classes(place.points.y[order]):
        order = Permutations(task.seed).permutation(order)
    given = points, margin_rule, state, order, budget
    if text_of is None:
        return quick_mean(*given), budget.passes or 0
    if not place.vectors:
        state.weights[...] = run.weights
    return with_little_bias(*given, text_of), budget.passes or 0


def with_wider(
    place: Memory, passes: MeanPasses, rule: Any, run: Run, upper: float
) -> tuple[Run, Conclusion] | None:
    """A separator that is likely to predict better than the first one met, with its proof.

    The mean over shuffled passes, moved towards what corrects it on the rows that it has wrong,
    until it separates. Where that is too costly, the mean of some looks, its bias put between two
    classes that its direction separates, else moved towards the first separator; of texts that
    would leave it far behind towards what corrects it, too. None without a proof.
    """
    task, plan = passes.task, passes.plan
    text, usual = is_text(place), middle(place.squares[place.everyone])
    close = comes_near(place, usual)
    if text and not (close or place.mixed):
        place = place.shuffled(task.seed)
    points, everyone = place.points, place.everyone
    if close:
        better = passes.better()
        mean, made = passes.mean() if better is None else better, passes.run.passes
    else:
        points = of_short_steps(place, usual)
        text_of = math.sqrt(usual - points.bias**2) if text else None
        mean, made = mean_of_looks(place, points, rule, passes, run, text_of)

    def margins(weights: np.ndarray, chosen: Any) -> np.ndarray:
        state = run.state._replace(weights=weights)
        return all_margins(place.points, rule, state, everyone[chosen])

    near, moved = margins(mean, np.s_[:]), None
    if place.fit_intercept and not (close or place.vectors) and (text or not is_small(place)):
        moved = between(mean, near, place.points.y[everyone])
    if moved is None and (near.min() > 0 or not close):
        moved = towards(mean, run.weights, near, margins, run.least)
    if moved is None or (text and moved.way >= FAR):
        if close:
            corrected = place.corrected(rule, mean, task.seed)
        else:
            corrected = place.corrected_by(points, rule, mean, task.seed)
        if corrected.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        if corrected.clean:
            moved = towards(mean, corrected.weights, near, margins)
    wider, least, _ = moved or towards(mean, run.weights, near, margins, run.least)
    # Of two scores and of weights that were added up, each rounded.
    longest = length(mean) + abs(float(wider.flat[-1]))
    least -= 8 * (place.d + 8) * (UNIT * place.radius * longest + TINY)
    found = run.but(weights=wider, state=run.state._replace(weights=wider), least=least)
    conclusion = conclude(place, rule, found, upper, None, plan.certify is True)
    in_play = not place.whole and conclusion.margin.lower > 0
    if not (in_play or conclusion.verdict is Verdict.SEPARABLE):
        return None
    return confirmed(run.but(best=wider, averaged=made), conclusion), conclusion

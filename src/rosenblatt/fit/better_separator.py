"""The weights that predict where classes are separated: a separator near the mean, or the mean.

The nearer a separator is to the mean over shuffled passes, the better it predicts; one that is far
from the mean, to have the last few rows right, predicts worse than the mean.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.averaging import (
    LONGEST,
    PASSES,
    automatic,
    mean_budget,
    quick_mean,
    shortened,
    usual_square,
    with_margin,
)
from rosenblatt.engine.loop import length
from rosenblatt.engine.margins import UNIT
from rosenblatt.engine.moving import Moved, between, towards
from rosenblatt.engine.orders import Permutations, come_in_classes
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import Points, table_of
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Budget, Stop, Verdict
from rosenblatt.engine.zeros import mostly_zero
from rosenblatt.fit.conclusion import TINY, Conclusion, conclude, confirmed
from rosenblatt.fit.plan import Plan, started
from rosenblatt.fit.predictor import MeanPasses
from rosenblatt.places.memory import Memory

# Entries up to which a set is small: a pass takes some microseconds.
SMALL = 2**14
# Looks spent on a better separator, per mistake of the run that found the first one (measured on 17
# sets: half as many cost up to 1.5 points of accuracy, more bring nothing).
LOOKS_A_MISTAKE = 20

# Mistakes per row up to which a better separator of a small set is not worth its passes.
NOTICEABLE = 0.001
# Bias coordinate for the mean over rows of text, as a share of the usual ‖x‖ (measured).
LITTLE = 0.3
# Rows per weight up to which separators differ noticeably on new rows; and up to which, with two
# classes, they differ by enough to be worth ten passes more than it took to separate them.
ROWS_A_WEIGHT, ROWS_A_WEIGHT_OF_TWO = 50, 10
# Multiple of the squared bias coordinate up to which ‖x‖² is short beside it; and multiple of the
# usual ‖x‖² above which the longest row shows that texts were not normalised to one length.
SHORT, LENGTHS = 0.1, 4.0
# Share of the way from the mean to the first separator from which on weights are far from the mean
# (measured on 50 sets of texts: from 0.5 on corrections bring up to 4 points, below they cost up to
# half a point).
FAR = 0.5
# Cosine between a separator's margins and the mean's margins below which the mean predicts
# (measured on 275 sets of 60 to 1,200 rows, with noise and without: below it the mean is better by
# 4 points on average and by up to 25, above it by −1.4 to 2.6; 0.97 and 0.99 do as well).
ALIKE = 0.98
# Mistakes per row up to which a few more passes bring nothing to larger sets (measured on text and
# images: up to 0.07 none was 0.01 points better for them, from 0.1 on most are).
FEW = 0.05
# Training errors per free weight above which a mean has not learned its rows (measured: up to 0.37
# where it predicts better than a separator, 0.8 and more where columns are so alike that passes
# learn next to nothing of their differences).
LEARNED = 0.5
SEPARATED = (Stop.SEPARATED, Stop.SEPARATED_IN_PLAY)
# Rows below which a user reads each of them, and expects it to be predicted right.
LOOKED_AT = 20


def wants_better_separator(plan: Plan) -> bool:
    """Whether to improve on a separator: only with the plain rule and automatic weights."""
    plain = plan.threshold == 0 and plan.margin == 0 and plan.ties == "mistake"
    return automatic(plan) and plain


def separators_differ(place: Memory) -> bool:
    """Whether rows are so few that their separators differ noticeably on new rows.

    With more rows, ten passes for the mean would take longer than separating them.
    """
    return place.rows <= ROWS_A_WEIGHT * (place.d + 1)


def may_improve(place: Memory, run: Run) -> bool:
    """Whether a better separator than the first one met may predict noticeably better.

    On average over training sets, a separator is wrong on a new row at most as often as rows of the
    set were mistaken on the way to it: leaving out a row that never was a mistake changes nothing
    (the leave-one-out bound; Freund and Schapire 1999, theorem 3). Most mistakes come early, so
    that errors on new rows are far fewer; to reduce them takes many passes, which only small sets
    can afford.
    """
    return run.updates > (NOTICEABLE if is_small(place) else FEW) * place.rows


def is_small(place: Memory) -> bool:
    """Whether a pass takes only microseconds."""
    return place.entries * max(1, place.vectors) <= SMALL


def is_text(place: Memory) -> bool:
    """Whether there is a bias, and rows are mostly 0."""
    return place.fit_intercept and mostly_zero(table_of(place.points.rows))


def with_little_bias(
    points: Points, rule: Any, state: State, order: np.ndarray, budget: Budget, usual: float
) -> np.ndarray:
    """`quick_mean` with a bias coordinate that is small beside ``usual``, the length of most rows.

    Where rows of text are only as long as the bias coordinate, the bias learns before any word does
    that a class is rare. Beside longer rows it is small already: were it even smaller, words common
    to all texts would learn that instead.
    """
    little = min(1.0, LITTLE * usual)
    state.weights[..., -1] /= little
    mean = quick_mean(points._replace(bias=little), rule, state, order, budget)
    mean[..., -1] *= little
    return mean


def is_worth_shuffled_passes(place: Memory, usual: float) -> bool:
    """Whether a separator near the mean over shuffled passes is worth these passes.

    It is where rows are few for the weights and passes are not short. Rows that are mostly 0 are
    separated in less time than the ten passes take: there it is worth it only for the scaling of
    columns that drown others, or that the bias drowns. ``usual`` is ‖(x, 1)‖² of most rows.
    """
    if mostly_zero(table_of(place.points.rows)):
        if usual <= (1 + SHORT) * place.points.bias**2:
            return True
        longest = place.squares[place.everyone].max()
        return longest > LENGTHS * usual and place.columns.unlike
    return not is_small(place) and are_worth_passes(place)


def are_worth_passes(place: Memory) -> bool:
    """Whether rows are so few that a separator near the mean is worth its ten passes."""
    few = ROWS_A_WEIGHT if place.vectors else ROWS_A_WEIGHT_OF_TWO
    return place.rows <= few * (place.d + 1)


def with_limited_steps(place: Memory, usual: float) -> Points:
    """The points of a place, the steps of long rows shortened.

    Else the weights would be those of the longest texts alone, where lengths differ much.
    """
    points = place.points
    return points._replace(steps=shortened(points.steps, place.squares, LONGEST * usual))


def mean_of_looks(
    place: Memory, points: Points, rule: Any, passes: MeanPasses, run: Run, text_of: float | None
) -> tuple[np.ndarray, int]:
    """The mean over at most half as many looks as the search took, and the number of passes.

    Looks are also limited per mistake of the search: where mistakes were few, new rows are seldom
    wrong, and there is little to gain. Small sets get ten passes, in an order that does not depend
    on how the rows came. With two classes of text, looks start at the separator. ``text_of`` is the
    usual ‖x‖ of rows of text, None of other rows.
    """
    task, plan = passes.task, passes.plan
    small, order = is_small(place), place.everyone
    most = PASSES if small else min(run.looks // 2, LOOKS_A_MISTAKE * run.updates) // place.rows
    budget = mean_budget(plan.budget, min(PASSES, max(1, most)))
    state = started(place, task.start, plan)
    margin_rule = with_margin(rule, points, place.squares)
    if small and not place.mixed:
        # Runs that keep a pocket or votes learn in the order in which rows came.
        order = place.shuffled(task.seed).everyone
    elif not place.mixed and come_in_classes(place.points.y[order]):
        order = Permutations(task.seed).permutation(order)
    given = points, margin_rule, state, order, budget
    if text_of is None:
        return quick_mean(*given), budget.passes or 0
    if not place.vectors:
        state.weights[...] = run.weights
    return with_little_bias(*given, text_of), budget.passes or 0


class BetterSeparator(NamedTuple):
    """A separator made from a mean, with its proof.

    Attributes
    ----------
    run : Run
        The run that found the first separator, with this one to predict with.
    conclusion : Conclusion
    mean : ndarray
    overfit : bool
        Whether it is too unlike the mean to predict.
    """

    run: Run
    conclusion: Conclusion
    mean: np.ndarray
    overfit: bool


class SeparatorImprover:
    """Makes separators that are likely to predict better than the first one met.

    Parameters
    ----------
    passes : MeanPasses
        Of the same place and task.
    rule : Rule
    run : Run
        The run that found the first separator.
    upper : float
        Upper bound of the margin.
    """

    def __init__(self, passes: MeanPasses, rule: Any, run: Run, upper: float):
        self.passes, self.rule, self.run, self.upper = passes, rule, run, upper
        self.place: Any = passes.place

    def margins(self, weights: np.ndarray, chosen: Any = np.s_[:]) -> np.ndarray:
        """Margins of the chosen rows among those in play."""
        state = self.run.state._replace(weights=weights)
        return all_margins(self.place.points, self.rule, state, self.place.everyone[chosen])

    def near_passes(self) -> BetterSeparator | None:
        """The mean over shuffled passes, moved until it separates.

        Towards a separator that corrections of the mean lead to, or towards the first separator if
        they lead to none.
        """
        better = self.passes.better()
        mean = self.passes.mean() if better is None else better
        near, moved = self.margins(mean), None
        if not near.min() > 0:
            corrected = self.place.corrected(self.rule, mean, self.passes.task.seed)
            moved = self._corrected(mean, near, corrected)
        moved = moved or self._towards_first(mean, near)
        return self._proved(mean, near, moved, self.passes.run.passes)

    def near_looks(self, usual: float) -> BetterSeparator | None:
        """The mean of some looks, moved until it separates.

        By its bias alone where its direction separates two classes, else towards the first
        separator. Where that leads far from the mean of texts, corrections of the mean are tried.
        ``usual`` is ‖(x, 1)‖² of most rows.
        """
        text, task = is_text(self.place), self.passes.task
        if text and not self.place.mixed:
            self.place = self.place.shuffled(task.seed)
        place, points = self.place, with_limited_steps(self.place, usual)
        text_of = math.sqrt(usual - points.bias**2) if text else None
        mean, made = mean_of_looks(place, points, self.rule, self.passes, self.run, text_of)
        near, moved = self.margins(mean), None
        if place.fit_intercept and not place.vectors and (text or not is_small(place)):
            moved = between(mean, near, place.points.y[place.everyone])
        moved = moved or self._towards_first(mean, near)
        if text and moved.way >= FAR:
            corrected = place.corrected_by(points, self.rule, mean, task.seed)
            moved = self._corrected(mean, near, corrected) or moved
        return self._proved(mean, near, moved, made)

    def _towards_first(self, mean: np.ndarray, near: np.ndarray) -> Moved:
        return towards(mean, self.run.weights, near, self.margins, self.run.least)

    def _corrected(self, mean: np.ndarray, near: np.ndarray, corrected: Run) -> Moved | None:
        if corrected.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return towards(mean, corrected.weights, near, self.margins) if corrected.clean else None

    def _proved(
        self, mean: np.ndarray, near: np.ndarray, moved: Moved, made: int
    ) -> BetterSeparator | None:
        """The moved weights, if they are proved to separate."""
        place, run = self.place, self.run
        separator, least, _ = moved
        # The rounding of two scores, and of the sum of two weight vectors.
        longest = length(mean) + abs(float(separator.flat[-1]))
        least -= 8 * (place.d + 8) * (UNIT * place.radius * longest + TINY)
        found = run.but(weights=separator, state=run.state._replace(weights=separator), least=least)
        bind = self.passes.plan.certify is True
        conclusion = conclude(place, self.rule, found, self.upper, None, bind)
        in_play = not place.whole and conclusion.margin.lower > 0
        if not (in_play or conclusion.verdict is Verdict.SEPARABLE):
            return None
        may_be = not near.min() > 0 and are_worth_passes(place) and may_overfit(place)
        overfit = may_be and is_overfit(place, near, self.margins(separator))
        found = confirmed(run.but(best=separator, averaged=made), conclusion)
        return BetterSeparator(found, conclusion, mean, overfit)


def with_better_separator(
    passes: MeanPasses, rule: Any, run: Run, upper: float
) -> tuple[Run, Conclusion] | None:
    """A separator that is likely to predict better than the first one met, or None.

    Near the mean over shuffled passes where `is_worth_shuffled_passes` says so, else near a mean of
    some looks; if that is overfit, near the mean over shuffled passes after all. Where the
    separator is still overfit the mean predicts, and the separator is the proof.
    """
    place: Any = passes.place
    improver = SeparatorImprover(passes, rule, run, upper)
    usual = usual_square(place.squares[place.everyone])
    close = is_worth_shuffled_passes(place, usual)
    found = improver.near_passes() if close else improver.near_looks(usual)
    if found is not None and found.overfit and not close:
        found = improver.near_passes() or found
    if found is None:
        return None
    run, conclusion, mean, overfit = found
    return overfitted(run, mean) if overfit else run, conclusion


def may_overfit(place: Memory) -> bool:
    """Whether rows are so few for the weights that a separator may be overfit.

    Texts are not overfit: rare words separate them at no cost to other rows. Nor are as many
    classes as columns: some lie between others, which a mean is slow to learn (measured).
    """
    if place.rows < LOOKED_AT or len(place.classes) >= place.d or not separators_differ(place):
        return False
    return not mostly_zero(table_of(place.points.rows))


def unless_overfit(place: Memory, rule: Any, run: Run, mean: np.ndarray) -> Run:
    """The run, to predict by its separator near the mean or, if that is overfit, by the mean."""
    if run.stop not in SEPARATED or not may_overfit(place):
        return run
    near, far = (
        all_margins(place.points, rule, run.state._replace(weights=weights), place.everyone)
        for weights in (mean, run.weights)
    )
    return overfitted(run, mean) if is_overfit(place, near, far) else run


def overfitted(run: Run, mean: np.ndarray) -> Run:
    """The run of an overfit separator, with the mean to predict with."""
    stop = Stop.SEPARATED_OVERFIT if run.stop in SEPARATED else run.stop
    return run.but(best=mean, stop=stop)


def is_overfit(place: Memory, near: np.ndarray, far: np.ndarray) -> bool:
    """Whether a separator of margins ``far`` is too unlike a mean of margins ``near``.

    Never where the mean has not learned the rows: that many errors are not noise that the separator
    could have been fitted to.
    """
    steps = place.points.steps[place.everyone]
    wrong = place.rows * float(steps[~(near > 0)].sum()) / float(steps.sum())
    if wrong > LEARNED * (place.d + 1) * max(1, place.vectors - 1):
        return False
    heavy = np.sqrt(steps)
    near, far = heavy * near, heavy * far
    with np.errstate(all="ignore"):
        # NaN counts as alike.
        return bool(near @ far < ALIKE * length(near) * length(far))

"""What a run lets us conclude of its data: margin, mistake bound, verdict, certificate.

Imports the engine, ``margins`` and ``certificate``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.certificate import Inseparability, Separation
from rosenblatt.estimators.problem import Problem
from rosenblatt.family import dynamic_margin_bound
from rosenblatt.learn import all_margins, length
from rosenblatt.margins import Bracket, mistake_bound
from rosenblatt.points import width
from rosenblatt.run import Run
from rosenblatt.stopping import Verdict
from rosenblatt.working_set import Refutation

UNIT = 2.0**-53


class Conclusion(NamedTuple):
    """What is known; by default, nothing."""

    margin: Bracket = Bracket(0.0, math.inf)
    mistake_bound: float = math.inf
    verdict: Verdict = Verdict.UNDECIDED
    certificate: Separation | Inseparability | None = None


def sandwich(run: Run) -> float:
    """γ ≤ ‖w‖/Σ steps: from a start at 0, w·u ≥ γ·Σ steps for the best unit vector u."""
    return upper_end(run, float(run.state.dual.sum()))


def upper_end(run: Run, moved: float) -> float:
    """‖w‖/Σ steps, from the sum of the steps."""
    return length(run.weights) / moved if moved > 0 else math.inf


class Evidence(Protocol):
    """What is concluded from: rows in memory, or in a file.

    Attributes
    ----------
    radius : float
        R.
    d, vectors : int
        Features, and weight vectors (0 for a single one).
    classes : tuple
        The sorted labels.
    fit_intercept : bool
    whole : bool
        Whether all rows are there to be looked at once more.
    """

    radius: float
    d: int
    vectors: int
    classes: tuple[Any, ...]
    fit_intercept: bool
    whole: bool

    @property
    def steps(self) -> tuple[float, float]:
        """The least and the largest step of a row in play."""
        ...

    def least_margin(self, rule: Any, run: Run) -> float:
        """The least margin of all rows in play, at the run's weights."""
        ...

    def refutation(self, found: Refutation) -> Inseparability:
        """What was found, as a certificate of the rows."""
        ...

    def separation(self, weights: np.ndarray, upper: float) -> Separation:
        """The certificate of weights that separate, bound to the rows."""
        ...


class InMemory:
    """A problem as evidence, and the least margin of its points where that is known, else NaN."""

    def __init__(self, problem: Problem, least: float = math.nan):
        self.problem, self.classes, self.least = problem, tuple(problem.classes), least
        self.radius, self.whole = problem.radius, problem.whole
        self.vectors, self.fit_intercept = problem.vectors, problem.fit_intercept
        self.d = width(problem.points)

    @property
    def steps(self) -> tuple[float, float]:
        """Of the points in play."""
        own = self.problem.points.steps
        if not self.problem.whole:
            own = own[self.problem.everyone]
        return float(own.min()), float(own.max())

    def least_margin(self, rule: Any, run: Run) -> float:
        """As the run has found it, or by one look at all points in play."""
        if not math.isnan(self.least):
            return self.least
        points, everyone = self.problem.points, self.problem.everyone
        return float(all_margins(points, rule, run.state, everyone).min())

    def refutation(self, found: Refutation) -> Inseparability:
        """Of the rows that the problem is about."""
        rivals = found.rivals if self.vectors else None
        return Inseparability.of(
            *self.problem.data(),
            found.points,
            found.alpha,
            rivals=rivals,
            fit_intercept=self.fit_intercept,
        )

    def separation(self, weights: np.ndarray, upper: float) -> Separation:
        """Of the rows that the problem is about."""
        data = self.problem.data()
        return Separation.of(*data, weights, fit_intercept=self.fit_intercept, upper=upper)


def with_separator(evidence: Evidence, rule: Any, run: Run, weights: np.ndarray | None) -> Run:
    """The run with a separator that was found for weights, stretched beyond the threshold."""
    if run.clean or weights is None:
        return run
    run = replace(run, weights=run.state.weights, clean=True)
    run.state.weights[...] = weights
    threshold = getattr(rule, "threshold", 0.0)
    if threshold > 0:
        least = evidence.least_margin(rule, run)
        run.state.weights[...] *= max(1.0, 2 * threshold / least)
    return run


def conclude(
    evidence: Evidence, rule: Any, run: Run, upper: float, answer: Any, bind: bool
) -> Conclusion:
    """Bracket the margin, bound the mistakes, and certify the verdict.

    Parameters
    ----------
    evidence, rule, run
        What was learned from, how, and what came of it.
    upper : float
        The sandwich's bound on γ, or infinity.
    answer : Separator, Refutation or None
        What the arbiter found, if it was called.
    bind : bool
        Whether a separation is to carry a fingerprint of its data, which costs some passes.
    """
    if isinstance(answer, Refutation):
        proof = evidence.refutation(answer)
        return Conclusion(Bracket(0.0, 0.0), verdict=Verdict.INSEPARABLE, certificate=proof)
    if not run.clean:
        return Conclusion(Bracket(0.0, upper))
    lower = proved(evidence.least_margin(rule, run), run, evidence.radius, evidence.d)
    proof = None
    if evidence.whole and (bind or lower <= 0):
        proof = evidence.separation(run.weights, upper)
        lower = proof.margin.lower
    if lower <= 0:
        return Conclusion(Bracket(0.0, upper))
    bracket = Bracket(lower, max(lower, upper))
    if evidence.whole and proof is None:
        proof = Separation.proved(run.weights, evidence.classes, evidence.fit_intercept, bracket)
    bound = most_mistakes(evidence, lower, rule)
    return Conclusion(bracket, bound, Verdict.SEPARABLE, proof)


def most_mistakes(evidence: Evidence, margin: float, rule: Any) -> float:
    """The mistake bound; with K classes an update moves two weight vectors, so ‖Δ‖² is 2‖x‖²."""
    reach = evidence.radius * math.sqrt(2 if evidence.vectors else 1)
    least, largest = evidence.steps
    if not hasattr(rule, "share"):
        return mistake_bound(reach, margin, rule.threshold, largest, largest / least)
    # The proof is of equal steps.
    return dynamic_margin_bound(reach, margin, rule.share) if least == largest else math.inf


def proved(least: float, run: Run, radius: float, d: int) -> float:
    """The margin that the weights reach for certain, whatever the rounding; maybe negative.

    ``least`` is the least score as computed. |fl(w·x) − w·x| ≤ γ_{d+1}·‖w‖·R (Higham 2002, §3.1),
    twice that for a difference of two, and the factor 4 pays for the norm and the division.
    """
    norm = length(run.weights)
    if not 0 < norm < math.inf:
        return 0.0
    return least / norm * (1 - 16 * UNIT) - 4 * (d + 4) * UNIT * radius

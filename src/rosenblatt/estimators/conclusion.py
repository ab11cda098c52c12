"""What a run lets us conclude of its data: margin, mistake bound, verdict, certificate.

Imports the engine, ``margins`` and ``certificate``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.certificate import Inseparability, Separation
from rosenblatt.estimators.arbiter import Arbiter
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


def with_separator(problem: Problem, run: Run, arbiter: Arbiter) -> Run:
    """The run with the arbiter's separator for weights, stretched beyond the threshold."""
    weights = arbiter.separator()
    if weights is None:
        return run
    run.state.weights[...] = weights
    threshold = getattr(problem.rule, "threshold", 0.0)
    if threshold > 0:
        least = all_margins(problem.points, problem.rule, run.state, problem.everyone).min()
        run.state.weights[...] *= max(1.0, 2 * threshold / least)
    return replace(run, weights=run.state.weights, clean=True)


def conclude(problem: Problem, run: Run, upper: float, arbiter: Arbiter, bind: bool) -> Conclusion:
    """Bracket the margin, bound the mistakes, and certify the verdict.

    Parameters
    ----------
    problem, run
        What was learned from, and what came of it.
    upper : float
        The sandwich's bound on γ, or infinity.
    arbiter : Arbiter
        What it found, if it was called.
    bind : bool
        Whether a separation is to carry a fingerprint of its data, which costs some passes.
    """
    if isinstance(arbiter.answer, Refutation):
        return Conclusion(
            Bracket(0.0, 0.0),
            verdict=Verdict.INSEPARABLE,
            certificate=Inseparability.of(
                *problem.data(),
                arbiter.answer.points,
                arbiter.answer.alpha,
                rivals=arbiter.answer.rivals if problem.vectors else None,
                fit_intercept=problem.fit_intercept,
            ),
        )
    if not run.clean:
        return Conclusion(Bracket(0.0, upper))
    margins = all_margins(problem.points, problem.rule, run.state, problem.everyone)
    lower, proof = proved(float(margins.min()), run, problem.radius, width(problem.points)), None
    if problem.whole and (bind or lower <= 0):
        proof = Separation.of(
            *problem.data(), run.weights, fit_intercept=problem.fit_intercept, upper=upper
        )
        lower = proof.margin.lower
    if lower <= 0:
        return Conclusion(Bracket(0.0, upper))
    bracket = Bracket(lower, max(lower, upper))
    if problem.whole and proof is None:
        proof = Separation(
            weights=np.array(run.weights, order="C"),
            classes=tuple(problem.classes),
            fit_intercept=problem.fit_intercept,
            margin=bracket,
            fingerprint="",
        )
    bound = most_mistakes(problem.radius, lower, problem.vectors, problem.rule, problem.eta)
    return Conclusion(bracket, bound, Verdict.SEPARABLE, proof)


def most_mistakes(radius: float, margin: float, vectors: int, rule: Any, eta: float) -> float:
    """The mistake bound; with K classes an update moves two weight vectors, so ‖Δ‖² is 2‖x‖²."""
    reach = radius * math.sqrt(2 if vectors else 1)
    if hasattr(rule, "share"):
        return dynamic_margin_bound(reach, margin, rule.share)
    return mistake_bound(reach, margin, rule.threshold, eta)


def proved(least: float, run: Run, radius: float, d: int) -> float:
    """The margin that the weights reach for certain, whatever the rounding; maybe negative.

    ``least`` is the least score as computed. |fl(w·x) − w·x| ≤ γ_{d+1}·‖w‖·R (Higham 2002, §3.1),
    twice that for a difference of two, and the factor 4 pays for the norm and the division.
    """
    norm = length(run.weights)
    if not 0 < norm < math.inf:
        return 0.0
    return least / norm * (1 - 16 * UNIT) - 4 * (d + 4) * UNIT * radius

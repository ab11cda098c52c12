"""Conclusions from a run about its data: margin, mistake bound, verdict, certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.loop import put
from rosenblatt.engine.margins import UNIT, Bracket, most_updates, outward
from rosenblatt.engine.pieces import length
from rosenblatt.engine.rules.margin_share import dynamic_margin_bound
from rosenblatt.engine.run import Run
from rosenblatt.engine.stopping import Stop, Verdict
from rosenblatt.errors import CertificateError
from rosenblatt.places.place import Place, exact_margin, least_margin
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Inseparability, Separation, require_proof
from rosenblatt.solve.search import Refutation, Separator

TINY = float(np.finfo(np.float64).tiny)
# Margins below this may be due to underflow, and count as none.
FINE = 1e-280


UNKNOWN = Bracket(0.0, math.inf)


@dataclass(frozen=True)
class Conclusion:
    """What is known; by default, nothing.

    A verdict other than UNDECIDED without an exact certificate of it, here or in the parts, is
    refused with a CertificateError.

    Attributes
    ----------
    margin : Bracket
        Of the best margin of the rows in play.
    mistake_bound : float
        On the updates.
    verdict : Verdict
    certificate : Separation, Inseparability or None
    parts : tuple of Conclusion
        Of several runs that make one classifier.
    """

    margin: Bracket = UNKNOWN
    mistake_bound: float = math.inf
    verdict: Verdict = Verdict.UNDECIDED
    certificate: Separation | Inseparability | None = None
    parts: tuple[Conclusion, ...] = ()

    def __post_init__(self) -> None:
        require_proof(self.verdict, self.certificate, self.parts)


class FittedRun(NamedTuple):
    """Result of one run: the run, its conclusion, the solutions kept, and its rule."""

    run: Run
    conclusion: Conclusion
    kept: dict[str, Any]
    rule: Any


def sandwich(run: Run) -> float:
    """‖w‖/Σ steps, an upper bound of γ for a start at 0; `conclude` allows for rounding."""
    return length(run.weights) / run.moved if run.moved > 0 else math.inf


def margin_wanted(place: Place, rule: Any, run: Run, upper: float) -> float:
    """s·‖w‖/t, the margin that a margin rule promises of a clean run; 0 of other rules.

    Where a run went on from an earlier one, or was validated, only the rule knows t.
    """
    if not (rule.share and run.clean):
        return 0.0
    if upper == math.inf and rule.memory[1] > 0:
        upper = length(run.weights) / rule.memory[1]
    if upper == math.inf:
        return 0.0
    return rule.share * _with_rounding(place, rule, run, upper, place.steps)


def confirmed(
    place: Place, rule: Any, run: Run, conclusion: Conclusion, wanted: float = 0.0
) -> Run:
    """The run with a stop that claims only what is proved.

    SEPARATED stays if the verdict is SEPARABLE, the margin is at least ``wanted`` and the weights
    to predict with have every row right; if only the points in play have a positive margin, the
    stop says so, as it does where a row is wrong that no step can mend: one of 0, without a bias
    coordinate. A margin run that spent its passes has succeeded if the bracket shows the share: a
    search found such a separator meanwhile.
    """
    lower, upper = conclusion.margin
    spent = run.stop in (Stop.PASSES, Stop.UPDATES) and rule.share and lower > rule.share * upper
    if not (spent or run.stop is Stop.SEPARATED):
        return run
    if conclusion.verdict is not Verdict.SEPARABLE:
        if lower > 0:
            return run.but(stop=Stop.SEPARATED_IN_PLAY)
        short = -least_margin(place, rule, run.separator)
        wrong = proved(short, run.separator, place) > 0
        return run.but(stop=Stop.SETTLED if wrong else Stop.ROUNDING)
    if lower < wanted:
        return run.but(stop=Stop.SHORT)
    return run.but(stop=Stop.SEPARATED_OVERFIT if run.missed else Stop.SEPARATED)


def with_separator(
    place: Place, rule: Any, run: Run, answer: Separator, kept: dict[str, Any]
) -> Run:
    """The run with a separator as its weights, scaled so that margins exceed the threshold.

    The scale is a power of two, which changes no digit: an exact separator is scaled likewise.
    """
    found = answer.floats().reshape(*run.weights.shape[:-1], -1)
    weights = place.constraints().columns.widened(found)
    run = run.but(weights=run.state.weights, clean=True)
    put(run.state, weights)
    threshold = rule.threshold
    least = least_margin(place, rule, run.weights) if threshold > 0 else math.inf
    if 0 < least < 2 * threshold:
        power = math.frexp(threshold)[1] - math.frexp(least)[1] + 2
        # Weights and scores stay finite.
        room = 1000 - math.frexp(np.abs(weights).max())[1] - math.frexp(max(1.0, place.radius))[1]
        put(run.state, np.ldexp(weights, min(power, max(0, room))))
    if "pocket" in kept:
        kept["pocket"].offer(run.weights, 0.0)
    return run


def conclude(
    place: Place, rule: Any, run: Run, upper: float, answer: Any, bind: bool
) -> Conclusion:
    """Bracket the margin, bound the mistakes, and certify the verdict.

    Parameters
    ----------
    place, rule, run
        The data, the rule and the run.
    upper : float
        ‖w‖/Σ steps, or infinity.
    answer : Separator, Refutation or None
        What a search found, if it did.
    bind : bool
        Whether the certificate is to carry a fingerprint of its data, which costs some passes.

    Returns
    -------
    Conclusion
        Its verdict is that of its certificate: UNDECIDED where the run separates only by rounding,
        or where rows that were not in play are on the wrong side.
    """
    steps = place.steps
    upper = _with_rounding(place, rule, run, upper, steps) if rule.bounded else math.inf
    if isinstance(answer, Refutation):
        proof = place.refutation(answer, bind)
        bracket = Bracket(0.0, min(upper, proof.epsilon))
        return Conclusion(bracket, verdict=proof.verdict, certificate=proof)
    if not run.clean:
        return Conclusion(Bracket(0.0, upper))
    lower = reached(place, rule, run)
    weights = run.separator
    proof = certified(partial(place.separation, lower=lower, bind=bind), weights, upper, answer)
    if proof is not None and (place.all_in_play or lower <= 0):
        lower = proof.margin.lower
    elif lower <= 0:
        lower = exact_margin(place, weights)
    lower = max(0.0, lower)
    margin = Bracket(lower, max(lower, upper))
    bound = _most_mistakes(place, lower, rule, run, steps)
    if proof is None:
        return Conclusion(margin, bound)
    return Conclusion(margin, bound, proof.verdict, proof)


def reached(place: Place, rule: Any, run: Run) -> float:
    """A margin that the separator is certain to reach; 0 or less if rounding is in the way."""
    least = least_margin(place, rule, run.separator) if math.isnan(run.least) else run.least
    return proved(least, run.separator, place)


def certified(
    make: Callable[..., Separation], weights: np.ndarray, upper: float, answer: Any
) -> Separation | None:
    """The proof that weights separate, or else that the exact weights behind them do.

    Parameters
    ----------
    make : callable
        Makes the certificate of weights and the margin's upper end; raises CertificateError for
        weights that do not separate.
    weights : ndarray
        The run's separator.
    upper, answer
        As for `conclude`.
    """
    with suppress(CertificateError):
        return make(weights, upper=upper)
    if isinstance(answer, Separator) and answer.weights.dtype == object:
        exact = answer.scaled()
        at = np.argmax(np.abs(exact))
        # The separator is these, rounded, and perhaps scaled by a power of two.
        stretch = Fraction(float(abs(weights.ravel()[at]))) or Fraction(1)
        with suppress(CertificateError):
            return make((exact * stretch).reshape(weights.shape), upper=upper)
    return None


def _with_rounding(
    place: Place, rule: Any, run: Run, upper: float, steps: tuple[float, float]
) -> float:
    """‖w‖/Σ steps, enlarged to be an upper bound of γ whatever the rounding of the updates."""
    least, largest = steps
    return outward(upper, run.updates, _growth(place, rule, largest) / least, place.size.columns)


def _growth(place: Place, rule: Any, largest: float) -> float:
    """Bound on what an update adds to ‖w‖: ηR + √(2ηδ) ≥ √(η²R² + 2ηδ), η the largest step."""
    slack = 2 * largest * rule.threshold
    return math.sqrt(slack) + largest * _reach(place)


def _reach(place: Place) -> float:
    """R, rounded up; with K classes an update moves two weight vectors, so ‖Δ‖² is 2‖x‖²."""
    rounded = place.radius * (1 + (place.size.columns + 4) * UNIT)
    return rounded * math.sqrt(2) if place.size.vectors else rounded


def _most_mistakes(
    place: Place, margin: float, rule: Any, run: Run, steps: tuple[float, float]
) -> float:
    """The mistake bound; infinite where no margin is known to be reached.

    Where rounding led to more updates than the theorem allows, ρ, a bound on the rounding, is added
    to the threshold: an update at a computed y·score of at most δ has an exact one of at most
    δ + ρ. A rule whose threshold follows the run has no such bound.
    """
    if margin <= 0 or not rule.bounded:
        return math.inf
    reach, (least, largest) = _reach(place), steps
    if rule.share:
        # The theorem is about equal steps.
        bound = dynamic_margin_bound(reach, margin, rule.share) if least == largest else math.inf
    else:
        bound = most_updates(reach, margin, rule.threshold, largest, largest / least)
    if place.bounded(run) <= bound:
        return bound
    if rule.share:
        return math.inf
    longest = math.sqrt(run.updates) * _growth(place, rule, largest)
    rho = 8 * (place.size.columns + 4) * (UNIT * longest * reach + TINY)
    bound = most_updates(reach, margin, rule.threshold + rho, largest, largest / least)
    return bound if place.bounded(run) <= bound else math.inf


def proved(least: float, weights: np.ndarray, place: Place) -> float:
    """A margin that weights are certain to reach, whatever the rounding; may be negative.

    ``least`` is the least score as computed. |fl(w·x) − w·x| ≤ γ_{d+1}·‖w‖·R (Higham 2002, §3.1),
    plus an underflow in each product, twice that for a difference of two scores; the factor 4
    covers the norm and the division as well.
    """
    norm = length(weights)
    if not 0 < norm < math.inf:
        return 0.0
    rounding = 4 * (place.size.columns + 4) * (UNIT * place.radius + TINY / norm)
    reached = least / norm * (1 - 16 * UNIT) - rounding
    return reached if reached > FINE else min(reached, 0.0)


def exact_weights(
    certificates: Sequence[Any], coef: np.ndarray, intercept: np.ndarray, radius: float
) -> np.ndarray | None:
    """Weights for exact scores, by which training rows are predicted as they are separated.

    None where floats suffice, since the certificates' margins are wider than the rounding of a
    score, or where the classifier's weights are not the certified ones.

    Parameters
    ----------
    certificates : sequence
        Of the runs that make the classifier.
    coef, intercept : ndarray
        The classifier's.
    radius : float
        R.
    """
    if not certificates or not all(isinstance(proof, Separation) for proof in certificates):
        return None
    d = coef.shape[1]
    sure = [
        exact.floats_suffice(
            proof.margin.lower, length(np.asarray(proof.in_use, dtype=np.float64)), d, radius
        )
        for proof in certificates
    ]
    if all(sure):
        return None
    weights = np.vstack([np.atleast_2d(proof.weights) for proof in certificates])
    floats, planes = weights.astype(np.float64), np.column_stack([coef, intercept])
    # Planes of one class against the rest are scaled by powers of two.
    powers = _exponents(planes) - _exponents(floats)
    if not np.array_equal(np.ldexp(floats, powers), planes):
        return None
    if weights.dtype != object:
        return np.ldexp(weights, powers)
    return weights * np.array([[Fraction(2) ** int(power)] for power in powers.ravel()])


def _exponents(weights: np.ndarray) -> np.ndarray:
    """The binary exponent of the largest entry of each row."""
    return np.frexp(np.abs(weights).max(axis=1, keepdims=True))[1]

"""The mixing theorem, and its numbers in a run.

In round n partition i passes over its points from the mixed weights w, makes k_{i,n} mistakes and
ends at w_{i,n}; the next w is Σᵢ μ_{i,n} w_{i,n} with μ ≥ 0 and Σᵢ μ_{i,n} = 1. Let σ_{i,n} be the
sum of the steps of those mistakes, σ = ηk where all points count alike, and s and S the least and
the largest step of a point. For unit u with margin γ, a mistake of step t has u·w grow by at least
tγ, and ‖w‖² by at most t²R² + 2tδ ≤ t(SR² + 2δ), so

    u·w_{i,n} ≥ u·w + γσ_{i,n},    ‖w_{i,n}‖² ≤ ‖w‖² + (SR² + 2δ)σ_{i,n}.

Mixing keeps the first by linearity and the second by convexity, so M = Σₙ Σᵢ μ_{i,n} σ_{i,n} obeys

    γM ≤ ‖w‖ ≤ √(M(SR² + 2δ)),    hence    M ≤ (SR² + 2δ)/γ²,

whatever the partitions, which may even change from round to round, and whatever μ. As M ≥ sK, the
weighted mistakes K = Σₙ Σᵢ μ_{i,n} k_{i,n} are at most (SR² + 2δ)/(sγ²): R²/γ² where all steps are
equal and δ = 0. A round with a mistake adds at least 1 to K if μ is in proportion to the mistakes
(Σk²/Σk ≥ 1) and at least 1/P if it is uniform over P partitions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.engine.margins import mistake_bound
from rosenblatt.engine.pieces import length
from rosenblatt.engine.rules import State
from rosenblatt.places.cluster.mixing import Pace

# Rounding may take this share of a length; a wrong sum takes far more.
SLACK = 1e-9


class Guarantee(NamedTuple):
    """The mixing theorem, with the numbers of a run in it.

    Attributes
    ----------
    weighted_mistakes : float
        K = Σ μk.
    length, longest : float
        ‖w‖, and √(M(SR² + 2δ)), which it never exceeds.
    upper : float
        ‖w‖/M, which no margin exceeds.
    bound : float
        (SR² + 2δ)/(sγ²), which K never exceeds, by the margin that the weights reach; infinite
        where they do not separate.

    Examples
    --------
    >>> held = Guarantee(weighted_mistakes=4.0, length=2.0, longest=4.0, upper=0.5, bound=16.0)
    >>> held.holds, held.bound
    (True, 16.0)
    """

    weighted_mistakes: float
    length: float
    longest: float
    upper: float
    bound: float = math.inf

    @property
    def holds(self) -> bool:
        """Whether the numbers are as the theorem says; only a wrong computation breaks it."""
        return self.length <= self.longest * (
            1 + SLACK
        ) and self.weighted_mistakes <= self.bound * (1 + SLACK)

    def __str__(self) -> str:
        bound = "no bound known yet" if math.isinf(self.bound) else f"bound {self.bound:,.6g}"
        return (
            f"{self.weighted_mistakes:,.6g} weighted mistakes ({bound}), "
            f"‖w‖ = {self.length:.6g} ≤ {self.longest:.6g}"
        )


def guarantee(state: State, pace: Pace, reach: float, margin: float = 0.0) -> Guarantee:
    """The theorem's numbers at a state, with the margin that is known to be reached.

    ``state.dual`` holds M and K.
    """
    moved, mistakes = map(float, state.dual)
    size, largest = length(state.weights), pace.eta * pace.spread[1]
    return Guarantee(
        weighted_mistakes=mistakes,
        length=size,
        longest=math.sqrt(moved * (largest * reach**2 + 2 * pace.threshold)),
        upper=size / moved if moved else math.inf,
        bound=most_mistakes(pace, reach, margin),
    )


def most_mistakes(pace: Pace, reach: float, margin: float) -> float:
    """The bound on K; infinite where no margin is known to be reached.

    Examples
    --------
    >>> most_mistakes(Pace(), 2.0, 0.5), most_mistakes(Pace(spread=(1.0, 3.0)), 2.0, 0.5)
    (16.0, 48.0)
    """
    if margin <= 0:
        return math.inf
    least, largest = pace.spread
    return mistake_bound(reach, margin, pace.threshold, pace.eta * largest, largest / least)

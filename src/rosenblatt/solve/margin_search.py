"""Working sets for the maximum margin: each is solved, then checked against all points."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.margins import Bracket
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Separation
from rosenblatt.solve.linear_constraints import LinearConstraints, Worst
from rosenblatt.solve.nearest_point import coordinates, least_norm, least_squares
from rosenblatt.solve.search import UNDERFLOWS
from rosenblatt.solve.working_set import batch_of

# A multiplier below this share of the largest, or a nearest point of a hull below this share of the
# radius, may be a rounded zero.
NEGLIGIBLE = 1e-12
# Entries of a support up to which exact arithmetic is fast.
ENTRIES_EXACT = 50_000
# Solutions of one working set, each from a better scale and centre, before rounding is taken for
# the cause.
ATTEMPTS = 4


class MarginResult(NamedTuple):
    """The maximum-margin hyperplane and a bracket of its margin.

    Attributes
    ----------
    weights : ndarray of shape (d + 1,)
        (w, b), scaled so that the nearest point has yᵢ(w·xᵢ + b) = 1.
    bracket : Bracket
        lower ≤ min yᵢ(w·xᵢ + b)/norm over all points; upper ≥ the distance of the nearest points
        of the hulls that ``dual`` names. Both are rounded outward: the margin is between them.
    support : ndarray of int
        The points that determine the hyperplane.
    dual : ndarray
        Their multipliers with their signs, αᵢyᵢ: w = Σ αᵢyᵢxᵢ up to the gap.
    rounds : int
        Working sets solved.
    seconds : float
        Wall-clock time.
    exact : ndarray or None
        Weights for exact scores, floats or ``Fraction``, of which ``weights`` are the floats; None
        where float scores have all points on their right side.
    """

    weights: np.ndarray
    bracket: Bracket
    support: np.ndarray
    dual: np.ndarray
    rounds: int
    seconds: float
    exact: np.ndarray | None = None


class MarginSearch:
    """A search by working sets, each solved and then checked against all points.

    Parameters
    ----------
    constraints : LinearConstraints
        Those of two classes.
    start : ndarray
        Weights to begin with; the better they separate, the fewer rounds.
    radius : float
        R.
    bias : {"free", "padded", "none"}

    Attributes
    ----------
    working, alpha : ndarray
        Points of the working set and their weights in the hulls: sum 1, or 1 on each side.
    weights, lower, upper : ndarray, float, float
        The best hyperplane so far and the bracket of the margin.
    attempts : int
        Solutions since a point was last taken in.
    held : tuple
        Points and their rows.
    exact : ndarray or None
        As in `MarginResult`.
    """

    def __init__(self, constraints: LinearConstraints, start: np.ndarray, radius: float, bias: str):
        self.free, self.padded = bias == "free", bias == "padded"
        self.constraints, self.radius = constraints, radius
        self.batch = batch_of(constraints)
        self.rounds, self.attempts = 0, 0
        self.lower, self.upper = -np.inf, np.inf
        self.weights = np.zeros(self.constraints.d + 1)
        self.alpha = np.zeros(2)
        self.held: tuple[Any, Any] = None, None
        self.exact: np.ndarray | None = None
        found = self.constraints.worst(start, self.batch + 2)
        self.working = found.nearest
        self._take_in(found, below=np.inf)
        self._weigh(np.ones(len(self.working)))

    def _signs(self, points: np.ndarray) -> np.ndarray:
        return 2.0 * self.constraints.own(points) - 1.0

    @property
    def bracket(self) -> Bracket:
        """Bracket of the margin."""
        return Bracket(max(0.0, min(self.lower, self.upper)), self.upper)

    def goes_on(self, rtol: float) -> bool:
        """Whether the gap is open, and not for inseparable data or rounding."""
        if self.attempts == ATTEMPTS or self.upper <= NEGLIGIBLE * self.radius:
            return False
        return self.bracket.relative_gap > rtol

    def result(self, seconds: float) -> MarginResult:
        """The result; multipliers are in the units of the weights, ‖w‖ = 1/γ."""
        support, alpha = self.best
        order = np.argsort(support)
        dual = (alpha * self._signs(support))[order] / (self.upper**2 * (2 if self.free else 1))
        known = (self.weights, self.bracket, support[order], dual, self.rounds, seconds)
        return MarginResult(*known, self.exact)

    def step(self) -> None:
        """Solve the working set, look at all points, and take in the most violated."""
        self.rounds += 1
        self.attempts += 1
        rows, back = coordinates(self._rows(self.working))
        alpha = self._solve(rows)
        if alpha is None:
            self.attempts = ATTEMPTS
            return
        self._weigh(alpha)
        chosen = np.flatnonzero(alpha)
        w, b = self._hyperplane(rows[chosen], self._signs(self.working[chosen]))
        if not np.isfinite(w).all():  # rows too short to be divided by
            self.attempts = ATTEMPTS
            return
        if self.free:
            self._balance(chosen, rows[chosen], w)
        found = self.accept(np.append(back(w), b) if not self.padded else back(w))
        if self._take_in(found, below=1.0):
            self.attempts = 0
        else:
            self.accept(self.point)

    def accept(self, weights: np.ndarray) -> Worst:
        """Keep a hyperplane if it is the best so far; return the points of least yᵢ(w·xᵢ + b)."""
        found = self.constraints.worst(weights, self.batch + len(self.working))
        sides = found.least
        least = sides.min()
        if self.free:  # the best bias has both sides equally near
            weights = np.append(weights[:-1], weights[-1] + (sides[0] - sides[1]) / 2)
            least = (sides[0] + sides[1]) / 2
        norm = self._norm(weights)
        if norm > 0 and least / norm > self.lower:
            self.lower = float(least / norm)
            self.weights = weights / least if least > 0 else weights
        return found

    def take(self, weights: np.ndarray) -> None:
        """Keep a hyperplane that is known to separate, whatever its computed margin."""
        self.accept(weights)
        if self.lower <= 0:
            self.weights = weights

    def round_outward(
        self,
        floor: Callable[[np.ndarray], float],
        balanced: Callable[[np.ndarray], np.ndarray],
        known: Separation | None,
        rtol: float,
    ) -> bool:
        """Round both ends of the bracket outward, so that they hold for certain.

        Returns whether the weights are proved to separate.

        The lower end is a margin proved for the weights, if need be with a free bias that is not a
        float, or for those that are ``known`` to separate. The upper end is the norm of the hulls'
        point, in exact arithmetic where rounding might matter.
        """
        computed, self.lower = self.lower, known.margin.lower if known else 0.0
        weights, margin = self.weights, -math.inf
        if np.isfinite(weights).all():
            margin = floor(weights)
            reached = self._stripped(margin, weights)
            if self.free and reached < computed * (1 - rtol / 4):
                weights = balanced(weights)
                margin, exactly = floor(weights), exact.normalised(weights)
                reached = self._stripped(margin, exactly)
            self.lower = max(self.lower, reached)
        if margin < 0 and known:
            weights, margin = exact.normalised(known.weights), known.margin.lower
        self._score_by(weights, margin)
        support, alpha = self.best
        rows, signs = self._rows(support), self._signs(support)
        # Every product and every sum is off by at most one rounding.
        astray = 4 * (rows.shape[0] + rows.shape[1] + 8) * exact.UNIT * self.radius
        if (
            rows.shape[0] * rows.shape[1] <= ENTRIES_EXACT
            or not UNDERFLOWS < astray < rtol / 8 * self.upper
        ):
            sides = signs > 0 if self.free else np.zeros(len(signs), dtype=bool)
            # A rounded zero would count if its row is long, and the others suffice for a bound.
            left = alpha > NEGLIGIBLE * alpha.max()
            upper = exact.hull_point_norm(rows, alpha, sides)
            if not left.all():
                upper = min(upper, exact.hull_point_norm(rows[left], alpha[left], sides[left]))
            self.upper = upper / 2 if self.free else upper
            if self.free and 2 * self.upper < upper:  # halves of the least floats are rounded
                self.upper = math.nextafter(self.upper, math.inf)
        else:
            self.upper += astray
        self.upper = max(self.upper, math.ulp(0.0))
        return margin >= 0

    def _score_by(self, weights: np.ndarray, margin: float) -> None:
        """Keep weights that reach that margin, as floats, and exactly if floats do not suffice."""
        with suppress(OverflowError):
            floats = weights.astype(np.float64)
            norm = float(np.linalg.norm(floats))
            if margin >= 0 and not exact.floats_suffice(
                margin, norm, self.constraints.d, self.radius
            ):
                self.weights, self.exact = floats, weights

    def _stripped(self, reached: float, weights: np.ndarray) -> float:
        """A margin by the norm with the bias, converted to one by the norm used here."""
        if not self.free or not reached > 0:
            return reached
        floats = exact.normalised(weights).astype(np.float64)
        without = self._norm(floats)
        if not without:
            return reached
        longer = float(np.linalg.norm(floats)) / without
        return reached * max(1.0, longer) * (1 - 4 * (self.constraints.d + 4) * exact.UNIT)

    def _norm(self, weights: np.ndarray) -> float:
        """The length that distances are divided by: a free bias does not count."""
        return float(np.linalg.norm(weights if self.padded else weights[:-1]))

    def _rows(self, points: np.ndarray) -> Any:
        """The rows aᵢ = yᵢ(xᵢ, 1), or yᵢxᵢ where the bias is not padded.

        The last ones are cached: for wide data, copying them is most of the work.
        """
        if self.held[0] is None or not np.array_equal(points, self.held[0]):
            rows = self.constraints.rows(points, 1 - self.constraints.own(points))
            self.held = points, rows if self.padded else rows[:, :-1]
        return self.held[1]

    def _solve(self, rows: np.ndarray) -> np.ndarray | None:
        """Weights of the working set's point of least norm, or nearest points; None if none."""
        signs = self._signs(self.working)
        if self.free:
            # A bias that is 0 at the solution may as well be padded; it is 0 if the origin is the
            # midpoint of the hulls' nearest points. The midpoint of the last round is used, which
            # makes this a proximal-point step in b. A padding as long as the longest row keeps the
            # sides balanced until it converges.
            rows = rows - np.outer(signs, (self.alpha * signs) @ rows / 2)
            longest = np.sqrt(np.einsum("ij,ij->i", rows, rows).max())
            rows = np.column_stack([rows, longest * signs])
        alpha = least_norm(rows / self.upper)
        if (
            self.free
            and alpha is not None
            and not (alpha[signs > 0].any() and alpha[signs < 0].any())
        ):
            return None
        return alpha

    def _weigh(self, alpha: np.ndarray) -> None:
        """Normalise the weights in the hulls, and update the upper end of the bracket."""
        signs = self._signs(self.working)
        alpha = alpha.copy()
        for side in (signs > 0, signs < 0) if self.free else (slice(None),):
            alpha[side] /= alpha[side].sum()
        chosen = np.flatnonzero(alpha)
        point = alpha @ self._rows(self.working)
        upper = float(np.linalg.norm(point)) / (2 if self.free else 1)
        self.alpha, self.point = alpha, point if self.padded else np.append(point, 0.0)
        if upper < self.upper:
            self.upper, self.best = upper, (self.working[chosen], alpha[chosen])

    def _hyperplane(self, rows: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, float]:
        """The shortest weights with yᵢ(w·xᵢ + b) = 1 on the support.

        Σ αᵢaᵢ is the same vector, but its terms cancel: its relative rounding error is (R/γ)² times
        that of a float, that of this least-squares solution R/γ times.
        """
        if not self.free:
            return least_squares(rows, np.ones(len(rows))), 0.0
        points = rows * signs[:, None]
        w = least_squares(points[1:] - points[0], signs[1:] - signs[0])
        return w, float(signs[0] - points[0] @ w)

    def _balance(self, chosen: np.ndarray, rows: np.ndarray, w: np.ndarray) -> None:
        """Set weights with Σ αᵢyᵢ = 0 that yield the hyperplane, if the support has such."""
        signs = self._signs(self.working[chosen])
        multipliers = least_squares(np.vstack([rows.T, signs]), np.append(w, 0.0))
        if multipliers.min() > 0:
            alpha = np.zeros(len(self.working))
            alpha[chosen] = multipliers
            self._weigh(alpha)

    def _take_in(self, found: Worst, below: float) -> int:
        """Add the points of least margin to the working set; return how many are new."""
        strangers = (found.margins < below) & ~np.isin(found.points, self.working)
        new = np.sort(found.points[strangers][: self.batch])
        self.working = np.concatenate([self.working, new])
        self.alpha = np.concatenate([self.alpha, np.zeros(len(new))])
        return len(new)

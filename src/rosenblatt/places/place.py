"""The `Place` protocol: the few questions that a fit and a decision ask of labelled rows.

Rows lie in memory, in a file or on a cluster: `rosenblatt.places.memory.Memory`,
`rosenblatt.places.file.place.File` and `rosenblatt.places.cluster.place.Cluster`. Nobody who asks
needs to know which (``fit.procedure``, ``solve.decision``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.engine.loop import Learning
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import Points, as_matrix
from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Run
from rosenblatt.engine.scaling import Scale
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import zero_state
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Inseparability, Separation
from rosenblatt.proof.certificate.data import plain_label
from rosenblatt.proof.exact import Implied
from rosenblatt.solve.linear_constraints import LinearConstraints
from rosenblatt.solve.search import Refutation, Separator


class Schedule(NamedTuple):
    """How passes are to be made.

    Attributes
    ----------
    order, budget
        As of `Learning`.
    seed : int or source of permutations
        An integer seeds `Permutations`.
    held_out : optional
        Validation rows, as the place knows them.
    kept : dict
        Keepers of the weights that a run passes through.
    """

    order: Any = "active"
    budget: Budget = Budget()
    seed: Any = 0
    held_out: Any = None
    kept: dict[str, Any] | None = None


class Scaled(NamedTuple):
    """Rows whose columns are made alike, for passes whose mean is to predict.

    Attributes
    ----------
    place : Place
        The rows, in an order that does not depend on how they came, the steps of long ones
        shortened.
    scale : Scale
        Of the columns.
    step : float
        The mean of η‖x‖²: what an update adds to the margin of its own point.
    """

    place: Any
    scale: Scale
    step: float


class Size(NamedTuple):
    """How many of what there are.

    Attributes
    ----------
    rows : int
        In play.
    columns : int
        Features.
    entries : int
        Stored, of all rows; 0 before a file has been read once.
    vectors : int
        Weight vectors: K for K > 2 classes, 0 for the single one of two.
    """

    rows: int
    columns: int
    entries: int
    vectors: int

    @property
    def entries_a_row(self) -> float:
        """The mean number of stored entries."""
        return self.entries / max(1, self.rows)


class Place(Protocol):
    """Where labelled rows lie, and what may be asked of them."""

    @property
    def classes(self) -> np.ndarray:
        """The sorted labels."""
        ...

    @property
    def size(self) -> Size:
        """Rows, columns, entries and weight vectors."""
        ...

    @property
    def radius(self) -> float:
        """R: the longest row in play, its bias coordinate included."""
        ...

    @property
    def steps(self) -> tuple[float, float]:
        """The least and the largest step of a row in play."""
        ...

    @property
    def all_in_play(self) -> bool:
        """Whether no row was held out or has the weight 0."""
        ...

    @property
    def rereadable(self) -> bool:
        """Whether the rows can be read again."""
        ...

    def start(self, earlier: State | None = None) -> State:
        """The state to start with: zero weights, or where an earlier run was left."""
        ...

    def passes(self, rule: Any, state: State, schedule: Schedule) -> Learning:
        """Passes over the rows in play, from that state, which changes."""
        ...

    def scaled(self, seed: int) -> Scaled:
        """The same rows with columns made alike."""
        ...

    def ask(self, question: Callable[..., Any], *given: Any, held_out: Any = None) -> list[Any]:
        """What ``question(points, chosen, vectors, *given)`` answers for each table of rows.

        ``chosen`` are the numbers of the rows in play, or of those held out.
        """
        ...

    def constraints(self) -> LinearConstraints:
        """The rows in play as linear constraints, on the columns in use."""
        ...

    def dual(self, state: State) -> np.ndarray:
        """The dual form of a run: the sum of the steps that each constraint's row has made."""
        ...

    def bounded(self, run: Run) -> float:
        """The mistakes of a run that the mistake bound is about."""
        ...

    def separation(self, weights: np.ndarray, lower: float, upper: float, bind: bool) -> Separation:
        """The certificate of weights that separate all rows, bound to the data or not.

        ``lower`` is a margin that is known to be reached, or 0. Raises CertificateError if the
        weights do not separate all rows, or not all can be looked at.
        """
        ...

    def refutation(self, found: Refutation, bind: bool) -> Inseparability:
        """The certificate of rows that no weights meet together, bound to the data or not."""
        ...


def errors(
    place: Place, rule: Any, candidates: Sequence[np.ndarray], held_out: Any = None
) -> np.ndarray:
    """The share of rows on the wrong side or the boundary, weighted by steps, per candidate.

    Rows held out count once each.
    """
    answers = place.ask(_wrong, rule, candidates, held_out is not None, held_out=held_out)
    wrong, total = np.sum(answers, axis=0)
    return wrong / total


def count_missed(place: Place, rule: Any, weights: np.ndarray) -> int:
    """How many rows in play are on the wrong side or the boundary."""
    return sum(place.ask(_missed, rule, weights))


def least_margin(place: Place, rule: Any, weights: np.ndarray) -> float:
    """The least margin of the rows in play."""
    return min(place.ask(_least, rule, weights))


def exact_margin(place: Place, weights: np.ndarray) -> float:
    """A margin of the rows in play, proved by a rounding bound for each row; −∞ without one.

    Whatever the scales of the columns.
    """
    return min(place.ask(_exact, weights))


def share_of_way(place: Place, rule: Any, start: np.ndarray, separator: np.ndarray) -> float:
    """The share of the way from some weights to a separator from which on all rows are right.

    The margin of a point is a concave function of the weights: where it is a at the start and b at
    the separator, it is at least (1 − t)·a + t·b at t of the way. So it is positive from
    t = −a/(b − a) on where a ≤ 0 < b.
    """
    return min(1.0, max(place.ask(_share, rule, start, separator)))


def margins(
    points: Points, chosen: np.ndarray, vectors: int, rule: Any, weights: np.ndarray
) -> np.ndarray:
    """The margins of the chosen points by some weights."""
    return all_margins(points, rule, zero_state(points, vectors)._replace(weights=weights), chosen)


def _wrong(
    points: Points,
    chosen: np.ndarray,
    vectors: int,
    rule: Any,
    candidates: Sequence[np.ndarray],
    alike: bool,
) -> np.ndarray:
    steps = np.ones(len(chosen)) if alike else points.steps[chosen]
    # Not "≤ 0", which NaN would pass.
    found = [~(margins(points, chosen, vectors, rule, own) > 0) for own in candidates]
    return np.array([[float(steps[wrong].sum()) for wrong in found], [steps.sum()] * len(found)])


def _missed(points: Points, chosen: np.ndarray, vectors: int, *given: Any) -> int:
    return int(np.count_nonzero(~(margins(points, chosen, vectors, *given) > 0)))


def _least(points: Points, chosen: np.ndarray, vectors: int, *given: Any) -> float:
    return float(np.min(margins(points, chosen, vectors, *given), initial=np.inf))


def _exact(points: Points, chosen: np.ndarray, vectors: int, weights: np.ndarray) -> float:
    y = points.y[chosen]
    codes = y.astype(np.intp) if vectors else (y > 0).astype(np.intp)
    given = as_matrix(points.rows)[chosen], codes, weights
    _, left_open = exact.signs_of_constraints(*given)
    return -np.inf if left_open else exact.margin_floor(*given)


def _share(
    points: Points,
    chosen: np.ndarray,
    vectors: int,
    rule: Any,
    start: np.ndarray,
    separator: np.ndarray,
) -> float:
    own = margins(points, chosen, vectors, rule, start)
    wrong = ~(own > 0)
    own, far = own[wrong], margins(points, chosen[wrong], vectors, rule, separator)
    # By rounding, the separator may seem no better.
    better = far > own
    shares = np.ones(len(own))
    shares[better] = own[better] / (own[better] - far[better])
    return float(np.max(shares, initial=0.0))


def refutation_by_rows(
    classes: np.ndarray,
    fit_intercept: bool,
    found: Refutation,
    fetch: Callable[[np.ndarray], tuple[Any, Any]],
    mark: str,
) -> Inseparability:
    """The certificate of rows that ``fetch`` returns, given sorted numbers, with their codes.

    ``mark`` is the fingerprint of the data, or empty. Multipliers that are only known to exist are
    solved for if the certificate is bound to the data; else on first use.
    """
    ids, back = np.unique(found.points, return_inverse=True)
    X, codes = fetch(ids)
    known = {
        "rivals": found.rivals if len(classes) > 2 else None,
        "codes": codes[back],
        "classes": tuple(map(plain_label, classes)),
        "fit_intercept": fit_intercept,
    }
    if isinstance(found.multipliers, Implied) and not mark:
        return Inseparability.proved(found.points, found.multipliers, **known)
    claim = Inseparability(rows=back, alpha=tuple(found.alpha), fingerprint=mark, **known)
    proof = claim.checked(X, codes)
    return replace(proof, rows=ids[proof.rows])


def certificate_of(
    place: Place, answer: Separator | Refutation | None, upper: float
) -> Separation | Inseparability | None:
    """The certificate of a search's answer, for the rows of the place."""
    if answer is None:
        return None
    if isinstance(answer, Refutation):
        return place.refutation(answer, bind=True)
    vectors = place.size.vectors
    shape = (vectors, -1) if vectors else (-1,)
    return place.separation(answer.weights.reshape(shape), 0.0, upper, bind=True)

"""The `Place` protocol: what a fit and a decision ask of the place where labelled rows lie.

Three classes implement it: `rosenblatt.places.memory.Memory`, `rosenblatt.places.file.place.File`
and `rosenblatt.places.cluster.place.Cluster`. Fit (``fit.fitting``) and decision
(``solve.decision``) are written once, against this protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.engine.rules import State
from rosenblatt.engine.run import Pass, Run
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.proof.certificate import Inseparability, Separation
from rosenblatt.proof.certificate.data import plain_label
from rosenblatt.proof.exact import Implied
from rosenblatt.solve.goal import Goal
from rosenblatt.solve.search import Refutation, Separator

Watch = Callable[[Pass], Stop | None]


class Size(NamedTuple):
    """The size of data.

    Attributes
    ----------
    rows, width : int
        Rows, and columns in use.
    vectors : int
        Weight vectors, 0 for a single one.
    per_row : float
        Entries a row.
    """

    rows: int
    width: int
    vectors: int
    per_row: float


class Place(Protocol):
    """Where labelled rows lie, and what may be asked of them."""

    @property
    def again(self) -> bool:
        """Whether the rows can be read again after a run."""
        ...

    @property
    def many_passes(self) -> bool:
        """Whether thousands of passes are cheaper than a linear program."""
        ...

    @property
    def at_hand(self) -> bool:
        """Whether the rows are in memory, so that a few more passes cost little."""
        ...

    @property
    def rows(self) -> int:
        """Rows in play."""
        ...

    @property
    def entries(self) -> int:
        """Stored entries of the rows."""
        ...

    @property
    def mean_goes_on(self) -> bool:
        """Whether a later run may go on from the passes of the mean."""
        ...

    @property
    def classes(self) -> np.ndarray:
        """The sorted labels."""
        ...

    @property
    def d(self) -> int:
        """Features."""
        ...

    @property
    def vectors(self) -> int:
        """Weight vectors: K for K > 2 classes, 0 for the single one of two."""
        ...

    @property
    def fit_intercept(self) -> bool:
        """Whether there is a bias."""
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
    def whole(self) -> bool:
        """Whether all rows are in play."""
        ...

    @property
    def certifies_all(self) -> bool:
        """Whether a separation certificate is about all rows, in play or not."""
        ...

    @property
    def used(self) -> UsedColumns | None:
        """The columns of its runs among all that the rows came with, if the others are empty."""
        ...

    @property
    def passes_before(self) -> int:
        """Passes of an earlier run that `learn` continues."""
        ...

    def start(self, earlier: State | None = None) -> State:
        """The state to start with: zero weights, or where an earlier run was left."""
        ...

    def counts_from_zero(self, state: State) -> bool:
        """Whether the steps counted by a run from that state add up to its weights."""
        ...

    def bounded(self, run: Run) -> float:
        """The mistakes of a run that the mistake bound is about."""
        ...

    def learn(
        self,
        rule: Any,
        state: State,
        *,
        order: str = "active",
        budget: Budget | None = None,
        seed: int = 0,
        watch: Watch | None = None,
        judge: Watch | None = None,
        held_out: Any = None,
        kept: dict[str, Any] | None = None,
    ) -> Run:
        """Pass over the rows until there is reason to stop; the state changes."""
        ...

    def mean_run(self, rule: Any, state: State, budget: Budget, seed: int) -> Run:
        """Full passes in random orders, over scaled columns."""
        ...

    def least_margin(self, rule: Any, run: Run) -> float:
        """The least margin of the rows in play at the run's weights; −∞ if not computed."""
        ...

    def errors(
        self, rule: Any, candidates: Sequence[np.ndarray], held_out: Any = None
    ) -> np.ndarray:
        """The share of rows on the wrong side or the boundary, weighted by steps, per candidate."""
        ...

    def size(self) -> Size:
        """Size of the data to decide about."""
        ...

    def constraints(self) -> Goal:
        """The rows in play as linear constraints, on the columns in use."""
        ...

    def touched(self, state: State) -> np.ndarray:
        """The sum of the steps that each constraint's row has made in a run."""
        ...

    def sure_margin(self, weights: np.ndarray) -> float:
        """A proved margin of the rows in play, if float scores suffice for the proof; else −∞."""
        ...

    def separation(self, weights: np.ndarray, upper: float, bind: bool) -> Separation:
        """The certificate of weights that separate, bound to the data or not.

        Raises CertificateError if they do not separate.
        """
        ...

    def refutation(self, found: Refutation, bind: bool) -> Inseparability:
        """The certificate of rows that no weights meet together, bound to the data or not."""
        ...


def refutation_by_rows(
    place: Place, found: Refutation, fetch: Callable[[np.ndarray], tuple[Any, Any]], mark: str
) -> Inseparability:
    """The certificate of rows that ``fetch`` returns, given sorted numbers, with their codes.

    ``mark`` is the fingerprint of the data, or empty. Multipliers that are only known to exist are
    solved for if the certificate is bound to the data; else on first use.
    """
    ids, back = np.unique(found.points, return_inverse=True)
    X, codes = fetch(ids)
    known = {
        "rivals": found.rivals if place.vectors else None,
        "codes": codes[back],
        "classes": tuple(map(plain_label, place.classes)),
        "fit_intercept": place.fit_intercept,
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
    shape = (place.vectors, -1) if place.vectors else (-1,)
    return place.separation(answer.weights.reshape(shape), upper, bind=True)

"""Proof of where a likelihood rises for ever, and where it does not: log links and contests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import fields
from rosenblatt.proof.certificate.base import Verification
from rosenblatt.proof.certificate.data import CertifiedData
from rosenblatt.proof.certificate.fields import require
from rosenblatt.proof.certificate.separation import Weighted
from rosenblatt.proof.contests import Contests, exact_scores
from rosenblatt.text import plural

# What is required of z besides: rows on which x·z = 0, or pairs of rows.
MODELS = ("log", "conditional", "cox")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Recession(Weighted):
    """Proof of all that a likelihood's directions of recession separate.

    Such a direction z never lowers the likelihood, and raises it for ever unless it leaves it as it
    is. With a log link, x·z = 0 where y > 0, and x·z ≤ 0 where y = 0. With contests, winners have
    x·z of at least their rivals'. One z has as many of these strict as can be; and positive α on
    some others, which combine to 0 and span the rest, prove that no more can be (Goldman and Tucker
    1956). With z = 0 all estimates are finite.

    Parameters
    ----------
    model : {"log", "conditional", "cox"}
        A log link; cases against controls of their group; events against all at risk.
    rows, rivals : sequence of int
        Rows with y = 0; or pairs, a winner and a rival each.
    alpha : sequence of int
        Their positive factors: Σ αx is a combination of rows with y > 0, or Σ α(xᵢ − xⱼ) = 0.
    strata, time, entry : int, optional
        Columns that say what is compared, in which weights are 0.
    weights, classes, fit_intercept, fingerprint
        As for `Separation`; the classes are False and True: y > 0, an event, a case.

    Examples
    --------
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 3, 0, 0]
    >>> proof = Recession.of(X, y, "log", [-1.0, 0.0], rows=[0], alpha=[1])
    >>> print(proof.verify(X, y).reason)
    2 of 3 rows with y = 0 are separated, and no others can be
    """

    kind: ClassVar[str] = "recession"

    model: str
    rows: np.ndarray
    rivals: np.ndarray | None
    alpha: tuple[int, ...]
    strata: int | None = None
    time: int | None = None
    entry: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.model in MODELS, f"model must be one of {', '.join(MODELS)}")
        require(self.classes == (False, True), "classes must be false and true")
        self._set("rows", fields.as_indices(self.rows, "rows"))
        require((self.rivals is None) == (self.model == "log"), "rivals belong to contests")
        if self.rivals is not None:
            self._set("rivals", fields.as_indices(self.rivals, "rivals"))
            require(len(self.rivals) == len(self.rows), "rivals must be as many as rows")
            require(not self.fit_intercept, "contests have no intercept")
        require(isinstance(self.alpha, (tuple, list, np.ndarray)), "alpha must be a list")
        alpha = tuple(fields.as_int(a, "alpha") for a in self.alpha)
        require(len(alpha) == len(self.rows), "alpha must be as many as rows")
        require(min(alpha, default=1) > 0, "every alpha must be positive")
        self._set("alpha", alpha)
        for name in ("strata", "time", "entry"):
            at = getattr(self, name)
            if at is not None:
                at = fields.as_int(at, name)
                require(self.model != "log" and 0 <= at < self.features, f"{name} is no column")
                require(not self.weights[at], f"the column of {name} must have weight 0")
                self._set(name, at)
        require((self.time is not None) == (self.model == "cox"), "time belongs to cox")
        require(self.entry is None or self.model == "cox", "entry belongs to cox")

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        model: str,
        weights: Any,
        *,
        rows: Any = (),
        alpha: Sequence[int] = (),
        rivals: Any = None,
        fit_intercept: bool = True,
        strata: int | None = None,
        time: int | None = None,
        entry: int | None = None,
    ) -> Self:
        """Make the certificate; it is checked by `verify`.

        Examples
        --------
        Two groups; the case of each is larger than its control:

        >>> X, case = [[1.0, 0], [0.0, 0], [3.0, 1], [2.0, 1]], [True, False, True, False]
        >>> proof = Recession.of(X, case, "conditional", [1.0, 0.0, 0.0], rivals=[], strata=1,
        ...                      fit_intercept=False)
        >>> print(proof.verify(X, case).reason)
        4 of 4 rows that are compared are separated, and no others can be
        """
        data = CertifiedData.of(X, positive(y))
        return cls(
            model=model,
            weights=np.asarray(weights),
            rows=np.asarray(rows, dtype=np.int64),
            rivals=None if rivals is None else np.asarray(rivals, dtype=np.int64),
            alpha=tuple(int(a) for a in alpha),
            strata=strata,
            time=time,
            entry=entry,
            classes=(False, True),
            fit_intercept=fit_intercept,
            fingerprint=data.fingerprint(),
        )

    def _turned(self) -> dict[str, Any]:
        raise InputError("a recession has no other class to face")

    def _points(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        return super()._points(X, positive(y))

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        highest = max([-1, *self.rows.tolist(), *(() if self.rivals is None else self.rivals)])
        if highest >= len(codes):
            return Verification(False, f"row {highest} is not in the data, of {len(codes)} rows")
        won = codes == 1
        return self._of_log(matrix, won) if self.model == "log" else self._of_pairs(matrix, won)

    def _of_log(self, matrix: Any, won: np.ndarray) -> Verification:
        signs = np.zeros(len(won), dtype=np.int8)
        if any(self.weights):
            signs, _ = exact.signs_of_scores(matrix, exact.normalised(self.weights))
        wrong = np.flatnonzero(np.where(won, signs != 0, signs > 0))
        if len(wrong):
            return Verification(False, f"row {wrong[0]} becomes less likely along the weights")
        if any(self.weights) and not signs.any():
            return Verification(False, "the weights change no row")
        if len(np.unique(self.rows)) < len(self.rows) or won[self.rows].any():
            return Verification(False, "rows must be different, and have y = 0")
        total = exact.combination(matrix, self.rows, self.alpha) if len(self.rows) else {}
        if self.fit_intercept and self.alpha:
            total[matrix.shape[1]] = Fraction(sum(self.alpha))
        if not exact.Span(matrix[won], self.fit_intercept).holds_row(total):
            return Verification(False, "the weighted rows do not combine to 0")
        tied, held = ~won & (signs == 0), won.copy()
        held[self.rows] = True
        if not exact.Span(matrix[held], self.fit_intercept).holds(matrix[tied]):
            return Verification(False, "the rows do not span those that are said to be tied")
        return Verification(
            True,
            f"{np.count_nonzero(signs)} of {plural(int((~won).sum()), 'row')} with y = 0 are "
            "separated, and no others can be",
        )

    def _of_pairs(self, matrix: Any, won: np.ndarray) -> Verification:
        contests, X = self._contests(matrix, won), self._designed(matrix)
        columns = self._columns(matrix)
        scores = exact_scores(X, [exact.as_fraction(self.weights[j]) for j in columns])
        nothing = np.zeros(len(won), dtype=object)
        lost = contests.lost(scores, nothing)
        if len(lost):
            return Verification(False, f"row {lost[0, 0]} wins against {lost[0, 1]}, but not here")
        if any(self.weights) and not len(contests.lost(-scores, nothing)):
            return Verification(False, "the weights change no contest")
        assert self.rivals is not None
        pairs = np.column_stack([self.rows, self.rivals])
        if len(np.unique(pairs, axis=0)) < len(pairs) or not contests.compared(pairs).all():
            return Verification(False, "a pair is repeated, or its rows are not compared")
        if any(scores[i] != scores[j] for i, j in pairs):
            return Verification(False, "a pair is not tied")
        both, factors = pairs.ravel(), np.outer(self.alpha, [1, -1]).ravel().tolist()
        if len(pairs) and exact.combination(X, both, factors):
            return Verification(False, "the weighted pairs do not combine to 0")
        kernel = exact.Kernel.of(differences(X, pairs))
        for vector in kernel.basis(X.shape[1]):
            if len(contests.lost(scores, exact_scores(X, vector))):
                return Verification(False, "the pairs do not span those that are tied")
        if not any(scores):
            return Verification(True, "no direction separates anything: all estimates are finite")
        took, left = contests.taking_part(), contests.within(scores).taking_part()
        return Verification(
            True,
            f"{np.count_nonzero(took & ~left)} of {plural(int(took.sum()), 'row')} that are "
            "compared are separated, and no others can be",
        )

    def _columns(self, matrix: Any) -> np.ndarray:
        others = {self.strata, self.time, self.entry}
        return np.array([j for j in range(matrix.shape[1]) if j not in others], dtype=np.intp)

    def _designed(self, matrix: Any) -> Any:
        """The columns that weights are of."""
        return exact.as_matrix(matrix[:, self._columns(matrix)])

    def _contests(self, matrix: Any, won: np.ndarray) -> Contests:
        def column(at: int | None) -> np.ndarray | None:
            if at is None:
                return None
            return np.asarray(exact.as_dense(matrix[:, [at]]), dtype=np.float64).ravel()

        strata = column(self.strata)
        strata = np.zeros(len(won)) if strata is None else strata
        return Contests(won, strata, column(self.time), column(self.entry))

    def explain(self) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> X, y = [[0.0], [0.0], [1.0]], [0, 3, 0]
        >>> print(Recession.of(X, y, "log", [-1.0, 0.0], rows=[0], alpha=[1]).explain())
        Along the weights a likelihood with a log link rises for ever, and no direction separates
        rows that these do not.
        """
        of = {
            "log": "a likelihood with a log link",
            "conditional": "a conditional likelihood",
            "cox": "a partial likelihood",
        }[self.model]
        if not any(self.weights):
            return f"In no direction does {of} rise for ever: its estimates are finite."
        what = "rows" if self.model == "log" else "contests"
        return (
            f"Along the weights {of} rises for ever, and no direction separates {what} that these "
            "do not."
        )


def positive(y: Any) -> np.ndarray:
    """Whether each outcome is positive: a count above 0, an event, a case.

    Examples
    --------
    >>> positive([0, 2, 0.5]), positive([True, False])
    (array([False,  True,  True]), array([ True, False]))
    """
    outcome = np.asarray(y)
    if outcome.dtype.kind not in "biuf":
        raise InputError(f"outcomes must be numbers or booleans, got {outcome.dtype}")
    return outcome.ravel() > 0


def differences(X: Any, pairs: np.ndarray) -> list[dict[int, Any]]:
    """xᵢ − xⱼ for each pair, exactly.

    Examples
    --------
    >>> differences(np.array([[0.5, 1.0], [0.25, 1.0]]), np.array([[0, 1]]))
    [{0: Fraction(1, 4)}]
    """
    found = []
    for i, j in zip(*(exact.entries(X[side]) for side in pairs.T), strict=True):
        row = {k: i.get(k, 0) - j.get(k, 0) for k in i | j}
        found.append({k: v for k, v in row.items() if v})
    return found

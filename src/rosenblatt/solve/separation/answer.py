"""What `separation_kind` answers: the kind, its proofs, where each estimate is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.lazy import cached_property
from rosenblatt.proof.certificate import (
    Inseparability,
    Recession,
    Separation,
    Verification,
    WeakSeparation,
)
from rosenblatt.solve.deadline import OutOfTime
from rosenblatt.solve.separation.directions import Directions
from rosenblatt.solve.separation.limit import Limit, limit_of, step_of
from rosenblatt.solve.separation.models import Design
from rosenblatt.solve.separation.near_ties import NearTie
from rosenblatt.solve.separation.redundant import (
    compared_columns,
    in_words,
    limiting_columns,
    outcomes_alike,
    relations,
)

# Rows × coefficients² up to which all that is told of a result is found in a fraction of a second.
PROMPT = 2_000_000


class Kind(Enum):
    """Whether the classes are separated, touch or overlap.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X = [[1.0], [2.0], [3.0]]
    >>> [str(rb.separation_kind(X, y).kind) for y in ([0, 0, 1], [0, 1, 0])]
    ['complete', 'overlap']
    """

    COMPLETE = "complete"
    QUASI_COMPLETE = "quasi-complete"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Kind.{self.name}"


class Estimate(Enum):
    """Where the maximum-likelihood estimate of a coefficient is.

    Examples
    --------
    >>> Estimate("+∞"), Estimate.PLUS.diverges, Estimate.FINITE.diverges
    (Estimate.PLUS, True, False)
    """

    FINITE = "finite"
    PLUS = "+∞"
    MINUS = "−∞"
    EITHER = "±∞"
    UNIDENTIFIED = "not identified"
    UNSETTLED = "not settled in time"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Estimate.{self.name}"

    @property
    def diverges(self) -> bool:
        """Whether it is infinite, in whichever direction."""
        return self in (Estimate.PLUS, Estimate.MINUS, Estimate.EITHER)


ADVICE = {
    Kind.COMPLETE: "The likelihood of a {model} has no maximum: it rises to its bound. {instead}",
    Kind.QUASI_COMPLETE: (
        "The likelihood of a {model} has no maximum: merge rare levels, leave out a column only if "
        "it knows the outcome, then report infinite estimates as such and the others from the "
        "limiting model, or penalise the regression (Firth)."
    ),
    Kind.OVERLAP: "The maximum-likelihood estimate of a {model} exists: fit it.",
    Kind.UNDECIDED: "Undecided: raise time_limit to go on.",
}
REDUNDANT = (
    "Without one column of each equation, the maximum-likelihood estimate of a {model} exists."
)
NOTHING = "The likelihood of a {model} is the same for all coefficients: there is nothing to fit."
CLASSIFY = (
    "Classify with rosenblatt.Perceptron or MaxMargin, which want exactly this; for probabilities "
    "penalise the regression (Firth)."
)
PENALISE = "Penalise it (Firth)."
INTERVALS = (
    "An infinite estimate has a one-sided interval: its finite end is where the profile likelihood "
    "falls off."
)
REGRESSIONS = {
    "logit": "logistic regression",
    "probit": "probit regression",
    "cloglog": "regression with a complementary log-log link",
    "loglog": "regression with a log-log link",
    "cauchit": "cauchit regression",
    "multinomial": "multinomial regression",
    "ordinal": "cumulative (ordinal) regression",
    "poisson": "regression with a log link",
    "log-binomial": "log-binomial regression",
    "cox": "Cox regression",
    "conditional": "conditional logistic regression",
}
WHY_EITHER = "±∞: it diverges, and the data do not tell in which direction."


@dataclass(frozen=True)
class SeparationKind:
    """Whether the classes are separated, touch or overlap, proved, and which estimates exist.

    Attributes
    ----------
    kind : Kind
        COMPLETE: some z has Az > 0. QUASI_COMPLETE: none has, but some has Az ≥ 0, not all zero.
        OVERLAP: neither. UNDECIDED only where a time limit ran out.
    separation : Separation, WeakSeparation or None
        The z of complete or quasi-complete separation; the latter is strict on as many rows as
        any can be. For the multinomial and the ordinal model it speaks of the rows of ``system``.
    inseparability : Inseparability, Overlap or None
        The α of quasi-complete separation or of overlap.
    recession : Recession or None
        Of models with a log link, Cox and conditional models: the one proof of the kind, and of
        all rows that are separated.
    strict : ndarray of bool
        Rows that can be strictly on their class's side, against every rival, with none on the wrong
        one.
    names : tuple of str
        Of the coefficients: of the features, the intercept last; ``class:feature`` for the
        multinomial, thresholds ``low|high`` last for the ordinal model.
    near_tie : NearTie or None
        With overlap: how little must change for the classes to be separated, where that is no more
        than the rounding of the numbers.

    Examples
    --------
    >>> from rosenblatt import separation_kind
    >>> result = separation_kind([[0, 0], [1, 0], [1, 0], [2, 1]], [0, 0, 1, 1])
    >>> result.kind
    Kind.QUASI_COMPLETE
    >>> result.coefficients
    {'x0': Estimate.PLUS, 'x1': Estimate.EITHER, 'intercept': Estimate.MINUS}
    >>> bool(result.verify([[0, 0], [1, 0], [1, 0], [2, 1]], [0, 0, 1, 1]))
    True
    """

    kind: Kind
    separation: Separation | WeakSeparation | None
    inseparability: Inseparability | None
    strict: np.ndarray
    names: tuple[str, ...]
    near_tie: NearTie | None
    recession: Recession | None
    _directions: Directions = field(repr=False)
    _options: dict[str, Any] = field(repr=False)
    _again: Callable[[Any, Any], Design] = field(repr=False)

    @property
    def _design(self) -> Design:
        return self._directions.design

    @property
    def model(self) -> str:
        """The model asked about, such as logit or poisson."""
        return self._design.model

    @property
    def separated(self) -> np.ndarray:
        """The rows that are separated, as an index: those that a limiting model is without.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> separation_kind([[0], [1], [1], [0]], [2, 0, 0, 0], model="poisson").separated
        array([1, 2])
        """
        return np.flatnonzero(self.strict)

    @property
    def about(self) -> str:
        """Which classes the coefficients speak of.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> separation_kind([[0], [1]], ["ill", "well"]).about
        "class 'well' against 'ill'"
        """
        return self._design.about

    @cached_property
    def coefficients(self) -> dict[str, Estimate]:
        """Each coefficient's estimate; found when first asked for.

        A coefficient is finite if z_j = 0 in all of C, of one sign if z_j has it in all of C, and
        not identified if weights that change no score can change it. Where that takes longer than
        the time limit, the rest is not settled.
        """
        if self.kind is Kind.UNDECIDED:
            return dict.fromkeys(self.names, Estimate.UNSETTLED)
        self._directions.timer.restart()
        found = dict.fromkeys(self.names, Estimate.UNSETTLED)
        try:
            finite, identified = self._directions.finite(), self._directions.identified()
            for j, name in enumerate(self.names):
                found[name] = self._estimate(j, finite[j], identified[j])
        except OutOfTime:
            pass
        return found

    def _estimate(self, j: int, finite: bool, identified: bool) -> Estimate:
        if not identified:
            return Estimate.UNIDENTIFIED
        if finite or self._directions.ray is None:
            return Estimate.FINITE
        at = self._directions.coefficients()[j]
        if at == 0 or self._directions.reaches(j, -1 if at > 0 else 1):
            return Estimate.EITHER
        upward = (at > 0) == bool(self._design.code)
        return Estimate.PLUS if upward else Estimate.MINUS

    @property
    def diverging(self) -> dict[str, Estimate]:
        """The coefficients without a finite estimate, and the way they go."""
        return {name: where for name, where in self.coefficients.items() if where.diverges}

    @cached_property
    def redundant(self) -> list[str]:
        """Columns that are combinations of others, exactly, as equations.

        Examples
        --------
        An undropped set of dummies:

        >>> from rosenblatt import separation_kind
        >>> import pandas as pd
        >>> table = pd.DataFrame({"red": [1, 0, 1, 0], "blue": [0, 1, 0, 1], "size": [1, 2, 4, 3]})
        >>> separation_kind(table, [0, 1, 1, 0]).redundant
        ['intercept = red + blue']
        """
        return [in_words(relation) for relation in relations(self._design)]

    @property
    def system(self) -> tuple[Any, np.ndarray]:
        """The rows that certificates of the multinomial and the ordinal model speak of.

        Each aᵢ must have a positive product with the coefficients; all labels are True.
        """
        return self._design.X, np.asarray(self._design.y)

    @property
    def certified(self) -> tuple[Any, np.ndarray]:
        """The data that certificates speak of: rows and labels.

        Of models with strata, groups or times, these are further columns of the rows.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> result = separation_kind([[1], [2]], [1, 2], model="cox", event=[True, False])
        >>> table, label = result.certified
        >>> table.tolist(), label
        ([[1.0, 0.0, 1.0], [2.0, 0.0, 2.0]], array([ True, False]))
        >>> bool(result.recession.verify(table, label))
        True
        """
        return self._design.X, np.asarray(self._design.y)

    def limiting(self) -> tuple[np.ndarray, list[str]]:
        """Rows and columns of the limiting model: where the likelihood keeps a maximum.

        Returns
        -------
        rows : ndarray of bool
            Those that count and are not strict.
        columns : list of str
            Independent on these rows; of those that depend, diverging ones are left out.
        """
        if self.kind is not Kind.QUASI_COMPLETE:
            raise InputError(f"a limiting model needs quasi-complete separation, not {self.kind}.")
        gone = set(self.diverging)
        if self.model == "multinomial":
            features = self._design.features
            gone = {features[at % len(features)] for at, n in enumerate(self.names) if n in gone}
        present = self._design.present
        rows = np.zeros(len(self.strict), dtype=bool)
        rows[present] = ~self.strict[present]
        if self._design.compared is not None:
            return rows, compared_columns(self._design, self._directions.coefficients(), gone)
        return rows, limiting_columns(self._design, rows[present], gone)

    @property
    def strata(self) -> np.ndarray:
        """Of a Cox or conditional model, the strata or groups of the limiting model, numbered.

        Rows are compared there with those of their stratum or group that keep up with them; −1 for
        rows of weight 0.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> X, time = [[0, 1], [0, 0], [0, 0.5], [1, 0]], [1, 2, 3, 3]
        >>> separation_kind(X, time, model="cox", event=[1, 1, 0, 0]).strata
        array([0, 0, 0, 1])
        """
        compared = self._design.compared
        if compared is None:
            raise InputError(f"strata are of models cox and conditional, not {self.model}.")
        contests, found = compared.contests, np.full(self._design.n, -1)
        if self._directions.ray is not None:
            contests = contests.within(compared.scores(self._directions.coefficients()))
        found[self._design.present] = contests.strata
        return found

    @cached_property
    def limit(self) -> Limit:
        """The data of the limiting model, as statsmodels takes them; ``next_step`` fits it."""
        return limit_of(self, self._options)

    def to_frame(self) -> Any:
        """The coefficients as a pandas DataFrame: where each estimate is, and as a number.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> X = [[30, 0], [50, 0], [60, 0], [35, 0], [45, 0], [55, 1]]
        >>> separation_kind(X, [0, 1, 0, 1, 0, 1]).to_frame()
                  estimate  limit
        x0          finite    NaN
        x1              +∞    inf
        intercept   finite    NaN
        """
        import pandas as pd

        limits = {Estimate.PLUS: np.inf, Estimate.MINUS: -np.inf}
        places = list(self.coefficients.values())
        columns = {
            "estimate": list(map(str, places)),
            "limit": [limits.get(place, np.nan) for place in places],
        }
        return pd.DataFrame(columns, index=list(self.names))

    @cached_property
    def alike(self) -> dict[str, Any]:
        """Indicators whose rows have all the same outcome, and that outcome: empty cells.

        With a log link and in a Cox model only those without a count or an event are listed.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> X = [[1, 0], [1, 0], [0, 1], [0, 1]]
        >>> separation_kind(X, [0, 0, 3, 0], model="poisson", names=["north", "south"]).alike
        {'north': 0}
        """
        return outcomes_alike(self._design)

    @property
    def compares(self) -> bool:
        """Whether rows are compared at all: not, for example, if all times are censored."""
        compared = self._design.compared
        return compared is None or bool(compared.contests.taking_part().any())

    def verify(self, X: Any = None, y: Any = None) -> Verification:
        """Check the certificates of the kind in exact arithmetic.

        Parameters
        ----------
        X, y
            The data, as `separation_kind` took them; by default those that it was asked about.
        """
        proofs = [p for p in (self.separation, self.inseparability, self.recession) if p]
        if not proofs:
            return Verification(False, "nothing was decided, so there is nothing to verify")
        try:
            design = self._design if X is None else self._again(X, y)
        except (InputError, ValueError) as error:
            return Verification(False, str(error))
        outcomes = [proof.verify(design.X, design.y) for proof in proofs]
        failed = [outcome for outcome in outcomes if not outcome]
        return failed[0] if failed else Verification(True, "; ".join(o.reason for o in outcomes))

    @cached_property
    def report(self) -> str:
        """The whole answer in words; settles the coefficients first, which may take long.

        It is what ``print`` shows of a small problem, and of a large one once it is known.
        """
        from rosenblatt.solve.separation.text import said

        return said(self)

    @cached_property
    def next_step(self) -> str:
        """Lines of Python that fit the limiting model; empty where there is none.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> X = [[30, 0], [50, 0], [60, 0], [35, 0], [45, 0], [55, 1]]
        >>> print(separation_kind(X, [0, 1, 0, 1, 0, 1]).next_step)
        The limiting model, on the rows that are not separated, with standard errors:
          import statsmodels.api as sm
          limit = result.limit
          print(sm.Logit(limit.endog, limit.exog).fit().summary())
        """
        return "\n".join(step_of(self))

    @property
    def _is_told(self) -> bool:
        """Whether the whole report is known, or known in a moment."""
        constraints = self._design.constraints
        return "report" in vars(self) or constraints.n * constraints.dimension**2 <= PROMPT

    def __str__(self) -> str:
        from rosenblatt.solve.separation.text import outlined

        return self.report if self._is_told else outlined(self)

    def _repr_html_(self) -> str:
        from rosenblatt.solve.separation.text import shown

        return shown(self)

"""What `separation_kind` answers: the kind, its proofs, where each estimate is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.once import cached_property
from rosenblatt.proof.certificate import Inseparability, Separation, Verification, WeakSeparation
from rosenblatt.solve.search import OutOfTime
from rosenblatt.solve.separation.cone import Cone
from rosenblatt.solve.separation.faces import Ray
from rosenblatt.solve.separation.models import Design
from rosenblatt.solve.separation.near_ties import NearTie
from rosenblatt.solve.separation.redundant import (
    in_words,
    limiting_columns,
    relations,
)

# Rows × coefficients² up to which all that is told of a result is found in a fraction of a second.
PROMPT = 2_000_000


class Kind(Enum):
    """How the classes lie to each other."""

    COMPLETE = "complete"
    QUASI_COMPLETE = "quasi-complete"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Kind.{self.name}"


class Estimate(Enum):
    """Where the maximum-likelihood estimate of a coefficient is."""

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
    Kind.COMPLETE: (
        "The classes are separated, so the likelihood has no maximum. Classify with "
        "rosenblatt.Perceptron or MaxMargin, which want exactly this; for probabilities penalise "
        "the regression (sklearn's LogisticRegression does by default; Firth's penalty is the "
        "statisticians')."
    ),
    Kind.QUASI_COMPLETE: (
        "The likelihood has no maximum, although the classes are not separated. Look at the "
        "columns above for rare categories and for traces of the outcome; merge or drop them, or "
        "penalise the regression (sklearn's LogisticRegression does by default; Firth's penalty "
        "is the statisticians')."
    ),
    Kind.OVERLAP: "The maximum-likelihood estimate of a {model} exists: fit it.",
    Kind.UNDECIDED: "Undecided: raise time_limit to go on.",
}
REGRESSIONS = {
    "logit": "logistic regression",
    "multinomial": "multinomial regression",
    "ordinal": "cumulative (ordinal) regression",
}
WHY_EITHER = "±∞: some separating directions raise it and others lower it, so its sign is open."


@dataclass(frozen=True)
class SeparationKind:
    """How classes lie to each other, with proofs, and what a regression makes of it.

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
    _design: Design = field(repr=False)
    _cone: Cone = field(repr=False)
    _ray: Ray | None = field(repr=False)
    _again: Callable[[Any, Any], Design] = field(repr=False)

    @property
    def model(self) -> str:
        """The model asked about: logit, multinomial or ordinal."""
        return self._design.model

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
        self._cone.timer.restart()
        found = dict.fromkeys(self.names, Estimate.UNSETTLED)
        try:
            fixed, open_ = self._cone.face.determined(), self._cone.identified()
            for j, name in enumerate(self.names):
                found[name] = self._estimate(j, fixed[j], open_[j])
        except OutOfTime:
            pass
        return found

    def _estimate(self, j: int, finite: bool, identified: bool) -> Estimate:
        if not identified:
            return Estimate.UNIDENTIFIED
        if finite or self._ray is None:
            return Estimate.FINITE
        at = self._ray.weights[j]
        if at == 0 or self._cone.reaches(j, -1 if at > 0 else 1, self._ray):
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
        gone = {name.rpartition(":")[2] for name in self.diverging}
        present = self._design.present
        rows = np.zeros(len(self.strict), dtype=bool)
        rows[present] = ~self.strict[present]
        return rows, limiting_columns(self._design, rows[present], gone)

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the certificates of the kind against the data, in exact arithmetic."""
        proofs = [p for p in (self.separation, self.inseparability) if p is not None]
        if not proofs:
            return Verification(False, "nothing was decided, so there is nothing to verify")
        try:
            design = self._again(X, y)
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
        """Two lines of Python that fit the limiting model; empty where there is none.

        Examples
        --------
        >>> from rosenblatt import separation_kind
        >>> X = [[30, 0], [50, 0], [60, 0], [35, 0], [45, 0], [55, 1]]
        >>> print(separation_kind(X, [0, 1, 0, 1, 0, 1]).next_step)
        The limiting model, on the rows that are not strict (y as an array):
          rows, columns = ~result.strict, [0]
          LogisticRegression(C=np.inf, fit_intercept=True).fit(X[rows][:, columns], y[rows])
        """
        from rosenblatt.solve.separation.text import limiting_step

        return "\n".join(limiting_step(self))

    @property
    def _is_told(self) -> bool:
        """Whether the whole report is known, or known in a moment."""
        goal = self._design.goal
        return "report" in vars(self) or goal.n * goal.dimension**2 <= PROMPT

    def __str__(self) -> str:
        from rosenblatt.solve.separation.text import outlined

        return self.report if self._is_told else outlined(self)

    def _repr_html_(self) -> str:
        from rosenblatt.solve.separation.text import shown

        return shown(self)

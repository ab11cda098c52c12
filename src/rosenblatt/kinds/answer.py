"""What `separation_kind` answers: the kind, its proofs, and where each coefficient's estimate is.

Imports ``certificate`` and, of this package, ``cone`` and ``faces``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.certificate import Inseparability, Separation, Verification, WeakSeparation
from rosenblatt.kinds.cone import Cone
from rosenblatt.kinds.faces import Ray

# A longer list of coefficients is cut in print.
SHOWN = 20


class Kind(Enum):
    """How the classes lie to each other."""

    COMPLETE = "complete"
    QUASI_COMPLETE = "quasi-complete"
    OVERLAP = "overlap"

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
    Kind.OVERLAP: "The maximum-likelihood estimate of a logistic regression exists: fit it.",
}


@dataclass(frozen=True)
class SeparationKind:
    """How two classes lie to each other, with proofs, and what a logistic regression makes of it.

    Attributes
    ----------
    kind : Kind
        COMPLETE: some z has Az > 0. QUASI_COMPLETE: none has, but some has Az ≥ 0, not all zero.
        OVERLAP: neither.
    separation : Separation, WeakSeparation or None
        The z of complete or quasi-complete separation; the latter is strict on as many rows as
        any can be.
    inseparability : Inseparability, Overlap or None
        The α of quasi-complete separation or of overlap.
    strict : ndarray of bool
        Rows that can be strictly on their class's side of a hyperplane with none on the wrong one.
    names : tuple of str
        Of the coefficients, the intercept last.

    Examples
    --------
    >>> from rosenblatt.kinds import separation_kind
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
    _cone: Cone = field(repr=False)
    _ray: Ray | None = field(repr=False)

    @cached_property
    def coefficients(self) -> dict[str, Estimate]:
        """Each coefficient's estimate; found when first asked for.

        A coefficient is finite if z_j = 0 in all of C, of one sign if z_j has it in all of C, and
        not identified if weights that change no score can change it.
        """
        fixed, open_ = self._cone.face.determined(), self._cone.space().determined()
        return {name: self._estimate(j, fixed[j], open_[j]) for j, name in enumerate(self.names)}

    def _estimate(self, j: int, finite: bool, identified: bool) -> Estimate:
        if not identified:
            return Estimate.UNIDENTIFIED
        if finite or self._ray is None:
            return Estimate.FINITE
        at = self._ray.weights[j]
        if at == 0 or self._cone.reaches(j, -1 if at > 0 else 1, self._ray):
            return Estimate.EITHER
        return Estimate.PLUS if at > 0 else Estimate.MINUS

    @property
    def diverging(self) -> dict[str, Estimate]:
        """The coefficients without a finite estimate, and the way they go."""
        return {name: where for name, where in self.coefficients.items() if where.diverges}

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the certificates of the kind against the data, in exact arithmetic."""
        proofs = [p for p in (self.separation, self.inseparability) if p is not None]
        outcomes = [proof.verify(X, y) for proof in proofs]
        failed = [outcome for outcome in outcomes if not outcome]
        return failed[0] if failed else Verification(True, "; ".join(o.reason for o in outcomes))

    def __str__(self) -> str:
        count, n = int(self.strict.sum()), len(self.strict)
        lines = [
            {
                Kind.COMPLETE: f"Complete separation: a hyperplane has all {n:,} rows strictly on "
                "their sides.",
                Kind.QUASI_COMPLETE: f"Quasi-complete separation: a hyperplane has {count:,} of "
                f"{n:,} rows strictly on their sides and the others on itself.",
                Kind.OVERLAP: "Overlap: no hyperplane separates the classes, not even with rows "
                "on it.",
            }[self.kind]
        ]
        lines += _listed("No finite estimate:", self.diverging)
        unidentified = {
            name: where
            for name, where in self.coefficients.items()
            if where is Estimate.UNIDENTIFIED
        }
        lines += _listed("Not identified, as columns depend on each other:", unidentified)
        return "\n".join([*lines, ADVICE[self.kind]])


def _listed(title: str, coefficients: dict[str, Estimate]) -> list[str]:
    if not coefficients:
        return []
    shown = list(coefficients.items())[:SHOWN]
    wide = max(len(name) for name, _ in shown)
    lines = [title, *(f"  {name:{wide}}  {where}" for name, where in shown)]
    return lines if len(coefficients) <= SHOWN else [*lines, f"  … ({len(coefficients)} in all)"]

"""What `fewest_errors` answers: the bracket, its proof, and the rows to look at."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.labels import read_labels
from rosenblatt.engine.stopping import _Said
from rosenblatt.errors import InputError
from rosenblatt.proof.certificate import ErrorBracket, Inseparability, Verification
from rosenblatt.proof.certificate.text import listing
from rosenblatt.text import plural


class Ending(_Said):
    """Why the search for the fewest errors ended; each value is the sentence its user reads."""

    EXACT = "Exact: no weights make fewer errors."
    TIME = "Out of time. Raise time_limit to narrow the bracket."
    INTERRUPTED = "Interrupted; the bracket is what was known by then."
    DEPTH = "A proof of more would need too many cases within cases to be written down."


class FewestProgress(NamedTuple):
    """Where the search stands.

    Attributes
    ----------
    lower, upper : float
        The bracket so far.
    subsets : int
        Inseparable subsets found.
    cases : int
        Cases that the proof of the lower end distinguishes.
    seconds : float
        Since the start.
    """

    lower: float
    upper: float
    subsets: int
    cases: int
    seconds: float


@dataclass(frozen=True)
class FewestErrors:
    """How few training errors any weights can make, bracketed, with proofs of both ends.

    Attributes
    ----------
    lower, upper : int, or float with sample weights
        lower ≤ the least number (or weight) of training errors of any weights ≤ upper. A row on
        the boundary is an error.
    rows : ndarray of int
        The rows to look at: without them the rest is separable. The most wrong first.
    weights : ndarray of shape (d + 1,) or (K, d + 1)
        Weights with those errors and no others, the bias last. Of two classes, they score above 0
        for the second of ``certificate.classes``.
    certificate : ErrorBracket or None
        The proof of both ends; None with ``multiclass="ovr"``, whose parts have one each.
    n : int
        Rows that count: those of positive weight.
    ending : Ending
        Why the search ended.
    seconds : float
        Wall-clock time.
    parts : dict
        With ``multiclass="ovr"``, the answer for each class against the rest.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = rb.fewest_errors(X, y == 2)
    >>> result.lower, result.upper
    (1, 1)
    >>> bool(result.verify(X, y == 2))
    True
    """

    lower: float
    upper: float
    rows: np.ndarray
    weights: np.ndarray | None
    certificate: ErrorBracket | None
    n: int
    ending: Ending
    seconds: float
    parts: dict[Any, FewestErrors] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Whether the two ends meet."""
        if self.certificate is None:
            return all(part.exact for part in self.parts.values())
        return self.certificate.exact

    @property
    def irreducible(self) -> bool:
        """Whether putting back any one of ``rows`` is shown to make the rest inseparable."""
        if self.certificate is None:
            return all(part.irreducible for part in self.parts.values())
        return self.certificate.irreducible

    @property
    def subsets(self) -> tuple[Inseparability, ...]:
        """Rows that no weights have right together, each with its proof; of each one must go."""
        return () if self.certificate is None else self.certificate.subsets

    def facing(self, positive: Any) -> FewestErrors:
        """The same of the same two classes, that one being the positive one."""
        assert self.certificate is not None, "of two classes there is one certificate"
        proof = self.certificate.facing(positive)
        return replace(self, certificate=proof, weights=proof.weights)

    def verify(self, X: Any, y: Any) -> Verification:
        """Check both ends against the data in exact arithmetic, without a solver.

        Parameters
        ----------
        X, y
            The data that `fewest_errors` was given.
        """
        if self.certificate is not None:
            return self.certificate.verify(X, y)
        labels = read_labels(y)
        outcomes = {name: part.verify(X, labels == name) for name, part in self.parts.items()}
        if not outcomes:
            raise InputError("there is nothing to verify")
        failed = next((name for name, outcome in outcomes.items() if not outcome), None)
        if failed is not None:
            return Verification(False, f"class {failed!r}: {outcomes[failed].reason}")
        reasons = (f"class {name!r}: {outcome.reason}" for name, outcome in outcomes.items())
        return Verification(True, "; ".join(reasons))

    @property
    def sentence(self) -> str:
        """What a person can act on, in one or two sentences.

        Examples
        --------
        >>> import rosenblatt as rb
        >>> print(rb.fewest_errors([[0], [1], [2], [3]], [0, 1, 0, 1]).sentence)
        At least 1 of 4 rows is on the wrong side of every hyperplane; without row ... the classes
        are separable.
        """
        if not len(self.rows):
            return "The classes are separable: no training error is needed."
        without = f"without {_rows(self.rows)} the classes are separable"
        if self.certificate is None:
            return (
                f"The hyperplanes of {len(self.parts)} classes, each against the rest, make "
                f"between {self.lower:,} and {self.upper:,} errors in all."
            )
        if self.certificate.costs is not None:
            return (
                f"Errors weigh at least {self.lower:,.6g} for every hyperplane, and "
                f"{self.upper:,.6g} is enough; {without}."
            )
        if not self.lower:
            return f"{self.upper:,} errors are enough: {without}."
        verb = "is" if self.lower == 1 else "are"
        where = "every hyperplane" if self.certificate.binary else "any weights"
        enough = "" if self.exact else f" {self.upper:,} are enough:"
        return (
            f"At least {self.lower:,} of {plural(self.n, 'row')} {verb} on the wrong side of "
            f"{where};{enough} {without}."
        )

    def __str__(self) -> str:
        lines = [self.sentence]
        if self.rows.size and self.certificate is not None and self.irreducible:
            lines.append("Putting any one of them back makes the rest inseparable.")
        if self.certificate is not None and len(self.certificate.classes) == 2:
            lines.append(f"Positive class: {self.certificate.classes[1]!r}.")
        lines += [f"  {name}: {part.lower} to {part.upper}" for name, part in self.parts.items()]
        lines.append(str(self.ending))
        return "\n".join(lines)


def _rows(rows: np.ndarray) -> str:
    return f"row{'' if len(rows) == 1 else 's'} {listing(np.sort(rows).tolist())}"

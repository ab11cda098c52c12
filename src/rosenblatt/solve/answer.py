"""Answers of `decide` and `pairs`: the verdict, its proof, and how they print."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from rosenblatt.data.notebook import table
from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.stopping import Verdict
from rosenblatt.proof.certificate import Inseparability, Separation, require_proof

HINT = "rosenblatt.fewest_errors tells how few errors are needed, and which rows to look at."


@dataclass(frozen=True)
class Decision:
    """The answer to "are these classes linearly separable?".

    Attributes
    ----------
    verdict : Verdict
        UNDECIDED only where a time limit ran out. Any other verdict without an exact certificate
        of it, here or in the parts, is refused with a CertificateError.
    certificate : Separation, Inseparability or None
        The proof; ``certificate.verify(X, y)`` checks it without trusting what found it.
    margin : Bracket
        lower ≤ γ ≤ upper for the best margin of unit weights, bias included.
    weights : ndarray or None
        The separator, or the weights that made the fewest errors on the way; bias last. None where
        the time ran out before any were tried on all rows.
    errors : int
        Training points that these weights do not have on their right side.
    rounds : int
        Working sets solved.
    seconds : float
        Wall-clock time.
    parts : dict
        With ``multiclass="ovr"`` or ``"ovo"``, the decision of each class or pair of classes.
    classes : tuple
        The labels; of two, the second is the positive one, on whose rows scores are positive.
        Empty where the time ran out before all were seen.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0.0], [1.0], [2.0]], ["no", "no", "yes"]
    >>> decision = rb.decide(X, y)
    >>> decision.verdict, bool(decision.certificate.verify(X, y))
    (Verdict.SEPARABLE, True)
    """

    verdict: Verdict
    certificate: Separation | Inseparability | None
    margin: Bracket
    weights: np.ndarray | None
    errors: int
    rounds: int
    seconds: float
    parts: dict[Any, Decision] = field(default_factory=dict)
    classes: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        require_proof(self.verdict, self.certificate, self.parts.values())

    @property
    def separable(self) -> bool | None:
        """True, False, or None where undecided."""
        return {Verdict.SEPARABLE: True, Verdict.INSEPARABLE: False}.get(self.verdict)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, without its proof."""
        if self.verdict is not Verdict.UNDECIDED:
            return f"{str(self.verdict).capitalize()}, decided in {self.seconds:.2g} s."
        so_far = f"the best weights so far leave {self.errors:,} errors"
        if self.weights is None:
            so_far = "no weights were tried on all rows yet"
        return f"Undecided after {self.seconds:.2g} s: {so_far}. Raise time_limit to go on."

    @property
    def margin_sentence(self) -> str:
        """A sentence on the best margin, where the search knows more than the certificate proves.

        Examples
        --------
        >>> from rosenblatt import decide
        >>> decide([[-1.0], [1.0]], [0, 1], fit_intercept=False).margin_sentence
        'The best possible margin is at most 1.'
        """
        upper = self.margin.upper
        known = self.verdict is Verdict.SEPARABLE and math.isfinite(upper)
        return f"The best possible margin is at most {upper:.6g}." if known else ""

    def facing(self, code: int) -> Decision:
        """The same decision with that class (0 or 1) of the two as the positive one."""
        if len(self.classes) != 2 or code == 1:
            return self
        proof = self.certificate
        return replace(
            self,
            certificate=proof and proof.facing(self.classes[0]),
            weights=None if self.weights is None else 0 - self.weights,
            classes=self.classes[::-1],
        )

    def __str__(self) -> str:
        lines = [self.sentence]
        if self.certificate is not None:
            lines.append(self.certificate.explain())
        if self.margin_sentence:
            lines.append(self.margin_sentence)
        if not isinstance(self.certificate, Separation) and len(self.classes) == 2:
            lines.append(f"Positive class: {self.classes[1]!r}.")
        if self.verdict is Verdict.INSEPARABLE:
            lines.append(HINT)
        lines += [f"  {name}: {part.verdict}" for name, part in self.parts.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines: list[tuple[Any, Any]] = []
        if len(self.classes) == 2:
            lines.append(("positive class", str(self.classes[1])))
        if self.certificate is not None:
            lines.append(("proof", self.certificate.explain()))
        if self.verdict is not Verdict.INSEPARABLE:
            lines.append(("margin", str(self.margin)))
        lines += [(str(name), part.sentence) for name, part in self.parts.items()]
        return table(lines, caption=self.sentence)


@dataclass(frozen=True)
class Pairs:
    """The decision of every pair of classes.

    Attributes
    ----------
    classes : tuple
        The labels.
    decisions : dict
        From pairs of labels, in that order, to `Decision`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> found = rb.pairs([[0.0], [1.0], [2.0], [1.0]], ["a", "b", "c", "c"])
    >>> found["a", "b"].verdict, found["b", "c"].verdict
    (Verdict.SEPARABLE, Verdict.INSEPARABLE)
    """

    classes: tuple[Any, ...]
    decisions: dict[tuple[Any, Any], Decision]

    def __getitem__(self, pair: tuple[Any, Any]) -> Decision:
        return self.decisions[pair if pair in self.decisions else (pair[1], pair[0])]

    @property
    def separable(self) -> np.ndarray:
        """K × K: 1 for separable, 0 for not, NaN for undecided and on the diagonal."""
        return self._table(lambda d: {True: 1.0, False: 0.0, None: math.nan}[d.separable])

    @property
    def margins(self) -> np.ndarray:
        """K × K: the margin known to be reached, 0 where inseparable, NaN on the diagonal."""
        return self._table(lambda d: d.margin.lower)

    def _table(self, value: Callable[[Decision], float]) -> np.ndarray:
        values = np.full((len(self.classes), len(self.classes)), math.nan)
        for j, k in combinations(range(len(self.classes)), 2):
            values[j, k] = values[k, j] = value(self[self.classes[j], self.classes[k]])
        return values

    def _words(self) -> list[list[str]]:
        """One line a class: its name, and yes, no or ? for each other."""
        words = {1.0: "yes", 0.0: "no"}
        return [
            [str(name), *("-" if j == k else words.get(v, "?") for k, v in enumerate(row))]
            for j, (name, row) in enumerate(zip(self.classes, self.separable, strict=True))
        ]

    def __str__(self) -> str:
        names = [str(name) for name in self.classes]
        wide = max(3, *map(len, names))
        return "\n".join(
            " ".join(f"{cell:>{wide}}" for cell in line) for line in [["", *names], *self._words()]
        )

    def _repr_html_(self) -> str:
        return table(self._words(), ["", *self.classes], "Which pairs are linearly separable?")

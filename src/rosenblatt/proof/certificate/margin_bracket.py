"""Proof of the maximum margin: weights that reach its lower end, rows that bound it from above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.stopping import Verdict
from rosenblatt.errors import CertificateError
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import fields
from rosenblatt.proof.certificate.base import Verification
from rosenblatt.proof.certificate.data import CertifiedData
from rosenblatt.proof.certificate.fields import require
from rosenblatt.proof.certificate.separation import Weighted

BIASES = ("free", "padded", "none")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MarginBracket(Weighted):
    """Proof that lower ≤ the maximum margin of two classes ≤ upper.

    Parameters
    ----------
    bias : {"free", "padded", "none"}
        Whether the bias is left out of the norm that distances are divided by, counts as one more
        weight, or is 0.
    weights : ndarray, shape (d + 1,)
        Every row is at least ``lower`` from their hyperplane, on its side; the bias is last.
    margin : Bracket
        The two ends.
    rows : ndarray of int64
        Indices into X.
    alpha : tuple of Fraction
        Their positive weights. With a free bias the averages of the two classes' rows are at most
        2·upper apart; otherwise ‖Σ αᵢyᵢ(xᵢ, 1)‖ ≤ upper·Σα (without the 1 if there is no bias).
    classes, fit_intercept, fingerprint
        As for `Certificate`; there are two classes.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [3.0, 4.0]]), [0, 1]
    >>> proof = MarginBracket.of(X, y, [3.0, 4.0, -12.5], [0, 1], [1, 1], bias="free")
    >>> print(proof.margin, proof.verify(X, y).ok)
    [2.5, 2.5] True
    >>> MarginBracket.from_json(proof.to_json()) == proof
    True
    """

    kind: ClassVar[str] = "maximum-margin"

    bias: str
    margin: Bracket
    rows: np.ndarray
    alpha: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        require(len(self.classes) == 2, "a margin is between two classes")
        known = isinstance(self.bias, str) and self.bias in BIASES
        require(known, f"bias must be one of {', '.join(BIASES)}")
        agree = self.fit_intercept == (self.bias != "none")
        require(agree, "fit_intercept must be false for the bias none, and true otherwise")
        try:
            lower, upper = self.margin
        except (TypeError, ValueError):
            raise CertificateError("margin must be two numbers") from None
        ends = Bracket(fields.as_number(lower, "margin"), fields.as_number(upper, "margin"))
        require(0 <= ends.lower <= ends.upper, "margin must be 0 ≤ lower ≤ upper")
        self._set("margin", ends)
        self._set("rows", fields.as_indices(self.rows, "rows"))
        require(self.rows.size, "rows must not be empty")
        require(len(np.unique(self.rows)) == len(self.rows), "rows must not repeat")
        require(isinstance(self.alpha, (tuple, list, np.ndarray)), "alpha must be a list")
        alpha = tuple(fields.as_fraction(a, "alpha") for a in self.alpha)
        require(len(alpha) == len(self.rows), "alpha must be as many as rows")
        require(min(alpha) > 0, "every alpha must be positive")
        self._set("alpha", alpha)

    @property
    def verdict(self) -> Verdict:
        """SEPARABLE: the weights separate."""
        return Verdict.SEPARABLE

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        weights: Any,
        rows: Any,
        alpha: Sequence[Any],
        *,
        bias: str = "free",
        fingerprint: str | None = None,
    ) -> Self:
        """Make the certificate of weights and weighted rows, with the bracket they prove.

        Parameters
        ----------
        X, y
            The data.
        weights : array-like
            Floats or ``Fraction``, the bias last. CertificateError if they do not separate.
        rows, alpha : sequence
            Row numbers and their weights; rows of weight 0 are left out.
        bias : {"free", "padded", "none"}
        fingerprint : str, optional
            Of the data, where already computed; empty to bind the certificate to no data set.
        """
        data = CertifiedData.of(X, y)
        keep = [i for i, a in enumerate(alpha) if a]
        draft = cls(
            weights=np.asarray(weights),
            bias=bias,
            margin=Bracket(0.0, 0.0),
            rows=np.asarray(rows, dtype=np.int64)[keep],
            alpha=tuple(exact.as_fraction(alpha[i]) for i in keep),
            classes=data.classes,
            fit_intercept=bias != "none",
            fingerprint=data.fingerprint() if fingerprint is None else fingerprint,
        )
        floor = exact.margin_floor(data.matrix, data.codes, draft.weights)
        require(floor >= 0, "the weights do not separate the classes")
        # Of ‖(w, b)‖ for the norm that counts; less by what `verify` may round up.
        ratio = draft._square(free=False) / draft._square()
        lower = exact.root_below(Fraction(floor) ** 2 * ratio)
        lower = lower * (1 - 4 * exact.UNIT) if bias == "free" else lower
        upper = exact.root_above(draft._square_above(data.matrix, data.codes))
        draft._set("margin", Bracket(lower, upper))
        return draft

    def _square(self, free: bool | None = None) -> Fraction:
        """‖z‖² of the normalised weights, without the bias where that is free."""
        vector = exact.normalised(self.weights).tolist()
        free = self.bias == "free" if free is None else free
        return sum((exact.as_fraction(v) ** 2 for v in vector[: -1 if free else None]), Fraction(0))

    def _square_above(self, matrix: Any, codes: np.ndarray) -> Fraction:
        """What the weighted rows prove that γ² does not exceed."""
        own, alpha = codes[self.rows], exact.primitive(self.alpha)
        if self.bias == "free":  # so that both classes weigh the same, as averages do
            pairs = list(zip(alpha, own, strict=True))
            totals = [sum(a for a, k in pairs if k == side) for side in (0, 1)]
            require(all(totals), "with a free bias, rows must be of both classes")
            alpha = [a * totals[1 - k] for a, k in pairs]
        signed = [a if k else -a for a, k in zip(alpha, own, strict=True)]
        sums = exact.combination(matrix, self.rows, signed)
        square = sum((v * v for v in sums.values()), Fraction(0))
        bias = sum(signed) if self.bias == "padded" else 0
        return (square + bias**2) / sum(alpha) ** 2

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        n = matrix.shape[0]
        if self.rows.max() >= n:
            return Verification(False, f"row {self.rows.max()} is not in the data, of {n} rows")
        # The same in units of ‖(w, b)‖, if anything a little more.
        ratio = self._square() / (self._square(free=False) or 1)
        least = exact.root_above(Fraction(self.margin.lower) ** 2 * ratio)
        reached, _ = exact.reaches(matrix, codes, self.weights, least)
        failed = np.flatnonzero(~reached)
        if failed.size:
            row = self._named(codes, int(failed[0]))
            return Verification(False, f"{row} is not at the distance {self.margin.lower!r}")
        try:
            square = self._square_above(matrix, codes)
        except CertificateError as error:
            return Verification(False, str(error))
        if square > Fraction(self.margin.upper) ** 2:
            return Verification(False, f"the rows do not prove the upper end {self.margin.upper!r}")
        return Verification(True, f"the maximum margin is in {self.margin}")

    def explain(self) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> proof = MarginBracket.of([[0.0], [2.0]], [0, 1], [1.0, -1.0], [0, 1], [1, 1])
        >>> print(proof.explain())
        The weights have a margin of at least 1 (per unit of w) on every row, and 2 weighted rows
        show that none have more than 1.
        """
        unit = {"free": "w", "padded": "(w, b)", "none": "w, without a bias"}[self.bias]
        lower, upper = self.margin
        return (
            f"The weights have a margin of at least {lower:.6g} (per unit of {unit}) on every row, "
            f"and {len(self.rows)} weighted rows show that none have more than {upper:.6g}."
        )

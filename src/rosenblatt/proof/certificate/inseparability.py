"""Proof that no weights separate: a few weighted rows that cancel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.engine.stopping import Verdict
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import fields, text, vipr
from rosenblatt.proof.certificate.base import Certificate, Verification
from rosenblatt.proof.certificate.data import CertifiedData, sides
from rosenblatt.proof.certificate.fields import require


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Inseparability(Certificate):
    """Proof that no weights separate the classes: α > 0 on a few rows with Aᵀα = 0.

    Parameters
    ----------
    rows : ndarray of int64
        Indices into X.
    alpha : tuple of int, or of float
        Their positive weights: integers without a common divisor when the proof is exact.
    rivals : ndarray of int64 or None
        For three classes and more, the class code that the row must beat.
    codes : ndarray of int64 or None
        The rows' own class codes; for explanations.
    epsilon : float
        0 when exact. Otherwise what is proved is weaker: no unit weight vector, bias included,
        has a margin above epsilon, because ‖Aᵀα‖/Σα ≤ epsilon.
    classes, fit_intercept, fingerprint
        As for `Certificate`.

    Examples
    --------
    >>> X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), ["even", "even", "odd", "odd"]
    >>> proof = Inseparability.of(X, y, rows=[0, 1, 2, 3], alpha=[1, 1, 1, 1])
    >>> print(proof.verify(X, y).reason)
    4 weighted rows cancel exactly, in rational arithmetic: no weights separate the classes
    >>> Inseparability.from_json(proof.to_json()) == proof
    True
    """

    kind: ClassVar[str] = "inseparability"

    rows: np.ndarray
    alpha: tuple[int, ...] | tuple[float, ...]
    rivals: np.ndarray | None = None
    codes: np.ndarray | None = None
    epsilon: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("rows", fields.as_indices(self.rows, "rows"))
        require(self.rows.size, "rows must not be empty")
        for name in ("rivals", "codes"):
            if getattr(self, name) is not None:
                values = fields.as_indices(getattr(self, name), name)
                require(values.shape == self.rows.shape, f"{name} must be as many as rows")
                require(values.max() < len(self.classes), f"{name} must be class codes")
                self._set(name, values)
        require((self.rivals is None) == self.binary, "rivals belong to three classes and more")
        pairs = self.rows if self.rivals is None else np.stack([self.rows, self.rivals], axis=1)
        require(len(np.unique(pairs, axis=0)) == len(pairs), "rows must not repeat")
        epsilon = fields.as_number(self.epsilon, "epsilon")
        require(epsilon >= 0, "epsilon must not be negative")
        self._set("epsilon", epsilon)
        self._set("alpha", self._checked_alpha())

    @classmethod
    def proved(
        cls,
        rows: np.ndarray,
        implied: exact.Implied,
        *,
        classes: tuple[Any, ...],
        fit_intercept: bool,
        rivals: np.ndarray | None = None,
        codes: np.ndarray | None = None,
    ) -> Self:
        """The certificate of rows that are proved to cancel, not bound to data.

        They are not checked again, and their weights are solved for when they are first read.

        Parameters
        ----------
        rows : ndarray of int
        implied : Implied
            Their weights.
        classes, fit_intercept, rivals, codes
            As for the certificate.

        Examples
        --------
        >>> X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
        >>> padded = np.array([[-0.0, -1.0], [1.0, 1.0], [-2.0, -1.0]])
        >>> implied = exact.Implied(padded, np.array([0.5, 1.0, 0.5]))
        >>> proof = Inseparability.proved(np.arange(3), implied, classes=(0, 1), fit_intercept=True)
        >>> proof.alpha, bool(proof.verify(X, y))
        ((1, 2, 1), True)
        """
        proof = object.__new__(cls)
        known = {"rows": rows, "rivals": rivals, "codes": codes}
        for name, values in known.items():
            proof._set(name, None if values is None else values.astype(np.int64))
        proof.__dict__.update(
            classes=classes, fit_intercept=fit_intercept, fingerprint="", epsilon=0.0
        )
        proof._set("_implied", implied)
        return proof

    def __getattr__(self, name: str) -> Any:
        implied = vars(self).get("_implied")
        if name == "alpha" and implied is not None:
            self._set("alpha", implied.alpha)
            vars(self).pop("_implied", None)
        if name == "alpha" and self.solved:  # perhaps by another thread
            return vars(self)["alpha"]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def solved(self) -> bool:
        """Whether ``alpha`` is there; else reading it takes a moment, or seconds for many rows."""
        return "alpha" in vars(self)

    @property
    def shares(self) -> np.ndarray:
        """``alpha`` as parts of the largest, rounded."""
        implied = vars(self).get("_implied")
        if implied is not None:
            return implied.near / implied.near.max()
        largest = max(self.alpha)
        return np.array([float(a / largest) for a in self.alpha])

    def _checked_alpha(self) -> tuple[Any, ...]:
        require(isinstance(self.alpha, (tuple, list, np.ndarray)), "alpha must be a list")
        # Integers when the proof is exact, in JSON perhaps as text.
        read = fields.as_int if self.exact else fields.as_number
        alpha = [read(a, "alpha") for a in self.alpha]
        require(len(alpha) == len(self.rows), "alpha must be as many as rows")
        require(min(alpha) > 0, "every alpha must be positive")
        return tuple(exact.primitive(alpha) if self.exact else alpha)

    def _turned(self) -> dict[str, Any]:
        codes = None if self.codes is None else 1 - self.codes
        return {**super()._turned(), "codes": codes}

    @property
    def exact(self) -> bool:
        """Whether Aᵀα = 0 exactly, so that nothing separates, however small the margin."""
        return self.epsilon == 0

    @property
    def verdict(self) -> Verdict:
        """INSEPARABLE if exact; otherwise nothing is settled."""
        return Verdict.INSEPARABLE if self.exact else Verdict.UNDECIDED

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        rows: Any,
        alpha: Sequence[Any],
        *,
        rivals: Any = None,
        fit_intercept: bool = True,
        fingerprint: str | None = None,
    ) -> Self:
        """Make the certificate of weighted rows that cancel; rows of weight 0 are left out.

        Parameters
        ----------
        X, y
            The data.
        rows : sequence of int
        alpha : sequence
            Integers or ``Fraction`` with Aᵀα = 0; or floats, whose epsilon is then computed.
        rivals : sequence of int, optional
            For three classes and more.
        fit_intercept : bool
        fingerprint : str, optional
            Of the data, where already computed; empty to bind the certificate to no data set.

        Examples
        --------
        >>> proof = Inseparability.of([[0.0], [1.0], [2.0]], [0, 1, 0], [0, 1, 2], [0.5, 1.0, 0.5])
        >>> proof.alpha, proof.epsilon
        ((1, 2, 1), 0.0)
        """
        data = CertifiedData.of(X, y)
        keep = [i for i, a in enumerate(alpha) if a]
        chosen = np.asarray(rows, dtype=np.int64)[keep]
        against = None if rivals is None else np.asarray(rivals, dtype=np.int64)[keep]
        integers = exact.primitive([alpha[i] for i in keep])
        draft = cls(
            rows=chosen,
            alpha=tuple(integers),
            rivals=against,
            codes=data.codes[chosen],
            classes=data.classes,
            fit_intercept=fit_intercept,
            fingerprint=data.fingerprint() if fingerprint is None else fingerprint,
        )
        return draft.checked(data.matrix, data.codes)

    def checked(self, matrix: Any, codes: np.ndarray) -> Self:
        """Return this certificate if its rows cancel; else the weaker one of what they leave.

        Parameters
        ----------
        matrix, codes
            The rows that ``rows`` counts, and their class codes.

        Examples
        --------
        >>> X, codes = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
        >>> claim = Inseparability(rows=[0, 1, 2], alpha=(1, 2, 2), classes=(0, 1),
        ...                        fit_intercept=True, fingerprint="")
        >>> claim.exact, claim.checked(X, codes).exact
        (True, False)
        """
        if not self._residual(matrix, codes):
            return self
        shares = np.array([a / max(self.alpha) for a in self.alpha])
        kept = np.flatnonzero(shares)  # without those too small for floats
        draft = replace(
            self,
            rows=self.rows[kept],
            alpha=tuple(shares[kept].tolist()),
            rivals=None if self.rivals is None else self.rivals[kept],
            codes=None if self.codes is None else self.codes[kept],
            epsilon=1.0,
        )
        return replace(draft, epsilon=_epsilon(draft._residual(matrix, codes), draft.alpha))

    def _residual(self, matrix: Any, codes: np.ndarray) -> dict[tuple[int, int], Fraction]:
        """Return the coordinates of Aᵀα that are not zero: (class block, column) → value."""
        own = sides(codes[self.rows], self.classes)
        if self.rivals is None:
            parts = [[a if code == 1 else -a for a, code in zip(self.alpha, own, strict=True)]]
        else:
            parts = [
                [
                    a * (int(code == k) - int(rival == k))
                    for a, code, rival in zip(self.alpha, own, self.rivals, strict=True)
                ]
                for k in range(len(self.classes))
            ]
        residual = {}
        for block, part in enumerate(parts):
            used = [i for i, c in enumerate(part) if c]
            coefficients = [Fraction(part[i]) if self.epsilon else part[i] for i in used]
            sums = exact.combination(matrix, self.rows[used], coefficients) if used else {}
            residual.update({(block, column): value for column, value in sums.items()})
            if self.fit_intercept and sum(coefficients):
                residual[block, matrix.shape[1]] = Fraction(sum(coefficients))
        return residual

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        n, d = matrix.shape
        if self.rows.max() >= n:
            return Verification(False, f"row {self.rows.max()} is not in the data, of {n} rows")
        if self.rivals is not None and np.any(self.rivals == codes[self.rows]):
            return Verification(False, "a row is said to rival its own class")
        if self.codes is not None and np.any(self.codes != codes[self.rows]):
            return Verification(False, "a row is not of the class that the certificate says")
        residual = self._residual(matrix, codes)
        if self.exact:
            if residual:
                _, column = min(residual)
                where = "the bias" if column == d else f"feature {column}"
                return Verification(False, f"the weighted rows do not cancel in {where}")
            return Verification(
                True,
                f"{len(self.rows)} weighted rows cancel exactly, in rational arithmetic: no "
                "weights separate the classes",
            )
        total = sum(map(Fraction, self.alpha))
        if sum(v * v for v in residual.values()) > (Fraction(self.epsilon) * total) ** 2:
            return Verification(
                False, f"the weighted rows do not cancel to within epsilon = {self.epsilon!r}"
            )
        return Verification(
            True,
            f"{len(self.rows)} weighted rows cancel to within {self.epsilon:.3g}, in rational "
            f"arithmetic: no unit weight vector, bias included, has a margin above that",
        )

    def irreducible(self, X: Any, y: Any) -> Verification:
        """Check, exactly, that no row can be left out: any fewer of these are separable.

        That is so where α is the only solution of Aᵀα = 0 on its rows, up to a factor: a solution
        on fewer of them would be another one. With three classes and more, it is the rows' scores
        against these rivals that are separable then.

        Parameters
        ----------
        X, y
            The data.

        Examples
        --------
        >>> X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), ["even", "even", "odd", "odd"]
        >>> proof = Inseparability.of(X, y, rows=[0, 1, 2, 3], alpha=[1, 1, 1, 1])
        >>> print(proof.irreducible(X, y).reason)
        any 3 of these 4 rows are separable
        """
        holds = self.verify(X, y)
        if not holds or not self.exact:
            return Verification(False, holds.reason if not holds else "the proof is not exact")
        matrix, codes = self._points(X, y)
        rows = self._requirements(matrix, codes)
        count = len(self.rows)
        # The rank modulo a prime is no more than the rank, which α keeps below the count.
        if exact.rank_at_least(rows) == count - 1 or len(exact.nullspace(rows.T)) == 1:
            what = "rows" if self.rivals is None else "requirements"
            fewer = f"any {count - 1} of these {count} {what} are" if count > 2 else "either is"
            return Verification(True, f"{fewer} separable" if count > 1 else "there is one row")
        return Verification(False, "fewer of these rows are inseparable already")

    def _requirements(self, matrix: Any, codes: np.ndarray) -> np.ndarray:
        """The rows aᵢ, dense."""
        X = exact.as_floats(exact.as_dense(matrix[self.rows]))
        padded = np.column_stack([X, np.full(len(X), float(self.fit_intercept))])
        own = sides(codes[self.rows], self.classes)
        if self.rivals is None:
            return padded * np.where(own == 1, 1.0, -1.0)[:, None]
        blocks = np.zeros((len(X), len(self.classes), padded.shape[1]))
        at = np.arange(len(X))
        blocks[at, own] = padded
        blocks[at, self.rivals] = -padded
        return blocks.reshape(len(X), -1)

    def _vipr(self, matrix: Any, codes: np.ndarray) -> str:
        if not self.exact or self.kind != Inseparability.kind:
            return super()._vipr(matrix, codes)
        return vipr.infeasible(self, matrix, codes)

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"epsilon={self.epsilon:.3g}"
        name = type(self).__name__
        return f"<{name} of {len(self.classes)} classes by {len(self.rows)} rows, {how}>"

    def explain(self, X: Any = None) -> str:
        """Say in words what is proved; with the data, show the point that the classes share.

        Examples
        --------
        >>> X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), ["even", "even", "odd", "odd"]
        >>> print(Inseparability.of(X, y, [0, 1, 2, 3], [1, 1, 1, 1]).explain(X))
        Rows 0, 1 (class 'even') and 2, 3 (class 'odd') cannot be on the right sides of any
        hyperplane: a weighted average of the first (weights 1, 1) equals a weighted average of
        the second (weights 1, 1), so one point would have to be on both sides. That point is
        (0.5, 0.5).
        """
        return text.inseparability(self, X)


def _epsilon(residual: dict[tuple[int, int], Fraction], alpha: Sequence[Any]) -> float:
    """Return ‖Aᵀα‖/Σα, rounded up."""
    total = sum(map(Fraction, alpha))
    square = sum((v * v for v in residual.values()), Fraction(0)) / total**2
    epsilon = exact.root_above(square)
    require(math.isfinite(epsilon), "the weighted rows are too far from cancelling")
    return max(epsilon, math.ulp(0.0))

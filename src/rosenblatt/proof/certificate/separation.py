"""Proofs that weights separate: strictly, or with some rows on the boundary."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.engine.margins import Bracket
from rosenblatt.engine.stopping import Verdict
from rosenblatt.engine.used_columns import UsedColumns
from rosenblatt.errors import CertificateError, InputError
from rosenblatt.lazy import cached_property
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import fields, text, vipr
from rosenblatt.proof.certificate.base import Certificate, Verification
from rosenblatt.proof.certificate.data import CertifiedData, plain_label, sides
from rosenblatt.proof.certificate.fields import require


@dataclass(frozen=True, eq=False, kw_only=True)
class Weighted(Certificate):
    """A certificate whose proof is a weight vector, or one per class."""

    weights: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = fields.as_weights(self.weights)
        shape = "(d + 1,)" if self.binary else f"({len(self.classes)}, d + 1)"
        fits = weights.ndim == 1 if self.binary else weights.shape[:-1] == (len(self.classes),)
        require(fits and weights.size, f"weights must have shape {shape}, got {weights.shape}")
        if not self.fit_intercept:
            require(not np.any(weights[..., -1]), "without an intercept every bias must be 0")
        self._set("weights", weights)

    @property
    def features(self) -> int:
        """How many columns the proof speaks of."""
        return self.weights.shape[-1] - 1

    def _require_features(self, d: int) -> None:
        expected = self.features
        if d != expected:
            raise InputError(f"X has {d} features but the certificate speaks of {expected}")

    def _turned(self) -> dict[str, Any]:
        return {**super()._turned(), "weights": 0 - self.weights}

    def _named(self, codes: np.ndarray, row: int) -> str:
        return f"row {row} (class {self.classes[codes[row]]!r})"

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.weights.shape))
        kind = "exact rational " if self.weights.dtype == object else ""
        named = text.classes_named(self.classes)
        return f"<{type(self).__name__} of {named} by {shape} {kind}weights>"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Separation(Weighted):
    """Proof that the classes are linearly separable: weights with Az > 0.

    Parameters
    ----------
    weights : ndarray, shape (d + 1,) or, for three classes and more, (K, d + 1)
        float64, or ``Fraction`` where floats do not suffice. The last coordinate is the bias, 0
        if there is none.
    margin : Bracket
        Of γ, the best margin of a unit weight vector, bias included (Frobenius norm for several
        classes). The weights prove the lower end, and `verify` checks it. The upper end is what
        the solver knew; nothing here proves it.
    classes, fit_intercept, fingerprint
        As for `Certificate`.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), ["no", "no", "yes"]
    >>> proof = Separation.of(X, y, [1.0, -2.0])
    >>> bool(proof.verify(X, y))
    True
    >>> print(proof.verify(X, ["no", "yes", "yes"]).reason)
    the data is not the data certified: its fingerprint differs, ...
    >>> Separation.from_json(proof.to_json()) == proof
    True
    """

    kind: ClassVar[str] = "separation"

    margin: Bracket

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            lower, upper = self.margin
        except (TypeError, ValueError):
            raise CertificateError("margin must be two numbers") from None
        lower = fields.as_number(lower, "margin")
        unknown = upper is None or upper == math.inf
        upper = math.inf if unknown else fields.as_number(upper, "margin")
        require(0 <= lower <= upper, "margin must be 0 ≤ lower ≤ upper")
        self._set("margin", Bracket(lower, upper))

    @classmethod
    def proved(
        cls,
        weights: np.ndarray,
        classes: tuple[Any, ...],
        fit_intercept: bool,
        margin: Bracket,
        columns: UsedColumns | None = None,
    ) -> Self:
        """The certificate of weights that a run has shown to separate, not bound to data.

        They are float64, finite and of the right shape, and are not checked: where there are many,
        that would take longer than the run. Those of columns in use become weights of all columns
        when they are first asked for.

        Examples
        --------
        >>> proof = Separation.proved(np.array([1.0, -2.0]), (0, 1), True, Bracket(0.25, 0.5))
        >>> bool(proof.verify(np.array([[0.0], [1.0], [3.0]]), [0, 0, 1]))
        True
        """
        labels = tuple([plain_label(label) for label in classes])
        weights = np.array(weights, order="C")
        weights.flags.writeable = False
        proof = object.__new__(cls)
        values = {"weights": weights, "classes": labels, "fit_intercept": fit_intercept}
        proof.__dict__.update(values, margin=margin, fingerprint="")
        return proof if columns is None else proof.among(columns)

    def among(self, columns: UsedColumns) -> Self:
        """The same proof, of weights of these columns, as one about all columns.

        Examples
        --------
        >>> proof = Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0], fingerprint="")
        >>> proof.among(UsedColumns(np.array([2]), 4)).weights
        array([0., 0., 1., 0., 0.])
        """
        wide = copy(self)
        wide.__dict__.update(in_use=wide.__dict__.pop("weights"), _columns=columns)
        return wide

    @cached_property
    def weights(self) -> np.ndarray:  # type: ignore[override]
        """Of all columns; made here where the proof came by those in use."""
        weights = vars(self)["_columns"].widened(self.in_use)
        weights.flags.writeable = False
        return weights

    @property
    def features(self) -> int:
        """How many columns the proof speaks of."""
        return self.in_use.shape[-1] - 1 if self.columns is None else self.columns.width

    @property
    def columns(self) -> UsedColumns | None:
        """Those that ``in_use`` are weights of; None for all."""
        return vars(self).get("_columns")

    @cached_property
    def in_use(self) -> np.ndarray:
        """The weights, or those of them that the proof came by."""
        return self.weights

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        weights: Any,
        *,
        fit_intercept: bool = True,
        upper: float = math.inf,
        fingerprint: str | None = None,
    ) -> Self:
        """Make the certificate of weights that separate, with the margin they prove.

        Raises CertificateError where they do not, by exact arithmetic: a `Separation` that was
        made from data is a proof.

        Parameters
        ----------
        X, y
            The data.
        weights : array-like
            Floats or ``Fraction``, the bias last.
        fit_intercept : bool
        upper : float
            Upper end of the margin's bracket, where known.
        fingerprint : str, optional
            Of the data, where already computed; empty to bind the certificate to no data set.

        Examples
        --------
        >>> X, y = [[-1.0], [1.0]], [0, 1]
        >>> print(Separation.of(X, y, [1.0, 0.0], upper=1.0).margin)
        [1, 1]
        >>> print(Separation.of(X, y, [1.0, 0.0], fingerprint="").verify(X, y).reason)
        all 2 rows are strictly on their class's side, with margin at least 1: 2 rows settled by
        floating point with an error bound
        """
        data = CertifiedData.of(X, y)
        table = np.asarray(weights)
        require(table.size, "weights must not be empty")
        lower = exact.margin_floor(data.matrix, sides(data.codes, data.classes), table)
        return cls.reaching(
            lower,
            table,
            data.classes,
            fit_intercept,
            upper,
            data.fingerprint() if fingerprint is None else fingerprint,
        )

    @classmethod
    def reaching(
        cls,
        lower: float,
        weights: np.ndarray,
        classes: tuple[Any, ...],
        fit_intercept: bool,
        upper: float,
        fingerprint: str,
    ) -> Self:
        """The certificate of weights whose `exact.margin_floor` over all rows is ``lower``.

        Raises CertificateError where that is −∞: the weights do not separate.

        Examples
        --------
        >>> Separation.reaching(-math.inf, np.ones(2), (0, 1), True, 1.0, "")
        Traceback (most recent call last):
        rosenblatt.errors.CertificateError: the weights do not separate the classes: ...
        """
        require(
            lower >= 0,
            "the weights do not separate the classes: a row is on the boundary or beyond it",
        )
        return cls(
            weights=weights,
            classes=classes,
            fit_intercept=fit_intercept,
            margin=Bracket(lower, max(lower, upper)),
            fingerprint=fingerprint,
        )

    @property
    def verdict(self) -> Verdict:
        """SEPARABLE: there is no weaker separation of this kind."""
        return Verdict.SEPARABLE

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        own = sides(codes, self.classes)
        proved, n_rational = exact.reaches(matrix, own, self.weights, self.margin.lower)
        failed = np.flatnonzero(~proved)
        if not failed.size:
            return Verification(
                True,
                f"all {len(codes)} rows are strictly on their class's side, with margin at least "
                f"{self.margin.lower:.6g}: {text.settled(len(codes), n_rational)}",
            )
        row = int(failed[0])
        signs, _ = exact.signs_of_constraints(matrix[[row]], own[[row]], self.weights)
        if signs.min() > 0:
            where = (
                f"on its side, but not with the margin {self.margin.lower!r} that the certificate "
                "claims"
            )
        else:
            where = "on the boundary" if signs.min() == 0 else "on the wrong side"
        return Verification(False, f"{self._named(codes, row)} is {where}")

    def _vipr(self, matrix: Any, codes: np.ndarray) -> str:
        return vipr.feasible(self, matrix, codes)

    def explain(self) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> print(Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0], upper=1.0).explain())
        One hyperplane separates classes 0, 1: w·x + b is positive on every row of class 1 and
        negative on every row of class 0. They reach the margin 1 (per unit of weight, bias
        included).
        """
        return text.separation(self)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WeakSeparation(Weighted):
    """Proof of weak separation: weights with Az ≥ 0, not all zero.

    With an `Inseparability` of the same data this is quasi-complete separation (Albert and
    Anderson 1984): a logistic regression has no finite estimate.

    Parameters
    ----------
    weights, classes, fit_intercept, fingerprint
        As for `Separation`.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    >>> proof = WeakSeparation.of(X, y, [1.0, -1.0])
    >>> print(proof.verify(X, y).reason)
    no row is on the wrong side, 2 of 4 are strictly on theirs: 2 rows settled by floating
    point with an error bound, 2 by rational arithmetic
    """

    kind: ClassVar[str] = "weak-separation"

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        weights: Any,
        *,
        fit_intercept: bool = True,
        fingerprint: str | None = None,
    ) -> Self:
        """Make the certificate of weights that put no row on the wrong side.

        Examples
        --------
        >>> WeakSeparation.of([[0.0], [0.0], [1.0]], [0, 1, 1], [1.0, 0.0])
        <WeakSeparation of classes 0, 1 by 2 weights>
        """
        data = CertifiedData.of(X, y)
        return cls(
            weights=np.asarray(weights),
            classes=data.classes,
            fit_intercept=fit_intercept,
            fingerprint=data.fingerprint() if fingerprint is None else fingerprint,
        )

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        own = sides(codes, self.classes)
        weights = exact.normalised(self.weights)
        signs, n_rational = exact.signs_of_constraints(matrix, own, weights)
        wrong = np.flatnonzero((signs < 0).any(axis=1))
        if wrong.size:
            return Verification(False, f"{self._named(codes, int(wrong[0]))} is on the wrong side")
        if not self.binary:
            signs[np.arange(len(own)), own] = 0
        strict = int(np.count_nonzero((signs > 0).any(axis=1)))
        if not strict:
            return Verification(False, "every row is on the boundary: the weights separate nothing")
        return Verification(
            True,
            f"no row is on the wrong side, {strict} of {len(codes)} are strictly on theirs: "
            f"{text.settled(len(codes), n_rational)}",
        )

    def explain(self) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> print(WeakSeparation.of([[0.0], [0.0], [1.0]], [0, 1, 1], [1.0, 0.0]).explain())
        Weights put no row of classes 0, 1 on the wrong side, and at least one strictly on its
        own: the classes touch at most on the boundary.
        """
        return (
            f"Weights put no row of {text.classes_named(self.classes)} on the wrong side, and at "
            "least one strictly on its own: the classes touch at most on the boundary."
        )

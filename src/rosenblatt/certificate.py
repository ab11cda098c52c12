"""Certificates: small objects that prove a verdict and can be checked without trusting the solver.

`Separation` proves that a hyperplane separates the classes, `Inseparability` that none does
(Gordan: exactly one of Az > 0 and Aᵀα = 0, α ≥ 0, α ≠ 0 has a solution), `WeakSeparation` and
`Overlap` the two halves of what statisticians call quasi-complete separation and overlap.
May import ``exact``, ``margins`` and ``errors``; imports no solver.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from . import exact
from .errors import CertificateError, InputError
from .margins import Bracket

FORMAT = "rosenblatt-certificate"
VERSION = 1
LARGEST_TEXT = 1 << 28  # characters; a certificate is small
SHOWN = 8  # rows or coordinates an explanation lists

Scalar = str | int | float | bool


@dataclass(frozen=True)
class Verification:
    """The outcome of checking a certificate: true or false, and why.

    Examples
    --------
    >>> bool(Verification(False, "the data is not the data certified"))
    False
    """

    ok: bool
    reason: str

    def __bool__(self) -> bool:
        return self.ok


# --- Labels and the fingerprint ------------------------------------------------------------------


def classes_of(y: Any) -> tuple[tuple[Scalar, ...], np.ndarray]:
    """Return the sorted classes as plain Python scalars, and the class code of every label.

    Examples
    --------
    >>> classes_of(np.array(["b", "a", "b"]))
    (('a', 'b'), array([1, 0, 1]))
    """
    try:
        labels = np.asarray(y)
    except ValueError as error:
        raise InputError(f"y is not a list of labels: {error}") from None
    if labels.ndim != 1:
        raise InputError(f"y must have one dimension, got shape {labels.shape}")
    if not labels.size:
        raise InputError("there are no rows")
    try:
        values, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InputError("y mixes labels that cannot be compared, such as text and None") from None
    return tuple(_plain(v) for v in values), codes.reshape(-1)


def _plain(label: Any) -> Scalar:
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"y holds {value}, which is no label")
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    raise InputError(
        f"labels must be text, integers, numbers or booleans, got a {type(value).__name__}"
    )


def _token(label: Scalar) -> str:
    """The same text for labels that are equal: 1, 1.0 and True."""
    if isinstance(label, str):
        return "text " + label
    return f"number {Fraction(label)}"


def _encode(y: Any, classes: tuple[Scalar, ...]) -> np.ndarray:
    """Return the code in ``classes`` of every label."""
    found, codes = classes_of(y)
    known = {label: code for code, label in enumerate(classes)}
    unknown = [label for label in found if label not in known]
    if unknown:
        raise InputError(f"label {unknown[0]!r} is not among the classes certified, {classes}")
    return np.array([known[label] for label in found], dtype=np.intp)[codes]


def fingerprint(X: Any, y: Any) -> str:
    """Return a hash of the numbers and labels, whatever holds them.

    Dense, sparse, C or Fortran order, float32, float64 or integer copies of the same numbers have
    the same fingerprint, and so do labels that are equal.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    y : array-like, shape (n,)

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> fingerprint(X, [0, 1]) == fingerprint(csr_array(X), np.array([0, 1]))
    True
    >>> fingerprint(X, [0, 1]) == fingerprint(X, [1, 0])
    False
    """
    matrix = exact.as_matrix(X)
    classes, codes = classes_of(y)
    if len(codes) != matrix.shape[0]:
        raise InputError(f"X has {matrix.shape[0]} rows but y has {len(codes)} labels")
    # Separate hashes of counts, columns and values do not depend on where the chunks end.
    parts = [hashlib.sha256() for _ in range(3)]
    for _, rows in exact.chunks(matrix):
        for part, array in zip(parts, _nonzeros(rows), strict=True):
            part.update(array.data)
    head = json.dumps([list(matrix.shape), [_token(label) for label in classes]])
    whole = hashlib.sha256(head.encode())
    whole.update(np.ascontiguousarray(codes, dtype="<i4").data)
    for part in parts:
        whole.update(part.digest())
    return whole.hexdigest()


def _nonzeros(rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (nonzeros in each row, their columns, their values), contiguous, little-endian."""
    if hasattr(rows, "indptr"):
        keep = rows.data != 0
        before = np.concatenate([[0], np.cumsum(keep)])
        counts = np.diff(before[rows.indptr])
        columns, values = rows.indices[keep], rows.data[keep]
    elif np.all(rows):
        counts = np.full(len(rows), rows.shape[1])
        columns, values = np.tile(np.arange(rows.shape[1], dtype="<u4"), len(rows)), rows.ravel()
    else:
        keep = rows != 0
        counts, values = np.count_nonzero(keep, axis=1), rows[keep]
        columns = np.flatnonzero(keep) % rows.shape[1]
    return (
        np.ascontiguousarray(counts, dtype="<i8"),
        np.ascontiguousarray(columns, dtype="<u4"),
        np.ascontiguousarray(values, dtype="<f8"),
    )


# --- What all certificates share -----------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """What all certificates share: the classes, the fingerprint of the data, JSON in and out."""

    kind: ClassVar[str] = ""

    classes: tuple[Scalar, ...]
    fit_intercept: bool
    fingerprint: str

    def __post_init__(self) -> None:
        _require(isinstance(self.classes, tuple) and self.classes, "classes must be a list")
        try:
            plain = tuple(_plain(label) for label in self.classes)
            rising = all(a < b for a, b in pairwise(plain))  # pyright: ignore[reportOperatorIssue]
        except (InputError, TypeError) as error:
            raise CertificateError(f"bad classes: {error}") from None
        _require(rising, "classes must be sorted and different from each other")
        _require(isinstance(self.fit_intercept, bool), "fit_intercept must be true or false")
        digest = isinstance(self.fingerprint, str) and re.fullmatch(
            "[0-9a-f]{64}", self.fingerprint
        )
        _require(digest, "fingerprint must be 64 hexadecimal digits")
        self._set("classes", plain)

    def _set(self, name: str, value: Any) -> None:
        if isinstance(value, np.ndarray):
            value = value.copy()
            value.flags.writeable = False
        object.__setattr__(self, name, value)

    @property
    def binary(self) -> bool:
        """Whether one hyperplane is asked for; otherwise one weight vector per class."""
        return len(self.classes) <= 2

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Certificate):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.kind, self.fingerprint))

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the proof against the data in exact arithmetic.

        Parameters
        ----------
        X : array-like or sparse, shape (n, d)
        y : array-like, shape (n,)

        Returns
        -------
        Verification
            True, or false with the reason. Bad data is a reason, not an error.
        """
        try:
            return self._verify(*self._points(X, y))
        except InputError as error:
            return Verification(False, str(error))

    def _points(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Return the data as a matrix and class codes; refuse data other than the certified."""
        matrix = exact.as_matrix(X)
        codes = _encode(y, self.classes)
        if len(codes) != matrix.shape[0]:
            raise InputError(f"X has {matrix.shape[0]} rows but y has {len(codes)} labels")
        self._require_features(matrix.shape[1])
        if fingerprint(matrix, y) != self.fingerprint:
            raise InputError(
                "the data is not the data certified: its fingerprint differs, so a value, a "
                "label or the order of the rows has changed"
            )
        return matrix, codes

    def _require_features(self, d: int) -> None:
        pass

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        raise NotImplementedError

    def _positive(self, codes: np.ndarray) -> np.ndarray:
        """Class codes as `exact` reads them: with one or two classes, 1 for the last of them."""
        return (codes == len(self.classes) - 1).astype(np.intp) if self.binary else codes

    def explain(self) -> str:
        """Say in words what is proved."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold without loss."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "classes": list(self.classes),
            "fit_intercept": self.fit_intercept,
            "fingerprint": self.fingerprint,
            **self._content(),
        }

    def _content(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def _read(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Return the constructor's arguments from the content of a certificate of this kind."""
        raise NotImplementedError

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the certificate that `to_dict` wrote; raise CertificateError for anything else."""
        certificate = from_dict(data)
        if not isinstance(certificate, cls):
            raise CertificateError(f"expected a certificate of {cls.kind}, got {certificate.kind}")
        return certificate

    def to_json(self) -> str:
        """Return the certificate as one line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the certificate that `to_json` wrote; raise CertificateError for anything else."""
        return cls.from_dict(_parse(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a JSON file; the file is complete or not there at all."""
        target = Path(path)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(self.to_json() + "\n", encoding="utf-8")
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Weighted(Certificate):
    """A certificate whose proof is a weight vector, or one per class."""

    weights: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = np.asarray(self.weights)
        if weights.dtype == object:
            weights = _as_fractions(weights)
        else:
            _require(weights.dtype.kind in "iuf", "weights must be numbers")
            weights = weights.astype(np.float64)
            _require(np.isfinite(weights).all(), "weights must be finite")
        shape = "(d + 1,)" if self.binary else f"({len(self.classes)}, d + 1)"
        fits = weights.ndim == 1 if self.binary else weights.shape[:-1] == (len(self.classes),)
        _require(fits and weights.size, f"weights must have shape {shape}, got {weights.shape}")
        if not self.fit_intercept:
            _require(not np.any(weights[..., -1]), "without an intercept every bias must be 0")
        self._set("weights", weights)

    def _require_features(self, d: int) -> None:
        expected = self.weights.shape[-1] - 1
        if d != expected:
            raise InputError(f"X has {d} features but the certificate speaks of {expected}")

    def _label(self, codes: np.ndarray, row: int) -> str:
        return f"row {row} (class {self.classes[codes[row]]!r})"

    def _content(self) -> dict[str, Any]:
        if self.weights.dtype != object:
            return {"weights": self.weights.tolist()}
        texts = [_fraction_to_text(w) for w in self.weights.flat]
        return {"weights": np.array(texts, dtype=object).reshape(self.weights.shape).tolist()}

    @classmethod
    def _read(cls, data: dict[str, Any]) -> dict[str, Any]:
        return {"weights": _read_weights(data["weights"])}

    def _subject(self) -> str:
        names = _listing([repr(c) for c in self.classes])
        return f"class {names}" if len(self.classes) == 1 else f"classes {names}"

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.weights.shape))
        kind = "exact rational " if self.weights.dtype == object else ""
        return f"<{type(self).__name__} of {self._subject()} by {shape} {kind}weights>"


# --- Separable -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Separation(_Weighted):
    """Proof that the classes are linearly separable: weights with Az > 0.

    Parameters
    ----------
    weights : ndarray, shape (d + 1,) or, for three classes and more, (K, d + 1)
        float64, or ``Fraction`` where floats do not suffice. The last coordinate is the bias.
    classes : tuple
        Sorted; of two, the second is the positive one.
    fit_intercept : bool
        Whether there is a bias; its weight is 0 if not.
    margin : Bracket
        Of γ, the best margin of a unit weight vector, bias included (Frobenius norm for several
        classes). The weights prove the lower end, and `verify` checks it. The upper end is what
        the solver knew; nothing here proves it.
    fingerprint : str
        Of the data: see `fingerprint`.

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
            lower, upper = map(float, self.margin)
        except (TypeError, ValueError):
            raise CertificateError("margin must be two numbers") from None
        _require(0 <= lower <= upper and lower < math.inf, "margin must be 0 ≤ lower ≤ upper")
        self._set("margin", Bracket(lower, upper))

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
            Of the data, where already computed.

        Examples
        --------
        >>> proof = Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0], upper=1.0)
        >>> print(proof.margin)
        [1, 1]
        """
        classes, codes = classes_of(y)
        table = np.asarray(weights)
        _require(table.size, "weights must not be empty")
        codes = codes if len(classes) > 2 else (codes == len(classes) - 1).astype(np.intp)
        lower = exact.margin_floor(X, codes, table)
        return cls(
            weights=table,
            classes=classes,
            fit_intercept=fit_intercept,
            margin=Bracket(lower, max(lower, upper)),
            fingerprint=fingerprint or _fingerprint(X, y),
        )

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        own = self._positive(codes)
        proved, n_rational = exact.reaches(matrix, own, self.weights, self.margin.lower)
        failed = np.flatnonzero(~proved)
        if not failed.size:
            return Verification(
                True,
                f"all {len(codes)} rows are strictly on their class's side, with margin at least "
                f"{self.margin.lower:.6g}: {_settled(len(codes), n_rational)}",
            )
        row = int(failed[0])
        signs, _ = exact.signs_of_requirements(matrix[[row]], own[[row]], self.weights)
        if signs.min() > 0:
            return Verification(
                False,
                f"{self._label(codes, row)} is on its side, but not with the margin "
                f"{self.margin.lower!r} that the certificate claims",
            )
        where = "on the boundary" if signs.min() == 0 else "on the wrong side"
        return Verification(False, f"{self._label(codes, row)} is {where}")

    def _content(self) -> dict[str, Any]:
        lower, upper = self.margin
        return {**super()._content(), "margin": [lower, upper if upper < math.inf else None]}

    @classmethod
    def _read(cls, data: dict[str, Any]) -> dict[str, Any]:
        margin = data["margin"]
        _require(isinstance(margin, list) and len(margin) == 2, "margin must be two numbers")
        lower = _read_number(margin[0], "margin")
        upper = math.inf if margin[1] is None else _read_number(margin[1], "margin")
        return {**super()._read(data), "margin": Bracket(lower, upper)}

    def explain(self) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> print(Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0], upper=1.0).explain())
        One hyperplane separates classes 0, 1: w·x + b is positive on every row of class 1 and
        negative on every row of class 0. The best margin of a unit weight vector, bias included,
        lies in [1, 1].
        """
        score = "w·x + b" if self.fit_intercept else "w·x"
        if not self.binary:
            text = (
                f"One weight vector per class separates {self._subject()}: on every row the "
                f"score {score} of its own class is larger than that of any other."
            )
        elif len(self.classes) == 2:
            text = (
                f"One hyperplane separates {self._subject()}: {score} is positive on every row "
                f"of class {self.classes[1]!r} and negative on every row of class "
                f"{self.classes[0]!r}."
            )
        else:
            text = f"There is one class only, and {score} is positive on every row."
        return (
            f"{text} The best margin of a unit weight vector, bias included, lies in {self.margin}."
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WeakSeparation(_Weighted):
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
    no row is on the wrong side, 2 of 4 are strictly on theirs: 2 rows settled by the
    floating-point filter, 2 by rational arithmetic
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
        return cls(
            weights=np.asarray(weights),
            classes=classes_of(y)[0],
            fit_intercept=fit_intercept,
            fingerprint=fingerprint or _fingerprint(X, y),
        )

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        own = self._positive(codes)
        weights = exact.normalised(self.weights)
        signs, n_rational = exact.signs_of_requirements(matrix, own, weights)
        wrong = np.flatnonzero((signs < 0).any(axis=1))
        if wrong.size:
            return Verification(False, f"{self._label(codes, int(wrong[0]))} is on the wrong side")
        if not self.binary:
            signs[np.arange(len(own)), own] = 0
        strict = int(np.count_nonzero((signs > 0).any(axis=1)))
        if not strict:
            return Verification(False, "every row is on the boundary: the weights separate nothing")
        return Verification(
            True,
            f"no row is on the wrong side, {strict} of {len(codes)} are strictly on theirs: "
            f"{_settled(len(codes), n_rational)}",
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
            f"Weights put no row of {self._subject()} on the wrong side, and at least one "
            "strictly on its own: the classes touch at most on the boundary."
        )


# --- Inseparable ---------------------------------------------------------------------------------


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
    classes, fit_intercept, fingerprint
        As for `Separation`.
    epsilon : float
        0 when exact. Otherwise what is proved is weaker: no unit weight vector, bias included,
        has a margin above epsilon, because ‖Aᵀα‖/Σα ≤ epsilon.

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
        self._set("rows", _as_indices(self.rows, "rows"))
        _require(self.rows.size, "rows must not be empty")
        for name in ("rivals", "codes"):
            if getattr(self, name) is not None:
                values = _as_indices(getattr(self, name), name)
                _require(values.shape == self.rows.shape, f"{name} must be as many as rows")
                _require(values.max() < len(self.classes), f"{name} must be class codes")
                self._set(name, values)
        _require((self.rivals is None) == self.binary, "rivals belong to three classes and more")
        pairs = self.rows if self.rivals is None else np.stack([self.rows, self.rivals], axis=1)
        _require(len(np.unique(pairs, axis=0)) == len(pairs), "rows must not repeat")
        epsilon = _read_number(self.epsilon, "epsilon")
        _require(epsilon >= 0, "epsilon must not be negative")
        self._set("epsilon", epsilon)
        self._set("alpha", self._checked_alpha())

    def _checked_alpha(self) -> tuple[Any, ...]:
        _require(isinstance(self.alpha, (tuple, list, np.ndarray)), "alpha must be a list")
        alpha = [a.item() if isinstance(a, np.generic) else a for a in self.alpha]
        _require(len(alpha) == len(self.rows), "alpha must be as many as rows")
        if self.epsilon:
            alpha = [_read_number(a, "alpha") for a in alpha]
        else:
            whole = all(isinstance(a, int) and not isinstance(a, bool) for a in alpha)
            _require(whole, "alpha must be integers when epsilon is 0")
        _require(min(alpha) > 0, "every alpha must be positive")
        return tuple(alpha) if self.epsilon else tuple(exact.primitive(alpha))

    @property
    def exact(self) -> bool:
        """Whether Aᵀα = 0 exactly, so that nothing separates, however small the margin."""
        return self.epsilon == 0

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
            Of the data, where already computed.

        Examples
        --------
        >>> proof = Inseparability.of([[0.0], [1.0], [2.0]], [0, 1, 0], [0, 1, 2], [0.5, 1.0, 0.5])
        >>> proof.alpha, proof.epsilon
        ((1, 2, 1), 0.0)
        """
        classes, codes = classes_of(y)
        keep = [i for i, a in enumerate(alpha) if a]
        chosen = np.asarray(rows, dtype=np.int64)[keep]
        against = None if rivals is None else np.asarray(rivals, dtype=np.int64)[keep]
        integers = exact.primitive([alpha[i] for i in keep])
        draft = cls(
            rows=chosen,
            alpha=tuple(integers),
            rivals=against,
            codes=codes[chosen],
            classes=classes,
            fit_intercept=fit_intercept,
            fingerprint=fingerprint or _fingerprint(X, y),
        )
        matrix = exact.as_matrix(X)
        if not draft._residual(matrix, codes):
            return draft
        floats = tuple(a / max(integers) for a in integers)
        draft = replace(draft, alpha=floats, epsilon=1.0)
        return replace(draft, epsilon=_epsilon(draft._residual(matrix, codes), floats))

    def _residual(self, matrix: Any, codes: np.ndarray) -> dict[tuple[int, int], Fraction]:
        """Return the coordinates of Aᵀα that are not zero: (class block, column) → value."""
        own = self._positive(codes)[self.rows]
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

    def _content(self) -> dict[str, Any]:
        return {
            "rows": self.rows.tolist(),
            "alpha": [_int_to_json(a) if isinstance(a, int) else a for a in self.alpha],
            "rivals": None if self.rivals is None else self.rivals.tolist(),
            "codes": None if self.codes is None else self.codes.tolist(),
            "epsilon": self.epsilon,
        }

    @classmethod
    def _read(cls, data: dict[str, Any]) -> dict[str, Any]:
        epsilon = _read_number(data["epsilon"], "epsilon")
        _require(isinstance(data["alpha"], list), "alpha must be a list")
        alpha = data["alpha"] if epsilon else [_read_int(a, "alpha") for a in data["alpha"]]
        return {
            "rows": _read_indices(data["rows"], "rows"),
            "alpha": tuple(alpha),
            "rivals": None if data["rivals"] is None else _read_indices(data["rivals"], "rivals"),
            "codes": None if data["codes"] is None else _read_indices(data["codes"], "codes"),
            "epsilon": epsilon,
        }

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
        if not self.exact:
            return (
                f"No unit weight vector, bias included, separates {len(self.classes)} classes "
                f"with a margin above {self.epsilon:.3g}: {len(self.rows)} weighted rows cancel to "
                "within that. Whether a smaller margin is possible is not proved."
            )
        if self.rivals is not None:
            return self._explain_rivals()
        if self.codes is None or len(set(self.codes.tolist())) == 1:
            return (
                f"{_rows(self.rows).capitalize()} cannot be on the right sides of any hyperplane: "
                "multiplied by their signs and the weights "
                f"{_weights(self.alpha)}, they sum to zero."
            )
        return self._explain_sides() + self._shared_point(X)

    def _explain_sides(self) -> str:
        sides = [np.flatnonzero(self.codes == code) for code in (0, 1)]
        first, second = (
            f"{_listing(self.rows[side].tolist())} (class {self.classes[code]!r})"
            for code, side in enumerate(sides)
        )
        weights = [_weights([self.alpha[i] for i in side]) for side in sides]
        kind = "average" if self.fit_intercept else "sum"
        so = "so one point would have to be on both sides."
        return (
            f"Rows {first} and {second} cannot be on the right sides of any hyperplane"
            f"{'' if self.fit_intercept else ' through the origin'}: a weighted {kind} of the "
            f"first (weights {weights[0]}) equals a weighted {kind} of the second (weights "
            f"{weights[1]}), {so}"
        )

    def _shared_point(self, X: Any) -> str:
        if X is None:
            return ""
        matrix = exact.as_matrix(X)
        side = np.flatnonzero(self.codes == 0)
        weights = [self.alpha[i] for i in side]
        scale = Fraction(sum(weights)) if self.fit_intercept else Fraction(1)
        sums = exact.combination(matrix, self.rows[side], weights)
        point = [f"{float(sums.get(j, 0) / scale):.6g}" for j in range(min(SHOWN, matrix.shape[1]))]
        dots = ", …" if matrix.shape[1] > SHOWN else ""
        return f" That point is ({', '.join(point)}{dots})."

    def _explain_rivals(self) -> str:
        assert self.rivals is not None
        claims = [
            f"row {row} prefer its class to {self.classes[rival]!r}"
            for row, rival in zip(self.rows[:SHOWN], self.rivals[:SHOWN], strict=True)
        ]
        dots = f", … ({len(self.rows)} in all)" if len(self.rows) > SHOWN else ""
        return (
            f"No weights, one vector per class, make {'; '.join(claims)}{dots}: with the weights "
            f"{_weights(self.alpha)} these requirements sum to 0 > 0."
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Overlap(Inseparability):
    """Proof of overlap: an exact α with Aᵀα = 0 whose rows span the rows of all the data.

    Every z with Az ≥ 0 then has Az = 0: there is no separation of any kind, and the estimate of
    a logistic regression is finite (Albert and Anderson 1984). For one or two classes.

    Parameters
    ----------
    rows, alpha, codes, classes, fit_intercept, fingerprint
        As for `Inseparability`; rows may be more than d + 2.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    >>> proof = Overlap.of(X, y, [0, 1, 2], [1, 2, 1])
    >>> print(proof.verify(X, y).reason)
    3 weighted rows cancel exactly and have the rank of the data, 2: the classes overlap
    """

    kind: ClassVar[str] = "overlap"

    def __post_init__(self) -> None:
        super().__post_init__()
        _require(self.binary, "overlap is certified for two classes")

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        outcome = super()._verify(matrix, codes)
        if not outcome:
            return outcome
        if not self.exact:
            return Verification(False, "overlap needs an exact alpha")
        rank = self._spanning_rank(matrix)
        if rank is None:
            return Verification(False, "the rows of the certificate do not span those of the data")
        return Verification(
            True,
            f"{len(self.rows)} weighted rows cancel exactly and have the rank of the data, {rank}: "
            "the classes overlap",
        )

    def _spanning_rank(self, matrix: Any) -> int | None:
        """Return the rank of the rows if the data has no more, else None; exact."""
        chosen = matrix[self.rows]
        support = exact.as_floats(chosen.toarray() if hasattr(chosen, "indptr") else chosen)
        if self.fit_intercept:
            support = np.column_stack([support, np.ones(len(support))])
        columns = support.shape[1]
        if exact.rank_at_least(support) == columns:
            return columns
        basis = exact.nullspace(support)
        bias = [] if self.fit_intercept else [0]
        spans = exact.orthogonal_to_all(matrix, [v + bias for v in basis])
        return columns - len(basis) if spans else None

    def explain(self, X: Any = None) -> str:
        """Say in words what is proved.

        Examples
        --------
        >>> print(Overlap.of([[0.0], [1.0], [2.0]], [0, 1, 0], [0, 1, 2], [1, 2, 1]).explain())
        The classes overlap. Rows 0, 2 (class 0) and 1 (class 1) cannot be on the right sides of
        any hyperplane: ... These rows span all the data, so not even a hyperplane with some rows
        on it separates the others.
        """
        return (
            f"The classes overlap. {super().explain(X)} These rows span all the data, so not even "
            "a hyperplane with some rows on it separates the others."
        )


# --- Reading -------------------------------------------------------------------------------------

KINDS: dict[str, type[Certificate]] = {
    kind.kind: kind for kind in (Separation, WeakSeparation, Inseparability, Overlap)
}


def from_dict(data: Any) -> Certificate:
    """Return the certificate in plain data, of whichever kind; raise CertificateError if none.

    Examples
    --------
    >>> from_dict({"format": "something else"})
    Traceback (most recent call last):
    rosenblatt.errors.CertificateError: not a certificate: "format" must be ...
    """
    _require(isinstance(data, dict), "not a certificate: expected a JSON object")
    _require(data.get("format") == FORMAT, f'not a certificate: "format" must be "{FORMAT}"')
    version = data.get("version")
    known = type(version) is int and version == VERSION
    _require(known, f"version {_shown(version)} is unknown; this reader knows {VERSION}")
    name = data.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise CertificateError(
            f"kind {_shown(name)} is unknown; expected one of {', '.join(KINDS)}"
        )
    content = {k: v for k, v in data.items() if k not in ("format", "version", "kind")}
    _require_keys(content, kind)
    _require(isinstance(content["classes"], list), "classes must be a list")
    return kind(
        classes=tuple(content["classes"]),
        fit_intercept=content["fit_intercept"],
        fingerprint=content["fingerprint"],
        **kind._read(content),
    )


def from_json(text: str | bytes) -> Certificate:
    """Return the certificate in JSON text, of whichever kind; raise CertificateError if none.

    Examples
    --------
    >>> proof = Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0])
    >>> from_json(proof.to_json())
    <Separation of classes 0, 1 by 2 weights>
    """
    return from_dict(_parse(text))


def load(source: str | os.PathLike[str]) -> Certificate:
    """Return the certificate in a file, or in JSON text (which starts with a brace).

    Examples
    --------
    >>> load("{}")
    Traceback (most recent call last):
    rosenblatt.errors.CertificateError: not a certificate: ...
    """
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return from_json(source)
    try:
        path = Path(source)
        _require(path.stat().st_size <= LARGEST_TEXT, f"{path} is too large for a certificate")
        return from_json(path.read_bytes())
    except (OSError, TypeError, ValueError) as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"cannot read a certificate from {source!r}: {error}") from None


def _parse(text: str | bytes) -> Any:
    _require(isinstance(text, (str, bytes)), "a certificate is read from text")
    _require(len(text) <= LARGEST_TEXT, "the text is too large for a certificate")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"not a certificate: {error}") from None


def _refuse_constant(name: str) -> Any:
    raise CertificateError(f"{name} is no number that a certificate may hold")


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise CertificateError(message)


def _require_keys(content: dict[str, Any], kind: type[Certificate]) -> None:
    expected = {field.name for field in fields(kind)}
    missing, extra = expected - content.keys(), content.keys() - expected
    _require(not missing, f"{', '.join(sorted(missing))} missing from the certificate")
    _require(not extra, f"{', '.join(sorted(extra))} does not belong in a {kind.kind}")


def _read_number(value: Any, name: str) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    _require(number, f"{name} must be a number, got {_shown(value)}")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    _require(math.isfinite(result), f"{name} must be finite")
    return result


def _read_int(value: Any, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch("-?0x[0-9a-f]+", value):
        return int(value, 16)
    raise CertificateError(f"{name} must be integers, got {_shown(value)}")


def _int_to_json(value: int) -> int | str:
    """Integers that other JSON readers would round, and those beyond Python's limit of digits."""
    return value if abs(value) < 1 << 53 else hex(value)


def _fraction_to_text(value: Fraction) -> str:
    return f"{value.numerator:#x}/{value.denominator:#x}"


def _read_fraction(value: Any) -> Fraction:
    if not isinstance(value, str):
        return Fraction(_read_number(value, "weights"))
    numerator, _, denominator = value.partition("/")
    bottom = _read_int(denominator, "weights")
    _require(bottom > 0, "weights must have positive denominators")
    return Fraction(_read_int(numerator, "weights"), bottom)


def _read_weights(value: Any) -> np.ndarray:
    _require(isinstance(value, list) and value, "weights must be a list")
    nested = isinstance(value[0], list)
    vectors = value if nested else [value]
    shaped = all(isinstance(v, list) and len(v) == len(vectors[0]) for v in vectors)
    _require(shaped, "weights must be a vector, or vectors of one length")
    entries = [entry for vector in vectors for entry in vector]
    if any(isinstance(entry, str) for entry in entries):
        flat = np.array([_read_fraction(entry) for entry in entries], dtype=object)
    else:
        flat = np.array([_read_number(entry, "weights") for entry in entries], dtype=np.float64)
    return flat.reshape(len(vectors), -1) if nested and entries else flat


def _read_indices(value: Any, name: str) -> np.ndarray:
    _require(isinstance(value, list), f"{name} must be a list")
    for entry in value:
        whole = isinstance(entry, int) and not isinstance(entry, bool)
        _require(whole and 0 <= entry < 1 << 63, f"{name} must be row numbers, got {_shown(entry)}")
    return np.array(value, dtype=np.int64)


def _as_indices(values: Any, name: str) -> np.ndarray:
    indices = np.asarray(values)
    _require(indices.ndim == 1 and indices.dtype.kind in "iu", f"{name} must be whole numbers")
    indices = indices.astype(np.int64)
    _require(not indices.size or indices.min() >= 0, f"{name} must not be negative")
    return indices


def _as_fractions(values: np.ndarray) -> np.ndarray:
    try:
        flat = np.array([exact.as_fraction(v) for v in values.flat], dtype=object)
    except (TypeError, ValueError, OverflowError):
        raise CertificateError("weights must be numbers") from None
    return flat.reshape(values.shape)


# --- Words ---------------------------------------------------------------------------------------


def _fingerprint(X: Any, y: Any) -> str:
    """`fingerprint`, for where a parameter has that name."""
    return fingerprint(X, y)


def _epsilon(residual: dict[tuple[int, int], Fraction], alpha: Sequence[Any]) -> float:
    """Return ‖Aᵀα‖/Σα, rounded up."""
    total = sum(map(Fraction, alpha))
    square = sum((v * v for v in residual.values()), Fraction(0)) / total**2
    # √(p/q) ≤ (⌊√(p·q·4ᵏ)⌋ + 1)/(q·2ᵏ), with k large enough for 64 digits of the root.
    shift = max(0, square.denominator.bit_length() - square.numerator.bit_length()) + 64
    root = math.isqrt((square.numerator * square.denominator) << (2 * shift)) + 1
    bound = Fraction(root, square.denominator << shift)
    try:
        return math.nextafter(float(bound), math.inf)
    except OverflowError:
        raise CertificateError("the weighted rows are too far from cancelling") from None


def _settled(n: int, n_rational: int) -> str:
    return (
        f"{n - n_rational} rows settled by the floating-point filter, {n_rational} by rational "
        "arithmetic"
    )


def _rows(rows: np.ndarray) -> str:
    return f"{'row' if len(rows) == 1 else 'rows'} {_listing(rows.tolist())}"


def _listing(items: Iterable[Any]) -> str:
    texts = [str(item) for item in items]
    if len(texts) <= SHOWN:
        return ", ".join(texts)
    return f"{', '.join(texts[:SHOWN])}, … ({len(texts)} in all)"


def _shown(value: Any) -> str:
    """A value nobody has checked yet: short, and never by the repr of something nested."""
    if value is None or isinstance(value, (int, float)):
        return repr(value)
    return repr(value[:40]) if isinstance(value, str) else f"a {type(value).__name__}"


def _weights(alpha: Sequence[Any]) -> str:
    """Weights in words: themselves where short, else as parts of the largest."""
    largest = max(alpha)
    if largest < 10**6:
        return _listing(alpha)
    parts = [f"{float(Fraction(a) / Fraction(largest)):.3g}" for a in alpha]
    return f"in proportion {_listing(parts)}"

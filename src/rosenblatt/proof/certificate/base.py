"""What all certificates share: the classes, the data they speak of, JSON in and out."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.data.files import write
from rosenblatt.data.notebook import table
from rosenblatt.data.positive import positive_code
from rosenblatt.engine.stopping import Verdict
from rosenblatt.errors import CertificateError, InputError
from rosenblatt.proof.certificate import fields
from rosenblatt.proof.certificate.data import CertifiedData, Scalar, plain_label
from rosenblatt.proof.certificate.fields import require, shown

FORMAT = "rosenblatt-certificate"
VERSION = 1
KINDS: dict[str, type[Certificate]] = {}
OTHER_DATA = (
    "the data is not the data certified: its fingerprint differs, so a value, a label or the "
    "order of the rows has changed"
)


@dataclass(frozen=True)
class Verification:
    """The outcome of checking a certificate: true or false, and why.

    Attributes
    ----------
    ok : bool
        Whether the proof holds of the data.
    reason : str
        What was checked, or what is wrong.
    bound : bool
        Whether the data is also the data certified, by its fingerprint. A certificate without one,
        as a default fit makes it, is about all data of which its proof holds.

    Examples
    --------
    >>> bool(Verification(False, "the data is not the data certified"))
    False
    """

    ok: bool
    reason: str
    bound: bool = True

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """What all certificates share.

    Parameters
    ----------
    classes : tuple
        All different; of two, the second is the positive one.
    fit_intercept : bool
        Whether there is a bias.
    fingerprint : str
        Of the data: see `fingerprint`. Empty for a certificate that is bound to no data set, which
        saves the hash; `verify` then checks the proof against whatever data it is given.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> proof = rb.decide([[0.0], [1.0]], ["no", "yes"]).certificate
    >>> proof.kind, rb.certificate.from_json(proof.to_json()) == proof
    ('separation', True)
    """

    kind: ClassVar[str] = ""

    classes: tuple[Scalar, ...]
    fit_intercept: bool
    fingerprint: str

    def __init_subclass__(cls) -> None:
        if cls.kind:
            KINDS.setdefault(cls.kind, cls)

    def __post_init__(self) -> None:
        require(isinstance(self.classes, tuple) and self.classes, "classes must be a list")
        try:
            labels = tuple(plain_label(label) for label in self.classes)
        except (InputError, TypeError) as error:
            raise CertificateError(f"bad classes: {error}") from None
        texts = {isinstance(label, str) for label in labels}
        alike = len(texts) == 1 and len({*labels}) == len(labels)
        require(alike, "classes must be of one kind and different from each other")
        require(isinstance(self.fit_intercept, bool), "fit_intercept must be true or false")
        digest = isinstance(self.fingerprint, str) and (
            not self.fingerprint or re.fullmatch("[0-9a-f]{64}", self.fingerprint)
        )
        require(digest, "fingerprint must be 64 hexadecimal digits, or empty")
        self._set("classes", labels)

    def _set(self, name: str, value: Any) -> None:
        if isinstance(value, np.ndarray):
            value = value.copy()
            value.flags.writeable = False
        object.__setattr__(self, name, value)

    @property
    def binary(self) -> bool:
        """Whether one hyperplane is asked for; otherwise one weight vector per class."""
        return len(self.classes) <= 2

    def facing(self, positive: Any) -> Self:
        """The same proof of the same two classes, that one being the second and positive.

        Examples
        --------
        >>> from rosenblatt.certificate import Separation
        >>> proof = Separation.of([[-1.0], [2.0]], ["no", "yes"], [1.0, 0.0])
        >>> turned = proof.facing("no")
        >>> turned.classes, turned.weights
        (('yes', 'no'), array([-1.,  0.]))
        >>> bool(turned.verify([[-1.0], [2.0]], ["no", "yes"]))
        True
        """
        code = positive_code(self.classes, plain_label(positive))
        return self if code else dataclasses.replace(self, **self._turned())

    def _turned(self) -> dict[str, Any]:
        """The fields that differ when the other of two classes is the positive one."""
        return {"classes": self.classes[::-1]}

    @property
    def verdict(self) -> Verdict:
        """The verdict that this certificate proves of its data; UNDECIDED if neither."""
        return Verdict.UNDECIDED

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
            outcome = self._verify(*self._points(X, y))
        except InputError as error:
            return Verification(False, str(error))
        return replace(outcome, bound=bool(self.fingerprint))

    def _points(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Return the data as a matrix and class codes; refuse data other than the certified."""
        data = CertifiedData.of(X, y)
        codes = data.codes_among(self.classes)
        self._require_features(data.matrix.shape[1])
        if self.fingerprint and data.fingerprint() != self.fingerprint:
            raise InputError(OTHER_DATA)
        return data.matrix, codes

    def _require_features(self, d: int) -> None:
        pass

    def _verify(self, matrix: Any, codes: np.ndarray) -> Verification:
        raise NotImplementedError

    def explain(self) -> str:
        """Say in words what is proved."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        bound = f"data of fingerprint {self.fingerprint[:12]}…" if self.fingerprint else "any data"
        rows = [("proves", self.explain()), ("about", bound), ("check it", ".verify(X, y)")]
        return table(rows, caption=f"Certificate: {self.kind}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold without loss."""
        return self.to_dict_without()

    def to_dict_without(self, *names: str) -> dict[str, Any]:
        """The same without these fields, for a file that holds them in another way."""
        content = {
            field.name: fields.plain(getattr(self, field.name))
            for field in dataclasses.fields(self)
            if field.name not in names
        }
        head = {"format": FORMAT, "version": VERSION, "kind": self.kind}
        return {**head, **content, "classes": list(self.classes)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the certificate that `to_dict` wrote; raise CertificateError for anything else.

        Examples
        --------
        >>> Certificate.from_dict({"format": "something else"})
        Traceback (most recent call last):
        rosenblatt.errors.CertificateError: not a certificate: "format" must be ...
        """
        require(isinstance(data, dict), "not a certificate: expected a JSON object")
        require(data.get("format") == FORMAT, f'not a certificate: "format" must be "{FORMAT}"')
        version, name = data.get("version"), data.get("kind")
        known = type(version) is int and version == VERSION
        require(known, f"version {shown(version)} is unknown; this reader knows {VERSION}")
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise CertificateError(
                f"kind {shown(name)} is unknown; expected one of {', '.join(KINDS)}"
            )
        if not issubclass(kind, cls):
            raise CertificateError(f"expected a certificate of {cls.kind}, got {name}")
        content = {k: v for k, v in data.items() if k not in ("format", "version", "kind")}
        expected = {field.name for field in dataclasses.fields(kind)}
        missing, extra = expected - content.keys(), content.keys() - expected
        require(not missing, f"{', '.join(sorted(missing))} missing from the certificate")
        require(not extra, f"{', '.join(sorted(extra))} is no part of {kind.kind}")
        require(isinstance(content["classes"], list), "classes must be a list")
        return kind(**{**content, "classes": tuple(content["classes"])})

    def to_json(self) -> str:
        """Return the certificate as one line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the certificate that `to_json` wrote; raise CertificateError for anything else.

        Examples
        --------
        >>> from rosenblatt.certificate import Separation
        >>> proof = Separation.of([[-1.0], [1.0]], [0, 1], [1.0, 0.0])
        >>> Certificate.from_json(proof.to_json())
        <Separation of classes 0, 1 by 2 weights>
        """
        return cls.from_dict(fields.parse(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a JSON file; the file is complete or not there at all."""
        write(path, self.to_json() + "\n")

    def export(self, path: str | os.PathLike[str], X: Any, y: Any, *, format: str = "vipr") -> None:
        """Write the proof with its rows for the checkers of another format.

        Parameters
        ----------
        path : path
        X, y
            The data certified: such a file holds the rows.
        format : {"vipr"}
            VIPR 1.0, a format for proofs about linear programs that has checkers of its own, one of
            them formally verified. For a `Separation`, whose margin is not part of it, and for an
            exact `Inseparability`; what other kinds prove cannot be said in it.

        Examples
        --------
        >>> import tempfile
        >>> from rosenblatt.certificate import Inseparability
        >>> X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
        >>> proof = Inseparability.of(X, y, [0, 1, 2], [1, 2, 1])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     proof.export(f"{folder}/proof.vipr", X, y)
        ...     print(Path(f"{folder}/proof.vipr").read_text().splitlines()[-1])
        absurd G 4 0 { lin 3 0 1 1 2 2 1 } -1
        """
        if format != "vipr":
            raise InputError(f"format must be 'vipr', got {format!r}")
        write(path, self._vipr(*self._points(X, y)))

    def _vipr(self, matrix: Any, codes: np.ndarray) -> str:
        raise CertificateError(
            f"what a certificate of {self.kind} proves cannot be said in VIPR: only a separation "
            "and an exact inseparability can; write this one with save"
        )

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Self:
        """Return the certificate in a file, or in JSON text (which starts with a brace).

        Examples
        --------
        >>> Certificate.load("{}")
        Traceback (most recent call last):
        rosenblatt.errors.CertificateError: not a certificate: ...
        """
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return cls.from_json(source)
        try:
            path = Path(source)
            small = path.stat().st_size <= fields.LARGEST_TEXT
            require(small, "too large for a certificate")
            return cls.from_json(path.read_bytes())
        except CertificateError as error:
            raise CertificateError(f"{os.fspath(source)}: {error}") from None
        except (OSError, TypeError, ValueError) as error:
            name = os.fspath(source) if isinstance(source, os.PathLike) else source
            why = getattr(error, "strerror", None) or error
            raise CertificateError(f"cannot read a certificate from {name!r}: {why}") from None


def require_proof(verdict: Verdict, certificate: Certificate | None, parts: Iterable[Any]) -> None:
    """Refuse a verdict that comes without an exact certificate of exactly that verdict.

    Parameters
    ----------
    verdict : Verdict
        UNDECIDED needs no proof.
    certificate : Certificate or None
        Must prove the verdict, unless parts do.
    parts : iterable
        Of a problem that falls into parts, what has the verdict of each, and by this rule its
        proof: all must be separable, or one inseparable.

    Examples
    --------
    >>> require_proof(Verdict.SEPARABLE, None, ())
    Traceback (most recent call last):
    rosenblatt.errors.CertificateError: the verdict separable needs a certificate that proves it...
    """
    proved = certificate is not None and certificate.verdict is verdict
    if proved or verdict is Verdict.UNDECIDED:
        return
    verdicts = {part.verdict for part in parts}
    together = (
        Verdict.INSEPARABLE in verdicts
        if verdict is Verdict.INSEPARABLE
        else verdicts == {Verdict.SEPARABLE}
    )
    if not together:
        raise CertificateError(
            f"the verdict {verdict} needs a certificate that proves it exactly, got {certificate!r}"
        )

"""The data a certificate speaks of: numbers, labels, and the fingerprint of both."""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.labels import OBJECTS, distinct, read_labels
from rosenblatt.errors import InputError
from rosenblatt.proof import exact

Scalar = str | int | float | bool


def classes_of(y: Any) -> tuple[tuple[Scalar, ...], np.ndarray]:
    """Return the classes, in the order of the labels, as plain scalars, and each label's code.

    Examples
    --------
    >>> classes_of(np.array(["b", "a", "b"]))
    (('a', 'b'), array([1, 0, 1]))
    """
    column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1
    labels = read_labels(np.ravel(y) if column else y)
    if not labels.size:
        raise InputError("there are no rows")
    values, codes = distinct(labels)
    return tuple(plain_label(v) for v in values), codes


def plain_label(label: Any) -> Scalar:
    """Return a label as a plain Python scalar: dates and the like as text, enums by their names.

    Examples
    --------
    >>> plain_label(np.int64(3)), plain_label(Decimal("2.50")), plain_label(Fraction(1, 3))
    (3, '2.5', '1/3')
    """
    if type(label) in (bool, int, str):
        return label
    if isinstance(label, (np.datetime64, np.timedelta64)):
        return str(label)
    if isinstance(label, np.integer):
        return int(label)
    if isinstance(label, Decimal):
        return f"{label.normalize():f}"
    if isinstance(label, OBJECTS):
        plain = isinstance(label, (str, int, float))  # of an enum whose members are such
        if not plain:
            return label.name if isinstance(label, Enum) else str(label)
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"y holds {value}, which is no label")
    if isinstance(value, str):
        return str.__str__(value)
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    raise InputError(
        f"labels must be text, integers, numbers or booleans, got a {type(value).__name__}"
    )


def sides(codes: np.ndarray, classes: tuple[Scalar, ...]) -> np.ndarray:
    """Class codes as `exact` reads them: with one or two classes, 1 for the last of them."""
    return codes if len(classes) > 2 else (codes == len(classes) - 1).astype(np.intp)


class CertifiedData(NamedTuple):
    """Rows, the classes of their labels, and each row's class code."""

    matrix: Any
    classes: tuple[Scalar, ...]
    codes: np.ndarray

    @classmethod
    def of(cls, X: Any, y: Any) -> Self:
        """Read rows and as many labels."""
        matrix = exact.as_matrix(X)
        classes, codes = classes_of(y)
        if len(codes) != matrix.shape[0]:
            raise InputError(f"X has {matrix.shape[0]} rows but y has {len(codes)} labels")
        return cls(matrix, classes, codes)

    def codes_among(self, classes: tuple[Scalar, ...]) -> np.ndarray:
        """Return every row's class code among other classes."""
        known = {label: code for code, label in enumerate(classes)}
        unknown = [label for label in self.classes if label not in known]
        if unknown:
            raise InputError(f"label {unknown[0]!r} is not among the classes certified, {classes}")
        return np.array([known[label] for label in self.classes], dtype=np.intp)[self.codes]

    def fingerprint(self) -> str:
        """Return a hash of the numbers and labels: see the function of this name."""
        growing = Fingerprint(self.matrix.shape, self.classes)
        growing.add(self.matrix, self.codes)
        return growing.done()


class Fingerprint:
    """The fingerprint of data that comes in pieces; it does not depend on where they end.

    Parameters
    ----------
    shape : tuple of int
        Of all rows.
    classes : tuple
        Of all labels, in the order of the codes; the fingerprint takes them sorted.

    Examples
    --------
    >>> X, codes = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0, 1])
    >>> growing = Fingerprint(X.shape, (0, 1))
    >>> growing.add(X[:1], codes[:1]); growing.add(X[1:], codes[1:])
    >>> growing.done() == fingerprint(X, codes)
    True
    """

    def __init__(self, shape: tuple[int, ...], classes: tuple[Scalar, ...]):
        order = sorted(range(len(classes)), key=classes.__getitem__)
        self._places = None if order == list(range(len(order))) else np.argsort(order)
        head = json.dumps([list(shape), [_token(classes[k]) for k in order]])
        self._whole = hashlib.sha256(head.encode())
        # Separate hashes of counts, columns and values do not depend on where the chunks end.
        self._parts = [hashlib.sha256() for _ in range(3)]

    def add(self, X: Any, codes: np.ndarray) -> None:
        """Take in some rows and the codes of their classes."""
        codes = codes if self._places is None else self._places[codes]
        self._whole.update(np.ascontiguousarray(codes, dtype="<i4").data)
        for _, rows in exact.chunks(exact.as_matrix(X)):
            for part, array in zip(self._parts, _nonzeros(rows), strict=True):
                part.update(array.data)

    def done(self) -> str:
        """The fingerprint."""
        for part in self._parts:
            self._whole.update(part.digest())
        return self._whole.hexdigest()


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
    return CertifiedData.of(X, y).fingerprint()


def _token(label: Scalar) -> str:
    """The same text for labels that are equal: 1, 1.0 and True."""
    if isinstance(label, str):
        return "text " + label
    return f"number {Fraction(label)}"


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

"""The errors users can meet, and the hint they end in."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

# Packages whose code is never what a warning is about: ours, and what calls us in between.
BETWEEN = {"rosenblatt", "contextlib", "functools", "numba", "sklearn"}


class RosenblattError(Exception):
    """Root of every error this package raises on purpose.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> try:
    ...     rb.decide([[1.0], [2.0]], ["a", "a"])
    ... except rb.RosenblattError as error:
    ...     print(type(error).__name__)
    InputError
    """


class InputError(RosenblattError, ValueError):
    """The data or a parameter is not what was expected; the message says what, and where.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> try:
    ...     rb.Perceptron(eta0=-1).fit([[0.0], [1.0]], [0, 1])
    ... except rb.InputError as error:
    ...     print(error)
    eta0 must be a positive finite number, got -1.
    """


class NoRowsError(InputError):
    """A file has no rows to read; ``left_out`` says how many there are that lack a value."""

    def __init__(self, message: str, left_out: int = 0):
        super().__init__(message)
        self.left_out = left_out


class InputTypeError(InputError, TypeError):
    """An argument is of a kind that cannot be used at all."""


class CertificateError(RosenblattError, ValueError):
    """A certificate cannot be read: malformed, truncated, or of an unknown version.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> try:
    ...     rb.certificate.from_json("{}")
    ... except rb.CertificateError as error:
    ...     print("refused:", bool(str(error)))
    refused: True
    """


class NotConverged(UserWarning):
    """A search ended before it was as precise as was asked for."""


class TakesLong(UserWarning):
    """What was asked for is likely to take long; the message says about how long."""


def users_line() -> int:
    """The ``stacklevel`` by which a warning names the user's line, however deep it arises.

    The outermost line where there is none, as in a thread.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _package(frame) in BETWEEN:
        frame, level = frame.f_back, level + 1
    return level


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


class ModelFileError(InputError):
    """A model file cannot be read: malformed, truncated, hostile, or of an unknown version."""


class NotSeparableError(RosenblattError, ValueError):
    """No hyperplane separates the classes; ``certificate`` proves it.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    >>> try:
    ...     rb.MaxMargin().fit(X, y)
    ... except rb.NotSeparableError as error:
    ...     print(error.certificate.rows, bool(error.certificate.verify(X, y)))
    [0 1 2] True
    """

    def __init__(self, message: str, certificate: Any = None):
        super().__init__(message)
        self.certificate = certificate


class MissingExtraError(RosenblattError, ImportError):
    """Something optional is asked for that is not installed; the message says how to install it."""


def nearest(word: str, among: Iterable[str]) -> str:
    """A hint naming the closest of some words, or nothing.

    Examples
    --------
    >>> nearest("specie", ["species", "island"])
    "; did you mean 'species'?"
    """
    import difflib

    close = difflib.get_close_matches(word, list(among), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""

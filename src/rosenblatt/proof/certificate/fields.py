"""Certificates as JSON: what is written, and the checks of what is read.

Floats are written in full, integers that other readers would round and fractions in hexadecimal.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.errors import CertificateError
from rosenblatt.proof import exact

LARGEST_TEXT = 1 << 28  # characters; a certificate is small
LARGEST_INT = 1 << 53  # beyond it other JSON readers round
HEXADECIMAL_FLOAT = r"-?0x[0-9a-f]+(\.[0-9a-f]*)?p[+-]?[0-9]+"  # as C's %a writes it


def require(condition: Any, message: str) -> None:
    """Raise CertificateError with the message unless the condition holds."""
    if not condition:
        raise CertificateError(message)


def parse(text: str | bytes) -> Any:
    """Return the data in JSON text."""
    require(isinstance(text, (str, bytes)), "a certificate is read from text")
    require(len(text) <= LARGEST_TEXT, "the text is too large for a certificate")
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"not a certificate: {error}") from None


def _refuse_constant(name: str) -> Any:
    raise CertificateError(f"{name} is no number that a certificate may hold")


def _whole(digits: str) -> int:
    """The integer in decimal digits, however many: Python's own conversion refuses long ones."""
    try:
        return int(digits)
    except ValueError:
        from flint import fmpz

        return int(fmpz(digits))


def plain(value: Any) -> Any:
    """Return a field of a certificate as data that JSON holds without loss.

    Examples
    --------
    >>> plain((1, 2**64, Fraction(1, 3), math.inf))
    [1, '0x10000000000000000', '0x1/0x3', None]
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, Fraction):
        return f"{value.numerator:#x}/{value.denominator:#x}"
    if isinstance(value, int) and abs(value) >= LARGEST_INT:
        return hex(value)
    return None if value == math.inf else value


def shown(value: Any) -> str:
    """A value nobody has checked yet: short, and never by the repr of something nested."""
    if value is None or isinstance(value, (int, float)):
        return repr(value)
    return repr(value[:40]) if isinstance(value, str) else f"a {type(value).__name__}"


def as_number(value: Any, name: str) -> float:
    """Return a finite float, written as a number or as a hexadecimal float."""
    value = value.item() if isinstance(value, np.generic) else value
    hexadecimal = isinstance(value, str) and bool(re.fullmatch(HEXADECIMAL_FLOAT, value))
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    require(number or hexadecimal, f"{name} must be a number, got {shown(value)}")
    try:
        result = float.fromhex(value) if isinstance(value, str) else float(value)
    except OverflowError:
        result = math.inf
    require(math.isfinite(result), f"{name} must be finite")
    require(hexadecimal or result == value, f"{name} must be a float, got an integer between two")
    return result


def as_int(value: Any, name: str) -> int:
    """Return an integer, written as one or in hexadecimal."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch("-?0x[0-9a-f]+", value):
        return int(value, 16)
    raise CertificateError(f"{name} must be integers, got {shown(value)}")


def as_indices(values: Any, name: str) -> np.ndarray:
    """Return whole numbers from 0."""
    entries = values.tolist() if isinstance(values, np.ndarray) else values
    require(isinstance(entries, (list, tuple)), f"{name} must be a list")
    indices = [as_int(entry, name) for entry in entries]
    inside = all(0 <= index < LARGEST_INT for index in indices)
    require(inside, f"{name} must be whole numbers from 0 and below 2⁵³")
    return np.array(indices, dtype=np.int64)


def as_weights(values: Any) -> np.ndarray:
    """Return a vector of numbers, or vectors of one length: float64, or ``Fraction``."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        require(values.dtype.kind in "iuf", "weights must be numbers")
        weights = values.astype(np.float64)
        require(np.isfinite(weights).all(), "weights must be finite")
        return weights
    table = values.tolist() if isinstance(values, np.ndarray) else values
    require(isinstance(table, list) and table, "weights must be a list")
    nested = isinstance(table[0], list)
    vectors = table if nested else [table]
    shaped = all(isinstance(v, list) and len(v) == len(vectors[0]) for v in vectors)
    require(shaped, "weights must be a vector, or vectors of one length")
    entries = [entry for vector in vectors for entry in vector]
    if isinstance(values, np.ndarray) or any(_needs_fraction(entry) for entry in entries):
        flat = np.array([as_fraction(entry, "weights") for entry in entries], dtype=object)
    else:
        flat = np.array([as_number(entry, "weights") for entry in entries], dtype=np.float64)
    return flat.reshape(len(vectors), -1) if nested and entries else flat


def _needs_fraction(entry: Any) -> bool:
    """Whether a weight may be no float: text, a fraction, or an integer that a float may round."""
    return isinstance(entry, (str, Fraction)) or (
        isinstance(entry, int) and abs(entry) > LARGEST_INT
    )


def as_fraction(value: Any, name: str) -> Fraction:
    """Return a rational, written as a number, in hexadecimal, or as a fraction of such integers."""
    if isinstance(value, str) and re.fullmatch(HEXADECIMAL_FLOAT, value):
        return Fraction(as_number(value, name))
    if isinstance(value, str):
        numerator, slash, denominator = value.partition("/")
        bottom = as_int(denominator if slash else 1, name)
        require(bottom > 0, f"{name} must have positive denominators")
        return Fraction(as_int(numerator, name), bottom)
    if isinstance(value, bool):  # a message made beforehand would write out a number of any length
        raise CertificateError(f"{name} must be numbers, got {value}")
    try:
        return exact.as_fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise CertificateError(f"{name} must be numbers, got {shown(value)}") from None

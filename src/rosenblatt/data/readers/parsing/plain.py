"""The parsers of sparse text where numba is not installed: usual lines by a regular expression.

Every other line, and every mistake, is left to the kernel, which runs as plain Python then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.readers.parsing import svmlight_kernel, vw_kernel
from rosenblatt.data.readers.parsing.svmlight_kernel import ParsedRows

NUMBER = rb"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
BLANK = rb"[ \t\r]"
SVMLIGHT = re.compile(
    rb"%b*(?:(%b)((?:%b+[0-9]{1,9}:%b)*)%b*)?(?:#.*)?" % (BLANK, NUMBER, BLANK, NUMBER, BLANK)
)
NAME = rb"[^ \t\r\n|:]"
VW = re.compile(
    rb"%b*(?:(%b)%b+(?:(%b)%b+)?)?(?:'%b*)?\|(%b*)((?:%b+%b+(?::%b)?)*)%b*"
    % (BLANK, NUMBER, BLANK, NUMBER, BLANK, NAME, NAME, BLANK, NAME, NUMBER, BLANK)
)


class Row(NamedTuple):
    """A row: its label, weight, columns as written and as stored, and values."""

    label: float
    weight: float
    written: Any
    columns: Any
    values: Any


def svmlight_row(line: bytes, base: int, lowest: int, highest: int) -> Row | None:
    """The row of a line, without entries and weight if it is empty; None if it is not a usual one.

    Examples
    --------
    >>> svmlight_row(b"1 2:0.5 7:1", 1, 1, 9)[2:]
    (array([2, 7]), array([1, 6]), array([0.5, 1. ]))
    >>> svmlight_row(b"# nothing", 1, 1, 9).weight, svmlight_row(b"1 2:a", 1, 1, 9)
    (0.0, None)
    """
    found = SVMLIGHT.fullmatch(line)
    if found is None:
        return None
    if found[1] is None:
        return Row(0.0, 0.0, (), (), ())
    words = found[2].replace(b":", b" ").split()
    written, values = np.array(words[::2], np.int64), np.array(words[1::2], np.float64)
    if len(written) and not lowest <= written.min() <= written.max() <= highest:
        return None
    return _row(float(found[1]), 1.0, written, written - base, values)


def vw_row(line: bytes, bits: int) -> Row | None:
    """The same of Vowpal Wabbit's text.

    Examples
    --------
    >>> vw_row(b"-1 2 | 3:0.5 1", 4)[2:]
    (array([1, 3]), array([1, 3]), array([1. , 0.5]))
    """
    if not line.strip():
        return Row(0.0, 0.0, (), (), ())
    found = VW.fullmatch(line)
    if found is None:
        return None
    label, weight, space, rest = found.groups()
    seed, columns, values = _hash(space, 0), [], []
    for word in rest.split():
        name, _, value = word.partition(b":")
        columns.append(_hash(name, seed) & ((1 << bits) - 1))
        values.append(float(value or 1))
    importance = float(weight or 1)
    if not 0 < importance < np.inf:
        return None
    kept = np.array(columns, np.int64)
    return _row(float(label or "nan"), importance, kept, kept, np.array(values))


def _row(label: float, weight: float, written: Any, columns: Any, values: Any) -> Row | None:
    """A row with its entries in order; None if one is infinite or two are of one column."""
    order = columns.argsort(kind="stable")
    columns = columns[order]
    fine = np.isfinite(values).all() and abs(label) != np.inf and (np.diff(columns) > 0).all()
    return Row(label, weight, written[order], columns, values[order]) if fine else None


@lru_cache(maxsize=2**18)
def _hash(name: bytes, seed: int) -> int:
    text = np.frombuffer(name + b" ", np.uint8)
    with np.errstate(over="ignore"):
        return int(vw_kernel.name_at(text, np.uint64(0), np.uint32(seed))[1])


def by_lines(kernel: Callable[..., None], row_of: Callable[..., Row | None]) -> Callable[..., None]:
    """A parser with the arguments of a kernel, which asks it for lines that are not usual ones."""

    def parse(text: Any, start: int, stop: int, *given: Any) -> None:
        *options, rows = given
        at, row, k, hard = int(start), 0, 0, 0
        rows.info[3], rows.info[4] = svmlight_kernel.LARGEST_INDEX, -1
        for line in text[start:stop].tobytes().split(b"\n")[:-1]:
            begin, at = at, at + len(line) + 1
            found = row_of(line, *options)
            if found is None:
                part = _left_of(rows, row, k, hard)
                kernel(text, begin, at, *options, part)
                _add(rows, part, row, k, hard)
                row, k, hard = (int(new) for new in rows.info[:3])
                if rows.info[5]:
                    break
            elif found.weight:
                end = k + len(found.values)
                rows.y[row], rows.ends[row] = found.label, end
                rows.indices[k:end], rows.data[k:end] = found.columns, found.values
                if len(rows.weights):
                    rows.weights[row] = found.weight
                if end > k:
                    rows.info[3] = min(rows.info[3], found.written[0])
                    rows.info[4] = max(rows.info[4], found.written[-1])
                row, k = row + 1, end
        rows.info[:3] = row, k, hard

    return parse


def _left_of(rows: ParsedRows, row: int, k: int, hard: int) -> ParsedRows:
    """The room that is left after so many rows, entries and numbers left to ``float``."""
    return ParsedRows(
        rows.y[row:],
        rows.ends[row:],
        rows.indices[k:],
        rows.data[k:],
        rows.hard[hard:],
        rows.weights[row:],
        np.zeros_like(rows.info),
    )


def _add(rows: ParsedRows, part: ParsedRows, row: int, k: int, hard: int) -> None:
    """Count what a kernel has written into the room that was left."""
    info, own = rows.info, part.info
    part.ends[: own[0]] += k
    numbers = part.hard[: own[2], 0]
    numbers += np.where(numbers >= 0, k, -row)
    info[:3] = row + own[0], k + own[1], hard + own[2]
    info[3], info[4] = min(info[3], own[3]), max(info[4], own[4])
    info[5:7] = own[5:7]
    info[7] |= own[7]


def count_of(*marks: bytes) -> Callable[..., tuple[int, int]]:
    """A function as `room`: a bound on the entries of a piece, each after a mark, and its lines."""

    def room(text: Any, start: int, stop: int) -> tuple[int, int]:
        piece = text[start:stop].tobytes()
        return sum(map(piece.count, marks)), piece.count(b"\n")

    return room


parse_svmlight, room_of_svmlight = by_lines(svmlight_kernel.parse, svmlight_row), count_of(b":")
parse_vw, room_of_vw = by_lines(vw_kernel.parse, vw_row), count_of(b" ", b"\t", b"\r")

"""How a text table is written: delimiter, quotes, header, and which columns are numbers.

All of it is guessed from the first part of the file, with the standard library's ``csv``.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from rosenblatt.errors import InputError

FEW = 20  # one cell in so many that is no number is a slip, as is a single one; more are text
DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "space"}

# What pandas takes for missing, and the question mark of the UCI files.
MISSING = frozenset(
    (
        *(
            "",
            "?",
            "NA",
            "N/A",
            "n/a",
            "NaN",
            "nan",
            "-NaN",
            "-nan",
            "NULL",
            "null",
            "None",
            "<NA>",
        ),
        *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"),
    )
)

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
_POINT = re.compile(r"\s*[+-]?[0-9]+\.[0-9]+\s*")
_FOREIGN = re.compile(r"[+-]?[0-9][0-9.,' ]*")  # digits in groups, or another decimal sign
_REAL = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.I
)


class Stray(NamedTuple):
    """The first cell of a column that is no number, and how many are and are not.

    Of a column where others are, or where it looks like a number written otherwise.
    """

    line: int
    cell: str
    numbers: int
    others: int

    @property
    def slip(self) -> bool:
        """Whether all cells but one, or nearly all, are numbers."""
        return self.others == 1 <= self.numbers or FEW * self.others <= self.numbers + self.others


class Dialect(NamedTuple):
    """How a text table is written.

    Attributes
    ----------
    delimiter : str
    quoted : bool
        Whether double quotes may enclose values.
    header : bool
        Whether the first record names the columns.
    names : tuple of str
        The names, made different; ``column 1`` … where there is no header.
    kinds : tuple of str
        ``whole``, ``real`` or ``text`` for each column.
    decimal : str
        What separates whole from fraction: a point, or a comma.
    strays : dict of str to Stray
        What makes a text column one, for those that hold numbers too, or seem to.
    """

    delimiter: str
    quoted: bool
    header: bool
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    decimal: str
    strays: dict[str, Stray]


def kind_of(values: Iterable[str], decimal: str = ".") -> str:
    """What a column holds: ``whole`` numbers, ``real`` ones or ``text``.

    Examples
    --------
    >>> kind_of(["1", "2", "?"]), kind_of(["1", "2.5"]), kind_of(["1", "b"])
    ('whole', 'real', 'text')
    """
    present = [v.replace(decimal, ".") for v in map(str.strip, values) if v not in MISSING]
    if present and all(map(_WHOLE.fullmatch, present)):
        return "whole"
    return "real" if all(map(_REAL.fullmatch, present)) else "text"


def is_number(value: str, kind: str = "real", decimal: str = ".") -> bool:
    """Whether a value can be read as a number, or as a missing one."""
    value = value.strip().replace(decimal, ".")
    pattern = _WHOLE if kind == "whole" else _REAL
    return value in MISSING or pattern.fullmatch(value) is not None


def records(lines: Iterable[str], delimiter: str, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    """The records of a text table, each with the number of its first line; empty lines left out."""
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting)
    line = 1
    try:
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"line {line}: expected a record of a text table ({error})") from error


def decoded(name: str, head: bytes, whole: bool) -> str:
    """The head of a file as text, its last line left out if it may be cut; no byte-order mark."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: is UTF-16 text; save it as UTF-8")
    if not whole and b"\n" in head:
        head = head[: head.rindex(b"\n") + 1]
    if b"\0" in head:
        line = head[: head.index(b"\0")].count(b"\n") + 1
        raise InputError(f"{name}, line {line}: expected text, got a byte of 0")
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not whole and error.start >= len(head) - 3:
            return head[: error.start].decode("utf-8-sig")
        line = head[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}, line {line}: expected UTF-8 text, got byte 0x{head[error.start]:02x}; "
            "convert the file to UTF-8"
        ) from error


def guess(
    name: str, text: str, whole: bool, delimiter: str | None = None, header: bool | None = None
) -> Dialect:
    r"""Guess how a table is written from its first part, which is all of it if ``whole``.

    Examples
    --------
    >>> guess("x.csv", "size;kind\n1,5;a\n2;b\n", True).delimiter
    ';'
    """
    delimiter, quoted, rows = _layout(text, whole, [delimiter] if delimiter else [*DELIMITERS])
    if not rows:
        raise InputError(f"{name}: no rows to read")
    width = Counter(map(len, rows)).most_common(1)[0][0]
    body = [row for row in rows[1:] if len(row) == width]
    decimal = "," if delimiter != "," and _has_decimal_commas(rows) else "."
    kinds = tuple(kind_of((row[j] for row in body), decimal) for j in range(width))
    if header is None:
        header = len(rows[0]) == width and _is_header(rows[0], body, kinds, decimal)
    if header:
        names = _different(rows[0])
    else:
        every = [row for row in rows if len(row) == width]
        kinds = tuple(kind_of((row[j] for row in every), decimal) for j in range(width))
        names = tuple(f"column {j + 1}" for j in range(width))
    found = Dialect(delimiter, quoted, header, names, kinds, decimal, {})
    return found._replace(strays=_strays(text, found, len(rows)))


def _strays(text: str, dialect: Dialect, count: int) -> dict[str, Stray]:
    """Of the first records, what makes text of the columns that hold numbers too."""
    known = [
        (line, record)
        for line, record in islice(_records_of(text, dialect.delimiter, dialect.quoted), count)
        if len(record) == len(dialect.names)
    ][int(dialect.header) :]
    strays = {}
    for j, (name, kind) in enumerate(zip(dialect.names, dialect.kinds, strict=True)):
        cells = [
            (line, r[j]) for line, r in known if kind == "text" and r[j].strip() not in MISSING
        ]
        others = [cell for cell in cells if not is_number(cell[1], "real", dialect.decimal)]
        if len(others) < len(cells) or (others and _FOREIGN.fullmatch(others[0][1].strip())):
            strays[name] = Stray(*others[0], len(cells) - len(others), len(others))
    return strays


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether there are numbers with a comma, and none with a point."""
    values = [value for row in rows for value in row]
    return any(map(_COMMA.fullmatch, values)) and not any(map(_POINT.fullmatch, values))


def _layout(text: str, whole: bool, delimiters: list[str]) -> tuple[str, bool, list[list[str]]]:
    """The delimiter and quoting under which most records have equally many values, at least two."""
    best, best_score = (delimiters[0], True, []), (-1.0, 0, 0, False)
    for delimiter in delimiters:
        for quoted in (True, False) if '"' in text else (True,):
            rows = _sample(text, whole, delimiter, quoted)
            # Quotes that swallow line ends between records as good as any are only characters.
            score = (*_regular(rows), len(rows), quoted)
            if score > best_score:
                best, best_score = (delimiter, quoted, rows), score
    if best[0] == "," and ";" in delimiters:
        rows = _sample(text, whole, ";", best[1])
        commas = [value for row in rows for value in row if "," in value]
        if _regular(rows)[0] >= best_score[0] > 0 and all(map(_COMMA.fullmatch, commas)):
            return ";", best[1], rows  # the commas are those of decimals
    return best


def _regular(rows: list[list[str]]) -> tuple[float, int]:
    """The share of the rows of the commonest width, and that width; a width of 1 is none."""
    counts = Counter(map(len, rows))
    width, often = counts.most_common(1)[0] if counts else (0, 0)
    return (often / len(rows) if width > 1 else 0.0), width


def _records_of(text: str, delimiter: str, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    return records(io.StringIO(text, newline=""), delimiter, quoted)


def _sample(text: str, whole: bool, delimiter: str, quoted: bool) -> list[list[str]]:
    rows = []
    try:
        rows.extend(row for _, row in _records_of(text, delimiter, quoted))
    except InputError:
        return rows
    return rows if whole or len(rows) < 2 else rows[:-1]


def _is_header(
    first: list[str], body: list[list[str]], kinds: tuple[str, ...], decimal: str
) -> bool:
    """Whether the first record names columns: no numbers, and unlike the values below it."""
    if any(is_number(value, decimal=decimal) and value.strip() for value in first):
        return False
    if any(kind != "text" for kind in kinds):
        return True
    return all(value not in {row[j] for row in body} for j, value in enumerate(first))


def _different(names: list[str]) -> tuple[str, ...]:
    """Column names, stripped, with unnamed and repeated ones told apart."""
    used: dict[str, int] = {}
    out = []
    for j, raw in enumerate(names):
        name = raw.strip() or f"column {j + 1}"
        used[name] = used.get(name, 0) + 1
        out.append(name if used[name] == 1 else f"{name}.{used[name] - 1}")
    return tuple(out)

"""How a text table is written: delimiter, quotes, header, and which columns are numbers.

All of it is guessed from the first part of the file, with the standard library's ``csv``.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from rosenblatt.data.readers.parsing.blocks import shorten
from rosenblatt.data.readers.parsing.csv_kernel import last_end
from rosenblatt.data.readers.parsing.names import repeated, told_apart
from rosenblatt.errors import InputError, NoRowsError

LONGEST_VALUE = 2**31 - 1  # Python's own limit, 128 KiB, is less than some lines have
CELLS_A_SLIP = (
    20  # one cell in so many that is no number is a slip, as is a single one; more are text
)
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

TRUE, FALSE = ("True", "TRUE", "true"), ("False", "FALSE", "false")

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
_POINT = re.compile(r"\s*[+-]?[0-9]+\.[0-9]+\s*")
_YEAR = re.compile(r"\s*[12][0-9]{3}\s*")
_FOREIGN = re.compile(r"[+-]?[0-9][0-9.,'\s]*")  # digits in groups, or another decimal sign
_REAL = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.I
)


class Stray(NamedTuple):
    """The first cell that keeps a column from being one of numbers.

    Other cells are numbers, or it looks like one in another notation. ``numbers`` and ``others``
    count the cells that are numbers, and those that are not.
    """

    line: int
    cell: str
    numbers: int
    others: int

    @property
    def slip(self) -> bool:
        """Whether all cells but one, or nearly all, are numbers."""
        return (
            self.others == 1 <= self.numbers
            or CELLS_A_SLIP * self.others <= self.numbers + self.others
        )


class Dialect(NamedTuple):
    """How a text table is written.

    Attributes
    ----------
    delimiter : str
    quoted : bool
        Whether double quotes may enclose values.
    spaced : bool
        Whether blanks may stand between a delimiter and an opening quote.
    header : bool
        Whether the first record names the columns.
    names : tuple of str
        The names, made different; ``column 1`` … where there is no header.
    kinds : tuple of str
        ``whole``, ``real``, ``truth`` or ``text`` for each column.
    decimal : str
        What separates whole from fraction: a point, or a comma.
    strays : dict of str to Stray
        What makes a text column one, for those that hold numbers too, or seem to.
    left_out : dict of str to str
        Columns that are neither features nor the label, and why: a first one without a name that
        holds row numbers, as pandas and R write it, and a last one without name or values, as a
        delimiter at the end of every line makes it.
    repeated : dict of str to list of int
        The names that the header has for several columns, and their positions.
    """

    delimiter: str
    quoted: bool
    spaced: bool
    header: bool
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    decimal: str
    strays: dict[str, Stray]
    left_out: dict[str, str] = {}  # noqa: RUF012 (replaced, never changed)
    repeated: dict[str, list[int]] = {}  # noqa: RUF012 (replaced, never changed)

    @property
    def layout(self) -> Layout:
        """How values are told apart."""
        return Layout(self.delimiter, self.quoted, self.spaced)


def kind_of(values: Iterable[str], decimal: str = ".") -> str:
    """What a column holds: ``whole`` numbers, ``real`` ones, ``truth`` values or ``text``.

    Examples
    --------
    >>> kind_of(["1", "2", "?"]), kind_of(["1", "2.5"]), kind_of(["1", "b"]), kind_of(["true"])
    ('whole', 'real', 'text', 'truth')
    """
    present = [v.replace(decimal, ".") for v in map(trimmed, values) if v not in MISSING]
    if present and all(map(_WHOLE.fullmatch, present)):
        return "whole"
    if present and all(value in TRUE + FALSE for value in present):
        return "truth"
    return "real" if all(map(_REAL.fullmatch, present)) else "text"


def trimmed(value: str) -> str:
    r"""A value without the blanks around it that numbers may have: of ASCII alone.

    Examples
    --------
    >>> trimmed(" 1\t"), trimmed("1\xa0")
    ('1', '1\xa0')
    """
    return value.strip(" \t\r\n\f\v")


def is_number(value: str, kind: str = "real", decimal: str = ".") -> bool:
    """Whether a value can be read as a number of some kind, or as a missing one."""
    value = trimmed(value).replace(decimal, ".")
    if kind == "truth":
        return value in MISSING or value in TRUE + FALSE
    pattern = _WHOLE if kind == "whole" else _REAL
    return value in MISSING or pattern.fullmatch(value) is not None


class Layout(NamedTuple):
    """How the values of a line are told apart; fields as of `Dialect`."""

    delimiter: str
    quoted: bool = True
    spaced: bool = False

    @property
    def aligned(self) -> bool:
        """Whether any blanks are one delimiter, and those at the ends of a line none."""
        return self.delimiter == " " and not self.quoted


def records(lines: Iterable[str], layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """The records of a text table, each with the number of its first line; empty lines left out."""
    quoting = csv.QUOTE_MINIMAL if layout.quoted else csv.QUOTE_NONE
    if layout.aligned:
        lines = (re.sub(" +", " ", line.strip(" \r\n")) for line in lines)
    reader = csv.reader(
        lines, delimiter=layout.delimiter, quoting=quoting, skipinitialspace=layout.spaced
    )
    line, limit = 1, csv.field_size_limit(LONGEST_VALUE)
    try:
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"line {line}: expected a record of a text table ({error})") from error
    finally:
        csv.field_size_limit(limit)


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
    layout, rows = _layout(text, whole, [delimiter] if delimiter else [*DELIMITERS])
    if not rows:
        raise NoRowsError(f"{name}: no rows to read")
    if '"' in text and not layout.quoted:
        _refuse_unclosed(name, text, layout)
    width = Counter(map(len, rows)).most_common(1)[0][0]
    if len(rows[0]) != width:
        _refuse_title(name, text, layout, width)
    body = [row for row in rows[1:] if len(row) == width]
    decimal = "," if layout.delimiter != "," and _has_decimal_commas(rows) else "."
    kinds = tuple(kind_of((row[j] for row in body), decimal) for j in range(width))
    if header is None:
        header = len(rows[0]) == width and _is_header(rows[0], body, kinds, decimal)
    if header:
        names, several = told_apart(rows[0]), repeated(rows[0])
    else:
        every = [row for row in rows if len(row) == width]
        kinds = tuple(kind_of((row[j] for row in every), decimal) for j in range(width))
        names, several = told_apart([""] * width), {}
    found = Dialect(*layout, header, names, kinds, decimal, {}, repeated=several)
    left_out = {}
    if header and _numbers_rows(rows[0][0], [row[0] for row in body]):
        left_out[names[0]] = "row numbers"
    of_last = [row[-1] for row in rows if len(row) == width]
    if width > 2 and not any(map(str.strip, of_last)):
        left_out[names[-1]] = "an empty column"
    return found._replace(strays=_strays(text, found, len(rows)), left_out=left_out)


def _refuse_title(name: str, text: str, layout: Layout, width: int) -> None:
    """Refuse lines before the table, by what the first of them has and how many there are."""
    found = list(_records_of(text, layout))
    line, first = found[0]
    start = next(line for line, record in found if len(record) == width)
    advice = f"skip_lines={start - 1} leaves out what comes before line {start}"
    below = found[1][1] if len(found) > 1 else []
    if (
        len(first) == width - 1
        and len(below) == width
        and all(first)
        and any(map(is_number, below))
    ):
        advice = "name every column"
    came = shorten(layout.delimiter.join(first))
    raise InputError(
        f"{name}, line {line}: expected {width} values, as most lines have, got {len(first)} "
        f"({came!r}); {advice}"
    )


def _refuse_unclosed(name: str, text: str, layout: Layout) -> None:
    """Refuse a value that begins with a quote which is never closed.

    A value that is nothing but a quotation mark stands for the mark.
    """
    found = (
        (line, cell)
        for line, record in _records_of(text, layout)
        for cell in map(str.strip, record)
        if len(cell) > 1 and cell.startswith('"') and cell.count('"') == 1
    )
    if (first := next(found, None)) is None:
        return
    line, rest = first
    content, spaced = text.encode(), f'{layout.delimiter} "' in text
    at = last_end(content, len(content), ord(layout.delimiter), spaced)[1]
    if at >= 0:
        line = content[:at].count(b"\n" if b"\n" in content else b"\r") + 1
        rest = content[at:].decode()
    raise InputError(f"{name}, line {line}: {unclosed_quote(rest)}")


def unclosed_quote(rest: str) -> str:
    """The error about a quote that is never closed; ``rest`` begins with the quote."""
    came = shorten(rest.splitlines()[0])
    return (
        f"expected a quote that closes the one before {came[1:]!r}, got none; add it, or delete "
        'that one (a value that begins with a quote is written """so""")'
    )


def _numbers_rows(name: str, values: list[str]) -> bool:
    """Whether a column without a name of its own counts the rows, from 0 or 1 on."""
    if name.strip() not in ("", "Unnamed: 0") or not values or values[0].strip() not in ("0", "1"):
        return False
    first = int(values[0])
    return all(value.strip() == str(first + at) for at, value in enumerate(values))


def _strays(text: str, dialect: Dialect, count: int) -> dict[str, Stray]:
    """What keeps columns from being columns of numbers, in the first records."""
    known = [
        (line, record)
        for line, record in islice(_records_of(text, dialect.layout), count)
        if len(record) == len(dialect.names)
    ][int(dialect.header) :]
    strays = {}
    for j, (name, kind) in enumerate(zip(dialect.names, dialect.kinds, strict=True)):
        cells = [
            (line, r[j]) for line, r in known if kind == "text" and trimmed(r[j]) not in MISSING
        ]
        others = [cell for cell in cells if not is_number(cell[1], "real", dialect.decimal)]
        if len(others) < len(cells) or (others and _FOREIGN.fullmatch(others[0][1].strip())):
            strays[name] = Stray(*others[0], len(cells) - len(others), len(others))
    return strays


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether there are numbers with a comma, and none with a point."""
    values = [value for row in rows for value in row]
    return any(map(_COMMA.fullmatch, values)) and not any(map(_POINT.fullmatch, values))


def _layout(text: str, whole: bool, delimiters: list[str]) -> tuple[Layout, list[list[str]]]:
    """The layout under which most records have equally many values, at least two."""
    best, rows, best_score = Layout(delimiters[0]), [], (-1.0, False, 0, 0, False, False)
    for layout in _layouts(text, delimiters):
        found = _sample(text, whole, layout)
        share, width = _regular(found)
        # Blanks beside another delimiter are padding. If records are as regular when quotes may
        # not enclose line ends, quotes are ordinary characters.
        solid = share > 0 and layout.delimiter != " "
        score = (share, solid, width, len(found), layout.spaced, layout.quoted)
        if score > best_score:
            best, rows, best_score = layout, found, score
    if best.delimiter == "," and ";" in delimiters:
        other = best._replace(delimiter=";")
        found = _sample(text, whole, other)
        commas = [value for row in found for value in row if "," in value]
        if _regular(found)[0] >= best_score[0] > 0 and all(map(_COMMA.fullmatch, commas)):
            return other, found  # the commas are those of decimals
    return best, rows


def _layouts(text: str, delimiters: list[str]) -> Iterator[Layout]:
    """The ways to read a text that are worth a try."""
    for delimiter in delimiters:
        if '"' in text or delimiter != " ":
            yield Layout(delimiter)
        if '"' in text or delimiter == " ":
            yield Layout(delimiter, quoted=False)
        if delimiter != " " and f'{delimiter} "' in text:
            yield Layout(delimiter, spaced=True)


def _regular(rows: list[list[str]]) -> tuple[float, int]:
    """The share of rows with the commonest number of values, and that number; 0.0 if it is 1."""
    counts = Counter(map(len, rows))
    width, often = counts.most_common(1)[0] if counts else (0, 0)
    return (often / len(rows) if width > 1 else 0.0), width


def _records_of(text: str, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    return records(io.StringIO(text, newline=""), layout)


def _sample(text: str, whole: bool, layout: Layout) -> list[list[str]]:
    rows = []
    try:
        rows.extend(row for _, row in _records_of(text, layout))
    except InputError:
        return rows
    return rows if whole or len(rows) < 2 else rows[:-1]


def _is_header(
    first: list[str], body: list[list[str]], kinds: tuple[str, ...], decimal: str
) -> bool:
    """Whether the first record names columns: unlike the values below it."""
    numeric = [bool(v.strip()) and is_number(v, decimal=decimal) for v in first]
    words = [j for j, is_numeric in enumerate(numeric) if not is_numeric]
    over_numbers = any(
        kinds[j] != "text" and not (kinds[j] == "truth" and is_number(first[j], "truth"))
        for j in words
    )
    if not any(numeric):
        return over_numbers or not _recur(first, body, words)
    numbers = [j for j in range(len(first)) if j not in words]
    if not words:
        return (
            bool(body)
            and len(first) > 1
            and _are_years_above(first, numbers, body)
            and all(int(b) - int(a) == 1 for a, b in pairwise(first))
        )
    return (
        bool(body)
        and not _recur(first, body, words)
        and _could_be_names([first[j] for j in numbers])
        and (
            over_numbers
            or all(kinds[j] == "real" for j in numbers)
            or _are_years_above(first, numbers, body)
        )
    )


def _recur(first: list[str], body: list[list[str]], words: list[int]) -> bool:
    """Whether some words of the first record are values further down."""
    return any(first[j] in {row[j] for row in body} for j in words)


def _could_be_names(numbers: list[str]) -> bool:
    """Whether numbers could name columns, as years do: whole, without a sign, all different."""
    names = [number.strip() for number in numbers]
    return all(map(str.isdigit, names)) and len(set(names)) == len(names)


def _are_years_above(first: list[str], columns: list[int], body: list[list[str]]) -> bool:
    """Whether the first record has years in some columns, above values that look like none."""
    return all(map(_YEAR.fullmatch, (first[j] for j in columns))) and not any(
        map(_YEAR.fullmatch, (row[j] for row in body for j in columns))
    )

"""Text tables: CSV, TSV and their relatives, converted by pyarrow."""

from __future__ import annotations

import csv
import io
import math
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rosenblatt.data.lossless import LARGEST_WHOLE
from rosenblatt.data.readers.base import HELD
from rosenblatt.data.readers.parsing import dialect as text_dialect
from rosenblatt.data.readers.parsing.blocks import (
    BOM,
    TextBlock,
    last_line_end,
    read_blocks,
    shorten,
)
from rosenblatt.data.readers.parsing.csv_kernel import last_end, with_single_blanks
from rosenblatt.data.readers.parsing.dialect import MISSING
from rosenblatt.data.readers.parsing.names import renamed_in_words
from rosenblatt.data.readers.sources import Head, Source
from rosenblatt.errors import InputError

_PADDED = sorted({pad + word + end for word in MISSING for pad in ("", " ") for end in ("", " ")})


class CsvTable:
    """One or more text files with the same columns.

    Attributes
    ----------
    names : tuple of str
        The columns.
    kinds : dict of str to str
        ``whole``, ``real``, ``truth`` or ``text`` for each.
    index : tuple of str
        Columns that count or name the rows, neither features nor the label unless they are named.
    guesses : list of str
        What was guessed, unless it is a header, commas between values or decimal points.
    """

    rows_called = "line"
    padded = True  # blanks around a label are not part of it

    def __init__(self, source: Source, delimiter: str | None = None, header: bool | None = None):
        self.source = source
        self.format = "tsv" if delimiter == "\t" else "csv"
        name = source.label if source.once else source.names[0]
        self.dialect = _guess(name, source.head, delimiter, header)
        self.names: tuple[str, ...] = self.dialect.names
        self.kinds = dict(zip(self.names, self.dialect.kinds, strict=True))
        self.named = self.dialect.header
        self.strays, self.left_out = self.dialect.strays, self.dialect.left_out
        self.repeated = self.dialect.repeated
        self.guesses = _unusual(self.dialect, delimiter is None, header is None)
        self._as_text = False  # whether to convert values that pyarrow cannot read

    def batches(self, stream: Any, kinds: dict[str, str], chunk_bytes: int) -> Iterator[Any]:
        """Record batches of the named columns of one file; ``kinds`` says how to read each."""
        import pyarrow as pa

        ends = RecordEnds(self.dialect) if self.dialect.quoted else None
        # pyarrow is given blocks, not the stream: it would read ahead on a thread of its own,
        # which waits for ever if the interpreter ends first.
        header, row, before = self.named, 0, 0
        empty = b" \r\n" if self.dialect.layout.aligned else b"\r\n"
        for block in read_blocks(stream, chunk_bytes, last_end=ends or last_line_end):
            if ends and (at := ends.unclosed(block)) >= 0:
                raise self._unclosed(stream.name, before, block, at)
            before += block.used
            start = _records_start(block, empty) if header else 0
            if start == block.used:
                continue
            with_header, header = header, False
            try:
                part = pa.py_buffer(block.buffer).slice(start, block.used - start)
                if self.dialect.spaced:
                    part = pa.py_buffer(self._without_spaces(bytes(part)))
                elif self.dialect.layout.aligned:
                    part = pa.py_buffer(_aligned(block, start))
                elif (start or not block.first) and block.buffer.startswith(BOM, start):
                    # pyarrow drops one at the start of whatever it is given.
                    part = pa.py_buffer(BOM + bytes(part))
                table = self._table(part, kinds, block.used, with_header)
            except pa.ArrowMemoryError:
                raise  # nothing is wrong with the file
            except (pa.ArrowException, UnicodeDecodeError) as error:
                if "Empty CSV" in str(error):
                    continue
                raise self._diagnosis(stream.name, kinds, str(error)) from error
            large = [name for name in kinds if kinds[name] == "real" and _is_large(table[name])]
            if large:
                options = self._options(dict.fromkeys(large, "text"), block.used, with_header)
                self._refuse_rounded(_converted(part, options), stream, row)
            row += table.num_rows
            yield from table.combine_chunks().to_batches()

    def _table(self, part: Any, kinds: dict[str, str], size: int, header: bool) -> Any:
        """A block of text as a table.

        Unlike pyarrow's, whole numbers may have a plus sign, and truth values blanks around them.
        """
        import pyarrow as pa

        helped = [name for name in kinds if kinds[name] in _FROM_TEXT]
        refused = None
        if not self._as_text:
            try:
                return _converted(part, self._options(kinds, size, header))
            except pa.ArrowInvalid as error:
                if not helped:
                    raise
                refused = error
        as_text = self._options(kinds | dict.fromkeys(helped, "text"), size, header)
        table = _converted(part, as_text)
        try:
            for name in helped:
                at, convert = table.column_names.index(name), _FROM_TEXT[kinds[name]]
                table = table.set_column(at, name, convert(table[name]))
        except pa.ArrowInvalid as error:
            raise refused or error from None
        self._as_text = True
        return table

    def _without_spaces(self, part: bytes) -> bytes:
        """The same records with quotes right after their delimiters, as pyarrow wants them."""
        text = io.StringIO(part.decode("utf-8-sig"), newline="")
        written = io.StringIO(newline="")
        rows = (record for _, record in text_dialect.records(text, self.dialect.layout))
        csv.writer(written, delimiter=self.dialect.delimiter).writerows(rows)
        return written.getvalue().encode()

    def _refuse_rounded(self, table: Any, stream: Any, row: int) -> None:
        """Refuse whole numbers that become others as doubles; ``table`` is the text of columns."""
        for column in table.column_names:
            for at, cell in enumerate(table[column].to_pylist()):
                if _is_rounded(cell):
                    raise InputError(
                        f"{self.where(stream.name, row + at)}: expected {HELD} in column "
                        f"{column!r}, got {shorten(cell.strip())}; ignore=[{column!r}] leaves it "
                        f"out, text=[{column!r}] reads it as text"
                    )

    def _options(self, kinds: dict[str, str], size: int, header: bool) -> dict[str, Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        types = {"whole": pa.int64(), "real": pa.float64(), "text": pa.string()}
        types["truth"] = pa.bool_()
        return {
            "read_options": arrow_csv.ReadOptions(
                block_size=min(max(size, 1 << 16), (1 << 31) - 1),
                column_names=list(self.names),
                skip_rows_after_names=int(header),
            ),
            "parse_options": arrow_csv.ParseOptions(
                delimiter=self.dialect.delimiter,
                quote_char='"' if self.dialect.quoted else False,
                newlines_in_values=self.dialect.quoted,
            ),
            "convert_options": arrow_csv.ConvertOptions(
                include_columns=list(kinds),
                column_types={name: types[kind] for name, kind in kinds.items()},
                null_values=_PADDED,
                true_values=text_dialect.TRUE,
                false_values=text_dialect.FALSE,
                decimal_point=self.dialect.decimal,
                strings_can_be_null=True,
            ),
        }

    def check_file(self, name: str) -> None:
        """Refuse a further file whose columns have other names."""
        if not self.named:
            return
        found = _guess(name, self.source.head_of(name), self.dialect.delimiter, True)
        if found.names != self.names:
            raise InputError(
                f"{name}: expected the columns of {self.source.names[0]} "
                f"({shorten(', '.join(self.names))}), got {shorten(', '.join(found.names))}"
            )

    def where(self, name: str, row: int) -> str:
        """The line of a row, counted from 0 without the header, in words."""
        if self.source.once:
            return f"{self.source.label}, row {row}"
        for count, (line, _) in enumerate(self._records(name)):
            if count == row + self.named:
                return f"{name}, line {line}"
        return f"{name}, row {row}"

    def lines(self, name: str) -> Iterator[Any]:
        """The lines of a file's rows, in parts; within quotes a line end is none."""
        import numpy as np

        from rosenblatt.data.readers.parsing.positions import lines_of_rows

        skip = int(self.named)
        with self.source.open(name) as stream:
            plain = b"\n" in self.source.head.bytes and not has_quotes(stream)
        if not plain:
            lines = [line for line, _ in self._records(name)]
            yield np.array(lines[skip:], np.int64)
            return
        with self.source.open(name) as stream:
            for found in lines_of_rows(stream, comments=False, blanks=self.dialect.layout.aligned):
                yield found[skip:]
                skip = 0

    def _records(self, name: str) -> Iterator[tuple[int, list[str]]]:
        with self.source.open(name) as stream:
            # Lines are numbered as editors number them: a carriage return ends one only where
            # nothing else does.
            end = "\n" if b"\n" in self.source.head.bytes else ""
            lines = io.TextIOWrapper(
                io.BufferedReader(stream), "utf-8-sig", errors="surrogateescape", newline=end
            )
            whole = (line.rstrip("\r\n") + "\n" for line in lines) if end else lines
            yield from text_dialect.records(whole, self.dialect.layout)

    def _diagnosis(self, name: str, kinds: dict[str, str], message: str) -> InputError:
        """Find the first record that pyarrow cannot have liked."""
        if self.source.once:
            return InputError(f"{self.source.label}: {message}")
        columns = [(j, n, kinds[n]) for j, n in enumerate(self.names) if n in kinds]
        try:
            for count, (line, record) in enumerate(self._records(name)):
                problem = self._problem(record, columns, header=self.named and count == 0)
                if problem:
                    return InputError(f"{name}, line {line}: {problem}")
        except InputError as error:
            return InputError(f"{name}, {error}")
        return InputError(f"{name}: {message}")

    def _unclosed(self, name: str, before: int, block: TextBlock, at: int) -> InputError:
        """The refusal of a quote in a block that none closes, ``before`` bytes into the file."""
        rest = bytes(block.buffer[at : block.used]).decode("utf-8", "replace")
        if self.source.once and before + at >= len(self.source.head.bytes):
            return InputError(f"{self.source.label}: {text_dialect.unclosed_quote(rest)}")
        place, end = before + at, b"\n" if b"\n" in self.source.head.bytes else b"\r"
        line, head = 1, self.source.head.bytes
        with io.BytesIO(head) if self.source.once else self.source.open(name) as stream:
            while part := stream.read(min(place, 1 << 20)):
                line, place = line + part.count(end), place - len(part)
        return InputError(f"{name}, line {line}: {text_dialect.unclosed_quote(rest)}")

    def _problem(
        self, record: list[str], columns: Sequence[tuple[int, str, str]], header: bool
    ) -> str | None:
        if len(record) != len(self.names):
            return f"expected {len(self.names)} values, got {len(record)}"
        if header:
            return None
        for j, name, kind in columns:
            value = record[j]
            if any(0xDC80 <= ord(c) <= 0xDCFF for c in value):
                return f"expected UTF-8 text in column {name!r}"
            if kind != "text" and not text_dialect.is_number(value, kind, self.dialect.decimal):
                expected = {"whole": "a whole number", "truth": "True or False"}
                return no_number(name, value, expected.get(kind, "a number"))
        return None


def has_quotes(stream: Any) -> bool:
    """Whether there are quotation marks in a stream."""
    return any(b'"' in part for part in iter(lambda: stream.read(1 << 20), b""))


def _guess(name: str, head: Head, delimiter: str | None, header: bool | None) -> Any:
    text = text_dialect.decoded(name, *head)
    return text_dialect.guess(name, text, head.whole, delimiter, header)


def _unusual(dialect: text_dialect.Dialect, delimiter: bool, header: bool) -> list[str]:
    """What is unusual of a dialect; of delimiter and header, where they were guessed."""
    named = text_dialect.DELIMITERS.get(dialect.delimiter)
    words = [f"separated by {named}s"] if delimiter and dialect.delimiter != "," else []
    words += ["decimal commas"] if dialect.decimal == "," else []
    words += renamed_in_words(dialect.names, dialect.repeated)
    return words + (["no header"] if header and not dialect.header else [])


def _converted(part: Any, options: dict[str, Any]) -> Any:
    """A block of text as a table of pyarrow.

    Never on the main thread: there pyarrow takes Ctrl-C over while it reads, hands it back
    through a pipe, and loses it if the block ends first.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if threading.current_thread() is not threading.main_thread():
        return arrow_csv.read_csv(pa.BufferReader(part), **options)
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(arrow_csv.read_csv, pa.BufferReader(part), **options).result()


def _whole_numbers(column: Any) -> Any:
    """Text as whole numbers."""
    import pyarrow as pa
    from pyarrow import compute

    trimmed = compute.utf8_trim_whitespace(column)  # type: ignore[attr-defined]
    unsigned = compute.replace_substring_regex(  # type: ignore[attr-defined]
        trimmed, r"^\+([0-9])", r"\1"
    )
    return unsigned.cast(pa.int64())


def _truth_values(column: Any) -> Any:
    """Text as truth values."""
    import pyarrow as pa
    from pyarrow import compute

    call = compute.call_function
    trimmed = call("utf8_trim_whitespace", [column])
    true, known = (
        call("is_in", [trimmed], compute.SetLookupOptions(pa.array(words)))
        for words in (text_dialect.TRUE, text_dialect.TRUE + text_dialect.FALSE)
    )
    there = trimmed.is_valid()
    if call("any", [call("and_not", [there, known])]).as_py():
        raise pa.ArrowInvalid("expected True or False")
    return call("if_else", [there, true, pa.scalar(None, pa.bool_())])


_FROM_TEXT = {"whole": _whole_numbers, "truth": _truth_values}


def _aligned(block: TextBlock, start: int) -> Any:
    """A block from ``start`` on, with one blank between values."""
    import numpy as np

    from rosenblatt.engine.machine.jit import compiled

    if block.first and block.buffer.startswith(BOM, start):
        start += len(BOM)
    out = np.empty(block.used - start, np.uint8)
    return out[: compiled(with_single_blanks)(block.text, start, block.used, out)]


def _is_large(column: Any) -> bool:
    """Whether a number is so large that doubles do not hold all whole numbers of its size."""
    from pyarrow import compute

    ends = compute.min_max(column).as_py()  # type: ignore[attr-defined]
    return any(abs(end) >= LARGEST_WHOLE for end in ends.values() if end is not None)


def _is_rounded(cell: str | None) -> bool:
    """Whether a cell is a whole number, digits only, that double precision does not hold."""
    if cell is None or not re.fullmatch(r"\s*[+-]?[0-9]{16,400}\s*", cell):
        return False
    value = float(cell)
    return math.isfinite(value) and int(value) != int(cell)


def _records_start(block: TextBlock, empty: bytes) -> int:
    """Where the first record begins: pyarrow would take an empty line before it for the header."""
    start = first = len(BOM) if block.first and block.buffer.startswith(BOM) else 0
    while start < block.used and block.buffer[start] in empty:
        start += 1
    return start if start > first else 0


def no_number(column: str, cell: str, expected: str = "a number") -> str:
    """What is wrong with a cell, and what to do."""
    blank = re.search(r"[^\S \t\r\n]", cell)
    why = f", which holds the blank U+{ord(blank[0]):04X}" if blank else ""
    return (
        f"expected {expected} in column {column!r}, got {shorten(cell)!r}{why} (text=[{column!r}] "
        f"reads the column as text, ignore=[{column!r}] leaves it out; a missing value is empty, ? "
        "or NA)"
    )


class RecordEnds:
    """Finds where the last whole record of a buffer ends, newlines within quotes aside."""

    def __init__(self, dialect: text_dialect.Dialect):
        self._layout = ord(dialect.delimiter), dialect.spaced
        self._end, self._unclosed = -1, -1

    def __call__(self, buffer: bytearray, used: int) -> int:
        """The end; 0 if there is none."""
        self._end, self._unclosed = last_line_end(buffer, used), -1
        if buffer.find(b'"', 0, used) >= 0:
            import numpy as np

            from rosenblatt.engine.machine.jit import compiled

            text = np.frombuffer(buffer, np.uint8)
            self._end, self._unclosed = compiled(last_end)(text, used, *self._layout)
        return self._end

    def unclosed(self, block: TextBlock) -> int:
        """Where a quote is, in a block that was just cut, that none closes; -1 if nowhere."""
        if self._end != block.used:
            self(block.buffer, block.used)  # the last block ends with the file
        self._end = -1
        return self._unclosed if self._unclosed < block.used else -1

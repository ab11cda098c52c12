"""Tables: which column is the label, which are features, and what is missing.

Text and binary tables differ only in how their batches are made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rosenblatt.data.lossless import rounded
from rosenblatt.data.readers.arrowtable import ArrowTable
from rosenblatt.data.readers.base import HELD, Chunk, Column, Reader
from rosenblatt.data.readers.csvtable import CsvTable, no_number
from rosenblatt.data.readers.parsing.blocks import shorten
from rosenblatt.data.readers.parsing.dialect import Stray
from rosenblatt.data.readers.parsing.positions import lines_in_words
from rosenblatt.data.readers.sources import Source
from rosenblatt.errors import InputError, nearest
from rosenblatt.text import plural

LONGEST_LABEL, SHOWN_STRAYS = 200, 3

Name = str | int | Column


class TableReader(Reader):
    """The rows of a table with named columns.

    Parameters
    ----------
    table : CsvTable or ArrowTable
        The batches.
    label : str, int, Column, False or None
        The label column; False for none, None for the last one.
    columns, ignore : sequence of str, int or Column, or None
        The feature columns, or those to leave out.
    text : sequence of str or int
        Columns to read as text even if they look like numbers.
    missing : {"error", "drop", "keep"}
        What to do with a row that lacks a value.
    """

    def __init__(
        self,
        source: Source,
        table: CsvTable | ArrowTable,
        *,
        chunk_bytes: int,
        dtype: Any = np.float64,
        label: Name | bool | None = None,
        columns: Sequence[Name] | None = None,
        ignore: Sequence[Name] | None = None,
        text: Sequence[Name] = (),
        missing: str = "error",
    ):
        super().__init__(source, chunk_bytes, dtype)
        self.table, self.missing = table, missing
        self.format = table.format
        said = dict.fromkeys(map(self._find, text), "text")
        for column in columns or ():
            if isinstance(column, Column):
                said[column.name] = _raw_kind(column.kind, table.kinds.get(column.name))
        kinds = dict(table.kinds) | said
        self._strays = {n: stray for n, stray in table.strays.items() if n not in said}
        self.label = self._label(label, columns, ignore)
        self.label_guessed = label is None
        chosen = self._chosen(columns, ignore)
        for name in chosen + ([self.label] if self.label else []):
            self._refuse_strange(name, kinds[name])
            if name in self._strays:
                self._refuse_slip(name, self._strays[name])
        self.columns_used = tuple(
            Column(name, "text" if kinds[name] == "text" else "numeric") for name in chosen
        )
        named = set(table.names) if columns is not None else {self.label}
        self._left_out = {n: why for n, why in table.left_out.items() if n not in named}
        self._numeric = [c.name for c in self.columns_used if c.kind == "numeric"]
        self._text = [c.name for c in self.columns_used if c.kind == "text"]
        self.names = self._numeric if table.named else None
        self._kinds = {name: _raw_kind("numeric", kinds[name]) for name in self._numeric}
        self._kinds |= dict.fromkeys(self._text, "text")
        if self.label:
            # Labels are named as they are written.
            self._kinds[self.label] = "text" if kinds[self.label] == "truth" else kinds[self.label]
        for name in source.names[1:]:
            table.check_file(name)

    def _find(self, name: Name, what: str = "column") -> str:
        """The column a name or position stands for; a `Column` is one that was found before."""
        if isinstance(name, str) and name in self.table.repeated:
            places = " and ".join(map(str, self.table.repeated[name]))
            raise InputError(
                f"{self.source.label}: expected a name that one {what} has, got {name!r}, which "
                f"those at positions {places} have; name it by its position"
            )
        try:
            return find_column(self.table.names, name, self.source.label, what)
        except InputError as error:
            if self.table.named or isinstance(name, int):
                raise
            raise InputError(
                f"{error}; no line was taken for a header (header=True takes the first)"
            ) from None

    @property
    def label_used(self) -> Column | None:
        """The label column, for another reader to take."""
        if self.label is None:
            return None
        return Column(self.label, "text" if self._kinds[self.label] == "text" else "numeric")

    def _label(
        self,
        label: Name | bool | None,
        columns: Sequence[Name] | None,
        ignore: Sequence[Name] | None,
    ) -> str | None:
        if label is False:
            return None
        if label is not None and label is not True:
            return self._find(label, "label column")
        if len(self.table.names) < 2:
            raise InputError(
                f"{self.source.label}: only one column, {self._find(0)!r}; expected features "
                "and a label (label=False if there is none)"
            )
        taken = {self._find(c) for c in [*(columns or ()), *(ignore or ())]}
        taken |= self.table.left_out.keys()
        return next((n for n in reversed(self.table.names) if n not in taken), None)

    def _chosen(self, columns: Sequence[Name] | None, ignore: Sequence[Name] | None) -> list[str]:
        left_out = {self._find(name) for name in ignore or ()}
        wanted = [self._find(name) for name in columns or ()]
        if columns is None:
            wanted = [name for name in self.table.names if name not in self.table.left_out]
        chosen = [name for name in wanted if name not in left_out and name != self.label]
        if not chosen:
            raise InputError(f"{self.source.label}: no columns left besides the label")
        return chosen

    def _refuse_strange(self, name: str, kind: str) -> None:
        if kind not in ("whole", "real", "truth", "text"):
            advice = (
                "name another label with label="
                if name == self.label
                else (f"ignore=[{name!r}] leaves it out")
            )
            raise InputError(
                f"{self.source.label}: column {name!r} holds {kind}, neither numbers nor text; "
                f"{advice}"
            )

    def _refuse_slip(self, name: str, stray: Stray) -> None:
        if stray.slip:
            file = self.source.label if self.source.once else self.source.names[0]
            raise InputError(f"{file}, line {stray.line}: {no_number(name, stray.cell)}")

    def _chunks(self) -> Iterator[Chunk]:
        for stream in self._streams():
            row = 0
            for batch in self.table.batches(stream, self._kinds, self.chunk_bytes):
                if batch.num_rows:
                    yield from self._converted(batch, stream.name, row)
                row += batch.num_rows
                del batch  # before the next one is read

    def _converted(self, batch: Any, name: str, row: int) -> Iterator[Chunk]:
        import pyarrow as pa
        from pyarrow import compute

        text = {n: _strings(batch.column(n), n, name) for n in self._text}
        label = batch.column(self.label) if self.label else None
        if label is not None and self._kinds[self.label or ""] == "text":
            label = _strings(label, str(self.label), name, padded=self.table.padded)
        X = np.empty((batch.num_rows, len(self._numeric)), self.dtype)
        absent = np.zeros(batch.num_rows, bool)
        for j, n in enumerate(self._numeric):
            X[:, j] = self._floats(batch.column(n), n, name, row)
            self._note(absent, np.isnan(X[:, j]), n, name, row)
        for n, column in [*text.items(), *([(self.label, label)] if self.label else [])]:
            nulls = compute.is_null(column, nan_is_null=True)  # type: ignore[attr-defined]
            self._note(absent, as_numpy(nulls), str(n), name, row)
        self._leave_out(absent)
        if absent.any():
            keep = pa.array(~absent)
            X, text = X[~absent], {n: column.filter(keep) for n, column in text.items()}
            label = None if label is None else label.filter(keep)
        if len(X):
            yield Chunk(X, None if label is None else self._labels(label), text)

    def _floats(self, column: Any, column_name: str, name: str, row: int) -> np.ndarray:
        import pyarrow as pa

        try:
            reals = column.cast(pa.float64(), safe=False)
            values = as_numpy(reals.fill_null(math.nan) if reals.null_count else reals)
        except pa.ArrowException as error:
            raise InputError(
                f"{name}: expected numbers in column {column_name!r}; {error}"
            ) from error
        raw = _raw_numbers(column, values)
        with np.errstate(over="ignore"):
            infinite = np.isinf(values.astype(self.dtype))
        for bad, expected in ((rounded(raw), HELD), (infinite, "a finite number")):
            if bad.any():
                at = int(np.argmax(bad))
                raise InputError(
                    f"{self.table.where(name, row + at)}: expected {expected} in column "
                    f"{column_name!r}, got {raw[at]}; ignore=[{column_name!r}] leaves it out"
                )
        return values

    def _note(
        self, absent: np.ndarray, nulls: np.ndarray, column: str, name: str, row: int
    ) -> None:
        if self.missing == "keep" and column != self.label:
            return
        if self.missing != "drop" and nulls.any():
            fill = ", missing='keep' reads numbers as NaN" if column in self._numeric else ""
            place = self.table.where(name, row + int(np.argmax(nulls)))
            raise InputError(
                f"{place}: no value in column {column!r}; missing='drop' leaves such rows out{fill}"
            )
        absent |= nulls

    def _places(self, rows: np.ndarray) -> list[str]:
        if isinstance(self.table, ArrowTable):
            return super()._places(rows)
        return lines_in_words(self.source.names, self.table.lines, rows)

    def _labels(self, column: Any) -> np.ndarray:
        if self._kinds[self.label or ""] != "text":
            return as_numpy(column)
        encoded = column.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        ended = next((word for word in words if word.endswith("\0")), None)
        if ended is not None:  # NumPy's text would drop it
            raise InputError(
                f"{self.source.label}: expected text in the label column {self.label!r}, got "
                f"{shorten(ended)!r}, which ends with a NUL; the file may be damaged"
            )
        longest = max(words, key=len)
        if len(longest) > LONGEST_LABEL:
            raise InputError(
                f"{self.source.label}: the label column {self.label!r} holds long text "
                f"({longest[:30]!r} …); name the label with label="
            )
        return np.array(words, dtype=str)[as_numpy(encoded.indices)]

    def strays(self, columns: Sequence[str]) -> str:
        """The values that keep columns of numbers from being read as numbers, in words."""
        found = [(n, self._strays[n]) for n in columns if n in self._strays][:SHOWN_STRAYS]
        return "; ".join(
            f"{name}: {shorten(stray.cell)!r} in line {stray.line} is no number"
            for name, stray in found
        )

    def _words(self) -> list[str]:
        words = ["no label"]
        if self.label:
            others = [name for name in self.table.names if name not in self.table.left_out]
            is_last = self.label_guessed and self.label == others[-1]
            words = [self._label_words(f"label: {'last column ' * is_last}{self.label!r}")]
        for kind, found in (("numeric", self._numeric), ("text", self._text)):
            if found:
                strays = f" ({why})" if (why := self.strays(found)) else ""
                words.append(f"{plural(len(found), f'{kind} column')}{strays}")
        words += self.table.guesses
        for why in dict.fromkeys(self._left_out.values()):
            names = ", ".join(repr(name) for name in self._left_out if self._left_out[name] == why)
            words.append(f"{why} left out: {names}")
        if self._dropped:
            words.append(f"{plural(self._dropped, 'row')} dropped for missing values")
        return words


def find_column(names: Sequence[str], name: Name, source: str, what: str = "column") -> str:
    """The one of the names that a name or a position stands for.

    Examples
    --------
    >>> find_column(["size", "kind"], -1, "fruit.csv")
    'kind'
    >>> find_column(["size", "kind"], "sise", "fruit.csv")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: fruit.csv: no column 'sise'; did you mean 'size'?
    """
    if isinstance(name, int):
        if not -len(names) <= name < len(names):
            raise InputError(f"{source}: expected a {what} from 0 to {len(names) - 1}, got {name}")
        return names[name]
    wanted = name.name if isinstance(name, Column) else name
    if wanted not in names:
        hint = nearest(wanted, names) or f"; there are {listed(names)}"
        raise InputError(f"{source}: no {what} {wanted!r}{hint}")
    return wanted


def _raw_kind(kind: str, found: str | None) -> str:
    """How to read a column that is used as text or as numbers, and in which some kind was found."""
    return "text" if kind == "text" else "truth" if found == "truth" else "real"


def _raw_numbers(column: Any, values: np.ndarray) -> np.ndarray:
    """The whole numbers of a column that holds such, 0 for those missing; else its values."""
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not types.is_integer(column.type):
        return values
    return as_numpy(compute.fill_null(column, 0))  # type: ignore[attr-defined]


def as_numpy(column: Any) -> np.ndarray:
    """An arrow array as one of numpy's; pyarrow's own way imports pandas, which takes long.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_numpy(pa.array([1.5, 2.5])), as_numpy(pa.array([True, False]))
    (array([1.5, 2.5]), array([ True, False]))
    """
    import pyarrow as pa
    from pyarrow import types

    if types.is_boolean(column.type) and not column.null_count:
        return np.from_dlpack(column.cast(pa.uint8())).astype(bool)
    plain = types.is_integer(column.type) or types.is_floating(column.type)
    if plain and not column.null_count:
        return np.from_dlpack(column)
    return column.to_numpy(zero_copy_only=False)


def _strings(column: Any, column_name: str, name: str, padded: bool = True) -> Any:
    """A column as plain strings, without blanks around them if these are padding."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        text = column.cast(pa.string())
        return compute.utf8_trim_whitespace(text) if padded else text  # type: ignore[attr-defined]
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{name}: expected text in column {column_name!r}; {error}") from error


def listed(names: Sequence[str]) -> str:
    """Some names in a sentence, and how many more there are."""
    shown = ", ".join(map(repr, names[:10]))
    return shown + (f" and {len(names) - 10} more" if len(names) > 10 else "")

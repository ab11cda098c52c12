"""A file as rows: what is said of it, and what was read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rosenblatt.data.tables.columns import FILLED, Columns
from rosenblatt.errors import InputError

Progress = Callable[[], tuple[str, float | None]]


@dataclass(frozen=True)
class Choice:
    """What the user says of a file, instead of what would be guessed.

    Attributes
    ----------
    label : str or None
        The label column: its name, or its position from 0. By default the last.
    positive : str or None
        The class to tell from all others.
    columns, ignore, text : list of str or None
        Columns to use, to leave out, and to read as text although they look like numbers; a comma
        separates several.
    missing : {"error", "drop", "mean", "median"}
        Whether a row that lacks a value is an error or left out, or what takes a number's place:
        the mean or median of the column. Text that is missing is none of the column's values.
    one_hot : bool
        Whether to make features of text columns, one for each value.
    scale : bool
        Whether to scale features to mean 0 and variance 1.
    skip_lines : int or None
        Lines of text before the table that are left out; none if None.
    header : bool or None
        Whether the first line of a text table names its columns.
    delimiter : str or None
        What stands between the values of a text table: a character, or its name (``tab``).
    format : str or None
        What kind of file it is, of `rosenblatt.readers.FORMATS`.
    bits : int or None
        Vowpal Wabbit names are hashed into 2^bits columns; 18 unless a model says otherwise.
    """

    label: str | None = None
    positive: str | None = None
    columns: list[str] | None = None
    ignore: list[str] | None = None
    text: list[str] | None = None
    missing: Literal["error", "drop", "mean", "median"] = "error"
    one_hot: bool = False
    scale: bool = False
    skip_lines: int | None = None
    header: bool | None = None
    delimiter: str | None = None
    format: str | None = None
    bits: int | None = None


class RawTable(NamedTuple):
    """Rows as they were read.

    Attributes
    ----------
    X, y : array or CSR array, and array or None
    text : dict of str to ndarray
        Text columns, row by row beside X.
    names : list of str
        Of the columns of X; empty if they have none.
    used : list of [name, kind]
        The raw columns of a table.
    label : str or None
        The label column of a table.
    source, note : str
        Where they are from, and what was guessed and found, in one line.
    settings : dict
        How the source of a worked example runs the perceptron on it.
    absent : ndarray of bool or None
        Of all rows of the file, which were left out for missing values; None if none was.
    places : callable or None
        From the numbers of some rows to where they are, in words; None where they have no place.
    weights : ndarray or None
        How much each row counts, where a file says so.
    format : str
        Of the file, as its reader names it; empty if there is none.
    first_index : 0, 1 or None
        The index of the first column in svmlight text; None for other formats.
    """

    X: Any
    y: Any
    text: dict[str, Any]
    names: list[str]
    used: list[list[str]]
    label: str | None
    source: str
    note: str
    settings: dict[str, Any]
    absent: Any = None
    places: Callable[[Any], list[str]] | None = None
    weights: Any = None
    format: str = ""
    first_index: int | None = None

    def rows(self, which: Any) -> RawTable:
        """Some of the rows, by their numbers."""
        text = {name: values[which] for name, values in self.text.items()}
        y, places = None if self.y is None else self.y[which], self.places
        moved = None if places is None else lambda rows: places(which[list(rows)])
        weights = None if self.weights is None else self.weights[which]
        return self._replace(X=self.X[which], y=y, text=text, places=moved, weights=weights)


def read_file(
    path: str,
    choice: Choice,
    *,
    learned: Columns | None = None,
    width: int | None = None,
    labelled: bool = True,
    waiting: Callable[[Progress], AbstractContextManager[None]] = nullcontext,
) -> RawTable:
    r"""Read a file.

    Parameters
    ----------
    path : str
        As `rosenblatt.readers.open_reader` takes it.
    choice : Choice
    learned : Columns, optional
        Those of a model, to be read as its own were.
    width : int, optional
        Features of the model, for formats whose files may show fewer.
    labelled : bool
        Whether there is a label to look for.
    waiting : callable, optional
        A context of the reading; it gets a function that tells how far it is.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "fruit.csv")
    >>> _ = path.write_text("weight,color,kind\n150,red,apple\n118,yellow,banana\n")
    >>> raw = read_file(str(path), Choice())
    >>> raw.names, raw.y.tolist()
    (['weight'], ['apple', 'banana'])
    """
    opened = open_file(path, choice, learned=learned, width=width, labelled=labelled)
    with waiting(opened.progress):
        chunk = opened.reader.read()
    reader = opened.reader
    return opened.raw(chunk, opened.note())._replace(absent=reader.absent, places=reader.places)


class Opened(NamedTuple):
    """A file opened as the user says: its reader, and the text columns left out."""

    reader: Any
    left_out: list[str]

    def progress(self) -> tuple[str, float | None]:
        """How much of it is read, in words and as a fraction."""
        reader, size = self.reader, self.reader.size
        read = f"{reader.position:,} bytes of {reader.source.label} read"
        return read, reader.position / size if size else None

    def note(self) -> str:
        """What was guessed and found, in one line."""
        note = self.reader.describe()
        if self.left_out:
            names = ", ".join(self.left_out)
            why = f"{strays}; " if (strays := self.reader.strays(self.left_out)) else ""
            note += f"; text left out: {names} ({why}one_hot=True makes features of text)"
        return note

    def raw(self, chunk: Any, note: str = "") -> RawTable:
        """Some rows that were read."""
        import numpy as np

        from rosenblatt.data.labels import refuse_perhaps_rounded

        reader, left_out = self.reader, self.left_out
        if chunk.y is not None:
            refuse_perhaps_rounded(chunk.y, reader.source.label)
        text = {
            name: np.array([value or "" for value in values.to_pylist()], object)
            for name, values in chunk.text.items()
            if name not in left_out
        }
        used = [list(column) for column in reader.columns_used if column.name not in left_out]
        names = list(reader.names or _of_kind(reader, "numeric"))
        label = getattr(reader, "label", None)
        label = label if isinstance(label, str) and used else None
        source = reader.source.label
        raw = RawTable(chunk.X, chunk.y, text, names, used, label, source, note, {})
        first = getattr(reader, "first_index", None)
        return raw._replace(weights=chunk.weights, format=reader.format, first_index=first)


def open_file(
    path: str,
    choice: Choice,
    *,
    learned: Columns | None = None,
    width: int | None = None,
    labelled: bool = True,
    **how: Any,
) -> Opened:
    """Open a file; what else ``how`` says goes to the reader."""
    from rosenblatt.data.readers import Column, open_reader

    columns = [Column(*pair) for pair in learned.used] if learned and learned.used else None
    options: dict[str, Any] = {
        "label": None if labelled else False,
        "ignore": columns_of(choice.ignore),
        "text": columns_of(choice.text) or (),
        "missing": "keep" if choice.missing in FILLED else choice.missing,
        "width": learned.width if learned else width,
        "zero_based": learned.zero_based if learned else None,
        "skip_lines": choice.skip_lines or 0,
        "header": choice.header,
        "delimiter": delimiter_of(choice.delimiter),
        "format": choice.format,
        "bits": choice.bits,
        **how,
    }
    label: Any = None if choice.label is None else column_of(choice.label)
    if label is None and learned and learned.label is not None:
        label = Column(learned.label, "text" if learned.text_label else "numeric")
    if labelled and label is not None:
        options["label"] = label
        if learned and learned.text_label:
            options["text"] = [*options["text"], label]
    chosen = columns_of(choice.columns) if columns is None else columns
    reader: Any = open_reader(path, columns=chosen, **options)
    if learned:
        learned.refuse_other_text(reader.format, reader.source.label)
    if columns is None and options["label"] is None:
        _refuse_label_among(reader, chosen, options["ignore"])
    left_out = [] if choice.one_hot or columns else _of_kind(reader, "text")
    numeric = [column for column in reader.columns_used if column.kind == "numeric"]
    if left_out and numeric and not reader.source.once:
        # What is not used need not be complete.
        if chosen is not None:
            options["label"] = reader.label_used or False
        reader = open_reader(path, columns=numeric, **options)
    return Opened(reader, left_out)


def _refuse_label_among(reader: Any, chosen: Any, ignored: Any) -> None:
    """Refuse features among which is the column that would be the label if they were not named.

    Whether it is one of them or the label, nobody can know.
    """
    from rosenblatt.data.readers.table import TableReader, find_column

    if not isinstance(reader, TableReader) or not chosen:
        return
    names, source = reader.table.names, reader.source.label
    left_out = {find_column(names, name, source) for name in ignored or ()}
    left_out |= reader.table.left_out.keys()
    last = next((name for name in reversed(names) if name not in left_out), None)
    if last in {find_column(names, name, source) for name in chosen}:
        raise InputError(
            f"{source}: columns= names {last!r}, the last column, which is the label if none is "
            f"named; name the label with label= ({last!r} or another)"
        )


def _of_kind(reader: Any, kind: str) -> list[str]:
    return [column.name for column in reader.columns_used if column.kind == kind]


def delimiter_of(given: str | None) -> str | None:
    r"""The character that a delimiter is: itself, or the one of that name.

    Examples
    --------
    >>> delimiter_of(";"), delimiter_of("tab"), delimiter_of(r"\t")
    (';', '\t', '\t')
    """
    if given is None:
        return None
    from rosenblatt.data.readers.parsing.dialect import DELIMITERS

    found = {name: sign for sign, name in DELIMITERS.items()}.get(given.lower(), given)
    found = found.replace(r"\t", "\t")
    if len(found) != 1 or found in '"\r\n' or not found.isascii():
        raise InputError(
            f"delimiter must be one character or one of {', '.join(DELIMITERS.values())}, got "
            f"{given!r}"
        )
    return found


def column_of(name: str) -> str | int:
    """A column by name, or by position where it is a whole number."""
    return int(name) if re.fullmatch(r"-?\d+", name) else name


def columns_of(values: list[str] | None) -> list[str | int] | None:
    """Columns by name or position; a comma separates several."""
    if not values:
        return None
    return [
        column_of(name.strip()) for value in values for name in value.split(",") if name.strip()
    ]


def split(raw: RawTable, test: float, seed: int) -> tuple[RawTable, RawTable | None]:
    """Rows to learn from and rows to score, in equal class proportions where possible.

    Parameters
    ----------
    raw : Raw
    test : float
        The fraction of the rows to score; none if 0.
    seed : int
    """
    if test == 0:
        return raw, None
    import numpy as np

    from rosenblatt.data.splitting import split_rows

    if int((1 - test) * len(raw.y)) < 1:
        raise InputError(
            f"{raw.source}: a fraction of {test:g} held out of {len(raw.y):,} rows leaves none to "
            "learn from"
        )
    counts = np.unique(raw.y, return_counts=True)[1]
    enough = counts.min() >= 2 and min(test, 1 - test) * len(raw.y) >= len(counts)
    held_out = math.ceil(test * len(raw.y))
    train, held = split_rows(len(raw.y), held_out, seed, raw.y if enough else None)
    return raw.rows(train), raw.rows(held)

"""What every reader is: chunks of bounded size, facts about all of them, and one line in words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.readers.scratch import Scratch
from rosenblatt.data.readers.sources import Source, Stream
from rosenblatt.errors import InputError, NoRowsError
from rosenblatt.text import plural

MANY_CLASSES = 1000
HELD = "a whole number within ±2**53, or a larger one that a double equals,"


class Chunk(NamedTuple):
    r"""Some rows.

    Attributes
    ----------
    X : ndarray or CSR array of shape (n, d)
        The numeric features.
    y : ndarray of shape (n,) or None
        The labels: integers, floats or strings; None where there are none.
    text : dict of str to pyarrow.Array
        The text columns of a table, row by row beside X, not yet features.
    weights : ndarray of shape (n,) or None
        How much each row counts, where a file says so of some.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import readers
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("a,label\n1,no\n2,yes\n")
    >>> chunk = next(readers.open_reader(path).chunks())
    >>> chunk.X.tolist(), chunk.y.tolist()
    ([[1.0], [2.0]], ['no', 'yes'])
    """

    X: Any
    y: Any
    text: dict[str, Any]
    weights: Any = None


class Column(NamedTuple):
    r"""A raw column that is used: its name, and whether it is read as ``numeric`` or ``text``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import readers
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("a,label\n1,no\n2,yes\n")
    >>> readers.open_reader(path).columns_used
    (Column(name='a', kind='numeric'),)
    """

    name: str
    kind: str


class Facts(NamedTuple):
    r"""What a full pass has found.

    Attributes
    ----------
    rows : int
        Rows kept.
    width : int
        Columns of X.
    classes : ndarray or None
        The different labels, sorted; None without labels or with more than 1,000 of them.
    dropped : int
        Rows left out for missing values.
    counts : ndarray or None
        How many rows each class has.
    changes : int
        How often a row's label differs from that of the row before.
    row_bytes : float or None
        Bytes that rows take in memory for each byte of their text, at most; None if not known.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import readers
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("a,label\n1,no\n2,yes\n")
    >>> reader = readers.open_reader(path)
    >>> for chunk in reader.chunks():
    ...     pass
    >>> reader.facts.rows, reader.facts.classes.tolist()
    (2, ['no', 'yes'])
    """

    rows: int
    width: int
    classes: Any
    dropped: int
    counts: Any = None
    changes: int = 0
    row_bytes: float | None = None


class Growing:
    """An array that grows at its end, and is whole at the end without ever being held twice.

    Room that was reserved and not used is never touched, so it costs no memory.

    Examples
    --------
    >>> numbers = Growing(np.int64)
    >>> numbers.append(np.arange(3)); numbers.append(np.arange(2))
    >>> numbers.done()
    array([0, 1, 2, 0, 1])
    """

    def __init__(self, dtype: Any):
        self._parts: list[np.ndarray] = []
        self._room = np.empty(0, dtype)
        self._used = 0
        self.total = 0

    @property
    def dtype(self) -> np.dtype:
        """That of the items."""
        return self._room.dtype

    def reserve(self, n: int, ahead: float = 0.0) -> np.ndarray:
        """A view of room for n items; a new part also gets room for ``ahead`` × all so far."""
        if self._used + n > len(self._room):
            self._seal()
            more = int((self.total + n) * ahead)
            self._room = np.empty(_round_up(n + more), self.dtype)
        return self._room[self._used : self._used + n]

    def keep(self, n: int) -> None:
        """Count the first n reserved items as used."""
        self._used += n
        self.total += n

    def append(self, values: np.ndarray, ahead: float = 0.0) -> None:
        """Copy values to the end."""
        self.reserve(len(values), ahead)[:] = values
        self.keep(len(values))

    def clear(self) -> None:
        """Forget the items, keep the room."""
        self._parts.clear()
        self._used = self.total = 0

    def done(self) -> np.ndarray:
        """All items as one array; parts are freed while they are copied."""
        if not self._parts:
            return self._room[: self._used]
        self._seal()
        whole, at = np.empty(self.total, self.dtype), 0
        self._parts.reverse()
        while self._parts:
            part = self._parts.pop()
            whole[at : at + len(part)] = part
            at += len(part)
        return whole

    def _seal(self) -> None:
        if self._used:
            self._parts.append(self._room[: self._used])
        self._room, self._used = self._room[:0], 0


def _round_up(n: int) -> int:
    """One of eight sizes between two powers of two, the next not below n.

    Chunks alike then ask for rooms of one size, and what one gives back the next can have. Of sizes
    that all differ a little, holes remain between them that nothing fits into: a third of the
    memory that rows take.

    Examples
    --------
    >>> [_round_up(n) for n in (0, 7, 100, 1000, 1025)]
    [0, 7, 104, 1024, 1152]
    """
    step = 1 << max(0, n.bit_length() - 4)
    return -(-n // step) * step


class Reader(ABC):
    r"""A source of rows, read chunk by chunk or all at once.

    Attributes
    ----------
    format : str
        What the source was taken for.
    names : list of str or None
        The names of the columns of X.
    columns_used : tuple of Column
        The raw columns that become features, in order; empty for formats without named columns.
    position, size : int, int or None
        Bytes of the files read so far in this pass, and in all.
    absent : ndarray of bool or None
        Of all rows of the last `read`, which were left out for missing values; None if none was.
    keeps : bool
        Whether chunks of a whole pass are kept on the disk.
    watch : callable
        Called before each chunk is read; an error that it raises ends the reading.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import readers
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("a,label\n1,no\n2,yes\n")
    >>> reader = readers.open_reader(path)
    >>> reader.format, reader.names
    ('csv', ['a'])
    """

    format: str
    names: list[str] | None = None
    columns_used: tuple[Column, ...] = ()

    def __init__(self, source: Source, chunk_bytes: int, dtype: Any):
        self.source = source
        self.chunk_bytes = chunk_bytes
        self.dtype = np.dtype(dtype)
        self.facts: Facts | None = None
        self._stream: Stream | None = None
        self._before = 0
        self._started = False
        self._dropped = 0
        self._gaps: list[np.ndarray] | None = None
        self.keeps = False
        self._scratch: Scratch | None = None
        self.watch: Callable[[], None] = _go_on

    @property
    def reading(self) -> list[Any]:
        """How rows are made of the source, on which a run that goes on must agree."""
        columns = [list(column) for column in self.columns_used]
        return [columns, getattr(self, "label", None), self.dtype.name]

    @property
    def absent(self) -> np.ndarray | None:
        """Which rows of the last `read` were left out for missing values; None if none was."""
        return np.concatenate(self._gaps) if self._gaps and self._dropped else None

    @property
    def size(self) -> int | None:
        """Bytes of all files, as they lie on the disk; None for standard input."""
        return self.source.size

    @property
    def position(self) -> int:
        """Bytes of the files read so far in this pass."""
        return self._before + (self._stream.position if self._stream else 0)

    def chunks(self) -> Iterator[Chunk]:
        """One pass over the rows, in file order; call it again for another."""
        if self._scratch is not None:
            return self._watched(self._read_back(self._scratch))
        self._begin()
        chunks = self._counted(self._chunks())
        return self._watched(self._written(chunks) if self.keeps else chunks)

    def keep(self) -> None:
        """Keep the chunks of the next whole pass on the disk for all later ones, until `forget`.

        Nothing is kept of what can be read only once, nor where the disk has no room.
        """
        self.keeps = not self.source.once

    def forget(self) -> None:
        """Keep no chunks any more; the disk has its room back."""
        if self._scratch is not None:
            self._scratch.close()
        self.keeps, self._scratch = False, None

    def read(self) -> Chunk:
        """All rows as one chunk; never holds more than them and one chunk of the file."""
        X, y, text = Growing(self.dtype), [], {}
        width = 0
        for chunk in self._all_chunks():
            width = chunk.X.shape[1]
            X.append(chunk.X.reshape(-1), self._ahead())
            y.append(chunk.y)
            for name, column in chunk.text.items():
                text.setdefault(name, []).append(column)
        rows = self.facts.rows if self.facts else 0
        labels = None if not y or y[0] is None else np.concatenate(y)
        return Chunk(X.done().reshape(rows, width), labels, _joined(text))

    def scan(self) -> Facts:
        """What a full pass finds, from the last pass where there was one."""
        if self.facts is None:
            for _ in self.chunks():
                pass
        assert self.facts is not None
        return self.facts

    def describe(self) -> str:
        """The guesses and what was found, in one line; reads everything if that was not done."""
        if self.facts is None and not self.source.once:
            self.scan()
        return "; ".join(self._words())

    def places(self, rows: Any) -> list[str]:
        """Where some rows are, counted from 0 among those kept, in words: lines of a text file.

        What can be read only once, and files that are no text, have rows instead, from 0 on.
        """
        wanted = self._with_dropped(np.asarray(rows, np.int64))
        order = np.unique(wanted)
        words = [f"row {n}" for n in order] if self.source.once else self._places(order)
        return [words[at] for at in np.searchsorted(order, wanted)]

    def _places(self, rows: np.ndarray) -> list[str]:
        """The same of sorted rows, those dropped counted too."""
        return [f"row {n}" for n in rows]

    def _with_dropped(self, rows: np.ndarray) -> np.ndarray:
        """Numbers among the rows kept as numbers among all."""
        if not self.facts or not self.facts.dropped or self.source.once:
            return rows
        if self.absent is None:
            for _ in self._all_chunks():
                pass
        assert self.absent is not None
        return np.flatnonzero(~self.absent)[rows]

    @abstractmethod
    def _chunks(self) -> Iterator[Chunk]: ...

    @abstractmethod
    def _words(self) -> list[str]: ...

    def _all_chunks(self) -> Iterator[Chunk]:
        """One pass of a reader that holds all rows; it also records which ones were left out."""
        kept, self._scratch = self._scratch, None  # which does not know what was left out
        chunks = self.chunks()
        self._scratch, self._gaps = kept, []
        return chunks

    def _begin(self) -> None:
        if self.source.once and self._started:
            raise InputError(
                f"{self.source.label} can be read only once; save it to a file for another pass"
            )
        self._started = True
        self._dropped = 0
        self._gaps = None

    def _leave_out(self, absent: np.ndarray) -> None:
        """Record which of the next rows are left out."""
        self._dropped += int(absent.sum())
        if self._gaps is not None:
            self._gaps.append(absent)

    def _streams(self) -> Iterator[Stream]:
        """Each file opened in turn; keeps track of the position."""
        self._before = 0
        for name in self.source.names:
            stream = self._stream = self.source.open(name)
            try:
                yield stream
                self._before += stream.position
            finally:
                stream.close()
                self._stream = None

    def _ahead(self) -> float:
        """Bytes still to read, as a multiple of those read: an estimate, 2 % too high."""
        if not self.size or not self.position:
            return 0.0
        return 1.02 * max(self.size - self.position, 0) / self.position

    def _written(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Pass chunks through, and write them into a scratch file while it has room."""
        scratch = Scratch()
        for chunk in chunks:
            scratch.append((chunk, self.position))
            yield chunk
            del chunk  # before the next is read
        if scratch.full:
            self.keeps = False  # another one would be full, too
        if self.keeps:
            self._scratch = scratch

    def _read_back(self, scratch: Scratch) -> Iterator[Chunk]:
        """The chunks in a scratch file."""
        for chunk, self._before in scratch:
            yield chunk
            del chunk  # before the next is read

    def _watched(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Pass chunks through, and call ``watch`` before each."""
        self.watch()
        for chunk in chunks:
            yield chunk
            del chunk  # before the next is read
            self.watch()

    def _counted(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Pass chunks through, and set ``facts`` at the end, unless they are known."""
        if self.facts is not None:
            yield from chunks
            return
        tally = LabelCounts()
        for chunk in chunks:
            tally.add(chunk.X.shape[0], chunk.X.shape[1], chunk.y)
            yield chunk
            del chunk  # before the next is read
        self._finish(tally)

    def _finish(self, tally: LabelCounts) -> None:
        if tally.rows == 0:
            left = f": all {self._dropped} have missing values" if self._dropped else ""
            raise NoRowsError(f"{self.source.label}: no rows to read{left}", self._dropped)
        self.facts = Facts(
            tally.rows, tally.width, tally.classes, self._dropped, tally.counts, tally.changes
        )

    def _label_words(self, what: str) -> str:
        classes = self.facts.classes if self.facts else None
        if classes is None:
            return what if self.facts is None else f"{what}, more than {MANY_CLASSES} values"
        return f"{what}, {plural(len(classes), 'class')}"


def _go_on() -> None:
    """The default of ``watch``: do nothing."""


class LabelCounts:
    """Counts of rows and labels, chunk by chunk."""

    def __init__(self) -> None:
        self.rows = self.width = self.changes = 0
        self.classes: Any = None
        self.counts: Any = None
        self._many = False
        self._last: Any = None

    def add(self, rows: int, width: int, y: Any) -> None:
        """Count one chunk."""
        self.rows += rows
        self.width = max(self.width, width)
        if y is None or self._many or not len(y):
            return
        self.changes += int(np.count_nonzero(y[1:] != y[:-1]))
        self.changes += int(self._last is not None and self._last != y[0])
        self._last = y[-1]
        found, counts = labels_of(y)
        if self.classes is not None:
            merged = np.union1d(self.classes, found)
            total = np.zeros(len(merged), np.int64)
            total[np.searchsorted(merged, self.classes)] += self.counts
            total[np.searchsorted(merged, found)] += counts
            found, counts = merged, total
        self.classes, self.counts = found, counts
        if len(self.classes) > MANY_CLASSES:
            self.classes, self.counts, self._many = None, None, True


def labels_of(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different labels, sorted, and how many there are of each; of two, without a sort."""
    if y.dtype.kind in "iuf":
        low, high = y.min(), y.max()
        positive = y == high
        most = int(np.count_nonzero(positive))
        if low < high and most + int(np.count_nonzero(y == low)) == len(y):
            return np.array([low, high], y.dtype), np.array([len(y) - most, most])
    return np.unique(y, return_counts=True)


def _joined(text: dict[str, list[Any]]) -> dict[str, Any]:
    if not text:
        return {}
    import pyarrow as pa

    return {name: pa.concat_arrays(parts) for name, parts in text.items()}

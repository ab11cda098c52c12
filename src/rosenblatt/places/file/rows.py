"""The labelled rows of a reader, chunk by chunk, in as many passes as needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import check_finite
from rosenblatt.data.labels import (
    check_discrete,
    known_classes,
    refuse_perhaps_rounded,
    remark_alike,
)
from rosenblatt.data.readers.frames import KNOWN, is_frame
from rosenblatt.data.room import check_room
from rosenblatt.engine.points import Points, make_points
from rosenblatt.errors import InputError

MEMORY = 1 << 29
SMALLEST_CHUNK, LARGEST_CHUNK = 1 << 16, 1 << 23
# Memory allowed, in multiples of a chunk's bytes. The text and the rows of a chunk, and of the next
# one, which is parsed meanwhile, take up to eight times its bytes. Rows held between chunks take
# half of the memory; if none are held, chunks may take all of it, since each chunk has a fixed
# cost.
CHUNKS, CHUNKS_ALONE = 20, 10
# Peak memory, as a multiple of the text and the rows of two chunks.
IN_ALL = 1.25


def chunk_bytes_within(memory: int, chunks: float = CHUNKS) -> int:
    """About how many bytes of a file make one chunk, where rows may take so much memory.

    Examples
    --------
    >>> chunk_bytes_within(10**6), chunk_bytes_within(10**8), chunk_bytes_within(10**9)
    (65536, 5000000, 8388608)
    >>> chunk_bytes_within(10**7, CHUNKS_ALONE)
    1000000
    """
    return min(LARGEST_CHUNK, max(SMALLEST_CHUNK, int(memory / chunks)))


def opened(reader: Any, memory: int = MEMORY, chunks: int = CHUNKS) -> Any:
    """The given reader, or one of the file or frame with chunks that suit the memory allowed."""
    if isinstance(reader, (str, os.PathLike)) or is_frame(reader):
        from rosenblatt.data.readers import open_reader

        return open_reader(reader, chunk_bytes=chunk_bytes_within(memory, chunks))
    if not hasattr(reader, "chunks"):
        raise InputError(
            "expected a reader from rosenblatt.readers.open_reader, the name of a file, or "
            f"{KNOWN}, got a {type(reader).__name__} ({type(reader).__module__})."
        )
    return reader


@contextmanager
def parsed_once(reader: Any) -> Iterator[None]:
    """Within it, a reader parses its file in one pass, and reads the rows back in all others.

    As before it was, where it keeps rows already or cannot.
    """
    if not hasattr(reader, "keep") or reader.keeps:
        yield
        return
    reader.keep()
    try:
        yield
    finally:
        reader.forget()


def fill_memory(reader: Any, memory: int) -> None:
    """Enlarge chunks to the memory allowed, if a scan has told how much their rows take."""
    known = None if reader.source.once else reader.scan().row_bytes
    if known is not None:
        reader.chunk_bytes = chunk_bytes_within(memory, IN_ALL * 2 * (1 + known))


class Piece(NamedTuple):
    """Some rows of a file.

    Attributes
    ----------
    X : ndarray or CSR array
    codes : ndarray of int
        The code of each row's class.
    ids : ndarray of int64
        Each row's number in the whole file.
    """

    X: Any
    codes: np.ndarray
    ids: np.ndarray

    def some(self, which: Any) -> Piece:
        """Those of the rows, copied."""
        return Piece(self.X[which], self.codes[which], self.ids[which])

    @property
    def nbytes(self) -> int:
        """The memory that they take."""
        parts = (self.codes, self.ids, *_arrays(self.X))
        return sum(part.nbytes for part in parts)


def _arrays(X: Any) -> tuple[np.ndarray, ...]:
    return (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)


def joined(pieces: Sequence[Piece]) -> Piece:
    """All rows of some pieces as one."""
    if len(pieces) == 1:
        return pieces[0]
    tables = [piece.X for piece in pieces]
    if hasattr(tables[0], "indptr"):
        from scipy import sparse

        X: Any = sparse.vstack(tables, format="csr")
    else:
        X = np.concatenate(tables)
    codes, ids = (np.concatenate([piece[at] for piece in pieces]) for at in (1, 2))
    return Piece(X, codes, ids)


def _before(first: list[Any], rest: Iterator[Any]) -> Iterator[Any]:
    """The items of a list, then the rest; unlike `chain`, it drops each item once it is taken."""
    yield first.pop()
    yield from rest


class FileRows:
    """The labelled rows of a reader, chunk by chunk.

    Parameters
    ----------
    reader : Reader
        Of `rosenblatt.readers`, or any object with its ``chunks``, ``scan`` and ``source``.
    classes : array, optional
        All labels, which saves a pass to find them; needed if the source can be read only once.
    fit_intercept : bool
    steps : callable
        From codes to steps; by default all are 1.

    Attributes
    ----------
    n : int or None
        Rows in all; None where they can be read only once.
    d : int
        Features.
    classes : ndarray
        Sorted labels.
    none : Points
        An empty set of points of the same kind.
    radius : float
        The largest norm of a row so far, its bias coordinate included.
    entries : int
        Stored entries in all; 0 before the end of the first pass.
    """

    def __init__(
        self,
        reader: Any,
        classes: Any = None,
        *,
        fit_intercept: bool = True,
        steps: Callable[[np.ndarray], np.ndarray] | None = None,
    ):
        self.reader, self.fit_intercept = reader, fit_intercept
        self.steps = steps or (lambda codes: np.ones(len(codes)))
        self.once = bool(reader.source.once)
        self.facts = None if self.once else reader.scan()
        self.classes = self._classes(classes)
        self.n = None if self.facts is None else self.facts.rows
        self.radius, self.entries = 0.0, 0
        chunks = iter(reader.chunks())
        first = next(chunks, None)
        if first is None:
            raise InputError(f"{self.label}: no rows to learn from")
        self._opened: Iterator[Any] | None = _before([first], chunks)
        self.d = first.X.shape[1]
        if self.d == 0:
            raise InputError(f"{self.label}: no numeric columns to learn from")
        check_room(self.d, self.vectors)
        self.none = self.points(Piece(first.X[:0], np.zeros(0, np.intp), np.zeros(0, np.int64)))

    @property
    def label(self) -> str:
        """Name of the source in messages."""
        return self.reader.source.label

    @property
    def vectors(self) -> int:
        """Weight vectors: K for K > 2 classes, 0 for the single one of two."""
        return len(self.classes) if len(self.classes) > 2 else 0

    @property
    def come_in_classes(self) -> bool:
        """Whether rows of one class tend to follow each other."""
        from rosenblatt.engine.orders import seldom

        return self.facts is not None and seldom(self.facts.changes, self.facts.counts)

    def _classes(self, given: Any) -> np.ndarray:
        if given is not None:
            classes = known_classes(given)
        elif self.facts is None:
            raise InputError(
                f"{self.label} can be read only once, so its classes must be named beforehand: "
                "classes=[...]"
            )
        elif self.facts.classes is None:
            raise InputError(
                f"{self.label}: no labels, or more different ones than a classifier can tell apart"
            )
        else:
            classes = self.facts.classes
            refuse_perhaps_rounded(classes, self.label)
            remark_alike(classes)
        try:
            check_discrete(classes)
        except InputError as error:
            raise InputError(f"{self.label}: {error}") from None
        if len(classes) < 2:
            raise InputError(
                f"{self.label}: one class only, {classes.tolist()[0]!r}: a classifier needs at "
                "least two classes. Check the label column."
            )
        return classes

    def pieces(self) -> Iterator[Piece]:
        """One pass over all rows in file order."""
        chunks, self._opened = self._opened or iter(self.reader.chunks()), None
        start = entries = 0
        for chunk in chunks:
            rows = chunk.X.shape[0]
            if chunk.X.shape[1] != self.d:
                raise InputError(
                    f"{self.label}: {chunk.X.shape[1]} columns from row {start} on, {self.d} "
                    "before; say beforehand how many there are (width)"
                )
            if getattr(chunk, "weights", None) is not None:
                raise InputError(
                    f"{self.label}: rows of different importance are not learned from in a "
                    "stream; read the file and use fit"
                )
            ids = np.arange(start, start + rows)
            yield Piece(chunk.X, self._codes(chunk.y, start), ids)
            start += rows
            entries += chunk.X.nnz if hasattr(chunk.X, "indptr") else chunk.X.size
            del chunk  # before the next one is read
        self.entries = entries
        if self.n not in (None, start):
            raise InputError(f"{self.label} has changed: {self.n:,} rows before, {start:,} now")

    def _codes(self, y: Any, start: int) -> np.ndarray:
        if y is None:
            raise InputError(f"{self.label}: no labels; name the label column")
        if len(self.classes) == 2:
            # Two comparisons are several times faster than a search.
            codes = (y == self.classes[1]).astype(np.intp)
        else:
            codes = np.minimum(np.searchsorted(self.classes, y), len(self.classes) - 1)
        unknown = np.flatnonzero(self.classes[codes] != y)
        if len(unknown):
            at = int(unknown[0])
            raise InputError(
                f"{self.label}: the label {y[at : at + 1].tolist()[0]!r} of row {start + at} is "
                f"not among the classes {self.classes.tolist()}"
            )
        return codes.astype(np.intp, copy=False)

    def points(self, piece: Piece) -> Points:
        """The rows as the engine reads them."""
        y: Any = piece.codes if self.vectors else 2.0 * piece.codes - 1.0
        steps = self.steps(piece.codes)
        return make_points(piece.X, y, fit_intercept=self.fit_intercept, steps=steps)

    def tables(self) -> Iterator[Any]:
        """One pass over the rows alone."""
        for piece in self.pieces():
            yield piece.X

    def measure(self, points: Points, piece: Piece) -> None:
        """Update the radius, and refuse rows too long to square."""
        try:
            self.radius = max(self.radius, check_finite(points))
        except InputError as error:
            raise InputError(f"{self.label}, counted from row {piece.ids[0]} on: {error}") from None

    def gather(self, ids: np.ndarray) -> Piece:
        """Some rows by their sorted numbers, found in a pass that ends with the last of them."""
        found, at = [], 0
        for piece in self.pieces():
            end = int(np.searchsorted(ids, piece.ids[-1], side="right"))
            if end > at:
                found.append(piece.some(ids[at:end] - piece.ids[0]))
            at = end
            if at == len(ids):
                return joined(found)
        raise InputError(f"{self.label}: expected a row {ids[-1]}, but the rows end before it")

    def identity(self) -> dict[str, Any]:
        """Facts that identify the data and how it is read."""
        classes = self.classes.tolist()
        facts = {"rows": self.n, "features": self.d, "classes": classes}
        said = ("chunk_bytes", "settings", "reading")
        read = {name: getattr(self.reader, name, None) for name in said}
        return {"files": self.reader.source.marks(), **read, **facts}


def rows_of(reader: Any, fit_intercept: bool = True) -> FileRows:
    """The rows of a reader or named file, to be read more than once."""
    reader = opened(reader)
    if reader.source.once:
        raise InputError(
            f"{reader.source.label} can be read only once, and this takes several passes; save it "
            "to a file first"
        )
    return FileRows(reader, fit_intercept=fit_intercept)

"""svmlight text (LIBSVM's too), parsed by compiled code."""

from __future__ import annotations

import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import cycle, repeat
from typing import Any

import numpy as np

from rosenblatt.data.readers.base import Chunk, Facts, LabelCounts, Reader
from rosenblatt.data.readers.parsing.blocks import LINE, Entries, Parser, TextBlock, sparse_blocks
from rosenblatt.data.readers.parsing.positions import lines_in_words, lines_of_rows
from rosenblatt.data.readers.sources import Source
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.engine.machine.jit import dispatcher, has_numba
from rosenblatt.errors import InputError
from rosenblatt.text import plural

LARGEST_INDEX = 2**31 - 2


def csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    """A CSR array over arrays known to be right: its entries are neither sorted nor copied."""
    from scipy.sparse import csr_array

    if data.dtype == np.float32 and not np.isfinite(data).all():
        raise InputError("expected numbers within the range of float32, got a larger one")
    narrow = len(data) <= np.iinfo(np.int32).max  # else SciPy widens the indices too
    X = csr_array((data, indices, indptr.astype(np.int32) if narrow else indptr), shape=shape)
    X.has_canonical_format = True
    return X


def _import_sparse() -> None:
    """Have a thread import ``scipy.sparse``, which takes as long as parsing 50 MB.

    Machine code parses meanwhile without Python's lock; who needs the module waits for it. What
    loads machine code is imported first: beside another import it would take twice as long, and
    nothing is parsed without it.
    """
    if "scipy.sparse" not in sys.modules:
        with Uninterrupted():
            has_numba()
        with suppress(RuntimeError):  # there are too many threads
            threading.Thread(target=import_module, args=["scipy.sparse"], daemon=True).start()


class SparseTextReader(Reader):
    """Sparse rows of text: what svmlight and Vowpal Wabbit have in common."""

    def __init__(self, source: Source, chunk_bytes: int, dtype: Any, threads: int | None):
        super().__init__(source, chunk_bytes, dtype)
        self.threads = threads

    @abstractmethod
    def _parser(self) -> Parser: ...

    @abstractmethod
    def _options(self) -> tuple[Any, ...]:
        """What the kernel is told besides the text."""

    @abstractmethod
    def _chunk(self, entries: Entries) -> Chunk:
        """The rows parsed so far."""

    def _parsed(
        self, rooms: Iterator[Entries], in_turn: Callable[[], bool], ahead: bool = False
    ) -> Iterator[Entries]:
        """Parse block after block, each into the next of the rooms.

        Unless they must be parsed ``in_turn``, one is begun before the one before it is finished
        and used: no thread waits for another.
        """
        finish: Callable[[], Entries] | None = None
        with self._parser() as parser:
            for block in self._blocks():
                counted = parser.counted(block)
                if finish is not None and in_turn():
                    yield finish()
                    finish = None
                room = self._ahead() if ahead else 0.0
                begun = parser.start(counted, self._options(), next(rooms), room)
                if finish is not None:
                    yield finish()
                finish = begun
            if finish is not None:
                yield finish()

    def _entries(self) -> Entries:
        """Room for rows."""
        return Entries(self.dtype)

    @property
    def _settled(self) -> bool:
        """Whether a block can be parsed before the previous one is interpreted."""
        return True

    def _blocks(self) -> Iterator[TextBlock]:
        from rosenblatt.data.readers.parsing.digits import PADDING

        for stream in self._streams():
            for block in sparse_blocks(stream, self.chunk_bytes, PADDING):
                self.watch()
                yield block

    def _places(self, rows: np.ndarray) -> list[str]:
        return lines_in_words(self.source.names, self._lines_of, rows)

    def _lines_of(self, name: str) -> Iterator[np.ndarray]:
        with self.source.open(name) as stream:
            yield from lines_of_rows(stream, comments=True)

    def _chunks(self) -> Iterator[Chunk]:
        rooms = iter(self._entries, None)
        for entries in self._parsed(rooms, in_turn=lambda: not self._settled):
            if entries.y.total:
                yield self._chunk(entries)
            del entries  # before there are more

    def read(self) -> Chunk:
        """All rows as one chunk; never holds more than them and one chunk of the file."""
        self._begin()
        _import_sparse()
        entries = self._entries()
        for _ in self._parsed(repeat(entries), in_turn=lambda: True, ahead=True):
            pass
        chunk = self._chunk(entries)
        tally = LabelCounts()
        tally.add(chunk.X.shape[0], chunk.X.shape[1], chunk.y)
        self._finish(tally)
        return chunk


class SvmlightReader(SparseTextReader):
    """Lines of ``label [qid:n] index:value … [# comment]``.

    Indices may start at 0 or 1: without ``zero_based`` a file that uses index 0 is taken to start
    there, as scikit-learn does. A row's indices may come in any order, but none twice.
    """

    format = "svmlight"

    def __init__(
        self,
        source: Source,
        *,
        chunk_bytes: int,
        dtype: Any = np.float64,
        threads: int | None = None,
        zero_based: bool | None = None,
        width: int | None = None,
    ):
        super().__init__(source, chunk_bytes, dtype, threads)
        self._given = None if zero_based is None else 1 - zero_based
        self._width = width
        self._base = self._given
        self._columns = 0

    @property
    def first_index(self) -> int:
        """The index of the first column, 0 or 1, as far as it is known."""
        return 1 if self._base is None else self._base

    def chunks(self, *, grow: bool = False) -> Iterator[Chunk]:
        """One pass over the rows, in file order; call it again for another.

        Parameters
        ----------
        grow : bool
            How many columns there are, and whether their numbers start at 0 or 1, is known only
            at the end of the file, so the first pass is preceded by a scan. With ``grow`` it is
            not: X may get wider from chunk to chunk, and the first chunk decides where the
            numbers start. Standard input is always read so.
        """
        if not grow and not self.source.once:
            self.scan()
        return super().chunks()

    def scan(self) -> Facts:
        """What a full pass finds, from the last pass where there was one."""
        if self.facts is None:
            self._begin()
            tally, most = LabelCounts(), 0
            two = self._entries(), self._entries()
            for entries in self._parsed(map(Entries.cleared, cycle(two)), in_turn=lambda: False):
                tally.add(entries.y.total, 0, entries.y.done())
                most = max(most, entries.nbytes)
            self._learn(min(e.smallest for e in two), max(e.largest for e in two))
            tally.width = self._columns if self._width is None else self._width
            self._finish(tally)
            assert self.facts is not None
            self.facts = self.facts._replace(row_bytes=most / self.chunk_bytes)
        return self.facts

    def _begin(self) -> None:
        super()._begin()
        if self.facts is None:
            self._base, self._columns = self._given, 0

    def _finish(self, tally: LabelCounts) -> None:
        if tally.rows and not tally.width:
            raise InputError(f"{self.source.label}: {tally.rows} labels, but no index:value at all")
        super()._finish(tally)

    def _parser(self) -> Parser:
        from rosenblatt.data.readers.parsing.plain import parse_svmlight, room_of_svmlight
        from rosenblatt.data.readers.parsing.svmlight_kernel import parse, room

        kernels = dispatcher(parse, parse_svmlight), dispatcher(room, room_of_svmlight)
        return Parser(*kernels, self._problems(), self.threads)

    @property
    def _settled(self) -> bool:
        """Whether it is known where the indices start."""
        return self._base is not None

    def _options(self) -> tuple[int, int, int]:
        base = 1 if self._base is None else self._base
        lowest = 0 if self._base is None else self._base
        width = self._known_width()
        return base, lowest, LARGEST_INDEX if width is None else base + width - 1

    def _known_width(self) -> int | None:
        return self.facts.width if self.facts else self._width

    def _learn(self, smallest: int, largest: int) -> int:
        """Where the indices start and how many columns there are; how far to shift them."""
        shift = 0
        if self._base is None and largest >= 0:
            self._base = min(smallest, 1)
            shift = 1 - self._base
        self._columns = max(self._columns, largest + 1 - (self._base or 0))
        if self._width is not None and self._columns > self._width:
            raise InputError(
                f"{self.source.label}: index {largest} in a file that counts from 0, "
                f"but only {self._width} columns were asked for"
            )
        return shift

    def _chunk(self, entries: Entries) -> Chunk:
        shift = self._learn(entries.smallest, entries.largest)
        y, indices = entries.y.done(), entries.indices.done()
        if shift:
            indices += shift
        width = self._known_width()
        shape = (entries.y.total, self._columns if width is None else width)
        return Chunk(csr(entries.data.done(), indices, entries.indptr.done(), shape), y, {})

    def _problems(self) -> dict[int, str]:
        from rosenblatt.data.readers.parsing import svmlight_kernel as kernel

        width = self._known_width()
        high = LARGEST_INDEX if width is None else width - (self._base == 0)
        start = "" if self._base is None else f"from {self._base} "
        why = "as so far (zero_based=True has them start at 0)"
        if self._given is not None:
            why = "as zero_based=False says"
        return {
            kernel.NO_LABEL: "a number as label",
            kernel.NO_NUMBER: "a number after 'index:'",
            kernel.TOO_LARGE: "a number within the range of a double",
            kernel.NO_INDEX: "index:value",
            kernel.NO_COLON: "index:value",
            kernel.TOO_LOW: f"indices from 1 on, {why}",
            kernel.TOO_HIGH: f"indices {start}up to {high}",
            kernel.REPEATED: f"each index at most once {LINE}",
        }

    def _words(self) -> list[str]:
        words = [self._label_words("label: first number of each line")]
        if self.facts:
            start = "0" if self._base == 0 else "1"
            words.append(
                f"{plural(self.facts.rows, 'sparse row')} of {plural(self.facts.width, 'column')}"
            )
            words.append(f"indices start at {start}")
        return words

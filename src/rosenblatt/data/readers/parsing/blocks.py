"""Sparse text, read in blocks and parsed on all cores.

A block of a file is cut on a line end, then into pieces; each piece is parsed by a compiled kernel
into its own room of the same arrays. So the result depends neither on the blocks nor on the
threads. While a block is parsed the next one is read and begun, and whoever asks for the rows of
the first parses what no other thread has begun.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from mmap import mmap
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.readers.base import Growing
from rosenblatt.data.readers.sources import Stream
from rosenblatt.engine.machine.threads import cores, handed_out
from rosenblatt.errors import InputError

SMALLEST_PIECE = 1 << 18  # bytes of the smallest piece
ROW_BYTES = 80  # of a row's label, ends, number, code, sign, step, place in the order, dual form
DIGITS = 20  # numbers that are left to ``float`` have at least so many
HARD_BYTES = 3 * 8  # of the record of such a number
NEWLINE = b"\n"
BOM = b"\xef\xbb\xbf"  # the byte order mark that Windows puts before UTF-8
LINE = "in a line"  # errors whose message ends so quote the whole line, not one word


class TextBlock(NamedTuple):
    """Whole lines of a file: the bytes, how many, and whether the file starts here."""

    name: str
    buffer: bytearray
    used: int
    first: bool

    @property
    def text(self) -> np.ndarray:
        """The bytes as the kernels read them, with padding after the last."""
        return np.frombuffer(self.buffer, np.uint8)


class Counted(NamedTuple):
    """A block cut into pieces, bounds on the entries and rows of each, and the lines before it."""

    block: TextBlock
    pieces: list[tuple[int, int]]
    bounds: list[tuple[int, int]]
    lines: int


class Entries:
    """CSR arrays in the making: labels, where rows start, columns and values; and row weights."""

    def __init__(self, dtype: Any, weighted: bool = False):
        self.y, self.indptr = Growing(np.float64), Growing(np.int64)
        self.indices, self.data = Growing(np.int32), Growing(dtype)
        self.weights, self.weighted = Growing(np.float64), weighted
        self.smallest, self.largest, self.in_order = 2**31, -1, True
        self.indptr.append(np.zeros(1, np.int64))

    @property
    def nbytes(self) -> int:
        """The memory that the rows take, and what is made of each to learn from it."""
        parts = (self.indices, self.data)
        return ROW_BYTES * self.y.total + sum(part.total * part.dtype.itemsize for part in parts)

    def cleared(self) -> Entries:
        """Forget the rows, keep the memory for the next ones, and return self."""
        for part in (self.y, self.indptr, self.indices, self.data, self.weights):
            part.clear()
        self.indptr.append(np.zeros(1, np.int64))
        return self


def last_line_end(buffer: bytearray, used: int) -> int:
    """Where the last whole line ends; 0 if there is none."""
    return buffer.rfind(NEWLINE, 0, used) + 1


def read_blocks(
    stream: Stream,
    size: int,
    padding: int = 1,
    last_end: Callable[[bytearray, int], int] = last_line_end,
) -> Iterator[TextBlock]:
    """Cut a stream into blocks of about ``size`` bytes that end with a record.

    Two buffers take turns, so a block is good until the one after the next is asked for.
    """
    if stream.length is not None:
        size = min(size, stream.length + 1)
    spare, buffer = bytearray(), bytearray()
    first, tail, over = True, b"", False
    while not over:
        spare, buffer = buffer, spare
        if len(buffer) < max(size, 2 * len(tail)) + padding:
            buffer = bytearray(max(size, 4 * len(tail)) + padding)
        used, end, over = len(tail), 0, False
        buffer[:used] = tail
        while not (end or over):
            if used == len(buffer) - padding:
                buffer = buffer + bytes(len(buffer))
            used, over = _fill(stream, buffer, used, padding)
            end = used if over else last_end(buffer, used)
        tail = bytes(memoryview(buffer)[end:used])
        if end:
            yield TextBlock(stream.name, buffer, end, first)
            first = False


def sparse_blocks(stream: Stream, size: int, padding: int = 1) -> Iterator[TextBlock]:
    """The same of sparse text, where blanks before a line mean nothing: a mark becomes some."""
    for block in read_blocks(stream, size, padding):
        if block.first and block.buffer.startswith(BOM):
            block.buffer[: len(BOM)] = b" " * len(BOM)
        yield block


def _fill(stream: Stream, buffer: bytearray, used: int, padding: int) -> tuple[int, bool]:
    """Fill a buffer: bytes in it, and whether the data is over, then ended by a newline."""
    room = len(buffer) - padding
    with memoryview(buffer) as view:
        used += stream.fill(view[used:room])
    over = used < room
    if over and used and buffer[used - 1] != NEWLINE[0]:
        buffer[used] = NEWLINE[0]
        used += 1
    return used, over


class Pending:
    """The pieces of a block that are not parsed yet.

    Attributes
    ----------
    over : Event
        Set once all pieces are parsed.
    error : Exception or None
        The error of one of them.
    """

    def __init__(self, pieces: int):
        self.over = Event()
        self.error: Exception | None = None
        self._left = [None] * pieces

    def one_done(self) -> None:
        """Count one piece as parsed."""
        self._left.pop()  # atomic, unlike a subtraction
        if not self._left:
            self.over.set()

    def wait(self) -> None:
        """Wait until all pieces are parsed; raise the error of one, if any."""
        self.over.wait()
        if self.error is not None:
            raise self.error


class Parser:
    """Parses blocks with one kernel on some threads.

    Parameters
    ----------
    parse : callable
        ``parse(text, start, stop, *options, rows)``, most often a kernel.
    room : callable
        ``room(text, start, stop)``: a bound on the entries of a piece, and its lines.
    problems : dict of int to str
        What was expected, for each error of the kernel.
    threads : int or None
        Threads; all cores if None.
    """

    def __init__(
        self,
        parse: Callable[..., None],
        room: Callable[..., Any],
        problems: dict[int, str],
        threads: int | None = None,
    ):
        self._parse, self._room, self._problems = parse, room, problems
        self.threads = threads or cores()
        self._helpers = max(1, self.threads - 1)

    def __enter__(self) -> Parser:
        self._pool = ThreadPoolExecutor(self._helpers)
        self._lines = 0
        # The pieces that no thread has begun, of all blocks, in the order of the file.
        self._left: deque[tuple[Pending, tuple[Any, ...]]] = deque()
        # Of the block begun last, and of the one before it, which may not be finished.
        self._hard = deque([np.empty((0, 3), np.int64)] * 2, 2)
        return self

    def __exit__(self, *error: object) -> None:
        self._left.clear()
        self._pool.shutdown()

    def counted(self, block: TextBlock) -> Counted:
        """The next block, ready to be started; other threads parse the one before it meanwhile."""
        pieces = _pieces(block, self.threads)
        bounds = [tuple(map(int, self._room(block.text, *piece))) for piece in pieces]
        lines = 0 if block.first else self._lines
        self._lines = lines + sum(b[1] for b in bounds)
        return Counted(block, pieces, bounds, lines)  # type: ignore[arg-type]

    def start(
        self, counted: Counted, options: tuple[Any, ...], into: Entries, ahead: float
    ) -> Callable[[], Entries]:
        """Start parsing a block; the function returned waits, and returns ``into`` with its rows.

        One other block may be begun and not finished.
        """
        block, pieces, bounds, lines = counted
        text = block.text
        rooms = _rooms(bounds, self._hard_rooms(pieces), into, ahead)
        pending = Pending(len(pieces))
        for piece, rows in zip(pieces, rooms, strict=True):
            self._left.append((pending, (text, *piece, *options, rows)))
        handed_out(self._parse_all, min(len(pieces), self._helpers), lambda: self._pool)

        def finish() -> Entries:
            # Rather than wait for another thread's last piece, one of the next block is parsed.
            while not pending.over.is_set() and self._parse_next():
                pass
            pending.wait()
            for rows in rooms:
                self._check(block, rows, lines)
            _close_up(rooms, into)
            return into

        return finish

    def _hard_rooms(self, pieces: list[tuple[int, int]]) -> list[np.ndarray]:
        """Room for the numbers left to ``float`` of each piece, the same for every second block."""
        rooms = []
        for at, (start, stop) in enumerate(pieces):
            # Such a number has at least 20 digits.
            rooms.append(slice(start // DIGITS + at, stop // DIGITS + at + 1))
        hard = self._hard.popleft()
        if rooms[-1].stop > len(hard):
            # Pages of its own, which take memory once they are written to; those of ``np.empty``
            # may have been written to before.
            pages = mmap(-1, rooms[-1].stop * HARD_BYTES)
            hard = np.frombuffer(pages, np.int64).reshape(-1, 3)
        self._hard.append(hard)
        return [hard[room] for room in rooms]

    def _parse_next(self) -> bool:
        """Parse the next piece that no thread has begun; whether there was one."""
        try:
            pending, given = self._left.popleft()
        except IndexError:
            return False
        try:
            with np.errstate(over="ignore"):  # kernels wrap around; uncompiled, NumPy would warn
                self._parse(*given)
        except Exception as error:
            pending.error = error
        pending.one_done()
        return True

    def _parse_all(self) -> None:
        while self._parse_next():
            pass

    def _check(self, block: TextBlock, rows: Any, lines: int) -> None:
        """Finish the numbers left to ``float``; refuse what the kernel could not read."""
        for entry, start, stop in rows.hard[: rows.info[2]]:
            value = float(block.buffer[start:stop])
            if not np.isfinite(value):
                raise _error(block, lines, start, "a number within the range of a double")
            target = rows.data if entry >= 0 else rows.y
            target[entry if entry >= 0 else -1 - entry] *= value
        if rows.info[5]:
            expected = self._problems[int(rows.info[5])]
            raise _error(block, lines, rows.info[6], expected)


def _error(block: TextBlock, lines: int, at: int, expected: str) -> InputError:
    text = block.buffer
    line = lines + text.count(NEWLINE, 0, at) + 1
    rest = text[at : text.index(NEWLINE, at)]
    if not expected.endswith(LINE):
        rest = b"" if rest[:1].isspace() else b"".join(rest.split(None, 1)[:1])
    found = rest.strip()
    came = repr(shorten(found.decode("utf-8", "replace"))) if found else "nothing"
    return InputError(f"{block.name}, line {line}: expected {expected}, got {came}")


def shorten(text: str, limit: int = 40) -> str:
    """At most ``limit`` characters of a text, for messages."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _pieces(block: TextBlock, threads: int) -> list[tuple[int, int]]:
    """Cut a block into pieces on line ends, the later the smaller.

    Guided self-scheduling (Polychronopoulos and Kuck 1987): a share of what is left for each
    thread, so that there are few pieces and all threads end at about the same time.
    """
    ends = [0]
    while ends[-1] < block.used:
        left = block.used - ends[-1]
        share = max(left // (2 * threads), SMALLEST_PIECE) if threads > 1 else left
        ends.append(block.buffer.find(NEWLINE, ends[-1] + min(share, left) - 1, block.used) + 1)
    return list(pairwise(ends))


def _rooms(bounds: list, hard: list, into: Entries, ahead: float) -> list[Any]:
    """Room for each piece, one after the other in the same arrays."""
    from rosenblatt.data.readers.parsing.svmlight_kernel import ParsedRows

    entries, rows = (list(accumulate((b[at] for b in bounds), initial=0)) for at in (0, 1))
    y, ends = (part.reserve(rows[-1], ahead) for part in (into.y, into.indptr))
    weights = into.weights.reserve(rows[-1] if into.weighted else 0, ahead)
    indices, data = (part.reserve(entries[-1], ahead) for part in (into.indices, into.data))
    rooms = []
    for i, own in enumerate(hard):
        row, entry = slice(rows[i], rows[i + 1]), slice(entries[i], entries[i + 1])
        info = np.zeros(8, np.int64)
        parts = y[row], ends[row], indices[entry], data[entry]
        rooms.append(ParsedRows(*parts, own, weights[row], info))
    return rooms


def _close_up(rooms: list[Any], into: Entries) -> None:
    """Close the gaps after pieces that needed less than their room, and count the rows."""
    fewer_rows = fewer_entries = False
    for rows in rooms:
        n, k = int(rows.info[0]), int(rows.info[1])
        into.in_order &= not rows.info[7]
        rows.ends[:n] += into.data.total
        for part, values in ((into.y, rows.y), (into.indptr, rows.ends)):
            _settle(part, values[:n], fewer_rows)
        if into.weighted:
            _settle(into.weights, rows.weights[:n], fewer_rows)
        for part, values in ((into.indices, rows.indices), (into.data, rows.data)):
            _settle(part, values[:k], fewer_entries)
        fewer_rows |= n < len(rows.y)
        fewer_entries |= k < len(rows.data)
        if k:
            into.smallest = min(into.smallest, int(rows.info[3]))
            into.largest = max(into.largest, int(rows.info[4]))


def _settle(part: Growing, values: np.ndarray, gap: bool) -> None:
    """Count values as used that lie in a part's room, moved down over the gap before them."""
    if gap:
        part.reserve(len(values))[:] = values
    part.keep(len(values))

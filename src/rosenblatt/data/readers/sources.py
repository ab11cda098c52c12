"""Where bytes come from: files, globs, standard input; compressed or not.

Decompression is found by content and streamed.
"""

from __future__ import annotations

import glob
import io
import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.errors import InputError, nearest

HEAD = 1 << 18  # bytes at a file's start that say what it is; more where they hold few lines
LINES = 8

_MAGIC = {
    **{b"\x1f\x8b": "gzip", b"BZh": "bzip2"},
    **{b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"},
}
_DAMAGE = (EOFError, zlib.error, OSError)


class Stream(io.RawIOBase):
    """The bytes of one file, decompressed; damage becomes an `InputError` that names the file.

    Of the first ``skip`` lines only their ends are left: to readers they are empty.
    """

    def __init__(self, name: str, file: Any, skip: int = 0):
        self.name, self._skip = name, skip
        self._file = file
        start = file.peek(6)[:6]
        self.compression = next((k for m, k in _MAGIC.items() if start.startswith(m)), None)
        self._bytes, self._damage = _decompressed(file, self.compression)

    def readable(self) -> bool:
        """True, as io wants to know."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes, at most as many as the buffer has room for; 0 at the end."""
        while n := self._read(buffer):
            if not self._skip:
                return n
            *skipped, rest = bytes(buffer[:n]).split(b"\n", self._skip)
            self._skip -= len(skipped)
            left = b"\n" * len(skipped) + (b"" if self._skip else rest)
            if left:
                buffer[: len(left)] = left
                return len(left)
        return 0

    def _read(self, buffer: Any) -> int:
        try:
            if self.compression != "zstd":
                return self._bytes.readinto(buffer)
            part = self._bytes.read(len(buffer))
            buffer[: len(part)] = part
            return len(part)
        except self._damage as error:
            if self.compression is None:
                raise InputError(f"{self.name}: cannot be read ({error})") from error
            raise InputError(
                f"{self.name}: the {self.compression} data is damaged or cut short ({error})"
            ) from error

    def fill(self, view: memoryview) -> int:
        """Read until the view is full or the data ends."""
        done = 0
        while done < len(view):
            n = self.readinto(view[done:])
            if n == 0:
                break
            done += n
        return done

    @property
    def length(self) -> int | None:
        """Bytes in all, where that is known: in a plain file."""
        if self.compression is not None or self._file is sys.stdin.buffer:
            return None
        try:
            return os.fstat(self._file.fileno()).st_size or None
        except (OSError, ValueError):
            return None

    @property
    def position(self) -> int:
        """Bytes of the file taken so far, as they lie on the disk."""
        try:
            return self._file.tell()
        except (OSError, ValueError):
            return 0

    def close(self) -> None:
        """Close the file, unless it is standard input."""
        if not self.closed and self._file is not sys.stdin.buffer:
            self._file.close()
        super().close()


def _decompressed(file: Any, compression: str | None) -> tuple[Any, tuple[type[Exception], ...]]:
    """The bytes, and the errors of damaged ones."""
    if compression == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=file, mode="rb"), _DAMAGE
    if compression == "bzip2":
        import bz2

        return bz2.BZ2File(file), _DAMAGE
    if compression == "xz":
        import lzma

        return lzma.LZMAFile(file), (*_DAMAGE, lzma.LZMAError)
    if compression == "zstd":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"), _DAMAGE
    return file, _DAMAGE


class _Prefixed(io.RawIOBase):
    """A stream with some bytes put back in front: what the sniffing of a pipe has taken."""

    def __init__(self, head: bytes, rest: Any):
        self._head, self._rest = memoryview(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head:
            return self._rest.readinto(buffer)
        n = min(len(buffer), len(self._head))
        buffer[:n], self._head = self._head[:n], self._head[n:]
        return n


class Head(NamedTuple):
    """The start of a file: its bytes, and whether they are all of it."""

    bytes: bytes
    whole: bool


class Source:
    """One or more files read one after the other, or standard input.

    Parameters
    ----------
    source : str, path, or sequence of them
        ``-`` is standard input; ``*``, ``?`` and ``[`` make a glob unless a file has that name.
    skip_lines : int
        Lines at the start of each file that are read as empty ones.

    Attributes
    ----------
    names : list of str
        The files, as messages name them.
    once : bool
        Whether the bytes can be read only once: standard input, or a pipe.

    Examples
    --------
    >>> Source("no/such/file.csv")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: no/such/file.csv: no such file
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        skip_lines: int = 0,
    ):
        self.skip_lines = skip_lines
        parts = [source] if isinstance(source, str | os.PathLike) else list(source)
        self.names = [name for part in parts for name in _expand(os.fspath(part))]
        if not self.names:
            raise InputError("no file was given")
        self.once = any(name == "-" or not os.path.isfile(name) for name in self.names)
        if self.once and len(self.names) > 1:
            raise InputError("standard input or a pipe cannot be read together with files")
        self.label = "standard input" if self.names == ["-"] else ", ".join(map(str, parts))
        self.size = None if self.once else sum(os.path.getsize(name) for name in self.names)
        self._pipe: Stream | None = None
        self._head: Head | None = None

    @property
    def head(self) -> Head:
        """The start of the first file, decompressed."""
        if self._head is None:
            self._head = _head(self._open_pipe()) if self.once else self.head_of(self.names[0])
        return self._head

    def head_of(self, name: str) -> Head:
        """The start of one of the files, decompressed."""
        with self.open(name) as stream:
            return _head(stream)

    def open(self, name: str) -> Stream | Any:
        """The bytes of one of the files."""
        if not self.once:
            return Stream(name, _open_file(name), self.skip_lines)
        if self._head is None:
            return self._open_pipe()
        prefixed = io.BufferedReader(_Prefixed(self._head.bytes, self._open_pipe()), 1 << 16)
        return Stream(self.label, prefixed)

    def marks(self) -> list[Any]:
        """What identifies the files to a later process: their names, sizes and times."""
        found = [(name, os.stat(name)) for name in self.names]
        return [[os.path.basename(name), it.st_size, it.st_mtime_ns] for name, it in found]

    def seekable(self, name: str) -> Any:
        """One of the files for formats that jump about; held in memory unless a plain file."""
        stream = self.open(name)
        if self.once:
            return io.BytesIO(stream.readall())
        with stream:
            return io.BytesIO(stream.readall()) if stream.compression else _open_file(name)

    def _open_pipe(self) -> Stream:
        if self._pipe is None:
            file = sys.stdin.buffer if self.names == ["-"] else _open_file(self.names[0])
            self._pipe = Stream(self.label, file, self.skip_lines)
        return self._pipe


def _head(stream: Stream) -> Head:
    """The start of a stream: some bytes, and of text also some lines, however long."""
    found, more = b"", HEAD
    while more:
        part = bytearray(more)
        with memoryview(part) as view:
            done = stream.fill(view)
        found += part[:done]
        if done < more:
            return Head(found, True)
        lines = max(found.count(b"\n"), found.count(b"\r"))
        more = 0 if lines >= LINES or b"\0" in found[:HEAD] else len(found)
    return Head(found, False)


def _open_file(name: str) -> Any:
    try:
        return open(name, "rb")
    except OSError as error:
        raise InputError(f"{name}: cannot be opened ({error.strerror})") from error


def _expand(name: str) -> list[str]:
    """The files a name stands for."""
    path = Path(name)
    if name == "-" or path.is_file():
        return [name]
    if path.is_dir():
        raise InputError(f"{name}: is a folder; name its files, for example '{name}/*'")
    if glob.has_magic(name):
        found = sorted(f for f in glob.glob(name, recursive=True) if os.path.isfile(f))
        if not found:
            raise InputError(f"{name}: no file matches")
        return found
    if path.exists():
        return [name]
    siblings = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise InputError(f"{name}: no such file{nearest(path.name, siblings)}")

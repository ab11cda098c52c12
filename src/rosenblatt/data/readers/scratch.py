"""A scratch file: what one pass over a file has made of it, to be read back instead of parsed."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

# Share of the room left on the disk that a scratch file may take.
SHARE = 0.5


class Scratch:
    """A sequence on the disk, in a file that is gone when the process ends.

    It has no name (on Windows, none once it is closed), so nothing remains of it, whatever happens.
    It lies in the folder that ``TMPDIR`` names, by default in /var/tmp: /tmp is often in memory.

    Attributes
    ----------
    full : bool
        Whether the disk had no room for an item; then nothing is kept.

    Examples
    --------
    >>> scratch = Scratch()
    >>> for item in ("one", 2):
    ...     scratch.append(item)
    >>> list(scratch), list(scratch)
    (['one', 2], ['one', 2])
    >>> scratch.close()
    """

    def __init__(self) -> None:
        self._file: Any = None
        self._end = 0
        with suppress(OSError):
            folder = _folder()
            self._room = SHARE * shutil.disk_usage(folder).free
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - open until `close`
        self.full = self._file is None

    def append(self, item: Any) -> None:
        """Add an item at the end; its arrays are written as they are, without a copy in memory."""
        if self.full:
            return
        buffers: list[memoryview] = []
        head = pickle.dumps(item, 5, buffer_callback=lambda found: buffers.append(found.raw()))
        try:
            pickle.dump((head, [part.nbytes for part in buffers]), self._file)
            for part in buffers:
                self._file.write(part)
            self._file.flush()
            self._end = self._file.tell()
            self.full = self._end > self._room
        except OSError:  # no space left, or none allowed to this user
            self.full = True
        if self.full:
            self.close()
            self._end = 0

    def __iter__(self) -> Iterator[Any]:
        """The items in turn, once all are in."""
        at = 0
        while at < self._end:
            self._file.seek(at)  # another reader may have moved the position
            head, sizes = pickle.load(self._file)
            buffers = [bytearray(size) for size in sizes]
            for buffer in buffers:
                self._file.readinto(buffer)
            at = self._file.tell()
            yield pickle.loads(head, buffers=buffers)
            del buffers  # before there are more

    def close(self) -> None:
        """Free the disk space; dropping the last reference does so, too."""
        if self._file is not None:
            with suppress(OSError):  # closing writes what is left, which may not fit
                self._file.close()

    __del__ = close


def _folder() -> str:
    """The folder for large temporary files."""
    chosen = "TMPDIR" in os.environ or not os.access("/var/tmp", os.W_OK)
    return tempfile.gettempdir() if chosen else "/var/tmp"

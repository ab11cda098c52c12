"""Files that are complete or not touched at all. Imports ``errors``."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rosenblatt.errors import InputError


@contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary name in the folder of the target, which takes its place if all goes well.

    The file is on the disk before it gets its name, so whoever opens the target finds the old
    content or the new, also after a crash or beside another writer; on failure nothing is left
    behind. A link is followed, and a device or a pipe is written to as it is.

    Parameters
    ----------
    target : str or path

    Yields
    ------
    Path
        An empty file of the same ending, to be written by name.

    Raises
    ------
    InputError
        The target cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/answer.txt") as temporary:
    ...         _ = temporary.write_text("42")
    ...     Path(folder, "answer.txt").read_text(), os.listdir(folder)
    ('42', ['answer.txt'])
    """
    if "\0" in os.fspath(target):
        raise InputError(f"{target!r}: no file can have that name")
    try:
        path = Path(os.path.realpath(target))
        if path.is_dir():
            raise InputError(f"{target}: is a folder; name a file in it")
        if path.exists() and not path.is_file():
            yield path
            return
        temporary = path.with_name(f".{path.stem[:20]}.{secrets.token_hex(6)}{path.suffix}")
        # Created as any file would be: the umask and nobody else decides who may read it.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            yield temporary
            _to_disk(temporary)
            os.replace(temporary, path)
            with suppress(OSError):  # not every system lets a folder be opened
                _to_disk(path.parent)
        finally:
            with suppress(OSError):
                temporary.unlink()
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from error


def write(target: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a whole file, text as UTF-8; raises as `replacing` does.

    Examples
    --------
    >>> write("no/such/folder/file", b"")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: no/such/folder/file: cannot be written (No such file or directory)
    """
    with replacing(target) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

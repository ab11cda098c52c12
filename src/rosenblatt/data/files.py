"""Files that are complete or not touched at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rosenblatt.errors import InputError


def check_target(target: str | os.PathLike[str]) -> Path:
    """The file that a target stands for, links followed, if it looks as if it could be written.

    Asked before long work, so that none of it is done in vain.

    Examples
    --------
    >>> check_target("no/such/folder/file")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: ...cannot be written (there is no folder no/such/folder)
    """
    if "\0" in os.fspath(target):
        raise InputError(f"{target!r}: no file can have that name")
    path = Path(os.path.realpath(target))
    if path.is_dir():
        raise InputError(f"{target}: is a folder; name a file in it")
    if os.fspath(target).endswith(("/", os.sep)):
        raise InputError(f"{target}: names a folder, which is not there; name a file")
    if not path.parent.is_dir():
        named = path.parent if os.path.islink(target) else Path(target).parent
        raise InputError(f"{target}: cannot be written (there is no folder {named})")
    # A device or a pipe is written to as it is, a file is replaced by a new one in its folder.
    place = path if path.exists() and not path.is_file() else path.parent
    if not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise InputError(f"{target}: cannot be written (Permission denied)")
    return path


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
    path = check_target(target)
    try:
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
    rosenblatt.errors.InputError: ...cannot be written (there is no folder no/such/folder)
    """
    with replacing(target) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

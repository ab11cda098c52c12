"""Where machine code is cached: a folder that no other user may write to, named by its sources."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import warnings
from pathlib import Path

from rosenblatt.errors import users_line

PACKAGE = __name__.partition(".")[0]
UNCACHED = (
    "{0}, so machine code is compiled anew in each process; set NUMBA_CACHE_DIR to a folder that "
    "only you can write to"
)
NOWHERE = "no folder for numba's cache can be written"


def folder_for(digest: str) -> Path | None:
    """The folder for code made from sources of this digest; None, with a warning, if there is none.

    numba looks for changes in one file alone, so the name of the folder covers the sources, these
    modules, and the versions of numba, NumPy and Python.
    """
    root = _root()
    if root is None:
        return None
    folder = root / hashlib.sha256(f"{digest} {_compiler()}".encode()).hexdigest()[:24]
    try:
        make_own(folder)
    except OSError as error:
        warn_of(folder, error)
        return None
    return folder


def emptied(folder: Path) -> Path | None:
    """The folder without what is in it, such as damaged files; None if that cannot be removed."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        return None
    return folder


@functools.cache
def _root() -> Path | None:
    """NUMBA_CACHE_DIR or the user's folder for caches, if it is safe and can be written.

    Links are followed once and for all, before anything is looked at.
    """
    root = told_or_usual()
    if root is None:
        _warn(NOWHERE)
        return None
    try:
        root = root.resolve()
        make_own(root)
        tempfile.TemporaryFile(dir=root).close()
    except (OSError, RuntimeError):  # RuntimeError: links in a circle
        _warn(NOWHERE)
        return None
    others = open_to_others(root)
    if others is not None:
        _warn(f"other users may write to {others}, from where no code is loaded")
        return None
    return root


def make_own(folder: Path) -> None:
    """Make the folder, and what is missing above it, for this user alone, whatever the umask is.

    Nobody else reaches what numba puts into it.
    """
    for place in (*reversed(folder.parents), folder):
        if not place.is_dir():
            place.mkdir(mode=0o700, exist_ok=True)


def told_or_usual() -> Path | None:
    """NUMBA_CACHE_DIR or the user's folder for caches, and in it one of this package's."""
    told = os.environ.get("NUMBA_CACHE_DIR")
    told = told or os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    usual = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    path = told or os.path.expanduser(usual)
    return None if path.startswith("~") else Path(path, PACKAGE).absolute()  # "~": nobody's home


def open_to_others(folder: Path) -> Path | None:
    """The folder, or the one above it, that another user may write to; None if there is none.

    Where the sticky bit is set, as in /tmp, others may add files, but not replace a folder of mine.
    """
    if not hasattr(os, "geteuid"):  # Windows keeps profiles apart
        return None
    for place in (folder, *folder.parents):
        about = place.stat()
        if about.st_uid not in (os.geteuid(), 0):
            return place
        writable = about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if writable and (place == folder or not about.st_mode & stat.S_ISVTX):
            return place
    return None


def warn_of(folder: Path, error: OSError) -> None:
    """Warn that the system refuses to read or write a folder that `folder_for` has named."""
    _warn(f"machine code cannot be cached in {folder.parent} ({error.strerror})")


@functools.cache
def _warn(what: str) -> None:
    warnings.warn(UNCACHED.format(what), RuntimeWarning, stacklevel=users_line())


@functools.cache
def _compiler() -> str:
    """Digest of the modules here, and the versions of what compiles."""
    import numba
    import numpy

    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    versions = numba.__version__, numpy.__version__, platform.python_version()
    return " ".join((digest.hexdigest(), *versions, str(sys.implementation.cache_tag)))

"""Machine code on disk, found and loaded without numba.

A file holds the code of one function, for arguments of some kinds and one kind of processor. It
names the sources that it was made of in two ways: by a stamp of all files of the package, which is
quick to take, and by the fingerprint of what was compiled, which needs numba and does not change
with edits elsewhere.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from rosenblatt.engine.machine.native import ENTRY, Code, Native, target

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parents[2]
DIGEST = 32


def find(function: Callable[..., Any], kinds: Any, fingerprint: str | None = None) -> Native | None:
    """The stored code of a function for arguments of these kinds; None if there is none.

    Parameters
    ----------
    function : callable
    kinds : tuple
        As `native.kind` tells.
    fingerprint : str, optional
        Of the sources. Without it, only code of the package is found, made from the files as they
        are now.
    """
    name = name_of(function, kinds)
    for folder in folders():
        header, code = _read(folder / name)
        if header is None or header.get("name") != name:  # a renamed file of another function
            continue
        fresh = header["stamp"] == stamp()
        if fingerprint is None and fresh and _is_own(function, kinds):
            return load(code, kinds)
        if fingerprint is not None and header["fingerprint"] == fingerprint:
            if not fresh:
                with suppress(OSError):
                    keep(function, kinds, code, fingerprint)
            return load(code, kinds)
    return None


def keep(function: Callable[..., Any], kinds: Any, code: Code, fingerprint: str) -> None:
    """Write the code where `find` will look; raises OSError where that is impossible."""
    name = name_of(function, kinds)
    header = {"name": name, "stamp": stamp(), "fingerprint": fingerprint, **code._asdict()}
    del header["object"]
    content = sealed(json.dumps(header).encode() + b"\n" + code.object)
    folder = next(folders())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    draft = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def sealed(content: bytes) -> bytes:
    """The content with its digest in front, so that LLVM is never given a damaged file."""
    return hashlib.sha256(content).digest() + content


def load(code: Code, kinds: Any) -> Native:
    """The code, ready to be called."""
    if not code.made:
        return Native(code, kinds)
    module, _, name = code.made.rpartition(".")
    of = getattr(importlib.import_module(module), name)
    return Native(code, kinds, getattr(of, "_make", of))


def folders() -> Iterator[Path]:
    """Folders for code, as with numba: NUMBA_CACHE_DIR, the package's, or the user's cache."""
    told = os.environ.get("NUMBA_CACHE_DIR")
    if told:
        yield Path(told, PACKAGE)
        return
    beside = ROOT / "__pycache__"
    if os.access(beside if beside.exists() else ROOT, os.W_OK):
        yield beside
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    home = home or os.path.expanduser("~/.cache")
    if not home.startswith("~"):  # else the user has no home folder
        yield Path(home, PACKAGE)
    yield beside  # of an installation that is read-only for this user


def name_of(function: Callable[..., Any], kinds: Any) -> str:
    """Name of the file."""
    key = repr((processor(), ENTRY, _text(kinds))).encode()
    digest = hashlib.sha256(key).hexdigest()[:24]
    return f"{function.__module__}.{function.__qualname__}.{digest}.code"


@functools.cache
def processor() -> tuple[str, ...]:
    """Processor, compiler version and numba settings that code depends on."""
    target()
    features = llvm.get_host_cpu_features().flatten()
    told = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith("NUMBA_CPU")]
    told += [f"AVX={os.environ.get('NUMBA_ENABLE_AVX')}", f"OPT={os.environ.get('NUMBA_OPT')}"]
    about = llvm.get_process_triple(), llvm.get_host_cpu_name(), features
    return *about, llvmlite.__version__, sys.implementation.cache_tag, *told


@functools.cache
def stamp() -> str:
    """Digest of all files of the package; random if the package has no files."""
    if not ROOT.is_dir():
        return secrets.token_hex()
    digest = hashlib.sha256()
    for path, about in sorted(_files(str(ROOT))):
        digest.update(f"{path[len(str(ROOT)) :]} {about.st_mtime_ns} {about.st_size}\n".encode())
    return digest.hexdigest()


def _files(folder: str) -> Iterator[tuple[str, Any]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name not in ("__pycache__", "static"):
                yield from _files(entry.path)
            elif entry.name.endswith((".py", ".pyc")):
                yield entry.path, entry.stat()


def _is_own(function: Callable[..., Any], kinds: Any) -> bool:
    """Whether the function and all classes are the package's, which the stamp covers."""
    return _of_package(function) and all(map(_of_package, _classes(kinds)))


def _of_package(value: Any) -> bool:
    return value.__module__.partition(".")[0] in (PACKAGE, "builtins", "numpy")


def _classes(kinds: Any) -> Iterator[type]:
    for item in kinds:
        if isinstance(item, type):
            yield item
        elif isinstance(item, tuple):
            yield from _classes(item)


def _text(kinds: Any) -> Any:
    """The kinds by the names of their classes."""
    if isinstance(kinds, type):
        return f"{kinds.__module__}.{kinds.__qualname__}"
    return tuple(map(_text, kinds)) if isinstance(kinds, tuple) else str(kinds)


def _read(path: Path) -> tuple[Any, Any]:
    """Header and code of a file; None and None if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None, None
    if sealed(content[DIGEST:]) != content:
        return None, None
    line, _, code = content[DIGEST:].partition(b"\n")
    header = json.loads(line)
    return header, Code(header["returns"], header["made"], code)

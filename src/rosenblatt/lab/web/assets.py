"""The files of the page, held in memory: a client names a key of a table, never a path."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, NamedTuple

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
}


class Asset(NamedTuple):
    """One file: what it holds, the same compressed, what it is, and a name for this content."""

    content: bytes
    compressed: bytes
    kind: str
    tag: str


def assets() -> dict[str, Asset]:
    """Every file of the page by its path below ``static``, such as ``js/mount.js``."""
    return {
        path: _asset(path, content) for path, content in _walk(files("rosenblatt.lab") / "static")
    }


def _walk(folder: Any, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = prefix + entry.name
        if entry.is_dir():
            yield from _walk(entry, f"{path}/")
        elif path.rpartition(".")[2] in TYPES:
            yield path, entry.read_bytes()


def _asset(path: str, content: bytes) -> Asset:
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    return Asset(content, gzip.compress(content, 9, mtime=0), TYPES[path.rpartition(".")[2]], tag)

"""The files of which the page is made."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

KINDS = ("css", "js", "svg")


@cache
def assets() -> dict[str, str]:
    """The text of every file by its path below ``static``, such as ``js/mount.js``."""
    return dict(_walk(files("rosenblatt.lab") / "static"))


def _walk(folder: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = prefix + entry.name
        if entry.is_dir():
            yield from _walk(entry, f"{path}/")
        elif path.rpartition(".")[2] in KINDS:
            yield path, entry.read_text("utf-8")

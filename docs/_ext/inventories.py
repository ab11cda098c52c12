"""What intersphinx knows of other projects, from text files kept beside the pages.

A file ``numpy.txt`` begins with the address of the project's pages; every other line is a name, its
role and its page (``$`` stands for the name):

    https://numpy.org/doc/stable/
    numpy.ndarray py:class reference/generated/$.html
"""

from __future__ import annotations

import zlib
from pathlib import Path

HEAD = "# Sphinx inventory version 2\n# Project: {}\n# Version: \n# zlib-compressed below.\n"


def mapping(sources: Path, made: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory for each text file, and return what intersphinx wants to be told."""
    made.mkdir(parents=True, exist_ok=True)
    known = {}
    for source in sorted(sources.glob("*.txt")):
        address, *names = source.read_text("utf-8").split("\n")
        lines = [_entry(line) for line in names if line.strip()]
        packed = HEAD.format(source.stem).encode() + zlib.compress("".join(lines).encode())
        target = made / f"{source.stem}.inv"
        target.write_bytes(packed)
        known[source.stem] = (address.strip(), str(target))
    return known


def _entry(line: str) -> str:
    name, role, page = line.split()
    return f"{name} {role} 1 {page.replace('$', name)} -\n"

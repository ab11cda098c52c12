"""The modules of the page as one module, for places that load just one: notebooks.

Each module becomes an address of its own in the browser (``URL.createObjectURL``), those it imports
first, and is written there as it stands but for the names of these.
"""

from __future__ import annotations

import json
import posixpath
import re

from rosenblatt.lab.web.assets import assets

IMPORTED = re.compile(r"""(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(["'])(\.{1,2}/[^"']+)\2""")

BUNDLE = """// Made of the modules of the lab's page.
const modules = %s;
const address = {};
for (const [path, text] of modules) {
  const known = text.replace(/"lab:([^"]+)"/g, (_, other) => JSON.stringify(address[other]));
  address[path] = URL.createObjectURL(new Blob([known], { type: "text/javascript" }));
}
const main = await import(address[%s]);
"""


def bundle(entry: str) -> str:
    """JavaScript that loads a module and all that it imports, and names its exports ``main``.

    Parameters
    ----------
    entry : str
        Its path below ``static``.
    """
    found = {path: asset.content.decode() for path, asset in assets().items()}
    ordered: dict[str, str] = {}
    _gather(entry, found, ordered, ())
    return BUNDLE % (json.dumps(list(ordered.items())), json.dumps(entry))


def _gather(
    path: str, found: dict[str, str], ordered: dict[str, str], above: tuple[str, ...]
) -> None:
    """Add a module after all that it imports."""
    if path in ordered:
        return
    if path in above:
        raise ValueError(f"modules import each other: {' → '.join((*above, path))}")

    def named(match: re.Match[str]) -> str:
        other = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[3]))
        _gather(other, found, ordered, (*above, path))
        return f'{match[1]}"lab:{other}"'

    ordered[path] = IMPORTED.sub(named, found[path])

"""Check a built site: every link inside it leads somewhere, and the search knows what users ask.

``python docs/check_site.py docs/_build/html`` prints what is wrong and ends with 1, or is content.
"""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What must be found, and its stem in Sphinx's index.
WORDS = {
    "logistic": "logist",
    "separation": "separ",
    "averaged": "averag",
    "margin": "margin",
    "XOR": "xor",
    "stream": "stream",
    "resume": "resum",
    "kernel": "kernel",
    "probability": "probabl",
}


class Page(HTMLParser):
    """The links, places and images of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.silent: list[str] = []  # images without a word for those who do not see them
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser."""
        found = dict(attrs)
        for name in ("id", "name"):
            if found.get(name):
                self.places.add(str(found[name]))
        for name in ("href", "src"):
            if found.get(name):
                self.links.add(str(found[name]))
        # A thumbnail's title stands below it, and would be read twice; the image of an animation's
        # player is made by its script.
        source = found.get("src")
        if tag == "img" and source and not found.get("alt") and "_thumb." not in source:
            self.silent.append(source)


def complaints(site: Path) -> list[str]:
    """Return one line for each thing that is wrong."""
    files = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text("utf-8")) for path in files}
    told = []
    for path, page in pages.items():
        where = path.relative_to(site)
        told += [f"{where}: image {name} has no alternative text" for name in page.silent]
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("#"):
                if link.startswith("#") and link != "#" and unquote(link[1:]) not in page.places:
                    told.append(f"{where}: {link} is not on the page")
                continue
            target = (path.parent / unquote(parts.path)).resolve()
            if not target.exists():
                told.append(f"{where}: {link} does not exist")
            elif target == site / "lab" / "index.html":
                continue  # what follows the sign # is an experiment there
            elif target in pages and unquote(parts.fragment) not in {"", *pages[target].places}:
                told.append(f"{where}: {link}: no such place on that page")
    return told + [f"the search does not find {word}" for word in WORDS if not found(site, word)]


def found(site: Path, word: str) -> list[str]:
    """Return the pages that the search index has for a word."""
    text = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(re.sub(r"^Search\.setIndex\((.*)\);?$", r"\1", text.strip(), flags=re.S))
    tables = [index[name].get(WORDS[word], []) for name in ("terms", "titleterms")]
    hits = [at for table in tables for at in _list(table)]
    return sorted({index["docnames"][at] for at in hits})


def _list(value: int | list[int]) -> list[int]:
    return value if isinstance(value, list) else [value]


if __name__ == "__main__":
    wrong = complaints(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or "every link leads somewhere, and the search finds what users ask")
    sys.exit(bool(wrong))

"""Check a built site: every link inside it leads somewhere, and the search answers what users ask.

``python docs/check_site.py docs/_build/html`` prints what is wrong and ends with 1, or is content.
"""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from snowballstemmer import EnglishStemmer
from sphinx.search.en import SearchEnglish

# What users type, and the pages of which one must be among the first three results.
QUESTIONS = {
    "convergence": ["howto/why_stop"],
    "convergence warning": ["howto/why_stop"],
    "ConvergenceWarning": ["howto/why_stop"],
    "lbfgs failed to converge": ["faq", "statisticians"],
    "perfect separation": ["statisticians", "faq"],
    "infinite estimates": ["statisticians", "faq"],
    "fitted probabilities numerically 0 or 1 occurred": ["statisticians", "faq"],
    "learning rate": ["faq", "howto/sgd"],
    "multiclass": ["howto/many_classes"],
    "SGDClassifier": ["howto/sgd"],
    "dummy variables": ["faq"],
    "confidence interval": ["faq", "generalisation"],
    "neural network": ["faq"],
    "GPU": ["faq"],
    "conda": ["faq", "start"],
    "predict_proba": ["howto/probabilities"],
    "imbalanced classes": ["howto/unbalanced"],
    "missing values": ["faq"],
    "linearly separable": ["howto/separable"],
    "out of memory": ["howto/large_files"],
    "save a model": ["howto/saving"],
    "feature importance": ["faq"],
    "random seed": ["howto/reproducibility"],
    "kernel trick": ["howto/kernels"],
    "install": ["start"],
    "early stopping": ["howto/callbacks"],
    "class weights": ["howto/unbalanced"],
    "cross validation": ["howto/pipelines"],
    "one hot": ["faq"],
    "exit code": ["shell"],
    "plot decision boundary": ["reference/figures"],
    "quasi-complete separation": ["statisticians"],
}
FIRST = 3
# The scores of Sphinx's searchtools.js: of names, titles and words, whole or in part.
OBJECT, OBJECT_PART, TITLE, TITLE_PART, TERM, TERM_PART = 11, 6, 15, 7, 5, 2
PRIORITY = {0: 15, 1: 5, 2: -5}  # of objects
SILENT = ("benchmarks", "changelog")  # their many words would be in the way of every question


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
    return told + misses(json.loads(_index(site)))


def misses(index: dict[str, Any]) -> list[str]:
    """Return one line for each question whose page is not among the first results."""
    told = [
        f"the search knows {name}, which says nosearch" for name in SILENT if _known(index, name)
    ]
    for question, pages in QUESTIONS.items():
        first = search(index, question)[:FIRST]
        if not set(first) & set(pages):
            told.append(f"asked for {question!r}, the search finds {first}, not {pages}")
    return told


def search(index: dict[str, Any], query: str) -> list[str]:
    """Return the pages that the site's search shows, first things first.

    This is ``_performSearch`` of Sphinx's searchtools.js: titles and index entries of which the
    query is a part and at least half, objects by name, and pages that have all words.
    """
    asked = query.lower().strip()
    names, titles = index["docnames"], index["titles"]
    found: list[tuple[int, str, str]] = []  # score, title, page
    for title, places in index["alltitles"].items():
        if asked in title.lower() and len(asked) >= len(title) / 2:
            for at, _ in places:
                own = titles[at] == title
                shown = title if own else f"{titles[at]} > {title}"
                found.append((_rounded(TITLE * len(asked) / len(title)) + own, shown, names[at]))
    minor = []
    for entry, places in index["indexentries"].items():
        if asked in entry and len(asked) >= len(entry) / 2:
            for at, _, main in places:
                hit = _rounded(100 * len(asked) / len(entry)), titles[at], names[at]
                (found if main else minor).append(hit)
    words = _words(query)
    found += _objects(index, list(dict.fromkeys(map(str.lower, words))))
    found += _pages(index, words)
    shown = sorted(found, key=_place) + sorted(minor, key=_place)
    return list(dict.fromkeys(page for _, _, page in shown))


def _place(hit: tuple[int, str, str]) -> tuple[int, str]:
    return -hit[0], hit[1].lower()


def _rounded(score: float) -> int:
    return int(score + 0.5)


def _words(query: str) -> list[str]:
    return re.findall(r"\w+", query)


def _objects(index: dict[str, Any], words: list[str]) -> list[tuple[int, str, str]]:
    """The functions and classes with a word in their name and all others near it."""
    found = []
    for word in words:
        for prefix, entries in index["objects"].items():
            for at, kind, priority, _, name in entries:
                full = f"{prefix}.{name}" if prefix else name
                last = full.lower().rsplit(".", 1)[-1]
                if word not in full.lower():
                    continue
                title, what = index["titles"][at], index["objnames"][str(kind)][2]
                near = f"{prefix} {name} {what} {title}".lower()
                if not all(other in near for other in words if other != word):
                    continue
                score = OBJECT if word in (full.lower(), last) else OBJECT_PART * (word in last)
                found.append((score + PRIORITY.get(priority, 0), full, index["docnames"][at]))
    return found


def _pages(index: dict[str, Any], words: list[str]) -> list[tuple[int, str, str]]:
    """The pages that have all words, by their stems, with the best score of any."""
    stem_of = EnglishStemmer().stemWord
    lower = [word.lower() for word in words if not word.isdecimal()]
    stems = {stem_of(word) for word in lower if word not in SearchEnglish.stopwords}
    tables = (("terms", TERM, TERM_PART), ("titleterms", TITLE, TITLE_PART))
    scores: dict[int, dict[str, int]] = {}
    for stem in stems:
        hits = [(index[table].get(stem, []), score) for table, score, _ in tables]
        for table, _, score in tables if len(stem) > 2 else ():
            if stem not in index[table]:
                hits += [(pages, score) for term, pages in index[table].items() if stem in term]
        for pages, score in hits:
            for at in _list(pages):
                scores.setdefault(at, {})[stem] = score
    counts = {len(stems), sum(len(stem) > 2 for stem in stems)}
    return [
        (max(found.values()), index["titles"][at], index["docnames"][at])
        for at, found in scores.items()
        if len(found) in counts
    ]


def _index(site: Path) -> str:
    text = (site / "searchindex.js").read_text("utf-8").strip()
    return re.sub(r"^Search\.setIndex\((.*)\);?$", r"\1", text, flags=re.S)


def _known(index: dict[str, Any], name: str) -> bool:
    at = index["docnames"].index(name) if name in index["docnames"] else None
    return any(at in _list(pages) for pages in index["terms"].values())


def _list(value: int | list[int]) -> list[int]:
    return value if isinstance(value, list) else [value]


if __name__ == "__main__":
    wrong = complaints(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or "every link leads somewhere, and the search finds what users ask")
    sys.exit(bool(wrong))

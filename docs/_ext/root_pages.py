"""Text that lives elsewhere in the repository, shown on a page without a second copy.

A page's line ``<!-- text of CHANGELOG.md -->`` becomes that file without its title;
``<!-- text of CHANGELOG.md from "A heading" to "Another" -->`` a part of it. With ``folded`` at the
end, what stands below each heading unfolds. A file that does not exist leaves nothing. Links to
pages of this site are kept, images found, and links to other files of the repository shown as code.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
MARK = re.compile(
    r'^<!-- text of (\S+?)(?: from "([^"]+)")?(?: to "([^"]+)")?( folded)? -->$', re.M
)
LINK = re.compile(r"(!?)\[([^\]]+)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```.*?^```$)", re.M | re.S)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", include)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def include(app: Any, name: str, source: list[str]) -> None:
    """Put the files that a page asks for in their places."""

    def text(mark: re.Match[str]) -> str:
        path, start, end = DOCS.parent / mark[1], mark[2], mark[3]
        if not path.exists():
            return ""
        app.env.note_dependency(str(path), docname=name)
        shown = part(path.read_text("utf-8"), start, end, path.parent, len(Path(name).parts) - 1)
        return folded(shown) if mark[4] else shown

    source[0] = MARK.sub(text, source[0])


def part(text: str, start: str | None, end: str | None, folder: Path, depth: int) -> str:
    """The text between two headings, or all below the first one, ready for a page."""
    _, _, text = text.partition("\n## " + start + "\n" if start else "\n")
    if start:
        text = f"## {start}\n{text}"
    if end:
        text = text.partition(f"\n## {end}\n")[0]
    pieces = FENCE.split(text)  # code is left alone
    pieces[::2] = [_prose(piece, folder, depth) for piece in pieces[::2]]
    return "".join(pieces)


def folded(text: str) -> str:
    r"""The text with each section of the second level behind its heading.

    Examples
    --------
    >>> print(folded("Before.\n\n## A\n\nx\n\n## B\n\ny\n"))
    Before.
    <BLANKLINE>
    ::::{dropdown} A
    x
    ::::
    <BLANKLINE>
    ::::{dropdown} B
    y
    ::::
    """
    before, *sections = re.split(r"^## ", text, flags=re.M)
    parts = [before.strip()]
    for section in sections:
        title, _, body = section.partition("\n")
        parts.append(f"::::{{dropdown}} {title}\n{body.strip()}\n::::")
    return "\n\n".join(parts)


def _prose(text: str, folder: Path, depth: int) -> str:
    def link(found: re.Match[str]) -> str:
        image, words, target = found.groups()
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        path = (folder / target.partition("#")[0]).resolve()
        up = "../" * depth
        if image:
            return f"![{words}]({up}../{path.relative_to(DOCS.parent).as_posix()})"
        if DOCS in path.parents and path.exists():
            return f"[{words}]({up}{path.relative_to(DOCS).as_posix()})"
        return words if words.startswith("`") else f"{words} (`{target}`)"

    return LINK.sub(link, text)

"""A lesson: experiments with texts between them, read from Markdown.

A link that stands alone in a paragraph and leads to an experiment is a page of the lesson: what
comes before it is its text, and what the link says is its title.
"""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rosenblatt.errors import InputError
from rosenblatt.lab.lessons.links import Linked, find, is_link

TITLE = "A lesson on the perceptron"
LAST = "To end with"


class Page(NamedTuple):
    """A text, and the experiment below it, if any."""

    title: str
    html: str
    linked: Linked | None


class Lesson(NamedTuple):
    """A title, and the pages in their order."""

    title: str
    pages: list[Page]


def read_lesson(sources: Sequence[str]) -> Lesson:
    """The lesson of links, experiment files, presets and Markdown files, in this order.

    Parameters
    ----------
    sources : sequence of str

    Examples
    --------
    >>> lesson = read_lesson(["xor", "#p=1,1,1;-1,-1,0"])
    >>> [page.title for page in lesson.pages]
    ['Exclusive or', 'An experiment']
    """
    title, pages = "", []
    for source in sources:
        if source.lower().endswith(".md") and not is_link(source):
            found = _of_file(Path(source))
            title = title or found.title
            pages += found.pages
        else:
            linked = find(source)
            pages.append(Page(linked.title, "", linked))
    if not pages:
        raise InputError("a lesson needs an experiment: name a link of the lab or a file")
    return Lesson(title or (pages[0].title if len(pages) == 1 else TITLE), pages)


def of_markdown(text: str, folder: Path | None = None) -> Lesson:
    """The lesson that a Markdown text is.

    Parameters
    ----------
    text : str
    folder : Path, optional
        Where the files it names are, the current one by default.

    Examples
    --------
    >>> title, pages = of_markdown("No line does *this*: [Exclusive or](xor)")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: the text holds no experiment: put a link of the lab, ...
    >>> of_markdown("[Exclusive or](xor)").pages[0].title
    'Exclusive or'
    """
    folder = folder or Path()
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    title, pages, block = "", [], []
    for part in _blocks(reader.parse(text)):
        if part[0].type == "heading_open" and part[0].tag == "h1" and not title:
            title = _words(part[1])
            continue
        link = _lone_link(part)
        linked = None if link is None else _linked(link[0], folder)
        if link is None or linked is None:
            block += part
            continue
        pages.append(Page(link[1] or linked.title, _html(reader, block, folder), linked))
        block = []
    if not pages:
        raise InputError(
            "the text holds no experiment: put a link of the lab, the name of a preset or of a "
            "JSON file, as [what it shows](link), in a paragraph of its own"
        )
    if block:
        headed = block[0].type == "heading_open"
        pages.append(Page(_words(block[1]) if headed else LAST, _html(reader, block, folder), None))
    return Lesson(title or TITLE, pages)


def _of_file(path: Path) -> Lesson:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected a text in UTF-8 ({error})") from error
    try:
        return of_markdown(text, path.parent)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _blocks(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each outermost block."""
    blocks: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            blocks.append([])
        blocks[-1].append(token)
        depth += token.nesting
    return blocks


def _lone_link(part: list[Token]) -> tuple[str, str] | None:
    """Where the link of a paragraph that is nothing else leads, and what it says."""
    if part[0].type != "paragraph_open":
        return None
    inside = [child for child in part[1].children or [] if child.type != "softbreak"]
    if len(inside) < 2 or inside[0].type != "link_open" or inside[-1].type != "link_close":
        return None
    if any(child.type == "link_close" for child in inside[:-1]):
        return None
    return str(inside[0].attrs["href"]), _words(part[1])


def _linked(address: str, folder: Path) -> Linked | None:
    """The experiment at an address; None where it is one of the web's or another file."""
    if is_link(address) or address.endswith(".json"):
        return find(address, folder)
    if "/" in address or "." in address or "#" in address:
        return None
    return find(address)


def _words(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [] if child.content).strip()


def _html(reader: MarkdownIt, tokens: list[Token], folder: Path) -> str:
    for token in tokens:
        for child in token.children or []:
            if child.type == "image":
                child.attrs["src"] = _picture(str(child.attrs["src"]), folder)
    env: dict[str, Any] = {}
    return reader.renderer.render(tokens, reader.options, env)


def _picture(address: str, folder: Path) -> str:
    """A picture as an address that holds it: a lesson is one file."""
    kind = mimetypes.guess_type(address)[0] or ""
    if not kind.startswith("image/") or "://" in address:
        raise InputError(f"{address}: expected a picture in a file beside the lesson")
    try:
        content = (folder / address).read_bytes()
    except OSError as error:
        raise InputError(f"{folder / address}: cannot be read ({error.strerror})") from error
    return f"data:{escape(kind)};base64,{base64.b64encode(content).decode()}"

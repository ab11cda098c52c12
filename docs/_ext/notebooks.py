"""Notebooks of the course's chapters, made of the pages themselves when the site is built.

``{notebook}`` on a page links to its notebook. Code loses its prompts and expected output; answers
that unfold on the page stand under a heading in the notebook.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import jupytext
from docutils import nodes
from lab_links import sentence
from sphinx.util.docutils import SphinxDirective

FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<name>[^\n]*)\n(?P<body>.*?)^(?P=fence) *$\n?", re.M | re.S
)
DROPDOWN = re.compile(
    r"^:::+\{dropdown\} *(?P<title>[^\n]*)\n(?P<options>(?::[a-z]+:[^\n]*\n)*)", re.M
)
ROLE = re.compile(r"\{[a-z:]+\}`~?([^`]+)`")
OPTIONS = re.compile(r"\A(?::[a-z-]+:[^\n]*\n)+\n?")


class Notebook(SphinxDirective):
    """A link to the notebook of this page."""

    def run(self) -> list[Any]:
        """Called by docutils."""
        name = Path(self.env.docname).name + ".ipynb"
        words = nodes.reference("", "Download this chapter as a notebook", refuri=name)
        rest = ": text, code and answers, to run and to change."
        return [nodes.paragraph("", "", words, nodes.Text(rest), classes=["notebook-link"])]


def notebook_of(page: str) -> Any:
    r"""The notebook of a MyST page whose code is written as doctests.

    Examples
    --------
    >>> text = "# Sums\n\n```python\n>>> a = 1\n>>> a + 1\n2\n>>> a + 2\n3\n\n```\n"
    >>> [cell.source for cell in notebook_of(text).cells]
    ['# Sums', 'a = 1\na + 1', 'a + 2']
    """
    text = FENCE.sub(_cells, page)
    text = DROPDOWN.sub(lambda found: f"**{found['title'] or 'Answer'}**\n\n", text)
    text = re.sub(r"^:::+ *$\n?", "", text, flags=re.M)
    text = ROLE.sub(r"`\1`", text)
    book = jupytext.reads(text.strip() + "\n", fmt="md")
    book.metadata["kernelspec"] = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    return book


def _cells(found: re.Match[str]) -> str:
    name, body = found["name"].strip(), found["body"]
    if name.startswith("{lab}"):
        before, title, command = sentence(name.removeprefix("{lab}").strip())
        return f"{before}{title} (`{command}`)\n"
    if name not in ("python", "{picture}"):
        return "" if name.startswith("{") else found[0]
    if name == "{picture}":
        body = OPTIONS.sub("", body)
    cells, lines = [], []
    for example in doctest.DocTestParser().get_examples(body):
        lines.append(example.source.rstrip("\n"))
        if example.want:
            cells.append("\n".join(lines))
            lines = []
    cells += ["\n".join(lines)] if lines else []
    return "".join(f"```python\n{cell}\n```\n\n" for cell in cells)


def write(app: Any, error: Exception | None) -> None:
    """Write the notebooks next to their pages."""
    if error is not None or app.builder.format != "html":
        return
    for page in sorted(Path(app.srcdir, "course").glob("*.md")):
        text = page.read_text("utf-8")
        if "```{notebook}" in text:
            target = Path(app.outdir, "course", page.stem + ".ipynb")
            jupytext.write(notebook_of(text), target, fmt="ipynb")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("notebook", Notebook)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

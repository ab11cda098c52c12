"""``{measured}``: what ``benchmarks/RESULTS.md`` says of some questions, as a table.

Each line of the directive is how a line under "What was asked" begins. The numbers and their date
are read when the site is built; a question that the results do not have is left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

RESULTS = Path(__file__).parents[2] / "benchmarks" / "RESULTS.md"
ASKED = re.compile(r"^- (?P<question>.+?) (?P<target>[≥≤] \S+); measured (?P<value>\S+): ", re.M)


class Measured(SphinxDirective):
    """A table of question and ratio, above it the date of the measurement."""

    has_content = True

    def run(self) -> list[Any]:
        """Called by docutils."""
        self.env.note_dependency(str(RESULTS))
        text = RESULTS.read_text("utf-8")
        dated = re.search(r"`make bench` on (\S+?):", text)
        when = f"Measured on {dated[1]}" if dated else "Measured"
        told = f"{when} by make bench; a ratio is theirs over ours, so above 1 we are faster."
        asked = {row["question"]: row["value"] for row in ASKED.finditer(text)}
        rows = [
            (question, value)
            for wanted in self.content
            for question, value in asked.items()
            if question.startswith(wanted)
        ]
        return [nodes.paragraph("", told), _table([("question", "ratio"), *rows])]


def _table(rows: list[tuple[str, str]]) -> nodes.table:
    group = nodes.tgroup(cols=2)
    group += [nodes.colspec(colwidth=80), nodes.colspec(colwidth=20)]
    lines = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in row)) for row in rows
    ]
    group += nodes.thead("", lines[0])
    group += nodes.tbody("", *lines[1:])
    return nodes.table("", group)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("measured", Measured)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""``{measured}`` and ``{asked}``: what ``benchmarks/RESULTS.md`` says, as tables.

A line of ``{measured}`` is ``words | section | column``, and ``| contestant`` where a table has a
contestant a row: the ratios of that column, their median and the least. ``{asked}`` lists the
targets that were not met, and how many there were. Both fail the build where the results do not
have what is asked for, or have a target that is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

RESULTS = Path(__file__).parents[2] / "benchmarks" / "RESULTS.md"
TARGET = re.compile(
    r"- (?P<question>.+?) (?P<target>[≥≤] [^\s;,]+)(?P<rest>, or .+? in the same run)?; "
    r"measured (?P<value>[^\s:]+): (?P<answer>met|NOT met)\."
)
TIMES = re.compile(r"([\d,.]+) ×$")  # "128 ms [125, 213], 2.3 ×"
NUMBER = re.compile(r"(?:≥ )?([\d,.]+)$")


class Target(NamedTuple):
    """A line under "What was asked"."""

    question: str
    target: str
    value: str
    met: bool


def targets(text: str) -> list[Target]:
    r"""The targets of the results, every line of them understood.

    Examples
    --------
    >>> text = "## What was asked\n\n- fit, × theirs, worst ≥ 1; measured 0.5: NOT met.\n"
    >>> targets(text)
    [Target(question='fit, × theirs, worst', target='≥ 1', value='0.5', met=False)]
    """
    found = []
    for line in section(text, "What was asked").splitlines():
        if not line.startswith("- "):
            continue
        match = TARGET.fullmatch(line)
        if match is None:
            raise LookupError(f"RESULTS.md: this target is not understood: {line}")
        row = match.groupdict()
        asked = row["target"] + (row["rest"] or "")
        found.append(Target(row["question"], asked, row["value"], row["answer"] == "met"))
    if not found:
        raise LookupError("RESULTS.md has no target under 'What was asked'")
    return found


def section(text: str, title: str) -> str:
    """What stands below a heading of the second level."""
    _, found, rest = f"\n{text}".partition(f"\n## {title}\n")
    if not found:
        raise LookupError(f"RESULTS.md has no section {title!r}")
    return rest.partition("\n## ")[0]


def ratios(text: str, title: str, column: str, contestant: str = "") -> list[float]:
    r"""The ratios of a column in all tables of a section.

    Examples
    --------
    >>> rows = "| set | who | ratio |\n|---|---|---|\n| a | us | 1.00 |\n| a | LP | ≥ 3 |\n"
    >>> ratios(f"## Proofs\n\n{rows}", "Proofs", "ratio", "LP")
    [3.0]
    """
    found = []
    for head, row in _rows(section(text, title)):
        if column not in head or (contestant and contestant not in row):
            continue
        cell = row[head.index(column)]
        number = TIMES.search(cell) or NUMBER.match(cell)
        if number:
            found.append(float(number[1].replace(",", "")))
    if not found:
        raise LookupError(f"RESULTS.md has no {column!r} {contestant} under {title!r}")
    return found


def _rows(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each row of each table with the head of its table."""
    head: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        if cells and head and not set(line) <= set("|-: "):
            yield head, cells
        head = head or cells if cells else []


class Measured(SphinxDirective):
    """A table of questions with their typical and their worst ratio, and when it was measured."""

    has_content = True

    def run(self) -> list[Any]:
        """Called by docutils."""
        self.env.note_dependency(str(RESULTS))
        text = RESULTS.read_text("utf-8")
        dated = re.search(r"`make bench` on (\S+?):", text)
        when = f"Measured by make bench on {dated[1]}" if dated else "Measured by make bench"
        told = (
            f"{when}. A ratio is their time over ours: above 1 we are faster, below 1 slower. "
            "Typical is the median of the problems that were timed, worst the least of them."
        )
        rows = [("question", "problems", "typical", "worst")]
        for line in self.content:
            words, *where = (part.strip() for part in line.split("|"))
            found = ratios(text, *where)
            rows.append((words, str(len(found)), f"{median(found):.3g} ×", f"{min(found):.3g} ×"))
        return [nodes.paragraph("", told), table(rows, (64, 12, 12, 12))]


class Asked(SphinxDirective):
    """How many targets were met, and a table of those that were not."""

    def run(self) -> list[Any]:
        """Called by docutils."""
        self.env.note_dependency(str(RESULTS))
        found = targets(RESULTS.read_text("utf-8"))
        missed = [target for target in found if not target.met]
        told = f"Of {len(found)} targets, {len(found) - len(missed)} were met. These were not:"
        rows = [("question", "asked", "measured"), *(target[:3] for target in missed)]
        return [nodes.paragraph("", told), table(rows, (60, 28, 12))]


def table(rows: list[tuple[str, ...]], widths: tuple[int, ...]) -> nodes.table:
    """Rows of text, the first of them the head."""
    group = nodes.tgroup(cols=len(widths))
    group += [nodes.colspec(colwidth=width) for width in widths]
    lines = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in row)) for row in rows
    ]
    group += nodes.thead("", lines[0])
    group += nodes.tbody("", *lines[1:])
    return nodes.table("", group)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("measured", Measured)
    app.add_directive("asked", Asked)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

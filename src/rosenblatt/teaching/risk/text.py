"""Tables as text."""

from __future__ import annotations

from typing import Any


def table_text(heading: list[str], rows: list[list[str]]) -> str:
    """Columns as wide as they need to be, numbers to the right; the last column to the left."""
    widths = [max(len(row[k]) for row in [heading, *rows]) for k in range(len(heading))]
    lines = [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row, widths, strict=False))][:-1] + row[-1:])
        for row in [heading, *rows]
    ]
    return "\n".join(line.rstrip() for line in lines)


def named_positive(classes: tuple[Any, Any]) -> str:
    """The last line of a table about labels, which names the positive class; signs need none."""
    return "" if classes == (-1, 1) else f"\npositive class: {classes[1]}"

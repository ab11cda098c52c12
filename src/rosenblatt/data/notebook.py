"""HTML that notebooks show: tables and sentences, escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any


def table(rows: Iterable[Iterable[Any]], head: Iterable[Any] = (), caption: str = "") -> str:
    """A table; a row's first cell is its heading where the table has none of its own.

    Examples
    --------
    >>> print(table([["margin", "> 0"]]))
    <table><tbody><tr><th>margin</th><td>&gt; 0</td></tr></tbody></table>
    """
    head = list(head)
    top = f"<thead>{_line(['th'] * len(head), head)}</thead>" if head else ""
    lines = []
    for row in map(list, rows):
        first = "td" if head else "th"
        lines.append(_line([first, *["td"] * (len(row) - 1)], row))
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}{top}<tbody>{''.join(lines)}</tbody></table>"


def sentence(text: str) -> str:
    """A paragraph."""
    return f"<p>{html.escape(text)}</p>"


def code(text: str) -> str:
    """Lines of code."""
    return f"<pre>{html.escape(text)}</pre>"


def _line(tags: list[str], cells: list[Any]) -> str:
    pairs = zip(tags, cells, strict=True)
    return f"<tr>{''.join(f'<{tag}>{html.escape(str(cell))}</{tag}>' for tag, cell in pairs)}</tr>"

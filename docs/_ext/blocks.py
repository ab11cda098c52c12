"""Doctests end with an empty line, which a page need not show."""

from __future__ import annotations

from typing import Any

from docutils import nodes


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("doctree-read", trim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def trim(app: Any, doctree: Any) -> None:
    """Cut empty lines off the ends of code."""
    for block in doctree.findall(nodes.literal_block):
        if len(block) == 1:
            text = block.astext().rstrip()
            block.rawsource = text
            block[0] = nodes.Text(text)

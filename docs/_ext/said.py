"""``{said} rosenblatt.Stop``: the values of an enumeration with the sentences they print."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.ext.autosummary import import_by_name
from sphinx.util.docutils import SphinxDirective


class Said(SphinxDirective):
    """A definition list: the member's name, and what it says."""

    required_arguments = 1

    def run(self) -> list[Any]:
        """Called by docutils."""
        values = import_by_name(self.arguments[0])[1]
        rows = nodes.definition_list()
        for member in values:  # type: ignore[attr-defined]
            term = nodes.term("", "", nodes.literal("", f"{values.__name__}.{member.name}"))
            said = nodes.definition("", nodes.paragraph("", str(member)))
            rows += nodes.definition_list_item("", term, said)
        return [rows]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("said", Said)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Formulas as MathML, which browsers draw themselves: no script, no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def draw(writer: Any, node: Any, block: bool) -> None:
    """Append a formula to the page, or its source and a warning where it is not understood."""
    try:
        shown = tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        logger.warning("formula not understood: %s", error, location=node)
        shown = f"<code>{writer.encode(node.astext())}</code>"
    writer.body.append(f'<div class="math">{shown}</div>\n' if block else shown)
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda writer, node: draw(writer, node, False), None),
        block_renderers=(lambda writer, node: draw(writer, node, True), None),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Gallery figures in both themes: each block that draws is run again in the dark theme."""

from __future__ import annotations

import ast
import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from textwrap import indent
from typing import Any

from sphinx_gallery.scrapers import matplotlib_scraper


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures of a block, light for light pages and dark for dark ones."""
    import matplotlib.pyplot as plt

    from rosenblatt import figures

    light = _titled(matplotlib_scraper(block, block_vars, gallery_conf), block_vars)
    code = block[1]
    # An animation has controls of its own, and a block that names a theme means it.
    if "image-sg" not in light or "animate" in code or "theme(" in code:
        return light
    with figures.theme("dark"), redirect_stdout(io.StringIO()):
        exec(compile(code, block_vars["src_file"], "exec"), dict(block_vars["example_globals"]))
        dark = _titled(matplotlib_scraper(block, block_vars, gallery_conf), block_vars)
    plt.close("all")
    return _for(light, "only-light") + _for(dark, "only-dark")


def _titled(text: str, block_vars: dict[str, Any]) -> str:
    """Images that would be described by the name of their file, by the title of the page."""
    told = ast.get_docstring(ast.parse(Path(block_vars["src_file"]).read_text("utf-8"))) or ""
    title = told.strip().partition("\n")[0]
    return re.sub(r":alt: plot \d.*", f":alt: {title}", text)


def _for(text: str, theme: str) -> str:
    """Images that pages of one theme show; image-sg itself keeps one class only."""
    return f"\n.. container:: {theme}\n\n{indent(text.strip(), '   ')}\n\n"

"""``{picture}``: a doctest block whose figure the page shows, in a light and a dark theme.

A page is one session: what its blocks computed before is there when a picture is drawn, here as
under pytest and in the notebook made of the page.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import os
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

THEMES = ("light", "dark")
DPI = 110
WIDE = ("720px", "100%")  # pictures of several panels


class Session:
    """The examples of a page, run one after another up to the picture that is wanted."""

    def __init__(self, text: str, name: str):
        self.examples = doctest.DocTestParser().get_examples(text, name)
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.done = 0

    def up_to(self, own: list[doctest.Example]) -> None:
        """Run what comes before the examples of a picture."""
        wanted = [example.source for example in own]
        while self.done < len(self.examples):
            ahead = self.examples[self.done : self.done + len(own)]
            if [example.source for example in ahead] == wanted:
                return
            self.run(self.examples[self.done])
            self.done += 1
        raise LookupError("the picture's code is not on its page")

    def run(self, example: doctest.Example) -> None:
        """Run one example; what it prints is pytest's to check."""
        raises = example.exc_msg is not None
        name = f"<example at line {example.lineno + 1}>"
        # Where inspect finds the source of a function that the page defines.
        linecache.cache[name] = len(example.source), None, example.source.splitlines(True), name
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.suppress(Exception) if raises else contextlib.nullcontext(),
        ):
            exec(compile(example.source, name, "single"), self.names)


class Picture(SphinxDirective):
    """Show the figure that the code leaves, and fold the code."""

    has_content = True
    option_spec = {  # noqa: RUF012
        "alt": directives.unchanged_required,
        "width": directives.length_or_percentage_or_unitless,
    }

    def run(self) -> list[Any]:
        """Called by docutils."""
        if "alt" not in self.options:
            raise self.error("a picture needs :alt:, a sentence for those who cannot see it")
        code = "\n".join(self.content).rstrip() + "\n"
        page = Path(self.env.doc2path(self.env.docname))
        held = self.env.temp_data
        if "pictures" not in held:
            held["pictures"] = Session(page.read_text("utf-8"), page.name)
        held["pictures_drawn"] = held.get("pictures_drawn", 0) + 1
        folder = Path(self.env.app.doctreedir) / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{self.env.docname.replace('/', '-')}-{held['pictures_drawn']}"
        files = {theme: folder / f"{stem}-{theme}.png" for theme in THEMES}
        self._draw(held["pictures"], code, files)
        block = nodes.literal_block(code, code, language="pycon")
        before = '<details class="drawn-by"><summary>The lines that draw it</summary>'
        folded = [nodes.raw("", before, format="html"), block]
        folded += [nodes.raw("", "</details>", format="html")]
        wide = self.options.get("width") in WIDE
        shown = nodes.container(classes=["course-picture", *["panels"] * wide])
        for theme, file in files.items():
            image = nodes.image(uri=os.path.relpath(file, page.parent), alt=self.options["alt"])
            image["classes"] = [f"only-{theme}"]
            image["width"] = self.options.get("width", "480px")
            shown += image
        return [shown, *folded]

    def _draw(self, session: Session, code: str, files: dict[str, Path]) -> None:
        import matplotlib.pyplot as plt

        from rosenblatt import figures

        own = doctest.DocTestParser().get_examples(code)
        session.up_to(own)
        for theme, file in files.items():
            with figures.theme(theme):
                for example in own:
                    session.run(example)
                if not plt.get_fignums():
                    raise self.error("the picture's code leaves no figure")
                plt.gcf().savefig(file, dpi=DPI)
                plt.close("all")
        session.done += len(own)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

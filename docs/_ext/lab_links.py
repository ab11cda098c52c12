"""The lab beside the site: links that open it, live figures, and the page itself.

``{lab} NAME`` and ``[words](lab:NAME)`` open one of the lab's presets, ``[words](lab:#p=…)`` the
experiment of a link. ``{live} NAME`` is a small figure that computes; its body is its question.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

SCHEME = "lab:"


@cache
def titles() -> dict[str, str]:
    """The title of every preset.

    Examples
    --------
    >>> titles()["two_points"]
    'Two points'
    """
    from rosenblatt.lab.presets import presets

    return {one["name"]: one["title"] for one in presets()}


def address(home: str, docname: str, target: str) -> str:
    """Where a link of a page leads: relative to the page, unless the home is another site.

    Examples
    --------
    >>> address("lab/index.html", "course/index", "two_points")
    '../lab/index.html#c=%E2%88%921&c=%2B1&p=1,1,1;-1,-1,0'
    >>> address("https://example.org/lab", "lab", "#p=1,1,1")
    'https://example.org/lab#p=1,1,1'
    """
    from rosenblatt.lab.lessons.links import find

    start = home if "://" in home else "../" * docname.count("/") + home
    return f"{start}#{find(target).fragment}" if target else start


def sentence(name: str) -> tuple[str, str, str]:
    """What a notebook says instead of the link: words, the title, and the command."""
    return "In the lab: ", titles()[name], f"rosenblatt lab {name}"


class Lab(SphinxDirective):
    """A link to a preset of the lab."""

    required_arguments = 1

    def run(self) -> list[Any]:
        """Called by docutils."""
        name = self.arguments[0]
        if name not in titles():
            raise self.error(f"the lab has no preset {name!r}: {sorted(titles())}")
        words = nodes.paragraph(classes=["lab-link"])
        words += nodes.Text("Try it in the lab: ")
        words += nodes.reference("", titles()[name], refuri=f"{SCHEME}{name}")
        return [words]


class Live(SphinxDirective):
    """A live figure with its question; a picture where nothing can move."""

    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged_required}  # noqa: RUF012 (docutils reads it so)

    def run(self) -> list[Any]:
        """Called by docutils."""
        name = self.arguments[0]
        place = nodes.container(classes=["rb-live", f"live-{name}"])
        self.state.nested_parse(self.content, self.content_offset, place)
        picture = nodes.image(uri=f"/_static/lab/live-{name}.png", alt=self.options["alt"])
        root = "../" * self.env.docname.count("/")
        script = nodes.raw(
            "",
            f'<link rel="stylesheet" href="{root}lab/figures.css">'
            f'<script defer src="{root}lab/figures.js"></script>',
            format="html",
        )
        place += picture
        used = self.env.metadata[self.env.docname].setdefault("live", [])
        used.append(name)
        return [place] if len(used) > 1 else [place, script]


def resolve(app: Any, tree: Any, docname: str) -> None:
    """Turn links to the lab into addresses."""
    for node in tree.findall(nodes.reference):
        target = node.get("refuri", "")
        if target.startswith(SCHEME):
            found = target.removeprefix(SCHEME)
            node["refuri"] = address(app.config.lab_address, docname, found)


def write(app: Any, error: Exception | None) -> None:
    """Put the lab and the script of the figures beside the site."""
    if error is not None or app.builder.format != "html":
        return
    from rosenblatt.lab.web.page import figures_css, figures_js, lab_html

    folder = Path(app.outdir) / "lab"
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text(lab_html(), "utf-8")
    (folder / "figures.js").write_text(figures_js(), "utf-8")
    (folder / "figures.css").write_text(figures_css(), "utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_config_value("lab_address", "lab/index.html", "env")
    app.add_directive("lab", Lab)
    app.add_directive("live", Live)
    app.connect("doctree-resolved", resolve)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

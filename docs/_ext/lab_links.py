"""``{lab} NAME``: a link that opens one of the lab's presets, as the lab's *Share* writes it."""

from __future__ import annotations

from functools import cache
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

HOME = "http://127.0.0.1:1958/"  # where `rosenblatt lab` listens, unless it is told otherwise


@cache
def links() -> dict[str, tuple[str, str]]:
    """The title and the address of every preset.

    Examples
    --------
    >>> links()["two_points"][1]
    'http://127.0.0.1:1958/#c=%E2%88%921&c=%2B1&p=1,1,1;-1,-1,0&bias=true&ties=mistake'
    """
    from rosenblatt.lab.lessons.links import find
    from rosenblatt.lab.presets import presets

    return {
        one["name"]: (one["title"], f"{HOME}#{find(one['name']).fragment.removeprefix('#')}")
        for one in presets()
    }


def sentence(name: str) -> tuple[str, str, str]:
    """What the link says: words before it, its own words and its address."""
    title, address = links()[name]
    return "In the lab (start it with rosenblatt lab): ", title, address


class Lab(SphinxDirective):
    """A link to a preset of the lab."""

    required_arguments = 1

    def run(self) -> list[Any]:
        """Called by docutils."""
        if self.arguments[0] not in links():
            raise self.error(f"the lab has no preset {self.arguments[0]!r}: {sorted(links())}")
        _, title, address = sentence(self.arguments[0])
        words = nodes.paragraph(classes=["lab-link"])
        words += nodes.Text("In the lab (start it with ")
        words += nodes.literal("", "rosenblatt lab")
        words += nodes.Text("): ")
        words += nodes.reference("", title, refuri=address)
        return [words]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("lab", Lab)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

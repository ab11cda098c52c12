"""The lab: a page on which the perceptron can be watched and touched, and that computes by itself.

The page is ``static/js``, and its ``compute`` the one second implementation of what the package
does, held to it by a differential test. ``web`` makes one file of it and serves it, ``lessons``
puts texts beside it, ``Widget`` has it in a notebook (extra ``lab``), ``report`` writes a page
about a table.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Widget"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "Widget":
        from rosenblatt.lab.widget import Widget

        return Widget
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

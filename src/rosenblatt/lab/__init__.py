"""The lab: a page on which the perceptron can be watched and touched. It draws, it never learns.

``server`` is the web application (extra ``lab``), ``Widget`` the same page in a notebook.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Widget"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "Widget":
        from rosenblatt.lab.widget import Widget

        return Widget
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The reference has public names only, and docstrings may mention others.

Methods that scikit-learn brings along are left to its own pages, as are the fields of named tuples,
which the docstring of the class lists. A name in single backticks that no page has is shown as
code.
"""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", skip)
    app.connect("missing-reference", show_as_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def skip(app: Any, what: str, name: str, member: Any, skipped: bool, options: Any) -> bool | None:
    """Whether autodoc passes over a member; None leaves it to autodoc."""
    member = getattr(member, "__func__", member)
    member = getattr(member, "fget", None) or getattr(member, "func", None) or member
    if type(member).__name__ in ("_tuplegetter", "member_descriptor", "RequestMethod"):
        return True
    module = getattr(member, "__module__", None)
    ours = isinstance(module, str) and module.startswith("rosenblatt")
    return None if ours and not name.endswith("_request") else True


def show_as_code(app: Any, env: Any, node: Any, content: Any) -> Any:
    """The text of a reference by the default role that leads nowhere."""
    return content if node.get("reftype") == "obj" else None

"""Parameter sections of public docstrings match the signatures (numpydoc's validation)."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

from numpydoc.validate import validate

import rosenblatt as rb

# Documented but unknown, of a wrong form, or (where a section exists at all) not documented.
KEPT = {"PR02", "PR05", "PR06", "PR10", "GL05", "GL06", "GL07"}


def named(thing: Any) -> Iterator[str]:
    """A public function or class and its public methods, or those of a module."""
    if inspect.ismodule(thing):
        for name in getattr(thing, "__all__", ()):
            yield from named(getattr(thing, name))
    elif inspect.isclass(thing) or inspect.isfunction(thing):
        home = f"{thing.__module__}.{thing.__qualname__}"
        yield home
        if inspect.isclass(thing):
            own = vars(thing).items()
            yield from (f"{home}.{k}" for k, v in own if k[0] != "_" and inspect.isfunction(v))


def complaints(name: str) -> Iterator[str]:
    """What is wrong with one docstring."""
    found = validate(name)
    section = "Parameters\n" in found["docstring"]
    for code, message in found["errors"]:
        if code in KEPT or (code == "PR01" and section):
            yield f"{name}: {code} {message}"


def main() -> None:
    """Print every complaint; exit with 1 if there is one."""
    names = sorted({name for public in rb.__all__ for name in named(getattr(rb, public))})
    found = [text for name in names for text in complaints(name)]
    print("\n".join(found) or f"{len(names)} public docstrings match their signatures")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

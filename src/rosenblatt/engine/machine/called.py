"""The plain functions that a kernel calls, and a digest of all that its machine code is made from.

A kernel is compiled together with the rule it is called with and with all functions that those
call, in whatever modules they are.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

# Modules that numba handles itself; a change of these is a change of numba's version.
FOREIGN = {*sys.stdlib_module_names, "llvmlite", "numba", "numpy", "scipy"} - {"__main__"}
# The functions of a rule that are compiled.
COMPILED = ("step", "margin", "foresee")


class Called:
    """What a function, called with arguments of some classes, is compiled from.

    Parameters
    ----------
    function : callable
    args : tuple
        Arguments; the classes of tuples among them count.
    faster : mapping
        The faster bodies of functions that have one.

    Attributes
    ----------
    helpers : list of function
        The plain functions that are called, in the order in which they were found.
    recursive : set of function
        Those of them that call themselves.
    is_importable : bool
        Whether another process finds all of it under the same names.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], faster: Any):
        self.helpers: list[Callable[..., Any]] = []
        self.recursive: set[Callable[..., Any]] = set()
        self.is_importable = True
        self._digest, self._faster = hashlib.sha256(), faster
        self._seen: dict[Callable[..., Any], int] = {}
        self._open: list[Callable[..., Any]] = []
        self._visit(function)
        for kind in classes_of(args):
            self.is_importable &= is_importable(kind)
            self._visit(kind)
            for name in COMPILED:
                self._visit(getattr(kind, name, None))

    @property
    def digest(self) -> str:
        """Of the sources."""
        return self._digest.hexdigest()

    def _say(self, *words: Any) -> None:
        self._digest.update(repr(words).encode())

    def _visit(self, value: Any) -> None:
        if hasattr(value, "py_func"):  # compiled by numba for itself
            self._say(sorted((name, repr(of)) for name, of in value.targetoptions.items()))
            value = value.py_func
        if isinstance(value, FunctionType):
            self._visit_function(value)
        elif isinstance(value, type):
            self._say("class", name_of(value), getattr(value, "_fields", ()))
        elif isinstance(value, (tuple, list)):
            self._say(type(value).__name__, len(value))
            for item in value:
                self._visit(item)
        elif hasattr(value, "tobytes"):
            self._say("array", str(value.dtype), value.shape, value.tobytes())
        elif isinstance(value, frozenset):
            self._say("set", sorted(map(repr, value)))
        elif isinstance(value, (int, float, complex, str, bytes, type(None))):
            self._say(value)
        else:
            self._say("object", name_of(type(value)))

    def _visit_function(self, function: FunctionType) -> None:
        if function.__module__.partition(".")[0] in FOREIGN:
            self._say("foreign", function.__module__, function.__qualname__)
        elif function in self._seen:
            self._say("again", self._seen[function])
            if function in self._open:
                self.recursive.add(function)
        else:
            self._seen[function] = len(self._seen)
            self._say("function", function.__module__, function.__qualname__)
            if function not in self._faster:
                self.helpers.append(function)
            self._open.append(function)
            self._visit_body(self._faster.get(function, function))
            self._open.pop()

    def _visit_body(self, function: FunctionType) -> None:
        self._visit(function.__defaults__)
        self._visit([cell.cell_contents for cell in function.__closure__ or ()])
        for code in _codes(function.__code__):
            self._say(code.co_code, code.co_names)
            self._visit([value for value in code.co_consts if not isinstance(value, CodeType)])
            for value in _named(code.co_names, function.__globals__, ()):
                self._visit(value)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of all functions nested in it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _named(names: tuple[str, ...], space: dict[str, Any], within: tuple[Any, ...]) -> Iterator[Any]:
    """The values of those names, also within modules among them."""
    for name in names:
        value = space.get(name)
        if not isinstance(value, ModuleType):
            yield value
        elif value not in within and value.__name__.partition(".")[0] not in FOREIGN:
            yield from _named(names, vars(value), (*within, value))


def classes_of(args: tuple[Any, ...]) -> Iterator[type]:
    """The classes of named tuples among those values, and within them."""
    for value in args:
        if isinstance(value, tuple):
            yield type(value)
            yield from classes_of(value)


def name_of(kind: type) -> str:
    """The name that the class is imported by."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_importable(kind: type) -> bool:
    """Whether another process finds the class under its name."""
    found: Any = None if kind.__module__ == "__main__" else sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind

"""The plain functions that a kernel calls, and a digest of all that its machine code is made from.

A kernel is compiled together with the rule it is called with and with all functions that those
call, in whatever modules they are.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from enum import EnumMeta
from types import CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np
from numba import types

PACKAGE = __name__.partition(".")[0]
# The modules here, of whose files the folder of the cache is named.
HERE = __name__.rpartition(".")[0]
# Modules that numba handles itself; a change of these is a change of its version, NumPy's or
# Python's. Of the standard library they are the ones that it knows: any other may be a user's file.
FOREIGN = {
    *("array", "builtins", "cmath", "collections", "functools", "heapq", "math", "operator"),
    *("random", "llvmlite", "numba", "numpy", "scipy"),
}
# The functions of a rule that are compiled.
COMPILED = ("step", "margin", "foresee")


class Called:
    """What a function, called with arguments of some classes, is compiled from.

    Parameters
    ----------
    function : callable or None
    kinds : iterable of type
        The classes of rules, and of other tuples, among the arguments.
    faster : mapping
        The faster bodies of functions that have one.
    foreign : set of str
        Packages whose functions count by their names alone.

    Attributes
    ----------
    helpers : list of function
        The plain functions that are called, in the order in which they were found.
    recursive : set of function
        Those of them that call themselves.
    can_cache : bool
        Whether the digest knows all of it, and another process finds it under the same names.
    """

    def __init__(
        self,
        function: Callable[..., Any] | None,
        kinds: Iterable[type],
        faster: Any,
        foreign: set[str] = FOREIGN,
    ):
        self.helpers: list[Callable[..., Any]] = []
        self.recursive: set[Callable[..., Any]] = set()
        self.can_cache = True
        self._digest, self._faster, self._foreign = hashlib.sha256(), faster, foreign
        self._seen: dict[Callable[..., Any], int] = {}
        self._open: list[Callable[..., Any]] = []
        self._visit(function)
        for kind in kinds:
            self.can_cache &= is_importable(kind)
            self._visit(kind)
            for name in COMPILED:
                if name not in getattr(kind, "_fields", ()):
                    self._visit(getattr(kind, name, None))

    @property
    def digest(self) -> str:
        """Of the sources; of no use to another process unless it can be cached."""
        return self._digest.hexdigest()

    def _say(self, *words: Any) -> None:
        self._digest.update(repr(words).encode())

    def _visit(self, value: Any) -> None:
        if isinstance(value, FunctionType):
            self._visit_function(value)
        elif isinstance(value, EnumMeta):
            self._say("enum", name_of(value), list(value))
        elif isinstance(value, type) and hasattr(value, "_fields"):
            self._say("tuple", name_of(value), value._fields)
        elif isinstance(value, (tuple, list)):
            self._say(type(value).__name__, len(value))
            for item in value:
                self._visit(item)
        elif isinstance(value, (np.ndarray, np.generic)):
            self._say("array", str(value.dtype), value.shape, value.tobytes())
        elif isinstance(value, frozenset):
            self._say("set", sorted(map(repr, value)))
        elif isinstance(value, (int, float, complex, str, bytes, slice, EllipsisType, NoneType)):
            self._say(value)
        elif isinstance(value, (np.dtype, types.Type)):
            self._say("type", str(value))
        elif hasattr(value, "__name__") and self._is_foreign(module_of(value)):
            self._say("named", module_of(value), value.__name__)
        else:  # such as what a user's own numba.njit has made, with options that are not told
            self._say("object", id(value))
            self.can_cache = False
            self._visit(getattr(value, "py_func", None))

    def _is_foreign(self, module: str) -> bool:
        return module.partition(".")[0] in self._foreign or module.startswith(HERE)

    def _visit_function(self, function: FunctionType) -> None:
        if module_of(function).partition(".")[0] in self._foreign:
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
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        outer = dict(zip(function.__code__.co_freevars, cells, strict=True))
        space = ChainMap(outer, function.__globals__)
        for code in _codes(function.__code__):
            self._say(code.co_code, code.co_names)
            self._visit([value for value in code.co_consts if not isinstance(value, CodeType)])
            # An attribute may have the name of a user's variable, which changes.
            names = _globals(code) if is_users(function) else code.co_names
            for name in (*outer, *names):
                for value in self._found(space.get(name), code.co_names, ()):
                    self._visit(value)

    def _found(self, value: Any, names: tuple[str, ...], within: tuple[Any, ...]) -> Iterator[Any]:
        """The value; of a module, what it has by those names."""
        if not isinstance(value, ModuleType):
            yield value
        elif value not in within and not self._is_foreign(value.__name__):
            for name in names:
                yield from self._found(vars(value).get(name), names, (*within, value))


# What users' rules and functions were when they were compiled.
_COMPILED: dict[Any, str] = {}


def is_changed(value: Any) -> bool:
    """Whether a user's rule or function is not what it was when this was asked first.

    numba remembers what it has made of each function, and goes on with that.
    """
    function, kinds = (None, (value,)) if isinstance(value, type) else (value, ())
    now = Called(function, kinds, {}, FOREIGN | {PACKAGE}).digest
    return _COMPILED.setdefault(value, now) != now


def is_users(value: Any) -> bool:
    """Whether a class or a function is none of this package."""
    return module_of(value).partition(".")[0] != PACKAGE


def module_of(value: Any) -> str:
    """The name of the module that it is from."""
    return getattr(value, "__module__", None) or type(value).__module__


@functools.cache
def _globals(code: CodeType) -> list[str]:
    """The names by which it reads global variables, or what Python has by itself."""
    read = (step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
    return list(dict.fromkeys(read))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of all functions nested in it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def name_of(kind: type) -> str:
    """The name that the class is imported by."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_importable(kind: type) -> bool:
    """Whether another process finds the class under its name."""
    found: Any = None if kind.__module__ == "__main__" else sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind

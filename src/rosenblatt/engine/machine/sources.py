"""Sources of machine code: the functions that are compiled into a kernel, and their constants.

Numba's cache checks the file of a kernel alone. A kernel of ours is compiled together with the rule
it is called with and with all functions that those call, in whatever modules they are. `Sources`
finds them, so that helpers need not be registered by hand and a change of any of them is noticed.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

from numba.core import errors, types
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import builtin_registry
from numba.extending import overload

# Modules that numba handles itself; a change of these is a change of numba's version.
FOREIGN = {*sys.stdlib_module_names, "llvmlite", "numba", "numpy", "scipy"}
# The functions of a rule that are compiled.
COMPILED = ("step", "margin", "foresee")
# Faster sources of plain functions, with their options, for those that have one.
FASTER: dict[Callable[..., Any], tuple[Any, Any]] = {}


def faster(function: Callable[..., Any], **options: Any) -> Callable[[Any], Any]:
    """``numba.extending.overload`` that registers the overload with `Sources`."""

    def decorate(text: Any) -> Any:
        FASTER[function] = text, _settings(options)
        _overloaded(function, text, **options)
        return text

    return decorate


def _overloaded(function: Callable[..., Any], text: Any, **options: Any) -> None:
    """``numba.extending.overload``; inlined functions are typed once, and not compiled alone.

    By default numba infers their types anew at every call, also at nested ones, and compiles
    machine code of functions that are only ever inlined: two thirds of the time to compile a
    kernel.
    """
    overload(function, **options)(text)
    if options.get("inline") == "always":
        template: Any = builtin_registry.functions[-1]
        template.generic = _remembered(template.generic)
        template._get_jit_decorator = _uncompiled(template._get_jit_decorator)


def _remembered(generic: Callable[..., Any]) -> Callable[..., Any]:
    """A template's type inference with a cache of signatures."""
    known: dict[Any, Any] = {}

    def remembered(template: Any, args: Any, kws: Any) -> Any:
        key = template.context, tuple(args), tuple(kws.items()), ConfigStack.top_or_none()
        if key not in known:
            known[key] = generic(template, args, kws)
        return known[key]

    return remembered


def _uncompiled(decorator: Callable[..., Any]) -> Callable[..., Any]:
    """A template's decorator, whose dispatchers are told to compile nothing."""

    def found(template: Any) -> Callable[..., Any]:
        def decorate(**options: Any) -> Callable[..., Any]:
            def dispatcher(function: Callable[..., Any]) -> Any:
                made = decorator(template)(**options)(function)
                made._can_compile = False
                return made

            return dispatcher

        return decorate

    return found


class Sources:
    """All that the machine code of a function, for arguments of some types, is made from.

    Parameters
    ----------
    function : callable
    arguments : sequence of numba types
    options : dict
        Of ``numba.njit``.

    Attributes
    ----------
    helpers : list of function
        The plain functions that are called.
    recursive : set of function
        Those of them that call themselves.
    """

    def __init__(self, function: Callable[..., Any], arguments: Any, options: dict[str, Any]):
        self.helpers: list[Callable[..., Any]] = []
        self.recursive: set[Callable[..., Any]] = set()
        self._digest = hashlib.sha256()
        self._seen: dict[Callable[..., Any], int] = {}
        self._open: list[Callable[..., Any]] = []
        self._visit(_settings(options))
        self._visit(function)
        for kind in classes_of(arguments):
            self._visit(kind)
            for name in COMPILED:
                self._visit(getattr(kind, name, None))

    @property
    def fingerprint(self) -> str:
        """Digest of the sources."""
        return self._digest.hexdigest()

    def register(self) -> None:
        """Register the helpers with numba, to be inlined by LLVM.

        Numba's own inlining gives equally fast code, but warns of variables that a branch does not
        set.
        """
        context: Any = cpu_target.typing_context
        context.refresh()
        for helper in self.helpers:
            try:
                context.resolve_value_type(helper)
            except (ValueError, errors.NumbaError):  # not registered yet
                options: Any = {"forceinline": helper not in self.recursive}
                overload(helper, jit_options=options, strict=False)(_as_it_stands(helper))

    def _say(self, *words: Any) -> None:
        self._digest.update(repr(words).encode())

    def _visit(self, value: Any) -> None:
        if isinstance(value, Dispatcher):
            self._visit(_settings(value.targetoptions))
            self._visit_function(value.py_func)
        elif isinstance(value, FunctionType):
            self._visit_function(value)
        elif isinstance(value, type):
            self._say("class", name_of(value), getattr(value, "_fields", ()))
        elif isinstance(value, (tuple, list)):
            self._say(type(value).__name__, len(value))
            for item in value:
                self._visit(item)
        elif hasattr(value, "tobytes"):
            self._say("array", str(value.dtype), value.shape, value.tobytes())
        elif isinstance(value, (int, float, complex, str, bytes, frozenset, type(None))):
            self._say(_in_order(value))
        elif isinstance(value, types.Type):
            self._say("type", str(value))
        elif hasattr(value, "__wrapped__"):
            # An intrinsic: it generates code with any function of its module.
            with suppress(OSError):  # installed without source files, which then do not change
                self._say("intrinsic", inspect.getsource(sys.modules[value.__module__]))
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
            text, options = FASTER.get(function, (function, None))
            if text is function:
                self.helpers.append(function)
            self._open.append(function)
            self._say("function", function.__qualname__, options)
            self._visit_text(text)
            self._open.pop()

    def _visit_text(self, function: FunctionType) -> None:
        self._visit(function.__defaults__)
        self._visit([cell.cell_contents for cell in function.__closure__ or ()])
        for code in _codes(function.__code__):
            self._say(code.co_code, code.co_names)
            self._visit([value for value in code.co_consts if not isinstance(value, CodeType)])
            for value in _named(code.co_names, function.__globals__, ()):
                self._visit(value)


def _as_it_stands(helper: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *_args, **_named: helper


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


def _settings(options: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted((name, repr(_in_order(value))) for name, value in options.items())


def _in_order(value: Any) -> Any:
    return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value


def classes_of(arguments: Any) -> Iterator[type]:
    """The classes of the named tuples among those types, and within them."""
    for kind in arguments:
        if isinstance(kind, (types.NamedTuple, types.NamedUniTuple)):
            yield kind.instance_class
            yield from classes_of(kind.types)


def name_of(kind: type) -> str:
    """The name that the class is imported by."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_importable(kind: type) -> bool:
    """Whether another process finds the class under its name."""
    found: Any = None if kind.__module__ == "__main__" else sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind

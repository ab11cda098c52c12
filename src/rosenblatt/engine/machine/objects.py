"""Object code that runs without numba, made from what numba has compiled."""

from __future__ import annotations

import ctypes
import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba.core import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from rosenblatt.engine.machine import kept
from rosenblatt.engine.machine.compilation import NoCache, kernel, warned
from rosenblatt.engine.machine.native import (
    C_CONTIGUOUS,
    CLASS,
    DATA,
    DIMENSIONS,
    DTYPE,
    ENTRY,
    FLAGS,
    HEAD,
    IN_ROWS,
    ITEMS,
    OTHER,
    OTHERWISE,
    READ,
    SHAPE,
    STRIDES,
    WORD,
    WRITEABLE,
    Code,
    can_read,
    is_array,
)
from rosenblatt.engine.machine.sources import Sources, classes_of, is_importable
from rosenblatt.engine.machine.texts import OPTIONS

# Types that functions may return, as `struct` formats.
RETURNED = {types.none: "", types.int64: "q", types.float64: "d", types.boolean: "?"}


def made(function: Callable[..., Any], kinds: Any, args: tuple[Any, ...]) -> tuple[Any, bool]:
    """The code for arguments of these kinds, and whether it had to be compiled.

    Code that runs without numba is stored by `kept`, all other code by numba itself.
    """
    numba = _numba(function)
    if not hasattr(numba, "compile"):  # NUMBA_DISABLE_JIT is set
        return numba, False
    taken = tuple(_to_read(numba.typeof_pyval(value)) for value in args)
    if can_read(kinds):
        sources = Sources(function, taken, OPTIONS)
        found = kept.find(function, kinds, sources.fingerprint)
        if found is not None:
            return found, False
        numba = _numba(function, no_cpython_wrapper=True)
        numba._cache = NoCache(function)
        with _unloaded(), _uncollected():
            numba.compile(taken)
        code = code_of(numba.overloads[taken], kinds)
        if code is not None:
            if all(map(is_importable, classes_of(taken))):
                with warned():
                    kept.keep(function, kinds, code, sources.fingerprint)
            return kept.load(code, kinds), True
        numba = _numba(function)
    entry = numba.compile(taken)
    return entry, taken not in numba._cache_hits


def _to_read(kind: Any) -> Any:
    """The type, with read-only arrays for the rows."""
    of = getattr(kind, "instance_class", None)
    if of is None:
        return kind
    parts = [
        part.copy(readonly=True) if of in READ and isinstance(part, types.Array) else _to_read(part)
        for part in kind
    ]
    return types.BaseTuple.from_types(parts, of)


def _numba(function: Callable[..., Any], **options: Any) -> Any:
    """Numba's dispatcher."""
    return kernel(**OPTIONS, **options)(function)


class _Library(JITCodeLibrary):
    """A code library that is optimised, but not turned into machine code."""

    def _finalize_specific(self) -> None:
        pass


class _Unloaded(JITCPUCodegen):
    """Code generation that optimises as numba does for this processor, but loads nothing.

    Machine code is made once, by `code_of`: numba would make it before that, and for every function
    that is compiled into a kernel.
    """

    _library_class = _Library

    def _add_module(self, module: Any) -> None:
        pass

    def set_env(self, env_name: str, env: Any) -> None:
        """Does nothing: code that is not loaded has no environment."""


@functools.cache
def _codegen() -> _Unloaded:
    return _Unloaded("rosenblatt")


@contextmanager
def _unloaded() -> Iterator[None]:
    """Within it, numba optimises what it compiles but does not load it."""
    context: Any = cpu_target.target_context
    with global_compiler_lock:
        earlier, context._internal_codegen = context._internal_codegen, _codegen()
        try:
            yield
        finally:
            context._internal_codegen = earlier


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection, which would go through all that numba makes again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def code_of(result: Any, kinds: Any) -> Code | None:
    """The code of a compile result; None if it returns or calls what only numba provides.

    Numba's function takes pointers for its result and for an error, and its arguments as separate
    fields. An entry function is added here that reads these from Python's tuple of arguments;
    functions that it does not call are removed.
    """
    about = result.fndesc
    returns, made = _returned(about.restype)
    if returns is None:
        return None
    module = llvm.parse_bitcode(result.library._final_module.as_bitcode())
    module.link_in(llvm.parse_assembly(_entry(about.llvm_func_name, kinds)))
    for function in module.functions:
        if not function.is_declaration and function.name != ENTRY:
            function.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=0)
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    target = result.target_context.codegen()._tm
    manager.run(module, llvm.create_pass_builder(target, tuning))
    if not all(map(_is_known, _needed(module))):
        return None
    return Code(returns, made, target.emit_object(module))


def _returned(kind: Any) -> tuple[str | None, str]:
    """The layout of the result, and the class of tuples it is made into."""
    several: Any = kind if isinstance(kind, types.BaseTuple) else None
    if several is None:
        return RETURNED.get(types.unliteral(kind)), ""
    of = getattr(several, "instance_class", tuple)
    parts = [RETURNED.get(part) for part in several]
    layout = "".join(map(str, parts)) if all(part in ("q", "d") for part in parts) else None
    return layout, f"{of.__module__}.{of.__qualname__}"


class _Reading:
    """LLVM instructions that check arguments and read their fields for numba's function."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.parts: list[str] = []
        self._whole = self._known = 0

    def check(self, at: str, kinds: Any, within: Any) -> None:
        """Branch to %other unless the object at that address is of these kinds.

        ``within`` is the class of the tuple that it is an item of.
        """
        if is_array(kinds):
            self._check_address(at, CLASS)
            self._check_address(at, DTYPE)
            self._check(self._loaded("i32", at, DIMENSIONS), "i32", str(kinds[1]))
            mask = IN_ROWS if kinds[2] & C_CONTIGUOUS else OTHERWISE | C_CONTIGUOUS
            if within in READ:
                mask &= ~WRITEABLE
            flags = self._new(f"and i32 {self._loaded('i32', at, FLAGS)}, {mask}")
            self._check(flags, "i32", str(kinds[2]))
        elif isinstance(kinds, tuple):
            self._check_address(at, CLASS)
            self._check_items(at, kinds)
        else:
            self._check_address(at, CLASS)

    def check_all(self, kinds: Any) -> None:
        """Check the arguments, one for each of the kinds."""
        self._check_items("%args", (tuple, *kinds))

    def _check_items(self, at: str, kinds: Any) -> None:
        of, *parts = kinds
        self._check(self._loaded("i64", at, HEAD), "i64", str(len(parts)))
        for k, one in enumerate(parts):
            self.check(self._loaded("ptr", at, ITEMS + WORD * k), one, within=of)

    def _check_address(self, at: str, offset: int) -> None:
        known = self._loaded("i64", "%known", WORD * self._known)
        self._known += 1
        self._check(self._loaded("i64", at, offset), "i64", known)

    def _check(self, value: str, own: str, expected: str) -> None:
        same = self._new(f"icmp eq {own} {value}, {expected}")
        on = f"same{len(self.text)}"
        self.text += [f"br i1 {same}, label %{on}, label %other", f"{on}:"]

    def read(self, at: str, kinds: Any) -> None:
        """Read the fields of the object at that address."""
        if is_array(kinds):
            self._read_array(at, *kinds[:2])
        elif isinstance(kinds, tuple):
            for k, one in enumerate(kinds[1:]):
                self.read(self._loaded("ptr", at, ITEMS + WORD * k), one)
        elif kinds is int:
            self._whole += 1
            self._take("i64", self._loaded("i64", "%words", WORD * self._whole))
        elif kinds is bool:
            true = self._loaded("ptr", "%words", 0)
            is_true = self._new(f"icmp eq ptr {at}, {true}")
            self._take("i8", self._new(f"zext i1 {is_true} to i8"))
        else:
            own = _type(np.dtype(kinds))
            self._take(own, self._loaded(own, at, HEAD))

    def _read_array(self, at: str, dtype: np.dtype, dimensions: int) -> None:
        shape, strides = self._loaded("ptr", at, SHAPE), self._loaded("ptr", at, STRIDES)
        lengths = [self._loaded("i64", shape, WORD * k) for k in range(dimensions)]
        size = "1"
        for length in lengths:
            size = self._new(f"mul i64 {size}, {length}")
        # No reference counter, no parent, the size, the bytes of an item.
        for own, value in (("ptr", "null"), ("ptr", "null"), ("i64", size)):
            self._take(own, value)
        self._take("i64", str(dtype.itemsize))
        self._take("ptr", self._loaded("ptr", at, DATA))
        for length in lengths:
            self._take("i64", length)
        for k in range(dimensions):
            self._take("i64", self._loaded("i64", strides, WORD * k))

    def _take(self, own: str, value: str) -> None:
        self.parts.append(f"{own} {value}")

    def _new(self, instruction: str) -> str:
        name = f"%v{len(self.text)}"
        self.text.append(f"{name} = {instruction}")
        return name

    def _loaded(self, own: str, at: str, offset: int) -> str:
        place = self._new(f"getelementptr i8, ptr {at}, i64 {offset}")
        return self._new(f"load {own}, ptr {place}")


def _type(dtype: np.dtype) -> str:
    """LLVM's name of a number type."""
    if dtype.kind == "f":
        return {4: "float", 8: "double"}[dtype.itemsize]
    return f"i{8 * dtype.itemsize}"


def _entry(name: str, kinds: Any) -> str:
    """LLVM text of the entry function of a compiled function.

    It takes a tuple of arguments, the whole numbers among them as words, a pointer for the result,
    and the addresses of the classes and dtypes to check for, or null for no checks.
    """
    reading = _Reading()
    reading.check_all(kinds)
    reading.text += ["br label %trusted", "trusted:"]
    reading.read("%args", (tuple, *kinds))
    given = ", ".join(["ptr %out", "ptr %error", *reading.parts])
    types = ", ".join(["ptr", "ptr", *(part.split()[0] for part in reading.parts)])
    lines = [
        f'declare i32 @"{name}"({types})',
        f"define i32 @{ENTRY}(ptr %args, ptr %words, ptr %out, ptr %known) {{",
        "%error = alloca ptr",
        "%trusts = icmp eq ptr %known, null",
        "br i1 %trusts, label %trusted, label %check",
        "check:",
        *reading.text,
        f'%status = call i32 @"{name}"({given})',
        "ret i32 %status",
        "other:",
        f"ret i32 {OTHER}",
        "}",
    ]
    return "\n".join(lines)


def _needed(module: Any) -> list[str]:
    """Names that the module does not define."""
    names = [*module.functions, *module.global_variables]
    return [one.name for one in names if one.is_declaration and not one.name.startswith("llvm.")]


def _is_known(name: str) -> bool:
    """Whether every process provides that symbol; False where this cannot be asked (Windows)."""
    try:
        return hasattr(ctypes.CDLL(None), name)
    except TypeError:
        return False

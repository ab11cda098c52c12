"""Machine code called without numba, which reads its arguments from Python's objects.

Numba compiles, but it is not needed to call what it has compiled, and its import takes longer than
a small fit. A function's object code is loaded by llvmlite alone and called through ctypes, which
lets other threads run meanwhile. It is given the tuple of its arguments, and finds the arrays and
numbers in it by the layouts that CPython and NumPy publish in their headers. Only whole numbers,
whose layout changes from version to version, are passed separately as words.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
from numpy import ndarray

from rosenblatt.engine.points import DenseRows, SparseRows

# The symbol that is called from outside. Rename it when its arguments change: code on disk is
# looked up by this name as well.
ENTRY = "rosenblatt_entry_of_read_rows"
# Status codes of numba's functions for success: with a value, or with None.
FINE = (0, -2)
WORD = 8
# NumPy's flags that code depends on. An array that is contiguous both ways counts as C-contiguous.
C_CONTIGUOUS, F_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x2, 0x100, 0x400
IN_ROWS = C_CONTIGUOUS | ALIGNED | WRITEABLE
OTHERWISE = F_CONTIGUOUS | ALIGNED | WRITEABLE
# Classes whose arrays are never written: code for them takes read-only arrays as well (of a memory
# map, of a data frame).
READ = (DenseRows, SparseRows)
# Offsets in an object: of its class, of its own fields, and of the items of a tuple.
CLASS, HEAD, ITEMS = WORD, object.__basicsize__, tuple.__basicsize__
# Offsets of an array's fields: data, the number of dimensions, shape, strides, owner, dtype, flags.
DATA, DIMENSIONS, SHAPE, STRIDES = HEAD, HEAD + WORD, HEAD + 2 * WORD, HEAD + 3 * WORD
DTYPE, FLAGS = HEAD + 5 * WORD, HEAD + 6 * WORD
# Status code of an entry that did not call its function, since arguments are of other kinds.
OTHER = 1000
# Buffers for whole numbers and for the result, each with its address: ctypes passes these fastest.
Room = tuple[Any, int, Any, int]
# Numbers that are stored in their object in plain binary form.
PLAIN: tuple[type, ...] = (float, np.float32, np.integer, np.bool_)


class Code(NamedTuple):
    """A compiled function, and what is needed to call it.

    Attributes
    ----------
    returns : str
        The layout of the result, as a `struct` format; empty for None.
    made : str
        Name of the class of tuples that several values are made into; empty for one value.
    object : bytes
        The object code.
    """

    returns: str
    made: str
    object: bytes


def kind(value: Any) -> Any:
    """The kind of a value: all that machine code for it depends on.

    Examples
    --------
    >>> kind(np.zeros(3)), kind(1.0)
    ((dtype('float64'), 1, 1281), <class 'float'>)
    """
    own = type(value)
    if own is ndarray or issubclass(own, ndarray):
        flags = value.flags.num
        return value.dtype, value.ndim, flags & (IN_ROWS if flags & C_CONTIGUOUS else OTHERWISE)
    if own in READ:
        return (own, *map(_kind_to_read, value))
    if issubclass(own, tuple):
        return (own, *map(kind, value))
    return own


def _kind_to_read(value: Any) -> Any:
    """The kind, without the flag of arrays that may be written."""
    own = kind(value)
    return (*own[:2], own[2] & ~WRITEABLE) if is_array(own) else own


def is_simple(kinds: Any) -> bool:
    """Whether machine code can read values of these kinds by itself.

    Examples
    --------
    >>> is_simple(kind((np.zeros(3), 1, True))), is_simple(kind((None, 1)))
    (True, False)
    """
    if isinstance(kinds, type):
        return issubclass(kinds, (int, *PLAIN))
    return is_array(kinds) or all(map(is_simple, kinds[1:]))


def is_array(kinds: Any) -> bool:
    """Whether this is the kind of an array."""
    return isinstance(kinds, tuple) and isinstance(kinds[0], np.dtype)


def whole_numbers(kinds: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Paths to the whole numbers among arguments of these kinds, which are passed as words."""
    for at, one in enumerate(kinds):
        if one is int:
            yield (*path, at)
        elif isinstance(one, tuple) and not is_array(one):
            yield from whole_numbers(one[1:], (*path, at))


def addresses(kinds: Any) -> Iterator[int]:
    """Addresses of the classes and dtypes of arguments of these kinds, in order of the checks."""
    for one in kinds:
        if is_array(one):
            yield from (id(ndarray), id(one[0]))
        elif isinstance(one, tuple):
            yield id(one[0])
            yield from addresses(one[1:])
        else:
            yield id(one)


@functools.cache
def layouts_are_known() -> bool:
    """Whether the memory layout of arrays, tuples and floats is that of the offsets above."""
    array, number = np.zeros((2, 3)), 1.5
    both = (array, number)

    def word(at: int) -> int:
        return ctypes.c_int64.from_address(at).value

    return (
        word(id(both) + ITEMS) == id(array)
        and word(id(both) + ITEMS + WORD) == id(number)
        and ctypes.c_double.from_address(id(number) + HEAD).value == number
        and word(id(array) + DATA) == array.ctypes.data
        and word(word(id(array) + SHAPE) + WORD) == 3
        and word(word(id(array) + STRIDES)) == 24
        and ctypes.c_int32.from_address(id(array) + DIMENSIONS).value == 2
        and word(id(array) + DTYPE) == id(array.dtype)
        and ctypes.c_int32.from_address(id(array) + FLAGS).value == array.flags.num
        and word(id(both) + CLASS) == id(tuple)
        and word(id(both) + HEAD) == 2
    )


def can_read(kinds: tuple[Any, ...]) -> bool:
    """Whether machine code can read arguments of these kinds by itself."""
    return layouts_are_known() and all(map(is_simple, kinds))


@functools.cache
def target() -> Any:
    """LLVM's target for this process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


class Native:
    """A compiled function, loaded.

    Parameters
    ----------
    code : Code
    kinds : tuple
        Of its arguments.
    made : callable, optional
        Makes the result from several values.
    """

    def __init__(self, code: Code, kinds: Any, made: Callable[..., Any] | None = None):
        self._made = made
        self._returns = struct.Struct(f"<{code.returns}")
        self._out = ctypes.c_char * max(WORD, self._returns.size)
        self._paths = tuple(enumerate(whole_numbers(kinds), start=1))
        self._words = ctypes.c_int64 * (1 + len(self._paths))
        # Buffers of calls that have ended, for reuse.
        self._idle: list[Room] = []
        # A new machine each time, since the engine takes ownership of it.
        machine = target().create_target_machine(codemodel="jitdefault", jit=True)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.object))
        self._engine.finalize_object()
        address = self._engine.get_function_address(ENTRY)
        self._entry = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 4)(address)
        # The kinds keep the objects at these addresses alive.
        self._kinds, known = kinds, tuple(addresses(kinds))
        self._known = (ctypes.c_int64 * len(known))(*known)
        self._known_at = ctypes.addressof(self._known)

    def __call__(self, *args: Any) -> Any:
        """Call the function, without a check that the arguments are of its kinds."""
        return self.tried(args, trusted=True)

    def tried(self, args: tuple[Any, ...], trusted: bool = False) -> Any:
        """The function's result, or `NotImplemented` if the arguments are of other kinds.

        Unless ``trusted``, the code itself compares their classes, dtypes and flags, in a tenth of
        the time of `kind`.
        """
        try:
            room = self._idle.pop()
        except IndexError:  # all buffers are in use, by other threads
            words, out = self._words(id(True)), self._out()
            room = words, ctypes.addressof(words), out, ctypes.addressof(out)
        words, words_at, out, out_at = room
        try:
            for place, path in self._paths:
                value: Any = args
                for at in path:
                    value = value[at]
                words[place] = value
        except (TypeError, IndexError):  # arguments of other kinds
            return NotImplemented
        status = self._entry(id(args), words_at, out_at, None if trusted else self._known_at)
        if status not in FINE:
            if status == OTHER:
                return NotImplemented
            raise RuntimeError(
                f"machine code ended with an error ({status}); set NUMBA_DISABLE_JIT=1 to see where"
            )
        values = self._returns.unpack_from(out)
        self._idle.append(room)
        if self._made is not None:
            return self._made(values)
        return values[0] if values else None

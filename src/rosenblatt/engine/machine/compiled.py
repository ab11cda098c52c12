"""Machine code for the plain functions of ``points`` and ``rules``.

``compiled(f)`` is `f` compiled by numba with all functions that it calls. The code is kept on disk,
where later processes find it, and then need no numba.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rosenblatt.engine.machine.interrupts import Uninterrupted

if TYPE_CHECKING:
    from rosenblatt.engine.machine.native import Native

__all__ = ["Kernel", "compile_seconds", "compiled", "dispatcher"]

_LOCK = threading.RLock()


def compile_seconds() -> float:
    """Seconds that this process has spent on compiling kernels, none for those that were kept.

    Examples
    --------
    >>> compile_seconds() >= 0
    True
    """
    compilation = sys.modules.get("rosenblatt.engine.machine.compilation")
    return compilation.compile_seconds() if compilation else 0.0


class Kernel:
    """The machine code of a plain function, one for each kind of arguments.

    Parameters
    ----------
    function : callable

    Attributes
    ----------
    made : int
        How many had to be compiled; the others were found on disk.
    """

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.made = 0
        self._codes: dict[Any, Any] = {}
        self._latest: Native | None = None

    def __call__(self, *args: Any) -> Any:
        """The function's own call."""
        latest = self._latest
        if latest is not None:
            returned = latest.tried(args)
            if returned is not NotImplemented:
                return returned
        code = self.code(args)
        self._latest = code if hasattr(code, "tried") else None
        return code(*args)

    def code(self, args: tuple[Any, ...]) -> Any:
        """The code for arguments of the same kinds as these."""
        with Uninterrupted():  # the loader is imported late, and an import must not be cut short
            from rosenblatt.engine.machine.native import kind

        kinds = tuple(map(kind, args))
        found = self._codes.get(kinds)
        if found is None:
            with _LOCK, Uninterrupted():
                if kinds not in self._codes:  # unless another thread was faster
                    self._codes[kinds] = self._found(kinds, args)
                found = self._codes[kinds]
        return found

    def _found(self, kinds: Any, args: tuple[Any, ...]) -> Any:
        from rosenblatt.engine.machine import kept
        from rosenblatt.engine.machine.native import can_read

        told_not_to = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
        found = None
        if can_read(kinds) and not told_not_to:
            found = kept.find(self.function, kinds)
        if found is None:
            # An import cut short would leave numba unusable: the caller holds Ctrl-C back.
            from rosenblatt.engine.machine.objects import made

            found, new = made(self.function, kinds, args)
            self.made += new
        return found


@functools.cache
def dispatcher(function: Callable[..., Any]) -> Kernel:
    """The kernel of a plain function."""
    return Kernel(function)


@functools.cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function as machine code, which no Ctrl-C interrupts."""
    code = dispatcher(function)

    def call(*args: Any) -> Any:
        with Uninterrupted():
            return code(*args)

    return call

"""Machine code for plain functions: the one place that compiles, by numba where it is installed.

``compiled(f)`` is `f` compiled by `numba.njit` with all plain functions that it calls, cached on
disk. Without numba it is `f` itself.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import logging
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.engine.machine.interrupts import Uninterrupted

__all__ = ["Kernel", "compile_seconds", "compiled", "compiling", "dispatcher", "has_numba"]

PACKAGE = __name__.partition(".")[0]
NOTICE = "compiling (once; `rosenblatt warm-up` does it beforehand)"
# Measured: a pass over 20,000 dense rows of 300 columns, and of 4.
WITHOUT_NUMBA = (
    "numba is not installed: everything works, as plain Python, which suits some thousand rows and "
    "files up to 10 MB; with it (`pip install numba`) passes are 30 to 500 times as fast"
)
# Of `numba.njit`. Sums may be reordered, so that they can be vectorised; NaN and inf keep their
# meaning. The last one is not documented, and indispensable: without it every look counts
# references to the arrays within `points` and `state`, and a pass over CSR rows takes 9.8 times as
# long, over dense rows of 20 columns 28 times. So kernels write into given arrays.
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract"}, "_nrt": False}

_LOCK = threading.RLock()
_SPENT = [0.0]
# When each thread that compiles now began.
_BEGAN: dict[int, float] = {}


def compile_seconds() -> float:
    """Seconds that this process has spent on compiling kernels, none for those from the cache.

    Examples
    --------
    >>> compile_seconds() >= 0
    True
    """
    return _SPENT[0]


def compiling() -> bool:
    """Whether a kernel is being compiled now."""
    return bool(_BEGAN)


@functools.cache
def has_numba() -> bool:
    """Whether numba is installed and not told to compile nothing; says so once if it is missing."""
    if importlib.util.find_spec("numba") is None:
        logging.getLogger(PACKAGE).warning(WITHOUT_NUMBA)
        return False
    with Uninterrupted():  # an import cut short would leave numba unusable
        numba: Any = importlib.import_module("numba")
    return not numba.config.DISABLE_JIT


class Kernel:
    """A plain function and its machine code, which a cache of its own holds for each rule.

    Parameters
    ----------
    function : callable
    plain : callable, optional
        What runs in its place without numba, if that is not the function itself.

    Examples
    --------
    >>> import numpy as np
    >>> def total(values):
    ...     return values[0] + values[1]
    >>> float(Kernel(total)(np.array([1.0, 2.0])))
    3.0
    """

    def __init__(self, function: Callable[..., Any], plain: Callable[..., Any] | None = None):
        self.function, self.plain = function, plain or function
        self._by_classes: dict[Any, Any] = {}

    def __call__(self, *args: Any) -> Any:
        """The function's own call."""
        known = self._by_classes.get(_classes(args))
        if known is None:
            return self._first(args)
        result = known(*args)
        if _BEGAN:
            _note_end()
        return result

    @property
    def made(self) -> int:
        """How many versions had to be compiled; the others were found on disk."""
        return sum(sum(known.stats.cache_misses.values()) for known in self._numbas())

    @property
    def versions(self) -> int:
        """How many versions there are in this process."""
        return sum(len(known.signatures) for known in self._numbas())

    def _numbas(self) -> list[Any]:
        return [known for known in self._by_classes.values() if hasattr(known, "signatures")]

    def _first(self, args: tuple[Any, ...]) -> Any:
        """The first call for arguments of such classes."""
        if not has_numba():
            return self._by_classes.setdefault(_classes(args), _quiet(self.plain))(*args)
        with Uninterrupted(), _LOCK:
            known = self._by_classes.get(_classes(args)) or _dispatcher(self.function, args)
            began, before = time.perf_counter(), len(known.stats.cache_misses)
            try:
                result = known(*args)
            except (pickle.PickleError, EOFError, AttributeError, ImportError):  # a damaged cache
                known = _dispatcher(self.function, args, cached=False)
                result = known(*args)
            if not _note_end() and len(known.stats.cache_misses) > before:
                _SPENT[0] += time.perf_counter() - began
            self._by_classes[_classes(args)] = known
        return result


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as its machine code is: it warns of no numbers, and returns Python's own."""
    import numpy as np

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            found = function(*args)
        return found.item() if isinstance(found, np.generic) else found

    return call


def _classes(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The classes of named tuples among arguments, and within them."""
    return tuple([(type(value), _classes(value)) for value in args if isinstance(value, tuple)])


def _dispatcher(function: Callable[..., Any], args: tuple[Any, ...], cached: bool = True) -> Any:
    """What numba makes of the function, to be called with arguments of these classes."""
    from rosenblatt.engine.machine import overloads
    from rosenblatt.engine.machine.cache import folder_for
    from rosenblatt.engine.machine.called import Called

    numba: Any = importlib.import_module("numba")
    called = Called(function, args, overloads.FASTER)
    for helper in called.helpers:
        overloads.register(helper, recursive=helper in called.recursive)
    folder = folder_for(called.digest) if cached and called.is_importable else None
    with _caching_in(numba.config, folder):
        try:
            return numba.njit(cache=folder is not None, **OPTIONS)(function)
        except RuntimeError:  # no file to which the function belongs
            return numba.njit(**OPTIONS)(function)


@contextmanager
def _caching_in(config: Any, folder: Any) -> Iterator[None]:
    """Within it, numba caches what it is given in that folder."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder or before)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def note_compiling() -> None:
    """Note that numba compiles a kernel in this thread; the first time, say so."""
    if threading.get_ident() not in _BEGAN:
        _BEGAN[threading.get_ident()] = time.perf_counter()
        _say_so()


def _note_end() -> bool:
    """Note that the kernel of this thread has run; whether it was compiled."""
    began = _BEGAN.pop(threading.get_ident(), None)
    if began is not None:
        _SPENT[0] += time.perf_counter() - began
    return began is not None


@functools.cache
def _say_so() -> None:
    logging.getLogger(PACKAGE).warning(NOTICE)


@functools.cache
def dispatcher(function: Callable[..., Any], plain: Callable[..., Any] | None = None) -> Kernel:
    """The kernel of a plain function."""
    return Kernel(function, plain)


@functools.cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function as machine code, which no Ctrl-C interrupts."""
    code = dispatcher(function)

    def call(*args: Any) -> Any:
        with Uninterrupted():
            return code(*args)

    return call

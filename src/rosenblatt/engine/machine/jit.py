"""Machine code for plain functions: the one place that compiles, by numba where it is installed.

``compiled(f)`` is `f` compiled by `numba.njit` with all plain functions that it calls, cached on
disk. Without numba it is `f` itself.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.errors import users_line

__all__ = ["Kernel", "compile_seconds", "compiled", "compiling", "dispatcher", "has_numba"]

PACKAGE = __name__.partition(".")[0]
NOTICE = "compiling (once; `rosenblatt warm-up` does it beforehand)"
# Measured: a pass over 20,000 dense rows of 300 columns, and of 4.
WITHOUT_NUMBA = (
    "numba is not installed: everything works, as plain Python, which suits some thousand rows and "
    "files up to 10 MB; with it (`pip install numba`) passes are 30 to 500 times as fast"
)
CHANGED = (
    "{} or a function that it calls was changed after it had been compiled, so it runs as plain "
    "Python from now on; a new process, or a notebook's kernel that is restarted, compiles it anew"
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
        self.function, self.plain = function, _quiet(plain or function)
        self._by_classes: dict[Any, Code] = {}

    def __call__(self, *args: Any) -> Any:
        """The function's own call."""
        known = self._by_classes.get(_classes(args))
        if known is None:
            return self._first(args)
        if known.rules and _any_changed(known.rules):
            return self.plain(*args)
        try:
            return known.call(*args)
        except Exception as error:
            if not known.is_mended(error, args):
                raise
            return known.call(*args)
        finally:
            if _BEGAN:
                _note_end()

    @property
    def made(self) -> int:
        """How many versions had to be compiled; the others were found on disk."""
        return sum(sum(known.call.stats.cache_misses.values()) for known in self._numbas())

    @property
    def versions(self) -> int:
        """How many versions there are in this process."""
        return sum(len(known.call.signatures) for known in self._numbas())

    def _numbas(self) -> list[Code]:
        return [known for known in self._by_classes.values() if hasattr(known.call, "signatures")]

    def _first(self, args: tuple[Any, ...]) -> Any:
        """The first call for arguments of such classes."""
        with Uninterrupted():
            with _LOCK:
                if _classes(args) not in self._by_classes:
                    code = self._compiled(args) if has_numba() else Code(self.plain)
                    self._by_classes[_classes(args)] = code
            before, spent, began = self.made, _SPENT[0], time.perf_counter()
            result = self(*args)
            if self.made > before and _SPENT[0] == spent:  # no helper told when it began
                _SPENT[0] += time.perf_counter() - began
            return result

    def _compiled(self, args: tuple[Any, ...]) -> Code:
        """What numba makes of the function, to be called with arguments of these classes."""
        from rosenblatt.engine.machine import overloads
        from rosenblatt.engine.machine.cache import folder_for
        from rosenblatt.engine.machine.called import Called, is_users

        kinds = list(_classes(args))
        called = Called(self.function, kinds, overloads.FASTER)
        rules = list(filter(is_users, kinds))
        if _any_changed([*rules, *filter(is_users, called.helpers)]):
            return Code(self.plain)
        for helper in called.helpers:
            overloads.register(helper, recursive=helper in called.recursive)
        folder = folder_for(called.digest) if called.can_cache else None
        return Code(_dispatcher(self.function, folder), folder, rules)


class Code:
    """What runs a function for arguments of some classes.

    Parameters
    ----------
    call : callable
        The plain function, or what numba makes of it.
    folder : Path, optional
        Where numba caches that.
    rules : list of type
        Users' classes that it is made for.
    """

    def __init__(self, call: Any, folder: Path | None = None, rules: list[type] | None = None):
        self.call, self.folder, self.rules = call, folder, rules or []

    def is_mended(self, error: Exception, args: tuple[Any, ...]) -> bool:
        """Whether the cache failed, not the function, and the call can be made once more."""
        from rosenblatt.engine.machine.cache import emptied, warn_of

        if self.folder is None:
            return False
        numba: Any = importlib.import_module("numba")
        loaded = tuple(map(numba.typeof, args)) in self.call.signatures
        if isinstance(error, OSError):  # machine code raises none
            warn_of(self.folder, error)
        elif loaded or isinstance(error, numba.NumbaError):
            return False
        if not loaded:
            self.folder = None if isinstance(error, OSError) else emptied(self.folder)
            self.call = _dispatcher(self.call.py_func, self.folder)
        return True


def _any_changed(values: list[Any]) -> bool:
    """Whether users' rules, or functions, have changed since they were compiled; then say so."""
    from rosenblatt.engine.machine.called import is_changed

    changed = [value.__name__ for value in values if is_changed(value)]
    if changed:
        warnings.warn(CHANGED.format(changed[0]), RuntimeWarning, stacklevel=users_line())
    return bool(changed)


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as its machine code is: it warns of no numbers, and returns Python's own."""
    import numpy as np

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            found = function(*args)
        return found.item() if isinstance(found, np.generic) else found

    return call


def _classes(args: tuple[Any, ...]) -> tuple[type, ...]:
    """The classes of named tuples among arguments, and then of those within them."""
    classes, values = [], list(args)
    for value in values:
        if isinstance(value, tuple):
            classes.append(type(value))
            values.extend(value)
    return tuple(classes)


def _dispatcher(function: Callable[..., Any], folder: Path | None) -> Any:
    """What numba makes of the function, cached in that folder."""
    numba: Any = importlib.import_module("numba")
    with _caching_in(numba.config, folder):
        try:
            return numba.njit(cache=folder is not None, **OPTIONS)(function)
        except RuntimeError:  # no file to which the function belongs
            return numba.njit(**OPTIONS)(function)


@contextmanager
def _caching_in(config: Any, folder: Path | None) -> Iterator[None]:
    """Within it, numba caches what it is given in that folder, wherever it is told to."""
    before = {name: getattr(config, name, "") for name in ("CACHE_DIR", "CACHE_LOCATOR_CLASSES")}
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(folder or ""), ""
    try:
        yield
    finally:
        vars(config).update(before)


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

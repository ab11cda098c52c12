"""Compilation by numba: cached on disk where possible, timed, and announced in the log.

Every kernel of the package is compiled by `kernel`. Numba's events tell when it really compiles;
code loaded from the cache raises none.
"""

from __future__ import annotations

import functools
import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.errors import users_line

with Uninterrupted():  # an import cut short would leave numba unusable
    import numba
    from numba.core import event
    from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
    from numba.core.runtime.nrt import rtsys
    from numba.core.sigutils import normalize_signature

    from rosenblatt.engine.machine.sources import Sources, classes_of, is_importable, name_of

PACKAGE = __name__.partition(".")[0]
NOTICE = "compiling (once; `rosenblatt warm-up` does it beforehand)"
UNCACHED = (
    "no folder for numba's cache can be written, so machine code is compiled anew in each process; "
    "set NUMBA_CACHE_DIR to a folder that can"
)


class Compilations(event.Listener):
    """Seconds that numba spent on kernels of this package; the first compilation is logged.

    Attributes
    ----------
    seconds : float
        Of all finished compilations, nested ones counted once.
    running : bool
        Whether one is in progress.
    """

    def __init__(self) -> None:
        self.seconds, self._depth, self._began = 0.0, 0, 0.0
        self._told = False

    @property
    def running(self) -> bool:
        """Whether a kernel is being compiled now."""
        return self._depth > 0

    def on_start(self, event: Any) -> None:
        """Note the start of a compilation."""
        if not _is_ours(event):
            return
        if self._depth == 0:
            self._began = time.perf_counter()
        self._depth += 1
        if not self._told:
            self._told = True
            logging.getLogger(PACKAGE).warning(NOTICE)

    def on_end(self, event: Any) -> None:
        """Note the end of a compilation."""
        if not _is_ours(event):
            return
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began


def _is_ours(event: Any) -> bool:
    return event.data["dispatcher"].py_func.__module__.partition(".")[0] == PACKAGE


COMPILATIONS = Compilations()
event.register("numba:compile", COMPILATIONS)


def compile_seconds() -> float:
    """Seconds that this process has spent on compiling kernels, none for those from the cache.

    Examples
    --------
    >>> compile_seconds() >= 0
    True
    """
    return COMPILATIONS.seconds


class _CacheFile(IndexDataCacheFile):
    """Numba's cache files with one entry per signature: code of older sources is replaced."""

    def save(self, key: Any, data: Any) -> None:
        super().save(key[:-1], (key, data))

    def load(self, key: Any) -> Any:
        made_for, data = super().load(key[:-1]) or (None, None)
        return data if made_for == key else None


class _Cache(FunctionCache):
    """Numba's cache with a key that covers all sources; a full disk only warns.

    The key is text: with numba's own key, every process would import the modules of all rules ever
    compiled. Cached code is looked up before numba's compiler is imported, which takes longer than
    a small fit; only the runtime that the code may call is initialised.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]):
        super().__init__(function)
        self._options = options
        # The fingerprint detects changes, so the file's time and the line number are not needed.
        name = f"{function.__module__}.{function.__qualname__}.{sys.implementation.cache_tag}"
        name = name.replace("<", "").replace(">", "")
        self._cache_file = _CacheFile(self._cache_path, name, source_stamp=None)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        arguments, _ = normalize_signature(sig)
        names = tuple(map(name_of, classes_of(arguments)))
        sources = Sources(self._py_func, arguments, self._options)
        return str(sig), names, codegen.magic_tuple(), sources.fingerprint

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
            if found is not None:
                return found
        target_context.refresh()
        _register_helpers(self._py_func, sig)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        arguments, _ = normalize_signature(sig)
        if not all(map(is_importable, classes_of(arguments))):
            return  # a class of a script, a notebook or a function: no other process has it
        with warned():
            super().save_overload(sig, data)


class NoCache(NullCache):
    """A cache that stores nothing."""

    def __init__(self, function: Callable[..., Any]):
        self._py_func = function

    def load_overload(self, sig: Any, target_context: Any) -> None:
        """Finds nothing; registers the helpers of the function, which is about to be compiled."""
        _register_helpers(self._py_func, sig)


def _register_helpers(function: Callable[..., Any], sig: Any) -> None:
    Sources(function, normalize_signature(sig)[0], {}).register()


@contextmanager
def warned() -> Iterator[None]:
    """Turn a failure to write into a warning, given once."""
    try:
        yield
    except OSError:
        _warn_uncached()


@functools.cache
def _warn_uncached() -> None:
    warnings.warn(UNCACHED, RuntimeWarning, stacklevel=users_line())


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function at its first call, without Python objects, cached where possible.

    The plain functions that it calls, in whatever modules they are, are compiled with it.

    Parameters
    ----------
    **options
        Of ``numba.njit``.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        made: Any = numba.njit(**options)(function)
        if hasattr(made, "compile"):  # else NUMBA_DISABLE_JIT is set
            try:
                made._cache = _Cache(function, options)
            except RuntimeError:  # numba found no folder to write to
                made._cache = NoCache(function)
                _warn_uncached()
        return made

    return decorate

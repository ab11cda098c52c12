"""Machine code as it is made: cached on disk where that is possible, timed and announced.

Every kernel of the package is compiled by `kernel`. Numba says through its events when it really
compiles; code that was loaded from the cache makes none. Imports numba: import this late.
"""

from __future__ import annotations

import functools
import logging
import time
import warnings
from collections.abc import Callable
from typing import Any

from rosenblatt.engine.machine.interrupts import Uninterrupted

with Uninterrupted():  # an import cut short would leave numba unusable
    import numba
    from numba.core import event
    from numba.core.caching import FunctionCache
    from numba.core.runtime.nrt import rtsys

PACKAGE = __name__.partition(".")[0]
NOTICE = "compiling (once; `rosenblatt warm-up` does it beforehand)"
UNCACHED = (
    "no folder for numba's cache can be written, so machine code is compiled anew in each process; "
    "set NUMBA_CACHE_DIR to a folder that can"
)


class Compilations(event.Listener):
    """Seconds that numba took for kernels of this package; the first is announced to the log.

    Attributes
    ----------
    seconds : float
        All compilations that have ended, those within others counted once.
    running : bool
        Whether one is going on.
    """

    def __init__(self) -> None:
        self.seconds, self._depth, self._began = 0.0, 0, 0.0
        self._told = False

    @property
    def running(self) -> bool:
        """Whether a kernel is being compiled now."""
        return self._depth > 0

    def on_start(self, event: Any) -> None:
        """Take note of a compilation that begins."""
        if not _is_ours(event):
            return
        if self._depth == 0:
            self._began = time.perf_counter()
        self._depth += 1
        if not self._told:
            self._told = True
            logging.getLogger(PACKAGE).warning(NOTICE)

    def on_end(self, event: Any) -> None:
        """Take note of its end."""
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


class _Cache(FunctionCache):
    """Numba's cache; a full disk costs the next process a compilation, not this one its work.

    Code that is found needs nothing that numba compiles with, whose import takes longer than a
    small fit; numba itself would import it before it looks. The runtime that code may call is made.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
            if found is not None:
                return found
        target_context.refresh()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            _warn_uncached()


@functools.cache
def _warn_uncached() -> None:
    warnings.warn(UNCACHED, RuntimeWarning, stacklevel=3)


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function at its first call, without Python objects, cached where that is possible.

    Parameters
    ----------
    **options
        Of ``numba.njit``.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        made: Any = numba.njit(**options)(function)
        if hasattr(made, "compile"):  # else numba was told to compile nothing
            try:
                made._cache = _Cache(function)
            except RuntimeError:  # numba's word for: nowhere to write
                _warn_uncached()
        return made

    return decorate

"""Imports put off until something is needed of them."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

# numba looks for SciPy's BLAS when it starts, which takes longer than a small fit, and no machine
# code of ours calls it.
LATE = ("scipy.linalg.cython_blas",)


class Later(types.ModuleType):
    """A module that is imported when something of it is asked for.

    Examples
    --------
    >>> import sys
    >>> _ = sys.modules.pop("colorsys", None)
    >>> sys.modules["colorsys"] = Later("colorsys")
    >>> import colorsys
    >>> colorsys.rgb_to_hsv(0, 0, 0), type(sys.modules["colorsys"]).__name__
    ((0.0, 0.0, 0), 'module')
    """

    def __getattr__(self, name: str) -> Any:
        # What the import system asks of any module; compiled ones offer their functions by the last
        if name.startswith("__") and name != "__pyx_capi__":
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def put_off() -> None:
    """Have the modules of `LATE` imported when they are used, unless they are there."""
    for name in LATE:
        sys.modules.setdefault(name, Later(name))

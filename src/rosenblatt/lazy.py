"""Imports put off until something is needed of them, and values computed when first read."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """`functools.cached_property` as it is from Python 3.12 on: without a lock.

        Before, one lock of the class is held while a value is computed, so that threads which
        compute it of their own objects, such as the passes of their runs, wait for each other.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


__all__ = ["LATE_FOR_SKLEARN", "Later", "cached_property", "without"]

# What is asked of a module by whoever is about to use it: the import system of a package, numba of
# compiled functions. Other names of this kind are asked of all modules, used or not.
ASKED_OF_USED = ("__path__", "__all__", "__version__", "__pyx_capi__")

# scikit-learn imports these for functions that none of its estimators' base classes, checks or data
# sets call; they take longer than all else of its import together.
LATE_FOR_SKLEARN = ("pandas", "scipy.stats")


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
        if sys.modules.get(self.__name__) is self:
            if name.startswith("__") and name not in ASKED_OF_USED:
                raise AttributeError(name)
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)

    def __reduce__(self) -> Any:
        # Whoever imports it in another thread meanwhile keeps this, and may pickle what uses it.
        return importlib.import_module, (self.__name__,)


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Import what imports those modules, and not them: they come when something of them is used.

    Afterwards there is no trace of it: who imports one of them gets the module itself, and so does
    who imported it meanwhile and then uses it. Modules that are there stay, and those that are not
    installed are not found.

    Parameters
    ----------
    *names : str
        Of a submodule, the package must import it when asked for the attribute, as SciPy does.

    Examples
    --------
    >>> import sys
    >>> _ = sys.modules.pop("colorsys", None)
    >>> with without("colorsys"):
    ...     import colorsys
    >>> "colorsys" in sys.modules, colorsys.rgb_to_hsv(0, 0, 0)
    (False, (0.0, 0.0, 0))
    """
    absent = [name for name in names if name not in sys.modules]
    late = {name: Later(name) for name in absent if importlib.util.find_spec(name)}
    sys.modules.update(late)
    try:
        yield
    finally:
        for name, module in late.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]

"""scikit-learn, imported without what takes longest and no command uses."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any


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
        if name.startswith("__"):  # what the import system asks of any module
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_sklearn() -> None:
    """Import scikit-learn's base without SciPy's statistics and pandas: in half of the time.

    It uses neither but for data that comes in pandas' frames, and can be without both.
    """
    if "sklearn.utils.fixes" in sys.modules:
        return
    if "scipy.stats" not in sys.modules:
        sys.modules["scipy.stats"] = Later("scipy.stats")
    block = "pandas" not in sys.modules
    if block:
        sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("sklearn.utils.fixes")
    finally:
        if block:
            del sys.modules["pandas"]

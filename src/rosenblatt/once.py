"""Values that are computed when they are first read."""

from __future__ import annotations

import functools
import sys
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


__all__ = ["cached_property"]

"""What a short command does not wait for: imports and conversions."""

from __future__ import annotations

import sys
from typing import Any

from rosenblatt.later import Later

# numba looks for SciPy's BLAS when it starts, which takes longer than a small fit, and no machine
# code of ours calls it.
LATE = ("scipy.linalg.cython_blas",)


def put_off() -> None:
    """Have the modules of `LATE` imported when they are used, unless they are there."""
    for name in LATE:
        sys.modules.setdefault(name, Later(name))


class AsGiven:
    """Takes text for text and defaults for what they are; typer converts every other value.

    typer converts by pydantic, whose import takes a sixth of a short command.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of a parameter, as typer asks for it."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        text = param.type_descriptor.annotation in (str, str | None)
        default = type(value) is type(param.default) and value == param.default
        if default or (text and isinstance(value, str)):
            return value
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def without_conversion(options: list[Any]) -> list[Any]:
    """Options and arguments that take what needs no conversion as it is given."""
    for option in options:
        if getattr(option, "_runtime_param", True) is None:  # as typer has it
            option._runtime_param = AsGiven()
    return options

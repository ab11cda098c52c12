"""What a short command does not wait for: imports and conversions."""

from __future__ import annotations

import re
import sys
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from rosenblatt.later import Later

# numba looks for SciPy's BLAS when it starts, which takes longer than a small fit, and no machine
# code of ours calls it.
LATE = ("scipy.linalg.cython_blas",)


def put_off() -> None:
    """Have the modules of `LATE` imported when they are used, unless they are there."""
    for name in LATE:
        sys.modules.setdefault(name, Later(name))


def verb_alone(app: Any, words: list[str]) -> None:
    """Reduce an app to the verb that the words begin with, if they do.

    typer looks through the options of all verbs before it runs one.
    """
    first = words[0] if words else ""
    verbs = app.registered_commands
    named = [one for one in verbs if (one.name or one.callback.__name__) == first]
    app.registered_commands = named or verbs


# Texts of which nobody doubts what number they are; typer decides about all others.
NUMBERS = {
    int: re.compile(r"-?(0|[1-9][0-9]{0,17})"),
    float: re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]{1,2})?"),
}


class AsGiven:
    """Takes defaults, flags, text, choices and plain numbers; typer converts every other value.

    typer converts by pydantic, whose import takes a sixth of a short command.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of a parameter, as typer asks for it."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if type(value) is type(param.default) and value == param.default:
            return value
        about = param.type_descriptor
        found = as_kind(value, about.annotation)
        if found is not None and about.parameter_info.min is about.parameter_info.max is None:
            return found
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def as_kind(value: Any, kind: Any) -> Any:
    """What was given, as a class, a choice, or one of these or None; None where in doubt.

    Examples
    --------
    >>> as_kind("12", int), as_kind("1e-3", float), as_kind("no", Literal["yes", "no"])
    (12, 0.001, 'no')
    >>> as_kind("12", int | None), as_kind("no", Literal["yes", "no"] | None)
    (12, 'no')
    >>> as_kind("1_000", int), as_kind(True, int), as_kind("no", bool)
    (None, None, None)
    """
    kinds = get_args(kind)
    if get_origin(kind) is Literal:
        return value if value in kinds else None
    if len(kinds) == 2 and kinds[1] is NoneType:
        return as_kind(value, kinds[0])
    if kind in (str, bool):
        return value if type(value) is kind else None
    if kind in NUMBERS and isinstance(value, str) and NUMBERS[kind].fullmatch(value):
        return kind(value)
    return None


def without_conversion(options: list[Any]) -> list[Any]:
    """Options and arguments that take what needs no conversion as it is given."""
    for option in options:
        if getattr(option, "_runtime_param", True) is None:  # as typer has it
            option._runtime_param = AsGiven()
    return options

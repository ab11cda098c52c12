"""What figures take: the kinds of their parameters, wrong ones refused by name; and their style.

What is drawn, ``source`` and ``X`` and ``y``, is refused where it is read: `sources`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from rosenblatt.arguments import (
    FLAG,
    TEXT,
    Expected,
    checked,
    either,
    is_names,
    is_number,
    is_numbers,
    is_whole,
    optional,
)
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.style import house_style

Draw = TypeVar("Draw", bound=Callable[..., Any])


def is_axes(value: Any) -> bool:
    """Whether it can be drawn on; a class of axes cannot."""
    return hasattr(value, "get_facecolor") and hasattr(value, "plot") and not callable(value)


def are_axes(value: Any) -> bool:
    """Whether it is axes, one or many."""
    return all(map(is_axes, np.asarray(value, dtype=object).ravel()))


def is_finite(value: Any) -> bool:
    """Whether it is a number that is not NaN nor infinite."""
    return is_number(value) and math.isfinite(value)


def are_finite(value: Any) -> bool:
    """Whether it is an array of such numbers."""
    return is_numbers(value) and bool(np.isfinite(np.asarray(value, dtype=float)).all())


def are_positive(value: Any) -> bool:
    """Whether it is an array of one dimension, of numbers above 0."""
    return are_finite(value) and np.ndim(value) == 1 and bool((np.asarray(value) > 0).all())


FINITE = Expected("a finite number", is_finite)
ABOVE_0 = Expected("a finite number above 0", lambda value: is_finite(value) and value > 0)
FROM_0 = Expected("a finite number from 0 on", lambda value: is_finite(value) and value >= 0)
FROM_1 = Expected("a whole number from 1 on", lambda value: is_whole(value) and value >= 1)
FINITES = Expected("an array of finite numbers", are_finite)
SIZES = Expected("a sequence of numbers above 0", are_positive)
VECTOR = Expected(
    "a vector of the plane, two finite numbers",
    lambda value: are_finite(value) and np.shape(value) == (2,),
)
VIEW = either(Expected("'auto', 'w', 'lda', 'pca'", TEXT.fits), Expected("two columns", is_names))
SHAPE = Expected(
    "(height, width) in pixels",
    lambda value: is_names(value) and len(value) == 2 and all(map(FROM_1.fits, value)),
)

# By name, as the parameters of other functions (`rosenblatt.arguments.ARGUMENTS`).
FIGURES: dict[str, Expected | None] = {
    **dict.fromkeys(("bias", "centre", "regions", "normal", "slab", "mistakes", "sides"), FLAG),
    **dict.fromkeys(("most", "frames", "inputs"), FROM_1),
    **dict.fromkeys(("fps", "dpi", "eta"), ABOVE_0),
    **dict.fromkeys(("elevation", "azimuth"), optional(FINITE)),
    **dict.fromkeys(("title", "size", "kind"), optional(Expected("text", TEXT.fits))),
    **dict.fromkeys(("w", "u", "v"), VECTOR),
    **dict.fromkeys(("points", "features", "margins"), SIZES),
    "ax": optional(Expected("matplotlib Axes, one of them", is_axes)),
    "axes": optional(Expected("a sequence of matplotlib Axes", are_axes)),
    "gamma": optional(FROM_0),
    "steps": optional(FINITES),
    "view": VIEW,
    "shape": optional(SHAPE),
    "weights": None,  # read as a source
}


def figure(**own: Expected | None) -> Callable[[Draw], Draw]:
    """A public figure: refuses arguments of the wrong kind, and draws in the house style.

    Parameters
    ----------
    **own : Expected or None
        Kinds of parameters whose names have none in ``FIGURES``, or another.

    Examples
    --------
    >>> @figure()
    ... def empty(*, title="", ax=None):
    ...     return title
    >>> empty(title=3)
    Traceback (most recent call last):
    rosenblatt.errors.InputError: title must be text or None, got 3 (an int).
    """

    def decorate(draw: Draw) -> Draw:
        call = checked(**{**FIGURES, **own})(draw)

        @wraps(draw)
        def inner(*args: Any, **kwargs: Any) -> Any:
            given = kwargs.get("ax") is not None or kwargs.get("axes") is not None
            with house_style(given):
                return call(*args, **kwargs)

        return cast(Draw, inner)

    return decorate


def rows_among(rows: Any, n: int, name: str) -> np.ndarray:
    """Row numbers of n points, or an error that calls them by their name.

    Examples
    --------
    >>> rows_among([0, 7], 5, "rows")
    Traceback (most recent call last):
    rosenblatt.errors.InputError: rows must be row numbers from 0 to 4, got [0, 7].
    """
    found = np.asarray(rows) if is_numbers(rows) else np.full(1, -1)
    whole = found.ndim == 1 and (found.dtype.kind in "iu" or not found.size)
    if not whole or ((found < 0) | (found >= n)).any():
        raise InputError(f"{name} must be row numbers from 0 to {n - 1}, got {rows!r}.")
    return found.astype(int)

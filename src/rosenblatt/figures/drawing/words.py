"""What is written on figures: classes, features, and both on a web page."""

from __future__ import annotations

import numbers
import textwrap
from collections.abc import Sequence
from typing import Any

from rosenblatt.errors import InputError

LONGEST = 36  # letters of a class's name


def named(classes: Sequence[Any]) -> list[str]:
    """The classes in words, with a proper minus, and a plus where −1 and +1 are the classes.

    Examples
    --------
    >>> named((-1, 1)), named(("cat", "dog"))
    (['−1', '+1'], ['cat', 'dog'])
    """
    if len(classes) == 2 and tuple(classes) == (-1, 1):
        return ["−1", "+1"]
    return [_named(label) for label in classes]


def _named(label: Any) -> str:
    """A class in words that fit into a legend; a minus only where there is a number."""
    if isinstance(label, numbers.Real):
        words = str(label) if isinstance(label, numbers.Rational) else f"{label:.4g}"
        return words.replace("-", "−")
    words = str(label)
    return (words if len(words) <= LONGEST else words[: LONGEST - 1] + "…").replace("$", r"\$")


def in_html(label: str) -> str:
    """The words of an axis or a legend without the marks that matplotlib reads.

    Examples
    --------
    >>> in_html("$x_{1}$")
    'x₁'
    """
    plain = label.replace(r"$\perp$", "⊥").replace("$x_{1}$", "x₁").replace("$x_{2}$", "x₂")
    return plain.replace(r"\$", "$").replace("\n", " ")


def names_of(source: Any, d: int, names: Any = None, X: Any = None) -> tuple[str, ...]:
    """The names given for d features, or those that X, a Trace or an estimator have; maybe none."""
    if names is not None:
        if len(names) != d:
            raise InputError(f"names must be {d}, one a feature, got {len(names)}.")
        return tuple(map(str, names))
    known = (getattr(X, "columns", ()), getattr(source, "names", ()))
    for found in (*known, getattr(source, "feature_names_in_", ())):
        if len(found) == d:
            return tuple(map(str, found))
    return ()


def feature_labels(names: tuple[str, ...], d: int) -> list[str]:
    """What d features are called on an axis: their names, or x₁, x₂, …"""
    return [on_an_axis(name) for name in names] or [f"$x_{{{k + 1}}}$" for k in range(d)]


def on_an_axis(name: str) -> str:
    """A name in lines that fit beside an axis, its dollars no mathematics.

    Examples
    --------
    >>> print(on_an_axis("mean area of the cell's nucleus in mm²"))
    mean area of the cell's nucleus in mm²
    >>> print(on_an_axis("what a house costs the buyer, taxes and all"))
    what a house costs the buyer, taxes and
    all
    """
    return textwrap.fill(name, 40).replace("$", r"\$")

"""How numbers and vectors of a trace are written, and where the bias stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import InputError

SHOWN_TERMS = 8  # of a vector or a sum of products


def check_bias(place: str) -> str:
    """Refuse a place for the bias that is neither first nor last."""
    if place not in ("first", "last"):
        raise InputError(f"bias must be 'first' or 'last', got {place!r}.")
    return place


def place_bias(fit_intercept: bool, now: str, wanted: str, vector: Any) -> Any:
    """Move the bias of one or more weight vectors from one end to the other."""
    if not fit_intercept or now == wanted:
        return vector
    # np.roll does the same, ten times slower on a few numbers, and a table has thousands.
    vector, cut = np.asarray(vector), -1 if wanted == "first" else 1
    return np.concatenate((vector[..., cut:], vector[..., :cut]), axis=-1)


def shown_vector(vector: Any, fit_intercept: bool, bias: str) -> Any:
    """A vector of the engine, whose bias is last and always there, as the user wants it."""
    return place_bias(True, "last", bias, vector) if fit_intercept else vector[..., :-1]


def as_text(value: Any) -> str:
    """A number or vector as it is printed."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        value = value.tolist()  # numpy's own floats are written slowly, and a table has thousands
    if isinstance(value, list | tuple):
        return f"[{', '.join(elided([as_text(x) for x in value]))}]"
    return str(value)


def factor_texts(vector: np.ndarray, lead: bool = False) -> list[str]:
    """Numbers inside products, in brackets where a sign or a slash could be misread.

    Those that lead their products need none around the sign of the very first.
    """
    texts = [as_text(value) for value in vector.tolist()]
    return [
        f"({text})" if "/" in text or (text.startswith("-") and (k or not lead)) else text
        for k, text in enumerate(texts)
    ]


def signed_text(update: Any, plus: bool) -> str:
    """An update, with the sign it is applied with."""
    return f"+ {as_text(update)}" if plus else f"- {as_text(0 - update)}"


def elided(items: list[str]) -> list[str]:
    """The items, with an ellipsis where there are too many."""
    if len(items) <= SHOWN_TERMS:
        return items
    return [*items[: SHOWN_TERMS - 2], "…", items[-1]]

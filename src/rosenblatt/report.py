"""What is found out about a model and its data, as plain data and in words. Imports nothing."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import combinations
from typing import Any

VERDICTS = {
    "SEPARABLE": "The classes are linearly separable.",
    "INSEPARABLE": "The classes are not linearly separable.",
    "UNDECIDED": "Whether the classes are linearly separable is undecided.",
}
SHOWN_WEIGHTS = 10


def accuracy(model: Any, X: Any, y: Any, words: list[Any]) -> dict[str, Any]:
    """Share of right predictions with its 95 % interval (Wilson 1927), and the confusions.

    Parameters
    ----------
    model, X, y
    words : list
        What the classes are called.
    """
    return accuracy_in_parts(model, [(X, y)], words)


def accuracy_in_parts(
    model: Any, parts: Iterable[tuple[Any, Any]], words: list[Any]
) -> dict[str, Any]:
    """`accuracy` of rows that come in parts."""
    pairs: Counter[Any] = Counter()
    for X, y in parts:
        pairs.update(zip(y.tolist(), model.predict(X).tolist(), strict=True))
    classes = model.classes_.tolist()
    confusion = [[pairs[true, said] for said in classes] for true in classes]
    return accuracy_of(confusion, words, pairs.total())


def accuracy_of(confusion: list[list[int]], words: list[Any], rows: int) -> dict[str, Any]:
    """`accuracy` from a confusion matrix; of all ``rows``, some may be of no known class."""
    from scipy.stats import binomtest

    right = sum(confusion[k][k] for k in range(len(confusion)))
    interval = binomtest(right, rows).proportion_ci(method="wilson")
    return {
        "rows": rows,
        "right": right,
        "accuracy": right / rows,
        "interval": [interval.low, interval.high],
        "classes": words,
        "confusion": confusion,
    }


def largest_weights(model: Any, names: list[str], classes: list[Any]) -> list[dict[str, Any]]:
    """The largest weights in absolute value, with the feature and the side they speak for."""
    import numpy as np

    coef = np.asarray(model.coef_)
    flat = np.argsort(-np.abs(coef), axis=None, kind="stable")[:SHOWN_WEIGHTS]
    sides: list[Any] = classes if len(coef) == len(classes) else [classes[1]]
    if len(coef) > len(sides):
        sides = [f"{k} over {j}" for j, k in combinations(classes, 2)]
    return [
        {
            "feature": names[j] if names else f"x{j}",
            "towards": sides[row],
            "weight": float(coef[row, j]),
        }
        for row, j in zip(*np.unravel_index(flat, coef.shape), strict=True)
        if coef[row, j]
    ]


def certificate(proof: Any, words: Sequence[Any]) -> dict[str, Any] | None:
    """A certificate in words, those for its classes, and in full."""
    if proof is None:
        return None
    explained = in_the_words(proof.explain(), proof.classes, words)
    return {"kind": proof.kind, "explained": explained, "content": proof.to_dict()}


def in_the_words(explained: str, classes: Sequence[Any], words: Sequence[Any]) -> str:
    """An explanation that speaks of classes false and true, in the words for them.

    Examples
    --------
    >>> text = "w·x is positive on every row of class True."
    >>> in_the_words(text, [False, True], ["not ripe", "ripe"])
    "w·x is positive on every row of class 'ripe'."
    """
    known = {str(name).lower(): word for name, word in zip(classes, words, strict=True)}
    if known.keys() != {"false", "true"} or all(a == str(b).lower() for a, b in known.items()):
        return explained

    def word(found: re.Match[str]) -> str:
        return f"{found[1]}{known[found[2].lower()]!r}"

    return re.sub(r"((?:class|classes|,) )'?(false|true)\b'?", word, explained, flags=re.I)


def fitted(model: Any, names: list[str], classes: list[Any]) -> dict[str, Any]:
    """All that a fit found out."""
    cost = model.run_.cost._asdict()
    return {
        "verdict": model.verdict_.value,
        "certificate": certificate(model.certificate_, classes),
        "margin": list(model.margin_),
        "radius": model.radius_,
        "mistakes": model.mistakes_,
        "updates": model.updates_,
        "mistake_bound": model.mistake_bound_,
        "passes": model.n_iter_,
        "looks": model.looks_,
        "stop": model.stop_.name,
        "stop_sentence": str(model.stop_),
        "classes": classes,
        "weights": largest_weights(model, names, classes),
        "intercept": model.intercept_,
        "cost": cost,
        "seconds": model.run_.seconds,
        "parameters": model.get_params(deep=False),
    }


def signed_weights(found: dict[str, Any]) -> list[dict[str, Any]]:
    """A negative weight of two classes speaks for the other; of many, against its own."""
    classes = found["classes"]
    shown = []
    for weight in found["weights"]:
        side = weight["towards"]
        if weight["weight"] < 0:
            side = classes[0] if len(classes) == 2 else f"away from {side}"
        shown.append({**weight, "towards": side})
    return shown


def plain(value: Any) -> Any:
    """A value as JSON holds it; what is not finite becomes null.

    Examples
    --------
    >>> plain({"bound": math.inf, "rows": (1, 2)})
    {'bound': None, 'rows': [1, 2]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)

"""Reports on a model and its data, as plain data and in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING, Any

from rosenblatt.data.positive import positive_code, positive_last

if TYPE_CHECKING:
    from rosenblatt.fit.fitted import Fitted

VERDICTS = {
    "SEPARABLE": "The classes are linearly separable.",
    "INSEPARABLE": "The classes are not linearly separable.",
    "UNDECIDED": "Whether the classes are linearly separable is undecided.",
}
SHOWN_WEIGHTS = 10
ROWS_AT_ONCE = 1 << 14  # so that intermediate results stay in the cache
FAR_APART = 100.0  # ratio of spreads from which on columns should be scaled
RARE = 0.5  # of a fair share of the rows, below which a class is rare
POOR = 0.5  # of the accuracy, below which the recall of a class is poor


def accuracy(model: Any, X: Any, y: Any, words: list[Any], positive: Any = None) -> dict[str, Any]:
    """Share of right predictions with its 95 % interval (Wilson 1927), and the confusions.

    Parameters
    ----------
    model : Fitted
        Or anything with ``classes`` and ``predict``.
    X, y
    words : list
        What the classes are called, in their order.
    positive : label, optional
        Of two classes, the positive one, where their names do not say it.
    """
    return accuracy_in_parts(model, [(X, y)], words, positive)


def accuracy_in_parts(
    model: Any, parts: Iterable[tuple[Any, Any]], words: list[Any], positive: Any = None
) -> dict[str, Any]:
    """`accuracy` of rows that come in parts."""
    import numpy as np

    classes, rows = model.classes, 0
    confusion = np.zeros((len(classes), len(classes)), np.int64)
    for X, y in parts:
        rows += len(y)
        true = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        said = np.searchsorted(classes, model.predict(X))
        known = classes[true] == y
        pairs = true[known] * len(classes) + said[known]
        confusion += np.bincount(pairs, minlength=confusion.size).reshape(confusion.shape)
    return accuracy_of(confusion.tolist(), classes, words, rows, positive)


def accuracy_of(
    confusion: list[list[int]], classes: Any, words: list[Any], rows: int, positive: Any = None
) -> dict[str, Any]:
    """`accuracy` from a confusion matrix; some of the ``rows`` may be of no known class.

    Examples
    --------
    >>> found = accuracy_of([[90, 2], [6, 2]], [0, 1], ["ham", "spam"], 100)
    >>> found["accuracy"], found["majority"], found["recall"]
    (0.92, {'class': 'ham', 'share': 0.92}, [0.9782608695652174, 0.25])
    >>> found = accuracy_of([[2, 6], [2, 90]], ["+", "-"], ["+", "-"], 100)
    >>> found["classes"], found["confusion"]
    (['-', '+'], [[90, 2], [6, 2]])
    """
    confusion = [positive_last(classes, line, positive) for line in confusion]
    confusion = positive_last(classes, confusion, positive)
    words = positive_last(classes, words, positive)
    right = sum(confusion[k][k] for k in range(len(confusion)))
    of_class = [sum(line) for line in confusion]
    largest = max(range(len(words)), key=of_class.__getitem__)
    return {
        "rows": rows,
        "right": right,
        "accuracy": right / rows,
        "interval": wilson(right, rows),
        "classes": words,
        "positive": words[1] if len(words) == 2 else None,
        "confusion": confusion,
        "recall": [
            confusion[k][k] / count if count else math.nan for k, count in enumerate(of_class)
        ],
        "majority": {"class": words[largest], "share": of_class[largest] / rows},
    }


def wilson(right: int, rows: int) -> list[float]:
    """The 95 % interval of a share (Wilson 1927). SciPy's own takes half a second to import.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(147, 150)]
    [0.9429, 0.9932]
    """
    share, z = right / rows, 1.959963984540054
    centre = share + z * z / (2 * rows)
    half = z * math.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    low, high = ((centre + sign * half) / (1 + z * z / rows) for sign in (-1, 1))
    return [0.0 if right == 0 else low, 1.0 if right == rows else high]


class Spread:
    """The standard deviation of each feature, of rows that come in parts.

    Examples
    --------
    >>> import numpy as np
    >>> spread = Spread()
    >>> spread.add(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> spread.done().tolist()
    [1.0, 0.0]
    """

    def __init__(self) -> None:
        self._rows = 0

    def add(self, X: Any) -> None:
        """Add some rows."""
        import numpy as np

        if not self._rows:
            self._sum, self._squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        first, self._rows = not self._rows, self._rows + X.shape[0]
        if hasattr(X, "indptr"):
            from rosenblatt.engine.column_sums import add_moments
            from rosenblatt.engine.machine.jit import compiled

            compiled(add_moments)(X.indices, X.data, self._sum, self._squares)
            return
        if first:  # about a row of theirs, columns far from 0 lose no digits
            self._first = np.array(X[0], np.float64)
        for start in range(0, X.shape[0], ROWS_AT_ONCE):
            away = X[start : start + ROWS_AT_ONCE] - self._first
            self._sum = self._sum + away.sum(axis=0)
            self._squares = self._squares + np.einsum("ij,ij->j", away, away)

    def done(self) -> Any:
        """The deviations."""
        import numpy as np

        with np.errstate(over="ignore", invalid="ignore"):
            mean = self._sum / self._rows
            spread = np.sqrt(np.maximum(self._squares / self._rows - mean * mean, 0.0))
        return np.where(np.isfinite(spread), spread, np.finfo(float).max)


def warnings_of(found: dict[str, Any], spread: Any, names: list[str], scaled: bool) -> list[str]:
    """Warnings about a fit, and what to do, in sentences; none for a fit without errors."""
    import numpy as np

    measured = found["held_out"] or found["training"]
    if measured is None or measured["accuracy"] == 1:
        return []
    told, largest = [], measured["majority"]
    if measured["accuracy"] <= largest["share"]:
        told.append(
            f"no better than the answer {largest['class']!r} to everything, which is right on "
            f"{largest['share']:.1%} of these rows"
        )
    told += _rare_and_missed(found["parameters"].get("class_weight"), measured)
    if spread is None or scaled or not (spread > 0).any():
        return told
    wide = np.flatnonzero(spread > 0)
    most, least = wide[np.argmax(spread[wide])], wide[np.argmin(spread[wide])]
    if spread[most] > FAR_APART * spread[least]:
        most_name, least_name = (names[j] if names else f"x{j}" for j in (most, least))
        told.append(
            f"the columns differ by orders of magnitude ({most_name} spreads by "
            f"{spread[most]:.3g}, {least_name} by {spread[least]:.3g}); try --scale"
        )
    return told


def _rare_and_missed(class_weight: Any, measured: dict[str, Any]) -> list[str]:
    """Advice on classes that are rare and whose rows are mostly taken for others."""
    counts = [sum(line) for line in measured["confusion"]]
    fair = sum(counts) / len(counts)
    missed = [
        (words, count, recall)
        for words, count, recall in zip(
            measured["classes"], counts, measured["recall"], strict=True
        )
        if count < RARE * fair and recall < POOR * measured["accuracy"]
    ]
    if class_weight is not None or not missed:
        return []
    word, count, recall = min(missed, key=lambda one: one[2])
    return [
        f"class {word!r} has {100 * count / sum(counts):.2g} % of these rows, and only "
        f"{100 * recall:.3g} % of them are found; --class-weight balanced counts each class alike"
    ]


def largest_weights(
    coef: Any, names: list[str], classes: list[Any], spread: Any = None
) -> list[dict[str, Any]]:
    """The weights of largest effect, with the feature and the class that they favour.

    The effect of a weight is its size times the spread of its column, where that is known. Weights
    have the sign that scores are made with: of two classes, one below 0 speaks for the other.

    Examples
    --------
    >>> weights = largest_weights([[3.0, -2.0]], [], ["no", "yes"])
    >>> [(one["towards"], one["weight"]) for one in weights]
    [('yes', 3.0), ('no', -2.0)]
    """
    import numpy as np

    coef = np.asarray(coef)
    effect = np.abs(coef) * (1.0 if spread is None else spread)
    flat = np.argsort(-effect, axis=None, kind="stable")[:SHOWN_WEIGHTS]
    sides: list[Any] = classes if len(coef) == len(classes) else [classes[1]]
    two = len(coef) == 1 and len(classes) == 2
    if len(coef) > len(sides):
        sides = [f"{k} over {j}" for j, k in combinations(classes, 2)]
    return [
        {
            "feature": names[j] if names else f"x{j}",
            "towards": classes[0] if two and coef[row, j] < 0 else sides[row],
            "weight": float(coef[row, j]),
            "effect": None if spread is None else float(effect[row, j]),
        }
        for row, j in zip(*np.unravel_index(flat, coef.shape), strict=True)
        if coef[row, j]
    ]


def certificate(proof: Any, words: Sequence[Any]) -> dict[str, Any] | None:
    """A certificate explained in words, with the names of its classes, and in full."""
    if proof is None:
        return None
    explained = in_the_words(proof.explain(), proof.classes, words)
    return {"kind": proof.kind, "explained": explained, "content": proof.to_dict()}


def in_the_words(explained: str, classes: Sequence[Any], words: Sequence[Any]) -> str:
    """An explanation with the labels of classes replaced by the words for them.

    Examples
    --------
    >>> text = "w·x is positive on every row of class True."
    >>> in_the_words(text, [False, True], ["not ripe", "ripe"])
    "w·x is positive on every row of class 'ripe'."
    >>> in_the_words("One hyperplane separates classes -1.0, 1.0.", [-1.0, 1.0], [-1, 1])
    'One hyperplane separates classes -1, 1.'
    """
    known = {str(name).lower(): word for name, word in zip(classes, words, strict=True)}
    if all(name == str(word).lower() for name, word in known.items()):
        return explained

    def word(found: re.Match[str]) -> str:
        return f"{found[1]}{known[found[2].lower()]!r}"

    names = "|".join(map(re.escape, known))
    return re.sub(
        rf"((?:class|classes|,|and) )'?({names})(?![\w.]*\w)'?", word, explained, flags=re.I
    )


def findings_of(
    fitted: Fitted, names: list[str], words: list[Any], spread: Any = None, positive: Any = None
) -> dict[str, Any]:
    """All findings of a fit; of two classes, positive weights favour the positive one.

    Parameters
    ----------
    fitted : Fitted
    names : list of str
        Of the features; empty if they have none.
    words : list
        What the classes are called, in their order.
    spread : array, optional
        Of each feature.
    positive : label, optional
        Of two classes, the positive one, where their names do not say it.
    """
    from rosenblatt.fit.expected import of_fitted

    run, classes = fitted.run, positive_last(fitted.classes, words, positive)
    return {
        "verdict": fitted.verdict.value,
        "certificate": certificate(facing_positive(fitted.certificate, positive), classes),
        "margin": list(fitted.margin),
        "radius": fitted.radius,
        "mistakes": run.mistakes,
        "updates": run.updates,
        "mistake_bound": fitted.mistake_bound,
        "error_bound": str(of_fitted(fitted)),
        "passes": run.passes,
        "looks": run.looks,
        "stop": run.stop.name,
        "stop_sentence": fitted.why,
        "classes": classes,
        "positive": classes[1] if len(classes) == 2 else None,
        "weights": largest_weights(
            for_positive(fitted.classes, fitted.coef, positive), names, classes, spread
        ),
        "intercept": for_positive(fitted.classes, fitted.intercept, positive),
        "cost": run.cost._asdict(),
        "seconds": run.seconds,
        "parameters": fitted.settings.asdict(),
    }


def for_positive(classes: Any, values: Any, positive: Any = None) -> Any:
    """Weights or scores for ``classes[1]``, of two, converted to those for the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> for_positive(["+", "-"], np.array([1.5, 0.0])), for_positive([0, 1], np.array([1.5, 0.0]))
    (array([-1.5,  0. ]), array([1.5, 0. ]))
    """
    return values if positive_code(classes, positive) else values * -1 + 0.0  # no negative zeros


def facing_positive(proof: Any, positive: Any = None) -> Any:
    """The certificate, if there is one, with scores positive on the positive class of two."""
    if proof is None or len(proof.classes) != 2:
        return proof
    return proof.facing(proof.classes[positive_code(proof.classes, positive)])


def signed_weights(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The weights for a table that shows sizes: a negative one of many means not its class."""
    if len(found["classes"]) == 2:
        return found["weights"]
    return [
        {**one, "towards": f"away from {one['towards']}"} if one["weight"] < 0 else one
        for one in found["weights"]
    ]


def plain(value: Any) -> Any:
    """A value as JSON can hold it; numbers that are not finite become null.

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

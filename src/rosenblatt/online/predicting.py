"""Scores of many examples at once, and labels and probabilities made of scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.online.checks import examples, plain
from rosenblatt.online.features import BIAS

if TYPE_CHECKING:
    from rosenblatt.online.learner import Perceptron


def largest_score(learner: Perceptron) -> float:
    """R times the length of the longest weight vector: no example as long as R scores more.

    Weights change with updates only, so their products are kept until the next: those of the mean
    w − d/n, d being the drift and n the looks, follow from ‖w‖², w·d and ‖d‖².
    """
    if learner._products is None or learner._products[0] != learner._updates:
        w, d = learner._weights, learner._drift
        pairs = ((w, w), (w, d), (d, d))
        found = (np.einsum("ij,ij->i", a, b).tolist() for a, b in pairs)
        learner._products = learner._updates, list(zip(*found, strict=True))
    products, n = learner._products[1], learner._looks
    if learner.average and n:
        longest = max(ww - 2 * wd / n + dd / n**2 for ww, wd, dd in products)
    else:
        longest = max(ww for ww, _, _ in products)
    return math.sqrt(max(longest, 0.0)) * learner._radius


def chances(scores: list[float], most: float) -> list[float]:
    """The softmax of 2t, t being the scores as shares of the largest.

    Examples
    --------
    >>> [round(p, 3) for p in chances([-5.0, 5.0], 5.0)], chances([0.0, 0.0], 0.0)
    ([0.018, 0.982], [0.5, 0.5])
    """
    best, most = max(scores, default=0.0), most if 0 < most < math.inf else 1.0
    odds = [math.exp(2 * (score - best) / most) for score in scores]
    total = sum(odds)
    return [share / total for share in odds]


def score_batch(learner: Perceptron, X: Any) -> np.ndarray:
    """The scores of all examples, one column for each weight vector."""
    learner._catch_up()
    if not (hasattr(X, "shape") and len(X.shape) == 2):
        scores = [learner._score_list(x) for x in examples(X)]
        return np.array(scores).reshape(len(scores), len(learner._weights))
    if X.shape[0] == 0:
        return np.zeros((0, len(learner._weights)))
    from rosenblatt.data.checks import check_rows

    known, names, rows = learner._features.columns, feature_names(X), check_rows(X)
    there = [j for j, name in enumerate(names) if name in known]
    if len(there) < len(names):
        rows = rows[:, there]
    weights = learner._predicting(slice(None))
    found = rows @ weights[:, [known[names[j]] for j in there]].T
    found += weights[:, BIAS] * learner._features.bias
    finite = np.isfinite(found).all(axis=1)
    if not finite.all():
        raise InputError(
            f"the score of row {int(np.argmin(finite))} is beyond the range of double precision: "
            "rescale its features."
        )
    return found


def feature_names(X: Any) -> list[Any]:
    """The names of a matrix's columns: 0, 1, 2, … where they have none."""
    if hasattr(X, "column_names"):  # a table of pyarrow
        names = X.column_names
    else:
        names = [plain(name) for name in getattr(X, "columns", range(X.shape[1]))]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the columns of a frame must differ, and {twice!r} is there twice.")
    return names


def labels_like(X: Any, classes: list[Any], codes: np.ndarray) -> Any:
    """The labels of these codes: of a pandas frame a Series with its index, else an array."""
    labels = [classes[code] for code in codes.tolist()]
    if is_pandas(X):
        from pandas import Series

        return Series(labels, index=X.index, dtype=None if labels else object)
    kinds = {type(label) for label in classes}
    plainly = len(kinds) == 1 and kinds <= {bool, int, float, str}
    return np.array(labels) if plainly else np.fromiter(labels, dtype=object, count=len(labels))


def columns_like(X: Any, classes: list[Any], values: np.ndarray) -> Any:
    """Values with a column for each class: of a pandas frame a frame with its index."""
    if is_pandas(X):
        from pandas import DataFrame

        return DataFrame(dict(zip(classes, values.T, strict=True)), index=X.index)
    return values


def is_pandas(X: Any) -> bool:
    """Whether X is a pandas frame."""
    return type(X).__module__.partition(".")[0] == "pandas"

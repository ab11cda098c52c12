"""Labels for many rows, from models of the same shape: dense with two classes and with many, CSR
with two and with many; and for few, where a call costs more than the rows. "By hand" is
`(X @ W.T + b).argmax(axis=1)`, without validation: the floor.
Everyone may use all cores, and has them to itself: between two turns lies more than the tenth of a
second for which the threads of BLAS, out of work, keep a core busy. scikit-learn multiplies CSR
rows on one core. "One core" is ours on one: beside a process that keeps the others busy there is no
more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import linear_model

from harness import QUICK, REST, cell, factor, heading, race, ratio, table, target
from rosenblatt import Perceptron

QUESTION = "Prediction"


def rows_of(n: int, d: int, entries: int) -> Any:
    rng = np.random.default_rng(0)
    if not entries:
        return rng.standard_normal((n, d))
    columns = np.sort(rng.integers(d, size=(n, entries)), axis=1).ravel().astype(np.int32)
    starts = np.arange(n + 1, dtype=np.int32) * entries
    X = sparse.csr_matrix((rng.standard_normal(n * entries), columns, starts), shape=(n, d))
    X.sum_duplicates()
    return X


def with_weights(model: Any, W: np.ndarray, b: np.ndarray, few: Any) -> Any:
    """A model of those weights: fitted to a few rows of all classes, then overwritten in place."""
    classes = max(2, len(W))
    model.fit(few[: 2 * classes], np.arange(2 * classes) % classes)
    model.coef_[...], model.intercept_[...] = W, b
    return model


def by_hand(X: Any, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    scores = X @ W.T + b
    return scores.ravel() >= 0 if len(W) == 1 else scores.argmax(axis=1)


def on_one_core(call: Callable[[], Any]) -> Any:
    """What the call returns, made on the first core."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        return call()
    finally:
        os.sched_setaffinity(0, allowed)


def row(n: int, d: int, classes: int, entries: int) -> tuple[dict[str, str], float]:
    X, rng = rows_of(n, d, entries), np.random.default_rng(1)
    W, b = rng.standard_normal((1 if classes == 2 else classes, d)), rng.standard_normal(1)
    b = np.repeat(b, len(W))
    ours = with_weights(Perceptron(max_iter=1, certify=False), W, b, X)
    theirs = with_weights(linear_model.Perceptron(max_iter=1, tol=None), W, b, X)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

    def alone() -> np.ndarray:
        return on_one_core(lambda: ours.predict(X))

    times = race(
        {
            "rosenblatt": lambda: ours.predict(X),
            "one core": alone if hasattr(os, "sched_setaffinity") else None,
            "scikit-learn": lambda: theirs.predict(X),
            "by hand": lambda: by_hand(X, W, b),
        },
        repeats=9,
        rest=REST,
    )
    faster = ratio(times, "rosenblatt", "scikit-learn")
    kind = f"CSR, {entries} a row" if entries else "dense"
    shown = {name: cell(times, name) for name in times}
    return (
        {"rows": f"{kind}, {n:,} × {d:,}, {classes} classes"}
        | shown
        | {
            "ratio": factor(faster),
            "one core, ratio": factor(ratio(times, "one core", "scikit-learn")),
            "by hand / ours": factor(ratio(times, "rosenblatt", "by hand")),
        },
        faster,
    )


def main() -> None:
    heading(QUESTION)
    n = 2_000 if QUICK else 50_000
    shapes = {
        "dense, few rows": (100, 20, 2, 0),
        "dense, 2 classes": (n, 100, 2, 0),
        "dense, 10 classes": (n, 784 if not QUICK else 64, 10, 0),
        "dense, 100 classes": (n // 5, 1_000 if not QUICK else 100, 100, 0),
        "CSR, 2 classes": (n, 20_000, 2, 60),
        "CSR, 20 classes": (n // 5, 20_000, 20, 100),
        "CSR, 200 classes": (n // 5, 20_000, 200, 60),
    }
    rows, ratios = [], {}
    for name, shape in shapes.items():
        made, ratios[name] = row(*shape)
        rows.append(made)
    table(rows)
    dense = min(value for name, value in ratios.items() if name.startswith("dense"))
    target("prediction on dense rows, × scikit-learn, worst case", 1, dense)
    two = ratios["CSR, 2 classes"]
    target("prediction on CSR rows of two classes, × scikit-learn", 1, two)
    many = min(ratios["CSR, 20 classes"], ratios["CSR, 200 classes"])
    target("prediction on CSR rows of many classes, × scikit-learn, worst case", 2, many)


if __name__ == "__main__":
    main()

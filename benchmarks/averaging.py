"""Ten cyclic passes that end with the mean of all weights, against the same that end with the last,
on one core. Ours always keeps the mean, lazily, by when each update came, so that choosing it
should cost nothing; what keeping it costs at all is in "One cyclic pass", whose C loop keeps none.
scikit-learn's own (`SGDClassifier(loss="perceptron", average=True)`) stands beside it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

from harness import LIMIT, QUICK, cell, cores, factor, heading, race, table, target
from one_pass import dense_rows, sparse_rows
from problems import images
from rosenblatt import Perceptron

QUESTION = "What averaging costs"


def theirs(X: Any, y: np.ndarray, average: bool) -> Any:
    how = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0}
    return SGDClassifier(**how, max_iter=10, tol=None, shuffle=False, average=average).fit(X, y)


def ours(X: Any, y: np.ndarray, solution: str) -> Any:
    how = {"order": "cyclic", "max_iter": 10, "certify": False}
    return Perceptron(**how, solution=solution).fit(X, y)


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    n = 2_000 if QUICK else 50_000
    name, found = images(20_000)
    sets = {
        f"dense, {n:,} × 100": dense_rows(n, 100, "float64"),
        f"CSR, {n:,} × {n // 3:,}, 60 a row": sparse_rows(n, n // 3, 60, "float64"),
        f"{name}, {len(found.y):,} rows, 10 classes": (found.X, found.y),
    }
    rows, worst = [], 0.0
    with cores(1):
        for kind, (X, y) in sets.items():
            times = race(
                {
                    "average": lambda X=X, y=y: ours(X, y, "average"),
                    "last": lambda X=X, y=y: ours(X, y, "last"),
                    "their average": lambda X=X, y=y: theirs(X, y, True),
                    "their last": lambda X=X, y=y: theirs(X, y, False),
                },
                limit=LIMIT / 4,
                slow=("their average", "their last"),
            )
            more = times["average"].median / times["last"].median
            worst = max(worst, more)
            rows.append(
                {
                    "rows": kind,
                    "last": cell(times, "last"),
                    "average": cell(times, "average"),
                    "average / last": factor(more),
                    "scikit-learn's average / last": factor(
                        times["their average"].median / times["their last"].median
                    ),
                }
            )
    table(rows)
    target("averaging, time over that of the last weights, worst case", 1.25, worst, at_most=True)


if __name__ == "__main__":
    main()

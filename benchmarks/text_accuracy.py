"""The averaged perceptron against LinearSVC on text, each with its one setting (the threshold δ, or
C) chosen by cross-validation on the training rows, each scored once on the test rows. LinearSVC's
best C on the test rows, which no one could have chosen, stands beside it as the strictest
yardstick.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

import rosenblatt as rb
from harness import QUICK, core_count, heading, table
from problems import news, rcv1, sms

QUESTION = "Accuracy on held-out text"

GRID = {"threshold": [0.0, 0.3, 1.0, 3.0, 10.0], "max_iter": [10]}
CS = [0.3, 1.0, 3.0] if QUICK else [0.1, 0.3, 1.0, 3.0, 10.0]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
SETS = {"sms_spam": sms, "rcv1_small": rcv1, "20news": news}
COLUMNS = (
    "set",
    "averaged perceptron",
    "chosen",
    "LinearSVC",
    "its best C on the test rows",
    "points ahead of that",
    "seconds to search",
)


def searched(model: Any, grid: dict[str, Any], X: Any, y: Any) -> tuple[Any, float]:
    """The best of a grid, refitted on all rows, and the seconds that the search took."""
    began = time.perf_counter()
    search = GridSearchCV(model, grid, cv=FOLDS, n_jobs=core_count()).fit(X, y)
    return search, time.perf_counter() - began


def row(name: str) -> dict[str, str]:
    found = SETS[name]()
    if found is None:
        return {"set": f"{name} (absent)"}
    averaged = rb.Perceptron(order="shuffled", solution="average", certify=False)
    X, y, X_test, y_test = found
    grid = {"threshold": [0.3, 3.0], "max_iter": [3]} if QUICK else GRID
    ours, our_seconds = searched(averaged, grid, X, y)
    theirs, their_seconds = searched(LinearSVC(), {"C": CS}, X, y)
    tried = Parallel(n_jobs=core_count())(delayed(LinearSVC(C=C).fit)(X, y) for C in CS)
    best = max(model.score(X_test, y_test) for model in tried)
    score, chosen = ours.score(X_test, y_test), ours.best_params_
    return {
        "set": f"{name}, {X.shape[0]:,} × {X.shape[1]:,}, {len(np.unique(y))} classes",
        "averaged perceptron": f"{score:.4f}",
        "chosen": f"δ = {chosen['threshold']:g}, {chosen['max_iter']} passes",
        "LinearSVC": f"{theirs.score(X_test, y_test):.4f}",
        "its best C on the test rows": f"{best:.4f}",
        "points ahead of that": f"{100 * (score - best):+.2f}",
        "seconds to search": f"{our_seconds:.1f} / {their_seconds:.1f} (1 run)",
    }


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    table((row(name) for name in (["sms_spam"] if QUICK else SETS)), COLUMNS)


if __name__ == "__main__":
    main()

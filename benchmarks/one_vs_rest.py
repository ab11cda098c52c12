"""Ten cyclic passes of one class against the rest, the same number of jobs on both sides. Ours
keeps the average of the weights too and predicts by it, scikit-learn by its last weights.
"""

from __future__ import annotations

import warnings

from sklearn import linear_model

from harness import cell, core_count, factor, heading, race, ratio, table
from problems import images
from rosenblatt import Perceptron

QUESTION = "Ten passes, one class against the rest"


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    name, found = images(20_000)
    X, y = found.X, found.y
    how = {"max_iter": 10, "tol": None, "shuffle": False, "n_jobs": core_count()}
    times = race(
        {
            "rosenblatt": lambda: Perceptron(**how, multiclass="ovr", certify=False).fit(X, y),
            "scikit-learn": lambda: linear_model.Perceptron(**how).fit(X, y),
        }
    )
    table(
        {
            f"{name}, {len(y):,} rows": contestant,
            "seconds": cell(times, contestant),
            "ratio": factor(ratio(times, "rosenblatt", contestant)),
            "held-out accuracy": f"{t.result.score(found.X_test, found.y_test):.4f}",
        }
        for contestant, t in times.items()
    )


if __name__ == "__main__":
    main()

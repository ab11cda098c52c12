"""One against the rest on MNIST (digits where it is absent), with the same number of jobs."""

from __future__ import annotations

from sklearn import linear_model

from harness import heading, race, show, table
from multiclass import data
from rosenblatt import Perceptron


def main() -> None:
    heading("Ten passes, one against the rest")
    name, (X, X_test, y, y_test) = data()
    how = {"max_iter": 10, "tol": None, "shuffle": False, "n_jobs": 2}
    times = race(
        {
            "ovr": lambda: Perceptron(**how, multiclass="ovr", certify=False).fit(X, y),
            "scikit-learn": lambda: linear_model.Perceptron(**how).fit(X, y),
        },
        repeats=3,
    )
    table(
        [
            {
                name: contestant,
                "seconds": show(t.median),
                "ratio": f"{times['scikit-learn'].median / t.median:.1f}",
                "test accuracy": f"{t.result.score(X_test, y_test):.4f}",
            }
            for contestant, t in times.items()
        ]
    )


if __name__ == "__main__":
    main()

"""From data to a hyperplane without a mistake: looks and seconds."""

from __future__ import annotations

import numpy as np
from sklearn import linear_model

from harness import QUICK, gaussian, heading, race, show, table
from rosenblatt import Perceptron

PROBLEMS = [
    (100_000, 20, 0.1),
    (100_000, 20, 0.02),
    (100_000, 100, 0.1),
    (100_000, 100, 0.02),
    (200_000, 50, 0.05),
    (200_000, 50, 0.02),
]


def main() -> None:
    heading("Time to a separator")
    rows, looks, speed = [], [], []
    for n, d, margin in PROBLEMS[:2] if QUICK else PROBLEMS:
        X, y = gaussian(n, d, margin)
        cyclic = Perceptron(order="cyclic", max_iter=10**6, certify=False).fit(X, y)
        passes = cyclic.n_iter_

        def theirs(X=X, y=y, passes=passes):
            return linear_model.Perceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)

        times = race(
            {
                "active": lambda X=X, y=y: Perceptron(max_iter=10**6).fit(X, y),
                "cyclic": lambda X=X, y=y: Perceptron(
                    order="cyclic", max_iter=10**6, certify=False
                ).fit(X, y),
                "scikit-learn": theirs,
            },
            repeats=5,
        )
        active = times["active"].result
        assert active.score(X, y) == 1.0
        looks.append(cyclic.looks_ / active.looks_)
        speed.append(times["scikit-learn"].median / times["active"].median)
        rows.append(
            {
                "problem": f"{n:,} × {d}, margin {margin}",
                "looks: cyclic / active": f"{looks[-1]:.1f}",
                "active": show(times["active"].median),
                "cyclic": show(times["cyclic"].median),
                "scikit-learn, as many passes": f"{show(times['scikit-learn'].median)} ({passes})",
                "ratio": f"{speed[-1]:.1f}",
            }
        )
    table(rows)
    print(
        f"\nGeometric means: {np.exp(np.mean(np.log(looks))):.1f} × fewer looks, "
        f"{np.exp(np.mean(np.log(speed))):.1f} × faster than scikit-learn."
    )


if __name__ == "__main__":
    main()

"""The kernel perceptron with an RBF kernel against NumPy, cyclic order, the same number of passes;
every contestant must make the same mistakes. The loops are: one `rbf_kernel` row against the
support vectors at each look; and the strongest that NumPy can do, the whole Gram matrix first, then
one row added at each mistake.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from harness import QUICK, cell, factor, heading, race, ratio, table, target
from rosenblatt.estimators.kernel import KernelPerceptron

QUESTION = "The kernel perceptron"

GAMMA = 1 / 64


def problem(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on two sides of a quadric, with some labels flipped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 64))
    y = np.where((X[:, :32] ** 2).sum(axis=1) > (X[:, 32:] ** 2).sum(axis=1), 1.0, -1.0)
    return X, np.where(rng.random(n) < 0.02, -y, y)


def support_rows(X: np.ndarray, y: np.ndarray, passes: int) -> int:
    support, coefficients, mistakes = np.empty_like(X), np.zeros(len(y)), 0
    place = np.full(len(y), -1)
    count = 0
    for _ in range(passes):
        for i in range(len(y)):
            score = 0.0
            if count:
                score = rbf_kernel(X[i : i + 1], support[:count], GAMMA)[0] @ coefficients[:count]
            if y[i] * score <= 0:
                if place[i] < 0:
                    place[i], support[count] = count, X[i]
                    count += 1
                coefficients[place[i]] += y[i]
                mistakes += 1
    return mistakes


def whole_gram(X: np.ndarray, y: np.ndarray, passes: int) -> int:
    gram, scores, mistakes = rbf_kernel(X, gamma=GAMMA), np.zeros(len(y)), 0
    for _ in range(passes):
        for i in range(len(y)):
            if y[i] * scores[i] <= 0:
                scores += y[i] * gram[i]
                mistakes += 1
    return mistakes


def ours(X: np.ndarray, y: np.ndarray, passes: int) -> int:
    clf = KernelPerceptron(
        gamma=GAMMA, fit_intercept=False, order="cyclic", max_iter=passes, cache_size=1000
    )
    return clf.fit(X, y).mistakes_


def main() -> None:
    heading(QUESTION)
    X, y = problem(300 if QUICK else 4_000)
    contestants = (ours, whole_gram, support_rows)
    times = race(
        {c.__name__: lambda c=c: c(X, y, 2) for c in contestants},
        limit=3.0,
        slow=("support_rows",),
        rest=0.05,
    )
    mistakes = {timing.result for timing in times.values()}
    assert len(mistakes) == 1, f"The contestants disagree: {mistakes}"
    table(
        {
            f"2 passes, {len(y):,} × 64": name.replace("_", " "),
            "seconds": cell(times, name),
            "ratio": factor(ratio(times, "ours", name)),
        }
        for name in times
    )
    best = min(ratio(times, "ours", name) for name in ("whole_gram", "support_rows"))
    target("kernel perceptron, × the better NumPy loop", 1, best)


if __name__ == "__main__":
    main()

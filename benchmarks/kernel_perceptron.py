"""How fast is the kernel perceptron against a NumPy loop over `rbf_kernel` rows?

10,000 × 64 points, RBF, cyclic order, the same number of passes; every contestant must make the
same mistakes. The loops are (a) one `rbf_kernel` row at each look, (b) the same against the support
vectors only, and (c) the strongest that NumPy can do: the whole Gram matrix first, then one row
added at each mistake. Run: ``python benchmarks/kernel_perceptron.py [rows] [passes] [repeats]``.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from rosenblatt.estimators.kernel import KernelPerceptron

GAMMA = 1 / 64


def problem(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on two sides of a quadric, with some labels flipped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 64))
    y = np.where((X[:, :32] ** 2).sum(axis=1) > (X[:, 32:] ** 2).sum(axis=1), 1.0, -1.0)
    return X, np.where(rng.random(n) < 0.02, -y, y)


def all_rows(X: np.ndarray, y: np.ndarray, passes: int) -> int:
    coefficients, mistakes = np.zeros(len(y)), 0
    for _ in range(passes):
        for i in range(len(y)):
            if y[i] * (rbf_kernel(X[i : i + 1], X, GAMMA)[0] @ coefficients) <= 0:
                coefficients[i] += y[i]
                mistakes += 1
    return mistakes


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


def main(n: int = 10_000, passes: int = 2, repeats: int = 3) -> None:
    X, y = problem(n)
    ours(X[:100], y[:100], 1)
    contestants = (ours, whole_gram, support_rows, all_rows)
    wall = {c.__name__: [] for c in contestants}
    cpu = {c.__name__: [] for c in contestants}
    mistakes = {}
    for turn in range(repeats):
        for contestant in contestants:
            if contestant is all_rows and turn > 0:
                continue
            np.ones((n, n))  # memory that the machine has handed out before: nobody pays for it
            name, began, worked = contestant.__name__, time.perf_counter(), time.process_time()
            mistakes[name] = contestant(X, y, passes)
            wall[name].append(time.perf_counter() - began)
            cpu[name].append(time.process_time() - worked)
    print(f"{n:,} × 64, {passes} passes; medians of {repeats} (of all_rows, one)")
    for name in wall:
        seconds, work = statistics.median(wall[name]), statistics.median(cpu[name])
        ratio = seconds / statistics.median(wall["ours"])
        cpu_ratio = work / statistics.median(cpu["ours"])
        print(
            f"{name:>12}: {mistakes[name]:,} mistakes, {seconds:.2f} s ({ratio:.1f} × ours), "
            f"{work:.2f} s of processor ({cpu_ratio:.1f} ×)"
        )
    if len(set(mistakes.values())) > 1:
        sys.exit(f"The contestants disagree: {mistakes}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

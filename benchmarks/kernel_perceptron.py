"""The kernel perceptron with an RBF kernel against NumPy, cyclic order, the same number of passes;
every contestant must make the same mistakes. The loops are: one `rbf_kernel` row against the
support vectors at each look; and the strongest that NumPy can do, the whole Gram matrix first, then
one row added at each mistake.

Then one pass over all of MNIST with a polynomial kernel of degree 4, after Freund and Schapire: a
Gram matrix of 29 GB, which no loop above can take. It is measured in processor time. What cannot be
saved is the kernel between each image and those mistaken before it; the last row is BLAS's time for
as many products as ours made, in blocks of 256 rows on one core.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from harness import QUICK, cell, cores, factor, heading, race, ratio, table, target
from problems import images
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


def product_seconds(multiplications: float, d: int) -> float:
    """Processor seconds of BLAS for so many multiplications, by blocks of 256 rows on one core."""
    A, out = np.random.default_rng(0).normal(size=(512, d)), np.empty((256, 256))
    times = 5 if QUICK else 500
    with cores(1):
        np.matmul(A[:256], A[256:].T, out=out)
        began = time.process_time()
        for _ in range(times):
            np.matmul(A[:256], A[256:].T, out=out)
        return (time.process_time() - began) / (times * out.size * d) * multiplications


def one_pass() -> None:
    """One pass over MNIST, and what its products alone take."""
    name, (X, y, X_test, y_test) = images()
    options: dict[str, Any] = {"kernel": "poly", "degree": 4, "order": "cyclic", "max_iter": 1}
    KernelPerceptron(**options).fit(X[:100], y[:100])
    began = time.process_time()
    clf = KernelPerceptron(**options).fit(X, y)
    spent = time.process_time() - began
    n, d = X.shape
    before = int(np.searchsorted(clf.support_, np.arange(n)).sum())
    rows = (
        ("ours", clf.kernel_values_, f"{spent:.3g} s"),
        ("image and those mistaken before it", before, ""),
        ("whole Gram matrix", n * n, ""),
        ("products of ours, alone", "", f"{product_seconds(clf.kernel_values_ * d, d):.3g} s"),
    )
    table(
        {
            f"one pass, {name}, {n:,} × {d}": what,
            "kernel values": f"{values:,}" if values else "",
            "processor time": seconds,
        }
        for what, values, seconds in rows
    )
    error = 100 * (1 - clf.score(X_test, y_test))
    print(f"{clf.mistakes_:,} mistakes; {error:.2f} % errors on test images.\n")
    seconds = spent if name == "MNIST" else math.nan
    target("kernel perceptron, a pass over MNIST, processor seconds", 30, seconds, at_most=True)


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
    target("kernel perceptron, × the better NumPy loop", 1.5, best)
    one_pass()


if __name__ == "__main__":
    main()

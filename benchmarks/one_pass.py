"""One cyclic pass: how long, against scikit-learn's and against the memory itself?"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn import linear_model

from harness import heading, race, ratio, read_bandwidth, table
from rosenblatt.learn import learn
from rosenblatt.points import make_points
from rosenblatt.rules import Perceptron
from rosenblatt.stopping import Budget

PASSES = 10


def rows_of(kind: str) -> tuple[object, np.ndarray]:
    rng = np.random.default_rng(0)
    n = 100_000
    if kind.startswith("dense"):
        X = rng.standard_normal((n, 100))
        y = np.sign(X @ rng.standard_normal(100) + 0.5 * rng.standard_normal(n))
    else:
        d, per_row = 50_000, 60
        indices = np.sort(rng.integers(0, d, (n, per_row)), axis=1).ravel().astype(np.int32)
        indptr = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
        X = sparse.csr_matrix((rng.standard_normal(n * per_row), indices, indptr), shape=(n, d))
        X.sum_duplicates()
        y = np.sign(X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n))
    return X.astype(np.float32 if kind.endswith("32") else np.float64), np.where(y == 0, 1, y)


def main() -> None:
    heading("One cyclic pass")
    bandwidth = read_bandwidth()
    print(f"Read bandwidth of one core: {bandwidth / 1e9:.1f} GB/s.\n")
    table([row(kind, bandwidth) for kind in ("dense64", "dense32", "csr64", "csr32")])


def row(kind: str, bandwidth: float) -> dict[str, str]:
    """Passes 2 to 11 of both, so that neither's validation of the input is counted."""
    X, y = rows_of(kind)
    points = make_points(X, y)

    def ours(passes):
        return learn(points, Perceptron(), order="cyclic", budget=Budget(passes=passes))

    def theirs(passes):
        return linear_model.Perceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)

    times = race(
        {
            "ours 1": lambda: ours(1),
            "ours 11": lambda: ours(1 + PASSES),
            "theirs 1": lambda: theirs(1),
            "theirs 11": lambda: theirs(1 + PASSES),
        },
        repeats=7,
    )
    our_pass = (times["ours 11"].median - times["ours 1"].median) / PASSES
    their_pass = (times["theirs 11"].median - times["theirs 1"].median) / PASSES
    size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    return {
        "rows": kind,
        "rosenblatt": f"{our_pass * 1e3:.2f} ms",
        "scikit-learn": f"{their_pass * 1e3:.2f} ms",
        "ratio": f"{their_pass / our_pass:.2f}",
        "share of bandwidth": f"{size / our_pass / bandwidth:.0%}",
        "whole fit, 11 passes": f"{ratio(times, 'ours 11', 'theirs 11'):.2f}",
    }


if __name__ == "__main__":
    main()

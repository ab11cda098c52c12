"""The most memory that a fit takes beyond what the process held before it, data included, each in a
process of its own, after one fit that is not counted. In multiples of the bytes of the rows: 1 is a
copy of them. LIBLINEAR starts from arrays (its own nodes of 16 bytes an entry count), Vowpal
Wabbit from its cache file.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import ABSENT, QUICK, Elsewhere, gaussian, heading, table
from one_pass import bytes_of, dense_rows, sparse_rows
from peers import Vowpal, liblinear_fit, present

QUESTION = "Memory"

N = 2_000 if QUICK else 100_000
SETS = {
    f"dense, {N:,} × 100": (dense_rows, (N, 100, "float64")),
    f"CSR, {N:,} × {N // 3:,}, 60 a row": (sparse_rows, (N, N // 3, 60, "float64")),
}


def rosenblatt(make: Any, given: Any) -> Callable[[], Any]:
    from rosenblatt import Perceptron

    X, y = make(*given)
    return lambda: Perceptron(max_iter=3, certify=False).fit(X, y)


def scikit_learn(make: Any, given: Any) -> Callable[[], Any]:
    from sklearn.linear_model import Perceptron

    X, y = make(*given)
    return lambda: Perceptron(max_iter=3, tol=None).fit(X, y)


def linear_svc(make: Any, given: Any) -> Callable[[], Any]:
    from sklearn.svm import LinearSVC

    warnings.simplefilter("ignore")
    X, y = make(*given)
    return lambda: LinearSVC(max_iter=3).fit(X, y)


def liblinear(make: Any, given: Any) -> Callable[[], Any]:
    X, y = make(*given)

    def run() -> Any:
        fit = liblinear_fit(X, y, "-s 2 -c 1 -e 0.1")
        return fit and fit()

    return run


def vowpal_wabbit(make: Any, given: Any) -> Callable[[], Any]:
    folder = Path(tempfile.mkdtemp(prefix="bench-vw-"))
    rows = Vowpal(*make(*given), folder)
    return lambda: rows.fit(3, "hinge")


def decide(make: Any, given: Any) -> Callable[[], Any]:
    import rosenblatt as rb

    X, y = make(*given)
    return lambda: rb.decide(X, y)


def max_margin(make: Any, given: Any) -> Callable[[], Any]:
    from rosenblatt.maxmargin import max_margin as solve

    X, y = make(*given)
    return lambda: solve(X, y)


CONTESTANTS = {
    "rosenblatt": ("rosenblatt", rosenblatt),
    "scikit-learn Perceptron": ("sklearn", scikit_learn),
    "scikit-learn LinearSVC": ("sklearn", linear_svc),
    "LIBLINEAR": ("liblinear", liblinear),
    "Vowpal Wabbit": ("vowpalwabbit", vowpal_wabbit),
}


def peak(run: Callable[..., Any], make: Any, given: Any) -> float:
    process = Elsewhere(run, make, given, digest=id)
    process.turn()
    try:
        return process.peak()
    finally:
        process.close()


def main() -> None:
    heading(QUESTION)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder  # where the processes put their files
        answer()


def answer() -> None:
    rows = []
    for kind, (make, given) in SETS.items():
        size = bytes_of(make(*given)[0])
        cells = {"rows": f"{kind}, {size / 2**20:.0f} MiB"}
        for name, (module, run) in CONTESTANTS.items():
            if present(module):
                most = peak(run, make, given)
                cells[name] = f"{most / 2**20:.1f} MiB, {most / size:.2f} ×"
            else:
                cells[name] = ABSENT
        rows.append(cells)
    table(rows)
    size = bytes_of(gaussian(N, 100, 0.05)[0])
    for name, run in (("`decide`", decide), ("`max_margin`", max_margin)):
        most = peak(run, gaussian, (N, 100, 0.05))
        print(f"{name} on {N:,} × 100: {most / 2**20:.1f} MiB, {most / size:.2f} × the rows.\n")


if __name__ == "__main__":
    main()

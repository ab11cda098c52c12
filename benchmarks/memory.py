"""The most memory that a fit takes beyond what the process held before it, the data included, each
in a process of its own, after a fit to a few rows that is not counted. In multiples of the bytes of
the rows: 1 is a copy of them. LIBLINEAR starts from arrays (its own nodes of 16 bytes an entry
count), Vowpal Wabbit from its cache file.
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

N = 2_000 if QUICK else 50_000
SETS = {
    f"dense, {N:,} × 100": (dense_rows, (N, 100, "float64")),
    f"CSR, {N:,} × {N // 3:,}, 60 a row": (sparse_rows, (N, N // 3, 60, "float64")),
}


def rosenblatt(X: Any, y: Any) -> Any:
    from rosenblatt import Perceptron

    return Perceptron(max_iter=3, certify=False).fit(X, y)


def scikit_learn(X: Any, y: Any) -> Any:
    from sklearn.linear_model import Perceptron

    return Perceptron(max_iter=3, tol=None).fit(X, y)


def linear_svc(X: Any, y: Any) -> Any:
    from sklearn.svm import LinearSVC

    warnings.simplefilter("ignore")
    return LinearSVC(max_iter=3).fit(X, y)


def liblinear(X: Any, y: Any) -> Any:
    fit = liblinear_fit(X, y, "-s 2 -c 1 -e 0.1")
    return fit and fit()


def decide(X: Any, y: Any) -> Any:
    import rosenblatt as rb

    return rb.decide(X, y)


def max_margin(X: Any, y: Any) -> Any:
    from rosenblatt.solve.max_margin import max_margin as solve

    return solve(X, y)


def on(fit: Callable[..., Any], make: Any, given: Any) -> Callable[[], Any]:
    """The fit to those rows, after one to a few others by which everything is loaded."""
    fit(*gaussian(200, 10, 0.1))
    X, y = make(*given)
    fit(X[:200], y[:200])
    return lambda: fit(X, y)


def vowpal_wabbit(make: Any, given: Any) -> Callable[[], Any]:
    rows = Vowpal(*make(*given), Path(tempfile.mkdtemp()))
    return lambda: rows.fit(3, "hinge")


CONTESTANTS = {
    "rosenblatt": ("rosenblatt", on, rosenblatt),
    "scikit-learn Perceptron": ("sklearn", on, scikit_learn),
    "scikit-learn LinearSVC": ("sklearn", on, linear_svc),
    "LIBLINEAR": ("liblinear", on, liblinear),
    "Vowpal Wabbit": ("vowpalwabbit", vowpal_wabbit),
}


def peak(*how: Any) -> float:
    """Bytes of the first run of what is made so, in a fresh process."""
    process = Elsewhere(*how, digest=id)
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
    for kind, (make, given) in list(SETS.items())[: 1 if QUICK else None]:
        size = bytes_of(make(*given)[0])
        cells = {"rows": f"{kind}, {size / 2**20:.0f} MiB"}
        for name, (module, *how) in CONTESTANTS.items():
            if present(module):
                most = peak(*how, make, given)
                cells[name] = f"{most / 2**20:.1f} MiB, {most / size:.2f} ×"
            else:
                cells[name] = ABSENT
        rows.append(cells)
    table(rows)
    size = bytes_of(gaussian(N, 100, 0.05)[0])
    for name, run in (("`decide`", decide), ("`max_margin`", max_margin)):
        most = peak(on, run, gaussian, (N, 100, 0.05))
        print(f"{name} on {N:,} × 100: {most / 2**20:.1f} MiB, {most / size:.2f} × the rows.\n")


if __name__ == "__main__":
    main()

"""How much faster are working sets than a solver of the whole maximum-margin program?

    python benchmarks/max_margin.py [--quick] [--limit SECONDS]

Gaussian clouds, each side pushed away from a random hyperplane by the margin. `MaxMargin` reaches
a certified relative gap of 1e-6; its peers are clarabel and PIQP on the full quadratic program
(the quadratic program's solver at that accuracy; PIQP if installed) and scikit-learn's
``SVC(kernel="linear", C=1e10)``. Every solver runs in a process of its own, warm, and is stopped
at the limit; ratios are of medians, of 5 runs or, for a peer slower than 10 s, of 3.

A second table compares solvers of the small program of one working set.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

PROBLEMS = [
    (100_000, 20, 0.05),
    (100_000, 20, 0.005),
    (200_000, 50, 0.05),
    (200_000, 50, 0.005),
]
QUICK = [(10_000, 20, 0.05), (10_000, 20, 0.005)]
SMALL = [(100, 20), (200, 50), (800, 200)]
SLOW = 10.0


def cloud(n: int, d: int, margin: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(n, d)), rng.normal(size=d)
    u /= np.linalg.norm(u)
    y = np.where(X @ u + 0.3 > 0, 1.0, -1.0)
    return X + margin * np.outer(y, u), y


def working_sets(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from rosenblatt.maxmargin import max_margin

    return max_margin(X, y).weights


def program(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows yᵢ(xᵢ, 1) and the diagonal of the objective."""
    rows = y[:, None] * np.column_stack([X, np.ones(len(X))])
    squares = np.ones(rows.shape[1])
    squares[-1] = 0.0
    return rows, squares


def full_clarabel(X: np.ndarray, y: np.ndarray, tolerance: float = 1e-8) -> np.ndarray:
    import clarabel

    rows, squares = program(X, y)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    answer = clarabel.DefaultSolver(
        sparse.diags_array(squares, format="csc"),
        np.zeros(rows.shape[1]),
        sparse.csc_array(-rows),
        -np.ones(len(rows)),
        [clarabel.NonnegativeConeT(len(rows))],
        settings,
    ).solve()
    return np.array(answer.x)


def full_piqp(X: np.ndarray, y: np.ndarray, tolerance: float = 1e-8) -> np.ndarray:
    import piqp

    rows, squares = program(X, y)
    solver = piqp.DenseSolver()
    for name in ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"):
        setattr(solver.settings, name, tolerance)
    solver.setup(np.diag(squares), np.zeros(len(squares)), None, None, rows, np.ones(len(X)), None)
    solver.solve()
    return np.array(solver.result.x)


def svc(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.svm import SVC

    model = SVC(kernel="linear", C=1e10, cache_size=2000).fit(X, y)
    return np.append(model.coef_, model.intercept_)


def gap(X: np.ndarray, y: np.ndarray, weights: np.ndarray, best: float) -> float:
    """How far the margin of these weights, at their best bias, is below the best."""
    scores = X @ weights[:-1]
    reached = (scores[y > 0].min() - scores[y < 0].max()) / 2 / np.linalg.norm(weights[:-1])
    return 1 - reached / best


def _timed(solve: Callable[..., Any], problem: tuple, runs: int, pipe: Any) -> None:
    X, y = cloud(*problem)
    try:
        solve(*cloud(1000, problem[1], 0.1))  # imports and compilation
    except Exception as error:
        pipe.send(error)
        return
    pipe.send(None)
    for _ in range(runs):
        began = time.perf_counter()
        weights = solve(X, y)
        pipe.send((time.perf_counter() - began, weights))


def measure(solve: Callable[..., Any], problem: tuple, limit: float) -> tuple[list[float], Any]:
    """Seconds of each run within the limit, and the weights."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_timed, args=(solve, problem, 5, there))
    process.start()
    seconds, weights = [], None
    failed = here.recv()
    while failed is None and len(seconds) < (3 if seconds and seconds[0] > SLOW else 5):
        if not here.poll(limit):
            break
        spent, weights = here.recv()
        seconds.append(spent)
    process.terminate()
    process.join()
    return seconds, weights


def compare(problems: list[tuple[int, int, float]], limit: float) -> None:
    print(f"{'n':>8} {'d':>4} {'margin':>7}  {'solver':<14} {'median s':>9} {'ratio':>8}  gap")
    for problem in problems:
        X, y = cloud(*problem)
        ours, weights = measure(working_sets, problem, limit)
        best = 1 / float(np.linalg.norm(weights[:-1]))
        base = statistics.median(ours)
        line = "{:>8} {:>4} {:>7}  {:<14} {:>9} {:>8}  {}".format
        print(line(*problem, "working sets", f"{base:.3f}", "1", f"{gap(X, y, weights, best):.0e}"))
        for peer in (full_clarabel, full_piqp, svc):
            seconds, weights = measure(peer, problem, limit)
            if seconds:
                spent = statistics.median(seconds)
                words = f"{spent:.2f}", f"{spent / base:.0f}", f"{gap(X, y, weights, best):.0e}"
            else:
                words = f"> {limit:.0f}", f"> {limit / base:.0f}", "-"
            print(line(*problem, peer.__name__, *words), flush=True)


def compare_small() -> None:
    """The program of one working set, solved by least squares and by general solvers."""
    from rosenblatt.maxmargin import local_search

    def least_squares(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        search.alpha[:] = uniform
        search.upper = start
        search.step()
        return search.weights

    print(f"\n{'rows':>8} {'d':>4}  {'solver':<14} {'ms':>9}  gap")
    for n, d in SMALL:
        X, y = cloud(n, d, 0.01)
        search = local_search(X, (y > 0).astype(int), "free")
        start, uniform = search.upper, search.alpha.copy()
        X, y = X[search.working], y[search.working]
        for _ in range(4):
            search.step()
        best = search.bracket.upper
        for solve in (least_squares, full_clarabel, full_piqp):
            times = []
            try:
                for _ in range(6):
                    began = time.perf_counter()
                    weights = solve(X, y)
                    times.append(time.perf_counter() - began)
            except ImportError:
                continue
            spent = 1000 * statistics.median(times[1:])
            error = gap(X, y, weights, best)
            print(f"{n:>8} {d:>4}  {solve.__name__:<14} {spent:>9.2f}  {error:.0e}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small problems only")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one run of a peer")
    options = parser.parse_args()
    compare(QUICK if options.quick else PROBLEMS, options.limit)
    compare_small()

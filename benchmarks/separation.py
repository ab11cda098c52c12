"""Who answers whether estimates are finite, who is right, and how long it takes.

Designs whose answer is known by construction, well and badly scaled, with redundant columns and
with fixed effects; rosenblatt, statsmodels' own warnings, firthmodels and pyfixest, where they are
installed. ``python benchmarks/separation.py`` prints the table of docs/statisticians.md.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import rosenblatt as rb

# Cells of a dense design that statsmodels is asked about.
LARGEST = 10_000_000

QUESTION = "Who answers whether estimates are finite, and who is right?"


class Problem(NamedTuple):
    """A design, its model, and the rows that are separated."""

    name: str
    model: str
    X: np.ndarray
    y: np.ndarray
    separated: np.ndarray
    ids: np.ndarray | None = None


def problems() -> Iterator[Problem]:
    """The designs; the rows of a rare level are separated, or none is."""
    rng = np.random.default_rng(0)
    n = 300
    x = rng.normal(size=(n, 3))
    y = (x[:, 0] + rng.logistic(size=n) > 0).astype(int)
    rare = np.zeros(n)
    rare[np.flatnonzero(y == 1)[:4]] = 1
    X, none = np.column_stack([x, rare]), np.zeros(n, dtype=bool)
    yield Problem("overlap", "logit", x, y, none)
    yield Problem("a rare level", "logit", X, y, rare > 0)
    yield Problem("columns times 1e-6 … 1e6", "logit", X * [1e-6, 1, 1e6, 1], y, rare > 0)
    small = X.copy()
    small[:, 3] *= 1e-5
    yield Problem("rare level coded 0 and 1e-5", "logit", small, y, rare > 0)
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])
    yield Problem("a redundant column", "logit", twice, y, rare > 0)
    line = np.linspace(0, 1, n)[:, None]
    yield Problem("complete", "logit", line, (line[:, 0] > 0.5).astype(int), ~none)
    near = np.array([0.0, 0.5 - 1e-9, 0.5 + 1e-9, 1.0, *rng.random(96)])
    z = (near > 0.5).astype(int)
    z[1], z[2] = 1, 0  # two rows cross by 2e-9
    yield Problem("overlap by 2e-9", "logit", near[:, None], z, np.zeros(100, dtype=bool))
    counts = rng.poisson(2.0, n) * (rare == 0)
    yield Problem("counts, a rare level", "poisson", X, counts, rare > 0)
    for n, levels in ((1500, 30), (100_000, 1000)):
        ids = rng.integers(0, levels, (n, 2))
        x, counts = rng.normal(size=(n, 1)), rng.poisson(1.0, n) * (ids[:, 0] != 3)
        size = f"{n:,} counts, two of {levels:,} levels"
        yield Problem(size, "poisson", x, counts, ids[:, 0] == 3, ids)
        if n == 1500:
            # A column that is 0 but on some rows of one level, all of them without a count.
            rare = np.zeros((n, 1))
            rare[np.flatnonzero(ids[:, 1] == 5)[:4]] = 1
            counts, x = counts * (rare[:, 0] == 0), np.hstack([x, rare])
            gone = (ids[:, 0] == 3) | (rare[:, 0] > 0)
            yield Problem(f"{size}, a rare column", "poisson", x, counts, gone, ids)


def by_rosenblatt(problem: Problem) -> Any:
    """Exact, with the rows."""
    from scipy import sparse

    X: Any = problem.X
    if problem.ids is not None:
        n = len(X)
        levels = [
            sparse.csr_array((np.ones(n), (np.arange(n), ids)))[:, 1:] for ids in problem.ids.T
        ]
        X = sparse.hstack([sparse.csr_array(X), *levels], format="csr")
    return rb.separation_kind(X, problem.y, model=problem.model).strict


def by_statsmodels(problem: Problem) -> Any:
    """Whether it warns of perfect separation, or does not converge."""
    import statsmodels.api as sm

    X = sm.add_constant(problem.X)
    if problem.ids is not None:
        levels = problem.ids.max() + 1
        if len(X) * levels > LARGEST:
            raise NotImplementedError("a dense column for each level")
        X = np.column_stack([X, *(np.eye(levels)[ids][:, 1:] for ids in problem.ids.T)])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if problem.model == "logit":
            sm.Logit(problem.y, X).fit(disp=0)
        else:
            sm.GLM(problem.y, X, family=sm.families.Poisson()).fit()
    return any("onverge" in str(w.message) or "eparation" in str(w.message) for w in said)


def by_firthmodels(problem: Problem) -> Any:
    """Whether there is separation."""
    from firthmodels import detect_separation

    if problem.model != "logit":
        raise NotImplementedError("two classes only")
    return bool(detect_separation(problem.X, problem.y).separation)


def by_pyfixest(problem: Problem) -> Any:
    """How many rows its check drops."""
    import pandas as pd
    import pyfixest as pf

    if problem.ids is None:
        raise NotImplementedError("counts with fixed effects only")
    d = problem.X.shape[1]
    table = pd.DataFrame(problem.X, columns=[f"x{j}" for j in range(d)]).assign(y=problem.y)
    table[["a", "b"]] = problem.ids
    formula = "y ~ " + " + ".join(f"x{j}" for j in range(d)) + " | a + b"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pf.fepois(formula, table, separation_check=["fe", "ir"])
    return len(table) - fit._N


def verdict(answer: Any, problem: Problem) -> str:
    """Whether an answer is right, as far as it goes."""
    if isinstance(answer, np.ndarray):
        return "right" if np.array_equal(answer, problem.separated) else "wrong"
    if isinstance(answer, bool):
        return "right" if answer == problem.separated.any() else "wrong"
    return "right" if answer == problem.separated.sum() else "wrong"


ASKED: dict[str, Callable[[Problem], Any]] = {
    "rosenblatt": by_rosenblatt,
    "statsmodels": by_statsmodels,
    "firthmodels": by_firthmodels,
    "pyfixest": by_pyfixest,
}


def main() -> None:
    """Print the table."""
    print("| design | model |", " | ".join(ASKED), "|")
    print("|---|---|" + "---|" * len(ASKED))
    for problem in problems():
        cells = []
        for ask in ASKED.values():
            try:
                ask(problem)  # once, to load and compile
                began = time.process_time()
                answer = ask(problem)
                spent = time.process_time() - began
                cells.append(f"{verdict(answer, problem)}, {1000 * spent:,.0f} ms")
            except NotImplementedError:
                cells.append("–")
            except Exception as error:
                cells.append(f"refused: {type(error).__name__}")
        print(f"| {problem.name} | {problem.model} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

"""`decide` and the check of its certificate, against HiGHS on the linear program of all points: the
form (primal or dual) and the method (simplex or interior point) that is fastest on the problem,
tried before. HiGHS's answer rests on its tolerances; ours is proved in rational arithmetic. On one
core.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
from sklearn import linear_model
from sklearn.datasets import make_classification

import rosenblatt as rb
from harness import (
    ABSENT,
    QUICK,
    cell,
    cores,
    factor,
    gaussian,
    geometric_mean,
    heading,
    race,
    ratio,
    show,
    table,
    target,
)
from problems import Problem, inseparable_problems, mnist, sparse_text
from programs import Programs, highs_form
from rosenblatt.solve.attempts import prove
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.effort import Meter, OutOfBudget
from rosenblatt.solve.search import Search

QUESTION = "Time to a proof of inseparability"

LIMIT = 2 if QUICK else 8
COLUMNS = ("problem", "decide + verify", "rows that prove it", "full LP (HiGHS)", "form", "ratio")


def proved(X: Any, y: np.ndarray) -> Any:
    decision = rb.decide(X, y)
    assert decision.separable is False
    assert decision.certificate.verify(X, y)
    return decision


def row(problem: Problem, ratios: list[float]) -> dict[str, str]:
    found = problem.load()
    if found is None:
        return {"problem": f"{problem.name} ({ABSENT})"}
    X, y = found
    if rb.decide(X, y).separable:  # a turned label does not promise that it is not
        return {"problem": problem.name, "decide + verify": "separable after all"}
    form = highs_form(X, y, LIMIT)
    program = Programs(X, y, LIMIT).forms()[form]
    times = race({"ours": lambda: proved(X, y), "HiGHS": program}, limit=5.0, slow=("HiGHS",))
    answer = times["HiGHS"].result
    ratios.append(ratio(times, "ours", "HiGHS"))
    return {
        "problem": f"{problem.name} ({X.shape[0]:,} × {X.shape[1]:,})",
        "decide + verify": cell(times, "ours"),
        "rows that prove it": str(len(times["ours"].result.certificate.rows)),
        "full LP (HiGHS)": ("" if answer is False else "> ") + cell(times, "HiGHS"),
        "form": form + {None: ", out of time", True: ", WRONG", False: ""}[answer],
        "ratio": ("" if answer is False else "≥ ") + factor(ratios[-1]),
    }


def verification() -> None:
    """What checking a separation costs, in passes of scikit-learn over the same rows."""
    X, y = gaussian(2_000 if QUICK else 100_000, 100, 0.05)
    certificate = rb.decide(X, y).certificate

    def epochs(count: int) -> Any:
        return linear_model.Perceptron(shuffle=False, tol=None, max_iter=count).fit(X, y)

    times = race(
        {
            "verify": lambda: certificate.verify(X, y),
            "1": lambda: epochs(1),
            "6": lambda: epochs(6),
        }
    )
    epoch = (times["6"].median - times["1"].median) / 5
    print(
        f"Verifying a separation of {X.shape[0]:,} × 100: {cell(times, 'verify')}, "
        f"{times['verify'].median / epoch:.1f} scikit-learn epochs.\n"
    )


def digits_proof() -> None:
    """MNIST's 0 against the rest, once: the full program takes minutes to hours."""
    found = None if QUICK else mnist()
    if found is None:
        print("MNIST, 0 against the rest: absent.\n")
        return
    began = time.perf_counter()
    decision = proved(found.X, found.y == 0)
    seconds = time.perf_counter() - began
    print(
        f"MNIST, 0 against the rest: {decision.verdict}, proved and verified in {show(seconds)} "
        f"(1 run) by {len(decision.certificate.rows)} images.\n"
    )


def kinds() -> None:
    """Whether the classes are separated, touch or overlap, with every coefficient's estimate."""
    rows, longest = [], math.nan
    for name, width in {"a9a": 123, "w7a": 300}.items():
        found = None if QUICK else sparse_text(f"{name}.svm.gz", width)
        if found is None:
            rows.append({"problem": f"{name} ({ABSENT})"})
            continue

        def asked(found: Any = found) -> Any:
            kind = rb.separation_kind(*found)
            return kind, sum(where.diverges for where in kind.coefficients.values())

        times = race({"ours": asked}, limit=5.0)
        kind, infinite = times["ours"].result
        assert kind.verify(*found)
        longest = max(times["ours"].median, longest if longest > 0 else 0.0)
        rows.append(
            {
                "problem": f"{name} ({found[0].shape[0]:,} × {width})",
                "separation_kind with coefficients": cell(times, "ours"),
                "kind": str(kind.kind),
                "without a finite estimate": str(infinite),
            }
        )
    table(rows)
    what = "separation kind of a9a and w7a with coefficients, seconds, longest"
    target(what, 3, longest, at_most=True)


def units() -> None:
    """Units that a search counts, in seconds of one core, over sizes, classes, label noise."""
    sizes = [(100, 5), (1000, 20), (1000, 100), (10_000, 20), (100_000, 20), (10_000, 300)]
    ratios = []
    for n, d in sizes[: 2 if QUICK else None]:
        for classes, noise, redundant in product((2, 5, 20), (0.01, 0.3), (0, 2)):
            if n < 50 * classes:
                continue
            X, y = make_classification(
                n,
                d,
                n_informative=d - redundant,
                n_redundant=redundant,
                n_classes=classes,
                n_clusters_per_class=1,
                flip_y=noise,
                random_state=1,
            )
            meter, goal = Meter(3e9), Constraints(X, y, classes)
            began = time.process_time()
            with suppress(OutOfBudget):
                weights = np.zeros(goal.dimension)
                prove(Search(goal, budget=meter), weights, np.zeros(n))
            ratios.append(meter.spent / 1e9 / (time.process_time() - began))
    print(
        f"Units of a search, a billion to the second: {geometric_mean(ratios):.2f} seconds' worth "
        f"a second ({min(ratios):.2f} to {max(ratios):.2f} over {len(ratios)} sets).\n"
    )


def main() -> None:
    heading(QUESTION)
    ratios: list[float] = []
    with cores(1):
        table((row(problem, ratios) for problem in inseparable_problems()), COLUMNS)
        print(f"Geometric mean of the ratios: {factor(geometric_mean(ratios))}.\n")
        verification()
        units()
        kinds()
    digits_proof()
    target("proof of inseparability, × the full LP, geometric mean", 1, geometric_mean(ratios))


if __name__ == "__main__":
    main()

"""`max_margin` stops at a certified relative gap of 10⁻⁶. Its peers work on all points at once:
Clarabel on the quadratic program at tolerances of 10⁻⁸, scikit-learn's `SVC(kernel="linear",
C=1e10)`, LIBLINEAR's dual solver with C = 10⁴ (which pads the bias: its margin is a slightly
different one). "Gap" is how far the margin of the weights found, at their best bias, is below the
best. Each runs in a process of its own on one core; one that takes longer than the limit is
stopped, and its ratio is a lower bound. Then, without peers, sets of about a thousand columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import peers
import programs
from harness import (
    ABSENT,
    QUICK,
    Elsewhere,
    cell,
    cores,
    factor,
    gaussian,
    geometric_mean,
    heading,
    race,
    ratio,
    table,
    target,
)

QUESTION = "Time to the maximum margin at a certified gap"

LIMIT = 1.0 if QUICK else 3.0
PROBLEMS = [(20_000, 20, 0.05), (20_000, 20, 0.005), (20_000, 50, 0.05)]
COLUMNS = ("problem", "solver", "seconds", "ratio", "gap")


def rosenblatt(*problem: Any) -> Callable[[], np.ndarray]:
    from rosenblatt.solve.max_margin import max_margin

    X, y = gaussian(*problem)
    return lambda: max_margin(X, y).weights


def clarabel(*problem: Any) -> Callable[[], np.ndarray]:
    return programs.clarabel_max_margin(*gaussian(*problem))


def svc(*problem: Any) -> Callable[[], np.ndarray]:
    return programs.svc_max_margin(*gaussian(*problem))


def liblinear(*problem: Any) -> Callable[[], np.ndarray]:
    fit = peers.liblinear_fit(*gaussian(*problem), "-s 3 -c 1e4 -e 1e-6")
    assert fit is not None

    def run() -> np.ndarray:
        model = fit()
        weights, bias = model.get_decfun()
        return model.get_labels()[0] * np.append(weights, bias)

    return run


CONTESTANTS = {
    "rosenblatt": ("rosenblatt", rosenblatt),
    "Clarabel": ("clarabel", clarabel),
    "SVC": ("sklearn", svc),
    "LIBLINEAR": ("liblinear", liblinear),
}


def gap(X: np.ndarray, y: np.ndarray, weights: np.ndarray, best: float) -> float:
    """How far the margin of these weights, at their best bias, is below the best."""
    scores = X @ weights[:-1]
    reached = (scores[y > 0].min() - scores[y < 0].max()) / 2 / np.linalg.norm(weights[:-1])
    return 1 - reached / best


def rows(problem: tuple[int, int, float], ratios: dict[str, list[float]]) -> Any:
    X, y = gaussian(*problem)
    running = {
        name: Elsewhere(make, *problem, cores=1, limit=math.inf if name == "rosenblatt" else LIMIT)
        if peers.present(module)
        else None
        for name, (module, make) in CONTESTANTS.items()
    }
    times = race(running, limit=LIMIT)
    best = 1 / float(np.linalg.norm(times["rosenblatt"].result[:-1]))
    for name, contestant in running.items():
        shown = f"{problem[0]:,} × {problem[1]}, margin {problem[2]}"
        if contestant is None:
            yield {"problem": shown, "solver": name, "seconds": ABSENT}
            continue
        contestant.close()
        faster = ratio(times, "rosenblatt", name)
        ratios.setdefault(name, []).append(faster)
        found = times[name].result
        yield {
            "problem": shown,
            "solver": name,
            "seconds": f"> {LIMIT:g} s" if contestant.over else cell(times, name),
            "ratio": ("≥ " if contestant.over else "") + factor(faster),
            "gap": "" if found is None else f"{gap(X, y, found, best):.0e}",
        }


def of_many_columns() -> dict[str, Callable[[], Any]]:
    """Sets of about a thousand columns: tall, square, wide, and images."""
    from problems import mnist, pair_of

    return {
        "2,000 × 1,000, margin 0.05": lambda: gaussian(2_000, 1_000, 0.05),
        "1,000 × 1,000, margin 0.05": lambda: gaussian(1_000, 1_000, 0.05),
        "500 × 1,000, margin 0.05": lambda: gaussian(500, 1_000, 0.05),
        "MNIST, 0 and 1": lambda: pair_of(mnist, 0, 1),
        "MNIST, 0 and 8, first 4,000": lambda: argsmallest(pair_of(mnist, 0, 8), 4_000),
    }


def argsmallest(found: Any, most: int) -> Any:
    return found and tuple(part[:most] for part in found)


def many_columns() -> float:
    """The longest that a set of about a thousand columns takes."""
    from rosenblatt.solve.max_margin import max_margin

    rows, longest = [], math.nan
    with cores(1):
        for name, make in of_many_columns().items():
            found = make()
            if found is None:
                rows.append({"problem": f"{name} ({ABSENT})"})
                continue
            times = race({"ours": lambda found=found: max_margin(*found)}, 3, limit=5.0)
            longest = max(times["ours"].median, longest if longest > 0 else 0.0)
            result = times["ours"].result
            rows.append(
                {
                    "problem": f"{name} ({found[0].shape[0]:,} rows)",
                    "seconds": cell(times, "ours"),
                    "support": str(len(result.support)),
                    "gap": f"{result.bracket.relative_gap:.0e}",
                }
            )
    table(rows)
    return longest


def main() -> None:
    heading(QUESTION)
    ratios: dict[str, list[float]] = {}
    problems = [(2_000, 10, 0.05)] if QUICK else PROBLEMS
    table((row for problem in problems for row in rows(problem, ratios)), COLUMNS)
    longest = math.nan if QUICK else many_columns()
    target("maximum margin at about 1,000 columns, seconds, longest", 3, longest, at_most=True)
    for name in ("Clarabel", "SVC"):  # LIBLINEAR does not reach the gap
        mean = geometric_mean(ratios.get(name, []))
        target(f"maximum margin, × {name} on all points, geometric mean", 1, mean)


if __name__ == "__main__":
    main()

"""How the time of ten passes grows with the rows n, the columns d, the entries of a sparse row and
the classes K, and that of separating five sets of one margin with 1/γ: medians over sizes that
double, and the exponent of the power law fitted to them. Passes are linear in n, d, the entries and
K by theory, small ones below that: a fit has its fixed price. A separator takes at most (R/γ)²
updates. On one core.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import linear_model

import plots
from harness import QUICK, Timing, cores, gaussian, growth, heading, race, show, table
from one_pass import dense_rows, sparse_rows
from rosenblatt import Perceptron

QUESTION = "Growth with n, d, the entries, 1/γ and K"

STEPS = 3 if QUICK else 5
SMALL = 10 if QUICK else 1


def ours(X: Any, y: np.ndarray) -> Any:
    return Perceptron(order="cyclic", max_iter=10, certify=False).fit(X, y)


def theirs(X: Any, y: np.ndarray) -> Any:
    return linear_model.Perceptron(shuffle=False, tol=None, max_iter=10).fit(X, y)


def separators(*problems: Any) -> None:
    for X, y in problems:
        Perceptron(max_iter=10**6).fit(X, y)


def classes_of(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(4_000 // SMALL) % count
    return rng.standard_normal((len(y), 50)) + 0.3 * rng.standard_normal((count, 50))[y], y


def doubled(first: float) -> list[int]:
    return [int(first * 2**k) for k in range(STEPS)]


# The variable: its sizes, the data of a size, what is timed of ours, and of scikit-learn.
LAWS: dict[str, tuple[list[int], Callable[[int], Any], Any, Any]] = {
    "n": (doubled(8_000 / SMALL), lambda n: dense_rows(n, 50, "float64"), ours, theirs),
    "d": (doubled(25), lambda d: dense_rows(10_000 // SMALL, d, "float64"), ours, theirs),
    "entries": (
        doubled(10),
        lambda k: sparse_rows(20_000 // SMALL, 6_000 // SMALL, k, "float64"),
        ours,
        theirs,
    ),
    "1/γ": (
        doubled(10),
        lambda g: [gaussian(20_000 // SMALL, 20, 1 / g, seed) for seed in range(5)],
        separators,
        None,
    ),
    "K": (doubled(10), classes_of, ours, theirs),
}


def measured(name: str) -> dict[str, list[Timing]]:
    """A timing for each size and contestant."""
    sizes, make, run, other = LAWS[name]
    found: dict[str, list[Timing]] = {"rosenblatt": [], "scikit-learn": []}
    for size in sizes:
        data = make(size)
        times = race(
            {
                "rosenblatt": lambda data=data: run(*data),
                "scikit-learn": (lambda data=data: other(*data)) if other else None,
            },
            limit=1.5,
        )
        for contestant, timing in times.items():
            found[contestant].append(timing)
    return {contestant: timings for contestant, timings in found.items() if timings}


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    rows, panels = [], {}
    with cores(1):
        for name, (sizes, *_) in LAWS.items():
            lines = []
            for contestant, timings in measured(name).items():
                law = growth(sizes, timings)
                drawn = f"{contestant}, exponent {law.exponent:.2f}"
                lines.append(plots.Line(drawn, sizes, [t.median for t in timings]))
                rows.append(
                    {
                        "grows": name,
                        "contestant": contestant,
                        "sizes": f"{sizes[0]:,} to {sizes[-1]:,}",
                        "from": show(timings[0].median),
                        "to": show(timings[-1].median),
                        "exponent": f"{law.exponent:.2f}",
                        "R²": f"{law.r_squared:.3f}",
                    }
                )
            panels[name] = lines
    table(rows)
    plots.draw("growth", panels, x=list(panels), y="time")


if __name__ == "__main__":
    main()

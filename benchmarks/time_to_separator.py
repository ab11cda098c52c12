"""From data to a hyperplane that has every training point strictly on its right side, over every
separable problem at hand, each contestant at its best setting on that problem. Ours are the default
`Perceptron()`, which goes on to weights that predict better (benchmarks/accuracy.py): another
separator, or the mean beside one that is overfit; and
`Perceptron(solution="last")`, which stops at the first it meets as the peers do; on one core like
the others, validation and proof of the result included.
Peers do not know when to stop, so how long they need is found beforehand and not timed; one that
nothing makes separate, within 25 times ours (or 1 s), is timed at its largest budget tried, and
the ratio is then a lower bound (marked ≥). scikit-learn "as it comes" is told nothing: what a user
calls, `Perceptron()` against `Perceptron()`, whether or not theirs separates. What a fit of few
rows must take is shown by an estimator that checks its input as scikit-learn does, and learns
nothing.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import peers
from harness import (
    ABSENT,
    LIMIT,
    QUICK,
    cell,
    cores,
    factor,
    geometric_mean,
    heading,
    race,
    ratio,
    table,
    target,
    timed,
)
from problems import Problem, hard_problems, separable_problems
from rosenblatt import Perceptron

QUESTION = "Time to a separator without an error"

SOLVER = "LIBLINEAR, solver alone"
# Peers: whether none of their rows may be faster than ours.
NAMES = {"scikit-learn": True, "LIBLINEAR": True, SOLVER: False, "Vowpal Wabbit": True}
OURS, FIRST = "rosenblatt", "first separator"
UNTOLD, NOTHING = "scikit-learn as it comes", "nothing learned"
CHECKING = "an estimator that checks its input and learns nothing"
COLUMNS = (
    "problem",
    OURS,
    FIRST,
    UNTOLD,
    f"{UNTOLD} ratio",
    NOTHING,
    *(column for name in NAMES for column in (name, f"{name} ratio")),
)


UNKNOWN = math.nan, math.nan
MILLISECONDS = "milliseconds"
# What a fit of a few hundred rows may take, first separators included. It was 0.4, and no small set
# might be behind a peer: half a millisecond is not worth special cases, so below SMALL rows this
# is all that is asked. A default fit decides and chooses besides, for at most twice what
# scikit-learn's takes in the mean, and twelve times as much at worst.
ALLOWED, MEAN_BESIDE, WORST_BESIDE = 1.0, 1 / 2, 1 / 12
SMALL, LARGE = 500, 1_000 if QUICK else 10_000
# By peer, then by problem and number of rows: of the default, and of the first separator.
Ratios = dict[str, dict[tuple[str, int], tuple[float, float]]]


def ours(X: Any, y: np.ndarray, **how: Any) -> Perceptron:
    return Perceptron(max_iter=10**6, **how).fit(X, y)


def row(problem: Problem, ratios: Ratios) -> dict[str, str]:
    """The problem's row; its ratios are added to those of the problems before."""
    found = problem.load()
    if found is None:
        return {"problem": f"{problem.name} ({ABSENT})"}
    X, y = found
    ours(X, y)
    patience = peers.patience(timed(lambda: ours(X, y))[0])
    liblinear = peers.liblinear_separator(X, y, patience)
    with tempfile.TemporaryDirectory() as folder:
        attempts = {
            "scikit-learn": peers.sklearn_separator(X, y, patience),
            "LIBLINEAR": liblinear and liblinear._replace(run=liblinear.whole),
            SOLVER: liblinear,
            "Vowpal Wabbit": peers.vw_separator(X, y, Path(folder), patience),
        }
        runs = {name: attempt and attempt.run for name, attempt in attempts.items()}
        own = {OURS: lambda: ours(X, y), FIRST: lambda: ours(X, y, solution="last")}
        untold = {
            UNTOLD: peers.sklearn_perceptron(X, y),
            NOTHING: peers.nothing_learned(X, y),
        }
        times = race(own | untold | runs, limit=LIMIT / 20, slow=NAMES)
    for name in own:
        model = times[name].result.with_solution("last")
        assert peers.errors(X, y, model.coef_, model.intercept_[0]) == 0
    cells = {"problem": problem.name} | {name: cell(times, name) for name in own | untold}
    told_nothing = ratio(times, OURS, UNTOLD)
    ratios[UNTOLD][problem.name, X.shape[0]] = told_nothing, ratio(times, FIRST, UNTOLD)
    cells[f"{UNTOLD} ratio"] = factor(told_nothing)
    took = 1e3 * times[OURS].median, 1e3 * times[FIRST].median
    ratios[MILLISECONDS][problem.name, X.shape[0]] = took
    checking = times[NOTHING].median
    ratios[NOTHING][problem.name, X.shape[0]] = 1e3 * checking, _over(times, "LIBLINEAR", checking)
    for name, attempt in attempts.items():
        if attempt is None:
            cells |= {name: ABSENT, f"{name} ratio": ABSENT}
            continue
        faster = ratio(times, OURS, name)
        ratios[name][problem.name, X.shape[0]] = faster, ratio(times, FIRST, name)
        bound = "" if attempt.separates else "≥ "
        shown = "" if name == SOLVER else f" ({attempt.setting})"
        cells[name] = cell(times, name) + shown
        cells[f"{name} ratio"] = bound + factor(faster)
    return cells


def main() -> None:
    heading(QUESTION)
    measured = MILLISECONDS, UNTOLD, NOTHING, *NAMES
    ratios, hard = (Ratios({name: {} for name in measured}) for _ in range(2))
    warnings.simplefilter("ignore")
    with cores(1):
        ours(np.eye(4), np.array([1, -1, 1, -1]))
        table((row(problem, ratios) for problem in separable_problems()), COLUMNS)
        print("Small sets that passes alone do not separate soon:\n")
        table((row(problem, hard) for problem in hard_problems()), COLUMNS)
    untold = [value for value, _ in ratios[UNTOLD].values()]
    what = f"default fit, × scikit-learn's default fit, worst of {len(untold)} problems"
    target(what, WORST_BESIDE, min(untold, default=math.nan))
    what = "default fit, × scikit-learn's default fit, geometric mean"
    target(what, MEAN_BESIDE, geometric_mean(untold))
    short = {problem: both for problem, both in ratios[MILLISECONDS].items() if problem[1] < SMALL}
    easy = {problem: both for problem, both in short.items() if problem[0] != "sonar"}
    for at, what in enumerate(("default fit", "first separator")):
        took = {problem: (both[at], ratios[NOTHING][problem][0]) for problem, both in easy.items()}
        got, least = max(took.values(), key=lambda of: of[0] / max(ALLOWED, of[1]), default=UNKNOWN)
        what = f"{what} of easy sets under {SMALL} rows, ms, longest for its limit"
        target(what, ALLOWED, got, at_most=True, possible=least, by=CHECKING)
    for at, ours_is in enumerate(("time to a separator", "time to the first separator")):
        for name, asked in NAMES.items():
            known = {problem: both[at] for problem, both in ratios[name].items()}
            mean, large = geometric_mean(known.values()), geometric_mean(of_size(known, LARGE))
            what = f"{ours_is}, × {name}"
            if asked:
                checked = ratios[NOTHING] if name == "LIBLINEAR" else {}
                rows = [of for of in known if of[1] >= SMALL]
                both = [(known[of], checked.get(of, UNKNOWN)[1]) for of in rows]
                worst = min(both, key=lambda of: of[0] / min(1, of[1]), default=UNKNOWN)
                what_of_all = f"{what}, worst of {len(rows)} problems of {SMALL} rows or more"
                target(what_of_all, 1, worst[0], possible=worst[1], by=CHECKING)
                behind = [problem for (problem, _), value in known.items() if value < 1]
                print(f"Below 1: {', '.join(behind) or 'none'}.\n")
            print(f"{what}, geometric mean: {factor(mean)}; ", end="")
            print(f"of {LARGE:,} rows or more: {factor(large)}.\n")
    mean = geometric_mean(v for v, _ in hard["LIBLINEAR"].values())
    target("time to a separator, × LIBLINEAR, hard small sets, geometric mean", 1, mean)


def _over(times: dict[str, Any], name: str, seconds: float) -> float:
    """A contestant's time over so many seconds; NaN where it is absent."""
    found = times.get(name)
    return found.median / seconds if found else math.nan


def of_size(ratios: dict[tuple[str, int], float], least: int) -> list[float]:
    return [value for (_, rows), value in ratios.items() if rows >= least]


if __name__ == "__main__":
    main()

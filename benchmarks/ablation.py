"""What each constant of a default fit buys: accuracy, cost and undecided fits with it halved,
doubled and removed, beside those with it as it is. Over the sets of `accuracy`, raw and scaled, the
made-up kinds of `odd_data` and the noisy sets of `fit_cost`. Points are the mean held-out accuracy,
in percent; a cost is the geometric mean of processor seconds, as a multiple of the fits as they
are; "undecided" counts fits without a verdict, "overfit" those of separable classes that end with
the mean, since no separator was found near it. What changes nothing beyond noise (a tenth of a
point, a tenth of the cost, no fit that is undecided or overfit) can go.

`python benchmarks/ablation.py [constant ...]` asks about some constants only.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import fit_cost
import odd_data
import rosenblatt as rb
import sets
from accuracy import MOST, UNSCALED
from harness import QUICK, heading, table
from rosenblatt.engine import scaling
from rosenblatt.fit import constants

QUESTION = "What does each constant of a default fit buy?"

SPLITS = 1 if QUICK else 3
MOST_ROWS = 300 if QUICK else 1_500
MADE = 1 if QUICK else 3
# Module, constant, and its value where it is as good as removed.
CONSTANTS = (
    (constants, "FLOOR", 0),
    (constants, "MEAN_PASSES", 1),
    (constants, "HEAD_START", 1.0),
    (constants, "BEYOND", 1e-9),
    (constants, "WIDEST", 0),
    (constants, "RIDGE", 1e-12),
    (scaling, "LONG", 1e300),
    (scaling, "MOST", 0.0),
    (scaling, "FULL", 0.0),
    (scaling, "ALIKE", 0.0),
    (scaling, "RARE", 0.0),
    (scaling, "QUARTER", 40),
    (scaling, "LARGEST_EXPONENT", 1000),
)


class Tried(NamedTuple):
    """A fit: accuracy on new rows in percent, processor seconds, and how it ended."""

    accuracy: float
    seconds: float
    decided: bool
    overfit: bool


def problems() -> Iterator[tuple[Any, ...]]:
    """Rows to learn from and new ones, with their labels."""
    for name in sets.ALL:
        found = sets.load(name, min(MOST_ROWS, MOST.get(name, MOST_ROWS)))
        if found is None:
            continue
        X, y = found
        for split in range(SPLITS):
            train, test = train_test_split(
                np.arange(len(y)), test_size=0.3, stratify=y, random_state=split
            )
            yield X[train], y[train], X[test], y[test]
            if name not in UNSCALED:
                scaler = MaxAbsScaler() if hasattr(X, "tocsr") else StandardScaler()
                rows = scaler.fit(X[train]).transform(X)
                yield rows[train], y[train], rows[test], y[test]
    for kind in odd_data.KINDS.values():
        if kind.ask is odd_data.fitted:
            for seed in range(MADE):
                yield kind.make(np.random.default_rng(seed))
    for made in fit_cost.MADE[: 3 if QUICK else 12]:
        X, y = made.load()
        yield (X, y, X[:100], y[:100])


def tried(X: Any, y: np.ndarray, new: Any, known: np.ndarray) -> Tried:
    """A fit to some rows, and its accuracy on new ones."""
    began = time.process_time()
    clf = rb.Perceptron().fit(X, y)
    seconds = max(time.process_time() - began, 1e-6)
    decided = clf.verdict_ is not rb.Verdict.UNDECIDED
    overfit = clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    return Tried(100 * clf.score(new, known), seconds, decided, overfit)


def in_turns(
    data: list[tuple[Any, ...]], module: Any, name: str, other: float
) -> Iterator[tuple[Tried, Tried]]:
    """Fits to each problem with another value of a constant, and as they are: times compare."""
    value = getattr(module, name)
    for problem in data:
        setattr(module, name, other)
        try:
            changed = tried(*problem)
        finally:
            setattr(module, name, value)
        yield changed, tried(*problem)


def row(name: str, value: float, found: Sequence[Tried], usual: Sequence[Tried]) -> dict[str, str]:
    """Points, cost, undecided and overfit fits, beside the usual ones."""
    points = statistics.mean(one.accuracy for one in found)
    gained = points - statistics.mean(one.accuracy for one in usual)
    ratios = [math.log(a.seconds / b.seconds) for a, b in zip(found, usual, strict=True)]
    return {
        "constant": name,
        "value": f"{value:g}",
        "points": f"{points:.2f}",
        "gained": f"{gained:+.2f}",
        "cost": f"{math.exp(statistics.mean(ratios)):.2f}",
        "undecided": str(sum(not one.decided for one in found)),
        "overfit": str(sum(one.overfit for one in found)),
    }


def main() -> None:
    """Print the table."""
    heading(QUESTION)
    warnings.simplefilter("ignore")
    data = list(problems())
    usual = [tried(*problem) for problem in data]  # compiles
    rows = [row("as they are", math.nan, usual, usual)]
    for module, name, removed in CONSTANTS:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        value = getattr(module, name)
        for other in (type(value)(value / 2), 2 * value, removed):
            found, usual = zip(*in_turns(data, module, name, other), strict=True)
            rows.append(row(name, other, found, usual))
    table(rows)


if __name__ == "__main__":
    main()

"""Ten passes over 10, 20 and 100 or more classes, dense and sparse: our one rule for all classes,
in cyclic order, against scikit-learn's Perceptron (one class against the rest, a job for each core)
and Vowpal Wabbit's `--oaa` from its cache. They do not do the same work: for each row, ours reads
the weights of all classes and changes two; the others change many. The time of the same number of
passes, and the accuracy on held-out rows that it buys, stand side by side. The second table is our
rule, which takes the scores of a block of rows at once, against itself and a C loop going row by
row, where K × d weights no longer fit the second cache; numbers are whole, so that all make exactly
the same mistakes. The products alone, by BLAS, are the yardstick: a rule that looks at one row at a
time needs all of them, and its updates besides.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import linear_model

import peers
from c_loop import multiclass_passes
from harness import (
    LIMIT,
    QUICK,
    cell,
    core_count,
    cores,
    factor,
    heading,
    race,
    ratio,
    table,
    target,
)
from problems import Split, images, news
from rosenblatt import Perceptron
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import CompiledSweep

QUESTION = "Ten passes of multiclass"

COLUMNS = ("data", "contestant", "seconds", "ratio", "held-out accuracy")


def made(n: int, d: int, classes: int, entries: int = 0) -> Split:
    """Rows around the means of so many classes, dense or with so many entries each."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=2 * n)
    if entries:
        # A third of a row's columns are its class's own, of 50; the others are anyone's.
        which = rng.integers(50, size=(2 * n, entries))
        own = rng.integers(d, size=(classes, 50))[y[:, None], which]
        anyones = rng.integers(d, size=(2 * n, entries))
        columns = np.where(rng.random(own.shape) < 1 / 3, own, anyones).ravel().astype(np.int32)
        starts = np.arange(2 * n + 1, dtype=np.int32) * entries
        X: Any = sparse.csr_matrix((np.ones(len(columns)), columns, starts), shape=(2 * n, d))
        X.sum_duplicates()
    else:
        X = rng.standard_normal((2 * n, d)) + 0.25 * rng.standard_normal((classes, d))[y]
    return Split(X[:n], y[:n], X[n:], y[n:])


def data() -> dict[str, Callable[[], Split | None]]:
    if QUICK:
        return {
            "digits, 10 classes": lambda: images()[1],
            "made, 100 classes, dense": lambda: made(500, 50, 100),
            "made, 100 classes, sparse": lambda: made(500, 1_000, 100, 20),
        }
    return {
        f"{images()[0]}, 10 classes, dense": lambda: images(20_000)[1],
        "20news, 20 classes, sparse": news,
        "made, 100 classes, dense": lambda: made(1_000, 1_000, 100),
        "made, 200 classes, sparse": lambda: made(5_000, 20_000, 200, 50),
    }


def vowpal(found: Split, folder: Path) -> tuple[Callable[[], Any], Callable[[], float]] | None:
    """Ten passes, and the accuracy of what they learned."""
    if not peers.present("vowpalwabbit"):
        return None
    codes, y = np.unique(found.y, return_inverse=True)
    y_test = np.searchsorted(codes, found.y_test)
    (folder / "train").mkdir()
    (folder / "test").mkdir()
    train = peers.Vowpal(found.X, y + 1, folder / "train", len(codes))
    test = peers.Vowpal(found.X_test, y_test + 1, folder / "test", len(codes))
    return (
        lambda: train.fit(10, "logistic"),
        lambda: float(np.mean(train.predict(test) == y_test + 1)),
    )


def rows(name: str, found: Split | None) -> Any:
    if found is None:
        yield {"data": f"{name} (absent)"}
        return
    X, y = found.X, found.y
    how, jobs = {"max_iter": 10, "tol": None}, core_count()
    with tempfile.TemporaryDirectory() as folder:
        other = vowpal(found, Path(folder))
        times = race(
            {
                "rosenblatt": lambda: Perceptron(**how, order="cyclic", certify=False).fit(X, y),
                "scikit-learn": lambda: linear_model.Perceptron(**how, n_jobs=jobs).fit(X, y),
                "Vowpal Wabbit": other and other[0],
            },
            limit=LIMIT / 2,
            slow=("scikit-learn", "Vowpal Wabbit"),
        )
        scores = {
            "rosenblatt": lambda: times["rosenblatt"].result.score(found.X_test, found.y_test),
            "scikit-learn": lambda: times["scikit-learn"].result.score(found.X_test, found.y_test),
            "Vowpal Wabbit": other[1] if other else lambda: math.nan,
        }
        for contestant, score in scores.items():
            yield {
                "data": f"{name}, {X.shape[0]:,} × {X.shape[1]:,}",
                "contestant": contestant,
                "seconds": cell(times, contestant),
                "ratio": factor(ratio(times, "rosenblatt", contestant)),
                "held-out accuracy": f"{score():.4f}" if contestant in times else "",
            }


class RowByRow(CompiledSweep):
    """A sweep that does not look ahead."""

    def __init__(self, *how: Any):
        super().__init__(*how)
        self._ahead = self.rule


def row_by_row() -> None:
    """Our kernel by blocks against loops over the rows, one core."""
    found = made(*((300, 100, 20) if QUICK else (2_000, 1_000, 100)))
    X, y, passes = np.round(4 * found.X), found.y, 5
    loop = multiclass_passes(X, y)
    points, rule = make_points(X, y), make_rule(int(y.max()) + 1)
    table_of_weights = np.ones((int(y.max()) + 1, X.shape[1]))

    def ours(sweeper: Any) -> int:
        budget = Budget(passes=passes)
        return learn(sweeper(points, rule), order="cyclic", budget=budget).mistakes

    contestants = {
        "rosenblatt": lambda: ours(CompiledSweep),
        "rosenblatt, row by row": lambda: ours(RowByRow),
        "C, row by row": (lambda: loop(passes)) if loop else None,
    }
    floor = "the products alone, by BLAS"
    with cores(1):
        times = race(
            contestants | {floor: lambda: [X @ table_of_weights.T for _ in range(passes)] and None}
        )
    assert len({times[name].result for name in contestants if name in times}) == 1
    table(
        [
            {f"{passes} passes, {X.shape[0]:,} × {X.shape[1]:,}, {y.max() + 1} classes": name}
            | {"seconds": cell(times, name), "ratio": factor(ratio(times, "rosenblatt", name))}
            for name in (*contestants, floor)
        ]
    )
    target(
        "multiclass of K = 100, d = 1,000: looks and updates, % of BLAS's speed on the products",
        90,
        100 * ratio(times, "rosenblatt", floor),
    )


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    table((row for name, load in data().items() for row in rows(name, load())), COLUMNS)
    row_by_row()


if __name__ == "__main__":
    main()

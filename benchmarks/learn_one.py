"""Microseconds an example, one at a time: dicts of 75 features to river's Perceptron and ours, the
learning alone and predict-then-learn; rows of 75 numbers to scikit-learn's `partial_fit` and ours,
the same as lines of its own text to Vowpal Wabbit. One thread each, by nature.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from harness import ABSENT, QUICK, cell, factor, heading, race, ratio, table, target
from peers import present
from rosenblatt import online

QUESTION = "Learning from one example at a time"

EXAMPLES = 200 if QUICK else 5_000
Stream = list[tuple[Any, Any]]


def dicts(features: int = 75) -> Stream:
    rng = random.Random(0)
    names = [f"feature_{j}" for j in range(features)]
    truth = [rng.gauss(0, 1) for _ in names]
    rows = ([rng.gauss(0, 1) for _ in names] for _ in range(EXAMPLES))
    return [
        (dict(zip(names, row, strict=True)), sum(map(lambda u, x: u * x, truth, row)) > 0)
        for row in rows
    ]


def learning(make: Callable[[], Any], stream: Stream) -> Callable[[], Any]:
    def run() -> Any:
        model = make()
        learn_one = model.learn_one
        for x, y in stream:
            learn_one(x, y)
        return model.predict_one(stream[0][0])  # whatever was put off is done now

    return run


def playing(make: Callable[[], Any], stream: Stream) -> Callable[[], Any]:
    def run() -> int:
        model, right = make(), 0
        for x, y in stream:
            right += model.predict_one(x) == y
            model.learn_one(x, y)
        return right

    return run


def by_rows(stream: Stream) -> dict[str, Callable[[], Any] | None]:
    """The same examples as rows of numbers."""
    X = np.array([list(x.values()) for x, _ in stream])
    y = np.array([label for _, label in stream])

    def scikit_learn() -> Any:
        from sklearn.linear_model import Perceptron

        model = Perceptron()
        for row, label in zip(X, y, strict=True):
            model.partial_fit(row[None], [label], classes=[False, True])
        return model

    return {
        "rosenblatt": learning(online.Perceptron, list(zip(X, y, strict=True))),
        "scikit-learn `partial_fit`": scikit_learn,
        "Vowpal Wabbit `learn`": vowpal(stream) if present("vowpalwabbit") else None,
    }


def vowpal(stream: Stream) -> Callable[[], Any]:
    from vowpalwabbit import Workspace

    lines = [
        f"{1 if y else -1} | " + " ".join(f"{name}:{value:.6g}" for name, value in x.items())
        for x, y in stream
    ]

    def run() -> None:
        model = Workspace("--quiet --loss_function hinge")
        for example in lines:
            model.learn(example)
        model.finish()

    return run


def rows(kind: str, contestants: dict[str, Callable[[], Any] | None]) -> Any:
    times = race(contestants, repeats=7)
    for name in contestants:
        there = name in times
        each = f"{1e6 * times[name].median / EXAMPLES:.2f} µs" if there else ABSENT
        faster = ratio(times, "rosenblatt", name)
        yield {
            "examples": kind,
            "contestant": name,
            "each": each,
            "all": cell(times, name),
            "ratio": factor(faster),
        }


def main() -> None:
    heading(QUESTION)
    warnings.simplefilter("ignore")
    stream = dicts()
    river = None
    if present("river"):
        from river import linear_model

        river = linear_model.Perceptron
    questions = {
        "dicts, learn": {
            "rosenblatt": learning(online.Perceptron, stream),
            "river": learning(river, stream) if river else None,
        },
        "dicts, predict then learn": {
            "rosenblatt": playing(online.Perceptron, stream),
            "river": playing(river, stream) if river else None,
        },
        "rows, learn": by_rows(stream),
    }
    found = [row for kind, contestants in questions.items() for row in rows(kind, contestants)]
    table(found)
    for row in found:
        if row["contestant"] == "river":
            got = float(row["ratio"]) if row["ratio"] != ABSENT else float("nan")
            target(f"one at a time, {row['examples']}, × river", 1, got)


if __name__ == "__main__":
    main()

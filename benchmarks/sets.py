"""Whole sets with all their classes, columns as their files have them, in the order of the file.

`problems` has two classes at a time and standardises; here nothing is done to the rows. Large sets
are thinned evenly, which keeps their order. A set that is absent is None.
"""

from __future__ import annotations

import functools
import gzip
from collections.abc import Callable
from typing import Any

import numpy as np

import problems
from harness import DATA

Set = tuple[Any, np.ndarray]


def thinned(found: Set | None, most: int) -> Set | None:
    """At most so many rows, taken evenly from all."""
    if found is None or len(found[1]) <= most:
        return found
    rows = np.linspace(0, len(found[1]) - 1, most).astype(int)
    return found[0][rows], found[1][rows]


def bundled(name: str) -> Set:
    """One of scikit-learn's sets."""
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(return_X_y=True)


def comma_separated(name: str, label: str | int, **how: Any) -> Set | None:
    """A CSV file; rows that lack a value are left out."""
    from rosenblatt.readers import open_reader

    if not (DATA / name).exists():
        return None
    chunk = open_reader(DATA / name, label=label, missing="drop", **how).read()
    return np.asarray(chunk.X, dtype=float), np.asarray([str(value) for value in chunk.y])


def cover_types() -> Set | None:
    """Every 40th of the forest's cells: reading all 581,012 would take longer than the question."""
    if not (DATA / "covtype.csv.gz").exists():
        return None
    with gzip.open(DATA / "covtype.csv.gz", "rt") as lines:
        next(lines)
        rows = np.loadtxt((line for at, line in enumerate(lines) if at % 40 == 0), delimiter=",")
    return rows[:, :-1], rows[:, -1].astype(int)


def rows_of(split: Callable[[], problems.Split | None]) -> Set | None:
    """The training rows of a set that comes split."""
    found = split()
    return None if found is None else (found.X, found.y)


def groups(count: int) -> Set | None:
    """The first so many of 20 newsgroups, without the words that none of their posts has."""
    found = rows_of(problems.news)
    if found is None:
        return None
    X, y = found
    rows = np.isin(y, np.unique(y)[:count])
    X = X[rows]
    return X[:, np.flatnonzero(X.getnnz(axis=0))], y[rows]


def rare_group() -> Set | None:
    """Two of 20 newsgroups, one in ten rows of the rarer."""
    found = groups(2)
    if found is None:
        return None
    X, y = found
    first, second = (np.flatnonzero(y == group) for group in np.unique(y))
    rows = np.sort(np.concatenate([first[: len(second) // 9], second]))
    return X[rows], y[rows]


def digits_of(*kept: int) -> Set | None:
    """MNIST's images of some digits, hard to tell apart."""
    found = rows_of(problems.mnist)
    if found is None:
        return None
    rows = np.flatnonzero(np.isin(found[1], kept))
    return found[0][rows], found[1][rows]


def rare_positives() -> Set:
    """50,000 rows of 20 columns, 10 % positive, 3 % of the labels wrong, sorted by a column."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        50_000, 20, n_informative=8, weights=[0.9], flip_y=0.03, random_state=0
    )
    rows = np.argsort(X[:, 0])
    return X[rows], y[rows]


ALL: dict[str, Callable[[], Set | None]] = {
    "iris": lambda: bundled("iris"),
    "wine": lambda: bundled("wine"),
    "breast_cancer": lambda: bundled("breast_cancer"),
    "digits": lambda: bundled("digits"),
    "penguins": lambda: comma_separated("penguins.csv", "species", ignore=["island", "sex"]),
    "sonar": lambda: comma_separated("sonar.csv", -1, header=False),
    "ionosphere": lambda: comma_separated("ionosphere.csv", -1, header=False),
    "banknote": lambda: comma_separated("banknote.csv", -1, header=False),
    "breast_original": lambda: comma_separated(
        "breast_cancer_original.csv", -1, header=False, ignore=[0]
    ),
    "spambase": lambda: comma_separated("spambase.csv", -1),
    "mushrooms": lambda: problems.sparse_text("mushrooms.svm.gz"),
    "a9a": lambda: problems.sparse_text("a9a.svm.gz", 123),
    "w7a": lambda: problems.sparse_text("w7a.svm.gz", 300),
    "rcv1_small": lambda: rows_of(problems.rcv1),
    "sms_spam": lambda: rows_of(problems.sms),
    "rare_positives": rare_positives,
    "20news, 3 groups": lambda: groups(3),
    "20news, a rare group": rare_group,
    "mnist, 3 digits": lambda: digits_of(3, 5, 8),
    "covtype": cover_types,
}


@functools.cache
def load(name: str, most: int) -> Set | None:
    """A set of that name, of at most so many rows."""
    return thinned(ALL[name](), most)

"""Held-out accuracy of every contestant at its defaults, whatever the order of the training rows.

Each set, raw and scaled (dense columns to mean 0 and variance 1, sparse ones to at most 1), is
split at random five times, 30 % held out, and the training rows are put into eight orders: as in
the file, random, by label, by a linear SVM's margin (worst and best first), by its score, by its
weightiest column, by a random projection. A cell is the median over splits and orders, in percent;
"worst" and "spread" are of the eight orders' medians over splits. LinearSVC and LogisticRegression
do not depend on the order and are fitted once a split. The default predicts by a separator where
there is one that is like the mean over passes; `solution="average"` is that mean. A row
(set × order) misses where ours is behind the better of Perceptron and averaged SGD by more than
half a point; "beyond chance" if by more than two standard errors of the difference over the splits,
too. A fit that takes longer than two seconds of processor time is interrupted and scored as it is.

`python benchmarks/accuracy.py [set ...]` asks about some sets only.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import LinearSVC

import rosenblatt as rb
import sets
from harness import QUICK, core_count, heading, interrupted_after, table, target

QUESTION = "How accurate are the defaults, whatever the order of the rows?"

SPLITS = 2 if QUICK else 5
LIMIT = 2.0  # processor seconds for one fit
ALLOWED = 0.5  # points
UNSCALED = ("a9a", "w7a", "mushrooms")  # all entries are 0 or 1
# Rows of a set, training and held out, so that 40 fits of three contestants take some seconds.
MOST = {
    "digits": 1_000,
    "20news, 3 groups": 600,
    "20news, a rare group": 600,
    "mnist, 3 digits": 600,
    "covtype": 1_200,
    "rare_positives": 20_000,
}
MOST_ROWS = 3_000
OURS, AVERAGED, THEIRS = "ours", 'solution="average"', ("Perceptron", "SGD, averaged")
MODELS: dict[str, Callable[[], Any]] = {
    OURS: rb.Perceptron,
    AVERAGED: lambda: rb.Perceptron(solution="average"),
    THEIRS[0]: Perceptron,
    THEIRS[1]: lambda: SGDClassifier(average=True, random_state=0),
}
ORDERLESS: dict[str, Callable[[], Any]] = {
    "LinearSVC": LinearSVC,
    "LogisticRegression": LogisticRegression,
}
ORDERS = (
    "file",
    "random",
    "by label",
    "worst margin first",
    "best margin first",
    "by score",
    "by a column",
    "by a projection",
)


def orders(X: Any, y: np.ndarray, svm: Any, seed: int) -> dict[str, np.ndarray]:
    """Eight orders of these rows; ``svm`` is a pipeline of a scaler and a linear SVM."""
    rng = np.random.default_rng(seed)
    scores = svm.decision_function(X)
    rows, codes = np.arange(len(y)), np.searchsorted(svm.classes_, y)
    if scores.ndim == 1:
        margins, first = np.where(codes, scores, -scores), scores
    else:
        own, others = scores[rows, codes], scores.copy()
        others[rows, codes] = -np.inf
        margins, first = own - others.max(axis=1), scores[:, 0]
    column = np.abs(svm[-1].coef_).max(axis=0).argmax()
    values = X[:, [column]]
    values = np.ravel(values.toarray() if hasattr(values, "toarray") else values)
    keys = (rows, rng.random(len(y)), codes, margins, -margins, first, values)
    projected = X @ rng.standard_normal(X.shape[1])
    return {
        name: np.argsort(key, kind="stable")
        for name, key in zip(ORDERS, (*keys, projected), strict=True)
    }


def warm(sparse: bool, classes: int) -> None:
    """Have this process compile, or load, what such data needs."""
    X, y = np.eye(2 * classes), np.arange(2 * classes) % classes
    X[-1] = X[0]  # a contradiction, so that it is decided, too
    rb.Perceptron(certify=True).fit(csr_matrix(X) if sparse else X, y)


class Trial(NamedTuple):
    """One split: accuracies in percent by contestant, one for each order; the fits cut short."""

    accuracies: dict[str, list[float]]
    late: int


def trial(name: str, scaled: bool, split: int) -> Trial | None:
    """Fit every contestant to one split of a set; None of a set that is absent."""
    warnings.simplefilter("ignore")
    found = sets.load(name, 300 if QUICK else MOST.get(name, MOST_ROWS))
    if found is None:
        return None
    X, y = found
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=split)
    train.sort()
    scaler = MaxAbsScaler() if hasattr(X, "tocsr") else StandardScaler()
    scaler.fit(X[train])
    svm = make_pipeline(scaler, LinearSVC()).fit(X[train], y[train])
    arranged = orders(X[train], y[train], svm, split)
    if scaled:
        X = scaler.transform(X)
    made: dict[str, list[float]] = {
        other: [100 * make().fit(X[train], y[train]).score(X[test], y[test])]
        for other, make in ORDERLESS.items()
    }
    late = 0
    warm(hasattr(X, "tocsr"), len(svm.classes_))
    for order in arranged.values():
        rows = train[order]
        for model, make in MODELS.items():
            fit = functools.partial(make().fit, X[rows], y[rows])
            fitted = interrupted_after(LIMIT, fit)
            late += model == OURS and (fitted is None or fitted.stop_.name == "INTERRUPTED")
            accuracy = 0.0 if fitted is None else 100 * fitted.score(X[test], y[test])
            made.setdefault(model, []).append(accuracy)
    return Trial(made, late)


class Miss(NamedTuple):
    """An order in which ours is behind, by how many points, and whether that is beyond chance."""

    order: str
    gap: float
    certain: bool


class Summary(NamedTuple):
    """A set: accuracies by contestant, splits × orders."""

    name: str
    accuracies: dict[str, np.ndarray]
    late: int

    def by_order(self, model: str) -> np.ndarray:
        """The median over splits, for each order."""
        return np.median(self.accuracies[model], axis=0)

    def median(self, model: str) -> float:
        """Over splits and orders."""
        return float(np.median(self.accuracies[model]))

    @property
    def spread(self) -> float:
        """Between the best and the worst order of ours."""
        return float(np.ptp(self.by_order(OURS)))

    def behind(self, model: str = OURS) -> Iterator[Miss]:
        """The orders in which ours misses."""
        own = self.by_order(model)
        for at, order in enumerate(ORDERS):
            theirs = max(THEIRS, key=lambda model, at=at: self.by_order(model)[at])
            reached = self.by_order(theirs)[at]
            if reached - own[at] > ALLOWED:
                gaps = (self.accuracies[theirs] - self.accuracies[model])[:, at]
                error = gaps.std(ddof=1) / np.sqrt(len(gaps))
                certain = bool(gaps.mean() > ALLOWED + 2 * error)
                yield Miss(order, reached - own[at], certain)


def summary(name: str, scaled: bool, trials: list[Trial | None]) -> Summary | None:
    """Of all splits of a set."""
    there = [one for one in trials if one is not None]
    if not there:
        return None
    models = there[0].accuracies
    return Summary(
        f"{name}{', scaled' * scaled}",
        {model: np.array([one.accuracies[model] for one in there]) for model in models},
        sum(one.late for one in there),
    )


def row(one: Summary) -> dict[str, str]:
    own = one.by_order(OURS)
    late = (
        f" ({one.late} of {own.size * len(one.accuracies[OURS])} interrupted)" if one.late else ""
    )
    return {
        "set": one.name,
        "ours": f"{one.median(OURS):.1f}{late}",
        "worst": f"{own.min():.1f} {ORDERS[own.argmin()]}",
        "worst split": f"{one.accuracies[OURS].min():.1f}",
        "spread": f"{one.spread:.1f}",
        **{model: f"{one.median(model):.1f}" for model in (AVERAGED, *THEIRS, *ORDERLESS)},
        "misses": str(len(list(one.behind())) or ""),
    }


COLUMNS = ("set", OURS, "worst", "worst split", "spread", AVERAGED, *THEIRS, *ORDERLESS, "misses")


def main(chosen: list[str]) -> None:
    heading(QUESTION)
    asked = chosen or (["iris", "banknote"] if QUICK else list(sets.ALL))
    forms = [
        (n, scaled) for n in asked for scaled in (False, True) if not scaled or n not in UNSCALED
    ]
    tasks = [(*form, split) for form in forms for split in range(SPLITS)]
    trials = iter(
        Parallel(n_jobs=core_count(), return_as="generator")(
            delayed(trial)(*task) for task in tasks
        )
    )
    done: list[Summary] = []

    def rows() -> Iterator[dict[str, str]]:
        for name, scaled in forms:
            one = summary(name, scaled, [next(trials) for _ in range(SPLITS)])
            if one is None:
                yield {"set": f"{name} (absent)"}
                continue
            done.append(one)
            yield row(one)

    table(rows(), COLUMNS)
    report(done)


def report(done: list[Summary]) -> None:
    """The rows that miss, and what was asked."""
    missed = {one.name: list(one.behind()) for one in done}
    table(
        {
            "behind": name,
            "points, by order (* beyond chance)": ", ".join(
                f"{miss.order} {miss.gap:.1f}{'*' * miss.certain}" for miss in found
            ),
        }
        for name, found in missed.items()
        if found
    )
    misses = [miss for found in missed.values() for miss in found]
    certain = sum(miss.certain for miss in misses)
    leads = [one.median(OURS) - one.median("LinearSVC") for one in done]
    two = "the better of scikit-learn's Perceptron and averaged SGD"
    target(
        f"rows (set × order, of {len(ORDERS) * len(done)}) more than half a point behind {two}",
        0,
        len(misses),
        at_most=True,
    )
    target("of these, beyond chance", 0, certain, at_most=True)
    averaged = [miss for one in done for miss in one.behind(AVERAGED)]
    target(f"such rows of {AVERAGED}", 0, len(averaged), at_most=True)
    beyond = sum(miss.certain for miss in averaged)
    target(f"of these of {AVERAGED}, beyond chance", 0, beyond, at_most=True)
    widest = max(done, key=lambda one: one.spread)
    target(
        f"points between a set's best and worst order (widest: {widest.name})",
        ALLOWED,
        widest.spread,
        at_most=True,
    )
    target("points ahead of LinearSVC, in the median over sets", -ALLOWED, float(np.median(leads)))
    print(f"Sets more than half a point behind LinearSVC: {sum(lead < -ALLOWED for lead in leads)}")


if __name__ == "__main__":
    main(sys.argv[1:])

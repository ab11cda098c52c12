"""Accuracy on held-out text: the averaged perceptron against LinearSVC, each chosen by validation.

Both choose their one setting (the threshold δ, or C) by cross-validation on the training rows, and
are scored once on the test rows. LinearSVC's best C on the test rows, which no one could have
chosen, stands beside it as the strictest yardstick.
"""

from __future__ import annotations

import gzip
import json
import time
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.svm import LinearSVC

import rosenblatt as rb
from harness import DATA, QUICK, heading, table
from rosenblatt.readers import open_reader

GRID = {"threshold": [0.0, 0.3, 1.0, 3.0, 10.0], "max_iter": [10, 30]}
CS = [0.3, 1.0] if QUICK else [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
FOLDS = StratifiedKFold(3 if QUICK else 5, shuffle=True, random_state=0)


def sms() -> tuple[Any, Any, Any, Any]:
    lines = (DATA / "sms_spam.tsv").read_text(encoding="utf-8").splitlines()
    y, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    train, test, y_train, y_test = train_test_split(
        texts, np.array(y), test_size=0.3, stratify=y, random_state=0
    )
    words = TfidfVectorizer(sublinear_tf=True)
    return words.fit_transform(train), y_train, words.transform(test), y_test


def news() -> tuple[Any, Any, Any, Any]:
    def part(name: str) -> tuple[list[str], np.ndarray]:
        with gzip.open(DATA / f"20news-bydate-{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return [row["text"] for row in rows], np.array([row["label"] for row in rows])

    (train, y_train), (test, y_test) = part("train"), part("test")
    words = TfidfVectorizer(sublinear_tf=True)
    return words.fit_transform(train), y_train, words.transform(test), y_test


def rcv1() -> tuple[Any, Any, Any, Any]:
    train = open_reader(DATA / "rcv1_small.vw.gz").read()
    test = open_reader(DATA / "rcv1_small_test.vw.gz").read()
    return train.X, train.y, test.X, test.y


SETS = {
    "sms_spam": ("sms_spam.tsv", sms),
    "rcv1_small": ("rcv1_small.vw.gz", rcv1),
    "20news": ("20news-bydate-train.jsonl.gz", news),
}


def searched(model: Any, grid: dict[str, Any], X: Any, y: Any) -> tuple[Any, float]:
    """The best of a grid, refitted on all rows, and the seconds that the search took."""
    began = time.perf_counter()
    search = GridSearchCV(model, grid, cv=FOLDS, n_jobs=1).fit(X, y)
    return search, time.perf_counter() - began


def main() -> None:
    heading("Accuracy on held-out text")
    averaged = rb.Perceptron(order="shuffled", solution="average", certify=False)
    rows = []
    for name, (file, load) in SETS.items():
        if not (DATA / file).exists():
            rows.append({"set": f"{name} (absent)"})
            continue
        X, y, X_test, y_test = load()
        ours, our_seconds = searched(averaged, GRID, X, y)
        theirs, their_seconds = searched(LinearSVC(), {"C": CS}, X, y)
        best = max(LinearSVC(C=C).fit(X, y).score(X_test, y_test) for C in CS)
        score = ours.score(X_test, y_test)
        chosen = ours.best_params_
        rows.append(
            {
                "set": f"{name}, {X.shape[0]:,} × {X.shape[1]:,}, {len(np.unique(y))} classes",
                "averaged perceptron": f"{score:.4f}",
                "chosen": f"δ = {chosen['threshold']:g}, {chosen['max_iter']} passes",
                "LinearSVC": f"{theirs.score(X_test, y_test):.4f}",
                "its best C on the test rows": f"{best:.4f}",
                "points ahead of that": f"{100 * (score - best):+.2f}",
                "seconds to search": f"{our_seconds:.1f} / {their_seconds:.1f}",
            }
        )
    table(rows)


if __name__ == "__main__":
    main()

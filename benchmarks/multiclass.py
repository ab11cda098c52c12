"""Ten passes of multiclass: MNIST where it is present, digits otherwise."""

from __future__ import annotations

import gzip

import numpy as np
from sklearn import linear_model
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from harness import DATA, heading, race, show, table
from rosenblatt import Perceptron


def read_idx(name: str) -> np.ndarray:
    with gzip.open(DATA / "mnist" / name) as file:
        raw = file.read()
    shape = [int.from_bytes(raw[4 + 4 * i : 8 + 4 * i], "big") for i in range(raw[3])]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


def data() -> tuple[str, tuple[np.ndarray, ...]]:
    if not (DATA / "mnist").exists():
        return "digits (MNIST is absent)", tuple(
            train_test_split(*load_digits(return_X_y=True), random_state=0)
        )
    images = (read_idx(f"{part}-images-idx3-ubyte.gz") for part in ("train", "t10k"))
    train, test = (i.reshape(len(i), -1).astype(np.float64) / 255 for i in images)
    labels = (read_idx(f"{part}-labels-idx1-ubyte.gz") for part in ("train", "t10k"))
    return "MNIST", (train, test, *labels)


def main() -> None:
    heading("Ten passes of multiclass")
    name, (X, X_test, y, y_test) = data()
    how = {"max_iter": 10, "tol": None}
    times = race(
        {
            "native, cyclic": lambda: Perceptron(**how, order="cyclic", certify=False).fit(X, y),
            "native, shuffled": lambda: Perceptron(**how, shuffle=True, certify=False).fit(X, y),
            "scikit-learn, n_jobs=2": lambda: linear_model.Perceptron(**how, n_jobs=2).fit(X, y),
        },
        repeats=3,
    )
    slow = times["scikit-learn, n_jobs=2"].median
    table(
        [
            {
                name: contestant,
                "seconds": show(t.median),
                "ratio": f"{slow / t.median:.1f}",
                "test accuracy": f"{t.result.score(X_test, y_test):.4f}",
            }
            for contestant, t in times.items()
        ]
    )


if __name__ == "__main__":
    main()

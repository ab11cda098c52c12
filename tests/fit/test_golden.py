"""Fits whose outcome is on file: what a change of the code changes about them is seen, and judged.

Every row is whole numbers, whose sums are exact, so that the weights of a textbook run (an order, a
solution, no proofs) are the same to the bit on every machine. A default run is described by why it
stopped, its verdict, its counts and the certificate, which must verify.

`python tests/fit/test_golden.py` writes ``golden.txt`` anew.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from rosenblatt import Perceptron

FILE = Path(__file__).with_name("golden.txt")
WITHOUT_PROOFS: dict[str, dict[str, Any]] = {
    "cyclic, last": {"order": "cyclic", "solution": "last", "max_iter": 200},
    "shuffled, average": {
        "order": "shuffled",
        "solution": "average",
        "max_iter": 20,
        "random_state": 1,
    },
    "active, last": {"solution": "last", "max_iter": 100},
    "threshold": {"threshold": 1.0, "order": "cyclic", "solution": "last", "max_iter": 50},
}
PROVED: dict[str, dict[str, Any]] = {
    "default": {},
    "certify": {"certify": True},
    "one-vs-rest": {"multiclass": "ovr"},
}


def sets() -> dict[str, tuple[Any, np.ndarray]]:
    """Rows of whole numbers, with their labels."""
    corners, bits = (
        np.array([[number >> k & 1 for k in range(d)] for number in range(2**d)], float)
        for d in (2, 5)
    )
    (flowers, species), (wines, growers) = load_iris(return_X_y=True), load_wine(return_X_y=True)
    (cells, kinds), (images, digits) = (
        load_breast_cancer(return_X_y=True),
        (part[:600] for part in load_digits(return_X_y=True)),
    )
    rng = np.random.default_rng(0)
    table, other = (rng.integers(-9, 10, (n, d)).astype(float) for n, d in ((200, 5), (300, 6)))
    hidden = other @ [3, -2, 1, 5, 0, -7] > 0.5
    return {
        "and": (corners, corners.all(axis=1)),
        "xor": (corners, corners.sum(axis=1) == 1),
        "majority": (bits, bits.sum(axis=1) > 2),
        "parity": (bits, bits.sum(axis=1) % 2),
        **{f"iris {k}": (np.rint(10 * flowers), species == k) for k in range(3)},
        "iris": (np.rint(10 * flowers), species),
        "wine": (np.rint(10 * wines), growers),
        "breast cancer": (np.rint(10 * cells), kinds),
        "digits": (images, digits),
        "digits, sparse": (sparse.csr_array(images), digits),
        "labels by chance": (table, rng.integers(0, 2, 200)),
        "a hidden hyperplane": (other, hidden),
    }


SETS = sets()


def fits() -> Iterator[tuple[str, str]]:
    """The names of a set and of a way to learn it."""
    for name, (_, y) in SETS.items():
        for how in (*WITHOUT_PROOFS, *PROVED):
            if how != "one-vs-rest" or len(np.unique(y)) > 2:
                yield name, how


def described(name: str, how: str) -> str:
    """A fit in a line; certificates are verified."""
    X, y = SETS[name]
    settings = PROVED[how] if how in PROVED else WITHOUT_PROOFS[how] | {"certify": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of budgets spent: the line says it
        clf = Perceptron(**settings).fit(X, y)
    proof = clf.certificate_
    if proof is not None:
        assert proof.verify(X, y)
    words = [clf.stop_.name, clf.verdict_.name, f"{clf.updates_} updates of {clf.mistakes_}"]
    words += [f"{clf.n_iter_} passes", "no certificate" if proof is None else proof.kind]
    if how not in PROVED:
        weights = np.column_stack([clf.coef_, clf.intercept_]) + 0.0
        words.append(hashlib.sha256(np.ascontiguousarray(weights).tobytes()).hexdigest()[:12])
    return f"{name} | {how} | {', '.join(words)}"


@pytest.mark.parametrize(("name", "how"), list(fits()))
def test_a_fit_is_as_on_file(name, how):
    (known,) = (
        line
        for line in FILE.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"{name} | {how} | ")
    )
    assert described(name, how) == known


if __name__ == "__main__":
    FILE.write_text("".join(f"{described(*fit)}\n" for fit in fits()), encoding="utf-8")

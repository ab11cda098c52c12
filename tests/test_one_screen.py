"""The package, beside the same idea on one screen (examples/one_screen.py)."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import rosenblatt as rb
from rosenblatt import datasets

PATH = Path(__file__).parents[1] / "examples" / "one_screen.py"
SCREEN = runpy.run_path(str(PATH))


def sets():
    """Small sets of two classes, the second of them true."""
    for load in (load_iris, load_wine):
        X, y = load(return_X_y=True)
        for k in range(3):
            yield pytest.param(X, y == k, id=f"{load.__name__[5:]} {k}")
    yield pytest.param(*load_breast_cancer(return_X_y=True), id="tumours")
    X, y = load_digits(return_X_y=True)
    yield pytest.param(X, y == 8, id="digit 8")
    for name in ("five_points", "six_points", "quadrants", "xor", "three_samples"):
        X, y = datasets.load(name)[:2]
        yield pytest.param(np.asarray(X, dtype=float), np.asarray(y) > 0, id=name)


@pytest.mark.parametrize(("X", "y"), list(sets()))
def test_the_screen_says_what_the_package_says(X, y):
    _, verdict, proof, z, A = SCREEN["fit"](X, y)
    model = rb.Perceptron().fit(X, y)
    assert verdict == str(rb.decide(X, y).verdict)
    assert SCREEN["verify"](A, verdict, proof)
    if verdict == "inseparable":  # the rows of the proof prove it by themselves
        rows = np.flatnonzero(proof)
        assert rb.decide(X[rows], y[rows]).verdict is rb.Verdict.INSEPARABLE
    if len(y) > 100:
        assert abs(np.mean(A @ z > 0) - model.score(X, y)) < 0.03


def test_a_false_proof_is_refused():
    A = SCREEN["signed"](*[np.asarray(part, dtype=float) for part in datasets.xor()[:2]])
    assert not SCREEN["verify"](A, "separable", np.ones(3))
    assert not SCREEN["verify"](A, "inseparable", np.array([1.0, 0, 0, 0]))
    assert not SCREEN["verify"](A, "inseparable", np.zeros(4))


@pytest.mark.parametrize("name", ["five_points", "six_points", "two_points_moved"])
def test_its_passes_are_those_of_the_trace(name):
    X, y = datasets.load(name)[:2]
    A = rb.margins.signed_rows(X, y, bias=False)
    run = rb.trace(X, y, fit_intercept=False, max_passes=1)
    met = list(SCREEN["one_pass"](A, np.zeros(A.shape[1]), range(len(A))))
    np.testing.assert_array_equal(met, run.weights[1:])


def test_it_stays_on_one_screen():
    assert len(PATH.read_text("utf-8").splitlines()) <= 120

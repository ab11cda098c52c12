"""Brackets of the maximum margin, proved: they hold the exact margin, and no forged end passes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

import rosenblatt as rb
from certificates import Example, Truth, checked
from rosenblatt.certificate import MarginBracket
from rosenblatt.errors import CertificateError, InputError
from rosenblatt.margins import Bracket
from strategies import separable

BIASES = ("free", "padded", "none")


@given(separable(intercept=False), st.sampled_from(BIASES))
@settings(max_examples=60)
def test_the_exact_margin_is_between_the_ends(problem, bias):
    X, y = problem
    proof = rb.MaxMargin(bias=bias).fit(X, y).certify(X, y)
    assert proof.verify(X, y), proof.verify(X, y).reason
    assert proof.verify(csr_array(X), y)
    truth = Truth(Example("", X, y, proof))
    margin2 = truth.free_margin2() if bias == "free" else truth.margin2(bias == "padded")
    assert Fraction(proof.margin.lower) ** 2 <= margin2 <= Fraction(proof.margin.upper) ** 2
    assert proof.margin.relative_gap < 1e-5
    assert checked(Example("", X, y, proof), proof.to_dict())
    assert MarginBracket.from_json(proof.to_json()) == proof


@pytest.mark.parametrize("bias", BIASES)
def test_forged_ends_are_refused(bias):
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 0, "setosa", "other")
    proof = rb.MaxMargin(bias=bias).fit(X, y).certify(X, y)
    lower, upper = proof.margin
    assert "not at the distance" in _reason(proof, X, y, Bracket(lower * (1 + 1e-5), upper * 2))
    assert "upper end" in _reason(proof, X, y, Bracket(lower / 2, upper * (1 - 1e-5)))
    assert "the maximum margin is in" in _reason(proof, X, y, Bracket(lower / 2, upper * 2))
    flipped = replace(proof, weights=-proof.weights)
    assert "not at the distance" in flipped.verify(X, y).reason
    outside = replace(proof, rows=np.array([999]), alpha=(1,))
    assert "not in the data" in outside.verify(X, y).reason
    assert "per unit of" in proof.explain()


def _reason(proof, X, y, margin):
    return replace(proof, margin=margin).verify(X, y).reason


def test_a_free_bias_needs_rows_of_both_classes():
    X, y = np.array([[0.0], [2.0]]), [0, 1]
    proof = MarginBracket.of(X, y, [1.0, -1.0], [0, 1], [1, 1])
    one = replace(proof, rows=np.array([0]), alpha=(1,))
    assert "both classes" in one.verify(X, y).reason


def test_weights_that_do_not_separate_are_refused():
    X, y = np.array([[0.0], [2.0]]), [0, 1]
    with pytest.raises(CertificateError, match="do not separate"):
        MarginBracket.of(X, y, [1.0, 5.0], [0, 1], [1, 1])


@pytest.mark.parametrize("bias", ["free", "padded"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore:The margin is known")
def test_exact_weights_are_certified_where_floats_do_not_separate(bias, classes):
    X, y = np.array([[0.9562861001997107], [0.9562861001997108], [0.0]]), np.array([0, 1, 0])
    if classes == 3:
        X, y = np.vstack([X, [[-5.0]]]), np.append(y, 2)
    model = rb.MaxMargin(bias=bias, multiclass="ovo").fit(X, y)
    proofs = model.certify(X, y) if classes == 3 else [model.certify(X, y)]
    for proof, names in zip(proofs, combinations(range(classes), 2), strict=True):
        rows = np.isin(y, names)
        assert proof.verify(X[rows], y[rows]), proof.verify(X[rows], y[rows]).reason
        assert MarginBracket.from_json(proof.to_json()) == proof


@pytest.mark.filterwarnings("ignore")
def test_multipliers_beyond_the_range_of_floats_are_refused_in_words():
    X, y = np.array([[-1e-160], [-2e-160], [1e-160], [2e-160]]), [0, 0, 1, 1]
    model = rb.MaxMargin().fit(X, y)
    assert model.slab_width_ == pytest.approx(2e-160, abs=0)
    with pytest.raises(CertificateError, match="Rescale the columns"):
        model.certify(X, y)


def test_several_classes_have_a_certificate_each():
    X, y = load_iris(return_X_y=True)
    X, y = X[y != 2][::2], np.array(["a", "b", "c"])[(np.arange(150) // 17 % 3)][y != 2][::2]
    X = X + 10 * (y == "b")[:, None] - 10 * (y == "c")[:, None]
    model = rb.MaxMargin(multiclass="ovo").fit(X, y)
    proofs = model.certify(X, y)
    for proof, names in zip(proofs, [("a", "b"), ("a", "c"), ("b", "c")], strict=True):
        rows = np.isin(y, names)
        assert proof.classes == names
        assert proof.verify(X[rows], y[rows])
    with pytest.raises(InputError, match="classes fitted"):
        model.certify(X, np.where(y == "c", "b", y))


@pytest.mark.parametrize(
    "change",
    [
        {"bias": "some"},
        {"bias": "none"},
        {"classes": [0, 1, 2]},
        {"margin": [2.0, 1.0]},
        {"margin": [0.1, None]},
        {"margin": 3},
        {"rows": []},
        {"rows": [0, 0]},
        {"alpha": [1]},
        {"alpha": [1, -1]},
        {"alpha": "11"},
    ],
)
def test_malformed_ones_are_refused(change):
    proof = MarginBracket.of([[0.0], [2.0]], [0, 1], [1.0, -1.0], [0, 1], [1, 1])
    with pytest.raises(CertificateError):
        MarginBracket.from_dict({**proof.to_dict(), **change})

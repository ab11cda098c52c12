"""Weights that are proved to exist in floating point exist in fractions."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification

import rosenblatt as rb
from rosenblatt.proof import exact
from rosenblatt.proof.certificate import Inseparability
from rosenblatt.proof.exact import Implied, existence, sure_weights


def cancelling(rng, width):
    """Rows that cancel up to rounding, and their weights."""
    rows, weights = rng.normal(size=(width + 1, width)), rng.uniform(0.05, 1, width + 1)
    rows[-1] = -(weights[:-1] @ rows[:-1]) / weights[-1]
    return rows, weights


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 8),
    st.sampled_from(["plain", "scaled", "offset", "whole", "near"]),
)
def test_what_is_sure_is_so(seed, width, kind):
    rng = np.random.default_rng(seed)
    rows, weights = cancelling(rng, width)
    if kind == "scaled":
        rows *= 10.0 ** rng.integers(-100, 100, width)
    elif kind == "offset":
        rows += 1e6 * rng.normal(size=width)
    elif kind == "whole":
        rows = np.round(3 * rows)
    elif kind == "near" and width > 1:
        # A column that is nearly a combination of others, and a weight that is nearly 0.
        rows[:, -1] = rows[:, :-1] @ rng.normal(size=width - 1) * (1 + 1e-15 * rng.normal())
        weights[0] = 1e-14
    sure = sure_weights(rows, weights)
    found = exact.solve_alpha(rows, weights)
    if sure is not None:
        assert found is not None
        assert min(found) > 0
        shares = np.array([a / max(found) for a in found])
        np.testing.assert_allclose(sure / sure.max(), shares, rtol=1e-3)
        assert exact.combination(rows, range(width + 1), found) == {}
        assert Implied(rows, sure).alpha == tuple(found)
    if kind == "plain" and sure is None:
        assert found is None or min(found) < 1e-6 * max(found)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_rows_that_something_separates_never_cancel(seed, width):
    rng = np.random.default_rng(seed)
    rows, w = rng.normal(size=(width + 1, width)), rng.normal(size=width)
    scores = rows @ w
    # All on one side, the nearest by a hair.
    rows *= np.where(scores < 0, -1.0, 1.0)[:, None]
    at = np.abs(scores).argmin()
    rows[at] -= (rows[at] @ w) * (1 - 1e-13) / (w @ w) * w
    assert sure_weights(rows, rng.uniform(size=width + 1)) is None


def test_a_wrong_inverse_proves_nothing(monkeypatch):
    rows, weights = cancelling(np.random.default_rng(0), 5)
    np.testing.assert_allclose(sure_weights(rows, weights), weights / weights.max())
    right = np.linalg.inv
    for wrong in (lambda m: 2 * right(m), np.zeros_like, lambda m: np.full_like(m, np.nan)):
        monkeypatch.setattr(existence.np.linalg, "inv", wrong)
        assert sure_weights(rows, weights) is None


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((1, 3)),
        np.zeros((0, 3)),
        np.ones((3, 3)),
        np.array([[1.0, np.inf], [1.0, 2.0], [-1.0, 0.0]]),
        np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]]),
        np.array([[5e-324, 0.0], [0.0, 5e-324], [-5e-324, 1e308]]),
    ],
)
def test_nothing_is_said_of_odd_rows(rows):
    assert sure_weights(rows, np.ones(len(rows))) is None


@pytest.fixture(scope="module", params=[0, 2], ids=["independent", "nearly dependent"])
def fitted(request):
    X, y = make_classification(
        1500, 40, n_informative=10, n_redundant=request.param, random_state=1
    )
    return X, y, rb.Perceptron().fit(X, y)


class TestFits:
    """A default fit proves that weights exist; who reads them has them solved for."""

    def test_the_verdict_is_the_one_that_is_decided(self, fitted):
        X, y, clf = fitted
        assert clf.verdict_ is rb.Verdict.INSEPARABLE is rb.decide(X, y).verdict

    def test_nothing_is_solved_before_it_is_asked_for(self, fitted, monkeypatch):
        X, y, _ = fitted
        monkeypatch.setattr(existence, "solve_alpha", None)
        clf = rb.Perceptron().fit(X, y)
        proof = clf.certificate_
        assert not proof.solved
        assert "in proportion" in proof.explain()
        assert "Inseparability" in repr(proof)
        clf._repr_html_()
        other = pickle.loads(pickle.dumps(clf)).certificate_
        assert not other.solved
        assert not copy.deepcopy(proof).solved
        np.testing.assert_array_equal(other.shares, proof.shares)

    def test_it_is_the_proof_that_was_promised(self, fitted):
        X, y, clf = fitted
        proof = pickle.loads(pickle.dumps(clf.certificate_))
        shares = proof.shares
        assert proof.verify(X, y)
        assert proof.irreducible(X, y)
        assert proof.solved
        np.testing.assert_allclose(proof.shares, shares, rtol=1e-6)
        assert Inseparability.from_json(proof.to_json()) == proof == clf.certificate_
        assert not proof.verify(X, np.roll(y, 1))

    def test_it_may_be_read_by_several_threads(self, fitted):
        proof = pickle.loads(pickle.dumps(rb.Perceptron().fit(*fitted[:2]).certificate_))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: proof.alpha, range(8)))
        assert {*found} == {proof.alpha}

    def test_it_is_saved_and_loaded(self, fitted, tmp_path):
        X, y, clf = fitted
        rb.save(clf, tmp_path / "model.safetensors")
        assert rb.load(tmp_path / "model.safetensors").certificate_.verify(X, y)

    def test_a_bound_certificate_is_written_at_once(self, fitted):
        X, y, _ = fitted
        proof = rb.Perceptron(certify=True).fit(X, y).certificate_
        assert proof.solved
        assert proof.fingerprint
        assert proof.verify(X, y)

    def test_no_other_attribute_is_made(self, fitted):
        proof = fitted[2].certificate_
        with pytest.raises(AttributeError, match="'Inseparability' object has no attribute 'beta'"):
            _ = proof.beta


@pytest.mark.parametrize("classes", [2, 4])
def test_columns_nearly_dependent_on_others_are_decided(classes):
    X, y = make_classification(
        600, 20, n_informative=8, n_redundant=3, n_classes=classes, flip_y=0.05, random_state=3
    )
    clf = rb.Perceptron().fit(X, y)
    assert clf.verdict_ is rb.Verdict.INSEPARABLE
    assert clf.certificate_.verify(X, y)

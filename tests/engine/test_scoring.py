"""Scores of many rows: the same numbers on any number of cores, and the same refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from expected import OUT_OF_PASSES
from rosenblatt import Perceptron
from rosenblatt.engine import scoring
from rosenblatt.engine.machine import threads
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import Multiclass
from rosenblatt.engine.scoring import linear_scores
from rosenblatt.engine.sweep import zero_state
from rosenblatt.errors import InputError
from strategies import labelled


@given(labelled(n=(2, 40), d=(1, 9)), st.integers(1, 11), st.sampled_from([np.float64, np.float32]))
def test_scores_are_the_product_on_integers_whatever_the_rows(problem, classes, dtype):
    X, _ = problem
    weights = (np.arange(classes * (X.shape[1] + 1.0)) % 17 - 8).reshape(classes, -1)
    coef, intercept = weights[:, :-1], weights[:, -1]
    for rows in (X.astype(dtype), sparse.csr_matrix(X.astype(dtype)), np.asfortranarray(X)):
        np.testing.assert_array_equal(
            linear_scores(rows, coef, intercept), X @ coef.T + intercept, strict=True
        )


@OUT_OF_PASSES
@pytest.mark.parametrize("classes", [2, 5, 20])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_scores_do_not_depend_on_threads_nor_on_the_rows_beside(monkeypatch, classes, form):
    rng = np.random.default_rng(0)
    X, y = form(rng.standard_normal((3000, 40))), np.arange(3000) % classes
    clf = Perceptron(max_iter=2, certify=False).fit(X, y)
    monkeypatch.setattr(scoring, "FEW_PRODUCTS", 0)
    monkeypatch.setattr(scoring, "MOST_AT_ONCE", 2**12)
    monkeypatch.setattr(threads, "cores", lambda: 1)
    one = clf.decision_function(X)
    monkeypatch.setattr(threads, "cores", lambda: 3)
    np.testing.assert_array_equal(clf.decision_function(X), one)
    np.testing.assert_array_equal(clf.decision_function(X[7:30]), one[7:30])
    np.testing.assert_allclose(one.reshape(3000, -1), X @ clf.coef_.T + clf.intercept_, atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_that_are_not_finite_are_refused_at_every_size(monkeypatch, form, bad):
    X = np.ones((50, 3))
    X[:25, 0] = -1
    clf = Perceptron().fit(X, X[:, 0])
    clf.coef_[0, 1] = 0  # even where the weight is 0
    X[40, 1] = bad
    for few in (0, 10**9):
        monkeypatch.setattr(scoring, "FEW_PRODUCTS", few)
        with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
            clf.predict(form(X))


def test_scores_beyond_the_range_of_doubles_are_not_the_rows_fault(monkeypatch):
    monkeypatch.setattr(scoring, "FEW_PRODUCTS", 0)
    clf = Perceptron().fit([[1.0], [-1.0]], [1, 0])
    clf.coef_ = clf.coef_ * 1e300
    np.testing.assert_array_equal(clf.predict([[1e100], [-1e100]]), [1, 0])


def test_a_malformed_sparse_matrix_is_refused_before_machine_code_trusts_it(monkeypatch):
    monkeypatch.setattr(scoring, "FEW_PRODUCTS", 0)
    clf = Perceptron().fit(np.eye(3), [0, 1, 2])
    broken = sparse.csr_matrix(np.eye(3))
    broken.indices[1] = 10**6
    with pytest.raises(InputError, match="malformed CSR"):
        clf.predict(broken)


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.parametrize("classes", [2, 3, 40])
@pytest.mark.parametrize(("at", "index"), [(0, -1), (700, 10**6), (1499, 3)])
def test_an_index_that_points_outside_is_found_in_whatever_piece_it_is(
    monkeypatch, classes, at, index
):
    monkeypatch.setattr(scoring, "FEW_PRODUCTS", 0)
    monkeypatch.setattr(scoring, "LEAST_AT_ONCE", 2**8)
    X = sparse.csr_matrix(np.tile(np.eye(3), (500, 1)))
    clf = Perceptron().fit(np.eye(classes, 3), np.arange(classes))
    X.indices[at] = index
    with pytest.raises(InputError, match="malformed CSR"):
        clf.predict(X)


def test_what_a_sparse_matrix_stores_beyond_its_last_row_is_left_out(monkeypatch):
    monkeypatch.setattr(scoring, "FEW_PRODUCTS", 0)
    clf = Perceptron().fit(np.eye(3), [0, 1, 2])
    X = sparse.csr_matrix(np.eye(3))
    X.data, X.indices = np.append(X.data, np.nan), np.append(X.indices, 99)
    assert clf.predict(X).tolist() == [0, 1, 2]
    X.data = X.data[:-1]
    with pytest.raises(InputError, match="malformed CSR"):
        clf.predict(X)


@pytest.mark.parametrize("starts", [[0, 2, 1, 3], [1, 1, 2, 3], [-1, 1, 2, 3], [0, 1, 2, 9]])
def test_rows_that_do_not_follow_each_other_are_refused(monkeypatch, starts):
    monkeypatch.setattr(scoring, "FEW_PRODUCTS", 0)
    clf = Perceptron().fit(np.eye(3), [0, 1, 2])
    X = sparse.csr_matrix(np.eye(3))
    X.indptr = np.array(starts, dtype=X.indptr.dtype)
    with pytest.raises(InputError, match="malformed CSR"):
        clf.predict(X)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 4))
def test_the_highest_score_is_found_in_pieces_as_in_one(seed, n, classes):
    scores = np.random.default_rng(seed).integers(0, 3, size=(n, classes)).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "LEAST_AT_ONCE", 4)
        patch.setattr(threads, "cores", lambda: 3)
        np.testing.assert_array_equal(scoring.highest(scores), scores.argmax(axis=1), strict=True)
        assert scoring.all_finite(scores)
        scores[n // 2, -1] = np.inf
        assert not scoring.all_finite(scores)


@given(st.integers(0, 2**40), st.integers(1, 64))
def test_pieces_are_as_many_for_each_core_or_few(products, cores):
    pieces = scoring.pieces_of(products, cores)
    assert pieces % cores == 0 or 1 <= pieces < cores
    assert pieces == 1 or products // pieces >= scoring.LEAST_AT_ONCE
    assert products <= pieces * scoring.MOST_AT_ONCE


def test_margins_do_not_depend_on_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2000, 30)), rng.integers(0, 6, 2000)
    points = make_points(X, y)
    state = zero_state(points, 6)
    state.weights[...] = rng.standard_normal((6, 31))
    monkeypatch.setattr("rosenblatt.engine.pieces.ENTRIES_PER_CALL", 2**12)
    margins = []
    for cores in (1, 3):
        monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
        margins.append(all_margins(points, Multiclass(), state, np.arange(2000)))
    np.testing.assert_array_equal(*margins)
    scores = X @ state.weights[:, :-1].T + state.weights[:, -1]
    own = scores[np.arange(2000), y].copy()
    scores[np.arange(2000), y] = -np.inf
    np.testing.assert_allclose(margins[0], own - scores.max(axis=1), atol=1e-12)

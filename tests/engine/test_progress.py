"""Streams: the mean predicts while rows come from one source, the last weights where it changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as TheirPerceptron

import rosenblatt as rb
from rosenblatt.engine.progress import Recent


def batches(rng, w, count, rows, flipped=False):
    """Batches of rows of overlapping classes, whose labels may mean the opposite."""
    for _ in range(count):
        X = rng.normal(size=(rows, len(w)))
        y = X @ w + 0.8 * rng.normal(size=rows) > 0
        yield X, y != flipped


def accuracy_after(model, change, rows, seed=0):
    """On batches before they are learned from, some time after the labels may have changed."""
    rng = np.random.default_rng(seed)
    w, right = rng.normal(size=10), []
    for X, y in batches(rng, w, 4000 // rows, rows):
        model.partial_fit(X, y, classes=[False, True])
    for at, (X, y) in enumerate(batches(rng, w, 4000 // rows, rows, flipped=change)):
        if at * rows > 300:
            right.append(np.mean(model.predict(X) == y))
        model.partial_fit(X, y)
    return np.mean(right)


@pytest.mark.parametrize("rows", [1, 10, 50])
def test_what_changes_is_followed(rows):
    ours, theirs = (accuracy_after(m, True, rows) for m in (rb.Perceptron(), TheirPerceptron()))
    assert ours > theirs - 0.02


def test_what_stays_is_averaged():
    ours = accuracy_after(rb.Perceptron(), False, 50)
    mean = accuracy_after(rb.Perceptron(solution="average"), False, 50)
    last = accuracy_after(rb.Perceptron(solution="last"), False, 50)
    np.testing.assert_equal(ours, mean)
    assert ours > last + 0.02


def test_one_pass_over_columns_of_very_different_size():
    X, y = load_breast_cancer(return_X_y=True)
    scores = []
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(len(y))
        rows, labels = X[order], y[order]
        models = rb.Perceptron(), TheirPerceptron(), rb.Perceptron(solution="average")
        for model in models:
            for at in range(0, 400, 40):
                model.partial_fit(rows[at : at + 40], labels[at : at + 40], classes=[0, 1])
        scores.append([model.score(rows[400:], labels[400:]) for model in models])
    ours, theirs, mean = np.mean(scores, axis=0)
    assert ours > theirs - 0.1
    assert ours > mean + 0.05


def test_sorted_rows_say_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5))
    y = X @ rng.normal(size=5) + 0.5 * rng.normal(size=1000) > 0
    order = np.argsort(y, kind="stable")
    clf, mean = rb.Perceptron(), rb.Perceptron(solution="average")
    for at in range(0, 1000, 50):
        batch = order[at : at + 50]
        for model in (clf, mean):
            model.partial_fit(X[batch], y[batch], classes=[False, True])
    np.testing.assert_array_equal(clf.coef_, mean.coef_)


@pytest.mark.parametrize("multiclass", ["native", "ovr", "ovo"])
def test_it_goes_on_as_it_was_after_saving(tmp_path, multiclass):
    rng = np.random.default_rng(0)
    w = rng.normal(size=(10, 3))
    clf = rb.Perceptron(multiclass=multiclass)
    for at in range(30):
        X = rng.normal(size=(50, 10))
        y = (X @ w * (1 if at < 15 else -1)).argmax(axis=1)
        clf.partial_fit(X, y, classes=[0, 1, 2])
        if at == 20:
            rb.save(clf, tmp_path / "model")
            clf = rb.load(tmp_path / "model")
            assert any(run.recent.rows > 0 for run in clf.runs_)
    assert clf.score(X, y) > 0.7
    best = [run.weights for run in clf.runs_] if multiclass != "native" else clf.run_.weights
    np.testing.assert_array_equal(clf.coef_, np.vstack(best)[:, :-1])


@pytest.mark.parametrize("multiclass", ["native", "ovr", "ovo"])
def test_what_predicts_is_chosen_for_all_runs_together(multiclass):
    rng = np.random.default_rng(0)
    w, clf = rng.normal(size=(10, 4)), rb.Perceptron(multiclass=multiclass)
    last = rb.Perceptron(multiclass=multiclass, solution="last")
    right = []
    for at in range(500):
        X = rng.normal(size=(9, 10))
        y = (X @ w * (1 if at < 250 else -1)).argmax(axis=1)
        if at > 300:
            right.append([np.mean(model.predict(X) == y) for model in (clf, last)])
        for model in (clf, last):
            model.partial_fit(X, y, classes=[0, 1, 2, 3])
        assert len({run.recent for run in clf.runs_}) == 1
    ours, theirs = np.mean(right, axis=0)
    assert ours > theirs - 0.01


def test_what_a_fit_found_is_kept_while_it_is_good():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 20)) * 10.0 ** rng.integers(-2, 3, 20)
    y = (X / X.std(axis=0)) @ rng.normal(size=20) + rng.normal(size=900) > 0
    clf = rb.Perceptron().fit(X[:300], y[:300])
    before, score = clf.coef_.copy(), clf.score(X[500:], y[500:])
    for at in (1, 300, 350):
        clf.partial_fit(X[at : at + 50], y[at : at + 50])
        np.testing.assert_array_equal(clf.coef_, before)
    # The same rows mean the opposite from now on: nothing is kept for long.
    for at in range(0, 300, 10):
        clf.partial_fit(X[at : at + 10], ~y[at : at + 10])
    assert clf.score(X[500:], y[500:]) < score - 0.2
    assert clf.run_.best is None


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 5000))
def test_shares_that_stay_the_same_are_the_shares(by_mean, by_last, rows):
    recent = Recent()
    for _ in range(5):
        recent = recent.after(rows, Recent(rows, by_mean * rows, by_last * rows))
    np.testing.assert_allclose(recent.by_mean, by_mean * recent.rows, atol=1e-9)
    np.testing.assert_allclose(recent.by_last, by_last * recent.rows, atol=1e-9)
    if by_mean <= by_last:
        assert not recent.prefers_last

"""Overfit separators do not predict; all else is theirs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import Perceptron as Theirs
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.fit import better_separator


def correlated(seed, n=150, d=80, classes=2, noise=0.1):
    """Rows of columns that share a few directions, labels some of which are wrong; and others."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    X = rng.normal(size=(n + 1000, d)) / np.arange(1, d + 1) @ turn
    truth = (X @ rng.normal(size=(d, classes))).argmax(axis=1)
    wrong = rng.random(n) < noise
    y = np.where(wrong, rng.integers(classes, size=n), truth[:n])
    return X[:n], y, X[n:], truth[n:]


@pytest.mark.parametrize(("classes", "n"), [(2, 150), (3, 300), (5, 300)])
def test_noise_is_not_learned(classes, n):
    gains, over_theirs = [], []
    for seed in range(8):
        X, y, new, truth = correlated(seed, n, classes=classes)
        clf = rb.Perceptron().fit(X, y)
        assert clf.verdict_ is rb.Verdict.SEPARABLE
        assert clf.stop_ is rb.Stop.SEPARATED_OVERFIT
        assert clf.certificate_.verify(X, y)
        assert clf.mistakes_ <= clf.mistake_bound_
        separator = clf.with_solution("last")
        np.testing.assert_equal(separator.score(X, y), 1.0)
        assert clf.score(X, y) < 1
        gains.append(clf.score(new, truth) - separator.score(new, truth))
        over_theirs.append(clf.score(new, truth) - Theirs().fit(X, y).score(new, truth))
    assert np.mean(gains) > 0.05
    assert np.mean(over_theirs) > 0.03


def test_what_predicts_does_not_depend_on_the_order_of_rows():
    X, y, new, _ = correlated(0)
    clf, rng = rb.Perceptron().fit(X, y), np.random.default_rng(0)
    for _ in range(4):
        order = rng.permutation(len(y))
        again = rb.Perceptron().fit(X[order], y[order])
        assert again.stop_ is clf.stop_
        np.testing.assert_allclose(again.coef_, clf.coef_, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(again.predict(new), clf.predict(new))


def test_breast_cancer_in_five_folds():
    X, y = load_breast_cancer(return_X_y=True)
    for rows in (X, StandardScaler().fit_transform(X)):
        ours = cross_val_score(rb.Perceptron(), rows, y).mean()
        assert ours > cross_val_score(rb.Perceptron(solution="last"), rows, y).mean() + 0.01
        assert ours > cross_val_score(Theirs(), rows, y).mean()


@pytest.mark.parametrize(
    ("load", "positive"), [(load_iris, 0), (load_wine, None), (load_digits, None), (load_digits, 3)]
)
@pytest.mark.parametrize("scaled", [False, True])
def test_usual_separable_sets_are_predicted_by_a_separator(load, positive, scaled):
    X, y = load(return_X_y=True)
    y = y if positive is None else y == positive
    X = StandardScaler().fit_transform(X) if scaled else X
    clf = rb.Perceptron().fit(X, y)
    assert clf.stop_ is rb.Stop.SEPARATED
    np.testing.assert_equal(clf.score(X, y), 1.0)


def test_few_rows_that_one_looks_at_are_right(monkeypatch):
    rng, seen = np.random.default_rng(0), 0
    for _ in range(60):
        X, y = (
            rng.normal(size=(better_separator.LOOKED_AT - 1, 8)),
            rng.integers(2, size=better_separator.LOOKED_AT - 1),
        )
        clf = rb.Perceptron().fit(X, y)
        if clf.verdict_ is not rb.Verdict.SEPARABLE:
            continue
        np.testing.assert_equal(clf.score(X, y), 1.0)
        with monkeypatch.context() as less:
            less.setattr(better_separator, "LOOKED_AT", 2)
            seen += rb.Perceptron().fit(X, y).stop_ is rb.Stop.SEPARATED_OVERFIT
    assert seen > 5


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_parts_of_many_classes(multiclass):
    X, y, new, truth = correlated(1, classes=3, n=150)
    clf = rb.Perceptron(multiclass=multiclass).fit(X, y)
    assert clf.verdict_ is rb.Verdict.SEPARABLE
    assert clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    assert clf.certificate_ is None
    last = clf.with_solution("last")
    assert clf.score(new, truth) > last.score(new, truth) + 0.03


def test_rows_of_weight_0_are_as_if_they_were_not_there():
    X, y, new, _ = correlated(2)
    rng = np.random.default_rng(0)
    clf = rb.Perceptron().fit(X, y)
    more, labels = np.vstack([X, rng.normal(size=(5, 80))]), np.append(y, [0, 1, 0, 1, 0])
    weighted = rb.Perceptron().fit(more, labels, sample_weight=np.arange(len(labels)) < len(y))
    assert weighted.stop_ is rb.Stop.SEPARATED_OVERFIT
    np.testing.assert_array_equal(weighted.predict(new), clf.predict(new))


def test_only_what_separates_is_bounded_by_a_theorem():
    X, y, *_ = correlated(3)
    clf = rb.Perceptron().fit(X, y)
    assert clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    assert "none of the theorems" in str(clf.error_bound())
    assert "none of the theorems" not in str(clf.with_solution("last").error_bound())


def test_a_model_file_keeps_it(tmp_path):
    X, y, new, _ = correlated(4)
    clf = rb.Perceptron().fit(X, y)
    rb.save(clf, tmp_path / "model.safetensors")
    loaded = rb.load(tmp_path / "model.safetensors")
    assert loaded.stop_ is clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    np.testing.assert_array_equal(loaded.predict(new), clf.predict(new))
    np.testing.assert_equal(loaded.with_solution("last").score(X, y), 1.0)


def test_a_warm_start_goes_on_from_the_separator():
    X, y, *_ = correlated(5)
    clf = rb.Perceptron(warm_start=True).fit(X, y)
    assert clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    clf.fit(X, y)
    np.testing.assert_equal((clf.mistakes_, clf.with_solution("last").score(X, y)), (0, 1.0))


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e120])
def test_sizes_do_not_matter(scale):
    X, y, new, _ = correlated(6)
    clf = rb.Perceptron().fit(X, y)
    scaled = rb.Perceptron().fit(scale * X, y)
    assert scaled.verdict_ is rb.Verdict.SEPARABLE
    assert scaled.stop_ is clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    assert np.mean(scaled.predict(scale * new) == clf.predict(new)) > 0.95


@pytest.mark.parametrize(("classes", "n"), [(2, 60), (2, 100), (3, 300)])
def test_a_mean_that_has_not_learned_its_rows_does_not_predict(classes, n):
    """Of columns that are nearly the same, passes tell next to nothing of their differences."""
    gains = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        shared = np.sqrt(0.99) * rng.normal(size=(n + 1000, 1))
        X = shared + 0.1 * rng.normal(size=(n + 1000, 20))
        w = rng.normal(size=(20, classes))
        y = (X @ (w - w.mean(axis=0))).argmax(axis=1)
        clf = rb.Perceptron().fit(X[:n], y[:n])
        assert clf.verdict_ is rb.Verdict.SEPARABLE
        mean = rb.Perceptron(solution="average").fit(X[:n], y[:n])
        gains.append(clf.score(X[n:], y[n:]) - mean.score(X[n:], y[n:]))
    assert np.mean(gains) > 0.1

"""Which weights predict: the mean, a separator near it, or the mean though there is a separator."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import Perceptron as Theirs
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.engine.rules import make_rule
from rosenblatt.fit.report import findings_of
from rosenblatt.places.memory import Memory
from rosenblatt.places.place import least_margin, share_of_way


def noisy(seed, n=150, d=80, classes=2, noise=0.1):
    """Rows of columns that share a few directions, labels some of which are wrong; and others."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    X = rng.normal(size=(n + 1000, d)) / np.arange(1, d + 1) @ turn
    truth = (X @ rng.normal(size=(d, classes))).argmax(axis=1)
    wrong = rng.random(n) < noise
    y = np.where(wrong, rng.integers(classes, size=n), truth[:n])
    return X[:n], y, X[n:], truth[n:]


def by_the_mean(classes=2):
    """A set that is separable, and predicted by the mean."""
    for seed in range(20):
        X, y, new, truth = noisy(seed, classes=classes)
        clf = rb.Perceptron().fit(X, y)
        if clf.stop_ is rb.Stop.SEPARATED_OVERFIT:
            return X, y, new, truth, clf
    raise AssertionError("none of twenty sets")


@pytest.mark.parametrize("gate", ["and", "or", "nand", "nor", "majority"])
@pytest.mark.parametrize("signs", [False, True])
def test_small_sets_of_the_lectures_are_separated(gate, signs):
    rows = np.array(list(product((0.0, 1.0), repeat=3 if gate == "majority" else 2)))
    y = {
        "and": rows.all(axis=1),
        "or": rows.any(axis=1),
        "nand": ~rows.all(axis=1),
        "nor": ~rows.any(axis=1),
        "majority": rows.sum(axis=1) >= 2,
    }[gate]
    clf = rb.Perceptron().fit(2 * rows - 1 if signs else rows, y)
    assert clf.stop_ is rb.Stop.SEPARATED
    np.testing.assert_array_equal(clf.predict(2 * rows - 1 if signs else rows), y)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[90, 80], [40, 30], [50, 40]], [1, -1, -1]),
        ([[1, 1], [-1, -1]], [1, -1]),
        ([[1, 1], [-0.25, -0.25]], [1, -1]),
        ([[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1]),
    ],
)
def test_worked_examples_are_separated(X, y):
    clf = rb.Perceptron().fit(X, y)
    assert clf.stop_ is rb.Stop.SEPARATED
    np.testing.assert_array_equal(clf.predict(X), y)
    assert clf.certificate_.verify(X, y)


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
    weights = np.column_stack([clf.coef_, clf.intercept_])
    np.testing.assert_array_equal(np.atleast_2d(clf.certificate_.weights), weights)
    assert clf.certificate_.verify(X, y)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_iris, load_digits])
def test_the_average_is_the_same_mean_however_it_is_asked_for(load):
    X, y = load(return_X_y=True)
    default, average = rb.Perceptron().fit(X, y), rb.Perceptron(solution="average").fit(X, y)
    again = default.with_solution("average")
    np.testing.assert_array_equal(again.coef_, average.coef_)
    np.testing.assert_array_equal(again.intercept_, average.intercept_)


def test_the_separator_is_that_of_the_certificate_though_the_mean_predicts():
    X, y, *_, clf = by_the_mean()
    assert clf.verdict_ is rb.Verdict.SEPARABLE
    assert clf.certificate_.verify(X, y)
    assert clf.mistakes_ <= clf.mistake_bound_
    assert 0 < clf.run_.missed == np.count_nonzero(clf.predict(X) != y)
    assert f"which get {clf.run_.missed} of them wrong" in str(clf.run_)
    separator = clf.with_solution("separator")
    np.testing.assert_equal(separator.score(X, y), 1.0)
    weights = np.append(separator.coef_, separator.intercept_)
    np.testing.assert_array_equal(clf.certificate_.weights, weights)
    assert "with_solution('separator')" in str(clf.stop_)


@pytest.mark.parametrize(
    "how", [{}, {"early_stopping": True}, {"margin": 0.5}, {"threshold": 1.0}, {"certify": True}]
)
@pytest.mark.parametrize("walk", [False, True])
def test_the_separator_is_that_of_the_certificate_however_it_was_found(how, walk):
    proved = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 8))
        X = X.cumsum(axis=1) if walk else X
        y = X @ rng.normal(size=8) > 0
        clf = rb.Perceptron(**how).fit(X, y)
        if clf.certificate_ is None:  # a row held out is on the wrong side
            continue
        proved += 1
        separator = clf.with_solution("separator")
        weights = np.append(separator.coef_, separator.intercept_)
        np.testing.assert_array_equal(clf.certificate_.weights, weights)
        np.testing.assert_array_equal(separator.predict(X), y)
        assert clf.certificate_.verify(X, y)
    assert proved


def correlated(seed):
    """Columns that are nearly the same, and labels by their differences, some of them wrong."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(40, 200)), int(rng.integers(2, 40))
    X = rng.normal(size=(n, 1)) * 3 + rng.normal(size=(n, d)) * 0.5
    noise = rng.choice([0.3, 1, 3]) * rng.normal(size=n)
    return X, (X @ rng.normal(size=d) + noise > 0).astype(int)


def test_what_predicts_is_called_by_its_name():
    named = set()
    for seed in range(120):
        X, y = correlated(seed)
        run = rb.Perceptron().fit(X, y).run_
        if run.stop in (rb.Stop.SEPARATED_OVERFIT, rb.Stop.INSEPARABLE):
            by_the_mean = np.array_equal(run.best, run.average)
            name = "the averaged weights" if by_the_mean else "the least-squares weights"
            assert name == run.predicting
            assert name in run.why
            named.add((run.stop, name))
    assert len(named) == 4


@pytest.mark.parametrize("seed", range(20))
def test_zeros_are_no_entries_whether_they_are_stored_or_not(seed):
    X, y = correlated(seed)
    X[np.random.default_rng(seed).random(X.shape) < seed / 20] = 0
    dense, thin = (rb.Perceptron().fit(rows, y) for rows in (X, sparse.csr_array(X)))
    assert dense.verdict_ is thin.verdict_
    assert dense.run_.predicting == thin.run_.predicting
    np.testing.assert_allclose(dense.coef_, thin.coef_, rtol=1e-6, atol=1e-9)


def test_a_penalised_separator_predicts_where_it_is_asked_for():
    found = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 8))
        y = X @ rng.normal(size=8) > 0
        clf = rb.Perceptron(penalty="l1", early_stopping=True).fit(X, y)
        if clf.run_.clean:
            found += 1
            assert clf.with_solution("separator").coef_.shape == (1, 8)
    assert found


def test_what_is_not_proved_is_not_called_separable_where_the_mean_predicts():
    X, y, *_ = by_the_mean()
    rows, labels = np.vstack([X, X[:1]]), np.append(y, 1 - y[0])  # the last one takes no part
    clf = rb.Perceptron().fit(rows, labels, sample_weight=np.append(np.ones(len(y)), 0.0))
    assert clf.certificate_ is None
    assert clf.stop_ is rb.Stop.SEPARATED_IN_PLAY
    assert 0 < clf.run_.missed == np.count_nonzero(clf.predict(X) != y)
    assert f"which get {clf.run_.missed} of the points in play wrong" in clf.run_.why
    np.testing.assert_equal(clf.with_solution("separator").score(X, y), 1.0)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_several_hyperplanes_say_how_many_rows_they_have_wrong_in_all(multiclass):
    X, y, *_ = noisy(2, classes=3)
    clf = rb.Perceptron(multiclass=multiclass).fit(X, y)
    assert clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    scores = X @ clf.coef_.T + clf.intercept_
    if multiclass == "ovr":
        signs = np.where(y[:, None] == clf.classes_, 1, -1)
    else:
        pairs = [(0, 1), (0, 2), (1, 2)]
        signs = np.column_stack([np.where(y == k, 1, np.where(y == j, -1, 0)) for j, k in pairs])
    wrong = (signs * scores < 0).sum(axis=0)
    assert [run.missed for run in clf.runs_] == wrong.tolist()
    assert np.count_nonzero(clf.predict(X) != y) < wrong.sum()  # which is another number
    said = f"Summed over 3 hyperplanes, {wrong.sum()} rows are on the wrong side; a row counts for"
    assert clf.fitted_.why == f"{clf.run_.why} {said} each that has it wrong."
    assert clf.fitted_.why == findings_of(clf.fitted_, [], [0, 1, 2])["stop_sentence"]
    assert said in clf._repr_html_()


def test_one_hyperplane_says_how_many_rows_it_has_wrong_wherever_a_reader_looks():
    *_, clf = by_the_mean()
    assert clf.fitted_.why == clf.run_.why
    assert clf.run_.why == findings_of(clf.fitted_, [], [0, 1])["stop_sentence"]
    assert f"which get {clf.run_.missed} of them wrong" in clf._repr_html_()


def test_no_separator_is_an_error_that_says_why():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(rb.InputError, match="Inseparable: no hyperplane"):
        rb.Perceptron().fit(X, y == 2).with_solution("separator")


@pytest.mark.parametrize(("classes", "n"), [(2, 150), (3, 300), (5, 300)])
def test_noise_is_not_learned(classes, n):
    gains, over_theirs = [], []
    for seed in range(8):
        X, y, new, truth = noisy(seed, n, classes=classes)
        clf = rb.Perceptron().fit(X, y)
        assert clf.verdict_ is rb.Verdict.SEPARABLE
        ours = clf.score(new, truth)
        gains.append(ours - clf.with_solution("last").score(new, truth))
        over_theirs.append(ours - Theirs().fit(X, y).score(new, truth))
    assert np.mean(gains) > 0.01
    assert np.mean(over_theirs) > 0.03


def test_what_predicts_does_not_depend_on_the_order_of_rows():
    X, y, new, _ = noisy(0)
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


def test_only_what_separates_is_bounded_by_a_theorem():
    *_, clf = by_the_mean()
    assert "none of the theorems" in str(clf.error_bound())
    for solution in ("last", "separator"):
        assert "none of the theorems" not in str(clf.with_solution(solution).error_bound())


def test_a_model_file_keeps_it(tmp_path):
    X, y, new, _, clf = by_the_mean()
    rb.save(clf, tmp_path / "model.safetensors")
    loaded = rb.load(tmp_path / "model.safetensors")
    assert loaded.stop_ is clf.stop_ is rb.Stop.SEPARATED_OVERFIT
    assert loaded.run_.missed == clf.run_.missed
    np.testing.assert_array_equal(loaded.predict(new), clf.predict(new))
    np.testing.assert_equal(loaded.with_solution("separator").score(X, y), 1.0)


def test_a_warm_start_goes_on_from_the_separator():
    X, y, *_ = noisy(5)
    clf = rb.Perceptron(warm_start=True).fit(X, y)
    clf.fit(X, y)
    np.testing.assert_equal((clf.mistakes_, clf.with_solution("last").score(X, y)), (0, 1.0))


def test_rows_of_weight_0_are_as_if_they_were_not_there():
    X, y, new, _ = noisy(2)
    rng = np.random.default_rng(0)
    clf = rb.Perceptron().fit(X, y)
    more, labels = np.vstack([X, rng.normal(size=(5, 80))]), np.append(y, [0, 1, 0, 1, 0])
    weighted = rb.Perceptron().fit(more, labels, sample_weight=np.arange(len(labels)) < len(y))
    np.testing.assert_array_equal(weighted.predict(new), clf.predict(new))


@pytest.mark.parametrize("scale", [1e-120, 1.0, 1e120])
def test_sizes_do_not_matter(scale):
    X, y, new, _ = noisy(6)
    clf, scaled = rb.Perceptron().fit(X, y), rb.Perceptron().fit(scale * X, y)
    assert scaled.verdict_ is rb.Verdict.SEPARABLE
    assert np.mean(scaled.predict(scale * new) == clf.predict(new)) > 0.75


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 4]))
def test_from_the_share_of_the_way_on_all_rows_are_right(seed, classes):
    rng = np.random.default_rng(seed)
    X, codes = rng.normal(size=(12, 20)), np.arange(12) % classes
    place = Memory.of(X, np.arange(classes), codes)
    if classes == 2:
        place = place._replace(points=place.points._replace(y=codes * 2.0 - 1.0))
    rule, shape = make_rule(classes), place.start().weights.shape
    separator = rb.Perceptron(solution="last").fit(X, codes).run_.weights
    start = rng.normal(size=shape)
    share = share_of_way(place, rule, start, separator)
    assert 0 <= share <= 1
    for beyond in (1e-6, 0.1, 1.0):
        way = share + beyond * (1 - share)
        assert least_margin(place, rule, (1 - way) * start + way * separator) > 0

"""Weights of least loss predict where columns are strongly correlated, whatever a fit is asked."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.linear_model import Perceptron as Theirs
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import LinearSVC

from rosenblatt import Perceptron, Verdict
from rosenblatt.fit import least_loss, predictor

NEW = 2000


def random_walks(seed, rows, columns, classes, cuts=None, noise=0.3):
    """Columns that differ little from their neighbours, classes by the differences; new rows."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(rows + NEW, columns))
    z = steps @ rng.normal(size=(columns, classes))
    z = z / z.std(axis=0) + noise * rng.normal(size=z.shape)
    y = z.argmax(axis=1) if cuts is None else np.digitize(z[:, 0], np.quantile(z[:, 0], cuts))
    X = steps.cumsum(axis=1)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def scores(make, *models, score=None, seeds=3):
    """The mean score of each model on new rows."""

    def of(model, seed):
        X, y, new, known, *weights = make(seed)
        model.fit(X, y, **({"sample_weight": weights[0]} if weights else {}))
        return model.score(new, known) if score is None else score(known, model.predict(new))

    return np.mean([[of(model, seed) for model in models] for seed in range(seeds)], axis=0)


@pytest.mark.parametrize(("rows", "columns", "classes"), [(2000, 60, 6), (1000, 30, 4)])
def test_many_classes(rows, columns, classes):
    make = partial(random_walks, rows=rows, columns=columns, classes=classes)
    ours, machine = scores(make, Perceptron(), LinearSVC())
    assert ours > machine - 0.01


def test_a_rare_class_that_weighs_more():
    make = partial(random_walks, rows=1500, columns=40, classes=1, cuts=[0.9])
    models = (kind(class_weight="balanced") for kind in (Perceptron, LinearSVC))
    ours, machine = scores(make, *models, score=balanced_accuracy_score)
    assert ours > machine - 0.02


def test_rows_that_weigh_less_because_they_are_often_wrong():
    def make(seed):
        X, y, new, known = random_walks(seed, 1500, 60, 1, [0.5])
        rng = np.random.default_rng(seed)
        doubtful = rng.random(len(y)) < 0.4
        y = np.where(doubtful & (rng.random(len(y)) < 0.4), 1 - y, y)
        return X, y, new, known, np.where(doubtful, 1.0, 8.0)

    ours, machine = scores(make, Perceptron(), LinearSVC())
    assert ours > machine - 0.01
    assert ours > scores(lambda seed: make(seed)[:-1], Perceptron())[0] + 0.01


@pytest.mark.parametrize("classes", [2, 4])
def test_validation_rows(classes):
    make = partial(random_walks, rows=2000, columns=100, classes=classes)
    ours, machine = scores(make, Perceptron(early_stopping=True, random_state=0), LinearSVC())
    assert ours > machine - 0.02


@pytest.mark.parametrize(("rows", "columns"), [(1000, 60), (400, 40)])
@pytest.mark.parametrize("rare", [0.05, 0.5])
def test_a_separator(rows, columns, rare):
    how = {"rows": rows, "columns": columns, "classes": 1, "cuts": [1 - rare], "noise": 0.0}
    make, ours = partial(random_walks, **how), Perceptron(certify=True)
    found, machine = scores(make, ours, LinearSVC(), score=balanced_accuracy_score)
    assert found > machine - 0.02
    X, y, *_ = make(2)
    assert ours.verdict_ is Verdict.SEPARABLE
    assert ours.certificate_.verify(X, y)
    np.testing.assert_array_equal(ours.predict(X), y)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_usual_columns_are_separated_near_the_mean(monkeypatch, load):
    X, y = load(return_X_y=True)
    found = Perceptron().fit(X, y)
    monkeypatch.setattr(predictor.MeanPasses, "better", lambda passes: None)
    np.testing.assert_array_equal(Perceptron().fit(X, y).coef_, found.coef_)


def test_sparse_rows_are_learned_from_as_dense_ones_are():
    X, y, *_ = random_walks(0, 1000, 30, 4)
    dense, same = Perceptron().fit(X, y), Perceptron().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(same.coef_, dense.coef_, rtol=1e-6)


@pytest.mark.parametrize("how", [{}, {"early_stopping": True}, {"fit_intercept": False}])
@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_the_size_of_weights_does_not_matter(how, size):
    X, y, new, known = random_walks(0, 1000, 30, 4)
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    usual = Perceptron(random_state=0, **how).fit(X, y, sample_weight=weights)
    same = Perceptron(random_state=0, **how).fit(X, y, sample_weight=size * weights)
    assert abs(same.score(new, known) - usual.score(new, known)) < 0.03


def test_rows_of_next_to_no_weight_are_next_to_none():
    X, y, new, known = random_walks(0, 1200, 30, 4)
    weights = np.where(np.arange(1200) < 1000, 1.0, 1e-200)
    there = (
        Perceptron().fit(X, np.where(weights < 1, 0, y), sample_weight=weights).score(new, known)
    )
    assert there > Perceptron().fit(X[:1000], y[:1000]).score(new, known) - 0.02


def test_many_rows_are_drawn_from(monkeypatch):
    X, y, new, known = random_walks(0, 3000, 60, 4)
    wanted = LinearSVC().fit(X, y).score(new, known)
    seen, table_of = [], least_loss.Table.of.__func__
    monkeypatch.setattr(least_loss, "MANY", 40)
    monkeypatch.setattr(
        least_loss.Table,
        "of",
        classmethod(lambda cls, place: seen.append(place.rows) or table_of(cls, place)),
    )
    order = np.argsort(y, kind="stable")
    assert Perceptron().fit(X[order], y[order]).score(new, known) > wanted - 0.03
    assert seen == [30 * 61, 40 * 61]


@pytest.mark.parametrize("how", [{}, {"class_weight": "balanced"}, {"early_stopping": True}])
@pytest.mark.parametrize(
    "make",
    [
        lambda: load_iris(return_X_y=True),
        lambda: make_classification(600, 20, n_informative=8, n_classes=4, random_state=0),
        lambda: make_classification(400, 10, weights=[0.8], flip_y=0.1, random_state=1),
    ],
)
def test_usual_columns_are_left_to_the_mean(monkeypatch, make, how):
    X, y = make()
    found = Perceptron(random_state=0, **how).fit(X, y)
    monkeypatch.setattr(predictor, "of_least_loss", lambda *given: None)
    np.testing.assert_array_equal(Perceptron(random_state=0, **how).fit(X, y).coef_, found.coef_)


def test_rows_that_weigh_alike_cost_nothing_where_a_search_descended(monkeypatch):
    monkeypatch.setattr(predictor, "of_least_loss", None)
    X, y, new, known = random_walks(0, 600, 30, 2)
    for weights in (None, np.full(600, 2.5)):
        assert Perceptron().fit(X, y, sample_weight=weights).score(new, known) > 0.85


def nearly_the_same(seed, rows, columns, classes, shared=0.99):
    """Columns that share nearly all of what they are, classes by their differences; new rows."""
    rng = np.random.default_rng(seed)
    X = np.sqrt(shared) * rng.normal(size=(rows + NEW, 1))
    X = X + np.sqrt(1 - shared) * rng.normal(size=(rows + NEW, columns))
    w = rng.normal(size=(columns, classes))
    y = (X @ (w - w.mean(axis=0))).argmax(axis=1)
    return X[:rows], y[:rows], X[rows:], y[rows:]


@pytest.mark.parametrize(
    ("rows", "columns", "classes", "noise"),
    [(60, 20, 2, 0), (100, 50, 2, 0.05), (100, 50, 3, 0), (300, 100, 5, 0)],
)
def test_few_rows_of_columns_that_are_nearly_the_same(monkeypatch, rows, columns, classes, noise):
    def make(seed):
        X, y, *new = nearly_the_same(seed, rows, columns, classes)
        rng = np.random.default_rng(seed)
        wrong = rng.random(rows) < noise
        return X, np.where(wrong, rng.integers(classes, size=rows), y), *new

    ours, theirs = scores(make, Perceptron(), Theirs(), seeds=5)
    assert ours > theirs + 0.05
    monkeypatch.setattr(least_loss, "BELOW", 1.0)
    (without,) = scores(make, Perceptron(), seeds=5)
    assert ours > without - 0.001


def test_few_rows_of_many_wrong_labels_keep_their_mean(monkeypatch):
    """The rows that it has wrong are noise, which least squares would have learned."""
    chosen, choose = [], predictor.of_few_rows

    def watched(*given):
        chosen.append(choose(*given))
        return chosen[-1]

    monkeypatch.setattr(predictor, "of_few_rows", watched)
    for seed in range(20):
        X, y = make_classification(120, 40, n_informative=20, flip_y=0.2, random_state=seed)
        Perceptron().fit(X, y)
    assert len(chosen) >= 15
    assert sum(found is not None for found in chosen) <= 1


def test_many_classes_of_correlated_columns_that_are_separable(monkeypatch):
    make = partial(nearly_the_same, rows=600, columns=50, classes=5, shared=0.95)
    (ours,) = scores(make, Perceptron())
    monkeypatch.setattr(predictor, "HANDICAP", 1e3)
    (without,) = scores(make, Perceptron())
    assert ours > without + 0.02


def spectra(seed, rows, classes):
    """Broad peaks of all heights, and a narrow one that tells the class by where it is."""
    rng = np.random.default_rng(seed)
    t, y = np.linspace(0, 1, 150), rng.integers(classes, size=rows + NEW)
    peaks = [np.exp(-(((t - rng.random()) / 0.08) ** 2)) for _ in range(6)]
    X = sum(rng.lognormal(0, 0.4, (rows + NEW, 1)) * peak for peak in peaks)
    own = 0.3 * np.exp(-(((t - np.linspace(0.3, 0.7, classes)[:, None]) / 0.03) ** 2))
    X = X + own[y] + 0.01 * rng.normal(size=X.shape)
    return X[:rows], y[:rows], X[rows:], y[rows:]


@pytest.mark.parametrize(("rows", "classes"), [(60, 2), (120, 4)])
def test_few_spectra(rows, classes):
    make = partial(spectra, rows=rows, classes=classes)
    ours, theirs, machine = scores(make, Perceptron(), Theirs(), LinearSVC(), seeds=5)
    assert ours > theirs + 0.05
    assert ours > machine - 0.02

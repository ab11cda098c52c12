"""Least squares predict where passes learn next to nothing along the differences of columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

import rosenblatt as rb
from rosenblatt.engine.rules import make_rule
from rosenblatt.fit import choose
from rosenblatt.fit.constants import RIDGE, WIDEST
from rosenblatt.fit.least_squares import ridge_regression
from rosenblatt.places.memory import Memory
from rosenblatt.places.place import errors


def walks(seed, rows, columns, classes=2, noise=0.3, rare=0.5):
    """Columns that are random walks, and labels by their steps."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(rows + 1000, columns))
    z = steps @ rng.normal(size=(columns, 1 if classes == 2 else classes))
    z = z / z.std(axis=0) + noise * rng.normal(size=z.shape)
    y = z[:, 0] > np.quantile(z, 1 - rare) if classes == 2 else z.argmax(axis=1)
    X = steps.cumsum(axis=1)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def made(X, y, steps=1.0):
    classes, codes = np.unique(y, return_inverse=True)
    place = Memory.of(np.asarray(X, dtype=float), classes, codes, steps=steps)
    if len(classes) == 2:
        place = place._replace(points=place.points._replace(y=codes * 2.0 - 1.0))
    return place


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_left_out_are_predicted_as_by_a_fit_without_them(classes, weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), np.arange(40) % classes
    steps = rng.uniform(0.5, 2, size=40) if weighted else np.ones(40)
    place = made(X, y, steps)
    rows = place.scaled(0)
    found = ridge_regression(place, rows)
    assert found is not None
    weights, left_out = found
    table = np.column_stack([rows.place.points.rows.values, np.ones(40)])
    signs = np.where(y[:, None] == np.arange(classes), 1.0, -1.0)[:, -1 if classes == 2 else 0 :]
    c = rows.place.points.steps
    ridge = RIDGE * np.trace(table.T @ (c[:, None] * table)) / 5

    def fitted(some):
        heavy = (c[some, None] * table[some]).T
        return np.linalg.solve(heavy @ table[some] + ridge * np.eye(5), heavy @ signs[some])

    wrong = 0.0
    for i in range(40):
        own = table[i] @ fitted(np.arange(40) != i)
        right = own.argmax() == y[i] if classes > 2 else own[0] * signs[i, 0] > 0
        wrong += c[i] * (not right)
    assert left_out == pytest.approx(wrong / c.sum(), abs=1e-9)
    scores = np.column_stack([X, np.ones(40)]) @ np.atleast_2d(weights).T
    np.testing.assert_allclose(scores, table @ fitted(np.arange(40)), atol=1e-9)


@pytest.mark.parametrize(
    ("rows", "columns", "classes"), [(600, 60, 2), (1000, 60, 6), (2000, 200, 2)]
)
def test_correlated_columns_are_learned_from(rows, columns, classes):
    X, y, new, known = walks(0, rows, columns, classes)
    ours = rb.Perceptron().fit(X, y).score(new, known)
    assert ours > rb.Perceptron(solution="average").fit(X, y).score(new, known) + 0.05


def test_in_a_file_and_in_memory_alike(tmp_path):
    X, y, new, known = walks(1, 600, 30)
    path = tmp_path / "walks.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.17g", header="", comments="")
    from rosenblatt.readers import open_reader

    clf = rb.Perceptron().fit_stream(open_reader(path, header=False, label=-1))
    assert np.mean(clf.predict(new).astype(float) == known) > 0.8


@pytest.mark.parametrize("load", [load_iris, load_digits, load_breast_cancer])
def test_usual_columns_are_left_to_the_mean(load):
    X, y = load(return_X_y=True)
    place = made(X, y)
    rows, rule = place.scaled(0), make_rule(len(place.classes))
    mean = rb.Perceptron(solution="average").fit(X, y).run_.average
    assert choose.mean_or_least_squares(place, rows, rule, mean) is mean


def test_sparse_and_very_wide_rows_are_left_to_the_mean():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(50, WIDEST))
    place = made(wide, np.arange(50) % 2)
    assert ridge_regression(place, place.scaled(0)) is None
    X = sparse.random_array((50, 60), density=0.1, format="csr", rng=rng)
    for rows in (X, X.toarray()):
        place = Memory.of(rows, np.arange(2), np.arange(50) % 2)
        assert ridge_regression(place, place.scaled(0)) is None


def test_what_predicts_is_as_long_as_the_mean_and_makes_fewer_errors():
    X, y, *_ = walks(2, 400, 40)
    place = made(X, y)
    mean = rb.Perceptron(solution="average").fit(X, y).run_.average
    rule = make_rule(2)
    found = choose.mean_or_least_squares(place, place.scaled(0), rule, mean)
    assert found is not mean
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(mean))
    wrong = errors(place, rule, [found, mean])
    assert wrong[0] < wrong[1]


@pytest.mark.parametrize("value", [0.0, 5e-324])
def test_rows_that_are_0_leave_no_least_squares(value):
    """Weights of 0 cannot be made as long as the mean."""
    X = np.full((3, 1), value)
    clf = rb.Perceptron(fit_intercept=False).fit(X, [0, 1, 2])
    assert np.isfinite(clf.coef_).all()

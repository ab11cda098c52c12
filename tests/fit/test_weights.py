"""Weights of rows: what they are relative to, and rows that have none."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Perceptron, Verdict


@pytest.mark.parametrize("solution", ["auto", "average"])
def test_weights_times_as_much_are_the_same_weights(solution):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y, weights = X[:, 0] + 0.8 * rng.normal(size=100) > 0, rng.integers(1, 4, 100).astype(float)
    one, four = (
        Perceptron(solution=solution).fit(X, y, sample_weight=times * weights) for times in (1, 4)
    )
    np.testing.assert_array_equal(one.predict(X), four.predict(X))


def test_rows_of_weight_0_are_not_counted_where_classes_are_balanced():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + 0.8 * rng.normal(size=80) > 0.3
    weights = np.where(y & (np.arange(80) % 5 > 0), 0, 1)
    some = weights > 0
    weighted = Perceptron(class_weight="balanced").fit(X, y, sample_weight=weights)
    without = Perceptron(class_weight="balanced").fit(X[some], y[some])
    np.testing.assert_allclose(weighted.coef_, without.coef_)


def test_rows_that_are_all_0_are_refuted():
    y = np.append([0, 1], np.random.default_rng(0).integers(0, 2, 49))
    clf = Perceptron(fit_intercept=False).fit(np.zeros((51, 4)), y)
    assert clf.verdict_ is Verdict.INSEPARABLE

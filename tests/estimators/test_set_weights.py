"""``coef_`` and ``intercept_`` set by hand: any numbers of the right shape, all else is refused."""

import numpy as np
import pytest
from scipy import sparse

import rosenblatt as rb
from rosenblatt.errors import InputError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.passive_aggressive import PassiveAggressive

X = np.random.default_rng(0).normal(size=(40, 3))
TWO = (X[:, 0] > 0.1).astype(int)
MODELS = [rb.Perceptron(), PassiveAggressive(), rb.MaxMargin(), BatchPerceptron()]
WEIGHTS, BIAS = [[1.0, -2.0, 0.5]], [0.25]


@pytest.fixture(params=MODELS, ids=lambda model: type(model).__name__)
def model(request):
    return request.param.fit(X, TWO)


GOOD = {
    "lists": (WEIGHTS, BIAS),
    "tuples": (tuple(WEIGHTS), tuple(BIAS)),
    "float32": (np.array(WEIGHTS, np.float32), np.array(BIAS, np.float32)),
    "a number for all": (np.array(WEIGHTS), 0.25),
    "whole numbers beyond 64 bits": ([[2**70, -(2**71), 2**69]], [2**68]),
    "sparse": (sparse.csc_matrix(WEIGHTS), BIAS),
}


@pytest.mark.parametrize(("coef", "intercept"), GOOD.values(), ids=GOOD)
def test_any_numbers_of_the_right_shape_score(model, coef, intercept, tmp_path):
    model.coef_, model.intercept_ = coef, intercept
    scale = 2.0**70 if isinstance(intercept, list) and intercept[0] > 1 else 1.0
    expected = scale * (X @ WEIGHTS[0] + BIAS[0])
    np.testing.assert_allclose(model.decision_function(X), expected)
    np.testing.assert_array_equal(model.predict(X), (expected >= 0).astype(int))
    rb.save(model, tmp_path / "m")
    np.testing.assert_allclose(rb.load(tmp_path / "m").decision_function(X), expected)


BAD = {
    "a vector": ("coef_", WEIGHTS[0], r"coef_ must have shape \(1, 3\), got \(3,\)"),
    "too narrow": ("coef_", [[1.0, 2.0]], r"coef_ must have shape \(1, 3\), got \(1, 2\)"),
    "too many": ("coef_", WEIGHTS * 2, r"coef_ must have shape \(1, 3\), got \(2, 3\)"),
    "sparse, too wide": ("coef_", sparse.csr_matrix((1, 4)), r"\(1, 3\), got \(1, 4\)"),
    "rows of two lengths": ("coef_", [[1.0], [1.0, 2.0]], "coef_.*rows differ in length"),
    "text": ("coef_", [["a", "b", "c"]], "coef_ must be an array of numbers, got"),
    "no double": ("coef_", [[10**400, 1, 1]], "coef_ holds 1000.* beyond the range of double"),
    "none": ("coef_", None, "coef_ must be an array of numbers, got None"),
    "two biases": ("intercept_", [1.0, 2.0], r"intercept_ must have shape \(1,\), or be a number"),
    "no bias": ("intercept_", None, "intercept_ must be an array of numbers, got None"),
}


@pytest.mark.parametrize(("name", "value", "message"), BAD.values(), ids=BAD)
def test_all_else_is_refused_by_name(model, name, value, message, tmp_path):
    setattr(model, name, value)
    large = np.tile(X, (2**14, 1))  # of so many rows machine code computes the scores
    for use in (model.predict, model.decision_function, lambda _: rb.save(model, tmp_path / "m")):
        for rows in (X, large):
            with pytest.raises(InputError, match=message):
                use(rows)


def test_many_classes_have_a_row_each_or_a_row_a_pair():
    y = np.digitize(X[:, 0], [-0.7, 0.0, 0.7])
    for multiclass, rows in (("native", 4), ("ovo", 6)):
        clf = rb.Perceptron(multiclass=multiclass).fit(X, y)
        before = clf.predict(X)
        clf.coef_ = clf.coef_.tolist()
        np.testing.assert_array_equal(clf.predict(X), before)
        clf.coef_ = np.ones((rows + 1, 3))
        with pytest.raises(InputError, match=r"\(4, 3\) or \(6, 3\), got"):
            clf.predict(X)

"""Arrays of other libraries, with scikit-learn's dispatch on: through NumPy, or a clear error."""

import array_api_strict as xp
import numpy as np
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris

import rosenblatt as rb
from rosenblatt.data.array_api import in_numpy
from rosenblatt.errors import InputTypeError

X, Y = load_iris(return_X_y=True)
ESTIMATORS = [
    rb.Perceptron(),
    rb.Perceptron(solution="vote", max_iter=3),
    rb.PassiveAggressive(),
    rb.KernelPerceptron(),
    rb.BatchPerceptron(max_iter=3),
    rb.MaxMargin(),
]


@pytest.fixture(autouse=True)
def _dispatched(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with config_context(array_api_dispatch=True):
        yield


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_answers_are_those_of_numpy(estimator, dtype):
    rows, labels = X.astype(dtype), (Y == 0).astype(np.int64)
    theirs, labels_there = xp.asarray(rows), xp.asarray(labels)
    ours = clone(estimator).fit(rows, labels)
    again = clone(estimator).fit(theirs, labels_there)
    expected = ours.decision_function(rows)
    np.testing.assert_array_equal(again.decision_function(theirs), expected, strict=True)
    np.testing.assert_array_equal(again.predict(theirs), ours.predict(rows), strict=True)
    assert again.score(theirs, labels_there) == ours.score(rows, labels)
    if hasattr(again, "partial_fit"):
        weights = np.linspace(1.0, 2.0, len(rows))
        ours.partial_fit(rows, labels, sample_weight=weights)
        again.partial_fit(theirs, labels_there, sample_weight=xp.asarray(weights))
        np.testing.assert_array_equal(again.predict(theirs), ours.predict(rows))


def test_decide_and_margin_take_them_too():
    rows, labels = xp.asarray(X), xp.asarray(Y)
    assert rb.decide(rows, xp.asarray((Y == 0).astype(np.int64))).verdict is rb.Verdict.SEPARABLE
    assert rb.decide(rows, labels).verdict is rb.decide(X, Y).verdict


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_of_another_device_they_are_copied_or_refused(estimator):
    there = xp.asarray(X, device=xp.Device("device1"))
    clone(estimator).fit(there, Y == 0).predict(there)


def test_an_online_learner_takes_them_too():
    one, other = rb.online.Perceptron(), rb.online.Perceptron()
    one.learn_many(X, Y)
    other.learn_many(xp.asarray(X), xp.asarray(Y))
    assert other.predict_many(X).tolist() == one.predict_many(X).tolist()


def test_what_is_elsewhere_or_cannot_be_read_is_refused():
    class Elsewhere:
        device = "cuda:0"

        def __dlpack__(self, **_):
            raise BufferError("requires gradient")

        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(InputTypeError, match="X is on the device cuda:0"):
        rb.Perceptron().fit(Elsewhere(), Y)
    Elsewhere.__dlpack_device__ = lambda self: (1, 0)
    with pytest.raises(InputTypeError, match="Elsewhere that NumPy cannot read: requires gradient"):
        in_numpy(Elsewhere(), "y")


def test_what_has_no_values_is_refused():
    class Meta:
        """As a tensor of PyTorch's device "meta"."""

        def __dlpack__(self, **_):
            raise AssertionError("there is nothing to read")

        def __dlpack_device__(self):
            raise ValueError("Unknown device type meta for Dlpack")

    with pytest.raises(InputTypeError, match=r"X is a .*Meta that NumPy cannot read: Unknown devi"):
        rb.Perceptron().fit(Meta(), Y)


def test_tables_and_columns_of_arrow_are_read_like_frames():
    bunch = load_iris(as_frame=True)
    frame, kinds = bunch.data, bunch.target.map(dict(enumerate("abc")))
    table, labels = pa.table(frame), pa.array(kinds)
    clf, same = rb.Perceptron().fit(table, labels), rb.Perceptron().fit(frame, kinds)
    np.testing.assert_array_equal(clf.coef_, same.coef_)
    np.testing.assert_array_equal(clf.feature_names_in_, frame.columns)
    np.testing.assert_array_equal(clf.predict(table), same.predict(frame))
    assert clf.score(table, pa.chunked_array([labels])) == same.score(frame, kinds)
    decision = rb.decide(table, labels)
    assert decision.verdict is rb.Verdict.INSEPARABLE
    assert decision.certificate.verify(table, labels)
    with pytest.raises(rb.InputError, match=r"text at row 0, column 0 \('kind'\)"):
        rb.Perceptron().fit(pa.table({"kind": ["x", "y"]}), [0, 1])
    with pytest.raises(rb.InputError, match=r"lacks a label in 1 row \(1\)"):
        rb.Perceptron().fit(pa.table({"a": [1.0, 2.0]}), pa.array(["a", None]))

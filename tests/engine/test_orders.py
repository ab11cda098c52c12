"""Index sequences and independent draws: the lectures' “receive an index I_t”."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.margins import mistake_bound_for

X = np.array([[1, 1], [-1, -1], [2, 0]])
y = np.array([1, -1, 1])


def looked_at(**settings):
    return [step.index for step in rb.trace(X, y, **settings).steps]


def test_a_sequence_is_looked_at_as_given_then_again():
    assert looked_at(order=[1, 0, 2, 1]) == [1, 0, 2, 1, 1, 0, 2, 1]
    assert looked_at(order=(2, 1, 0), max_passes=1) == [2, 1, 0]


def test_a_clean_pass_that_missed_a_point_ends_with_a_look_at_all():
    steps = looked_at(order=[1, 1])
    assert steps == [1, 1, 1, 1, 0, 1, 2]
    assert rb.trace(X, y, order=[1, 1]).stop is Stop.SEPARATED


def test_a_point_missed_by_the_sequence_is_still_learned():
    found = rb.trace([[1], [2]], [1, -1], order=[0], exact=True)
    assert found.stop is Stop.SEPARATED
    assert {step.index for step in found.steps if step.mistake} == {0, 1}


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_every_sequence_obeys_the_bound(rows):
    data = rb.datasets.six_points()
    found = rb.trace(data.X, data.y, order=rows, fit_intercept=False)
    assert found.stop is Stop.SEPARATED
    assert found.run.updates <= mistake_bound_for(data.X, data.y, [3, 1, 0], bias=False)


def test_independent_draws_repeat_points_and_separate():
    data = rb.datasets.six_points()
    found = rb.trace(data.X, data.y, order="iid", random_state=1)
    first = [step.index for step in found.steps[:6]]
    assert found.stop is Stop.SEPARATED
    assert len(set(first)) < 6
    assert first == np.random.default_rng(1).choice(np.arange(6), 6).tolist()


@pytest.mark.parametrize("order", ["iid", [2, 1, 0], np.array([0, 1, 2]), range(3)])
def test_the_estimator_takes_them_too(order):
    clf = rb.Perceptron(order=order, certify=False).fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.score(X, y) == 1


def test_compiled_and_traced_runs_agree_on_a_sequence():
    data = rb.datasets.five_points()
    rows = [4, 4, 1, 0, 3, 2]
    clf = rb.Perceptron(order=rows, certify=False, solution="last").fit(data.X, data.y)
    found = rb.trace(data.X, data.y, order=rows, bias="last", exact=False)
    np.testing.assert_array_equal([*clf.coef_[0], *clf.intercept_], found.weights[-1])
    assert clf.mistakes_ == found.run.updates


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ([0, 3], r"order\[1\] is 3, which is not a row .* from 0 to 2"),
        ([-1], r"order\[0\] is -1, which is not a row"),
        ([], "or a sequence of row numbers"),
        ([0.5], "or a sequence of row numbers"),
        ([[0], [1]], "or a sequence of row numbers"),
        ([[0], [1, 2]], "or a sequence of row numbers"),
        ([True, False], "or a sequence of row numbers"),
        (None, "or a sequence of row numbers"),
        (7, "or a sequence of row numbers"),
        ("iiid", "'iid'"),
    ],
)
def test_a_bad_sequence_is_refused(order, said):
    with pytest.raises(InputError, match=said):
        rb.trace(X, y, order=order)


def test_a_held_out_row_is_refused():
    with pytest.raises(InputError, match="not a row to learn from"):
        rb.Perceptron(order=[0, 1, 2]).fit(X, y, sample_weight=[1, 1, 0])


def test_a_stream_has_no_sequences(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n-1 1:-1\n")
    reader = rb.readers.open_reader(path)
    with pytest.raises(InputError, match="on a stream"):
        rb.Perceptron(order=[0, 1]).fit_stream(reader)


def test_a_model_with_a_sequence_is_saved(tmp_path):
    clf = rb.Perceptron(order=[2, 1, 0]).fit(X, y)
    rb.save(clf, tmp_path / "model.safetensors")
    assert list(rb.load(tmp_path / "model.safetensors").order) == [2, 1, 0]


def test_sign_of_zero_in_prediction():
    clf = rb.Perceptron(fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.0]], ["no", "yes"])
    on = [[0.0, 5.0], [-2.0, 0.0]]
    assert clf.predict(on).tolist() == ["yes", "yes"]
    assert clf.predict(on, boundary="negative").tolist() == ["no", "yes"]
    with pytest.raises(InputError, match="boundary must be 'positive' or 'negative', got 'zero'"):
        clf.predict(on, boundary="zero")


def test_signed_rows_dense_and_sparse():
    from scipy.sparse import csr_array

    A = rb.margins.signed_rows(X, y)
    np.testing.assert_array_equal(A, [[1, 1, 1], [1, 1, -1], [2, 0, 1]])
    np.testing.assert_array_equal(rb.margins.signed_rows(csr_array(X), y).toarray(), A)
    np.testing.assert_array_equal(rb.margins.signed_rows(X, y, bias=False), A[:, :2])
    np.testing.assert_array_equal(
        rb.margins.signed_rows(csr_array(X), y, bias=False).toarray(), A[:, :2]
    )
    with pytest.raises(InputError, match="signs"):
        rb.margins.signed_rows(X, [0, 1, 1])

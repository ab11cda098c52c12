"""Index sequences and independent draws: the lectures' “receive an index I_t”."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt as rb
from rosenblatt.engine.loop import learn
from rosenblatt.engine.orders import HARDLY
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import PerceptronRule
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep
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


@st.composite
def separated_by_a_little(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(5, 80)), draw(st.integers(1, 6))
    normal, X = rng.normal(size=d), rng.normal(size=(n, d))
    return X, np.where(X @ normal > 0, 1.0, -1.0)


def all_looked_at(sweep):
    """A look at all points: how many err, and those to look at again."""
    if sweep.came_clean:
        return sweep.hardly_right()
    return sweep.look(sweep.in_play), sweep.mistaken()


@given(separated_by_a_little(), st.sampled_from([np.asarray, sparse.csr_array]))
def test_sifted_points_are_the_mistakes_and_those_hardly_right(data, kind):
    X, y = data
    sweep = CompiledSweep(make_points(kind(X), y), PerceptronRule())
    found, doubtful = all_looked_at(sweep)
    np.testing.assert_array_equal(doubtful, np.flatnonzero(sweep.state.dual > 0))
    assert found == sweep.total.updates
    sweep.look(doubtful, laps=10**5)
    assert sweep.came_clean
    before, looks = sweep.state.weights.copy(), sweep.total.looks
    found, doubtful = all_looked_at(sweep)
    np.testing.assert_array_equal(sweep.state.weights, before)
    assert sweep.total.looks == looks + len(X)
    margins = y * (X @ before[:-1] + before[-1])
    assert found == np.count_nonzero(margins <= 0)
    if found:
        usual = np.mean(1 + np.square(X).sum(axis=1))
        near = (margins <= HARDLY * usual) | (sweep.state.dual > 0)
        np.testing.assert_array_equal(doubtful, np.flatnonzero(near))
    else:
        np.testing.assert_allclose(sweep.least, margins.min(), rtol=1e-12)


@given(separated_by_a_little())
def test_the_active_order_separates_and_every_look_of_a_trace_is_shown(data):
    X, y = data
    run = learn(CompiledSweep(make_points(X, y), PerceptronRule()), budget=Budget(passes=300))
    if run.clean:
        assert np.all(y * (X @ run.weights[:-1] + run.weights[-1]) > 0)
    traced = rb.trace(X, y, order="active", max_passes=300, max_steps=10**6)
    assert traced.run.looks == len(traced.steps)
    assert (traced.stop is Stop.SEPARATED) == traced.run.clean


def test_laps_that_do_not_come_clean_are_followed_by_a_look_with_updates():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1.0, -1, 1, 1])
    sweep = CompiledSweep(make_points(X, y), PerceptronRule())
    for _ in range(3):
        before = sweep.total.updates
        found, _ = all_looked_at(sweep)
        assert sweep.total.updates == before + found > before
        sweep.look(sweep.mistaken(), laps=4)
        assert not sweep.came_clean


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


def test_an_order_that_is_a_function_is_told_what_it_is_called_with():
    X, y = np.array([[1.0, 1], [3, 2], [2, 4], [3, 4], [2, 3]]), [0, 1, 1, 1, 0]
    with pytest.raises(rb.InputError, match=r"two arguments, the sweep .* positional arguments\)"):
        rb.trace(X, y, order=lambda rows: [0])
    backwards = rb.trace(X, y, order=lambda sweep, rng: sweep.look(sweep.in_play[::-1]))
    assert [step.index for step in backwards.steps] == [
        step.index for step in rb.trace(X, y, order=[4, 3, 2, 1, 0]).steps
    ]

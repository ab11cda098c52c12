"""The estimator as its users meet it."""

from __future__ import annotations

import gc
import math
import os
import pickle
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import linear_model
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt as rb
from expected import OUT_OF_PASSES
from rosenblatt import (
    BatchPerceptron,
    InputError,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    Stop,
    Verdict,
)
from strategies import labelled

pytestmark = OUT_OF_PASSES

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_LABELS = np.array(["even", "even", "odd", "odd"])
PERMUTES = "permutes the rows, and what an online rule learns depends on their order"


@parametrize_with_checks(
    [Perceptron()],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": PERMUTES,
        "check_sample_weight_equivalence_on_sparse_data": PERMUTES,
    },
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def both(X, y, passes, **how):
    """Ours and scikit-learn's, in the same order for the same passes."""
    ours = Perceptron(order="cyclic", max_iter=passes, solution="last", certify=False, **how)
    theirs = linear_model.Perceptron(shuffle=False, tol=None, max_iter=passes, **how)
    return ours.fit(X, y), theirs.fit(X, y)


@given(labelled(), st.integers(1, 4), st.booleans())
def test_equals_the_textbook_as_scikit_learn_computes_it(problem, passes, intercept):
    X, y = problem
    ours, theirs = both(X, y, passes, fit_intercept=intercept)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)


def test_equals_scikit_learn_to_rounding_on_real_numbers():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours, theirs = both(X, y, 5)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)
    ours, theirs = both(X, y, 5, eta0=0.1, class_weight="balanced")
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)


@given(labelled(n=(4, 12)), st.integers(1, 5))
def test_fit_in_one_pass_equals_partial_fit_in_chunks_to_the_bit(problem, size):
    X, y = problem
    whole = Perceptron(order="cyclic", max_iter=1, solution="average").fit(X, y)
    for rows in (X, sparse.csr_matrix(X)):
        chunked = Perceptron(order="cyclic", solution="average")
        for at in range(0, len(y), size):
            chunked.partial_fit(rows[at : at + size], y[at : at + size], classes=[0, 1])
        np.testing.assert_array_equal(chunked.coef_, whole.coef_)
        assert (chunked.updates_, chunked.looks_) == (whole.updates_, whole.looks_)


@pytest.mark.parametrize("labels", [(-1, 1), (0, 1), ("no", "yes"), (False, True), (3.0, 7.0)])
def test_labels_of_any_two_values(labels):
    y = np.array(labels)[[0, 1, 1, 1]]
    clf = Perceptron().fit(XOR, y)
    np.testing.assert_array_equal(clf.predict(XOR), y)
    assert clf.classes_.tolist() == list(labels)


def test_a_prediction_on_the_boundary_is_the_positive_class():
    clf = Perceptron(fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.0]], ["neg", "pos"][::-1])
    assert clf.predict([[0.0, 5.0]]) == ["pos"]


def test_an_inseparable_fit_ends_with_a_proof():
    clf = Perceptron(max_iter=10**6).fit(XOR, XOR_LABELS)
    assert clf.stop_ is Stop.INSEPARABLE
    assert clf.verdict_ is Verdict.INSEPARABLE
    assert clf.certificate_.verify(XOR, XOR_LABELS)
    assert tuple(clf.margin_) == (0.0, 0.0)
    assert math.isinf(clf.mistake_bound_)


def test_certify_true_decides_at_once_and_binds_the_proof_to_the_data():
    clf = Perceptron(certify=True).fit(XOR, XOR_LABELS)
    assert (clf.stop_, clf.n_iter_) == (Stop.INSEPARABLE, 1)
    clf = Perceptron(certify=True).fit(XOR, [0, 1, 1, 1])
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.certificate_.fingerprint
    assert clf.certificate_.verify(XOR, [0, 1, 1, 1])
    assert not clf.certificate_.verify(XOR + 1e-9, [0, 1, 1, 1])


def test_certify_false_never_decides():
    clf = Perceptron(certify=False, max_iter=50).fit(XOR, XOR_LABELS)
    assert (clf.stop_, clf.n_iter_) == (Stop.PASSES, 50)
    assert clf.verdict_ is Verdict.UNDECIDED
    assert clf.certificate_ is None


def test_breast_cancer_is_separated_although_the_passes_alone_would_take_ages():
    X, y = load_breast_cancer(return_X_y=True)
    clf = Perceptron(solution="last").fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    np.testing.assert_equal(clf.score(X, y), 1.0)
    assert clf.certificate_.verify(X, y)
    assert 0 < clf.margin_.lower <= clf.margin_.upper
    assert clf.updates_ <= clf.mistake_bound_


def test_a_separator_found_by_proof_also_clears_the_threshold():
    X, y = load_breast_cancer(return_X_y=True)
    clf = Perceptron(threshold=2.0, certify=True).fit(X, y)
    margins = np.where(y == 1, 1, -1) * clf.decision_function(X)
    assert margins.min() > 2.0


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_native_multiclass_on_bundled_data(load):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    clf = Perceptron().fit(X, y)
    assert clf.score(X, y) > 0.95
    assert clf.coef_.shape == (len(np.unique(y)), X.shape[1])
    expected = Verdict.INSEPARABLE if load is load_iris else Verdict.SEPARABLE
    assert clf.verdict_ is expected
    assert clf.certificate_.verify(X, y)
    sparse_clf = Perceptron().fit(sparse.csr_matrix(X), y)
    assert sparse_clf.verdict_ is expected


def test_auto_keeps_the_last_weights_once_separated_else_the_average():
    for textbook in ({"order": "cyclic"}, {"certify": False}):
        clf = Perceptron(**textbook).fit(XOR, [0, 1, 1, 1])
        np.testing.assert_array_equal(clf.coef_[0], clf.run_.weights[:-1])
        clf = Perceptron(max_iter=9, **textbook).fit(XOR, XOR_LABELS)
        np.testing.assert_array_equal(clf.coef_[0], clf.run_.average[:-1])
    clf = Perceptron().fit(XOR, [0, 1, 1, 1])
    np.testing.assert_array_equal(clf.coef_[0], clf.run_.best[:-1])
    clf = Perceptron().fit(XOR, XOR_LABELS)
    np.testing.assert_array_equal(clf.coef_[0], clf.run_.average[:-1])
    clf = Perceptron(solution="last").fit(XOR, XOR_LABELS)
    np.testing.assert_array_equal(clf.coef_[0], clf.run_.weights[:-1])


def test_shuffle_is_scikit_learns_name_for_an_order():
    X, y = load_iris(return_X_y=True)
    by_flag = Perceptron(shuffle=False, max_iter=3).fit(X, y == 1)
    by_order = Perceptron(order="cyclic", max_iter=3).fit(X, y == 1)
    np.testing.assert_array_equal(by_flag.coef_, by_order.coef_)
    by_flag = Perceptron(shuffle=True, max_iter=3, random_state=1).fit(X, y == 1)
    by_order = Perceptron(order="shuffled", max_iter=3, random_state=1).fit(X, y == 1)
    np.testing.assert_array_equal(by_flag.coef_, by_order.coef_)


def test_points_of_weight_zero_are_never_looked_at():
    X = np.vstack([XOR, [[9.0, 9.0]]])
    y = [0, 1, 1, 1, 0]
    clf = Perceptron(order="cyclic").fit(X, y, sample_weight=[1, 1, 1, 1, 0])
    plain = Perceptron(order="cyclic").fit(XOR, y[:4])
    np.testing.assert_array_equal(clf.coef_, plain.coef_)
    assert clf.looks_ == plain.looks_
    assert clf.certificate_ is None


def test_weights_scale_the_step():
    X, y = load_iris(return_X_y=True)
    weight = np.full(len(y), 3.0)
    ours = Perceptron(order="cyclic", max_iter=2, solution="last").fit(
        X, y == 1, sample_weight=weight
    )
    plain = Perceptron(order="cyclic", max_iter=2, solution="last").fit(X, y == 1)
    np.testing.assert_allclose(ours.coef_, 3 * plain.coef_)


def test_a_warm_start_goes_on_where_the_last_fit_ended():
    X, y = load_iris(return_X_y=True)
    how = {"order": "cyclic", "certify": False, "solution": "last"}
    twice = Perceptron(max_iter=2, warm_start=True, **how).fit(X, y == 1).fit(X, y == 1)
    once = Perceptron(max_iter=4, **how).fit(X, y == 1)
    np.testing.assert_array_equal(twice.coef_, once.coef_)


def test_any_start():
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    clf = Perceptron().fit(X, y, coef_init=[5.0], intercept_init=[0.0])
    assert clf.updates_ == 0
    np.testing.assert_array_equal(clf.coef_, [[5.0]])
    assert math.isinf(clf.margin_.upper)
    assert clf.margin_.lower > 0
    assert Perceptron(ties="correct").fit(X, y, coef_init=[-1.0]).score(X, y) == 1.0
    clf = Perceptron(ties="correct", threshold=1, order="cyclic", certify=False)
    clf.fit([[0.0], [1.0]], [0, 1])
    steps = rb.trace([[0.0], [1.0]], [0, 1], ties="correct", threshold=1)
    assert (clf.stop_, clf.updates_) == (Stop.SEPARATED, steps.run.updates)


def test_early_stopping_holds_out_equal_parts_and_keeps_the_best_weights():
    X, y = load_digits(return_X_y=True)
    clf = Perceptron(early_stopping=True, validation_fraction=0.25, n_iter_no_change=3)
    clf.fit(X, y == 8)
    errors = clf.run_.column("validation_error")
    assert not np.isnan(errors).any()
    assert clf.stop_ in (Stop.VALIDATION_ERROR, Stop.SEPARATED, Stop.SEPARATED_OVERFIT)
    assert clf.certificate_ is None


def test_lives_in_pipelines_searches_and_wrappers():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), Perceptron(max_iter=20))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    search = GridSearchCV(pipeline, {"perceptron__order": ["cyclic", "active"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert OneVsRestClassifier(Perceptron(max_iter=20)).fit(X, y).score(X, y) > 0.6
    probabilities = CalibratedClassifierCV(pipeline, cv=3).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    fitted = Perceptron().fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.coef_, fitted.coef_)
    assert copy.stop_ is fitted.stop_
    assert not hasattr(clone(fitted), "coef_")
    assert "Perceptron" in fitted._repr_html_()


def test_feature_names_are_kept_and_checked():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    clf = Perceptron().fit(frame, [0, 1])
    assert clf.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[["b", "a"]])
    frame.loc[1, "b"] = np.nan
    with pytest.raises(InputError, match=r"NaN at row 1, column 1 \('b'\)"):
        Perceptron().fit(frame, [0, 1])


class Listener:
    """What scikit-learn asks of a callback besides hearing that a task has ended."""

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass


def test_callbacks_see_every_pass_and_may_stop():
    callback = pytest.importorskip("sklearn.callback")

    class Stopper(Listener):
        def __init__(self):
            self.passes = 0

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if context.task_name == "pass":
                self.passes += 1
                assert fitted_estimator.predict(XOR).shape == (4,)
            return self.passes == 3

    stopper = Stopper()
    assert isinstance(stopper, callback.FitCallback)
    clf = Perceptron(certify=False).set_callbacks(stopper).fit(XOR, XOR_LABELS)
    assert (clf.stop_, clf.n_iter_, stopper.passes) == (Stop.CALLBACK, 3, 3)


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "active"])
@pytest.mark.parametrize(
    ("labels", "passes"), [([0, 1, 1, 1], 50), (XOR_LABELS, 1), (XOR_LABELS, 4)]
)
def test_each_pass_is_printed_the_last_one_too(capsys, order, labels, passes):
    options = {"order": order, "certify": False, "solution": "last", "verbose": 2}
    clf = Perceptron(max_iter=passes, **options).fit(XOR, labels)
    lines = [line for line in capsys.readouterr().out.splitlines() if "norm" in line]
    assert len(lines) == clf.n_iter_ == len(clf.history_)


def test_callbacks_see_the_search_and_not_the_passes_for_the_mean():
    callback = pytest.importorskip("sklearn.callback")

    class Counter(Listener):
        passes = 0

        def on_fit_task_end(self, estimator, context):
            self.passes += context.task_name == "pass"

    X, y = load_iris(return_X_y=True)
    counter = Counter()
    assert isinstance(counter, callback.FitCallback)
    clf = Perceptron().set_callbacks(counter).fit(X, y == 1)
    assert clf.run_.averaged == 10
    assert counter.passes == clf.n_iter_ > 0


def test_metadata_routing():
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        clf = Perceptron(max_iter=5).set_fit_request(sample_weight=True)
        clf.set_score_request(sample_weight=False)
        X, y = load_iris(return_X_y=True)
        scores = cross_val_score(clf, X, y, params={"sample_weight": np.ones(len(y))}, cv=3)
    assert len(scores) == 3


def test_the_run_reports_its_cost():
    clf = Perceptron(order="cyclic", max_iter=2, certify=False).fit(XOR, XOR_LABELS)
    assert clf.run_.cost.rows == clf.looks_ == 8
    assert clf.run_.cost.bytes == 8 * 2 * 8


def test_verbose_says_why_it_stopped(capsys):
    Perceptron(verbose=2).fit(XOR, [0, 1, 1, 1])
    out = capsys.readouterr().out
    assert "mistakes" in out
    assert "Separated" in out


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((2, 0)), [0, 1], r"0 feature\(s\)"),
        ([[1.0], [2.0]], [1, 1], "one class only, .* at least two classes"),
        ([[1.0], [np.nan]], [0, 1], "NaN at row 1, column 0"),
        ([[np.inf], [1.0]], [0, 1], "infinity at row 0, column 0"),
        ([[1e200], [1.0]], [0, 1], "too large at row 0, column 0: 1e\\+200"),
        ([[1.0], [2.0]], [0, 1, 1], "2 rows, 3 labels"),
        ([["a"], ["b"]], [0, 1], "could not convert"),
        ([[1.0], [2.0]], [0.5, 1.7], "Unknown label type"),
        ([[1.0], [2.0]], [0.0, np.nan], "NaN or infinity: label nan at row 1"),
        ([[1.0], [2.0]], np.array([1, "a"], dtype=object), "mix of int, str"),
        ([[1.0], [2.0]], np.array([b"a", b"b"]), "y holds bytes"),
        ([[1.0], [2.0]], None, "requires y to be passed"),
        (np.array([[2**60 + 1], [1]]), [0, 1], "no number of double precision equals it"),
    ],
)
def test_bad_data_gets_a_clear_error(X, y, message):
    with pytest.raises(ValueError, match=message):
        Perceptron().fit(X, y)


def test_sparse_nan_is_located_too():
    X = sparse.csr_matrix(np.array([[0.0, 1.0], [0.0, np.nan]]))
    with pytest.raises(InputError, match="NaN at row 1, column 1"):
        Perceptron().fit(X, [0, 1])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"threshold": -1.0}, "threshold must be a number of at least 0 .* got -1"),
        ({"eta0": 0.0}, "eta0 must be a positive finite number, got 0.0"),
        ({"order": "best"}, "order must be one of"),
        ({"ties": "best"}, "ties must be one of"),
        ({"solution": "best"}, "solution must be one of"),
        ({"certify": "yes"}, "certify must be one of"),
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
        ({"max_updates": 0}, "max_updates must be at least 1, got 0"),
        ({"ties": "correct"}, "never moves from weights of 0"),
    ],
)
def test_bad_parameters_get_a_clear_error(how, message):
    with pytest.raises(InputError, match=message):
        Perceptron(**how).fit(XOR, [0, 1, 1, 1])


def test_bad_starts_weights_and_batches_get_a_clear_error():
    clf = Perceptron()
    with pytest.raises(InputError, match="coef_init must have 2 entries"):
        clf.fit(XOR, XOR_LABELS, coef_init=[1.0])
    with pytest.raises(InputError, match="coef_init must hold finite numbers"):
        clf.fit(XOR, XOR_LABELS, coef_init=[1.0, np.nan])
    with pytest.raises(InputError, match="intercept_init needs fit_intercept=True"):
        Perceptron(fit_intercept=False).fit(XOR, XOR_LABELS, intercept_init=1.0)
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        clf.fit(XOR, XOR_LABELS, sample_weight=[1, 1, 1, -1])
    with pytest.raises(ValueError, match="at least one non-zero"):
        clf.fit(XOR, XOR_LABELS, sample_weight=np.zeros(4))
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        clf.partial_fit(XOR, XOR_LABELS)
    clf.partial_fit(XOR, XOR_LABELS, classes=["even", "odd"])
    with pytest.raises(InputError, match=r"label 'strange' at row 0, .* not among the classes"):
        clf.partial_fit(XOR[:1], ["strange"])
    with pytest.raises(InputError, match="is not the same as on the last call"):
        clf.partial_fit(XOR, XOR_LABELS, classes=["even", "odd", "third"])
    with pytest.raises(ValueError, match="3 features, but Perceptron is expecting 2"):
        clf.predict(np.zeros((1, 3)))
    with pytest.raises(NotFittedError):
        Perceptron().predict(XOR)


@pytest.mark.parametrize("make", [Perceptron, PassiveAggressive, KernelPerceptron, BatchPerceptron])
def test_weights_beyond_what_floats_add_up_are_refused(make):
    for weights in (np.full(4, 1e308), np.full(4, 1e-310), [1, 1, 1, 1e308]):
        with pytest.raises(InputError, match="Divide the weights by the largest"):
            make().fit(XOR, XOR_LABELS, sample_weight=weights)
    large = make().fit(XOR, XOR_LABELS, sample_weight=np.full(4, 1e100))
    assert np.isfinite(large.decision_function(XOR)).all()


def test_overflow_is_reported_never_trained_through():
    X, y = np.array([[1e150], [2e150]]), [0, 1]
    with pytest.warns(ConvergenceWarning, match="Rescale the columns"):
        clf = Perceptron(eta0=1e200, certify=False).fit(X, y)
    assert clf.stop_ is Stop.OVERFLOW


def test_contradictory_duplicates_are_proved_inseparable_by_two_rows():
    X = np.vstack([np.random.default_rng(0).standard_normal((50, 3))] * 2)
    y = np.r_[np.zeros(50, int), np.zeros(49, int), 1]
    clf = Perceptron(certify=True).fit(X, y)
    assert clf.stop_ is Stop.INSEPARABLE
    assert sorted(clf.certificate_.rows.tolist()) == [49, 99]


def test_constant_columns_and_identical_points_are_fine():
    X = np.ones((4, 2))
    clf = Perceptron(certify=True).fit(X, [0, 0, 1, 1])
    assert clf.verdict_ is Verdict.INSEPARABLE


def test_rows_that_come_class_by_class_do_not_spoil_the_average():
    X, y = load_iris(return_X_y=True)
    assert Perceptron(max_iter=20).fit(X, y == 2).score(X, y == 2) > 0.95


def test_the_held_out_rows_are_stratified_and_seeded_and_the_best_weights_are_kept():
    from rosenblatt.fit.learning import Examples, place_of
    from rosenblatt.fit.settings import Settings
    from rosenblatt.fit.validation import hold_out

    X, y = load_digits(return_X_y=True)
    clf = Perceptron(early_stopping=True, validation_fraction=0.2, certify=False)
    problem = place_of(Examples(X, np.arange(10), y), Settings.of(clf))
    train, held_out = hold_out(problem, 0.2, np.random.RandomState(0))
    again = hold_out(problem, 0.2, np.random.RandomState(0))[1]
    np.testing.assert_array_equal(held_out.chosen, again.chosen)
    assert not set(held_out.chosen) & set(train.in_play)
    shares = np.bincount(y[held_out.chosen]) / np.bincount(y)
    assert np.all(np.abs(shares - 0.2) < 0.02)
    clf.set_params(solution="last", max_iter=15).fit(X, y)
    errors = clf.run_.column("validation_error")
    wrong = clf.predict(X[held_out.chosen]) != y[held_out.chosen]
    np.testing.assert_allclose(wrong.mean(), errors.min())
    # Weights put back to an earlier pass are not what all steps add up to.
    assert math.isinf(clf.margin_.upper)


def test_validation_data_of_ones_own():
    X, y = load_digits(return_X_y=True)
    names = np.array(list("abcdefghij"))[y]
    learn, check = slice(0, 1200), slice(1200, None)
    clf = Perceptron(n_iter_no_change=3, certify=False, solution="last")
    clf.fit(X[learn], names[learn], eval_set=(X[check], names[check]))
    errors = clf.run_.column("validation_error")
    assert clf.stop_ is Stop.VALIDATION_ERROR
    np.testing.assert_allclose(1 - clf.score(X[check], names[check]), errors.min())
    # Nothing is held out: the run is the one without validation, as far as it went.
    plain = Perceptron(max_iter=clf.n_iter_, certify=False).fit(X[learn], names[learn])
    assert (clf.looks_, clf.mistakes_) == (plain.looks_, plain.mistakes_)
    by_sparse = Perceptron(n_iter_no_change=3, certify=False, solution="last")
    by_sparse.fit(X[learn], names[learn], eval_set=(sparse.csr_matrix(X[check]), names[check]))
    np.testing.assert_array_equal(by_sparse.coef_, clf.coef_)


@pytest.mark.parametrize(
    ("eval_set", "message"),
    [
        (XOR, r"eval_set must be a pair \(X_val, y_val\), got ndarray"),
        ((XOR,), "got tuple of length 1"),
        ((XOR, [0, 1]), "X_val has 4 rows, y_val 2"),
        ((XOR, [0, 1, 2, 1]), "label 2 at row 2, which is not among the classes of y"),
        ((XOR * np.nan, [0, 1, 1, 1]), "eval_set: Input X contains NaN at row 0, column 0"),
        ((XOR[:, :1], [0, 1, 1, 1]), "1 features, but Perceptron is expecting 2"),
    ],
)
def test_bad_validation_data_gets_a_clear_error(eval_set, message):
    with pytest.raises(ValueError, match=message):
        Perceptron().fit(XOR, [0, 1, 1, 1], eval_set=eval_set)


def test_few_rows_are_held_out_unstratified_and_too_few_are_refused():
    assert Perceptron(early_stopping=True).fit(XOR, [0, 1, 1, 1]).n_iter_ >= 1
    with pytest.raises(InputError, match="validation_fraction must be a number between 0 and 1"):
        Perceptron(early_stopping=True, validation_fraction=1.0).fit(XOR, [0, 1, 1, 1])


def test_separating_weights_are_preferred_among_equals_on_validation_data():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(early_stopping=True).fit(X, y == 0)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.run_.clean
    assert clf.score(X, y == 0) == 1.0


def test_a_malformed_sparse_matrix_is_refused_before_compiled_code_sees_it():
    X = sparse.csr_matrix(np.eye(4))
    X.indices[2] = 10**6
    with pytest.raises(InputError, match="malformed CSR matrix"):
        Perceptron().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("weight", [-1.0, 0.0, np.nan, np.inf])
def test_a_class_weight_that_would_drop_a_class_is_refused(weight):
    with pytest.raises(InputError, match="class_weight must give every class a positive"):
        Perceptron(class_weight={0: weight, 1: 1.0}).fit(XOR, [0, 1, 1, 1])


def test_dates_are_labels_too():
    y = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")[[0, 1, 1, 1]]
    clf = Perceptron().fit(XOR, y)
    np.testing.assert_array_equal(clf.predict(XOR), y)
    assert clf.certificate_.verify(XOR, y)


def test_labels_may_be_a_column_of_a_frame():
    frame = pd.DataFrame({"kind": [0, 1, 1, 1]})
    clf = Perceptron().fit(XOR, frame["kind"])
    with pytest.warns(UserWarning, match="A column-vector y was passed"):
        assert clf.score(XOR, frame) == clf.score(XOR, frame["kind"]) == 1.0


def test_plot_draws_the_regions():
    import matplotlib as mpl

    mpl.use("Agg")
    X, y = load_iris(return_X_y=True)
    clf = Perceptron().fit(X[:, 2:], y)
    ax = clf.plot(X[:, 2:], y, title="petals")
    assert ax.get_title(loc="left") == "petals" or ax.get_title() == "petals"
    with pytest.raises(NotFittedError):
        Perceptron().plot(X, y)


def test_equal_rows_of_two_classes_are_found_long_before_a_decision_would_pay():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 300)), rng.integers(0, 2, 400)
    X[17], y[17], y[301] = X[301], 0, 1
    clf = Perceptron().fit(X, y)
    assert clf.stop_ is Stop.INSEPARABLE
    assert clf.n_iter_ < 500
    assert sorted(clf.certificate_.rows) == [17, 301]
    assert clf.certificate_.verify(X, y)


@pytest.mark.parametrize(
    ("X", "fit_intercept"),
    [
        ([[-0.3, -0.7], [0.7, -0.3]], False),
        (
            [
                [-2e-9, 2e-9, -2e-9],
                [1e5, -1e5, 1e5],
                [1e5, -1e5, 2e5],
                [-0.1, 0.1, 0.2],
                [-2e-4, -1e-4, 1e-4],
            ],
            True,
        ),
    ],
)
def test_a_point_that_rounding_puts_on_its_right_side_does_not_end_a_fit_without_proof(
    X, fit_intercept
):
    y = [0, 1] if len(X) == 2 else [0, 1, 1, 0, 0]
    clf = Perceptron(fit_intercept=fit_intercept).fit(X, y)
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.certificate_.verify(X, y)
    assert clf.score(X, y) == 1.0


def test_ctrl_c_in_a_look_at_validation_data_leaves_no_false_certificate(monkeypatch):
    """The weights restored are older than the pass without a mistake."""
    from rosenblatt.engine.sweep import CompiledSweep

    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(60, 4)), rng.normal(size=4)
    X = X[np.abs(X @ w) > 0.1]
    y, how = (X @ w > 0).astype(int), {"n_iter_no_change": 50}
    passes = Perceptron(**how).fit(X, y, eval_set=(X[:5], y[:5])).n_iter_
    looks, error = [], CompiledSweep.error

    def interrupted(*given):
        looks.append(given)
        if len(looks) == passes:
            raise KeyboardInterrupt
        return error(*given)

    monkeypatch.setattr(CompiledSweep, "error", interrupted)
    clf = Perceptron(**how).fit(X, y, eval_set=(X[:5], y[:5]))
    assert clf.stop_ is Stop.INTERRUPTED
    assert len(looks) == passes > 1
    assert clf.certificate_ is None or clf.certificate_.verify(X, y)


def test_a_certificate_has_its_own_weights():
    X, y = np.eye(2), [0, 1]
    clf = Perceptron().fit(X, y)
    clf.run_.weights[:] = 0.0
    clf.coef_[:] = 0.0
    assert clf.certificate_.verify(X, y)


def test_fits_without_machine_code():
    code = (
        "import numpy as np, rosenblatt as rb\n"
        "for solution in ('last', 'pocket'):\n"
        "    clf = rb.Perceptron(solution=solution).fit(np.eye(4), [0, 1, 0, 1])\n"
        "    print(clf.verdict_)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["separable", "separable"]


# --- As in scikit-learn -------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [Perceptron, PassiveAggressive, KernelPerceptron])
def test_partial_fit_refuses_what_needs_all_rows(estimator):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="class_weight='balanced' is not supported by partial_fit"):
        estimator(class_weight="balanced").partial_fit(X, y, classes=range(3))
    with pytest.raises(InputError, match="early_stopping=True is not supported by partial_fit"):
        estimator(early_stopping=True).partial_fit(X, y, classes=range(3))


@pytest.mark.parametrize("estimator", [Perceptron, PassiveAggressive, KernelPerceptron])
def test_enough_rows_are_left_to_learn_from(estimator):
    X, y = np.arange(8.0)[:, None], np.arange(8) > 3
    with pytest.raises(InputError, match=r"0\.99 of 8 rows leaves 0 to learn 2 classes from"):
        estimator(early_stopping=True, validation_fraction=0.99).fit(X, y)
    with pytest.raises(InputError, match=r"0\.8 of 8 rows leaves 1 to learn 2 classes from"):
        estimator(early_stopping=True, validation_fraction=0.8).fit(X, y)
    assert estimator(early_stopping=True, validation_fraction=0.75).fit(X, y).n_iter_ >= 1
    alone = np.arange(8) == 0
    seed = 0
    while 0 not in train_test_split(range(8), test_size=1, random_state=seed)[1]:
        seed += 1
    with pytest.raises(InputError, match="rows of one class only to learn from"):
        estimator(early_stopping=True, random_state=seed).fit(X, alone)


@pytest.mark.parametrize(
    ("order", "shuffle"), [("cyclic", True), ("shuffled", False), ("worst", True)]
)
def test_two_names_of_the_order_that_contradict_each_other(order, shuffle):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=f"contradicts order='{order}'"):
        Perceptron(order=order, shuffle=shuffle).fit(X, y)
    Perceptron(order="cyclic", shuffle=False, max_iter=2, certify=False).fit(X, y)


def test_looks_are_counted_under_scikit_learns_name():
    X, y = load_iris(return_X_y=True)
    how = {"shuffle": False, "tol": None, "max_iter": 3}
    for labels in (y, y == 1):
        ours = Perceptron(multiclass="ovr", certify=False, **how).fit(X, labels)
        assert ours.t_ == linear_model.Perceptron(**how).fit(X, labels).t_ == 451
    assert not hasattr(Perceptron(), "t_")
    assert ours.partial_fit(X, labels).t_ == 601


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(max_iter=2, certify=False),
        Perceptron(max_iter=2, certify=False, multiclass="ovr", order="cyclic"),
        PassiveAggressive(max_iter=2),
        KernelPerceptron(kernel="linear", max_iter=2),
        BatchPerceptron(max_iter=2),
    ],
    ids=repr,
)
def test_a_warning_when_all_passes_are_spent(estimator):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="The budget of passes is spent"):
        estimator.fit(X, y)


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(max_iter=20),  # a proof that there is no separator
        Perceptron(penalty="l2", max_iter=2),
        PassiveAggressive(max_iter=2, tol=None),
        PassiveAggressive(max_iter=1000),
        KernelPerceptron(kernel="rbf", gamma=1.0),
    ],
    ids=repr,
)
def test_no_warning_otherwise(estimator):
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings(action="error"):
        estimator.fit(X, y == 1)
        if hasattr(estimator, "partial_fit"):
            estimator.partial_fit(X, y == 1)


@pytest.mark.parametrize("estimator", [Perceptron(penalty="l1", alpha=0.1), PassiveAggressive()])
def test_sparse_weights_predict_alike(estimator):
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings(action="ignore"):
        estimator.set_params(max_iter=3).fit(X, y)
    scores = estimator.decision_function(X)
    assert sparse.issparse(estimator.sparsify().coef_)
    np.testing.assert_allclose(estimator.decision_function(X), scores)
    assert isinstance(estimator.densify().coef_, np.ndarray)
    np.testing.assert_array_equal(estimator.decision_function(X), scores)
    assert isinstance(estimator.sparsify().partial_fit(X, y).coef_, np.ndarray)


@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_a_prediction_says_which_value_is_not_finite(make, value, word):
    clf = rb.Perceptron().fit(np.eye(2), [0, 1])
    rows = make(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, value]]))
    with pytest.raises(rb.InputError, match=f"{word} at row 2, column 1"):
        clf.predict(rows)


NARROW = np.array([[0.1], [0.3], [0.1 + 1e-15]]), [0, 1, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: Perceptron(max_iter=1, certify=False).fit(X, y),
        lambda X, y: Perceptron(max_iter=1, certify=False, margin=0.5).fit(X, y),
        lambda X, y: rb.KernelPerceptron(kernel=lambda a, b: -a @ b, max_iter=1).fit(X, y),
        lambda X, y: rb.margin(*NARROW, rtol=1e-12),
        lambda X, y: rb.MaxMargin(rtol=1e-12).fit(*NARROW),
    ],
)
def test_a_warning_names_the_line_that_called(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call([[0.5], [1.0], [2.0]], [0, 1, 0])
    assert {warning.filename for warning in caught} == {__file__}


def test_history_and_cost_are_pickled_and_hold_no_row():
    X = np.vstack([np.eye(3), -np.eye(3)])
    row = weakref.ref(X)
    clf = Perceptron(solution="last").fit(X, [1, 1, 1, 0, 0, 0])
    copied = pickle.loads(pickle.dumps(clf))
    assert copied.run_.cost == clf.run_.cost
    assert str(copied.history_) == str(clf.history_)
    assert len(clf.history_) == clf.n_iter_
    assert clf.run_.cost.rows == clf.looks_

    clf = Perceptron(solution="last").fit(X, [1, 1, 1, 0, 0, 0])
    del X
    gc.collect()
    assert row() is None
    assert clf.run_.cost == copied.run_.cost

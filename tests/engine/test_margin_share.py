"""`Perceptron(margin=s)` reaches the share s of the best margin, or says why not."""

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from expected import SHORT_OF_THE_MARGIN
from rosenblatt.engine.margins import set_margin
from rosenblatt.engine.stopping import Stop
from strategies import best_margin_squared, separable

quick = settings(max_examples=60, deadline=None)


@quick
@given(separable(), st.sampled_from([0.3, 0.8, 0.95]), st.sampled_from(["active", "cyclic"]))
def test_a_fit_reaches_the_share_of_the_margin_asked_for(problem, share, order):
    X, y = problem
    gamma = math.sqrt(best_margin_squared(X, 2 * y - 1))
    clf = rb.Perceptron(margin=share, order=order, max_iter=10**6).fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.margin_.lower >= share * gamma * (1 - 1e-6)
    assert clf.updates_ <= clf.mistake_bound_


def test_a_fit_for_a_margin_of_several_classes_and_of_parts():
    X, y = load_iris(return_X_y=True)
    X, y = X[:, 2:], np.where(y == 2, 1, y)
    best = rb.margin(X, y).lower
    for multiclass in ("native", "ovr"):
        clf = rb.Perceptron(margin=0.9, multiclass=multiclass).fit(X, y)
        assert clf.margin_.lower >= 0.9 * best


def test_a_fit_for_a_margin_still_proves_that_there_is_none():
    X, y = load_iris(return_X_y=True)
    clf = rb.Perceptron(margin=0.5).fit(X, y == 1)
    assert clf.stop_ is Stop.INSEPARABLE
    assert clf.certificate_.verify(X, y == 1)


@SHORT_OF_THE_MARGIN
def test_a_fit_for_a_margin_out_of_budget_keeps_what_separates():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    clf = rb.Perceptron(margin=0.999, max_iter=20, certify=True).fit(X, y)
    assert clf.stop_ is Stop.PASSES
    assert clf.verdict_ is rb.Verdict.SEPARABLE
    assert clf.score(X, y) == 1.0
    with pytest.raises(rb.InputError, match=r"separator was solved for.*certify=False"):
        clf.partial_fit(X, y)


def test_a_fit_that_rounding_keeps_from_its_share_says_so():
    """Beside a bias of 1, squares of 10⁻¹⁰ are lost to the rule's ‖w‖²."""
    X = np.array([[4.16], [9.36], [5.78], [-10.07], [-3.25], [-6.41], [-0.22]])
    y = list("---++++")
    best = rb.margin(X * 1e-10, y).upper
    for certify in ("auto", True, False):
        clf = rb.Perceptron(margin=0.5, certify=certify, warm_start=True)
        for _ in range(2):
            with pytest.warns(UserWarning, match="not by the share of the best margin"):
                clf.fit(X * 1e-10, y)
            assert (clf.stop_, clf.verdict_) == (Stop.SHORT, rb.Verdict.SEPARABLE)
            assert 0 < clf.margin_.lower < 0.5 * best
    clf = rb.Perceptron(margin=0.5, warm_start=True)
    assert clf.fit(X, y).stop_ is clf.fit(X, y).stop_ is Stop.SEPARATED


@SHORT_OF_THE_MARGIN
def test_batches_for_a_margin_go_on_where_the_last_ended():
    X, y = load_iris(return_X_y=True)
    X, y = np.round(X * 10), y == 0
    asked = {"margin": 0.8, "solution": "last"}
    whole = rb.Perceptron(order="cyclic", max_iter=1, certify=False, **asked).fit(X, y)
    parts = rb.Perceptron(**asked)
    for rows in np.array_split(np.arange(len(X)), 7):
        parts.partial_fit(X[rows], y[rows], classes=[False, True])
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    assert parts.updates_ == whole.updates_


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"margin": 1.0}, "under 1, got 1.0"),
        ({"margin": -0.5}, "at least 0"),
        ({"margin": 0.5, "threshold": 1.0}, "threshold=0.0; got 1.0"),
        ({"margin": 0.5, "ties": "correct"}, "ties='mistake'; got 'correct'"),
        ({"margin": 0.5, "penalty": "l1"}, "penalty=None; got 'l1'"),
    ],
)
def test_a_margin_that_means_nothing_is_refused(settings, words):
    with pytest.raises(rb.InputError, match=re.escape(words)):
        rb.Perceptron(**settings).fit([[0.0], [1.0]], [0, 1])


def test_a_margin_needs_a_start_at_zero():
    with pytest.raises(rb.InputError, match="weights of 0"):
        rb.Perceptron(margin=0.5).fit([[0.0], [1.0]], [0, 1], coef_init=[1.0])


@pytest.mark.parametrize("certify", ["auto", True])
def test_passes_spent_are_no_failure_where_the_bracket_shows_the_share(certify):
    """Passes in this order do not reach it, but the separator that was found meanwhile has it."""
    X, y = np.array([[1.0, 1], [3, 2], [2, 4], [3, 4], [2, 3]]), np.array([0, 1, 1, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = rb.Perceptron(order="cyclic", margin=0.9, certify=certify).fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.n_iter_ == 1000
    assert clf.margin_.lower > 0.9 * clf.margin_.upper
    weights = np.append(clf.coef_, clf.intercept_)
    assert set_margin(X, 2 * y - 1, weights, padded=True) > 0.9 * rb.margin(X, y).upper
    with pytest.warns(ConvergenceWarning, match=r"margin=0.99 was not reached"):
        clf = rb.Perceptron(order="cyclic", margin=0.99, certify=certify).fit(X, y)
    assert clf.stop_ is Stop.PASSES


@pytest.mark.parametrize("power", [0, -500, -550, -900])
def test_a_bound_that_rounding_has_broken_is_none(power):
    """The squares of such rows are 0 as floats, so that every point is a mistake for ever."""
    X, y = np.ldexp([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]], power), [1, 1, 0, 0]
    with warnings.catch_warnings(action="ignore"):
        clf = rb.Perceptron(margin=0.5, fit_intercept=False, max_iter=300).fit(X, y)
    assert clf.updates_ <= clf.mistake_bound_
    clf.narrow_margin(X, y)
    assert clf.updates_ <= clf.mistake_bound_
    assert (clf.mistake_bound_ < 20) == (power >= -500)

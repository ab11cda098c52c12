"""Bounds on the error on new rows: exact where they can be compared, and true often enough."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt import generalisation
from rosenblatt.errors import InputError
from rosenblatt.generalisation import (
    held_out,
    online_to_batch,
    sample_compression,
    tail_inversion,
    uniform,
)

DRAWS = 2000


@given(st.integers(1, 300), st.floats(0, 1), st.floats(0.5, 0.999))
def test_held_out_is_clopper_and_pearson_rounded_up(n, share, confidence):
    errors = min(n, round(share * n))
    bound = held_out(errors, n, confidence).bound
    exact = 1.0 if errors == n else float(beta.ppf(confidence, errors + 1, n - errors))
    assert exact <= bound * (1 + 1e-12)
    np.testing.assert_allclose(bound, exact, rtol=1e-6)


@given(st.integers(2, 60), st.data())
def test_compression_inverts_the_tail_it_says(n, data):
    kept = data.draw(st.integers(0, n - 1))
    errors = data.draw(st.integers(0, n - kept))
    bound = sample_compression(n, kept, errors, 0.9).bound
    delta = 0.1 / (n * math.comb(n, kept))
    if bound < 1:
        assert binom.cdf(errors, n - kept, bound) <= delta * (1 + 1e-6)
        assert binom.cdf(errors, n - kept, bound * (1 - 1e-6)) >= delta * (1 - 1e-3)


def test_far_tails_do_not_underflow():
    assert 0 < sample_compression(100_000, 5_000).bound < 1
    assert sample_compression(100_000, 5_000, 300).bound > sample_compression(100_000, 5_000).bound
    assert sample_compression(10, 10).bound == 1
    assert online_to_batch(10, math.inf).bound == 1
    assert uniform(10, 50).bound == 1


def test_held_out_covers():
    rng = np.random.default_rng(0)
    error = 0.13
    errors = rng.binomial(40, error, DRAWS)
    bounds = {int(e): held_out(int(e), 40).bound for e in np.unique(errors)}
    violated = sum(bounds[int(e)] < error for e in errors)
    assert violated <= 0.05 * DRAWS


def test_compression_covers_on_a_line():
    """y = [x > ½], x uniform: the maximum margin is between two rows, its error is known."""
    rng = np.random.default_rng(1)
    bound = sample_compression(50, 2).bound
    violated = 0
    for _ in range(DRAWS):
        x = rng.random(50)
        cut = (x[x <= 0.5].max(initial=0.0) + x[x > 0.5].min(initial=1.0)) / 2
        violated += abs(cut - 0.5) > bound
    assert violated <= 0.05 * DRAWS


def test_online_to_batch_covers_on_a_line():
    """A threshold moved by each mistake to that row; the longest survivor is kept."""
    rng = np.random.default_rng(2)
    violated = 0
    for _ in range(DRAWS):
        cut, streak, mistakes, best, longest = 0.0, 0, 0, 0.0, -1
        for x in rng.random(60):
            if (x > cut) == (x > 0.5):
                streak += 1
            else:
                cut, streak, mistakes = (x if x <= 0.5 else cut), 0, mistakes + 1
            if streak > longest:
                best, longest = cut, streak
        violated += abs(best - 0.5) > online_to_batch(60, mistakes).bound
    assert violated <= 0.05 * DRAWS


@pytest.mark.parametrize("make", ["margin", "moved", "separated"])
def test_fitted_classifiers_keep_their_bounds(make):
    """A known direction in the plane: the error of a line is measured on many new rows."""
    rng = np.random.default_rng(3)
    fresh = rng.normal(size=(20_000, 2))
    truth = fresh @ [2.0, -1.0] > 0.3
    models = {
        "margin": lambda: rb.MaxMargin(),
        "moved": lambda: rb.Perceptron(order="cyclic", certify=False, solution="last"),
        "separated": lambda: rb.Perceptron(),
    }
    violated = 0
    for _ in range(40):
        X = rng.normal(size=(300, 2))
        clf = models[make]().fit(X, X @ [2.0, -1.0] > 0.3)
        found = clf.error_bound(0.8)
        assert found.name in ("sample compression", "uniform convergence")
        assert found.bound < 0.5
        violated += np.mean(clf.predict(fresh) != truth) > found.bound
    assert violated <= 0.2 * 40


def test_rows_that_moved_a_perceptron_give_the_same_weights_alone():
    """Which is what makes them a compression; the active order depends on all rows."""
    X, y = load_iris(return_X_y=True)
    settings = {"certify": False, "solution": "last"}
    clf = rb.Perceptron(order="cyclic", **settings).fit(X, y == 0)
    moved = np.flatnonzero(clf.run_.state.dual)
    alone = rb.Perceptron(order="cyclic", **settings).fit(X[moved], (y == 0)[moved])
    np.testing.assert_array_equal(alone.coef_, clf.coef_)
    assert len(moved) < 20
    assert clf.error_bound().name == "sample compression"
    assert rb.Perceptron(**settings).fit(X, y == 0).error_bound().name == "uniform convergence"


def test_support_alone_gives_the_same_margin():
    X, y = load_iris(return_X_y=True)
    clf = rb.MaxMargin().fit(X, y == 0)
    alone = rb.MaxMargin().fit(X[clf.support_], (y == 0)[clf.support_])
    np.testing.assert_allclose(alone.coef_, clf.coef_, rtol=1e-5)


def test_what_applies_is_named():
    X, y = load_iris(return_X_y=True)
    inseparable = rb.Perceptron().fit(X, y == 1).error_bound()
    assert inseparable.bound == 1
    assert "hold rows out" in str(inseparable)
    clf = rb.Perceptron().fit(X[::2], y[::2] == 1)
    measured = clf.error_bound(0.95, X[1::2], y[1::2] == 1)
    assert measured.name == "held out"
    assert measured.bound > np.mean(clf.predict(X[1::2]) != (y[1::2] == 1))
    several = rb.MaxMargin(multiclass="ovo").fit(X[:100], y[:100])
    assert several.error_bound().bound < 1
    with pytest.raises(InputError, match="2 rows but y has 1"):
        clf.error_bound(0.95, X[:2], [True])


@pytest.mark.parametrize(
    "call",
    [
        lambda: held_out(1, 0),
        lambda: held_out(5, 4),
        lambda: held_out(0, 4, 1.0),
        lambda: sample_compression(4, 5),
        lambda: online_to_batch(4, -1),
    ],
)
def test_nonsense_is_refused(call):
    with pytest.raises(InputError):
        call()


def test_best_and_public_name():
    assert rb.generalisation is generalisation
    assert generalisation.best([held_out(1, 10), held_out(0, 10)]) == held_out(0, 10)


def test_the_margin_is_narrowed_and_the_bound_with_it():
    X, y = load_iris(return_X_y=True)
    clf = rb.Perceptron().fit(X, y == 0)
    before = clf.mistake_bound_
    bracket = clf.narrow_margin(X, y == 0)
    exact = rb.margin(X, y == 0, rtol=1e-9)
    assert bracket.lower <= exact.upper
    assert bracket.upper >= exact.lower
    assert bracket.relative_gap <= 1e-3
    assert clf.updates_ <= clf.mistake_bound_ <= before
    assert clf.mistake_bound_ >= (clf.radius_ / exact.upper) ** 2
    for other in (100 * X, X / 100, X[:, :1]):
        with pytest.raises(InputError, match=r"not what was learned from|features"):
            clf.narrow_margin(other, y == 0)
    inseparable = rb.Perceptron().fit(X, y == 1)
    assert inseparable.narrow_margin(X, y == 1) == inseparable.margin_
    assert inseparable.mistake_bound_ == math.inf
    with pytest.raises(InputError, match="two classes"):
        rb.Perceptron().fit(X, y).narrow_margin(X, y)


def test_a_share_of_the_margin_that_is_not_reached_names_the_better_way():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="MaxMargin"):
        rb.Perceptron(margin=0.99, max_iter=3).fit(X, y == 0)


@pytest.mark.parametrize("log_delta", [0.05, float("nan")])
def test_the_tail_takes_the_logarithm_of_a_probability(log_delta):
    with pytest.raises(InputError, match=r"pass math\.log\(delta\)"):
        tail_inversion(0, 10, log_delta)

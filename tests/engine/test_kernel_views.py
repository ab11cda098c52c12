"""Points in view: the same run whatever is in view, and no more kernel values than it takes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from expected import OUT_OF_PASSES
from rosenblatt.engine.kernels import GramRows, Kernel, Scores, gram, kernel, sweep, tiles
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.estimators.kernel import KernelPerceptron

pytestmark = OUT_OF_PASSES

POLY = {"degree": 2, "coef0": 1.0, "gamma": 1.0}


@pytest.fixture
def in_view(monkeypatch):
    """What sets how many points are in view at a time."""

    def few(points):
        for module in (gram, sweep):
            monkeypatch.setattr(module, "WINDOW", points)

    return few


@pytest.fixture
def press(monkeypatch):
    """What presses Ctrl-C when Gram rows are fetched for the so-manieth time."""

    def on_call(at):
        calls, fetch = [], GramRows.fetch

        def interrupted(self, *rows):
            calls.append(rows)
            if len(calls) == at:
                raise KeyboardInterrupt
            fetch(self, *rows)

        monkeypatch.setattr(GramRows, "fetch", interrupted)

    return on_call


def whole_numbers(classes, n=60):
    """Rows whose linear and quadratic kernels are exact, and labels."""
    rng = np.random.default_rng(classes)
    return rng.integers(-5, 6, size=(n, 4)).astype(float), rng.integers(0, classes, size=n)


def learned(clf):
    """Everything that a run came to, but for the number of kernel values."""
    return (
        (clf.stop_, clf.mistakes_, clf.looks_, clf.n_iter_, clf.support_.tolist()),
        clf.dual_coef_.tolist(),
        [row.mistakes for row in clf.history_],
    )


# Sums of whole numbers are exact in whatever order they are made.
@pytest.mark.parametrize("cache", [0.005, 100.0])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "settings",
    [
        {"order": "cyclic"},
        {"order": "shuffled"},
        {"order": "active"},
        {"order": "worst"},
        {"order": "cyclic", "threshold": 3.0, "solution": "average"},
        {"order": "active", "keep": ("vote",)},
        {"order": "active", "multiclass": "ovr"},
        {"order": "cyclic", "early_stopping": True, "n_iter_no_change": 2},
        {"order": "active", "class_weight": {0: 2.0, 1: 0.5}, "max_updates": 47},
    ],
    ids=str,
)
def test_what_is_in_view_changes_nothing(in_view, settings, classes, cache):
    X, y = whole_numbers(classes)
    weights = np.ones(len(y))
    weights[::9] = 0.0  # points that are never looked at
    clf = KernelPerceptron(kernel="poly", **POLY, **({"max_iter": 3} | settings), cache_size=cache)
    expected = learned(clf.fit(X, y, sample_weight=weights))
    norms = [row.norm for row in clf.history_]
    for points in (5, 14):
        in_view(points)
        assert learned(clf.fit(X, y, sample_weight=weights)) == expected
        np.testing.assert_allclose([row.norm for row in clf.history_], norms)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("order", ["cyclic", "shuffled", "active"])
@pytest.mark.parametrize("budget", [1, 5, 30])
def test_nor_does_it_with_a_budget(in_view, classes, order, budget):
    X, y = whole_numbers(classes)
    clf = KernelPerceptron(kernel="poly", **POLY, order=order, budget=budget, max_iter=3)
    clf.fit(X, y)
    expected, coefficients = learned(clf)[0], clf.dual_coef_
    in_view(4)
    clf.fit(X, y)
    assert learned(clf)[0] == expected
    np.testing.assert_allclose(clf.dual_coef_, coefficients, rtol=1e-6)


def gram_of(clf):
    return clf._kernel.block(clf.support_vectors_, clf.support_vectors_) + clf.fit_intercept


@pytest.mark.parametrize("points", [4, 256])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("budget", [None, 12])
def test_norms_and_scores_are_those_of_the_coefficients(in_view, points, classes, budget):
    in_view(points)
    X, y = whole_numbers(classes)
    clf = KernelPerceptron(gamma=0.1, order="cyclic", solution="last", budget=budget, max_iter=3)
    for step in range(4):
        if step == 0:
            clf.fit(X, y)
        else:
            clf.partial_fit(X[::step], y[::step])
        c, (kept,) = clf.dual_coef_, clf._kept
        scores = c @ gram_of(clf)
        assert clf.history_[-1].norm == pytest.approx(math.sqrt(np.sum(c * scores)), rel=1e-9)
        known = np.isfinite(kept.dual.scores)
        np.testing.assert_allclose(kept.dual.scores[known], scores[known], atol=1e-9)


def test_weights_put_back_leave_no_scores_of_others(in_view):
    in_view(16)
    X, y = make_moons(200, noise=0.4, random_state=1)
    clf = KernelPerceptron(gamma=3.0, order="cyclic", early_stopping=True, solution="last")
    clf.fit(X, y).set_params(early_stopping=False).partial_fit(X[:50], y[:50])
    norm = math.sqrt(np.sum(clf.dual_coef_ * (clf.dual_coef_ @ gram_of(clf))))
    assert clf.history_[-1].norm == pytest.approx(norm, rel=1e-9)


@pytest.mark.parametrize("points", [16, 256])
def test_the_margin_of_an_interrupted_run_is_about_its_last_weights(
    in_view, press, monkeypatch, points
):
    in_view(points)
    X, y = make_moons(200, noise=0.1, random_state=0)
    press(at=6)
    monkeypatch.setattr(gram, "HARD", 1.0)
    clf = KernelPerceptron(gamma=10.0, order="cyclic", solution="last").fit(X, y)
    assert clf.stop_ is Stop.INTERRUPTED
    norm = math.sqrt(np.sum(clf.dual_coef_ * (clf.dual_coef_ @ gram_of(clf))))
    assert clf.margin_.upper == pytest.approx(norm / clf.mistakes_, rel=1e-9)


@pytest.mark.parametrize("order", ["active", "cyclic"])
def test_an_interrupted_fit_makes_no_passes_for_a_mean_and_one_of_each_other_class(press, order):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), np.arange(300) % 4
    press(at=4)
    clf = KernelPerceptron(gamma=1.0, order=order, multiclass="ovr").fit(X, y)
    assert clf.stop_ is Stop.INTERRUPTED
    assert [run.averaged for run in clf.runs_] == [0, 0, 0, 0]
    assert [run.passes for run in clf.runs_[1:]] == [1, 1, 1]
    assert clf.predict(X).shape == (300,)


# --- How many kernel values ---------------------------------------------------------------------


def test_a_pass_takes_the_kernel_with_those_mistaken_before():
    X, y = make_moons(3000, noise=0.3, random_state=0)
    clf = KernelPerceptron(gamma=3.0, order="cyclic", max_iter=1, solution="last").fit(X, y)
    before = np.searchsorted(clf.support_, np.arange(3000)).sum()
    assert clf.mistakes_ > 300
    assert clf.kernel_values_ <= before + 1.25 * 3000 * gram.WINDOW


def test_a_batch_takes_the_kernel_with_the_support_vectors():
    X, y = make_moons(3000, noise=0.4, random_state=0)
    clf = KernelPerceptron(gamma=3.0).partial_fit(X[:2500], y[:2500], classes=[0, 1])
    clf.partial_fit(X[2500:2510], y[2500:2510])
    values, support = clf.kernel_values_, len(clf.support_)
    assert support > 500
    for at in range(2510, 2560, 10):
        clf.partial_fit(X[at : at + 10], y[at : at + 10])
    # Ten new points with all support vectors, and all of these with the new ones among them.
    assert clf.kernel_values_ - values <= 2 * 5 * 10 * len(clf.support_) + 5 * 10**2


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "active"])
def test_many_passes_compute_each_row_about_once(order):
    X, y = make_moons(1200, noise=0.3, random_state=0)
    clf = KernelPerceptron(gamma=3.0, order=order, max_iter=40, solution="last").fit(X, y)
    assert clf.stop_ is Stop.PASSES
    assert clf.kernel_values_ <= 2 * 1200**2


@pytest.mark.parametrize("order", ["cyclic", "active"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_labels_drawn_at_random_are_worth_half_a_gram_matrix_soon(order, kind, kernel):
    rng = np.random.default_rng(0)
    X, y = kind(rng.normal(size=(2000, 2))), rng.integers(0, 2, size=2000)
    clf = KernelPerceptron(kernel=kernel, order=order, max_iter=5, solution="last").fit(X, y)
    assert clf.stop_ is Stop.PASSES
    assert clf.kernel_values_ <= 0.75 * 2000**2


# --- Kernels and scores -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (1, 700), (3, 70_000), (300, 600), (513, 2)])
@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("linear", {}),
        ("rbf", {"gamma": 0.3}),
        ("poly", {"degree": 4, "coef0": 1.0, "gamma": 0.5}),
        ("polynomial", {"degree": 5.0, "coef0": 0.0, "gamma": np.float64(0.5)}),
        ("poly", {"degree": 1, "coef0": 2, "gamma": 1}),
    ],
)
def test_tiles_hold_what_scikit_learn_has(shape, metric, params):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(shape[0], 5)), rng.normal(size=(shape[1], 5))
    B[0] = A[0]
    expected = pairwise_kernels(A, B, metric=metric, **params)
    np.testing.assert_allclose(Kernel(metric, params).block(A, B), expected, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("metric", ["rbf", "linear", "cosine", "laplacian"])
@pytest.mark.parametrize("threads", [0, 2**60])
def test_a_gram_matrix_is_a_block_with_itself(monkeypatch, kind, metric, threads):
    monkeypatch.setattr(tiles, "WORTH_THREADS", threads)
    X = kind(np.random.default_rng(0).normal(size=(2 * kernel.LARGE_TILE + 9, 4)))
    own = Kernel(metric, {"gamma": 0.5})
    np.testing.assert_allclose(own.gram(X), own.block(X, X), rtol=1e-6, atol=1e-12)
    assert X.shape[0] ** 2 / 2 < own.gram_entries(X) < 0.9 * X.shape[0] ** 2


def test_the_gaussian_kernel_is_never_above_one():
    X = 1e6 + np.random.default_rng(0).normal(size=(40, 3))
    values = Kernel("rbf", {"gamma": 1.0}).block(X, X)
    assert values.max() == 1.0


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("threads", [0, 2**60])
def test_sums_are_those_of_the_block(monkeypatch, kind, threads):
    monkeypatch.setattr(tiles, "WORTH_THREADS", threads)
    rng = np.random.default_rng(0)
    X, points = kind(rng.normal(size=(900, 4))), rng.permutation(900)[:600]
    c = rng.normal(size=(2, 3, 600))
    parts = [(slice(0, 10), c[0]), (slice(10, 50), c[1])]
    for metric, params in (("rbf", {"gamma": 0.5}), ("poly", POLY), ("cosine", {})):
        own = Kernel(metric, params)
        block = own.block(X[points], X[:50])
        expected = np.hstack([c[0] @ block[:, :10], c[1] @ block[:, 10:]])
        sums = own.sums(X, points, X[:50], parts)
        np.testing.assert_allclose(sums, expected, rtol=1e-4 if X.dtype == np.float32 else 1e-9)


def test_a_gamma_of_none_is_scikit_learns_default():
    X = np.random.default_rng(0).normal(size=(4, 3))
    clf = KernelPerceptron(kernel_params={"gamma": None}).fit(X, [0, 1, 0, 1])
    np.testing.assert_allclose(clf._kernel.block(X, X), rbf_kernel(X))


@pytest.mark.parametrize("order", ["cyclic", "worst"])
def test_a_kernel_beyond_floating_point_is_an_error_wherever_it_is_met(in_view, order):
    in_view(4)
    X = np.ones((40, 1))
    X[::7] = 1e80
    with pytest.raises(InputError, match="'poly' gave inf between two rows"):
        KernelPerceptron(kernel="poly", degree=4, gamma=1.0, order=order).fit(X, np.arange(40) % 2)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_scores_are_up_to_date_whatever_was_asked_before(data):
    """Changes and questions in any order; whole numbers, so that all sums are exact."""
    n, vectors = data.draw(st.integers(1, 30)), data.draw(st.sampled_from([1, 3]))
    X = np.random.default_rng(n).integers(-4, 5, size=(n, 2)).astype(float)
    c = np.zeros((vectors, n))
    rows = GramRows(Kernel("linear", {}), X, megabytes=1)
    scores = Scores(rows, 1.0, lambda: c, np.zeros((vectors, data.draw(st.integers(0, n)))))
    points = st.lists(st.integers(0, n - 1), unique=True, max_size=n)
    for _ in range(data.draw(st.integers(1, 12))):
        chosen = np.array(data.draw(points), dtype=np.int64)
        what = data.draw(st.sampled_from(["change", "forget", "ask"]))
        if what == "ask":
            np.testing.assert_array_equal(scores.of(chosen), (c @ (X @ X.T + 1))[:, chosen])
        elif what == "change":
            by = np.array(data.draw(st.integers(-3, 3))) * np.ones((vectors, len(chosen)))
            c[:, chosen] += by
            scores.changed(chosen, by)
        else:
            c *= 2
            scores.all_changed()
        known = scores.known_of(np.arange(n))
        there = np.isfinite(known)
        np.testing.assert_array_equal(known[there], (c @ (X @ X.T + 1))[there])

"""The perceptron criterion and descent on it: convexity, exact line search, finite convergence."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from expected import OUT_OF_PASSES
from rosenblatt import risk
from rosenblatt.cli.flags import in_flags
from rosenblatt.engine.stopping import Stop
from rosenblatt.errors import InputError
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.solve.wolfe import min_norm_point

pytestmark = OUT_OF_PASSES

SEEDS = st.integers(0, 10**6)


def problem(seed, n=20, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], size=n), rng


def separable(seed, n=20, d=3, gap=0.2):
    """Points through the origin, and their best margin, exactly."""
    rng = np.random.default_rng(seed)
    X, u = rng.integers(-8, 9, size=(n, d)) / 4.0, rng.normal(size=d)
    scores = X @ u / np.linalg.norm(u)
    X, scores = X[np.abs(scores) > gap], scores[np.abs(scores) > gap]
    y = np.where(scores > 0, 1.0, -1.0)
    return X, y, math.sqrt(float(min_norm_point(y[:, None] * X).squared_norm))


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, bias=st.booleans())
def test_the_gradient_is_what_finite_differences_say(seed, bias):
    X, y, rng = problem(seed)
    w = rng.normal(size=3 + bias)
    scores = X @ w[:3] + (w[3] if bias else 0.0)
    h = 1e-6
    if np.abs(scores).min() < 10 * h * (1 + np.abs(X).max()):
        return
    differences = [
        (risk.criterion(X, y, w + h * e) - risk.criterion(X, y, w - h * e)) / (2 * h)
        for e in np.eye(len(w))
    ]
    np.testing.assert_allclose(risk.gradient(X, y, w), differences, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS)
def test_the_risk_is_convex_homogeneous_and_above_its_tangents(seed):
    X, y, rng = problem(seed)
    v, w, t = rng.normal(size=3), rng.normal(size=3), rng.random()
    at = risk.criterion(X, y, w)
    assert (
        risk.criterion(X, y, t * v + (1 - t) * w)
        <= t * risk.criterion(X, y, v) + (1 - t) * at + 1e-12
    )
    assert risk.criterion(X, y, 4 * w) == 4 * at >= 0
    assert risk.criterion(X, y, v) >= at + risk.gradient(X, y, w) @ (v - w) - 1e-12
    assert at == pytest.approx(risk.gradient(X, y, w) @ w)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_the_risk_is_linear_between_the_breaks_of_a_ray(seed):
    X, y, rng = problem(seed, n=6)
    w, p = rng.normal(size=3), rng.normal(size=3)
    breaks = -(X @ w) / (X @ p)
    ends = np.sort(np.append(breaks[(breaks > 0) & (breaks < 5)], [0.0, 5.0]))
    for a, b in pairwise(ends):
        middle = risk.criterion(X, y, w + (a + b) / 2 * p)
        ends_mean = (risk.criterion(X, y, w + a * p) + risk.criterion(X, y, w + b * p)) / 2
        assert middle == pytest.approx(ends_mean, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, downhill=st.booleans())
def test_line_search_beats_a_dense_grid(seed, downhill):
    X, y, rng = problem(seed)
    w = rng.normal(size=3)
    p = -risk.gradient(X, y, w) if downhill else rng.normal(size=3)
    t = risk.line_search(X, y, w, p)
    found = risk.criterion(X, y, w + t * p)
    assert t >= 0
    assert found <= risk.criterion(X, y, w) + 1e-12
    for s in np.append(np.linspace(0, 3, 301), np.geomspace(1e-4, 1e4, 101)):
        assert found <= risk.criterion(X, y, w + s * p) + 1e-9


def test_line_search_goes_to_the_middle_of_what_it_separates():
    X, y = [[1.0, 0.0], [-1.0, 1.0]], [1, 1]
    assert risk.line_search(X, y, [-1.0, 0.0], [1.0, 0.0]) == 1.0  # nothing is separated
    assert risk.line_search([[1.0, 0.0]], [1], [-1.0, 0.0], [1.0, 0.0]) == 2.0  # [1, ∞)
    assert risk.line_search([[1.0, 0.0], [-1.0, 3.0]], [1, 1], [-1.0, 1.0], [1.0, 0.0]) == 2.5
    assert risk.line_search(X, y, [1.0, 2.0], [1.0, 0.0]) == 0.5  # [0, 1]


@settings(max_examples=25, deadline=None)
@given(
    seed=SEEDS,
    epsilon=st.sampled_from([0.05, 1.0, 20.0]),
    batch=st.sampled_from([None, 1, 4]),
)
def test_fixed_steps_converge_within_the_bound(seed, epsilon, batch):
    X, y, gamma = separable(seed)
    if len(y) < 2:
        return
    path = risk.descend(
        X, y, epsilon=epsilon, batch_size=batch, fit_intercept=False, max_iter=10**6
    )
    radius = np.linalg.norm(X, axis=1).max()
    bound = risk.step_bound(
        batch or len(y), radius, gamma, np.linalg.norm(path.weights[0]), epsilon
    )
    assert path.stop is Stop.SEPARATED
    assert np.all(y * (X @ path.weights[-1][:-1]) >= 0)
    assert path.steps <= path.run.mistakes <= bound
    assert path.run.mistakes == path.errors.sum()
    assert path.risk[-1] == path.errors[-1] == 0


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_decaying_steps_and_line_search_end_too(seed):
    X, y, _ = separable(seed)
    if len(y) < 2:
        return
    assert risk.descend(X, y, step="decaying", max_iter=10**5).stop is Stop.SEPARATED
    path = risk.descend(X, y, step="line_search", max_iter=1000)
    assert path.stop in (Stop.SEPARATED, Stop.ROUNDING, Stop.SETTLED, Stop.PASSES)
    assert np.all(np.diff(path.risk) <= 1e-12)


@given(st.integers(0, 10**6))
def test_what_is_called_separated_has_no_point_on_the_boundary(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, size=(6, 2)).astype(float), np.array([0, 1, 0, 1, 0, 1])
    clf = BatchPerceptron(max_iter=50).fit(X, y)
    if clf.stop_ is Stop.SEPARATED:
        assert clf.score(X, y) == 1.0
    if clf.stop_ is Stop.ROUNDING:
        assert np.any(clf.decision_function(X) == 0)


def test_advice_says_that_only_some_estimators_have_its_parameter():
    clf = BatchPerceptron().fit([[0.0], [1], [2], [3]], [0, 1, 2, 2])
    assert clf.stop_ is Stop.ROUNDING
    assert "certify" not in clf.get_params()
    assert "certify=True, where an estimator has it" in str(clf.stop_)
    assert in_flags(str(clf.stop_)).endswith("leave out rows of weight 0 and set --certify yes.")


@pytest.mark.parametrize("step", risk.STEPS)
def test_the_scale_of_the_points_does_not_matter(step):
    X, y, _ = separable(3)
    small = risk.descend(X, y, step=step, epsilon=0.5, fit_intercept=False)
    large = risk.descend(1024 * X, y, step=step, epsilon=0.5, fit_intercept=False)
    np.testing.assert_array_equal(1024 * small.weights, large.weights)
    np.testing.assert_array_equal(1024**2 * small.risk, large.risk)
    np.testing.assert_array_equal(small.errors, large.errors)


def test_the_lectures_loop_step_by_step():
    X, y, _ = separable(5)
    w, path = y[2] * X[2], risk.descend(X, y, epsilon=0.25, fit_intercept=False, init=2)
    for t in range(len(path.risk)):
        np.testing.assert_allclose(path.weights[t][:-1], w)
        V = y * (X @ w) < 0
        assert path.errors[t] == V.sum()
        assert path.risk[t] == pytest.approx(-(y * (X @ w))[V].sum())
        w = w + 0.25 * (y[V] @ X[V])
    assert len(path.table().splitlines()) == len(path.risk) + 1


def test_dense_sparse_and_single_precision_agree():
    X, y, _ = separable(7, n=40)
    dense = risk.descend(X, y, epsilon=0.5)
    for other in (sparse.csr_array(X), X.astype(np.float32), sparse.csr_matrix(X, dtype="f4")):
        path = risk.descend(other, y, epsilon=0.5)
        np.testing.assert_array_equal(dense.weights, path.weights)
        np.testing.assert_array_equal(dense.risk, path.risk)


def test_single_precision_rows_are_widened_piece_by_piece(monkeypatch):
    monkeypatch.setattr("rosenblatt.risk.problem.ENTRIES_AT_ONCE", 7)
    X, y, rng = problem(0)
    w = rng.normal(size=4)
    narrow = X.astype(np.float32)
    expected = risk.gradient(narrow.astype(np.float64), y, w)
    np.testing.assert_allclose(risk.gradient(narrow, y, w), expected)


def test_a_descent_that_comes_to_zero_has_not_separated():
    path = risk.descend([[1.0], [1.0]], [1, -1], fit_intercept=False)
    assert path.weights[-1].tolist() == [0.0, 0.0]
    assert path.stop is Stop.SETTLED
    assert path.best.tolist() == [0.0, 0.0]


def test_stops():
    X, y, _ = problem(0)
    assert risk.descend(X, y, max_iter=3).stop is Stop.PASSES
    assert risk.descend(X, y, weight_tol=10.0).stop is Stop.SETTLED
    assert risk.descend([[1.0], [3.0]], [1, -1], epsilon=1e308).stop is Stop.OVERFLOW


def test_interruption_keeps_the_path(monkeypatch):
    X, y, _ = problem(0)
    step, calls = risk.DescentSweep._step, []

    def interrupted(self, rows):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return step(self, rows)

    monkeypatch.setattr(risk.DescentSweep, "_step", interrupted)
    path = risk.descend(X, y)
    assert path.stop is Stop.INTERRUPTED
    assert len(path.risk) == 4


def test_the_study_names_too_small_good_and_too_large():
    X = [[-5.0, -3.0], [3.0, -1.0], [-1.0, -5.0], [2.0, 1.0], [-3.0, 4.0], [-4.0, 5.0]]
    study = risk.study(X, [-1, 1, -1, 1, 1, 1], fit_intercept=False)
    names = [study.called(k) for k in range(len(study.paths))]
    assert names == ["too small"] * 2 + ["good"] + ["too large"] * 4
    assert len(str(study).splitlines()) == 8
    assert risk.study(X, [-1, 1, -1, 1, 1, 1], [1.0, 0.1]).epsilons == (0.1, 1.0)


def test_no_step_size_is_good_that_separates_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.repeat([-1, 1], 30)
    study = risk.study(X + y[:, None], y, max_iter=100)
    names = [study.called(k) for k in range(len(study.paths))]
    ends = [path.risk[-1] for path in study.paths]
    assert max(ends) > 1000 * min(ends)
    assert "good" not in names
    assert names.count("least risk") == 1
    assert names.index("least risk") == study.good == int(np.argmin(ends))


def test_weights_that_shrank_to_zero_did_not_do_best():
    study = risk.study([[1.0], [2.0], [-1.0]], [1, -1, -1], [0.01, 1.0], max_iter=50)
    assert not study.paths[1].weights[-1].any()
    assert [study.called(k) for k in range(2)] == ["least risk", "too large"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a positive finite number, got 0.0"),
        ({"step": "wolfe"}, "step must be one of .*'wolfe'"),
        ({"batch_size": 0}, "batch_size must be at least 1 or None, got 0"),
        ({"batch_size": 5, "step": "line_search"}, "needs batch_size=None, got 5"),
        ({"init": 20}, "init names row 20, but X has 20 rows"),
        ({"init": np.zeros(4)}, "cannot start at weights of 0"),
        ({"init": np.ones(2)}, r"init must have 3 entries, or 4 .* shape \(2,\)"),
        ({"init": [1.0, math.nan, 0.0]}, "init must hold finite numbers, got nan at entry 1"),
        ({"init": np.ones(4), "fit_intercept": False}, "needs fit_intercept=True"),
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
    ],
)
def test_bad_options_are_refused(options, message):
    X, y, _ = problem(0)
    with pytest.raises(InputError, match=message):
        risk.descend(X, y, **options)


def test_bad_data_is_refused():
    X, y, _ = problem(0)
    with pytest.raises(InputError, match=r"one label for each of 20 rows, got \(19,\)"):
        risk.criterion(X, y[1:], np.ones(3))
    with pytest.raises(InputError, match=r"the signs -1 and \+1, but y has 1: \[-?0"):
        risk.criterion(X, 0 * y, np.ones(3))
    with pytest.raises(InputError, match=r"weights must have 3 entries, or 4 .* \(5,\)"):
        risk.gradient(X, y, np.ones(5))
    with pytest.raises(InputError, match="direction must have as many entries as weights, 3"):
        risk.line_search(X, y, np.ones(3), np.ones(4))
    with pytest.raises(InputError, match="at least one step size"):
        risk.study(X, y, [])
    X[4, 2] = math.inf
    with pytest.raises(InputError, match="infinity at row 4, column 2"):
        risk.criterion(X, y, np.ones(3))


# --- The estimator ------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["fixed", "decaying", "line_search"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_weight_is_how_often_a_row_counts(step, form, classes):
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, size=(30, 3)).astype(float)
    y, times = rng.integers(0, classes, size=30), rng.integers(0, 4, size=30)
    passes = 4 if step == "line_search" else 40
    clf = BatchPerceptron(step=step, epsilon=0.5, max_iter=passes, keep_path=True)
    weighted = clone(clf).fit(form(X), y, sample_weight=times)
    repeated = clone(clf).fit(form(np.repeat(X, times, axis=0)), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-9, atol=1e-9)
    assert (weighted.stop_, weighted.n_iter_) == (repeated.stop_, repeated.n_iter_)
    paths = [clf.path_ if classes == 3 else (clf.path_,) for clf in (weighted, repeated)]
    for a, b in zip(*paths, strict=True):
        # A step of exact search ends with a point on the boundary, whose side rounding decides.
        if step != "line_search":
            np.testing.assert_array_equal(a.errors, b.errors)
        np.testing.assert_allclose(a.risk, b.risk, atol=1e-9)


def test_weights_of_mini_batches_scale_steps_and_0_leaves_rows_out():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    clf = BatchPerceptron(batch_size=10, max_iter=5)
    twice = clone(clf).set_params(epsilon=0.5).fit(X, y, sample_weight=np.full(100, 2.0))
    np.testing.assert_allclose(twice.coef_, clone(clf).fit(X, y).coef_)
    some = np.arange(100) % 3 > 0
    np.testing.assert_array_equal(
        clone(clf).fit(X, y, sample_weight=some).coef_, clone(clf).fit(X[some], y[some]).coef_
    )
    with pytest.raises(ValueError, match=r"[Ss]ample weight"):
        clf.fit(X, y, sample_weight=np.zeros(100))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        clf.fit(X, y, sample_weight=-np.ones(100))


@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
def test_check_estimator():
    shuffled = "the check shuffles the rows, and the descent starts at the first"
    names = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    check_estimator(
        BatchPerceptron(max_iter=50), expected_failed_checks=dict.fromkeys(names, shuffled)
    )


@pytest.mark.parametrize("step", risk.STEPS)
def test_three_classes_one_against_the_rest(step):
    X, y = load_iris(return_X_y=True)
    clf = BatchPerceptron(step=step, epsilon=0.1, max_iter=200).fit(X, y)
    assert clf.coef_.shape == (3, 4)
    assert clf.path_[0].stop is Stop.SEPARATED
    assert clf.stop_ is not Stop.SEPARATED
    assert [len(risks) for risks in clf.history_] == [len(path.risk) for path in clf.path_]
    assert clf.score(X, y) > 0.6


def test_the_path_is_kept_on_demand():
    X, y = load_iris(return_X_y=True)
    short = BatchPerceptron().fit(X, y == 0)
    whole = BatchPerceptron(keep_path=True).fit(X, y == 0)
    assert len(short.path_.weights) == 1
    assert len(whole.path_.weights) == len(whole.history_) == len(short.history_)
    np.testing.assert_array_equal(short.coef_, whole.coef_)
    assert short.stop_ is Stop.SEPARATED


def test_starts():
    X, y = load_iris(return_X_y=True)
    starts = np.eye(3, 5)
    clf = BatchPerceptron(init=starts, keep_path=True, max_iter=3).fit(X, y)
    np.testing.assert_array_equal([path.weights[0] for path in clf.path_], starts)
    clf = BatchPerceptron(init=7, keep_path=True, max_iter=3).fit(X, y == 2)
    np.testing.assert_array_equal(clf.path_.weights[0], np.append(-X[7], -1.0))
    with pytest.raises(InputError, match="one row of weights for each of 3 classes"):
        BatchPerceptron(init=np.ones(5)).fit(X, y)


def test_a_descent_says_what_it_reached_and_why_it_ended():
    X, y = [[1.0, 1], [3, 2], [2, 4], [3, 4], [2, 3]], ["no", "Y", "Y", "Y", "no"]
    path = risk.descend(X, y, max_iter=3)
    first, second, last = str(path).splitlines()
    assert first == (
        f"Perceptron criterion: risk from {path.risk[0]:.4g} to {path.risk[-1]:.4g}, "
        f"errors from {path.errors[0]} to {path.errors[-1]}, in 3 steps."
    )
    assert second == str(Stop.PASSES)
    assert last == "positive class: Y"
    weighted = risk.descend(X, y, max_iter=3, sample_weight=[1, 0.5, 1, 1, 1], keep_weights=False)
    assert "array" not in str(weighted)

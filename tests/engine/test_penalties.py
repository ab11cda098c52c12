"""Penalties: lazy equals eager, sparse equals dense, l1 gives exact zeros, a mean predicts."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

from expected import OUT_OF_PASSES
from rosenblatt import InputError, Perceptron, Stop, Verdict
from rosenblatt.engine.run import WideRun
from rosenblatt.estimators.path import sparsity_path

PENALTIES = ["l1", "l2", "elasticnet"]


def data(seed=0, n=80, d=12, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4)
    return X, rng.integers(0, classes, n)


def eager(X, y, passes, l1, l2, eta=1.0):
    """Every weight decays and pays after every look; one weight vector a class if K > 2.

    The weights and biases in the end, and their means over all looks.
    """
    classes = y.max() + 1
    W, b = np.zeros((classes, X.shape[1])), np.zeros(classes)
    W_sum, b_sum = np.zeros_like(W), np.zeros_like(b)
    owed, paid = 0.0, np.zeros_like(W)
    scale = 1.0
    for _ in range(passes):
        for x, true in zip(X, y, strict=True):
            scores = W @ x + b
            if classes == 2:
                if (2 * true - 1) * scores[1] <= 0:
                    W[1] += (2 * true - 1) * eta * x
                    b[1] += (2 * true - 1) * eta
            else:
                rivals = np.where(np.arange(classes) == true, -np.inf, scores)
                rival = int(rivals.argmax())
                if scores[true] <= scores[rival]:
                    W[true] += eta * x
                    b[true] += eta
                    W[rival] -= eta * x
                    b[rival] -= eta
            W *= 1 - l2
            if l1 > 0:
                scale *= 1 - l2
                owed += l1 / scale
                # Tsuruoka et al. 2009, figure 2, in units of W/scale.
                V = W / scale
                after = np.where(V > 0, np.maximum(0, V - (owed + paid)), V)
                after = np.where(V < 0, np.minimum(0, V + (owed - paid)), after)
                paid += after - V
                W = after * scale
            W_sum += W
            b_sum += b
    means = W_sum / (passes * len(y)), b_sum / (passes * len(y))
    return [part[1:] if classes == 2 else part for part in (W, b, *means)]


def fitted(X, y, **how):
    how = {"order": "cyclic", "max_iter": 4, "tol": None, "solution": "last", **how}
    return Perceptron(**how).fit(X, y)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_lazy_equals_eager_dense_equals_sparse(penalty, classes, seed):
    X, y = data(seed, classes=classes)
    alpha, ratio, eta = 0.01, 0.3, 0.5
    share = {"l1": 1.0, "l2": 0.0, "elasticnet": ratio}[penalty]
    W, b, W_mean, b_mean = eager(X, y, 4, eta * alpha * share, eta * alpha * (1 - share), eta)
    for rows in (X, sparse.csr_matrix(X)):
        clf = fitted(rows, y, penalty=penalty, alpha=alpha, l1_ratio=ratio, eta0=eta)
        np.testing.assert_allclose(clf.coef_, W, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(clf.intercept_, b, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(clf.coef_ == 0, W == 0)
        mean = np.atleast_2d(clf.run_.average)
        np.testing.assert_allclose(mean[:, :-1], np.where(W == 0, 0, W_mean), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(mean[:, -1], b_mean, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_l1_equals_scikit_learns_on_dense_rows(seed):
    X, y = data(seed)
    ours = fitted(X, y, penalty="l1", alpha=0.01)
    theirs = linear_model.Perceptron(
        penalty="l1", alpha=0.01, shuffle=False, tol=None, max_iter=4
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_)


@OUT_OF_PASSES
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("classes", [2, 3])
def test_no_alpha_is_no_penalty_to_the_bit(penalty, classes):
    X, y = data(classes=classes)
    plain = fitted(X, y, certify=False)
    clf = fitted(X, y, penalty=penalty, alpha=0.0, certify=False)
    np.testing.assert_array_equal(clf.coef_, plain.coef_)
    np.testing.assert_array_equal(clf.intercept_, plain.intercept_)


def test_a_strong_decay_is_converted_before_it_underflows():
    X, y = data()
    W, _, mean, _ = eager(X, y, 2, 0.0, 0.9)
    clf = fitted(X, y, penalty="l2", alpha=0.9, max_iter=2)
    np.testing.assert_allclose(clf.coef_, W, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(clf.run_.average[None, :-1], mean, rtol=1e-6, atol=1e-9)
    clf = fitted(sparse.csr_matrix(X), y, penalty="elasticnet", alpha=0.9, max_iter=30)
    assert np.isfinite(clf.coef_).all()


@pytest.mark.parametrize("alpha", [1.0, 10.0, 1e6])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_decay_of_all_leaves_what_the_last_look_has_taught(alpha, classes):
    """As scikit-learn's, which is max(0, 1 − η·α): a search over alpha ends in no error."""
    X, y = data(classes=classes)
    how = {"penalty": "l2", "alpha": alpha, "order": "cyclic", "max_iter": 4}
    for rows, solution in ((X, "auto"), (sparse.csr_matrix(X), "last")):
        clf = Perceptron(**how, solution=solution).fit(rows, y)
        assert np.isfinite(clf.decision_function(rows)).all()
        assert np.abs(clf.run_.weights[..., :-1]).max() < 1e-15
    _, b, *_ = eager(X, y, 4, 0.0, 1 - 2.0**-52)
    np.testing.assert_allclose(clf.intercept_, b)


@OUT_OF_PASSES
def test_l1_gives_exact_zeros_and_sparsify_keeps_the_predictions():
    X, y = load_digits(return_X_y=True)
    clf = Perceptron(penalty="l1", alpha=1e-2, max_iter=5).fit(X, y)
    plain = Perceptron(max_iter=5, certify=False, solution="last").fit(X, y)
    assert np.count_nonzero(clf.coef_) < np.count_nonzero(plain.coef_)
    before = clf.predict(X)
    assert sparse.issparse(clf.sparsify().coef_)
    np.testing.assert_array_equal(clf.predict(X), before)
    np.testing.assert_array_equal(clf.predict(sparse.csr_matrix(X)), before)
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict(X), before)
    assert isinstance(clf.densify().densify().coef_, np.ndarray)
    np.testing.assert_array_equal(clf.predict(X), before)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("classes", [2, 3])
def test_batches_and_warm_starts_go_on_with_what_is_owed(penalty, classes):
    X, y = data(classes=classes)
    whole = fitted(X, y, penalty=penalty, alpha=0.01, max_iter=2)
    chunked = Perceptron(penalty=penalty, alpha=0.01, order="cyclic", solution="last")
    for _ in range(2):
        for rows in np.array_split(np.arange(len(y)), 3):
            chunked.partial_fit(X[rows], y[rows], classes=np.arange(classes))
    np.testing.assert_allclose(chunked.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    warm = fitted(X, y, penalty=penalty, alpha=0.01, max_iter=1, warm_start=True).fit(X, y)
    np.testing.assert_allclose(warm.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    for clf in (chunked, warm):
        np.testing.assert_allclose(clf.run_.average, whole.run_.average, rtol=1e-9, atol=1e-12)


def test_what_is_claimed_of_a_penalised_run():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    clf = Perceptron(penalty="l2", max_iter=10).fit(X, y)
    assert clf.verdict_ is Verdict.UNDECIDED
    assert (tuple(clf.margin_), clf.mistake_bound_) == ((0.0, math.inf), math.inf)
    wide = np.array([[5.0, 0.1], [-5.0, 0.1]] * 20)
    clf = Perceptron(penalty="l1", alpha=1e-4).fit(wide, [1, 0] * 20)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.score(wide, [1, 0] * 20) == 1.0
    assert clf.verdict_ is Verdict.SEPARABLE
    assert clf.certificate_.verify(wide, [1, 0] * 20)
    assert math.isinf(clf.mistake_bound_)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_penalised_run_ends_when_its_error_no_longer_falls(penalty, classes):
    X, y = data(n=300, classes=classes)
    clf = Perceptron(penalty=penalty).fit(X, y)
    assert clf.stop_ is Stop.TRAINING_ERROR
    assert clf.n_iter_ < 100
    usual = Perceptron(penalty=penalty, tol=1e-3, order="shuffled").fit(X, y)
    np.testing.assert_array_equal(clf.coef_, usual.coef_)
    assert Perceptron(penalty=penalty, tol=None, max_iter=200).fit(X, y).n_iter_ == 200
    errors = [row.training_error for row in clf.history_]
    assert 1 - clf.score(X, y) <= min(errors) + 1e-3
    last = Perceptron(penalty=penalty, solution="last").fit(X, y)
    assert 1 - last.score(X, y) == pytest.approx(min(errors), rel=0, abs=1e-3)


def texts(seed, classes, n=1200, width=3000):
    """Rows of forty words, as long as 1; two in five are words that their class prefers."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    usual, *own = rng.dirichlet(np.full(width, 0.05), size=classes + 1)
    X = np.array([rng.multinomial(40, 0.8 * usual + 0.2 * own[k]) for k in y], dtype=float)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return sparse.csr_matrix(X[::2]), y[::2], sparse.csr_matrix(X[1::2]), y[1::2]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("classes", [2, 8])
def test_texts_are_predicted_by_a_mean_and_better_than_by_the_last_weights(penalty, classes):
    scores = []
    for seed in range(3):
        X, y, new, known = texts(seed, classes)
        how = {"penalty": penalty, "alpha": 3e-4}
        clf, last = (Perceptron(solution=s, **how).fit(X, y) for s in ("auto", "last"))
        theirs = linear_model.Perceptron(**how).fit(X, y)
        scores.append([model.score(new, known) for model in (clf, last, theirs)])
        mean = np.atleast_2d(clf.run_.average)
        np.testing.assert_array_equal(clf.coef_, mean[:, :-1])
        np.testing.assert_array_equal(clf.coef_ == 0, last.coef_ == 0)
    ours, last, theirs = np.mean(scores, axis=0)
    assert ours > last + 0.01
    assert ours > theirs + 0.01


def test_a_mean_that_makes_more_errors_does_not_predict():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 8)) * 10.0 ** np.arange(
        8
    )  # its bias and small weights lag behind
    y = (X[:, 0] + 0.3 * rng.standard_normal(300) > 0).astype(int)
    clf = Perceptron(penalty="l2", alpha=1e-5, max_iter=30).fit(X, y)
    candidates = [
        np.mean((X @ w[:-1] + w[-1] >= 0) == y) for w in (clf.run_.average, clf.run_.weights)
    ]
    assert clf.score(X, y) == max(candidates)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("classes", [2, 3])
def test_empty_columns_change_nothing(penalty, classes):
    X, y, _, _ = texts(0, classes, n=200, width=500)
    places = np.sort(np.random.default_rng(0).choice(2**16, 500, replace=False))
    wide = sparse.csr_matrix((X.data, places[X.indices], X.indptr), shape=(X.shape[0], 2**16))
    narrow, clf = (Perceptron(penalty=penalty).fit(rows, y) for rows in (X, wide))
    assert isinstance(clf.run_, WideRun)
    for rows, model in ((X, narrow), (wide, clf)):
        model.partial_fit(rows[:50], y[:50])
    for name in ("weights", "average"):
        ours, all_of = (np.atleast_2d(getattr(model.run_, name)) for model in (narrow, clf))
        np.testing.assert_allclose(all_of[:, [*places, -1]], ours, rtol=1e-9, atol=1e-12)
    assert np.count_nonzero(clf.coef_) == np.count_nonzero(narrow.coef_)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_batches_are_predicted_by_the_mean_until_the_last_weights_are_better(penalty):
    X, y, new, known = texts(1, 2)
    clf = Perceptron(penalty=penalty, alpha=1e-4)
    for rows in np.array_split(np.arange(len(y)), 6):
        clf.partial_fit(X[rows], y[rows], classes=[0, 1])
    np.testing.assert_array_equal(clf.coef_[0], clf.run_.average[:-1])
    for rows in np.array_split(np.arange(len(y)), 6):
        clf.partial_fit(X[rows], 1 - y[rows])
    np.testing.assert_array_equal(clf.coef_[0], clf.run_.weights[:-1])
    assert clf.score(new, 1 - known) > 0.6


@pytest.mark.parametrize(("size", "pace"), [(1.0, 1.0), (2.0**-5, 2.0**-5), (2.0**5, 2.0**10)])
def test_the_bias_moves_as_entries_do(size, pace):
    X = np.array([[size, 0.0], [0.0, size]])
    for rows in (X, sparse.csr_matrix(X)):
        clf = Perceptron(penalty="l2", order="cyclic", max_iter=1, solution="last")
        clf.fit(rows, [1, 0])
        np.testing.assert_array_equal(clf.intercept_, [0.0])  # both rows were mistaken
        clf.partial_fit(rows[:1], [0])
        np.testing.assert_array_equal(clf.intercept_, [-pace])


@OUT_OF_PASSES
def test_no_error_is_measured_that_can_end_nothing():
    X, y = data()

    def measured(**how):
        clf = Perceptron(**how)
        rows = clf.fit(X, y).history_
        return any(not math.isnan(row.training_error) for row in rows if row.mistakes)

    assert measured(penalty="l2")
    assert measured(tol=0.1, certify=False, max_iter=3)
    for how in (
        {"certify": False, "max_iter": 20},
        {"penalty": "l2", "alpha": 0.0, "max_iter": 20},
        {"penalty": "l2", "max_iter": 5},
        {"penalty": "l2", "early_stopping": True},
    ):
        assert not measured(**how), how
    batch = Perceptron(penalty="l2").partial_fit(X, y, classes=[0, 1])
    assert math.isnan(batch.history_[0].training_error)


def test_the_errors_that_end_a_penalised_run_count_as_their_rows_do():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 3)), (rng.random(400) < 0.1).astype(int)
    X[:, 0] += y
    weights = {0: 1, 1: 9}
    clf = Perceptron(penalty="l2", class_weight=weights).fit(X, y)
    cost = np.where(y == 1, 9.0, 1.0)
    error = cost[clf.predict(X) != y].sum() / cost.sum()
    least = min(row.training_error for row in clf.history_)
    assert error == pytest.approx(least, rel=0, abs=1e-3)


def test_the_usual_order_looks_at_all_points_equally_often_with_a_penalty():
    X, y = data(n=200)
    clf = Perceptron(penalty="l1", max_iter=4).fit(X, y)
    assert clf.looks_ == 4 * len(y)


@pytest.mark.parametrize("order", ["active", "cyclic", "shuffled", "worst"])
def test_separated_means_that_the_penalised_weights_separate(order):
    X, y = data(5, n=12)
    for alpha in (1e-3, 1e-2, 0.1):
        clf = Perceptron(penalty="l1", alpha=alpha, order=order, max_iter=200).fit(X, y)
        if clf.stop_ is Stop.SEPARATED:
            assert clf.score(X, y) == 1.0
    start = Perceptron(penalty="l1", alpha=0.5, order=order, max_iter=3)
    start.fit([[1.0], [-1.0]], [1, 0], coef_init=[1.0])  # no mistake, until the penalty bites
    assert start.n_iter_ >= 1


def test_the_path_shows_error_against_nonzeros():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    path = sparsity_path(X[:400], y[:400], alphas=[0, 1e-3, 1e-2], eval_set=(X[400:], y[400:]))
    assert path.column("nonzeros")[0] == 30 > path.column("nonzeros")[-1]
    assert path.column("training_error").max() < 0.2
    assert path.column("validation_error").max() < 0.2
    lines = str(path).splitlines()
    assert len(lines) == 4
    assert "validation" in lines[0]
    assert "validation" not in str(sparsity_path(X, y, alphas=[1e-3], max_iter=2))
    assert len(path.estimators) == 3
    with pytest.raises(InputError, match="at least one penalty"):
        sparsity_path(X, y, alphas=[])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"penalty": "l3"}, "penalty must be one of None, 'l1', 'l2', 'elasticnet', got 'l3'"),
        ({"penalty": "l1", "alpha": -1.0}, "alpha must be a finite number of at least 0"),
        ({"penalty": "l1", "alpha": math.nan}, "alpha must be a finite number of at least 0"),
        ({"penalty": "elasticnet", "l1_ratio": 2.0}, "l1_ratio must be a number from 0 to 1"),
        ({"penalty": "l1", "solution": "pocket"}, "only the last are kept"),
        ({"penalty": "l1", "keep": ("vote",)}, "only the last are kept"),
        ({"penalty": "l1", "certify": True}, "certify=True needs penalty=None"),
    ],
)
def test_bad_settings_get_a_clear_error(how, message):
    with pytest.raises(InputError, match=message):
        Perceptron(**how).fit([[0.0], [1.0]], [0, 1])

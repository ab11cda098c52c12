"""The kernel perceptron: bounds in feature space, brute-force references, budgets, streams."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import recall_score
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import train_test_split

from expected import OUT_OF_PASSES
from rosenblatt.engine.kernels import GramRows, Kernel, queue_coefficients
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.randomness import random_seeds
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.fit.support_vectors import spread
from rosenblatt.solve.wolfe import min_norm_point

pytestmark = OUT_OF_PASSES


def blobs(seed, n=40, d=3, classes=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(0, classes, size=n)


def reference(K, y, passes):
    """The textbook dual perceptron, cyclic: its mistakes in order, and when they were made."""
    c, moves, clock = np.zeros(len(y)), [], 0
    for _ in range(passes):
        found = 0
        for i in range(len(y)):
            if y[i] * (K[i] @ c) <= 0:
                c[i] += y[i]
                moves.append((i, clock))
                found += 1
            clock += 1
        if found == 0:
            break
    return c, moves, clock


def multiclass_reference(K, y, classes, passes):
    C = np.zeros((classes, len(y)))
    mistakes = 0
    for _ in range(passes):
        for i in range(len(y)):
            scores = C @ K[i]
            others = np.where(np.arange(classes) == y[i], -np.inf, scores)
            rival = int(np.argmax(others))
            if scores[y[i]] <= scores[rival]:
                C[y[i], i] += 1
                C[rival, i] -= 1
                mistakes += 1
    return C, mistakes


def feature_margin(K, signs):
    """The best margin in feature space: the least norm in the hull of yᵢφ(xᵢ)."""
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    rows = np.round(signs[:, None] * features, 9)
    return math.sqrt(float(min_norm_point(rows).squared_norm))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), order=st.sampled_from(["active", "cyclic", "shuffled", "worst"]))
def test_mistakes_stay_within_novikoffs_bound_in_feature_space(seed, order):
    X, y = blobs(seed, n=12, d=2)
    if len(set(y)) < 2:
        return
    clf = KernelPerceptron(kernel="rbf", gamma=2.0, order=order, max_iter=10**6).fit(X, y)
    gamma = feature_margin(rbf_kernel(X, gamma=2.0) + 1, 2.0 * y - 1)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.radius_ == pytest.approx(math.sqrt(2))
    assert clf.mistakes_ <= (clf.radius_ / gamma) ** 2 * (1 + 1e-6)
    assert clf.margin_.lower <= gamma * (1 + 1e-6)
    assert gamma <= clf.margin_.upper * (1 + 1e-6)
    assert clf.mistakes_ <= clf.mistake_bound_


def primal(X, y, order, passes):
    """The same loop in the primal form."""
    classes = int(y.max()) + 1
    return learn(
        CompiledSweep(make_points(X, y if classes > 2 else 2.0 * y - 1), make_rule(classes)),
        order=order,
        budget=Budget(passes=passes),
        rng=np.random.default_rng(np.random.RandomState(0).randint(2**31)),
    )


def test_the_linear_kernel_is_the_perceptron():
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, size=(60, 4)).astype(float)
    for y in (rng.integers(0, 2, size=60), rng.integers(0, 3, size=60)):
        for order in ("cyclic", "shuffled", "active", "worst"):
            clf = KernelPerceptron(kernel="linear", order=order, max_iter=20, solution="last")
            clf.fit(X, y)
            run = primal(X, y, order, passes=20)
            assert (clf.mistakes_, clf.looks_) == (run.mistakes, run.looks)
            weights = np.column_stack([clf.dual_coef_ @ clf.support_vectors_, clf.intercept_])
            np.testing.assert_array_equal(weights, np.atleast_2d(run.weights))
            norms = [row.norm for row in clf.history_]
            np.testing.assert_allclose(norms, [row.norm for row in run.history])


@pytest.mark.parametrize("seed", range(5))
def test_last_average_and_vote_match_brute_force(seed):
    X, y = blobs(seed, n=30)
    signs = 2.0 * y - 1
    K = rbf_kernel(X, gamma=0.5) + 1
    c, moves, clock = reference(K, signs, passes=4)
    new = blobs(seed + 100, n=20)[0]
    Knew = rbf_kernel(new, X, gamma=0.5) + 1

    weights, votes, mean = np.zeros(30), np.zeros(20), np.zeros(30)
    for (i, at), after in zip(moves, [at for _, at in moves[1:]] + [clock], strict=True):
        weights[i] += signs[i]
        votes += (after - at) * np.where(Knew @ weights >= 0, 1, -1)
        mean += (after - at) * weights
    expected = {"last": Knew @ c, "average": Knew @ mean / clock, "vote": votes / clock}
    for solution, scores in expected.items():
        clf = KernelPerceptron(gamma=0.5, order="cyclic", max_iter=4, solution=solution).fit(X, y)
        assert clf.mistakes_ == len(moves)
        np.testing.assert_allclose(clf.decision_function(new), scores, atol=1e-12)


def test_multiclass_matches_brute_force_and_its_votes_add_up():
    X, y = blobs(3, n=40, classes=4)
    C, mistakes = multiclass_reference(rbf_kernel(X, gamma=1.0) + 1, y, 4, passes=3)
    clf = KernelPerceptron(gamma=1.0, order="cyclic", max_iter=3, solution="last").fit(X, y)
    assert clf.mistakes_ == mistakes
    np.testing.assert_array_equal(clf.dual_coef_, C[:, clf.support_])
    voted = KernelPerceptron(gamma=1.0, order="cyclic", max_iter=30, solution="vote").fit(X, y)
    np.testing.assert_allclose(voted.decision_function(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("solution", ["last", "average", "vote"])
def test_a_small_cache_changes_nothing(solution):
    X, y = make_moons(300, noise=0.3, random_state=0)
    options = {"gamma": 3.0, "order": "cyclic", "max_iter": 5, "solution": solution}
    large = KernelPerceptron(**options).fit(X, y)
    small = KernelPerceptron(**options, cache_size=0.02).fit(X, y)
    assert large.mistakes_ == small.mistakes_
    np.testing.assert_allclose(large.decision_function(X), small.decision_function(X))


def test_gram_rows_hold_what_they_say_whatever_is_evicted():
    X = np.random.default_rng(0).normal(size=(50, 3))
    K = rbf_kernel(X, gamma=1.0)
    gram = GramRows(Kernel("rbf", {"gamma": 1.0}), X, megabytes=7 * 50 * 8 / 2**20)
    assert gram.capacity == 7
    rng = np.random.default_rng(1)
    for _ in range(100):
        wanted = rng.choice(50, size=2)
        perhaps = np.setdiff1d(np.flatnonzero(gram.slot < 0), wanted)
        gram.fetch(wanted, perhaps)
        assert np.all(gram.slot[wanted] >= 0)
        held = np.flatnonzero(gram.slot >= 0)
        assert len(set(gram.slot[held])) == len(held) <= 7
        np.testing.assert_allclose(gram.rows[gram.slot[held]], K[held])


def test_rows_of_points_that_are_never_mistaken_are_mostly_not_computed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    X[:, 0] += np.where(X[:, 0] > 0, 0.5, -0.5)
    clf = KernelPerceptron(kernel="linear").fit(X, X[:, 0] > 0)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.kernel_values_ < 0.1 * 2000**2


def test_sparse_precomputed_callable_and_float32_agree():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, size=(60, 5)).astype(float), rng.integers(0, 3, size=60)
    options = {"order": "cyclic", "max_iter": 5, "solution": "last"}
    poly = {"degree": 2, "coef0": 1.0, "gamma": 1.0}
    K = pairwise_kernels(X, metric="poly", **poly)
    dense = KernelPerceptron(kernel="poly", **poly, **options).fit(X, y)
    for clf, data in (
        (KernelPerceptron(kernel="poly", **poly, **options), sparse.csr_array(X)),
        (KernelPerceptron(kernel="poly", **poly, **options), X.astype(np.float32)),
        (KernelPerceptron(kernel="precomputed", **options), K),
        (KernelPerceptron(kernel=lambda a, b: (a @ b + 1) ** 2, **options), X),
    ):
        clf.fit(data, y)
        assert clf.mistakes_ == dense.mistakes_
        np.testing.assert_array_equal(clf.dual_coef_, dense.dual_coef_)
        np.testing.assert_allclose(clf.decision_function(data), dense.decision_function(X))
        assert clf.radius_ == pytest.approx(dense.radius_)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf", "poly", "linear", "sigmoid", "cosine"])
@pytest.mark.parametrize(
    ("indices", "indptr"), [(np.int64, np.int64), (np.int32, np.int64), (np.int64, np.int32)]
)
def test_sparse_rows_of_any_kind_of_index(kernel, indices, indptr):
    X, y = whole_numbers(2)
    rows = sparse.csr_matrix(X)
    rows.indices, rows.indptr = rows.indices.astype(indices), rows.indptr.astype(indptr)
    options = {"kernel": kernel, "gamma": 0.5, "max_iter": 3, "order": "cyclic"}
    clf, dense = (KernelPerceptron(**options).fit(data, y) for data in (rows, X))
    np.testing.assert_allclose(clf.decision_function(rows), dense.decision_function(X), atol=1e-9)
    clf.partial_fit(rows, y)
    np.testing.assert_allclose(
        clf.decision_function(sparse.csc_array(rows)),
        dense.partial_fit(X, y).decision_function(X),
        atol=1e-9,
    )


@pytest.mark.parametrize("kernel", ["laplacian", "rbf", "poly", "linear", "sigmoid", "cosine"])
@pytest.mark.parametrize("learned", [np.float32, np.float64])
def test_sparse_rows_of_two_precisions(kernel, learned):
    X, y = whole_numbers(2)
    clf = KernelPerceptron(kernel=kernel, gamma=0.5, max_iter=3).fit(
        sparse.csr_matrix(X, dtype=learned), y
    )
    one, two = (
        clf.decision_function(sparse.csr_matrix(X, dtype=kind)) for kind in (np.float32, np.float64)
    )
    np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-4)


def test_xor_moons_and_digits():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    assert KernelPerceptron(kernel="poly", degree=2).fit(X, y).score(X, y) == 1
    linear = KernelPerceptron(kernel="linear", max_iter=50).fit(X, y)
    assert linear.stop_ is Stop.PASSES
    X, y = make_moons(300, noise=0.1, random_state=0)
    assert KernelPerceptron(gamma=10.0).fit(X, y).stop_ is Stop.SEPARATED
    X, y = load_digits(return_X_y=True)
    X = X / 16
    clf = KernelPerceptron(kernel="poly").fit(X[:1200], y[:1200])
    assert clf.stop_ is Stop.SEPARATED
    assert clf.mistakes_ <= clf.mistake_bound_
    assert clf.score(X[1200:], y[1200:]) > 0.9


@pytest.mark.parametrize("seed", range(5))
def test_a_threshold_keeps_its_margin(seed):
    X, y = blobs(seed, n=12, d=2)
    clf = KernelPerceptron(gamma=2.0, threshold=10.0, max_iter=10**5).fit(X, y)
    gamma, squared = feature_margin(rbf_kernel(X, gamma=2.0) + 1, 2.0 * y - 1), clf.radius_**2
    assert clf.stop_ is Stop.SEPARATED
    assert np.all((2 * y - 1) * clf.decision_function(X) > 10 * (1 - 1e-9))
    assert clf.margin_.lower >= gamma * 10 / (squared + 20) * (1 - 1e-6)
    assert clf.mistakes_ <= (squared + 20) / gamma**2 * (1 + 1e-6)


# --- Streams and budgets ------------------------------------------------------------------------


@pytest.mark.parametrize("solution", ["last", "average", "vote"])
@pytest.mark.parametrize("classes", [2, 3])
def test_batch_after_batch_is_one_cyclic_pass(solution, classes):
    X, y = blobs(5, n=60, classes=classes)
    whole = KernelPerceptron(gamma=1.0, order="cyclic", max_iter=1, solution=solution).fit(X, y)
    parts = KernelPerceptron(gamma=1.0, order="cyclic", solution=solution)
    for at in range(0, 60, 7):
        parts.partial_fit(X[at : at + 7], y[at : at + 7], classes=np.arange(classes))
    assert parts.mistakes_ == whole.mistakes_
    assert parts.looks_ == whole.looks_
    np.testing.assert_array_equal(parts.support_, whole.support_)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-12)


def test_sparse_streams():
    X, y = blobs(6, n=40)
    dense, rows = KernelPerceptron(gamma=1.0), KernelPerceptron(gamma=1.0)
    for at in range(0, 40, 10):
        dense.partial_fit(X[at : at + 10], y[at : at + 10], classes=[0, 1])
        rows.partial_fit(sparse.csr_matrix(X[at : at + 10]), y[at : at + 10], classes=[0, 1])
    np.testing.assert_allclose(dense.decision_function(X), rows.decision_function(X))


def forgetron(K, y, B):
    """Dekel, Shalev-Shwartz and Singer's algorithm, written down as they have it."""
    active, mistakes, Q = [], 0, 0.0
    for i in range(len(y)):
        if y[i] * sum(s * y[j] * K[i, j] for j, s in active) > 0:
            continue
        mistakes += 1
        active.append((i, 1.0))
        if len(active) <= B:
            continue
        r, s = active[0]
        mu = y[r] * sum(t * y[j] * K[r, j] for j, t in active)

        def cost(phi, s=s, mu=mu):
            return (phi * s) ** 2 + 2 * phi * s - 2 * phi**2 * s * mu

        phi = 1.0
        if Q + cost(1.0) > 15 / 32 * mistakes:
            low, high = 0.0, 1.0
            for _ in range(100):
                phi = (low + high) / 2
                fits = Q + cost(phi) <= 15 / 32 * mistakes
                low, high = (phi, high) if fits else (low, phi)
        Q += cost(phi)
        active = [(j, t * phi) for j, t in active[1:]]
    return mistakes, dict(active)


@pytest.mark.parametrize(("seed", "B"), [(0, 5), (1, 12), (2, 30)])
def test_the_budget_is_the_forgetrons(seed, B):
    X, y = blobs(seed, n=150)
    signs = 2.0 * y - 1
    K = rbf_kernel(X, gamma=1.0)
    mistakes, shares = forgetron(K, signs, B)
    clf = KernelPerceptron(
        gamma=1.0, order="cyclic", max_iter=1, budget=B, fit_intercept=False
    ).fit(X, y)
    assert clf.mistakes_ == mistakes
    assert list(clf.support_) == sorted(shares)
    np.testing.assert_allclose(
        np.abs(clf.dual_coef_[0]), [shares[i] for i in clf.support_], rtol=1e-9
    )


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    budget=st.integers(1, 20),
    classes=st.sampled_from([2, 4]),
    cache=st.sampled_from([0.01, 100.0]),
)
def test_never_more_support_vectors_than_the_budget(seed, budget, classes, cache):
    X, y = blobs(seed, n=80, classes=classes)
    clf = KernelPerceptron(gamma=2.0, budget=budget, cache_size=cache)
    for at in range(0, 80, 9):
        clf.partial_fit(X[at : at + 9], y[at : at + 9], classes=np.arange(classes))
        assert len(clf.support_) <= budget
        assert clf.support_vectors_.shape[0] == len(clf.support_)
        np.testing.assert_array_equal(X[clf.support_], clf.support_vectors_)
    ledger = clf._kept[0].dual.ledger
    assert ledger[0] == clf.mistakes_
    assert ledger[1] <= 15 / 32 * clf.mistakes_ + 1e-9
    if len(set(y)) == classes:
        assert len(clf.set_params(max_iter=2).fit(X, y).support_) <= budget


@pytest.mark.parametrize("seed", range(4))
def test_the_forgetrons_mistake_bound(seed):
    """M ≤ 2‖g‖² + 4Σ(1 − y g(x))₊ for every g of norm up to ¼√((B + 1)/log(B + 1))."""
    rng = np.random.default_rng(seed)
    B, n = 100, 1500
    X = rng.normal(size=(n, 2))
    y = (np.sin(2 * X[:, 0]) > X[:, 1]) ^ (rng.random(n) < 0.1)
    signs = 2.0 * y - 1
    clf = KernelPerceptron(gamma=1.0, order="cyclic", max_iter=1, budget=B, fit_intercept=False)
    clf.fit(X, y)
    assert clf.mistakes_ > B
    largest = math.sqrt((B + 1) / math.log(B + 1)) / 4
    K = rbf_kernel(X, gamma=1.0)
    for alpha in (signs, signs * (rng.random(n) < 0.1), signs * rng.random(n)):
        norm = math.sqrt(alpha @ K @ alpha)
        for length in (largest, largest / 2):
            g = K @ alpha * (length / norm)
            bound = 2 * length**2 + 4 * np.maximum(0, 1 - signs * g).sum()
            assert clf.mistakes_ <= bound


def test_a_budgeted_classifier_is_not_spoilt_by_the_search_for_a_separator():
    """The search dwells on points it gets wrong, and a budget forgets the others."""
    X, y = make_blobs(300, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    clf = KernelPerceptron(budget=20).fit(X, y)
    search = KernelPerceptron(budget=20, solution="last").fit(X, y)
    assert search.score(X, y) < clf.score(X, y)
    assert clf.score(X, y) > 0.85
    assert clf.n_iter_ == search.n_iter_
    assert len(clf.support_) <= 20
    # What goes on is what was chosen: its queue and its coefficients agree.
    np.testing.assert_allclose(
        spread(queue_coefficients(clf._kept[0].dual), clf._kept[0].places, clf.support_),
        clf.dual_coef_,
    )


# --- What the linear perceptron has, too --------------------------------------------------------


def whole_numbers(classes, seed=0, n=60):
    """Rows whose linear and quadratic kernels are exact, and labels."""
    rng = np.random.default_rng(seed)
    return rng.integers(-5, 6, size=(n, 4)).astype(float), rng.integers(0, classes, size=n)


def linear_weights(clf):
    return np.column_stack([clf.dual_coef_ @ clf.support_vectors_, clf.intercept_])


def weights_of(clf):
    return np.column_stack([clf.coef_, clf.intercept_])


SHARED = {"max_iter": 6, "solution": "last"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"order": "cyclic"},
        {"order": "active", "multiclass": "ovr"},
        {"order": "worst", "class_weight": {0: 2.0, 1: 0.5}},
        {"order": "cyclic", "class_weight": "balanced", "solution": "average"},
        {"order": "cyclic", "early_stopping": True, "n_iter_no_change": 2, "max_iter": 30},
        {"order": "active", "early_stopping": True, "multiclass": "ovr", "max_iter": 30},
    ],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_with_the_linear_kernel_all_settings_are_those_of_the_perceptron(
    parameters, classes, weighted
):
    X, y = whole_numbers(classes)
    # Powers of two and a class weight that is one keep all sums exact.
    weights = 2.0 ** np.random.default_rng(1).integers(-2, 3, size=60) if weighted else None
    if weighted:
        weights[::7] = 0.0
    parameters = SHARED | parameters
    ours = KernelPerceptron(kernel="linear", **parameters).fit(X, y, sample_weight=weights)
    theirs = Perceptron(certify=False, **parameters).fit(X, y, sample_weight=weights)
    assert (ours.stop_, ours.updates_, ours.n_iter_) == (
        *(theirs.stop_, theirs.updates_, theirs.n_iter_),
    )
    np.testing.assert_allclose(linear_weights(ours), weights_of(theirs), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.margin_.upper == pytest.approx(theirs.margin_.upper, rel=1e-6)
    errors = [[row.validation_error for row in clf.history_] for clf in (ours, theirs)]
    np.testing.assert_array_equal(*errors)


@pytest.mark.parametrize("solution", ["auto", "last", "average", "vote"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_one_against_the_rest_is_a_fit_for_each_class(solution, form):
    X, y = whole_numbers(3)
    options = {"kernel": "poly", "degree": 2, "gamma": 1.0, "solution": solution, "max_iter": 4}
    all_of_them = KernelPerceptron(multiclass="ovr", **options).fit(form(X), y)
    scores = all_of_them.decision_function(form(X))
    alone = [KernelPerceptron(**options) for _ in range(3)]
    # Each run has its own seed; the shuffled passes after the search are the only ones to use it.
    for k, seed in enumerate(random_seeds(0, 3)):
        task = seeded(alone[k], seed).fit(form(X), y == k)
        np.testing.assert_allclose(scores[:, k], task.decision_function(form(X)), rtol=1e-12)
    assert all_of_them.updates_ == sum(clf.updates_ for clf in alone)
    assert len(all_of_them.runs_) == 3
    assert all_of_them.dual_coef_.shape == (3, len(all_of_them.support_))
    np.testing.assert_array_equal(all_of_them.predict(form(X)), scores.argmax(axis=1))
    union = np.unique(np.concatenate([clf.support_ for clf in alone]))
    np.testing.assert_array_equal(all_of_them.support_, union)


def seeded(clf, seed):
    """An estimator whose generator's first draw is that seed."""

    class Drawn(np.random.RandomState):
        def randint(self, *_, **__):
            return seed

    return clf.set_params(random_state=Drawn(0))


def test_one_against_the_rest_over_batches_is_one_cyclic_pass():
    X, y = whole_numbers(3)
    options = {"kernel": "linear", "multiclass": "ovr", "order": "cyclic", "solution": "vote"}
    whole = KernelPerceptron(max_iter=1, **options).fit(X, y)
    parts = KernelPerceptron(**options)
    for at in range(0, 60, 7):
        parts.partial_fit(X[at : at + 7], y[at : at + 7], classes=range(3))
    np.testing.assert_array_equal(parts.dual_coef_, whole.dual_coef_)
    np.testing.assert_array_equal(parts.support_vectors_, whole.support_vectors_)
    np.testing.assert_array_equal(parts.decision_function(X), whole.decision_function(X))
    with pytest.raises(InputError, match="needs 1 runs, but there are 3"):
        parts.set_params(multiclass="native").partial_fit(X, y)


@pytest.mark.parametrize("solution", ["last", "average", "vote"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_weight_multiplies_the_step_and_0_leaves_the_row_out(solution, classes):
    X, y = whole_numbers(classes)
    options = {"kernel": "linear", "order": "cyclic", "max_iter": 4, "solution": solution}
    plain = KernelPerceptron(**options).fit(X, y)
    double = KernelPerceptron(**options).fit(X, y, sample_weight=np.full(60, 2.0))
    np.testing.assert_array_equal(double.dual_coef_, 2 * plain.dual_coef_)
    np.testing.assert_array_equal(double.predict(X), plain.predict(X))
    assert double.margin_ == plain.margin_
    some = np.arange(60) % 3 > 0
    without = KernelPerceptron(**options).fit(X[some], y[some])
    zeros = KernelPerceptron(**options).fit(X, y, sample_weight=some.astype(float))
    np.testing.assert_array_equal(zeros.decision_function(X), without.decision_function(X))
    np.testing.assert_array_equal(zeros.support_, np.flatnonzero(some)[without.support_])
    with pytest.raises(ValueError, match=r"[Ss]ample weight"):
        KernelPerceptron(**options).fit(X, y, sample_weight=np.zeros(60))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), threshold=st.sampled_from([0.0, 1.0]))
def test_the_mistake_bound_and_the_bracket_hold_with_weights(seed, threshold):
    X, y = blobs(seed, n=12, d=2)
    if len(set(y)) < 2:
        return
    weights = 2.0 ** np.random.default_rng(seed).integers(-2, 3, size=12)
    clf = KernelPerceptron(gamma=2.0, threshold=threshold, max_iter=10**6)
    clf.fit(X, y, sample_weight=weights)
    gamma = feature_margin(rbf_kernel(X, gamma=2.0) + 1, 2.0 * y - 1)
    assert clf.stop_ is Stop.SEPARATED
    assert clf.margin_.lower <= gamma * (1 + 1e-6)
    assert gamma <= clf.margin_.upper * (1 + 1e-6)
    assert clf.updates_ <= clf.mistake_bound_


def test_a_heavier_class_is_missed_less():
    X, y = make_moons(300, noise=0.4, random_state=0)
    recalls = [
        recall_score(
            y, KernelPerceptron(gamma=1.0, max_iter=10, class_weight=w).fit(X, y).predict(X)
        )
        for w in ({0: 10.0, 1: 1.0}, None, {0: 1.0, 1: 10.0})
    ]
    assert recalls[0] < recalls[1] < recalls[2]


def test_early_stopping_keeps_the_weights_that_were_best_on_rows_held_out():
    X, y = make_moons(200, noise=0.3, random_state=0)
    options = {"gamma": 1.0, "order": "cyclic", "early_stopping": True, "n_iter_no_change": 3}
    clf = KernelPerceptron(validation_fraction=0.25, solution="last", **options).fit(X, y)
    _, rows = train_test_split(np.arange(200), test_size=0.25, stratify=y, random_state=0)
    errors = [row.validation_error for row in clf.history_]
    assert clf.stop_ is Stop.VALIDATION_ERROR
    assert 1 - clf.score(X[rows], y[rows]) == pytest.approx(min(errors))
    assert errors[-1] > min(errors)
    assert not set(clf.support_) & set(rows)
    assert clf.margin_.upper == math.inf
    mean = KernelPerceptron(gamma=1.0, early_stopping=True, validation_fraction=0.25).fit(X, y)
    chosen = [mean.with_solution(name).score(X[rows], y[rows]) for name in ("average", "last")]
    assert mean.score(X[rows], y[rows]) >= max(chosen)


def test_solutions_of_one_run():
    X, y = make_moons(200, noise=0.3, random_state=0)
    for parameters in ({}, {"multiclass": "ovr"}):
        labels = y if not parameters else y + (X[:, 0] > 1)
        options = {"gamma": 1.0, "order": "cyclic", "max_iter": 4, **parameters}
        clf = KernelPerceptron(keep=("vote",), **options).fit(X, labels)
        for solution in ("last", "average", "vote"):
            alone = KernelPerceptron(solution=solution, **options).fit(X, labels)
            other = clf.with_solution(solution)
            assert (other.solution, clf.solution) == (solution, "auto")
            np.testing.assert_array_equal(
                other.decision_function(X), alone.decision_function(X), strict=True
            )
        np.testing.assert_array_equal(
            clf.with_solution("last").with_solution("auto").dual_coef_, clf.dual_coef_
        )
    untracked = KernelPerceptron(gamma=1.0, max_iter=3).fit(X, y)
    with pytest.raises(InputError, match=r"The vote was not tracked .* keep=\('vote',\)"):
        untracked.with_solution("vote")
    with pytest.raises(InputError, match="budget of 5 forgets"):
        KernelPerceptron(budget=5).fit(X, y).with_solution("average")


def test_callbacks_see_every_pass_and_may_stop():
    callback = pytest.importorskip("sklearn.callback")

    class Stopper:
        def __init__(self):
            self.scores = []

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator=None):
            if context.task_name == "pass":
                self.scores.append(fitted_estimator.score(X, y))
            return len(self.scores) == 3

        def teardown(self, estimator, context):
            pass

    X, y = make_moons(100, noise=0.3, random_state=0)
    for solution in ("last", "vote"):
        stopper = Stopper()
        assert isinstance(stopper, callback.FitCallback)
        clf = KernelPerceptron(gamma=0.5, solution=solution).set_callbacks(stopper).fit(X, y)
        assert clf.stop_ is Stop.CALLBACK
        assert clf.n_iter_ == len(stopper.scores) == 3
        assert stopper.scores[-1] == clf.score(X, y)
    stopper = Stopper()
    clf = KernelPerceptron(gamma=0.5, solution="last", max_iter=2).set_callbacks(stopper).fit(X, y)
    assert clf.stop_ is Stop.PASSES
    assert len(stopper.scores) == clf.n_iter_ == 2
    assert stopper.scores[-1] == clf.score(X, y)


def test_plot():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = make_moons(40, random_state=0)
    assert KernelPerceptron(gamma=2.0).fit(X, y).plot(X, y).get_xlabel()


# --- Conventions and refusals -------------------------------------------------------------------


def test_a_precomputed_kernel_is_pairwise():
    assert KernelPerceptron(kernel="precomputed").__sklearn_tags__().input_tags.pairwise


def test_cross_validation_slices_a_precomputed_gram():
    from sklearn.model_selection import cross_val_score

    X, y = load_iris(return_X_y=True)
    scores = cross_val_score(KernelPerceptron(kernel="precomputed"), rbf_kernel(X), y, cv=3)
    assert scores.min() > 0.85


def test_stops():
    X, y = blobs(0)
    assert KernelPerceptron(max_updates=3).fit(X, y).stop_ is Stop.UPDATES
    clf = KernelPerceptron(kernel="linear", max_iter=2, solution="average").fit(X, y)
    assert clf.stop_ is Stop.PASSES
    assert clf.n_iter_ == 2
    clf = KernelPerceptron(kernel="linear", max_iter=2).fit(X, y)
    assert clf.n_iter_ == 2
    K = 1.7e308 * np.array([[1, -1, 1], [-1, 1, 1], [1, 1, 1]])
    clf = KernelPerceptron(kernel=lambda a, b: K[int(a[0]), int(b[0])], order="cyclic")
    with pytest.warns(UserWarning, match="range of floating-point"):
        clf.fit([[0], [1], [2]], [1, 1, 0])
    assert clf.stop_ is Stop.OVERFLOW


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rfb"}, "kernel must be a function of two rows or one of .*'rfb'"),
        ({"solution": "best"}, "solution must be one of .*'best'"),
        ({"budget": 0}, "budget must be at least 1 or None, got 0"),
        ({"budget": 9, "solution": "average"}, "budget of 9 forgets"),
        ({"budget": 9, "solution": "vote"}, "budget of 9 forgets"),
        ({"budget": 9, "keep": ("vote",)}, "budget of 9 forgets"),
        ({"budget": 9, "early_stopping": True}, "budget of 9 may have forgotten"),
        ({"multiclass": "ovo"}, "multiclass must be one of 'native', 'ovr', got 'ovo'"),
        ({"keep": ("pocket",)}, "keep must be a tuple of names from"),
        ({"early_stopping": True, "validation_fraction": 2.0}, "validation_fraction must be"),
        ({"class_weight": {0: -1.0}}, "class_weight must give every class a positive"),
        ({"gamma": -1.0}, "gamma must be 'scale', 'auto' or a positive number, got -1.0"),
        ({"gamma": "small"}, "gamma must be .* got 'small'"),
        ({"threshold": -1}, "threshold must be a number of at least 0, got -1"),
        ({"cache_size": -1}, "cache_size must be a number of at least 0, got -1"),
        ({"order": "backwards"}, "order must be one of"),
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
        ({"kernel": "precomputed"}, r"square Gram matrix .* got shape \(40, 3\)"),
        ({"kernel": lambda a, b: math.nan}, "gave nan between two rows"),
        ({"kernel": lambda a: 1.0}, r"called as kernel\(a, b\) .* too many positional"),
        (
            {"kernel": lambda a, b: 1.0, "kernel_params": {"g": 1}},
            r"called as kernel\(a, b, g=…\) .* unexpected keyword argument 'g'",
        ),
        ({"degree": -1}, "degree must be a number of at least 0, got -1"),
        (
            {"kernel": "poly", "kernel_params": {"degree": -1}},
            r"kernel_params\['degree'\] must be a number of at least 0, got -1",
        ),
        ({"kernel_params": {"gamma": -1}}, r"\['gamma'\] must be a positive number, got -1"),
        ({"kernel_params": {"gama": 1}}, "has 'gama', but kernel='rbf' takes 'gamma'"),
        ({"kernel": "linear", "kernel_params": {"gamma": 1}}, "kernel='linear' takes none"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        KernelPerceptron(**parameters).fit(*blobs(0))


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, r"got None \(NoneType\)"),
        (np.ones(1), r"got an array of shape \(1,\)"),
        (np.ones((2, 2)), r"got an array of shape \(2, 2\)"),
        ("1", "got '1'"),
        (1j, "got 1j"),
    ],
)
def test_a_kernel_that_returns_no_number_is_refused(returned, said):
    clf = KernelPerceptron(kernel=lambda a, b: returned)
    with pytest.raises(InputError, match=f"must return a number for two rows, {said}.*precomputed"):
        clf.fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.array(1.0), np.bool_(True)])
def test_a_kernel_may_return_any_number(value):
    clf = KernelPerceptron(kernel=lambda a, b: value, max_iter=1).fit(np.eye(4), [0, 1, 0, 1])
    assert clf.radius_ == math.sqrt(2)


@pytest.mark.parametrize("settings", [{}, {"multiclass": "ovr"}, {"order": "cyclic"}], ids=str)
def test_a_ctrl_c_within_a_function_of_rows_keeps_what_was_learned(settings):
    X, y = blobs(0, n=20)
    calls = itertools.count(1)
    pressed = 0

    def kernel(a, b):
        if next(calls) == pressed:
            raise KeyboardInterrupt
        return math.exp(-((a - b) ** 2).sum() / 5)

    clf = KernelPerceptron(kernel=kernel, max_iter=2, **settings).fit(X, y)
    # The first twenty are k(x, x), before anything is learned.
    for at in range(21, next(calls), 37):
        calls, pressed = itertools.count(1), at
        assert clf.fit(X, y).stop_ is Stop.INTERRUPTED
        assert clf.predict(X).shape == (20,)


def test_what_is_no_kernel_has_no_bound():
    with pytest.warns(UserWarning, match="is -1.0 at row 0.*not positive semi-definite"):
        clf = KernelPerceptron(kernel=lambda a, b: -1.0, max_iter=3).fit(*blobs(0))
    assert clf.mistake_bound_ == math.inf


def test_bad_streams_are_refused():
    X, y = blobs(0)
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        KernelPerceptron().partial_fit(X, y)
    assert not hasattr(KernelPerceptron(kernel="precomputed"), "partial_fit")
    clf = KernelPerceptron().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InputError, match="not the same as on the last call"):
        clf.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(InputError, match="label 3 at row 0"):
        clf.partial_fit(X, y + 2)
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="NaN at row 3, column 1"):
        KernelPerceptron().fit(X, y)


@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
def test_kernels_of_counts_say_what_they_need(kernel):
    X, y = np.array([[3.0, 0.0], [0.0, 2.0], [4.0, 1.0]]), [0, 1, 0]
    clf = KernelPerceptron(kernel=kernel).fit(X, y)
    assert clf.score(X, y) == 1
    assert clf.__sklearn_tags__().input_tags.positive_only
    message = rf"data passed to kernel='{kernel}', which is of counts: X has -1 at row 1, column 0"
    for ask in (clf.predict, lambda X: clf.fit(X, y)):
        with pytest.raises(InputError, match=message):
            ask(X - [[0, 0], [1, 0], [0, 0]])
        with pytest.raises(InputTypeError, match=r"takes no sparse rows: pass X.toarray\(\)"):
            ask(sparse.csr_array(X))


def test_a_ctrl_c_within_the_last_look_keeps_what_was_learned():
    X, y, calls, last = [[0.0], [1.0], [3.0]], [0, 0, 1], [0], math.inf

    def kernel(a, b):
        calls[0] += 1
        if calls[0] == last:
            raise KeyboardInterrupt
        return float(a @ b)

    clf = KernelPerceptron(kernel=kernel).fit(X, y)
    assert clf.stop_ is Stop.SEPARATED
    last = 2 * calls[0]
    again = KernelPerceptron(kernel=kernel).fit(X, y)
    assert again.stop_ is Stop.INTERRUPTED
    np.testing.assert_array_equal(again.dual_coef_, clf.dual_coef_)


def test_overlapping_classes_end_after_a_hundred_passes_with_advice_about_kernels():
    X, y = make_moons(300, noise=0.3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="larger gamma") as caught:
        clf = KernelPerceptron().fit(X, y)
    assert "decide" not in str(caught[0].message)
    assert clf.n_iter_ <= 110
    assert clf.score(X, y) > 0.9

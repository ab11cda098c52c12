"""The maximum margin: closed forms, other solvers, exact arithmetic, and bad data."""

from __future__ import annotations

import math
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

import rosenblatt as rb
from rosenblatt.errors import InputError, NotConverged, NotSeparableError
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.margins import Bracket, set_margin
from rosenblatt.solve.max_margin import BIASES, local_search, margin, max_margin
from rosenblatt.solve.nearest_point import coordinates
from strategies import best_margin_squared, labelled, separable

LOADERS = {
    "cancer": load_breast_cancer,
    "wine": load_wine,
    "iris": load_iris,
    "digits": load_digits,
}
REAL = [("cancer", 1), ("iris", 0), *(("wine", k) for k in range(3))]
REAL += [("digits", k) for k in (0, 3, 7)]


def real(name, positive):
    X, y = LOADERS[name](return_X_y=True)
    return X, np.where(y == positive, 1, -1)


def cloud(n, d, gap, seed=0, offset=0.3):
    """A Gaussian cloud, each side pushed away from a hyperplane by ``gap``."""
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(n, d)), rng.normal(size=d)
    u /= np.linalg.norm(u)
    y = np.where(X @ u + offset > 0, 1, -1)
    return X + gap * np.outer(y, u), y


def full_program(X, y, bias):
    """The weights by clarabel on the whole quadratic program."""
    import clarabel

    A = y[:, None] * np.column_stack([X, np.full(len(X), float(bias != "none"))])
    squares = np.ones(A.shape[1])
    squares[-1] = bias != "free"
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solution = clarabel.DefaultSolver(
        sparse.diags_array(squares, format="csc"),
        np.zeros(A.shape[1]),
        sparse.csc_array(-A),
        -np.ones(len(A)),
        [clarabel.NonnegativeConeT(len(A))],
        settings,
    ).solve()
    return np.array(solution.x)


def assert_optimal(X, y, result, bias, rtol=1e-6):
    """The bracket and the Karush–Kuhn–Tucker conditions, evaluated anew."""
    bracket, w = result.bracket, result.weights
    assert 0 < bracket.lower <= bracket.upper
    assert bracket.relative_gap <= rtol
    reached = set_margin(X, y, w, padded=bias == "padded")
    assert reached == pytest.approx(bracket.lower, rel=1e-6)
    assert (y * (X @ w[:-1] + w[-1])).min() == pytest.approx(1, rel=1e-6)
    assert np.all(np.sign(result.dual) == y[result.support])
    combination = result.dual @ X[result.support]
    assert np.linalg.norm(combination) <= np.linalg.norm(w) * (1 + 1e-3)
    if bias == "free":
        assert abs(result.dual.sum()) <= 1e-12 * abs(result.dual).sum()
    if bias == "none":
        assert w[-1] == 0


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(("d", "gap"), [(2, 0.5), (5, 0.05), (20, 0.005), (60, 0.1)])
def test_agrees_with_a_solver_of_the_full_program(bias, d, gap):
    X, y = cloud(500, d, gap, offset=0.0 if bias == "none" else 0.3)
    result = max_margin(X, y, bias=bias)
    assert_optimal(X, y, result, bias)
    expected = full_program(X, y, bias)
    np.testing.assert_allclose(
        result.weights, expected, rtol=0, atol=1e-6 * np.linalg.norm(expected)
    )


@pytest.mark.parametrize(("d", "gap"), [(2, 0.5), (5, 0.2)])
def test_agrees_with_svc(d, gap):
    X, y = cloud(300, d, gap)
    clf = MaxMargin().fit(X, y)
    svc = SVC(kernel="linear", C=1e10, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(clf.coef_, svc.coef_, rtol=1e-5)
    np.testing.assert_allclose(clf.intercept_, svc.intercept_, rtol=1e-5)
    assert clf.support_.tolist() == sorted(svc.support_.tolist())
    np.testing.assert_allclose(clf.dual_coef_ @ X[clf.support_], clf.coef_, rtol=1e-6)


@pytest.mark.parametrize("bias", ["free", "padded"])
@pytest.mark.parametrize(("name", "positive"), REAL)
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_real_data_as_it_comes(name, positive, bias, rtol):
    X, y = real(name, positive)
    assert_optimal(X, y, max_margin(X, y, bias=bias, rtol=rtol), bias, rtol)


def test_raw_breast_cancer_has_its_exact_margin():
    X, y = real("cancer", 1)
    # γ² of the rows in the dual's support is exact, and at least that of all rows.
    result = max_margin(X, y, bias="padded", rtol=1e-9)
    exact = math.sqrt(best_margin_squared(X[result.support], y[result.support]))
    assert result.bracket.upper == pytest.approx(exact, rel=1e-8)


def test_two_points():
    result = max_margin([[1.0, 2.0], [4.0, 6.0]], ["b", "a"])
    np.testing.assert_allclose(result.weights, [-6 / 25, -8 / 25, 47 / 25])
    assert result.bracket.lower == pytest.approx(2.5)
    np.testing.assert_allclose(result.dual, [2 / 25, -2 / 25])


def test_three_points():
    # (2, 2) against (0, 0) and (1, 0): the nearest points of the hulls are (2, 2) and (1, 0).
    result = max_margin([[2.0, 2.0], [0.0, 0.0], [1.0, 0.0]], [1, -1, -1])
    np.testing.assert_allclose(result.weights, [0.4, 0.8, -1.4], atol=1e-12)
    assert result.support.tolist() == [0, 2]
    # All three hold the hyperplane x + y = 1 of (1, 1) against (1, −1) and (−1, 1).
    clf = MaxMargin().fit([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]], [1, -1, -1])
    np.testing.assert_allclose(np.r_[clf.coef_[0], clf.intercept_], [1, 1, -1], atol=1e-12)
    assert clf.margin_ == pytest.approx(math.sqrt(0.5))
    assert clf.slab_width_ == pytest.approx(math.sqrt(2))
    assert clf.support_.tolist() == [0, 1, 2]


@given(separable(n=(2, 15), d=(1, 4)))
def test_padded_margin_is_exact(problem):
    X, y = problem
    bracket = margin(X, y, rtol=1e-9)
    exact = math.sqrt(best_margin_squared(X, 2.0 * y - 1))
    assert bracket.relative_gap <= 1e-9
    assert bracket.lower == pytest.approx(exact, rel=1e-9)
    assert bracket.upper == pytest.approx(exact, rel=1e-9)


@given(separable(n=(2, 15), d=(1, 4)), st.sampled_from(BIASES))
def test_small_problems(problem, bias):
    X, y = problem
    signs = 2 * y - 1
    try:
        result = max_margin(X, signs, bias=bias, rtol=1e-9)
    except NotSeparableError:
        assert bias == "none"  # some need a bias
    else:
        assert_optimal(X, signs, result, bias, 1e-9)


@given(separable(n=(2, 15), d=(1, 4)), st.integers(-50, 50))
def test_a_free_bias_does_not_feel_a_translation(problem, shift):
    X, y = problem
    here, there = max_margin(X, y), max_margin(X + shift, y)
    assert here.bracket.lower == pytest.approx(there.bracket.lower, rel=1e-6)


@given(labelled(n=(2, 12), d=(1, 3)))
def test_the_verdict_is_that_of_exact_arithmetic(problem):
    X, y = problem
    exact = math.sqrt(best_margin_squared(X, 2.0 * y - 1))
    assert margin(X, y).lower == pytest.approx(exact, rel=1e-6)
    if exact == 0:
        assert margin(X, y) == Bracket(0.0, 0.0)
        with pytest.raises(NotSeparableError) as caught:
            max_margin(X, y)
        assert caught.value.certificate.verify(X, y)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0, 1.0]] * 200 + [[-1.0, -1.0]] * 3, [1] * 200 + [-1] * 3),
        ([[float(k), 2.0 * k] for k in (1, 2, 3, -1, -2)], [1, 1, 1, -1, -1]),
        (np.eye(6, 40).tolist(), [1, -1, 1, -1, 1, -1]),
        ([[1e-8], [-1e-8]], [1, -1]),
        ([[1e8, 1.0], [1e8, -1.0]], [1, -1]),
    ],
    ids=["duplicates", "collinear", "fewer rows than columns", "tiny", "far away"],
)
def test_degenerate(X, y, bias):
    X, y = np.array(X), np.array(y)
    assert_optimal(X, y, max_margin(X, y, bias=bias), bias)


@pytest.mark.parametrize("bias", BIASES)
def test_dense_sparse_and_single_precision_agree(bias):
    X, y = cloud(400, 12, 0.1, offset=0.0 if bias == "none" else 0.3)
    X = np.round(X * 64)  # integers: exact in every format
    dense = max_margin(X, y, bias=bias)
    for other in (X.astype(np.float32), sparse.csr_array(X), sparse.csr_array(X, dtype=np.float32)):
        result = max_margin(other, y, bias=bias)
        np.testing.assert_allclose(result.weights, dense.weights, rtol=1e-9, atol=1e-12)
        assert result.support.tolist() == dense.support.tolist()


@pytest.mark.parametrize("bias", BIASES)
def test_wide_sparse_rows(bias):
    X = sparse.random_array((80, 3000), density=0.01, rng=np.random.default_rng(1), format="csr")
    y = np.where(np.arange(80) % 3 == 0, 1, -1)
    wide, dense = max_margin(X, y, bias=bias, rtol=1e-9), max_margin(X.toarray(), y, bias=bias)
    assert_optimal(X.toarray(), y, wide, bias, 1e-9)
    np.testing.assert_allclose(wide.weights, dense.weights, atol=1e-8 * abs(dense.weights).max())


@pytest.mark.parametrize("apart", [1.0, 1e-6, 0.0], ids=["independent", "nearly equal", "equal"])
def test_wide_dense_rows_keep_their_products_in_fewer_dimensions(apart):
    rows = np.random.default_rng(2).standard_normal((30, 400))
    rows[7] = rows[3] + apart * rows[7]
    short, back = coordinates(rows)
    assert short.shape[1] <= 30
    np.testing.assert_allclose(short @ short.T, rows @ rows.T, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(back(short[5]), rows[5], atol=1e-11)
    # What tells nearly equal rows apart is not lost in their products.
    gap = np.linalg.norm(rows[7] - rows[3])
    np.testing.assert_allclose(np.linalg.norm(short[7] - short[3]), gap, rtol=1e-8, atol=1e-13)


def test_few_points_are_taken_in_and_none_is_dropped():
    X, y = cloud(6_000, 120, 0.02)
    search = local_search(X, (y > 0).astype(int), "free")
    sizes = [len(search.working)]
    while search.goes_on(1e-6):
        search.step()
        sizes.append(len(search.working))
    assert len(sizes) > 2
    assert sizes == sorted(sizes)
    assert sizes[-1] < len(X) / 4
    assert_optimal(X, y, max_margin(X, y), "free")


def test_many_points_need_few_rounds():
    X, y = cloud(20_000, 20, 0.005)
    result = max_margin(X, y)
    assert_optimal(X, y, result, "free")
    assert result.rounds <= 10


def test_a_round_too_few_is_said():
    X, y = real("cancer", 1)
    with pytest.warns(NotConverged, match="relative gap"):
        result = max_margin(X, y, max_rounds=1)
    assert result.bracket.lower > 0
    assert set_margin(X, y, result.weights) == pytest.approx(result.bracket.lower)


def test_of_tiny_data_only_the_wide_bracket_is_warned_about():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]) * 1e-300, [0, 0, 1, 1]
    with pytest.warns() as said:
        bracket = margin(X, y)
    assert {w.category for w in said} == {NotConverged}
    assert 0 < bracket.lower <= bracket.upper


def test_a_margin_lost_in_rounding_is_bracketed():
    X, y = np.array([[1e15], [1e15 + 0.125], [0.0]]), np.array([-1, 1, -1])
    assert 0.0625 * (1 - 1e-12) < max_margin(X, y).bracket.lower <= 0.0625
    assert max_margin(X, y).bracket.upper == 0.0625
    with pytest.warns(NotConverged):
        result = max_margin(X, y, bias="padded")
    assert math.sqrt(best_margin_squared(X, y)) in result.bracket


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"bias": "half"}, "bias"), ({"rtol": 0.0}, "rtol"), ({"max_rounds": 0}, "max_rounds")],
)
def test_bad_parameters(arguments, words):
    with pytest.raises(InputError, match=words):
        max_margin([[0.0], [1.0]], [0, 1], **arguments)


def test_bad_data():
    with pytest.raises(InputError, match="two classes, but y has 3"):
        margin([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(InputError, match="NaN at row 1, column 0"):
        margin([[0.0], [np.nan]], [0, 1])
    with pytest.raises(InputError, match="multiclass"):
        MaxMargin(multiclass="both").fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_padded_margin_is_what_margin_says():
    X, y = real("iris", 0)
    clf = MaxMargin("padded").fit(X, y)
    assert clf.bracket_ == margin(X, y)
    assert clf.margin_ == pytest.approx(
        1 / np.hypot(*map(np.linalg.norm, (clf.coef_, clf.intercept_)))
    )


def test_boundary_is_positive():
    clf = MaxMargin().fit([[0.0], [2.0]], ["no", "yes"])
    assert clf.decision_function([[1.0]]) == 0
    assert clf.predict([[1.0], [0.9]]).tolist() == ["yes", "no"]


def test_several_classes():
    X, y = load_wine(return_X_y=True)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    for multiclass, n_jobs in (("ovr", None), ("ovo", 2)):
        clf = MaxMargin(multiclass=multiclass, n_jobs=n_jobs).fit(X, names)
        assert clf.score(X, names) == 1.0
        assert clf.coef_.shape == (3, 13)
        assert clf.gap_ <= 1e-6
        np.testing.assert_allclose(clf.slab_width_, 2 * clf.margin_, rtol=1e-9)
        for rows, dual, w in zip(clf.support_, clf.dual_coef_, clf.coef_, strict=True):
            np.testing.assert_allclose(dual[0] @ X[rows], w, atol=1e-6 * abs(w).max())


def test_pairs_can_be_separable_where_one_against_the_rest_is_not():
    X, y = np.arange(9.0)[:, None], np.repeat(["a", "b", "c"], 3)
    with pytest.raises(NotSeparableError, match="Class 'b' against the rest"):
        MaxMargin().fit(X, y)
    assert MaxMargin(multiclass="ovo").fit(X, y).score(X, y) == 1.0


class Relabelled(MaxMargin):
    """Fits inseparable data with the labels that a ridge classifier gives it."""

    def _solve(self, X, y, rows, name):
        try:
            return super()._solve(X, y, rows, name)
        except NotSeparableError:
            scores = RidgeClassifier(alpha=1e-3).fit(X, y == y.max()).decision_function(X)
            high = scores >= 0
            if high.all() or not high.any():
                high = scores > np.median(scores)
            return super()._solve(X, high, rows, name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_the_contract_of_scikit_learn(multiclass):
    """scikit-learn's checks fit random labels: what fails is refused as inseparable, no more."""
    for outcome in check_estimator(MaxMargin(multiclass=multiclass), on_fail=None):
        if outcome["status"] == "failed":
            assert "NotSeparableError" in chain(outcome["exception"]), outcome["check_name"]
    failed = [
        (outcome["check_name"], outcome["exception"])
        for outcome in check_estimator(Relabelled(multiclass=multiclass), on_fail=None)
        if outcome["status"] == "failed"
    ]
    assert not failed


def chain(error):
    """The names of an exception and of those behind it."""
    names = []
    while error is not None:
        names.append(type(error).__name__)
        error = error.__cause__ or error.__context__
    return names


ULP = 2.0**-52
NARROW = {
    "two": ([1.0, 1 - ULP / 2], [1, 0]),
    "six": ([3 + 2 * ULP, 3.0, 3 + 2 * ULP, 3 + 4 * ULP, 3.0, 3 + 2 * ULP], [1, 0, 1, 1, 0, 1]),
    "far": ([1e6, 1e6 + 2.0**-33, 1e6 + 2.0**-32], [0, 1, 1]),
}


@pytest.mark.filterwarnings("ignore:The margin is known to be in")
@pytest.mark.parametrize("bias", ["free", "padded"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("column", "y"), NARROW.values(), ids=NARROW)
def test_training_rows_are_predicted_as_they_were_separated(tmp_path, column, y, turned, bias):
    X = np.array(column)[:, np.newaxis]
    labels = np.array(y) ^ turned
    for rows in (X, sparse.csr_array(X)):
        model = MaxMargin(bias=bias).fit(rows, labels)
        rb.save(model, tmp_path / "model")
        for same in (model, pickle.loads(pickle.dumps(model)), rb.load(tmp_path / "model")):
            scores = same.decision_function(rows)
            np.testing.assert_array_equal(np.sign(scores), 2 * labels - 1)
            np.testing.assert_array_equal(scores, model.decision_function(rows))
        assert model.score(rows, labels) == 1
    model.coef_ = np.zeros((1, 1))  # the user's own
    np.testing.assert_array_equal(model.decision_function(X), np.full(len(X), model.intercept_))


@pytest.mark.filterwarnings("ignore:The margin is known to be in")
def test_training_rows_of_several_classes_are_predicted_as_they_were_separated():
    X = np.array([[0.0, 1.0], [0.0, 1 + ULP], [9.0, 0.0], [-9.0, 0.0]])
    y = ["a", "b", "c", "d"]
    assert MaxMargin(multiclass="ovo").fit(X, y).predict(X).tolist() == y


@st.composite
def columns_one_ulp_apart(draw):
    """Rows of one number, written in several columns with at most one rounding between them."""
    column = draw(st.lists(st.sampled_from([0.1, 0.3, 1.1, -0.7, 3.0]), min_size=3, max_size=8))
    steps = st.tuples(*3 * [st.integers(0, 1)])
    X = pushed([(v, *draw(steps)) for v in column])
    y = draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X)))
    return X, [0, 1, *y[2:]]


def pushed(rows):
    """Numbers, each written so many roundings further up in several columns."""
    return np.array([[v + k * np.spacing(v) for k in steps] for v, *steps in rows])


# Found by chance: floats had it that the first weights separate.
FREE = [(0.1, -1, 0), (0.3, -1, 1), (1.1, 0, -1), (0.3, 1, -1)]
NONE = [(0.3, 0, 1, 1), (0.3, 0, -1, -1), (0.3, 0, -1, -1), (0.1, 0, 0, 1), (0.1, 0, -1, -1)]
PADDED = [(0.3, 0, -1, -1, -1), (1.1, 0, 1, -1, 1), (1.1, 0, -1, -1, 1)]
ROUNDED = {
    "free": (pushed(FREE), [1, 1, 1, 0]),
    "none": (pushed(NONE), [0, 1, 1, 0, 0]),
    "padded": (pushed(PADDED), [0, 0, 1]),
}


def is_proved(X, y, bias):
    """Whether the hyperplane is right on every row and its certificate holds, or there is none."""
    decision = rb.decide(X, y, fit_intercept=bias != "none")
    try:
        with warnings.catch_warnings(action="ignore"):
            clf = MaxMargin(bias=bias).fit(X, y)
    except NotSeparableError:
        return decision.verdict is rb.Verdict.INSEPARABLE
    return clf.score(X, y) == 1 and bool(clf.certify(X, y).verify(X, y))


@pytest.mark.parametrize("bias", BIASES)
def test_what_was_separated_by_rounding_alone_is_proved(bias):
    assert is_proved(*ROUNDED[bias], bias)


@pytest.mark.parametrize("bias", BIASES)
@given(problem=columns_one_ulp_apart())
def test_columns_one_ulp_apart_are_separated_or_refused(problem, bias):
    assert is_proved(*problem, bias)

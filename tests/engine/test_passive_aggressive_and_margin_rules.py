"""The family's guarantees as property tests, and `PassiveAggressive` against scikit-learn's."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import sklearn.linear_model
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import parametrize_with_checks

from expected import OUT_OF_PASSES
from rosenblatt.engine import rules
from rosenblatt.engine.loop import learn
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import exact_points, make_points
from rosenblatt.engine.rules import PerceptronRule, State
from rosenblatt.engine.rules.margin_share import dynamic_margin_bound, make_margin_rule
from rosenblatt.engine.rules.passive_aggressive import make_passive_aggressive
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from rosenblatt.errors import InputError
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.margins import mistake_bound
from rosenblatt.solve.wolfe import min_norm_point

quick = settings(max_examples=60, deadline=None)
integers = st.integers(-4, 4)
aggressiveness = st.sampled_from([0.05, 0.5, 1.0, 20.0])


def matrices(rows, columns):
    return st.lists(st.lists(integers, min_size=columns, max_size=columns), **rows).map(
        lambda rows: np.array(rows, dtype=float)
    )


@st.composite
def labelled(draw):
    """Rows and signs, separable or not."""
    X = draw(matrices({"min_size": 2, "max_size": 8}, draw(st.integers(1, 3))))
    y = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=len(X), max_size=len(X)))
    return X, np.array(y)


@st.composite
def separable(draw):
    """Rows, signs, R and the exact γ of their padded points."""
    X, _ = draw(labelled())
    u = np.array(draw(st.lists(integers, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)))
    scores = X @ u[:-1] + u[-1]
    X, y = X[scores != 0], np.sign(scores[scores != 0])
    assume(len(X))
    A = y[:, None] * padded(X)
    return X, y, radius(X), math.sqrt(min_norm_point(A).squared_norm)


@st.composite
def separable_classes(draw):
    """Rows, codes of three classes, √2·R and the exact γ of the best lead."""
    d = draw(st.integers(1, 2))
    X = draw(matrices({"min_size": 3, "max_size": 7}, d))
    W = draw(matrices({"min_size": 3, "max_size": 3}, d + 1))
    scores = padded(X) @ W.T
    best = np.sort(scores, axis=1)
    clear = best[:, -1] > best[:, -2]
    X, y = X[clear], scores.argmax(axis=1)[clear]
    assume(len(X))
    rows = []
    for x, k in zip(padded(X), y, strict=True):
        for rival in {0, 1, 2} - {k}:
            row = np.zeros((3, d + 1))
            row[k], row[rival] = x, -x
            rows.append(row.ravel())
    return X, y, math.sqrt(2) * radius(X), math.sqrt(min_norm_point(np.array(rows)).squared_norm)


def padded(X):
    return np.column_stack([X, np.ones(len(X))])


def radius(X):
    return float(np.linalg.norm(padded(X), axis=1).max())


def losses(rule, points, passes):
    """The loss of each look, by the plain rule."""
    state = zero_state(points, 3 if rule.per_class else 0)
    seen = []
    for _ in range(passes):
        for i in range(len(points.y)):
            before = rule.suffered[0]
            rules.step(rule, points, i, state)
            seen.append(rule.suffered[0] - before)
    return np.array(seen)


def final_margin(points, rule, run):
    in_play = np.arange(len(points.y))
    return all_margins(points, rule, run.state, in_play).min() / np.linalg.norm(run.weights)


# --- Thresholds and margins ---------------------------------------------------------------------


@quick
@given(separable(), st.sampled_from([0.1, 1.0, 30.0]), st.sampled_from([0.5, 1.0, 2.0]))
def test_fixed_threshold_bounds_updates_and_leaves_a_margin(problem, delta, eta):
    X, y, R, gamma = problem
    rule = PerceptronRule(delta)
    points = make_points(X, y, steps=eta)
    run = learn(CompiledSweep(points, rule))
    assert run.stop is Stop.SEPARATED
    assert run.updates <= mistake_bound(R, gamma, delta, eta) * (1 + 1e-9)
    assert final_margin(points, rule, run) >= gamma * delta / (eta * R**2 + 2 * delta) - 1e-9


@quick
@given(
    separable(),
    st.sampled_from([0.0, 0.3, 0.45, 0.5, 0.6, 0.8, 0.9, 0.95]),
    st.sampled_from(["active", "cyclic", "worst"]),
)
def test_dynamic_margin_reaches_its_share(problem, share, order):
    X, y, R, gamma = problem
    rule = make_margin_rule(2, share)
    points = make_points(X, y)
    run = learn(CompiledSweep(points, rule), order=order)
    assert final_margin(points, rule, run) >= share * gamma * (1 - 1e-9)
    assert run.updates <= dynamic_margin_bound(R, gamma, share) * (1 + 1e-9)


@quick
@given(separable_classes(), st.sampled_from([0.0, 0.5, 0.8]))
def test_dynamic_margin_of_several_classes(problem, share):
    X, y, reach, gamma = problem
    rule = make_margin_rule(3, share)
    points = make_points(X, y)
    run = learn(CompiledSweep(points, rule, state=zero_state(points, 3)))
    assert final_margin(points, rule, run) >= share * gamma * (1 - 1e-9)
    assert run.updates <= dynamic_margin_bound(reach, gamma, share) * (1 + 1e-9)


def test_dynamic_margin_of_weighted_points():
    X, y = load_iris(return_X_y=True)
    points = make_points(X, np.where(y == 0, 1.0, -1.0), steps=np.linspace(0.2, 3.0, len(X)))
    gamma = math.sqrt(min_norm_point(points.y[:, None] * padded(X)).squared_norm)
    rule = make_margin_rule(2, 0.9)
    assert final_margin(points, rule, learn(CompiledSweep(points, rule))) >= 0.9 * gamma


def test_dynamic_margin_remembers_exactly_in_fractions():
    points = exact_points([[1, 2], [3, -1], [2, 2]], [1, 1, -1])
    rule = make_margin_rule(2, 0.5)._replace(share=Fraction(1, 2), memory=[Fraction(0)] * 2)
    zeros = [Fraction(0)] * 3
    state = State(list(zeros), list(zeros), list(zeros), list(zeros), [0], [])
    tally = rules.cycle(rule, points, range(3), 10_000, 10_000, state)
    assert tally.last == 0
    assert rule.memory == [sum(w * w for w in state.weights), sum(state.dual)]


def test_dynamic_margin_starts_anew_with_every_run():
    points = make_points(np.array([[1.0, 2.0], [3.0, -1.0]]), np.ones(2))
    rule = make_margin_rule(2, 0.9)
    first, second = learn(CompiledSweep(points, rule)), learn(CompiledSweep(points, rule))
    assert first.updates == second.updates
    assert first.weights.tolist() == second.weights.tolist()


# --- Passive-aggressive -------------------------------------------------------------------------


@quick
@given(separable(), st.integers(1, 4))
def test_pa_squared_losses_are_bounded(problem, passes):
    X, y, R, gamma = problem
    seen = losses(make_passive_aggressive(2, math.inf), make_points(X, y), passes)
    assert (seen**2).sum() <= R**2 / gamma**2 * (1 + 1e-9)  # ‖u‖ = 1/γ has loss 0


@quick
@given(separable_classes())
def test_multiclass_pa_squared_losses_are_bounded(problem):
    X, y, reach, gamma = problem
    seen = losses(make_passive_aggressive(3, math.inf), make_points(X, y), 2)
    assert (seen**2).sum() <= reach**2 / gamma**2 * (1 + 1e-9)


@quick
@given(labelled(), matrices({"min_size": 1, "max_size": 1}, 4), aggressiveness, st.integers(1, 3))
def test_pa1_mistakes_and_pa2_losses_are_bounded_by_any_comparator(problem, u, C, passes):
    X, y = problem
    u = u[0, : X.shape[1] + 1] / 3
    suffered = np.maximum(0, 1 - y * (padded(X) @ u))
    R = radius(X)
    seen = losses(make_passive_aggressive(2, C), make_points(X, y), passes)
    bound = max(R**2, 1 / C) * (u @ u + 2 * C * passes * suffered.sum())
    assert (seen >= 1).sum() <= bound * (1 + 1e-9)
    seen = losses(make_passive_aggressive(2, C, "squared_hinge"), make_points(X, y), passes)
    bound = (R**2 + 0.5 / C) * (u @ u + 2 * C * passes * (suffered**2).sum())
    assert (seen**2).sum() <= bound * (1 + 1e-9)


# --- What every rule keeps ----------------------------------------------------------------------

RULES = {
    "PA-I": make_passive_aggressive(2, 0.3),
    "PA-II": make_passive_aggressive(2, 0.3, "squared_hinge", padded=False),
    "multiclass PA": make_passive_aggressive(3, 0.3),
    "dynamic": make_margin_rule(2, 0.7),
    "multiclass dynamic": make_margin_rule(3, 0.7),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_average_and_dual_form_are_those_of_the_plain_rule(name, make):
    rule = RULES[name]
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3].copy()
    y = y if "multiclass" in name else np.where(y == 1, 1.0, -1.0)
    points = make_points(make(X), y)
    dense = make_points(X, y)
    state = zero_state(dense, rules.vectors(rule, dense))
    total = np.zeros_like(state.weights)
    for _ in range(3):
        for i in range(len(y)):
            change = rules.step(rule, dense, i, state)
            state.dual[i] += change
            state.clock[0] += 1
            total += state.weights
    run = learn(CompiledSweep(points, rule), order="cyclic", budget=Budget(passes=3))
    np.testing.assert_allclose(run.weights, state.weights, atol=1e-9)
    np.testing.assert_allclose(run.average, total / (3 * len(y)), atol=1e-9)
    np.testing.assert_allclose(run.state.dual, state.dual, atol=1e-9)
    if state.weights.ndim == 1:
        np.testing.assert_allclose((run.state.dual * y) @ padded(X), run.weights, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_passive_aggressive(2, 0.0), "C must be a positive number, got 0.0"),
        (lambda: make_passive_aggressive(2, math.nan), "C must be a positive number"),
        (lambda: make_passive_aggressive(2, 1.0, "log"), "loss must be 'hinge'"),
        (lambda: make_margin_rule(2, 1.0), "under 1, got 1.0"),
        (lambda: make_margin_rule(2, math.nan), "at least 0 and under 1"),
        (lambda: dynamic_margin_bound(1.0, 0.0, 0.5), "margin > 0"),
    ],
)
def test_parameters_out_of_range_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


# --- PassiveAggressive, the estimator -----------------------------------------------------------

Theirs = getattr(sklearn.linear_model, "PassiveAggressiveClassifier", None)
while_theirs_exists = pytest.mark.skipif(Theirs is None, reason="scikit-learn 1.10 removes it")


def theirs(**parameters):
    with warnings.catch_warnings(action="ignore"):
        return Theirs(**parameters)


def quietly(fit, *data, **more):
    with warnings.catch_warnings(action="ignore"):
        return fit(*data, **more)


def same(a, b):
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.intercept_, b.intercept_, rtol=1e-9, atol=1e-12)
    assert (a.n_iter_, a.t_) == (b.n_iter_, b.t_)


def blobs(classes):
    return make_classification(300, 12, n_informative=8, n_classes=classes, random_state=1)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"loss": "squared_hinge", "C": 0.1},
        {"C": 0.01, "random_state": 5},
        {"C": math.inf},
        {"shuffle": False, "tol": None, "max_iter": 7},
        {"fit_intercept": False},
        {"class_weight": "balanced"},
        {"class_weight": {0: 3.0}},
        {"average": True},
        {"average": 37},
        {"average": 3000, "tol": None, "max_iter": 2},
        {"tol": 0.1, "n_iter_no_change": 2},
        {"n_jobs": 2},
    ],
    ids=str,
)
@while_theirs_exists
def test_same_as_scikit_learn(monkeypatch, classes, parameters):
    monkeypatch.setattr("rosenblatt.fit.one_vs.FEW_WITHOUT_PROOFS", 0)  # threads for short runs
    X, y = blobs(classes)
    parameters = {"random_state": 0, **parameters}
    same(PassiveAggressive(**parameters).fit(X, y), quietly(theirs(**parameters).fit, X, y))


@while_theirs_exists
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_zero_rows_are_treated_as_by_scikit_learn(loss):
    X, y = blobs(2)
    X[::5] = 0.0
    parameters = {"loss": loss, "shuffle": False, "tol": None, "max_iter": 3}
    same(PassiveAggressive(**parameters).fit(X, y), quietly(theirs(**parameters).fit, X, y))


@while_theirs_exists
@pytest.mark.parametrize("classes", [2, 4])
def test_batches_as_in_scikit_learn(classes):
    X, y = blobs(classes)
    a, b = PassiveAggressive(random_state=3), theirs(random_state=3)
    for batch in np.array_split(np.arange(len(X)), 5):
        a.partial_fit(X[batch], y[batch], classes=range(classes))
        b.partial_fit(X[batch], y[batch], classes=range(classes))
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.intercept_, b.intercept_, rtol=1e-9, atol=1e-12)
    assert a.t_ == b.t_
    assert a.looks_ == len(X) * len(a.runs_)


@pytest.mark.parametrize("classes", [2, 4])
def test_sparse_rows_give_the_model_of_their_dense_copy(classes):
    X, y = blobs(classes)
    a, b = (PassiveAggressive().fit(rows, y) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9)
    np.testing.assert_allclose(a.intercept_, b.intercept_, rtol=1e-9)


def rows_held_out(y, fraction=0.1):
    return train_test_split(np.arange(len(y)), test_size=fraction, random_state=0, stratify=y)[1]


def test_early_stopping_keeps_the_best_weights():
    X, y = blobs(2)
    clf = PassiveAggressive(early_stopping=True, n_iter_no_change=3).fit(X, y)
    held_out = rows_held_out(y)
    errors = clf.runs_[0].column("validation_error")
    assert clf.stop_ in (Stop.VALIDATION_ERROR, Stop.SEPARATED)
    assert 1 - clf.score(X[held_out], y[held_out]) == pytest.approx(errors.min())


def test_early_stopping_of_classes_too_rare_to_be_held_out_alike():
    X, y = blobs(3)
    y[0] = 9
    clf = PassiveAggressive(early_stopping=True).fit(X, y)
    assert len(clf.runs_) == 4
    with pytest.raises(InputError, match="validation_fraction must be a number between 0 and 1"):
        PassiveAggressive(early_stopping=True, validation_fraction=1.5).fit(X, y)


def test_native_classes_are_the_rule_of_all_classes_at_once():
    X, y = blobs(4)
    clf = PassiveAggressive(multiclass="native", shuffle=False, tol=None, max_iter=3, C=0.5)
    clf.fit(X, y)
    points, budget = make_points(X, y), Budget(passes=3)
    rule = make_passive_aggressive(4, 0.5, padded=False)
    run = learn(CompiledSweep(points, rule), order="cyclic", budget=budget)
    np.testing.assert_array_equal(np.column_stack([clf.coef_, clf.intercept_]), run.weights)
    assert (len(clf.runs_), clf.updates_) == (1, run.updates)
    with pytest.raises(InputError, match="needs 4 runs, but there are 1"):
        clf.set_params(multiclass="ovr").partial_fit(X, y)


def test_warm_start_goes_on_where_the_last_fit_ended():
    X, y = blobs(3)
    parameters = {"shuffle": False, "tol": None}
    once = PassiveAggressive(max_iter=4, **parameters).fit(X, y)
    twice = PassiveAggressive(max_iter=2, warm_start=True, **parameters).fit(X, y).fit(X, y)
    np.testing.assert_allclose(twice.coef_, once.coef_)
    start = PassiveAggressive(max_iter=2, **parameters).fit(X, y)
    given = PassiveAggressive(max_iter=2, **parameters)
    given.fit(X, y, coef_init=start.coef_, intercept_init=start.intercept_)
    np.testing.assert_allclose(given.coef_, once.coef_)


def test_the_padded_rule_keeps_the_papers_bound_where_scikit_learns_overshoots():
    X, y = np.array([[0.1], [-0.1]]), np.array([1, -1])
    seen = [
        losses(make_passive_aggressive(2, math.inf, padded=p), make_points(X, y * 1.0), 1)
        for p in (True, False)
    ]
    bound = radius(X) ** 2 / 0.1**2
    assert (seen[0] ** 2).sum() <= bound
    assert (seen[1] ** 2).sum() > bound
    assert PassiveAggressive(C=math.inf, padded=True).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": -1.0}, "C must be a positive number"),
        ({"loss": "log"}, "loss must be 'hinge'"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"average": -2}, "average must be a bool or a count"),
        ({"average": 1.5}, "average must be a bool or a count"),
        ({"multiclass": "ovo"}, "multiclass must be 'ovr' or 'native'"),
    ],
)
def test_estimator_refuses(parameters, message):
    with pytest.raises(InputError, match=message):
        PassiveAggressive(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_partial_fit_needs_the_classes_first():
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        PassiveAggressive().partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match="at least two classes"):
        PassiveAggressive().partial_fit([[0.0]], [0], classes=[0])


WEIGHTS = "a weight multiplies a step, which is not a repetition"


@pytest.mark.filterwarnings(
    "ignore:The weights left the range:sklearn.exceptions.ConvergenceWarning"
)
@OUT_OF_PASSES
@parametrize_with_checks(
    [
        PassiveAggressive(),
        PassiveAggressive(loss="squared_hinge", average=True, padded=True),
        PassiveAggressive(multiclass="native"),
    ],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    },
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)

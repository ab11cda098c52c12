"""Each theorem of the lectures, as a property of the code."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import exact_points, make_points
from rosenblatt.engine.rules import Multiclass, PerceptronRule, cycle
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from strategies import best_margin_squared, labelled, requirements, separable

ORDERS = ("active", "cyclic", "shuffled", "worst")
orders = st.sampled_from(ORDERS)
steps = st.sampled_from([0.125, 0.5, 1.0, 3.0, 1024.0])


def signs_of(y):
    return 2.0 * y - 1.0


def radius_squared(X, intercept=True):
    return float(np.max(np.sum(X * X, axis=1)) + intercept)


@given(separable(), orders, steps)
def test_novikoff_updates_never_exceed_the_bound_in_any_order_for_any_step(problem, order, eta):
    X, y = problem
    run = learn(
        CompiledSweep(make_points(X, signs_of(y), steps=eta), PerceptronRule()), order=order
    )
    assert run.stop is Stop.SEPARATED
    bound = Fraction(radius_squared(X)) / best_margin_squared(X, signs_of(y))
    assert run.updates <= bound


@given(separable(intercept=False), orders)
def test_novikoff_without_a_bias(problem, order):
    X, y = problem
    run = learn(
        CompiledSweep(make_points(X, signs_of(y), fit_intercept=False), PerceptronRule()),
        order=order,
    )
    assert run.stop is Stop.SEPARATED
    assert run.weights[-1] == 0
    bound = Fraction(radius_squared(X, False)) / best_margin_squared(X, signs_of(y), False)
    assert run.updates <= bound


@given(separable(), orders, steps, st.sampled_from([0.25, 1.0, 8.0]))
def test_with_a_threshold_updates_and_final_margin_obey_their_bounds(problem, order, eta, delta):
    X, y = problem
    run = learn(
        CompiledSweep(make_points(X, signs_of(y), steps=eta), PerceptronRule(delta)), order=order
    )
    gamma2 = best_margin_squared(X, signs_of(y))
    R2 = Fraction(radius_squared(X))
    assert run.updates <= (R2 + 2 * Fraction(delta) / Fraction(eta)) / gamma2
    margins = requirements(X, signs_of(y)) @ run.weights
    reached = margins.min() / np.linalg.norm(run.weights)
    promised = math.sqrt(gamma2) * delta / (eta * float(R2) + 2 * delta)
    assert margins.min() > delta
    assert reached >= promised * (1 - 1e-9)


@given(separable(), orders, st.data())
def test_steps_of_their_own_multiply_the_bound_by_their_spread(problem, order, data):
    X, y = problem
    own = st.lists(st.integers(1, 50).map(float), min_size=len(y), max_size=len(y))
    steps = np.array(data.draw(own))
    run = learn(
        CompiledSweep(make_points(X, signs_of(y), steps=steps), PerceptronRule()), order=order
    )
    bound = Fraction(radius_squared(X)) / best_margin_squared(X, signs_of(y))
    assert run.stop is Stop.SEPARATED
    assert run.updates <= bound * Fraction(steps.max()) / Fraction(steps.min())


def test_without_the_spread_the_bound_would_be_wrong():
    beyond = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, u = rng.integers(-3, 4, (6, 2)).astype(float), rng.standard_normal(3)
        y = (X @ u[:2] + u[2] > 0).astype(int)
        if len(set(y)) == 1:
            continue
        model = rosenblatt.Perceptron(class_weight={1: 100.0}, order="cyclic", certify=False).fit(
            X, y
        )
        plain = Fraction(radius_squared(X)) / best_margin_squared(X, signs_of(y))
        assert model.updates_ <= min(100 * plain, Fraction(model.mistake_bound_))
        beyond += model.updates_ > plain
    assert beyond > 0


@given(separable())
def test_the_sandwich_holds_at_every_update_exactly(problem):
    """k·γ ≤ ‖w‖ ≤ √k·R, squared and over the rationals: no rounding to hide behind."""
    X, y = problem
    points = exact_points(X.tolist(), signs_of(y).astype(int).tolist())
    gamma2 = best_margin_squared(X, signs_of(y))
    R2 = Fraction(radius_squared(X))
    state = zero_state(make_points(X, signs_of(y)))
    state = state._replace(
        weights=np.full(X.shape[1] + 1, Fraction(0), dtype=object),
        pending=[Fraction(0)] * len(y),
        dual=[Fraction(0)] * len(y),
        clock=[0],
    )
    k = 0
    while cycle(PerceptronRule(), points, range(len(y)), 1, 1, state).updates:
        k += 1
        norm2 = sum(w * w for w in state.weights)
        assert k * k * gamma2 <= norm2 <= k * R2


@given(separable(), orders, st.integers(-20, 20))
def test_scaling_the_data_through_the_origin_changes_no_mistake(problem, order, exponent):
    X, y = problem
    a, b = (
        learn(
            CompiledSweep(
                make_points(np.ldexp(X, e), signs_of(y), fit_intercept=False), PerceptronRule()
            ),
            order=order,
            budget=Budget(passes=50),
        )
        for e in (0, exponent)
    )
    assert (a.updates, a.looks) == (b.updates, b.looks)
    np.testing.assert_array_equal(np.ldexp(a.weights, exponent), b.weights)


@given(labelled(), orders, st.sampled_from([0.5, 2.0, 4.0]))
def test_the_step_only_rescales_weights_from_a_start_at_zero(problem, order, eta):
    X, y = problem
    budget = Budget(passes=20)
    one = learn(
        CompiledSweep(make_points(X, signs_of(y)), PerceptronRule()), order=order, budget=budget
    )
    other = learn(
        CompiledSweep(make_points(X, signs_of(y), steps=eta), PerceptronRule()),
        order=order,
        budget=budget,
    )
    assert one.updates == other.updates
    np.testing.assert_array_equal(one.weights * eta, other.weights)
    np.testing.assert_allclose(one.average * eta, other.average, rtol=1e-12, atol=1e-12)


@given(labelled())
def test_an_update_raises_the_points_own_score_by_its_squared_norm(problem):
    X, y = problem
    points = make_points(X, signs_of(y))
    for i in range(len(y)):
        state = zero_state(points)
        state.weights[:] = -signs_of(y)[i] * np.append(X[i], 1.0)
        before = requirements(X, signs_of(y))[i] @ state.weights
        cycle(PerceptronRule(), points, [i], 1, 1, state)
        after = requirements(X, signs_of(y))[i] @ state.weights
        np.testing.assert_equal(after - before, X[i] @ X[i] + 1)


@given(labelled(), orders)
def test_weights_stay_bounded_whatever_the_data(problem, order):
    """Half of the boundedness theorem that holds with a constant: ‖w‖² ≤ k·R² always."""
    X, y = problem
    points = make_points(X, signs_of(y))
    run = learn(CompiledSweep(points, PerceptronRule()), order=order, budget=Budget(passes=100))
    for row, k in zip(run.history, np.cumsum(run.column("mistakes")), strict=True):
        assert row.norm <= math.sqrt(k * radius_squared(X)) * (1 + 1e-12)


def test_weights_do_not_grow_on_xor_however_long_it_runs():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    run = learn(
        CompiledSweep(make_points(X, np.array([-1.0, -1.0, 1.0, 1.0])), PerceptronRule()),
        order="cyclic",
        budget=Budget(passes=10_000),
    )
    assert run.stop is Stop.PASSES
    assert run.updates > 10_000
    assert run.column("norm").max() < 4


@given(labelled(classes=3, n=(3, 12)), orders)
def test_native_multiclass_obeys_twice_novikoffs_bound(problem, order):
    from rosenblatt.solve.constraints import Constraints
    from rosenblatt.solve.wolfe import min_norm_point

    X, y = problem
    constraints = Constraints(X, y, 3)
    pairs = [(i, k) for i in range(len(y)) for k in range(3) if k != y[i]]
    rows = constraints.rows(*(np.array(side) for side in zip(*pairs, strict=True)))
    gamma2 = min_norm_point(rows).squared_norm
    run = learn(
        CompiledSweep(make_points(X, y), Multiclass()), order=order, budget=Budget(updates=3000)
    )
    if gamma2 == 0:
        assert not run.clean
    else:
        bound = 2 * Fraction(radius_squared(X)) / gamma2
        assert run.updates <= bound
        assert run.clean or bound > 3000


@given(separable(), orders)
def test_the_live_bracket_contains_the_best_margin(problem, order):
    from rosenblatt import Perceptron as Estimator

    X, y = problem
    clf = Estimator(order=order, max_iter=100_000).fit(X, y)
    gamma = math.sqrt(best_margin_squared(X, signs_of(y)))
    assert clf.margin_.lower <= gamma * (1 + 1e-12)
    assert clf.margin_.upper >= gamma * (1 - 1e-12)
    assert clf.updates_ <= clf.mistake_bound_


def test_the_radius_is_measured_from_the_origin_not_from_the_centre():
    from rosenblatt import Perceptron as Estimator

    X, y = np.array([[100.0], [101.0]]), np.array([0, 1])
    clf = Estimator(max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(clf.radius_, math.hypot(101, 1))


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_separates_the_same_problem_within_the_same_bound(order):
    rng = np.random.default_rng(0)
    X = rng.integers(-50, 50, size=(300, 5)).astype(float)
    y = (X @ np.arange(1, 6) > 20).astype(int)
    run = learn(CompiledSweep(make_points(X, signs_of(y)), PerceptronRule()), order=order)
    assert run.stop is Stop.SEPARATED
    assert np.all(requirements(X, signs_of(y)) @ run.weights > 0)
    assert run.updates <= Fraction(radius_squared(X)) / best_margin_squared(X, signs_of(y))

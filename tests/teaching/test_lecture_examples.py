"""The worked examples of the lectures, number for number."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import datasets
from rosenblatt.engine.stopping import Stop
from rosenblatt.teaching.tracing import trace


def run(name):
    data = datasets.load(name)
    return trace(data.X, data.y, **data.settings)


def mistakes(t):
    return [step.index for step in t if step.mistake]


def test_five_points_pass():
    t = run("five_points")
    assert [step.score for step in t] == [-1, -1, 14, 17, 12]
    assert mistakes(t) == [1, 4]
    np.testing.assert_array_equal(
        t.weights, [[-1, 0, 0], [-1, 0, 0], [0, 3, 2], [0, 3, 2], [0, 3, 2], [-1, 1, -1]]
    )
    np.testing.assert_array_equal(t.steps[1].update, [1, 3, 2])
    np.testing.assert_array_equal(t.steps[4].update, [-1, -2, -3])
    assert t.stop is Stop.PASSES


def test_five_points_table():
    assert run("five_points").table().splitlines() == [
        "step | index | label | weights     | score                 | correct? | update",
        "1    | 0     | -1    | [-1, 0, 0]  | -1·1 + 0·1 + 0·1 = -1 | yes      | none",
        "2    | 1     | 1     | [-1, 0, 0]  | -1·1 + 0·3 + 0·2 = -1 | no       | + [1, 3, 2]",
        "3    | 2     | 1     | [0, 3, 2]   | 0·1 + 3·2 + 2·4 = 14  | yes      | none",
        "4    | 3     | 1     | [0, 3, 2]   | 0·1 + 3·3 + 2·4 = 17  | yes      | none",
        "5    | 4     | -1    | [0, 3, 2]   | 0·1 + 3·2 + 2·3 = 12  | no       | - [1, 2, 3]",
        "6    |       |       | [-1, 1, -1] |                       |          |",
    ]


def test_five_points_are_separated_in_the_end():
    data = datasets.five_points()
    t = trace(data.X, data.y, init=data.init)
    assert t.stop is Stop.SEPARATED
    b, *w = t.weights[-1]
    assert all(y * (np.dot(x, w) + b) > 0 for x, y in zip(data.X, data.y, strict=True))


def test_six_points_end_in_3_1_after_the_three_mistakes_shown():
    t = run("six_points")
    assert mistakes(t) == [0, 2, 4]
    after = [step.after.tolist() for step in t if step.mistake]
    assert after == [[1, -2], [2, -1], [3, 1]]
    np.testing.assert_array_equal(t.weights[-1], [3, 1])
    assert t.stop is Stop.SEPARATED


def test_six_points_ties_matter_in_the_first_mistake_only_for_the_negative_point():
    data = datasets.six_points()
    first = trace(data.X, data.y, fit_intercept=False, ties="negative").steps[0]
    assert first.score == 0
    assert not first.mistake


def test_two_points_on_the_board():
    t = run("two_points")
    assert mistakes(t) == [0]
    np.testing.assert_array_equal(t.weights[-1], [1, 1, 1])
    assert [step.score for step in t] == [0, -1, 3, -1]


def test_two_points_moved():
    t = run("two_points_moved")
    assert mistakes(t) == [0, 1]
    assert [step.score for step in t] == [0, Fraction(1, 2), Fraction(5, 2), Fraction(-5, 8)]
    np.testing.assert_array_equal(t.weights[-1], [0, Fraction(5, 4), Fraction(5, 4)])
    assert "(5/4)·(-1/4) + (5/4)·(-1/4) = -5/8" in t.table()


def test_three_classes():
    t = run("three_classes")
    (step,) = t
    np.testing.assert_array_equal(step.score, [11, 13, 8])
    assert step.mistake
    assert step.label == 2
    np.testing.assert_array_equal(t.weights[-1], [[-2, 2, 1], [2, 0, 3], [-1, 7, -1]])
    np.testing.assert_array_equal(step.update, [[0, 0, 0], [2, -3, -1], [-2, 3, 1]])
    assert "0: 11, 1: 13, 2: 8 | no       | 2: + [-2, 3, 1], 1: - [-2, 3, 1]" in t.table()


def test_one_update():
    t = run("one_update")
    (step,) = t
    assert step.score == 10
    assert step.mistake
    np.testing.assert_array_equal(step.update, [-4, 0, -1])
    np.testing.assert_array_equal(step.after, [-2, 2, 1])
    assert "2·4 + 2·0 + 2·1 = 10" in t.table()


def test_an_update_raises_the_true_score_by_the_squared_length():
    data = datasets.one_update()
    (step,) = run("one_update")
    x = data.X[0]
    assert np.dot(step.after, x) == step.score - np.dot(x, x)


def test_pass_the_class():
    data, t = datasets.pass_the_class(), run("pass_the_class")
    assert t.stop is Stop.SEPARATED
    assert t.run.updates == 25
    np.testing.assert_array_equal(t.weights[-1], [-9, -40, 50])
    b, *w = t.weights[-1]
    np.testing.assert_array_equal(np.sign((data.X @ w + b).astype(float)), data.y)


@pytest.mark.parametrize(("order", "updates"), [((0, 1, 2, 3), 4), ((0, 3, 1, 2), 5)])
def test_xor_cycles_with_the_proof_that_it_must(order, updates):
    data = datasets.xor()
    order = list(order)
    t = trace(data.X[order], data.y[order])
    assert t.stop is Stop.CYCLES
    assert t.run.updates == updates
    np.testing.assert_array_equal(t.alpha, [1, 1, 1, 1])


def test_quadrants_become_separable_with_the_product():
    data = datasets.quadrants()
    t = trace(data.X, data.y)
    assert t.stop is Stop.CYCLES
    A = data.y[:, None] * np.column_stack([data.X, np.ones(len(data.X), dtype=int)])
    assert not (A.T @ t.alpha).any()
    assert trace(datasets.with_product(data.X), data.y).stop is Stop.SEPARATED


def test_three_samples_have_their_optimum_at_one_seventeenth():
    """Karush–Kuhn–Tucker in exact arithmetic: stationary, feasible, tight, multipliers > 0."""
    data = datasets.three_samples()
    X = [[Fraction(int(x)) for x in row] for row in data.X]
    y = [int(label) for label in data.y]
    w, alpha = [Fraction(1, 17), Fraction(4, 17)], 0
    multipliers = [Fraction(1, 34), Fraction(1, 68), Fraction(1, 68)]
    for x, label in zip(X, y, strict=True):
        assert label * (w[0] * x[0] + w[1] * x[1] + alpha) == 1
    assert sum(m * label for m, label in zip(multipliers, y, strict=True)) == 0
    for j in range(2):
        stationary = sum(m * label * x[j] for m, label, x in zip(multipliers, y, X, strict=True))
        assert stationary == w[j]


@pytest.mark.parametrize("name", datasets.EXAMPLES)
def test_floats_tell_the_same_story(name):
    data = datasets.load(name)
    exact = run(name)
    floats = trace(data.X, data.y, **{**data.settings, "exact": False})
    assert mistakes(floats)[: len(mistakes(exact))] == mistakes(exact)
    np.testing.assert_array_equal(floats.weights[: len(exact.weights)], exact.weights.astype(float))

"""What the course computes: Bayes error, searches, statements, classes of growth, proof lines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import cost, datasets
from rosenblatt.errors import InputError

# --- The Bayes classifier -------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [0.5, 0.2, 0.95])
@pytest.mark.parametrize("distance", [0.7, 2.0, 3.5])
def test_bayes_error_is_the_error_of_the_bayes_classifier(distance, prior):
    n = 200_000
    sample = datasets.mixture(n, 3, distance, prior=prior, seed=5)
    wrong = np.mean(sample.bayes(sample.X) != sample.y)
    spread = math.sqrt(sample.bayes_error * (1 - sample.bayes_error) / n)
    assert abs(wrong - sample.bayes_error) < 5 * spread
    assert abs(np.mean(sample.y == 1) - prior) < 5 / math.sqrt(n)


def test_no_line_of_a_grid_does_better_than_the_bayes_classifier():
    sample = datasets.mixture(100_000, 2, 1.5, prior=0.3, seed=1)
    wrong = np.mean(sample.bayes(sample.X) != sample.y)
    for turn in np.linspace(-0.6, 0.6, 5):
        for shift in (-0.7, 0.0, 0.7):
            c, s = math.cos(turn), math.sin(turn)
            w = np.array([[c, -s], [s, c]]) @ sample.weights[:2]
            said = np.where(sample.X @ w + sample.weights[2] + shift >= 0, 1, -1)
            assert np.mean(said != sample.y) >= wrong - 0.003


def test_probability_agrees_with_the_counts():
    sample = datasets.mixture(200_000, 2, 1.0, prior=0.4, seed=2)
    p = sample.probability(sample.X)
    for low in (0.1, 0.3, 0.5, 0.7):
        here = (p >= low) & (p < low + 0.1)
        assert abs(np.mean(sample.y[here] == 1) - p[here].mean()) < 0.02
    np.testing.assert_array_equal(np.where(p >= 0.5, 1, -1), sample.bayes(sample.X))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"n": 0}, "at least one point"),
        ({"d": 0}, "at least one point"),
        ({"distance": 0}, "distance must be positive"),
        ({"distance": math.inf}, "distance must be positive"),
        ({"prior": 1}, "prior must lie strictly"),
    ],
)
def test_bad_mixtures(how, said):
    with pytest.raises(InputError, match=said):
        datasets.mixture(**{"n": 3, **how})


# --- Searches, statements, classes of growth ------------------------------------------------------


@given(st.lists(st.integers(-20, 20), unique=True), st.integers(-25, 25))
def test_both_searches_agree(numbers, x):
    numbers = sorted(numbers)
    assert cost.binary_search(x, numbers) == cost.search(x, numbers)


@given(st.integers(0, 300))
def test_binary_search_costs_no_more_than_its_formula(n):
    numbers = list(range(n))
    counts = [cost.operations_of(cost.binary_search, x, numbers).comparisons for x in range(-1, n)]
    assert max(counts) == cost.binary_search_cost(n).comparisons
    assert n == 0 or min(counts) == cost.binary_search_cost(n, "best").comparisons
    with pytest.raises(InputError, match="case must be"):
        cost.binary_search_cost(n, "average")


def c_style(x, A, n):
    i = 0
    while i < n:
        if A[i] == x:
            return i
        i += 1
    return -1


def grid(n, m):
    total = 0
    for i in range(n):
        for j in range(m):
            total = total + i * j
    return not total and n < 0


@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_statements_of_a_search_that_fails(n):
    lines = dict(cost.statements(c_style, -1, list(range(n)), n).lines)
    assert lines == {
        "i = 0": 1,
        "while i < n:": n + 1,
        "if A[i] == x:": n,
        "return i": 0,
        "i += 1": n,
        "return -1": 1,
    }


def test_kinds_of_operations():
    kinds = cost.statements(c_style, 2, [5, 6, 2, 9], 4).kinds
    assert kinds == {
        "arithmetic": 2,
        "logical": 0,
        "comparison": 6,
        "access": 3,
        "assignment": 3,
        "call": 0,
        "control": 7,
    }


def test_nested_loops():
    counted = cost.statements(grid, 3, 5)
    assert dict(counted.lines)["for j in range(m):"] == 18
    assert counted.kinds["assignment"] == 1 + 3 + 15 + 15
    assert counted.kinds["call"] == 1 + 3
    assert counted.kinds["arithmetic"] == 30
    assert counted.kinds["logical"] == 2
    assert counted.total == 1 + 4 + 18 + 15 + 1


def test_statements_need_a_source():
    with pytest.raises(InputError, match="has none"):
        cost.statements(max, [1, 2])


def test_a_trace_function_is_put_back(monkeypatch):
    import sys

    seen = []

    def own(frame, event, _):
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(own)
    try:
        cost.statements(c_style, 1, [1], 1)
        assert sys.gettrace() is own
    finally:
        sys.settrace(before)


SIZES = np.array([8, 32, 128, 512, 2048])


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("constant", lambda n: 7 + 0 * n),
        ("logarithmic", lambda n: 2 * np.log2(n) + 5),
        ("linear", lambda n: 2 * n + 1),
        ("linearithmic", lambda n: n * np.log2(n) + 3),
        ("quadratic", lambda n: n**2 - 1),
        ("cubic", lambda n: 2 * n.astype(float) ** 3 + 9),
    ],
)
def test_classes_are_told_apart(name, law):
    found = cost.growth_class(SIZES, law(SIZES))
    assert found.name == name
    assert found.error < 1e-6
    noise = np.random.default_rng(0).uniform(0.97, 1.03, len(SIZES))
    assert cost.growth_class(SIZES, law(SIZES) * noise).name == name


def test_exponential():
    n = np.arange(4, 30, 3)
    found = cost.growth_class(n, 3 * 2.0**n)
    assert found.name == "exponential"
    assert round(found.factor, 6) == 3
    assert "exponential, O(2ⁿ)" in str(found)


@pytest.mark.parametrize(
    ("sizes", "costs", "said"),
    [
        ([1, 2], [1, 2], "three different sizes"),
        ([1, 2, 3], [1, 2], "Each size needs its cost"),
        ([1, 2, 3], [1, 0, 2], "positive and finite"),
    ],
)
def test_bad_sizes(sizes, costs, said):
    with pytest.raises(InputError, match=said):
        cost.growth_class(sizes, costs)


# --- The proof's lines ----------------------------------------------------------------------------

SIX = datasets.six_points()
starts = st.lists(st.integers(-9, 9), min_size=2, max_size=2)


@given(starts, st.integers(1, 4), st.integers(0, 5), st.sampled_from(["cyclic", "shuffled"]))
def test_the_proof_holds_from_any_start(start, eta, threshold, order):
    found = rb.trace(
        SIX.X, SIX.y, init=start, eta=eta, threshold=threshold, order=order, fit_intercept=False
    )
    frame = found.to_pandas(separator=[3, 1])
    slack = 1e-9
    assert (frame.lower <= frame.inner + slack).all()
    assert (frame.inner <= frame.norm + slack).all()
    assert (frame.norm <= frame.upper + slack).all()
    assert frame.k.tolist() == np.cumsum(frame.mistake).tolist()


def test_the_proof_with_a_bias_and_with_three_classes():
    data = datasets.five_points()
    found = rb.trace(data.X, data.y, bias="first")
    best = rb.trace(data.X, data.y, bias="first").weights[-1]
    frame = found.to_pandas(separator=best)
    assert (frame.lower <= frame.inner + 1e-9).all()
    X, y = [[2, 0], [-1, 2], [-1, -2], [3, 1]], ["a", "b", "c", "a"]
    found = rb.trace(X, y)
    frame = found.to_pandas(separator=found.weights[-1])
    assert (frame.lower <= frame.inner + 1e-9).all()
    assert (frame.norm <= frame.upper + 1e-9).all()
    assert frame.lower.iloc[-1] > 0


@pytest.mark.parametrize(
    ("separator", "said"),
    [
        ([0, 1], "does not separate"),
        ([0, 0], "must have the shape"),
        ([1, 2, 3], "must have the shape"),
        (["a", "b"], "array of numbers"),
    ],
)
def test_a_bad_separator(separator, said):
    with pytest.raises(InputError, match=said):
        rb.trace(SIX.X, SIX.y, fit_intercept=False).to_pandas(separator)


def test_labels_with_a_fraction_are_refused_as_elsewhere():
    X, y = [[0, 1], [2, 3], [1, 0], [3, 2]], [0.5, 1.5, 0.5, 1.5]
    for asked in (
        lambda: rb.trace(X, y),
        lambda: rb.risk.descend(X, y),
        lambda: rb.risk.criterion(X, y, [1, 1, 1]),
    ):
        with pytest.raises(InputError, match="Unknown label type: continuous"):
            asked()

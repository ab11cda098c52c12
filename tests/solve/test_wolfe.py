"""Wolfe's algorithm: exact optimality on every input, against brute force and a linear program."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rosenblatt.errors import InputError
from rosenblatt.solve.wolfe import MinNorm, min_norm_point


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def solve(matrix, right):
    """Gauss–Jordan over the rationals; None if the matrix is singular."""
    rows = [[Fraction(x) for x in (*row, r)] for row, r in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def corral_weights(points):
    """Weights of the affine hull's nearest point; None if the points are affinely dependent."""
    border = [[0] + [1] * len(points)]
    gram = [[1, *(dot(a, b) for b in points)] for a in points]
    solution = solve(border + gram, [1] + [0] * len(points))
    return solution and solution[1:]


def brute_force(rows):
    """Least squared norm over every affinely independent subset whose weights are ≥ 0."""
    best = None
    for size in range(1, min(len(rows), len(rows[0]) + 1) + 1):
        for points in combinations(rows, size):
            weights = corral_weights(points)
            if weights and min(weights) >= 0:
                z = [dot(weights, column) for column in zip(*points, strict=True)]
                best = dot(z, z) if best is None else min(best, dot(z, z))
    return best


def check(rows, result):
    """Exact optimality: every claim of `MinNorm`, in Fractions."""
    rows = [[Fraction(x) for x in row] for row in np.asarray(rows).tolist()]
    support, alpha, z, squared = result
    assert len(set(support)) == len(support) == len(alpha) <= len(z) + 1
    assert min(alpha) > 0
    assert sum(alpha) == 1
    chosen = [rows[i] for i in support]
    assert z == [dot(alpha, column) for column in zip(*chosen, strict=True)]
    assert squared == dot(z, z)
    assert all(dot(row, z) >= squared for row in rows)
    assert corral_weights(chosen) == alpha, "the support is affinely independent"
    return rows


def grids(max_rows, max_columns, bound):
    """Small integers: full of duplicates, collinear points, zero rows and ties."""
    return st.tuples(st.integers(1, max_rows), st.integers(1, max_columns)).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(-bound, bound), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


@given(grids(6, 3, 2), st.data())
@settings(deadline=None, max_examples=500)
def test_agrees_with_brute_force_from_any_start(rows, data):
    start = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    result = min_norm_point(np.array(rows, float), start)
    check(rows, result)
    assert result.squared_norm == brute_force(rows)


@given(grids(14, 5, 2))
@settings(deadline=None)
def test_verdict_agrees_with_a_linear_program(rows):
    a = np.array(rows, float)
    m, d = a.shape
    lp = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([-a, np.ones(m)]),
        b_ub=np.zeros(m),
        bounds=[(-1, 1)] * d + [(None, 1)],
    )
    result = min_norm_point(a)
    check(a, result)
    assert (result.squared_norm > 0) == (-lp.fun > 1e-6)
    assert min_norm_point(a, result.support[::-1]).squared_norm == result.squared_norm


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(finite, finite, finite), min_size=1, max_size=6), st.data())
@settings(deadline=None)
def test_any_floats_are_taken_as_the_rationals_they_are(rows, data):
    start = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=4))
    check(rows, min_norm_point(np.array(rows), start))


@given(st.lists(st.tuples(st.fractions(), st.fractions()), min_size=1, max_size=5))
@settings(deadline=None)
def test_fractions(rows):
    result = min_norm_point(np.array(rows, dtype=object))
    assert result.squared_norm == brute_force(check(np.array(rows, dtype=object), result))


@given(grids(8, 3, 3), st.data())
@settings(deadline=None)
def test_scaling_rows_and_columns_keeps_the_verdict(rows, data):
    a = np.array(rows, float)
    powers = st.integers(-20, 20).map(lambda e: 2.0**e)
    by_row = np.array([data.draw(powers) for _ in range(a.shape[0])])
    by_column = np.array([data.draw(powers) for _ in range(a.shape[1])])
    scaled = min_norm_point(a * by_row[:, None] * by_column)
    assert (scaled.squared_norm == 0) == (min_norm_point(a).squared_norm == 0)


@pytest.mark.parametrize(
    ("rows", "squared_norm"),
    [
        ([[3.0, 4.0]], 25),
        ([[0.0, 0.0]], 0),
        ([[1.0, 0.0], [0.0, 0.0]], 0),
        ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], 0),
        ([[1.0, 1.0]] * 7, 2),
        ([[2.0, 2.0], [2.0, 2.0], [-2.0, -2.0]], 0),
        ([[1.0, float(k)] for k in range(-5, 6)], 1),
        ([[float(k), 0.0] for k in range(1, 6)], 1),
        ([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], Fraction(1, 2)),
        ([[1e300, 1.0], [-1e300, 1.0]], 1),
        ([[5e-324, 0.0], [0.0, 5e-324]], Fraction(5e-324) ** 2 / 2),
        (np.empty((2, 0)), 0),
        (np.array([[10**40, 1], [-(10**40), 1]], dtype=object), 1),
        (np.array([[2, 0], [0, 2]], dtype=np.int32), 2),
        (np.array([[0.1, 0.1]], dtype=np.float32), 2 * Fraction(float(np.float32(0.1))) ** 2),
    ],
)
def test_degenerate_inputs(rows, squared_norm):
    result = min_norm_point(rows)
    check(rows, result)
    assert result.squared_norm == squared_norm


def test_ties_enter_by_index():
    assert min_norm_point([[2.0, 0.0], [1.0, 0.0], [1.0, 0.0]]).support == [1]
    assert min_norm_point([[3.0, 0.0], [-1.0, 0.0], [3.0, 0.0], [-1.0, 0.0]]).support == [1, 0]


@pytest.mark.parametrize("gap", [1.0, 0.0, -1.0])
def test_one_unit_in_the_last_place_decides(gap):
    # The hull of the three rows has the origin above, on or below its edge by one ulp.
    ulp = 2.0**-52
    rows = np.array([[1.0, 1.0 + ulp], [-1.0, -1.0 + gap * ulp - ulp], [0.0, 1.0]])
    result = min_norm_point(rows, [2, 0])
    check(rows, result)
    assert (result.squared_norm > 0) == (gap > 0)


@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
def test_random_mantissas_warm_cold_and_wrong_starts_agree(shift):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((200, 30)) + shift
    cold = min_norm_point(a)
    starts = (cold.support, rng.permutation(200), np.arange(5), [7, 7, 7])
    for start in starts:
        other = min_norm_point(a, start)
        assert other.point == cold.point
        if cold.squared_norm:  # only then is the support unique
            assert sorted(other.support) == sorted(cold.support)
    assert sorted(starts[0]) == sorted(min_norm_point(a, starts[0]).support)


def test_result_is_plain_python():
    result = min_norm_point(np.eye(3), np.array([2, 1]))
    assert isinstance(result, MinNorm)
    assert {type(i) for i in result.support} == {int}
    assert {type(x) for x in (*result.alpha, *result.point, result.squared_norm)} == {Fraction}


def test_deadline():
    answers = iter([False, False, True])
    with pytest.raises(TimeoutError, match="deadline"):
        min_norm_point(np.eye(6), deadline=lambda: next(answers))
    assert min_norm_point(np.eye(6), deadline=lambda: False).squared_norm == Fraction(1, 6)


@pytest.mark.parametrize(
    ("rows", "start", "message"),
    [
        (np.empty((0, 3)), (), r"at least one row, got shape \(0, 3\)"),
        ([1.0, 2.0], (), "expected a matrix"),
        ([[1.0, np.nan]], (), "finite"),
        ([[1.0, np.inf]], (), "finite"),
        ([[1.0, 2.0]], (1,), "start names row 1, but there are 1 rows"),
        ([[1.0, 2.0]], (-1,), "start names row -1"),
    ],
)
def test_bad_input(rows, start, message):
    with pytest.raises(InputError, match=message):
        min_norm_point(rows, start)

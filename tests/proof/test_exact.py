"""Exact signs, null spaces and reductions, against brute force over fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt.errors import InputError
from rosenblatt.proof import exact
from rosenblatt.proof.exact import long_integers, scores

# Half of them are from a small set, so that exact ties and cancellations are common.
NASTY = [0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 0.2, 0.3, 1 + 2**-52, 5e-324, -5e-324, 2.3e-308]
NASTY += [1e308, -1e308, 1e-300, 2.0**53, 3.0]
numbers = st.sampled_from(NASTY) | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def problems(draw, n_vectors=1):
    n, d = draw(st.integers(1, 6)), draw(st.integers(0, 5))
    X = draw(arrays(np.float64, (n, d), elements=numbers))
    W = draw(arrays(np.float64, (n_vectors, d + 1), elements=numbers))
    return X, W


def score(x, w):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, w, strict=False)), Fraction(w[-1]))


def sign(value):
    return (value > 0) - (value < 0)


@given(problems())
@settings(max_examples=300, deadline=None)
def test_signs_are_those_of_fractions(problem):
    X, (w,) = problem
    expected = [sign(score(x.tolist(), w.tolist())) for x in X]
    for matrix in (X, sp.csr_array(X), np.asfortranarray(X)):
        signs, n_rational = exact.signs_of_scores(matrix, w)
        assert signs.dtype == np.int8
        np.testing.assert_array_equal(signs, expected)
        assert 0 <= n_rational <= len(X)


@given(problems())
@settings(max_examples=100, deadline=None)
def test_signs_of_rational_weights(problem):
    X, (w,) = problem
    weights = np.array([Fraction(v) / 3 for v in w.tolist()], dtype=object)
    expected = [sign(score(x.tolist(), weights.tolist())) for x in X]
    np.testing.assert_array_equal(exact.signs_of_scores(X, weights)[0], expected)
    np.testing.assert_array_equal(exact.signs_of_scores(sp.csr_array(X), weights)[0], expected)
    normal = exact.normalised(weights)
    np.testing.assert_array_equal(exact.signs_of_scores(X, normal)[0], expected)


@given(problems(n_vectors=3), st.data())
@settings(max_examples=150, deadline=None)
def test_signs_of_several_classes(problem, data):
    X, W = problem
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X))))
    signs, _ = exact.signs_of_constraints(X, codes, W)
    for i, x in enumerate(X.tolist()):
        scores = [score(x, w) for w in W.tolist()]
        for k in range(3):
            difference = scores[codes[i]] - scores[k]
            assert signs[i, k] == (1 if k == codes[i] else sign(difference))


@given(problems(), st.data())
@settings(max_examples=200, deadline=None)
def test_margin_floor_is_proved_and_reached(problem, data):
    X, (w,) = problem
    codes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    required = [
        score(x.tolist(), w.tolist()) * (1 if c else -1) for x, c in zip(X, codes, strict=True)
    ]
    square = sum(Fraction(v) ** 2 for v in w.tolist())
    floor = exact.margin_floor(X, codes, w)
    asked = data.draw(st.floats(0, 1e200) | st.just(max(floor, 0.0)))
    reached, _ = exact.reaches(X, codes, w, asked)
    target = Fraction(asked) ** 2 * square
    np.testing.assert_array_equal(reached, [r > 0 and r**2 >= target for r in required])
    if min(required) <= 0:
        assert floor == -math.inf
    else:
        assert Fraction(floor) ** 2 * square <= min(required) ** 2
        above = Fraction(math.nextafter(floor * (1 + 1e-6), math.inf))
        assert above**2 * square > min(required) ** 2


def test_sums_beyond_64_bits_do_not_wrap_around():
    rng = np.random.default_rng(0)
    for _ in range(50):
        X, W = rng.integers(-2, 3, size=(7, 3)) / 7 + 0.1, rng.normal(size=(4, 4))
        codes = (X @ W[:, :-1].T + W[:, -1]).argmax(axis=1)
        least = min(
            score(x, W[c].tolist()) - score(x, W[k].tolist())
            for x, c in zip(X.tolist(), codes, strict=True)
            for k in range(4)
            if k != c
        )
        square = least**2 / sum(Fraction(v) ** 2 for v in W.ravel().tolist())
        margin = exact.root_below(square)
        assert exact.reaches(X, codes, W, margin)[0].all()
        assert not exact.reaches(X, codes, W, math.nextafter(margin, math.inf))[0].all()


@given(st.fractions(min_value=0), st.integers(-2000, 2000))
@settings(max_examples=200, deadline=None)
def test_roots_are_rounded_outward_and_no_further(value, power):
    square = value * Fraction(4) ** power
    below, above = exact.root_below(square), exact.root_above(square)
    assert Fraction(below) ** 2 <= square
    if below < np.finfo(float).max:
        assert Fraction(above) ** 2 >= square
        assert below == above or above == math.nextafter(below, math.inf)


def test_margin_floor_is_tight():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(500, 8)), rng.normal(size=9)
    scores = X @ w[:-1] + w[-1]
    floor = exact.margin_floor(X, (scores > 0).astype(int), w)
    np.testing.assert_allclose(floor, np.abs(scores).min() / np.linalg.norm(w), rtol=1e-9)


def test_most_rows_need_no_rational():
    rng = np.random.default_rng(0)
    assert exact.signs_of_scores(rng.normal(size=(5000, 30)), rng.normal(size=31))[1] <= 5


def test_a_tie_is_a_tie_on_every_path():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(300, 7))
    X, w = np.hstack([half, -half]), np.append(np.tile(rng.normal(size=7), 2), 0.0)
    signs, n_rational = exact.signs_of_scores(X, w)
    assert n_rational == 300
    assert not signs.any()
    integers = np.round(X * 10)
    assert not exact.signs_of_scores(integers, np.append(np.tile(np.arange(7.0), 2), 0))[0].any()


@given(arrays(np.float64, (3, 4), elements=numbers), st.sampled_from([None, 0, 1]))
@settings(max_examples=200, deadline=None)
def test_scaled_integers_are_exact(values, axis):
    integers, exponent = exact.scaled_integers(values, axis)
    exponents = np.broadcast_to(exponent, values.shape)
    for v, i, e in zip(values.flat, integers.flat, exponents.flat, strict=True):
        assert Fraction(v) == int(i) * exact.power_of_two(e)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array, sp.coo_array, np.asfortranarray])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_data_is_refused_with_its_place(wrap, bad):
    X = np.ones((3, 2))
    X[2, 1] = bad
    with pytest.raises(InputError, match="row 2, column 1"):
        exact.signs_of_scores(wrap(X), [1.0, 1.0, 0.0])


@pytest.mark.parametrize(
    "X",
    [
        np.array([[2**53 + 1]]),
        sp.csr_array(np.array([[2**53 + 1]])),
        np.array([[Fraction(1, 3)]], dtype=object),
        np.array([["a"]]),
        np.array([[1j]]),
        [1.0],
        [[1.0], [1.0, 2.0]],
    ],
)
def test_what_is_no_matrix_of_floats_is_refused(X):
    with pytest.raises(InputError):
        exact.signs_of_scores(X, [1.0, 1.0])


def test_data_is_not_touched():
    X = sp.csr_array(np.array([[1, 2], [3, 0]], dtype=np.int64))
    exact.signs_of_scores(X, [1.0, 1.0, 0.0])
    assert X.dtype == np.int64


def test_big_integers_that_are_floats_are_accepted():
    assert exact.signs_of_scores(np.array([[2**60]]), [1.0, -(2.0**60)])[0].tolist() == [0]


def combined(rows, alpha):
    return [
        sum(Fraction(r[j]) * a for r, a in zip(rows, alpha, strict=True))
        for j in range(len(rows[0]))
    ]


@given(
    arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.integers(-2, 2))
)
@settings(max_examples=300, deadline=None)
def test_solve_alpha_is_sound(rows):
    alpha = exact.solve_alpha(rows)
    if alpha is None:
        return
    assert min(alpha) >= 0
    assert any(alpha)
    assert not any(combined(rows.tolist(), alpha))
    support = rows[[i for i, a in enumerate(alpha) if a]]
    assert len(support) <= np.linalg.matrix_rank(support) + 1


@given(st.integers(2, 8), st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_solve_alpha_finds_what_the_hint_points_at(m, d, seed):
    rng = np.random.default_rng(seed)
    rows = np.ldexp(rng.integers(-(2**30), 2**30, (m - 1, d)).astype(float), -20)
    hint = rng.integers(1, 9, m - 1).astype(float)
    rows = np.vstack([rows, -(hint @ rows)])
    alpha = exact.solve_alpha(rows, np.append(hint, 1.0) * (1 + 1e-12 * rng.normal(size=m)))
    assert alpha is not None
    assert not any(combined(rows.tolist(), alpha))
    assert sum(a > 0 for a in alpha) <= np.linalg.matrix_rank(rows) + 1


@given(st.integers(2, 7), st.integers(1, 3), st.data())
@settings(max_examples=150, deadline=None)
def test_caratheodory_reduces_to_independent_rows(m, d, data):
    half = data.draw(arrays(np.int64, (m, d), elements=st.integers(-3, 3)))
    rows = np.vstack([half, -half]).astype(float)
    alpha = np.tile(data.draw(st.lists(st.integers(1, 5), min_size=m, max_size=m)), 2).tolist()
    reduced = exact.caratheodory(rows, alpha)
    assert not any(combined(rows.tolist(), reduced))
    support = [i for i, a in enumerate(reduced) if a]
    assert support
    assert min(reduced) >= 0
    assert np.gcd.reduce(reduced) == 1
    assert len(support) == np.linalg.matrix_rank(rows[support]) + 1


def test_caratheodory_refuses_what_does_not_cancel():
    with pytest.raises(InputError):
        exact.caratheodory([[1.0, 0.0], [0.0, 1.0]], [1, 1])


@given(arrays(np.float64, (3, 5), elements=numbers))
@settings(max_examples=100, deadline=None)
def test_nullspace_is_the_null_space(rows):
    basis = exact.nullspace(rows)
    for v in basis:
        assert all(
            sum(Fraction(a) * b for a, b in zip(r, v, strict=True)) == 0 for r in rows.tolist()
        )
    assert len(basis) == 5 - exact.rank_at_least(rows)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_combination_is_exact(wrap):
    X = wrap(np.array([[0.1, 0.0, 1e300], [0.2, 0.0, 1e-300], [0.3, 0.0, 0.0]]))
    sums = exact.combination(X, [0, 1, 2], [1, 1, -1])
    assert sums == {
        0: Fraction(0.1) + Fraction(0.2) - Fraction(0.3),
        2: Fraction(1e300) + Fraction(1e-300),
    }


def test_null_spaces_refuse_what_is_not_finite():
    with pytest.raises(InputError, match="finite"):
        exact.solve_alpha([[np.nan], [1.0]])


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_products_of_long_integers(data):
    """Of any length and sign, many rows by many vectors, dense and sparse."""
    n, d, vectors = (data.draw(st.integers(1, 4)) for _ in range(3))
    bits = st.sampled_from([1, 15, 16, 17, 32, 62, 63, 200])

    def table(rows):
        size = data.draw(bits)
        some = st.integers(-(2**size) + 1, 2**size - 1)
        found = [[data.draw(some) for _ in range(d)] for _ in range(rows)]
        return np.array(found, dtype=object if size > 62 else np.int64)

    A, W = table(n), table(vectors)
    expected = (A.astype(object) @ W.astype(object).T).tolist()
    total = long_integers.products(np.zeros((n, d)), A, W)
    assert long_integers.as_integers(total) == expected
    signs = [[sign(value) for value in row] for row in expected]
    np.testing.assert_array_equal(long_integers.signs(total), signs)
    places = sp.csr_array(np.ones((n, d)))
    found = long_integers.products(places, A.ravel(), W)
    assert long_integers.as_integers(found) == expected


def test_long_integers_in_many_blocks(monkeypatch):
    """Blocks of a few rows give what one block gives."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(50, 4)).astype(float)
    w = np.array([Fraction(int(v), 7) for v in (1, -2, 1, 0, 3)], dtype=object)
    expected = [sign(score(x, w.tolist())) for x in X.tolist()]
    assert 0 in expected
    monkeypatch.setattr(scores, "BLOCK", 20)
    for matrix in (X, sp.csr_array(X)):
        signs, exactly = exact.signs_of_scores(matrix, w)
        np.testing.assert_array_equal(signs, expected)
        assert exactly >= expected.count(0)

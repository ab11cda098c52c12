"""Sums of products in registers: every length, beginning and precision."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy import sparse

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.simd import ROUND, add_multiple, sum_of_products
from rosenblatt.engine.machine.sparse_sums import CLASSES
from rosenblatt.engine.points import make_points, scores_of


@numba.njit
def product(values, i, weights, c, count):
    return sum_of_products(
        values, (np.uint64(i), np.uint64(0)), weights, (np.uint64(c), np.uint64(0)), count
    )


@numba.njit
def add(values, i, factor, weights, c, count):
    first, begin = (np.uint64(i), np.uint64(0)), (np.uint64(c), np.uint64(0))
    add_multiple(values, first, factor, weights, begin, count)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_multiples_of_every_length_are_added_and_nothing_beyond_them(dtype):
    rng = np.random.default_rng(0)
    for width in range(3 * ROUND + 1):
        values = rng.integers(-9, 10, (3, width)).astype(dtype)
        weights = rng.integers(-9, 10, (2, width + 1)).astype(np.float64)
        for c in range(2):
            expected = weights.copy()
            expected[c, :width] += -3.0 * values[2].astype(np.float64)
            add(values, 2, -3.0, weights, c, np.uint64(width))
            np.testing.assert_array_equal(weights, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_length_up_to_three_rounds_on_integers_exactly(dtype):
    rng = np.random.default_rng(0)
    for width in range(3 * ROUND + 1):
        values = rng.integers(-9, 10, (3, width)).astype(dtype)
        weights = rng.integers(-9, 10, (2, width + 1)).astype(np.float64)
        for i in range(3):
            for c in range(2):
                expected = values[i].astype(np.float64) @ weights[c, :width]
                assert product(values, i, weights, c, np.uint64(width)) == expected


def test_what_is_not_a_number_stays_visible():
    values = np.ones((1, 2 * ROUND))
    for place in range(2 * ROUND):
        values[:] = 1.0
        values[0, place] = np.nan
        assert np.isnan(product(values, 0, np.ones((1, 2 * ROUND)), 0, np.uint64(2 * ROUND)))
        values[0, place] = np.inf
        assert product(values, 0, np.ones((1, 2 * ROUND)), 0, np.uint64(2 * ROUND)) == np.inf


@pytest.mark.parametrize(
    "values", [np.ones((2, 4), dtype=np.int64), np.asfortranarray(np.ones((2, 4)))]
)
def test_other_numbers_and_layouts_are_refused_rather_than_misread(values):
    with pytest.raises(numba.TypingError):
        product(values, 0, np.ones((1, 4)), 0, np.uint64(4))
    with pytest.raises(numba.TypingError):
        add(values, 0, 1.0, np.ones((1, 4)), 0, np.uint64(4))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["F", "C"])
def test_sparse_rows_of_every_length_for_every_number_of_classes(index, dtype, order):
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (12, 40)) * (np.arange(40) < 3 * np.arange(12)[:, np.newaxis])
    rows = sparse.csr_matrix(X.astype(dtype))
    rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    points, chosen = make_points(rows, np.zeros(len(X))), np.arange(len(X))[::-1]
    for classes in range(1, CLASSES + 6):
        weights = np.asarray(rng.integers(-9, 10, (classes, 41)).astype(float), order=order)
        out = np.full((len(X) + 1, classes), np.nan)
        compiled(scores_of)(points, chosen, weights, out)
        np.testing.assert_array_equal(out[:-1], (X @ weights[:, :-1].T + weights[:, -1])[::-1])
        assert np.isnan(out[-1]).all()

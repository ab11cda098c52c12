"""Newton's method down the loss of rows that weigh more and less."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.solve import weighted_loss
from rosenblatt.solve.weighted_loss import RIDGE_OF_FEW, descended, least_squares, ridged


def made(seed, n=200, d=5, classes=3):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.normal(size=(n, d)), np.ones(n)])
    codes = (rows @ rng.normal(size=(d + 1, classes)) + rng.normal(size=(n, classes))).argmax(
        axis=1
    )
    return rows, np.where(codes == np.arange(classes)[:, None], 1.0, -1.0), rng.integers(1, 5, n)


def slope(rows, signs, importance, weights):
    """Of ½Σ cᵢ max(0, 1 − yᵢaᵢ·w)²."""
    lack = np.maximum(0.0, 1.0 - signs * (rows @ weights))
    return -(importance * lack * signs) @ rows


@pytest.mark.parametrize("seed", range(5))
def test_a_weight_is_as_good_as_copies(monkeypatch, seed):
    monkeypatch.setattr(weighted_loss, "STEPS", 25)
    rows, signs, counts = made(seed)
    copies = (
        np.repeat(rows, counts, axis=0),
        np.repeat(signs, counts, axis=1),
        np.ones(counts.sum()),
    )
    weighted = rows, signs, counts.astype(float)
    squares = least_squares(*weighted)
    np.testing.assert_allclose(squares, least_squares(*copies), rtol=1e-9)
    np.testing.assert_allclose(
        descended(*weighted, squares), descended(*copies, squares), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_steps_end_at_the_least_loss(monkeypatch, seed, size):
    monkeypatch.setattr(weighted_loss, "STEPS", 25)
    rows, signs, counts = made(seed)
    heavy = size * counts
    found = descended(rows, signs, heavy, least_squares(rows, signs, heavy))
    for own, weights in zip(signs, found, strict=True):
        at_zero = np.abs(slope(rows, own, heavy, 0 * weights)).max()
        np.testing.assert_allclose(slope(rows, own, heavy, weights), 0, atol=1e-6 * at_zero)


def test_least_squares_are_those_of_numpy():
    rows, signs, counts = made(0)
    root = np.sqrt(counts)
    wanted = np.linalg.lstsq(rows * root[:, None], (signs * root).T, rcond=None)[0]
    np.testing.assert_allclose(
        least_squares(rows, signs, counts.astype(float)), wanted.T, rtol=1e-7
    )


def test_columns_of_zeros_have_weights_of_zero():
    rows, signs, counts = made(0)
    rows[:, [2, -1]] = 0
    squares = least_squares(rows, signs, counts.astype(float))
    found = descended(rows, signs, counts.astype(float), squares)
    np.testing.assert_array_equal(squares[:, [2, -1]], 0)
    np.testing.assert_array_equal(found[:, [2, -1]], 0)


@pytest.mark.parametrize(("n", "d"), [(30, 5), (12, 11), (8, 20)])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_left_out_as_if_they_had_not_been_there(n, d, seed):
    rows, signs, counts = made(seed, n, d)
    heavy = counts.astype(float)
    weights, left_out = ridged(rows, signs, heavy)
    table = rows * np.sqrt(heavy)[:, None]
    ridge = RIDGE_OF_FEW * np.sum(table**2) / min(table.shape)

    def solved(chosen):
        matrix = (rows[chosen].T * heavy[chosen]) @ rows[chosen] + ridge * np.eye(d + 1)
        return np.linalg.solve(matrix, (signs[:, chosen] * heavy[chosen] @ rows[chosen]).T).T

    np.testing.assert_allclose(weights, solved(np.arange(n)), rtol=1e-6, atol=1e-9)
    for i in range(n):
        expected = solved(np.delete(np.arange(n), i)) @ rows[i]
        np.testing.assert_allclose(left_out[:, i], expected, rtol=1e-6, atol=1e-8)

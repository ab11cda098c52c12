"""Exponentials by machine code: to the last digit but one, whatever lies beside."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.engine.exponentials import LEAST, exponential, exponentiate


def exponentials(numbers):
    return exponentiate(np.array([numbers], dtype=np.float64))[0]


@pytest.mark.parametrize("length", [1e-300, 1e-9, 0.1, 1.0, 30.0, -LEAST])
def test_no_number_is_off_by_more_than_its_last_digit(length):
    numbers = -length * np.random.default_rng(0).random(20_000)
    expected = np.array([exponential(x) for x in numbers])
    assert np.all(np.abs(exponentials(numbers) - expected) <= np.spacing(expected))


def test_what_is_exact_is_exact():
    given = [0.0, -0.0, 1e-12, np.inf, -np.inf, LEAST - 1, -1e308]
    assert exponentials(given).tolist() == [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert [exponential(x) for x in given] == exponentials(given).tolist()
    assert np.isnan(exponentials([-1.0, np.nan, -1.0, -1.0, -1.0])).tolist() == [0, 1, 0, 0, 0]


def test_a_number_has_the_same_exponential_wherever_it_stands():
    numbers = -3 * np.random.default_rng(0).random(37)
    expected = exponentials(numbers)
    for first in range(len(numbers)):
        for end in range(first + 1, len(numbers) + 1):
            np.testing.assert_array_equal(exponentials(numbers[first:end]), expected[first:end])


@pytest.mark.parametrize("shape", [(5, 9), (1, 9), (5, 1), (0, 9), (5, 0)])
def test_of_a_part_of_a_matrix_nothing_else_is_touched(shape):
    whole = -np.random.default_rng(0).random((7, 12))
    before, (n, d) = whole.copy(), shape
    found = exponentiate(whole[1 : 1 + n, 2 : 2 + d])
    np.testing.assert_allclose(found, np.exp(before[1 : 1 + n, 2 : 2 + d]), rtol=1e-15)
    whole[1 : 1 + n, 2 : 2 + d] = before[1 : 1 + n, 2 : 2 + d]
    np.testing.assert_array_equal(whole, before)

"""Columns that are said to determine the others do, over the rationals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.proof import exact
from rosenblatt.proof.exact import nullspace, spanning_columns


def categories(rng, n, levels):
    """One column for each level of each category."""
    return np.column_stack([np.eye(k)[rng.integers(0, k, n)] for k in levels])


def made(rng, n, kind):
    """Rows y·(x, 1) whose columns depend on each other in some way, or nearly do."""
    numbers = rng.normal(size=(n, 2))
    X = np.column_stack([numbers, categories(rng, n, (2, 3))])
    if kind == "standardised":
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    elif kind == "copies":
        X = np.column_stack([X, -numbers[:, :1], numbers, np.full(n, 0.3)])
    elif kind == "counts":
        counts = rng.integers(0, 5, (n, 3)).astype(float)
        X = np.column_stack([numbers[:, :1], counts, counts.sum(axis=1), counts @ [1, 2, 0] / 4])
    elif kind == "shares":
        # Thirds, tenths and their kin are rounded, and so do not quite depend.
        counts = rng.integers(-60, 60, (n, 3)).astype(float)
        q = rng.choice([3, 5, 7, 9, 10, 12])
        X = np.column_stack([counts, counts.mean(axis=1), counts[:, 0] / q, counts[:, 1] + 0.1])
    elif kind == "nearly":
        # Copies but for a last binary digit, which weights can tell apart.
        near = numbers.copy()
        near[rng.integers(n), 0] = np.nextafter(near[0, 0], 9.0)
        X = np.column_stack([numbers, near, X[:, 2:]])
        X[rng.integers(n), -1] += 2.0**-40
    sides = rng.choice([-1.0, 1.0], size=(n, 1))
    if kind == "without a bias":
        return sides * X
    return sides * np.column_stack([X, np.ones(n)])


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 9),
    st.sampled_from(
        ["plain", "standardised", "copies", "counts", "shares", "nearly", "without a bias"],
    ),
)
def test_what_cancels_in_spanning_columns_cancels_in_all(seed, n, kind):
    rng = np.random.default_rng(seed)
    rows = made(rng, n, kind)
    table = spanning_columns(rows)
    if table is None:
        return
    # Weights of rows that cancel are a null space: the same one, as neither adds to the other.
    of_table, of_rows = nullspace(table.T), nullspace(rows.T)
    assert len(of_table) == len(of_rows)
    for weights in of_table:
        assert exact.combination(rows, range(n), weights) == {}


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_categories_are_refuted_before_multipliers_are_written(seed, scaled):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(800, 3)), categories(rng, 800, (4, 5, 3, 6))])
    score = X @ rng.normal(size=X.shape[1])
    y = score + rng.normal(size=800) > np.median(score)
    if scaled:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = rb.Perceptron().fit(X, y)
    assert model.verdict_ is rb.Verdict.INSEPARABLE
    assert not model.certificate_.solved
    assert model.certificate_.verify(X, y)
    # Three numbers, the levels but one of each category, the bias: and one row more than these.
    assert len(model.certificate_.rows) <= 3 + (3 + 4 + 2 + 5) + 1 + 1


def test_a_mean_that_is_rounded_is_no_mean():
    X = [[-3.0, 0.1, -2.9], [-2.0, 0.1, -1.9], [-1.0, 0.1, -0.9]]
    model = rb.Perceptron().fit(X, [0, 1, 0])
    # Exactly, −2.9 is not −3 + 0.1: the last bits of the last column separate the classes.
    assert model.verdict_ is not rb.Verdict.INSEPARABLE
    assert rb.decide(X, [0, 1, 0]).separable


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_marks_and_their_mean_are_decided(seed, classes):
    rng = np.random.default_rng(seed)
    marks = rng.integers(40, 61, (200, 3)).astype(float)
    X, y = np.column_stack([marks, marks.mean(axis=1)]), rng.integers(0, classes, 200)
    model = rb.Perceptron().fit(X, y)
    assert model.verdict_ is rb.Verdict.INSEPARABLE
    assert model.certificate_.verify(X, y)


def test_a_copy_but_for_the_least_number_there_is_is_no_copy():
    rng = np.random.default_rng(7127)
    X = rng.integers(-100, 101, (92, 2)).astype(float)
    X, y = np.column_stack([X, np.nextafter(X[:, 1], 9.0)]), rng.integers(0, 3, 92)
    # Next to 0 is 5e-324, which is 0 as soon as it is scaled.
    model = rb.Perceptron(fit_intercept=False).fit(X, y)
    assert model.certificate_.verify(X, y)


def test_a_column_that_only_seems_to_depend_is_kept():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(5, 2)), np.eye(2)[[0, 1, 0, 1, 0]]])
    rows = np.column_stack([X, np.ones(5)]) * np.array([[1], [1], [-1], [-1], [1]])
    assert spanning_columns(rows).shape == (5, 4)
    rows[2, 3] += 2.0**-50
    assert spanning_columns(rows) is None

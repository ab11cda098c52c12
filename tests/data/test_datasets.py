"""The data sets keep what they promise, in exact arithmetic where they promise it exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import datasets
from rosenblatt.errors import InputError

sizes = {"n": st.integers(1, 12), "d": st.integers(1, 6), "seed": st.integers(0, 2**32)}


def exactly(vector):
    return [Fraction(x) for x in np.asarray(vector).tolist()]


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


def has_margin(cloud, margin):
    """Whether y·(u·x)/‖u‖ ≥ margin, exactly, of the very floats."""
    u = exactly(cloud.normal)
    square = sum(a * a for a in u)
    for row, label in zip(dense(cloud.X), cloud.y.tolist(), strict=True):
        side = label * sum(a * b for a, b in zip(u, exactly(row), strict=True))
        if side <= 0 or side * side < Fraction(margin) ** 2 * square:
            return False
    return True


def in_ball(cloud, radius):
    rows = map(exactly, dense(cloud.X))
    return all(sum(x * x for x in row) <= Fraction(radius) ** 2 for row in rows)


@settings(max_examples=60, deadline=None)
@given(**sizes, margin=st.floats(1e-12, 0.999), radius=st.floats(1, 1e6))
def test_separable_has_its_margin_and_radius_exactly(n, d, seed, margin, radius):
    cloud = datasets.separable(n, d, margin, radius=radius, seed=seed)
    assert has_margin(cloud, margin)
    assert in_ball(cloud, radius)


@settings(max_examples=30, deadline=None)
@given(n=sizes["n"], seed=sizes["seed"], nonzeros=st.integers(5, 40), margin=st.floats(1e-9, 0.9))
def test_sparse_separable_has_its_margin_and_radius_exactly(n, seed, nonzeros, margin):
    cloud = datasets.separable(n, 40, margin, seed=seed, sparse=True, nonzeros=nonzeros)
    assert has_margin(cloud, margin)
    assert in_ball(cloud, 1)
    assert cloud.X.shape == (n, 40)
    assert cloud.X.nnz == n * nonzeros
    assert cloud.X.has_canonical_format


@settings(max_examples=30, deadline=None)
@given(**sizes, margin=st.floats(1e-12, 10))
def test_gaussian_has_its_margin_exactly(n, d, seed, margin):
    assert has_margin(datasets.gaussian(n, d, margin, seed=seed), margin)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(3, 12), d=sizes["d"], seed=sizes["seed"])
def test_touching_is_proved_by_its_last_three_points(n, d, seed):
    cloud = datasets.touching(n, d, seed=seed)
    signed = cloud.y[:, None] * np.column_stack([cloud.X, np.ones(n)])
    assert not (np.array([1, 1, 2]) @ signed[-3:]).any()
    sides = cloud.y * (cloud.X @ cloud.normal)
    assert (sides[:-3] >= 0.1).all()
    assert (sides[-3:] == 0).all()


def test_flipped_turns_as_many_labels_as_asked():
    cloud = datasets.flipped(500, 3, 0.1, flips=7, seed=5)
    assert len(cloud.flipped) == 7
    wrong = cloud.y * (cloud.X @ cloud.normal) < 0
    np.testing.assert_array_equal(np.flatnonzero(wrong), cloud.flipped)


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: datasets.separable(9, 3, 0.1, seed=seed),
        lambda seed: datasets.gaussian(9, 3, 0.1, seed=seed),
        lambda seed: datasets.flipped(9, 3, 0.1, seed=seed),
        lambda seed: datasets.touching(9, 3, seed=seed),
    ],
)
def test_seeds(make):
    np.testing.assert_array_equal(make(1).X, make(1).X)
    assert not np.array_equal(make(1).X, make(2).X)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: datasets.separable(0, 3, 0.1), "at least one point"),
        (lambda: datasets.separable(3, 3, 0), "0 < margin < radius"),
        (lambda: datasets.separable(3, 3, 2), "0 < margin < radius"),
        (lambda: datasets.separable(3, 3, float("nan")), "0 < margin < radius"),
        (lambda: datasets.separable(3, 3, 1 - 1e-12), "no room"),
        (lambda: datasets.separable(3, 9, 0.1, sparse=True), "at most d = 9"),
        (lambda: datasets.gaussian(3, 3, -1), "positive"),
        (lambda: datasets.flipped(3, 3, 0.1, flips=4), "from 0 to n = 3"),
        (lambda: datasets.touching(2, 3), "at least 3"),
        (lambda: datasets.with_product([[1, 2, 3]]), "plane"),
        (lambda: datasets.load("breast-cancer"), "did you mean 'breast_cancer'"),
        (lambda: datasets.load("five_point"), "did you mean 'five_points'"),
        (lambda: datasets.load("qqq"), "there are breast_cancer, digits"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("name", datasets.names())
def test_every_name_loads(name):
    data = datasets.load(name)
    assert len(data.X) == len(data.y) > 0
    assert data.description == datasets.names()[name]
    assert "\n" not in data.description
    assert data.source

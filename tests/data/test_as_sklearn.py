"""What is written here without scikit-learn gives the numbers that scikit-learn gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.class_weight import compute_class_weight

from rosenblatt.data.splitting import split_rows
from rosenblatt.data.tables.encoding import Moments, one_hot
from rosenblatt.data.weights import class_weights


@given(
    labels=st.lists(st.sampled_from("abcd"), min_size=4, max_size=60),
    share=st.floats(0.05, 0.95),
    seed=st.integers(0, 2**32 - 1),
    equally=st.booleans(),
)
def test_a_split_draws_the_same_rows_and_leaves_the_generator_alike(labels, share, seed, equally):
    n = len(labels)
    held = min(n - 1, int(np.ceil(share * n)))
    counts = np.unique(labels, return_counts=True)[1]
    equally = equally and counts.min() >= 2 and len(counts) <= min(held, n - held)
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    kept, out = split_rows(n, held, ours, labels if equally else None)
    stratify = labels if equally else None
    expected = train_test_split(
        np.arange(n), test_size=held, random_state=theirs, stratify=stratify
    )
    np.testing.assert_array_equal(kept, np.sort(expected[0]))
    np.testing.assert_array_equal(out, np.sort(expected[1]))
    assert ours.randint(2**31) == theirs.randint(2**31)


def parts_of(rng, kind):
    parts = [rng.normal(5, 3, (n, 4)) * [1, 1e-6, 1e6, 0] + [0, 1, 0, 0.1] for n in (7, 1, 30)]
    if kind == "sparse":
        return [sparse.csr_array(np.where(rng.random(X.shape) < 0.4, X, 0.0)) for X in parts]
    if kind == "missing":
        parts = [np.where(rng.random(X.shape) < 0.1, np.nan, X) for X in (parts[0], parts[2])]
    return parts


@pytest.mark.parametrize("kind", ["dense", "missing", "sparse"])
@pytest.mark.parametrize("seed", range(10))
def test_moments_are_a_standard_scalers_to_the_bit(kind, seed):
    moments, scaler = Moments(), StandardScaler(with_mean=kind != "sparse")
    for X in parts_of(np.random.default_rng(seed), kind):
        moments.add(X)
        scaler.partial_fit(X)
        np.testing.assert_array_equal(moments.mean, scaler.mean_)
        np.testing.assert_array_equal(moments.scale, scaler.scale_)


def test_one_hot_columns_are_an_encoders():
    rows = np.array([["a", "x"], ["b", "?"], ["?", "y"], ["a", "x"]], object)
    known = [["a", "b"], ["y", "x"]]
    encoder = OneHotEncoder(
        categories=[np.array(values, object) for values in known], handle_unknown="ignore"
    )
    expected = encoder.fit(np.array([["a", "x"]], object)).transform(rows)
    np.testing.assert_array_equal(one_hot(rows.T, known).toarray(), expected.toarray())


@pytest.mark.parametrize(
    ("weighting", "y"),
    [
        ("balanced", ["a", "b", "b", "c", "c", "c", "c"]),
        ("balanced", [0, 1, 1]),
        ({0: 3, 1: 0.5}, [0, 1, 1]),
        ({1: 3}, [1.0, 2.0]),
        ({"b": 7.0}, ["a", "b"]),
        ({True: 2}, [False, True]),
        ({3: 2.0}, ["3", "4"]),
    ],
)
def test_class_weights_are_scikit_learns(weighting, y):
    classes, codes = np.unique(y, return_inverse=True)
    expected = compute_class_weight(weighting, classes=classes, y=np.asarray(y))
    np.testing.assert_array_equal(class_weights(weighting, classes, np.bincount(codes)), expected)

"""Margins and mistake bounds, against their definitions and against perceptron runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import margins
from rosenblatt.errors import InputError
from rosenblatt.margins import mistake_bound


def one_pass(X, y, passes=1, threshold=0.0, eta=1.0):
    """The perceptron with its bias, from 0; returns its updates."""
    w, updates = np.zeros(X.shape[1] + 1), 0
    for _ in range(passes):
        before = updates
        for x, sign in zip(np.column_stack([X, np.ones(len(X))]), y, strict=True):
            if sign * (x @ w) <= threshold:
                w += eta * sign * x
                updates += 1
        if updates == before:
            break
    return updates


def problem(seed, separable):
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(40, 3)), rng.normal(size=4)
    scores = X @ u[:-1] + u[-1] + (0 if separable else rng.normal(size=40))
    keep = np.abs(scores) > 0.2
    return X[keep], np.where(scores[keep] > 0, 1, -1), u


def test_bracket():
    bracket = margins.Bracket(1.0, math.inf)
    assert bracket.relative_gap == 1.0
    assert 5 in bracket
    assert 0.5 not in bracket
    assert "x" not in bracket
    assert margins.Bracket(0.0, 0.0).relative_gap == 0.0
    assert str(margins.Bracket(0.25, 0.5)) == "[0.25, 0.5]"
    assert margins.Bracket(0.25, 0.5) == (0.25, 0.5)


def test_padded_and_unpadded_margins():
    X, y, w = np.array([[2.0], [-2.0]]), [1, -1], [3.0, 4.0]
    np.testing.assert_allclose(margins.point_margins(X, y, w), [10 / 3, 2 / 3])
    np.testing.assert_allclose(margins.point_margins(X, y, w, padded=True), [2.0, 0.4])
    np.testing.assert_allclose(margins.point_margins(sp.csr_array(X), y, w), [10 / 3, 2 / 3])
    assert margins.set_margin(X, y, w, padded=True) == pytest.approx(0.4)


def test_radius():
    X = np.array([[3.0, 4.0], [1.0, 0.0]])
    assert margins.radius(X) == pytest.approx(math.sqrt(26))
    assert margins.radius(sp.csr_array(X), bias=False) == 5.0


@given(st.integers(0, 2**32 - 1), st.floats(0, 3), st.floats(0.1, 3))
@settings(max_examples=40, deadline=None)
def test_a_run_keeps_to_its_bounds(seed, threshold, eta):
    X, y, u = problem(seed, separable=True)
    gamma = margins.set_margin(X, y, u, padded=True)
    bound = margins.mistake_bound(margins.radius(X), gamma, threshold, eta)
    assert one_pass(X, y, 10_000, threshold, eta) <= bound
    novikoff = margins.mistake_bound(margins.radius(X), gamma)
    assert margins.mistake_bound_for(X, y, 7 * u) == pytest.approx(novikoff)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 3))
@settings(max_examples=60, deadline=None)
def test_one_pass_keeps_to_the_inseparable_bounds(seed, gamma):
    X, y, u = problem(seed, separable=False)
    mistakes = one_pass(X, y)
    assert mistakes <= margins.freund_schapire_bound(X, y, u, gamma) + 1e-9
    assert mistakes <= margins.hinge_bound(X, y, u, gamma) + 1e-9


def test_bounds_agree_on_separable_data():
    X, y, u = problem(3, separable=True)
    gamma = margins.set_margin(X, y, u, padded=True)
    novikoff = margins.mistake_bound_for(X, y, u)
    assert margins.freund_schapire_bound(X, y, u, gamma) == pytest.approx(novikoff)
    assert margins.hinge_bound(X, y, u, gamma) == pytest.approx(novikoff)


@pytest.mark.parametrize(
    "call",
    [
        lambda: margins.point_margins([[1.0]], [0], [1.0, 0.0]),
        lambda: margins.point_margins([[1.0]], [1, 1], [1.0, 0.0]),
        lambda: margins.point_margins([[1.0]], [1], [1.0]),
        lambda: margins.point_margins([[1.0]], [1], [0.0, 0.0]),
        lambda: margins.point_margins([["a"]], [1], [1.0, 0.0]),
        lambda: margins.point_margins([1.0], [1], [1.0, 0.0]),
        lambda: margins.mistake_bound(1.0, 0.0),
        lambda: margins.mistake_bound(1.0, 1.0, eta=0.0),
        lambda: margins.mistake_bound(1.0, 1.0, threshold=-1.0),
        lambda: margins.mistake_bound_for([[1.0]], [1], [-1.0, 0.0]),
        lambda: margins.hinge_bound([[1.0]], [1], [1.0, 0.0], 0.0),
        lambda: margins.freund_schapire_bound([[1.0]], [1], [1.0, 0.0], math.nan),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InputError):
        call()


def test_a_bound_beyond_floats_is_infinite():
    assert mistake_bound(1e300, 1e-300) == np.inf
    assert mistake_bound(1.0, 5e-324) == np.inf
    # The best margin is 1, and R is 1e100.
    clf = rb.Perceptron().fit([[1e100], [-1e100], [1e-100]], [0, 1, 0])
    assert clf.updates_ <= 1e200 <= clf.mistake_bound_

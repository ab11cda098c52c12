"""Products of many rows with many classes: every size of a tile, whatever the processor."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from rosenblatt.engine.machine import blocks, panels
from rosenblatt.engine.machine.panels import CLASSES, COLUMNS, ROWS

# Both ways are tried on every processor; which one is used there, `panels.are_best` says.
WAYS = {"tiles": numba.njit(blocks.scores_of), "panels": numba.njit(panels.scores_of)}


@pytest.fixture(params=WAYS, scope="module")
def scores_of(request):
    return WAYS[request.param]


def found(scores_of, X, weights, chosen, bias=1.0):
    """The scores, and that nothing is written beside them."""
    out = np.full((len(chosen) + 2, len(weights)), 99.0)
    scores_of(X, bias, chosen, weights, out[1:-1])
    np.testing.assert_array_equal(out[[0, -1]], 99.0)
    return out[1:-1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [0, 1, 2, 3, 5, 8, 13])
def test_every_number_of_rows_and_classes_on_integers_exactly(scores_of, dtype, d):
    rng = np.random.default_rng(d)
    for rows in range(2 * ROWS + 2):
        X = rng.integers(-9, 10, (rows + 3, d)).astype(dtype)
        chosen = rng.permutation(len(X))[:rows]
        for classes in range(1, 2 * CLASSES + 2):
            weights = rng.integers(-9, 10, (classes, d + 1)).astype(float)
            expected = X[chosen].astype(float) @ weights[:, :-1].T + 3 * weights[:, -1]
            np.testing.assert_array_equal(found(scores_of, X, weights, chosen, 3.0), expected)


@pytest.mark.parametrize("d", [COLUMNS - 1, COLUMNS, COLUMNS + 1, 2 * COLUMNS + 7])
def test_rows_wider_than_a_panel(scores_of, d):
    rng = np.random.default_rng(d)
    X = rng.integers(-9, 10, (ROWS + 3, d)).astype(float)
    for classes in range(1, CLASSES + 3):
        weights = rng.integers(-9, 10, (classes, d + 1)).astype(float)
        expected = X @ weights[:, :-1].T + weights[:, -1]
        np.testing.assert_array_equal(found(scores_of, X, weights, np.arange(len(X))), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("classes", "d"), [(2, 9), (3, 50), (7, 33), (100, COLUMNS + 5)])
def test_a_rows_scores_are_the_same_to_the_bit_whatever_is_beside_it(scores_of, dtype, classes, d):
    rng = np.random.default_rng(classes)
    X = rng.standard_normal((3 * ROWS + 1, d)).astype(dtype)
    weights = rng.standard_normal((classes, d + 1))
    together = found(scores_of, X, weights, np.arange(len(X)))
    np.testing.assert_allclose(together, X @ weights[:, :-1].T + weights[:, -1], atol=1e-10)
    mixed = rng.permutation(len(X))
    np.testing.assert_array_equal(found(scores_of, X, weights, mixed), together[mixed])
    for i in range(len(X)):
        alone = found(scores_of, X, weights, np.array([i]))
        np.testing.assert_array_equal(alone, together[[i]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_in_its_row_and_in_its_class(scores_of, bad):
    d = COLUMNS + 3
    for place in (0, 1, 6, COLUMNS, d - 1):
        X, weights = np.ones((ROWS + 3, d)), np.ones((CLASSES + 3, d + 1))
        X[5, place] = bad
        scores = found(scores_of, X, weights, np.arange(len(X)))
        np.testing.assert_array_equal(scores[5], bad)
        np.testing.assert_array_equal(np.delete(scores, 5, axis=0), d + 1.0)
        X[5, place], weights[7, place] = 1.0, bad
        scores = found(scores_of, X, weights, np.arange(len(X)))
        np.testing.assert_array_equal(scores[:, 7], bad)
        np.testing.assert_array_equal(np.delete(scores, 7, axis=1), d + 1.0)


def test_other_numbers_and_layouts_are_refused_rather_than_misread():
    scores_of, chosen, out = WAYS["panels"], np.arange(2), np.empty((2, 3))
    X, weights = np.ones((2, 4)), np.ones((3, 5))
    for values, factors, room in (
        (X.astype(int), weights, out),
        (np.asfortranarray(X), weights, out),
        (X, np.asfortranarray(weights), out),
        (X, weights, np.asfortranarray(out)),
        (X, weights, out.astype(np.float32)),
    ):
        with pytest.raises(numba.TypingError):
            scores_of(values, 1.0, chosen, factors, room)


@pytest.mark.parametrize(
    ("features", "best"),
    [("+avx,+avx2,+fma", True), ("+avx2,+fma,+avx512f", False), ("+sse2", False), ("+neon", False)],
)
def test_panels_are_for_sixteen_registers_of_four(monkeypatch, features, best):
    monkeypatch.setattr("numba.core.config.CPU_FEATURES", features)
    assert panels.are_best() is best

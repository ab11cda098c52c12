"""Newton's method down the squared hinge loss, and the vertex of what it ends with."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine.machine.jit import compiled
from rosenblatt.solve.attempts import find_proof, prove
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame
from rosenblatt.solve.effort import newton_units
from rosenblatt.solve.hinge import MOST_STEPS, WIDE_SCORE, least_loss
from rosenblatt.solve.refuting import to_vertex, vertex
from rosenblatt.solve.search import Refutation, Search, Separator


def requirements(seed, n, d, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + noise * rng.normal(size=n) > 0.2, 1.0, -1.0)
    return y[:, None] * np.column_stack([X, np.ones(n)])


class TestSteps:
    @given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 8), st.floats(0, 3))
    @settings(max_examples=60, deadline=None)
    def test_ends_at_a_separator_or_at_the_least_loss(self, seed, n, d, noise):
        rows = requirements(seed, n, d, noise)
        descent = least_loss(rows)
        assert descent is not None
        assert np.sum(~(rows @ descent.best > 0)) == descent.fewest
        if descent.fewest:
            lack = np.maximum(0.0, 1.0 - descent.scores)
            assert np.abs(lack @ rows).max() <= 1e-4 * np.abs(rows).sum()

    def test_every_step_is_paid_for(self):
        rows, paid = requirements(3, 90, 5, 1.0), []
        descent = least_loss(rows, paid.append)
        assert descent is not None
        assert 1 < len(paid) <= MOST_STEPS
        assert set(paid) == {newton_units(90, 6)}

    def test_a_separator_is_left_for_a_wider_one(self):
        rows = requirements(6, 80, 20, 0.0)
        descent = least_loss(rows)
        assert descent is not None
        assert descent.fewest == 0
        assert (rows @ descent.best).min() >= WIDE_SCORE - 1e-6

    @pytest.mark.parametrize("entry", [1e200, np.inf, np.nan, 0.0, 1e-200])
    def test_numbers_without_squares_are_given_up(self, entry):
        assert least_loss(np.full((3, 2), entry)) is None

    def test_numbers_that_are_none_are_never_the_best(self):
        rows = np.array([[1e150, 1e-150], [-1e150, 1e150], [1.0, -1e150]])
        with np.errstate(all="ignore"):
            descent = least_loss(rows)
        assert descent is None or np.isfinite(descent.best).all()


class TestVertex:
    @given(st.integers(0, 10**6), st.integers(3, 40), st.integers(1, 6))
    @settings(max_examples=100, deadline=None)
    def test_the_same_sum_of_independent_rows(self, seed, m, width):
        rng = np.random.default_rng(seed)
        rows, alpha = rng.normal(size=(m, width)), rng.exponential(size=m)
        rows[-1] = -(alpha[:-1] @ rows[:-1]) / alpha[-1]
        found = vertex(rows, alpha)
        assert found is not None
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(alpha.sum())
        np.testing.assert_allclose(found @ rows, 0, atol=1e-6 * (alpha @ np.abs(rows)).max())
        support = np.flatnonzero(found)
        lifted = np.column_stack([rows[support], np.ones(len(support))])
        assert np.linalg.matrix_rank(lifted) == len(support) <= width + 1

    def test_compiled_and_plain_agree(self):
        rng = np.random.default_rng(0)
        rows, alpha = rng.normal(size=(12, 4)), rng.exponential(size=12)
        ends = []
        for run in (to_vertex, compiled(to_vertex)):
            left = alpha.copy()
            run(rows, left, np.eye(4), np.full(4, -1), np.zeros(4))
            ends.append(left)
        np.testing.assert_allclose(*ends, atol=1e-12)
        np.testing.assert_allclose(ends[0] @ rows, alpha @ rows)

    def test_what_does_not_add_up_to_0(self):
        assert vertex(np.array([[1.0], [2.0]]), np.ones(2)) is None


class TestSettled:
    @given(st.integers(0, 10**6), st.integers(4, 60), st.integers(1, 6), st.booleans())
    @settings(max_examples=100, deadline=None)
    def test_either_way_it_is_exact(self, seed, n, d, whole):
        """Newton's method proposes both kinds of proof; exact arithmetic has checked them."""
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, d)).round(1 if whole else 9)
        codes = (X[:, 0] + rng.choice([0.0, 1.0]) * rng.normal(size=n) > 0).astype(int)
        codes[:2] = 0, 1
        constraints = Constraints(X, codes, 2)
        answer = find_proof(constraints, np.zeros(d + 1), np.zeros(n))
        if isinstance(answer, Separator):
            assert not len(constraints.violated_exactly(answer.weights, 1)[0])
        else:
            assert isinstance(answer, Refutation)
            from fractions import Fraction

            rows = constraints.rows(answer.points, answer.rivals).tolist()
            for column in zip(*rows, strict=True):
                pairs = zip(answer.alpha, column, strict=True)
                assert sum(a * Fraction(x) for a, x in pairs) == 0
            assert min(answer.alpha) > 0

    def test_no_program_is_needed_for_a_refutation(self):
        rng = np.random.default_rng(0)
        X, codes = rng.normal(size=(80, 5)), rng.integers(2, size=80)
        search = Search(Constraints(X, codes, 2))
        answer = prove(search, np.zeros(6), np.zeros(80))
        assert isinstance(answer, Refutation)
        assert search.rounds == 0
        assert search.working is None
        # What is reported beside the proof: the weights that violate fewest.
        assert search.fewest == search.constraints.worst(search.best, 1).violated


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_requirements_in_a_frame_are_those_of_numpy(dtype, order):
    rng = np.random.default_rng(7)
    X = np.asarray(rng.normal(size=(60, 5)) * 10.0 ** np.arange(-2, 3), dtype=dtype, order=order)
    X.flags.writeable = False
    constraints = Constraints(X, rng.integers(2, size=60), 2)
    low, high = constraints.bounds()
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))
    frame = Frame(constraints)
    scaled = np.ldexp(X - frame.shift, -frame.exponents[:-1])
    signs = np.where(constraints.codes == 1, 1.0, -1.0)[:, None]
    expected = signs * np.column_stack([scaled, np.ones(60)])
    np.testing.assert_array_equal(
        frame.into(constraints.rows(np.arange(60), 1 - constraints.codes)), expected
    )

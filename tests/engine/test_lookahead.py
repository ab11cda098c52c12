"""Looking ahead: blocks of scores, kept up to date by the Gram matrix, are the row-by-row run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.engine import rules
from rosenblatt.engine.loop import learn
from rosenblatt.engine.machine import lookahead
from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.machine.lookahead import Ahead, looking_ahead
from rosenblatt.engine.orders import ORDERS
from rosenblatt.engine.points import dot, make_points, products, scores_of
from rosenblatt.engine.rules import Multiclass, PerceptronRule
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep
from strategies import labelled


class RowByRow(CompiledSweep):
    def __init__(self, *args):
        super().__init__(*args)
        self._ahead = self.rule


class InBlocks(CompiledSweep):
    """Looks ahead however few weights there are."""

    def __init__(self, *args):
        super().__init__(*args)
        fewest, lookahead.FEWEST_WEIGHTS = lookahead.FEWEST_WEIGHTS, 0
        self._ahead = looking_ahead(self.rule, self.points, len(self.state.buffer))
        lookahead.FEWEST_WEIGHTS = fewest
        assert isinstance(self._ahead, Ahead)


class InPlainBlocks(InBlocks):
    """The same without machine code."""

    def __init__(self, *args):
        super().__init__(*args)
        self._cycle = rules.cycle


def call_products(points, i, chosen, out):
    products(points, i, chosen, out)


def call_scores_of(points, chosen, weights, out):
    scores_of(points, chosen, weights, out)


def agree(one, other):
    assert (one.updates, one.looks, one.passes, one.stop, one.cost) == (
        other.updates,
        other.looks,
        other.passes,
        other.stop,
        other.cost,
    )
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.average, other.average)
    for name in ("dual", "pending", "clock", "drift"):
        np.testing.assert_array_equal(getattr(one.state, name), getattr(other.state, name))


def runs(X, y, rule, sweepers, **how):
    budget = how.pop("budget", Budget(passes=6))
    points = make_points(X, y, **how.pop("made", {}))
    return [learn(sweeper(points, rule), budget=budget, **how) for sweeper in sweepers]


@given(
    labelled(classes=4, n=(4, 40), d=(1, 6)),
    st.sampled_from(sorted(ORDERS)),
    st.sampled_from([0.0, 1.0]),
    st.booleans(),
    st.sampled_from([np.float64, np.float32]),
    st.booleans(),
)
def test_blocks_are_the_row_by_row_run_to_the_bit(problem, order, delta, tie, dtype, bias):
    X, y = problem
    how = {"order": order, "made": {"fit_intercept": bias, "steps": 2.0}}
    one, *others = runs(
        X.astype(dtype), y, Multiclass(delta, tie), (RowByRow, InBlocks, InPlainBlocks), **how
    )
    for other in others:
        agree(one, other)


@given(labelled(classes=4, n=(20, 40), d=(1, 3), largest=3), st.integers(1, 60))
def test_a_budget_of_updates_ends_in_the_middle_of_a_block(problem, updates):
    X, y = problem
    budget = Budget(passes=20, updates=updates)
    one, other = runs(X, y, Multiclass(), (RowByRow, InBlocks), order="cyclic", budget=budget)
    agree(one, other)
    assert other.updates <= updates
    assert (other.stop is Stop.UPDATES) == (one.stop is Stop.UPDATES)


@pytest.mark.parametrize(("classes", "d"), [(5, 1000), (6, 900), (7, 700), (9, 601), (100, 64)])
def test_every_remainder_of_a_tile_and_sample_weights(classes, d):
    rng = np.random.default_rng(classes)
    X = rng.integers(-9, 10, (203, d)).astype(float)
    y = rng.integers(0, classes, 203)
    y[:classes] = np.arange(classes)
    how = {"order": "active", "made": {"steps": rng.integers(1, 4, 203).astype(float)}}
    agree(*runs(X, y, Multiclass(), (RowByRow, CompiledSweep), **how))


def test_looking_ahead_is_chosen_by_shape_alone():
    y = np.arange(10)
    wide = np.zeros((10, 1000))
    assert isinstance(looking_ahead(Multiclass(), make_points(wide, y), 10), Ahead)
    for rule, X in (
        (Multiclass(), wide[:, :10]),
        (Multiclass(), sparse.csr_matrix(wide)),
        (PerceptronRule(), wide),
    ):
        assert looking_ahead(rule, make_points(X, y), 10) is rule


def test_rounded_scores_give_weights_as_good():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2000, 500)), rng.integers(0, 20, 2000)
    X[np.arange(2000), y] += 20
    one, other = runs(X, y, Multiclass(), (RowByRow, CompiledSweep), budget=Budget(passes=50))
    assert one.stop is other.stop is Stop.SEPARATED
    # The sums of a block are rounded otherwise, so only a lead of about 1e-16 could differ.
    assert one.updates == other.updates
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-12)


@given(labelled(n=(2, 30), d=(1, 9)), st.booleans())
def test_products_are_the_gram_matrix(problem, bias):
    X, _ = problem
    padded = np.hstack([X, np.full((len(X), 1), float(bias))])
    gram = padded @ padded.T
    chosen = np.arange(len(X))[::-1].copy()
    for rows in (X, sparse.csr_matrix(X)):
        points = make_points(rows, np.ones(len(X)), fit_intercept=bias)
        out = np.empty(len(X))
        products(points, 1, chosen, out)
        np.testing.assert_array_equal(out, gram[1, chosen])
    points = make_points(X, np.ones(len(X)), fit_intercept=bias)
    compiled(call_products)(points, 1, chosen, out)
    np.testing.assert_array_equal(out, gram[1, chosen])


@given(labelled(n=(2, 30), d=(1, 9)), st.integers(1, 9), st.booleans())
def test_scores_of_chosen_rows(problem, classes, is_sparse):
    X, _ = problem
    points = make_points(sparse.csr_matrix(X) if is_sparse else X, np.ones(len(X)))
    weights = np.arange(classes * (X.shape[1] + 1.0)).reshape(classes, -1) - 7
    chosen = np.arange(len(X))[::-1].copy()
    expected = [[dot(points, i, w) for w in weights] for i in chosen]
    out = np.empty((len(X), classes))
    scores_of(points, chosen, weights, out)
    np.testing.assert_array_equal(out, expected)
    out[:] = np.nan
    compiled(call_scores_of)(points, chosen, weights, out)
    np.testing.assert_array_equal(out, expected)

"""The mixing theorem, and the mixing itself against arithmetic that shares nothing with it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt as rb
from expected import OUT_OF_PASSES
from mixing_here import here, simulate
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import PerceptronRule
from rosenblatt.engine.solutions import Pocket
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.errors import RosenblattError
from rosenblatt.places.cluster import mixing, work
from rosenblatt.places.cluster.guarantee import Guarantee
from rosenblatt.places.cluster.mixing import Mixed, Pace
from rosenblatt.proof.exact import margin_floor
from strategies import best_margin_squared, labelled, requirements, separable

pytestmark = OUT_OF_PASSES


@st.composite
def cut(draw, n, most=4):
    """Rows 0 … n − 1 dealt out to some partitions, of which some may be empty."""
    pieces = draw(st.integers(1, most))
    dealt = draw(st.lists(st.integers(0, pieces - 1), min_size=n, max_size=n))
    return [np.flatnonzero(np.array(dealt) == k) for k in range(pieces)]


def dealt(X, y, pieces):
    return [(X[piece], y[piece]) for piece in pieces]


def one_pass_exactly(rows, w):
    """A cyclic perceptron pass over requirements, in fractions: weights and mistakes."""
    w, mistakes, total = list(w), 0, [Fraction(0)] * len(w)
    for a in rows:
        if sum(x * z for x, z in zip(a, w, strict=True)) <= 0:
            w = [z + x for x, z in zip(a, w, strict=True)]
            mistakes += 1
        total = [t + z for t, z in zip(total, w, strict=True)]
    return w, mistakes, total


def mixed_exactly(pieces, rounds, shares):
    """Iterative parameter mixing over fractions: the last weights, their mean, K, ‖w‖² each round.

    ``shares`` gives, from the mistakes of a round, numbers in proportion to μ.
    """
    d = len(pieces[0][0]) if pieces[0] else len(next(p for p in pieces if p)[0])
    w, K, looks, total = [Fraction(0)] * d, Fraction(0), 0, [Fraction(0)] * d
    for _ in range(rounds):
        passes = [one_pass_exactly(piece, w) for piece in pieces if piece]
        mistakes = [k for _, k, _ in passes]
        for _, _, seen in passes:
            total = [t + s for t, s in zip(total, seen, strict=True)]
        looks += sum(map(len, pieces))
        if not any(mistakes):
            return w, total, looks, K
        mu = shares(mistakes)
        whole = sum(mu)
        assume(whole > 0)
        mu = [Fraction(m) / Fraction(whole) for m in mu]
        w = [sum(m * v[j] for m, (v, _, _) in zip(mu, passes, strict=True)) for j in range(d)]
        K += sum(m * k for m, k in zip(mu, mistakes, strict=True))
    return w, total, looks, K


def exact_rows(X, y, pieces):
    A = requirements(X, 2.0 * y - 1.0)
    return [[[Fraction(x) for x in A[i].tolist()] for i in piece] for piece in pieces]


@given(separable(), st.data())
def test_the_theorem_holds_for_any_partitions_and_any_shares(problem, data):
    X, y = problem
    pieces = data.draw(cut(len(X)))
    rows = exact_rows(X, y, pieces)
    draws = st.integers(0, 5)
    w, _, _, K = mixed_exactly(rows, 8, lambda mistakes: [data.draw(draws) for _ in mistakes])
    squared_radius = max(sum(x * x for x in a) for piece in rows for a in piece)
    squared_margin = best_margin_squared(X, 2.0 * y - 1.0)
    assert K * squared_margin <= squared_radius
    norm = sum(z * z for z in w)
    assert K * K * squared_margin <= norm <= K * squared_radius


@given(separable(), st.data(), st.sampled_from(mixing.MIXINGS), st.sampled_from(mixing.ORDERS))
def test_a_fit_obeys_the_theorem_and_separates(problem, data, how, order):
    X, y = problem
    pieces = data.draw(cut(len(X)))
    parts = here(dealt(X, y, pieces), [0, 1])
    run, rounds = simulate(parts, Pace(mixing=how, order=order), rounds=10**6)
    assert run.stop is Stop.SEPARATED
    assert margin_floor(X, y, run.weights) > 0
    bound = float(parts.radius**2 / best_margin_squared(X, 2.0 * y - 1.0))
    K = rounds[-1].guarantee.weighted_mistakes
    assert bound * (1 + 1e-9) >= K
    assert all(made.guarantee.holds for made in rounds)
    filled = sum(len(piece) > 0 for piece in pieces)
    most_rounds = bound if how == "mistakes" else filled * bound
    assert len(rounds) - 1 <= most_rounds * (1 + 1e-9)
    gamma = math.sqrt(best_margin_squared(X, 2.0 * y - 1.0))
    assert rounds[-1].guarantee.upper >= gamma * (1 - 1e-9)


@given(labelled(), st.data())
def test_uniform_mixing_is_that_of_the_paper_to_the_bit(problem, data):
    """Integers in 1, 2 or 4 partitions: every number is a float, so nothing is rounded."""
    X, y = problem
    pieces = data.draw(cut(len(X)))
    filled = [piece for piece in pieces if len(piece)]
    assume(len(filled) in (1, 2, 4))
    rounds = data.draw(st.integers(1, 5))
    w, total, looks, K = mixed_exactly(exact_rows(X, y, pieces), rounds, lambda k: [1] * len(k))
    run, made = simulate(here(dealt(X, y, pieces), [0, 1]), Pace(order="cyclic"), rounds)
    np.testing.assert_array_equal(run.weights, np.array([float(z) for z in w]))
    assert made[-1].guarantee.weighted_mistakes == K
    assert run.looks == looks
    np.testing.assert_allclose(
        run.average, [float(t / looks) for t in total], rtol=1e-12, atol=1e-12
    )


@given(labelled(), st.data())
def test_mixing_by_mistakes_is_in_proportion_to_them(problem, data):
    X, y = problem
    pieces = data.draw(cut(len(X)))
    w, _, _, K = mixed_exactly(exact_rows(X, y, pieces), 3, lambda k: k)
    parts = here(dealt(X, y, pieces), [0, 1])
    run, made = simulate(parts, Pace(order="cyclic", mixing="mistakes"), 3)
    # A score that rounding moves across the boundary would change the run, so only sure ones.
    assume(made[-1].guarantee.weighted_mistakes == pytest.approx(float(K)))
    np.testing.assert_allclose(run.weights, [float(z) for z in w], rtol=1e-9, atol=1e-9)


@given(labelled())
def test_one_partition_is_the_perceptron_of_one_machine(problem):
    X, y = problem
    run, _ = simulate(here([(X, y)], [0, 1]), Pace(order="cyclic"), 7)
    alone = learn(
        CompiledSweep(make_points(X, 2.0 * y - 1), PerceptronRule()),
        order="cyclic",
        budget=Budget(passes=7),
    )
    np.testing.assert_array_equal(run.weights, alone.weights)
    np.testing.assert_allclose(run.average, alone.average, rtol=1e-12, atol=1e-12)
    assert (run.updates, run.looks, run.passes) == (alone.updates, alone.looks, alone.passes)
    assert run.cost.multiply_adds == alone.cost.multiply_adds


@given(labelled(classes=3), st.data(), st.sampled_from(mixing.MIXINGS))
def test_three_classes_obey_the_theorem_with_twice_the_radius(problem, data, how):
    X, y = problem
    parts = here(dealt(X, y, data.draw(cut(len(X)))), [0, 1, 2])
    run, rounds = simulate(parts, Pace(mixing=how), rounds=50)
    assert all(made.guarantee.holds for made in rounds)
    assert run.weights.shape == (3, X.shape[1] + 1)
    if run.clean:
        margin = margin_floor(X, y, run.weights)
        K = rounds[-1].guarantee.weighted_mistakes
        assert 2 * parts.radius**2 / margin**2 * (1 + 1e-9) >= K


@given(labelled(classes=3), st.data())
def test_sparse_and_dense_partitions_agree_to_the_bit_on_integers(problem, data):
    X, y = problem
    pieces = data.draw(cut(len(X), most=2))
    dense, _ = simulate(here(dealt(X, y, pieces), [0, 1, 2]), rounds=6)
    csr, _ = simulate(here(dealt(sparse.csr_array(X), y, pieces), [0, 1, 2]), rounds=6)
    np.testing.assert_array_equal(dense.weights, csr.weights)


@st.composite
def weighted(draw, n):
    """A weight for each of two classes, and for each point."""
    whole = st.integers(1, 5).map(float)
    points = draw(st.lists(whole, min_size=n, max_size=n))
    return (draw(whole), draw(whole)), np.array(points)


def spread(of_class, of_point, y):
    steps = np.array(of_class)[y] * of_point
    return float(steps.min()), float(steps.max())


@given(separable(), st.data(), st.sampled_from(mixing.MIXINGS))
def test_weights_of_classes_and_points_obey_the_theorem_with_their_spread(problem, data, how):
    X, y = problem
    pieces = data.draw(cut(len(X)))
    of_class, of_point = data.draw(weighted(len(X)))
    least, largest = spread(of_class, of_point, y)
    parts = here([(X[p], y[p], of_point[p]) for p in pieces], [0, 1])
    pace = Pace(class_weights=of_class, spread=(least, largest), mixing=how)
    run, rounds = simulate(parts, pace, rounds=10**6)
    assert run.stop is Stop.SEPARATED
    assert all(made.guarantee.holds for made in rounds)
    squared_margin = float(best_margin_squared(X, 2.0 * y - 1.0))
    bound = largest / least * parts.radius**2 / squared_margin
    assert rounds[-1].guarantee.weighted_mistakes <= bound * (1 + 1e-9)
    assert rounds[-1].guarantee.upper >= math.sqrt(squared_margin) * (1 - 1e-9)


@given(labelled(), st.data())
def test_weights_in_one_partition_are_those_of_one_machine(problem, data):
    X, y = problem
    assume(len(np.unique(y)) == 2)
    of_class, of_point = data.draw(weighted(len(X)))
    of_point[data.draw(st.integers(0, len(X) - 1))] = 0.0
    assume(len(np.unique(y[of_point > 0])) == 2)
    pace = Pace(class_weights=of_class, spread=(1.0, 25.0))
    run, _ = simulate(here([(X, y, of_point)], [0, 1]), pace, 7)
    alone = rb.Perceptron(
        order="cyclic", max_iter=7, certify=False, class_weight=dict(enumerate(of_class))
    ).fit(X, y, sample_weight=of_point)
    np.testing.assert_array_equal(run.weights, alone.run_.weights)
    assert (run.updates, run.looks) == (alone.updates_, alone.looks_)


def test_averaging_once_at_the_end_fails_where_mixing_does_not():
    """One-shot mixing: each partition's separator is right there, and their mean is not."""
    X, y = np.array([[10.0, -1.0], [-1.0, 1.0]]), np.array([1, 1])
    alone = [X[0], X[1]]
    assert all(w @ x > 0 for w, x in zip(alone, X, strict=True))
    assert np.mean(alone, axis=0) @ X[1] < 0
    parts = here([(X[:1], y[:1]), (X[1:], y[1:])], [0, 1], fit_intercept=False)
    run, _ = simulate(parts)
    assert run.stop is Stop.SEPARATED
    assert (X @ run.weights[:-1] > 0).all()


def test_the_shape_of_the_sum_depends_on_the_number_of_parts_only():
    seen = []
    mixing.tree(list(range(12)), lambda group: seen.append(group) or group[0])
    assert seen == [*([k, k + 1, k + 2, k + 3] for k in (0, 4, 8)), [0, 4, 8]]
    parts = [Mixed(weights=np.array([0.1 * k]), share=1.0) for k in range(3)]
    assert mixing.combine(parts).weights.tolist() == [0.0 + 0.1 + 0.2]


def test_a_pocket_holds_the_best_mixed_weights():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    parts = here([(X[:2], y[:2]), (X[2:], y[2:])], [0, 1])
    pocket = Pocket()
    run, _ = simulate(parts, rounds=20, pocket=pocket)
    wrong, n = parts.errors(pocket.weights, None)
    assert wrong / n == pocket.error == 0.25
    assert pocket.trials == run.passes


def test_wrong_numbers_of_a_worker_are_noticed():
    parts = here([(np.array([[1.0], [-1.0]]), np.array([0, 1]))], [0, 1])
    honest = parts.mix

    def faulty(*args):
        mixed, moved = honest(*args)
        return mixed._replace(weights=mixed.weights * 100), moved

    parts.mix = faulty
    with pytest.raises(RosenblattError, match="broke the mixing theorem"):
        simulate(parts)


def test_a_guarantee_that_is_broken_says_so():
    assert not Guarantee(5.0, 1.0, 2.0, 0.2, bound=4.0).holds
    assert not Guarantee(1.0, 3.0, 2.0, 0.2).holds
    assert "no bound known" in str(Guarantee(1.0, 1.0, 2.0, 0.2))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_rows_are_dealt_out_whole(make):
    """Every row to learn from goes to one share, with its class and weight; none held out does."""
    X, y = np.arange(60.0).reshape(20, 3), np.arange(20) % 2
    pieces = [(make(X[:12]), y[:12], np.arange(12.0)), (make(X[12:]), y[12:]), (X[:0], y[:0])]
    facts = work.PartitionFacts(3, 0, np.array([0, 1]), held_out=0.25)
    blocks = [work.prepare(piece, index, facts=facts) for index, piece in enumerate(pieces)]
    dealt = [work.shares(block, index, None, 3, 0) for index, block in enumerate(blocks)]
    found = [work.joined(parts) for parts in zip(*dealt, strict=True)]
    assert {len(block.codes) for block in found} == {4, 5}
    rows = []
    for block in found:
        table = block.X.toarray() if sparse.issparse(block.X) else block.X
        rows += zip(table[:, 0].tolist(), block.codes.tolist(), block.weights.tolist(), strict=True)
        np.testing.assert_array_equal(block.train, np.arange(len(block.codes)))
    wanted = []
    for block, start in zip(blocks[:2], (0, 12), strict=True):
        weights = np.ones(8) if block.weights is None else block.weights
        wanted += [(3.0 * (start + i), int(y[start + i]), weights[i]) for i in block.train]
    assert sorted(rows) == sorted(wanted)


@pytest.mark.parametrize(("size", "classes"), [(2, 2), (5, 2), (40, 10)])
def test_rows_in_random_order_are_mixed_and_sorted_ones_are_not(size, classes):
    y = np.arange(4000) % classes
    X = np.zeros((4000, 1))

    def mixed(order):
        cuts = np.array_split(order, 4000 // size)
        return here([(X[k], y[k]) for k in cuts], np.arange(classes)).mixed

    assert mixed(np.random.default_rng(0).permutation(4000)) == pytest.approx(1, abs=0.1)
    assert mixed(np.argsort(y, kind="stable")) < 0.1

"""The engine: one loop, any rows, any order; every way to stop."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from children import PATIENCE
from rosenblatt.engine import rules
from rosenblatt.engine.loop import Ended, learn
from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.orders import HARDLY, ORDERS, near_boundary, order_named
from rosenblatt.engine.pieces import all_margins
from rosenblatt.engine.points import dot, exact_points, make_points, squared_norm
from rosenblatt.engine.rules import Multiclass, PerceptronRule, State, Tally, margin
from rosenblatt.engine.run import Pass
from rosenblatt.engine.stopping import Budget, Stop, no_longer_falls
from rosenblatt.engine.sweep import AS_THEY_COME, CompiledSweep, resumed, zero_state
from rosenblatt.errors import InputError
from strategies import labelled

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_SIGNS = np.array([-1.0, -1.0, 1.0, 1.0])


class PlainSweep(CompiledSweep):
    """The same sweep without machine code: the rules as they are written."""

    def __init__(self, *args, **given):
        super().__init__(*args, **given)
        self._cycle = rules.cycle

    def margins(self, points, order):
        margins = [margin(self.rule, points, i, self.state) for i in order]
        return np.array(margins, dtype=object)

    def hardly_right(self):
        self.count_aside()
        out, limit = np.empty_like(self.in_play), HARDLY * self._usual_step
        given = self.rule, self.points, self.in_play, self.state, limit, out
        wrong, some, self._least = near_boundary(*given)
        return wrong, out[:some] if wrong else self.in_play

    @cached_property
    def _usual_step(self):
        points, n = self.points, len(self.points.y)
        return float(sum(points.steps[i] * squared_norm(points, i) for i in range(n))) / n

    def finish(self):
        if np.ndim(self.state.weights) == 1:
            late = [i for i, share in enumerate(self.state.pending) if share != 0]
            if late:
                self.averaged += rules.add_pending(self.points, late, self.state)


def exact_state(n, d, classes=0):
    shape = (classes, d + 1) if classes else (d + 1,)
    zero = Fraction(0)
    return State(
        np.full(shape, zero, dtype=object),
        np.full(shape, zero, dtype=object),
        np.full(n, zero, dtype=object),
        np.full(n, zero, dtype=object),
        [0],
        [zero] * classes,
    )


def as_csr(X, index=np.int32):
    """A CSR copy with unsorted columns and an explicit zero."""
    rows = []
    for row in X:
        columns = [j for j in reversed(range(len(row))) if row[j] or j == 0]
        rows.append((columns, [row[j] for j in columns]))
    indices = np.array([j for columns, _ in rows for j in columns], dtype=index)
    data = np.array([v for _, values in rows for v in values])
    indptr = np.cumsum([0, *(len(c) for c, _ in rows)]).astype(index)
    return sparse.csr_matrix((data, indices, indptr), shape=X.shape)


def agree(one, other):
    assert (one.updates, one.looks, one.passes, one.stop) == (
        other.updates,
        other.looks,
        other.passes,
        other.stop,
    )
    np.testing.assert_array_equal(one.weights.astype(float), other.weights.astype(float))
    np.testing.assert_array_equal(one.average.astype(float), other.average.astype(float))


@given(labelled(), st.sampled_from(sorted(ORDERS)), st.sampled_from([0.0, 1.0]))
def test_dense_sparse_float32_and_uncompiled_agree_to_the_bit_on_integers(problem, order, delta):
    X, y = problem
    signs = 2.0 * y - 1.0
    budget = Budget(passes=8)

    def run(rows, sweeper=CompiledSweep):
        sweep = sweeper(make_points(rows, signs), PerceptronRule(delta))
        return learn(sweep, order=order, budget=budget)

    dense = run(X)
    agree(dense, run(X.astype(np.float32)))
    agree(dense, run(np.asfortranarray(X)))
    agree(dense, run(as_csr(X)))
    agree(dense, run(as_csr(X, np.int64)))
    agree(dense, run(X, sweeper=PlainSweep))
    agree(dense, run(as_csr(X), sweeper=PlainSweep))


@given(labelled(), st.sampled_from(["active", "cyclic", "shuffled"]))
def test_fractions_agree_with_floats_on_integers(problem, order):
    X, y = problem
    signs = 2.0 * y - 1.0
    exact = learn(
        PlainSweep(
            exact_points(X, signs.astype(int).tolist()),
            PerceptronRule(0),
            state=exact_state(*X.shape),
        ),
        order=order,
        budget=Budget(passes=6),
    )
    floats = learn(
        CompiledSweep(make_points(X, signs), PerceptronRule()), order=order, budget=Budget(passes=6)
    )
    assert exact.updates == floats.updates
    np.testing.assert_array_equal(exact.weights.astype(float), floats.weights)
    np.testing.assert_allclose(exact.average.astype(float), floats.average, rtol=1e-14)


@given(labelled(classes=4, n=(4, 12)), st.sampled_from(sorted(ORDERS)))
def test_multiclass_dense_sparse_and_uncompiled_agree_to_the_bit(problem, order):
    X, y = problem
    budget = Budget(passes=6)

    def run(rows, sweeper=CompiledSweep):
        return learn(sweeper(make_points(rows, y), Multiclass()), order=order, budget=budget)

    dense = run(X)
    agree(dense, run(as_csr(X)))
    agree(dense, run(X, sweeper=PlainSweep))


def brute_force_average(X, signs, passes):
    """The mean of the weights after each look, kept the long way round."""
    w, total, looks = np.zeros(X.shape[1] + 1), np.zeros(X.shape[1] + 1), 0
    for _ in range(passes):
        for x, y in zip(np.hstack([X, np.ones((len(X), 1))]), signs, strict=True):
            if y * (x @ w) <= 0:
                w = w + y * x
            total += w
            looks += 1
    return w, total / looks


@given(labelled())
def test_the_average_is_the_mean_of_the_weights_over_all_looks(problem):
    X, y = problem
    signs = 2.0 * y - 1.0
    run = learn(
        CompiledSweep(make_points(X, signs), PerceptronRule()),
        order="cyclic",
        budget=Budget(passes=3),
    )
    last, average = brute_force_average(X, signs, run.passes)
    np.testing.assert_array_equal(run.weights, last)
    np.testing.assert_allclose(run.average, average, rtol=1e-12, atol=1e-12)


@given(labelled())
def test_the_dual_form_rebuilds_the_weights(problem):
    X, y = problem
    signs = 2.0 * y - 1.0
    run = learn(CompiledSweep(make_points(X, signs), PerceptronRule()), budget=Budget(passes=5))
    rows = np.hstack([X, np.ones((len(X), 1))]) * signs[:, None]
    np.testing.assert_array_equal(run.weights, run.state.dual @ rows)
    np.testing.assert_equal(run.state.dual.sum(), run.updates)


@given(labelled(n=(4, 12)), st.integers(1, 3))
def test_going_on_in_two_runs_is_one_run(problem, cut):
    X, y = problem
    signs = 2.0 * y - 1.0
    points = make_points(X, signs)
    whole = learn(CompiledSweep(points, PerceptronRule()), order="cyclic", budget=Budget(passes=6))
    first = learn(
        CompiledSweep(points, PerceptronRule()), order="cyclic", budget=Budget(passes=cut)
    )
    if first.stop is Stop.SEPARATED:
        return
    second = learn(
        CompiledSweep(points, PerceptronRule(), state=resumed(first.state, points)),
        order="cyclic",
        budget=Budget(passes=6 - cut),
    )
    joined = second.after(first)
    np.testing.assert_array_equal(joined.weights, whole.weights)
    np.testing.assert_array_equal(joined.average, whole.average)
    assert (joined.updates, joined.passes, joined.looks) == (
        whole.updates,
        whole.passes,
        whole.looks,
    )
    assert joined.cost.multiply_adds == whole.cost.multiply_adds


@pytest.mark.parametrize(
    ("ties", "mistaken"),
    [("mistake", {-1, 1}), ("positive", {-1}), ("negative", {1}), ("correct", set())],
)
def test_ties_decide_what_a_score_on_the_boundary_is(ties, mistaken):
    X = np.array([[0.0, 1.0], [0.0, 1.0]])
    for sign in (-1.0, 1.0):
        points = make_points(X[:1], np.array([sign]), fit_intercept=False)
        state = zero_state(points)
        state.weights[0] = 1.0
        run = learn(
            CompiledSweep(points, rules.make_rule(2, ties=ties), state=state),
            budget=Budget(passes=1),
        )
        assert bool(run.updates) == (sign in mistaken)


def test_worst_order_with_ties_looks_past_the_first_of_equals():
    points = make_points(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), fit_intercept=False)
    run = learn(CompiledSweep(points, rules.make_rule(2, ties="positive")), order="worst")
    assert run.updates == 1
    np.testing.assert_array_equal(run.weights, [1.0, 0.0])


def test_stops_when_separated():
    run = learn(
        CompiledSweep(
            make_points(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])), PerceptronRule()
        )
    )
    assert run.stop is Stop.SEPARATED
    assert run.clean
    np.testing.assert_equal(run.history[-1].training_error, 0.0)


def xor_run(**budget):
    return learn(
        CompiledSweep(make_points(XOR, XOR_SIGNS), PerceptronRule()),
        order="cyclic",
        budget=Budget(**budget),
    )


def test_stops_when_the_training_error_no_longer_falls():
    run = xor_run(tol=0.0, patience=3)
    assert run.stop is Stop.TRAINING_ERROR
    assert len(run.history) < 20
    assert not np.isnan(run.column("training_error")).any()


def test_stops_when_the_validation_error_no_longer_falls_and_keeps_the_best_weights():
    points = make_points(XOR, XOR_SIGNS)
    run = learn(
        CompiledSweep(points, PerceptronRule()),
        order="cyclic",
        validation=(points, np.arange(4)),
        budget=Budget(patience=4),
    )
    assert run.stop is Stop.VALIDATION_ERROR
    errors = run.column("validation_error")
    wrong = XOR_SIGNS * (XOR @ run.weights[:-1] + run.weights[-1]) <= 0
    np.testing.assert_equal(wrong.mean(), errors.min())


def test_stops_when_the_budget_of_passes_is_spent():
    run = xor_run(passes=7)
    assert (run.stop, run.passes, run.looks) == (Stop.PASSES, 7, 28)


@pytest.mark.parametrize("order", sorted(ORDERS))
def test_stops_at_the_very_update_that_spends_the_budget(order):
    run = learn(
        CompiledSweep(make_points(XOR, XOR_SIGNS), PerceptronRule()),
        order=order,
        budget=Budget(updates=9),
    )
    assert (run.stop, run.updates, run.mistakes) == (Stop.UPDATES, 9, 9)


def test_stops_when_the_weights_hardly_change():
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 9, size=(50, 2)).astype(float)
    signs = np.sign(X[:, 0] + 0.5)
    signs[:2] *= -1
    run = learn(
        CompiledSweep(make_points(X, signs), PerceptronRule()),
        order="cyclic",
        budget=Budget(weight_tol=1.5, passes=99),
    )
    assert run.stop is Stop.SETTLED


def test_stops_at_overflow_instead_of_training_through_it():
    points = make_points(np.array([[1e150], [2e150]]), np.array([1.0, -1.0]), steps=1e200)
    run = learn(CompiledSweep(points, PerceptronRule()), budget=Budget(passes=50))
    assert run.stop is Stop.OVERFLOW


def test_a_large_but_finite_norm_is_no_overflow():
    points = make_points(np.array([[1e150], [-1e150]]), np.array([1.0, -1.0]), steps=1e50)
    assert learn(CompiledSweep(points, PerceptronRule())).stop is Stop.SEPARATED


@pytest.mark.parametrize(
    ("order", "copies", "passes"),
    [("active", 1, None), ("cyclic", 1, None), ("cyclic", 5000, 10**6)],
)
def test_ctrl_c_keeps_what_was_learned(order, copies, passes):
    main, begun = threading.get_ident(), threading.Event()

    def press():
        if begun.wait(PATIENCE):
            signal.pthread_kill(main, signal.SIGINT)

    def watch(_):
        begun.set()
        # Never endless, whatever becomes of the Ctrl-C.
        return Stop.CALLBACK if time.monotonic() > end else None

    presser, end = threading.Thread(target=press), time.monotonic() + PATIENCE
    points = make_points(np.tile(XOR, (copies, 1)), np.tile(XOR_SIGNS, copies))
    presser.start()
    sweep = CompiledSweep(points, PerceptronRule())
    run = learn(sweep, order=order, budget=Budget(passes), watch=watch)
    presser.join()
    assert run.stop is Stop.INTERRUPTED
    assert run.updates > 0
    assert np.isfinite(run.weights).all()


@given(labelled(n=(2, 40), d=(1, 20)), st.booleans(), st.booleans())
def test_an_empty_order_is_that_of_all_points_as_they_come(problem, csr, is_plain):
    X, y = problem
    points = make_points(as_csr(X) if csr else X, np.where(y > 0, 1.0, -1.0))
    cycle = rules.cycle if is_plain else compiled(rules.cycle)
    found = []
    for order in (AS_THEY_COME, np.arange(len(y))):
        state = zero_state(points)
        found.append((cycle(PerceptronRule(), points, order, 5, 1000, state), *state))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("size", "stop"), [(1e175, Stop.OVERFLOW), (1.0, Stop.PASSES), (1e-120, Stop.PASSES)]
)
def test_lengths_after_passes_are_those_of_any_size_of_weights(size, stop):
    X = size * np.array([[1.0], [2.0], [3.0]])
    points = make_points(X, np.array([1.0, -1.0, 1.0]), steps=size)
    sweep = CompiledSweep(points, PerceptronRule())
    run = learn(sweep, order="cyclic", budget=Budget(passes=1500))
    assert (run.stop, len(run.history)) == (stop, run.passes)
    if stop is Stop.PASSES:
        assert run.passes == 1500
        np.testing.assert_allclose(run.history[-1].norm / size, np.hypot(*(run.weights / size)))


@pytest.mark.parametrize("order", ["active", "cyclic", "shuffled", "worst", "iid"])
@pytest.mark.parametrize(
    ("signs", "passes", "stop"),
    [
        ([-1.0, 1.0, 1.0, 1.0], None, Stop.SEPARATED),
        (XOR_SIGNS, 1, Stop.PASSES),
        (XOR_SIGNS, 4, Stop.PASSES),
    ],
)
def test_every_pass_is_seen(order, signs, passes, stop):
    seen = []
    run = learn(
        CompiledSweep(make_points(XOR, np.array(signs)), PerceptronRule()),
        order=order,
        budget=Budget(passes),
        watch=seen.append,
    )
    assert run.stop is stop
    assert tuple(seen) == run.history


def test_a_pass_that_ends_the_run_has_the_last_word():
    points = make_points(XOR, np.array([-1.0, 1.0, 1.0, 1.0]))
    clean = learn(CompiledSweep(points, PerceptronRule()), order="cyclic")

    def late(row):
        return Stop.CALLBACK if row == clean.history[-1]._replace(seconds=row.seconds) else None

    run = learn(CompiledSweep(points, PerceptronRule()), order="cyclic", watch=late)
    assert (run.stop, run.passes) == (Stop.SEPARATED, clean.passes)


def test_a_watcher_may_end_the_run_and_a_sweep_may_too():
    seen: list[Pass] = []

    def watch(row):
        seen.append(row)
        return Stop.CALLBACK if len(seen) == 3 else None

    run = learn(CompiledSweep(make_points(XOR, XOR_SIGNS), PerceptronRule()), watch=watch)
    assert (run.stop, run.passes) == (Stop.CALLBACK, 3)

    class Ending(PlainSweep):
        def look(self, order, laps=1):
            raise Ended(Stop.CYCLES)

    assert learn(Ending(make_points(XOR, XOR_SIGNS), PerceptronRule())).stop is Stop.CYCLES


def test_every_stop_reads_as_a_sentence_with_a_next_action_unless_all_is_well():
    actions = ("Add", "Raise", "Lower", "Rescale", "Set", "set", "rosenblatt.decide", "average")
    for stop in Stop:
        assert str(stop).endswith(".")
        assert stop is Stop.SEPARATED or any(word in str(stop) for word in actions), stop


def test_history_counts_looks_and_mistakes_pass_by_pass():
    run = xor_run(passes=5)
    np.testing.assert_array_equal(run.column("looks"), [4, 8, 12, 16, 20])
    assert run.column("mistakes").sum() == run.mistakes == run.updates
    assert np.all(np.diff(run.column("seconds")) >= 0)


def test_active_order_looks_less_than_cyclic_on_a_hard_problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 20))
    w = rng.standard_normal(20)
    w /= np.linalg.norm(w)
    signs = np.sign(X @ w)
    X += 0.02 * signs[:, None] * w
    looks = {
        order: learn(CompiledSweep(make_points(X, signs), PerceptronRule()), order=order).looks
        for order in ("active", "cyclic")
    }
    assert looks["cyclic"] > 4 * looks["active"]


def test_active_order_mixes_points_that_come_class_by_class():
    def comes(y):
        points = make_points(np.zeros((len(y), 1)), np.asarray(y))
        return CompiledSweep(points, PerceptronRule()).come_in_classes

    rng = np.random.default_rng(0)
    assert comes(np.repeat([-1.0, 1.0], 50))
    assert not comes(np.tile([-1.0, 1.0], 50))
    assert not comes(np.sign(rng.standard_normal(100)))
    assert comes(np.repeat(np.arange(5), 20))
    assert not comes(rng.integers(0, 5, 100))


def test_shuffled_order_is_seeded():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 3))
    signs = np.sign(rng.standard_normal(50))
    weights = [
        learn(
            CompiledSweep(make_points(X, signs), PerceptronRule()),
            order="shuffled",
            budget=Budget(passes=3),
            rng=np.random.default_rng(seed),
        ).weights
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])


def test_bad_settings_are_refused_with_what_came():
    with pytest.raises(InputError, match=r"order must be one of 'active', .* got 'fastest'"):
        order_named("fastest")
    with pytest.raises(InputError, match=r"threshold must be a number of at least 0 .* got -1"):
        rules.make_rule(2, threshold=-1)
    with pytest.raises(InputError, match="threshold"):
        rules.make_rule(2, threshold=float("nan"))
    with pytest.raises(InputError, match=r"ties must be one of .* got 'maybe'"):
        rules.make_rule(2, ties="maybe")
    with pytest.raises(InputError, match=r"supported by ties='positive', but there are 3 c"):
        rules.make_rule(3, ties="positive")
    with pytest.raises(InputError, match="max_updates must be at least 1, got 0"):
        Budget(updates=0)
    with pytest.raises(InputError, match="no point to learn from"):
        learn(CompiledSweep(make_points(np.zeros((0, 2)), np.zeros(0)), PerceptronRule()))
    points = make_points(np.zeros((1, 2)), np.ones(1))
    with pytest.raises(InputError, match="as many features and classes"):
        resumed(zero_state(make_points(np.zeros((1, 3)), np.ones(1))), points)


@pytest.mark.parametrize(
    ("errors", "tol", "patience", "expected"),
    [
        ([0.5], 0.0, 1, False),
        ([0.5, 0.5], 0.0, 1, True),
        ([0.5, 0.4, 0.3], 0.2, 2, True),
        ([0.5, 0.6, 0.4], 0.0, 2, False),
        ([], 0.0, 1, False),
    ],
)
def test_no_longer_falls(errors, tol, patience, expected):
    assert no_longer_falls(errors, tol, patience) is expected


def test_plain_primitives_agree_with_numpy():
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    w = np.array([5.0, 6.0, 7.0])
    for rows in (X, as_csr(X)):
        points = make_points(rows, np.ones(2))
        np.testing.assert_equal(dot(points, 1, w), 3 * 5 + 4 * 6 + 7)
        np.testing.assert_equal(squared_norm(points, 1), 26.0)


def test_a_fit_copies_nothing_of_the_size_of_the_data():
    import tracemalloc

    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 200))
    signs = np.sign(X[:, 0])
    learn(
        CompiledSweep(make_points(X[:100], signs[:100]), PerceptronRule()), budget=Budget(passes=1)
    )
    for rows in (X, X.astype(np.float32), sparse.csr_matrix(X[:, :20])):
        learn(
            CompiledSweep(make_points(rows[:100], signs[:100]), PerceptronRule()),
            budget=Budget(passes=1),
        )
        size = rows.nbytes if isinstance(rows, np.ndarray) else rows.data.nbytes
        tracemalloc.start()
        learn(CompiledSweep(make_points(rows, signs), PerceptronRule()), budget=Budget(passes=2))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < size / 2


def test_a_tally_adds_up():
    assert Tally(1, 2, 1, 4, 2)._fields == ("updates", "looks", "last", "read", "written")


def test_a_later_process_finds_the_compiled_code():
    code = (
        "import numpy as np, rosenblatt as rb; X = np.array([[1.], [-1.]]);"
        "rb.Perceptron().fit(X, [1, 0]);"
        "X = np.array([[0., 0.], [1., 1.], [0., 1.], [1., 0.]]);"
        "rb.Perceptron().fit(X, [0, 0, 1, 1]);"
        "rb.Perceptron().fit(X, [0, 1, 2, 0]);"
        "from rosenblatt.engine.machine.jit import dispatcher;"
        "from rosenblatt.engine.rules import cycle;"
        "print(dispatcher(cycle).made)"
    )
    for _ in range(2):  # the first may have to compile
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert done.stdout.split() == ["0"]


@given(labelled(n=(4, 30)), st.randoms(use_true_random=False))
def test_points_in_play_in_any_order_agree_to_the_bit(problem, random):
    X, y = problem
    in_play = list(range(len(y)))
    random.shuffle(in_play)
    chosen = np.array(in_play[: max(2, len(in_play) * 2 // 3)])
    for some in (chosen, np.array(in_play), np.arange(len(y))):
        runs = [
            learn(
                sweeper(make_points(X, 2.0 * y - 1.0), PerceptronRule(), in_play=some),
                budget=Budget(passes=8),
            )
            for sweeper in (CompiledSweep, PlainSweep)
        ]
        agree(*runs)
        assert not runs[0].state.dual[np.setdiff1d(np.arange(len(y)), some)].any()


def test_the_mistaken_come_in_the_order_of_the_points_in_play():
    points = make_points(np.eye(4), np.ones(4))
    state = zero_state(points)
    state.dual[[1, 3]] = 1
    for in_play, expected in (([3, 2, 1, 0], [3, 1]), ([0, 1, 2, 3], [1, 3]), ([2, 3], [3])):
        sweep = CompiledSweep(points, PerceptronRule(), state, np.array(in_play))
        np.testing.assert_array_equal(sweep.mistaken(), expected)


@given(labelled(), st.sampled_from(sorted(ORDERS)), st.booleans())
def test_the_least_margin_is_known_after_a_clean_look(problem, order, sparsely):
    X, y = problem
    points = make_points(as_csr(X) if sparsely else X, np.where(y > 0, 1.0, -1.0))
    run = learn(CompiledSweep(points, PerceptronRule()), order=order, budget=Budget(passes=50))
    if run.clean:
        in_play = np.arange(len(y))
        assert run.least == all_margins(points, PerceptronRule(), run.state, in_play).min()


def test_a_rule_that_does_not_tell_has_no_least_margin():
    points = make_points(XOR, np.array([0, 0, 1, 2]))
    state = zero_state(points, 3)
    assert np.isnan(CompiledSweep(points, Multiclass(), state).least)


def test_machine_code_is_found_for_every_kind_of_order():
    points = make_points(XOR, np.array([-1.0, 1.0, 1.0, 1.0]))
    looks = []
    for order in (np.arange(4), np.arange(4, dtype=np.int32), np.arange(8)[::2] // 2, [0, 1, 2, 3]):
        sweep = CompiledSweep(points, PerceptronRule())
        sweep.look(order, laps=3)
        sweep.look(np.arange(4), laps=100)
        looks.append((sweep.total, sweep.state.weights.tolist()))
    assert all(found == looks[0] for found in looks)


def test_the_mean_of_the_weights_is_that_of_the_run_whenever_it_is_read():
    points = make_points(XOR, XOR_SIGNS)
    first = learn(CompiledSweep(points, PerceptronRule()), budget=Budget(passes=3))
    again = learn(CompiledSweep(points, PerceptronRule()), budget=Budget(passes=3))
    expected = again.average.copy()
    learn(
        CompiledSweep(points, PerceptronRule(), state=resumed(first.state, points)),
        budget=Budget(passes=5),
    )
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(first)).average, expected)
    np.testing.assert_array_equal(first.average, expected)


def test_seconds_leave_compilation_out(monkeypatch):
    from rosenblatt.engine import loop

    points = make_points(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]))
    spent = iter([0.0] + [1000.0] * 100)
    monkeypatch.setattr(loop, "compile_seconds", lambda: next(spent))
    assert learn(CompiledSweep(points, PerceptronRule())).seconds < 0


def test_a_history_not_yet_read_travels_with_its_run():
    run = learn(
        CompiledSweep(make_points(XOR, XOR_SIGNS), PerceptronRule()),
        order="cyclic",
        budget=Budget(passes=40),
    )
    other = pickle.loads(pickle.dumps(run))
    assert isinstance(other.history, tuple)
    np.testing.assert_equal(other.history, run.history)
    assert len(run.history) == run.passes == 40
    assert replace(run, passes=0).history is run.history


@pytest.mark.parametrize("late_ones", [1, 20, 99, 100])
def test_the_drift_is_settled_alike_however_many_points_are_late(late_ones):
    rng = np.random.default_rng(1)
    X, y = rng.integers(-9, 9, (100, 7)) * 1.0, np.where(rng.random(100) < 0.5, 1.0, -1.0)
    shares = np.zeros(100)
    shares[rng.permutation(100)[:late_ones]] = rng.integers(1, 9, late_ones)
    expected = (shares * y) @ np.column_stack([X, np.ones(100)])
    for rows in (X, X.astype(np.float32), sparse.csr_matrix(X)):
        sweep = CompiledSweep(make_points(rows, y), PerceptronRule())
        sweep.state.pending[...] = shares
        sweep.finish()
        np.testing.assert_array_equal(sweep.state.drift, expected)
        np.testing.assert_array_equal(sweep.state.pending, 0)
        stored = sweep.points.rows.indptr if sparse.issparse(rows) else np.arange(0, 701, 7)
        assert sweep.averaged == (np.diff(stored)[shares != 0] + 1).sum()

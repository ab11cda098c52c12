"""Closed forms against counts taken by running the plain code over counting numbers."""

import math
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import cost
from rosenblatt.cost import Counted, Operations, counted, operations_of
from rosenblatt.engine import rules
from rosenblatt.engine.counting import Counting, points_in_play
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import DenseRows, Points, SparseRows, make_points, stored
from rosenblatt.engine.rules import Multiclass, PerceptronRule, State, Tally
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from rosenblatt.errors import InputError

SIZES = st.integers(1, 6)


def matrix(n, d):
    return [[i - j for j in range(d)] for i in range(n)]


class TestCounted:
    def test_each_operation_is_counted_once(self):
        tally = Counter()
        a, b = Counted(6, tally), Counted(Fraction(3, 2), tally)
        results = [a + b, a + 1, 1 + a, a - b, 1 - a, a * b, 2 * a, a / b, 3 / a, -a, abs(-a)]
        assert [x.value for x in results[:5]] == [Fraction(15, 2), 7, 7, Fraction(9, 2), -5]
        assert [x.value for x in results[5:]] == [9, 12, 4, 0.5, -6, 6]
        assert Operations(**tally) == Operations(5, 4)

    @pytest.mark.parametrize(
        ("compare", "expected"),
        [
            (lambda a, b: a == b, False),
            (lambda a, b: a != b, True),
            (lambda a, b: a < b, False),
            (lambda a, b: a <= b, False),
            (lambda a, b: a > b, True),
            (lambda a, b: a >= b, True),
        ],
    )
    def test_comparisons(self, compare, expected):
        tally = Counter()
        assert compare(Counted(2, tally), Counted(1, tally)) is expected
        assert compare(Counted(2, tally), 1) is expected
        assert tally == {"comparisons": 2}

    @pytest.mark.parametrize("number", [np.float64(2), np.int64(2), 2, 2.0, Fraction(2)])
    def test_other_numbers_on_the_left(self, number):
        tally = Counter()
        x = Counted(3, tally)
        assert (number * x).value == 6
        assert (number + x).value == 5
        assert (number - x).value == -1
        assert not number > x
        assert Operations(**tally) == Operations(2, 1, 1)

    def test_zero_is_false_and_asking_is_a_comparison(self):
        tally = Counter()
        assert [bool(Counted(v, tally)) for v in (0, 1)] == [False, True]
        assert tally == {"comparisons": 2}

    def test_cannot_hide_comparisons_in_a_set(self):
        with pytest.raises(TypeError):
            hash(Counted(1, Counter()))

    def test_counted_keeps_the_shape(self):
        numbers = counted(np.arange(4.0).reshape(2, 2), Counter())
        assert [[x.value for x in row] for row in numbers] == [[0.0, 1.0], [2.0, 3.0]]


class TestLinearAlgebra:
    @given(d=SIZES)
    def test_vectors(self, d):
        a = list(range(d))
        assert operations_of(cost.norm, a) == cost.norm_cost(d)
        assert operations_of(cost.dot, a, a) == cost.dot_cost(d)

    @given(n=SIZES, d=SIZES, m=SIZES)
    def test_matrices(self, n, d, m):
        A = matrix(n, d)
        assert operations_of(cost.frobenius, A) == cost.frobenius_cost(n, d)
        assert operations_of(cost.matvec, A, list(range(d))) == cost.matvec_cost(n, d)
        assert operations_of(cost.matmul, A, matrix(d, m)) == cost.matmul_cost(n, d, m)

    @given(n=st.integers(1, 20))
    def test_search(self, n):
        A = list(range(n))
        assert operations_of(cost.search, 0, A) == cost.search_cost(n, "best")
        assert operations_of(cost.search, n - 1, A) == cost.search_cost(n, "worst")
        assert operations_of(cost.search, -5, A) == cost.search_cost(n)
        assert cost.search_cost(0, "best").total == 0

    @given(n=st.integers(1, 5), d=st.integers(1, 5), m=st.integers(1, 5), seed=st.integers(0, 99))
    def test_values_agree_with_numpy(self, n, d, m, seed):
        rng = np.random.default_rng(seed)
        A, B = rng.integers(-9, 9, (n, d)), rng.integers(-9, 9, (d, m))
        assert cost.norm(A[0]) == pytest.approx(np.linalg.norm(A[0]))
        assert cost.frobenius(A) == pytest.approx(np.linalg.norm(A))
        assert cost.dot(A[0], B[:, 0]) == A[0] @ B[:, 0]
        np.testing.assert_array_equal(cost.matvec(A, B[:, 0]), A @ B[:, 0])
        np.testing.assert_array_equal(cost.matmul(A, B), A @ B)

    def test_orders(self):
        assert [
            cost.norm_cost(1).order,
            cost.dot_cost(1).order,
            cost.frobenius_cost(1, 1).order,
            cost.matvec_cost(1, 1).order,
            cost.matmul_cost(1, 1, 1).order,
            cost.search_cost(1, "best").order,
            cost.search_cost(1, "worst").order,
        ] == ["O(d)", "O(d)", "O(nd)", "O(nd)", "O(ndm)", "O(1)", "O(n)"]

    def test_bad_input(self):
        with pytest.raises(InputError, match="from 0 on"):
            cost.matmul_cost(2, -1, 3)
        with pytest.raises(InputError, match="best"):
            cost.search_cost(3, "average")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="zip"):
            cost.dot([1], [1, 2])


# --- A run ----------------------------------------------------------------------------------------


class Count:
    """Operations of learning and of averaging, told apart by where they happen."""

    def __init__(self):
        self.tally, self.learning, self.settling = Counter(), Counter(), Counter()

    def during(self, into, function, *arguments):
        before = self.tally.copy()
        result = function(*arguments)
        into.update(self.tally - before)
        return result


class PlainSweep(Counting):
    """The uncompiled rules, counted."""

    def __init__(self, counter, points, rule, state):
        self.counter, self.points, self.rule, self.state = counter, points, rule, state
        self.in_play = points_in_play(points, None)

    def look(self, order, laps=1):
        arguments = self.rule, self.points, order, laps, self.left, self.state
        tally = self.counter.during(self.counter.learning, rules.cycle, *arguments)
        self.count(tally)
        return tally.last

    def mistaken(self):
        return self.in_play[self.state.dual[self.in_play] > 0]

    def most_violated(self):
        self.count(Tally(0, len(self.in_play), 0, stored(self.points), 0))
        return self.counter.during(self.counter.learning, self._most_violated)

    def _most_violated(self):
        least, worst = math.inf, 0
        for i in self.in_play:
            margin = rules.margin(self.rule, self.points, i, self.state)
            if margin < least:
                least, worst = margin, i
        return worst

    def finish(self):
        if self.state.weights.ndim == 1:
            late = [i for i, share in enumerate(self.state.pending) if share != 0]
            how = rules.add_pending, self.points, late, self.state
            if late:
                self.averaged += self.counter.during(self.counter.settling, *how)


def counting_points(X, y, tally):
    """Points whose entries count, the bias coordinate too; labels and steps are plain numbers."""
    steps = [1] * len(y)
    if sparse.issparse(X):
        rows = SparseRows(counted(X.data, tally), X.indices, X.indptr, X.shape[1])
    else:
        rows = DenseRows(counted(X, tally))
    return Points(rows, y, steps, Counted(1, tally))


def counting_state(points, classes, tally):
    plain = zero_state(points, classes)

    def zeros(array):
        out = np.empty(array.shape, dtype=object)
        for at in np.ndindex(array.shape):
            out[at] = Counted(0, tally)
        return out

    return State(
        zeros(plain.weights),
        zeros(plain.drift),
        plain.dual,
        plain.pending,
        plain.clock,
        zeros(plain.buffer),
    )


def counted_run(X, y, rule, classes, **options):
    count = Count()
    points = counting_points(X, y, count.tally)
    state = counting_state(points, classes, count.tally)
    return learn(PlainSweep(count, points, rule, state), **options), count


@st.composite
def problems(draw):
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    classes = draw(st.sampled_from([0, 2, 3, 4]))
    entry = st.sampled_from([0, 0, 1, -1, 2, 5])
    X = np.array(draw(st.lists(st.lists(entry, min_size=d, max_size=d), min_size=n, max_size=n)))
    label = st.sampled_from([-1, 1]) if not classes else st.integers(0, classes - 1)
    y = draw(st.lists(label, min_size=n, max_size=n))
    return (sparse.csr_array(X) if draw(st.booleans()) else X), y, classes


def rule_for(classes, threshold=0, tie=True):
    return Multiclass(threshold, tie) if classes else PerceptronRule(threshold, tie, tie)


@settings(deadline=None, max_examples=150)
@given(
    problem=problems(),
    order=st.sampled_from(["cyclic", "shuffled", "active", "worst"]),
    threshold=st.sampled_from([0, 1, 3]),
    budget=st.sampled_from([Budget(passes=4), Budget(passes=4, updates=3)]),
)
def test_a_run_costs_what_the_closed_form_says(problem, order, threshold, budget):
    X, y, classes = problem
    rule = rule_for(classes, threshold)
    run, count = counted_run(X, y, rule, classes, order=order, budget=budget)
    learned = Operations(**count.learning)
    read, written = run_entries(run, X, order)
    expected = cost.learning_cost(run.looks, read, run.updates, written, classes=classes)
    assert run.cost.comparisons == learned.comparisons == expected.comparisons
    if classes:  # the drift is kept at each update
        drift = Operations(run.cost.averaging, run.cost.averaging)
        assert run.cost.averaging == 2 * (written + run.updates)
        assert learned == expected + drift
    else:
        assert learned == expected
        settled = Operations(**count.settling)
        assert settled == Operations(run.cost.averaging, run.cost.averaging)
    assert run.cost.multiply_adds == expected.multiplications
    assert run.cost.rows == run.looks


def run_entries(run, X, order):
    """Entries written, from the dual form (steps are 1), and read, from the bytes."""
    sizes = np.diff(X.indptr) if sparse.issparse(X) else np.full(X.shape[0], X.shape[1])
    written = int(run.state.dual @ sizes)
    entry = 8 + X.indices.itemsize if sparse.issparse(X) else 8
    read, rest = divmod(run.cost.bytes, entry)
    assert rest == 0
    if order == "cyclic":
        whole, more = divmod(run.looks, len(sizes))
        assert read == whole * sizes.sum() + sizes[:more].sum()
    return read, written


def test_sparse_rows_cost_their_stored_entries():
    X = sparse.csr_array(np.array([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]))
    run, count = counted_run(
        X, [1, 1, -1], PerceptronRule(), 0, order="cyclic", budget=Budget(passes=1)
    )
    # Mistakes: the first row (w = 0) and the third; the bias is right on the second.
    assert (run.looks, run.updates) == (3, 2)
    assert Operations(**count.learning) == cost.learning_cost(3, 5, 2, 1 + 4)
    assert run.cost.multiply_adds == (5 + 3 + 3) + (1 + 4 + 2)
    assert run.cost.averaging == 4 + 1  # the first look's share of the drift is zero
    assert run.cost.order == "O(nnz)"


def test_a_tie_that_passes_takes_one_comparison_more():
    X, y = np.array([[0], [0]]), [1, 1]
    for classes in (0, 2):
        run, count = counted_run(X, y, rule_for(classes, tie=False), classes)
        assert run.updates == 0
        assert count.learning["comparisons"] == run.cost.comparisons + run.looks


@given(d=st.integers(1, 6), classes=st.sampled_from([0, 2, 3, 5]))
def test_one_look_and_one_update(d, classes):
    tally = Counter()
    X, y = np.ones((1, d), dtype=int), [1]
    points = counting_points(X, y, tally)
    state = counting_state(points, classes, tally)
    rule = rule_for(classes)
    assert rules.step(rule, points, 0, state) == 1
    drift = Operations(2 * (d + 1), 2 * (d + 1)) if classes else Operations()
    first = cost.look_cost(d, classes=classes) + cost.update_cost(d, classes=classes) + drift
    assert Operations(**tally) == first
    tally.clear()
    assert rules.step(rule, points, 0, state) == 0
    assert Operations(**tally) == cost.look_cost(d, classes=classes)


@pytest.mark.parametrize("classes", [0, 3])
def test_one_pass(classes):
    X, y = np.eye(4, 3, dtype=int), [1, 1, 1, 1]
    run, count = counted_run(
        X, y, rule_for(classes), classes, order="cyclic", budget=Budget(passes=1)
    )
    expected = cost.pass_cost(4, 3, run.updates, classes=classes)
    assert (run.cost.multiply_adds, run.cost.comparisons) == (
        expected.multiplications,
        expected.comparisons,
    )
    assert count.learning["comparisons"] == expected.comparisons
    assert expected.order == ("O(ndK)" if classes else "O(nd)")


@settings(deadline=None, max_examples=30)
@given(problem=problems(), order=st.sampled_from(["cyclic", "active", "worst"]))
def test_the_compiled_run_reports_the_same_cost(problem, order):
    X, y, classes = problem
    budget = Budget(passes=4)
    plain, _ = counted_run(X, y, rule_for(classes), classes, order=order, budget=budget)
    labels = np.array(y, dtype=np.int64 if classes else np.float64)
    points = make_points(X.astype(np.float64), labels)
    state = zero_state(points, classes)
    fast = learn(
        CompiledSweep(points, rule_for(classes, 0.0), state=state), order=order, budget=budget
    )
    assert fast.cost == plain.cost


def test_bytes_are_those_of_the_stored_entries():
    X, y = np.array([[1, 0], [0, -1]], dtype=np.float32), np.array([1.0, -1.0])
    run = learn(CompiledSweep(make_points(X, y), PerceptronRule()), order="cyclic")
    assert run.stop is Stop.SEPARATED
    assert run.cost.bytes == run.looks * 2 * 4
    run = learn(
        CompiledSweep(make_points(sparse.csr_array(X), y), PerceptronRule()), order="cyclic"
    )
    assert run.cost.bytes == run.looks * (4 + 4)
    assert "O(nnz) a pass" in str(run.cost)


def test_a_run_that_goes_on_adds_its_cost():
    earlier, later = cost.RunCost(1, 2, 3, 4, 5, "O(nd)"), cost.RunCost(10, 20, 30, 40, 50, "O(nd)")
    assert later.after(earlier) == cost.RunCost(11, 22, 33, 44, 55, "O(nd)")


def test_pass_cost_refuses_more_updates_than_rows():
    with pytest.raises(InputError, match="cannot make"):
        cost.pass_cost(3, 2, updates=4)


# --- Growth ---------------------------------------------------------------------------------------


class TestGrowth:
    @given(st.floats(-2, 4), st.floats(0.01, 100))
    def test_a_power_law_is_recovered(self, exponent, factor):
        sizes = [8, 16, 32, 64]
        growth = cost.growth_exponent(sizes, [factor * n**exponent for n in sizes])
        assert growth.exponent == pytest.approx(exponent, abs=1e-9)
        assert growth.factor == pytest.approx(factor, rel=1e-6)

    def test_a_constant_cost_is_explained_in_full(self):
        growth = cost.growth_exponent([1, 2, 4], [5, 5, 5])
        assert (growth.exponent, growth.r_squared) == (0.0, 1.0)

    def test_noise_lowers_r_squared(self):
        assert cost.growth_exponent([1, 2, 4, 8], [1, 5, 2, 9]).r_squared < 0.9

    @pytest.mark.parametrize(
        ("sizes", "costs", "message"),
        [
            ([1, 2], [1], "Each size"),
            ([2, 2], [1, 3], "two different"),
            ([], [], "two different"),
            ([1, 2], [0, 1], "positive"),
            ([1, 2], [1, math.nan], "positive"),
        ],
    )
    def test_bad_input(self, sizes, costs, message):
        with pytest.raises(InputError, match=message):
            cost.growth_exponent(sizes, costs)


class TestDoubling:
    def test_exponents_of_counted_code(self):
        def product(n):
            return operations_of(cost.matmul, matrix(n, n), matrix(n, n))

        assert cost.doubling(product, [2, 4, 8, 16]).exponent == pytest.approx(3)
        best = cost.doubling(partial(cost.search_cost, case="best"), [10, 20, 40])
        assert best.exponent == 0

    def test_a_pass_is_linear_in_n_and_in_d(self):
        def rows(n):
            X, y = np.ones((n, 3)), np.ones(n)
            return learn(
                CompiledSweep(make_points(X, y), PerceptronRule()), budget=Budget(passes=1)
            ).cost.multiply_adds

        assert cost.doubling(rows, [64, 128, 256]).exponent == pytest.approx(1, abs=0.05)
        columns = cost.doubling(lambda d: cost.pass_cost(50, d), [256, 512, 1024])
        assert columns.exponent == pytest.approx(1, abs=0.01)

    def test_seconds_leave_preparation_out(self, monkeypatch):
        now = [0.0]
        monkeypatch.setattr(cost.growth.time, "perf_counter", lambda: now[0])

        def spend(seconds):
            now[0] += seconds
            return seconds

        table = cost.doubling(
            lambda n: spend(n * n),
            [10, 20, 40],
            prepare=lambda n: spend(1000) and n,
            unit="seconds",
        )
        assert table.costs == (100, 400, 1600)
        assert table.ratios == (4, 4)
        assert table.exponent == pytest.approx(2)
        assert "seconds" in str(table)
        assert "4.00" in str(table)

    def test_bad_input(self):
        with pytest.raises(InputError, match="unit"):
            cost.doubling(abs, [1, 2], unit="hours")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="repeats"):
            cost.doubling(abs, [1, 2], unit="seconds", repeats=0)

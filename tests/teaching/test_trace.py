"""The trace records the one loop faithfully: exact = float = compiled."""

import builtins
import io
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import make_points
from rosenblatt.engine.rules import make_rule
from rosenblatt.engine.stopping import Budget, Stop
from rosenblatt.engine.sweep import CompiledSweep, zero_state
from rosenblatt.errors import InputError
from rosenblatt.teaching.tracing import trace

ORDERS = ["cyclic", "shuffled", "active", "worst"]
X, y = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1]


@st.composite
def problems(draw, classes=2):
    n, d = draw(st.integers(classes, 8)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-5, 5), min_size=d, max_size=d)
    rows = draw(st.lists(row, min_size=n, max_size=n))
    rest = st.lists(st.integers(0, classes - 1), min_size=n - classes, max_size=n - classes)
    return np.array(rows), np.array([*range(classes), *draw(rest)])


class AsTaught(CompiledSweep):
    """The active order of a trace: it goes back to the points mistaken before, and no others."""

    def look(self, order, laps=1):
        last = super().look(order, laps)
        self.came_clean = False
        return last


def compiled_run(X, codes, classes, *, order, seed, passes, threshold=0, ties="mistake", bias=True):
    """The machine code on the same problem."""
    labels = 2.0 * codes - 1 if classes == 2 else codes
    points = make_points(X.astype(float), labels, fit_intercept=bias)
    return learn(
        AsTaught(
            points,
            make_rule(classes, float(threshold), ties),
            state=zero_state(points, 0 if classes == 2 else classes),
        ),
        order=order,
        budget=Budget(passes=passes),
        rng=np.random.default_rng(seed),
    )


def same(run, other):
    np.testing.assert_array_equal(run.weights, other.weights)
    np.testing.assert_allclose(run.average.astype(float), other.average, rtol=1e-12, atol=1e-12)
    assert (run.stop, run.updates, run.passes, run.looks, run.clean, run.cost) == (
        other.stop,
        other.updates,
        other.passes,
        other.looks,
        other.clean,
        other.cost,
    )


# --- exact = float = compiled --------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=25, deadline=None)
@given(
    problem=problems(),
    seed=st.integers(0, 99),
    threshold=st.integers(0, 3),
    ties=st.sampled_from(["mistake", "positive", "negative"]),
    bias=st.booleans(),
)
def test_trace_is_the_compiled_run(order, problem, seed, threshold, ties, bias):
    X, codes = problem
    options = {"threshold": threshold, "ties": ties}
    how = {"order": order, "random_state": seed, "max_passes": 7, "fit_intercept": bias}
    fast = compiled_run(X, codes, 2, order=order, seed=seed, passes=7, bias=bias, **options)
    same(trace(X, codes, exact=False, **how, **options).run, fast)
    exact = trace(X, codes, **how, **options)
    assert exact.exact
    if exact.stop is not Stop.CYCLES:
        same(exact.run, fast)


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=20, deadline=None)
@given(problem=problems(classes=3), seed=st.integers(0, 99), threshold=st.integers(0, 3))
def test_trace_is_the_compiled_run_of_three_classes(order, problem, seed, threshold):
    X, codes = problem
    how = {"order": order, "random_state": seed, "max_passes": 7, "threshold": threshold}
    fast = compiled_run(X, codes, 3, order=order, seed=seed, passes=7, threshold=threshold)
    same(trace(X, codes, exact=False, **how).run, fast)
    exact = trace(X, codes, **how)
    if exact.stop is not Stop.CYCLES:
        same(exact.run, fast)


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=20, deadline=None)
@given(problem=problems(), seed=st.integers(0, 99))
def test_steps_of_exact_and_float_runs_agree(order, problem, seed):
    how = {"order": order, "random_state": seed, "max_passes": 5}
    exact, floats = trace(*problem, **how), trace(*problem, exact=False, **how)
    # only the exact run knows that it cycles
    assert len(exact) == len(floats) or exact.stop is Stop.CYCLES
    for a, b in zip(exact, floats, strict=False):
        assert (a.number, a.index, a.label, a.mistake) == (b.number, b.index, b.label, b.mistake)
        assert a.score == b.score
        for name in ("before", "update", "after"):
            np.testing.assert_array_equal(getattr(a, name).astype(float), getattr(b, name))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("classes", [2, 3])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_steps_are_consistent(order, classes, data):
    X, codes = data.draw(problems(classes=classes))
    t = trace(X, codes, order=order, max_passes=5)
    assert len(t) == len(t.steps) == len(t.weights) - 1
    assert sum(step.mistake for step in t) == t.run.updates
    for step in t:
        before, after = t.replay(step.number)
        np.testing.assert_array_equal(before, step.before)
        np.testing.assert_array_equal(after, step.after)
        np.testing.assert_array_equal(step.before + step.update, step.after)
        np.testing.assert_array_equal(step.before @ t.rows[step.index], step.score)
        assert step.mistake == (t.replay(step.number).after != before).any()
    np.testing.assert_array_equal(np.roll(t.exact_weights[-1], -1, axis=-1), t.run.weights)


# --- cycles --------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(problem=problems(), bias=st.booleans())
def test_a_small_integer_run_separates_or_proves_that_nothing_does(problem, bias):
    X, codes = problem
    t = trace(X, codes, fit_intercept=bias, max_passes=300)
    if t.stop is Stop.CYCLES:
        first, second = t.cycle
        assert second == len(t)
        np.testing.assert_array_equal(t.exact_weights[first], t.exact_weights[second])
        A = (2 * codes - 1)[:, None] * np.column_stack([X, np.full(len(X), int(bias))])
        assert t.alpha.any()
        assert (t.alpha >= 0).all()
        assert not (A.T @ t.alpha).any()
    elif t.stop is Stop.SEPARATED:
        assert t.cycle is None
        assert t.alpha is None


@settings(max_examples=60, deadline=None)
@given(problem=problems(classes=3))
def test_a_cycle_of_three_classes_cancels(problem):
    X, codes = problem
    t = trace(X, codes, max_passes=300)
    if t.stop is not Stop.CYCLES:
        return
    total = np.zeros((3, X.shape[1] + 1), dtype=int)
    for i, k in np.argwhere(t.alpha):
        x = np.append(X[i], 1)
        total[codes[i]] += t.alpha[i, k] * x
        total[k] -= t.alpha[i, k] * x
    assert t.alpha.any()
    assert not total.any()


def test_a_point_in_both_classes_cycles():
    t = trace([[2], [2]], [1, -1])
    assert t.stop is Stop.CYCLES
    assert t.alpha.tolist() == [1, 1]


def test_a_zero_row_without_bias_is_its_own_proof():
    t = trace([[1], [0]], [1, -1], fit_intercept=False)
    assert t.stop is Stop.CYCLES
    assert t.alpha.tolist() == [0, 1]


def test_a_clean_pass_is_no_cycle():
    t = trace([[1], [-1], [2]], [1, -1, 1])
    assert t.stop is Stop.SEPARATED
    assert t.cycle is None


def test_three_class_cycle():
    t = trace([[1], [1], [1]], ["a", "b", "c"])
    assert t.stop is Stop.CYCLES
    assert t.alpha.shape == (3, 3)


# --- arithmetic ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "how", "exact"),
    [
        ([[1], [-1]], {}, True),
        (np.array([[1.0], [-1.0]]), {}, True),
        (np.array([[1], [0]], dtype=np.uint8), {}, True),
        ([[True], [False]], {}, True),
        ([[Fraction(1, 3)], [Fraction(-1, 3)]], {}, True),
        ([[0.5], [-0.5]], {}, False),
        ([[0.5], [-0.5]], {"exact": True}, True),
        ([[1], [-1]], {"exact": False}, False),
        ([[1], [-1]], {"eta": 0.1}, False),
        ([[1], [-1]], {"eta": Fraction(1, 10)}, True),
        ([[1], [-1]], {"threshold": 0.5}, False),
        ([[1], [-1]], {"init": [0.5, 1]}, False),
    ],
)
def test_arithmetic(X, how, exact):
    t = trace(X, [1, -1], **how)
    assert t.exact is exact
    number = Fraction if exact else float
    assert all(isinstance(w, number) for w in t.exact_weights.flat)
    assert t.weights.dtype == float
    assert all(isinstance(step.score, number) for step in t)


def test_exact_takes_a_float_as_the_rational_it_is():
    t = trace([[0.1], [-0.1]], [1, -1], exact=True)
    assert t.steps[0].after[1] == Fraction(0.1)


def test_numpy_integers_do_not_overflow():
    big = np.int64(2**62)
    t = trace([[big], [-big], [big]], [1, -1, 1], eta=big)
    assert t.steps[0].after[1] == 2**124


def test_mixed_large_integers_stay_exact():
    t = trace([[2**63 + 1], [-1]], [1, -1])
    assert t.steps[0].after[1] == 2**63 + 1


def test_eta_scales_a_run_from_zero():
    once, thrice = trace(X, y), trace(X, y, eta=3)
    np.testing.assert_array_equal(3 * once.weights, thrice.weights)


def test_sparse_rows():
    from scipy.sparse import csr_array

    np.testing.assert_array_equal(trace(csr_array(X), y).weights, trace(X, y).weights)


# --- bias, ties, classes -------------------------------------------------------------------------


def test_bias_first_and_last_are_one_run():
    first = trace(X, y, init=[-1, 0, 2], bias="first")
    last = trace(X, y, init=[0, 2, -1], bias="last")
    np.testing.assert_array_equal(first.run.weights, last.run.weights)
    np.testing.assert_array_equal(np.roll(first.weights, -1, axis=-1), last.weights)
    assert first.table(bias="last") == last.table()
    assert last.table(bias="first") == first.table()
    assert "-1·1 + 0·1 + 2·1 = 1" in first.table()


def test_bias_moves_in_every_class():
    W = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    t = trace(X, [0, 1, 2, 1, 0], init=W, max_passes=1)
    np.testing.assert_array_equal(t.weights[0], W)
    np.testing.assert_array_equal(t.steps[0].score, [6, 15, 24])
    assert "[[2, 3, 1], [5, 6, 4], [8, 9, 7]]" in t.table(bias="last")


@pytest.mark.parametrize(
    ("ties", "mistaken"),
    [
        ("mistake", [True, True]),
        ("positive", [False, True]),
        ("negative", [True, False]),
        ("correct", [False, False]),
    ],
)
def test_ties(ties, mistaken):
    # w = (1, 1) scores 0 on (1, -1), whatever its label
    for label, mistake in zip([1, -1], mistaken, strict=True):
        t = trace([[1, -1]], [label], init=[1, 1], fit_intercept=False, ties=ties, max_passes=1)
        assert t.steps[0].score == 0
        assert t.steps[0].mistake is mistake


def test_ties_correct_works_from_zero_with_a_threshold():
    assert trace(X, y, ties="correct", threshold=1).stop is Stop.SEPARATED


def test_labels_of_any_kind():
    named = trace(X, ["no", "yes", "yes", "yes", "no"])
    np.testing.assert_array_equal(named.weights, trace(X, y).weights)
    assert named.steps[1].label == "yes"
    assert named.classes == ["no", "yes"]


def test_classes_choose_the_positive_one():
    turned = trace(X, y, classes=[1, -1])
    np.testing.assert_array_equal(turned.weights, -trace(X, y).weights)


# --- rendering -----------------------------------------------------------------------------------


def test_table_leaves_out_the_middle_of_long_runs_and_of_wide_rows():
    t = trace(np.eye(12, dtype=int), [0, 1] * 6)
    assert len(t.table().splitlines()) == len(t) + 2
    short = t.table(max_rows=10).splitlines()
    assert len(short) == 13
    assert any(set(line) <= set("… |") for line in short)
    assert "…" in short[1]


def test_table_of_floats():
    assert "0.1·1 + 0.2·0.3 = 0.16" in trace([[0.3]], [1], init=[0.1, 0.2]).table()


def test_html_is_escaped():
    t = trace([[1], [-1]], ["<b>", "&"])
    shown = t._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "&amp;" in shown
    assert "<b>" not in shown


def test_rich():
    from rich.console import Console

    console = Console(width=200, record=True, file=io.StringIO())
    console.print(trace([[1], [-1]], ["[red]", "b"]))
    text = console.export_text()
    assert "[red]" in text
    assert "Separated" in text


def test_repr_and_str():
    t = trace(X, y, max_passes=1)
    assert repr(t) == "<Trace of 5 steps, 3 updates, exact: Stop.PASSES>"
    assert str(t) == f"{t.table()}\npositive class: 1"


def test_to_pandas():
    frame = trace(X, y, max_passes=1).to_pandas()
    assert frame.index.tolist() == [1, 2, 3, 4, 5]
    assert frame.columns.tolist() == [
        "index",
        "label",
        "score",
        "mistake",
        "before",
        "update",
        "after",
        "k",
        "norm",
        "upper",
    ]
    assert frame.loc[1, "after"].tolist() == [-1, -1, -1]


def test_to_pandas_without_pandas(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    t = trace(X, y)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install pandas"):
        t.to_pandas()


def test_replay_of_the_start():
    t = trace(X, y, init=[-1, 0, 0])
    assert t.replay(0).after.tolist() == [-1, 0, 0]
    for step in (-1, len(t) + 1):
        with pytest.raises(InputError, match="step must be from 0"):
            t.replay(step)


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"X": [1, 2]}, "table"),
        ({"X": [[1, 2], [3]]}, "table"),
        ({"X": np.empty((0, 2)), "y": []}, "holds no numbers"),
        ({"X": np.empty((5, 0))}, "holds no numbers"),
        ({"X": [*X[:4], [1, float("nan")]]}, r"X\[4\]\[1\] must be finite"),
        ({"X": [*X[:4], [float("inf"), 1]]}, r"X\[4\]\[0\] must be finite"),
        ({"X": [*X[:4], ["a", 1]]}, r"X\[4\]\[0\] must be a real number"),
        ({"X": [*X[:4], [1j, 1]]}, "real number"),
        ({"y": y[:4]}, "one label for each of the 5 rows"),
        ({"y": [3] * 5}, "only one label"),
        ({"y": [-1, 1, 1, 1, 2], "classes": [-1, 1]}, r"y\[4\] is 2"),
        ({"classes": [1]}, "two or more"),
        ({"classes": [1, 1]}, "two or more"),
        ({"y": np.array([1, "a", None, 1, 1], dtype=object)}, "lacks a label in 1 row \\(2\\)"),
        ({"y": np.array([1, "a", 1, 1, 1], dtype=object)}, "mix of int, str"),
        ({"init": [0, 0]}, r"shape \(3,\)"),
        ({"init": [0, 0, 0], "fit_intercept": False}, r"shape \(2,\)"),
        ({"init": [0, 0, 0], "y": [0, 1, 2, 0, 1]}, r"shape \(3, 3\)"),
        ({"init": [0, 0, float("nan")]}, r"init\[2\] must be finite"),
        ({"threshold": -1}, "threshold"),
        ({"threshold": float("nan")}, "finite"),
        ({"eta": 0}, "eta must be positive"),
        ({"eta": [1, 2]}, "eta must be one number"),
        ({"order": "random"}, "order must be one of"),
        ({"ties": "maybe"}, "ties must be one of"),
        ({"ties": "correct"}, "Pass init"),
        ({"ties": "positive", "y": [0, 1, 2, 0, 1]}, "Only binary"),
        ({"bias": "middle"}, "bias must be"),
        ({"max_passes": 0}, "max_passes must be at least 1"),
        ({"max_steps": 0}, "max_steps must be at least 1"),
        ({"max_steps": 7}, "Lower max_passes"),
        ({"X": [[10**400, 1]] * 5, "exact": False}, "Rescale X"),
        ({"X": [[10**400], [-(10**400)]], "y": [1, -1]}, "Rescale X"),
    ],
)
def test_bad_input(how, message):
    with pytest.raises(InputError, match=message):
        trace(**{"X": X, "y": y, **how})


def test_bias_of_the_table_is_checked():
    with pytest.raises(InputError, match="bias must be"):
        trace(X, y).table(bias="middle")


def test_overflow_of_floats_is_reported():
    t = trace([[1e308], [-1e308]], [1, -1], eta=2.0, exact=False)
    assert t.stop is Stop.OVERFLOW


def test_vectors_that_steps_share_cannot_be_changed():
    run = trace([[1.0, 2.0], [-1.0, 1.0], [2.0, 0.0]], [1, -1, 1])
    for vector in (run.steps[0].before, run.steps[0].after, run.steps[0].update):
        with pytest.raises(ValueError, match="read-only"):
            vector[0] = 7.0


@pytest.mark.parametrize("rows", [0, -1, "3", 2.5])
def test_a_table_of_no_rows_is_refused(rows):
    with pytest.raises(InputError, match="max_rows must be a whole number from 1 on"):
        trace([[1.0], [-1.0]], [1, -1]).table(max_rows=rows)


def test_masked_entries_are_refused():
    X = np.ma.masked_greater([[1.0, 1.0], [2.0, 4.0]], 3.5)
    with pytest.raises(InputError, match="X has 1 masked entry"):
        trace(X, [0, 1])

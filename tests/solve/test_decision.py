"""Verdicts against the full linear program and brute force; every certificate verified."""

from __future__ import annotations

import math
import os
import signal
import threading
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from children import PATIENCE
from rosenblatt.engine.stopping import Verdict
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.errors import InputError
from rosenblatt.solve import decision
from rosenblatt.solve.decision import decide, pairs
from rosenblatt.solve.wolfe import min_norm_point

EXAMPLES = int(os.environ.get("ROSENBLATT_EXAMPLES", "100"))
many = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
YES, NO = Verdict.SEPARABLE, Verdict.INSEPARABLE


def requirements(X, y, bias=True):
    """The rows of the constraints Az > 0, of two classes or, by Kesler's construction, of more."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=float)
    padded = np.column_stack([X, np.full(len(X), float(bias))])
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) == 2:
        return padded * np.where(codes == 1, 1.0, -1.0)[:, None]
    rows = []
    for x, own in zip(padded, codes, strict=True):
        for rival in range(len(classes)):
            if rival != own:
                row = np.zeros((len(classes), len(x)))
                row[own], row[rival] = x, -x
                rows.append(row.ravel())
    return np.array(rows)


def by_program(A):
    """The full program by HiGHS: max t, aᵢ·z ≥ t, |z| ≤ 1; None where it is too near to call.

    Only small integers cannot have a margin below its tolerances.
    """
    whole = bool(np.all(np.round(A) == A))
    scale = np.abs(A).max(axis=0)
    A = A / np.where(scale > 0, scale, 1.0)
    n, D = A.shape
    answer = linprog(
        np.append(np.zeros(D), -1.0),
        A_ub=np.column_stack([-A, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * D + [(-1, 1)],
        method="highs",
    )
    t = -answer.fun
    return True if t > 1e-6 else False if t < 1e-9 and whole else None


def by_brute_force(A):
    """Exactly, from the definition: 0 is in the hull of the rows, or it is not."""
    return any(min_norm_point(A).point)


def by_enumeration(X, y):
    """In the plane the best line is normal to two points' difference, or runs along it."""
    points = [tuple(map(Fraction, row)) for row in X.tolist()]
    for (a, b), (c, d) in combinations(points, 2):
        for w in ((c - a, d - b), (b - d, c - a)):
            scores = [[], []]
            for (p, q), label in zip(points, y, strict=True):
                scores[label].append(w[0] * p + w[1] * q)
            if max(scores[0]) < min(scores[1]) or max(scores[1]) < min(scores[0]):
                return True
    return False


def checked(X, y, **options):
    """Decide, verify, and hold the decision to its own promises."""
    answer = decide(X, y, **options)
    assert answer.verdict is not Verdict.UNDECIDED
    assert answer.certificate is not None
    outcome = answer.certificate.verify(X, y)
    assert outcome, outcome.reason
    if answer.separable:
        assert 0 <= answer.margin.lower <= answer.margin.upper
        assert answer.errors == 0
    else:
        assert answer.certificate.exact
        assert answer.margin == (0, 0)
        assert 0 <= answer.errors <= len(y)
    return answer


@st.composite
def small_problems(draw, classes=2):
    """Integer grids: touching, collinear, duplicated and constant come by themselves."""
    n = draw(st.integers(classes, 12))
    d = draw(st.integers(1, 4))
    reach = draw(st.sampled_from([1, 1, 2, 5]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = rng.integers(-reach, reach + 1, size=(n, d)).astype(float)
    shape = draw(st.sampled_from(["as is", "collinear", "constant", "duplicated", "fractions"]))
    if shape == "collinear":
        X = np.outer(X[:, 0], rng.integers(-2, 3, size=d)) + rng.integers(-1, 2, size=d)
    elif shape == "constant":
        X[:, 0] = reach
    elif shape == "duplicated":
        X = X[rng.integers(0, max(1, n // 2), size=n)]
    elif shape == "fractions":
        X = X / 7.0 + 0.1
    scores = X @ rng.integers(-2, 3, size=(d, classes)) + rng.integers(-2, 3, size=classes)
    y = scores.argmax(axis=1) if draw(st.booleans()) else rng.integers(0, classes, size=n)
    y[:classes] = np.arange(classes)
    return X, y


def as_given(X, how):
    """The same numbers in another container."""
    if how == "csr":
        return sp.csr_array(X)
    if how == "unsorted":
        n, d = X.shape
        columns = np.tile(np.arange(d)[::-1], n)
        return sp.csr_matrix((X[:, ::-1].ravel(), columns, np.arange(n + 1) * d), shape=(n, d))
    if how == "fortran":
        return np.asfortranarray(X)
    return X


@many
@given(small_problems(), st.booleans(), st.sampled_from(["dense", "csr", "unsorted", "fortran"]))
def test_two_classes(problem, bias, how):
    X, y = problem
    A = requirements(X, y, bias)
    found = checked(as_given(X, how), y, fit_intercept=bias).separable
    assert found == by_brute_force(A)
    assert by_program(A) in (found, None)


@many
@given(small_problems())
def test_the_plane_by_enumeration(problem):
    X, y = problem
    X = np.column_stack([X, X])[:, :2]
    assert checked(X, y).separable == by_enumeration(X, y)


@many
@given(st.integers(3, 4).flatmap(lambda k: small_problems(classes=k)), st.booleans())
def test_many_classes_together(problem, bias):
    X, y = problem
    A = requirements(X, y, bias)
    found = checked(X, y, fit_intercept=bias).separable
    assert found == by_brute_force(A)
    assert by_program(A) in (found, None)


@settings(parent=many, max_examples=max(1, EXAMPLES // 4))
@given(small_problems(classes=3))
def test_many_classes_apart(problem):
    X, y = problem
    rest = decide(X, y, multiclass="ovr")
    for k in range(3):
        assert rest.parts[k].separable == by_brute_force(requirements(X, y == k))
        assert rest.parts[k].certificate.verify(X, y == k)
    table = pairs(X, y)
    for j, k in combinations(range(3), 2):
        both = (y == j) | (y == k)
        assert table[j, k].separable == by_brute_force(requirements(X[both], y[both]))
        assert table[j, k].certificate.verify(X[both], y[both])
    assert rest.separable == all(part.separable for part in rest.parts.values())


@many
@given(
    small_problems(),
    st.sampled_from([1e-150, 1e-30, 1.0, 1e30, 1e150]),
    st.sampled_from([1e-150, 1e-8, 1.0, 1e8, 1e150]),
)
def test_scales(problem, first, last):
    X, y = problem
    X = X * np.append(first, np.full(X.shape[1] - 1, last))
    assert checked(X, y).separable == by_brute_force(requirements(X, y))


@many
@given(small_problems(), st.integers(0, 40), st.booleans())
def test_margins_near_nothing(problem, power, float32):
    """Classes that touch, then moved apart by as little as a unit in the last place."""
    X, y = problem
    rng = np.random.default_rng(power)
    w = rng.integers(-2, 3, size=X.shape[1])
    kind = np.float32 if float32 else np.float64
    X = (X / 3.0 + 1.0).astype(kind)
    j = int(np.abs(w).argmax())
    push = np.where(y == 1, 1, -1) * np.sign(w[j])
    X[:, j] += (push * 2.0**-power).astype(kind)
    X[:, j] = np.nextafter(X[:, j], kind(np.inf) * push.astype(kind)) if w[j] else X[:, j]
    assert checked(X, y).separable == by_brute_force(requirements(X, y))


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-12, 1e-15, 2.0**-52])
def test_relative_margins(gap):
    """Two clouds on either side of x₀ = 1, that far apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.arange(60) % 2
    X[:, 0] = np.where(y == 1, 1.0 + gap, 1.0)
    assert checked(X, y).separable
    X[7, 0], X[8, 0] = 1.0 + gap, 1.0
    assert checked(X, y).separable == by_brute_force(requirements(X, y))


def test_one_ulp_apart_off_the_axes():
    """Points of 3x = y, as floats have it, told apart by their rounding alone."""
    x = np.arange(1, 40) / 7.0
    X = np.column_stack([x, 3 * x])
    exact = [Fraction(b) - 3 * Fraction(a) for a, b in X.tolist()]
    y = np.array([e > 0 for e in exact])
    assert 0 < y.sum() < len(y)
    found = checked(X, y, fit_intercept=False).separable
    assert found == by_brute_force(requirements(X, y, False))


@pytest.mark.parametrize("seed", range(4))
def test_larger_problems_against_the_full_program(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 8))
    y = X @ rng.normal(size=8) > 0.3
    assert checked(X, y).separable
    y[rng.integers(400)] ^= True
    found = checked(X, y)
    assert by_program(requirements(X, y)) in (found.separable, None)
    assert found.separable or len(found.certificate.rows) <= 10


def test_fewer_points_than_dimensions():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), rng.integers(0, 2, size=20)
    assert checked(X, y).separable
    again, both = np.concatenate([X, X[:1]]), np.append(y, 1 - y[0])
    assert len(checked(again, both).certificate.rows) == 2
    assert len(checked(sp.csr_matrix(again), both).certificate.rows) == 2


def test_one_point_per_class():
    assert checked([[1.0, 2.0], [1.0, 2.5]], ["a", "b"]).separable
    assert not checked([[1.0, 2.0], [1.0, 2.0]], ["a", "b"]).separable
    assert checked([[-1.0], [1.0]], [0, 1], fit_intercept=False).separable
    assert not checked([[1.0], [2.0]], [0, 1], fit_intercept=False).separable


def test_duplicates_of_one_label_are_harmless():
    X, y = np.repeat([[0.0], [1.0]], 50, axis=0), np.repeat([0, 1], 50)
    assert checked(X, y).separable


def test_opposite_duplicates_are_found_in_sparse_rows():
    """Their values must not lose digits on the way into the hash."""
    rng = np.random.default_rng(0)
    X = sp.random(500, 400, density=0.05, random_state=0, format="csr")
    X = sp.vstack([X, X[[123]]]).tocsr()
    y = np.append(rng.integers(0, 2, size=500), 0)
    y[500] = 1 - y[123]
    found = checked(X, y)
    assert sorted(found.certificate.rows) == [123, 500]
    assert found.rounds == 0
    assert found.errors <= 501


def test_float32_is_what_it_is():
    X = np.array([[0.1], [0.2], [0.3]], dtype=np.float32)
    assert checked(X, [0, 1, 1]).separable
    assert not checked(X, [0, 1, 0]).separable


def test_explicit_zeros():
    X = sp.csr_matrix(([0.0, 1.0, 0.0, 2.0], [0, 1, 1, 0], [0, 2, 4]), shape=(2, 2))
    assert checked(X, [0, 1]).separable
    same = sp.csr_matrix(([0.0, 1.0, 1.0], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    assert len(checked(same, [0, 1]).certificate.rows) == 2


@pytest.mark.parametrize(
    ("load", "separable"),
    [
        (load_breast_cancer, [True, True]),
        (load_iris, [True, False, False]),
        (load_wine, [True, True, True]),
        (load_digits, [True] * 8 + [False] * 2),
    ],
)
def test_bundled_data(load, separable):
    X, y = load(return_X_y=True)
    assert [checked(X, y == k).separable for k in range(len(separable))] == separable


def test_bundled_data_in_one_go():
    X, y = load_iris(return_X_y=True)
    assert not checked(X, y).separable
    assert [part.separable for part in decide(X, y, multiclass="ovr").parts.values()] == [
        True,
        False,
        False,
    ]
    table = pairs(X, y)
    np.testing.assert_array_equal(table.separable[0, 1:], [1, 1])
    assert table[2, 1].separable is False
    assert table.margins[1, 2] == 0
    assert table.margins[0, 1] > 0
    assert np.isnan(table.margins[0, 0])
    assert checked(*load_wine(return_X_y=True)).separable


def test_two_classes_in_a_table_of_pairs():
    table = pairs([[0.0], [1.0]], ["a", "b"])
    assert table["b", "a"].separable
    assert str(table) == "      a   b\n  a   - yes\n  b yes   -"


def hard_problem():
    """Inseparable, and long enough in the making for a clock to run out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 100))
    return X, (X[:, 0] + 0.2 * rng.normal(size=5000)) > 0


def test_time_limit(ticking):
    X, y = hard_problem()
    answer = decide(X, y, time_limit=3)
    assert ticking.now <= 3 + 7  # looks at the clock until it ended
    assert answer.verdict is Verdict.UNDECIDED
    assert answer.separable is None
    assert answer.certificate is None
    assert answer.weights is not None
    assert answer.weights.shape == (101,)
    assert 0 < answer.errors < 5000
    scores = X @ answer.weights[:-1] + answer.weights[-1]
    assert np.sum(np.where(y, scores, -scores) <= 0) == answer.errors
    assert answer.margin.lower == 0 < answer.margin.upper < math.inf
    assert "Undecided" in str(answer)
    assert "time_limit" in str(answer)


def test_time_limit_with_parts():
    X, y = hard_problem()
    labels = np.where(y, np.where(X[:, 1] > 0, 2, 1), 0)
    answer = decide(X, labels, multiclass="ovr", time_limit=0.01)
    assert answer.verdict is Verdict.UNDECIDED
    assert set(answer.parts) == {0, 1, 2}


def test_progress_sees_every_round():
    X, y = hard_problem()
    rounds = []
    answer = decide(X[:1000, :10], y[:1000], progress=rounds.append)
    assert [r.number for r in rounds] == list(range(1, answer.rounds + 1))
    assert all(r.fewest <= r.violated for r in rounds)


@pytest.mark.parametrize("moment", ["perceptron", "exact"])
def test_interruption(monkeypatch, moment):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    X, y = hard_problem()
    if moment == "perceptron":
        monkeypatch.setattr("rosenblatt.engine.sweep.CompiledSweep.look", interrupted)
    else:
        monkeypatch.setattr("rosenblatt.solve.search.Search.refuted_by", interrupted)
    with pytest.raises(KeyboardInterrupt):
        decide(X, y)


def test_interruption_by_a_signal(monkeypatch):
    """Ctrl-C ends the search between looks, wherever it is."""
    X, y = hard_problem()
    begun, pressed = threading.Event(), threading.Event()

    def press():
        if begun.wait(PATIENCE):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        pressed.set()

    def looked(*given, **how):
        begun.set()
        return look(*given, **how)

    def again_and_again():
        while not pressed.is_set():
            decide(X, y)

    look = CompiledSweep.look
    monkeypatch.setattr(CompiledSweep, "look", looked)
    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        again_and_again()
    presser.join()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((2, 0)), [0, 1], "0 feature"),
        ([1.0, 2.0], [0, 1], "2D array"),
        ([[1.0, 2.0], [3.0, np.nan]], [0, 1], "NaN at row 1, column 1"),
        ([[1.0, np.inf], [3.0, 1.0]], [0, 1], "infinity at row 0, column 1"),
        ([[1.0], [2.0]], [1, 1], "one class only"),
        ([[1.0], [2.0]], [0, 1, 1], "2 rows, 3 labels"),
        ([[1.0], [2.0]], None, "y"),
        ([[1.0], [2.0]], [0.0, np.nan], "NaN"),
        ([["a"], ["b"]], [0, 1], "string"),
        (np.array([[1.0], ["x"]], dtype=object), [0, 1], "x"),
        ([[1.0], [2.0]], [[0], [1]], None),
        (np.array([[2**60 + 1], [1]]), [0, 1], "2\\*\\*53"),
        ([[1e200], [1.0]], [0, 1], "too large at row 0, column 0"),
    ],
)
@pytest.mark.filterwarnings("ignore:A column-vector y was passed:UserWarning")
def test_bad_input(X, y, message):
    if message is None:
        assert decide(X, y).separable
        return
    with pytest.raises(ValueError, match=message):
        decide(X, y)


def test_bad_parameters():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    with pytest.raises(InputError, match="'native', 'ovr' or 'ovo', got 'all'"):
        decide(X, y, multiclass="all")
    with pytest.raises(InputError, match="'native', 'ovr' or 'ovo', got 'all'"):
        decide(X, [0, 1, 1], multiclass="all")
    for limit in (0, -1, math.nan):
        with pytest.raises(InputError, match="time_limit"):
            decide(X, y, time_limit=limit)


def test_it_says_what_it_found():
    text = str(decide([[0.0], [1.0], [2.0]], ["a", "b", "a"]))
    assert "Inseparable" in text
    assert "cannot be on the right sides" in text
    assert "2: separable" in str(decide([[0.0], [1.0], [2.0]], [0, 1, 2], multiclass="ovr"))


def test_nothing_of_the_input_is_changed():
    X, y = load_iris(return_X_y=True)
    before = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    decide(X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_the_same_answer_twice():
    X, y = hard_problem()
    first, second = (decide(X[:500, :5], y[:500]) for _ in range(2))
    assert first.certificate == second.certificate


def test_wide_data_need_no_program(monkeypatch):
    """With more columns than rows descent separates what passes have not."""
    rng = np.random.default_rng(0)
    X, y = sp.random(200, 2000, density=0.02, random_state=0, format="csr"), rng.random(200) > 0.5
    monkeypatch.setattr(decision, "PASSES_TO_START", 1)
    assert checked(X, y).rounds == 0

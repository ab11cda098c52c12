"""The search itself: working sets, requirements, programs and frames, below `decide`."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.coordinates import Frame
from rosenblatt.solve.deadline import OutOfTime
from rosenblatt.solve.linear_program import Program, Solution
from rosenblatt.solve.search import Refutation, Search, Separator
from rosenblatt.solve.wolfe import min_norm_point
from rosenblatt.solve.working_set import WorkingSet, batch_of


def problem(seed, n=30, d=3, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(float)
    codes = rng.integers(0, classes, size=n)
    codes[:classes] = np.arange(classes)
    return X, codes


def kesler(X, codes, classes, bias=1.0):
    """Every requirement of every point, with its point and rival, from the definition."""
    found = []
    for i, (x, own) in enumerate(zip(X, codes, strict=True)):
        for rival in range(classes):
            if rival != own:
                row = np.zeros((classes, len(x) + 1))
                row[own] = [*x, bias]
                row[rival] = [-v for v in (*x, bias)]
                found.append((i, rival, row.ravel()))
    return found


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("bias", [True, False])
def test_dense_and_sparse_requirements_agree(classes, bias):
    X, codes = problem(0, classes=classes)
    dense = Constraints(X, codes, classes, bias)
    sparse = Constraints(sp.csr_matrix(X), codes, classes, bias)
    points = np.arange(len(X))
    rivals = (codes + 1) % classes
    rows = dense.rows(points, rivals)
    np.testing.assert_array_equal(sparse.rows(points, rivals).toarray(), rows)
    if classes > 2:
        wanted = {(i, k): row for i, k, row in kesler(X, codes, classes, float(bias))}
        for i in points:
            np.testing.assert_array_equal(rows[i], wanted[i, rivals[i]])
    z = np.random.default_rng(1).normal(size=dense.dimension)
    for a, b in zip(dense.look(z), sparse.look(z), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    margins, worst = dense.look(z)
    np.testing.assert_allclose(margins, dense.rows(points, worst) @ z, atol=1e-12)


def test_a_look_in_pieces(monkeypatch):
    X, codes = problem(3, n=50)
    z = np.arange(4.0)
    whole = Constraints(X, codes, 2).look(z)
    monkeypatch.setattr("rosenblatt.solve.constraints.ENTRIES_AT_ONCE", 7)
    for rows in (X, sp.csr_matrix(X)):
        for a, b in zip(Constraints(rows, codes, 2).look(z), whole, strict=True):
            np.testing.assert_array_equal(a, b)


def test_many_classes_need_no_table_of_their_pairs_or_scores():
    classes = 1500
    X = np.random.default_rng(0).standard_normal((classes, 3))
    constraints = Constraints(X, np.arange(classes), classes)
    weights = np.random.default_rng(1).standard_normal(constraints.dimension)
    tracemalloc.start()
    try:
        start = constraints.likeliest(weights, np.zeros(classes), 10)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * classes**2 / 2
    margins, rivals = constraints.look(weights)
    assert start.violated == np.sum(margins <= 0) > 1000
    wrong = np.flatnonzero(margins <= 0)
    np.testing.assert_array_equal(start.confused, np.column_stack([wrong, rivals[wrong]]))


def test_long_rows_are_written_a_few_at_a_time():
    wide = Constraints(np.ones((3000, 20)), np.arange(3000), 3000)
    few = Constraints(np.ones((3000, 20)), np.arange(3000) % 50, 50)
    assert batch_of(few) == 1000
    assert batch_of(wide) == 200


def test_different_rows_of_whole_numbers_have_different_hashes():
    # A chance of 30,000² / 2⁶⁵ that two agree; by multiples of their bits alone, thousands did.
    X = np.unique(np.random.default_rng(0).integers(0, 50, (30_000, 6)).astype(float), axis=0)
    assert len(np.unique(Constraints(X, np.zeros(len(X), np.intp), 2).hashes())) == len(X)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_equal_rows_have_equal_hashes(seed):
    """Dense or sparse, in any order, in any pieces, with explicit and negative zeros."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 5)) * rng.integers(0, 2, size=(20, 5))
    X = X[rng.integers(0, 20, size=40)]
    codes = np.zeros(40, dtype=int)
    dense = Constraints(X, codes, 2).hashes()
    data, columns = X[:, ::-1].ravel(), np.tile(np.arange(5)[::-1], 40)
    odd = sp.csr_matrix((data, columns, np.arange(41) * 5), shape=X.shape)
    odd.data[odd.data == 0] = -0.0
    for other in (sp.csr_matrix(X), odd, np.where(X == 0, -0.0, X)):
        np.testing.assert_array_equal(Constraints(other, codes, 2).hashes(), dense)
    _, groups = np.unique(X, axis=0, return_inverse=True)
    _, found = np.unique(dense, return_inverse=True)
    same = groups.reshape(-1)[:, None] == groups.reshape(-1)[None, :]
    np.testing.assert_array_equal(found[:, None] == found[None, :], same)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.booleans())
def test_search_from_any_start(seed, classes, sparse):
    """However small the first working set, the answer is the same and exact."""
    rng = np.random.default_rng(seed)
    X, codes = problem(seed, n=int(rng.integers(classes, 15)), d=2, classes=classes)
    constraints = Constraints(sp.csr_matrix(X) if sparse else X, codes, classes)
    start = rng.integers(0, len(X), size=1)
    answer = Search(constraints).run(start, (codes[start] + 1) % classes)
    every = (
        Constraints(X, codes, 2).rows(np.arange(len(X)), 1 - codes)
        if classes == 2
        else np.array([row for _, _, row in kesler(X, codes, classes)])
    )
    if isinstance(answer, Separator):
        z = [Fraction(w) for w in answer.weights]
        assert all(sum(Fraction(a) * w for a, w in zip(row, z, strict=True)) > 0 for row in every)
    else:
        assert isinstance(answer, Refutation)
        assert min(answer.alpha) > 0
        rows = constraints.rows(answer.points, answer.rivals)
        rows = rows.toarray() if sparse else rows
        total = sum(a * row.astype(int) for a, row in zip(answer.alpha, rows, strict=True))
        assert not total.any()
        assert len(answer.alpha) <= constraints.dimension + 1
    assert isinstance(answer, Separator) == any(min_norm_point(every).point)


def test_exact_arithmetic_alone(monkeypatch):
    """With the program's answers refused, the rationals decide."""

    def nothing(working):
        return Solution(0.0, np.zeros(3), np.zeros(len(working.points)))

    for seed in range(10):
        X, codes = problem(seed, n=8, d=2)
        constraints = Constraints(X, codes, 2)
        expected = type(Search(constraints).run(np.arange(8), 1 - codes))
        with monkeypatch.context() as patched:
            patched.setattr(WorkingSet, "solve", nothing)
            assert type(Search(constraints).run(np.array([0, 1]), 1 - codes[:2])) is expected


def test_no_time():
    X, codes = problem(0)
    with pytest.raises(OutOfTime):
        Search(Constraints(X, codes, 2), lambda: 0.0).run(np.arange(30), 1 - codes)


def test_rounds_are_told():
    X, codes = problem(0, n=200)
    codes = (X[:, 0] > 0).astype(int)
    told = []
    search = Search(Constraints(X, codes, 2), progress=told.append)
    assert isinstance(search.run(np.array([0, 1]), 1 - codes[:2]), Separator)
    assert [r.number for r in told] == list(range(1, search.rounds + 1))
    assert told[-1].violated == 0


@pytest.mark.parametrize("bias", [True, False])
def test_a_frame_changes_no_product(bias):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) * [1e-6, 1.0, 1e6] + [0.0, 5.0, 1e7]
    codes = np.arange(20) % 2
    constraints = Constraints(X, codes, 2, bias)
    frame = Frame(constraints)
    rows = constraints.rows(np.arange(20), 1 - codes)
    inside = frame.into(rows)
    assert np.abs(inside).max() <= 1
    z = rng.normal(size=4)
    np.testing.assert_allclose(
        rows @ frame.back(z), inside @ (z if bias else [*z[:-1], 0.0]), rtol=1e-6, atol=1e-6
    )


def test_programs_grow():
    program = Program(2)
    program.add(np.array([[1.0, 0.0]]))
    assert program.solve()[0] == pytest.approx(1.0)
    program.add(np.array([[-1.0, 1.0]]))
    t, z, _ = program.solve()
    assert t == pytest.approx(0.5)
    program.add(np.array([[0.0, 1.0]]), depth=0.0, equal=True)
    t, z, alpha = program.solve()
    assert t == pytest.approx(0.0)
    assert z[1] == pytest.approx(0.0)
    assert alpha[:2] == pytest.approx([0.5, 0.5])


def test_a_program_without_time():
    rng = np.random.default_rng(0)
    program = Program(200)
    program.add(rng.normal(size=(2000, 200)))
    assert program.solve(seconds=0.0) is None


def test_multipliers_that_are_all_0_refute_nothing():
    """A program may end so within its tolerances."""
    X, codes = problem(0)
    search, points = Search(Constraints(X, codes, 2)), np.arange(5)
    assert search.refuted_by(points, 1 - codes[:5], np.zeros(5)) is None
    assert search.refuted_by(points[:0], points[:0], np.zeros(0)) is None

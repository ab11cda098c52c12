"""The rows of two classes among many: those of both, as they come, whatever form they have."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import Perceptron, Verdict
from rosenblatt.engine import points
from rosenblatt.engine.loop import learn
from rosenblatt.engine.points import ChosenRows, entries, make_points, stored, stored_by
from rosenblatt.engine.rules import PerceptronRule
from rosenblatt.engine.stopping import Budget
from rosenblatt.engine.sweep import CompiledSweep
from rosenblatt.places import pairs
from rosenblatt.places.memory import Memory
from rosenblatt.places.pairs import CopiedColumns, PairSweep, Room
from rosenblatt.places.parts import parts_of


@st.composite
def labelled_rows(draw):
    """Rows with many zeros, codes of 3 to 5 classes each of which occurs, and steps."""
    classes, n, d = draw(st.integers(3, 5)), draw(st.integers(5, 30)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.permutation(np.concatenate([np.arange(classes), rng.integers(classes, size=n)]))
    X = rng.integers(-2, 3, size=(len(codes), d)) * rng.integers(0, 2, size=(len(codes), d))
    return X, codes, classes, rng.integers(0, 3, size=len(codes)).astype(float)


@given(labelled_rows(), st.sampled_from([np.float64, np.float32]), st.booleans())
def test_a_pair_has_the_rows_of_two_classes_in_their_order(problem, dtype, as_csr):
    X, codes, classes, steps = problem
    rows = sparse.csr_matrix(X.astype(dtype)) if as_csr else X.astype(dtype)
    place = Memory.of(rows, np.arange(classes) * 10, codes, steps=steps)
    for part in parts_of(classes, "ovo"):
        assert part is not None
        own, of = place.part(part), np.isin(codes, [part.positive, part.negative])
        found = own.X.toarray() if as_csr else own.X
        np.testing.assert_array_equal(found, X[of].astype(dtype), strict=True)
        assert own.X.shape == (of.sum(), X.shape[1])
        np.testing.assert_array_equal(own.codes, (codes[of] == part.positive).astype(np.intp))
        np.testing.assert_array_equal(own.points.y, np.where(own.codes == 1, 1.0, -1.0))
        np.testing.assert_array_equal(own.points.steps, steps[of])
        np.testing.assert_array_equal(own.squares, place.squares[of])
        np.testing.assert_array_equal(own.everyone, np.flatnonzero(steps[of] > 0))
        assert own.classes.tolist() == [10 * part.negative, 10 * part.positive]


@given(labelled_rows(), st.booleans(), st.sampled_from([0, pairs.FEW_BYTES]))
def test_rows_read_where_they_are_are_those_of_the_copy(problem, as_csr, few):
    X, codes, classes, _ = problem
    rows = sparse.csr_matrix(X.astype(float)) if as_csr else X.astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "FEW_BYTES", few)
        place = Memory.of(rows, np.arange(classes), codes)
        own = place.part(parts_of(classes, "ovo")[-1])
    there, copy = own.points, make_points(own.X, own.points.y)
    assert isinstance(there.rows, ChosenRows)
    assert (there.rows.table is place.points.rows) == (few == 0)
    assert stored(there) == stored(copy)
    some = np.arange(own.rows)[::2]
    assert stored_by(there, some) == stored_by(copy, some)
    for i in range(own.rows):
        assert [*entries(there, i)] == [*entries(copy, i)]
        assert points.size(there, i) == points.size(copy, i)


@pytest.mark.parametrize("as_csr", [False, True])
@pytest.mark.parametrize("order", ["active", "cyclic", "shuffled"])
def test_a_run_learns_the_same_before_and_after_its_rows_are_copied(monkeypatch, as_csr, order):
    rng = np.random.default_rng(0)
    codes, X = rng.integers(4, size=600), rng.standard_normal((600, 37))
    X = sparse.csr_matrix(X * (rng.random(X.shape) < 0.4)) if as_csr else X
    place = Memory.of(X, np.arange(4), codes).part(parts_of(4, "ovo")[2])

    columns, given = place.columns, (place.points, PerceptronRule())
    assert isinstance(columns, CopiedColumns)
    how = {"order": order, "budget": Budget(12)}
    copy = make_points(place.X, place.points.y)
    expected = learn(CompiledSweep(copy, PerceptronRule()), **how)
    for passes in (0, 3, 10**6):
        monkeypatch.setattr(pairs, "PASSES", passes)
        sweep = PairSweep(columns, *given)
        run = learn(sweep, **how)
        assert isinstance(sweep.points.rows, ChosenRows) == (passes == 10**6)
        np.testing.assert_array_equal(run.weights, expected.weights)
        np.testing.assert_array_equal(run.average, expected.average)
        np.testing.assert_array_equal(run.state.dual, expected.state.dual)
        assert (run.looks, run.updates, run.cost) == (
            expected.looks,
            expected.updates,
            expected.cost,
        )


def test_rows_of_a_short_run_are_not_copied(monkeypatch):
    def refused(*_):
        raise AssertionError("nobody asked for a copy")

    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    X = rng.standard_normal((300, 5)) + 20 * np.eye(3, 5)[y]
    monkeypatch.setattr(pairs, "FEW_BYTES", 0)
    monkeypatch.setattr(pairs, "copied", refused)
    clf = Perceptron(multiclass="ovo").fit(X, y)
    assert clf.verdict_ is Verdict.SEPARABLE
    for pair, proof in zip([(0, 1), (0, 2), (1, 2)], clf.certificates_, strict=True):
        rows = np.isin(y, pair)
        assert proof.verify(X[rows], y[rows])


@pytest.mark.parametrize("wide", [np.int32, np.int64])
def test_a_pair_of_rows_with_indices_of_either_kind(wide):
    X = sparse.csr_matrix(np.eye(6))
    X.indices, X.indptr = X.indices.astype(wide), X.indptr.astype(wide)
    place = Memory.of(X, np.arange(3), np.arange(6) % 3)
    own = place.part(parts_of(3, "ovo")[1])
    np.testing.assert_array_equal(own.X.toarray(), np.eye(6)[[0, 2, 3, 5]])


def test_memory_is_used_again_once_nobody_has_the_rows():
    room, float64 = Room(), np.dtype(np.float64)
    first = room.empty((4, 3), float64)
    at = first.ctypes.data
    view = first[1:].T
    del first
    assert room.empty((4, 3), float64).ctypes.data != at  # of the view
    del view
    again = {room.empty(shape, float64).ctypes.data for shape in ((4, 3), (2, 6), (1, 1))}
    assert at in again


def test_rows_of_two_pairs_held_at_once_are_apart():
    X = np.arange(60.0).reshape(20, 3)
    place = Memory.of(X, np.arange(4), np.arange(20) % 4)
    held = [place.part(part) for part in parts_of(4, "ovo")]
    for part, own in zip(parts_of(4, "ovo"), held, strict=True):
        assert part is not None
        of = np.isin(place.codes, [part.positive, part.negative])
        np.testing.assert_array_equal(own.X, X[of])
        table, numbers, _ = own.points.rows
        np.testing.assert_array_equal(table.values[numbers], X[of])


def test_what_is_too_small_and_idle_is_let_go():
    room, byte = Room(), np.dtype(np.uint8)
    for size in (10, 1_000, 100_000):
        room.empty((size,), byte)
    assert [len(memory) >= 100_000 for memory, _ in room._kept] == [True]


def test_threads_never_have_the_same_memory():
    room, wrong = Room(), []

    def work(mark):
        for size in range(1, 200):
            own = room.empty((size,), np.dtype(np.int64))
            own[:] = mark
            time.sleep(0)
            if not (own == mark).all():
                wrong.append((mark, size))
            del own

    threads = [threading.Thread(target=work, args=(mark,)) for mark in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(room._kept) <= len(threads)

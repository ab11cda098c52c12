"""What is refused before anything is learned from it, whichever door it comes in by."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt as rb
from rosenblatt.data import checks
from rosenblatt.data.checks import check_rows
from rosenblatt.data.lossless import rounded
from rosenblatt.engine.machine.jit import compiled
from rosenblatt.engine.points import MALFORMED, SORTED, UNSORTED, disorder, repeated
from rosenblatt.errors import InputError
from rosenblatt.estimators.validation import check_rows as check_estimator_rows

HELD, NEXT = 2**53, 2**53 + 1  # the same double
ROUNDED = {
    "list": [[HELD], [NEXT]],
    "list with floats": [[HELD, 0.5], [NEXT, 0.5]],
    "numpy scalars": [(np.int64(-NEXT), 1.0), (-HELD, 1.0)],
    "unsigned": [[2**63], [2**63 + 1]],
    "beyond int64": [[10**30], [10**30 + 1]],
    "int64 array": np.array([[HELD], [NEXT]]),
    "object array": np.array([[HELD], [NEXT]], dtype=object),
    "text": np.array([[str(HELD)], [str(NEXT)]], dtype=object),
    "fractions": [[Fraction(HELD)], [Fraction(NEXT)]],
    "a third": [[Fraction(1, 3)], [Fraction(1, 2)]],
    "decimals": [[Decimal(HELD)], [Decimal(NEXT)]],
    "int64 frame": pd.DataFrame({"x": [HELD, NEXT]}),
    "Int64 frame": pd.DataFrame({"x": [HELD, NEXT]}, dtype="Int64"),
    "frame with floats": pd.DataFrame({"f": [0.5, 0.5], "x": [HELD, NEXT]}),
    "csr": sparse.csr_array(np.array([[HELD], [NEXT]])),
    "coo": sparse.coo_array(np.array([[HELD], [NEXT]])),
    "lil": sparse.lil_array(np.array([[HELD], [NEXT]])),
}
if np.finfo(np.longdouble).nmant > 52:
    ROUNDED["longdouble"] = np.array([[HELD], [NEXT]], dtype=np.longdouble)
DOORS = {
    "decide": rb.decide,
    "margin": rb.margin,
    "pairs": rb.pairs,
    "kind": rb.separation_kind,
    **{
        kind.__name__: lambda X, y, kind=kind: kind().fit(X, y)
        for kind in (
            *(rb.Perceptron, rb.PassiveAggressive, rb.MaxMargin),
            *(rb.BatchPerceptron, rb.KernelPerceptron),
        )
    },
    "partial_fit": lambda X, y: rb.Perceptron().partial_fit(X, y, classes=[0, 1]),
}


LAYOUTS = {
    "by columns": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "from the end": lambda X: X[::-1].copy()[::-1],
    "whole numbers": lambda X: X.astype(np.int64),
    "small whole numbers": lambda X: X.astype(np.int8),
    "truth values": lambda X: (X > 0) * 1 > 0,
}


@pytest.mark.parametrize("laid_out", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("door", ["plain", "estimator"])
def test_arrays_of_any_layout_are_the_rows_that_they_hold(laid_out, door):
    X = laid_out(np.array([[3.0, -1.0, 0.0], [0.0, 2.0, 5.0]]))
    clf = rb.Perceptron()
    rows = check_rows(X) if door == "plain" else check_estimator_rows(clf, X)
    assert rows.flags.c_contiguous
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows, X)
    if door == "estimator":
        assert clf.n_features_in_ == 3


def test_rows_without_names_are_held_to_the_number_of_features_whatever_their_type():
    clf = rb.Perceptron().fit(np.array([[0, 1], [1, 0]]), [0, 1])
    with pytest.raises(ValueError, match="3 features, but Perceptron is expecting 2"):
        clf.partial_fit(np.array([[0, 1, 2]]), [0])


@pytest.mark.parametrize("X", ROUNDED.values(), ids=ROUNDED)
def test_numbers_that_would_be_rounded_are_refused(X):
    with pytest.raises(rb.InputError, match="silently round"):
        check_rows(X)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("X", [ROUNDED["list"], ROUNDED["frame with floats"]], ids=["list", "df"])
def test_they_are_refused_at_every_door(door, X):
    with pytest.raises(rb.InputError, match=r"9007199254740993 at row 1, column [01]( \('x'\))?:"):
        door(X, [0, 1])


HELD_EXACTLY = {
    "floats": [[1e20], [0.1]],
    "large floats beside integers": pd.DataFrame({"f": [1e20, 1.0], "n": [HELD, -HELD]}),
    "floats and integers": [[1e20, HELD], [0.5, -3]],
    "longdouble": np.array([[0.5], [np.nan]], dtype=np.longdouble),
    "objects": np.array([[0.1, True, "0.1"], [2, Fraction(1, 2), Decimal("0.1")]], dtype=object),
    "Int64": pd.DataFrame({"x": pd.array([1, HELD], dtype="Int64")}),
}


@pytest.mark.parametrize("X", HELD_EXACTLY.values(), ids=HELD_EXACTLY)
def test_numbers_that_are_held_are_not(X):
    found = check_rows(X)
    as_objects = X.astype(object).to_numpy() if isinstance(X, pd.DataFrame) else np.array(X, object)
    wanted = [[np.nan if pd.isna(v) else float(v) for v in row] for row in as_objects]
    np.testing.assert_array_equal(found, wanted)


@given(rows=st.lists(st.tuples(st.integers(-(2**60), 2**60), st.floats(-1, 1)), min_size=1))
@example(rows=[(2**60, 0.5), (-(2**54), 0.5)])
def test_whole_numbers_beside_floats_are_refused_exactly_where_no_double_equals_them(rows):
    beyond = any(whole != float(whole) for whole, _ in rows)
    for X in (rows, pd.DataFrame(rows, columns=["n", "f"])):
        if beyond:
            with pytest.raises(rb.InputError, match="silently round"):
                check_rows(X)
        else:
            np.testing.assert_array_equal(check_rows(X), np.array(rows))


@pytest.mark.parametrize("whole", [2**63, 2**64 - 2048, -(2**63), 3 * 2**60, -(HELD + 2), 0])
def test_a_whole_number_that_a_double_equals_is_that_double(whole):
    for kind in (np.uint64 if whole >= 0 else np.int64, object):
        X = np.array([[whole], [1]], dtype=kind)
        assert check_rows(X).tolist() == [[float(whole)], [1.0]]
        assert check_estimator_rows(rb.Perceptron(), X).tolist() == [[float(whole)], [1.0]]
        assert rb.decide(X, [0, 1]).certificate.verify(X, [0, 1])


@given(whole=st.integers(-(2**63), 2**64 - 1))
def test_a_whole_number_is_refused_exactly_where_no_double_equals_it(whole):
    values = np.array([[whole]], dtype=np.uint64 if whole >= 0 else np.int64)
    assert rounded(values).item() == (whole != float(whole))


# Of each type, entries whose sum in this type is another than that of doubles, or is no double.
REPEATS = [
    *((kind, [100, 100, 100]) for kind in (np.int8, np.uint8)),
    *((kind, [HELD, 1, 1]) for kind in (np.int64, np.uint64, np.longdouble)),
    (bool, [True, True, True]),
    (np.int32, [2, -1, -1]),
    (np.float32, [1e8, 1, -1e8]),
    (np.float64, [0.1, 0.2, 0.3]),
]
FORMATS = [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix]


@pytest.mark.parametrize(("kind", "entries"), REPEATS, ids=lambda of: getattr(of, "__name__", ""))
@pytest.mark.parametrize("make", FORMATS)
def test_repeated_entries_are_the_sums_that_the_dense_matrix_has(make, kind, entries):
    data = np.array([*entries, entries[0]], dtype=kind)
    X = with_repeats(make, data, np.array([0, 0, 0, 1]), np.zeros(4, int), (3, 1))
    y = [0, 1, 0]
    decision = rb.decide(X, y)
    assert decision.verdict == rb.decide(X.toarray(), y).verdict
    for rows in (X, X.toarray()):
        assert decision.certificate.verify(rows, y)
        assert rb.fewest_errors(X, y).certificate.verify(rows, y)
        assert rb.separation_kind(X, y).verify(rows, y)
        assert rb.Perceptron(certify=True).fit(X, y).certificate_.verify(rows, y)
    clf = rb.Perceptron().fit(X.toarray(), y)
    np.testing.assert_allclose(clf.decision_function(X), clf.decision_function(X.toarray()))
    assert X.nnz == 4  # the caller's own is as it was


def with_repeats(make, data, rows, columns, shape):
    """A sparse matrix that stores every entry as it is given: CSR and CSC in their own order."""
    if make is sparse.coo_matrix:
        return make((data, (rows, columns)), shape=shape)
    major, minor, n = (
        (columns, rows, shape[1]) if make is sparse.csc_array else (rows, columns, shape[0])
    )
    ends = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=n))])
    return make((data, minor, ends), shape=shape)


def test_a_repeated_entry_whose_sum_is_no_double_is_refused():
    data = np.array([HELD, 1, HELD])
    X = sparse.csr_array((data, np.zeros(3, int), [0, 2, 3]), shape=(2, 1))
    for check in (check_rows, partial(check_estimator_rows, rb.Perceptron())):
        with pytest.raises(rb.InputError, match="has 9007199254740993"):
            check(X)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix])
def test_classes_derived_from_scipys_are_read_as_what_they_are(kind):
    class Design(kind):
        def __init__(self, values, spec):
            super().__init__(values)
            self.spec = spec

    plain, y = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]), [0, 1, 0]
    X = Design(plain, "a + b")
    clf = rb.Perceptron().fit(X, y)
    assert clf.predict(X).tolist() == y
    assert rb.decide(X, y).certificate.verify(X, y)
    assert rb.margin(X, y) == rb.margin(sparse.csr_matrix(plain), y)


def test_a_memoryview_is_read_as_the_array_that_it_views():
    plain, y = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]), [0, 1, 0]
    assert rb.Perceptron().fit(memoryview(plain), y).predict(memoryview(plain)).tolist() == y
    assert rb.decide(memoryview(plain), y).certificate.verify(memoryview(plain), y)


ONE = "1.00000000000000000001"
MERGED = {
    "Decimals": [[Decimal(1)], [Decimal(ONE)]],
    "text": [["1"], [ONE]],
    "bytes": np.array([[b"1"], [ONE.encode()]]),
    "beside a float": [[1.0], [Decimal(ONE)]],
    "too small": [["1e-400"], ["0"]],
    "objects": np.array([[1], [ONE]], dtype=object),
}


@pytest.mark.parametrize("X", MERGED.values(), ids=MERGED)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_different_decimals_that_are_one_double_are_refused_with_both_cells(door, X):
    with pytest.raises(rb.InputError, match=r"at row 0, column 0 and .* at row 1, column 0:"):
        door(X, [0, 1])


def test_they_are_named_by_column():
    X = pd.DataFrame({"a": ["3", "4"], "b": [Decimal("0.1"), Decimal("0.10000000000000000001")]})
    with pytest.raises(rb.InputError, match=r"0.1 at row 0, column 1 \('b'\) and 0.10000000000000"):
        check_rows(X)


@pytest.mark.parametrize(
    "column",
    [
        ["0.1", "0.10", " 1e-1 ", Decimal("0.1"), 0.1, b"0.1"],
        [Decimal.from_float(0.1), 0.1, "0.1000000000000000055511151231257827021181583404541015625"],
        ["0", "-0.0", 0, Decimal("-0"), Decimal("0e9")],
        ["nan", None, Decimal("nan"), "NaN"],
        ["0.1", Decimal("0.1"), "0.3", "0.30000000000000004", 0.1 + 0.2],
    ],
)
def test_decimals_that_are_alike_are_not(column):
    X = np.array(column, dtype=object)[:, None]
    wanted = [np.nan if x is None else float(x) for x in column]
    np.testing.assert_array_equal(check_rows(X)[:, 0], wanted)


DAYS = pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])
DATED = {
    "dates alone": ({"when": DAYS}, r"dates \(datetime64.* in column 0 \('when'\).*dt\.days"),
    "dates beside numbers": ({"a": [1.0, 2.0, 3.0], "when": DAYS}, r"dates .* column 1 \('when'\)"),
    "time zone": ({"when": DAYS.tz_localize("UTC")}, r"dates .*UTC\]\) in column 0"),
    "durations": ({"a": [1, 2, 3], "t": DAYS - DAYS[0]}, r"durations .* column 1 .*total_seconds"),
    "objects": ({"a": [1, 2, 3], "day": DAYS.date}, r"a date at row 0, column 1 \('day'\)"),
    "NumPy's objects": (
        {"day": pd.Series([np.datetime64("2022-01-01")] * 3, dtype=object)},
        r"a datetime64 at row 0, column 0 \('day'\)",
    ),
    "periods": ({"month": DAYS.to_period("M")}, r"a Period at row 0, column 0 \('month'\)"),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(("columns", "words"), DATED.values(), ids=DATED)
def test_dates_in_a_frame_are_refused_and_named(columns, words, door):
    with pytest.raises(rb.InputError, match=words):
        door(pd.DataFrame(columns), [0, 1, 1])


SPANS = np.array([[1], [2], [4]], dtype="timedelta64[s]")
TIMES = {
    "days": (DAYS.to_numpy("datetime64[D]")[:, None], r"dates \(datetime64\[D\]\).*X - X\.min"),
    "nanoseconds": (DAYS.to_numpy("datetime64[ns]")[:, None], r"dates \(datetime64\[ns\]\)"),
    "durations": (SPANS, r"durations \(timedelta64\[s\]\) in column 0.*X / np\.timedelta64"),
    "a list": ([[span] for span in SPANS[:, 0]], r"durations \(timedelta64\[s\]\) in column 0"),
    "beside numbers": ([(0.5, span) for span in SPANS[:, 0]], r"durations .* in column 1"),
    "rows of objects": (
        np.array([[0.5, *span] for span in SPANS], dtype=object),
        r"durations .* in column 1",
    ),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(("X", "words"), TIMES.values(), ids=TIMES)
def test_dates_and_durations_of_numpy_are_refused_as_those_of_a_frame(X, words, door):
    with pytest.raises(rb.InputError, match=words):
        door(X, [0, 1, 1])
    clf = rb.Perceptron().fit(np.eye(3, len(X[0])), [0, 1, 1])
    with pytest.raises(rb.InputError, match=words):
        clf.predict(X)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_missing_whole_number_of_pandas_is_named(door):
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": pd.array([1, None, 2], dtype="Int64")})
    with pytest.raises(rb.InputError, match=r"NaN at row 1, column 1 \('b'\)"):
        door(frame, [0, 1, 1])


def test_dates_are_not_predicted_from():
    clf = rb.Perceptron().fit(pd.DataFrame({"when": [1.0, 2.0, 3.0]}), [0, 1, 1])
    with pytest.raises(rb.InputError, match=r"dates .* column 0 \('when'\)"):
        clf.predict(pd.DataFrame({"when": DAYS}))


def test_numbers_beyond_all_doubles_are_refused():
    with pytest.raises(rb.InputError, match="beyond the range"):
        rb.decide([[10**400], [1]], [0, 1])


FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})
QUESTIONS = {name: DOORS[name] for name in ("decide", "margin", "kind", "Perceptron", "MaxMargin")}


@pytest.mark.parametrize("door", QUESTIONS.values(), ids=QUESTIONS)
def test_a_bad_cell_of_a_frame_is_named_by_its_column(door):
    for bad, problem in ((np.nan, "NaN"), (np.inf, "infinity")):
        with pytest.raises(rb.InputError, match=rf"{problem} at row 2, column 1 \('b'\)"):
            door(FRAME.assign(b=[1.0, 2.0, bad]), [0, 1, 1])
    # Text and categories become indicators where a regression is asked about.
    for kind in () if door is rb.separation_kind else (object, "category"):
        frame = FRAME.assign(b=pd.Series(["1", "x", "y"]).astype(kind))
        with pytest.raises(rb.InputError, match=r"text at row 1, column 1 \('b'\): .*'x'"):
            door(frame, [0, 1, 1])
    with pytest.raises(rb.InputError, match=r"text at row 1, column 0: could not convert"):
        door([[1.0], ["x"]], [0, 1])


@pytest.mark.parametrize("door", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("mixed", [[1, "a"], [np.int64(1), np.str_("a")], [True, "a"]])
def test_labels_of_two_kinds_are_refused_in_lists_as_in_arrays(door, mixed):
    for y in (mixed, tuple(mixed), np.array(mixed, dtype=object), pd.Series(mixed, dtype=object)):
        with pytest.raises(rb.InputError, match="one kind; got a mix of"):
            door([[0.0], [1.0]], y)


def test_labels_of_one_kind_are_accepted_in_lists():
    X = [[0.0], [1.0]]
    for y in (["a", "b"], [np.str_("a"), "b"], [0, 1.0], [True, False]):
        assert rb.Perceptron().fit(X, y).score(X, y) == 1


@st.composite
def csr(draw):
    """A CSR matrix of integers, its columns as they come: maybe unsorted, maybe repeated."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    stored = [draw(st.lists(st.integers(0, columns - 1), max_size=5)) for _ in range(rows)]
    indptr = np.cumsum([0, *map(len, stored)]).astype(draw(st.sampled_from([np.int32, np.int64])))
    indices = np.array([j for row in stored for j in row], dtype=indptr.dtype)
    data = np.array(draw(st.lists(st.integers(-3, 3), min_size=len(indices))), float)
    data = data[: len(indices)]
    return sparse.csr_array((data, indices, indptr), shape=(rows, columns))


def looked_over(X):
    return compiled(disorder)(X.indices, X.indptr, X.shape[1])


@given(csr())
def test_disorder_and_repeats_are_what_the_rows_say(X):
    rows = [X.indices[a:b].tolist() for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
    expected = SORTED if all(row == sorted(set(row)) for row in rows) else UNSORTED
    assert looked_over(X) == expected
    assert disorder(X.indices.tolist(), X.indptr.tolist(), X.shape[1]) == expected
    twice = any(len(row) > len(set(row)) for row in rows)
    assert compiled(repeated)(X.indices, X.indptr, np.zeros(X.shape[1], X.indptr.dtype)) == twice
    assert repeated(X.indices.tolist(), X.indptr.tolist(), [0] * X.shape[1]) == twice


@given(csr(), st.integers(1, 5), st.data())
def test_rows_looked_at_in_pieces_are_found_as_all_at_once(X, at_once, data):
    if data.draw(st.booleans()) and len(X.indices):
        at, wrong = data.draw(st.integers(0, len(X.indices) - 1)), st.sampled_from([-1, X.shape[1]])
        X.indices[at] = data.draw(wrong)
    if data.draw(st.booleans()):
        X.indptr[data.draw(st.integers(0, X.shape[0]))] += data.draw(st.sampled_from([-1, 1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "ENTRIES_AT_ONCE", at_once)
        assert checks._disorder(X) == looked_over(X)


@given(csr(), st.data())
def test_an_index_outside_is_never_trusted(X, data):
    if not X.nnz:
        return
    X.indices[data.draw(st.integers(0, X.nnz - 1))] = data.draw(st.sampled_from([-1, X.shape[1]]))
    assert looked_over(X) == MALFORMED
    with pytest.raises(rb.InputError, match="malformed"):
        check_rows(X)


def test_falling_row_ends_are_never_trusted():
    X = sparse.csr_array(np.ones((3, 2)))
    X.indptr = np.array([0, 4, 2, 6], dtype=X.indptr.dtype)
    with pytest.raises(rb.InputError, match="malformed"):
        check_rows(X)


@given(csr())
def test_rows_mean_what_they_meant_and_store_an_entry_once(X):
    before = X.copy()
    checked = check_rows(X)
    np.testing.assert_array_equal(checked.toarray(), before.toarray())
    assert not repeated(checked.indices, checked.indptr, [0] * X.shape[1])
    for array in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, array), getattr(before, array))


def test_entries_beyond_the_last_row_are_not_learned_from():
    X = sparse.csr_array((np.array([1.0, 2.0, 9.0]), np.array([0, 1, 1]), np.array([0, 1, 2])))
    np.testing.assert_array_equal(check_rows(X).toarray(), [[1.0, 0.0], [0.0, 2.0]])


def test_unsorted_rows_are_learned_from_as_they_are_and_repeated_ones_added_up():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(40, 6)).astype(float)
    y = 4 * X[:, 0] + 2 * X[:, 1] - X[:, 2] > 0.5
    backwards = np.tile(np.arange(6)[::-1], 40), np.arange(0, 241, 6)
    unsorted = sparse.csr_matrix((X[:, ::-1].ravel(), *backwards), shape=X.shape)
    twice = np.tile(np.repeat(np.arange(6), 2), 40), np.arange(0, 481, 12)
    repeated = sparse.csr_matrix((np.repeat(X.ravel(), 2) / 2, *twice), shape=X.shape)
    expected = rb.Perceptron().fit(sparse.csr_matrix(X), y)
    for rows in (unsorted, repeated):
        found = rb.Perceptron().fit(rows, y)
        np.testing.assert_array_equal(found.run_.weights, expected.run_.weights)
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-12)
        assert found.radius_ == expected.radius_
        assert found.verdict_ is expected.verdict_


ROWS = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [-1.0, 2.0, -2.0]])
LABELS = [0, 1, 0, 1]


def _damaged(form, damage):
    X = form(ROWS)
    if damage == "column":
        (X.col if X.format == "coo" else X.indices)[0] = 9
    elif damage == "negative":
        (X.col if X.format == "coo" else X.indices)[0] = -1
    elif damage == "falling":
        X.indptr[1] = 5
    elif damage == "beyond":
        X.indptr[-1] = 100
    elif damage == "no rows":
        X.indptr = np.zeros(0, np.int32)
    else:
        X.data = X.data[:-1]
    return X


@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize(
    ("form", "damage"),
    [
        *(
            (form, damage)
            for form in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix)
            for damage in ("column", "negative", "falling", "beyond", "no rows", "short")
        ),
        (sparse.coo_matrix, "column"),
        (sparse.coo_array, "negative"),
    ],
)
def test_a_malformed_sparse_matrix_is_refused_by_everyone(monkeypatch, form, damage, few):
    """SciPy's own products would read anywhere."""
    monkeypatch.setattr("rosenblatt.engine.scoring.FEW_PRODUCTS", few)
    clf = rb.Perceptron().fit(ROWS, LABELS)
    doors = (
        clf.predict,
        clf.decision_function,
        lambda X: rb.Perceptron().fit(X, LABELS),
        lambda X: rb.decide(X, LABELS),
        lambda X: rb.MaxMargin().fit(X, LABELS),
        lambda X: rb.PassiveAggressive().fit(X, LABELS),
    )
    for door in doors:
        with pytest.raises(rb.InputError, match="malformed"):
            door(_damaged(form, damage))
    check = clf.certificate_.verify(_damaged(form, damage), LABELS)
    assert not check
    assert "malformed" in check.reason


def test_what_is_stored_beyond_the_last_row_is_left_out_and_left_alone():
    X = sparse.csr_matrix(np.eye(2))
    X.indices, X.data = np.append(X.indices, 0).astype(np.int32), np.append(X.data, np.nan)
    clf = rb.Perceptron().fit(X, [0, 1])
    np.testing.assert_array_equal(clf.predict(X), [0, 1])
    assert rb.decide(X, [0, 1]).separable
    assert clf.certificate_.verify(X, [0, 1])
    np.testing.assert_array_equal(X.data, [1.0, 1.0, np.nan])


@pytest.mark.parametrize("ask", [rb.decide, lambda X, y: rb.Perceptron().fit(X, y)])
def test_masked_entries_are_not_read_under_their_masks(ask):
    X, y = np.ma.masked_array([[0.0], [1.0], [9.0]], mask=[[0], [0], [1]]), np.array([0, 1, 0])
    with pytest.raises(rb.InputError, match=r"X has 1 masked entry.*X\.filled"):
        ask(X, y)
    with pytest.raises(rb.InputError, match="y has 1 masked entry"):
        ask(X.data, np.ma.masked_array(y, mask=[0, 0, 1]))
    with pytest.raises(rb.InputError, match="X has 1 masked entry"):
        ask(list(X), y)
    ask(np.ma.masked_array(X.data), y)


def test_masked_entries_are_refused_by_what_draws_measures_and_starts():
    X, y = np.ma.masked_array([[0.0, 1.0], [1.0, 0.0]], mask=[[0, 0], [0, 1]]), [-1, 1]
    clf = rb.Perceptron().fit(X.data, y)
    weights = np.ma.masked_array([1.0, 0.0, 0.0], mask=[0, 0, 1])
    for ask in (
        lambda: rb.margins.point_margins(X, y, [1.0, 0.0, 0.0]),
        lambda: rb.margins.point_margins(X.data, np.ma.masked_array(y, [0, 1]), [1.0, 0.0, 0.0]),
        lambda: rb.margins.radius(X),
        lambda: rb.figures.x_space(clf, X, y),
        lambda: rb.Perceptron().fit(X.data, y, coef_init=X[1:]),
        lambda: rb.figures.x_space(weights, X.data, y),
        lambda: rb.figures.unit(weights),
        lambda: rb.figures.unit([1.0, 0.0, 0.0], X[1]),
        lambda: rb.trace(X.data, y).to_pandas(separator=weights),
        lambda: rb.BatchPerceptron(init=weights).fit(X.data, y),
        lambda: rb.trace(X.data, y, order=np.ma.masked_array([0, 1], [0, 1])),
        lambda: rb.Perceptron(order=np.ma.masked_array([0, 1], [0, 1])).fit(X.data, y),
        lambda: rb.fewest_errors(X.data, y, sample_weight=np.ma.masked_array([1, 1], [0, 1])),
        lambda: rb.separation_kind(X.data, y, sample_weight=np.ma.masked_array([1, 1], [0, 1])),
        lambda: rb.datasets.with_product(X),
    ):
        with pytest.raises(rb.InputError, match="1 masked entry"):
            ask()
    clf.coef_ = X[1:]
    with pytest.raises(rb.InputError, match="coef_ has 1 masked entry"):
        clf.predict(X.data)


def test_signs_are_asked_for_in_words():
    with pytest.raises(rb.InputError, match=r"each .1 or −1, got 'no' at row 0. Make signs"):
        rb.margins.point_margins([[0.0], [1.0]], ["no", "yes"], [1.0, 0.0])


class Lazy:
    """As Polars' LazyFrame: a plan of a table."""

    def collect_schema(self):
        return {}

    def collect(self):
        return [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[1, 2], [3]], "row 0 has 2, row 1 has 1"),
        ([np.array([1, 2]), np.array([3])], "row 0 has 2, row 1 has 1"),
        ([[1, 2], 3], "row 0 has 2, row 1 has 0"),
        ([], "X has no rows"),
        (None, "got a NoneType"),
        (Lazy(), "pass X.collect()"),
    ],
)
@pytest.mark.parametrize("ask", [rb.Perceptron().fit, rb.KernelPerceptron().fit, rb.decide])
def test_what_is_no_table_is_refused_for_what_it_is(ask, X, said):
    with pytest.raises(InputError, match=re.escape(said)):
        ask(X, [0, 1])

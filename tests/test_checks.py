"""What is refused before anything is learned from it, whichever door it comes in by."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt as rb
from rosenblatt.checks import check_rows

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
    "dates": np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[ns]"),
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


@pytest.mark.parametrize("X", ROUNDED.values(), ids=ROUNDED)
def test_numbers_that_would_be_rounded_are_refused(X):
    with pytest.raises(rb.InputError, match="silently round"):
        check_rows(None, X)


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
    found = check_rows(None, X)
    as_objects = X.astype(object).to_numpy() if isinstance(X, pd.DataFrame) else np.array(X, object)
    wanted = [[np.nan if pd.isna(v) else float(v) for v in row] for row in as_objects]
    np.testing.assert_array_equal(found, wanted)


@given(rows=st.lists(st.tuples(st.integers(-(2**60), 2**60), st.floats(-1, 1)), min_size=1))
def test_whole_numbers_beside_floats_are_refused_exactly_beyond_2_to_the_53(rows):
    beyond = any(abs(whole) > HELD for whole, _ in rows)
    for X in (rows, pd.DataFrame(rows, columns=["n", "f"])):
        if beyond:
            with pytest.raises(rb.InputError, match="silently round"):
                check_rows(None, X)
        else:
            np.testing.assert_array_equal(check_rows(None, X), np.array(rows))


def test_dates_whose_count_of_units_is_held_are_numbers():
    days = np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]")
    np.testing.assert_array_equal(check_rows(None, days), [[18262.0], [18263.0]])


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
    for kind in (object, "category"):
        frame = FRAME.assign(b=pd.Series(["1", "x", "y"]).astype(kind))
        with pytest.raises(rb.InputError, match=r"text at row 1, column 1 \('b'\): .*'x'"):
            door(frame, [0, 1, 1])
    with pytest.raises(rb.InputError, match=r"text at row 1, column 0: could not convert"):
        door([[1.0], ["x"]], [0, 1])


@pytest.mark.parametrize("door", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("mixed", [[1, "a"], [np.int64(1), np.str_("a")], ["a", None], [True, "a"]])
def test_labels_of_two_kinds_are_refused_in_lists_as_in_arrays(door, mixed):
    for y in (mixed, tuple(mixed), np.array(mixed, dtype=object), pd.Series(mixed, dtype=object)):
        with pytest.raises(rb.InputError, match="one kind; got a mix of"):
            door([[0.0], [1.0]], y)


def test_labels_of_one_kind_are_accepted_in_lists():
    X = [[0.0], [1.0]]
    for y in (["a", "b"], [np.str_("a"), "b"], [0, 1.0], [True, False]):
        assert rb.Perceptron().fit(X, y).score(X, y) == 1

"""A certificate reads what a fit accepted, by rules of its own, as the same exact numbers."""

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
from rosenblatt.data.checks import check_rows, refuse_not_finite
from rosenblatt.errors import InputError
from rosenblatt.proof import exact

Y = [0, 0, 1]
ACCEPTED = {
    "text": [["1"], ["2"], ["3"]],
    "text array": np.array([["0.1"], ["0.2"], ["0.3"]]),
    "bytes": np.array([[b"1"], [b"2"], [b"3"]]),
    "text as Python writes it": [[" 1_0 "], ["2e1\n"], ["٣٠"]],
    "text beside numbers": [["1"], [2], [True]],
    "True beside text": [[True, "0.5"], [False, "0.5"], [2.5, "1"]],
    "objects of text": np.array([["0.1"], ["0.2"], ["0.3"]], dtype=object),
    "decimals": [[Decimal("0.1")], [Decimal("0.2")], [Decimal(3)]],
    "fractions": [[Fraction(1, 4)], [Fraction(1, 2)], [Fraction(3, 4)]],
    "bool": np.array([[False], [False], [True]]),
    "large floats": [[1e20, 1], [2e20, 2], [3e20, 3]],
    "half precision": np.array([[0.1], [0.2], [0.3]], dtype=np.float16),
    "frame of text": pd.DataFrame({"a": ["0.1", "0.2", "0.3"]}),
    "frame of strings": pd.DataFrame({"a": pd.array(["0.1", "0.2", "0.3"], dtype="string")}),
    "categories of text": pd.DataFrame({"a": pd.Categorical(["1", "2", "3"])}),
    "Int64 beside text": pd.DataFrame(
        {"a": pd.array([1, 2, 3], dtype="Int64"), "b": ["0.1", "0.2", "0.3"]}
    ),
    "Float64": pd.DataFrame({"a": pd.array([0.1, 0.2, 0.3], dtype="Float64")}),
    "boolean": pd.DataFrame({"a": pd.array([False, False, True], dtype="boolean")}),
    "sparse columns of fill NaN": pd.DataFrame({"a": pd.arrays.SparseArray([1.0, 2.0, 3.0])}),
    "sparse int8": sparse.csc_array(np.array([[1], [2], [3]], dtype=np.int8)),
}
DOORS = {
    "decide": lambda X, y: rb.decide(X, y).certificate,
    "fit": lambda X, y: rb.Perceptron().fit(X, y).certificate_,
    "certified fit": lambda X, y: rb.Perceptron(certify=True).fit(X, y).certificate_,
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("X", ACCEPTED.values(), ids=ACCEPTED)
def test_a_certificate_verifies_what_was_accepted(door, X):
    outcome = door(X, Y).verify(X, Y)
    assert outcome, outcome.reason


def test_separation_kinds_verify_text():
    X, y = [["1"], ["2"], ["2"], ["3"]], [0, 0, 1, 1]
    assert rb.separation_kind(X, y).verify(X, y)
    assert rb.fewest_errors(X, y).certificate.verify(X, y)


REFUSED = {
    "a third": [[Fraction(1, 3)], [1], [2]],
    "a whole number that is no double": [[2**53 + 1], [1], [2]],
    "the same beside a float": [[2**53 + 1, 0.5], [1, 0.5], [2, 0.5]],
    "the same as text": [[str(2**53 + 1)], ["1"], ["2"]],
    "the same as a decimal": [[Decimal(2**53 + 1)], [1], [2]],
    "the same in a frame": pd.DataFrame({"n": [2**53 + 1, 1, 2], "f": [0.5, 0.5, 0.5]}),
    "words": [["one"], ["two"], ["three"]],
    "no number": [[None], [1], [2]],
    "NaN as text": [["nan"], ["1"], ["2"]],
    "beyond all doubles": [[10**400], [1], [2]],
    "beyond all doubles, as text": [["1e400"], ["1"], ["2"]],
    "complex": [[1j], [1], [2]],
    "complex array": np.array([[1j], [1], [2]]),
    "days": np.array([["2020-01-01"], ["2020-01-02"], ["2020-01-04"]], dtype=">M8[D]"),
    "durations": np.array([[1], [2], [4]], dtype="timedelta64[s]"),
    "not a time": np.array([["NaT"], ["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]"),
    "masked": np.ma.array([[1.0], [2.0], [3.0]], mask=[[True], [False], [False]]),
    "an object that says it is 1": [[type("One", (), {"__float__": lambda _: 1.0})()], [2], [3]],
    "different lengths": [[1], [2, 3], [4]],
    "three dimensions": [[[1]], [[2]], [[3]]],
}


@pytest.mark.parametrize("X", REFUSED.values(), ids=REFUSED)
def test_both_refuse_what_is_no_double(X):
    proof = rb.decide([[1.0], [1.0], [2.0]], Y).certificate
    assert not proof.verify(X, Y)
    for door in DOORS.values():
        with pytest.raises((InputError, ValueError), match=r"X|array|convert|Complex"):
            door(X, Y)


NUMBERS = st.one_of(
    st.floats(width=64),
    st.integers(-(2**70), 2**70),
    st.integers(-10, 10),
    st.booleans(),
    st.fractions(max_denominator=8),
    st.decimals(allow_nan=True, places=3),
)
CELLS = st.one_of(
    NUMBERS,
    st.floats().map(repr),
    st.integers(-(2**60), 2**60).map(str),
    st.sampled_from([None, "", " 1 ", "x", "1_000", "1e5", b"2.5", np.float32(0.1), 1j]),
    st.sampled_from([np.int64(2**60), np.longdouble("0.1"), np.uint8(3), np.str_("7")]),
)
HOLDERS = {
    "list": list,
    "objects": lambda rows: np.array(rows, dtype=object),
    "frame": pd.DataFrame,
    "array": np.array,
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
@given(
    rows=st.integers(1, 2).flatmap(
        lambda d: st.lists(st.lists(CELLS, min_size=d, max_size=d), min_size=1, max_size=3)
    )
)
def test_what_a_fit_reads_a_certificate_reads_alike(hold, rows):
    X = hold(rows)
    try:
        read = check_rows(X)
        refuse_not_finite(read)
    except InputError:
        return
    found = exact.as_matrix(X)
    doubles = np.vstack([piece for _, piece in exact.chunks(found)])
    np.testing.assert_array_equal(doubles, read)

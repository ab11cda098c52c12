"""Complete, quasi-complete or overlap, against Konis's linear program on the full data."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_iris

from rosenblatt.certificate import Inseparability, Overlap, Separation, WeakSeparation
from rosenblatt.errors import InputError
from rosenblatt.solve.constraints import Constraints
from rosenblatt.solve.separation import Estimate, Kind, separation_kind
from rosenblatt.solve.separation.cone import Cone
from rosenblatt.solve.separation.faces import independent
from rosenblatt.solve.separation.near_ties import near_tie
from rosenblatt.solve.separation.strict import Strict

EXAMPLES = int(os.environ.get("ROSENBLATT_EXAMPLES", "100"))
many = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FINITE, PLUS, MINUS, EITHER, UNIDENTIFIED, UNSETTLED = Estimate


def signed(X, y, bias=True):
    """The rows of A."""
    A = np.column_stack([X, np.ones(len(X))]) if bias else np.asarray(X, dtype=float)
    return A * np.where(np.asarray(y) == np.unique(y)[-1], 1.0, -1.0)[:, None]


def konis(A):
    """Rows that can be strict: maximise Σ tᵢ, tᵢ ≤ aᵢ·z, 0 ≤ tᵢ ≤ 1 (Konis 2007)."""
    n, D = A.shape
    answer = linprog(
        np.append(np.zeros(D), -np.ones(n)),
        A_ub=np.hstack([-A, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * D + [(0, 1)] * n,
    )
    return answer.x[D:] > 0.5


def estimates(A, strict):
    """Each coefficient from the definition, by ranks and two programs."""
    n, D = A.shape
    rank = np.linalg.matrix_rank
    tight = np.vstack([A[~strict], np.zeros(D)])
    result = []
    for e in np.eye(D):
        if rank(np.vstack([A, e])) > rank(A):
            result.append(UNIDENTIFIED)
        elif rank(np.vstack([tight, e])) == rank(tight):
            result.append(FINITE)
        else:
            low, high = (
                s * linprog(s * e, A_ub=-A, b_ub=np.zeros(n), bounds=[(-1, 1)] * D).fun
                for s in (1, -1)
            )
            sides = low < -1e-7, high > 1e-7
            result.append({(True, True): EITHER, (False, True): PLUS}.get(sides, MINUS))
    return result


def checked(X, y, **options):
    """The kind, its certificates verified and of the right sort."""
    result = separation_kind(X, y, **options)
    outcome = result.verify(X, y)
    assert outcome, outcome.reason
    sorts = {
        Kind.COMPLETE: (Separation, type(None)),
        Kind.QUASI_COMPLETE: (WeakSeparation, Inseparability),
        Kind.OVERLAP: (type(None), Overlap),
    }
    z, alpha = sorts[result.kind]
    assert isinstance(result.separation, z)
    assert isinstance(result.inseparability, alpha)
    assert str(result)
    return result


@st.composite
def problems(draw):
    """Integer grids with labels that touch a hyperplane, or any labels; columns may depend."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, reach = draw(st.integers(2, 14)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    X = rng.integers(-reach, reach + 1, size=(n, d)).astype(float)
    if draw(st.booleans()):
        X[:, -1] = draw(st.sampled_from([0.0, 1.0])) + 2 * X[:, 0]
    scores = X @ rng.integers(-2, 3, size=d) + rng.integers(-1, 2)
    y = np.where(scores == 0, rng.integers(0, 2, size=n), scores > 0)
    if draw(st.booleans()):
        y = rng.integers(0, 2, size=n)
    y[:2] = [0, 1]
    return X, y.astype(int)


@many
@given(problems(), st.booleans(), st.booleans())
def test_against_the_full_program(problem, bias, sparse):
    X, y = problem
    A = signed(X, y, bias)
    strict = konis(A)
    result = checked(sp.csr_array(X) if sparse else X, y, fit_intercept=bias)
    kind = Kind.COMPLETE if strict.all() else Kind.QUASI_COMPLETE if strict.any() else Kind.OVERLAP
    assert result.kind is kind
    np.testing.assert_array_equal(result.strict, strict)
    assert list(result.coefficients.values()) == estimates(A, strict)


def test_complete():
    result = checked([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert result.kind is Kind.COMPLETE
    assert result.strict.all()
    assert result.coefficients == {"x0": PLUS, "intercept": MINUS}
    assert result.diverging == result.coefficients
    assert "MaxMargin" in str(result)


def test_quasi_complete_by_one_shared_point():
    result = checked([[0.0], [1.0], [1.0], [2.0]], [1, 1, 0, 0])
    assert result.kind is Kind.QUASI_COMPLETE
    np.testing.assert_array_equal(result.strict, [True, False, False, True])
    assert result.coefficients == {"x0": MINUS, "intercept": PLUS}


def test_quasi_complete_by_a_dummy():
    """A rare category in which the outcome never varies; the rest overlaps."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = (x + rng.normal(size=60) > 0).astype(int)
    dummy = np.zeros(60)
    dummy[np.flatnonzero(y == 0)[:3]] = 1.0
    table = pd.DataFrame({"dose": x, "site_c": dummy})
    result = checked(table, y)
    assert result.kind is Kind.QUASI_COMPLETE
    assert result.coefficients == {"dose": FINITE, "site_c": MINUS, "intercept": FINITE}
    np.testing.assert_array_equal(result.strict, dummy == 1)
    assert "3 of 60 rows" in str(result)
    assert "site_c     −∞" in str(result)


def test_overlap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = X[:, 0] + 2 * rng.normal(size=200) > 0
    result = checked(X, y)
    assert result.kind is Kind.OVERLAP
    assert not result.diverging
    assert not result.strict.any()
    assert set(result.coefficients.values()) == {FINITE}
    assert "fit it" in str(result)


def test_overlap_that_one_pair_does_not_prove():
    """Opposite duplicates prove inseparability, but span one dimension only."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(300, 8)).astype(float)
    y = rng.integers(0, 2, size=300)
    X[1], y[:2] = X[0], [0, 1]
    result = checked(X, y)
    assert result.kind is Kind.OVERLAP
    assert len(result.inseparability.rows) >= 9
    assert checked(sp.csr_matrix(X), y).kind is Kind.OVERLAP


def test_quasi_complete_in_steps():
    """Many opposite duplicates on a face, strict rows off it."""
    rng = np.random.default_rng(2)
    face = rng.integers(-3, 4, size=(40, 6)).astype(float)
    face[:, 0] = 0.0
    off = rng.integers(-3, 4, size=(20, 6)).astype(float)
    off[:, 0] = np.repeat([-1.0, 1.0], 10)
    X = np.concatenate([face, face, off])
    y = np.concatenate([np.zeros(40, int), np.ones(40, int), np.repeat([0, 1], 10)])
    result = checked(X, y)
    assert result.kind is Kind.QUASI_COMPLETE
    np.testing.assert_array_equal(result.strict, X[:, 0] != 0)
    assert result.diverging == {"x0": PLUS}


def test_columns_that_depend():
    """A constant column and a repeated one: not identified, and no separation."""
    x = np.array([0.0, 1.0, 2.0, 3.0, 1.5, 2.5])
    y = [0, 1, 0, 1, 0, 1]
    table = pd.DataFrame({"x": x, "twice": 2 * x, "one": 1.0, "none": 0.0, "z": x**2})
    result = checked(table, y)
    assert result.kind is Kind.OVERLAP
    assert result.coefficients == {
        "x": UNIDENTIFIED,
        "twice": UNIDENTIFIED,
        "one": UNIDENTIFIED,
        "none": UNIDENTIFIED,
        "z": FINITE,
        "intercept": UNIDENTIFIED,
    }
    assert "Not identified" in str(result)
    separated = checked(table, [0, 0, 1, 1, 0, 1])
    assert separated.kind is Kind.COMPLETE
    assert separated.coefficients["twice"] is UNIDENTIFIED


def test_duplicates():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    assert checked(X, np.repeat([0, 1], 20)).kind is Kind.COMPLETE
    assert checked(X, np.tile([0, 1], 20)).kind is Kind.OVERLAP
    assert checked(X, np.r_[np.zeros(39), 1]).kind is Kind.QUASI_COMPLETE
    assert checked(np.zeros((4, 1)), [0, 1, 0, 1]).kind is Kind.OVERLAP


def test_a_direction_that_may_go_either_way():
    result = checked([[0.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [0, 1, 1])
    assert result.coefficients == {"x0": EITHER, "x1": EITHER, "intercept": MINUS}


def test_without_intercept():
    result = checked([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]], ["a", "b", "b"], fit_intercept=False)
    assert result.kind is Kind.QUASI_COMPLETE
    assert result.coefficients == {"x0": FINITE, "x1": PLUS}
    assert result.separation.weights[-1] == 0


@pytest.mark.parametrize("scale", [1e-120, 1e-9, 1e9, 1e120])
def test_scales(scale):
    X = np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 2.0], [2.0, 0.0], [2.0, 0.5]]) * [scale, 1.0]
    result = checked(X, [0, 0, 1, 1, 1])
    assert result.kind is Kind.QUASI_COMPLETE
    plain = checked(X / [scale, 1.0], [0, 0, 1, 1, 1])
    assert result.coefficients == plain.coefficients


def test_a_touch_below_the_tolerance_of_any_program():
    """One unit in the last place decides between the three."""
    up = np.nextafter(1.0, 2.0)
    assert checked([[0.0], [1.0], [up], [2.0]], [0, 0, 1, 1]).kind is Kind.COMPLETE
    assert checked([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]).kind is Kind.QUASI_COMPLETE
    assert checked([[0.0], [up], [1.0], [2.0]], [0, 0, 1, 1]).kind is Kind.OVERLAP


@pytest.mark.parametrize("order", [1, -1])
def test_a_face_that_only_exact_arithmetic_finds(order):
    """The same, inside the face that a pair of opposite duplicates leaves."""
    low, high = np.array([1.0, np.nextafter(1.0, 2.0)])[::order]
    X = np.array([[5.0, 0.0], [5.0, 0.0], [0.0, low], [0.0, high], [0.0, 3.0], [0.0, 0.5]])
    result = checked(X, [0, 1, 0, 1, 1, 0])
    assert result.kind is (Kind.QUASI_COMPLETE if order == 1 else Kind.OVERLAP)
    np.testing.assert_array_equal(result.strict, [False] * 2 + [order == 1] * 4)


@many
@given(problems())
def test_exact_arithmetic_alone(problem):
    """No proposals from floating point: the fallback by itself gives the same kind."""
    X, y = problem
    expected = separation_kind(X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cone, "_widest", lambda self, outside: None)
        patch.setattr(Strict, "_refute", lambda self, multipliers: None)
        patch.setattr(Strict, "_proposals", lambda self, z: [])
        result = checked(X, y)
        assert result.kind is expected.kind
        np.testing.assert_array_equal(result.strict, expected.strict)
        assert result.coefficients == expected.coefficients


def test_bundled_data():
    X, y = load_breast_cancer(return_X_y=True)
    assert checked(X, y).kind is Kind.COMPLETE
    X, y = load_iris(return_X_y=True)
    assert checked(X, y == 0).kind is Kind.COMPLETE
    assert checked(X, y == 1).kind is Kind.OVERLAP
    assert checked(X, y == 2).kind is Kind.OVERLAP


def test_names_of_many_coefficients_are_cut():
    X = np.eye(30)
    text = str(separation_kind(X, np.arange(30) % 2))
    assert "(31 in all)" not in text or "…" in text
    assert "Complete" in text


def test_bad_input():
    with pytest.raises(InputError, match=r"two classes; y has 3.*multinomial"):
        separation_kind([[0.0], [1.0], [2.0]], [0, 1, 2], model="logit")
    with pytest.raises(InputError, match="one class only"):
        separation_kind([[0.0], [1.0]], [1, 1])
    with pytest.raises(InputError, match="NaN at row 0, column 0"):
        separation_kind([[np.nan], [1.0]], [0, 1])


def test_certificates_are_of_these_data():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    result = separation_kind(X, y)
    assert not result.verify(X + 1, y)
    assert not result.verify(X, [0, 1, 1, 1])


def test_independent_rows():
    assert independent(np.zeros((0, 3))) == []
    assert independent(np.array([[0.0, 0.0], [1.0, 1e-300], [1.0, 0.0], [0.0, 5.0]])) == [1, 2]


def test_labels_of_a_categorical_are_named():
    result = separation_kind([[1.0], [2.0]], pd.Categorical(["a", "b"]))
    assert result.about == "class 'b' against 'a'"


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_near_tie_is_separated_once_rounded(seed):
    """Decimals whose rounding decides: what is called a tie is one in whole numbers."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(6, 30), rng.integers(1, 4)
    whole = rng.integers(-4, 5, size=(n, d))
    scores = whole @ rng.integers(-3, 4, size=d) + rng.integers(-2, 3)
    y = np.where(scores == 0, rng.integers(2, size=n), scores > 0)
    y[:2] = 0, 1
    mixing = rng.integers(1, 4, size=(d, d))
    found = separation_kind((whole * 0.1) @ mixing, y)
    if found.near_tie is not None:
        assert separation_kind(whole @ mixing, y).kind is not Kind.OVERLAP


def test_no_time_left_for_near_ties():
    X = np.array([[0.0], [0.1 + 0.2], [0.3], [1.0]])
    constraints = Constraints(X, np.array([0, 0, 1, 1]), 2)
    assert near_tie(constraints) is not None
    assert near_tie(constraints, -1.0) is None


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["age", "intercept"], "'intercept', and the constant that is added is, too"),
        (["x", "x"], "Column 0 is called 'x', and column 1 is, too"),
    ],
)
def test_coefficients_of_one_name_are_refused(names, said):
    X = [[30, 0], [50, 0], [60, 0], [35, 0], [45, 0], [55, 1]]
    with pytest.raises(InputError, match=said):
        separation_kind(X, ["ill", "well"] * 3, names=names)
    if names[0] != names[1]:
        found = separation_kind(X, ["ill", "well"] * 3, names=names, fit_intercept=False)
        assert list(found.coefficients) == names


def test_a_limiting_model_keeps_the_intercept_that_it_is_fitted_with():
    # On the rows that are not strict both columns are constant.
    X, y = np.array([[1.0, 1], [1, 1], [1, 1], [2, 2], [0, 0]]), [1, 1, 0, 0, 1]
    found = separation_kind(X, y)
    rows, columns = found.limiting()
    np.testing.assert_array_equal(rows, [True, True, True, False, False])
    assert columns == []
    assert list(found.limit.exog) == ["intercept"]

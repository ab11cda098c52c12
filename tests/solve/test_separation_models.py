"""Multinomial and ordinal models, redundant columns, near ties, wide designs, weights."""

from __future__ import annotations

import formulaic
import numpy as np
import pandas as pd
import patsy
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import rosenblatt as rb
from rosenblatt.errors import InputError
from rosenblatt.solve.separation import Estimate, Kind, separation_kind
from rosenblatt.solve.separation.models import design_of

EXAMPLES = 60


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


def multinomial_rows(X, y, K):
    """Every row against every rival, one vector a class: the symmetric parametrisation."""
    rows, owner = [], []
    for i, (x, own) in enumerate(zip(X, y, strict=True)):
        for rival in set(range(K)) - {own}:
            table = np.zeros((K, len(x) + 1))
            table[own], table[rival] = np.append(x, 1), -np.append(x, 1)
            rows.append(table.ravel())
            owner.append(i)
    return np.array(rows), np.array(owner)


def ordinal_rows(X, y, K):
    """Every row against every threshold, which is more than its own two."""
    rows, owner = [], []
    for i, (x, own) in enumerate(zip(X, y, strict=True)):
        for cut in range(K - 1):
            theta = np.zeros(K - 1)
            theta[cut] = 1.0
            side = 1.0 if own <= cut else -1.0
            rows.append(side * np.append(-x, theta))
            owner.append(i)
    return np.array(rows), np.array(owner)


def kind_of(strict):
    return Kind.COMPLETE if strict.all() else Kind.QUASI_COMPLETE if strict.any() else Kind.OVERLAP


@st.composite
def problems(draw, ordered):
    K = draw(st.integers(3, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, reach = draw(st.integers(K + 1, 12)), draw(st.integers(1, 2)), draw(st.integers(1, 3))
    X = rng.integers(-reach, reach + 1, size=(n, d)).astype(float)
    if ordered and draw(st.booleans()):
        y = np.searchsorted([-1, 1, 3][: K - 1], X @ rng.integers(-2, 3, size=d))
    else:
        y = rng.integers(0, K, size=n)
        if draw(st.booleans()):
            y = (X @ rng.integers(-2, 3, size=(d, K)) + rng.integers(-1, 2, size=K)).argmax(axis=1)
    y[:K] = np.arange(K)
    return X, y, K


@settings(max_examples=EXAMPLES)
@given(problems(ordered=False))
def test_multinomial_against_the_full_program(problem):
    X, y, K = problem
    rows, owner = multinomial_rows(X, y, K)
    strict = konis(rows)
    result = separation_kind(X, y)
    assert result.model == "multinomial"
    assert result.kind is kind_of(strict)
    np.testing.assert_array_equal(result.strict, np.bincount(owner, ~strict, len(y)) == 0)
    outcome = result.verify(X, y)
    assert outcome, outcome.reason
    last = separation_kind(X, y, baseline=K - 1)
    assert last.kind is result.kind


@settings(max_examples=EXAMPLES)
@given(problems(ordered=True))
def test_ordinal_against_the_full_program(problem):
    X, y, K = problem
    rows, _ = ordinal_rows(X, y, K)
    strict = konis(rows)
    result = separation_kind(X, y, model="ordinal")
    if not strict.any():
        assert result.kind is Kind.OVERLAP
    else:
        assert result.kind in (Kind.COMPLETE, Kind.QUASI_COMPLETE)
    own = [abs(c - o) <= 0 or c + 1 == o for o in y for c in range(K - 1)]
    near = konis(rows[np.array(own)])
    assert result.kind is kind_of(near)
    outcome = result.verify(X, y)
    assert outcome, outcome.reason
    assert str(result)


def wedges():
    """Three wedges of 120°: separable together, each against the rest overlaps."""
    X, y = [], []
    for k, centre in enumerate((90, 210, 330)):
        for radius, turn in ((100, 55), (100, -55), (5, 40), (5, -40), (1, 0)):
            angle = np.deg2rad(centre + turn)
            X.append([radius * np.cos(angle), radius * np.sin(angle)])
            y.append(k)
    return np.array(X), np.array(y)


def test_wedges_have_no_multinomial_estimate_although_each_class_overlaps_the_rest():
    X, y = wedges()
    result = separation_kind(X, y)
    assert result.kind is Kind.COMPLETE
    assert result.verify(X, y)
    for k in range(3):
        assert separation_kind(X, y == k).kind is Kind.OVERLAP


def test_multinomial_coefficients_speak_of_classes_against_the_baseline():
    """Class c is alone at dummy = 1; the others overlap."""
    x = np.array([0.0, 1, 2, 3, 0, 1, 2, 3, 1, 2])
    dummy = np.array([0.0] * 8 + [1, 1])
    y = np.array(list("abab") + list("baba") + ["c", "c"])
    result = separation_kind(pd.DataFrame({"x": x, "dummy": dummy}), y)
    assert result.kind is Kind.QUASI_COMPLETE
    assert result.coefficients["b:x"] is Estimate.FINITE
    assert result.coefficients["c:dummy"] in (Estimate.PLUS, Estimate.EITHER)
    assert "against 'a'" in result.about
    assert "against 'a'" in str(result)


def test_rows_are_strict_against_every_rival():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    result = separation_kind(X, y)
    assert result.kind is Kind.QUASI_COMPLETE
    np.testing.assert_array_equal(result.strict, y == 0)
    rows, columns = result.limiting()
    assert separation_kind(X[rows][:, [int(name[1:]) for name in columns]], y[rows]).kind is (
        Kind.OVERLAP
    )
    assert "50 of 150 rows" in str(result)


def test_ordinal_thresholds_and_order():
    X = [[1.0], [2.0], [3.0], [4.0]]
    y = ["low", "mid", "mid", "top"]
    result = separation_kind(X, y, model="ordinal", order=["low", "mid", "top"])
    assert result.kind is Kind.COMPLETE
    assert result.names == ("x0", "low|mid", "mid|top")
    assert result.coefficients["x0"] is Estimate.PLUS
    category = pd.Series(pd.Categorical(y, ["low", "mid", "top"], ordered=True))
    assert separation_kind(X, category, model="ordinal").names == result.names
    assert separation_kind(X, y, model="ordinal", order=["mid", "low", "top"]).kind is Kind.OVERLAP


LIZARDS = """
20 2 0 0 0 0|13 0 1 0 0 0|8 3 0 1 0 0|6 0 1 1 0 0|8 1 0 0 0 1|8 0 1 0 0 1|4 1 0 1 0 1|4 4 0 0 0 2|
12 0 1 0 0 2|5 3 0 1 0 2|1 1 1 1 0 2|34 11 0 0 1 0|31 5 1 0 1 0|17 15 0 1 1 0|12 1 1 1 1 0|
69 20 0 0 1 1|55 4 1 0 1 1|60 32 0 1 1 1|21 5 1 1 1 1|18 10 0 0 1 2|13 3 1 0 1 2|8 8 0 1 1 2|
4 4 1 1 1 2
"""


def lizards():
    """McCullagh and Nelder 1989: grahami and opalinus by height, diameter, light and time."""
    table = np.array([row.split() for row in LIZARDS.replace("\n", "").split("|")], dtype=float)
    height, diameter, light, hour = table[:, 2:].T
    X = np.column_stack([height, diameter, light, hour == 1, hour == 2])
    return np.concatenate([X, X]), np.repeat([1, 0], len(X)), table[:, :2].T.ravel()


def test_lizards_have_estimates_and_grouped_counts_are_weights():
    X, y, counts = lizards()
    assert counts.sum() == 564
    result = separation_kind(X, y, sample_weight=counts)
    assert result.kind is Kind.OVERLAP
    assert result.verify(X, y)
    # At early sunny high perches no opalinus was seen: alone, they are separated.
    alone = (X[:, 2] == 0) & (X[:, 0] == 1) & (X[:, 3:].sum(axis=1) == 0)
    with pytest.raises(InputError, match="no row of positive"):
        separation_kind(X[alone], y[alone], sample_weight=counts[alone])


def test_rows_of_weight_0_do_not_exist():
    X, y = [[0.0], [1.0], [2.0], [3.0], [0.5]], [0, 0, 1, 1, 1]
    assert separation_kind(X, y).kind is Kind.OVERLAP
    result = separation_kind(X, y, sample_weight=[1, 2, 3, 4, 0])
    assert result.kind is Kind.COMPLETE
    np.testing.assert_array_equal(result.strict, [True] * 4 + [False])
    assert result.verify(X, y)


def test_rows_of_weight_0_are_not_counted_in_words():
    result = separation_kind([[0.0], [1], [2], [3]], [0, 1, 0, 1], sample_weight=[1, 0, 1, 1])
    assert "all 3 rows strictly" in str(result)
    X, y = [[0.0], [1], [1], [2], [5]], [0, 0, 1, 1, 0]
    result = separation_kind(X, y, sample_weight=[1, 1, 1, 1, 0])
    assert "2 of 4 rows strictly" in str(result)
    assert "2 of 4 rows strictly" in result._repr_html_()
    np.testing.assert_array_equal(result.limiting()[0], [False, True, True, False, False])
    assert list(result.limit.rows) == [1, 2]
    three = separation_kind([[0.0], [1], [2], [2]], [0, 1, 2, 0], sample_weight=[1, 1, 1, 0])
    assert "all 3 rows strictly" in str(three)


def test_undropped_dummies_and_own_constants_are_named():
    table = pd.DataFrame(
        {"red": [1, 0, 0, 1, 0, 0], "green": [0, 1, 0, 0, 1, 0], "blue": [0, 0, 1, 0, 0, 1]}
    )
    y = [0, 1, 0, 1, 0, 1]
    result = separation_kind(table, y)
    assert result.redundant == ["intercept = red + green + blue"]
    assert "intercept = red + green + blue" in str(result)
    own = separation_kind(table.drop(columns="blue").assign(const=1.0), y)
    assert own.names == ("red", "green", "const")
    assert not own.redundant
    other = separation_kind(table.drop(columns="blue").assign(one=2.0), y)
    assert other.redundant == ["intercept = 1/2·one"]


def test_columns_that_depend_but_for_rounding_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "mix": X @ [0.1, 0.7]})
    result = separation_kind(table, rng.integers(0, 2, 40))
    assert "mix" in str(result).split("Up to rounding")[1]


def test_near_ties_are_told():
    X, y = [[0.0], [0.1 + 0.2], [0.3], [1.0]], [0, 0, 1, 1]
    result = separation_kind(X, y)
    assert result.kind is Kind.OVERLAP
    assert result.near_tie.rows == 1
    assert result.near_tie.change < 1e-15
    assert "separated up to relative changes of 2e-16 in 1 row" in str(result)
    rng = np.random.default_rng(0)
    far = separation_kind(rng.normal(size=(30, 2)), rng.integers(0, 2, 30))
    assert far.near_tie is None


def test_wide_designs_take_one_rank():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 300)), rng.integers(0, 2, 60)
    result = separation_kind(X, y)
    assert result.kind is Kind.COMPLETE
    assert result.verify(X, y)
    assert set(result.coefficients.values()) == {Estimate.UNIDENTIFIED}
    assert "more than the rows can tell apart" in result.report
    assert str(result) == result.report
    # Where a coordinate is a row's own, it is identified.
    known = separation_kind(np.eye(3), [0, 1, 1], fit_intercept=False)
    assert list(known.coefficients.values()) == [Estimate.MINUS, Estimate.PLUS, Estimate.PLUS]


def test_time_limit_leaves_undecided(request):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 40)), rng.integers(0, 3, 3000)
    separation_kind(X[:9], y[:9])  # machine code is loaded, which looks at the clock, too
    ticking = request.getfixturevalue("ticking")
    result = separation_kind(X, y, time_limit=1e-3)
    assert result.kind is Kind.UNDECIDED
    assert ticking.now <= 3  # looks at the clock until it ended
    assert set(result.coefficients.values()) == {Estimate.UNSETTLED}
    assert "time_limit" in str(result)
    assert not result.verify(X, y)


def test_a_time_limit_that_is_over_at_once_leaves_undecided():
    result = separation_kind(np.eye(3), [0, 1, 1], time_limit=1e-12)
    assert result.kind is Kind.UNDECIDED


def test_limiting_model_runs():
    """Quasi-complete: the rows not strict, without what diverges, have an estimate."""
    table = pd.DataFrame({"age": [30, 50, 60, 35, 45, 55.0], "drug": [0, 0, 0, 0, 0, 1.0]})
    y = np.array(["ill", "well", "ill", "well", "ill", "well"])
    result = separation_kind(table, y)
    rows, columns = result.limiting()
    assert columns == ["age"]
    assert separation_kind(table.loc[rows, columns], y[rows]).kind is Kind.OVERLAP
    np.testing.assert_array_equal(result.limit.rows, np.flatnonzero(rows))
    assert list(result.limit.exog) == ["age", "intercept"]
    assert result.limit.endog.tolist() == [0, 1, 0, 1, 0]
    with pytest.raises(InputError, match="quasi-complete"):
        separation_kind([[0.0], [1.0]], [0, 1]).limiting()


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_of_frames(table):
    frame = table({"dose": [0.0, 1.0, 0.5], "group": ["a", "b", "a"]})
    assert separation_kind(frame, [0, 1, 0]).names == ("dose", "group[b]", "intercept")


def test_names_of_patsy_and_formulaic():
    frame = pd.DataFrame({"dose": [0.0, 1.0, 0.5]})
    designs = [patsy.dmatrix("dose", frame), formulaic.model_matrix("dose", frame)]
    for X in designs:
        design = design_of(X, [0, 1, 0])
        assert design.names == ("Intercept", "dose")
        assert not design.intercept


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"model": "tobit"}, "model must be one of"),
        ({"model": "logit", "y": [0, 1, 2]}, "two classes"),
        ({"names": ["a", "b"]}, "one for each column"),
        ({"baseline": 0}, "multinomial"),
        ({"order": [0, 1]}, "ordinal"),
        ({"y": [0, 1, 2], "baseline": 7}, "not among the classes"),
        ({"y": [0, 1, 2], "model": "ordinal", "order": [0, 1]}, "every class once"),
        ({"sample_weight": [1, 1]}, "expected \\(3,\\)! Pass one weight"),
        ({"X": [[np.inf], [0.0], [1.0]]}, "infinity"),
    ],
)
def test_bad_input(given, why):
    arguments = {"X": [[0.0], [1.0], [2.0]], "y": [0, 1, 0], **given}
    with pytest.raises(InputError, match=why):
        separation_kind(**arguments)


def test_public_names():
    assert rb.Kind is Kind
    assert rb.Estimate is Estimate
    assert rb.SeparationKind.__name__ == "SeparationKind"


def test_command(tmp_path, capsys):
    import json

    from rosenblatt.cli.app import app

    data = tmp_path / "t.csv"
    data.write_text("age,drug,y\n30,0,ill\n50,0,well\n60,0,ill\n35,0,well\n45,0,ill\n55,1,well\n")

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            app(["separation", str(data), *words], prog_name="rosenblatt")
        return ended.value.code, capsys.readouterr().out

    code, said = run()
    assert code == 1
    assert "Quasi-complete" in said
    assert "drug       +∞" in said
    code, said = run("--json", "--model", "ordinal", "--order", "ill,well")
    found = json.loads(said)
    assert (code, found["kind"], found["estimates_exist"]) == (1, "quasi-complete", False)
    assert found["coefficients"]["drug"] == "+∞"
    assert found["strict"] == [5]
    assert run("--ignore", "drug")[0] == 0


def test_firthmodels_agrees_that_there_is_separation():
    """Its finite coefficients are those of one vertex, so only the verdicts are comparable."""
    import firthmodels as firth

    rng = np.random.default_rng(1)
    for _ in range(100):
        n, d = rng.integers(4, 14), rng.integers(1, 4)
        X = rng.integers(-2, 3, (n, d)).astype(float)
        y = rng.integers(0, 2, n)
        y[:2] = 0, 1
        if np.linalg.matrix_rank(np.column_stack([X, np.ones(n)])) <= d:
            continue
        ours = separation_kind(X, y)
        assert firth.detect_separation(X, y).separation == (ours.kind is not Kind.OVERLAP)

"""The fewest errors: equal to brute force where that is possible, and always proved."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

import rosenblatt as rb
from rosenblatt.certificate import ErrorBracket
from rosenblatt.errors import CertificateError, InputError
from rosenblatt.solve.fewest import fewest_errors
from rosenblatt.solve.fewest.answer import Ending

EXAMPLES = 80


def fewest_on_line(x, positive, costs):
    """Every threshold between values, and both directions."""
    values = np.unique(x)
    cuts = np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]])
    above = x[:, None] > cuts
    right = above == positive[:, None]
    return min((costs @ ~right).min(), (costs @ right).min())


def fewest_in_plane(X, positive, costs):
    """Every order in which lines of one direction meet the points: generic directions suffice."""
    differences = (X[:, None] - X[None]).reshape(-1, 2)
    differences = differences[differences.any(axis=1)]
    normals = np.unique(np.mod(np.arctan2(differences[:, 0], -differences[:, 1]), np.pi))
    if not len(normals):
        normals = np.zeros(1)
    turned = np.append(normals, normals[0] + np.pi)
    middle = (turned[1:] + turned[:-1]) / 2
    return min(
        fewest_on_line(np.round(X @ [np.cos(a), np.sin(a)], 9), positive, costs) for a in middle
    )


def separable(X, codes, K, fit_intercept=True):
    """By one linear program over all requirements; for whole numbers."""
    padded = np.column_stack([X, np.full(len(X), float(fit_intercept))])
    rows = []
    for x, own in zip(padded, codes, strict=True):
        if K == 2:
            rows.append(x if own else -x)
            continue
        for rival in set(range(K)) - {own}:
            table = np.zeros((K, len(x)))
            table[own], table[rival] = x, -x
            rows.append(table.ravel())
    if not rows:
        return True
    A = np.array(rows)
    answer = linprog(np.zeros(A.shape[1]), -A, -np.ones(len(A)), bounds=(None, None))
    return answer.status == 0


def fewest_by_subsets(X, codes, K, costs, fit_intercept=True):
    """Every set of rows that might be removed."""
    n = len(codes)
    removals = [r for size in range(n + 1) for r in combinations(range(n), size)]
    for removed in sorted(removals, key=lambda r: sum(costs[i] for i in r)):
        kept = [i for i in range(n) if i not in removed]
        if separable(X[kept], codes[kept], K, fit_intercept):
            return sum(costs[i] for i in removed)
    raise AssertionError


def labels(n, K=2):
    return st.lists(st.integers(0, K - 1), min_size=n, max_size=n).filter(
        lambda y: len(set(y)) == K
    )


@st.composite
def problems(draw, d, most=12, K=2, largest=4, weighted=False):
    n = draw(st.integers(K + 1, most))
    X = draw(st.lists(st.integers(-largest, largest), min_size=n * d, max_size=n * d))
    y = np.array(draw(labels(n, K)))
    costs = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)) if weighted else [1] * n
    return np.array(X, dtype=float).reshape(n, d), y, np.array(costs)


def check(result, X, y):
    """The certificate holds, also after a journey through JSON, and speaks of the answer."""
    outcome = result.verify(X, y)
    assert outcome, outcome.reason
    again = ErrorBracket.from_json(result.certificate.to_json())
    assert again == result.certificate
    assert again.verify(X, y)
    assert result.irreducible
    assert {frozenset(s.rows.tolist()) for s in result.subsets} or result.upper == 0


@settings(max_examples=EXAMPLES)
@given(problems(d=1, weighted=True))
def test_line(problem):
    X, y, costs = problem
    result = fewest_errors(X, y, sample_weight=costs, time_limit=None)
    assert result.lower == result.upper == fewest_on_line(X[:, 0], y == 1, costs)
    check(result, X, y)


@settings(max_examples=EXAMPLES)
@given(problems(d=2))
def test_plane(problem):
    X, y, costs = problem
    result = fewest_errors(X, y, time_limit=None)
    assert result.lower == result.upper == fewest_in_plane(X, y == 1, costs)
    check(result, X, y)


@settings(max_examples=EXAMPLES // 8)
@given(problems(d=3, most=8, largest=1), st.booleans())
def test_space(problem, fit_intercept):
    X, y, costs = problem
    result = fewest_errors(X, y, fit_intercept=fit_intercept, time_limit=None)
    assert result.lower == result.upper == fewest_by_subsets(X, y, 2, costs, fit_intercept)
    check(result, X, y)


@settings(max_examples=EXAMPLES // 8)
@given(problems(d=2, most=7, K=3, largest=1, weighted=True))
def test_three_classes(problem):
    X, y, costs = problem
    result = fewest_errors(X, y, sample_weight=costs, time_limit=None)
    assert result.lower == result.upper == fewest_by_subsets(X, y, 3, costs)
    check(result, X, y)


def test_dense_and_sparse_agree():
    rng = np.random.default_rng(3)
    X, y = rng.integers(-3, 4, (14, 3)).astype(float), rng.integers(0, 2, 14)
    dense, csr = fewest_errors(X, y), fewest_errors(sparse.csr_array(X), y)
    assert dense.exact
    assert csr.exact
    assert dense.upper == csr.upper
    assert csr.certificate.verify(X, y)
    assert dense.certificate.verify(sparse.csr_matrix(X), y)


def test_iris_versicolor():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    result = fewest_errors(X, y == 1, time_limit=1.0)
    assert result.lower <= 25 <= result.upper  # 25 is exact, as a longer search proves
    outcome = result.verify(X, y == 1)
    assert outcome, outcome.reason


def test_one_against_the_rest():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    seen = []
    result = fewest_errors(X, y, multiclass="ovr", time_limit=3.0, progress=seen.append)
    assert list(result.parts) == [0, 1, 2]
    assert result.parts[0].upper == 0
    assert result.parts[2].lower == result.parts[2].upper == 1
    assert result.lower == sum(part.lower for part in result.parts.values())
    assert result.verify(X, y)
    assert not result.verify(X, np.roll(y, 1))
    assert seen
    assert seen[-1].lower <= seen[-1].upper
    assert "3 classes" in str(result)


def test_rows_of_weight_0_do_not_exist():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    result = fewest_errors(X, y, sample_weight=[1, 0, 1, 1])
    assert (result.upper, result.n) == (0, 3)
    assert result.verify(X, y)
    cheap = fewest_errors(X, y, sample_weight=[1, 1, 0.25, 1])
    assert (cheap.lower, cheap.upper, cheap.rows.tolist()) == (0.25, 0.25, [2])
    assert cheap.certificate.unit == Fraction(1, 4)
    assert cheap.verify(X, y)
    assert "0.25" in str(cheap)


@pytest.mark.parametrize("absent", "abc")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_class_whose_rows_all_have_weight_0_does_not_exist(absent, fit_intercept):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(15, 2)).round(2), np.array([*"abc"] * 5)
    there = y != absent
    how = {"fit_intercept": fit_intercept, "time_limit": None}
    result = fewest_errors(X, y, sample_weight=there, **how)
    alone = fewest_errors(X[there], y[there], **how)
    assert alone.upper > 0
    assert (result.lower, result.upper, result.n) == (alone.lower, alone.upper, 10)
    assert there[result.rows].all()
    assert result.verify(X, y)


def test_weights_are_the_decimals_that_print_them():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1, 0])
    result = fewest_errors(X, y, sample_weight=[0.1, 0.7, 0.3, 1 / 3, 1.1], time_limit=10)
    assert result.lower == result.upper == 0.4
    assert result.verify(X, y)


def test_separable_data_needs_no_error():
    result = fewest_errors([[0.0], [1.0]], ["a", "b"])
    assert (result.lower, result.upper, len(result.rows)) == (0, 0, 0)
    assert result.ending is Ending.EXACT
    assert "separable" in str(result)
    assert result.verify([[0.0], [1.0]], ["a", "b"])


def test_time_limit_gives_the_bracket_so_far():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 6)), rng.integers(0, 2, 400)
    result = fewest_errors(X, y, time_limit=1.0)
    assert result.ending is Ending.TIME
    assert 0 <= result.lower < result.upper <= 200
    assert result.verify(X, y)


def test_interruption_gives_the_bracket_so_far():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 6)), rng.integers(0, 2, 400)

    def press(progress):
        if progress.subsets:
            raise KeyboardInterrupt

    result = fewest_errors(X, y, progress=press)
    assert result.ending is Ending.INTERRUPTED
    assert result.upper < 200
    assert result.verify(X, y)


def test_without_an_intercept_a_row_of_zeros_is_always_wrong():
    X, y = np.array([[0.0], [1.0], [-1.0]]), np.array([0, 1, 0])
    result = fewest_errors(X, y, fit_intercept=False)
    assert result.rows.tolist() == [0]
    assert result.subsets[0].rows.tolist() == [0]
    assert result.verify(X, y)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"lower": 0}, None),
        ({"lower": 2, "upper": 2}, "cost 1, not 2"),
        ({"removed": [], "witnesses": [], "upper": 1}, "kept, but the weights"),
        ({"proof": {"multipliers": [[0, "0x3/0x2"]]}}, "more than its cost"),
        ({"proof": {"multipliers": []}}, "prove 0 only"),
        ({"proof": {"multipliers": [[0, "0x1/0x2"], [0, "0x1/0x2"]]}}, "two multipliers"),
        ({"proof": {"multipliers": [[7, "0x1/0x2"]]}}, "no subset 7"),
        ({"proof": {"impossible": 0}}, "does not keep"),
        ({"subsets": [{"rows": [0, 1, 2], "alpha": [1, 1, 1], "rivals": None}]}, "do not cancel"),
        ({"costs": [1, 1]}, "2 costs but 3 rows"),
    ],
)
def test_a_certificate_that_does_not_hold_is_refused(change, why):
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    data = fewest_errors(X, y).certificate.to_dict()
    outcome = ErrorBracket.from_dict({**data, **change}).verify(X, y)
    assert outcome.ok == (why is None)
    if why is not None:
        assert why in outcome.reason


def test_a_split_twice_by_a_row_is_refused():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    data = fewest_errors(X, y).certificate.to_dict()
    leaf = {"multipliers": [[0, "0x1/0x1"]]}
    impossible = {"row": 1, "removed": {"multipliers": []}, "kept": leaf}
    split = {"row": 1, "removed": {"multipliers": []}, "kept": impossible}
    assert "twice" in ErrorBracket.from_dict({**data, "proof": split}).verify(X, y).reason
    kept = {"row": 1, "removed": {"multipliers": []}, "kept": leaf}
    assert ErrorBracket.from_dict({**data, "proof": kept}).verify(X, y)


@pytest.mark.parametrize(
    "change",
    [
        {"lower": 2},
        {"unit": "0x0/0x1"},
        {"proof": []},
        {"proof": {"row": 0}},
        {"proof": {"multipliers": [1]}},
        {"witnesses": []},
        {"witnesses": [5]},
        {"removed": [1, 1]},
        {"subsets": [{"rows": [0]}]},
        {"weights": [[1.0, 2.0]]},
    ],
)
def test_nonsense_is_no_certificate(change):
    data = fewest_errors([[0.0], [1.0], [2.0]], [0, 1, 0]).certificate.to_dict()
    with pytest.raises(CertificateError):
        ErrorBracket.from_dict({**data, **change})


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"X": "rows.csv"}, "in memory"),
        ({"X": [[np.nan], [1.0], [2.0]]}, "NaN"),
        ({"y": [0, 0, 0]}, "one class"),
        ({"sample_weight": [1, 1]}, "shape"),
        ({"sample_weight": [1, -1, 1]}, "not negative"),
        ({"sample_weight": [0, 0, 0]}, "every sample_weight is 0"),
        ({"sample_weight": [1e-300, 1.0, 1e300]}, "round it"),
        ({"multiclass": "ovo"}, "multiclass"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_bad_input_is_refused(given, why):
    arguments = {"X": [[0.0], [1.0], [2.0]], "y": [0, 1, 0], **given}
    with pytest.raises(InputError, match=why):
        fewest_errors(**arguments)


def test_public_names():
    assert rb.fewest_errors is fewest_errors
    assert rb.ErrorBracket is ErrorBracket


def test_command(tmp_path, capsys):
    import json

    from rosenblatt.cli.app import app

    data, proof, figure = (tmp_path / name for name in ("t.csv", "proof.json", "rows.png"))
    data.write_text("a,b,kind\n1,2,x\n2,,x\n3,1,x\n2,2,y\n4,5,y\n5,5,y\n1,1.5,y\n")

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            app(
                ["errors", str(data), "--missing", "drop", *map(str, words)], prog_name="rosenblatt"
            )
        return ended.value.code, capsys.readouterr().out

    code, said = run("--certificate", proof, "--figure", figure)
    assert code == 0
    assert "At least 1 of 6 rows" in " ".join(said.split())
    assert figure.stat().st_size > 1000
    code, said = run("--json")
    found = json.loads(said)
    assert (code, found["lower"], found["upper"], found["exact"]) == (0, 1, 1, True)
    look = found["look_at"][0]
    # Line 1 is the heading, and line 3 was dropped.
    assert look["place"] == f"line {look['row'] + (2 if look['row'] == 0 else 3)}"
    assert set(look["values"]) == {"a", "b"}
    loaded = ErrorBracket.load(proof)
    X = [[1, 2], [3, 1], [2, 2], [4, 5], [5, 5], [1, 1.5]]
    assert loaded.verify(X, list("xxyyyy"))


def test_figure_names_the_rows():
    from rosenblatt import figures

    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    result = fewest_errors(X, y)
    ax = figures.fewest_errors(result, X, y)
    assert ax.get_title(loc="left") == "Fewest errors: 1 of 4"
    assert str(result.rows[0]) in {text.get_text() for text in ax.texts}
    with pytest.raises(InputError, match="two classes"):
        figures.fewest_errors(fewest_errors(X, [0, 1, 2, 2]), X, [0, 1, 2, 2])


@pytest.mark.filterwarnings("error")
def test_columns_near_the_least_floats_are_counted_in_silence():
    X = np.array([[1e-308], [2e-308], [3e-308], [1.5e-308]])
    found = fewest_errors(X, [0, 0, 1, 1])
    np.testing.assert_equal(found.upper, 1)


@pytest.mark.parametrize("unit", [1e-308, 1e-310, 5e-324])
def test_subnormal_columns_are_answered(unit):
    X, y = [[0.0], [unit], [2 * unit], [3 * unit]], [0, 1, 0, 1]
    found = fewest_errors(X, y)
    assert (found.lower, found.upper) == (1, 1)
    assert found.certificate.verify(X, y)

"""Log links, Cox and conditional models: against brute force, and what they say."""

from __future__ import annotations

import json
import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rosenblatt.cli.app import app
from rosenblatt.errors import InputError
from rosenblatt.solve.separation import Estimate, Kind, separation_kind

EXAMPLES = int(os.environ.get("ROSENBLATT_EXAMPLES", "60"))
many = settings(max_examples=EXAMPLES, deadline=None)


def strict_rows(A):
    """Rows that can be strict in the cone: maximise Σ tᵢ, tᵢ ≤ aᵢ·z, 0 ≤ tᵢ ≤ 1 (Konis 2007)."""
    n, D = A.shape
    if not n:
        return np.zeros(0, dtype=bool)
    answer = linprog(
        np.append(np.zeros(D), -np.ones(n)),
        A_ub=np.hstack([-A, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * D + [(0, 1)] * n,
    )
    return answer.x[D:] > 0.5


def estimates(A):
    """Where each coefficient goes, by the largest and the least value in the cone's unit box."""
    found = []
    for j in range(A.shape[1]):
        ends = []
        for sign in (1, -1):
            aim = np.zeros(A.shape[1])
            aim[j] = -sign
            bounds = [(-1, 1)] * A.shape[1]
            rows = {"A_ub": -A, "b_ub": np.zeros(len(A))} if len(A) else {}
            ends.append(-linprog(aim, **rows, bounds=bounds).fun > 1e-6)
            equal = {"A_eq": A, "b_eq": np.zeros(len(A))} if len(A) else {}
            if -linprog(aim, **equal, bounds=bounds).fun > 1e-6:
                found.append(Estimate.UNIDENTIFIED)
                break
        else:
            ways = (Estimate.FINITE, Estimate.MINUS, Estimate.PLUS, Estimate.EITHER)
            found.append(ways[2 * ends[0] + ends[1]])
    return found


def padded(X, bias):
    return np.column_stack([X, np.ones(len(X))]) if bias else X


def integers(rng, n, d):
    reach = rng.integers(1, 4)
    X = rng.integers(-reach, reach + 1, size=(n, d)).astype(float)
    if rng.random() < 0.3:
        X[:, -1] = 2 * X[:, 0] + rng.integers(0, 2)
    if rng.random() < 0.3:
        X[:, 0] = X[:, 0] > 0
    return X


seeds = st.integers(0, 2**32 - 1)


@many
@given(seeds, st.booleans(), st.booleans())
def test_poisson_against_the_full_program(seed, bias, sparse):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 14)), int(rng.integers(1, 5))
    X = integers(rng, n, d)
    y = rng.poisson(rng.choice([0.2, 0.7, 2.0]), n) * rng.choice([1.0, 0.5])
    P, won = padded(X, bias), y > 0
    A = np.concatenate([-P[~won], P[won], -P[won]])
    found = strict_rows(A)
    strict = np.zeros(n, dtype=bool)
    strict[~won] = found[: (~won).sum()]
    result = separation_kind(
        sp.csr_array(X) if sparse else X, y, model="poisson", fit_intercept=bias
    )
    np.testing.assert_array_equal(result.strict, strict)
    whole = Kind.COMPLETE if strict.all() else Kind.QUASI_COMPLETE
    assert result.kind is (whole if strict.any() else Kind.OVERLAP)
    assert list(result.coefficients.values()) == estimates(A)
    outcome = result.verify(X, y)
    assert outcome, outcome.reason
    assert str(result)
    if result.kind is Kind.QUASI_COMPLETE:
        rows, columns = result.limiting()
        left = X[rows][:, [int(name[1:]) for name in columns]]
        if left.shape[1]:
            again = separation_kind(left, y[rows], model="poisson", fit_intercept=bias)
            assert again.kind is Kind.OVERLAP
            assert not again.redundant


def pairs_of(case, groups):
    return [
        (i, j)
        for i in range(len(case))
        for j in range(len(case))
        if case[i] and not case[j] and groups[i] == groups[j]
    ]


def at_risk(time, event, strata, entry=None):
    return [
        (i, j)
        for i in range(len(time))
        for j in range(len(time))
        if event[i]
        and i != j
        and strata[i] == strata[j]
        and time[j] >= time[i]
        and (entry is None or entry[j] < time[i])
    ]


def compare(result, X, y, pairs, scaled=None):
    """The kind, the coefficients and the rows, against all pairs at once."""
    n = len(X)
    A = np.array([X[i] - X[j] for i, j in pairs]).reshape(-1, X.shape[1])
    strict = strict_rows(A)
    whole = Kind.COMPLETE if strict.all() else Kind.QUASI_COMPLETE
    assert result.kind is (whole if strict.any() else Kind.OVERLAP)
    assert list(result.coefficients.values()) == estimates(A)
    took, tied = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    for pair, alone in zip(pairs, strict, strict=True):
        took[list(pair)] = True
        tied[list(pair)] |= not alone
    np.testing.assert_array_equal(result.strict, took & ~tied if strict.any() else np.zeros(n))
    outcome = result.verify(X if scaled is None else scaled, y)
    assert outcome, outcome.reason
    assert str(result)


@many
@given(seeds, st.booleans(), st.sampled_from([1.0, 0.125, 2.0**40 + 1]))
def test_conditional_against_all_pairs(seed, sparse, scale):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    X = integers(rng, n, d)
    case, groups = rng.integers(0, 2, n), rng.integers(0, 3, n)
    case[:2] = 0, 1
    scaled = X * scale
    result = separation_kind(
        sp.csr_array(scaled) if sparse else scaled, case, model="conditional", groups=groups
    )
    # Floats of the program are good for small numbers only, and the cone is the same.
    compare(result, X, case, pairs_of(case, groups), scaled)


@many
@given(seeds, st.booleans())
def test_cox_against_all_pairs(seed, late):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    X = integers(rng, n, d)
    time, event = rng.integers(1, 6, n).astype(float), rng.integers(0, 2, n)
    strata = rng.integers(0, 2, n)
    entry = time - rng.integers(1, 4, n) if late else None
    result = separation_kind(
        X, time, model="cox", event=event, strata=strata.astype(str), entry=entry
    )
    compare(result, X, time, at_risk(time, event, strata, entry))


def trial():
    """Nobody on drug b had an event; on drug a all cases."""
    rng = np.random.default_rng(0)
    n = 60
    drug = rng.choice(list("abc"), n)
    table = pd.DataFrame({"time": rng.exponential(size=n).round(2) + 0.1, "drug": drug})
    table["x"] = rng.normal(size=n)
    table["ill"] = ((drug != "b") & (rng.random(n) < 0.7)).astype(int)
    table["count"] = np.where(drug == "b", 0, rng.poisson(2, n))
    table["trials"] = 1 + np.arange(n) % 3
    table["group"] = np.arange(n) // 6
    return table


@pytest.mark.parametrize("model", ["logit", "probit", "cloglog", "loglog", "cauchit"])
def test_links_of_two_classes_have_one_cone(model):
    table = trial()
    result = separation_kind(table[["x", "drug"]], table.ill, model=model)
    assert (result.model, result.kind) == (model, Kind.QUASI_COMPLETE)
    assert result.diverging == {"drug[b]": Estimate.MINUS}
    np.testing.assert_array_equal(result.separated, np.flatnonzero(table.drug == "b"))
    assert result.alike == {"drug[b]": 0}
    assert result.verify()


def test_a_log_link_has_another_cone():
    """Silvapulle 1981: separated classes whose probabilities may still have a log link."""
    x = np.array([[0.0], [1], [2], [3], [4]])
    y = [0, 0, 0, 1, 1]
    assert separation_kind(x, y).kind is Kind.COMPLETE
    result = separation_kind(x, y, model="log-binomial")
    assert result.kind is Kind.OVERLAP
    assert result.verify(x, y)


@pytest.mark.parametrize(
    ("formula", "how", "names"),
    [
        ("ill ~ x + drug", {}, ["Intercept", "x", "drug[b]", "drug[c]"]),
        ("count ~ 0 + C(drug) + x", {"model": "poisson"}, ["drug[a]", "drug[b]", "drug[c]", "x"]),
        ("Surv(time, ill) ~ drug", {"model": "cox"}, ["drug[b]", "drug[c]"]),
        ("time ~ drug", {"model": "cox", "event": "ill", "strata": "group"}, None),
        (
            "ill ~ x + drug",
            {"model": "conditional", "groups": "group"},
            ["x", "drug[b]", "drug[c]"],
        ),
        ("ill ~ drug", {"trials": "trials", "sample_weight": "trials"}, None),
    ],
)
def test_formulas(formula, how, names):
    table = trial()
    result = separation_kind(formula, table, **how)
    assert result.kind is Kind.QUASI_COMPLETE
    assert result.coefficients["drug[b]"] is Estimate.MINUS
    assert names is None or list(result.names) == names
    assert result.verify(formula, table)
    assert len(result.separated)
    assert "drug[b]" in result.to_frame().index
    assert "<table>" in result._repr_html_()


def test_frames_of_other_libraries():
    import pyarrow as pa

    table = trial()
    wanted = separation_kind(table[["x", "drug"]], table.ill).coefficients
    other = pa.Table.from_pandas(table)
    assert separation_kind(other.select(["x", "drug"]), table.ill).coefficients == wanted
    assert separation_kind("ill ~ 0 + x + drug", other).names == (
        separation_kind("ill ~ 0 + x + drug", table).names
    )
    category = table.assign(drug=pd.Categorical(table.drug, list("cab")))
    assert separation_kind(category[["x", "drug"]], table.ill).names[1:3] == ("drug[a]", "drug[b]")


def statsmodels_models():
    import statsmodels.api as sm
    import statsmodels.formula.api as smf
    from statsmodels.discrete.conditional_models import ConditionalLogit
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    table = trial()
    table["b"] = (table.drug == "b").astype(float)
    exog = table[["x", "b"]]
    table["grade"] = table.ill * (1 + (table.x > 0))
    family = sm.families
    return {
        "logit": smf.logit("ill ~ x + b", table),
        "probit": smf.probit("ill ~ x + b", table),
        "cloglog": smf.glm("ill ~ x + b", table, family=family.Binomial(family.links.CLogLog())),
        "poisson": smf.glm(
            "count ~ x + b", table, family=family.Poisson(), exposure=table.trials.to_numpy()
        ),
        "multinomial": smf.mnlogit("grade ~ x + b", table),
        "ordinal": OrderedModel(table.grade, exog, distr="logit"),
        "cox": sm.PHReg(table.time, exog, status=table.ill, strata=table.group),
        "conditional": ConditionalLogit(table.ill, exog, groups=table.group),
    }


@pytest.mark.filterwarnings("ignore")
def test_models_of_statsmodels_are_their_own_design():
    for name, model in statsmodels_models().items():
        result = separation_kind(model)
        assert result.model == name
        assert result.kind is not Kind.OVERLAP
        assert result.verify(model)
        assert any(n.endswith("b") and where.diverges for n, where in result.coefficients.items())
    with pytest.raises(InputError, match="leave y out"):
        separation_kind(model, [0, 1])
    with pytest.raises(InputError, match="leave model out"):
        separation_kind(model, model="logit")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("formula", "how"),
    [
        ("ill ~ x + drug", {}),
        ("ill ~ x + drug", {"sample_weight": "trials"}),
        ("ill ~ x + drug", {"model": "cloglog"}),
        ("count ~ x + drug", {"model": "poisson"}),
        ("time ~ x + drug", {"model": "cox", "event": "ill"}),
        ("ill ~ x + drug", {"model": "conditional", "groups": "group"}),
    ],
)
def test_the_next_step_runs_and_has_standard_errors(formula, how, capsys):
    result = separation_kind(formula, trial(), **how)
    lines = [line.strip() for line in result.next_step.splitlines()[1:]]
    scope = {"result": result}
    exec("\n".join(lines), scope)
    assert "\nx " in capsys.readouterr().out
    fitted = eval(lines[-1].removeprefix("print(").removesuffix(".summary())"), scope)
    assert (np.asarray(fitted.bse) < 10).all()


def test_a_limiting_partial_likelihood_is_approached():
    """Along the ray the partial likelihood rises to that of the limiting strata."""
    table = trial()
    X = np.column_stack([table.x, table.drug == "b", table.drug == "c"]).astype(float)
    result = separation_kind(X, table.time, model="cox", event=table.ill)

    def likelihood(z, strata):
        scores, total = X @ z, 0.0
        for i in np.flatnonzero(table.ill):
            risk = (table.time >= table.time[i]) & (strata == strata[i])
            total += scores[i] - np.log(np.exp(scores[risk]).sum())
        return total

    ray = np.array([float(v) for v in result.recession.weights[:3]])
    z = np.array([0.3, 0.0, -0.2])
    near = likelihood(z + 40 * ray / abs(ray).max(), np.zeros(len(X)))
    assert near == pytest.approx(likelihood(z, result.strata), abs=1e-9)


def test_fixed_effects_of_many_levels():
    """Levels without a count are named, and their rows are separated; others stay."""
    rng = np.random.default_rng(1)
    n, levels = 4000, 200
    one, two = rng.integers(0, levels, n), rng.integers(0, levels, n)
    y = rng.poisson(1.0, n) * (one != 7) * (two != 9)
    at = np.column_stack([one, levels + two])
    X = sp.csr_array((np.ones(2 * n), at.ravel(), np.arange(0, 2 * n + 1, 2)))
    kept = [j for j in range(2 * levels) if j not in (0, levels)]
    names = [f"{'ab'[j >= levels]}{j % levels}" for j in kept]
    result = separation_kind(X[:, kept], y, model="poisson", names=names)
    np.testing.assert_array_equal(result.strict, (one == 7) | (two == 9))
    assert result.diverging == {"a7": Estimate.MINUS, "b9": Estimate.MINUS}
    assert result.alike == {"a7": 0, "b9": 0}
    assert result.verify(X[:, kept], y)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"y": [1, -1, 0], "model": "poisson"}, r"y\[1\] is -1"),
        ({"y": [1, np.nan, 0], "model": "poisson"}, r"y\[1\] is nan"),
        ({"y": [1, 2, 0], "model": "log-binomial"}, "two classes"),
        ({"y": [1, 2, 3], "model": "cox", "event": [0, 1, 2]}, "event must be 1"),
        ({"y": [1, 2, 3], "model": "cox", "entry": [0, 2, 0]}, "row 1 enters later"),
        ({"y": [0, 1, 0], "model": "conditional"}, "needs groups"),
        ({"y": [0, 1, 0], "groups": [0, 0, 0]}, "groups is about the conditional model"),
        ({"y": [0, 3, 0], "trials": 2}, "row 1 has 3 successes and -1 failures"),
        ({"y": [1, 1, 1], "trials": 1}, "each trial ended in success"),
        ({"y": [0, 1, 0], "offset": [1.0]}, "offset must have one number"),
        ({"X": "y ~ a", "y": {"a": [1.0]}}, "cannot be read"),
        ({"X": "y", "y": {"a": [1.0]}}, "comes with its data"),
        ({"y": None}, "pass X and y"),
    ],
)
def test_bad_input(arguments, why):
    given_ = {"X": [[0.0], [1.0], [2.0]], **arguments}
    with pytest.raises(InputError, match=why):
        separation_kind(**given_)


@pytest.fixture
def asked(tmp_path, capsys):
    """Run the command on a table: exit code, what it prints, and what it says beside."""

    def run(table, *words):
        data = tmp_path / "trial.csv"
        table.to_csv(data, index=False)
        with pytest.raises(SystemExit) as ended:
            app(["separation", str(data), *words], prog_name="rosenblatt")
        return ended.value.code, *capsys.readouterr()

    return run


def test_command(asked):
    def run(*words):
        return asked(trial(), *words)[:2]

    code, said = run("--formula", "ill ~ x + drug", "--model", "probit")
    assert code == 1
    assert "drug[b]    −∞" in said
    code, said = run("--formula", "count ~ x", "--model", "poisson", "--json")
    assert (code, json.loads(said)["kind"]) == (0, "overlap")
    cox = ("--formula", "time ~ C(group) + drug", "--model", "cox", "--event", "ill", "--json")
    code, said = run(*cox)
    assert (code, json.loads(said)["coefficients"]["drug[b]"]) == (1, "−∞")
    assert run("--event", "ill")[0] == 2


def test_command_counts_the_rows_of_the_file_that_lack_values(asked):
    table = trial()
    table.loc[table.index[:3], "x"] = np.nan
    table.loc[5, "drug"] = None
    poisson = ("--model", "poisson", "--formula")
    _, said, _ = asked(table, *poisson, "count ~ C(group)", "--json")
    assert json.loads(said)["rows"] == len(table)
    code, _, said = asked(table, *poisson, "count ~ x + drug")
    assert code == 2
    assert "line 2: no value in column 'x'; --missing drop" in said
    code, said, beside = asked(table, *poisson, "count ~ x + drug", "--missing", "drop", "--json")
    answer, wanted = json.loads(said), table.index[(table.drug == "b") & table.x.notna()]
    assert (code, answer["rows"], answer["strict"]) == (1, len(table) - 4, wanted.tolist())
    assert f": {', '.join(map(str, wanted[:5]))}" in answer["explained"]
    assert "4 rows dropped" in beside


def test_levels_of_grouped_counts_end_in_success_or_failure():
    X = [[1.0, 0], [1, 1], [0, 1], [0, 0], [0, 2]]
    result = separation_kind(X, [3, 2, 1, 2, 0], trials=[3, 2, 2, 3, 2], names=["new", "dose"])
    assert result.alike == {"new": "success"}

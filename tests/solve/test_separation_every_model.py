"""What holds for every model: brute force, weights and offsets, proofs, limits, doors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.discrete.discrete_model import MNLogit
from statsmodels.miscmodels.ordinal_model import OrderedModel
from test_separation_links import estimates, integers, padded, seeds, strict_rows, trial

from certificates import Example, checked, verified
from rosenblatt.errors import InputError
from rosenblatt.proof import exact
from rosenblatt.solve.separation import Estimate, Kind, separation_kind
from rosenblatt.solve.separation.models import BINARY, MODELS

few = settings(max_examples=25, deadline=None)


@few
@given(seeds, st.sampled_from([*BINARY, "log-binomial"]), st.booleans(), st.booleans())
def test_successes_of_trials_against_the_full_program(seed, model, bias, sparse):
    """Each group of trials is a row for its successes and one for its failures."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 12)), int(rng.integers(1, 4))
    X, trials = integers(rng, n, d), rng.integers(0, 3, n)
    won = rng.binomial(trials, rng.choice([0.2, 0.5, 0.8]))
    trials[:2], won[:2] = 1, [0, 1]
    weight, lost = rng.integers(0, 3, n), trials - won
    weight[:2] = 1
    P, there = padded(X, bias), weight > 0
    up, down = np.flatnonzero((won > 0) & there), np.flatnonzero((lost > 0) & there)
    parts = [-P[down], P[up], *([-P[up]] if model == "log-binomial" else [])]
    A, owner = np.concatenate(parts), np.concatenate([down, up, up][: len(parts)])
    alone = strict_rows(A)
    strict = np.zeros(n, dtype=bool)
    strict[owner] = True
    strict[owner[~alone]] = False
    result = separation_kind(
        sp.csr_array(X) if sparse else X,
        won,
        model=model,
        trials=trials,
        fit_intercept=bias,
        sample_weight=weight,
        offset=rng.normal(size=n),
    )
    np.testing.assert_array_equal(result.strict, strict)
    whole = Kind.COMPLETE if strict[(trials > 0) & there].all() else Kind.QUASI_COMPLETE
    assert result.kind is (whole if strict.any() else Kind.OVERLAP)
    assert list(result.coefficients.values()) == estimates(A)
    outcome = result.verify()
    assert outcome, outcome.reason
    assert str(result)
    if result.kind is Kind.QUASI_COMPLETE:
        rows, _ = result.limiting()
        np.testing.assert_array_equal(rows, (trials > 0) & there & ~strict)


def asked_of(model, rng, n):
    """Outcomes of a model, and what belongs to them."""
    labels = rng.permutation(np.arange(n) % 2)
    if model == "poisson":
        return rng.poisson(0.7, n), {"model": model}
    if model in ("multinomial", "ordinal"):
        return rng.permutation(np.arange(n) % 3), {"model": model}
    if model == "cox":
        how = {"event": labels, "strata": np.arange(n) % 2, "model": model}
        return rng.integers(1, 6, n).astype(float), how
    return labels, {"model": model} | (
        {"groups": rng.integers(0, 3, n)} if model == "conditional" else {}
    )


@few
@given(seeds, st.sampled_from(MODELS))
def test_weights_of_0_are_absent_rows_and_offsets_change_nothing(seed, model):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 14))
    X = integers(rng, n, 2)
    y, how = asked_of(model, rng, n)
    kept = np.ones(n, dtype=bool)
    kept[rng.permutation(n)[:2]] = False
    if model != "poisson" and len(np.unique(y[kept])) < len(np.unique(y)):
        return  # a class would be gone, which is refused
    part = {name: v if isinstance(v, str) else v[kept] for name, v in how.items()}
    alone = separation_kind(X[kept], y[kept], **part)
    weight = kept * rng.integers(1, 4, n)
    both = separation_kind(X, y, sample_weight=weight, offset=rng.normal(size=n), **how)
    assert (both.kind, both.coefficients) == (alone.kind, alone.coefficients)
    np.testing.assert_array_equal(both.strict[kept], alone.strict)
    assert not both.strict[~kept].any()
    assert both.verify()


@few
@given(seeds, st.sampled_from(MODELS))
def test_proofs_of_every_model_for_the_package_and_the_one_file_checker(seed, model):
    """Both accept what was found, and refuse other weights; test_tamper.py has all forgeries."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 12))
    X = integers(rng, n, 2)
    y, how = asked_of(model, rng, n)
    result = separation_kind(X, y, **how)
    table, labels = result.certified
    table = table.toarray() if hasattr(table, "toarray") else np.asarray(table, dtype=float)
    found = [p for p in (result.separation, result.inseparability, result.recession) if p]
    assert found
    for proof in found:
        example, content = Example(model, table, labels, proof), proof.to_dict()
        readers = verified, checked
        assert all(reader(example, content) for reader in readers)
        if proof is not result.inseparability and result.strict.any():
            for factor in (0, -1):
                claim = [factor * exact.as_fraction(v) for v in proof.weights.ravel()]
                forged = {**content, "weights": [f"{v.numerator:#x}/0x1" for v in claim]}
                assert not any(reader(example, forged) for reader in readers)


@few
@given(seeds, st.integers(1, 30), st.integers(2, 14))
def test_rows_that_fill_up_are_solved_together(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)) * (rng.random((n, d)) < 0.7) * rng.choice([1.0, 0.1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.proof.exact.kernels.FILL_IN", -d)  # all but the shortest
        kernel = exact.Kernel.of(exact.entries(X))
    basis = kernel.basis(d)
    assert len(basis) == len(exact.nullspace(X))
    assert not any(kernel.reduced(row) for row in exact.entries(X))
    for vector in basis:
        assert not any(sum(a * vector[j] for j, a in row.items()) for row in exact.entries(X))


def fixed_effects(n=900, levels=60):
    """Counts with three sets of levels, one of which has none."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(0, levels, (n, 3)), columns=list("abc"))
    table["x"] = rng.normal(size=n)
    table["y"] = rng.poisson(1.0, n) * (table.a != 0) * (table.b != 5)
    return table


def test_fixed_effects_after_a_bar_as_fixest_has_them():
    table = fixed_effects()
    result = separation_kind("y ~ x | a + b + c", table, model="poisson")
    np.testing.assert_array_equal(result.strict, (table.a == 0) | (table.b == 5))
    assert {"a[0]", "b[5]"} <= result.alike.keys()
    text = str(result)
    assert "Levels whose y are all 0: a[0], the level left out; b[5]" in text
    assert "data.iloc[limit.rows]" not in text  # few columns
    limit = result.limit
    np.testing.assert_array_equal(limit.rows, np.flatnonzero(~result.strict))
    left = limit.exog.drop(columns=["Intercept"], errors="ignore")
    again = separation_kind(left, limit.endog, model="poisson")
    assert again.kind is Kind.OVERLAP
    assert not again.redundant
    assert result.verify("y ~ x | a + b + c", table)
    same = separation_kind("y ~ x + C(a) + C(b) + C(c)", table, model="poisson")
    assert same.coefficients == result.coefficients


def test_all_levels_of_two_factors():
    """Nothing but the slope is identified, and the empty level is named all the same."""
    table = fixed_effects()
    whole = pd.concat([pd.get_dummies(table[f], prefix=f, dtype=float) for f in "ab"], axis=1)
    for X in (whole, sp.csr_array(whole.to_numpy())):
        result = separation_kind(
            X, table.y, model="poisson", fit_intercept=False, names=list(whole.columns)
        )
        assert not result.diverging
        assert "Levels whose y are all 0: a_0; b_5" in str(result)
        assert f"Separated rows ({len(result.separated)})" in str(result)
        rows, columns = result.limiting()
        assert len(columns) == np.linalg.matrix_rank(whole[rows]) == whole.shape[1] - 3


def test_what_r_writes_in_formulas():
    table = trial().assign(start=0.0)
    plain = {"event": "ill", "strata": "group", "model": "cox"}
    wanted = separation_kind("time ~ x + drug", table, **plain)
    for formula in (
        "Surv(time, ill) ~ x + drug + strata(group)",
        "Surv(time, ill) ~ strata(group) + x + drug",
        "Surv(start, time, ill) ~ x + drug + strata(group)",
    ):
        found = separation_kind(formula, table)
        assert (found.model, found.coefficients) == ("cox", wanted.coefficients)
    offset = separation_kind(
        "count ~ x + drug + offset(np.log(trials))", table, model="poisson"
    ).limit.offset
    np.testing.assert_allclose(offset, np.log(table.trials[table.drug != "b"]))
    with pytest.raises(InputError, match="leave strata= out"):
        separation_kind("Surv(time, ill) ~ x + strata(group)", table, strata="group")
    with pytest.raises(InputError, match="is of a Cox model, not logit"):
        separation_kind("Surv(time, ill) ~ x", table, model="logit")


def test_outcomes_are_arithmetic_as_in_r_and_two_terms_as_in_statsmodels():
    table = trial().assign(tried=lambda t: t.trials + 1, won=lambda t: t.ill * t.trials)
    wanted = separation_kind("won ~ x + drug", table, trials="tried")
    for outcome in ("cbind(won, tried - won)", "won + I(tried - won)", "cbind(won, (tried - won))"):
        found = separation_kind(f"{outcome} ~ x + drug", table)
        assert found.verify(*wanted.certified)
        np.testing.assert_array_equal(found.strict, wanted.strict)
    with pytest.raises(InputError, match="numbers with a fraction"):
        separation_kind("won / tried ~ x + drug", table)
    ill = separation_kind("ill ~ x + drug", table)
    for outcome in ("ill == 1", "(ill > 0)", "`ill`"):
        assert separation_kind(f"{outcome} ~ x + drug", table).coefficients == ill.coefficients
    event = separation_kind("Surv(time, ill) ~ x + drug", table).coefficients
    assert separation_kind("Surv(time, ill == 1) ~ x + drug", table).coefficients == event


def test_effects_of_pairs_and_bars_in_brackets():
    table = trial().assign(both=lambda t: t.drug + "^" + t.group.astype(str))
    pairs = separation_kind("count ~ x | drug^group", table, model="poisson")
    wanted = separation_kind("count ~ x | both", table, model="poisson")
    assert list(pairs.coefficients.values()) == list(wanted.coefficients.values())
    assert {f"drug^group[b^{k}]": 0 for k in set(table.group)}.items() <= pairs.alike.items()
    twice = separation_kind("count ~ x | C(drug)", table, model="poisson")
    assert twice.names == separation_kind("count ~ x | drug", table, model="poisson").names
    for formula, why in (
        ("count ~ x + (1|drug)", "cannot be read"),  # a random effect is no fixed one
        ("count ~ x | drug | group", "after one bar"),
        ("count ~ x | drug^size", "'size' is no column"),
        ("count ~ lacking", "leave such rows out first"),
    ):
        with pytest.raises(InputError, match=why):
            separation_kind(formula, table.assign(lacking=[None, *table.x[1:]]), model="poisson")


@pytest.mark.parametrize("given", ["strata", ["strata"], ["strata", "group"]])
def test_rows_of_unknown_strata_are_refused(given):
    table = trial()
    table["strata"] = table.group.where(table.index != 3)
    how = {"model": "cox", "event": "ill"}
    with pytest.raises(InputError, match="strata lacks a label in row 3"):
        separation_kind("time ~ x", table, strata=given, **how)
    columns = table[[given] if isinstance(given, str) else given]
    with pytest.raises(InputError, match="strata lacks a label in row 3"):
        separation_kind(table[["x"]], table.time, model="cox", strata=columns)


def test_who_enters_at_an_event_is_at_risk_for_statsmodels_and_not_for_r():
    """Each as its own likelihood has it: statsmodels' falls along the slope, R's rises."""
    import statsmodels.api as sm

    X, time, event = np.array([[1.0], [2], [0], [1.5]]), np.array([2.0, 3, 3, 1]), [1, 1, 0, 0]
    entry = np.array([0.0, 2, 0, 0])
    model = sm.PHReg(time, X, status=np.array(event), entry=entry)
    assert model.loglike(np.array([5.0])) < model.loglike(np.array([0.0]))
    assert separation_kind(model).kind is Kind.OVERLAP
    how = {"model": "cox", "event": event}
    assert separation_kind(X, time, entry=entry, **how).kind is Kind.COMPLETE
    table = trial()
    entry = np.floor(table.time)  # 0 for many
    X = np.column_stack([table.x, table.drug == "b"])
    limit = separation_kind(sm.PHReg(table.time, X, status=table.ill, entry=entry)).limit
    np.testing.assert_array_equal(limit.entry, entry[limit.rows])


@pytest.mark.parametrize("model", ["multinomial", "ordinal"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_limits_of_more_classes_are_what_the_likelihood_approaches(model, weighted):
    """With the slope of the empty level far out, the rest is as in the limiting model."""

    table = trial()
    rng = np.random.default_rng(1)
    grade = np.where(table.drug == "b", 0, rng.integers(0, 3, len(table)))
    X = pd.DataFrame({"x": table.x, "b": (table.drug == "b") * 1.0})
    weight = table.trials.to_numpy() if weighted else np.ones(len(X), dtype=int)
    how = {"sample_weight": weight} if weighted else {}
    result = separation_kind(X, grade, model=model, **how)
    scope = {"result": result}
    exec("\n".join(line.strip() for line in result.next_step.splitlines()[1:-1]), scope)
    last = result.next_step.splitlines()[-1].strip()
    fitted = eval(last.removeprefix("print(").removesuffix(".summary())"), scope)
    assert (np.asarray(fitted.bse) < 10).all()
    every = np.repeat(np.arange(len(X)), weight)
    if model == "multinomial":
        whole = MNLogit(grade[every], X.iloc[every].assign(one=1.0)).fit(disp=0, maxiter=200)
        found = dict(zip(result.limit.exog, fitted.params, strict=True))
        for k in (1, 2):
            assert found[f"{k}:x"] == pytest.approx(whole.params.loc["x", k - 1], abs=1e-3)
    else:
        whole = OrderedModel(grade[every], X.iloc[every], distr="logit")
        whole = whole.fit(method="bfgs", disp=0, maxiter=2000)
        assert fitted.params["x"] == pytest.approx(whole.params["x"], abs=1e-3)


def test_an_ordinal_row_that_is_separated_on_one_side_has_no_regression():
    X, y = [[0.0], [0], [1], [1], [2], [2]], [0, 1, 1, 2, 2, 2]
    result = separation_kind(X, y, model="ordinal")
    assert result.kind is Kind.QUASI_COMPLETE
    assert not result.next_step
    assert "No code for the limiting model: the limiting ordinal model keeps" in str(result)
    with pytest.raises(InputError, match="on one side only"):
        _ = result.limit


@pytest.mark.filterwarnings("ignore")
def test_offsets_reach_the_limiting_model():
    table = trial()
    how = {"event": table.ill, "model": "cox"}
    off = np.linspace(0, 1, len(table))
    result = separation_kind(table[["x", "drug"]], table.time, offset=off, **how)
    assert "offset=limit.offset" in result.next_step
    np.testing.assert_array_equal(result.limit.offset, off[result.limit.rows])


@pytest.mark.filterwarnings("ignore")
def test_results_that_say_too_little_or_too_much():
    import statsmodels.formula.api as smf

    model = smf.logit("ill ~ x", trial())
    with pytest.raises(InputError, match="pass the model"):
        separation_kind(model.fit_constrained("x = 0"))
    bare = model.fit(disp=0)
    bare.remove_data()
    with pytest.raises(InputError, match="data of this model were removed"):
        separation_kind(bare)


@pytest.mark.parametrize("how", [{"model": "cox", "event": [0, 0, 0]}, {"model": "conditional"}])
def test_where_nothing_is_compared_the_answer_says_so(how):
    how = {"groups": [1, 2, 3]} | how if how["model"] == "conditional" else how
    result = separation_kind([[0.0], [1.0], [2.0]], [1, 0, 0], **how)
    assert result.kind is Kind.OVERLAP
    assert "is the same for all coefficients" in str(result)
    assert result.coefficients == {"x0": Estimate.UNIDENTIFIED}


def test_frames_with_numbers_for_names_and_names_that_repeat():
    table = pd.DataFrame(np.arange(8.0).reshape(4, 2)).assign(site=list("aabb"))
    assert separation_kind(table, [0, 1, 0, 1]).names[:3] == ("0", "1", "site[b]")
    twice = pd.DataFrame([[0.0, 1], [1, 0], [2, 2]], columns=["a", "a"])
    with pytest.raises(InputError, match="Column 0 is called 'a'"):
        separation_kind(twice, [0, 1, 0])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"y": [1, 2, 3], "model": "cox", "strata": [None, "a", "a"]}, "strata lacks a label"),
        ({"model": "conditional", "groups": [1.0, np.nan, 1.0]}, "groups lacks a label in row 1"),
        ({"y": [1, 2, 3], "model": "cox", "event": [1, 2, 1]}, r"event\[1\] is 2. Pass a comp"),
        ({"sample_weight": [0, 0, 0]}, "no row counts"),
    ],
)
def test_bad_input(arguments, why):
    given_ = {"X": [[0.0], [1.0], [2.0]], "y": [0, 1, 0], **arguments}
    with pytest.raises(InputError, match=why):
        separation_kind(**given_)


def test_a_weak_separation_is_drawn_as_a_line():
    from rosenblatt import figures

    X, y = [[0.0, 1], [1, 1], [1, 1], [2, 1]], [0, 0, 1, 1]
    result = separation_kind(X, y)
    ax = figures.certificate(result.separation, X, y)
    assert ax.get_title(loc="left") == "Separable but for rows on the line"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert not any("mistakes" in label for label in labels)


@pytest.mark.parametrize("groups", [[1, 1, "1", "1"], ["a", "a", "a\0", "a\0"], [True, True, 2, 2]])
def test_groups_that_differ_are_not_merged(groups):
    """In one group, the case of the first pair would lie between the controls of both."""
    X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 1, 0, 1]

    def kind(groups):
        return separation_kind(X, y, model="conditional", groups=groups).kind

    assert kind(groups) is kind([1, 1, 2, 2]) is Kind.COMPLETE
    assert kind([1, 1, 1, 1]) is not Kind.COMPLETE

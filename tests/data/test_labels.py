"""Which of two classes is positive, what may be a label, what is said of one that is missing."""

from __future__ import annotations

import datetime
import json
import pickle
import re
import warnings
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt as rb
from certificates import tool
from commands import as_json, run
from expected import LABELS_ALIKE
from rosenblatt.certificate import Certificate, Separation, fingerprint
from rosenblatt.data.labels import distinct, read_labels
from rosenblatt.data.positive import MEANT, _is_meant, _word, positive_code
from rosenblatt.errors import InputError
from rosenblatt.figures.drawing.sources import data_of
from rosenblatt.solve.max_margin import max_margin

# The first lecture's five points; [-1, 1, -1] after one pass from [-1, 0, 0].
X = np.array([[1.0, 1.0], [3.0, 2.0], [2.0, 4.0], [3.0, 4.0], [2.0, 3.0]])
SIDES = np.array([0, 1, 1, 1, 0])
XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [5.0, 9.0]])


class Sign(Enum):
    PLUS = 1
    MINUS = -1


class Colour(Enum):
    RED = "r"
    BLUE = "b"


class Word(str, Enum):  # noqa: UP042 - whose str() is not its value
    RED = "r"
    BLUE = "b"


class Part(Flag):
    LEFT = 1
    RIGHT = 2


def two(negative, positive):
    """The lecture's labels by other names."""
    return [positive if side else negative for side in SIDES]


PAIRS = [
    *(("-", "+"), ("−", "+"), ("–", "+"), ("-1", "+1"), ("−1", "1"), ("no", "yes"), ("no", "Yes")),
    *(("NO", "yes"), (False, True), ("neg", "pos"), ("negative", "Positive"), ("n", "Y")),
    *(("false", "True"), ("absent", "Present"), ("control", "case"), (" - ", " + ")),
    *((-1, 1), (0, 1), (1, 2), ("ham", "spam"), (Sign.MINUS, Sign.PLUS), (Colour.RED, Colour.BLUE)),
]


@pytest.mark.parametrize(("negative", "positive"), PAIRS)
def test_the_lecture_s_trace_by_any_names(negative, positive):
    y = two(negative, positive)
    run = rb.trace(X, y, init=[-1, 0, 0], max_passes=1)
    assert run.classes == [negative, positive]
    assert run.weights[-1].tolist() == [-1, 1, -1]
    assert str(run).endswith(f"\npositive class: {positive}")
    assert f"positive class: {positive}" in run._repr_html_()
    turned = rb.trace(X, y, init=[-1, 0, 0], max_passes=1, positive=negative)
    assert turned.classes == [positive, negative]
    assert turned.weights[-1].tolist() == [0, 0, 2]


@pytest.mark.parametrize("pair", sorted(MEANT))
@pytest.mark.parametrize("capitals", [str.lower, str.upper, str.title])
def test_of_a_pair_that_is_known_the_one_that_means_yes_is_positive(pair, capitals):
    classes = sorted([pair[0], capitals(pair[1])])
    assert classes[positive_code(classes)] == capitals(pair[1])


NEGATED = [
    *(("no disease", "disease"), ("NoDisease", "Disease"), ("no_event", "event")),
    *(("non-event", "event"), ("Non–event", "event"), ("nonsmoker", "smoker")),
    *(("not detected", "detected"), ("Not approved", "approved"), ("not-sick", "sick")),
    *(("uninfected", "infected"), ("untreated", "treated"), ("unhealthy", "healthy")),
    *(("without fever", "fever"), ("no", "Y"), ("n", "YES"), ("❌", "✅"), ("✘", "✔\ufe0f")),
]


@pytest.mark.parametrize(("negative", "positive"), NEGATED)
def test_a_word_is_positive_against_its_negation(negative, positive):
    classes = sorted([negative, positive])
    assert classes[positive_code(classes)] == positive


SORTED = [
    ("inpatient", "patient"),
    ("event", "no fever"),
    ("", "no"),
    ("it", "unit"),
    ("ion", "union"),
]


@pytest.mark.parametrize("classes", SORTED)
def test_what_negates_nothing_is_sorted(classes):
    assert positive_code(classes) == 1


@pytest.mark.parametrize("dash", "-‐‑‒–—−﹣－⁻⊖")
@pytest.mark.parametrize("words", [("{}", "+"), ("{}1", "+1"), ("HER2{}", "HER2+")])
def test_of_words_that_differ_by_a_sign_plus_is_positive(words, dash):
    classes = sorted([words[0].format(dash), words[1]])
    assert classes[positive_code(classes)] == words[1]


def test_a_study_names_the_positive_class():
    run = rb.risk.study(X, two("-", "+"), [0.1], max_iter=3)
    assert str(run).endswith("\npositive class: +")
    assert "positive class" not in str(rb.risk.study(X, two(-1, 1), [0.1], max_iter=3))


@given(st.lists(st.text(max_size=3), min_size=2, max_size=4, unique=True))
def test_all_else_is_sorted(words):
    classes = sorted(words)
    pair = [_word(word) for word in words]
    if len(words) > 2 or not (_is_meant(*pair) or _is_meant(*pair[::-1])):
        assert positive_code(classes) == len(classes) - 1


def scores_of(weights):
    return X @ np.asarray(weights, float)[:-1] + float(weights[-1])


def assert_sides(weights, positive):
    margins = np.where(positive, 1, -1) * scores_of(weights)
    assert margins.min() >= 0 < margins.max()  # a descent may end with a row on the boundary


ANSWERS = {
    "decide": lambda y, **how: rb.decide(X, y, **how).weights,
    "certificate": lambda y, **how: rb.decide(X, y, **how).certificate.weights,
    "fewest": lambda y, **how: rb.fewest_errors(X, y, **how).weights,
    "fewest's certificate": lambda y, **how: rb.fewest_errors(X, y, **how).certificate.weights,
    "kind": lambda y, **how: rb.separation_kind(X, y, **how).separation.weights,
    "margin": lambda y, **how: max_margin(X, y, **how).weights,
    "trace": lambda y, **how: rb.trace(X, y, bias="last", **how).weights[-1],
    "descent": lambda y, **how: rb.risk.descend(X, y, **how).weights[-1],
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize(("negative", "positive"), [("-", "+"), ("no", "Yes"), (0, 1), ("a", "b")])
def test_scores_are_positive_on_the_positive_class(answer, negative, positive):
    y = two(negative, positive)
    assert_sides(answer(y), SIDES == 1)
    assert_sides(answer(y, positive=positive), SIDES == 1)
    assert_sides(answer(y, positive=negative), SIDES == 0)


def test_streams_and_files_agree_with_memory(tmp_path):
    path = tmp_path / "five.csv"
    lines = [f"{a},{b},{y}" for (a, b), y in zip(X.tolist(), two("-", "+"), strict=True)]
    path.write_text("\n".join(["a,b,sign", *lines, ""]))
    for how in ({}, {"positive": "-"}):
        here, there = rb.decide(X, two("-", "+"), **how), rb.decide_stream(path, **how)
        assert here.classes == there.classes == (("+", "-") if how else ("-", "+"))
        np.testing.assert_array_equal(scores_of(here.weights) > 0, scores_of(there.weights) > 0)
        assert here.certificate.fingerprint == there.certificate.fingerprint
        assert rb.verify_stream(there.certificate, path)
    with pytest.raises(rb.InputError, match="positive='plus' is not among the classes"):
        rb.decide_stream(path, positive="plus")


@pytest.mark.parametrize("ask", [rb.decide, rb.fewest_errors, rb.separation_kind])
@pytest.mark.parametrize("rows", [X, XOR], ids=["separable", "not"])
@pytest.mark.parametrize("how", [{}, {"positive": "-"}])
def test_certificates_face_either_way_and_prove_the_same(ask, rows, how, tmp_path):
    y = two("-", "+")
    result = ask(rows, y, **how)
    proofs = [getattr(result, name, None) for name in ("certificate", "separation")]
    for proof in filter(None, [*proofs, getattr(result, "inseparability", None)]):
        assert proof.classes == (("+", "-") if how else ("-", "+"))
        assert proof.fingerprint == fingerprint(rows, y)
        again = Certificate.from_json(proof.to_json())
        turned = proof.facing(proof.classes[0])
        for one in (proof, again, turned, turned.facing(proof.classes[1])):
            assert one.verify(rows, y), one.verify(rows, y).reason
            table = [{j: v for j, v in enumerate(row) if v} for row in rows.tolist()]
            checker = tool.Checker(json.loads(one.to_json()), table, y, rows.shape[1])
            getattr(checker, "check_" + one.kind.replace("-", "_"))()
        assert turned.facing(proof.classes[1]) == proof == again
        assert not proof.verify(rows, two("+", "-"))


def test_a_sorted_certificate_of_signs_written_before_is_read_as_it_was():
    weights, y = [-0.5, -0.25, 1.875], two("-", "+")
    old = {
        **{"format": "rosenblatt-certificate", "version": 1, "kind": "separation"},
        **{"classes": ["+", "-"], "fit_intercept": True, "fingerprint": fingerprint(X, y)},
        **{"weights": weights, "margin": [0.0625, None]},
    }
    proof = Separation.from_dict(old)
    assert proof.verify(X, y)
    assert proof.to_dict() == old
    table = [dict(enumerate(row)) for row in X.tolist()]
    tool.Checker(old, table, y, 2).check_separation()  # fingerprints the data by itself


ESTIMATORS = (
    *(rb.Perceptron, rb.PassiveAggressive, rb.MaxMargin, rb.KernelPerceptron),
    rb.BatchPerceptron,
)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_keep_the_contract_of_scikit_learn(kind):
    with warnings.catch_warnings(action="ignore"):
        model = kind().fit(X, two("-", "+"))
    assert model.classes_.tolist() == ["+", "-"]
    np.testing.assert_array_equal(model.predict(X) == "-", model.decision_function(X) >= 0)
    assert "<td>positive class</td><td>-</td>" in _plain(model._html_repr())


def _plain(html):
    import re

    return re.sub(r"<(/?t[dh])[^>]*>", lambda m: f"<{m[1].replace('th', 'td')}>", html).replace(
        "\n", ""
    )


SAID = {
    "decide": rb.decide,
    "fewest": rb.fewest_errors,
    "kind": rb.separation_kind,
    "descent": rb.risk.descend,
    "study": rb.risk.study,
    "margin": max_margin,
    "trace": rb.trace,
    "criterion": lambda X, y, **how: rb.risk.criterion(X, y, [1.0, 0.0], **how),
}


@pytest.mark.parametrize("ask", SAID.values(), ids=SAID)
@pytest.mark.parametrize("wrong", ["c", 1, True, ["-", "+"], b"+", np.array(["+"]), {"+"}])
def test_a_positive_class_that_is_none_is_refused(ask, wrong):
    with pytest.raises(rb.InputError, match="is not among the classes of y, \\['\\+', '-'\\]"):
        ask(X, two("-", "+"), positive=wrong)


def test_a_positive_class_is_about_two():
    for ask in (rb.decide, rb.fewest_errors, rb.separation_kind, rb.trace):
        with pytest.raises(rb.InputError, match=r"positive='a' is about two classes, and y has 3"):
            ask(X, list("abcab"), positive="a")
    with pytest.raises(rb.InputError, match=r"a risk is of two classes.* but y has 3"):
        rb.risk.descend(X, list("abcab"), positive="a")
    with pytest.raises(rb.InputError, match="positive is about models logit"):
        rb.separation_kind(X, two("-", "+"), model="ordinal", positive="+")


def test_classes_and_positive_may_not_contradict_each_other():
    y = two("-", "+")
    assert rb.trace(X, y, classes=["+", "-"]).classes == ["+", "-"]
    assert rb.trace(X, y, classes=["-", "+"], positive="+").classes == ["-", "+"]
    with pytest.raises(rb.InputError, match="contradicts classes"):
        rb.trace(X, y, classes=["+", "-"], positive="+")
    with pytest.raises(rb.InputError, match="not among the classes"):
        rb.trace(X, y, classes=["-", "+"], positive="yes")
    for bad in (["-"], ["-", "-"], [], ["-", "+", "+"]):
        with pytest.raises(rb.InputError, match="two or more different labels"):
            rb.trace(X, y, classes=bad)
    with pytest.raises(rb.InputError, match="which is not among classes"):
        rb.trace(X, y, classes=["-", "plus"])


def test_reports_name_the_positive_class():
    y = two("-", "+")
    assert "is positive on every row of class '+'" in str(rb.decide(X, y))
    assert "Positive class: '+'." in str(rb.decide(XOR, y))
    assert "Positive class: '-'." in str(rb.decide(XOR, y, positive="-"))
    assert "Positive class: '+'." in str(rb.fewest_errors(XOR, y))
    assert rb.separation_kind(X, y).about == "class '+' against '-'"
    assert rb.separation_kind(X, y, positive="-").about == "class '-' against '+'"
    assert rb.risk.descend(X, y).table().endswith("\npositive class: +")


def test_coefficients_go_the_way_of_the_class_they_are_of():
    ways = {"x0": "+∞", "x1": "+∞", "intercept": "−∞"}
    other = {"x0": "−∞", "x1": "−∞", "intercept": "+∞"}
    for how, expected in (({}, ways), ({"positive": "-"}, other)):
        result = rb.separation_kind(X, two("-", "+"), **how)
        assert {name: str(where) for name, where in result.coefficients.items()} == expected
        assert result.verify(X, two("-", "+"))


def test_figures_have_the_classes_of_their_source_or_as_they_are_meant():
    y = two("-", "+")
    for source in (None, [1.0, 1.0, -5.0], rb.trace(X, y), rb.decide(X, y), max_margin(X, y)):
        data = data_of(source, X, y)
        assert data.classes == ("-", "+")
        np.testing.assert_array_equal(data.signs, 2 * SIDES - 1)
    assert data_of(rb.Perceptron().fit(X, y), X, y).classes == ("+", "-")
    assert data_of(rb.decide(X, y, positive="-"), X, y).classes == ("+", "-")
    assert data_of(rb.risk.descend(X, 2 * SIDES - 1), X, y).classes == ("-", "+")


def test_the_fewest_errors_are_drawn_alike_whichever_way_they_face():
    import matplotlib.pyplot as plt

    y, pixels = two("-", "+"), []
    for how in ({}, {"positive": "-"}):
        ax = rb.figures.fewest_errors(rb.fewest_errors(XOR, y, **how), XOR, y)
        ax.figure.canvas.draw()
        pixels.append(np.asarray(ax.figure.canvas.buffer_rgba()).copy())
        plt.close(ax.figure)
    np.testing.assert_array_equal(*pixels)


def test_the_lab_s_points_have_the_positive_class_last():
    from rosenblatt.lab.widget import _points

    found = _points(X, two("-", "+"))
    assert found["classes"] == ["-", "+"]
    assert [point[2] for point in found["points"]] == SIDES.tolist()


# --- What may be a label --------------------------------------------------------------------------


OBJECTS = {
    "enum": (Colour.RED, Colour.BLUE),
    "enum of text": (Word.BLUE, Word.RED),
    "flags": (Part.LEFT, Part.LEFT | Part.RIGHT),
    "date": (datetime.date(2025, 9, 1), datetime.date(2026, 9, 1)),
    "datetime": (datetime.datetime(2025, 9, 1, 8), datetime.datetime(2025, 9, 1, 10)),
    "time": (datetime.time(9), datetime.time(10)),
    "timedelta": (datetime.timedelta(9), datetime.timedelta(10)),
    "Decimal": (Decimal("9.5"), Decimal(10)),
    "Fraction": (Fraction(1, 3), Fraction(1, 2)),
    "numpy's dates": tuple(np.array(["2025-09", "2026-09"], dtype="datetime64[ns]")),
    "time zones": (pd.Timestamp("2025", tz="UTC"), pd.Timestamp("2026", tz="UTC")),
    "numbers as objects": (np.int64(3), 4),
}
FITS = {kind.__name__: lambda kind=kind: kind() for kind in ESTIMATORS}


@pytest.mark.parametrize(("low", "high"), OBJECTS.values(), ids=OBJECTS)
@pytest.mark.parametrize("make", FITS.values(), ids=FITS)
def test_labels_of_other_kinds_are_learned_and_predicted(make, low, high):
    y = two(low, high)
    column = np.empty(len(y), dtype=object)
    column[:] = y
    for given_as in (y, column, pd.Series(y, dtype=object)):
        with warnings.catch_warnings(action="ignore"):
            model = make().fit(X, given_as)
        assert [*model.classes_] == [low, high]
        predicted = model.predict(X)
        assert {*predicted} <= {low, high}
        right = np.mean([a == b for a, b in zip(predicted, y, strict=True)])
        assert model.score(X, given_as) == right >= 0.8
    if hasattr(model, "partial_fit"):
        again = make().partial_fit(X, y, classes=[high, low]).partial_fit(X[:1], y[:1])
        assert [*again.classes_] == [low, high]


@pytest.mark.parametrize(("low", "high"), OBJECTS.values(), ids=OBJECTS)
def test_labels_of_other_kinds_are_decided_about(low, high):
    y = two(low, high)
    decision = rb.decide(X, y)
    assert decision.classes == (low, high)
    assert rb.decide(X, y, positive=low).classes == (high, low)
    assert Certificate.from_json(decision.certificate.to_json()).verify(X, y)
    assert not decision.certificate.verify(X, two(high, low))
    assert rb.fewest_errors(XOR, y).verify(XOR, y)
    assert rb.separation_kind(X, y).verify(X, y)
    assert rb.trace(X, y).classes == [low, high]
    assert rb.margin(X, y).lower > 0
    assert [*rb.pairs(X, y).decisions] == [(low, high)]
    assert data_of(rb.Perceptron().fit(X, y), X, y).signs.tolist() == (2 * SIDES - 1).tolist()
    proof = rb.MaxMargin().fit(X, y).certify(X, y)
    assert proof.verify(X, y)


@pytest.mark.parametrize(("low", "high"), OBJECTS.values(), ids=OBJECTS)
def test_labels_of_other_kinds_are_validated_measured_drawn_and_exported(low, high, tmp_path):
    y = two(low, high)
    model = rb.Perceptron().fit(X, y, eval_set=(X, y))
    assert [*model.classes_] == [low, high]
    assert rb.Perceptron(class_weight={low: 2.0}).fit(X, y).score(X, y) == 1
    assert rb.Perceptron().fit(X, y).error_bound(X=X, y=y).bound < 1
    ax = rb.figures.confusion(rb.Perceptron().fit(X, y), X, y)
    assert ax.get_title(loc="left") == "100% right"
    rb.export.to_json(model, tmp_path / "model.json")
    written = json.loads((tmp_path / "model.json").read_text())
    assert written["classes"] == [*rb.decide(X, y, positive=high).certificate.classes]
    with pytest.raises(rb.InputError, match="which is not among the classes of y"):
        rb.Perceptron().fit(X, y, eval_set=(X, ["neither"] * 5))


def test_three_decimals_are_sorted_by_size_and_fingerprinted_as_text():
    y = [Decimal(9), Decimal("10.0"), Decimal("9.50"), Decimal(10), Decimal(9)]
    decision = rb.decide(X, y)
    assert decision.certificate.classes == ("9", "9.5", "10")
    assert decision.certificate.verify(X, y)
    assert decision.certificate.verify(X, ["9", "10", "9.5", "10", "9"])
    assert [*rb.pairs(X, y).decisions] == [(9, Decimal("9.5")), (9, 10), (Decimal("9.5"), 10)]


@pytest.mark.parametrize("name", sorted(OBJECTS.keys() - {"enum of text", "numbers as objects"}))
def test_a_model_file_says_which_labels_it_cannot_hold(name, tmp_path):
    model = rb.Perceptron().fit(X, two(*OBJECTS[name]))
    with pytest.raises(rb.InputError, match=r"only text and numbers. Fit with labels of text"):
        rb.save(model, tmp_path / "model.safetensors")
    assert not [*tmp_path.iterdir()]
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()


def test_a_model_of_an_enum_of_text_is_kept_as_its_text(tmp_path):
    model = rb.Perceptron().fit(X, two(Word.BLUE, Word.RED))
    rb.save(model, tmp_path / "model.safetensors")
    again = rb.load(tmp_path / "model.safetensors")
    assert again.predict(X).tolist() == model.predict(X).tolist() == two("b", "r")


# --- What is missing, and what is none -----------------------------------------------------------


DOORS = {
    **{kind.__name__: lambda X, y, kind=kind: kind().fit(X, y) for kind in ESTIMATORS},
    "partial_fit": lambda X, y: rb.Perceptron().partial_fit(X, y, classes=["a", "b"]),
    "decide": rb.decide,
    "margin": rb.margin,
    "pairs": rb.pairs,
    "fewest": rb.fewest_errors,
    "kind": rb.separation_kind,
    "trace": rb.trace,
    "descent": rb.risk.descend,
    "figure": lambda X, y: data_of(None, X, y),
}
NAN, TODAY = float("nan"), datetime.date(2026, 11, 16)
MISSING = {
    "None": ["a", None, "b", None, "b"],
    "NaN": ["a", NAN, "b", NAN, "b"],
    "both": ("a", None, "b", NAN, "b"),
    "object": np.array(["a", NAN, "b", None, "b"], dtype=object),
    "pandas' text": pd.Series(["a", None, "b", pd.NA, "b"], dtype="string"),
    "category": pd.Series(["a", None, "b", None, "b"], dtype="category"),
    "objects of pandas": pd.Series(["a", pd.NA, "b", pd.NaT, "b"], dtype=object),
    "truth values": [True, None, False, None, True],
    "dates": [datetime.date(2026, 1, 1), None, datetime.date(2027, 1, 1), pd.NaT, TODAY],
    "Decimal": [Decimal(1), Decimal("NaN"), Decimal(2), Decimal("sNaN"), Decimal(1)],
    "datetime64": np.array(["2026", "NaT", "2027", "NaT", "2026"], dtype="datetime64[D]"),
}


@pytest.mark.parametrize("y", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_missing_labels_are_named_by_their_rows(door, y):
    with pytest.raises(rb.InputError, match=r"lacks a label in 2 rows \(1, 3\). Leave these rows"):
        door(X, y)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_missing_numbers_are_named_too(door):
    for y in ([0, NAN, 1, 1, 0], pd.Series([0, None, 1, 1, 0], dtype="Int64")):
        with pytest.raises(rb.InputError, match=r"NaN or infinity: label nan at row 1. Leave such"):
            door(X, y)


ADVISED = {
    **MISSING,
    "Decimal": [Decimal(1), Decimal("NaN"), Decimal(2), None, Decimal(1)],
    "moved index": pd.Series(["a", None, "b", None, "b"], index=[4, 3, 2, 1, 0]),
    "numbers": [0, NAN, 1, NAN, 0],
    "pandas' numbers": pd.Series([0, None, 1, None, 0], dtype="Int64"),
    "frame of text": pd.DataFrame({"l": ["a", None, "b", None, "b"]}),
    "frame of numbers": pd.DataFrame({"l": [0, NAN, 1, NAN, 0]}),
    "frame of pandas' numbers": pd.DataFrame({"l": [0, None, 1, None, 0]}, dtype="Int64"),
}


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("y", ADVISED.values(), ids=ADVISED)
@pytest.mark.parametrize(
    "rows",
    [X, X.tolist(), pd.DataFrame(X), sparse.csr_array(X)],
    ids=["array", "list", "frame", "csr"],
)
def test_the_advice_works_for_what_was_passed(rows, y):
    with pytest.raises(rb.InputError) as refused:
        rb.Perceptron().fit(rows, y)
    advice = re.search(
        r"for example: (keep = .*; y = .*; X = .*), or (.*) of a list\.", str(refused.value)
    )
    assert advice is not None
    first, of_list = advice.groups()
    if isinstance(rows, list):
        first = f"{first.rpartition('X = ')[0]}X = {of_list}"
    names = {"X": rows, "y": y, "numpy": np, "pandas": pd}
    exec(first, names)
    assert len(names["y"]) == 3
    assert rb.Perceptron().fit(names["X"], names["y"]).predict(names["X"]).shape == (3,)


def test_one_row_is_not_called_rows():
    with pytest.raises(rb.InputError, match="one class only, 1, in 1 row: a classifier"):
        rb.Perceptron().fit([[0.0]], [1])


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (two("a", 1), "got a mix of int, str"),
        (two(b"a", b"b"), "y holds bytes"),
        (np.array(two(b"a", b"b"), dtype=object), "y holds bytes"),
        (two(Colour.RED, Sign.PLUS), "got a mix of Colour, Sign"),
        (two(datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1)), "a mix of date, datetime"),
        (two(Decimal(1), Fraction(1, 2)), "a mix of Decimal, Fraction"),
        (two({1}, {2}), r"Unknown label type: set.*\[str\(label\) for label in y\]"),
        (two(1j, 2j), "y holds complex128"),
        ("abcab", "should be a 1d array"),
        (None, "the target y is None|pass X and y"),
    ],
)
def test_what_is_no_label_is_refused(door, y, message):
    with pytest.raises(rb.InputError, match=message):
        door(X, y)


def test_text_of_any_length_is_text():
    y = np.array(two("a", "b"), dtype=np.dtypes.StringDType(na_object=None))
    assert rb.Perceptron().fit(X, y).score(X, y) == 1
    y[1] = None
    with pytest.raises(rb.InputError, match=r"lacks a label in 1 row \(1\)"):
        read_labels(y)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_numbers_that_are_not_finite_are_refused_without_a_warning(bad):
    rows = X.copy()
    rows[2, 1] = bad
    table = pd.DataFrame(rows, columns=["a", "b"])
    with warnings.catch_warnings(action="error"):
        for given_as in (rows, table, table.assign(const=1.0)):
            with pytest.raises(rb.InputError, match=r"(NaN|infinity) at row 2, column 1"):
                rb.separation_kind(given_as, two("-", "+"))


# --- The command line ----------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in (("five.csv", X), ("xor.csv", XOR)):
        lines = [f"{a:g},{b:g},{y}" for (a, b), y in zip(rows, two("-", "+"), strict=True)]
        (tmp_path / name).write_text("\n".join(["a,b,sign", *lines, ""]))
    return tmp_path


def test_the_command_line_names_the_positive_class(files):
    assert "positive class: +" in run("trace", "five.csv").stdout
    assert "of class '+' against '-'" in run("separation", "five.csv", code=1).stdout
    text = run("separation", "five.csv", "--positive", "-", code=1).stdout
    assert "of class '-' against '+'" in text
    assert "Positive class: '+'." in run("decide", "xor.csv", code=1).stdout
    assert "Positive class: '+'." in run("errors", "xor.csv").stdout
    assert "Positive class: '+'." in run("errors", "five.csv").stdout  # separable
    assert "Positive class: '-'." in run("decide", "xor.csv", "--positive", "-", code=1).stdout
    assert "every row of class '+'" in " ".join(run("decide", "five.csv").stdout.split())
    for verb, code in (("decide", 1), ("errors", 0), ("trace", 0)):
        assert as_json(verb, "xor.csv", code=code)["positive"] == "+"
        assert as_json(verb, "xor.csv", "--positive", "-", code=code)["positive"] == "-"
    assert as_json("decide", "five.csv", "--stream")["classes"] == ["-", "+"]


@pytest.mark.parametrize("how", [(), ("--stream",)])
@pytest.mark.parametrize(
    ("asked", "classes"), [((), ["-", "+"]), (("--positive", "-"), ["+", "-"])]
)
def test_what_the_command_line_says_of_a_fit_speaks_for_the_positive_class(
    files, how, asked, classes
):
    found, positive = as_json("fit", "five.csv", *how, *asked, "-o", "model"), classes[1]
    assert found["classes"] == found["training"]["classes"] == classes
    assert found["positive"] == positive
    proof = found["certificate"]
    assert f"positive on every row of class '{positive}'" in proof["explained"]
    weights = {one["feature"]: one for one in found["weights"]}
    assert all(one["towards"] == classes[one["weight"] > 0] for one in weights.values())
    w = [weights["a"]["weight"], weights["b"]["weight"]]
    np.testing.assert_allclose([*w, *found["intercept"]], proof["content"]["weights"])
    scored = as_json("predict", "model", "five.csv", "--scores")
    assert (scored["classes"], scored["positive"]) == (classes, positive)
    np.testing.assert_allclose(scored["scores"], X @ w + found["intercept"][0])
    assert scored["predictions"] == [classes[score > 0] for score in scored["scores"]]
    told = run("predict", "model", "five.csv", "--scores")
    assert f"scores are positive for class '{positive}'" in told.stderr
    measured = as_json("score", "model", "five.csv")
    counts = [two("-", "+").count(name) for name in classes]
    assert (measured["classes"], measured["positive"]) == (classes, positive)
    assert measured["confusion"] == [[counts[0], 0], [0, counts[1]]]
    assert f"Positive class: '{positive}'." in run("score", "model", "five.csv").stdout
    text = " ".join(run("fit", "five.csv", *how, *asked).stdout.split())
    assert f"positive class {positive} Confusion" in text
    assert f"positive on every row of class '{positive}'" in text
    proved = " ".join(run("verify", "model", "five.csv").stdout.split())
    assert f"positive on every row of class '{positive}'" in proved


def test_a_model_of_the_command_line_keeps_scikit_learns_order_in_python(files):
    run("fit", "five.csv", "-o", "model")
    scored = as_json("predict", "model", "five.csv", "--scores")
    model, table = rb.load("model"), pd.DataFrame(X, columns=["a", "b"])
    assert model.classes_.tolist() == ["+", "-"]
    assert model.predict(table).tolist() == scored["predictions"]
    np.testing.assert_allclose(-model.decision_function(table), scored["scores"])


def test_a_certificate_of_signs_goes_through_files(files):
    for how in ([], ["--positive", "-"]):
        run("decide", "five.csv", *how, "--certificate", "proof.json")
        assert "The certificate holds" in run("verify", "proof.json", "five.csv", *how).stdout
    run("decide", "five.csv", "--certificate", "proof.json")
    assert json.loads((files / "proof.json").read_text())["classes"] == ["-", "+"]
    assert "The certificate holds" in run("verify", "proof.json", "five.csv", "--stream").stdout


@pytest.mark.parametrize(
    "labels", [[2**64, 0, 0, 2**64], [2**70, 0, 0, 1], [2**63, -1, 2**63 + 1, -1]]
)
@pytest.mark.parametrize("ask", [lambda X, y: rb.Perceptron().fit(X, y), rb.decide, rb.trace])
def test_whole_numbers_that_arrays_do_not_tell_apart_are_refused(labels, ask):
    with pytest.raises(InputError, match="too large to be told apart"):
        ask([[0.0], [1.0], [2.0], [3.0]], labels)


def test_large_whole_numbers_that_arrays_tell_apart_are_labels():
    labels = [2**60, 2**60 + 1]
    assert rb.Perceptron().fit([[0.0], [1.0]], labels).predict([[0.0], [1.0]]).tolist() == labels


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, np.float64])
def test_two_numbers_come_in_their_order_whichever_is_met_first(kind):
    for y in ([7, 3, 3, 7], [3, 7, 7, 3]):
        classes, codes = distinct(np.array(y, dtype=kind))
        assert classes.tolist() == [3, 7]
        assert classes.dtype == kind
        assert codes.tolist() == [int(label == 7) for label in y]
        assert codes.dtype == np.intp


@pytest.mark.parametrize("y", [[5, 5, 5], [2, 1, 0, 1], [0, 0, 1, 1, 2], [True, False, True]])
def test_numbers_are_told_apart_as_numpy_does(y):
    classes, codes = distinct(np.array(y))
    expected, inverse = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, inverse)


# --- What makes two labels one -------------------------------------------------------------------


NUL = ["b", "a", "a\0"]
TEXTS = {
    "list": NUL,
    "tuple": tuple(NUL),
    "column": [[label] for label in NUL],
    "objects": np.array(NUL, dtype=object),
    "series": pd.Series(NUL),
    "categories": pd.Series(NUL, dtype="category"),
    "texts of any length": np.array(NUL, dtype=np.dtypes.StringDType()),
}


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("y", TEXTS.values(), ids=TEXTS)
def test_texts_are_one_class_only_if_every_character_is_the_same(y):
    rows = [[0.0], [1.0], [1.0]]
    decision = rb.decide(rows, y)
    assert decision.verdict is rb.Verdict.INSEPARABLE
    assert decision.certificate.classes == ("a", "a\0", "b")
    assert rb.Perceptron().fit(rows, y).classes_.tolist() == ["a", "a\0", "b"]
    two_classes = rb.decide(rows, ["b", "a", "a"]).certificate
    assert not two_classes.verify(rows, y)
    with pytest.raises(InputError, match=r"label 'a\\x00' at row 2, which is not among"):
        rb.Perceptron().partial_fit(rows, y, classes=["a", "b"])


LARGE = [2**53 + 1, 2.0**53, 0]


@pytest.mark.parametrize("y", [LARGE, np.array(LARGE, object), pd.Series(LARGE, dtype=object)])
@pytest.mark.parametrize("ask", [lambda X, y: rb.Perceptron().fit(X, y), rb.decide])
def test_integers_and_floats_are_never_rounded_to_be_one_class(ask, y):
    with pytest.raises(InputError, match="y holds 9007199254740993, which is too large"):
        ask([[0.0], [1.0], [1.0]], y)


def test_known_classes_are_met_by_equal_numbers_alone():
    model = rb.Perceptron().partial_fit([[0.0], [1.0]], [0, 2**53 + 1], classes=[0, 2**53 + 1])
    model.partial_fit([[0.0]], [0.0])
    with pytest.raises(InputError, match=r"label 9007199254740992.0 at row 0, which is not among"):
        model.partial_fit([[0.0]], [2.0**53])


def test_a_number_of_any_length_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="a number of more than 40 digits, which is too large"):
        rb.decide([[0.0], [1.0]], [10**5000, 1])


ALIKE = [
    (["NO", "no", "YES", "yes"], "'NO' and 'no'; 'YES' and 'yes'"),
    (["x", "x ", "z", "\tX"], r"'\tX' and 'x' and 'x '"),
    (["Straße", "STRASSE", "a", "b"], "'STRASSE' and 'Straße'"),
    (["e\u0301", "é", "a", "b"], "'e\u0301' and 'é'"),
]


@pytest.mark.parametrize(("labels", "named"), ALIKE)
@pytest.mark.parametrize("ask", [lambda X, y: rb.Perceptron().fit(X, y), rb.decide, rb.pairs])
def test_labels_that_differ_in_capitals_or_blanks_are_remarked_on(ask, labels, named):
    with pytest.warns(UserWarning, match="Labels that differ only in capitals") as found:
        ask([[0.0], [1.0], [2.0], [3.0]], labels)
    assert f"classes of their own: {named}. If they" in str(found[0].message)


@pytest.mark.parametrize("labels", [["no", "yes", "x", "z"], [0, 1, 2, 3], [True, False] * 2])
def test_other_labels_are_not(labels):
    with warnings.catch_warnings(action="error"):
        rb.decide([[0.0], [1.0], [2.0], [3.0]], labels)


@LABELS_ALIKE
@pytest.mark.parametrize("how", [[], ["--stream"], ["--positive", "no"]])
def test_the_command_line_remarks_on_them_once(how, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("x,y\n0,no\n1,NO \n2,yes\n3,Yes\n")
    told = " ".join(run("decide", data, *how).stderr.split())
    assert told.count("classes of their own: 'NO' and 'no'; 'Yes' and 'yes'.") == 1


@LABELS_ALIKE
@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_blanks_around_a_label_belong_to_a_text_file_and_not_to_a_parquet_file(how, tmp_path):
    rows = {"x": [0.0, 1.0, 3.0, 4.0], "y": ["a", "a ", " b", "b"]}
    text, parquet = tmp_path / "data.csv", tmp_path / "data.parquet"
    pd.DataFrame(rows).to_csv(text, index=False)
    pd.DataFrame(rows).to_parquet(parquet)
    assert as_json("decide", text, *how)["classes"] == ["a", "b"]
    assert as_json("decide", parquet, *how)["classes"] == [" b", "a", "a ", "b"]


@pytest.mark.parametrize("how", [[], ["--stream"]])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d.svm", "9007199254740992 1:1\n9007199254740993 1:2\n"),
        ("d.vw", "9007199254740992 | a\n9007199254740993 | b\n"),
    ],
)
def test_labels_that_are_read_as_doubles_are_refused_where_these_may_merge(
    how, name, text, tmp_path
):
    (tmp_path / name).write_text(text)
    told = run("decide", tmp_path / name, *how, code=2).stderr
    assert "expected labels within ±2**53, which doubles tell apart" in " ".join(told.split())


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_a_label_of_a_file_that_ends_with_a_nul_is_refused(how, tmp_path):
    data = tmp_path / "data.parquet"
    pd.DataFrame({"x": [0.0, 1.0, 1.0], "y": NUL}).to_parquet(data)
    told = run("decide", data, *how, code=2).stderr
    assert r"'a\x00', which ends with a NUL" in " ".join(told.split())

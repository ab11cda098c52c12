"""What reports say: baselines, intervals, weights, lines of a proof, labels as written."""

from __future__ import annotations

import os
import re
import subprocess

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.datasets import make_classification

import rosenblatt as rb
from commands import COMMAND, as_json, run
from rosenblatt.fit import report
from rosenblatt.readers import open_reader


def people(folder):
    rng = np.random.default_rng(0)
    age, income = rng.normal(40, 12, 600), rng.lognormal(10, 1, 600)
    rich = (age - 40) / 12 + np.log(income) - 10 > 1.9
    rows = zip(age, income, np.where(rich, "rich", "no"), strict=True)
    lines = "".join(f"{a:.1f},{i:.0f},{y}\n" for a, i, y in rows)
    (folder / "people.csv").write_text(f"age,income,kind\n{lines}")
    return float(1 - rich.mean())


def test_the_report_compares_with_the_larger_class(folder):
    share = people(folder)
    found = as_json("fit", "people.csv", "--certify", "no", "--solution", "last", "--max-iter", 3)
    training = found["training"]
    assert training["majority"] == {"class": "no", "share": pytest.approx(share)}
    (a, b), (c, d) = training["confusion"]
    assert training["recall"] == pytest.approx([a / (a + b), d / (c + d)])
    result = run("fit", "people.csv", "--certify", "no", "--solution", "last", "--max-iter", 3)
    words = " ".join(result.stdout.split())
    assert f"the answer 'no' to everything is right on {share:.4f}" in words
    assert "recall" in result.stdout
    assert training["accuracy"] <= share  # what the warning is about
    assert "warning: no better than the answer 'no' to everything" in result.stderr
    assert "income spreads by" in result.stderr
    assert "try --scale" in result.stderr
    scaled = run("fit", "people.csv", "--scale", "--certify", "no", "--max-iter", 3)
    assert "try --scale" not in scaled.stderr
    scored = as_json("fit", "people.csv", "--scale", "--certify", "no", "-o", "m")["training"]
    assert scored["accuracy"] > share
    shown = run("score", "m", "people.csv").stdout
    assert f"The answer 'no' to everything reaches {share:.4f}." in shown


def test_an_overfit_separator_does_not_predict(folder):
    X, y = make_classification(300, 60, n_informative=20, random_state=2)
    np.savetxt("noisy.csv", np.column_stack([X, y]), delimiter=",", fmt="%.6g")
    fit = ("fit", "noisy.csv", "--no-header", "--test", "0.4")
    found, separator = as_json(*fit), as_json(*fit, "--solution", "last")
    assert found["verdict"] == "separable"
    assert (separator["verdict"], separator["stop"]) == ("separable", "SEPARATED")
    np.testing.assert_equal(separator["training"]["accuracy"], 1.0)
    assert found["held_out"]["accuracy"] >= separator["held_out"]["accuracy"]
    shown = " ".join(run("fit", "breast_cancer").stdout.split())
    assert "--solution last and --certify yes predict by the hyperplane" in shown
    assert "what predicts other weights than the separator; margin, updates and proof are" in shown
    assert "what predicts" not in run(*fit, "--solution", "last").stdout


def test_rows_of_a_bundled_set_have_their_numbers_in_it_also_after_a_split():
    X, _ = rb.datasets.load("iris")[:2]
    found = as_json("fit", "iris", "--positive", 2, "--test", 0.3)["certificate"]["rows"]
    for row in found:
        number = int(row["place"].removeprefix("row "))
        assert list(row["values"].values()) == X[number].tolist()
    assert any(row["place"] != f"row {row['row']}" for row in found)


@pytest.mark.parametrize("right", [0, 1, 37, 99, 100])
def test_the_interval_is_wilsons(right):
    theirs = stats.binomtest(right, 100).proportion_ci(method="wilson")
    np.testing.assert_allclose(report.wilson(right, 100), [theirs.low, theirs.high], atol=1e-15)


@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_weights_are_ranked_by_their_effect(folder, how):
    rng = np.random.default_rng(1)
    small, large = rng.normal(size=400) / 1000, rng.normal(size=400)
    y = np.where(large + small > 0, "b", "a")
    lines = "".join(f"{s:.9f},{v:.9f},{k}\n" for s, v, k in zip(small, large, y, strict=True))
    (folder / "t.csv").write_text(f"small,large,kind\n{lines}")
    found = as_json("fit", "t.csv", *how)["weights"]
    assert [weight["feature"] for weight in found] == ["large", "small"]
    spread = np.std([float(line.split(",")[1]) for line in lines.split()])
    assert found[0]["effect"] == pytest.approx(abs(found[0]["weight"]) * spread)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_spreads_are_those_of_numpy(made, dtype):
    rng = np.random.default_rng(0)
    far = [0, 1e3, 0, 7, 1e6] if made is np.asarray else [0, 0, 0, 7, 0]
    X = (rng.normal(size=(1000, 5)) * [1, 1e-3, 1e6, 0, 1] + far).astype(dtype)
    spread = report.Spread()
    for part in (X[:10], X[10:]):
        spread.add(made(part))
    expected = X.astype(float).std(axis=0)
    np.testing.assert_allclose(spread.done(), expected, rtol=1e-6, atol=1e-12)


CLASH = "x,y,kind\n\n0,0,even\n1,1,even\n,5,odd\n0,1,odd\n\n1,0,odd\n"


@pytest.mark.parametrize("how", [(), ("--stream",)])
@pytest.mark.parametrize("verb", ["fit", "decide"])
def test_proofs_name_lines_and_values(folder, verb, how):
    (folder / "clash.csv").write_text(CLASH)
    code = int(verb == "decide")
    found = as_json(verb, "clash.csv", "--missing", "drop", "--scale", *how, code=code)
    rows = found["certificate"]["rows"]
    assert [row["place"] for row in rows] == ["line 3", "line 4", "line 6", "line 8"]
    assert rows[2]["values"] == {"x": 0, "y": 1}
    assert [row["label"] for row in rows] == ["even", "even", "odd", "odd"]
    shown = run(verb, "clash.csv", "--missing", "drop", *how, code=code).stdout
    assert "line 8" in shown
    assert "x=1, y=0" in shown


def test_proofs_name_lines_after_a_split(folder):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (60, 2)), rng.integers(0, 2, 60)
    lines = [f"{a},{b},{'uv'[k]}" for (a, b), k in zip(X.tolist(), y.tolist(), strict=True)]
    (folder / "t.csv").write_text("\n".join(["a,b,k", *lines]) + "\n")
    rows = as_json("fit", "t.csv", "--test", 0.3, "--certify", "yes")["certificate"]["rows"]
    assert rows
    for row in rows:
        line = int(row["place"].removeprefix("line "))
        values = row["values"]
        assert f"{values['a']:.0f},{values['b']:.0f},{row['label']}" == lines[line - 2]


def test_places_in_other_formats_and_over_files(folder):
    (folder / "a.svm").write_text("# head\n1 1:2\n\n   \n-1 1:3 # note\n")
    (folder / "b.svm").write_text("\n1 1:5\n")
    assert open_reader("a.svm").places([1, 0, 1]) == ["line 5", "line 2", "line 5"]
    assert open_reader("*.svm").places([2, 0]) == ["b.svm, line 2", "a.svm, line 2"]
    np.savez("t.npz", X=np.eye(3), y=[0, 1, 0])
    assert open_reader("t.npz").places([2]) == ["row 2"]


def test_labels_are_as_they_were_written(folder):
    (folder / "t.svm").write_text("1 1:2 2:3\n-1 1:0 2:-1\n")
    shown = run("fit", "t.svm", "-o", "m").stdout
    assert "One hyperplane separates classes -1, 1:" in shown
    assert run("predict", "m", "t.svm").stdout == "1\n-1\n"
    assert as_json("predict", "m", "t.svm")["predictions"] == [1, -1]
    run("fit", "iris", "--positive", 0, "--certify", "yes", "-o", "flowers")
    words = " ".join(run("verify", "flowers", "iris", "--positive", 0).stdout.split())
    assert "positive on every row of class '0' and negative on every row of class 'not 0'" in words


@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_labels_beyond_whole_numbers_of_64_bits(folder, how):
    (folder / "t.csv").write_text("a,y\n1,1e308\n2,-1e308\n3,0\n")
    result = run("fit", "t.csv", *how, "-o", "m", code=2)
    assert "expected labels within ±2**53" in result.stderr


def test_weights_speak_for_the_same_class_in_json(folder):
    rows = "1,red,no\n2,blue,no\n7,red,yes\n9,green,yes\n"
    (folder / "colours.csv").write_text(f"a,colour,y\n{rows}")
    found = as_json("fit", "colours.csv", "--one-hot")
    assert {one["towards"] for one in found["weights"]} == {"no", "yes"}
    assert all((one["towards"] == "yes") == (one["weight"] > 0) for one in found["weights"])
    shown = run("fit", "colours.csv", "--one-hot").stdout.partition("Largest weights")[2]
    lines = [line.split()[:2] for line in shown.splitlines() if "=" in line or line[2:3] == "a"]
    assert lines == [[one["feature"], one["towards"]] for one in found["weights"]]


def test_text_that_a_terminal_cannot_show(folder):
    done = subprocess.run(
        [*COMMAND, "trace", "five_points"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert r"\xb7" in done.stdout


def test_the_order_of_classes_and_filled_numbers_are_told(folder):
    rows = ["x,z,grade", "1,2,lo", "2,1,lo", "3,2,mid", "4,1,mid", "5,2,hi", "6,,hi"]
    (folder / "grades.csv").write_text("\n".join(rows))
    how = ["grades.csv", "--missing", "mean"]
    guessed = run("separation", *how, "--model", "ordinal")
    assert "taken to be hi,lo,mid" in guessed.stdout
    assert "1 missing number, filled in by the mean" in guessed.stderr
    said = run("separation", *how, "--model", "ordinal", "--order", "lo,mid,hi", code=1)
    assert "taken to be" not in said.stdout
    for verb in ("decide", "errors"):
        assert "1 missing number, filled in by the mean" in run(verb, *how).stderr


def test_an_interrupted_search_for_errors_exits_with_130(folder, monkeypatch):
    from rosenblatt.solve.fewest import search

    def pressed(goal):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "perceptron", pressed)
    (folder / "d.csv").write_text("x,y\n" + "0,a\n0,b\n1,a\n2,a\n" * 3)
    found = as_json("errors", "d.csv", code=130)
    # What one answer to everything costs is known at once.
    assert (found["lower"], found["upper"], found["ending"]) == (0, 3, "interrupted")


CENTRES = "30,A,no 41,A,yes 35,B,yes 36,B,yes 33,B,yes 50,C,no 42,C,yes 25,A,no 22,C,yes 56,A,no"


def test_separation_names_the_level_that_diverges_against_the_first(folder):
    (folder / "t.csv").write_text("\n".join(["age,centre,y", *CENTRES.split()]))
    result = run("separation", "t.csv", "--one-hot", code=1)
    assert "reference levels, left out: centre=A" in result.stderr
    assert "  centre=B   +∞" in result.stdout
    for python in ("not identified", "result.", "LogisticRegression("):
        assert python not in result.stdout
    found = as_json("separation", "t.csv", "--one-hot", code=1)
    assert (found["features"], found["reference"]) == (3, {"centre": "A"})
    assert {n for n, where in found["coefficients"].items() if where != "finite"} == {"centre=B"}


def test_rows_without_a_value_are_what_levels_compare_with(folder):
    (folder / "t.csv").write_text("\n".join(["age,centre,y", *CENTRES.split(), "60,,yes"]))
    found = as_json("separation", "t.csv", "--one-hot", "--missing", "mean", code=1)
    assert (found["features"], found["reference"]) == (4, {})
    (folder / "one.csv").write_text("c,y\nA,no\nA,yes\n")
    said = run("separation", "one.csv", "--one-hot", code=2).stderr
    assert "one.csv: in no column do values differ" in said


def test_separation_in_the_shell_advises_the_shell(folder):
    assert "Classify with `rosenblatt fit`" in " ".join(
        run("separation", "iris", "--positive", 0, code=1).stdout.split()
    )


@pytest.fixture
def fraud(folder):
    """Rows of which some in a hundred are fraud, half of them like any other."""
    rng = np.random.default_rng(0)
    rare = rng.random(4000) < 0.02
    X = rng.normal(size=(4000, 3)).round(3)
    X[rare, 0] += 2
    lines = [
        f"{a},{b},{c},{'fraud' if bad else 'ok'}" for (a, b, c), bad in zip(X, rare, strict=True)
    ]
    (folder / "fraud.csv").write_text("\n".join(["a,b,c,class", *lines, ""]))
    return folder


def test_the_report_goes_from_what_a_model_is_worth_to_what_is_proved(fraud):
    for how, first in ((("--test", 0.25), "held-out"), ((), "training"), (("--stream",), "train")):
        shown = run("fit", "fraud.csv", *how, "-o", "m").stdout
        parts = [f"{first}", "the answer 'ok' to everything is right on", "recall"]
        parts += ["The classes are not linearly separable.", "why it stopped", "updates"]
        parts += ["Largest weights", "cannot be on the right sides", "of the proof"]
        flat = " ".join(shown.split())
        assert flat.startswith(f"{first}")
        places = [flat.index(part) for part in parts]
        assert places == sorted(places)
        assert flat.count("line ") == 4  # rows of the proof


def test_what_says_nothing_is_told_on_demand(folder):
    lines = [f"{x * 1e-3},{y},{int(x > y)}" for x in range(1, 30) for y in range(1, 30)]
    (folder / "t.csv").write_text("\n".join(["a,b,y", *lines, ""]))
    told = run("fit", "t.csv", "--max-iter", 5).stdout
    details = run("fit", "t.csv", "--max-iter", 5, "--details").stdout
    for words in ("multiply-adds", "time  ", "margin  "):
        assert words not in told
        assert words in details
    (folder / "easy.csv").write_text("x,kind\n1,a\n2,b\n3,b\n")
    told = " ".join(run("fit", "easy.csv").stdout.split())
    assert "margin between 0." in told
    assert re.search(r"updates \d+, bound \d+", told)


@pytest.mark.parametrize("how", [("--test", 0.25), ("--stream",)])
def test_a_rare_class_that_is_missed_draws_advice_that_helps(fraud, how):
    advice = re.compile(
        r"class 'fraud' has \S+ % of these rows, and only \S+ % of them are found; "
        r"--class-weight balanced counts each class alike"
    )
    assert advice.search(" ".join(run("fit", "fraud.csv", *how).stderr.split()))
    before = as_json("fit", "fraud.csv", *how)
    result = run("fit", "fraud.csv", *how, "--class-weight", "balanced")
    assert "--class-weight" not in result.stderr
    after = as_json("fit", "fraud.csv", *how, "--class-weight", "balanced")
    recall = [(found["held_out"] or found["training"])["recall"][1] for found in (before, after)]
    assert recall[0] < 0.4 < 0.8 < recall[1]


def test_many_classes_show_the_lowest_recalls(folder):
    lines = [f"{k},{k * k % 7},c{k % 15}" for k in range(90)]
    (folder / "many.csv").write_text("\n".join(["a,b,y", *lines, ""]))
    shown = " ".join(run("fit", "many.csv", "--max-iter", 3).stdout.split())
    assert "Lowest recall (training rows)" in shown
    assert shown.index("Lowest recall") < shown.index("why it stopped")


def test_the_rarer_of_two_words_is_positive_everywhere(fraud):
    for how in ((), ("--stream",)):
        found = as_json("fit", "fraud.csv", *how, "-o", "m")
        assert (found["positive"], found["classes"]) == ("fraud", ["ok", "fraud"])
        assert found["training"]["classes"] == ["ok", "fraud"]
        towards = {one["feature"]: (one["towards"], one["weight"]) for one in found["weights"]}
        assert towards["a"][0] == "fraud"
        assert towards["a"][1] > 0
        scored = as_json("predict", "m", "fraud.csv", "--scores")
        both = zip(scored["predictions"], scored["scores"], strict=True)
        signs = {(label, score > 0) for label, score in both}
        assert signs == {("fraud", True), ("ok", False)}
        assert as_json("score", "m", "fraud.csv")["positive"] == "fraud"
    assert rb.load("m").classes_.tolist() == ["fraud", "ok"]
    assert as_json("decide", "fraud.csv", code=1)["positive"] == "fraud"
    assert as_json("decide", "fraud.csv", "--stream", code=1)["positive"] == "fraud"
    (fraud / "said.csv").write_text("x,y\n1,no\n2,yes\n3,yes\n")
    assert as_json("fit", "said.csv")["positive"] == "yes"
    (fraud / "numbers.csv").write_text("x,y\n1,0\n2,1\n3,1\n")
    assert as_json("fit", "numbers.csv")["positive"] == 1
    assert as_json("fit", "fraud.csv", "--positive", "ok")["positive"] == "ok"

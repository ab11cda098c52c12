"""Verbs and options that make the shell smoother: scores, weights, gaps, warm-up, help, figures."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse
from sklearn.impute import SimpleImputer
from typer.testing import CliRunner

import rosenblatt as rb
from expected import OUT_OF_PASSES, WITHOUT_NAMES
from rosenblatt import figures
from rosenblatt.cli.app import KINDS, app
from rosenblatt.cli.commands import warming
from rosenblatt.engine.machine.jit import compile_seconds
from rosenblatt.figures.multiclass import _in_view, _plane_of
from rosenblatt.readers import open_reader

COMMAND = [sys.executable, "-m", "rosenblatt"]


def run(*args, code=0):
    """What a command printed, once it has exited as it should."""
    result = CliRunner().invoke(app, list(map(str, args)), prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


def as_json(*args, code=0):
    return json.loads(run(*args, "--json", code=code).stdout, parse_constant=pytest.fail)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- predict --scores ---


@WITHOUT_NAMES
@pytest.mark.parametrize("positive", [("--positive", 1), ()], ids=["two", "three"])
def test_scores_stand_beside_labels(folder, positive):
    run("fit", "iris", *positive, "--max-iter", 5, "-o", "m")
    lines = run("predict", "m", "iris", "--scores").stdout.splitlines()
    model = rb.load("m")
    expected = model.decision_function(rb.datasets.load("iris").X)
    scores = np.array([[float(cell) for cell in line.split("\t")[1:]] for line in lines])
    np.testing.assert_array_equal(np.squeeze(scores), expected)
    assert [line.split("\t")[0] for line in lines] == run("predict", "m", "iris").stdout.split(
        "\n"
    )[:-1]
    found = as_json("predict", "m", "iris", "--scores")
    np.testing.assert_array_equal(found["scores"], expected)
    assert len(found["classes"]) == (2 if positive else 3)


def test_rows_left_out_have_no_scores(folder):
    (folder / "t.csv").write_text("x,k\n1,a\n,a\n3,b\n")
    run("fit", "t.csv", "--missing", "drop", "-o", "m")
    lines = run("predict", "m", "t.csv", "--missing", "drop", "--scores").stdout.split("\n")
    assert (lines[1], lines[0][:2], lines[2][:2]) == ("", "a\t", "b\t")
    found = as_json("predict", "m", "t.csv", "--missing", "drop", "--scores")
    assert found["scores"][1] is None


# --- weights of classes and rows ---


@OUT_OF_PASSES
@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_class_weights_are_the_estimators(folder, how):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (60, 2)), rng.integers(0, 2, 60)
    lines = "".join(f"{a},{b},{['no', 'yes'][k]}\n" for (a, b), k in zip(X, y, strict=True))
    (folder / "t.csv").write_text(f"a,b,k\n{lines}")
    options = ("--max-iter", 2, "--certify", "no", "--solution", "last", "--order", "cyclic")
    run("fit", "t.csv", *how, *options, "--class-weight", "yes=3", "-o", "m")
    settings = {"max_iter": 2, "certify": False, "solution": "last", "order": "cyclic"}
    expected = rb.Perceptron(**settings, class_weight={0: 1, 1: 3}, random_state=0).fit(X, y)
    np.testing.assert_array_equal(rb.load("m").coef_, expected.coef_)
    run("fit", "t.csv", *how, *options, "--class-weight", "balanced", "-o", "m")
    expected = rb.Perceptron(**settings, class_weight="balanced", random_state=0).fit(X, y)
    np.testing.assert_allclose(rb.load("m").coef_, expected.coef_)
    for bad in ("maybe=3", "yes", "yes=-1", "yes=x"):
        said = run("fit", "t.csv", *how, "--class-weight", bad, code=2).stderr
        assert "--class-weight: expected balanced, or CLASS=NUMBER for some of no, yes" in said


def test_one_pass_is_no_passes(folder):
    shown = " ".join(run("fit", "breast_cancer").stdout.split())
    assert " passes, which look again" in shown


def test_class_weights_of_a_positive_class(folder):
    found = as_json("fit", "iris", "--positive", 1, "--class-weight", "1=5", "--max-iter", 3)
    assert found["parameters"]["class_weight"] == {"False": 1.0, "True": 5.0}


@OUT_OF_PASSES
def test_importances_of_vowpal_wabbit_are_learned_with(folder):
    rng = np.random.default_rng(1)
    X, y = rng.integers(-3, 4, (40, 3)), np.where(rng.random(40) < 0.5, -1, 1)
    weights = np.where(rng.random(40) < 0.3, 2.5, 1.0)
    lines = [
        f"{k} {w:g} | " + " ".join(f"{j}:{v}" for j, v in enumerate(row))
        for row, k, w in zip(X.tolist(), y.tolist(), weights.tolist(), strict=True)
    ]
    lines[0] = lines[0].replace(" | ", " 0 'tag| ")
    (folder / "t.vw").write_text("\n".join(lines) + "\n")
    chunk = open_reader("t.vw", bits=3).read()
    np.testing.assert_array_equal(chunk.weights, weights)
    options = ("--bits", 3, "--max-iter", 2, "--certify", "no", "--solution", "last")
    run("fit", "t.vw", *options, "--order", "cyclic", "-o", "m")
    settings = {"max_iter": 2, "certify": False, "solution": "last", "order": "cyclic"}
    expected = rb.Perceptron(**settings, random_state=0).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(rb.load("m").coef_[:, :3], expected.coef_)
    said = run("fit", "--stream", "t.vw", code=2).stderr
    assert "rows of different importance are not learned from in a stream; leave --stream" in said
    for bad in ("1 0 | a\n", "1 -1 | a\n", "1 1 2 | a\n"):
        (folder / "bad.vw").write_text(bad)
        assert "expected a positive importance" in run("fit", "bad.vw", code=2).stderr


# --- what is missing ---


@pytest.mark.parametrize("how", ["mean", "median"])
@pytest.mark.parametrize("flags", [(), ("--scale",), ("--stream",)])
def test_missing_numbers_are_filled_as_scikit_learn_does(folder, how, flags):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)).round(3), rng.integers(0, 2, 50)
    X[rng.random(X.shape) < 0.2] = np.nan
    cells = [["" if np.isnan(v) else f"{v:g}" for v in row] for row in X.tolist()]
    lines = "".join(f"{','.join(row)},{k}\n" for row, k in zip(cells, y, strict=True))
    (folder / "t.csv").write_text(f"a,b,c,k\n{lines}")
    run("fit", "t.csv", "--missing", how, *flags, "--max-iter", 3, "-o", "m")
    columns = rb.load_columns("m")
    fill = SimpleImputer(strategy=how).fit(X).statistics_
    np.testing.assert_allclose(columns.fill, fill)
    # What predicts knows what to fill in; nothing has to be said again.
    assert len(as_json("predict", "m", "t.csv")["predictions"]) == 50
    assert as_json("score", "m", "t.csv")["rows"] == 50
    np.savez("t.npz", X=X, y=y)
    assert as_json("fit", "t.npz", "--missing", how)["rows"] == 50
    import pandas as pd

    frame = columns.features_of(pd.read_csv("t.csv"))
    assert not frame.isna().any().any()
    assert "--missing mean fills numbers in" in run("fit", "t.csv", code=2).stderr


def test_missing_text_is_none_of_the_values_and_missing_labels_are_refused(folder):
    (folder / "t.csv").write_text("a,c,k\n1,red,no\n2,,yes\n3,blue,yes\n")
    found = as_json("fit", "t.csv", "--one-hot", "--missing", "mean", "-o", "m")
    assert found["features"] == 3
    assert "no training row has" not in run("predict", "m", "t.csv").stderr
    (folder / "t.csv").write_text("a,c,k\n1,red,no\n2,red,\n3,blue,yes\n")
    assert (
        "line 3: no value in column 'k'" in run("fit", "t.csv", "--missing", "mean", code=2).stderr
    )
    (folder / "t.csv").write_text("a,b,k\n1,,no\n2,,yes\n")
    said = run("fit", "t.csv", "--missing", "median", code=2).stderr
    assert "no row has a value in column 'b'; --ignore b leaves it out" in said


WAYS = [(), ("--scale",), ("--stream",), ("--stream", "--scale"), ("--one-hot", "--scale")]


@pytest.mark.parametrize("flags", WAYS, ids=" ".join)
def test_an_exported_graph_fills_in_what_is_missing_as_predict_does(folder, flags):
    rng = np.random.default_rng(1)
    X = rng.normal(5, 3, size=(60, 2))
    y = (X.sum(axis=1) > 10).astype(int)
    X[rng.random(X.shape) < 0.3] = np.nan
    colors = np.array(["", "blue", "red"])[rng.integers(0, 3, 60)]
    cells = [["" if np.isnan(v) else repr(v) for v in row] for row in X.tolist()]
    table = zip(cells, colors, y, strict=True)
    lines = "".join(f"{','.join(row)},{color},{k}\n" for row, color, k in table)
    (folder / "t.csv").write_text(f"a,b,color,k\n{lines}")
    run("fit", "t.csv", "--missing", "mean", *flags, "--max-iter", 3, "-o", "m")
    run("export", "m", "-o", "m.onnx")
    run("export", "m", "-o", "m.json")
    if "--one-hot" in flags:  # what is no number is missing from its columns, too
        hot = np.where(colors == "", np.nan, [colors == "blue", colors == "red"])
        X = np.column_stack([X, hot.T])
    import onnxruntime

    labels, scores = onnxruntime.InferenceSession("m.onnx").run(None, {"X": X})
    said = as_json("predict", "m", "t.csv", "--scores")
    assert labels.tolist() == said["predictions"]
    assert len(set(said["predictions"])) == 2
    np.testing.assert_allclose(scores, said["scores"], rtol=1e-12, atol=1e-12)
    # The recipe of `to_json`, written anew.
    content = json.loads((folder / "m.json").read_text())
    columns, width = content["columns"], content["columns"]["width"]
    numbers = np.where(np.isnan(X[:, :width]), columns["fill"], X[:, :width])
    known = [value for values in columns["categories"].values() for value in values]
    features = np.column_stack([numbers, *[colors == value for value in known]])
    if columns["scale"] is not None:
        features = (features - columns["mean"]) / columns["scale"]
    scores = features @ content["weights"][0] + content["bias"][0]
    np.testing.assert_allclose(scores, said["scores"], rtol=1e-12, atol=1e-12)
    assert [content["classes"][int(score >= 0)] for score in scores] == said["predictions"]


@pytest.mark.parametrize("positive", [[], ["--positive", "2"]])
def test_exports_answer_with_the_names_that_predict_has(folder, positive):
    run("fit", "iris", *positive, "-o", "m")
    run("export", "m", "-o", "m.onnx")
    run("export", "m", "-o", "m.json")
    said = as_json("predict", "m", "iris", "--scores")
    assert said["classes"] == (["not 2", "2"] if positive else [0, 1, 2])
    assert json.loads((folder / "m.json").read_text())["classes"] == said["classes"]
    import onnxruntime

    X = rb.datasets.load("iris").X.astype(float)
    (labels,) = onnxruntime.InferenceSession("m.onnx").run(["label"], {"X": X})
    assert labels.tolist() == said["predictions"]


@pytest.mark.parametrize("first", ["", "Unnamed: 0"])
def test_row_numbers_are_recognised(folder, first):
    (folder / "t.csv").write_text(f"{first},a,k\n0,5,no\n1,6,no\n2,9,yes\n")
    result = run("fit", "t.csv", "-o", "m")
    assert "1 numeric column; row numbers left out" in result.stderr
    (folder / "new.csv").write_text("a\n9\n5\n")
    assert run("predict", "m", "new.csv").stdout == "yes\nno\n"
    name = first or "column 1"
    assert as_json("decide", "t.csv", "--columns", f"{name},a")["features"] == 2
    (folder / "other.csv").write_text(f"{first},a,k\n7,5,no\n1,6,no\n2,9,yes\n")
    assert as_json("decide", "other.csv")["features"] == 2


@pytest.mark.parametrize("classes", ["spam,ham", "ham,spam"])
def test_classes_of_a_pipe_come_in_any_order_and_positive_says_which(folder, classes):
    rows, help_ = "a,k\n1,ham\n2,ham\n8,spam\n9,spam\n", run("fit", "--help").stdout
    assert "labels, in any order" in " ".join(help_.replace("│", " ").split())
    for said, positive in (("--classes", "spam"), ("--positive", "ham")):
        args = "fit", "--stream", "-", said, classes if said == "--classes" else positive, "--json"
        done = subprocess.run([*COMMAND, *args], input=rows, capture_output=True, text=True)
        assert json.loads(done.stdout)["positive"] == positive


@pytest.mark.parametrize(
    ("args", "advice"),
    [
        (("plot", "fewest_errors", "iris", "-o", "x.png"), "--positive CLASS tells one class"),
        (("errors", "iris", "--figure", "x.png"), "--positive CLASS tells one class"),
        (("plot", "certificate", "three.csv", "-o", "x.png"), "for several classes see pairs, and"),
        (("plot", "contact_sheet", "three.csv", "-o", "x.png"), "pixels: draw pairs."),
        (("plot", "w_space", "iris", "-o", "x.png"), "two columns with --columns, or x_space"),
        (("trace", "iris"), "`rosenblatt trace --max-passes 10` shows how it begins"),
        (("fit", "cell.csv"), "(--text 'column 1' reads"),
        (("fit", "three.csv", "-o", "new/"), "new/: names a folder, which is not there"),
        (("lab", "xor", "--export", "new/"), "new/: names a folder, which is not there"),
        (("lab", "xor", "--export", "x.txt"), "x.txt: a page is written to a file ending in"),
        (("trace", "one.csv"), "--positive CLASS traces it"),
        (("trace", "three.csv", "--max-passes", "0"), "--max-passes must be"),
        (("separation", "iris", "--model", "logit"), "Ask --model multinomial, or --model ordinal"),
        (("decide", "three.csv", "--time-limit", "-1"), "--time-limit must be a positive number"),
        (("fit", "three.csv", "--margin", "1"), "--margin, a share of the best margin, must be"),
        (("decide", "huge.csv"), "Write the column in larger units, or leave it out."),
        (("decide", "huge.csv", "--scale"), "Write it in larger units, or leave it out."),
    ],
)
def test_advice_can_be_typed_in_the_shell(folder, args, advice):
    (folder / "three.csv").write_text("a,y\n1,p\n2,q\n5,r\n6,p\n7,q\n")
    (folder / "one.csv").write_text("a,y\n1,p\n2,p\n")
    (folder / "huge.csv").write_text("a,y\n1e308,p\n-1e308,q\n")
    rows = [f"{i},{i},no\n{i},{i},yes\n" for i in range(2000)]
    (folder / "cell.csv").write_text(f"{''.join(rows)}0x,1,no\n")
    said = " ".join(run(*args, code=2).stderr.split())
    assert advice in said
    for python in ("rosenblatt.", "figures.", "pairs_matrix", "max_steps", "shape=", "classes="):
        assert python not in said
    assert not (folder / "new").exists()


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_reports_advise_the_shell(folder, how):
    said = " ".join(run("fit", "breast_cancer", *how).stdout.split())
    assert "--solution last and --certify yes" in said
    assert "`rosenblatt score` measures it on other rows" in said
    assert "solution=" not in said
    assert "error_bound(" not in said


def test_another_order_of_classes_is_another():
    said = run("separation", "wine", "--model", "ordinal").stdout
    assert "taken to be 0,1,2; --order 1,2,0, for example, says another." in said


def test_a_gap_for_which_the_model_has_no_number_is_told_with_its_place(folder):
    (folder / "whole.csv").write_text("a,b,y\n1,1,no\n2,1,no\n8,2,yes\n9,2,yes\n")
    (folder / "gap.csv").write_text("a,b,y\n1,1,no\n2,,no\n")
    np.savez(folder / "gap.npz", X=np.array([[1.0, np.nan]]))
    run("fit", "whole.csv", "-o", "m")
    for missing in ((), ("--missing", "mean")):
        said = " ".join(run("predict", "m", "gap.csv", *missing, code=2).stderr.split())
        assert "gap.csv, line 3: no value in column 'b'; --missing drop leaves such rows" in said
        assert "`rosenblatt fit --missing mean` fills them in, which this one is not" in said
    said = run("predict", "m", "gap.npz", "--missing", "mean", code=2).stderr
    assert "gap.npz, row 0: no value in column 'x1'" in said


@pytest.mark.parametrize(
    "kind", ["points", "certificate", "fewest_errors", "weight_bars", "confusion", "pairs"]
)
def test_figures_have_the_names_of_reports(folder, monkeypatch, kind):
    (folder / "t.csv").write_text(
        "a,f,k\n1,True,p\n2,False,q\n5,True,r\n6,True,p\n7,False,q\n8,False,q\n"
    )
    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")
    run("plot", kind, "t.csv", "--positive", "q", "--text", "f", "--one-hot", "-o", "x.svg")
    texts = re.findall(r">([^<>]+)</text>", (folder / "x.svg").read_text("utf-8"))
    assert {"q", "not q"} <= {*texts} or "q against not q" in texts
    assert not {"True", "False"} & {*texts}
    assert kind != "weight_bars" or "f=True" in texts


def test_the_contact_sheet_has_the_names_of_reports(folder, monkeypatch):
    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")
    run("plot", "contact_sheet", "digits", "--positive", "8", "-o", "x.svg")
    texts = re.findall(r">([^<>]+)</text>", (folder / "x.svg").read_text("utf-8"))
    assert any(text.startswith("not 8") for text in texts)
    assert not any("True" in text or "False" in text for text in texts)


# --- help and warm-up ---


@pytest.mark.parametrize(
    "verb", [(), *[(c.name or c.callback.__name__,) for c in app.registered_commands]]
)
def test_no_option_is_a_bool(verb):
    assert "<bool>" not in run(*verb, "--help").stdout


def test_the_kinds_in_the_help_are_those_there_are():
    assert sorted(KINDS.split(", ")) == sorted(figures.kinds())


def test_warm_up_leaves_nothing_to_compile(folder, monkeypatch):
    used = []
    monkeypatch.setattr(warming, "_used", used.append)
    assert as_json("warm-up")["compiling"] >= 0
    assert len(used) == 6
    assert "compiled" in run("warm-up").stderr.lower()


@pytest.mark.parametrize("kind", [rb.KernelPerceptron, rb.PassiveAggressive])
def test_warm_up_covers_estimators_that_no_verb_uses(folder, monkeypatch, kind):
    seen, fit = set(), kind.fit

    def watched(self, X, y):
        seen.add((X.dtype.name, sparse.issparse(X)))
        return fit(self, X, y)

    monkeypatch.setattr(warming, "_used", lambda path: None)
    monkeypatch.setattr(kind, "fit", watched)
    told = run("warm-up").stderr
    assert seen == {(name, csr) for name in ("float32", "float64") for csr in (False, True)}
    assert kind.__name__ in told
    assert "warning" not in told.lower()


def test_warm_up_covers_many_classes_and_large_predictions():
    warming._many()
    rng, before = np.random.default_rng(1), compile_seconds()
    for dtype in ("float32", "float64"):
        X = rng.normal(size=(500, 400)).astype(dtype)
        for classes in (2, 25):
            clf = rb.Perceptron(max_iter=2)
            with warnings.catch_warnings(action="ignore"):
                clf.fit(X, np.arange(500) % classes)
            clf.predict(np.tile(X, (9, 1)))
            clf.predict(sparse.csr_matrix(np.tile(X, (9, 1))))
    assert compile_seconds() == before


def test_warm_up_reads_in_single_precision(folder, monkeypatch):
    asked = []

    def opened(path, **how):
        asked.append(how.get("dtype", "float64"))
        return open_reader(path, **how)

    monkeypatch.setattr("rosenblatt.data.readers.open_reader", opened)
    (folder / "rows.svm").write_text(warming._text("rows.svm", 2))
    warming._used("rows.svm")
    assert {*asked} == {"float32", "float64"}


def test_warming_runs_on_every_format(folder):
    for name in ("rows.csv", "rows.svm", "rows.vw"):
        (folder / name).write_text(warming._text(name, 2))
    X = [open_reader(name, bits=4).read().X for name in ("rows.csv", "rows.svm", "rows.vw")]
    assert [x.shape[1] for x in X] == [2, 2, 16]
    warming._used("rows.csv")


HEAVY = """
import sys
import warnings
sys.argv = ["rosenblatt", *{args}]
from rosenblatt.cli import main
try:
    main()
except SystemExit as done:
    assert not done.code, done.code
loaded = [name for name in ("scipy.stats._stats_py", "pandas.core.api") if name in sys.modules]
print(loaded, file=sys.stderr)
"""


def test_no_verb_imports_statistics_or_pandas(folder):
    (folder / "t.csv").write_text("a,k\n5,no\n6,no\n9,yes\n")
    for args in (
        ["fit", "t.csv", "-o", "m"],
        ["predict", "m", "t.csv"],
        ["decide", "--stream", "t.csv"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", HEAVY.format(args=args)], capture_output=True, text=True
        )
        assert done.stderr.endswith("[]\n"), (args, done.stderr)


# --- words and figures ---


def test_words_of_proofs(folder):
    (folder / "t.csv").write_text("x,k\n1,a\n1,b\n2,a\n")
    shown = " ".join(run("decide", "t.csv", code=1).stdout.split())
    assert "Rows 0 and 1 have equal features but different classes, 'a' and 'b'" in shown
    assert "line 2" in shown
    shown = " ".join(run("fit", "iris", "--positive", 0).stdout.split())
    assert "They reach the margin" in shown
    shown = " ".join(run("decide", "iris", "--positive", 0).stdout.split())
    assert "The best possible margin is at most" in shown
    (folder / "t.svm").write_text("1 1:1\n-1 1:1\n1 1:3\n")
    assert "different classes, -1 and 1," in run("decide", "t.svm", code=1).stdout.replace(
        "\n", " "
    )


def test_many_mistakes_in_few_passes_are_explained(folder):
    rng = np.random.default_rng(0)
    np.savez("noise.npz", X=rng.normal(size=(300, 2)), y=rng.integers(0, 2, 300))
    options = ("--certify", "no", "--max-iter", 5)
    shown = " ".join(run("fit", "noise.npz", *options, "--order", "active").stdout.split())
    assert "which look again and again at the rows that were mistaken (--order active)" in shown
    shown = " ".join(run("fit", "noise.npz", *options, "--order", "cyclic").stdout.split())
    assert "again and again" not in shown


def test_standard_input_says_why_nothing_is_measured(folder):
    done = subprocess.run(
        [*COMMAND, "fit", "--stream", "-", "--classes", "a,b"],
        input="x,k\n1,a\n2,b\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "not measured (standard input can be read only once)" in " ".join(done.stdout.split())


def test_regions_of_three_classes_are_exact_in_the_plane_of_their_weights():
    X, y = rb.datasets.load("iris")[:2]
    model = rb.Perceptron(max_iter=20).fit(X, y)
    weights = np.column_stack([model.coef_, model.intercept_])
    view = _plane_of(weights)
    assert view is not None
    drawn = _in_view(weights, view.axes, X.mean(axis=0))
    flat = X @ view.axes.T
    seen = (flat @ drawn[:, :2].T + drawn[:, 2]).argmax(axis=1)
    np.testing.assert_array_equal(seen, model.predict(X))
    ax = figures.regions(model, X, y)
    assert sum(patch.get_fill() for patch in ax.patches) == 3


@OUT_OF_PASSES
def test_regions_of_more_classes_are_those_through_the_mean():
    X, y = rb.datasets.load("digits")[:2]
    model = rb.Perceptron(max_iter=5).fit(X, y)
    weights = np.column_stack([model.coef_, model.intercept_])
    assert _plane_of(weights) is None
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(64, 2)))[0].T
    mean = X.mean(axis=0)
    places = np.random.default_rng(1).normal(size=(20, 2)) * 30
    points = mean + (places - axes @ mean) @ axes
    drawn = _in_view(weights, axes, mean)
    np.testing.assert_allclose(
        places @ drawn[:, :2].T + drawn[:, 2], model.decision_function(points)
    )
    assert len(figures.regions(model, X, y).patches) > 0


def test_contact_sheets_are_for_images(folder):
    said = run("plot", "contact_sheet", "iris", "-o", "c.png", code=2).stderr
    assert "for images, and 4 features are no square one of at least 5 × 5 pixels" in said


def test_many_circles_are_thin():
    from matplotlib import pyplot as plt

    from rosenblatt.figures.drawing.marks import ring

    _, ax = plt.subplots()
    for n in (10, 10_000):
        data = SimpleNamespace(n=n, codes=np.zeros(n, dtype=int), classes=["a", "b"])
        ring(ax, np.zeros((n, 2)), np.arange(n), data, f"{n} circles", "black")
    few, many = (c for c in ax.collections if "circles" in c.get_label())
    assert few.get_linewidths()[0] == 1.8
    assert many.get_linewidths()[0] < 0.5
    assert many.get_sizes()[0] < few.get_sizes()[0] / 4
    plt.close("all")


def test_one_row_is_not_called_rows(folder):
    (folder / "t.csv").write_text("a,c,k\n1,red,no\n2,red,yes\n3,blue,yes\n")
    run("fit", "t.csv", "--one-hot", "-o", "m")
    (folder / "u.csv").write_text("a,c,k\n1,green,no\n2,red,perhaps\n3,blue,yes\n")
    said = run("score", "m", "u.csv").stderr
    assert "1 row has a c that no training row has; it counts as none" in said
    assert "1 row has a label that the model does not know; it counts as an error" in said
    (folder / "u.csv").write_text("a,c,k\n1,red,never\n2,red,perhaps\n3,blue,yes\n")
    said = run("score", "m", "u.csv").stderr
    assert "2 rows have a label that the model does not know; they count as errors" in said

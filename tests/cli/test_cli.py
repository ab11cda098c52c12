"""The command line, as a user meets it: what it prints, where, and how it exits."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import warnings

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import rosenblatt as rb
from children import A_PASS_IS_MADE, AT_TERMINAL
from commands import COMMAND
from rosenblatt import __version__
from rosenblatt.cli.app import app
from rosenblatt.cli.commands import verbs
from rosenblatt.data.tables.columns import Columns
from rosenblatt.errors import InputError

FRUIT = """weight,color,kind
150,red,apple
118,yellow,banana
160,green,apple
120,yellow,banana
155,red,apple
119,green,banana
"""
CLASH = "x,y,kind\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n"
VERBS = (
    *("decide", "export", "fit", "predict", "score", "verify"),
    *("trace", "plot", "datasets", "lab", "report"),
)


def run(*args, code=0):
    """What a command printed, once it has exited as it should."""
    result = CliRunner().invoke(app, list(map(str, args)), prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


def as_json(*args, code=0):
    result = run(*args, "--json", code=code)
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout, parse_constant=pytest.fail)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fruit.csv").write_text(FRUIT)
    (tmp_path / "clash.csv").write_text(CLASH)
    return tmp_path


def test_exit_codes_of_decide(folder):
    assert "Separable" in run("decide", "fruit.csv").stdout
    assert "Inseparable" in run("decide", "clash.csv", code=1).stdout
    assert "Undecided" in run("decide", "digits", "--time-limit", 1e-9, code=3).stdout
    assert "did you mean" in run("decide", "friut.csv", code=2).stderr
    assert run("decide", code=2).stdout == ""
    assert "--time-limit" in run("decide", "xor", "--time-limit", "soon", code=2).stderr


def test_certificates_are_written_and_verified(folder):
    run("decide", "clash.csv", "--certificate", "proof.json", code=1)
    assert "holds" in run("verify", "proof.json", "clash.csv").stdout
    (folder / "moved.csv").write_text(CLASH.replace("1,1", "1,2"))
    assert "fingerprint" in as_json("verify", "proof.json", "moved.csv", code=1)["reason"]
    whole = (folder / "proof.json").read_text()
    for part in (whole[: len(whole) // 2], "{}"):
        (folder / "proof.json").write_text(part)
        told = run("verify", "proof.json", "clash.csv", code=2).stderr
        assert "error: proof.json: not a certificate: " in told
    run("verify", "none.json", "clash.csv", code=2)
    run("decide", "digits", "--time-limit", 1e-9, "--certificate", "no.json", code=3)
    assert not (folder / "no.json").exists()


def test_decide_in_json(folder):
    found = as_json("decide", "clash.csv", code=1)
    assert (found["verdict"], found["separable"]) == ("inseparable", False)
    assert found["certificate"]["content"]["rows"] == [0, 1, 2, 3]
    assert found["margin"] == [0, 0]
    assert (found["rows"], found["features"]) == (4, 2)


def test_the_report_of_fit():
    result = run("fit", "breast_cancer", "--test", 0.25, "--details")
    for words in ("separable", "hyperplane", "margin", "updates", "bound", "why it stopped"):
        assert words in result.stdout
    for words in ("held-out accuracy", "interval", "Confusion", "Largest weights", "multiply-adds"):
        assert words in result.stdout
    assert re.search(r"\d s\n|\d s ", result.stdout)
    assert "30 numeric columns" in result.stderr


@pytest.mark.parametrize("verb", ["fit", "decide"])
def test_a_positive_class_and_the_others_have_names(folder, verb):
    words = "classes 'not 0', '0': w·x + b is positive on every row of class '0'"
    assert words in " ".join(run(verb, "iris", "--positive", 0).stdout.split())
    assert words in as_json(verb, "iris", "--positive", 0)["certificate"]["explained"]
    (folder / "truth.csv").write_text("x,y\n1,True\n2,False\n")
    assert "classes 'False', 'True':" in run(verb, "truth.csv").stdout


def test_fit_in_json_is_complete():
    found = as_json("fit", "iris", "--test", 0.2, "--max-iter", 5, "--certify", "no", "--seed", 3)
    assert found["verdict"] == "undecided"
    assert found["mistake_bound"] is None
    assert found["stop"] == "PASSES"
    assert found["passes"] == 5
    assert found["held_out"]["rows"] == 30
    low, high = found["held_out"]["interval"]
    assert low <= found["held_out"]["accuracy"] <= high
    assert np.sum(found["held_out"]["confusion"]) == 30
    assert {w["towards"] for w in found["weights"]} <= {0, 1, 2}
    assert found["weights"][0]["feature"].startswith("petal")
    assert found["parameters"]["random_state"] == 3
    assert found["seconds"] > 0


def test_raw_files_go_the_same_way_in_fit_predict_and_score(folder):
    options = ("--one-hot", "--scale", "--positive", "banana")
    found = as_json("fit", "fruit.csv", *options, "-o", "m.safetensors")
    assert {w["feature"] for w in found["weights"]} <= {
        *("weight", "color=red", "color=green", "color=yellow")
    }
    kinds = [line.split(",")[2] for line in FRUIT.split()[1:]]
    assert run("predict", "m.safetensors", "fruit.csv").stdout.split() == kinds
    assert as_json("score", "m.safetensors", "fruit.csv")["accuracy"] == 1
    (folder / "apples.csv").write_text("weight,color,kind\n151,red,apple\n")
    assert as_json("score", "m.safetensors", "apples.csv")["confusion"] == [[1, 0], [0, 0]]
    # Another order of columns, no label, and a color never seen.
    (folder / "new.csv").write_text("color,id,weight\nblue,7,60\nred,8,150\n")
    result = run("predict", "m.safetensors", "new.csv", "-o", "answers.txt")
    assert (folder / "answers.txt").read_text() == "banana\napple\n"
    assert "1 row has a color" in result.stderr
    assert "'kind'" in run("score", "m.safetensors", "new.csv", code=2).stderr
    (folder / "less.csv").write_text("colour,weight\nred,150\n")
    assert "'color'" in run("predict", "m.safetensors", "less.csv", code=2).stderr


def test_models_of_raw_files_are_used_from_python(folder):
    import pandas as pd

    frame = pd.read_csv("fruit.csv")
    run("fit", "fruit.csv", "--one-hot", "--scale", "-o", "m.safetensors")
    with warnings.catch_warnings(action="error"):
        assert run("predict", "m.safetensors", "fruit.csv").stdout.split() == list(frame["kind"])
    with pytest.warns(UserWarning, match="load_columns"):
        model = rb.load("m.safetensors")
    features = rb.load_columns("m.safetensors").features_of(frame[["color", "kind", "weight"]])
    assert model.score(features, frame["kind"]) == 1


def test_whole_numbers_that_would_be_rounded_prove_nothing(folder):
    (folder / "ns.csv").write_text("ns,kind\n1700000000000000001,a\n1700000000000000002,b\n")
    for how in ([], ["--stream"]):
        told = " ".join(run("decide", "ns.csv", *how, code=2).stderr.split())
        assert "ns.csv, line 2: expected a whole number" in told
        assert "'ns', got 1700000000000000001" in told


@pytest.mark.parametrize("certify", ["auto", "yes"])
@pytest.mark.parametrize(("columns", "verdict"), [("0,1", "inseparable"), ("2,3", "separable")])
def test_the_certificate_of_a_fit_that_held_rows_out_is_verified(folder, certify, columns, verdict):
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 2, "other", "") if verdict == "inseparable" else np.where(y == 0, "other", "")
    rows = np.column_stack([X, np.where(y == "", "mine", y)])
    np.savetxt(
        folder / "flowers.csv", rows, fmt="%s", delimiter=",", header="a,b,c,d,kind", comments=""
    )
    flags = ("--test", 0.3, "--seed", 5, "--certify", certify, "--columns", columns)
    found = as_json("fit", "flowers.csv", *flags, "-o", "m.safetensors")
    assert (found["verdict"], found["rows"]) == (verdict, 105)
    result = run("verify", "m.safetensors", "flowers.csv")
    assert "The certificate holds" in result.stdout
    assert (
        "about the 105 rows that the model learned from; the 45 that fit held out" in result.stderr
    )
    assert "105 of these are rows that" in run("score", "m.safetensors", "flowers.csv").stderr
    lines = (folder / "flowers.csv").read_text().splitlines()
    (folder / "more.csv").write_text("\n".join([*lines, lines[1]]) + "\n")
    refused = int(verdict == "inseparable" or certify == "yes")  # else it is bound to no rows
    told = run("verify", "m.safetensors", "more.csv", code=refused).stderr
    assert "not the rows that the model learned from" in told


def test_a_damaged_model_is_told_from_a_false_certificate(folder):
    run("fit", "fruit.csv", "--certify", "yes", "-o", "m.safetensors")
    assert "The certificate holds" in run("verify", "m.safetensors", "fruit.csv").stdout
    content = bytearray((folder / "m.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "m.safetensors").write_bytes(content)
    for verb in ("verify", "predict", "score"):
        told = " ".join(run(verb, "m.safetensors", "fruit.csv", code=2).stderr.split())
        assert "m.safetensors: the file is damaged" in told


def test_models_of_all_formats_predict(folder):
    X, y = load_iris(return_X_y=True)
    np.savez(folder / "iris.npz", X=X, y=y)
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(row)) + "\n"
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    (folder / "iris.svm").write_text("".join(lines))
    for data in ("iris", "iris.npz", "iris.svm"):
        run("fit", data, "-o", "m", "--max-iter", 20)
        for other in ("iris", "iris.npz", "iris.svm"):
            found = as_json("score", "m", other)
            assert found["accuracy"] > 0.9
            said = as_json("predict", "m", other)["predictions"]
            assert sum(map(int, said)) > 0


def test_labels_stay_beside_their_rows(folder):
    run("fit", "fruit.csv", "-o", "m")
    (folder / "gaps.csv").write_text("weight,color\n,red\n150,red\n?,red\n118,green\nNA,red\n")
    shown = run("predict", "m", "gaps.csv", "--missing", "drop")
    assert shown.stdout == "\napple\n\nbanana\n\n"
    assert "3 rows with a missing value: an empty line stands" in shown.stderr
    run("predict", "m", "gaps.csv", "--missing", "drop", "-o", "answers.txt")
    assert (folder / "answers.txt").read_text() == shown.stdout
    found = as_json("predict", "m", "gaps.csv", "--missing", "drop")
    assert found["predictions"] == [None, "apple", None, "banana", None]
    X = np.array([[150.0], [np.nan], [118.0]])
    np.savez(folder / "gaps.npz", X=X)
    sparse.save_npz(folder / "sparse.npz", sparse.csr_array(X))
    for data in ("gaps.npz", "sparse.npz"):
        assert run("predict", "m", data, "--missing", "drop").stdout == "apple\n\nbanana\n"


def test_a_label_is_one_line(folder):
    words = ["two\nlines", "plain", '"quoted"', "sep\u2028arated", ""]
    X = np.eye(5).repeat(2, axis=0)
    np.savez(folder / "words.npz", X=X, y=np.array(words).repeat(2))
    run("fit", "words.npz", "-o", "m")
    lines = run("predict", "m", "words.npz").stdout.split("\n")
    assert lines[::2] == [
        '"two\\nlines"',
        "plain",
        '"\\"quoted\\""',
        '"sep\\u2028arated"',
        '""',
        "",
    ]
    assert as_json("predict", "m", "words.npz")["predictions"][::2] == words
    assert "quoted as JSON" in " ".join(run("predict", "--help").stdout.split())


def test_strange_tables(folder):
    (folder / "bom.csv").write_bytes(b"\xef\xbb\xbf" + FRUIT.replace(",", ";").encode())
    assert "label: last column 'kind'" in run("decide", "bom.csv").stderr
    (folder / "gaps.csv").write_text(FRUIT + ",red,apple\n")
    assert "line 8" in run("fit", "gaps.csv", code=2).stderr
    assert "--missing drop" in run("fit", "gaps.csv", code=2).stderr
    assert "1 row dropped" in run("fit", "gaps.csv", "--missing", "drop").stderr
    (folder / "one.csv").write_text("x\n1\n2\n")
    assert "only one column" in run("fit", "one.csv", code=2).stderr
    (folder / "words.csv").write_text("a,b\nx,y\nz,w\n")
    assert "--one-hot" in run("fit", "words.csv", code=2).stderr
    assert "separable" in run("fit", "words.csv", "--one-hot").stdout
    (folder / "hollow.csv").write_text("x,note,kind\n1,,a\n2,hm,b\n")
    assert "text left out: note" in run("fit", "hollow.csv").stderr


def test_a_column_too_large_to_be_scaled_is_named(folder):
    (folder / "huge.csv").write_text("a,b,y\n1,1e308,no\n2,-1e308,yes\n3,1e308,no\n")
    said = run("decide", "huge.csv", "--scale", code=2).stderr
    assert "column 'b' cannot be scaled" in said
    assert "warning" not in said


def test_a_slip_in_a_column_of_numbers(folder):
    rows = "".join(f"{j},{j},{'yes' if j > 9 else 'no'}\n" for j in range(20))
    (folder / "slip.csv").write_text(f"a,b,y\n{rows}".replace("\n12,", "\ntwelve,"))
    refused = run("decide", "slip.csv", code=2).stderr
    assert "slip.csv, line 14: expected a number in column 'a', got 'twelve'" in refused
    assert "--text a reads" in refused
    assert "--ignore a leaves" in refused
    run("decide", "slip.csv", "--ignore", "a")
    (folder / "one.csv").write_text("a,b,y\n1,1,no\n2,two,yes\n3,3,no\n")
    refused = run("decide", "one.csv", code=2).stderr
    assert "one.csv, line 3: expected a number in column 'b', got 'two'" in refused
    assert "--text b reads" in refused
    assert "text left out: b" in run("decide", "one.csv", "--text", "b", code=1).stderr
    run("fit", "slip.csv", "--ignore", "a", "-o", "of_b.safetensors")
    refused = run("predict", "of_b.safetensors", "one.csv", code=2).stderr
    assert "line 3: expected a number in column 'b', got 'two' (the model learned" in refused
    assert "--text" not in refused
    assert "--ignore" not in refused
    (folder / "gap.csv").write_text("a,b\n1,\n")
    refused = run("predict", "of_b.safetensors", "gap.csv", code=2).stderr
    assert "--missing drop leaves such rows out, a model of `rosenblatt fit --missing" in refused
    (folder / "few.csv").write_text("a,b,y\n1,1,no\n2,two,yes\n3,three,no\n")
    told = run("decide", "few.csv", code=1).stderr
    assert "text left out: b (b: 'two' in line 3 is no number; --one-hot makes" in told


def test_numbers_in_other_notations_are_named(folder):
    (folder / "mixed.csv").write_text("a;b;y\n1,5;2.5;no\n2,5;3.5;yes\n")
    assert "(a: '1,5' in line 2 is no number; " in run("decide", "mixed.csv").stderr
    (folder / "thousands.csv").write_text('a,b,y\n"1,234",1,no\n"2,345,678.5",2,yes\n')
    assert "(a: '1,234' in line 2 is no number; " in run("decide", "thousands.csv").stderr


@pytest.mark.parametrize("verb", ["fit", "decide"])
def test_tiny_numbers_bring_no_warnings(folder, verb):
    rows = "1e-310,2e-312,0\n3e-311,-1e-310,1\n5e-324,1e-310,0\n2e-310,-4e-312,1\n"
    (folder / "tiny.csv").write_text(f"a,b,y\n{rows}")
    for flags in ([], ["--stream"], ["--scale"]):
        told = run(verb, "tiny.csv", *flags).stderr
        assert "warning" not in told.replace("warning: no better than the answer", "")


@pytest.mark.parametrize("columns", ["a,b,y", "a,b,3", "y"])
def test_the_last_column_is_named_and_the_label_must_be_too(folder, columns):
    (folder / "t.csv").write_text("a,b,flag,y\n1,2,0,no\n2,1,1,no\n5,6,0,yes\n6,5,1,yes\n")
    said = run("fit", "t.csv", "--columns", columns, code=2).stderr
    assert "--columns names 'y', the last column" in said
    assert "name the label with --label ('y' or another)" in said
    assert "label: last column 'y'" in run("fit", "t.csv", "--columns", "a,b").stderr
    said = run("fit", "t.csv", "--columns", "a,b,y", "--label", "y").stderr
    assert "label: 'y', 2 classes; 2 numeric columns" in said
    assert "label: 'flag'" in run("fit", "t.csv", "--columns", "a,b", "--ignore", "y").stderr


def test_columns_are_chosen(folder):
    assert "did you mean 'kind'" in run("fit", "fruit.csv", "--label", "knd", code=2).stderr
    assert as_json("decide", "clash.csv", "--columns", "x,y", code=1)["features"] == 2
    assert as_json("decide", "clash.csv", "--ignore", "y", code=1)["features"] == 1
    assert as_json("decide", "fruit.csv", "--label", "2")["features"] == 1
    assert as_json("decide", "fruit.csv", "--text", "weight", "--one-hot")["features"] == 9
    assert (
        "did you mean 'banana'" in run("fit", "fruit.csv", "--positive", "bananas", code=2).stderr
    )
    assert "between 0 and 1" in run("fit", "fruit.csv", "--test", 2, code=2).stderr


def test_columns_of_bundled_sets_are_chosen(folder):
    petals = "petal length (cm),petal width (cm)"
    found = as_json("fit", "iris", "--columns", petals, "--max-iter", 9, "-o", "m")
    assert {weight["feature"] for weight in found["weights"]} == set(petals.split(","))
    assert "4 numeric columns, 2 of them used" in found["note"]
    assert as_json("fit", "iris", "--ignore", "0,1", "--max-iter", 9)["weights"] == found["weights"]
    assert len(as_json("predict", "m", "iris")["predictions"]) == 150
    accuracy = as_json("score", "m", "iris")["accuracy"]
    assert accuracy == found["training"]["accuracy"]
    assert as_json("decide", "xor", "--columns", "x1", code=1)["features"] == 1
    run("trace", "five_points", "--columns", "0")
    for options, words in (
        (("--ignore", "foo"), "iris: no column 'foo'; there are 'sepal length (cm)'"),
        (("--columns", "4"), "expected a column from 0 to 3, got 4"),
        (("--ignore", "0,1,2,3"), "no columns left"),
        (("--label", "nope"), "leave --label out"),
        (("--text", "0"), "leave --text out"),
    ):
        assert words in run("fit", "iris", *options, code=2).stderr


@pytest.mark.parametrize("verb", ["fit", "decide", "verify"])
def test_memory_is_about_streams(folder, verb):
    proof = ["proof.json"] if verb == "verify" else []
    refused = run(verb, *proof, "fruit.csv", "--memory", "1GB", code=2).stderr
    assert "--memory needs --stream" in refused
    assert "512MiB" in run(verb, "--help").stdout


def test_standard_input_and_globs(folder):
    command = [sys.executable, "-m", "rosenblatt", "decide", "-"]
    done = subprocess.run(command, input=FRUIT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Separable")
    assert done.stderr.startswith("standard input: label: last column 'kind', 2 classes")
    assert as_json("decide", "cl*.csv", code=1)["rows"] == 4
    assert "no file matches" in run("decide", "*.tsv", code=2).stderr
    assert "did you mean 'iris'" in run("decide", "iriss", code=2).stderr


def test_traces(folder):
    result = run("trace", "five_points")
    assert "[-1, 1, -1]" in result.stdout
    found = as_json("trace", "clash.csv")
    assert (found["stop"], found["exact"]) == ("CYCLES", True)
    assert len(as_json("trace", "clash.csv", "--max-passes", 1)["steps"]) == 4


def test_a_trace_of_a_positive_class_has_the_labels_of_the_file(folder):
    (folder / "pm.csv").write_text("a,b,y\n1,1,-\n3,2,+\n2,4,+\n3,4,+\n2,3,-\n")
    asked = ("trace", "pm.csv", "--positive", "-", "--max-passes", 1)
    lines = run(*asked).stdout.splitlines()
    assert [line.split(" | ")[2].strip() for line in lines[1:6]] == list("-+++-")
    assert "positive class: -" in lines
    found = as_json(*asked)
    assert found["classes"] == ["+", "-"]
    assert [step["label"] for step in found["steps"]] == list("-+++-")


def test_plots(folder):
    run("plot", "points", "clash.csv", "-o", "p.png")
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    run("plot", "animate", "six_points", "-o", "a.html")
    assert "<html" in (folder / "a.html").read_text().lower()
    assert (
        "did you mean 'sandwich'" in run("plot", "sandwitch", "xor", "-o", "p.png", code=2).stderr
    )
    run("plot", "points", "xor", "-o", "p.html")
    assert "<svg" in (folder / "p.html").read_text(encoding="utf-8")
    run("plot", "points", "xor", "-o", "p.gif")
    assert (folder / "p.gif").read_bytes().startswith(b"GIF8")
    assert ".png" in run("plot", "points", "xor", "-o", "p.bmp", code=2).stderr
    assert sorted(os.listdir()) == ["a.html", "clash.csv", "fruit.csv", "p.gif", "p.html", "p.png"]


def test_datasets():
    assert "iris" in run("datasets").stdout
    assert "xor" in as_json("datasets")


def test_folders_that_cannot_be_written(folder):
    locked = folder / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    # Root may write anywhere, so a folder that is not there stands in for it.
    place = folder / "nowhere" if os.access(locked, os.W_OK) else locked
    for args in (
        ("fit", "fruit.csv", "-o", place / "m"),
        ("decide", "fruit.csv", "--certificate", place / "proof.json"),
        ("plot", "points", "xor", "-o", place / "p.png"),
    ):
        assert "cannot be written" in run(*args, code=2).stderr
    locked.chmod(stat.S_IRWXU)


READ_AND_WRITTEN = [
    ("fit", "fruit.csv", "-o", "fruit.csv"),
    ("fit", "fruit.csv", "-o", "link.csv"),
    ("fit", "link.csv", "-o", "fruit.csv"),
    ("fit", "f*.csv", "-o", "fruit.csv"),
    ("fit", "--stream", "fruit.csv", "-o", "./fruit.csv"),
    ("fit", "--stream", "fruit.csv", "--checkpoint", "fruit.csv"),
    ("fit", "--dask", "local", "fruit.csv", "--checkpoint", "link.csv"),
    ("predict", "m", "fruit.csv", "-o", "fruit.csv"),
    ("predict", "m", "fruit.csv", "-o", "m"),
    ("decide", "fruit.csv", "--certificate", "fruit.csv"),
    ("decide", "--stream", "fruit.csv", "--certificate", "link.csv"),
    ("export", "m", "-o", "m"),
    ("export", "m.json", "-o", "m.json"),
    ("plot", "points", "fruit.csv", "-o", "fruit.csv"),
]


@pytest.mark.parametrize("args", READ_AND_WRITTEN)
def test_nothing_is_written_over_what_is_read(folder, args):
    run("fit", "fruit.csv", "-o", "m")
    (folder / "m.json").write_bytes((folder / "m").read_bytes())
    (folder / "link.csv").symlink_to("fruit.csv")
    before = {name: (folder / name).read_bytes() for name in os.listdir()}
    assert "which is read; name another file" in run(*args, code=2).stderr
    assert {name: (folder / name).read_bytes() for name in os.listdir()} == before
    assert (folder / "link.csv").is_symlink()


@pytest.mark.parametrize("how", [("--stream",), ("--dask", "local")])
def test_a_checkpoint_is_no_model_and_no_other_file(folder, how):
    (folder / "precious.txt").write_text("dear")
    refused = run("fit", *how, "fruit.csv", "--checkpoint", "precious.txt", code=2)
    assert "precious.txt: not a sound checkpoint, and it would be overwritten" in refused.stderr
    assert (folder / "precious.txt").read_text() == "dear"
    same = run("fit", *how, "fruit.csv", "--checkpoint", "m", "-o", "./m", code=2)
    assert "-o and --checkpoint name the same file" in same.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("fit", "fruit.csv", "-o", "nodir/m"),
        ("fit", "--stream", "fruit.csv", "-o", "nodir/m"),
        ("fit", "--stream", "fruit.csv", "--checkpoint", "nodir/c"),
        ("fit", "--dask", "local", "fruit.csv", "-o", "nodir/m"),
        ("predict", "m", "fruit.csv", "-o", "nodir/labels"),
        ("decide", "fruit.csv", "--certificate", "nodir/proof.json"),
        ("plot", "points", "fruit.csv", "-o", "nodir/p.png"),
        ("export", "m", "-o", "nodir/m.json"),
    ],
)
def test_a_missing_folder_is_told_before_anything_is_read(folder, args):
    refused = run(*args, code=2).stderr
    assert "cannot be written (there is no folder nodir)" in refused
    assert "fruit.csv" not in refused
    assert "no such file" not in refused  # there is no model m, and nobody looked


def test_a_certificate_that_is_not_there_is_told_by_its_name(folder):
    for flags in ([], ["--stream"]):
        said = run("verify", "nosuch", "fruit.csv", *flags, code=2).stderr
        assert "error: cannot read a certificate from 'nosuch': No such file or directory" in said


def test_bad_models(folder):
    assert "no such file" in run("predict", "m", "fruit.csv", code=2).stderr
    assert "not a model file" in run("predict", "fruit.csv", "fruit.csv", code=2).stderr
    run("fit", "fruit.csv", "-o", "m")
    assert "expected 1 numeric" in run("predict", "m", "xor", code=2).stderr


HOSTILE = [{}, {"used": 1}, {"width": "2"}, {"scale": [0.0]}, {"names": [1]}]
HOSTILE += [{"first_index": 2}, {"first_index": True}, {"first_index": []}, {"hashed": 1}]
HOSTILE += [{"text_label": 1}]


@pytest.mark.parametrize("bad", HOSTILE)
def test_hostile_columns_are_refused(bad):
    good = Columns([["a", "numeric"]], "kind", 1, ["a"], {}, [1.0], [2.0]).to_dict()
    assert Columns.from_dict(good).to_dict() == good
    with pytest.raises(InputError, match="not sound"):
        Columns.from_dict({**good, **bad} if bad else {})


def test_errors_in_json(folder):
    assert as_json("decide", "friut.csv", code=2) == {
        "error": "friut.csv: no such file; did you mean 'fruit.csv'?"
    }
    assert "--time-limit" in as_json("decide", "xor", "--time-limit", "soon", code=2)["error"]
    (folder / "m").write_text("nothing")
    assert "not a model file" in as_json("predict", "m", "fruit.csv", code=2)["error"]


def test_a_split_and_a_seed_that_cannot_be(folder):
    refused = run("fit", "iris", "--test", 0.999, code=2).stderr
    assert "a fraction of 0.999 held out of 150 rows leaves none to learn from" in refused
    for flags in ([], ["--test", 0.5], ["--stream"]):
        said = " ".join(run("fit", "fruit.csv", "--seed", -1, *flags, code=2).stderr.split())
        assert "--seed" in said
        assert "greater than or equal to 0" in said.replace("│ ", "")


def test_an_array_that_still_has_its_label_is_told(folder):
    np.save(folder / "rows.npy", [[0.0, 1.0, 0.0], [2.0, 1.0, 1.0]])
    run("fit", "rows.npy", "-o", "model.safetensors")
    said = run("predict", "model.safetensors", "rows.npy", code=2).stderr
    assert "expected 2 numeric columns, those that the model learned from, got 3; leave the" in said
    np.save(folder / "rows.npy", [[0.0], [2.0]])
    said = run("predict", "model.safetensors", "rows.npy", code=2).stderr
    assert said.endswith("got 1\n")


def test_labels_that_cannot_be(folder):
    np.savez(folder / "objects.npz", X=np.eye(2), y=np.array([{}, 1], dtype=object))
    said = run("fit", "objects.npz", code=2).stderr
    assert "error: objects.npz, array 'y': holds Python objects, which are not read; save" in said
    said = run("fit", "objects.npz", "--label", 5, code=2).stderr
    assert "the label is an array of its own; name it, of X, y, got 5" in said
    days = pa.array([0, 1], pa.date32())
    parquet.write_table(pa.table({"a": [1.0, 2.0], "y": days}), folder / "days.parquet")
    said = run("fit", "days.parquet", code=2).stderr
    assert "neither numbers nor text; name another label with --label" in said
    assert "--ignore y leaves it out" in run("fit", "days.parquet", "--label", "a", code=2).stderr


def test_debug_shows_the_traceback(folder):
    result = CliRunner().invoke(app, ["decide", "nothing.csv", "--debug"])
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert "InputError" in result.stderr


def test_a_reader_that_leaves_changes_no_exit_code(folder):
    command = f"{sys.executable} -m rosenblatt decide clash.csv | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


def test_bugs_are_no_answer(folder, monkeypatch):
    monkeypatch.setattr(verbs, "decide", lambda *_: {}["bug"])
    assert "internal error: KeyError" in run("decide", "fruit.csv", code=70).stderr


def test_interrupts(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(verbs, "decide", interrupted)
    assert "Interrupted" in run("decide", "fruit.csv", code=130).stderr


def test_sigterm_is_an_interrupt_with_a_code_of_its_own(folder, monkeypatch):
    def terminated(*_):
        signal.raise_signal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(verbs, "decide", terminated)
    for ctrl_c in (signal.default_int_handler, signal.SIG_IGN):
        old = signal.signal(signal.SIGINT, ctrl_c)
        try:
            assert "Interrupted" in run("decide", "fruit.csv", code=143).stderr
            assert signal.getsignal(signal.SIGINT) is ctrl_c
        finally:
            signal.signal(signal.SIGINT, old)
    assert signal.getsignal(signal.SIGTERM) is before
    assert "143 terminated" in " ".join(run("fit", "--help").stdout.split())


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_and_exit_codes(verb):
    text = run(verb, "--help").stdout
    assert f"rosenblatt {verb}" in text
    assert "Example" in text
    assert "Exit codes" in text


def test_completion_and_version():
    assert __version__ in run("--version").stdout
    assert "--install-completion" in run("--help").stdout


def test_version_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['rosenblatt', '--version']\n"
        "from rosenblatt.cli import main; main()\n"
        "print(sorted({'numpy', 'sklearn', 'numba', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"rosenblatt {__version__}\n[]\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--max-iter", "1_0x"), "valid integer"),
        (("--max-iter", "1.5"), "valid integer"),
        (("--order", "sideways"), "cyclic"),
        (("--threshold", "much"), "valid number"),
        (("--seed", "-1"), "greater than or equal to 0"),
    ],
)
def test_values_in_doubt_are_left_to_typer(folder, words, message):
    done = run("fit", "fruit.csv", *words, code=2)
    assert message in " ".join(done.stderr.split())


def test_a_session_at_a_terminal(folder, start):
    """A long fit shows a bar; Ctrl-C keeps what was learned, says so, and exits 130."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=(3000, 20)), rng.integers(0, 2, 3000)])
    np.savetxt(folder / "noise.csv", rows, delimiter=",", fmt="%.6g")
    args = ("fit", "noise.csv", "--certify", "no", "--max-iter", "100000000", "-o", "m")
    fit = start([*COMMAND, *args], terminal=True, env=AT_TERMINAL)
    fit.until(A_PASS_IS_MADE)
    fit.press()
    assert fit.code() == 130
    assert "Interrupted" in fit.out
    assert "saved in m.interrupted" in fit.out
    assert "\x1b[31m" not in fit.out
    assert "Traceback" not in fit.out
    assert as_json("score", "m.interrupted", "noise.csv")["rows"] == 3000

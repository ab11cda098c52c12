"""A model finds its columns in other files: by name, by position where there are none, or not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import rosenblatt as rb
from commands import as_json, run
from rosenblatt.data.model_file import read, save

COLOURS = "a,colour,y\n1,red,no\n2,blue,no\n7,red,yes\n9,blue,yes\n"


@pytest.fixture
def reversed_iris(folder):
    frame = load_iris(as_frame=True).frame
    frame[[*frame.columns[-2::-1], "target"]].to_csv(folder / "reversed.csv", index=False)
    return frame


def of_before(path):
    """Make a model file of what one of a bundled set held before it said which columns it used."""
    stored = read(path)
    assert stored.columns is not None
    save(stored.model, path, columns={**stored.columns, "used": []}, fingerprint=stored.fingerprint)


@pytest.mark.parametrize("before", [False, True])
def test_a_model_of_a_bundled_set_finds_its_columns_by_name(folder, reversed_iris, before):
    learned = as_json("fit", "iris", "-o", "m")["training"]["accuracy"]
    if before:
        of_before("m")
    assert as_json("score", "m", "reversed.csv")["accuracy"] == learned
    assert as_json("score", "m", "iris")["accuracy"] == learned
    said = run("predict", "m", "reversed.csv").stdout.split()
    assert np.mean(np.array(said, int) == reversed_iris["target"]) == learned
    (folder / "other.csv").write_text("a,b,c,d\n1,2,3,4\n")
    refused = run("predict", "m", "other.csv", code=2).stderr
    assert "other.csv: no column 'sepal length (cm)'; there are 'a', 'b', 'c', 'd'" in refused


def test_a_model_of_a_frame_finds_its_columns_by_name(folder, reversed_iris):
    X, y = reversed_iris.drop(columns="target"), reversed_iris["target"]
    for made in (rb.Perceptron(max_iter=20), rb.MaxMargin()):
        rb.save(made.fit(X, y == 0), folder / "m")
        said = run("predict", "m", "reversed.csv").stdout.split()
        assert said == ["True"] * 50 + ["False"] * 100


def test_a_model_of_other_columns_is_refused_a_bundled_set(folder):
    (folder / "four.csv").write_text("a,b,c,flag,y\n1,2,3,0,no\n2,1,3,1,no\n9,9,9,0,yes\n")
    run("fit", "four.csv", "-o", "m")
    assert "iris: no column 'a'; there are" in run("predict", "m", "iris", code=2).stderr


def test_columns_without_names_are_found_by_position(folder):
    X, y = load_iris(return_X_y=True)
    pd.DataFrame(np.column_stack([X, y])).to_csv(folder / "bare.csv", index=False, header=False)
    np.savez(folder / "iris.npz", X=X, y=y)
    for learned in ("bare.csv", "iris.npz", "iris"):
        run("fit", learned, "-o", "m", "--max-iter", 20)
        for data in ("iris", "iris.npz"):
            assert np.mean(as_json("predict", "m", data)["predictions"] == y) > 0.9


@pytest.mark.parametrize("verb", ["predict", "score", "verify"])
def test_data_without_the_text_that_a_model_learned_from_is_refused(folder, verb):
    (folder / "colours.csv").write_text(COLOURS)
    np.savez(folder / "one.npz", X=np.ones((2, 1)), y=np.array(["no", "yes"]))
    run("fit", "colours.csv", "--one-hot", "-o", "m")
    for data, there in (("pass_the_class", "'x0', 'x1'"), ("one.npz", "'x0'")):
        label = ("--label", "y") if data == "one.npz" and verb != "predict" else ()
        told = " ".join(run(verb, "m", data, *label, code=2).stderr.split())
        assert f"{data}: no column 'colour' of text, which the model learned from" in told
        assert f"there are {there}, which are numbers" in told


ZIPS = "a,y\n1,01\n2,01\n8,02\n9,02\n"


@pytest.mark.parametrize("how", [(), ("--positive", "01"), ("--stream",)])
def test_a_model_keeps_that_its_label_is_text(folder, how):
    (folder / "zips.csv").write_text(ZIPS)
    run("fit", "zips.csv", "--text", "y", *how, "-o", "m")
    assert as_json("score", "m", "zips.csv")["accuracy"] == 1
    assert "holds" in run("verify", "m", "zips.csv").stdout
    columns = rb.load_columns("m")
    assert columns.text_label
    (folder / "more.csv").write_text(ZIPS + "20,2\n30,1\n")
    assert as_json("score", "m", "more.csv")["right"] == (6 if "--positive" in how else 4)
    # Models of before did not say so; their classes do, but for a positive one.
    save(read("m").model, "m", columns={**columns.to_dict(), "text_label": None})
    assert as_json("score", "m", "zips.csv")["accuracy"] == 1


def test_a_label_column_named_by_a_number_is_no_position(folder):
    (folder / "years.csv").write_text("2018,2019\n1.5,no\n2.5,no\n7.5,yes\n9.5,yes\n")
    run("fit", "years.csv", "--header", "-o", "m")
    assert as_json("score", "m", "years.csv", "--header")["accuracy"] == 1


def test_labels_of_which_the_model_knows_none_are_an_error(folder):
    (folder / "colours.csv").write_text(COLOURS)
    run("fit", "colours.csv", "-o", "m")
    refused = run("score", "m", "colours.csv", "--label", "colour", code=2).stderr
    assert "such as 'no', 'yes', got none of them but 'blue', 'red'; name the label" in refused
    (folder / "numbers.csv").write_text("a,y\n1,0\n2,1\n")
    run("fit", "numbers.csv", "-o", "m")
    refused = run("score", "m", "colours.csv", code=2).stderr
    assert "labels are text, such as 'no', but the model's numbers" in refused


@pytest.mark.parametrize("flag", ["--label", "--columns", "--ignore", "--text"])
def test_a_name_of_several_columns_is_refused(folder, flag):
    (folder / "twice.csv").write_text("y,a,y\n0,1,p\n1,2,p\n0,8,q\n1,9,q\n")
    result = run("decide", "twice.csv")
    assert "label: last column 'y.1'" in result.stderr
    assert "repeated names: position 2 is called 'y.1'" in result.stderr
    for how in ((), ("--stream",)):
        refused = run("decide", "twice.csv", flag, "y", *how, code=2).stderr
        assert "has, got 'y', which those at positions 0 and 2 have; name it by its" in refused
    verdict = int(flag in ("--label", "--columns"))
    run("decide", "twice.csv", flag, "0", code=verdict)


def test_models_of_repeated_names_find_their_columns(folder):
    (folder / "twice.csv").write_text("y,a,a,y,b\n0,1,5,p,u\n0,2,6,p,v\n1,8,1,q,u\n1,9,2,q,v\n")
    found = as_json("fit", "twice.csv", "--label", "3", "-o", "m")
    assert {weight["feature"] for weight in found["weights"]} <= {"y", "a", "a.1"}
    assert as_json("score", "m", "twice.csv")["accuracy"] == 1
    run("fit", "twice.csv", "--label", "0", "--columns", "1,3", "-o", "m")
    assert as_json("score", "m", "twice.csv")["accuracy"] == 1
    assert run("predict", "m", "twice.csv").stdout.split() == ["0", "0", "1", "1"]


def test_names_made_are_different(folder):
    (folder / "made.csv").write_text("a,a,a.1,y\n1,2,3,x\n2,3,1,z\n5,1,1,x\n")
    found = as_json("fit", "made.csv")
    assert {weight["feature"] for weight in found["weights"]} == {"a", "a.2", "a.1"}
    assert "position 1 is called 'a.2'" in found["note"]


def test_a_file_without_a_header_points_to_it(folder):
    (folder / "colours.csv").write_text(COLOURS)
    (folder / "bare.csv").write_text(COLOURS.partition("\n")[2])
    run("fit", "colours.csv", "-o", "m")
    said = " ".join(run("predict", "m", "bare.csv", code=2).stderr.split())
    assert "no line was taken for a header (--header takes the first)" in said
    assert "header" not in run("predict", "m", "iris", code=2).stderr


def test_what_is_given_for_a_model_is_named(folder):
    (folder / "colours.csv").write_text(COLOURS)
    run("decide", "colours.csv", "--certificate", "proof.json")
    said = run("predict", "proof.json", "colours.csv", code=2).stderr
    assert "proof.json: not a model file but a certificate, which `rosenblatt verify` takes" in said
    said = run("predict", "colours.csv", "colours.csv", code=2).stderr
    assert "colours.csv: not a model file but text; `rosenblatt fit DATA -o MODEL`" in said

"""A report on a file: it agrees with the library, and ends in a page or in a sentence."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.datasets import dump_svmlight_file, load_iris
from typer.testing import CliRunner

import rosenblatt as rb
from rosenblatt.certificate import from_json
from rosenblatt.cli.app import app
from rosenblatt.data.tables.reading import Choice, read_file
from rosenblatt.lab.report import findings

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().target_names


def as_csv(X, y):
    head = ",".join([*(f"x{j}" for j in range(X.shape[1])), "kind"])
    rows = (",".join([*map(repr, row), str(name)]) for row, name in zip(X.tolist(), y, strict=True))
    return "\n".join([head, *rows]).encode() + b"\n"


IRIS = as_csv(X, NAMES[Y])


def told(path, test=0.0, seconds=60.0, **chosen):
    """The events of a report."""
    events = []
    choice = Choice(**chosen)
    question = findings.Question(choice, test, seconds)
    findings.report(read_file(str(path), choice), question, lambda *event: events.append(event))
    return events


@pytest.fixture
def iris(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris.csv").write_bytes(IRIS)
    return "iris.csv"


def test_the_report_agrees_with_the_library(iris):
    found = dict(told(iris))
    decision = rb.decide(X, NAMES[Y])
    assert found["decision"]["verdict"] == "inseparable"
    assert found["decision"]["certificate"]["content"] == decision.certificate.to_dict()
    model = rb.Perceptron().fit(X, NAMES[Y])
    assert found["fit"]["mistakes"] == model.mistakes_
    assert found["fit"]["stop_sentence"] == str(model.stop_)
    assert found["fit"]["training"]["accuracy"] == model.score(X, NAMES[Y])
    assert "held_out" not in found["fit"]
    pairs = rb.pairs(X, NAMES[Y])
    told_of = {tuple(part["pair"]): part["verdict"] for part in found["pairs"]["decisions"]}
    assert told_of == {names: part.verdict.value for names, part in pairs.decisions.items()}


def test_a_certificate_that_is_downloaded_can_be_verified(iris):
    found = dict(told(iris, positive="setosa"))["decision"]
    assert found["verdict"] == "separable"
    proof = from_json(json.dumps(found["certificate"]["content"]))
    assert proof.verify(X, NAMES[Y] == "setosa")


def test_the_regions_of_the_picture_are_those_of_the_predictions(iris):
    drawn = dict(told(iris))["picture"]
    assert [len(corners) > 2 for corners in drawn["regions"]] == [True] * 3
    model = rb.Perceptron().fit(X, NAMES[Y])
    predicted = np.searchsorted(model.classes_, model.predict(X))
    for (p, q, code, wrong), said in zip(drawn["points"], predicted, strict=True):
        assert wrong == (code != said)
        assert inside(drawn["regions"][said], p, q)


def inside(corners, p, q):
    """Whether a point is in a convex polygon, by the signs of its corners' cross products."""
    x, y = (np.array(corners) - [p, q]).T
    turns = x * np.roll(y, -1) - y * np.roll(x, -1)
    return (turns >= -1e-9).all() or (turns <= 1e-9).all()


def test_choices_are_those_of_the_command_line(iris):
    events = dict(told(iris, label="4", ignore=["0,1"], scale=True, test=0.5, positive="virginica"))
    assert events["fit"]["features"] == 2
    assert events["fit"]["held_out"]["rows"] == 75
    assert events["data"]["commands"]["fit"] == (
        "rosenblatt fit iris.csv --label kind --positive virginica --ignore 0,1 --scale --test 0.5"
    )


# Row by row beside its line of the file: blank lines, a line break in a cell, cells that lack.
ROWS = [
    ("0,0,even,plain", 2),
    ("", 3),
    (",5,odd,lacks", 4),
    ('1,1,even,"two\nlines"', 5),
    ("0,1,odd,plain", 7),
    ("", 8),
    ("7,NA,even,lacks", 9),
    ("1,0,odd,plain", 10),
    ("9,9,third,plain", 11),
    ("0.5,0.5,third,plain", 12),
]


@pytest.mark.parametrize("heading", [True, False])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_are_found_again_in_the_file(tmp_path, monkeypatch, heading, end):
    monkeypatch.chdir(tmp_path)
    head = ["p,q,kind,note"] * heading
    text = end.join([*head, *(row for row, _ in ROWS)]).replace("two\nlines", f"two{end}lines")
    (tmp_path / "odd.csv").write_bytes(b"\xef\xbb\xbf" + text.encode() + end.encode())
    lines = {line - 1 + heading: row.split(",")[:3] for row, line in ROWS if row}
    read = [row.split(",")[:3] for row, _ in ROWS if row and "lacks" not in row]
    found = dict(told("odd.csv", label="2", missing="drop", ignore=["3"]))
    shown = found["decision"]["certificate"]["evidence"]
    assert shown["called"] == "line"
    for row in shown["rows"]:
        assert lines[row["at"]] == read[row["row"]]
        assert row["class"] == read[row["row"]][2]
    assert max(row["weight"] for row in shown["rows"]) == 1
    (pair,) = [p for p in found["pairs"]["decisions"] if set(p["pair"]) == {"even", "odd"}]
    both = [cells for cells in read if cells[2] != "third"]
    for row in pair["certificate"]["evidence"]["rows"]:
        assert lines[row["at"]] == both[row["row"]]


def test_rows_of_other_files_are_counted_from_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = {"x": [0.0, None, 1.0, 2.0], "kind": [True, True, False, True]}
    parquet.write_table(pa.table(values), "rows.parquet")
    dump_svmlight_file([[0.0], [1.0], [2.0]], [1, 0, 1], "rows.svm")
    for name, rows in (("rows.parquet", [1, 3, 4]), ("rows.svm", [1, 2, 3])):
        shown = dict(told(name, missing="drop"))["decision"]["certificate"]["evidence"]
        assert shown["called"] == "row"
        assert [row["at"] for row in shown["rows"]] == rows


@pytest.mark.parametrize(
    ("labels", "asked", "words"),
    [
        (["True", "False"], {}, ["kind = False", "kind = True"]),
        (["true", "FALSE"], {}, ["kind = FALSE", "kind = true"]),
        (["true", "x"], {}, ["true", "x"]),
        (["yes", "no"], {"positive": "yes"}, ["no", "yes"]),
    ],
)
def test_truth_values_are_told_with_their_column(tmp_path, monkeypatch, labels, asked, words):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k},{labels[k > 4]}\n" for k in range(8))
    (tmp_path / "kind.csv").write_text(f"x,kind\n{rows}")
    found = dict(told("kind.csv", **asked))
    explained = found["decision"]["certificate"]["explained"]
    assert all(repr(word) in explained for word in words)
    assert found["fit"]["classes"] == found["fit"]["training"]["classes"] == words
    # The larger values are those of the second label.
    (weight,) = found["fit"]["weights"]
    assert weight["towards"].endswith(labels[1])
    assert f"negative on every row of class {words[0]!r}" in explained


def test_it_is_told_where_the_weights_come_from(iris, tmp_path):
    assert dict(told(iris))["fit"]["weights_are"].startswith("The average")
    found = dict(told(iris, positive="setosa"))["fit"]["weights_are"]
    assert found.startswith("The last weights")
    # Far from the origin updates take long, and a hyperplane is solved for.
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(200, 3))
    (tmp_path / "far.csv").write_bytes(as_csv(cloud + 300, cloud @ [1, 2, -1] > 0))
    found = dict(told("far.csv"))["fit"]
    assert found["weights_are"].startswith("Not reached by updates")
    assert found["training"]["accuracy"] == 1


def test_time_is_bounded(iris):
    events = dict(told(iris, seconds=1e-9))
    assert events["decision"]["verdict"] == "undecided"
    assert events["decision"]["certificate"] is None
    assert events["fit"]["stop"] == "CALLBACK"
    assert "seconds for the fit are spent" in events["fit"]["stop_sentence"]


def test_the_margin_of_two_classes_is_narrow(tmp_path):
    """Not what the decision happened to know of it, which may be thirty times too wide."""
    rng = np.random.default_rng(1)
    cloud = rng.normal(size=(20, 3)) + np.array([0, 0, 4])
    sides = cloud @ [1, -1, 0.2] > 0.8
    (tmp_path / "few.csv").write_bytes(as_csv(cloud, np.where(sides, "yes", "no")))
    lower, upper = dict(told(tmp_path / "few.csv"))["decision"]["margin"]
    assert upper <= lower * 1.001
    assert lower <= rb.margin(cloud, sides).upper
    assert upper >= rb.margin(cloud, sides).lower


@pytest.mark.parametrize("names", [("no", "yes"), ("reject", "accept")])
def test_the_positive_class_has_the_dots(tmp_path, names):
    """Crosses for the negative class, dots for the positive, whatever the alphabet says."""
    rows = [[k, k % 3] for k in range(8)]
    labels = [names[k > 3] for k in range(8)]
    (tmp_path / "two.csv").write_bytes(as_csv(np.array(rows, float), labels))
    drawn = dict(told(tmp_path / "two.csv"))["picture"]
    assert drawn["classes"] == list(names)
    assert [point[2] for point in drawn["points"]] == [int(k > 3) for k in range(8)]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["report", *map(str, arguments)], prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return " ".join(result.stderr.split())


def test_the_verb_writes_one_page_that_asks_nobody(iris, tmp_path):
    assert "report.html" in run(iris, "-o", "report.html", "--test", "0.25")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "default-src 'none'" in text
    content = re.search(r'id="content">(.*?)</script>', text, re.S)[1]
    events = dict(json.loads(content))
    assert events["decision"]["verdict"] == "inseparable"
    assert events["fit"]["held_out"]["rows"] == 38


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("iris.csv", "-o", "x.txt"), "ending in .html"),
        (("nothing.csv", "-o", "x.html"), "nothing.csv"),
        (("iris.csv", "-o", "iris.csv"), "overwrite"),
        (("iris.csv", "-o", "x.html", "--test", "2"), "from 0 to below 1"),
        (("iris.csv", "-o", "x.html", "--label", "0"), "numbers with a fraction"),
    ],
)
def test_what_cannot_be_reported_is_a_sentence(iris, tmp_path, arguments, words):
    said = run(*arguments, code=2)
    assert words in said
    assert not (tmp_path / "x.html").exists()

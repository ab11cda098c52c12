"""My data without a browser: the reports agree with the library, hostile files end in a sentence,
and nothing is left when a report ends, however it ends.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import tempfile
import threading
import time
import zipfile
from urllib.parse import urlencode, urlsplit

import httpx
import numpy as np
import psutil
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.datasets import dump_svmlight_file, load_iris
from starlette.testclient import TestClient

import rosenblatt as rb
from rosenblatt.certificate import from_json
from rosenblatt.data.tables.reading import Choice
from rosenblatt.errors import InputError
from rosenblatt.lab.mydata import desk, findings
from rosenblatt.lab.web.server import make_app

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().target_names
KIND = "application/octet-stream"


def as_csv(X, y):
    head = ",".join([*(f"x{j}" for j in range(X.shape[1])), "kind"])
    rows = (",".join([*map(repr, row), str(name)]) for row, name in zip(X.tolist(), y, strict=True))
    return "\n".join([head, *rows]).encode() + b"\n"


IRIS = as_csv(X, NAMES[Y])
SLEEP = "import time; print('progress {}', flush=True); time.sleep(61)"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the lab keeps uploads during this test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(), base_url="http://localhost") as made:
        yield made


def told(path, **asked):
    """The events of a report, made here."""
    events = []
    findings.report(str(path), findings.Question.of(asked), lambda *event: events.append(event))
    return events


@pytest.fixture
def iris(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris.csv").write_bytes(IRIS)
    return "iris.csv"


# --- the report ------------------------------------------------------------------------------


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


def test_columns_are_listed_and_the_last_is_the_label(iris):
    found = findings.columns(iris)
    assert [column["kind"] for column in found["columns"]] == ["numeric"] * 4 + ["text"]
    assert found["label"] == 4
    assert found["rows"][0] == ["5.1", "3.5", "1.4", "0.2", "setosa"]


def test_parquet_and_svmlight_are_read_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {f"x{j}": X[:, j] for j in range(4)}
    parquet.write_table(pa.table({**columns, "kind": NAMES[Y]}), "iris.parquet")
    dump_svmlight_file(X, Y, "iris.svm")
    assert findings.columns("iris.parquet")["columns"][4] == {"name": "kind", "kind": "text"}
    assert findings.columns("iris.svm")["columns"] == []
    assert dict(told("iris.parquet"))["decision"]["verdict"] == "inseparable"
    assert dict(told("iris.svm", positive="0"))["decision"]["verdict"] == "separable"


def test_choices_are_those_of_the_command_line(iris):
    events = dict(told(iris, label="4", ignore="0,1", scale="1", test="0.5", positive="virginica"))
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
    found = dict(told("odd.csv", label="2", missing="drop", ignore="3"))
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
    events = {}
    findings.report(iris, findings.Question(Choice(), seconds=1e-9), events.__setitem__)
    assert events["decision"]["verdict"] == "undecided"
    assert events["decision"]["certificate"] is None
    assert events["fit"]["stop"] == "CALLBACK"
    assert "seconds for the fit are spent" in events["fit"]["stop_sentence"]
    # A pair so small that it is separated before anyone looks at the clock may be.
    assert {part["verdict"] for part in events["pairs"]["decisions"]} <= {"separable", "undecided"}
    assert events["pairs"]["decisions"][-1]["verdict"] == "undecided"  # these overlap


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"seconds": "0"}, "seconds"),
        ({"seconds": "inf"}, "seconds"),
        ({"seconds": "1e309"}, "seconds"),
        ({"seconds": "nan"}, "seconds"),
        ({"seconds": "6" * 30}, "seconds"),
        ({"test": "-1"}, "test"),
        ({"test": "1"}, "test"),
        ({"test": "..."}, "test"),
        ({"missing": "ignore"}, "missing"),
    ],
)
def test_a_question_out_of_bounds_is_refused(asked, words):
    with pytest.raises(InputError, match=words):
        findings.Question.of(asked)


# --- hostile files ---------------------------------------------------------------------------


def many_runs():
    """A Parquet file of two million equal rows in a few kilobytes."""
    rows = 2 * 10**6
    indices = pa.array(np.zeros(rows, np.int8))
    column = pa.DictionaryArray.from_arrays(indices, pa.array([1.5]))
    file = io.BytesIO()
    parquet.write_table(pa.table({"x": column, "y": column}), file, compression="zstd")
    return file.getvalue()


def a_zip():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", b"\0" * 10**7)
    return file.getvalue()


def as_parquet(**columns):
    """Columns as a Parquet file."""
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


HOSTILE = {
    "bomb.csv.gz": (lambda: gzip.compress(b"0,1\n" * 10**6), "decompressed"),
    "runs.parquet": (many_runs, "rows"),
    "bomb.npz": (a_zip, "got npz"),
    "office.xlsx": (lambda: b"PK\x03\x04[Content_Types].xml", "office"),
    "zeros.csv": (lambda: b"\0" * 10_000, "binary"),
    "cut.csv.gz": (lambda: gzip.compress(IRIS)[:-20], "cut short"),
    "cut.parquet": (lambda: b"PAR1" + b"\xff" * 100 + b"PAR1", "damaged"),
    "wide.csv": (lambda: b",".join([b"x"] * 50_000) + b"\n", ""),
    "one.csv": (lambda: b"x\n1\n2\n", "only one column"),
    "empty.csv": (lambda: b"\n\n\n", ""),
    "same.csv": (lambda: b"x,kind\n1,a\n2,a\n", "class"),
    "nan.csv": (lambda: b"x,kind\nnan,a\n2,b\n", "no value"),
    "inf.csv": (lambda: b"x,kind\n1e400,a\n2,b\n", ""),
    "ids.csv": (
        lambda: b"x,id\n" + b"".join(b"%d,n%d\n" % (k, k) for k in range(500)),
        "different",
    ),
    "far.svm": (lambda: b"1 4000000000:1\n2 1:1\n", ""),
    "text.csv": (lambda: b"a,b\nx,y\nz,w\n", "text"),
    "utf16.csv": (lambda: "a,b\n1,2\n".encode("utf-16"), "UTF-16"),
    "latin.csv": (lambda: "a,b\n1,é\n2,y\n".encode("latin-1"), "convert the file to UTF-8"),
    "lists.parquet": (lambda: as_parquet(x=[[1, 2], [3]], k=["a", "b"]), "neither numbers nor"),
    "structs.parquet": (lambda: as_parquet(x=[{"a": 1}] * 2, k=["a", "b"]), "neither numbers nor"),
    "cells.parquet": (lambda: as_parquet(**{f"x{j}": [0.0] * 600 for j in range(60)}), "cells"),
    "nothing.parquet": (as_parquet, "column"),
    "encrypted.parquet": (lambda: b"PARE" + b"\0" * 100 + b"PARE", "binary"),
    "pickle.csv": (lambda: b"\x80\x04\x95\x1a\0\0\0cos\nsystem\n(S'id'\ntR.", "binary"),
    "quote.csv": (lambda: b'a,b\n"1,x\n2,y\n3,z\n', "line 2: expected a quote that closes"),
    "ragged.csv": (lambda: b"a,b\n1,x\n2,y," + b"z," * 10**5 + b"\n", "expected 2 values"),
    "digits.csv": (lambda: b"a,b\n" + b"9" * 10**6 + b",x\n1,y\n", "expected a finite number"),
    "large.csv": (lambda: b"a,b\n1e308,x\n-1e308,y\n", "too large"),
    "page.csv": (lambda: b"<!doctype html><html><body>a,b</body></html>\n", "no rows"),
    "negative.svm": (lambda: b"1 -3:1\n2 1:1\n", "index:value"),
    "nan.svm": (lambda: b"1 1:nan\n2 1:1\n", "expected a number"),
    "labels.svm": (lambda: b"inf 1:1\nnan 1:1\n", "number as label"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_in_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(findings, "UNPACKED", 10**6)
    monkeypatch.setattr(findings, "CELLS", 30_000)
    make, words = HOSTILE[name]
    (tmp_path / name).write_bytes(make())
    with pytest.raises(InputError, match=words or "."):
        told(name)


def test_a_file_may_not_take_all_memory(client, folder, monkeypatch):
    """The worker's own limit, in its own process."""
    # Compiling takes more memory than is allowed here: the first report does it, without limit.
    streamed(client, as_csv(np.arange(8.0).reshape(4, 2), np.arange(4) % 2), "small.csv")
    wide = np.zeros((2000, 1500))
    wide[:, 0] = np.arange(2000)
    worker = "import rosenblatt.lab.mydata.worker as w; w.MEMORY = 300 << 20; w.main()"
    monkeypatch.setattr(desk, "WORKER", [desk.WORKER[0], "-P", "-c", worker])
    events = streamed(client, as_csv(wide, np.arange(2000) % 2), "wide.csv")
    assert "memory" in events[-1][1]["error"] or "ended early" in events[-1][1]["error"]
    assert not os.listdir(folder)


@pytest.mark.parametrize(
    "name",
    [
        *("../../etc/passwd", "/etc/passwd", "..", ".", "-", "", "*.csv", "a\0b.csv", "C:\\x.csv"),
        *(
            "x" * 5000,
            "~/.ssh/id_rsa",
            "|ls",
            "$(ls).csv",
            "--help",
            "con.csv",
            "e\u0301.csv",
            "..",
        ),
    ],
)
def test_no_name_leaves_its_folder(name):
    safe = desk.safe_name(name)
    assert 0 < len(safe.encode()) <= 100
    assert os.path.basename(os.path.normpath(os.path.join("/folder", safe))) == safe
    assert not set(safe) & set("/\\*?[]\0~$|&;<>'\"")
    assert safe[0] not in ".-"


# --- over HTTP -------------------------------------------------------------------------------


def streamed(client, content, name, **asked):
    """The server-sent events of a report."""
    path = f"/api/data/report?{urlencode({'name': name, **asked})}"
    response = client.post(path, content=content, headers={"content-type": KIND})
    assert response.headers["content-type"].startswith("text/event-stream"), response.text
    events = []
    for block in response.text.strip().split("\n\n"):
        event, data = block.split("\n")
        content = json.loads(data.removeprefix("data: "), parse_constant=pytest.fail)
        events.append((event.removeprefix("event: "), content))
    return events


def test_a_report_comes_as_events_and_leaves_nothing(client, folder):
    events = streamed(client, IRIS, "../my iris.csv")
    names = [name for name, _ in events]
    assert [name for name in names if name != "progress"] == [
        *("data", "decision", "fit", "picture", "pairs", "errors", "separation", "done")
    ]
    errors, kind = dict(events)["errors"], dict(events)["separation"]
    assert 1 <= errors["lower"] <= errors["upper"] == errors["all"]
    assert {row["at"] - row["row"] for row in errors["rows"]} == {2}
    assert (kind["model"], kind["kind"]) == ("multinomial", "quasi-complete")
    assert dict(events)["data"]["source"] == "my iris.csv"
    assert not os.listdir(folder)


def test_columns_of_true_and_false_are_shown_as_they_are_written(tmp_path):
    path = tmp_path / "flags.csv"
    path.write_text("flag,x,kind\nTrue,1,False\nFalse,2.5,True\n")
    found = findings.columns(str(path))
    assert [column["kind"] for column in found["columns"]] == ["numeric"] * 3
    assert found["rows"] == [["True", "1", "False"], ["False", "2.5", "True"]]


def test_columns_over_http(client, folder):
    path = "/api/data/columns?name=iris.csv"
    response = client.post(path, content=IRIS, headers={"content-type": KIND})
    assert response.json()["label"] == 4
    refused = client.post(path, content=b"\0\0", headers={"content-type": KIND})
    assert refused.status_code == 422
    assert refused.json()["error"] == (
        "iris.csv: is binary, in no known format; expected CSV, Parquet or svmlight"
    )
    assert not os.listdir(folder)


@pytest.mark.parametrize("path", ["/api/data/columns", "/api/data/report"])
def test_what_is_no_file_is_refused(client, folder, path):
    form = client.post(path, files={"file": ("x.csv", b"a,b\n1,2\n")})
    assert form.status_code == 415
    assert client.post(path, headers={"content-type": KIND}).status_code == 400
    large = {"content-type": KIND, "content-length": str(desk.UPLOAD_BYTES + 1)}
    assert client.post(path, content=b"a", headers=large).status_code == 413
    assert not os.listdir(folder)


def test_an_upload_is_counted_and_not_believed(client, folder, monkeypatch):
    monkeypatch.setattr(desk, "UPLOAD_BYTES", 100)

    def parts():
        for _ in range(50):
            yield b"1,2,3\n"

    headers = {"content-type": KIND}
    response = client.post("/api/data/columns", content=parts(), headers=headers)
    assert response.status_code == 413
    assert not os.listdir(folder)


def test_a_report_out_of_bounds_is_refused_before_the_file_is_read(client):
    path = "/api/data/report?seconds=1e9"
    response = client.post(path, content=IRIS, headers={"content-type": KIND})
    assert response.status_code == 422
    assert "seconds" in response.json()["error"]


def test_a_full_desk_turns_away(client, folder, monkeypatch):
    monkeypatch.setattr(desk, "WAITING", -desk.RUNNING - desk.LOOKING)
    response = client.post("/api/data/report", content=IRIS, headers={"content-type": KIND})
    assert (response.status_code, "busy" in response.json()["error"]) == (503, True)
    assert not os.listdir(folder)


def test_a_report_that_takes_too_long_is_ended(client, folder, monkeypatch):
    monkeypatch.setattr(desk, "OVERHEAD", -float(desk.PARTS))
    events = streamed(client, IRIS, "iris.csv", seconds="1")
    assert "not finished within" in events[-1][1]["error"]
    assert not os.listdir(folder)


def test_a_worker_that_dies_is_reported(client, folder, monkeypatch):
    die = "import os; os.abort()"
    monkeypatch.setattr(desk, "WORKER", [desk.WORKER[0], "-c", die])
    assert "ended early" in streamed(client, IRIS, "iris.csv")[-1][1]["error"]
    assert not os.listdir(folder)


# --- leaving ---------------------------------------------------------------------------------


def workers():
    """The processes that make reports for this one."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if SLEEP in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


def until(condition, seconds=20.0):
    """Wait for it; whether it came."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def until_said(line, words):
    """Wait for words on a connection."""
    seen = b""
    while words not in seen:
        part = line.recv(4096)
        assert part, seen
        seen += part


def handed_in(lab, content, **asked):
    """A connection on which a report is under way."""
    place = urlsplit(lab)
    line = socket.create_connection((place.hostname, place.port), timeout=30)
    head = [
        f"POST /api/data/report?{urlencode({'name': 'hard.csv', **asked})} HTTP/1.1",
        *(f"Host: {place.netloc}", f"Content-Type: {KIND}", f"Content-Length: {len(content)}"),
    ]
    line.sendall("\r\n".join([*head, "", ""]).encode() + content)
    return line


def test_who_leaves_ends_the_work(lab, folder, monkeypatch):
    monkeypatch.setattr(desk, "WORKER", [desk.WORKER[0], "-c", SLEEP])
    line = handed_in(lab, IRIS)
    until_said(line, b"progress")
    assert len(workers()) == 1
    line.close()
    assert until(lambda: not workers())
    assert until(lambda: not os.listdir(folder))


def test_who_leaves_the_queue_is_forgotten(lab, folder, monkeypatch):
    """With every place taken, a report waits; its upload goes with its client."""
    monkeypatch.setattr(desk, "WORKER", [desk.WORKER[0], "-c", SLEEP])
    lines = [handed_in(lab, IRIS) for _ in range(desk.RUNNING)]
    for line in lines:
        until_said(line, b"progress")
    last = handed_in(lab, IRIS)
    until_said(last, b"waiting for others")
    last.close()
    assert until(lambda: len(os.listdir(folder)) == desk.RUNNING)
    for line in lines:
        line.close()
    assert until(lambda: not os.listdir(folder) and not workers())


def test_fifteen_reports_at_once_are_a_queue_and_each_knows_its_number(lab, folder, monkeypatch):
    monkeypatch.setattr(desk, "WORKER", [desk.WORKER[0], "-c", SLEEP])
    lines = []
    for k in range(15):
        lines.append(handed_in(lab, IRIS))
        number = k + 1 - desk.RUNNING
        until_said(lines[-1], b"progress" if number <= 0 else b"number %d in the queue" % number)
    # Who leaves lets everyone behind move up.
    lines.pop(desk.RUNNING).close()
    until_said(lines[-1], b"number %d in the queue" % (14 - desk.RUNNING))
    for line in lines:
        line.close()
    assert until(lambda: not os.listdir(folder) and not workers())


def test_the_columns_of_a_file_do_not_wait_for_reports(lab, folder, monkeypatch):
    worker = desk.WORKER
    monkeypatch.setattr(desk, "WORKER", [worker[0], "-c", SLEEP])
    lines = [handed_in(lab, IRIS) for _ in range(desk.RUNNING + 1)]
    until_said(lines[-1], b"in the queue")
    monkeypatch.setattr(desk, "WORKER", worker)
    found = httpx.post(
        f"{lab}/api/data/columns?name=iris.csv", content=IRIS, headers={"content-type": KIND},
        timeout=60,
    )  # fmt: skip
    assert found.json()["label"] == 4
    for line in lines:
        line.close()
    assert until(lambda: not os.listdir(folder) and not workers())


def test_many_who_leave_at_once_leave_nothing(lab, folder, monkeypatch):
    """At whatever moment: in the queue, at work, or with half of the file sent."""
    monkeypatch.setattr(desk, "WORKER", [desk.WORKER[0], "-c", SLEEP])
    lines = [handed_in(lab, IRIS) for _ in range(desk.RUNNING + 5)]
    until_said(lines[0], b"progress")
    place = urlsplit(lab)
    for sent in (b"", IRIS[:100]):
        half = socket.create_connection((place.hostname, place.port), timeout=30)
        head = f"POST /api/data/columns?name=half.csv HTTP/1.1\r\nHost: {place.netloc}\r\n"
        half.sendall(f"{head}Content-Type: {KIND}\r\nContent-Length: 999\r\n\r\n".encode() + sent)
        lines.append(half)
    leaving = [threading.Thread(target=line.close) for line in lines]
    for one in leaving:
        one.start()
    for one in leaving:
        one.join()
    assert until(lambda: not os.listdir(folder) and not workers())
    # Every place is free again.
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    lines = [handed_in(lab, IRIS) for _ in range(desk.RUNNING)]
    for line in lines:
        until_said(line, b"event: data")
        line.close()
    assert until(lambda: not os.listdir(folder) and not workers())


def test_a_string_that_unpacks_without_end_is_refused(client, folder, monkeypatch):
    """A dictionary of one long word, a hundred thousand times: 100 GB of text in 300 kB."""
    word = pa.array(["z" * 10**6])
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**5, np.int32)), word)
    content = as_parquet(x=np.arange(1e5), kind=words)
    assert len(content) < 10**6
    events = streamed(client, content, "words.parquet")
    assert events[-1][0] == "error"
    assert not os.listdir(folder)


@pytest.mark.parametrize(
    "name", ["数" * 100 + ".csv", "🙂" * 400 + ".csv", "a\nb\0c.csv", "\u202evsc.exe", "%2e%2e%2fx"]
)
def test_a_name_in_any_script_is_a_name(client, folder, name):
    path = f"/api/data/columns?{urlencode({'name': name})}"
    content = b"a,kind\n1,x\n2,y\n"
    response = client.post(path, content=content, headers={"content-type": KIND})
    assert response.status_code == 200, response.text
    assert [column["name"] for column in response.json()["columns"]] == ["a", "kind"]
    assert not os.listdir(folder)


def test_a_truncated_upload_leaves_nothing(lab, folder):
    place = urlsplit(lab)
    with socket.create_connection((place.hostname, place.port)) as line:
        head = f"POST /api/data/report?name=x.csv HTTP/1.1\r\nHost: {place.netloc}\r\n"
        line.sendall(f"{head}Content-Type: {KIND}\r\nContent-Length: 1000\r\n\r\na,b\n".encode())
        assert until(lambda: os.listdir(folder))
    assert until(lambda: not os.listdir(folder))


def test_a_slow_upload_is_not_waited_for(lab, folder, monkeypatch):
    monkeypatch.setattr(desk, "UPLOAD_SECONDS", 0.2)
    place = urlsplit(lab)
    with socket.create_connection((place.hostname, place.port), timeout=20) as line:
        head = f"POST /api/data/columns HTTP/1.1\r\nHost: {place.netloc}\r\n"
        line.sendall(f"{head}Content-Type: {KIND}\r\nContent-Length: 1000\r\n\r\na,b\n".encode())
        assert line.recv(4096).startswith(b"HTTP/1.1 408")
    assert until(lambda: not os.listdir(folder))


def test_several_reports_at_once_all_end(client, folder):
    found = []

    def one():
        found.append(streamed(client, IRIS, "iris.csv", positive="setosa")[-1][0])

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["done"] * 2
    assert not os.listdir(folder)


def test_choice_defaults_are_the_command_lines():
    assert findings.Question.of({}).choice == Choice()

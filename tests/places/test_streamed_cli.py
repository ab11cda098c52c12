"""``--stream`` on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from typer.testing import CliRunner

import rosenblatt as rb
from children import A_PASS_IS_MADE, AT_TERMINAL
from commands import COMMAND
from expected import OUT_OF_PASSES, SCALED_BY_THE_COMMAND
from rosenblatt.cli.app import app
from rosenblatt.cli.inputs import Choice
from rosenblatt.cli.streams import bytes_of, features
from rosenblatt.cli.watching import Bytes
from rosenblatt.errors import InputError


def run(*args, code=0):
    result = CliRunner().invoke(app, list(map(str, args)), prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


def as_json(*args, code=0):
    return json.loads(run(*args, "--json", code=code).stdout)


@contextmanager
def pipe(text):
    """A named pipe that someone writes the text to."""
    name = "pipe.csv"
    os.mkfifo(name)

    def feed():
        with suppress(BrokenPipeError), open(name, "w") as file:
            file.write(text)

    writer = threading.Thread(target=feed)
    writer.start()
    try:
        yield name
    finally:
        writer.join()
        os.unlink(name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    kinds = np.array(["apple", "banana", "cherry"])[rng.integers(0, 3, 900)]
    means = {"apple": 150, "banana": 118, "cherry": 8}
    colors = {"apple": "red", "banana": "yellow", "cherry": "red"}
    lines = [f"{means[k] + rng.integers(-9, 10)},{colors[k]},{k}\n" for k in kinds]
    lines[7] = f",red,{kinds[7]}\n"
    (tmp_path / "fruit.csv").write_text("weight,color,kind\n" + "".join(lines))
    return tmp_path


SAME = ("verdict", "stop", "updates", "passes", "looks", "rows", "features", "note", "classes")


@SCALED_BY_THE_COMMAND
@pytest.mark.parametrize("flags", [[], ["--one-hot"], ["--one-hot", "--scale"], ["--scale"]])
@pytest.mark.parametrize("positive", [None, "cherry"])
def test_the_report_is_that_of_a_fit_in_memory(folder, flags, positive):
    options = ["fruit.csv", "--missing", "drop", *flags, "--order", "cyclic", "--max-iter", 4]
    options += ["--certify", "no", *(["--positive", positive] if positive else [])]
    whole = as_json("fit", *options, "-o", "whole.safetensors")
    streamed = as_json("fit", "--stream", *options, "-o", "streamed.safetensors")
    for name in SAME:
        assert streamed[name] == whole[name], name
    assert streamed["radius"] == pytest.approx(whole["radius"], rel=1e-12)
    assert "1 row dropped" in streamed["note"]
    assert streamed["training"]["confusion"] == whole["training"]["confusion"]
    assert streamed["held_out"] is None
    a, b = rb.load("whole.safetensors"), rb.load("streamed.safetensors")
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9)
    predicted = [
        run("predict", f"{name}.safetensors", "fruit.csv", "--missing", "drop").stdout
        for name in ("whole", "streamed")
    ]
    assert predicted[0] == predicted[1]


def test_people_get_tables(folder):
    shown = run("fit", "--stream", "fruit.csv", "--missing", "drop", "--memory", "2MB").stdout
    assert "training accuracy" in shown
    assert "Confusion (training rows)" in shown
    assert "`rosenblatt score` measures it" in shown
    assert "--resume" in run("fit", "--help").stdout


def test_decide_and_verify_on_a_stream(folder):
    options = ["fruit.csv", "--stream", "--missing", "drop"]
    whole = as_json("decide", "fruit.csv", "--missing", "drop", "--positive", "cherry")
    streamed = as_json("decide", *options, "--positive", "cherry", "--certificate", "proof.json")
    assert streamed["verdict"] == whole["verdict"] == "separable"
    assert (streamed["rows"], streamed["features"]) == (whole["rows"], whole["features"])
    for stream in (options, ["fruit.csv", "--missing", "drop"]):
        assert as_json("verify", "proof.json", *stream, "--positive", "cherry")["holds"]
    moved = (folder / "fruit.csv").read_text().replace("150,", "151,", 1)
    (folder / "moved.csv").write_text(moved)
    other = as_json(
        "verify", "proof.json", "moved.csv", *options[1:], "--positive", "cherry", code=1
    )
    assert "fingerprint" in other["reason"]


def test_a_pipe_is_read_once(folder):
    complete = [line for line in (folder / "fruit.csv").open() if not line.startswith(",")]
    text = "".join(complete)
    (folder / "complete.csv").write_text(text)
    whole = ["fit", "complete.csv", "--max-iter", 1, "--certify", "no", "--order", "cyclic"]
    for flags, known in (
        (["--classes", "apple,banana,cherry"], []),
        (["--positive", "cherry"], ["--positive", "cherry"]),
    ):
        with pipe(text) as name:
            found = as_json("fit", "--stream", name, *flags, "--order", "cyclic")
        assert (found["passes"], found["rows"]) == (1, 899)
        assert found["updates"] == as_json(*whole, *known)["updates"]
        assert found["training"] is None
    for refused, words in (
        ([], "--classes"),
        (["--one-hot", "--classes", "a,b"], "--one-hot needs a pass"),
        (["--scale", "--classes", "a,b"], "--scale needs a pass"),
        (["--classes", "apple,banana"], "not among the classes"),
    ):
        with pipe(text) as name:
            result = run("fit", "--stream", name, *refused, code=2)
        assert words in result.stderr
        assert result.stdout == ""


def test_what_cannot_be_streamed_is_refused(folder):
    def refused(*args):
        return run("fit", *args, code=2).stderr

    assert "leave --stream out" in refused("--stream", "iris")
    assert "--test needs all rows" in refused("--stream", "fruit.csv", "--test", 0.5)
    assert "--resume needs --stream" in refused("fruit.csv", "--resume")
    assert "--checkpoint FILE" in refused("--stream", "fruit.csv", "--resume", "--missing", "drop")
    assert "such as 500MB" in refused("--stream", "fruit.csv", "--memory", "much")
    assert "no value in column" in refused("--stream", "fruit.csv")
    assert "--solution vote needs all rows" in refused(
        "--stream", "fruit.csv", "--missing", "drop", "--solution", "vote"
    )


@pytest.mark.parametrize(
    ("text", "size"), [("3", 3), ("2KB", 2000), ("1.5MiB", 3 * 2**19), ("2 gb", 2 * 10**9)]
)
def test_sizes(text, size):
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-3", "5TB", "1e3", "nan"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(InputError, match="expected a size"):
        bytes_of(text)


@OUT_OF_PASSES
def test_the_bar_shows_the_bytes_read(folder):
    made = features("fruit.csv", Choice(missing="drop"), 1 << 20)
    bar = Bytes(made)
    assert bar.words()[0] == "reading"
    seen = []
    model = rb.Perceptron(max_iter=1, certify=False)

    def progress(step):
        bar.see(step)
        seen.append(bar.words())

    model.fit_stream(made, progress=progress)
    words, fraction = seen[-1]
    assert words.startswith("pass 1: 0 of 0 MB read, ")
    assert f"{model.mistakes_:,} mistakes in {model.looks_:,} looks" in words
    assert 0 < fraction <= 1


@pytest.mark.parametrize("how", [(), ("--stream", "--memory", "2MB"), ("--dask", "local")])
def test_sigterm_keeps_the_work(folder, start, how):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 8)).round(3), rng.integers(0, 2, 5000)
    np.savetxt(folder / "noise.csv", np.column_stack([X, y]), fmt="%g", delimiter=",")
    command = [*COMMAND, "fit", *how, "noise.csv", "-o", "m.st"]
    command += ["--certify", "no", "--max-iter", "100000000"]
    if "--dask" in how:
        command += ["--checkpoint", "m.st.checkpoint", "--workers", "1"]
    fit = start(command, terminal=True, env=AT_TERMINAL)
    fit.until("round 2:" if "--dask" in how else A_PASS_IS_MADE)
    fit.press(signal.SIGTERM)
    assert fit.code() == 143, fit.out
    said = " ".join(fit.out.split())
    assert "what was learned until then is saved in m.st.interrupted" in said
    assert rb.load("m.st.interrupted").stop_ is rb.Stop.INTERRUPTED
    assert os.path.exists("m.st.checkpoint") == bool(how)
    assert ("The run is in m.st.checkpoint" in said) == bool(how)


def test_ctrl_c_leaves_a_checkpoint_that_resumes(folder, start):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 8)).round(3), rng.integers(0, 2, 20_000)
    np.savetxt(folder / "noise.csv", np.column_stack([X, y]), fmt="%g", delimiter=",")
    command = [*COMMAND, "fit", "--stream", "noise.csv", "-o", "m.st"]
    command += ["--certify", "no", "--order", "cyclic", "--memory", "2MB"]
    fit = start([*command, "--max-iter", "100000"], terminal=True, env=AT_TERMINAL)
    fit.until(A_PASS_IS_MADE)
    fit.press()
    assert fit.code() == 130
    said = " ".join(fit.out.split())
    assert "m.st.checkpoint: the same command with --resume goes on" in said
    assert "Traceback" not in said
    assert os.path.exists("m.st.checkpoint")
    stopped = rb.load("m.st.interrupted")
    assert stopped.stop_ is rb.Stop.INTERRUPTED
    more = stopped.n_iter_ + 3
    for other, words in (
        (("--memory", "4MB"), "another --memory;"),
        (("--seed", "4"), "another --seed;"),
        (("--threshold", "2"), "another --threshold (0.0, now 2.0);"),
        (("--scale",), "--one-hot or --scale; go on with the same, or remove the file"),
    ):
        assert words in run("fit", *command[4:], "--resume", *other, code=2).stderr
    for other, words in (
        ((), "--resume goes on with it, or name another file, or remove this one"),
        (("--max-iter", "1", "--resume"), "fewer passes than --max-iter 1, got one cut short"),
    ):
        assert words in run("fit", *command[4:], *other, code=2).stderr
    done = subprocess.run(
        [*command, "--max-iter", str(more), "--resume", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["passes"] == more
    assert found["looks"] == more * 20_000
    whole = as_json("fit", "noise.csv", *command[8:], "--max-iter", more, "--stream")
    assert whole["updates"] == found["updates"]
    assert not os.path.exists("m.st.checkpoint")

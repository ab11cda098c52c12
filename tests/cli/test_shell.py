"""The command in a real shell: terminals, pipes, interrupts, colours, completion."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import stat
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from children import A_PASS_IS_MADE, AT_TERMINAL
from rosenblatt import __version__
from rosenblatt.cli.app import app
from rosenblatt.data.model_file import load

COMMAND = [sys.executable, "-m", "rosenblatt"]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
ENDLESS = ("fit", "noise.npz", "--certify", "no", "--max-iter", "100000000", "-o", "m")


def run(*args, code=0):
    """What a command printed, once it has exited as it should."""
    result = CliRunner().invoke(app, list(map(str, args)), prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder but for data that no hyperplane separates."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    np.savez("noise.npz", X=rng.normal(size=(4000, 60)), y=rng.integers(0, 2, 4000))
    return tmp_path


@pytest.mark.parametrize(
    ("args", "words"),
    [(ENDLESS, A_PASS_IS_MADE), (("decide", "hard.npz"), "deciding")],
    ids=["fit", "decide"],
)
def test_long_work_shows_a_bar_at_a_terminal_and_can_be_interrupted(folder, start, args, words):
    if "hard.npz" in args:
        rng = np.random.default_rng(0)
        np.savez("hard.npz", X=rng.normal(size=(60_000, 300)), y=rng.integers(0, 2, 60_000))
    child = start([*COMMAND, *args], terminal=True, env=AT_TERMINAL)
    child.until(words)
    child.press()
    assert child.code() == 130
    assert "Interrupted" in child.out
    assert "Traceback" not in child.out
    assert ("saved in m" if args is ENDLESS else "nothing was written") in child.out
    if args is ENDLESS:
        assert load("m.interrupted").coef_.shape == (1, 60)


HASTY = """
from rosenblatt.cli import shell
from rosenblatt.cli.app import app
shell.PATIENCE = 0  # seconds until a bar appears
app(prog_name="rosenblatt")
"""


@pytest.mark.parametrize("terminal", [True, False])
def test_pipes_see_no_bar_and_no_colours(folder, start, terminal):
    args = (*ENDLESS[:-3], "2000", *ENDLESS[-2:])
    env = {**AT_TERMINAL, "NO_COLOR": ""}
    fit = start([sys.executable, "-c", HASTY, *args], terminal=terminal, env=env)
    assert fit.code() == 0
    said = fit.out + fit.err
    assert "noise.npz: " in said
    assert ("fitting" in said, "\x1b" in said) == (terminal, terminal)
    assert "Traceback" not in said


def test_colours_are_for_terminals_without_no_color(folder, start):
    command = [*COMMAND, "decide", "nothing.csv"]
    with_colours, without = (
        start(command, terminal=True, env={**AT_TERMINAL, "NO_COLOR": value}) for value in ("", "1")
    )
    assert (with_colours.code(), without.code()) == (2, 2)
    with_colours, without = with_colours.out, without.out
    assert "error: nothing.csv" in ESCAPE.sub("", with_colours)
    assert "\x1b[1;31m" in with_colours
    assert "error: nothing.csv" in without
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", without)


@pytest.mark.parametrize(
    ("words", "at", "expected"),
    [("rosenblatt de", 1, "decide"), ("rosenblatt decide ir", 2, "iris")],
)
def test_completion(words, at, expected):
    env = {"_ROSENBLATT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
    code = "from rosenblatt.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True
    )
    assert expected in done.stdout.split()


def test_completion_scripts_are_shown():
    env = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        [*COMMAND, "--show-completion", "bash"], env=env, capture_output=True, text=True
    )
    assert (done.returncode, "complete" in done.stdout) == (0, True)


def test_the_module_is_the_command_and_debug_shows_where(folder):
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"rosenblatt {__version__}\n"
    done = subprocess.run([*COMMAND, "--debug", "fit", "x.csv"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" in done.stderr


FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")


def in_shell(line):
    """What a line of the shell says on standard output and error, and its exit code."""
    command = line.replace("rosenblatt", shlex.join(COMMAND), 1)
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    return done.stdout, done.stderr, done.returncode


@FULL
@pytest.mark.parametrize(
    "line",
    [
        "decide plain.csv --json > /dev/full",
        "decide plain.csv > /dev/full",
        "verify proof.json plain.csv --json > /dev/full",
        "separation plain.csv --json > /dev/full",
        "fit plain.csv --json > /dev/full",
        "decide plain.csv --json >&-",
        "decide plain.csv >&-",
        "--help > /dev/full",
        "warm-up --help > /dev/full",
        "--version > /dev/full",
    ],
)
def test_an_answer_that_cannot_be_written_is_no_answer(folder, line):
    (folder / "plain.csv").write_text("a,y\n1,no\n2,no\n5,yes\n6,yes\n")
    if "proof.json" in line:
        run("decide", "plain.csv", "--certificate", "proof.json")
    out, err, code = in_shell(f"rosenblatt {line}")
    assert (out, code) == ("", 2)
    errors = [one for one in err.splitlines() if one.startswith("error: ")]
    assert len(errors) == 1
    assert re.search("No space left on device|Bad file descriptor", errors[0])


@FULL
@pytest.mark.parametrize("nowhere", ["2> /dev/full", "2>&-", "<&-", "<&- 2>&-"])
@pytest.mark.parametrize(("file", "code"), [("plain", 0), ("mixed", 1), ("nosuch", 2)])
def test_what_cannot_be_told_beside_it_does_not_change_the_answer(folder, nowhere, file, code):
    (folder / "plain.csv").write_text("a,y\n1,no\n2,no\n5,yes\n6,yes\n")
    (folder / "mixed.csv").write_text("a,y\n1,no\n2,yes\n3,no\n")
    out, _, ended = in_shell(f"rosenblatt decide {file}.csv --json {nowhere}")
    assert ended == code
    assert ("error" if code == 2 else "verdict") in json.loads(out)


def test_nobody_reads_what_is_told_and_the_answer_goes_out(folder):
    (folder / "plain.csv").write_text("a,y\n1,no\n2,no\n5,yes\n6,yes\n")
    read, write = os.pipe()
    os.close(read)
    command = [*COMMAND, "decide", "plain.csv"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=write, text=True)
    os.close(write)
    assert (done.stdout[:9], done.returncode) == ("Separable", 0)


def test_every_exit_code_is_documented():
    for verb in ((), "fit", "decide", "verify", "export", "predict"):
        text = " ".join(run(*([verb] if verb else []), "--help").stdout.split())
        for code in ("2 bad input", "70 internal error", "130 interrupted"):
            assert code in text, verb


# --- A new user's first files ---


def test_first_files(folder):
    """A byte-order mark, semicolons, decimal commas, quotes over two lines, text, a gap."""
    body = 'size;note;kind\n1,5;"two\nlines; and ""more""";a\n2,5;plain;b\n;none;a\n9,25;x;b\n'
    (folder / "odd.csv").write_bytes(b"\xef\xbb\xbf" + body.encode())
    refused = run("fit", "odd.csv", code=2).stderr
    assert "line 5" in refused
    assert "--missing drop" in refused
    said = run("fit", "odd.csv", "--missing", "drop", "-o", "m").stderr
    assert "label: last column 'kind', 2 classes" in said
    assert "1 row dropped" in said
    assert "text left out: note" in said
    found = json.loads(run("score", "m", "odd.csv", "--missing", "drop", "--json").stdout)
    assert (found["rows"], found["training_data"]) == (3, True)
    (folder / "new.csv").write_text("size;kind\n1,5;a\n", encoding="utf-8")
    found = json.loads(run("score", "m", "new.csv", "--json").stdout)
    assert found["training_data"] is False


def test_first_mistakes(folder):
    (folder / "f.csv").write_text("size,species\n1,a\n2,b\n")
    assert "did you mean 'species'" in run("fit", "f.csv", "--label", "specis", code=2).stderr
    (folder / "one.csv").write_text("x\n1\n2\n")
    assert "only one column" in run("fit", "one.csv", code=2).stderr
    whole = gzip.compress(b"size,species\n" + b"1,a\n2,b\n" * 5000)
    (folder / "half.csv.gz").write_bytes(whole[: len(whole) // 2])
    assert "damaged or cut short" in run("fit", "half.csv.gz", code=2).stderr
    (folder / "comma.csv").write_text("a,b,kind\n1,5,2,5,x\n2,5,3,5,y\n")
    assert "error" in run("fit", "comma.csv", code=2).stderr
    (folder / "empty.csv").write_text("")
    assert "error" in run("fit", "empty.csv", code=2).stderr
    assert "is a folder" in run("fit", "f.csv", "-o", ".", code=2).stderr
    assert "cannot be written" in run("fit", "f.csv", "-o", "f.csv/m", code=2).stderr
    assert (folder / "f.csv").read_text() == "size,species\n1,a\n2,b\n"


LOCKED = """
import os
from rosenblatt.data.files import write
if os.geteuid() == 0:
    os.setegid(65534); os.seteuid(65534)
try:
    write("locked/m", b"new")
except ValueError as error:
    print(error)
"""


def test_a_folder_that_may_not_be_written(folder):
    """As a user who may read it only: root may write anywhere, so root becomes nobody."""
    locked = folder / "locked"
    locked.mkdir()
    (locked / "m").write_bytes(b"old")
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
    for parent in [folder, *folder.parents]:
        if os.geteuid() == 0 and not parent.stat().st_mode & stat.S_IXOTH:
            parent.chmod(parent.stat().st_mode | stat.S_IXOTH)
    done = subprocess.run([sys.executable, "-c", LOCKED], capture_output=True, text=True)
    locked.chmod(stat.S_IRWXU)
    assert "locked/m: cannot be written (Permission denied)" in done.stdout, done.stderr
    assert (locked / "m").read_bytes() == b"old"
    assert os.listdir(locked) == ["m"]


def test_export_and_the_certificate_of_a_model(folder):
    (folder / "f.csv").write_text("size,kind\n1,a\n2,a\n5,b\n6,b\n")
    run("fit", "f.csv", "--certify", "yes", "--scale", "--positive", "b", "-o", "m")
    assert "holds" in run("verify", "m", "f.csv", "--positive", "b").stdout
    run("export", "m", "-o", "m.onnx")
    run("export", "m", "-o", "m.json")
    content = json.loads((folder / "m.json").read_text())
    assert content["feature_names"] == ["size"]
    import onnxruntime

    session = onnxruntime.InferenceSession("m.onnx")
    labels = session.run(["label"], {"X": np.array([[1.0], [6.0]])})[0].tolist()
    assert labels == run("predict", "m", "f.csv").stdout.split()[::3] == ["a", "b"]
    assert ".onnx or .json" in run("export", "m", "-o", "m.txt", code=2).stderr
    run("fit", "noise.npz", "--certify", "no", "--max-iter", 2, "-o", "undecided")
    assert "no certificate" in run("verify", "undecided", "noise.npz", code=2).stderr

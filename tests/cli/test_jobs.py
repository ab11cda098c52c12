"""Jobs that run again, and look for a file where they should look at the exit code."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import rosenblatt as rb
from children import A_PASS_IS_MADE, AT_TERMINAL
from commands import COMMAND, as_json, run


def noise(folder):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 8)).round(3), rng.integers(0, 2, 2000)
    np.savetxt(folder / "noise.csv", np.column_stack([X, y]), fmt="%g", delimiter=",")


@pytest.mark.parametrize("how", [(), ("--stream", "--memory", "2MB")])
@pytest.mark.parametrize("partial", [(), ("--partial",)])
def test_a_fit_cut_short_is_kept_beside_the_model(folder, start, how, partial):
    noise(folder)
    (folder / "m.st").write_text("the model of yesterday")
    endless = ("--certify", "no", "--max-iter", "100000000")
    command = [*COMMAND, "fit", "noise.csv", *how, *partial, *endless, "-o", "m.st"]
    fit = start(command, terminal=True, env=AT_TERMINAL)
    fit.until(A_PASS_IS_MADE)
    fit.press()
    assert fit.code() == 130
    place = "m.st" if partial else "m.st.interrupted"
    assert f"what was learned until then is saved in {place}." in " ".join(fit.out.split())
    assert rb.load(place).stop_ is rb.Stop.INTERRUPTED
    assert ((folder / "m.st").read_bytes() == b"the model of yesterday") == (not partial)
    assert os.path.exists("m.st.interrupted") == (not partial)


def test_resume_starts_where_there_is_nothing_to_resume(folder):
    noise(folder)
    how = ("fit", "--stream", "noise.csv", "--max-iter", 3, "--certify", "no", "--resume")
    for place in (("-o", "m"), ("--checkpoint", "c"), ("--checkpoint", "c", "-o", "m2")):
        result = run(*how, *place)
        path = place[1] if "--checkpoint" in place else "m.checkpoint"
        assert f"{path}: nothing to resume; the run starts" in result.stderr
    (folder / "c").touch()  # as `mktemp` leaves it
    assert as_json(*how, "--checkpoint", "c")["passes"] == 3
    assert "say which checkpoint" in run(*how, code=2).stderr


EMPTY = {
    "names.csv": b"x\n",
    "labelled.csv": b"x,kind\n",
    "nothing.csv": b"",
    "nothing.svm": b"",
}


@pytest.mark.parametrize("name", [*EMPTY, "rows.npy", "rows.parquet"])
def test_no_rows_have_no_answers(folder, name):
    (folder / "t.csv").write_text("x,kind\n1,a\n2,b\n")
    run("fit", "t.csv", "-o", "m")
    if name in EMPTY:
        (folder / name).write_bytes(EMPTY[name])
    np.save("rows.npy", np.zeros((0, 1)))
    pd.DataFrame({"x": np.zeros(0)}).to_parquet("rows.parquet")
    result = run("predict", "m", name)
    assert result.stdout == ""
    assert "no rows to read" in result.stderr or "is empty" in result.stderr
    run("predict", "m", name, "-o", "out.txt")
    assert (folder / "out.txt").read_bytes() == b""
    found = as_json("predict", "m", name, "--scores")
    assert (found["rows"], found["predictions"], found["scores"]) == (0, [], [])
    assert found["classes"] == ["a", "b"]
    assert run("score", "m", name, code=2).stderr  # of no rows no share is right
    piped = [*COMMAND, "predict", "m", "-"]
    if name == "nothing.csv":
        done = subprocess.run(piped, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        assert (done.returncode, done.stdout) == (0, b"")


def test_rows_left_out_have_empty_answers_although_no_row_is_left(folder):
    (folder / "t.csv").write_text("x,kind\n1,a\n2,b\n")
    run("fit", "t.csv", "-o", "m")
    (folder / "new.csv").write_text("x\n?\n?\n")
    result = run("predict", "m", "new.csv", "--missing", "drop", "--scores")
    assert result.stdout == "\n\n"
    assert as_json("predict", "m", "new.csv", "--missing", "drop")["predictions"] == [None, None]
    (folder / "wrong.csv").write_text("z\n")
    assert "'x'" in run("predict", "m", "wrong.csv", code=2).stderr


SAVED = """
import sys
import rosenblatt as rb
from sklearn.datasets import load_iris

X, y = load_iris(return_X_y=True)
for name in ("Perceptron", "PassiveAggressive", "MaxMargin", "BatchPerceptron", "KernelPerceptron"):
    model = getattr(rb, name)()
    rows = y < 2 if name == "MaxMargin" else y >= 0
    rb.save(model.fit(X[rows], y[rows]), f"{sys.argv[1]}/{name}")
"""


@pytest.mark.parametrize("how", [(), ("--stream",), ("--test", 0.2, "--scale")])
def test_equal_fits_write_equal_bytes(folder, how):
    X, y = load_iris(return_X_y=True)
    np.savetxt("iris.csv", np.column_stack([X, y]), fmt="%g", delimiter=",")
    for name in ("one", "two"):
        run("fit", "iris.csv", *how, "-o", name)
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()


def test_equal_fits_of_every_estimator_write_equal_bytes(folder):
    for name in ("one", "two"):
        (folder / name).mkdir()
        command = [sys.executable, "-W", "ignore", "-c", SAVED, name]
        subprocess.run(command, check=True, timeout=300)
    for first in sorted((folder / "one").iterdir()):
        assert first.read_bytes() == (folder / "two" / first.name).read_bytes(), first.name

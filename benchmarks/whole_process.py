"""Files of 600,000 rows and 20 columns to a model and back, each a process of its own.

Helpers of ``file_to_model``: the same rows as CSV (104 MB), svmlight and Vowpal Wabbit text. What a
user waits for is all of it: starting, importing, reading, learning, the report. Peers are what is
used instead: pandas and scikit-learn for the CSV, scikit-learn for sparse text of 38 MB,
LIBLINEAR's and Vowpal Wabbit's own programs, or their Python packages where those are not
installed. Wall clock and processor time.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from harness import QUICK, show, table, target
from peers import present

ROWS, COLUMNS = (2_000 if QUICK else 600_000), 20
TURNS = 1 if QUICK else 3
PANDAS = """
import sys, pandas
from sklearn.linear_model import Perceptron
frame = pandas.read_csv(sys.argv[1])
X, y = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy()
print(Perceptron().fit(X, y).score(X, y))
"""
SCIKIT_LEARN = """
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
X, y = load_svmlight_file(sys.argv[1])
# It reads indices of 64 bits, which its own estimators refuse.
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
print(Perceptron(max_iter=10, tol=None, shuffle=False).fit(X, y).score(X, y))
"""
LIBLINEAR = """
import sys
from liblinear.liblinearutil import svm_read_problem, train, save_model
y, X = svm_read_problem(sys.argv[1], return_scipy=True)
save_model(sys.argv[2], train(y, X, "-s 1 -q"))
"""
LIBLINEAR_PREDICT = """
import sys
from liblinear.liblinearutil import svm_read_problem, predict, load_model
y, X = svm_read_problem(sys.argv[1], return_scipy=True)
labels = predict(y, X, load_model(sys.argv[2]), "-q")[0]
open(sys.argv[3], "w").write("".join(f"{label:g}\\n" for label in labels))
"""
WABBIT = """
import sys
from vowpalwabbit import Workspace
Workspace(f"--data {sys.argv[1]} --loss_function hinge --binary --quiet --no_stdin").finish()
"""
TEN_PASSES = "fit sparse svmlight, ten passes"
ASKED = {TEN_PASSES: 3}
Pair = tuple[float, float]


def write(folder: Path) -> dict[str, Path]:
    """The same rows in three formats, labelled by a hyperplane and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)).round(6)
    y = np.where(X @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS) > 0, 1, -1)
    paths = {kind: folder / f"rows.{kind}" for kind in ("csv", "svm", "vw")}
    head = ",".join([*(f"x{j}" for j in range(COLUMNS)), "y"])
    rows = np.column_stack([X, y])
    np.savetxt(paths["csv"], rows, "%.6g", ",", header=head, comments="")
    svm = " ".join(["%d", *(f"{j + 1}:%.6g" for j in range(COLUMNS))])
    np.savetxt(paths["svm"], rows[:, [-1, *range(COLUMNS)]], svm)
    text = paths["svm"].read_text().splitlines()
    paths["vw"].write_text("".join(line.replace(" ", " | ", 1) + "\n" for line in text))
    return paths


def spent(command: Sequence[str]) -> Pair:
    """Wall clock and processor seconds of a process."""
    # An installed package has its bytecode; a checkout makes it at the first run, if it may.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def ours(*words: object) -> list[str]:
    return [sys.executable, "-m", "rosenblatt", *map(str, words)]


def script(code: str, *words: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, words)]


def liblinear(folder: Path, data: Path) -> tuple[list[str] | None, list[str] | None]:
    """To train and to predict: its own programs, or its package."""
    model, labels = folder / "liblinear.model", folder / "liblinear.labels"
    train, predict = shutil.which("liblinear-train"), shutil.which("liblinear-predict")
    if train and predict:
        files = list(map(str, (data, model, labels)))
        return [train, "-q", *files[:2]], [predict, "-q", *files]
    if not present("liblinear"):
        return None, None
    return script(LIBLINEAR, data, model), script(LIBLINEAR_PREDICT, data, model, labels)


def wabbit(data: Path) -> list[str] | None:
    program = shutil.which("vw")
    if program:
        return [program, "-d", str(data), "--loss_function", "hinge", "--binary", "--quiet"]
    return script(WABBIT, data) if present("vowpalwabbit") else None


def contests(folder: Path, sparse: Path) -> dict[str, dict[str, list[str] | None]]:
    """Who runs against whom, by question."""
    paths = write(folder)
    textbook = "--order", "cyclic", "--max-iter", 10, "--certify", "no"
    train, predict = liblinear(folder, paths["svm"])
    ours_at = {kind: folder / f"{kind}.safetensors" for kind in paths}
    fits = {kind: ours("fit", paths[kind], "-o", ours_at[kind]) for kind in paths}
    there = ours("predict", ours_at["svm"], paths["svm"], "-o", folder / "labels")
    return {
        "fit CSV": {
            "rosenblatt": fits["csv"],
            "pandas + scikit-learn": script(PANDAS, paths["csv"]),
        },
        "fit svmlight": {"rosenblatt": fits["svm"], "LIBLINEAR": train},
        TEN_PASSES: {
            "rosenblatt": ours("fit", sparse, *textbook),
            "scikit-learn": script(SCIKIT_LEARN, sparse),
        },
        "fit Vowpal Wabbit": {"rosenblatt": fits["vw"], "Vowpal Wabbit": wabbit(paths["vw"])},
        "predict svmlight": {"rosenblatt": there, "LIBLINEAR": predict},
    }


def compare(folder: Path, sparse: Path) -> None:
    """Print a row for each question, and what was asked: no slower than the peer, or more."""
    lines, asked = [], {}
    for question, contestants in contests(folder, sparse).items():
        there = {name: command for name, command in contestants.items() if command}
        for command in there.values():
            spent(command)  # compiles, and brings the file into the cache of the system
        turns = {name: [spent(command) for _ in range(TURNS)] for name, command in there.items()}
        middle = {
            name: [median(part) for part in zip(*pairs, strict=True)]
            for name, pairs in turns.items()
        }
        for name, (wall, cpu) in middle.items():
            row = {"question": question, "who": name, "wall clock": show(wall)}
            lines.append(row | {"processor": show(cpu)})
            if name != "rosenblatt":
                asked[question] = [
                    theirs / our
                    for theirs, our in zip(middle[name], middle["rosenblatt"], strict=True)
                ]
    table(lines)
    for question, (wall, cpu) in asked.items():
        at_least = ASKED.get(question, 1)
        target(f"{question}, whole process, × the peer's wall clock", at_least, wall)
        target(f"{question}, whole process, × the peer's processor time", at_least, cpu)

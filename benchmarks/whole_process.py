"""A file of rows and 20 columns to a model and back, each a process of its own: 200,000 rows as CSV
(36 MB), svmlight and Vowpal Wabbit text. What a user waits for is all of it: starting, importing,
reading, learning, the report. Peers are what is used instead: pandas and scikit-learn for the CSV,
scikit-learn for sparse text of 38 MB, LIBLINEAR's and Vowpal Wabbit's own programs, or their Python
packages where those are not installed. Vowpal Wabbit makes one pass, so ours makes one beside it;
its default, with a proof and ten passes for the mean, stands alone. What either imports takes a
process of its own, too ("imports alone"): ours cannot be shorter. Wall clock and processor time,
medians of three runs after one that is not timed; of who takes longer than {LONG} s, of that one.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from scipy import sparse

from file_to_model import ROWS as SPARSE_ROWS
from file_to_model import write as write_sparse
from harness import QUICK, heading, show, table, target
from peers import present, svm_and_vw

QUESTION = "From the shell's prompt to its next"

ROWS, COLUMNS = (2_000 if QUICK else 200_000), 20
TURNS = 1 if QUICK else 3
# Seconds of a run that is the only one.
LONG = 5
__doc__ = (__doc__ or "").format(LONG=LONG)
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
IMPORTS = "import numpy, scipy.sparse, llvmlite.binding"
TEN_PASSES = "fit sparse svmlight, ten passes"
ONE_PASS, DEFAULT = "fit Vowpal Wabbit, one pass", "fit Vowpal Wabbit, with a proof"
ALONE = ", imports alone"
ASKED = {TEN_PASSES: 3}
Pair = tuple[float, float]


def write(folder: Path) -> dict[str, Path]:
    """The same rows in three formats, labelled by a hyperplane and noise."""
    import pyarrow as pa
    from pyarrow import csv

    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)).round(6).astype(np.float32)
    y = np.where(X @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS) > 0, 1, -1)
    columns = {f"x{j}": X[:, j] for j in range(COLUMNS)} | {"y": y}
    csv.write_csv(pa.table(columns), folder / "rows.csv")
    indices = np.tile(np.arange(1, COLUMNS + 1, dtype=np.int32), ROWS)
    starts = np.arange(0, X.size + 1, COLUMNS, dtype=np.int32)
    rows = sparse.csr_matrix((X.ravel(), indices, starts), shape=(ROWS, COLUMNS + 1))
    svm, vw = svm_and_vw(rows, y, folder / "rows")
    return {"csv": folder / "rows.csv", "svm": svm, "vw": vw}


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


def contests(folder: Path, sparse_text: Path) -> dict[str, dict[str, list[str] | None]]:
    """Who runs against whom, by question."""
    paths = write(folder)
    textbook = "--order", "cyclic", "--max-iter", 10, "--certify", "no"
    one_pass = "--order", "cyclic", "--max-iter", 1, "--certify", "no"
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
            "rosenblatt": ours("fit", sparse_text, *textbook),
            "scikit-learn": script(SCIKIT_LEARN, sparse_text),
        },
        ONE_PASS: {
            "rosenblatt": ours("fit", paths["vw"], *one_pass),
            f"rosenblatt{ALONE}": script(IMPORTS),
            "Vowpal Wabbit": wabbit(paths["vw"]),
            f"Vowpal Wabbit{ALONE}": None if shutil.which("vw") else script(WABBIT.splitlines()[2]),
        },
        DEFAULT: {"rosenblatt": fits["vw"]},
        "predict svmlight": {"rosenblatt": there, "LIBLINEAR": predict},
    }


def compare(folder: Path, asked: dict[str, list[float]]) -> Iterator[dict[str, str]]:
    """A row for each process; ``asked`` gets the peer's times over ours."""
    sparse_text, _ = write_sparse(folder, SPARSE_ROWS[0])
    for question, contestants in contests(folder, sparse_text).items():
        there = {name: command for name, command in contestants.items() if command}
        # It compiles, and brings the file into the cache of the system.
        firsts = {name: spent(command) for name, command in there.items()}
        turns = {name: [first] if first[0] > LONG else [] for name, first in firsts.items()}
        for _ in range(TURNS):
            for name, command in there.items():
                if firsts[name][0] <= LONG:
                    turns[name].append(spent(command))
        middle = {
            name: [median(part) for part in zip(*pairs, strict=True)]
            for name, pairs in turns.items()
        }
        for name, (wall, cpu) in middle.items():
            row = {"question": question, "who": name, "wall clock": show(wall)}
            yield row | {"processor": show(cpu)}
            if name != "rosenblatt" and not name.endswith(ALONE):
                asked[question] = [
                    theirs / our for theirs, our in zip(*beyond(middle, name), strict=True)
                ]


def beyond(middle: dict[str, list[float]], peer: str) -> tuple[list[float], list[float]]:
    """The times of a peer and ours, each without its imports where these were measured."""
    without = [
        [
            spent - alone
            for spent, alone in zip(middle[who], middle.get(who + ALONE, (0, 0)), strict=True)
        ]
        for who in (peer, "rosenblatt")
    ]
    return without[0], without[1]


def main() -> None:
    heading(QUESTION)
    asked: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        table(compare(Path(folder), asked), ("question", "who", "wall clock", "processor"))
    for question, (wall, cpu) in asked.items():
        at_least = ASKED.get(question, 1)
        if question == ONE_PASS:
            question += ", beyond imports"
        target(f"{question}, whole process, × the peer's wall clock", at_least, wall)
        target(f"{question}, whole process, × the peer's processor time", at_least, cpu)


if __name__ == "__main__":
    main()

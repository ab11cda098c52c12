"""From svmlight text to a model: against scikit-learn, LIBLINEAR and Vowpal Wabbit.

Text of 50,000 and of 250,000 rows with 50,000 columns and about 60 entries a row (38 and 190 MB) is
written to a temporary folder, labelled by a hidden hyperplane with a tenth of the labels flipped.
Everyone reads the file and learns from it in a warm process: one pass and ten passes of a
perceptron, and LIBLINEAR's own fastest solver at its defaults, which passes as often as it likes.
Vowpal Wabbit parses its own format, written beside the other, and reads it again from its cache.
The C loop is what the machine allows: it reads the file, parses it on all cores and passes over it,
and checks nothing, neither the text nor the numbers (c_loop.py). Where it gains less on a peer than
was asked, no more is asked than nearly what it reaches.

The second table is the out-of-core question: a file is streamed within a fifth of its size, and
the bytes it reads a second are compared with those of reading the same file into memory.

It takes 0.8 GB of disk and of memory.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from c_loop import file_to_model
from harness import LIMIT, QUICK, Timing, core_count, heading, race, ratio, show, table, target
from one_pass import turned
from peers import svm_and_vw
from rosenblatt import Perceptron
from rosenblatt.readers import open_reader

WIDTH, PER_ROW = 50_000, 60
ROWS = (1_000, 5_000) if QUICK else (50_000, 250_000)
OURS, SLOWEST, LOOP = "rosenblatt", "LIBLINEAR", "C loop"
ASKED = {
    "scikit-learn, 1 pass": 10,
    "scikit-learn, 10 passes": 10,
    "Vowpal Wabbit, 1 pass": 1.5,
    "Vowpal Wabbit, 10 passes": 4,
    "LIBLINEAR, 1 pass": 50,
    "LIBLINEAR, 10 passes": 50,
}


def write(folder: Path, rows: int) -> tuple[Path, Path]:
    """The same rows as svmlight and as Vowpal Wabbit text."""
    rng = np.random.default_rng(0)
    starts = np.concatenate([[0], np.cumsum(rng.poisson(PER_ROW, rows))]).astype(np.int32)
    # From 1 on: LIBLINEAR's program takes no column 0.
    columns = rng.integers(1, WIDTH + 1, size=starts[-1]).astype(np.int32)
    values = rng.random(starts[-1]).round(4)
    X = sparse.csr_matrix((values, columns, starts), shape=(rows, WIDTH + 1))
    X.sum_duplicates()
    y = turned(X @ rng.standard_normal(WIDTH + 1), rng)
    return svm_and_vw(X, y, folder / str(rows))


def ours(path: Path, passes: int) -> Perceptron:
    chunk = open_reader(path, dtype="float32").read()
    return Perceptron(order="cyclic", max_iter=passes, certify=False).fit(chunk.X, chunk.y)


def scikit_learn(path: Path, passes: int) -> Any:
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import Perceptron as Theirs

    X, y = load_svmlight_file(str(path))
    # It reads indices of 64 bits, which its own estimators refuse.
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return Theirs(max_iter=passes, tol=None, shuffle=False).fit(X, y)


def liblinear(path: Path) -> Any:
    """Its own program where it is installed, which is faster than its Python interface."""
    program = shutil.which("liblinear-train")
    if program:
        return subprocess.run([program, "-q", str(path), os.devnull], check=True).returncode
    from liblinear.liblinearutil import svm_read_problem, train

    y, X = svm_read_problem(str(path), return_scipy=True)
    return train(y, X, "-s 1 -q")


def vowpal_wabbit(path: Path, passes: int) -> None:
    from vowpalwabbit import Workspace

    cache = path.with_suffix(".cache")
    again = f"--passes {passes} --cache_file {cache} -k --holdout_off" if passes > 1 else ""
    options = f"--data {path} --loss_function hinge --binary --quiet -b 18 --no_stdin {again}"
    Workspace(options).finish()
    cache.unlink(missing_ok=True)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """LIBLINEAR and Vowpal Wabbit write to the terminal whatever they are told."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def against_others(svm: Path, vw: Path, passes: int) -> dict[str, Timing]:
    """The fast ones turn by turn; a slow one has one turn, warm enough from the small file."""
    loop = file_to_model(svm, WIDTH + 1, core_count())
    with silence():
        return race(
            {
                OURS: lambda: ours(svm, passes),
                LOOP: loop and (lambda: loop(passes)),
                "Vowpal Wabbit": lambda: vowpal_wabbit(vw, passes),
                "scikit-learn": lambda: scikit_learn(svm, passes),
            },
            limit=LIMIT / 2,
            slow=("scikit-learn", "Vowpal Wabbit"),
        )


def line(svm: Path, passes: int, times: dict[str, Timing], guessed: str = "") -> dict[str, str]:
    row = {"file": f"{svm.stat().st_size / 1e6:.0f} MB", "passes": str(passes)}
    for name, timing in times.items():
        marked = "about " if name == guessed else ""
        row[name] = f"{marked}{show(timing.median) if marked else timing}"
        if name != OURS:
            row[name] += f", {marked}{ratio(times, OURS, name):.1f} ×"
    return row


def out_of_core(svm: Path) -> dict[str, str]:
    """Streaming within a fifth of the file: one scan and three passes, and a read into memory."""
    size = svm.stat().st_size
    memory = max(size // 5, 1 << 20)
    passes = 3

    def streamed() -> Perceptron:
        model = Perceptron(order="cyclic", max_iter=passes, certify=False)
        return model.fit_stream(svm, memory=memory)

    times = race({"read": lambda: open_reader(svm).read(), "stream": streamed})
    read = size / times["read"].median
    stream = (1 + passes) * size / times["stream"].median
    return {
        "file": f"{size / 1e6:.0f} MB",
        "memory": f"{memory / 1e6:.0f} MB",
        "read into memory": f"{read / 1e6:.0f} MB/s",
        "streamed (learning included)": f"{stream / 1e6:.0f} MB/s",
        "share": f"{stream / read:.2f}",
    }


def against(
    files: list[tuple[Path, Path]], reached: dict[str, tuple[float, float]]
) -> Iterator[dict[str, str]]:
    """A row for each file and number of passes.

    ``reached`` gets by peer and passes how many times as fast as that one we are, and how many
    times the C loop is; of each the worse of all files.
    """
    with silence():
        once = race({SLOWEST: lambda: liblinear(files[0][0])}, limit=LIMIT / 2, slow=(SLOWEST,))
    for passes in (1, 10):
        for (svm, vw), size in zip(files, ROWS, strict=True):
            times = against_others(svm, vw, passes) | once
            if size > ROWS[0]:
                # Its passes are linear in the rows; ten times the rows would take minutes.
                times[SLOWEST] = Timing.of([size / ROWS[0] * once[SLOWEST].median])
            for name in times:
                if name not in (OURS, LOOP):
                    what = f"{name}, {passes} pass{'es' * (passes > 1)}"
                    gained, possible = ratio(times, OURS, name), ratio(times, LOOP, name)
                    least = reached.get(what, (gained, possible))
                    reached[what] = min(least[0], gained), min(least[1], possible)
            yield line(svm, passes, times, guessed=SLOWEST if size > ROWS[0] else "")


def main() -> None:
    heading("From file to model")
    reached: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = [write(Path(folder), n) for n in ROWS]
        columns = ("file", "passes", OURS, LOOP, "Vowpal Wabbit", "scikit-learn", SLOWEST)
        table(against(files, reached), columns)
        print(
            "Times others take are followed by how many times ours that is. What LIBLINEAR takes "
            "on the large file is not measured: it is the small one's, by the rows.\n"
        )
        streamed = [out_of_core(svm) for svm, _ in files]
        table(streamed)
    for what, (got, possible) in reached.items():
        what_of = f"from file to model, × {what}, the worse of two files"
        target(what_of, ASKED[what], got, possible=possible, by="the C loop")
    shares = [float(row["share"]) for row in streamed]
    target("streaming, as a share of reading's speed, the worse of two files", 0.8, min(shares))


if __name__ == "__main__":
    main()

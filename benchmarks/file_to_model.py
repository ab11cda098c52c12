"""From svmlight text to a model: against scikit-learn, LIBLINEAR and Vowpal Wabbit.

Text of 50,000 and of 500,000 rows with 50,000 columns and about 60 entries a row (38 and 385 MB) is
written to a temporary folder, labelled by a hidden hyperplane with a tenth of the labels flipped.
Everyone reads the file and learns from it in a warm process: one pass and ten passes of a
perceptron, and LIBLINEAR's own fastest solver at its defaults, which passes as often as it likes.
Vowpal Wabbit parses its own format, written beside the other, and reads it again from its cache.

The second table is the out-of-core question: a file is streamed within a fifth of its size, and
the bytes it reads a second are compared with those of reading the same file into memory.

    python benchmarks/file_to_model.py          (QUICK=1: a tenth of the rows)

It takes some five minutes on two cores, and 1.5 GB of disk and of memory.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from harness import QUICK, Timing, heading, race, ratio, show, table, timed
from rosenblatt import Perceptron
from rosenblatt.readers import open_reader

WIDTH, PER_ROW = 50_000, 60
ROWS = (5_000, 50_000) if QUICK else (50_000, 500_000)
OURS = "rosenblatt"


def write(folder: Path, rows: int) -> tuple[Path, Path]:
    """The same rows as svmlight and as Vowpal Wabbit text."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=WIDTH + 1)
    svm, vw = folder / f"{rows}.svm", folder / f"{rows}.vw"
    with svm.open("w") as one, vw.open("w") as other:
        for _ in range(rows):
            columns = np.unique(rng.integers(1, WIDTH + 1, rng.poisson(PER_ROW)))
            values = rng.random(len(columns)).round(4)
            label = "1" if (values @ hidden[columns] > 0) != (rng.random() < 0.1) else "-1"
            pairs = zip(columns.tolist(), values.tolist(), strict=True)
            entries = " ".join(f"{j}:{v:.4g}" for j, v in pairs)
            one.write(f"{label} {entries}\n")
            other.write(f"{label} | {entries}\n")
    return svm, vw


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
    """Everyone on the small file, turn by turn."""
    with silence():
        return race(
            {
                OURS: lambda: ours(svm, passes),
                "scikit-learn": lambda: scikit_learn(svm, passes),
                "Vowpal Wabbit": lambda: vowpal_wabbit(vw, passes),
                "LIBLINEAR": lambda: liblinear(svm),
            }
        )


def on_the_large(svm: Path, vw: Path, passes: int) -> dict[str, Timing]:
    """The fast ones turn by turn; scikit-learn, warm from the small file, has one turn."""
    with silence():
        times = race(
            {OURS: lambda: ours(svm, passes), "Vowpal Wabbit": lambda: vowpal_wabbit(vw, passes)},
            repeats=3,
        )
        times["scikit-learn"] = Timing.of([timed(lambda: scikit_learn(svm, passes))[0]])
    return times


def line(svm: Path, passes: int, times: dict[str, Timing], guessed: str = "") -> dict[str, str]:
    row = {"file": f"{svm.stat().st_size / 1e6:.0f} MB", "passes": str(passes), OURS: ""}
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

    times = race({"read": lambda: open_reader(svm).read(), "stream": streamed}, repeats=5)
    read = size / times["read"].median
    stream = (1 + passes) * size / times["stream"].median
    return {
        "file": f"{size / 1e6:.0f} MB",
        "memory": f"{memory / 1e6:.0f} MB",
        "read into memory": f"{read / 1e6:.0f} MB/s",
        "streamed (learning included)": f"{stream / 1e6:.0f} MB/s",
        "share": f"{stream / read:.2f}",
    }


def main() -> None:
    heading("From file to model")
    rows, streamed = [], []
    with tempfile.TemporaryDirectory() as folder:
        small, large = (write(Path(folder), n) for n in ROWS)
        for passes in (1, 10):
            times = against_others(*small, passes)
            rows.append(line(small[0], passes, times))
            # LIBLINEAR's passes are linear in the rows; ten times the rows would take minutes.
            more = ROWS[1] / ROWS[0] * times["LIBLINEAR"].median
            found = on_the_large(*large, passes) | {"LIBLINEAR": Timing.of([more])}
            rows.append(line(large[0], passes, found, guessed="LIBLINEAR"))
        streamed = [out_of_core(svm) for svm, _ in (small, large)]
    table(rows)
    print(
        "\nTimes others take are followed by how many times ours that is. What LIBLINEAR takes on "
        "the large file is not measured: it is the small one's, by the rows.\n"
    )
    table(streamed)


if __name__ == "__main__":
    main()

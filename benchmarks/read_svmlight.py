"""svmlight text to a CSR matrix, against scikit-learn's `load_svmlight_file`, by one thread and by
one for each core; the matrices must be equal. The floor is reading the file's bytes from the page
cache.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from harness import QUICK, cell, core_count, factor, heading, race, ratio, table, target
from rosenblatt.readers import open_reader

QUESTION = "Reading svmlight text"


def write_text(path: Path, rows: int, width: int, per_row: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for _ in range(rows):
            columns = np.unique(rng.integers(1, width + 1, rng.poisson(per_row))).tolist()
            values = rng.random(len(columns)).tolist()
            entries = " ".join(f"{j}:{v:.4g}" for j, v in zip(columns, values, strict=True))
            file.write(f"{rng.choice([-1, 1])} {entries}\n")


def main() -> None:
    heading(QUESTION)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.svm")
        write_text(path, 500 if QUICK else 20_000, 50_000, 60)
        many = f"rosenblatt, {core_count()} threads"
        times = race(
            {
                "rosenblatt, 1 thread": lambda: open_reader(path, threads=1).read(),
                many: lambda: open_reader(path).read(),
                "scikit-learn": lambda: load_svmlight_file(str(path)),
                "the bytes alone": path.read_bytes,
            },
            repeats=7,
        )
        size = path.stat().st_size
    X, y = times["scikit-learn"].result
    for name in ("rosenblatt, 1 thread", many):
        chunk = times[name].result
        assert (chunk.X != X).nnz == 0, name
        assert (chunk.y == y).all(), name
    table(
        {
            f"{size / 1e6:.1f} MB, {X.nnz:,} entries": name,
            "seconds": cell(times, name),
            "MB/s": f"{size / 1e6 / timing.median:,.0f}",
            "× scikit-learn": factor(ratio(times, name, "scikit-learn")),
        }
        for name, timing in times.items()
    )
    one = ratio(times, "rosenblatt, 1 thread", "scikit-learn")
    target("reading svmlight text by one thread, × scikit-learn", 1, one)


if __name__ == "__main__":
    main()

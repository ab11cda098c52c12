"""How fast is svmlight text read, against scikit-learn's ``load_svmlight_file``?

Text of 50,000 × 50,000 with about 60 entries a row (38 MB) is written to a temporary folder and
read by both in turn, after a warm-up; the medians and their ratio are printed, for one thread and
for all. Results must be equal. Pin it to one core (``taskset -c 0``) for the ratio on one core.

    python benchmarks/read_svmlight.py [--rows 50000] [--repeats 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file

from rosenblatt.readers import open_reader


def write_text(path: Path, rows: int, width: int, per_row: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for _ in range(rows):
            columns = np.unique(rng.integers(1, width + 1, rng.poisson(per_row))).tolist()
            values = rng.random(len(columns)).tolist()
            entries = " ".join(f"{j}:{v:.4g}" for j, v in zip(columns, values, strict=True))
            file.write(f"{rng.choice([-1, 1])} {entries}\n")


def seconds(function: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.svm")
        write_text(path, arguments.rows, 50_000, 60)
        contestants: dict[str, Callable[[], Any]] = {
            "scikit-learn": lambda: load_svmlight_file(str(path)),
            "rosenblatt, 1 thread": lambda: open_reader(path, threads=1).read(),
            f"rosenblatt, {cores} threads": lambda: open_reader(path).read(),
        }
        X, y = contestants["scikit-learn"]()
        for name, read in contestants.items():
            chunk = read()
            assert (chunk[0] != X).nnz == 0, name
            assert (chunk[1] == y).all(), name
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
        for _ in range(arguments.repeats):
            for name, read in contestants.items():
                times[name].append(seconds(read))
        print(f"{path.stat().st_size / 1e6:.1f} MB, {X.nnz} entries, {cores} cores")
        base = statistics.median(wall for wall, _ in times["scikit-learn"])
        base_cpu = statistics.median(cpu for _, cpu in times["scikit-learn"])
        for name, pairs in times.items():
            wall = statistics.median(w for w, _ in pairs)
            cpu = statistics.median(c for _, c in pairs)
            print(
                f"{name:24} {wall:7.4f} s ({base / wall:5.1f} ×), "
                f"{cpu:7.4f} s of processor ({base_cpu / cpu:5.1f} ×)"
            )


if __name__ == "__main__":
    main()

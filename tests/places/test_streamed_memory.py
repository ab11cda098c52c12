"""Memory: a file five times the memory allowed is fitted within it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parent / "peak_memory.py"
MEMORY = 10_000_000


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A small file, and one of five times the memory, of inseparable rows."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(1500):
        columns = np.unique(rng.integers(1, 5001, 60))
        entries = " ".join(f"{j}:{v:.4f}" for j, v in zip(columns, rng.random(60), strict=False))
        lines.append(f"{rng.choice([-1, 1])} {entries}\n")
    small, large = folder / "small.svm", folder / "large.svm"
    small.write_text("".join(lines[:20]))
    with large.open("w") as file:
        while file.tell() < 5 * MEMORY:
            rng.shuffle(lines)
            labels = rng.choice(["-1", "1"], len(lines))
            pairs = zip(labels, lines, strict=True)
            file.write("".join(f"{y} {line.split(' ', 1)[1]}" for y, line in pairs))
    # The first process may have to compile, which takes more memory than the rows do.
    peak(small, small, "active")
    return small, large


def peak(small: Path, path: Path, order: str) -> int:
    command = [sys.executable, str(SCRIPT), str(small), str(path), order, str(MEMORY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return int(done.stdout)


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "active"])
def test_the_peak_stays_within_the_memory_allowed(files, order):
    small, large = files
    assert large.stat().st_size >= 5 * MEMORY
    # Rows that are held between chunks take a quarter; without them, only chunks are seen.
    least = 0 if order == "cyclic" else MEMORY // 8
    assert least <= peak(small, large, order) <= MEMORY

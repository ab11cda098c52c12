"""Memory: a file five times the memory allowed is fitted within it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.places.file.rows import CHUNKS_ALONE, chunk_bytes_within, fill_memory
from rosenblatt.readers import open_reader

SCRIPT = Path(__file__).parent / "peak_memory.py"
MEMORY = 10_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("large")


@pytest.fixture(scope="module")
def files(folder):
    """A small file, and one of five times the memory, of inseparable rows."""
    return written(folder, "numbers", "{}:{:.4f}")


@pytest.fixture(scope="module")
def files_of_ones(folder):
    """The same with shorter text for each entry, whose rows take more memory than their text."""
    return written(folder, "ones", "{}:1")


@pytest.fixture(scope="module")
def files_of_short_rows(folder):
    """Rows of three such entries, most of whose memory is not that of the entries."""
    return written(folder, "short", "{}:1", per_row=3)


def written(folder: Path, name: str, entry: str, per_row: int = 60) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(1500):
        columns = np.unique(rng.integers(1, 5001, per_row))
        entries = " ".join(map(entry.format, columns, rng.random(per_row)))
        lines.append(f"{rng.choice([-1, 1])} {entries}\n")
    small, large = folder / f"{name}_small.svm", folder / f"{name}_large.svm"
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


def test_so_it_does_where_rows_take_more_memory_than_their_text(files_of_ones):
    small, large = files_of_ones
    assert peak(small, large, "cyclic") <= MEMORY


def test_so_it_does_where_rows_are_short(files_of_short_rows):
    small, large = files_of_short_rows
    assert peak(small, large, "cyclic") <= MEMORY


def test_chunks_are_as_large_as_what_their_rows_take_allows(files, files_of_ones):
    sizes = []
    for large in (files[1], files_of_ones[1]):
        reader = open_reader(large, chunk_bytes=chunk_bytes_within(MEMORY, CHUNKS_ALONE))
        fill_memory(reader, MEMORY)
        X = max((chunk.X for chunk in reader.chunks()), key=lambda X: X.nnz)
        assert MEMORY / 2 < 2 * (reader.chunk_bytes + 12 * X.nnz) < MEMORY
        sizes.append(reader.chunk_bytes)
    assert sizes[0] > sizes[1] > MEMORY / CHUNKS_ALONE


def test_chunks_of_a_table_are_as_large_as_ever(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,1\n-1,0\n")
    reader = open_reader(path, chunk_bytes=1 << 20)
    fill_memory(reader, MEMORY)
    assert reader.chunk_bytes == 1 << 20

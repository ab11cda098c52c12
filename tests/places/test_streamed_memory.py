"""Memory: a file of several times the memory allowed is fitted within it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy import sparse

from rosenblatt.places.file.rows import CHUNKS_ALONE, chunk_bytes_within, fill_memory
from rosenblatt.readers import open_reader

SCRIPT = Path(__file__).parent / "peak_memory.py"
MEMORY = 10_000_000
# Little memory for much data: its many chunks, and what comes on top (docs/howto/large_files.md):
# pyarrow's part, a page of each column of Parquet, a record batch of Arrow, the search for a proof.
LITTLE, ON_TOP = 4_000_000, 80_000_000


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


def peak(small: Path, path: Path, order: str, memory: int = MEMORY, *certified: str) -> int:
    given = [str(small), str(path), order, str(memory), *certified]
    command = [sys.executable, str(SCRIPT), *given]
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


def rows_in(path: Path, n: int) -> None:
    """Write n rows of 20 columns, 200 bytes each in memory, in the format of the name."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 20)), rng.integers(0, 2, n)
    names = [*(f"x{j}" for j in range(20)), "y"]
    table = pa.table([*X.T, y], names)
    match "".join(path.suffixes):
        case ".csv":
            np.savetxt(path, np.column_stack([X, y]), "%.3f", ",", header=",".join(names))
        case ".svm":
            entries = " ".join(f"{j}:%.3f" for j in range(1, 21))
            np.savetxt(path, np.column_stack([y, X]), f"%d {entries}")
        case ".parquet":  # one row group, as pyarrow writes a million rows and less
            parquet.write_table(table, path)
        case ".arrow":
            feather.write_feather(table, path)
        case ".npy":
            np.save(path, np.column_stack([X, y]))
        case ".npz":
            np.savez(path, X=X, y=y)
        case ".sparse.npz":
            data = sparse.csr_array(X * (rng.random(X.shape) < 0.7))
            parts = {"data": data.data, "indices": data.indices, "indptr": data.indptr}
            np.savez(path, **parts, shape=X.shape, format=b"csr", y=y)
        case ".vw":
            words = [[f"word{w}" for w in row] for row in rng.integers(0, 5000, (min(n, 1000), 30))]
            lines = [" ".join(row) for row in words]
            with path.open("w") as file:
                for i, sign in enumerate(y):
                    file.write(f"{2 * sign - 1} | {lines[i % len(lines)]}\n")


FORMATS = ("csv", "svm", "parquet", "arrow", "npy", "npz", "sparse.npz", "vw")


@pytest.mark.parametrize("format", FORMATS)
def test_little_memory_is_kept_to_in_every_format(folder, format):
    """With the search for a proof, whose sums over columns were once held of every chunk."""
    small, large = folder / f"few.{format}", folder / f"many.{format}"
    rows_in(small, 50)
    rows_in(large, 300_000 if format == "parquet" else 150_000)
    assert peak(small, large, "active", LITTLE, "certified") <= LITTLE + ON_TOP
    large.unlink()

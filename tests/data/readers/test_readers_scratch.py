"""Scratch files: a file is parsed once, and its rows are read back; all else is as without."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from rosenblatt import Perceptron, decide_stream, verify_stream
from rosenblatt.data.readers.scratch import Scratch
from rosenblatt.data.readers.sources import Source
from rosenblatt.readers import open_reader

SMALL = 1 << 10  # bytes of a chunk: there are many


def written(path):
    """Some inseparable rows in the format of the name, with text and weights where it has them."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-9, 9, (400, 3)), rng.integers(0, 2, 400)
    rows = list(zip(X.tolist(), y.tolist(), strict=True))
    if path.suffix == ".csv":
        lines = [
            f"{a},{b},{'red' if c > 0 else 'blue'},{'yes' if k else 'no'}" for (a, b, c), k in rows
        ]
        path.write_text("\n".join(["a,b,color,kind", *lines, ""]))
    elif path.suffix == ".svm":
        path.write_text("".join(f"{k} 1:{a} 2:{b} 3:{c}\n" for (a, b, c), k in rows))
    elif path.suffix == ".vw":
        path.write_text("".join(f"{2 * k - 1} {1 + k} | a:{a} b:{b}\n" for (a, b, _), k in rows))
    else:
        table = pa.table([*X.T, np.where(y, "yes", "no")], ["a", "b", "c", "kind"])
        write = parquet.write_table if path.suffix == ".parquet" else feather.write_feather
        write(table, path)
    return path


@pytest.fixture(params=["rows.csv", "rows.svm", "rows.vw", "rows.parquet", "rows.arrow"])
def path(request, tmp_path):
    return written(tmp_path / request.param)


@pytest.fixture
def opened(monkeypatch):
    """The files opened to be read, in turn."""
    names, open_one = [], Source.open
    monkeypatch.setattr(
        Source, "open", lambda self, name: names.append(name) or open_one(self, name)
    )
    return names


def plain(chunk):
    X = chunk.X.toarray() if hasattr(chunk.X, "indptr") else chunk.X
    weights = None if chunk.weights is None else chunk.weights.tolist()
    text = {name: values.to_pylist() for name, values in chunk.text.items()}
    return X.tolist(), chunk.y.tolist(), text, weights


def test_what_is_read_back_is_what_was_parsed(path, opened):
    reader = open_reader(path, chunk_bytes=SMALL)
    parsed = list(map(plain, reader.chunks()))
    assert len(parsed) > 1
    reader.keep()
    again = reader.chunks()
    next(again)  # a pass that is given up is not kept
    assert list(map(plain, reader.chunks())) == parsed
    del opened[:]
    one, other = reader.chunks(), reader.chunks()  # side by side
    assert [(plain(a), plain(b)) for a, b in zip(one, other, strict=True)] == list(
        zip(parsed, parsed, strict=True)
    )
    assert reader.position == (reader.size if reader.format in ("csv", "svmlight", "vw") else 0)
    assert not opened
    reader.forget()
    assert list(map(plain, reader.chunks())) == parsed
    assert opened


@pytest.mark.parametrize(("format", "times"), [("csv", 2), ("svm", 3), ("parquet", 4)])
def test_a_fit_parses_once(tmp_path, format, times, opened):
    path = written(tmp_path / f"rows.{format}")
    model = Perceptron(max_iter=20, random_state=0).fit_stream(path)
    assert model.n_iter_ + model.run_.averaged >= 5
    # To see what it is, of svmlight to count the columns, and to parse, which opens Parquet twice.
    assert len(opened) <= times


def test_so_do_a_decision_and_its_check(tmp_path, opened):
    reader = open_reader(written(tmp_path / "rows.csv"))
    proof = decide_stream(reader).certificate
    assert len(opened) <= 2
    assert verify_stream(proof, reader)
    assert len(opened) <= 3


def test_nothing_is_left_of_it(tmp_path, monkeypatch):
    path, folder = written(tmp_path / "rows.csv"), tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    reader = open_reader(path)

    def cut(progress):
        raise KeyError

    with pytest.raises(KeyError):
        Perceptron().fit_stream(reader, progress=cut)
    assert not reader.keeps
    assert not os.listdir(folder)


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # as a disk that has no more room
from rosenblatt import Perceptron
print(*Perceptron(max_iter=20, random_state=0).fit_stream(sys.argv[1]).coef_.ravel())
"""


def test_a_full_disk_means_parsing_again(tmp_path):
    path = written(tmp_path / "rows.csv")
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    whole = Perceptron(max_iter=20, random_state=0).fit_stream(path)
    assert done.stdout.split() == [str(w) for w in whole.coef_.ravel()]


def test_it_leaves_the_disk_room(monkeypatch):
    monkeypatch.setattr("rosenblatt.data.readers.scratch.SHARE", 1e-12)
    scratch = Scratch()
    scratch.append(np.arange(1000))
    assert scratch.full
    assert list(scratch) == []


def test_no_folder_to_write_to_means_none(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "not there"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "not there"))
    assert Scratch().full
    assert Perceptron().fit_stream(written(tmp_path / "rows.csv")).n_iter_ >= 1

"""Values of generated Parquet, npz and Vowpal Wabbit files against those of reference readers.

``ROSENBLATT_FUZZ=1000 pytest tests/readers/test_readers_references.py`` compares 1,000 files of
each format; ``ROSENBLATT_FUZZ_SEED`` gives other ones.
"""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse
from sklearn.utils import murmurhash3_32

from rosenblatt.readers import open_reader

FILES = int(os.environ.get("ROSENBLATT_FUZZ", "100"))
SEED = int(os.environ.get("ROSENBLATT_FUZZ_SEED", "0"))

FLOATS = (np.float64, np.float32, np.float16)
INTEGERS = (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64)


def numbers(rng, n):
    """Doubles of all magnitudes, short and long, signed zeros and whole numbers among them."""
    kinds = [
        rng.normal(size=n),
        rng.normal(size=n).round(3),
        rng.integers(-(2**53), 2**53, n).astype(float),
        10.0 ** rng.uniform(-300, 300, n),
        np.zeros(n) * -1.0,
    ]
    return np.choose(rng.integers(0, len(kinds), n), kinds)


def column(rng, n):
    """A column of some type of numbers, as arrow has it."""
    kind = rng.integers(0, 5)
    if kind == 0:
        return pa.array(rng.random(n) < 0.5)
    if kind == 1:
        dtype = INTEGERS[rng.integers(len(INTEGERS))]
        info = np.iinfo(dtype)
        low, high = max(info.min, -(2**53)), min(info.max, 2**53)
        return pa.array(rng.integers(low, high, n, endpoint=True).astype(dtype))
    if kind == 2:
        values = pa.array(rng.integers(0, 5, n).astype(np.int64))
        return values.dictionary_encode()
    dtype = FLOATS[rng.integers(len(FLOATS))]
    values = numbers(rng, n) if dtype is np.float64 else rng.normal(size=n)
    missing = rng.random(n) < (0.2 if kind == 4 else 0.0)
    return pa.array(values.astype(dtype), mask=missing)


@pytest.mark.parametrize("missing", ["drop", "keep"])
def test_parquet_is_that_of_pandas(tmp_path, missing):
    rng, path = np.random.default_rng(SEED), tmp_path / "t.parquet"
    compared = 0
    for _ in range(FILES // 2):
        n, d = int(rng.integers(1, 40)), int(rng.integers(1, 6))
        table = {f"c{j}": column(rng, n) for j in range(d)}
        table["y"] = pa.array(rng.choice(["a", "b", "ü"], n))
        groups, codec = int(rng.integers(1, n + 1)), str(rng.choice(["snappy", "zstd", "none"]))
        parquet.write_table(pa.table(table), path, row_group_size=groups, compression=codec)
        frame = pd.read_parquet(path)
        X = frame.drop(columns="y").astype(float).to_numpy()
        keep = ~np.isnan(X).any(axis=1) if missing == "drop" else np.ones(n, bool)
        if not keep.any():
            continue
        reader = open_reader(path, missing=missing, chunk_bytes=int(rng.integers(1, 400)))
        for chunk in (reader.read(), _joined(list(reader.chunks()))):
            np.testing.assert_array_equal(_bits(chunk.X), _bits(X[keep]))
            assert chunk.y.tolist() == frame["y"][keep].tolist()
        compared += 1
    assert compared > 0.9 * (FILES // 2)


def test_npz_is_that_of_numpy_and_scipy(tmp_path):
    rng, path = np.random.default_rng(SEED), tmp_path / "t.npz"
    for _ in range(FILES):
        n, d = int(rng.integers(1, 40)), int(rng.integers(1, 6))
        X = numbers(rng, n * d).reshape(n, d)
        dtype = (*FLOATS[:2], *INTEGERS)[rng.integers(2 + len(INTEGERS))]
        if np.issubdtype(dtype, np.integer):
            X = rng.integers(0, 100, (n, d))
        with np.errstate(over="ignore"):
            X = np.where(np.isfinite(X.astype(dtype)), X, 1).astype(dtype)
        if rng.random() < 0.5:
            order = str(rng.choice(["C", "F"]))
            y = rng.integers(0, 3, n).astype(rng.choice([np.int8, np.int64, np.float32]))
            save = np.savez if rng.random() < 0.5 else np.savez_compressed
            save(path, X=np.asarray(X, order=order).astype(X.dtype.newbyteorder("<")), y=y)
            reader = open_reader(path, chunk_bytes=int(rng.integers(1, 400)))
            with np.load(path) as held:
                expected, labels = held["X"], held["y"]
            for chunk in (reader.read(), _joined(list(reader.chunks()))):
                np.testing.assert_array_equal(_bits(chunk.X), _bits(expected.astype(float)))
                np.testing.assert_array_equal(chunk.y, labels)
        else:
            X[rng.random(X.shape) < 0.6] = 0
            sparse.save_npz(path, sparse.csr_array(X), compressed=bool(rng.random() < 0.5))
            reader = open_reader(path, chunk_bytes=int(rng.integers(1, 400)))
            expected = sparse.load_npz(path).toarray().astype(float)
            np.testing.assert_array_equal(_bits(reader.read().X.toarray()), _bits(expected))


def reference(text, bits):
    """Vowpal Wabbit's format in plain Python, with scikit-learn's murmur3 for names."""
    labels, weights, rows = [], [], []
    for line in text.splitlines():
        head, *spaces = line.split("|")
        words = [word for word in head.split() if not word.startswith("'")]
        labels.append(float(words[0]))
        weights.append(float(words[1]) if len(words) > 1 else 1.0)
        row = {}
        for space in spaces:
            names = space.split()
            seed, scale = 0, 1.0
            if not space.startswith(" "):
                name, _, value = names.pop(0).partition(":")
                seed, scale = _hashed(name, 0) if name else 0, float(value or 1)
            for word in names:
                name, _, value = word.partition(":")
                at = _hashed(name, seed) % 2**bits
                row[at] = row.get(at, 0.0) + float(value or 1) * scale
        rows.append(row)
    return np.array(labels), np.array(weights), rows


def _hashed(name, seed):
    if name.isdigit():
        return (int(name) + seed) % 2**32
    return murmurhash3_32(name, seed, positive=True)


def words(rng, count):
    letters = [*"abcxyz_ABCÄß", "0", "1", "23"]
    return ["".join(rng.choice(letters, int(rng.integers(1, 9)))) for _ in range(count)]


def vowpal_line(rng):
    parts = [f"{rng.integers(-2, 3)}"]
    if rng.random() < 0.3:
        parts.append(f"{rng.random() + 0.1:.6g}")
    if rng.random() < 0.2:
        parts.append("'tag")
    spaces = []
    for _ in range(int(rng.integers(1, 4))):
        name = str(words(rng, 1)[0]) if rng.random() < 0.6 else ""
        if name and rng.random() < 0.3:
            name += f":{rng.random() + 0.5:.4g}"
        features = [
            word if rng.random() < 0.3 else f"{word}:{value!r}"
            for word, value in zip(words(rng, 5), numbers(rng, 5).tolist(), strict=True)
            if abs(value) < 1e290
        ]
        spaces.append(f"{name} {' '.join(features)}")
    return " ".join(parts) + " |" + " |".join(spaces)


def test_vowpal_wabbit_is_that_of_plain_python(tmp_path):
    rng, path = np.random.default_rng(SEED), tmp_path / "t.vw"
    for _ in range(FILES):
        bits = int(rng.integers(1, 24))
        text = "\n".join(vowpal_line(rng) for _ in range(int(rng.integers(1, 12)))) + "\n"
        path.write_text(text, "utf-8")
        labels, weights, rows = reference(text, bits)
        reader = open_reader(path, bits=bits, chunk_bytes=int(rng.integers(1, 2000)))
        chunk = reader.read()
        np.testing.assert_array_equal(chunk.y, labels)
        np.testing.assert_array_equal(1.0 if chunk.weights is None else chunk.weights, weights)
        for i, row in enumerate(rows):
            start, end = chunk.X.indptr[i : i + 2]
            assert chunk.X.indices[start:end].tolist() == sorted(row)
            found = chunk.X.data[start:end]
            expected = np.array([row[at] for at in sorted(row)])
            # Where names meet in a column, the order of the sum is free.
            np.testing.assert_allclose(
                found, expected, rtol=1e-15 if bits > 18 else 1e-9, atol=1e-300
            )


def _bits(X):
    return np.where(np.isnan(X), np.nan, X).view(np.int64)


def _joined(chunks):
    X = np.concatenate([chunk.X for chunk in chunks])
    return chunks[0]._replace(X=X, y=np.concatenate([chunk.y for chunk in chunks]))

"""Readers fed with mutated files: rows, or an `InputError`; never a crash, a hang, a wrong number.

Every input that is read is read again in small chunks, and by another library: scikit-learn,
pandas, numpy, scipy, pyarrow. What both accept must be equal to the bit.

``ROSENBLATT_FUZZ=100000 pytest tests/readers/test_readers_fuzz.py`` gives each format 100,000
inputs; ``ROSENBLATT_FUZZ_SEED`` gives other ones.
"""

from __future__ import annotations

import bz2
import gzip
import io
import os
import zipfile
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from pyarrow import feather, parquet
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from fuzzing import Mutator, limited
from rosenblatt.errors import InputError
from rosenblatt.readers import open_reader
from rosenblatt.readers.csvtable import _PADDED

DEPTH = int(os.environ.get("ROSENBLATT_FUZZ", "250"))
SEED = int(os.environ.get("ROSENBLATT_FUZZ_SEED", "0"))

NUMBERS = b"0 1 -1 2.5 1e3 -.5 1e999 1e-400 nan inf 0x10 1_0 00 +1 9007199254740993 1e5000".split()
PUNCTUATION = [b",", b";", b"\t", b"|", b" ", b"\n", b"\r\n", b"\r", b'"', b'""', b"'", b"\\"]
NOISE = [b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"?", b"NA", b"abc", b"#", b":", b"|", b"'"]

TABLES = [
    b"weight,color,kind\n150,red,apple\n118.5,yellow,banana\n160,green,apple\n",
    b"a;b;c\n1,5;2,25;x\n-3,125;4;y\n7;8,5;x\n",
    b'x,note,y\n1,"two\nlines, and ""quotes""",a\n2,plain,b\n3,,a\n',
    b"\xef\xbb\xbfa,b,label\r\n1,2,0\r\n3,4,1\r\n5.25,6e-3,0\r\n",
    b"1 2 3\n4 5 6\n7 8 9\n",
    b"a,b\n1,\n,2\n3,NA\n4,5\n",
    b"0.1,0.2,0.3,1\n0.4,0.5,0.6,0\n1e-7,123456789.123456789,-0,1\n",
]
TABBED = [table.replace(b",", b"\t").replace(b";", b"\t") for table in TABLES]
SPARSE_TEXT = [
    b"1 1:0.5 3:2 7:-1e3\n-1 2:1.25 19:3\n+1 5:.5 6:1e-3\n",
    b"# a comment\n3 qid:1 1:1 2:2 # tail\n2 qid:2 1:3\n\n1 qid:2 4:5\n",
    b"0.5 1:123456789.123456789 2:0.1\n-2.25 3:9007199254740993\n",
    b"1\n-1\n1 1:1\n",
    b"1 0:1 5:2\r\n-1 0:3 2:4\r\n",
]
VOWPAL = [
    b"1 |a x:1 y:2.5 |b z\n-1 |a x:0.5 |c w:1e3\n",
    b"1 2.0 'tag|price:2 cost:3 sold | plain other:4\n-1 |price cost:1\n",
    b"|a x y z\n|b q:3\n",
    b"2 | 1:1 2:2\n1 | 1:3 3:-4\n3 |\n",
]


def packed(save, *arrays, **named):
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


GRID = np.arange(12.0).reshape(4, 3) / 7
LABELS = np.array([0, 1, 0, 1])
STORED = [
    packed(np.save, GRID),
    packed(np.save, np.asfortranarray(GRID)),
    packed(np.save, GRID.astype(">f4")),
    packed(np.save, np.arange(6, dtype=np.int8).reshape(2, 3)),
]
ARCHIVES = [
    packed(np.savez, X=GRID, y=LABELS),
    packed(np.savez_compressed, X=GRID.astype(np.float32), y=np.array(["a", "b", "a", "c"])),
    packed(np.savez, X=np.asfortranarray(GRID), y=LABELS.astype(float)),
]
MATRIX = sparse.csr_matrix(np.where(GRID > 0.7, GRID, 0))
SPARSE_ARCHIVES = [
    packed(lambda f, m: sparse.save_npz(f, m, compressed=False), MATRIX),
    packed(sparse.save_npz, sparse.csr_array(MATRIX.astype(np.float32))),
]
FRAME = pd.DataFrame({"a": [1.5, 2, None, 4], "b": [1, 2, 3, 4], "kind": ["x", "y", "x", "z"]})
PARQUET = [
    packed(lambda f: FRAME.to_parquet(f, index=False)),
    packed(lambda f: FRAME.to_parquet(f, index=False, compression=None)),
    packed(lambda f: FRAME[["b", "a"]].dropna().to_parquet(f, index=False, compression="zstd")),
]
ARROW = [
    packed(lambda f: feather.write_feather(FRAME, f, compression="uncompressed")),
    packed(
        lambda f: feather.write_feather(FRAME.dropna().reset_index(drop=True), f, compression="lz4")
    ),
]
HEADERS = [b"'descr': '<f8'", b"'fortran_order': True", b"'shape': (4, 3)", b"(10**9, 3)", b"<i8"]
HEADERS += [b"|O8", b"(-1, 3)", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x02\x00", b"PK\x03\x04", b"X.npy"]
HEADERS += [b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f", b"\x80", b"(99999999999999999999,)"]

SEEDS = {
    "csv": (TABLES, [*NUMBERS, *PUNCTUATION, *NOISE]),
    "tsv": (TABBED, [*NUMBERS, *PUNCTUATION, *NOISE]),
    "svmlight": (SPARSE_TEXT, [*NUMBERS, *PUNCTUATION, *NOISE, b"qid:3", b"4:", b"1:1", b" 7:1 "]),
    "vw": (VOWPAL, [*NUMBERS, *PUNCTUATION, *NOISE, b" |n ", b"x:", b":3", b"|f:0.5 "]),
    "npy": (STORED, HEADERS),
    "npz": (ARCHIVES, HEADERS),
    "sparse": (SPARSE_ARCHIVES, [*HEADERS, b"indptr.npy", b"indices.npy", b"csc", b"csr"]),
    "arrow": (ARROW, [b"ARROW1", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f", b"\x80", b"\x10\0"]),
    "parquet": (PARQUET, [b"PAR1", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f", b"\x80", b"\x15"]),
}


class Compressed(Mutator):
    """Text that is changed before it is compressed, or after."""

    def __call__(self):
        pack = self.rng.choice((lambda data: gzip.compress(data, 1), bz2.compress))
        if self.rng.random() < 0.7:
            return pack(super().__call__())
        return Mutator([pack(seed) for seed in self.seeds], self.tokens, self.rng.random())()


class Repacked(Mutator):
    """Archives of which a member is changed, with a right checksum; or the archive itself is."""

    def __call__(self):
        if self.rng.random() < 0.3:
            return super().__call__()
        with zipfile.ZipFile(io.BytesIO(self.rng.choice(self.seeds))) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        name = self.rng.choice(sorted(members))
        members[name] = Mutator([members[name]], self.tokens, self.rng.random())()
        if self.rng.random() < 0.1:
            del members[name]
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return file.getvalue()


def rows(path, **options):
    """Rows, labels and text, or None if the file is refused."""
    try:
        chunk = open_reader(path, threads=1, **options).read()
    except InputError:
        return None
    X, y = chunk.X, chunk.y
    assert np.isfinite(X.data if sparse.issparse(X) else X).all()
    assert y is None or len(y) == X.shape[0]
    return X, None if y is None else y.tolist(), {k: v.to_pylist() for k, v in chunk.text.items()}


def equal(A, B):
    """Whether two matrices are the same to the bit; a sparse one is not made dense."""
    if A.shape != B.shape or A.dtype != B.dtype:
        return False
    if not sparse.issparse(A):
        return np.ascontiguousarray(A).tobytes() == np.ascontiguousarray(B).tobytes()
    parts = [(M.indptr.tolist(), M.indices.tolist(), M.data.tobytes()) for M in (A, B)]
    return parts[0] == parts[1]


# What other libraries read, of a file that ours has read; ValueError where they do not.


def by_sklearn(path, data, found):
    magic = {b"\x1f\x8b": gzip, b"BZ": bz2}
    plain = magic[data[:2]].decompress(data) if data[:2] in magic else data
    X, y = load_svmlight_file(io.BytesIO(plain))
    X.sort_indices()
    return equal(found[0], sparse.csr_array(X)) and found[1] == y.tolist()


def by_pandas(path, data, found):
    reader = open_reader(path, label=False, missing="drop")
    dialect = reader.table.dialect
    frame = pd.read_csv(
        io.BytesIO(data),
        sep=r"\s+" if dialect.layout.aligned else dialect.delimiter,
        names=range(len(dialect.names)),
        skiprows=int(dialect.header),
        decimal=dialect.decimal,
        quoting=0 if dialect.quoted else 3,
        na_values=list(_PADDED),
        keep_default_na=False,
        encoding="utf-8-sig",
        low_memory=False,
    ).dropna()
    numeric = [j for j, kind in enumerate(dialect.kinds) if kind != "text"]
    # pandas reads -0 as a whole number, which has no sign.
    return equal(reader.read().X + 0.0, frame[numeric].to_numpy(np.float64) + 0.0)


def by_numpy(path, data, found):
    return equal(found[0], np.load(path, allow_pickle=False).astype(np.float64))


def by_numpy_archive(path, data, found):
    with np.load(path, allow_pickle=False) as arrays:
        X, y = arrays["X"].astype(np.float64), arrays["y"].tolist()
    return equal(found[0], X) and found[1] == y


def by_scipy(path, data, found):
    X = sparse.csr_array(sparse.load_npz(path))
    X.sum_duplicates()
    return equal(sparse.csr_array(found[0]), X.astype(np.float64))


def by_pyarrow(path, data, found):
    frame = parquet.read_table(path).to_pandas().dropna()
    X = open_reader(path, label=False, missing="drop").read().X
    return equal(X, frame.select_dtypes("number").to_numpy(np.float64))


def by_pyarrow_feather(path, data, found):
    frame = feather.read_table(path, memory_map=False).to_pandas(ignore_metadata=True).dropna()
    X = open_reader(path, label=False, missing="drop").read().X
    return equal(X, frame.select_dtypes("number").to_numpy(np.float64))


FORMATS = {
    "csv": ("csv", Mutator, by_pandas, {}),
    "tsv": ("tsv", Mutator, by_pandas, {"format": "tsv"}),
    "svmlight": ("svm", Mutator, by_sklearn, {"format": "svmlight"}),
    "svmlight.gz": ("svm.gz", Compressed, by_sklearn, {"format": "svmlight"}),
    "vw": ("vw", Mutator, None, {"format": "vw"}),
    "npy": ("npy", Mutator, by_numpy, {"label": False}),
    "npz": ("npz", Repacked, by_numpy_archive, {}),
    "sparse": ("npz", Repacked, by_scipy, {"label": False}),
    "arrow": ("arrow", Mutator, by_pyarrow_feather, {"label": False, "missing": "drop"}),
    "parquet": ("parquet", Mutator, by_pyarrow, {"label": False, "missing": "drop"}),
}


def fuzz(name, depth, path):
    """How many inputs there were, were read, and were read by another library too."""
    ending, mutator, oracle, options = FORMATS[name]
    mutate = mutator(*SEEDS[name.removesuffix(".gz")], SEED)
    path = f"{path}.{ending}"
    counts = Counter()
    with limited() as restart:
        for _ in range(depth):
            data = mutate()
            with open(path, "wb") as file:
                file.write(data)
            restart()
            counts["inputs"] += 1
            found = rows(path, **options)
            small = rows(path, chunk_bytes=mutate.rng.choice((1, 7, 64)), **options)
            assert (found is None) == (small is None), data
            if found is None:
                continue
            counts["read"] += 1
            assert equal(found[0], small[0]), data
            assert found[1:] == small[1:], data
            if oracle is None:
                continue
            try:
                agrees = oracle(path, data, found)
            except Exception:
                counts["refused by others"] += 1
                continue
            assert agrees, data
            counts["compared"] += 1
    return counts


@pytest.mark.parametrize("name", FORMATS)
def test_mutated_files_are_rows_or_an_input_error(name, tmp_path):
    counts = fuzz(name, DEPTH, tmp_path / "fuzzed")
    print(name, dict(counts))
    assert counts["read"] > DEPTH / 100
    assert counts["compared"] > DEPTH / 100 or name == "vw"

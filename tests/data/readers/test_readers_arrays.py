"""numpy and scipy files, and Vowpal Wabbit text."""

from __future__ import annotations

import gc
import gzip
import io
import os
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.utils import murmurhash3_32

from rosenblatt.errors import InputError
from rosenblatt.readers import open_reader

DEPTH = int(os.environ.get("ROSENBLATT_FUZZ", "200"))
deep = settings(max_examples=DEPTH, deadline=None, derandomize=DEPTH <= 300)

X = np.arange(12.0).reshape(4, 3)
Y = np.array(["a", "b", "a", "b"])


def whole(reader):
    """The rows read at once, after checking that two passes over chunks give the same."""
    chunk = reader.read()
    dense = chunk.X.toarray() if sparse.issparse(chunk.X) else chunk.X
    for _ in range(2):
        parts = list(reader.chunks())
        rows = [p.X.toarray() if sparse.issparse(p.X) else p.X for p in parts]
        np.testing.assert_array_equal(np.concatenate(rows), dense)
    return dense, chunk.y


@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path, order):
    np.save(tmp_path / "x.npy", np.asarray(X, order=order))
    dense, y = whole(open_reader(tmp_path / "x.npy", chunk_bytes=30))
    assert dense.tolist() == X[:, :2].tolist()
    assert y.tolist() == X[:, 2].tolist()
    dense, y = whole(open_reader(tmp_path / "x.npy", label=False, dtype="float32"))
    assert dense.dtype == np.float32
    assert y is None


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, save):
    save(tmp_path / "x.npz", X=X, y=Y)
    reader = open_reader(tmp_path / "x.npz", chunk_bytes=30)
    dense, y = whole(reader)
    assert dense.tolist() == X.tolist()
    assert y.tolist() == Y.tolist()
    assert reader.describe() == "label, 2 classes; 4 rows of 3 columns"
    with pytest.raises(InputError, match="no array 'labels'"):
        open_reader(tmp_path / "x.npz", label="labels").read()


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "u4", "i8", "u8", ">i4"])
@pytest.mark.parametrize("key", ["indices", "indptr"])
def test_sparse_npz_with_indices_of_any_kind(tmp_path, key, kind):
    matrix = sparse.csr_array(np.arange(12.0).reshape(4, 3))
    parts = {name: getattr(matrix, name) for name in ("data", "indices", "indptr", "shape")}
    parts[key] = parts[key].astype(kind)
    np.savez(tmp_path / "x.npz", format="csr", y=np.arange(4) % 2, **parts)
    chunk = open_reader(tmp_path / "x.npz").read()
    np.testing.assert_array_equal(chunk.X.toarray(), matrix.toarray())
    parts["indices"] = parts["indices"].astype(float)
    np.savez(tmp_path / "x.npz", format="csr", **parts)
    with pytest.raises(InputError, match="'indices': expected whole numbers, got float64"):
        open_reader(tmp_path / "x.npz").read()


def test_sparse_npz(tmp_path):
    matrix = sparse.random_array((50, 20), density=0.2, rng=np.random.default_rng(0), format="csr")
    sparse.save_npz(tmp_path / "x.npz", matrix)
    dense, y = whole(open_reader(tmp_path / "x.npz", chunk_bytes=100))
    np.testing.assert_array_equal(dense, matrix.toarray())
    assert y is None
    sparse.save_npz(tmp_path / "x.npz", matrix.tocsc())
    with pytest.raises(InputError, match="expected a CSR matrix, got CSC"):
        open_reader(tmp_path / "x.npz").read()


@pytest.mark.parametrize("pack", [np.array, sparse.csr_array])
def test_whole_numbers_that_a_double_cannot_hold_are_refused(tmp_path, pack):
    path, X = tmp_path / "x.npz", pack([[0, 1], [-(2**53), 2**53 + 1]])
    sparse.save_npz(path, X) if sparse.issparse(X) else np.savez(path, X=X)
    with pytest.raises(InputError, match=r"row 1, column 1: .*got 9007199254740993"):
        open_reader(path, label=False).read()


def test_bad_arrays(tmp_path):
    holes = X.copy()
    holes[2, 1] = np.nan
    np.savez(tmp_path / "x.npz", X=holes, y=Y)
    with pytest.raises(InputError, match="row 2, column 1: expected a finite number, got nan"):
        open_reader(tmp_path / "x.npz").read()
    reader = open_reader(tmp_path / "x.npz", missing="drop")
    assert reader.read().y.tolist() == ["a", "b", "b"]
    assert "1 row dropped" in reader.describe()
    np.savez(tmp_path / "x.npz", X=X, y=Y[:3])
    with pytest.raises(InputError, match="expected 4 labels, got shape"):
        open_reader(tmp_path / "x.npz").read()
    np.save(tmp_path / "x.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="Python objects"):
        open_reader(tmp_path / "x.npy").read()
    np.save(tmp_path / "x.npy", np.arange(3))
    with pytest.raises(InputError, match="expected a matrix of numbers, got shape"):
        open_reader(tmp_path / "x.npy").read()


def archive():
    out = io.BytesIO()
    np.savez_compressed(out, X=X, y=Y)
    return out.getvalue()


def stored():
    out = io.BytesIO()
    np.save(out, X)
    return out.getvalue()


def sparse_archive():
    out = io.BytesIO()
    sparse.save_npz(out, sparse.csr_array(X))
    return out.getvalue()


GOOD = (archive(), stored(), sparse_archive())
changes = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4)


@deep
@given(st.sampled_from(GOOD), changes, st.floats(0, 1))
def test_damaged_arrays_are_rows_or_an_input_error(tmp_path_factory, good, changes, cut):
    data = bytearray(good)
    for where, byte in changes:
        data[int(where * len(data))] = byte
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    path.write_bytes(data[: int(len(data) * cut) + 1] if len(changes) % 2 else data)
    try:
        chunk = open_reader(path).read()
    except InputError:
        return
    values = chunk.X.data if sparse.issparse(chunk.X) else chunk.X
    assert np.isfinite(np.asarray(values)).all()


def vw(tmp_path, text, **options):
    path = tmp_path / "x.vw"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_reader(path, **options)


def column(name, namespace, bits=18):
    seed = murmurhash3_32(namespace, seed=0, positive=True) if namespace else 0
    value = int(name) + seed if name.isdigit() else murmurhash3_32(name, seed=seed, positive=True)
    return value % 2**bits


def test_vowpal_names_are_hashed_as_documented(tmp_path):
    text = "1 |a x:2 yet z:0.5 x |b:2 x:3.5\n-1 'tag|a 17\n2 1.0 0 tag| 5:1 7 long_name:-1e-3\n"
    reader = vw(tmp_path, text, chunk_bytes=40)
    dense, y = whole(reader)
    expected = np.zeros((3, 2**18))
    for i, name, space, value in [
        (0, "x", "a", 3),
        (0, "yet", "a", 1),
        (0, "z", "a", 0.5),
        (0, "x", "b", 7),
        (1, "17", "a", 1),
        (2, "5", "", 1),
        (2, "7", "", 1),
        (2, "long_name", "", -1e-3),
    ]:
        expected[i, column(name, space)] += value
    np.testing.assert_array_equal(dense, expected)
    assert y.tolist() == [1, -1, 2]
    assert "hashed into 2^18 columns" in reader.describe()


def test_vowpal_without_labels(tmp_path):
    assert vw(tmp_path, "|a x\n'tag |a y\n", bits=5).read().y is None
    with pytest.raises(InputError, match="expected all or none"):
        vw(tmp_path, "1 |a x\n|a y\n").read()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 a b\n", "line 1: expected label ['tag] before the first '|', got 'a'"),
        ("1\n", "expected a '|' before the features"),
        ("1 |a x\n\n1 |a x:y\n", "line 3: expected a number after ':', got 'y'"),
        ("1 |a :3\n", "expected name[:value], got ':3'"),
        ("1 |a:x b\n", "expected a number after ':', got 'x'"),
        ("1 |a x:1e999\n", "range of a double, got '1e999'"),
        ("1 -2.0 |a x\n", "expected a positive importance"),
    ],
)
def test_vowpal_errors(tmp_path, text, message):
    with pytest.raises(InputError) as error:
        vw(tmp_path, text, format="vw").read()
    assert message in str(error.value)


TOKENS = [
    "1",
    "-1",
    " ",
    " ",
    "\n",
    "|",
    "|a",
    "|b:2",
    "x",
    "y:3",
    "17",
    ":",
    "'t",
    ".",
    "\t",
    "\xff",
]
ODD = st.lists(st.sampled_from(TOKENS), max_size=30).map("".join).map(lambda t: t.encode("latin-1"))


@deep
@given(st.one_of(ODD, st.binary(max_size=60)))
def test_any_bytes_are_vowpal_rows_or_an_input_error(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    outcomes = []
    for options in ({}, {"chunk_bytes": 3, "threads": 1}):
        try:
            chunk = vw(folder, data, format="vw", bits=6, **options).read()
        except InputError:
            outcomes.append(None)
        else:
            outcomes.append(chunk.X.toarray().tolist())
    assert outcomes[0] == outcomes[1]


def test_files_are_closed_when_they_have_been_read(tmp_path):
    names = ("d.npz", "s.npz", "w.npy", "w.npy.gz", "b.npz")
    dense, csr, whole, packed, damaged = (str(tmp_path / name) for name in names)
    np.savez(dense, X=np.eye(3), y=[0, 1, 1])
    sparse.save_npz(csr, sparse.csr_matrix(np.eye(3)))
    np.save(whole, np.eye(3))
    with open(whole, "rb") as file, gzip.open(packed, "wb") as copy:
        copy.write(file.read())
    with open(damaged, "wb") as file:
        file.write(b"PK\x03\x04" + bytes(20))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        for path in (dense, csr, whole, packed):
            open_reader(path, label=None if path == dense else False).read()
            reader = open_reader(path, label=None if path == dense else False, chunk_bytes=24)
            assert sum(chunk.X.shape[0] for chunk in reader.chunks()) == 3
        with pytest.raises(InputError, match="damaged or cut short"):
            open_reader(damaged, format="npz").read()
        gc.collect()
    assert not told

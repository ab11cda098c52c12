"""svmlight text: equal to scikit-learn's reader, exact numbers, and errors that say where."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.data.readers.parsing.blocks import SMALLEST_PIECE, Parser, TextBlock, _pieces
from rosenblatt.data.readers.parsing.svmlight_kernel import room as svmlight_room
from rosenblatt.data.readers.parsing.vw_kernel import room as vw_room
from rosenblatt.engine.machine.jit import dispatcher
from rosenblatt.errors import InputError
from rosenblatt.readers import open_reader

DEPTH = int(os.environ.get("ROSENBLATT_FUZZ", "300"))
deep = settings(max_examples=DEPTH, deadline=None, derandomize=DEPTH <= 300)


def read(tmp_path, text, **options):
    path = tmp_path / "x.svm"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_reader(path, **options).read()


def random_text(rng, rows=500, width=100):
    lines = []
    for _ in range(rows):
        columns = np.unique(rng.integers(1, width, rng.integers(0, 20)))
        entries = " ".join(f"{j}:{rng.normal() * 10.0 ** rng.integers(-20, 20)!r}" for j in columns)
        lines.append(f"{rng.choice(['+1', '-1', '2.5'])} {entries}".replace("np.float64", ""))
    return "\n".join(lines).replace("(", "").replace(")", "") + "\n"


def assert_same(chunk, X, y):
    assert chunk.X.shape == X.shape
    np.testing.assert_array_equal(chunk.X.indptr, X.indptr)
    np.testing.assert_array_equal(chunk.X.indices, X.indices)
    np.testing.assert_array_equal(chunk.X.data, X.data)
    np.testing.assert_array_equal(chunk.y, y)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("chunk_bytes", [1, 1000, 1 << 23])
def test_equals_sklearn_whatever_the_chunks_and_threads(
    tmp_path, threads, chunk_bytes, monkeypatch
):
    monkeypatch.setattr("rosenblatt.data.readers.parsing.blocks.SMALLEST_PIECE", 100)
    text = random_text(np.random.default_rng(0))
    X, y = load_svmlight_file(io.BytesIO(text.encode()))
    options = {"threads": threads, "chunk_bytes": chunk_bytes}
    assert_same(read(tmp_path, text, **options), X, y)
    reader = open_reader(tmp_path / "x.svm", **options)
    for _ in range(2):
        chunks = list(reader.chunks())
        assert {c.X.shape[1] for c in chunks} == {X.shape[1]}
        assert sum(c.X.nnz for c in chunks) == X.nnz
        np.testing.assert_array_equal(np.concatenate([c.X.data for c in chunks]), X.data)
        np.testing.assert_array_equal(np.concatenate([c.y for c in chunks]), y)
    assert reader.facts.rows == 500
    assert "3 classes" in reader.describe()


def test_a_block_is_begun_before_the_one_before_it_is_finished(tmp_path, monkeypatch):
    """So no thread waits while Python counts one block's rows and uses them."""
    done, begin = [], Parser.start

    def start(parser, block, *given):
        number = sum(what == "begun" for what, _ in done)
        finish = begin(parser, block, *given)
        done.append(("begun", number))
        return lambda: done.append(("finished", number)) or finish()

    monkeypatch.setattr(Parser, "start", start)
    (tmp_path / "x.svm").write_text("1 1:1\n0 1:2\n1 1:3\n0 1:4\n")
    reader = open_reader(tmp_path / "x.svm", chunk_bytes=6, threads=2)
    for way in (reader.scan, lambda: list(reader.chunks())):
        done.clear()
        way()
        for number in range(3):
            assert done.index(("begun", number + 1)) < done.index(("finished", number))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("way", ["read", "scan"])
def test_what_goes_wrong_in_any_thread_is_raised(tmp_path, monkeypatch, threads, way):
    def broken(*_):
        raise RuntimeError("machine code ended with an error")

    monkeypatch.setattr("rosenblatt.data.readers.parsing.blocks.SMALLEST_PIECE", 1)
    monkeypatch.setattr("rosenblatt.data.readers.parsing.svmlight_kernel.parse", broken)
    monkeypatch.setattr(
        "rosenblatt.data.readers.svmlight.dispatcher",
        lambda function, plain: function if function is broken else dispatcher(function, plain),
    )
    (tmp_path / "x.svm").write_text("1 1:1\n0 1:2\n" * 20)
    with pytest.raises(RuntimeError, match="machine code"):
        getattr(open_reader(tmp_path / "x.svm", chunk_bytes=50, threads=threads), way)()


@pytest.mark.parametrize("threads", [1, 3])
def test_numbers_left_to_float_are_those_of_their_block(tmp_path, threads):
    numbers = [f"{n}.{'1' * 400}" for n in range(1, 50)]
    (tmp_path / "x.svm").write_text("".join(f"{t} 1:{t} 2:-{t}\n" for t in numbers))
    chunks = list(open_reader(tmp_path / "x.svm", chunk_bytes=1300, threads=threads).chunks())
    assert len(chunks) > 20
    np.testing.assert_array_equal(np.concatenate([c.y for c in chunks]), list(map(float, numbers)))
    first, second = np.concatenate([c.X.toarray() for c in chunks]).T
    np.testing.assert_array_equal(first, list(map(float, numbers)))
    np.testing.assert_array_equal(second, -first)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_pieces_are_whole_lines_the_later_the_smaller(threads):
    text = bytearray(b"1 1:1\n" * 300_000)
    pieces = _pieces(TextBlock("x", text, len(text), True), threads)
    assert [0, *(end for _, end in pieces)] == [*(start for start, _ in pieces), len(text)]
    assert all(text[end - 1] == 10 for _, end in pieces)
    sizes = [end - start for start, end in pieces]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 1 if threads == 1 else sizes[-1] < SMALLEST_PIECE + 6


def test_entries_and_lines_are_counted_in_runs_of_any_length():
    text = np.frombuffer(b":" * 300 + b"\n" * 300 + b" \t\r" * 200, np.uint8)
    for start, stop in ((0, 0), (0, 300), (1, 129), (0, 600), (172, 428), (0, len(text))):
        part = text[start:stop]
        lines = int(np.sum(part == 10))
        assert svmlight_room(text, start, stop) == (int(np.sum(part == 58)), lines)
        assert vw_room(text, start, stop) == (int(np.isin(part, (9, 13, 32)).sum()), lines)


@pytest.mark.parametrize("zero_based", [True, False])
def test_base_is_detected(tmp_path, zero_based):
    X = np.array([[0.0, 2.0], [1.5, 0.0], [3.0, 4.0]])
    dump_svmlight_file(X, [1, -1, 1], str(tmp_path / "x.svm"), zero_based=zero_based, comment="a:b")
    np.testing.assert_array_equal(open_reader(tmp_path / "x.svm").read().X.toarray(), X)


def test_base_is_detected_late_and_can_be_told(tmp_path):
    text = "1 3:1\n" * 50 + "-1 0:2\n"
    assert read(tmp_path, text).X.shape == (51, 4)
    reader = open_reader(tmp_path / "x.svm", chunk_bytes=20)
    assert {c.X.shape[1] for c in reader.chunks()} == {4}
    reader = open_reader(tmp_path / "x.svm", chunk_bytes=20)
    with pytest.raises(InputError, match=r"line 51: expected indices from 1 on.*zero_based"):
        list(reader.chunks(grow=True))
    assert read(tmp_path, "1 3:1\n", zero_based=True).X.shape == (1, 4)
    with pytest.raises(InputError, match="line 1: expected indices from 1 on"):
        read(tmp_path, "1 0:1\n", zero_based=False)


def test_growing_widths_and_a_given_width(tmp_path):
    read(tmp_path, "1 3:1\n2 5:1\n")
    reader = open_reader(tmp_path / "x.svm", chunk_bytes=6)
    assert [c.X.shape[1] for c in reader.chunks(grow=True)] == [3, 5]
    assert [c.X.shape[1] for c in reader.chunks(grow=True)] == [5, 5]
    assert read(tmp_path, "1 3:1\n", width=9).X.shape == (1, 9)
    with pytest.raises(InputError, match="line 2: expected indices up to 4, got '5:1'"):
        read(tmp_path, "1 3:1\n2 5:1\n", width=4)
    with pytest.raises(InputError, match="only 3 columns"):
        read(tmp_path, "1 3:1\n2 0:1\n", width=3)


def test_comments_qid_blanks_and_order(tmp_path):
    text = "# head 1:2\n\n1 qid:7 5:1 2:3 # tail 9:9\r\n \t\n+1\t1:.5\t2:5.  \n-1 # none\n-1"
    chunk = read(tmp_path, text)
    expected = [[0, 3, 0, 0, 1], [0.5, 5, 0, 0, 0], [0] * 5, [0] * 5]
    np.testing.assert_array_equal(chunk.X.toarray(), expected)
    assert chunk.y.tolist() == [1, 1, -1, -1]
    assert chunk.X.has_canonical_format


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\n-1 3:x\n", "line 2: expected a number after 'index:', got 'x'"),
        (
            "1 1:2\n\n1 4:1 4:2",
            "line 3: expected each index at most once in a line, got '1 4:1 ",
        ),
        ("1 9:1 4:1 9:2", "line 1: expected each index at most once"),
        ("a 1:2\n", "line 1: expected a number as label, got 'a'"),
        ("1 2:inf", "expected a number after 'index:', got 'inf'"),
        ("1 2:nan", "got 'nan'"),
        ("1 2:1e999", "expected a number within the range of a double, got '1e999'"),
        ("1 2:1" + "0" * 400, "range of a double"),
        ("1 5", "expected index:value, got '5'"),
        ("1 qid:2\x0b1:3", "expected index:value, got 'qid:2'"),
        ("1 qid:2.5 1:3", "expected index:value, got 'qid:2.5'"),
        ("1 3: 4", "expected a number after 'index:', got nothing"),
        ("1 3:", "got nothing"),
        ("1 :3", "expected index:value, got ':3'"),
        ("1 -1:2", "expected index:value, got '-1:2'"),
        ("1 3:4,5", "got '4,5'"),
        ("1 2:0x10", "got '0x10'"),
        ("1 2:1_0", "got '1_0'"),
        ("1 2:1e", "got '1e'"),
        ("1 99999999999:3", "expected indices up to 2147483646, got '99999999999:3'"),
        ("1,2 3:4", "expected a number as label, got '1,2'"),
        ("1\n2\n", "2 labels, but no index:value at all"),
        ("# only\n\n", "no rows to read"),
    ],
)
def test_errors_say_where_and_what(tmp_path, text, message):
    with pytest.raises(InputError) as error:
        read(tmp_path, text, format="svmlight")
    assert message in str(error.value)
    assert "x.svm" in str(error.value)


def test_line_numbers_count_earlier_blocks_and_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.readers.parsing.blocks.SMALLEST_PIECE", 1)
    lines = ["1 1:1"] * 1000
    lines[777] = lines[900] = "1 oops"
    for chunk_bytes in (50, 2000, 1 << 20):
        with pytest.raises(InputError, match="line 778: "):
            read(tmp_path, "\n".join(lines), threads=3, chunk_bytes=chunk_bytes)


def test_compressed_and_cut_in_half(tmp_path):
    text = random_text(np.random.default_rng(1)).encode()
    X, y = load_svmlight_file(io.BytesIO(text))
    packed = {
        "gz": gzip.compress(text[:999]) + gzip.compress(text[999:]),
        "bz2": bz2.compress(text),
        "zst": pa.compress(text, "zstd", asbytes=True),
    }
    for suffix, data in packed.items():
        path = tmp_path / f"x.svm.{suffix}"
        path.write_bytes(data)
        assert_same(open_reader(path).read(), X, y)
        path.write_bytes(data[: len(data) // 2])
        with pytest.raises(InputError, match="damaged or cut short"):
            open_reader(path).read()


@pytest.mark.parametrize("suffix", ["svm", "vw", "txt"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    "text",
    [b"1 1:2 3:4\n-1 2:5\n", b"# a comment\n1 1:2\n-1 1:5\n", b"\n1 1:2\n-1 1:5", b"\r\n1 1:1\r\n"],
)
def test_a_byte_order_mark_is_skipped(tmp_path, suffix, packed, text):
    if suffix == "vw":
        text = text.replace(b"1:2", b"| a:2 b").replace(b"1:1", b"|x a").replace(b"2:5", b"1 |b")
        text = text.replace(b"1:5", b"|c:5").replace(b"# a comment\n", b"").replace(b" 3:4", b"")
    path, marked = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    path.write_bytes(packed(text))
    marked.write_bytes(packed(b"\xef\xbb\xbf" + text))
    reader, again = open_reader(path), open_reader(marked)
    assert reader.format == again.format != "csv"
    rows = reader.read()
    assert_same(again.read(), rows.X, rows.y)
    every = range(len(rows.y))
    assert again.places(every) == reader.places(every)
    both = open_reader([path, marked])  # each file may have its own
    assert both.read().y.tolist() == [*rows.y, *rows.y]


def test_a_second_byte_order_mark_is_refused(tmp_path):
    for text in (b"\xef\xbb\xbf" * 2 + b"1 1:1\n", b"1 1:1\n\xef\xbb\xbf1 1:1\n"):
        with pytest.raises(InputError, match="a number as label"):
            read(tmp_path, text)


def test_a_last_line_cut_where_no_row_could_end_is_refused(tmp_path):
    """Where one could, as after "0.2" of "0.25", nobody can tell."""
    whole, line = "1 1:1\n", "-1 3:0.25 7:1e-3"
    could_end = {"-1", "-1 ", "-1 3:0", "-1 3:0.", "-1 3:0.2", "-1 3:0.25", "-1 3:0.25 "}
    could_end |= {"-1 3:0.25 7:1", line}
    for end in range(1, len(line) + 1):
        cut = line[:end]
        if cut in could_end:
            assert read(tmp_path, whole + cut).y.tolist() == [1.0, -1.0]
            continue
        with pytest.raises(InputError, match="line 2: expected"):
            read(tmp_path, whole + cut)


def test_several_files_and_stdin(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1")
    (tmp_path / "b.svm").write_text("-1 4:1\n")
    chunk = open_reader(str(tmp_path / "*.svm")).read()
    assert chunk.X.toarray().tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
    code = (
        "from rosenblatt.readers import open_reader; r = open_reader('-')\n"
        "print(sum(c.X.shape[0] for c in r.chunks()), r.describe())\n"
        "try: r.read()\nexcept ValueError as e: print(e)"
    )
    data = gzip.compress(b"1 1:1\n-1 4:1\n" * 9)
    out = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert out.stdout.decode().startswith("18 label: first number of each line, 2 classes")
    assert "only once" in out.stdout.decode()


def test_float32_and_its_range(tmp_path):
    chunk = read(tmp_path, "1 1:0.1\n", dtype="float32")
    assert chunk.X.dtype == np.float32
    assert chunk.X.data[0] == np.float32(0.1)
    with pytest.raises(InputError, match="float32"):
        read(tmp_path, "1 1:1e300\n", dtype="float32")


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 30)).map(
        lambda t: f"{t[0]:.{t[1]}e}"
    ),
    st.from_regex(r"[+-]?[0-9]{1,30}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True).filter(
        str.isascii
    ),
    st.from_regex(r"[+-]?\.[0-9]{1,400}", fullmatch=True).filter(str.isascii),
)


@deep
@given(st.lists(numbers, min_size=1, max_size=40))
def test_numbers_are_those_of_float(tmp_path_factory, texts):
    texts = [t for t in texts if abs(float(t)) != float("inf")] or ["0"]
    body = "".join(f"{t} 1:{t}\n" for t in texts)
    chunk = read(tmp_path_factory.getbasetemp(), body)
    expected = np.array([float(t) for t in texts])
    assert chunk.X.data.tobytes() == expected.tobytes()
    assert chunk.y.tobytes() == expected.tobytes()


def outcome(function, *args, **kwargs):
    try:
        X, y = function(*args, **kwargs)[:2]
    except (ValueError, InputError, OverflowError):
        return None
    return X.toarray().tolist(), y.tolist()


TOKENS = ["1", "-1", "+2", " ", " ", "\t", "\n", "\n", "\r\n", "1:2", "2:3.5", "7:1e3", "3:.5"]
TOKENS += ["qid:3", "#", "x", ":", ".", "-", "e", "0:1", "12:", "1e999", "nan", "inf", "\0", "\xff"]
ODD = st.lists(st.sampled_from(TOKENS), max_size=30).map("".join).map(lambda t: t.encode("latin-1"))


@deep
@given(st.one_of(ODD, st.binary(max_size=60)))
def test_any_bytes_are_rows_or_an_input_error(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    ours = outcome(read, folder, data, format="svmlight", width=20, zero_based=True)
    again = outcome(
        read, folder, data, format="svmlight", width=20, zero_based=True, chunk_bytes=3, threads=2
    )
    assert ours == again
    theirs = outcome(load_svmlight_file, io.BytesIO(data), n_features=20, zero_based=True)
    # scikit-learn takes some malformed text, and nan: only what both read is compared.
    if ours is not None and theirs is not None:
        assert ours == theirs


def test_mutated_text_is_rows_or_an_input_error(tmp_path):
    """Lines of good text with bytes changed, cut, doubled: each reading agrees with the others."""
    rng = np.random.default_rng(DEPTH)
    good = random_text(rng, rows=40, width=19).encode().split(b"\n")[:-1]
    alphabet = b"0123456789 :.-+eE#\n\r\tqidx\0\xff"
    read_rows = agreed = 0
    for _ in range(DEPTH):
        data = bytearray(b"\n".join(good[i] for i in rng.integers(0, 40, rng.integers(1, 4))))
        for _ in range(rng.integers(0, 4)):
            at = int(rng.integers(0, len(data)))
            data[at : at + rng.integers(0, 3)] = bytes(
                rng.choice(list(alphabet), rng.integers(0, 4))
            )
            data = data or bytearray(b"1")
        options = {"format": "svmlight", "width": 20, "zero_based": True}
        ours = outcome(read, tmp_path, bytes(data), **options)
        assert ours == outcome(read, tmp_path, bytes(data), chunk_bytes=50, threads=1, **options)
        theirs = outcome(load_svmlight_file, io.BytesIO(data), n_features=20, zero_based=True)
        read_rows += ours is not None
        if ours is not None and theirs is not None:
            assert ours == theirs, data
            agreed += 1
    assert read_rows > DEPTH / 10
    assert agreed > DEPTH / 10


@pytest.mark.parametrize("entries", [3, 60, 200, 256, 257, 700, 3000])
@pytest.mark.parametrize("bits", [2, 6, 18])
def test_names_that_meet_in_a_column_add_up_in_the_order_written(tmp_path, entries, bits):
    """Of three and more the sum depends on it: 10^16 + 1 − 10^16 is 0, 10^16 − 10^16 + 1 is 1."""
    rng = np.random.default_rng(entries)
    names = rng.integers(0, 10**6, size=(4, entries))
    names[1] %= 5
    values = rng.choice([1e16, -1e16, 1.0, 0.1, 3.0], size=(4, entries))
    values[2] = 1.0  # one word many times
    values[3, :3] = 0.12345678901234567890123
    lines = [
        "1 | " + " ".join(f"{name}:{value!r}" for name, value in zip(*row, strict=True))
        for row in zip(names.tolist(), values.tolist(), strict=True)
    ]
    path = tmp_path / "rows.vw"
    path.write_text("\n".join(lines) + "\n")
    (chunk,) = open_reader(path, bits=bits).chunks()
    wanted = np.zeros(chunk.X.shape)
    for row in range(4):
        for name, value in zip(names[row], values[row], strict=True):
            wanted[row, name % 2**bits] += value
    np.testing.assert_array_equal(chunk.X.toarray(), wanted)
    assert chunk.X.has_canonical_format


MANY = " ".join(f"y{k}" for k in range(300))


@pytest.mark.parametrize("chunk_bytes", [10, 1 << 20])
@pytest.mark.parametrize(
    "entries",
    [
        "x:1e308 x:1e308",
        "x:-1e308 y x:-1e308 x:1e308",
        f"x:1e308 {MANY} x:1e308",  # sorted with the whole chunk
        f"x:1e308 x:1e308 y:1.{'1' * 300}",  # a number left to float
    ],
)
def test_names_that_add_up_to_infinity_are_refused_by_their_line(tmp_path, entries, chunk_bytes):
    texts = "1 | a\n\n-1 | b\n", f"\n1 | {entries}\n"
    for name, text in zip("ab", texts, strict=True):
        (tmp_path / f"{name}.vw").write_text(text)
    (tmp_path / "one.vw").write_text("".join(texts))
    both = [tmp_path / "a.vw", tmp_path / "b.vw"]
    for source, where in ((tmp_path / "one.vw", "one.vw, line 5"), (both, "b.vw, line 2")):
        for way in ("read", "chunks"):
            with pytest.raises(InputError, match=f"/{where}: expected a finite sum") as error:
                list(getattr(open_reader(source, chunk_bytes=chunk_bytes), way)())
            assert str(error.value).count(".vw") == 1


def test_what_cancels_before_it_adds_up_to_infinity_is_read(tmp_path):
    (tmp_path / "x.vw").write_text("1 | x:1e308 x:-1e308 x:1e308\n")
    assert open_reader(tmp_path / "x.vw").read().X.data.tolist() == [1e308]

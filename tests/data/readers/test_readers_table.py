"""Text and binary tables: guesses, labels, missing values, errors; equal to pandas."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import rosenblatt as rb
from rosenblatt.errors import InputError
from rosenblatt.readers import open_reader

DEPTH = int(os.environ.get("ROSENBLATT_FUZZ", "200"))
deep = settings(max_examples=DEPTH, deadline=None, derandomize=DEPTH <= 300)

FLOWERS = "\ufefflength;width;color;species\n1.5;2;red;a\n2,;3;blue;b\n".replace("2,", "2.25")


def write(tmp_path, text, name="x.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def iris_frame():
    iris = load_iris(as_frame=True)
    return iris.data.assign(species=np.array(iris.target_names)[iris.target])


def test_bom_semicolons_and_text_columns(tmp_path):
    reader = open_reader(write(tmp_path, FLOWERS))
    chunk = reader.read()
    np.testing.assert_array_equal(chunk.X, [[1.5, 2], [2.25, 3]])
    assert chunk.X.flags.c_contiguous
    assert chunk.y.tolist() == ["a", "b"]
    assert chunk.text["color"].to_pylist() == ["red", "blue"]
    assert reader.names == ["length", "width"]
    assert [tuple(c) for c in reader.columns_used] == [
        ("length", "numeric"),
        ("width", "numeric"),
        ("color", "text"),
    ]
    expected = "label: last column 'species', 2 classes; 2 numeric columns; 1 text column"
    assert reader.describe() == f"{expected}; separated by semicolons"


def test_quoted_newlines_delimiters_and_quotes_in_any_block_size(tmp_path):
    rows = [(i, f'say "{i}",\nline two; \t|', "yes" if i % 3 else "no") for i in range(50)]
    frame = pd.DataFrame(rows, columns=["n", "what, and why", "label"])
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    for chunk_bytes in (1, 40, 300, 1 << 20):
        chunk = open_reader(path, chunk_bytes=chunk_bytes).read()
        assert chunk.X[:, 0].tolist() == frame["n"].tolist()
        assert chunk.y.tolist() == frame["label"].tolist()
        assert chunk.text["what, and why"].to_pylist() == frame["what, and why"].tolist()


@pytest.mark.parametrize("sep", [",", "\t", ";", "|", " "])
@pytest.mark.parametrize("header", [True, False])
def test_delimiter_and_header_are_found(tmp_path, sep, header):
    frame = iris_frame().rename(columns=lambda name: name.replace(" ", "_"))
    path = tmp_path / "x.data"
    frame.to_csv(path, sep=sep, header=header, index=False)
    reader = open_reader(path, chunk_bytes=500)
    chunk = reader.read()
    np.testing.assert_array_equal(chunk.X, frame.iloc[:, :4].to_numpy())
    assert chunk.y.tolist() == frame["species"].tolist()
    assert reader.names == (list(frame.columns[:4]) if header else None)
    assert sum(len(c.y) for c in reader.chunks()) == 150


@pytest.mark.parametrize("blank", ["\n", "\r\n\r\n", "\ufeff\n\n", "\r"])
@pytest.mark.parametrize("chunk_bytes", [1, 5, 1 << 20])
def test_empty_lines_before_the_header(tmp_path, blank, chunk_bytes):
    path = write(tmp_path, f"{blank}size,color,kind\n1,red,apple\n2,green,pear\n")
    chunk = open_reader(path, text=["size"], chunk_bytes=chunk_bytes).read()
    assert chunk.y.tolist() == ["apple", "pear"]
    assert chunk.text["size"].to_pylist() == ["1", "2"]
    assert open_reader(path, chunk_bytes=chunk_bytes).read().X.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,5;-2,25;a\n2,5;3,25;b\n-1,5;0,5;a\n", [[1.5, -2.25], [2.5, 3.25], [-1.5, 0.5]]),
        ("1,5;2;a\n2;3;b\n1;4;a\n", [[1.5, 2.0], [2.0, 3.0], [1.0, 4.0]]),
        ("1,5;2,5;1\n2,5;3,5;0\n", [[1.5, 2.5], [2.5, 3.5]]),
    ],
)
def test_decimal_commas_without_a_heading(tmp_path, text, expected):
    path = tmp_path / "x.csv"
    path.write_text(text)
    np.testing.assert_array_equal(open_reader(path).read().X, expected)


def test_decimal_commas(tmp_path):
    chunk = open_reader(write(tmp_path, "a;b;y\n1,5;2;u\n-0,25;3;v\n")).read()
    assert chunk.X.tolist() == [[1.5, 2], [-0.25, 3]]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "stream"])
def test_binary_tables(tmp_path, kind):
    frame = iris_frame()
    frame["flag"] = frame.index % 2 == 0
    frame = frame[["flag", *frame.columns[:-1]]]
    table = pa.Table.from_pandas(frame, preserve_index=False)
    path = tmp_path / "x"
    if kind == "parquet":
        pa.parquet.write_table(table, path)
    elif kind == "feather":
        pa.feather.write_feather(table, path)
    else:
        new = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with new(str(path), table.schema) as writer:
            writer.write_table(table)
    reader = open_reader(path, chunk_bytes=1000)
    assert len(list(reader.chunks())) > 1
    chunk = reader.read()
    np.testing.assert_array_equal(chunk.X, frame.iloc[:, :5].to_numpy(float))
    assert chunk.y.tolist() == frame["species"].tolist()
    cut = tmp_path / "cut"
    cut.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError, match="damaged or cut short"):
        open_reader(cut).read()


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 20])
@pytest.mark.parametrize("text", [b"\xff\xfe", b"\xc3("])
def test_arrow_text_that_is_none_is_refused(tmp_path, text, chunk_bytes):
    path = tmp_path / "x.feather"
    table = pa.table({"a": [1.0, 2.0], "word": ["first", "second"], "y": [0, 1]})
    pa.feather.write_feather(table, path, compression="uncompressed")
    data = path.read_bytes()
    for damaged in (b"firstsecond", b"firstsec" + text + b"d"), (b"word", b"wo" + text):
        path.write_bytes(data.replace(*damaged))
        with pytest.raises(InputError, match=r"x\.feather: damaged"):
            open_reader(path, chunk_bytes=chunk_bytes).read()


INDEXES = {
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
    "stream": lambda frame, path: write_stream(pa.Table.from_pandas(frame), path),
}


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table)


@pytest.mark.parametrize("write", INDEXES.values(), ids=INDEXES)
@pytest.mark.parametrize("index", [["key"], ["key", "group"]])
def test_an_index_of_pandas_is_neither_label_nor_feature(write, index, tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]})
    frame = frame.assign(key=["p", "q", "r"], group=[7, 8, 9])[["x", "y", *index]]
    write(frame.set_index(index), tmp_path / "x")
    reader = open_reader(tmp_path / "x")
    chunk = reader.read()
    assert (chunk.X.tolist(), chunk.y.tolist()) == ([[1], [2], [3]], ["a", "b", "a"])
    named = ", ".join(map(repr, index))
    assert reader.describe().startswith("label: last column 'y', 2 classes; 1 numeric column")
    assert reader.describe().endswith(f"index left out: {named}")
    assert [c.X.tolist() for c in open_reader(tmp_path / "x").chunks()] == [chunk.X.tolist()]
    named = open_reader(tmp_path / "x", label="key", columns=["x"])
    assert named.read().y.tolist() == ["p", "q", "r"]
    assert "left out" not in named.describe()


@pytest.mark.parametrize(
    "note", [b"", b"{", b"[]", b"{}", b'{"index_columns": 3}', b'{"index_columns": [{}, [], "z"]}']
)
def test_notes_of_pandas_that_say_nothing_of_a_column_are_passed_over(note, tmp_path):
    table = pa.table({"x": [1.0, 2.0], "y": [0, 1]}).replace_schema_metadata({b"pandas": note})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    assert open_reader(tmp_path / "x.parquet").read().y.tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_the_index_of_a_frame_is_no_column(tmp_path, kind):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": ["p", "q", "p"]})[lambda rows: rows.a > 1]
    write_frame = {
        "parquet": frame.to_parquet,
        "feather": lambda p: pa.feather.write_feather(frame, p),
    }
    write_frame[kind](tmp_path / "x.table")
    chunk = open_reader(tmp_path / "x.table").read()
    assert (chunk.X.tolist(), chunk.y.tolist()) == ([[2.0], [3.0]], ["q", "p"])


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 20])
def test_a_column_that_ends_before_the_others_is_refused(tmp_path, chunk_bytes):
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"b": [1, 2, 4], "a": [1.5, 2.0, 4.0]}), path)
    page = pa.parquet.ParquetFile(path).metadata.row_group(0).column(1).data_page_offset
    data = bytearray(path.read_bytes())
    # In Thrift's compact protocol, a structure whose first field is the number 3; make it 2.
    data[data.index(b"\x2c\x15\x06", page) + 2] = 4
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged or cut short"):
        open_reader(path, label=False, chunk_bytes=chunk_bytes).read()


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.dictionary(pa.int8(), pa.int64())])
def test_whole_numbers_that_a_double_cannot_hold_are_refused(tmp_path, kind):
    path = tmp_path / "x.parquet"
    numbers = pa.array([2**53, None, 2**53 + 1]).cast(getattr(kind, "value_type", kind))
    if isinstance(kind, pa.DictionaryType):
        numbers = numbers.dictionary_encode()
    pa.parquet.write_table(pa.table({"id": numbers, "y": [0, 1, 0]}), path)
    message = r"row 2: expected a whole number within .* in column 'id', got 9007199254740993"
    with pytest.raises(InputError, match=message):
        open_reader(path, missing="drop").read()
    pa.parquet.write_table(pa.table({"id": numbers[:2], "y": [0, 1]}), path)
    assert open_reader(path, missing="drop").read().X.tolist() == [[2.0**53]]
    # As a label it needs no double.
    pa.parquet.write_table(pa.table({"a": [1, 2, 3], "id": numbers}), path)
    if not isinstance(kind, pa.DictionaryType):
        assert 2**53 + 1 in open_reader(path, missing="drop").read().y.tolist()


@pytest.mark.parametrize("chunk_bytes", [None, 64])
@pytest.mark.parametrize("number", [2**53 + 1, 1700000000000000001, -(10**30) - 1, 10**19 + 1])
def test_whole_numbers_of_text_that_a_double_cannot_hold_are_refused(tmp_path, number, chunk_bytes):
    path, how = tmp_path / "x.csv", {"chunk_bytes": chunk_bytes} if chunk_bytes else {}
    lines = [f"{n},0.5,{n % 2}" for n in range(40)]
    held = [f"{2**53},1e300,1", f" {2**60} ,0.1,0", ",2,1", f"{10**19},3,0"]
    path.write_text("\n".join(["id,b,y", "", *lines, *held]) + "\n")
    found = open_reader(path, missing="drop", **how).read()
    assert found.X[40:].tolist() == [[2.0**53, 1e300], [2.0**60, 0.1], [1e19, 3.0]]
    path.write_text("\n".join(["id,b,y", "", *lines, *held, f"{number},3,1"]) + "\n")
    message = rf"x\.csv, line 47: expected a whole number within .* in column 'id', got {number};"
    with pytest.raises(InputError, match=message):
        list(open_reader(path, missing="drop", **how).chunks())
    assert open_reader(path, ignore=["id"], **how).read().X.shape == (45, 1)
    assert open_reader(path, text=["id"], missing="drop", **how).read().X.shape == (44, 1)
    # As a label it needs no double, where it is read as a whole number.
    if 0 < number < 10**18:
        path.write_text(f"x,id\n1,{number - 1}\n2,{number}\n")
        assert open_reader(path, **how).read().y.tolist() == [number - 1, number]


def test_quoted_and_headless_tables_are_looked_at_too(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(f'1,"a\nb",0\n"{2**53 + 1}",c,1\n')
    with pytest.raises(InputError, match="line 3: expected a whole number within"):
        open_reader(path).read()


def test_strange_columns_are_refused_with_advice(tmp_path):
    table = pa.table({"when": pa.array([0, 1], pa.timestamp("s")), "x": [1.0, 2.0], "y": [0, 1]})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"'when' holds timestamp.*ignore=\['when'\]"):
        open_reader(tmp_path / "x.parquet")
    assert open_reader(tmp_path / "x.parquet", ignore=["when"]).read().X.tolist() == [[1], [2]]


def test_missing_values(tmp_path):
    text = "a,b,y\n1,x,p\nNA,x,q\n3,?,p\n4,y,\n5, z ,q\n"
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=r"x.csv, line 3: no value in column 'a'; missing='drop'"):
        open_reader(path).read()
    reader = open_reader(path, missing="drop")
    chunk = reader.read()
    assert chunk.X.tolist() == [[1], [5]]
    assert chunk.text["b"].to_pylist() == ["x", "z"]
    assert "3 rows dropped for missing values" in reader.describe()
    with pytest.raises(InputError, match="no rows to read: all 1 have missing values"):
        open_reader(write(tmp_path, "a,y\n?,1\n"), missing="drop").read()


def test_the_advice_about_missing_values_can_be_followed(tmp_path):
    path = write(tmp_path, "a,y\n1,p\nNA,q\n")
    with pytest.raises(InputError) as refused:
        open_reader(path).read()
    advised = re.findall(r"missing='(\w+)'", str(refused.value))
    assert advised == ["drop", "keep"]
    for missing in advised:
        np.testing.assert_array_equal(
            open_reader(path, missing=missing).read().X, [[1], [np.nan]][: 1 + (missing == "keep")]
        )


def test_label_choices(tmp_path):
    path = write(tmp_path, "species,size,age\na,1,2\nb,3,4\n")
    assert open_reader(path, label="species").read().y.tolist() == ["a", "b"]
    assert open_reader(path, label=0).read().X.tolist() == [[1, 2], [3, 4]]
    last = open_reader(path).read()
    assert last.y.tolist() == [2, 4]
    assert last.y.dtype == np.int64
    none = open_reader(path, label=False)
    assert none.read().y is None
    assert none.describe() == "no label; 2 numeric columns; 1 text column"
    assert open_reader(path, label="age", columns=["size"]).read().X.tolist() == [[1], [3]]
    as_text = open_reader(path, text=["size"], label="species")
    assert as_text.read().text["size"].to_pylist() == ["1", "3"]
    again = open_reader(path, columns=as_text.columns_used, label=False)
    assert again.columns_used == as_text.columns_used
    for wrong in ("specis", 7):
        with pytest.raises(InputError, match=r"did you mean 'species'|from 0 to 2, got 7"):
            open_reader(path, label=wrong)
    with pytest.raises(InputError, match="no column 'ages'; did you mean 'age'"):
        open_reader(path, ignore=["ages"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a\n1\n2\n", "only one column, 'a'"),
        ("a,b\n1,2\n3\n", "x.csv, line 3: expected 2 values, got 1"),
        ('a,b\n"1\n",2\n3,4,5\n', "line 4: expected 2 values, got 3"),
        ("a,b\n1,2\ninf,3\n", "line 3: expected a finite number in column 'a', got inf"),
        ("a,b\n", "no rows to read"),
        (b"a,b\n\xff\xfe,2\n", "line 2: expected UTF-8 text, got byte 0xff"),
        ("a,b\n1,2\n".encode("utf-16"), "is UTF-16 text"),
        (b"a,b\n1,\x002\n", "is binary"),
        (f"a,b\n1,{'long ' * 99}\n", "holds long text"),
    ],
)
def test_errors_say_where_and_what(tmp_path, text, message):
    with pytest.raises(InputError) as error:
        open_reader(write(tmp_path, text)).read()
    assert message in str(error.value)


def test_text_far_down_a_numeric_column(tmp_path):
    path = write(tmp_path, "a,b\n" + "1,2\n" * 100_000 + "oops,3\n")
    with pytest.raises(InputError, match="line 100002: expected a number in column 'a'"):
        open_reader(path).read()
    assert open_reader(path, text=["a"]).read().text["a"][100_000].as_py() == "oops"


def test_a_slip_in_a_column_of_numbers_is_refused(tmp_path):
    rows = [f"{j},{j % 2}\n" for j in range(39)]
    path = write(tmp_path, "a,y\n" + "".join(rows) + "oops,1\n")
    message = r"x.csv, line 41: expected a number in column 'a', got 'oops' \(text=\['a'\]"
    with pytest.raises(InputError, match=message):
        open_reader(path)
    assert open_reader(path, text=["a"]).describe().endswith("1 text column")
    again = open_reader(path, text=["a"]).columns_used
    assert open_reader(path, columns=again).read().text["a"][39].as_py() == "oops"
    with pytest.raises(InputError, match="no columns left"):
        open_reader(path, ignore=["a"])
    path = write(tmp_path, "a,y\n" + "".join(rows) + "1,maybe\n")
    with pytest.raises(InputError, match=r"line 41: expected a number in column 'y', got 'maybe'"):
        open_reader(path)
    assert open_reader(path, text=["y"]).scan().classes.tolist() == ["0", "1", "maybe"]


def test_text_among_numbers_is_told(tmp_path):
    path = write(tmp_path, "a,b,y\n1,x,0\nNA,y,1\noops,z,0\n4,x,1\nalas,x,1\n")
    reader = open_reader(path, missing="drop")
    assert "2 text columns (a: 'oops' in line 4 is no number)" in reader.describe()


@pytest.mark.parametrize("rows", [2, 3, 19, 20, 50])
def test_a_single_text_among_numbers_is_a_slip_in_a_file_of_any_size(tmp_path, rows):
    lines = [f"{j},{j},{j % 2}\n" for j in range(rows)]
    lines[1] = "1,oops,1\n"
    path = write(tmp_path, "a,b,y\n" + "".join(lines))
    with pytest.raises(InputError, match=r"line 3: expected a number in column 'b', got 'oops'"):
        open_reader(path)
    assert open_reader(path, text=["b"]).scan().rows == rows


def test_files_folders_and_globs(tmp_path):
    path = write(tmp_path, "a,y\n1,0\n", "first.csv")
    write(tmp_path, "a,y\n2,1\n", "second.csv")
    assert open_reader(str(tmp_path / "*.csv")).read().X.tolist() == [[1], [2]]
    assert open_reader([path, tmp_path / "second.csv"]).read().y.tolist() == [0, 1]
    write(tmp_path, "b,y\n2,1\n", "third.csv")
    with pytest.raises(InputError, match=r"third.csv: expected the columns of .*first.csv"):
        open_reader(str(tmp_path / "*.csv"))
    with pytest.raises(InputError, match=r"did you mean 'first.csv'"):
        open_reader(tmp_path / "frist.csv")
    with pytest.raises(InputError, match="no file matches"):
        open_reader(str(tmp_path / "*.parquet"))
    with pytest.raises(InputError, match="is a folder"):
        open_reader(tmp_path)
    with pytest.raises(InputError, match="format must be one of"):
        open_reader(path, format="cvs")


def test_gzip_stdin_and_a_pipe(tmp_path):
    text = "a,y\n" + "1,0\n2,1\n" * 50_000
    path = write(tmp_path, gzip.compress(text.encode()), "x.csv.gz")
    assert open_reader(path).read().X.shape == (100_000, 1)
    write(tmp_path, path.read_bytes()[:500], "cut.csv.gz")
    with pytest.raises(InputError, match="gzip data is damaged or cut short"):
        open_reader(tmp_path / "cut.csv.gz").read()
    code = "import sys; from rosenblatt.readers import open_reader as o"
    code += "; print(o(sys.argv[1]).read().X.sum())"
    for name in ("-", "/dev/stdin"):
        out = subprocess.run(
            [sys.executable, "-c", code, name], input=text.encode(), capture_output=True, timeout=60
        )
        assert out.stdout == b"150000.0\n", out.stderr


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**53), 2**53).map(str),
)


@deep
@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=2, max_size=20))
def test_numbers_are_those_of_float(tmp_path_factory, rows):
    path = write(
        tmp_path_factory.getbasetemp(), "a,b,c\n" + "".join(",".join(r) + "\n" for r in rows)
    )
    chunk = open_reader(path, label=False, chunk_bytes=64).read()
    assert chunk.X.tolist() == [[float(c) for c in row] for row in rows]


TOKENS = [
    ",",
    ";",
    "\n",
    "\n",
    "\r\n",
    '"',
    '""',
    "1",
    "2.5",
    "abc",
    "NA",
    "?",
    " ",
    "é",
    "\t",
    "|",
]
ODD = st.lists(st.sampled_from(TOKENS), max_size=40).map("".join).map(str.encode)


@deep
@given(st.one_of(ODD, st.binary(max_size=60)), st.sampled_from([3, 1 << 20]))
def test_any_bytes_are_rows_or_an_input_error(tmp_path_factory, data, chunk_bytes):
    path = write(tmp_path_factory.getbasetemp(), data)
    for options in ({}, {"label": False, "missing": "drop"}):
        try:
            chunk = open_reader(path, chunk_bytes=chunk_bytes, **options).read()
        except InputError:
            continue
        assert np.isfinite(chunk.X).all()
        assert chunk.y is None or len(chunk.y) == len(chunk.X)


INTERRUPTED = """
import os, signal, sys, threading, time
from rosenblatt.readers import open_reader

reader = open_reader(sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)

def read():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for _ in reader.chunks():
            pass

list(reader.chunks())
heard = 0
for at in range(200):
    timer = threading.Timer(0.0005 + at * 2e-5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        read()
        break
    except KeyboardInterrupt:
        heard += 1
print(heard)
"""


def test_ctrl_c_is_never_lost_between_blocks(tmp_path):
    """The main thread reads small blocks; whenever Ctrl-C comes, it is heard."""
    path = tmp_path / "small.csv"
    path.write_text("".join(f"{i},{i % 7},{i % 2}\n" for i in range(2000)))
    command = [sys.executable, "-c", INTERRUPTED, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["200"], done.stderr


def test_lines_are_numbered_as_an_editor_does(tmp_path):
    path = tmp_path / "table.csv"
    wide = b"0.125," * 50
    names = b",".join(b"c%d" % j for j in range(50))
    lines = [b"a," + names + b",y", *(b"%d," % i + wide + b"%d" % (i % 2) for i in range(5000))]
    for end in (b"\n", b"\r\n", b"\r\r\n"):
        lines[3999] = b"oops," + wide + b"1"
        path.write_bytes(end.join(lines) + end)
        with pytest.raises(rb.InputError, match="line 4000: expected a number"):
            open_reader(path).read()


def test_a_reader_knows_its_format(tmp_path):
    for name, content in (("t.csv", "a,y\n1,0\n2,1\n"), ("t.tsv", "a\ty\n1\t0\n2\t1\n")):
        path = tmp_path / name
        path.write_text(content)
        reader = open_reader(path)
        assert reader.format == path.suffix[1:]
        again = open_reader(path, format=reader.format)
        np.testing.assert_array_equal(again.read().X, reader.read().X)


@pytest.mark.parametrize("head", [[], ["1,1", "2,-1"] * 40_000])
@pytest.mark.parametrize("chunk_bytes", [1, 64, 1 << 20])
def test_whole_labels_may_have_a_plus_sign(tmp_path, head, chunk_bytes):
    chunk_bytes = max(chunk_bytes, 1 << 16 if head else 1)
    path = write(tmp_path, "\n".join(["x,y", *head, "1,+1", "5,-1", "2, +1 ", '6,"-1"']) + "\n")
    chunk = open_reader(path, chunk_bytes=chunk_bytes).read()
    assert chunk.y.dtype == np.int64
    assert chunk.y[-4:].tolist() == [1, -1, 1, -1]
    assert set(chunk.y.tolist()) == {1, -1}


@pytest.mark.parametrize("wrong", ["+-1", "+", "1.5"])
def test_what_has_a_plus_sign_and_is_no_whole_number_is_refused(tmp_path, wrong):
    path = write(tmp_path, "\n".join(["x,y", *["1,+1", "2,-1"] * 40_000, f"3,{wrong}"]))
    with pytest.raises(InputError, match=r"line 80002: expected a whole number in column 'y'"):
        open_reader(path).read()


PLAIN, QUOTED = ["1,u,a", "2,v,b"], ['1,"p, q",a', '2,"r, s",b']
# Where a value of several lines is as likely, it is no number.
UNCLOSED = r"x\.csv, line {}: expected a (quote that closes the one before|number in column 'x')"


@pytest.mark.parametrize("before", [[], PLAIN, QUOTED])
@pytest.mark.parametrize("slip", ['3,u,"a', '3,"u,a', '"3,u,a'])
@pytest.mark.parametrize("after", [[], ["4,u,b"] * 3, ['4,"p, q",b'] * 3, ['4,u,"b"', "5,u,a"]])
def test_a_quote_that_none_closes_is_refused(tmp_path, before, slip, after):
    path = write(tmp_path, "\n".join(["x,t,y", *before, slip, *after]) + "\n")
    with pytest.raises(InputError, match=UNCLOSED.format(len(before) + 2)):
        open_reader(path).read()


@pytest.mark.parametrize("chunk_bytes", [1 << 16, 1 << 23])
@pytest.mark.parametrize("before", [PLAIN, QUOTED])
@pytest.mark.parametrize("after", [[], QUOTED])
def test_a_quote_far_down_that_none_closes_is_refused(tmp_path, before, after, chunk_bytes):
    path = write(tmp_path, "\n".join(["x,t,y", *before * 25_000, '3,u,"a', *after]) + "\n")
    with pytest.raises(InputError, match=r"line 50002: expected a quote that closes the one"):
        open_reader(path, chunk_bytes=chunk_bytes).read()


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (['5" pipe', '6" pipe', "5'"], ['5" pipe', '6" pipe', "5'"]),
        (['"5"" pipe"', '"so" she said', '""'], ['5" pipe', "so she said", None]),
        (['"two\nlines" and more', "u", '"two,\n,lines"'], None),
        (['"', "word", '"'], ['"', "word", '"']),
        (['"', '"', '"'], ['"', '"', '"']),
    ],
)
def test_other_quotes_are_read_as_before(tmp_path, cells, expected):
    lines = [f"{j},{cell},{j % 2}" for j, cell in enumerate(cells)]
    path = write(tmp_path, "\n".join(["x,t,y", *lines]) + "\n")
    found = open_reader(path, missing="keep").read().text["t"].to_pylist()
    assert found == (expected or pd.read_csv(path)["t"].tolist())


@pytest.mark.parametrize("name", ["x.jsonl", "x.ndjson", "x.json", "x.csv", "x"])
@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1, "y": "a"}\n{"x": 2, "y": "b"}\n',
        '[{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]',
        '\ufeff [\n  {\n    "x": 1\n  }\n]\n',
        "[[1, 2],\n [3, 4]]\n",
        '{\n "x": {"0": 1},\n "y": {"0": "a"}\n}',
    ],
)
def test_json_is_told(tmp_path, name, text):
    lines = r"JSON Lines,.*read_json\(…, lines=True" if text.endswith('"}\n') else r"JSON,"
    message = f"is {lines}"
    with pytest.raises(InputError, match=message):
        open_reader(write(tmp_path, text, name))


def test_braces_and_brackets_alone_are_no_json(tmp_path):
    text = "[x],{y}\n1,a\n2,b\n"
    for start in ("", "{", "["):
        assert open_reader(write(tmp_path, start + text)).read().y.tolist() == ["a", "b"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [None, " "])
@pytest.mark.parametrize("header", ["", "   x     y  label", "  x  y label  "])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_values_aligned_by_blanks(tmp_path, mark, header, delimiter, end):
    rows = [[j, -j * j] for j in range(30)]
    lines = [f"{a:5} {b:5}  {'no' if a % 2 else 'yes':6}" for a, b in rows]
    head = [header] if header else []
    path = write(tmp_path, mark + end.join(["   ", *head, *lines[:9], "", "  ", *lines[9:]]) + end)
    for chunk_bytes in (1, 50, 1 << 20):
        reader = open_reader(path, delimiter=delimiter, chunk_bytes=chunk_bytes)
        chunk = reader.read()
        assert chunk.X.tolist() == rows
        assert chunk.y.tolist() == ["yes", "no"] * 15
        assert reader.names == (["x", "y"] if header else None)
        assert reader.places([0, 8, 9]) == [f"line {n + len(head)}" for n in (2, 10, 13)]
    path = write(tmp_path, end.join([*head, *lines, " 1  2 3  no"]) + end)
    with pytest.raises(InputError, match=f"line {31 + len(head)}: expected 3 values, got 4"):
        open_reader(path, delimiter=delimiter).read()


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("x,y\n1,a\n2,b\n", {}, ""),
        ("1,a\n2,b\n3,b\n", {}, "; no header"),
        ("1,a\n2,b\n3,b\n", {"header": False}, ""),
        ("x;y\n1,5;a\n2;b\n", {}, "; separated by semicolons; decimal commas"),
        ("x;y\n1,5;a\n2;b\n", {"delimiter": ";"}, "; decimal commas"),
        ("x\ty\n1\ta\n2\tb\n", {}, "; separated by tabs"),
        ("x\ty\n1\ta\n2\tb\n", {"format": "tsv"}, ""),
        ("  1  a\n 12  b\n", {}, "; separated by spaces; no header"),
    ],
)
def test_guesses_are_told(tmp_path, text, said, expected):
    described = open_reader(write(tmp_path, text), **said).describe()
    assert described.partition("; 1 numeric column")[2] == expected


def test_years_above_no_years_are_headings(tmp_path):
    path = write(tmp_path, "2019,2020,2021\n1,2,0\n3,4,1\n")
    assert open_reader(path).read().y.tolist() == [0, 1]
    for text in ("2019,2020,2021\n1,2020,0\n3,4,1\n", "1500,1200,1100\n1,4,0\n3,4,1\n"):
        reader = open_reader(write(tmp_path, text))
        assert len(reader.read().y) == 3
        assert "no header" in reader.describe()


def test_rows_are_counted_from_0_where_there_are_no_lines(tmp_path):
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"a": [1.0, 2.0, None], "y": [0, 1, 0]}), path)
    with pytest.raises(InputError, match=r"x\.parquet, row 2: no value in column 'a'"):
        open_reader(path).read()
    reader = open_reader(path, missing="keep")
    reader.read()
    assert reader.places([2]) == ["row 2"]


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 20])
@pytest.mark.parametrize("words", ["True False", "TRUE FALSE", "true false"])
def test_columns_of_true_and_false_are_numbers(tmp_path, words, chunk_bytes):
    yes, no = words.split()
    text = f"a,flag,y\n1,{yes},u\n2,{no},v\n3,  {yes}  ,u\n4,NA,v\n"
    reader = open_reader(write(tmp_path, text), missing="keep", chunk_bytes=chunk_bytes)
    assert reader.names == ["a", "flag"]
    np.testing.assert_array_equal(reader.read().X[:, 1], [1, 0, 1, np.nan])
    again = open_reader(tmp_path / "x.csv", columns=reader.columns_used, label="y", missing="drop")
    assert again.read().X.tolist() == [[1, 1], [2, 0], [3, 1]]
    as_text = open_reader(tmp_path / "x.csv", text=["flag"], missing="keep").read().text["flag"]
    assert as_text.to_pylist() == [yes, no, yes, None]
    label = open_reader(tmp_path / "x.csv", label="flag", columns=["a"], missing="drop").read()
    assert label.y.tolist() == [yes, no, yes]
    headless = write(tmp_path, f"{yes},{no},u\n{no},{yes},v\n{no},{no},v\n")
    assert open_reader(headless).read().X.tolist() == [[1, 0], [0, 1], [0, 0]]


def test_other_words_far_down_a_column_of_true_and_false(tmp_path):
    path = write(tmp_path, "a,flag,y\n" + "1,True,0\n2,False,1\n" * 30_000 + "3,maybe,1\n")
    message = r"line 60002: expected True or False in column 'flag', got 'maybe' \(text=\['flag'\]"
    with pytest.raises(InputError, match=message):
        open_reader(path).read()


def test_a_heading_may_be_true(tmp_path):
    path = write(tmp_path, "true,seen,y\n1,True,0\n2,False,1\n")
    assert open_reader(path).names == ["true", "seen"]

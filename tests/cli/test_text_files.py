"""Text files as people have them: headers, delimiters, quotes and labels are found or told."""

from __future__ import annotations

import lzma
import subprocess

import numpy as np
import pytest

from commands import COMMAND, as_json, run
from rosenblatt import load, load_columns, save
from rosenblatt.readers import FORMATS, open_reader


@pytest.mark.parametrize("chunk_bytes", [1 << 23, 1 << 16])
def test_headers_and_lines_of_any_length(folder, chunk_bytes):
    width = 20_000
    names = ",".join(f"a_rather_long_column_name_{j}" for j in range(width))
    assert len(names) > 1 << 18
    rows = [",".join(map(str, (np.arange(width) % 7 + i).tolist())) for i in range(3)]
    (folder / "wide.csv").write_text(
        f"{names},kind\n" + "".join(f"{row},{'aab'[i]}\n" for i, row in enumerate(rows))
    )
    reader = open_reader("wide.csv", chunk_bytes=chunk_bytes)
    X = np.concatenate([chunk.X for chunk in reader.chunks()])
    assert X.shape == (3, width)
    assert reader.names is not None
    assert reader.names[-1] == f"a_rather_long_column_name_{width - 1}"
    np.testing.assert_array_equal(X[:, 8], [1, 2, 3])


def test_a_value_longer_than_the_limit_of_the_csv_module(folder):
    (folder / "long.csv").write_text(f"x,note,kind\n1,{'n' * 200_000},a\n2,m,b\n")
    said = run("decide", "long.csv").stderr
    assert "label: last column 'kind', 2 classes" in said
    # Of text without a comma, every value of a guess by other delimiters is a line.
    (folder / "bars.csv").write_text("|".join(["x"] * 70_000) + "\n" + "|".join(["1"] * 70_000))
    assert len(open_reader("bars.csv", label=False).columns_used) == 70_000


GUESSES = {
    "2019,2020,y\n1.5,2.5,a\n2.5,3.5,b\n": (["2019", "2020"], ["a", "b"]),
    "2019,2020,y\n15,25,a\n12,28,b\n": (["2019", "2020"], ["a", "b"]),
    "0,1,label\n5,3,0\n6,4,1\n": (["0", "1"], [0, 1]),
    "1,2,a\n3,4,b\n5,6,b\n": (None, ["a", "b", "b"]),
    "5.1,3.5,setosa\n4.9,3,setosa\n7,3.2,virginica\n": (None, ["setosa", "setosa", "virginica"]),
    " 1, 2, a\n 3, 4, b\n 5,6, b\n": (None, ["a", "b", "b"]),
    'x, kind\n1, "a"\n2, "b, c"\n': (["x"], ["a", "b, c"]),
    'x, kind\n"1", "say ""so"""\n"2", "b"\n': (["x"], ['say "so"', "b"]),
    "1 2 a\n3 4 b\n": (None, ["a", "b"]),
}


@pytest.mark.parametrize("text", GUESSES)
def test_headers_delimiters_and_quotes_are_guessed(folder, text):
    (folder / "t.csv").write_text(text)
    names, labels = GUESSES[text]
    reader = open_reader("t.csv")
    chunk = reader.read()
    assert (reader.names, chunk.y.tolist()) == (names, labels)


def test_padded_quotes_over_blocks_and_lines(folder):
    lines = "".join(f'{j}, "part, {j}\nand more", "k{j % 2}"\n' for j in range(3000))
    (folder / "q.csv").write_text(f"x, note, kind\n{lines}")
    reader = open_reader("q.csv", chunk_bytes=1000)
    chunks = list(reader.chunks())
    assert len(chunks) > 10
    X = np.concatenate([chunk.X for chunk in chunks])
    np.testing.assert_array_equal(X[:, 0], np.arange(3000))
    assert chunks[0].text["note"][1].as_py() == "part, 1\nand more"
    assert reader.places([1]) == ["line 4"]


def test_what_is_guessed_can_be_said(folder):
    (folder / "t.csv").write_text("2019,2020,2021\n1,2,0\n3,4,1\n")
    assert as_json("decide", "t.csv", "--no-header", "--label", "2")["rows"] == 3
    (folder / "t.csv").write_text("20,21,22\n1,2,0\n3,4,1\n")
    assert "1 numeric column; no header" in run("decide", "t.csv", "--ignore", "0").stderr
    assert as_json("decide", "t.csv", "--header")["rows"] == 2
    (folder / "odd.txt").write_text("1/2/a\n3/4/b\n")
    assert as_json("decide", "odd.txt", "--delimiter", "/", "--no-header")["features"] == 2
    run("fit", "odd.txt", "--delimiter", "/", "-o", "m")
    (folder / "new.txt").write_text("3/4\n1/2\n")
    assert run("predict", "m", "new.txt", "--delimiter", "/", "--no-header").stdout == "b\na\n"
    assert as_json("score", "m", "odd.txt", "--delimiter", "/")["accuracy"] == 1
    said = run("decide", "odd.txt", "--delimiter", "ab", code=2).stderr
    assert "--delimiter must be one character or one of comma, tab," in said
    (folder / "rows").write_text("1 2:3\n-1 2:1\n")
    assert as_json("decide", "rows", "--format", "svmlight")["features"] == 2
    assert "--format must be one of" in run("decide", "rows", "--format", "excel", code=2).stderr
    assert "leave --header out" in run("decide", "iris", "--header", code=2).stderr


def test_bits_are_kept_by_the_model(folder):
    (folder / "t.vw").write_text("1 | a b\n-1 | c d\n")
    assert as_json("fit", "t.vw", "--bits", 10, "-o", "m")["features"] == 1024
    assert run("predict", "m", "t.vw").stdout == "1\n-1\n"
    assert "--bits must lie in 1 … 30" in run("fit", "t.vw", "--bits", 40, code=2).stderr


def test_formats_in_the_help_are_those_there_are():
    text = " ".join(run("fit", "--help").stdout.replace("│", " ").split())
    assert f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}" in text


def test_an_ignored_column_is_no_label(folder):
    (folder / "t.csv").write_text("a,y,city,when\n1,no,x,5\n3,yes,y,6\n")
    said = run("decide", "t.csv", "--ignore", "city,when").stderr
    assert "label: 'y', 2 classes; 1 numeric column" in said


def test_a_matrix_without_labels_is_told_so(folder):
    np.save(folder / "X.npy", np.random.default_rng(0).normal(size=(5, 3)))
    said = run("fit", "X.npy", code=2).stderr
    assert "X.npy: no labels" in said
    assert "numpy.savez('data.npz', X=X, y=y)" in said
    np.save(folder / "Xy.npy", np.array([[0.5, 0], [1.5, 1]]))
    run("fit", "Xy.npy")


ZERO_BASED = "1 0:2 1:0.1\n-1 0:-2 1:1\n1 0:3\n-1 1:2 0:-1\n"
HOW_READ = [[], ["--stream"], ["--dask", "local", "--workers", 1]]


@pytest.mark.parametrize("how", HOW_READ, ids=["memory", "stream", "dask"])
def test_a_model_keeps_where_the_indices_of_svmlight_text_start(folder, how):
    (folder / "z.svm").write_text(ZERO_BASED)
    (folder / "all.svm").write_text("1 0:0 1:5\n-1 0:0 1:-5\n")
    (folder / "some.svm").write_text("1 1:5\n-1 1:-5\n")
    run("fit", "z.svm", *how, "-o", "m")
    assert load_columns("m").first_index == 0
    scored, again = (as_json("predict", "m", f"{name}.svm", "--scores") for name in ("all", "some"))
    assert again["scores"] == scored["scores"]
    X = open_reader("all.svm").read().X
    assert load("m").decision_function(X).tolist() == scored["scores"]
    scored, again = (as_json("score", "m", f"{name}.svm") for name in ("all", "some"))
    assert again["accuracy"] == scored["accuracy"]
    (folder / "beyond.svm").write_text("1 2:5\n")
    said = run("predict", "m", "beyond.svm", code=2).stderr
    assert "line 1: expected indices from 0 up to 1, got '2:5'" in said
    # The same rows counted from 1: what has an index 0 cannot be theirs.
    (folder / "one.svm").write_text("1 1:2 2:0.1\n-1 1:-2 2:1\n1 1:3\n-1 2:2 1:-1\n")
    run("fit", "one.svm", *how, "-o", "m")
    assert load_columns("m").first_index == 1
    for verb in ("predict", "score"):
        said = run(verb, "m", "all.svm", code=2).stderr
        assert "line 1: expected indices from 1 on, as in the file that the model learned" in said


def test_a_model_is_verified_with_the_indices_it_learned_from(folder):
    (folder / "z.svm").write_text("1 0:0 1:2\n-1 1:-2\n")
    run("fit", "z.svm", "--certify", "yes", "-o", "m")
    (folder / "same.svm").write_text("1 1:2\n-1 1:-2\n")
    said = run("verify", "m", "same.svm")
    assert "The certificate holds" in said.stdout
    assert "not the rows" not in said.stderr


def test_models_of_before_guess_where_indices_start(folder):
    (folder / "z.svm").write_text(ZERO_BASED)
    run("fit", "z.svm", "-o", "m")
    columns = load_columns("m").to_dict()
    assert (columns.pop("first_index"), columns.pop("hashed")) == (0, False)
    save(load("m"), "before", columns=columns)
    (folder / "some.svm").write_text("1 1:5\n-1 1:-5\n")
    assert "indices start at 1" in run("predict", "before", "some.svm").stderr
    (folder / "t.vw").write_text("1 | a b\n-1 | c d\n")
    assert run("predict", "before", "t.vw").stdout.count("\n") == 2


def test_a_model_of_hashed_names_takes_no_numbered_columns_nor_the_other_way(folder):
    (folder / "t.vw").write_text("1 | a b\n-1 | c d\n")
    (folder / "z.svm").write_text(ZERO_BASED)
    (folder / "t.csv").write_text("a,kind\n1,no\n2,yes\n")
    for data in ("t.vw", "z.svm", "t.csv"):
        run("fit", data, "-o", f"m.{data}")
    np.savez(folder / "a.npz", X=np.eye(4), y=[0, 1, 1, 0])
    run("fit", "a.npz", "-o", "m.a.npz")
    others = [("t.vw", "Vowpal Wabbit text", "z.svm", "svmlight text")]
    others += [("z.svm", "svmlight text", "t.vw", "Vowpal Wabbit text")]
    others += [("t.csv", "a table", "t.vw", "Vowpal Wabbit text")]
    others += [("a.npz", "an array", "t.vw", "Vowpal Wabbit text")]
    for model, learned, data, came in others:
        said = run("predict", f"m.{model}", data, code=2).stderr
        assert f"error: {data}: expected columns as the model has them" in said
        assert f"learned from {learned} (" in said
        assert f"got {came} (" in said
    assert "expected columns" in run("score", "m.t.vw", "z.svm", code=2).stderr


def test_a_pipe_may_tell_late_where_its_indices_start(folder):
    text = "1\n" * 40_000 + ZERO_BASED  # no index at all in the first chunk
    command = [*COMMAND, "fit", "--stream", "-", "--format", "svmlight", "--memory", "1MiB"]
    command += ["--classes=-1,1", "--width", "2", "-o", "m"]
    subprocess.run(command, input=text, text=True, check=True, capture_output=True)
    assert load_columns("m").first_index == 0


TABLE = "a,b,kind\n1,2,yes\n2,3,no\n4,1,yes\n"


@pytest.mark.parametrize(
    ("before", "what"),
    [
        ("Report of 2024\nby the office\n\n", "1 ('Report of 2024'); --skip-lines 3"),
        ("# of two\n# lines\n", "1 ('# of two'); --skip-lines 2"),
        ("Report, of 2024\n", "2 ('Report, of 2024'); --skip-lines 1"),
        ("x\n" * 3, "1 ('x'); --skip-lines 3"),
    ],
)
def test_lines_before_the_table_are_told_and_left_out(folder, before, what):
    (folder / "plain.csv").write_text(TABLE)
    (folder / "titled.csv").write_text(before + TABLE)
    said = run("decide", "titled.csv", code=2).stderr
    assert f"titled.csv, line 1: expected 3 values, as most lines have, got {what} leaves" in said
    lines = before.count("\n")
    plain = as_json("fit", "plain.csv", "-o", "m")
    titled = as_json("fit", "titled.csv", "--skip-lines", lines)
    assert plain["weights"] == titled["weights"]
    assert as_json("fit", "--stream", "titled.csv", "--skip-lines", lines)["training"]
    assert run("predict", "m", "titled.csv", "--skip-lines", lines).stdout == "yes\nno\nyes\n"
    with open("titled.csv") as file:
        done = subprocess.run(
            [*COMMAND, "decide", "-", "--skip-lines", str(lines)], stdin=file, capture_output=True
        )
    assert done.returncode == 0
    (folder / "wrong.csv").write_text(before + TABLE + "x,1,no\n")
    said = run("decide", "wrong.csv", "--skip-lines", lines, code=2).stderr
    assert f"wrong.csv, line {lines + 5}: expected a number in column 'a', got 'x'" in said


@pytest.mark.parametrize("chunk_bytes", [1, 5, 1000])
@pytest.mark.parametrize("ending", [".csv", ".csv.xz", ".svm"])
def test_skipped_lines_in_chunks_of_any_size(folder, ending, chunk_bytes):
    text = "1 1:2\n0 1:3\n" if ending == ".svm" else "x,y\n2,1\n3,0\n"
    packed = lzma.compress if ending.endswith("xz") else bytes
    (folder / f"t{ending}").write_bytes(packed(f"a title, and\nmore\n{text}".encode()))
    reader = open_reader(f"t{ending}", skip_lines=2, chunk_bytes=chunk_bytes)
    assert next(iter(reader.chunks())).X[0, 0] == 2
    assert reader.read().y.tolist() == [1, 0]
    assert reader.places([0, 1]) == (
        ["line 3", "line 4"] if ending == ".svm" else ["line 4", "line 5"]
    )


def test_no_fewer_than_none_are_skipped(folder):
    (folder / "t.csv").write_text(TABLE)
    said = run("decide", "t.csv", "--skip-lines", -1, code=2).stderr
    assert "--skip-lines must be 0 or more, got -1" in said
    assert "leave --skip-lines out" in run("decide", "xor", "--skip-lines", 1, code=2).stderr


def test_a_header_that_names_too_few_columns_is_no_title(folder):
    (folder / "t.txt").write_text("a b kind\nr1 1 2 yes\nr2 2 3 no\n")
    assert "got 3 ('a b kind'); name every column" in run("decide", "t.txt", code=2).stderr


@pytest.mark.parametrize("header", ["a,b,kind,\n", ""])
def test_a_delimiter_at_the_end_of_every_line_makes_no_column(folder, header):
    (folder / "t.csv").write_text(header + "1,2,yes,\n2,3,no,\n4,1,yes,\n")
    found = as_json("fit", "t.csv", "-o", "m")
    assert found["features"] == 2
    assert "an empty column left out: 'column 4'" in found["note"]
    assert run("predict", "m", "t.csv").stdout == "yes\nno\nyes\n"
    # A named column is one that somebody has lost the values of.
    (folder / "t.csv").write_text("a,b,kind,last\n1,2,yes,\n2,3,no,\n")
    assert "no value in column 'last'" in run("decide", "t.csv", code=2).stderr


@pytest.mark.parametrize("cell", ["\xa01", "1\xa0", "1\xa0234", "1\u202f234"])
@pytest.mark.parametrize("row", [0, 1, 5000])
def test_a_blank_that_is_none_is_named(folder, cell, row):
    rows = [f"{i},{i % 3},{'yes' if i % 2 else 'no'}" for i in range(6000)]
    rows[row] = f"{cell},0,no"
    (folder / "t.csv").write_text("\n".join(["a,b,kind", *rows, ""]))
    blank = next(f"U+{ord(c):04X}" for c in cell if c not in "1234")
    said = run("decide", "t.csv", code=2).stderr
    assert f"t.csv, line {row + 2}: expected a number in column 'a', got {cell!r}" in said
    assert f"which holds the blank {blank} (--text a" in said


def test_xz_is_read_and_damage_is_told(folder):
    packed = lzma.compress(TABLE.encode() * 1000)
    (folder / "t.csv.xz").write_bytes(lzma.compress(TABLE.encode()))
    assert as_json("decide", "t.csv.xz")["verdict"] == "separable"
    (folder / "cut.csv.xz").write_bytes(packed[: len(packed) // 2])
    assert "the xz data is damaged or cut short" in run("decide", "cut.csv.xz", code=2).stderr


UNREAD = {
    "a 7z archive, which is not read; unpack it": b"7z\xbc\xaf\x27\x1c\0\0",
    "a RAR archive, which is not read; unpack it": b"Rar!\x1a\x07\0",
    "a zip archive; unpack it": b"PK\x03\x04" + bytes(22) + b"\5\0\0\0a.csv",
    "an SQLite database, which is not read; convert it": b"SQLite format 3\0",
    "HDF5, which is not read; convert it": b"\x89HDF\r\n\x1a\n\0",
    "an office document, which is not read; save the sheet as CSV": b"\xd0\xcf\x11\xe0\xa1\xb1\0",
    "a PDF, which is not read": b"%PDF-1.4\n",
    "a pickle, which is not read; write its arrays with numpy.savez": b"\x80\x04\x95\0",
    "a tar archive, which is not read; unpack it": b"a.csv" + bytes(252) + b"ustar\0" + bytes(99),
}


@pytest.mark.parametrize("what", UNREAD)
def test_what_people_have_instead_is_named(folder, what):
    (folder / "t.dat").write_bytes(UNREAD[what])
    assert f"t.dat: is {what}" in run("decide", "t.dat", code=2).stderr


def test_a_pattern_that_the_shell_has_expanded_is_to_be_quoted(folder):
    for n in range(3):
        (folder / f"part-{n}.csv").write_text(TABLE)
    said = " ".join(run("fit", *sorted(map(str, folder.glob("part-*"))), code=2).stderr.split())
    assert "quote the pattern, as in 'part-*.csv'" in said.replace("│ ", "")
    assert "quote" in as_json("fit", "part-0.csv", "part-1.csv", code=2)["error"]
    assert "quote" not in run("fit", "part-0.csv", "no-file", code=2).stderr
    assert as_json("fit", "part-*.csv")["rows"] == 9


def test_a_streamed_report_advises_what_streams_can(folder):
    (folder / "t.csv").write_text(TABLE)
    said = run("fit", "--stream", "t.csv", "--details").stdout
    assert "--test" not in said
    assert "`rosenblatt score` measures it" in said

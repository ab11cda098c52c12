"""The shell as a newcomer meets it: files as they are, a fit that ends, a report that warns."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rosenblatt.readers import FORMATS, csvtable, open_reader
from scipy import stats
from typer.testing import CliRunner

import rosenblatt as rb
from rosenblatt.cli.app import app
from rosenblatt.cli.commands import fitting, verbs
from rosenblatt.cli.shell import interrupted, terminable
from rosenblatt.errors import InputError
from rosenblatt.fit import report

COMMAND = [sys.executable, "-m", "rosenblatt"]


def run(*args, code=0):
    """What a command printed, once it has exited as it should."""
    result = CliRunner().invoke(app, list(map(str, args)), prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


def as_json(*args, code=0):
    result = run(*args, "--json", code=code)
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout, parse_constant=pytest.fail)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- Files as they are ---


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
    assert as_json("decide", "t.csv", "--label", "2")["rows"] == 3
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


# --- A fit that ends ---


UNCACHED = {
    "NUMBA_CACHE_DIR": "/dev/null/nowhere",
    "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
}


def test_without_a_writable_cache_it_runs_and_says_so(folder):
    (folder / "t.svm").write_text("1 1:2\n-1 1:1\n")
    run("fit", "t.svm", "-o", "m")
    done = subprocess.run(
        [*COMMAND, "predict", "m", "t.svm"],
        env={**os.environ, **UNCACHED},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n-1\n"
    assert done.stderr.count("no folder for numba's cache can be written") == 1
    assert "compiling (once; `rosenblatt warm-up` does it beforehand)" in done.stderr


COMPILED = """
import logging, numba
logging.basicConfig(level=logging.INFO, format="%(message)s")
from rosenblatt.engine.machine.compiled import compile_seconds
from rosenblatt.engine.machine.compilation import COMPILATIONS, kernel
def foreign(x):
    return x + 1
foreign.__module__ = "elsewhere"
assert numba.njit(foreign)(1) == 2 and compile_seconds() == 0
@kernel()
def inner(x):
    return x * 2
@kernel()
def outer(x):
    return inner(x) + 1
assert outer(3) == 7 and not COMPILATIONS.running
once = compile_seconds()
assert once > 0
outer(4)
assert compile_seconds() == once
print("fine")
"""


def test_seconds_of_compiling_are_counted_and_told_once(folder):
    code = f"__name__ = 'rosenblatt.x'\n{COMPILED}"
    (folder / "script.py").write_text(code)
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr
    assert done.stderr.count("compiling (once") == 1


def test_a_full_disk_for_the_cache_costs_no_work(folder, monkeypatch):
    from rosenblatt.engine.machine import compilation

    def full(*_):
        raise OSError(28, "No space left on device")

    compilation._warn_uncached.cache_clear()
    monkeypatch.setattr(compilation.FunctionCache, "save_overload", full)
    with pytest.warns(RuntimeWarning, match="no folder for numba's cache"):
        assert compilation.kernel()(_tripled)(2) == 6


def _tripled(x):
    return 3 * x


def noise(folder, rows, columns=20):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, columns)).round(3), rng.integers(0, 2, rows)
    np.savetxt(folder / "noise.csv", np.column_stack([X, y]), fmt="%g", delimiter=",")


class Ticking:
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.mark.parametrize("limit", [2, 9, 40])
def test_a_time_limit_is_honoured_within_a_pass(folder, monkeypatch, limit):
    noise(folder, 4000)
    clock = Ticking()
    monkeypatch.setattr("rosenblatt.solve.decision.time.perf_counter", clock)
    read = []

    def converted(*given):
        read.append(clock.now)
        return convert(*given)

    convert = csvtable._converted
    monkeypatch.setattr(csvtable, "_converted", converted)
    found = as_json(
        "decide", "--stream", "noise.csv", "--memory", "2MB", "--time-limit", limit, code=3
    )
    assert found["verdict"] == "undecided"
    assert read[-1] <= limit + 2  # when the last chunk was read


def test_a_time_limit_without_any_weights_tried(folder):
    noise(folder, 200)
    shown = run("decide", "--stream", "noise.csv", "--time-limit", 1e-9, code=3).stdout
    assert "no weights were tried on all rows yet. Raise --time-limit" in " ".join(shown.split())
    decision = rb.decide_stream("noise.csv", time_limit=1e-9)
    assert (decision.weights, decision.separable) == (None, None)
    assert decision.margin == (0, np.inf)


EARLY = (0.15, 0.3, 0.6)


@pytest.mark.parametrize("seconds", EARLY)
def test_ctrl_c_before_anything_happens_is_no_traceback(folder, seconds):
    noise(folder, 50_000)
    process = subprocess.Popen(
        [*COMMAND, "fit", "noise.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("Interrupted; nothing was written.\n")
    assert "Traceback" not in err


def test_an_import_cut_short_is_an_interrupt(folder, monkeypatch):
    def cut(*_):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise ImportError("half a library") from None

    monkeypatch.setattr(verbs, "datasets", cut)
    assert "Interrupted" in run("datasets", code=130).stderr


CUT = """
import sys
sys.argv = ["rosenblatt", "datasets"]
from rosenblatt.cli import main, verbs
verbs.datasets = lambda *_: exec("import signal; signal.raise_signal(signal.SIGINT)")
main()
"""


def test_ctrl_c_in_code_made_of_text_has_the_same_code(folder):
    done = subprocess.run([sys.executable, "-c", CUT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "Interrupted; nothing was written.\n")


def press(*_, **__):
    signal.raise_signal(signal.SIGINT)


def test_a_plot_does_not_lose_ctrl_c(folder, monkeypatch):
    from rosenblatt import figures
    from rosenblatt.figures import picture

    def drawn(*args, **options):
        with contextlib.suppress(KeyboardInterrupt):  # as a fit takes it for its own end
            press()
        return picture(*args, **options)

    monkeypatch.setattr(figures, "picture", drawn)
    said = run("plot", "points", "xor", "-o", "p.png", code=130).stderr
    assert "Interrupted; nothing was written." in said
    assert os.listdir() == []


def test_sighup_is_heard_unless_it_is_ignored():
    for handler, heard in ((signal.SIG_DFL, True), (signal.SIG_IGN, False)):
        before = signal.signal(signal.SIGHUP, handler)
        try:
            with terminable() as came:
                if heard:
                    with pytest.raises(KeyboardInterrupt):
                        signal.raise_signal(signal.SIGHUP)
                else:
                    signal.raise_signal(signal.SIGHUP)
                assert interrupted() == heard
                assert came == [signal.SIGHUP] * heard
            assert signal.getsignal(signal.SIGHUP) is handler
        finally:
            signal.signal(signal.SIGHUP, before)


def test_ctrl_c_after_learning_leaves_model_and_report(folder, monkeypatch):
    (folder / "t.csv").write_text("x,kind\n1,a\n2,b\n")
    monkeypatch.setattr(fitting, "accuracy", press)
    result = run("fit", "t.csv", "--test", 0, "-o", "m", code=130)
    assert "training accuracy not measured: interrupted" in " ".join(result.stdout.split())
    assert "The classes are linearly separable." in result.stdout
    assert "Interrupted before all of it was measured." in result.stderr
    assert rb.load("m").coef_.shape == (1, 1)
    monkeypatch.setattr(fitting, "accuracy_in_parts", press)
    result = run("fit", "--stream", "t.csv", "-o", "m2", code=130)
    assert "not measured: interrupted" in " ".join(result.stdout.split())
    assert rb.load("m2").coef_.shape == (1, 1)


@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_a_full_disk_at_the_end_leaves_the_report(folder, monkeypatch, how):
    def full(*_, **__):
        raise InputError("m: cannot be written (No space left on device)")

    (folder / "t.csv").write_text("x,kind\n1,a\n2,b\n")
    monkeypatch.setattr(fitting, "save_model", full)
    result = run("fit", "t.csv", *how, "-o", "m", code=2)
    assert "Largest weights" in result.stdout
    assert "error: m: cannot be written (No space left on device)" in result.stderr
    found = as_json("fit", "t.csv", *how, "-o", "m", code=2)
    assert (found["model"], found["verdict"]) == (None, "separable")
    assert found["error"] == "m: cannot be written (No space left on device)"


def test_errors_are_one_sentence(folder, monkeypatch):
    for error, sentence in (
        (MemoryError(), "error: not enough memory; --stream reads a file in chunks"),
        (MemoryError("8 GB"), "error: not enough memory (8 GB); --stream reads a file in chunks"),
        (ValueError("one\n  two\nthree"), "error: one two three"),
        (RuntimeError("one\ntwo"), "internal error: RuntimeError: one two (--debug shows where)"),
    ):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr(verbs, "datasets", fail)
        result = CliRunner().invoke(app, ["datasets"])
        assert result.stderr == f"{sentence}\n"


# --- A report that warns ---


def people(folder):
    rng = np.random.default_rng(0)
    age, income = rng.normal(40, 12, 600), rng.lognormal(10, 1, 600)
    rich = (age - 40) / 12 + np.log(income) - 10 > 1.9
    rows = zip(age, income, np.where(rich, "rich", "no"), strict=True)
    lines = "".join(f"{a:.1f},{i:.0f},{y}\n" for a, i, y in rows)
    (folder / "people.csv").write_text(f"age,income,kind\n{lines}")
    return float(1 - rich.mean())


def test_the_report_compares_with_the_larger_class(folder):
    share = people(folder)
    found = as_json("fit", "people.csv", "--certify", "no", "--solution", "last", "--max-iter", 3)
    training = found["training"]
    assert training["majority"] == {"class": "no", "share": pytest.approx(share)}
    (a, b), (c, d) = training["confusion"]
    assert training["recall"] == pytest.approx([a / (a + b), d / (c + d)])
    result = run("fit", "people.csv", "--certify", "no", "--solution", "last", "--max-iter", 3)
    words = " ".join(result.stdout.split())
    assert f"the answer 'no' to everything is right on {share:.4f}" in words
    assert "recall" in result.stdout
    assert training["accuracy"] <= share  # what the warning is about
    assert "warning: no better than the answer 'no' to everything" in result.stderr
    assert "income spreads by" in result.stderr
    assert "try --scale" in result.stderr
    scaled = run("fit", "people.csv", "--scale", "--certify", "no", "--max-iter", 3)
    assert "try --scale" not in scaled.stderr
    scored = as_json("fit", "people.csv", "--scale", "--certify", "no", "-o", "m")["training"]
    assert scored["accuracy"] > share
    shown = run("score", "m", "people.csv").stdout
    assert f"The answer 'no' to everything reaches {share:.4f}." in shown


@pytest.mark.parametrize("right", [0, 1, 37, 99, 100])
def test_the_interval_is_wilsons(right):
    theirs = stats.binomtest(right, 100).proportion_ci(method="wilson")
    np.testing.assert_allclose(report.wilson(right, 100), [theirs.low, theirs.high], atol=1e-15)


@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_weights_are_ranked_by_their_effect(folder, how):
    rng = np.random.default_rng(1)
    small, large = rng.normal(size=400) / 1000, rng.normal(size=400)
    y = np.where(large + small > 0, "b", "a")
    lines = "".join(f"{s:.9f},{v:.9f},{k}\n" for s, v, k in zip(small, large, y, strict=True))
    (folder / "t.csv").write_text(f"small,large,kind\n{lines}")
    found = as_json("fit", "t.csv", *how)["weights"]
    assert [weight["feature"] for weight in found] == ["large", "small"]
    spread = np.std([float(line.split(",")[1]) for line in lines.split()])
    assert found[0]["effect"] == pytest.approx(abs(found[0]["weight"]) * spread)


def test_spreads_are_those_of_numpy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5)) * [1, 1e-3, 1e6, 0, 1] + [0, 1e3, 0, 7, 1e6]
    spread = report.Spread()
    for part in (X[:10], X[10:]):
        spread.add(part)
    np.testing.assert_allclose(spread.done(), X.std(axis=0), rtol=1e-6, atol=1e-12)


CLASH = "x,y,kind\n\n0,0,even\n1,1,even\n,5,odd\n0,1,odd\n\n1,0,odd\n"


@pytest.mark.parametrize("how", [(), ("--stream",)])
@pytest.mark.parametrize("verb", ["fit", "decide"])
def test_proofs_name_lines_and_values(folder, verb, how):
    (folder / "clash.csv").write_text(CLASH)
    code = int(verb == "decide")
    found = as_json(verb, "clash.csv", "--missing", "drop", "--scale", *how, code=code)
    rows = found["certificate"]["rows"]
    assert [row["place"] for row in rows] == ["line 3", "line 4", "line 6", "line 8"]
    assert rows[2]["values"] == {"x": 0, "y": 1}
    assert [row["label"] for row in rows] == ["even", "even", "odd", "odd"]
    shown = run(verb, "clash.csv", "--missing", "drop", *how, code=code).stdout
    assert "line 8" in shown
    assert "x=1, y=0" in shown


def test_proofs_name_lines_after_a_split(folder):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (60, 2)), rng.integers(0, 2, 60)
    lines = [f"{a},{b},{'uv'[k]}" for (a, b), k in zip(X.tolist(), y.tolist(), strict=True)]
    (folder / "t.csv").write_text("\n".join(["a,b,k", *lines]) + "\n")
    rows = as_json("fit", "t.csv", "--test", 0.3, "--certify", "yes")["certificate"]["rows"]
    assert rows
    for row in rows:
        line = int(row["place"].removeprefix("line "))
        values = row["values"]
        assert f"{values['a']:.0f},{values['b']:.0f},{row['label']}" == lines[line - 2]


def test_places_in_other_formats_and_over_files(folder):
    (folder / "a.svm").write_text("# head\n1 1:2\n\n   \n-1 1:3 # note\n")
    (folder / "b.svm").write_text("\n1 1:5\n")
    assert open_reader("a.svm").places([1, 0, 1]) == ["line 5", "line 2", "line 5"]
    assert open_reader("*.svm").places([2, 0]) == ["b.svm, line 2", "a.svm, line 2"]
    np.savez("t.npz", X=np.eye(3), y=[0, 1, 0])
    assert open_reader("t.npz").places([2]) == ["row 3"]


def test_labels_are_as_they_were_written(folder):
    (folder / "t.svm").write_text("1 1:2 2:3\n-1 1:0 2:-1\n")
    shown = run("fit", "t.svm", "-o", "m").stdout
    assert "One hyperplane separates classes -1, 1:" in shown
    assert run("predict", "m", "t.svm").stdout == "1\n-1\n"
    assert as_json("predict", "m", "t.svm")["predictions"] == [1, -1]
    run("fit", "iris", "--positive", 0, "--certify", "yes", "-o", "flowers")
    words = " ".join(run("verify", "flowers", "iris", "--positive", 0).stdout.split())
    assert "positive on every row of class '0' and negative on every row of class 'not 0'" in words


@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_labels_beyond_whole_numbers_of_64_bits(folder, how):
    (folder / "t.csv").write_text("a,y\n1,1e308\n2,-1e308\n3,0\n")
    result = run("fit", "t.csv", *how, "-o", "m")
    assert "warning" not in result.stderr
    assert run("predict", "m", "t.csv").stdout == "1e+308\n-1e+308\n0.0\n"


def test_text_that_a_terminal_cannot_show(folder):
    done = subprocess.run(
        [*COMMAND, "trace", "five_points"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert r"\xb7" in done.stdout


def test_the_order_of_classes_and_filled_numbers_are_told(folder):
    rows = ["x,z,grade", "1,2,lo", "2,1,lo", "3,2,mid", "4,1,mid", "5,2,hi", "6,,hi"]
    (folder / "grades.csv").write_text("\n".join(rows))
    how = ["grades.csv", "--missing", "mean"]
    guessed = run("separation", *how, "--model", "ordinal")
    assert "taken to be hi,lo,mid" in guessed.stdout
    assert "1 missing numbers take the mean" in guessed.stderr
    said = run("separation", *how, "--model", "ordinal", "--order", "lo,mid,hi", code=1)
    assert "taken to be" not in said.stdout
    for verb in ("decide", "errors"):
        assert "1 missing numbers take the mean" in run(verb, *how).stderr


def test_an_interrupted_search_for_errors_exits_with_130(folder, monkeypatch):
    from rosenblatt.solve.fewest import search

    def pressed(goal):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "perceptron", pressed)
    (folder / "d.csv").write_text("x,y\n" + "0,a\n0,b\n1,a\n2,a\n" * 3)
    found = as_json("errors", "d.csv", code=130)
    # What one answer to everything costs is known at once.
    assert (found["lower"], found["upper"], found["ending"]) == (0, 3, "interrupted")

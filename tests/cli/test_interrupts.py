"""Time limits, Ctrl-C, hang-ups and full disks: what is finished is kept."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import rosenblatt as rb
from commands import as_json, run
from rosenblatt.cli.app import app
from rosenblatt.cli.commands import fitting, verbs, warming
from rosenblatt.cli.signals import interrupted, terminable
from rosenblatt.engine.machine.interrupts import Uninterrupted
from rosenblatt.errors import InputError
from rosenblatt.readers import csvtable


def noise(folder, rows, columns=20):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, columns)).round(3), rng.integers(0, 2, rows)
    np.savetxt(folder / "noise.csv", np.column_stack([X, y]), fmt="%g", delimiter=",")


@pytest.mark.parametrize("limit", [2, 9, 40])
def test_a_time_limit_is_honoured_within_a_pass(folder, monkeypatch, ticking, limit):
    noise(folder, 4000)
    read = []

    def converted(*given):
        read.append(ticking.now)
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


# What is imported until Ctrl-C is heard, and a Ctrl-C at the first import after that.
PRESSED = """
import signal, sys
class Press:
    def find_spec(self, name, *_):
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            print(name)
        else:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Press())
sys.argv = ["rosenblatt", "datasets"]
for name in ("enum", "re", "typing"):  # of Python itself, or needed above
    sys.modules.pop(name, None)
from rosenblatt.cli import main
main()
"""


def test_ctrl_c_is_heard_before_anything_is_imported_that_takes_long():
    done = subprocess.run([sys.executable, "-c", PRESSED], capture_output=True, text=True)
    quick = {"__future__", "atexit", "gc", "importlib", "importlib.machinery", "types", "warnings"}
    quick |= {"io", "_contextvars", "_py_warnings"}  # from Python 3.14 on not yet there, too
    assert {*done.stdout.split()} - quick == {"rosenblatt", "rosenblatt.cli"}
    assert (done.returncode, done.stderr) == (130, "Interrupted; nothing was written.\n")


# A Ctrl-C when a module is first asked for.
EARLY = """
import signal, sys
late = sys.argv.pop(1)
class Press:
    def find_spec(self, name, *_):
        if name == late:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Press())
from rosenblatt.cli import main
main()
"""


@pytest.mark.parametrize(
    "module",
    ["typer", "numpy", "rosenblatt.data.readers.csvtable", "rosenblatt.fit.learning"],
)
def test_ctrl_c_before_or_as_it_begins_is_no_traceback(folder, start, module):
    noise(folder, 500)
    fit = start([sys.executable, "-c", EARLY, module, "fit", "noise.csv", "--max-iter", "10"])
    assert fit.code() == 130
    assert fit.out == ""
    assert fit.err.endswith("Interrupted; nothing was written.\n")
    assert "Traceback" not in fit.err


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
from rosenblatt.cli import main
from rosenblatt.cli.commands import verbs
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


DEVICE = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
FULL = "/dev/full: cannot be written (No space left on device)"


@DEVICE
@pytest.mark.parametrize("how", [(), ("--stream",)])
def test_a_full_disk_costs_the_certificate_not_the_verdict(folder, how):
    (folder / "t.csv").write_text("x,kind\n1,a\n1,b\n2,b\n")
    given = ("decide", "t.csv", *how, "--certificate", "/dev/full")
    result = run(*given, code=2)
    assert "Inseparable, decided in" in result.stdout
    assert f"error: {FULL}" in result.stderr
    assert "certificate written" not in result.stderr
    found = as_json(*given, code=2)
    assert (found["verdict"], found["error"]) == ("inseparable", FULL)
    assert found["certificate"]["kind"] == "inseparability"


@DEVICE
def test_a_full_disk_costs_the_files_of_errors_not_the_number(folder):
    (folder / "t.csv").write_text("x,kind\n1,a\n1,b\n2,b\n")
    (folder / "full.png").symlink_to("/dev/full")
    for option in ("--certificate", "--figure"):
        given = ("errors", "t.csv", option, "full.png")
        result = run(*given, code=2)
        assert "At least 1 of 3 rows is on the wrong side" in result.stdout
        assert "error: full.png: cannot be written (No space left" in result.stderr
        found = as_json(*given, code=2)
        assert (found["lower"], found["upper"]) == (1, 1)
        assert "No space left" in found["error"]


@DEVICE
def test_a_full_disk_costs_the_file_of_labels_not_those_in_json(folder):
    (folder / "t.csv").write_text("x,kind\n1,a\n2,b\n")
    run("fit", "t.csv", "-o", "m")
    found = as_json("predict", "m", "t.csv", "-o", "/dev/full", code=2)
    assert (found["predictions"], found["error"]) == (["a", "b"], FULL)


def test_a_figure_of_an_unknown_ending_is_refused_before_the_search(folder):
    result = run("errors", "no.csv", "--figure", "x.xyz", code=2)
    assert "x.xyz: fewest_errors is written to a file ending in .png" in result.stderr


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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_warm_up_ends_after_the_machine_code_that_is_made(folder, monkeypatch, number, code):
    made, used = [], []

    def fitted(path):
        with contextlib.suppress(KeyboardInterrupt), Uninterrupted():  # as a fit that compiles
            signal.raise_signal(number)
            made.append(path)
        used.append(path)

    monkeypatch.setattr(warming, "_used", fitted)
    before = signal.getsignal(signal.SIGINT)
    assert "Interrupted" in run("warm-up", code=code).stderr
    assert (len(made), used) == (1, [])
    assert signal.getsignal(signal.SIGINT) is before

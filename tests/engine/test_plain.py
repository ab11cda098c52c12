"""What a lesson needs, with numba or without: `make test-plain` runs it where numba is missing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import rosenblatt as rb
from commands import run
from rosenblatt.data.readers.parsing import plain, svmlight_kernel, vw_kernel
from rosenblatt.data.readers.parsing.svmlight_kernel import ParsedRows
from rosenblatt.engine.machine.jit import has_numba

SETS = {
    "iris": (load_iris, "inseparable"),
    "wine": (load_wine, "separable"),
    "breast cancer": (load_breast_cancer, "separable"),
    "digits": (load_digits, "separable"),
}


@pytest.mark.parametrize("name", SETS)
def test_small_sets_are_learned_from_and_decided(name):
    load, verdict = SETS[name]
    X, y = load(return_X_y=True)
    clf = rb.Perceptron().fit(X, y)
    assert str(clf.verdict_) == verdict
    assert clf.certificate_.verify(X, y)
    assert clf.score(X, y) > 0.96
    decision = rb.decide(X, y)
    assert str(decision.verdict) == verdict
    assert decision.certificate.verify(X, y)


def test_margins_and_traces():
    X, y = load_iris(return_X_y=True)
    bracket = rb.margin(X, y == 0)
    assert 0.749 < bracket.lower <= bracket.upper < 0.75
    assert rb.trace(X[:100], y[:100]).steps


def test_verbs(folder):
    run("fit", "iris", "-o", "model")
    assert run("predict", "model", "iris").stdout.split()[:3] == ["0", "0", "0"]
    run("score", "model", "iris")
    run("decide", "wine", "--certificate", "proof.json")
    run("verify", "proof.json", "wine")
    run("separation", "iris", code=1)
    run("errors", "iris")
    run("export", "model", "-o", "model.json")
    run("warm-up", "--json")
    (folder / "t.svm").write_text("1 1:2\n-1 1:1\n")
    run("fit", "t.svm")
    run("trace", "t.svm")


def test_that_numba_is_missing_is_said_once():
    code = (
        "import numpy as np, rosenblatt as rb\n"
        "for seed in range(3):\n"
        "    rb.Perceptron(random_state=seed).fit(np.eye(4), [0, 1, 0, 1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    missing = importlib.util.find_spec("numba") is None
    assert done.stderr.count("numba is not installed") == missing
    assert has_numba() is not missing


LINES = {
    "svmlight": [
        b"1 1:0.5 3:1e-3 # note",
        b"-1 3:2 1:4.",
        b"",
        b"# all of it",
        b"+0.5 qid:3 2:.25",
        b"2",
        b"3 7:12345678901234567890123 8:1",
        b"1 00000000005:1\r",
    ],
    "vw": [
        b"1 | a:0.5 b",
        b"-1 2 'tag|space a b:1e-3",
        b"",
        b"| 3:0.5 1",
        b"1 2 0 tag|n:2 a:3 |m b",
        b"1 |n a a b",
        b"0 |n a:12345678901234567890123",
    ],
}
KERNELS = {
    "svmlight": (svmlight_kernel, plain.parse_svmlight, plain.room_of_svmlight, (1, 1, 99)),
    "vw": (vw_kernel, plain.parse_vw, plain.room_of_vw, (4,)),
}
WRONG = {
    "svmlight": [b"a 1:2", b"1 1:b", b"1 2", b"1 0:1", b"1 100:1", b"1 1:1 1:2", b"1 1:1e999"],
    "vw": [b"a | b", b"1 b", b"1 | :2", b"1 | a:b", b"1 -1 | a", b"1 | a:1e999"],
}


def rooms(lines):
    text = np.frombuffer(b"\n".join([*lines, b""]) + bytes(16), np.uint8)
    whole = [np.zeros(99, np.float64), np.zeros(99, np.int64)]
    entries = [np.zeros(99, np.int32), np.zeros(99, np.float64)]
    rest = [np.zeros((9, 3), np.int64), np.zeros(99), np.zeros(8, np.int64)]
    return text, len(text) - 16, ParsedRows(*whole, *entries, *rest)


@pytest.mark.parametrize("name", KERNELS)
def test_the_plain_parsers_read_what_the_kernels_read(name):
    kernel, parse, room, options = KERNELS[name]
    for lines in (
        LINES[name],
        LINES[name][::-1],
        [],
        *([*LINES[name], bad] for bad in WRONG[name]),
    ):
        found = []
        for how in (kernel.parse, parse):
            text, end, rows = rooms(lines)
            with np.errstate(over="ignore"):
                how(text, 0, end, *options, rows)
            n, k, hard = rows.info[:3]
            parts = (rows.y[:n], rows.ends[:n], rows.indices[:k], rows.data[:k])
            found.append([*parts, rows.hard[:hard], rows.info[[0, 1, 2, 5, 7]]])
            if rows.info[5]:
                found[-1].append(rows.info[6])
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)
        bound, count = room(text, 0, end)
        assert count == len(lines)
        assert bound >= len(found[0][3])

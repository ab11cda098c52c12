"""Machine code as it is made: cached, timed, announced."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from commands import COMMAND, run

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

"""Machine code as it is made: cached, timed, announced."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core import typed_passes

from commands import COMMAND, run
from rosenblatt.engine.machine import kept
from rosenblatt.engine.machine.compiled import Kernel

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
    with pytest.warns(RuntimeWarning, match="no folder for numba's cache") as caught:
        assert compilation.kernel()(_tripled)(2) == 6
    assert [warning.filename for warning in caught] == [__file__]


def _tripled(x):
    return 3 * x


def _least(values, out):
    out[0] = np.argmin(values) + _shared(values)
    return out[0]


def _shared(values):
    return _deep(values) + _deep(values)


def _deep(values):
    return values[0] + values[values.size - 1]


def test_numba_itself_still_loads_what_kernels_were_made_of(monkeypatch):
    values, out = np.array([3.0, -1.0, 2.0]), np.zeros(1)
    kernel = Kernel(_least)
    monkeypatch.setattr(kept, "find", lambda *_: None)
    assert kernel(values, out) == 11.0
    assert kernel.made == 1
    # np.argmin of such arrays was compiled for the kernel, and not loaded.
    assert numba.njit(lambda values: np.argmin(values) + 1)(values) == 2
    assert numba.njit(lambda values: _deep(values))(values) == 5.0


def test_types_of_what_is_inlined_are_not_inferred_at_every_level(monkeypatch):
    inferred = []
    stage = typed_passes.type_inference_stage

    def counted(typing, target, code, *rest, **named):
        inferred.append(code.func_id.func_name)
        return stage(typing, target, code, *rest, **named)

    monkeypatch.setattr(typed_passes, "type_inference_stage", counted)
    monkeypatch.setattr(kept, "find", lambda *_: None)
    Kernel(_least)(np.ones(3, np.float32), np.zeros(1))
    # Once for the signature, and once where each call is inlined.
    assert 1 <= inferred.count("_shared") <= 2
    assert 1 <= inferred.count("_deep") <= 3

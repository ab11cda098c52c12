"""Machine code that is kept on disk and called without numba."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError
from scipy import sparse

from rosenblatt.engine.machine import kept
from rosenblatt.engine.machine.compiled import Kernel
from rosenblatt.engine.machine.native import (
    Native,
    is_simple,
    kind,
    layouts_are_known,
    whole_numbers,
)
from rosenblatt.engine.points import make_points, squared_norms


class Pair(NamedTuple):
    values: np.ndarray
    times: int


class Sums(NamedTuple):
    total: float
    count: int


def summed(pair, table, factor, upper, offset, single, out):
    total = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            total += table[i, j] * pair.values[j]
    out[0] = total * pair.times
    if upper:
        total = total * factor + offset + single
    return Sums(total, table.size + pair.times)


SUMMED = Kernel(summed)
LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "strided": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "int32": lambda a: a.astype(np.int32),
    "float32": lambda a: a.astype(np.float32),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@given(
    rows=st.integers(0, 3),
    columns=st.integers(0, 3),
    times=st.integers(-5, 2**40),
    upper=st.booleans(),
    seed=st.integers(0, 9),
)
def test_it_reads_arrays_tuples_and_numbers_where_python_has_them(
    layout, rows, columns, times, upper, seed
):
    rng = np.random.default_rng(seed)
    table = LAYOUTS[layout](rng.integers(-9, 9, size=(rows, columns)).astype(float))
    given = (
        Pair(rng.integers(-9, 9, size=columns).astype(float), times),
        table,
        0.5,
        upper,
        np.int64(seed),
        np.float32(0.25),
    )
    plain, fast = np.zeros(1), np.zeros(1)
    expected = summed(*given, plain)
    got = SUMMED(*given, fast)
    assert type(got) is Sums
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(fast, plain)


def test_what_it_reads_lies_as_the_headers_say():
    assert layouts_are_known()


def test_kinds_tell_apart_what_is_compiled_apart():
    table = np.zeros((2, 3))
    read_only = table.view()
    read_only.flags.writeable = False
    others = [table.T, table[:, ::2], read_only, table.astype(np.float32), table[0], 0.0, (table,)]
    assert len({kind(table), *map(kind, others)}) == len(others) + 1
    assert kind(table) == kind(table[:1])
    assert not is_simple(kind("text"))
    assert list(whole_numbers(kind((1, Pair(table, 2), (3.0, (True, 4))))[1:])) == [
        (0,),
        (1, 1),
        (2, 1, 1),
    ]


def written(points):
    points.rows.values[0, 0] = 1.0


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_rows_that_may_not_be_written_are_read_by_the_code_of_those_that_may(form):
    X, kernel, out = form(np.arange(6.0).reshape(2, 3)), Kernel(squared_norms), np.zeros(2)
    points = make_points(X, np.array([1.0, -1.0]))
    kernel(points, out)
    code = kernel.code((points, out))
    arrays = [part for part in points.rows if isinstance(part, np.ndarray)]
    for array in arrays:
        array.flags.writeable = False
    assert kernel.code((points, out)) is code
    out[:] = 0
    assert code.tried((points, out)) is None
    np.testing.assert_array_equal(out, [6, 51])
    out.flags.writeable = False
    assert code.tried((points, out)) is NotImplemented


def test_no_machine_code_writes_into_rows():
    points = make_points(np.ones((2, 2)), np.ones(2))
    with pytest.raises(TypingError, match="readonly array"):
        Kernel(written)(points)
    assert gc.isenabled()  # however a compilation ends


class Other(NamedTuple):
    values: np.ndarray
    times: int


def test_machine_code_notices_arguments_of_another_kind():
    out, rest = np.zeros(1), (0.5, False, np.int64(0), np.float32(0))
    table, pair = np.ones((2, 2)), Pair(np.ones(2), 1)
    code = SUMMED.code((pair, table, *rest, out))
    assert code.tried((pair, table, *rest, out)).total == 4
    assert code.tried((pair, np.ones((3, 2)), *rest, out)).total == 6
    for others in (np.asfortranarray(np.ones((3, 2))), np.ones((2, 4))[:, ::2], np.ones(4)):
        assert code.tried((pair, others, *rest, out)) is NotImplemented
    read_only = table.view()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(bytes(33), np.uint8)[1:].view(np.float64).reshape(2, 2)
    others = (read_only, unaligned, table.astype(np.float32), table.view(np.int64), [1.0], 1.0)
    for other in others:
        assert code.tried((pair, other, *rest, out)) is NotImplemented
    for other in (Other(np.ones(2), 1), Pair(np.ones(2), 1.0), Pair(1, 1), (np.ones(2), 1), 7):
        assert code.tried((other, table, *rest, out)) is NotImplemented
    for less in ((pair, table, *rest), (pair, table, *rest, out, out), ()):
        assert code.tried(less) is NotImplemented
    for at, other in ((0, 1), (1, 0), (2, np.int32(0)), (3, np.float64(0))):
        changed = [*rest[:at], other, *rest[at + 1 :]]
        assert code.tried((pair, table, *changed, out)) is NotImplemented


def test_calls_in_a_row_may_be_of_any_kind():
    out, rest = np.zeros(1), (0.5, False, np.int64(0), np.float32(0))
    for table in (np.ones((2, 2)), np.ones((1, 2)), np.asfortranarray(np.ones((3, 2)))):
        assert SUMMED(Pair(np.ones(2), 1), table, *rest, out).total == table.size


def test_calls_at_the_same_time_do_not_mix_their_numbers():
    table, rest = np.ones((300, 100)), (0.5, False, np.int64(0), np.float32(0))
    code, wrong = SUMMED.code((Pair(np.ones(100), 1), table, *rest, np.zeros(1))), []

    def call(times):
        out = np.zeros(1)
        for _ in range(300):
            found = code.tried((Pair(np.ones(100), times), table, *rest, out))
            if (found.count, out[0]) != (table.size + times, table.size * times):
                wrong.append((times, found, out[0]))

    threads = [threading.Thread(target=call, args=(times,)) for times in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def always(values):
    return True


def test_an_answer_that_never_changes_is_kept_like_any_other():
    code = Kernel(always).code((np.zeros(1),))
    assert isinstance(code, Native)
    assert code(np.zeros(1)) is True


def divided(values, by):
    return values[0] // by


def test_an_error_in_machine_code_is_an_error():
    with pytest.raises(RuntimeError, match="machine code ended with an error"):
        Kernel(divided)(np.array([1]), 0)


SCRIPT = """
import sys, numpy as np
from rosenblatt.engine.machine.compiled import dispatcher
from rosenblatt.engine.points import make_points, squared_norms
kernel, out = dispatcher(squared_norms), np.empty(2)
kernel(make_points(np.array([[3.0], [1.0]]), np.array([1.0, -1.0])), out)
print(out.tolist(), kernel.made, "numba" in sys.modules)
"""


def said(folder):
    """What a process says that keeps its code in that folder."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_code_that_is_not_whole_or_of_other_sources_is_made_anew(tmp_path, monkeypatch):
    compiled, found = "[10.0, 2.0] 1 True", "[10.0, 2.0] 0 False"
    assert (said(tmp_path), said(tmp_path)) == (compiled, found)
    (file,) = tmp_path.rglob("*squared_norms*.code")
    whole = file.read_bytes()
    # The files of the package were touched: code of the same sources is found, then stamped.
    header, fingerprint = kept.stamp(), b'"fingerprint": "'
    assert header.encode() in whole
    stale = whole[32:].replace(header.encode(), b"0" * len(header))
    file.write_bytes(kept.sealed(stale))
    assert said(tmp_path) == "[10.0, 2.0] 0 True"
    assert said(tmp_path) == found

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def made():
        kernel, out = Kernel(squared_norms), np.empty(2)
        kernel(make_points(np.array([[3.0], [1.0]]), np.array([1.0, -1.0])), out)
        np.testing.assert_array_equal(out, [10, 2])
        return kernel.made

    assert made() == 0
    for content in (
        *(whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), b""),
        # Code of another function lies in its place.
        kept.sealed(whole[32:].replace(b"squared_norms", b"squared_roots")),
        # The files were edited.
        kept.sealed(stale.replace(fingerprint, fingerprint + b"x")),
    ):
        file.write_bytes(content)
        assert (made(), made()) == (1, 0)
    assert list(tmp_path.rglob("*.code")) == [file], "no draft is left behind"


def test_code_is_kept_where_told_beside_the_package_or_at_home(monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    beside = kept.ROOT / "__pycache__"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(kept.os, "access", lambda *_: False)
    assert list(kept.folders()) == [tmp_path / ".cache" / "rosenblatt", beside]
    monkeypatch.setattr(kept.os.path, "expanduser", lambda path: path)  # nobody's home
    assert list(kept.folders()) == [beside]
    monkeypatch.setattr(kept.os, "access", lambda *_: True)
    assert next(kept.folders()) == beside
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert list(kept.folders()) == [tmp_path / "rosenblatt"]


def test_threads_that_ask_at_once_get_the_same_code(monkeypatch):
    kernel, out, searches = Kernel(divided), [], []
    search = kernel._found
    monkeypatch.setattr(kernel, "_found", lambda *how: searches.append(how) or search(*how))
    threads = [
        threading.Thread(target=lambda: out.append(kernel(np.array([7]), 2))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out == [3] * 4
    assert kernel.made <= 1
    assert len(searches) == 1, "the others wait for the first"

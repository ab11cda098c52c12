"""Machine code: compiled where it is called, cached where no other user writes, announced."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import TypingError
from scipy import sparse

import rosenblatt
from commands import COMMAND, run
from rosenblatt.engine.machine import cache
from rosenblatt.engine.machine.called import Called, is_importable
from rosenblatt.engine.machine.jit import Kernel
from rosenblatt.engine.points import make_points, squared_norms
from rosenblatt.engine.rules import PerceptronRule

SOURCES = Path(rosenblatt.__file__).parent


class Pair(NamedTuple):
    values: np.ndarray
    times: int


class Sums(NamedTuple):
    total: float
    count: int


def summed(pair, table, factor, upper, out):
    total = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            total += table[i, j] * pair.values[j]
    out[0] = total * pair.times
    return Sums(total * factor if upper else total, table.size + pair.times)


SUMMED = Kernel(summed)
LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "strided": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "int32": lambda a: a.astype(np.int32),
    "float32": lambda a: a.astype(np.float32),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_calls_in_a_row_may_be_of_any_kind(layout):
    rng = np.random.default_rng(0)
    for rows, columns in ((2, 3), (0, 3), (3, 0)):
        table = LAYOUTS[layout](rng.integers(-9, 9, size=(rows, columns)).astype(float))
        given = (Pair(np.arange(float(columns)), -2), table, 0.5, True)
        plain, fast = np.zeros(1), np.zeros(1)
        expected, got = summed(*given, plain), SUMMED(*given, fast)
        assert type(got) is Sums
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(fast, plain)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_rows_that_may_not_be_written_are_read_by_the_code_of_those_that_may(form):
    X, kernel = form(np.arange(6.0).reshape(2, 3)), Kernel(squared_norms)
    y, out = np.array([1.0, -1.0]), np.zeros(2)
    kernel(make_points(X, y), out)
    made = kernel.made
    for array in (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,):
        array.flags.writeable = False
    out[:] = 0
    kernel(make_points(X, y), out)
    np.testing.assert_array_equal(out, [6, 51])
    assert kernel.made == made


def written(points):
    points.rows.values[0, 0] = 1.0


def test_no_machine_code_writes_into_rows():
    points = make_points(np.ones((2, 2)), np.ones(2))
    with pytest.raises(TypingError, match="readonly array"):
        Kernel(written)(points)


def divided(values, by):
    return values[0] // by


def test_an_error_in_machine_code_is_an_error():
    with pytest.raises(ZeroDivisionError):
        Kernel(divided)(np.array([1]), 0)


def test_threads_that_ask_at_once_get_the_same_code():
    kernel, out = Kernel(divided), []
    threads = [
        threading.Thread(target=lambda: out.append(kernel(np.array([7]), 2))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out == [3] * 4
    assert kernel.made <= 1


# --- compiling is announced and counted ---

COMPILED = """
import logging, numba
logging.basicConfig(level=logging.INFO, format="%(message)s")
from rosenblatt.engine.machine.jit import Kernel, compile_seconds, compiling
assert numba.njit(lambda x: x + 1)(1) == 2 and compile_seconds() == 0
def inner(x):
    return x * 2
def outer(x):
    return inner(x) + 1
kernel = Kernel(outer)
assert kernel(3) == 7 and not compiling()
once = compile_seconds()
assert once > 0
kernel(4)
assert compile_seconds() == once
assert kernel(0.5) == 2.0 and not compiling()
assert compile_seconds() > once
print("fine")
"""


def test_seconds_of_compiling_are_counted_and_told_once(folder):
    (folder / "script.py").write_text(COMPILED)
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr
    assert done.stderr.count("compiling (once") == 1


# --- where code is cached ---


def said(folder, *, rows=("f8",), before="", code=0):
    """What a process says that caches its code in that folder, for rows of those kinds."""
    script = (
        f"{before}import numpy as np\n"
        "from rosenblatt.engine.machine.jit import dispatcher\n"
        "from rosenblatt.engine.points import make_points, squared_norms\n"
        "kernel, out = dispatcher(squared_norms), np.empty(2)\n"
        f"for kind in {rows}:\n"
        "    X = np.array([[3.0], [1.0]], dtype=kind)\n"
        "    kernel(make_points(X, np.array([1.0, -1.0])), out)\n"
        "print(out.tolist(), kernel.made)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    return done.stdout.strip(), done.stderr


def test_a_later_process_finds_the_code_and_makes_it_anew_where_it_is_damaged(tmp_path):
    compiled, found = "[10.0, 2.0] 1", "[10.0, 2.0] 0"
    assert [said(tmp_path)[0], said(tmp_path)[0]] == [compiled, found]
    (index,) = tmp_path.rglob("*squared_norms*.nbi")
    (code,) = tmp_path.rglob("*squared_norms*.nbc")
    for file in (index, code):
        whole = file.read_bytes()
        for damaged in (b"", whole[:-20]):
            file.write_bytes(damaged)
            assert said(tmp_path)[0] == compiled
        file.write_bytes(whole)
    assert said(tmp_path)[0] == found


def test_of_code_that_was_damaged_every_later_process_finds_the_new(tmp_path):
    """Also where it is of a second kind of rows: both are in one index."""
    assert said(tmp_path, rows=("f8", "f4"))[0] == "[10.0, 2.0] 2"
    for file in tmp_path.rglob("*.2.nbc"):
        file.write_bytes(file.read_bytes()[:-20])
    assert said(tmp_path, rows=("f8", "f4"))[0] == "[10.0, 2.0] 1"
    assert said(tmp_path, rows=("f4",))[0] == "[10.0, 2.0] 0"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such limit")
def test_where_the_disk_is_full_it_runs_and_says_so_once(tmp_path):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (99, 99))\n"
    out, told = said(tmp_path, rows=("f8", "f4"), before=limit)
    assert out == "[10.0, 2.0] 2"
    assert told.count("machine code cannot be cached in") == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows keeps users apart by profiles")
def test_folders_are_made_for_one_user_whatever_the_umask_is(tmp_path):
    tmp_path.chmod(0o755)
    home = tmp_path / "home"
    open_mask = "import os\nos.umask(0)\n"
    assert "other users" not in said(home, before=open_mask)[1]
    assert said(home, before=open_mask)[0] == "[10.0, 2.0] 0"
    assert {place.stat().st_mode & 0o777 for place in (home, *home.glob("*/*"))} == {0o700}


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows keeps users apart by profiles")
def test_code_is_neither_loaded_from_where_others_may_write_nor_cached_there(tmp_path):
    tmp_path.chmod(0o755)
    assert said(tmp_path)[0] == "[10.0, 2.0] 1"
    for open_folder in (tmp_path, tmp_path / "rosenblatt"):
        before = open_folder.stat().st_mode
        open_folder.chmod(0o777)
        out, told = said(tmp_path)
        assert out == "[10.0, 2.0] 1", "compiled, though code for it lies there"
        assert told.count("other users may write to") == 1
        assert "only you can write to" in told
        open_folder.chmod(before)
    assert said(tmp_path)[0] == "[10.0, 2.0] 0"


def test_a_folder_of_another_user_and_those_above_it_count(tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o700)
    tmp_path.chmod(0o1777)  # as /tmp is: nobody replaces a folder of mine
    assert cache.open_to_others(mine) is None
    tmp_path.chmod(0o777)
    assert cache.open_to_others(mine) == tmp_path.resolve()
    tmp_path.chmod(0o700)
    monkeypatch.setattr(cache.os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    theirs = cache.open_to_others(mine)
    assert theirs == (None if tmp_path.stat().st_uid == 0 else mine.resolve())


def test_a_link_is_followed_once(tmp_path, monkeypatch):
    """What others make of the link afterwards changes nothing."""
    mine, link = tmp_path / "mine", tmp_path / "link"
    mine.mkdir(mode=0o700)
    link.symlink_to(mine)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(link))
    cache._root.cache_clear()
    try:
        assert cache.folder_for("digest").is_relative_to(mine.resolve())
    finally:
        cache._root.cache_clear()


def test_code_is_cached_where_told_or_at_home(monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(cache.sys, "platform", "linux")
    assert cache.told_or_usual() == tmp_path / ".cache" / "rosenblatt"
    monkeypatch.setattr(cache.os.path, "expanduser", lambda path: path)  # nobody's home
    assert cache.told_or_usual() is None
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert cache.told_or_usual() == tmp_path / "rosenblatt"


def test_without_a_writable_cache_it_runs_and_says_so(folder):
    (folder / "t.svm").write_text("1 1:2\n-1 1:1\n")
    run("fit", "t.svm", "-o", "m")
    done = subprocess.run(
        [*COMMAND, "fit", "t.svm"],
        env={**os.environ, "NUMBA_CACHE_DIR": "/dev/null/nowhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.count("no folder for numba's cache can be written") == 1
    assert "compiling (once; `rosenblatt warm-up` does it beforehand)" in done.stderr


# --- what code is made from ---


def called(text, name="elsewhere", **more):
    module = types.ModuleType(name)
    vars(module).update(more)
    exec(text, vars(module))
    return Called(module.kernel, (), {})


def digest(text, **more):
    return called(text, **more).digest


CALLED = """
LIMIT, NAMES = 3, ("a", "b")
def kernel(x):
    return helper(x) if x > LIMIT else len(NAMES)
def helper(x, by=1.0):
    def within(y):
        return y + by
    return within(x)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("3", "4"), ('"b"', '"c"'), ("by=1.0", "by=2.0"), ("y + by", "y - by"), ("x >", "x >=")],
)
def test_a_digest_knows_constants_defaults_and_inner_functions(old, new):
    assert digest(CALLED) == digest(CALLED + "\nunused = 1")
    assert digest(CALLED) != digest(CALLED.replace(old, new))


def test_a_digest_knows_arrays_and_modules():
    text = "def kernel(x):\n    return TABLE[x] + far.value"
    far, changed = types.ModuleType("far"), types.ModuleType("far")
    far.value, changed.value = 1, 2
    first = digest(text, TABLE=np.array([1.0, 2.0]), far=far)
    assert first != digest(text, TABLE=np.array([1.0, 3.0]), far=far)
    assert first != digest(text, TABLE=np.array([1.0, 2.0]), far=changed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from math import sin as f", "from math import cos as f"),
        ("from numpy import sin as f", "from numpy import cos as f"),
        ("from math import sin as f", "from numpy import sin as f"),
        ("from numpy import int32 as f", "from numpy import int64 as f"),
        ("from numba import float32 as f", "from numba import float64 as f"),
        ("import numpy as np\nf = np.dtype('f4')", "import numpy as np\nf = np.dtype('f8')"),
        (
            "import enum\nclass f(enum.Enum):\n    A = 1",
            "import enum\nclass f(enum.Enum):\n    A = 2",
        ),
        (
            "def g(k):\n    return lambda x: k\nf = g(1)",
            "def g(k):\n    return lambda x: k\nf = g(2)",
        ),
        ("f = lambda x: x", "f = lambda x: -x"),
    ],
)
def test_a_digest_knows_what_has_the_same_name(old, new):
    kernel = "\ndef kernel(x):\n    return f(x)"
    for module in ("elsewhere", "trace"):  # the standard library has a module trace, too
        first, second = (called(text + kernel, module) for text in (old, new))
        assert first.can_cache
        assert second.can_cache
        assert first.digest != second.digest
        assert first.digest == digest(old + kernel, name=module)


@pytest.mark.parametrize(
    "text",
    [
        "@numba.njit\ndef f(x):\n    return x",
        "@numba.vectorize\ndef f(x):\n    return x",
        "@numba.extending.intrinsic\ndef f(typing, x):\n    return None",
        "f = object()",
        "class f:\n    A = 1",
    ],
)
def test_what_a_digest_does_not_know_is_not_cached(text):
    assert not called(f"import numba.extending\n{text}\ndef kernel(x):\n    return f(x)").can_cache


def test_a_variable_that_has_the_name_of_an_attribute_does_not_count():
    text = "def kernel(rule):\n    return rule.factor"
    assert digest(text, factor=1) == digest(text, factor=2)
    assert digest(text.replace("rule.", ""), factor=1) != digest(text, factor=2)


def test_a_digest_knows_faster_bodies():
    space = types.ModuleType("elsewhere")
    exec("def kernel(x):\n    return helper(x)\ndef helper(x):\n    return x", vars(space))
    bodies = [{space.helper: eval(f"lambda x: lambda x: x + {by}")} for by in (1, 2)]
    first, second = (Called(space.kernel, (), faster) for faster in bodies)
    assert first.digest != second.digest
    assert first.helpers == [space.kernel]


def test_a_function_that_calls_itself_is_not_inlined():
    space = types.ModuleType("elsewhere")
    exec("def a(n):\n    return b(n)\ndef b(n):\n    return b(n - 1) if n else 0", vars(space))
    called = Called(space.a, (), {})
    assert called.helpers == [space.a, space.b]
    assert called.recursive == {space.b}


def test_code_for_a_class_that_no_other_process_finds_is_not_cached():
    class Local(NamedTuple):
        values: np.ndarray

    assert not Called(summed, (Local,), {}).can_cache
    assert not is_importable(Local)
    assert is_importable(PerceptronRule)


DEFAULT = """
import rosenblatt as rb
from sklearn.datasets import load_breast_cancer
from rosenblatt.engine.machine.jit import compile_seconds
X, y = load_breast_cancer(return_X_y=True)
rb.Perceptron(certify=True).fit(X, y).predict(X)
print(compile_seconds() > 0)
"""


def test_a_default_fit_compiles_nothing_that_an_earlier_process_has_compiled(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for compiled in ("True", "False"):
        done = subprocess.run(
            [sys.executable, "-c", DEFAULT], env=environment, capture_output=True, text=True
        )
        assert done.stdout.strip() == compiled, done.stderr


# --- only what numba promises ---

PRIVATE = re.compile(
    r"numba\.(core|np|misc|cpython|typed)\b|llvmlite\.binding|\bctypes\b|__basicsize__|"
    r"_internal_codegen|_can_compile|typer\._|_runtime_param"
)


def test_nothing_private_of_numba_llvmlite_or_typer_is_used():
    found = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for path in sorted(SOURCES.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if PRIVATE.search(line)
    ]
    assert not found, "\n".join(found)


def test_numba_is_imported_by_the_machine_alone():
    importing = re.compile(r"^\s*(from|import) (numba|llvmlite)\b", re.MULTILINE)
    found = {
        path.relative_to(SOURCES).parent.as_posix()
        for path in SOURCES.rglob("*.py")
        if importing.search(path.read_text("utf-8"))
    }
    assert found == {"engine/machine"}
    compiling = re.compile(r"\b(njit|jit)\(")
    places = {p.name for p in SOURCES.rglob("*.py") if compiling.search(p.read_text("utf-8"))}
    assert places == {"jit.py"}

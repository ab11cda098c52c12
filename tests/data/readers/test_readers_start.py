"""Reading text without machine code."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

READ = """
import sys
from rosenblatt.readers import open_reader
chunk = open_reader(sys.argv[1]).read()
print(*chunk.X.shape)
"""
TEXTS = {
    "rows.svm": "1 1:0.5 2:1e-3\n0 1:-0.25\n1 2:3\n0 1:-2 2:-1\n",
    "rows.vw": "1 | a:0.5 b:1e-3\n-1 | a:-0.25\n1 | b:3\n-1 | a:-2 b:-1\n",
    "rows.csv": '"a","b","k"\n0.5,1e-3,"yes"\n-0.25,0,"no"\n0,3,"yes"\n-2,-1,"no"\n',
}


def last_word(script, path):
    """What a process says last; one before it may have had to compile."""
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script, str(path)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(params=TEXTS)
def path(request, tmp_path):
    path = tmp_path / request.param
    path.write_text(TEXTS[request.param])
    return path


def test_it_reads_the_same_without_machine_code(path):
    """As our own message advises, NUMBA_DISABLE_JIT=1 runs the parsers as plain Python."""
    show = READ.replace(
        "*chunk.X.shape", "chunk.X @ range(chunk.X.shape[1]), chunk.y, chunk.X.sum()"
    )
    uncompiled = subprocess.run(
        [sys.executable, "-W", "error", "-c", show, str(path)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert uncompiled.returncode == 0, uncompiled.stderr
    assert uncompiled.stdout.split() == last_word(show, path)

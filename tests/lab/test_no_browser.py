"""Where no browser is found, all else is tested, and the last line says what was not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MISSING = "The lab's page was not tested: that needs Chromium or Chrome"
MADE = re.compile("MAKE.*|MFLAGS|GNUMAKEFLAGS")  # what a make tells those that it starts
FIND = [sys.executable, str(HERE / "browser" / "find_chromium.py")]


@pytest.mark.parametrize("ci", ["", "true"])
def test_browser_tests_are_left_out_but_where_ci_is_set(tmp_path, ci):
    env = {**os.environ, "CHROMIUM": str(tmp_path / "none"), "CI": ci}
    how = {"env": env, "cwd": ROOT, "capture_output": True, "text": True}
    some = str(HERE / "browser" / "test_page.py")
    options = ("-q", "-rs", "-p", "no:cacheprovider", "-n", "0", "-o", "addopts=")
    tested = subprocess.run([sys.executable, "-m", "pytest", *options, some], **how)
    assert tested.returncode == (1 if ci else 0), tested.stdout
    assert MISSING in tested.stdout
    assert (" skipped" in tested.stdout, " error" in tested.stdout) == (not ci, bool(ci))
    told = subprocess.run([*FIND, "--tell"], **how)
    assert (told.stderr[: len(MISSING)], told.returncode) == (MISSING, 1 if ci else 0)
    assert "apt-get install chromium" in told.stderr
    nowhere = {**how, "env": {**env, "PATH": str(tmp_path)}}  # nor may one be installed
    looked = subprocess.run(FIND, **nowhere)
    assert (looked.returncode, looked.stderr != "") == ((1, True) if ci else (0, False))


@pytest.mark.parametrize("flags", ["", "w", "w -j2 --jobserver-auth=3,4", "-s --trace"])
def test_it_is_the_last_line_of_make_test(monkeypatch, flags):
    monkeypatch.setenv("MAKELEVEL", "1")  # as `make test` begins its tests
    monkeypatch.setenv("MAKEFLAGS", flags)
    # This make is no part of that one, and must not say which directory it leaves.
    env = {name: value for name, value in os.environ.items() if not MADE.fullmatch(name)}
    planned = subprocess.run(
        ["make", "-n", "test"], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert planned.stdout.splitlines()[-1].endswith("find_chromium.py --tell")

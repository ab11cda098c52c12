"""Tests wait for what happens, not for the clock, and leave no process behind."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import psutil
import pytest

import children
from children import Child, until

HERE = Path(__file__).parent
FAMILY = """
import subprocess, sys, time
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("child", other.pid, flush=True)
time.sleep(600)
"""


WAITING = """
import time
try:
    print("ready", flush=True)
    time.sleep(600)
finally:
    print("end")
"""


def test_a_child_is_ended_with_all_that_it_started():
    child = Child([sys.executable, "-c", FAMILY])
    other = psutil.Process(int(child.until(r"child (\d+)\n")[1]))
    child.end()
    assert child.process.returncode == -signal.SIGKILL
    until(lambda: not other.is_running() or other.status() == "zombie", "its child is gone")


def test_waiting_in_vain_fails_and_says_what_for(start, monkeypatch):
    child = start([sys.executable, "-c", "print('something else')"])
    with pytest.raises(pytest.fail.Exception, match="ended without saying 'ready':\nsomething"):
        child.until("ready")
    monkeypatch.setattr(children, "PATIENCE", 0.05)
    child = start([sys.executable, "-c", FAMILY])
    with pytest.raises(pytest.fail.Exception, match="not said in 0 s: 'never'"):
        child.until("never")
    with pytest.raises(pytest.fail.Exception, match="not ended after 0 s"):
        child.code()
    with pytest.raises(pytest.fail.Exception, match="in vain: what never comes"):
        until(lambda: False, "what never comes")


@pytest.mark.parametrize("terminal", [True, False])
def test_a_child_hears_ctrl_c_and_tells_all_that_it_said(start, terminal):
    child = start([sys.executable, "-c", WAITING], terminal=terminal)
    child.until("ready\r?\n")
    child.press()
    assert child.code() == -signal.SIGINT
    assert child.out.startswith("ready\nend\n")
    assert "KeyboardInterrupt" in child.out + child.err


def test_tests_hear_ctrl_c_where_the_shell_has_it_ignored():
    """As in the background: ``nohup make test &``."""
    tests = HERE / "engine" / "test_uninterrupted.py"
    command = f"trap '' INT; exec {sys.executable} -m pytest -q -p no:cacheprovider -n 0 {tests}"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=300, cwd=HERE.parent
    )
    assert done.returncode == 0, done.stdout


@cache
def calls():
    """Each call in the tests: its file and line, the name that is called, its arguments."""
    found = []
    for path in sorted({*HERE.rglob("*.py")} - {HERE / "children.py"}):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                found.append((f"{path.relative_to(HERE)}:{node.lineno}", name, node.args))
    return found


def test_no_test_sleeps_until_something_has_happened():
    """`until` and `Child.until` wait for it; moments below a hundredth only let others work."""
    asleep = [
        where
        for where, name, given in calls()
        if name == "sleep" and isinstance(given[0], ast.Constant) and given[0].value >= 0.01
    ]
    assert asleep == []


def test_every_process_that_is_not_waited_for_is_a_child():
    started = [where for where, name, _ in calls() if name in ("Popen", "spawn")]
    assert started == []

"""Shared set-up: reproducible hypothesis runs."""

from __future__ import annotations

import math
import os
import signal

import hypothesis
import pytest

from children import Child
from rosenblatt.engine.machine.interrupts import Listening

hypothesis.settings.register_profile(
    "default",
    deadline=None,  # the first example of a test may have to compile
    max_examples=int(os.environ.get("ROSENBLATT_EXAMPLES", "100")),
    derandomize=True,
)
hypothesis.settings.load_profile("default")


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_is_heard():
    """In the background, as by ``nohup make test &``, tests and their children begin deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def ctrl_c_for_the_first_time():
    """A Ctrl-C in one test is not the second of another, which would end all tests."""
    Listening.kept = -math.inf


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Ticking:
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.fixture
def ticking(monkeypatch):
    """The clock by which time limits are kept goes by looks at it, not by the machine's load."""
    clock = Ticking()
    monkeypatch.setattr("time.perf_counter", clock)
    return clock


@pytest.fixture
def start():
    """Start a `Child`; it is ended with all that it started, also where the test fails."""
    children = []

    def started(command, **how):
        children.append(Child(command, **how))
        return children[-1]

    yield started
    for child in children:
        child.end()

"""Shared set-up: reproducible hypothesis runs."""

from __future__ import annotations

import math
import os

import hypothesis
import pytest

from rosenblatt.engine.machine.interrupts import Listening

hypothesis.settings.register_profile(
    "default",
    deadline=None,  # the first example of a test may have to compile
    max_examples=int(os.environ.get("ROSENBLATT_EXAMPLES", "100")),
    derandomize=True,
)
hypothesis.settings.load_profile("default")


@pytest.fixture(autouse=True)
def ctrl_c_for_the_first_time():
    """A Ctrl-C in one test is not the second of another, which would end all tests."""
    Listening.kept = -math.inf


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path

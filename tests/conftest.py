"""Shared set-up: reproducible hypothesis runs."""

from __future__ import annotations

import os

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "default",
    deadline=None,  # the first example of a test may have to compile
    max_examples=int(os.environ.get("ROSENBLATT_EXAMPLES", "100")),
    derandomize=True,
)
hypothesis.settings.load_profile("default")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path

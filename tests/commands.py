"""Commands of the shell, run in this process or in one of their own."""

from __future__ import annotations

import json
import sys

import pytest
from typer.testing import CliRunner

from rosenblatt.cli.app import app

COMMAND = [sys.executable, "-m", "rosenblatt"]


def run(*args, code=0):
    """What a command printed, once it has exited as it should."""
    result = CliRunner().invoke(app, list(map(str, args)), prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


def as_json(*args, code=0):
    result = run(*args, "--json", code=code)
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout, parse_constant=pytest.fail)

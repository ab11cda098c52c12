"""``rosenblatt lab``, as a user meets it: where it listens, what it says, how it stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from typer.testing import CliRunner

from rosenblatt.cli.app import app
from rosenblatt.cli.commands import lab as verb
from rosenblatt.engine.machine.compilation import NOTICE
from rosenblatt.lab.web import serving


def run(*arguments, code):
    result = CliRunner().invoke(app, ["lab", *arguments], prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


@pytest.fixture
def started():
    """Start a lab in a process of its own; its process and address."""
    processes = []

    def start(*arguments):
        command = [sys.executable, "-m", "rosenblatt", "lab", "--no-browser", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, text=True, **pipes)
        processes.append(process)
        line = process.stdout.readline()
        return process, re.search(r"http://\S+", line)[0]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another matter on Windows")
def test_it_prints_its_address_serves_and_stops_cleanly(started):
    process, address = started("--port", "0")
    assert address.startswith("http://127.0.0.1:")
    assert b"perceptron" in urllib.request.urlopen(address).read()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    said = said.replace(f"{NOTICE}\n", "")  # of a lab that is the first to need some machine code
    assert (process.returncode, said) == (0, "The lab has stopped.\n")


def test_a_busy_port_moves_on_to_the_next(started):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        _, address = started("--port", str(port))
        assert int(address.rstrip("/").rpartition(":")[2]) > port
        assert urllib.request.urlopen(address).status == 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--port", "70000"), "from 0 to 65535"),
        (("--port", "-1"), "from 0 to 65535"),
        (("--host", "no.such.host.invalid"), "no address"),
        (("--host", "192.0.2.1"), "192.0.2.1"),
    ],
)
def test_what_cannot_be_listened_on_is_a_sentence(arguments, words):
    assert words in run("--no-browser", *arguments, code=2).stderr


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setattr(verb, "find_spec", lambda name: None if name == "uvicorn" else object())
    said = run(code=2).stderr
    assert "the lab needs uvicorn: pip install 'rosenblatt[lab]'" in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "lab.example"])
def test_a_host_that_others_reach_is_warned_of(host, monkeypatch):
    monkeypatch.setattr(serving, "serve", lambda *_: None)
    assert f"bound to {host}" in run("--host", host, code=0).stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_loopback_is_not(host, monkeypatch):
    monkeypatch.setattr(serving, "serve", lambda *_: None)
    assert "warning" not in run("--host", host, code=0).stderr


def test_the_browser_is_opened_at_the_address_unless_asked_not_to(monkeypatch):
    opened = []
    monkeypatch.setattr(serving, "serve", lambda host, port, ready: ready("http://here/"))
    monkeypatch.setattr(serving, "open_browser", opened.append)
    assert "http://here/" in run(code=0).stdout
    assert opened == ["http://here/"]
    run("--no-browser", code=0)
    assert opened == ["http://here/"]

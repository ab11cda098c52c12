"""``rosenblatt lab``, as a user meets it: where it listens, what it says, how it stops."""

from __future__ import annotations

import os
import socket
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from commands import COMMAND
from rosenblatt.cli.app import app


def run(*arguments, code):
    result = CliRunner().invoke(app, ["lab", *arguments], prog_name="rosenblatt")
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result


@pytest.fixture
def started(start):
    """Start a lab in a process of its own; its process and address."""

    def lab(*arguments):
        child = start([*COMMAND, "lab", "--no-browser", *arguments])
        return child, child.until(r"http://\S+(?=\s)")[0]

    return lab


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another matter on Windows")
def test_it_prints_its_address_serves_and_stops_cleanly(started):
    process, address = started("--port", "0")
    assert address.startswith("http://127.0.0.1:")
    assert b"perceptron" in urllib.request.urlopen(address).read()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{address}../server.py")
    process.press()
    assert (process.code(), process.err) == (0, "The lab has stopped.\n")


def test_a_busy_port_moves_on_to_the_next(started):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        _, address = started("--port", str(port))
        assert int(address.rstrip("/").rpartition(":")[2]) > port
        assert urllib.request.urlopen(address).status == 200


@pytest.mark.skipif(os.name == "nt", reason="Windows refuses this address")
def test_bound_to_all_addresses_it_says_so(started):
    """An address that was asked for is printed, not another."""
    _, address = started("--port", "0", "--host", "0.0.0.0")
    assert address.startswith("http://0.0.0.0:")


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

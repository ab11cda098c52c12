"""The command line: parse, call, print. Nothing here learns."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys

# Not the signal module itself, which imports enum: Ctrl-C is handled as early as possible.
from _signal import (  # pyright: ignore[reportMissingImports]
    SIGINT,
    default_int_handler,
    getsignal,
)
from _signal import signal as set_handler  # pyright: ignore[reportMissingImports]

# Importing the libraries makes some 240,000 objects and hardly any garbage. Collecting after every
# 700 of them, Python's default, would take a sixth of a short command's time.
OBJECTS_BETWEEN_COLLECTIONS = 200_000


def main() -> None:
    """Run the command line."""
    if getsignal(SIGINT) is default_int_handler:
        set_handler(SIGINT, _leave)
    _open_closed()
    try:
        _run()
    except OSError as error:
        if error.filename is not None:
            raise
        # Python's own exit code would be 1, which is an answer of decide and verify.
        from rosenblatt.cli.shell import unwritten

        sys.exit(unwritten(error))


def _run() -> None:
    if sys.argv[1:] == ["--version"]:
        # Answered before any other import, because shell prompts may call it.
        from rosenblatt import __version__

        print(f"rosenblatt {__version__}", flush=True)
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape what a terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # no collection at exit: the memory is freed anyway
    from rosenblatt.cli.app import app

    app(prog_name="rosenblatt")


def _open_closed() -> None:
    """Replace closed standard streams: messages are dropped, writing a result is an error.

    Otherwise the next file to be opened would get their file descriptor.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            mode = "r" if name == "stdin" else "w"
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _leave(*_: object) -> None:
    """Exit on Ctrl-C during start-up, without the traceback of an import cut short."""
    os.write(2, b"Interrupted; nothing was written.\n")
    os._exit(130)

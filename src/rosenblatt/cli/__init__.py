"""The command line: parse, call, print. Nothing here learns."""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
from typing import Any

# Loading the libraries makes some 240,000 objects and hardly any garbage: looking through them
# after every 700, as Python does unasked, takes a sixth of a short command's time.
OBJECTS_BETWEEN_COLLECTIONS = 200_000


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        # Ahead of all imports but this package's name: a shell prompt may ask for it.
        from rosenblatt import __version__

        print(f"rosenblatt {__version__}")
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what an ASCII terminal cannot show is no error
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # at the end all memory goes back at once: nothing to look through
    from rosenblatt.cli.app import app
    from rosenblatt.cli.lean import put_off

    put_off()
    app(prog_name="rosenblatt")


def _leave(*_: Any) -> None:
    """Ctrl-C before there is a verb to interrupt: an import cut short would end in a traceback."""
    os.write(2, b"Interrupted; nothing was written.\n")
    os._exit(130)

"""The verb that serves the lab."""

from __future__ import annotations

from importlib.util import find_spec

from rosenblatt.cli.shell import put, say
from rosenblatt.errors import InputError

NEEDED = ("starlette", "uvicorn")


def lab(host: str, port: int, browser: bool) -> int:
    """Serve the lab until Ctrl-C; the exit code."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f"the lab needs {' and '.join(missing)}: pip install 'rosenblatt[lab]'")
    from rosenblatt.lab.guard import is_loopback
    from rosenblatt.lab.serving import open_browser, serve

    if not is_loopback(host):
        say(
            f"warning: bound to {host}, the lab can be used by everyone who reaches this machine",
            style="yellow",
        )

    def ready(url: str) -> None:
        put(f"The lab is at {url} (Ctrl-C stops it)\n")
        if browser:
            open_browser(url)

    serve(host, port, ready)
    say("The lab has stopped.")
    return 0

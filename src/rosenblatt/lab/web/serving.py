"""The lab as a running server: a free port, an address to open, a clean end."""

from __future__ import annotations

import errno
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

from rosenblatt.errors import InputError
from rosenblatt.lab.web.guard import ANY_ADDRESS

TRIES = 100  # ports after a busy one
CONNECTIONS = 1000  # at once; beyond, requests are refused
IDLE = 30  # seconds that a connection may wait for its next request
GRACE = 2  # seconds that open requests get when the server stops


def bound(host: str, port: int) -> socket.socket:
    """A listening socket on the port, or on the first free one after it.

    Examples
    --------
    >>> first = bound("127.0.0.1", 0)
    >>> second = bound("127.0.0.1", first.getsockname()[1])
    >>> second.getsockname()[1] > first.getsockname()[1]
    True
    >>> first.close(); second.close()
    """
    if not 0 <= port < 65536:
        raise InputError(f"a port is a number from 0 to 65535, got {port}")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise InputError(f"{host}: no address to listen on ({error})") from error
    family, kind, protocol, _, place = found
    last = min(port + TRIES, 65535)
    for at in range(port, last + 1):
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((place[0], at, *place[2:]))
            listening.listen(512)
            return listening
        except OSError as error:
            listening.close()
            if error.errno != errno.EADDRINUSE:
                raise InputError(f"{host}, port {at}: {error.strerror}") from error
    raise InputError(f"{host}: the ports {port} to {last} are all busy; choose another")


def address(host: str, listening: socket.socket) -> str:
    """What to open in a browser.

    Examples
    --------
    >>> with bound("localhost", 0) as listening:
    ...     address("localhost", listening).startswith("http://localhost:")
    True
    """
    name = "localhost" if host in ANY_ADDRESS else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{listening.getsockname()[1]}/"


def serve(host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the lab until it is interrupted.

    Parameters
    ----------
    host, port : str, int
        What to listen on; a busy port moves on to the next, 0 is any free one.
    ready : callable
        Is told the address once it can be opened.
    """
    with bound(host, port) as listening:
        server = make_server(host)
        # Requests that are cut off by the end are no news.
        logging.getLogger("uvicorn.error").addFilter(lambda _: not server.should_exit)
        ready(address(host, listening))
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            return  # uvicorn delivers it again once all is shut down


def make_server(host: str, log_level: str = "warning") -> Any:
    """The lab as a server of uvicorn's, not yet running."""
    import uvicorn

    from rosenblatt.lab.web.connections import Connection
    from rosenblatt.lab.web.server import make_app

    return uvicorn.Server(
        uvicorn.Config(
            make_app(host),
            http=Connection,
            log_level=log_level,
            access_log=False,
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=IDLE,
            timeout_graceful_shutdown=GRACE,
        )
    )


def open_browser(url: str) -> None:
    """Open the address in the user's browser, if there is one, without waiting for it."""
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

"""Serve one page on this machine, until it is interrupted."""

from __future__ import annotations

import errno
import socket
import threading
import webbrowser
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from rosenblatt.errors import InputError

TRIES = 100  # ports after a busy one
IDLE = 10  # seconds that a connection may say nothing


class Server(ThreadingHTTPServer):
    """Answers every request for ``/`` with the same text.

    Parameters
    ----------
    listening : socket
    text : str

    Examples
    --------
    >>> from urllib.request import urlopen
    >>> with Server(bound("127.0.0.1", 0), "<p>here</p>") as server:
    ...     server.start()
    ...     urlopen(server.address).read()
    b'<p>here</p>'
    """

    daemon_threads = True

    def __init__(self, listening: socket.socket, text: str):
        super().__init__(listening.getsockname()[:2], Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.body = text.encode()

    @property
    def address(self) -> str:
        """What to open in a browser: the address that it is bound to."""
        host, port = self.socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def start(self) -> None:
        """Serve in a thread; leaving a ``with`` ends it."""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *raised: object) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Knows one page."""

    timeout = IDLE

    def do_GET(self) -> None:
        """Send the page; there is no other."""
        if self.path.partition("?")[0] not in ("/", "/index.html"):
            self.send_error(HTTPStatus.NOT_FOUND, "There is no such page.")
            return
        body = cast(Server, self.server).body
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *words: object) -> None:
        """Says nothing: requests are no news."""


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


def serve(text: str, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve a page until Ctrl-C.

    Parameters
    ----------
    text : str
    host, port : str, int
        What to listen on; a busy port moves on to the next, 0 is any free one.
    ready : callable
        Is told the address once it can be opened.
    """
    with Server(bound(host, port), text) as server:
        server.start()
        ready(server.address)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


def open_browser(url: str) -> None:
    """Open the address in the user's browser, if there is one, without waiting for it."""
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

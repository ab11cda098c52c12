"""Who may talk to the lab, and what every answer says to the browser. Plain ASGI.

A page of another site can make a browser send requests to this server, and by rebinding its own
name to this address (DNS rebinding) it can even read the answers. Both give themselves away: by
their ``Origin``, and by a ``Host`` that is not one of the server's names.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY_ADDRESS = ("0.0.0.0", "::", "")

# Pictures that are saved are drawn from blob: and data: addresses; nothing else is not our own.
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

Scope = Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server bound to this host.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    address = _address(host)
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


class Guard:
    """Refuses requests that were not meant for this server, and adds the headers to every answer.

    Parameters
    ----------
    app : ASGI application
    host : str
        What the server is bound to. Bound to every address, it answers to any address written as
        numbers, which no rebinding can fake, and to the name of the machine.
    """

    def __init__(self, app: Any, host: str):
        self.app = app
        self.any_address = host in ANY_ADDRESS
        own = [socket.gethostname(), socket.getfqdn()] if self.any_address else [host]
        self.names = {name.lower() for name in (*LOOPBACK, *own)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *more]}
            await send(message)

        complaint = self._complaint(scope["headers"])
        if complaint is None:
            await self.app(scope, receive, send_with_headers)
            return
        from starlette.responses import JSONResponse

        refusal = JSONResponse({"error": complaint}, status_code=403)
        await refusal(scope, receive, send_with_headers)

    def _complaint(self, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
        hosts = _all(headers, b"host")
        if len(hosts) != 1 or not self._is_ours(_name(hosts[0])):
            given = repr(hosts[0]) if hosts else "none"
            return f"the lab does not answer to the host {given}; use the address it printed"
        for origin in _all(headers, b"origin"):
            if origin.lower() not in (f"http://{hosts[0]}".lower(), f"https://{hosts[0]}".lower()):
                return f"requests from other pages, such as {origin!r}, are refused"
        return None

    def _is_ours(self, name: str) -> bool:
        return name in self.names or (self.any_address and _address(name) is not None)


def _all(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in headers if name == wanted]


def _name(host: str) -> str:
    """The name in a Host header, without the port and the brackets of an IPv6 address.

    Examples
    --------
    >>> _name("LocalHost:8000"), _name("[::1]:8000"), _name("127.0.0.1")
    ('localhost', '::1', '127.0.0.1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _address(host: str) -> Any:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None

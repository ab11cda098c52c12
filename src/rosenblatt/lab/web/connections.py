"""Connections that have to say what they want: uvicorn's protocol with a time for the header.

uvicorn waits for the rest of a header for as long as it takes, so that whoever opens enough
connections and says half a word on each keeps everyone else out.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0  # from the first byte of a request, or the connection, to the header's end
LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Connection(H11Protocol):
    """A connection that is closed if a header does not arrive in time."""

    _deadline: asyncio.TimerHandle | None = None
    _spoke = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first header."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._late)

    def data_received(self, data: bytes) -> None:
        """Stop the clock once a header is whole; start it with the first byte of the next."""
        self._spoke = True
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for."""
        self._stop()
        super().connection_lost(exc)

    def _late(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self._spoke:  # who never said a word, as browsers that connect ahead, gets none
            self.transport.write(LATE)
        self.transport.close()

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

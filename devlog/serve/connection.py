"""Limits on connections that the server has none of: how many there are, and how slowly a request may begin."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class Connection(H11Protocol):
    """A connection that is closed if the first lines of a request take too long, or if there are too many others."""

    most = 512
    head_seconds = 20.0
    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take what has come, and wait for the rest of the request's first lines if they are incomplete."""
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # nonsense while an answer is being sent
            self.transport.abort()
        self._wait_for_head()

    def send_400_response(self, msg: str) -> None:
        """Say that the client sent nonsense; whoever is making an answer for it may stop."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._stop_waiting()
        elif self._head is None:
            self._head = self.loop.call_later(self.head_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None


def limited(most: int, head_seconds: float) -> type[Connection]:
    """A kind of connection.

    Args:
        most: of them that may be open at once; further ones are closed.
        head_seconds: that the first lines of a request may take.
    """
    return type("Connection", (Connection,), {"most": most, "head_seconds": head_seconds})

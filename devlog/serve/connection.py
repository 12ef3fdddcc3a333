"""Limits that uvicorn lacks: the number of open connections, and the time a client may take to send a head."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class Connection(H11Protocol):
    """A connection that is closed if the head of a request takes too long, or if too many others are open.

    Attributes:
        most: the maximum number of open connections.
        head_seconds: the time limit for the head of a request.
    """

    most = 512
    head_seconds = 20.0
    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Process received data, and wait for the rest of the request's head if it is incomplete."""
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # the client sent invalid data while an answer is being sent
            self.transport.abort()
        self._wait_for_head()

    def send_400_response(self, msg: str) -> None:
        """Report an invalid request to the client, and signal the application to stop its current answer."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a request."""
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
    """A connection class with limits.

    Args:
        most: the maximum number of open connections; further ones are closed.
        head_seconds: the time limit for the head of a request.
    """
    return type("Connection", (Connection,), {"most": most, "head_seconds": head_seconds})

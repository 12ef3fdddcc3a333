"""Requests as they are on the wire: no client library mends them on the way."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

PATIENCE = 30
"""Seconds after which an answer counts as missing."""


class Got(NamedTuple):
    """An answer; all header names in lower case."""

    status: int
    headers: dict[str, list[str]]
    body: bytes

    def one(self, name: str) -> str:
        """The value of a header that is there once."""
        (value,) = self.headers[name]
        return value


def connect(port: int, host: str = "127.0.0.1", *, buffer: int = 0) -> socket.socket:
    """A connection; with a small receive buffer, it soon makes the server wait when nobody reads."""
    client = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    client.settimeout(PATIENCE)
    if buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    try:
        client.connect((host, port))
    except OSError:
        client.close()
        raise
    return client


def request(
    port: int, target: bytes, method: str, headers: Iterable[tuple[str, str]], host: str | None = None
) -> bytes:
    """The bytes of a request, which is the last of its connection. An empty `host` leaves the header out."""
    named = f"127.0.0.1:{port}" if host is None else host
    lines = [*([("Host", named)] if named else []), *headers, ("Connection", "close")]
    head = "".join(f"{name}: {value}\r\n" for name, value in lines)
    return method.encode() + b" " + target + b" HTTP/1.1\r\n" + head.encode("latin-1") + b"\r\n"


def exchange(port: int, data: bytes, host: str = "127.0.0.1") -> bytes:
    """Everything that comes back for some bytes, or up to the first message of a stream."""
    with connect(port, host) as client:
        with suppress(ConnectionError):  # refused before it was sent whole
            client.sendall(data)
        got = b""
        with suppress(ConnectionError):
            while piece := client.recv(1 << 18):
                got += piece
                if b"text/event-stream" in got.partition(b"\r\n\r\n")[0] and b"\n\n" in got.partition(b"\r\n\r\n")[2]:
                    break
        return got


def parse(data: bytes) -> Got:
    """An answer from its bytes."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers: dict[str, list[str]] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers.setdefault(name.lower(), []).append(value.strip())
    return Got(int(first.split()[1]), headers, body)


def ask(
    port: int,
    target: str | bytes,
    method: str = "GET",
    headers: Iterable[tuple[str, str]] | Mapping[str, str] = (),
    host: str | None = None,
) -> Got:
    """The answer to one request."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    data = request(port, target.encode() if isinstance(target, str) else target, method, pairs, host)
    return parse(exchange(port, data))


class Listener:
    """A tab's event stream."""

    def __init__(self, port: int, page: str = "/devlogs/") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._connection.request("GET", f"/__devlog__/events?page={page}")
        self.answer = self._connection.getresponse()

    def lines(self) -> list[str]:
        """The lines up to the next empty one."""
        found: list[str] = []
        while line := self.answer.readline().decode().rstrip("\n"):
            found.append(line)
        return found

    def next(self) -> dict[str, Any]:
        """The next update."""
        while (lines := self.lines())[0].startswith(":"):
            pass
        event, number, data = lines
        assert event == "event: update"
        update: dict[str, Any] = json.loads(data.removeprefix("data: "))
        assert number == f"id: {update['number']}"
        return update

    def close(self) -> None:
        self.answer.close()
        self._connection.close()

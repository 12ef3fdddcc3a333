"""A web of one server on this machine: raw sockets, so that it can misbehave, and counts of what it is asked."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devlog.external.requests import Answer, Pace, ask_all
from devlog.http.reach import Reach
from devlog.http.request_url import Address, address_of

CERTIFICATE = Path(__file__).with_name("tls.pem")
"""A key and its certificate for ``lumen.example.org``, which nobody trusts unless told to."""

AT_ONCE = Pace(pause=0, again=(0, 0, 0), request=20)
"""The usual pace without any waiting."""


@dataclass(frozen=True)
class Request:
    """What a server was asked."""

    method: str
    path: str
    host: str
    lines: tuple[str, ...]


Reply = bytes | Iterable[bytes]


def reply(status: int, **fields: str) -> bytes:
    """The head of an answer and no body; names of fields are written with ``_`` for ``-``."""
    lines = [f"HTTP/1.1 {status} So", *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@dataclass
class Web:
    """A server for all names. What it was asked is counted until just before it answers."""

    port: int
    requests: list[Request] = field(default_factory=list)
    most: int = 0
    most_of_a_host: int = 0
    sent: int = 0
    _now: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str = "/", host: str = "lumen.example.org", scheme: str = "http") -> str:
        """The address of a path on this server."""
        return f"{scheme}://{host}:{self.port}{path}"

    def reach(self, **changes: Any) -> Reach:
        """The way to this server, under every name, and to nothing else."""
        usual: dict[str, Any] = {
            "resolve": lambda _host, _port: ("127.0.0.1",),
            "is_allowed": lambda address: address == "127.0.0.1",
            "ports": frozenset({self.port}),
            "proxies": {},
        }
        return Reach(**usual | changes)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """Methods and paths, in order."""
        return [(request.method, request.path) for request in self.requests]

    def take(self, connection: socket.socket, answer: Callable[[Request], Reply]) -> None:
        """Read a request and answer it."""
        with contextlib.suppress(OSError), connection:
            with connection.makefile("rb") as file:
                head = [line.rstrip(b"\r\n").decode("latin-1") for line in iter(file.readline, b"\r\n") if line.strip()]
            if not head:
                return
            method, target, _ = head[0].split(" ")
            host = next((line.partition(":")[2].strip() for line in head if line.lower().startswith("host:")), "")
            request = Request(method, target, host, tuple(head[1:]))
            self._begin(request)
            try:
                parts = answer(request)
            finally:
                self._end(request)
            for part in [parts] if isinstance(parts, bytes) else parts:
                connection.sendall(part)
                self.sent += len(part)

    def _begin(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)
            self._now.append(request.host)
            self.most = max(self.most, len(self._now))
            self.most_of_a_host = max(self.most_of_a_host, self._now.count(request.host))

    def _end(self, request: Request) -> None:
        with self._lock:
            self._now.remove(request.host)


@contextlib.contextmanager
def serving(answer: Callable[[Request], Reply], *, tls: bool = False) -> Iterator[Web]:
    """A server that answers as a function says, until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    web = Web(listener.getsockname()[1])
    threads: list[threading.Thread] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)

    def one(connection: socket.socket) -> None:
        connection.settimeout(30)
        try:
            inner = context.wrap_socket(connection, server_side=True) if tls else connection
        except OSError:  # whoever asks does not trust us
            connection.close()
            return
        web.take(inner, answer)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=one, args=(connection,), daemon=True))
            threads[-1].start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield web
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join(10)
        for thread in threads:
            thread.join(10)


def by_path(**replies: Reply) -> Callable[[Request], Reply]:
    """Answers by path: ``a_b`` for ``/a_b``; everything else is not there."""
    return lambda request: replies.get(request.path.strip("/"), reply(404))


def ask(urls: Iterable[str], reach: Reach, pace: Pace = AT_ONCE) -> tuple[dict[str, Answer], bool]:
    """Ask for some addresses: the answers by what was given, and whether somebody could be reached."""
    addresses: dict[str, Address] = {}
    for url in urls:
        address = address_of(url)
        assert address, f"{url} would not be asked"
        addresses[url] = address
    answers: dict[Address, Answer] = {}
    reached = ask_all(addresses.values(), reach, pace, answers.__setitem__)
    return {url: answers[address] for url, address in addresses.items() if address in answers}, reached


def ask_one(url: str, reach: Reach, pace: Pace = AT_ONCE) -> Answer:
    """Ask for one address."""
    return ask([url], reach, pace)[0][url]

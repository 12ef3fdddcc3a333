"""Opens connections to hosts: resolves names, refuses IP addresses that are not public, and connects to the others."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from threading import Thread
from typing import NamedTuple
from urllib.request import getproxies_environment

import msgspec

from devlog.http.proxy import Proxy, is_spared, proxy_for
from devlog.http.request_url import Address, is_global, is_ip
from devlog.http.response_head import read_head

PORTS = frozenset({80, 443, 8080, 8443})
"""The ports of web servers; services on other ports could misinterpret a request."""

MOST_ADDRESSES = 4
"""The maximum number of IP addresses tried per host."""

LIMIT = 32 * 1024
"""The buffer limit in bytes for unread data; a stream buffers at most twice as much."""

Resolve = Callable[[str, int], Sequence[str]]
"""Returns the IP addresses of a host, or raises `OSError`."""


class ForbiddenError(Exception):
    """The URL may not be requested."""


class PrivateHostError(ForbiddenError):
    """A host name resolves to an IP address that is not allowed."""


class ProxyError(Exception):
    """The proxy refuses to connect, and answers with an HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class Streams(NamedTuple):
    """The streams of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


def resolve(host: str, port: int) -> tuple[str, ...]:
    """The distinct IP addresses of a host, IPv4 first, since that works nearly everywhere.

    Raises:
        OSError: there are none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    texts = dict.fromkeys(str(item[4][0]) for item in found)
    return tuple(sorted(texts, key=lambda text: ":" in text))


def _trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


class Reach(msgspec.Struct, frozen=True):
    """Opens connections, within limits.

    Attributes:
        resolve: resolves host names.
        is_allowed: returns whether connections to an IP address are allowed.
        ports: the allowed ports.
        tls: the TLS context, with the trusted certificates.
        proxies: proxy URLs by scheme, as in the environment; ``all`` is for other schemes, and ``no`` lists the hosts
            that are reached directly.
    """

    resolve: Resolve = resolve
    is_allowed: Callable[[str], bool] = is_global
    ports: frozenset[int] = PORTS
    tls: ssl.SSLContext = msgspec.field(default_factory=_trusting)
    proxies: Mapping[str, str] = msgspec.field(default_factory=getproxies_environment)

    @contextlib.asynccontextmanager
    async def connect(self, address: Address) -> AsyncIterator[Streams]:
        """A connection to the host of a URL, encrypted for ``https``.

        Raises:
            ForbiddenError: the port or the IP address is not allowed.
            ProxyError: the proxy refuses to connect.
            OSError: the host cannot be reached, or the environment names a proxy that cannot be used.
        """
        if address.port not in self.ports:
            raise ForbiddenError
        proxy = self.proxy(address)
        places = await self._places(address, behind_proxy=proxy is not None)
        tls = self.tls if address.scheme == "https" else None
        if proxy is None:
            streams = await _first(places, address.port, tls, address.host)
        else:
            streams = Streams(*await asyncio.open_connection(proxy.host, proxy.port, limit=LIMIT))
        try:
            if proxy is not None and tls:
                await _tunnel(streams, address, proxy)
                await streams.writer.start_tls(tls, server_hostname=address.host)
            yield streams
        finally:
            await _end(streams)

    def request(self, method: str, address: Address, fields: Iterable[str]) -> bytes:
        """The bytes of a request without a body, whose connection is not used again.

        Args:
            method: such as ``GET``.
            address: the URL.
            fields: the fields besides ``Host`` and ``Connection``, as lines.
        """
        target, login = address.target, ""
        proxy = self.proxy(address)
        if proxy is not None and address.scheme == "http":
            target, login = address.url, proxy.field
        lines = [f"{method} {target} HTTP/1.1", f"Host: {address.authority}", *fields, "Connection: close"]
        return ("\r\n".join(lines) + f"\r\n{login}\r\n").encode("ascii")

    def proxy(self, address: Address) -> Proxy | None:
        """The proxy for a URL; `None` if it is requested directly. Raises BadProxyError."""
        if is_spared(address.host, self.proxies.get("no", "")):
            return None
        return proxy_for(address.scheme, self.proxies)

    async def look_up(self, host: str, port: int) -> Sequence[str]:
        """Resolve a host name in a thread of its own.

        A lookup cannot be canceled, and takes half a minute if a name server does not answer. A thread pool would soon
        be full of such lookups, so that those of other hosts would time out.

        Raises:
            OSError: there are no IP addresses.
        """
        loop = asyncio.get_running_loop()
        found: asyncio.Future[Sequence[str]] = loop.create_future()

        def settle(places: Sequence[str], error: Exception | None) -> None:
            if found.cancelled():
                return
            if error:
                found.set_exception(error)
            else:
                found.set_result(places)

        def work() -> None:
            places: Sequence[str] = ()
            failure: Exception | None = None
            try:
                places = self.resolve(host, port)
            except Exception as error:
                failure = error
            with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
                loop.call_soon_threadsafe(settle, places, failure)

        Thread(target=work, name="devlog-lookup", daemon=True).start()
        return await found

    async def _places(self, address: Address, *, behind_proxy: bool) -> Sequence[str]:
        """The IP addresses of a host, all of which are allowed; empty if only the proxy can resolve its name.

        Raises:
            ForbiddenError: one of them is not allowed.
            OSError: the name cannot be resolved.
        """
        if is_ip(address.host):
            if not self.is_allowed(address.host):
                raise ForbiddenError
            return (address.host,)
        try:
            found = await self.look_up(address.host, address.port)
        except OSError:
            if not behind_proxy:
                raise
            return ()  # only the proxy can resolve names, so it must refuse hosts that are not public
        if not all(self.is_allowed(place) for place in found):
            raise PrivateHostError
        return found[:MOST_ADDRESSES]


async def _first(places: Sequence[str], port: int, tls: ssl.SSLContext | None, name: str) -> Streams:
    """A connection to the first of several IP addresses that accepts one."""
    error: OSError = socket.gaierror(socket.EAI_NONAME, "no address")
    for place in places:
        try:
            return Streams(
                *await asyncio.open_connection(place, port, ssl=tls, server_hostname=name if tls else None, limit=LIMIT)
            )
        except ssl.SSLError:
            raise  # the other IP addresses of the host have the same certificate
        except OSError as failure:
            error = failure
    raise error


async def _tunnel(streams: Streams, address: Address, proxy: Proxy) -> None:
    """Open a tunnel through a proxy with ``CONNECT``."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    target = f"{host}:{address.port}"
    streams.writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{proxy.field}\r\n".encode())
    head = await read_head(streams.reader)
    if not 200 <= head.status < 300:
        raise ProxyError(head.status)


async def _end(streams: Streams) -> None:
    """Close a connection immediately, and discard unread data."""
    streams.writer.transport.abort()
    await asyncio.sleep(0)  # closes the socket; `wait_closed` never returns after a TLS handshake that was canceled

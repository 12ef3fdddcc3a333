"""Reaching a host: its name is looked up, what is not public refused, and just what was looked at connected to."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from threading import Thread
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment

import msgspec

from devlog.external.address import Address, is_global, is_ip
from devlog.external.lines import read_head

PORTS = frozenset({80, 443, 8080, 8443})
"""Where web servers are; what listens elsewhere may take a request for something else."""

MOST_ADDRESSES = 4
"""So many addresses of one host are tried."""

LIMIT = 32 * 1024
"""So many bytes are taken from a host before somebody reads them; a stream takes twice as many at most."""

Resolve = Callable[[str, int], Sequence[str]]
"""Gives the IP addresses of a host, or raises `OSError`."""


class ForbiddenError(Exception):
    """This is never asked."""


class PrivateHostError(ForbiddenError):
    """A name stands for an address that is not allowed."""


class ProxyError(Exception):
    """The proxy does not connect us, and answers with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class Streams(NamedTuple):
    """A connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


def resolve(host: str, port: int) -> tuple[str, ...]:
    """The IP addresses of a host, each once, those of IPv4 first: they work nearly everywhere.

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
    """What may be reached, and how.

    Attributes:
        resolve: looks names up.
        is_allowed: whether an IP address may be connected to.
        ports: to which connections are made.
        tls: whom to trust.
        proxies: by scheme, as the environment names them; ``no`` holds the hosts that are reached without.
    """

    resolve: Resolve = resolve
    is_allowed: Callable[[str], bool] = is_global
    ports: frozenset[int] = PORTS
    tls: ssl.SSLContext = msgspec.field(default_factory=_trusting)
    proxies: Mapping[str, str] = msgspec.field(default_factory=getproxies_environment)

    @contextlib.asynccontextmanager
    async def connect(self, address: Address) -> AsyncIterator[Streams]:
        """A connection to the host of an address, encrypted if its scheme wants that.

        Raises:
            ForbiddenError: the address is not allowed, or what its name stands for.
            ProxyError: the proxy refuses.
            OSError: the host cannot be reached.
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

    def proxy(self, address: Address) -> Proxy | None:
        """The proxy through which an address is reached, if there is one."""
        url = self.proxies.get(address.scheme, "")
        if not url or _is_spared(address.host, self.proxies.get("no", "")):
            return None
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme != "http" or not parts.hostname:
            return None
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
        return Proxy(parts.hostname, parts.port or 80, base64.b64encode(login.encode()).decode())

    async def look_up(self, host: str, port: int) -> Sequence[str]:
        """The IP addresses of a host, without waiting for those of others.

        A lookup cannot be broken off, and takes half a minute where a name server is silent. So each has a thread of
        its own: a pool of them would soon be full of such, and hosts that are well would get no answer in time.

        Raises:
            OSError: there are none.
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
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(settle, places, failure)

        Thread(target=work, name="devlog-lookup", daemon=True).start()
        return await found

    async def _places(self, address: Address, *, behind_proxy: bool) -> Sequence[str]:
        """The IP addresses of a host, of which every single one is allowed."""
        if is_ip(address.host):
            if not self.is_allowed(address.host):
                raise ForbiddenError
            return (address.host,)
        try:
            found = await self.look_up(address.host, address.port)
        except OSError:
            if not behind_proxy:
                raise
            return ()  # only the proxy knows names: it must refuse what is not public
        if not all(self.is_allowed(place) for place in found):
            raise PrivateHostError
        return found[:MOST_ADDRESSES]


class Proxy(NamedTuple):
    """A proxy, and what it wants to be told about us."""

    host: str
    port: int
    login: str

    @property
    def field(self) -> str:
        """The line of a request that tells the proxy who asks."""
        return f"Proxy-Authorization: Basic {self.login}\r\n" if self.login else ""


def _is_spared(host: str, spared: str) -> bool:
    """Whether a list of names, each with all below it, holds a host."""
    names = (name.strip().lower().removeprefix("*").lstrip(".") for name in spared.split(","))
    return spared.strip() == "*" or any(name and f".{host}".endswith(f".{name}") for name in names)


async def _first(places: Sequence[str], port: int, tls: ssl.SSLContext | None, name: str) -> Streams:
    """A connection to the first of some IP addresses that takes one."""
    error: OSError = socket.gaierror(socket.EAI_NONAME, "no address")
    for place in places:
        try:
            return Streams(
                *await asyncio.open_connection(place, port, ssl=tls, server_hostname=name if tls else None, limit=LIMIT)
            )
        except ssl.SSLError:
            raise  # another address of the same host is not another certificate
        except OSError as failure:
            error = failure
    raise error


async def _tunnel(streams: Streams, address: Address, proxy: Proxy) -> None:
    """Let a proxy connect us through."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    target = f"{host}:{address.port}"
    streams.writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{proxy.field}\r\n".encode())
    head = await read_head(streams.reader)
    if not 200 <= head.status < 300:
        raise ProxyError(head.status)


async def _end(streams: Streams) -> None:
    """End a connection at once, whatever the other side still wants to say."""
    streams.writer.transport.abort()
    with contextlib.suppress(OSError):
        await streams.writer.wait_closed()

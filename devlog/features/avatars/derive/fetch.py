"""Fetches images from other hosts: all at once, within limits, from public IP addresses only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from devlog import __version__
from devlog.http.proxy import BadProxyError
from devlog.http.reach import ForbiddenError, PrivateHostError, ProxyError, Reach
from devlog.http.request_url import REDIRECTS, Address, address_of, following
from devlog.http.response_body import TooLargeError, read_body
from devlog.http.response_head import Head, NotHttpError, read_head
from devlog.model.derived import Made

USER_AGENT = f"devlog/{__version__} (fetches avatars)"

TYPES = ("image/png", "image/jpeg", "image/webp", "image/avif", "image/gif")
"""The media types of images that are fetched, all of which `devlog.engine.untrusted_images` opens."""

_FIELDS = (f"User-Agent: {USER_AGENT}", f"Accept: {', '.join(TYPES)}", "Accept-Encoding: identity")
_CLOSED = "its URL may not be requested"
_GONE = frozenset({404, 410})
_SUCCESS = 200


class Limits(msgspec.Struct, frozen=True):
    """Limits of what is fetched; times are in seconds.

    Attributes:
        at_once: the maximum number of concurrent requests.
        image: how long one image may take, with redirects.
        overall: how long all images may take together.
        hops: the maximum number of redirects to follow.
        bytes: the maximum size of an image.
    """

    at_once: int = 8
    image: float = 8.0
    overall: float = 20.0
    hops: int = 5
    bytes: int = 1_000_000


class _UnusableError(Exception):
    """What a host has answered is no image that can be used; `retry` tells whether that may change soon."""

    def __init__(self, reason: str, *, retry: bool) -> None:
        super().__init__(reason)
        self.retry = retry


def fetch(parts: Mapping[str, Any], _files: Sequence[bytes]) -> Made:
    """Fetch one image again, if what is in the store was damaged."""
    return fetch_all([parts["url"]])[0]


def fetch_all(urls: Sequence[str], reach: Reach | None = None, limits: Limits | None = None) -> list[Made]:
    """Fetch images.

    Args:
        urls: their URLs, each once.
        reach: opens the connections; `None` for the default, which reaches only the public internet.
        limits: `None` for the usual ones.

    Returns:
        The bytes of each, or why there are none. Only that an image is not there, is too large or may not be
        requested is worth remembering: every other failure may be over at the next build.
    """
    return asyncio.run(_Fetching(reach or Reach(), limits or Limits()).all(urls)) if urls else []


class _Fetching:
    """The fetching of some images."""

    def __init__(self, reach: Reach, limits: Limits) -> None:
        self._reach = reach
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.at_once)
        self._unreachable: dict[tuple[str, int], str] = {}  # why, by name and port of a host

    async def all(self, urls: Sequence[str]) -> list[Made]:
        found: dict[str, Made] = {}

        async def one(url: str) -> None:
            async with self._slots:
                found[url] = await self._made(url)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.overall), asyncio.TaskGroup() as group:
                for url in urls:
                    group.create_task(one(url))
        late = Made(problem="there was not enough time for all avatars", retry=True)
        return [found.get(url, late) for url in urls]

    async def _made(self, url: str) -> Made:
        try:
            return Made(blobs=(await self._image(url),))
        except _UnusableError as error:
            return Made(problem=str(error), retry=error.retry)

    async def _image(self, url: str) -> bytes:
        """The bytes of an image, after redirects."""
        address = address_of(url)
        try:
            async with asyncio.timeout(self._limits.image):
                for _ in range(self._limits.hops + 1):
                    if address is None:
                        raise _UnusableError(_CLOSED, retry=False)
                    if reason := self._unreachable.get((address.host, address.port)):
                        raise _UnusableError(reason, retry=True)
                    head, body = await self._answer(address)
                    if head.status not in REDIRECTS:
                        return body
                    if not head.location:
                        raise _UnusableError("it redirects without saying where", retry=True)
                    address = following(address, head.location)
        except TimeoutError:
            raise self._out_of_reach(address, "does not answer in time") from None
        raise _UnusableError("it redirects too often", retry=True)

    async def _answer(self, address: Address | None) -> tuple[Head, bytes]:
        """The answer of one URL: a redirect, or an image."""
        assert address
        try:
            async with self._reach.connect(address) as streams:
                streams.writer.write(self._reach.request("GET", address, _FIELDS))
                head = await read_head(streams.reader)
                if head.status in REDIRECTS:
                    return head, b""
                self._look_at(address, head)
                return head, await read_body(streams.reader, head, self._limits.bytes)
        except TooLargeError:
            raise _UnusableError(f"it has more than {self._limits.bytes:,} bytes", retry=False) from None
        except PrivateHostError:
            raise _UnusableError(f"{address.host} has no public IP address", retry=True) from None
        except ForbiddenError:
            raise _UnusableError(_CLOSED, retry=False) from None
        except NotHttpError:
            raise _UnusableError(f"{address.host} is not a web server", retry=True) from None
        except TimeoutError:
            raise
        except BadProxyError as error:
            raise _UnusableError(str(error), retry=True) from None
        except (ProxyError, OSError, UnicodeError):
            raise self._out_of_reach(address, "cannot be reached") from None

    def _look_at(self, address: Address, head: Head) -> None:
        """Reject an answer that is no image of a known type, before its body is read."""
        if head.status != _SUCCESS:
            raise _UnusableError(f"{address.host} answers with status {head.status}", retry=head.status not in _GONE)
        if head.type.partition(";")[0].strip().lower() not in TYPES:
            raise _UnusableError(f"{address.host} answers with something else than an image", retry=True)

    def _out_of_reach(self, address: Address | None, what: str) -> _UnusableError:
        """The failure to reach a host, whose port is not tried again for other images."""
        host, port = (address.host, address.port) if address else ("", 0)
        reason = f"{host} {what}"
        self._unreachable[host, port] = reason
        return _UnusableError(reason, retry=True)

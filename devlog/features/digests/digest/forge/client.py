"""Asks a forge: with a cache, conditional requests, retries, and within limits. Only the project's own host is asked.

The standard library makes the requests, with the proxies of the environment. It follows no redirect by itself, so that
a token is never sent to another host.
"""

from __future__ import annotations

import http.client
import re
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from itertools import islice
from types import NoneType
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies

import msgspec

from devlog import __version__
from devlog.features.digests.digest.forge.cache import LONGEST_ETAG, Cache, Kept
from devlog.features.digests.digest.forge.project import is_loopback
from devlog.http.proxy import proxy_fault
from devlog.waiting import result_of

USER_AGENT = f"devlog/{__version__} (digests)"

_REDIRECTS = frozenset({301, 302, 307, 308})
_HOPS = 3
_CHUNK = 65_536
_LINK = re.compile(r'<([^<>\s]{1,4000})>\s*;[^,]{0,200}?\brel="?next"?')
_MISSING = frozenset({403, 404, 410})
_TOO_SOON = frozenset({403, 429})
_KINDS: tuple[type, ...] = (dict, list, NoneType)
"""What the JSON of an answer can be: an object, a list, or nothing."""
_BEFORE_VALUES = (b",", b"[", b"{")
"""What is before each value of JSON. Texts have it, too, as often as their authors like."""
_STRING_OR_MARK = re.compile(rb'"[^"]*"?|([,\[{])')
"""A string of JSON without escaped characters, which may lack its end, or what is before a value."""


class Pace(msgspec.Struct, frozen=True):
    """Limits of what is asked; times are in seconds.

    Attributes:
        requests: the maximum number of requests for one digest.
        silence: how long the host may be silent.
        answer: how long one answer may take in all.
        bytes: the maximum size of an answer.
        values: about how many values an answer may have: a value may take a hundred times the memory of its text.
        all_seconds: how long all requests for one digest may take, with waiting.
        all_bytes: the maximum size of all answers to them.
        again: the delays before each retry after a failure of the network or the host.
        patience: the longest time to wait if the host asks for it.
        fresh: how long an answer counts without asking whether it has changed.
    """

    requests: int = 100
    silence: float = 15.0
    answer: float = 60.0
    bytes: int = 8_000_000
    values: int = 400_000
    all_seconds: float = 600.0
    all_bytes: int = 64_000_000
    again: tuple[float, ...] = (1.0, 3.0)
    patience: float = 60.0
    fresh: float = 3600.0


class ForgeFailedError(Exception):
    """The forge gives no usable answer. The message is a sentence without a period; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class TooLargeError(ForgeFailedError):
    """An answer has more bytes or values than are read. Anybody can write such texts where a forge lists them."""


class SpentError(Exception):
    """The maximum number of requests has been made, or they have taken the maximum of time or bytes."""


class Answer(msgspec.Struct, frozen=True):
    """An answer.

    Attributes:
        value: the decoded JSON.
        following: the URL of the next page; empty if there is none.
        total: how many items all pages have; -1 if the host does not say.
    """

    value: Any
    following: str = ""
    total: int = -1


class _Response(msgspec.Struct, frozen=True):
    status: int
    fields: Mapping[str, str]
    body: bytes


class Client:
    """Asks one host.

    Attributes:
        requests: how many requests have been made.
        cached: how many answers came from the cache without a request.
    """

    def __init__(
        self,
        base: str,
        headers: Mapping[str, str],
        cache: Cache,
        pace: Pace,
        *,
        token_hint: str = "",
        limit_hint: str = "",
    ) -> None:
        """
        Args:
            base: the URL of the project.
            headers: the fields of each request.
            cache: earlier answers.
            pace: limits.
            token_hint: what to do if the host refuses an answer.
            limit_hint: what to do if the host allows no more requests, after “try again then”.
        """
        self.requests = self.cached = 0
        self._size, self._end = 0, time.monotonic() + pace.all_seconds
        self._base, self._headers, self._cache, self._pace = base, headers, cache, pace
        self._token_hint, self._limit_hint = token_hint, limit_hint
        self._origin = _origin(base)
        self._opener = _opener(urlsplit(base).hostname or "")

    def get(self, path: str, *, may_miss: bool = False, kinds: tuple[type, ...] = _KINDS) -> Answer:
        """Ask for something.

        Args:
            path: relative to the project, or the URL of a following page.
            may_miss: whether the value of an answer is `None` if there is nothing, or nothing that may be seen.
            kinds: the types of values that are taken from the cache.

        Raises:
            TooLargeError: the answer is beyond the limits.
            ForgeFailedError: there is no usable answer.
            SpentError: no more requests may be made.
        """
        url = path if path.startswith(("https://", "http://")) else self._base + path
        if _origin(url) != self._origin:
            raise ForgeFailedError(f"{self._host} refers to another host, “{_host_of(url)}”")
        kept, known = self._remembered(url, kinds)
        if kept and known and 0 <= time.time() - kept.asked < self._pace.fresh:
            self.cached += 1
            return known
        response = self._retried(url, {"If-None-Match": kept.etag} if kept and kept.etag else {}, may_miss=may_miss)
        if response.status == 304 and kept and known:
            self._cache.write(url, msgspec.structs.replace(kept, asked=time.time()))
            return known
        if response.status in _MISSING:
            new = Kept(time.time(), "", "", -1, b"null")
        else:
            new = Kept(
                time.time(),
                response.fields.get("etag", "")[:LONGEST_ETAG],
                _next(url, response.fields.get("link", "")),
                _number(response.fields.get("x-total", ""), -1),
                response.body,
            )
        answer = self._decoded(new)  # what cannot be read is not kept
        self._cache.write(url, new)
        return answer

    def _remembered(self, url: str, kinds: tuple[type, ...]) -> tuple[Kept, Answer] | tuple[None, None]:
        """What is kept for a URL, and decoded; nothing if the host has not given such an answer.

        Somebody has forged it then. The host must not be asked whether it has changed: if the ETag is the right one,
        what is wrong would count as the host's answer, and stay.
        """
        kept = self._cache.read(url)
        if kept is None or len(kept.body) > self._pace.bytes:
            return None, None
        try:
            answer = self._decoded(kept)
        except ForgeFailedError:
            return None, None
        is_elsewhere = kept.following and _origin(kept.following) != self._origin
        return (None, None) if is_elsewhere or not isinstance(answer.value, kinds) else (kept, answer)

    @property
    def _host(self) -> str:
        return urlsplit(self._base).netloc

    def _decoded(self, kept: Kept) -> Answer:
        if _has_more_values(kept.body, self._pace.values):
            raise TooLargeError(f"the answer of {self._host} has more than {self._pace.values:,} values")
        try:
            return Answer(msgspec.json.decode(kept.body), kept.following, kept.total)
        except (msgspec.DecodeError, ValueError, RecursionError):
            hint = "is the URL that of a GitHub, GitLab, Gitea or Forgejo project?"
            raise ForgeFailedError(f"the answer of {self._host} is not JSON", hint) from None

    def _retried(self, url: str, more: Mapping[str, str], *, may_miss: bool) -> _Response:
        """The final response to a request, after redirects, retries and waiting."""
        name = urlsplit(self._base).hostname or ""
        if fault := "" if is_loopback(name) else proxy_fault(host=name):
            raise ForgeFailedError(f"{self._host} cannot be reached", fault)
        waits, hops = list(self._pace.again), _HOPS
        while True:
            try:
                response = self._once(url, more)
            except ssl.SSLCertVerificationError:
                raise ForgeFailedError(f"the certificate of {self._host} is not valid") from None
            except (OSError, http.client.HTTPException) as error:
                if not waits:
                    raise ForgeFailedError(*_unreachable(self._host, error)) from None
                time.sleep(waits.pop(0))
                continue
            if response.status in (200, 304):
                return response
            if response.status in _REDIRECTS and hops:
                url, hops = self._redirected(url, response.fields.get("location", "")), hops - 1
                continue
            pause = self._pause(response)
            if pause < 0 and response.status < 500:
                if may_miss and response.status in _MISSING:
                    return response
                raise self._refused(response.status)
            if not waits:
                raise ForgeFailedError(f"{self._host} answers with status {response.status}")
            retry = waits.pop(0)
            time.sleep(pause if pause >= 0 else retry)

    def _redirected(self, url: str, location: str) -> str:
        """To where the host redirects; only to itself."""
        target = _joined(url, location)
        if not location or len(target) >= 4_000 or _origin(target) != self._origin:
            raise ForgeFailedError(
                f"{self._host} redirects to another host", "name the URL to which it redirects as “forge”"
            )
        return target

    def _pause(self, response: _Response) -> float:
        """How long the host asks to wait; -1 if it does not ask.

        Raises:
            ForgeFailedError: that is too long.
        """
        fields = response.fields
        seconds = -1.0
        if "retry-after" in fields and response.status in {*_TOO_SOON, 503}:
            seconds = float(_number(fields["retry-after"], 60))
        elif response.status in _TOO_SOON:
            left = fields.get("x-ratelimit-remaining", fields.get("ratelimit-remaining", ""))
            until = _number(fields.get("x-ratelimit-reset", fields.get("ratelimit-reset", "")), 0)
            if left == "0":
                seconds = max(1.0, until - time.time() + 1)
            elif response.status == 429:
                seconds = self._pace.again[-1] if self._pace.again else 0
        if seconds > self._pace.patience:
            minutes = max(1, round(seconds / 60))
            span = "1 minute" if minutes == 1 else f"{minutes:,} minutes"
            hint = f"try again then{self._limit_hint}"
            raise ForgeFailedError(f"{self._host} allows no more requests for {span}", hint)
        return seconds

    def _refused(self, status: int) -> ForgeFailedError:
        said = {
            401: "does not accept the token",
            403: "does not allow this request",
            404: "does not know the project, or hides it",
        }.get(status, f"answers with status {status}")
        return ForgeFailedError(f"{self._host} {said}", self._token_hint if status in (401, 403, 404) else "")

    def _once(self, url: str, more: Mapping[str, str]) -> _Response:
        """Make one request. It takes a thread, since a host may send the fields of a response for days."""
        if self.requests >= self._pace.requests or self._size > self._pace.all_bytes or time.monotonic() > self._end:
            raise SpentError
        self.requests += 1
        fields = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **self._headers, **more}
        request = urllib.request.Request(url, headers=fields)  # noqa: S310 - http and https only, see `_opener`
        done = Future[_Response]()
        threading.Thread(target=_fill, args=(done, partial(self._asked, request)), daemon=True).start()
        try:
            response = result_of(done, self._pace.answer + self._pace.silence)
        except TooLargeError:
            self._size += self._pace.bytes  # so much of it has been read
            raise
        self._size += len(response.body)
        return response

    def _asked(self, request: urllib.request.Request) -> _Response:
        end = time.monotonic() + self._pace.answer
        try:
            with self._opener.open(request, timeout=self._pace.silence) as response:
                names = {name.lower(): value.strip() for name, value in response.headers.items()}
                body = self._read(response, end) if response.status == 200 else b""
                return _Response(response.status, names, body)
        except urllib.error.URLError as error:
            raise error.reason if isinstance(error.reason, OSError) else OSError(str(error.reason)) from None
        except ValueError as error:  # malformed fields
            raise http.client.HTTPException(str(error)) from None

    def _read(self, response: http.client.HTTPResponse, end: float) -> bytes:
        """The body of a response, if it ends within the limits."""
        body = bytearray()  # a list of small chunks would take much more memory
        while part := response.read1(_CHUNK):
            body += part
            if len(body) > self._pace.bytes:
                raise TooLargeError(f"the answer of {self._host} has more than {self._pace.bytes:,} bytes")
            if time.monotonic() > end:
                raise ForgeFailedError(f"{self._host} does not finish its answer")
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return bytes(body)


def _has_more_values(body: bytes, most: int) -> bool:
    """Whether JSON has more values than that. Few answers have so many marks at all, so that strings rarely count."""
    if sum(map(body.count, _BEFORE_VALUES)) <= most:
        return False
    plain = body.replace(rb"\\", b"").replace(rb"\"", b"")
    marks = (found for found in _STRING_OR_MARK.finditer(plain) if found[1])
    return next(islice(marks, most, None), None) is not None


def _fill(future: Future[_Response], function: Callable[[], _Response]) -> None:
    """Run a function in a thread, and pass its result or its exception on."""
    try:
        future.set_result(function())
    except BaseException as error:
        future.set_exception(error)


def _opener(host: str) -> urllib.request.OpenerDirector:
    """Opens `http` and `https`, and nothing else: no files, no redirects, and no proxy for this machine."""
    opener = urllib.request.OpenerDirector()
    opener.addheaders = []
    known = {} if is_loopback(host) else getproxies()
    proxies = {scheme: url for scheme in ("http", "https") if (url := known.get(scheme) or known.get("all"))}
    for handler in (
        urllib.request.ProxyHandler(proxies),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _origin(url: str) -> tuple[str, str, int]:
    """The scheme, host and port of a URL, of which a host may have sent any part; empty if it cannot be read."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:  # wrong brackets, or a port that is no number or too large
        return "", "", 0
    return ("", "", 0) if "@" in parts.netloc else (parts.scheme, parts.hostname or "", port)


def _host_of(url: str) -> str:
    return _origin(url)[1] or url[:100]


def _next(url: str, link: str) -> str:
    """The URL of the next page that a ``Link`` field names."""
    found = _LINK.search(link[:20_000])
    return _joined(url, found[1]) if found else ""


def _joined(url: str, reference: str) -> str:
    """The URL that a reference means; empty if it cannot be read."""
    try:
        return urljoin(url, reference)
    except ValueError:  # wrong brackets
        return ""


def _number(text: str, otherwise: int) -> int:
    return int(text) if re.fullmatch(r"\d{1,12}", text, re.ASCII) else otherwise


def _unreachable(host: str, error: Exception) -> tuple[str, str]:
    if isinstance(error, TimeoutError):
        return f"{host} does not answer in time", "run the command again"
    if isinstance(error, http.client.HTTPException):
        return f"the answer of {host} breaks off, or is not HTTP", "run the command again"
    return f"{host} cannot be reached", "is this machine online? --no-forge writes the digest without it"

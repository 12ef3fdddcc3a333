"""Asking for many addresses: a few at once, one after the other at each host, again where that may help."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import urljoin

import msgspec

from devlog import __version__
from devlog.external.address import Address, address_of
from devlog.external.lines import Head, NotHttpError, read_head
from devlog.external.reach import ForbiddenError, PrivateHostError, ProxyError, Reach

USER_AGENT = f"devlog/{__version__} (checks links)"

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PERMANENT = frozenset({301, 308})
BUSY = frozenset({429, 503})
GONE = frozenset({404, 410})

KNOWN_HOST = "example.com"
"""A name that every resolver of the internet knows: it tells whether names can be looked up at all."""

Why = Literal["status", "no-host", "lookup", "refused", "slow", "broken", "certificate", "not-http", "circles", "proxy"]
Verdict = Literal["alive", "dead", "unknown", "private", "closed"]

# Where those who are not known are sent to, whatever they asked for.
_DOORS = re.compile(
    r"(?:^|[/._-])(?:log-?in|sign-?in|sign-?up|sso|saml|oauth2?|auth|authorize|account|accounts|consent|cookies?|captcha"
    r"|challenge|blocked|denied|error|404)(?:[/._-]|$)",
    re.IGNORECASE,
)


class Pace(msgspec.Struct, frozen=True):
    """How patient and how polite asking is; all times are in seconds.

    Attributes:
        at_once: how many requests run at the same time.
        request: how long one request may take.
        overall: how long all of it may take.
        pause: between two requests to one host.
        again: how long to wait before asking again, each time.
        patience: how long to wait at most if a host says when to come again.
        hops: how many redirects are followed.
        strikes: after so many addresses in a row for which a host does not answer in time, it is left alone.
        hopeless: once so many hosts cannot be reached and none could, the others are not asked.
    """

    at_once: int = 8
    request: float = 10.0
    overall: float = 900.0
    pause: float = 0.5
    again: tuple[float, ...] = (2.0, 5.0, 10.0)
    patience: float = 60.0
    hops: int = 8
    strikes: int = 3
    hopeless: int = 8


class Answer(msgspec.Struct, frozen=True):
    """What is known of an address after asking.

    Attributes:
        verdict: whether it leads somewhere; ``unknown`` if its host would not say so now, ``private`` if that has no
            public address, ``closed`` if it is itself one of those that are never asked.
        why: it is dead.
        detail: more about that, such as a status.
        moved: where its page is for good, if that is another address.
    """

    verdict: Verdict
    why: Why | Literal[""] = ""
    detail: str = ""
    moved: str = ""


UNKNOWN = Answer("unknown")
PRIVATE = Answer("private")
CLOSED = Answer("closed")


class _Host:
    """What is known of a host in the course of a round."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.ready = 0.0  # when it may be asked again
        self.strikes = 0
        self.unreachable: dict[tuple[str, int], Answer] = {}


def ask_all(addresses: Iterable[Address], reach: Reach, pace: Pace, told: Callable[[Address, Answer], None]) -> bool:
    """Ask for addresses, as many as there is time for.

    Args:
        addresses: each once.
        reach: what may be reached.
        pace: how patient and how polite to be.
        told: called with each answer as soon as it is there.

    Returns:
        Whether somebody could be reached. If not, the answers tell something about this machine and not of the links.
    """
    return asyncio.run(_Asking(reach, pace).all(addresses, told))


class _Asking:
    """A round of asking."""

    def __init__(self, reach: Reach, pace: Pace) -> None:
        self._reach = reach
        self._pace = pace
        self._slots = asyncio.Semaphore(pace.at_once)
        self._hosts: dict[str, _Host] = {}
        self._reached = False
        self._silent: set[str] = set()  # hosts that cannot be reached
        self._nameless: set[str] = set()  # and those of which no name server knows
        self._names: asyncio.Future[Sequence[str]] | None = None  # the lookup of a name that is known everywhere

    async def all(self, addresses: Iterable[Address], told: Callable[[Address, Answer], None]) -> bool:
        async def ask(address: Address) -> None:
            told(address, await self._answer(address))

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.overall), asyncio.TaskGroup() as group:
                for address in addresses:
                    group.create_task(ask(address))
        return self._reached or await self._is_online()

    async def _is_online(self) -> bool:
        """Whether it is the hosts and not this machine if none of them can be reached: one or two may have gone."""
        if not self._silent and not self._nameless:
            return True
        return len(self._silent) <= 2 and await self._knows_names()

    async def _answer(self, start: Address) -> Answer:
        """Ask for an address, and follow where it redirects to."""
        address, permanent, cookies, seen = start, True, False, {start}
        for _ in range(self._pace.hops + 1):
            head = await self._settled(address)
            if isinstance(head, Answer):
                return head
            if head.status not in REDIRECTS or not head.location:
                return _judged(start, address, head.status, permanent=permanent)
            permanent = permanent and head.status in PERMANENT
            cookies = cookies or head.sets_cookie
            following = _following(address, head.location)
            if following is None:
                return CLOSED
            if following in seen:
                break
            seen.add(following)
            address = following
        # Going round in circles until a cookie comes back is what walls against robots do.
        return UNKNOWN if cookies else Answer("dead", "circles")

    async def _settled(self, address: Address) -> Head | Answer:
        """The answer of one address, asked again until that is settled; or a verdict if there is none."""
        host = self._hosts.setdefault(address.host, _Host())
        method, waits = "HEAD", list(self._pace.again)
        while True:
            found = await self._in_turn(host, address, method)
            if isinstance(found, Head):
                if method == "HEAD" and found.status >= 400 and found.status not in BUSY:
                    method = "GET"  # there are servers that cannot tell without showing
                    continue
                if not 500 <= found.status < 600 and found.status not in BUSY:
                    host.strikes = 0
                    return found
                if found.status in BUSY and not self._has_patience(host, found, waits):
                    host.strikes = self._pace.strikes  # it wants to be left alone
                    return UNKNOWN
                if not waits:
                    return Answer("dead", "status", str(found.status))
            elif found.verdict != "dead" or found.why in ("no-host", "certificate", "not-http") or not waits:
                return self._given_up(host, address, found)
            if not (isinstance(found, Head) and found.status in BUSY):
                method, waits = "GET", waits[:2]  # a busy host gets more chances than a broken one
            await asyncio.sleep(waits.pop(0))

    def _has_patience(self, host: _Host, head: Head, waits: list[float]) -> bool:
        """Whether a busy host is asked again; if it says when, all wait until then."""
        if not waits:
            return False
        seconds = _seconds(head)
        if seconds > self._pace.patience:
            return False
        host.ready = max(host.ready, asyncio.get_running_loop().time() + seconds)
        return True

    def _given_up(self, host: _Host, address: Address, answer: Answer) -> Answer:
        """Remember of a host what holds for all its addresses."""
        if answer.why in ("no-host", "lookup", "refused", "certificate", "proxy"):
            host.unreachable[address.scheme, address.port] = answer
        elif answer.why in ("slow", "broken"):
            host.strikes += 1
        if answer.why == "no-host":
            self._nameless.add(address.host)
        elif answer.why in ("lookup", "refused", "slow", "proxy"):
            self._silent.add(address.host)
        return answer

    async def _is_hopeless(self, hosts: int) -> bool:
        """Whether so many hosts could not be reached, and no other, that this is about this machine.

        Posts may name hosts that never were: they do not count where a name that is known everywhere can be looked up.
        """
        if self._reached or len(self._silent | self._nameless) < hosts:
            return False
        return len(self._silent) >= hosts or not await self._knows_names()

    async def _knows_names(self) -> bool:
        """Whether names can be looked up here."""
        if self._names is None:
            self._names = asyncio.ensure_future(self._reach.look_up(KNOWN_HOST, 443))
        try:
            async with asyncio.timeout(self._pace.request):
                return bool(await asyncio.shield(self._names))
        except OSError:  # or no answer in time
            return False

    async def _in_turn(self, host: _Host, address: Address, method: str) -> Head | Answer:
        """One request, when it is the turn of its host's and there is room."""
        loop = asyncio.get_running_loop()
        async with host.turn:
            known = host.unreachable.get((address.scheme, address.port))
            if known:
                return known
            if host.strikes >= self._pace.strikes:
                return UNKNOWN
            await asyncio.sleep(host.ready - loop.time())
            async with self._slots:
                if await self._is_hopeless(self._pace.hopeless):
                    return UNKNOWN
                try:
                    async with asyncio.timeout(self._pace.request):
                        found = await _requested(self._reach, address, method)
                except TimeoutError:
                    found = Answer("dead", "slow")
            host.ready = loop.time() + self._pace.pause
        self._reached = self._reached or isinstance(found, Head) or found.why in ("broken", "certificate", "not-http")
        return found


async def _requested(reach: Reach, address: Address, method: str) -> Head | Answer:
    """One request, and what comes of it."""
    try:
        async with reach.connect(address) as streams:
            streams.writer.write(_request(reach, address, method))
            return await read_head(streams.reader)
    except ForbiddenError as error:
        return PRIVATE if isinstance(error, PrivateHostError) else CLOSED
    except ProxyError as error:
        return Answer("dead", "proxy", str(error)) if error.status >= 500 else UNKNOWN
    except TimeoutError:  # the system may have less patience than we
        return Answer("dead", "slow")
    except (NotHttpError, UnicodeError, OSError) as error:
        why = next(why for kind, why in _WHY if isinstance(error, kind))
        return Answer("dead", "lookup" if _is_passing(error) else why, _detail(error))


# By the first kind of error that fits.
_WHY: tuple[tuple[type[Exception], Why], ...] = (
    (NotHttpError, "not-http"),
    (UnicodeError, "no-host"),  # a name that the system does not take
    (socket.gaierror, "no-host"),
    (ssl.SSLError, "certificate"),
    (ConnectionResetError, "broken"),
    (ConnectionAbortedError, "broken"),
    (BrokenPipeError, "broken"),
    (OSError, "refused"),
)


def _is_passing(error: Exception) -> bool:
    """Whether a name could not be looked up, which does not mean that there is none."""
    return isinstance(error, socket.gaierror) and error.errno in (socket.EAI_AGAIN, socket.EAI_FAIL)


def _detail(error: Exception) -> str:
    """What a failed handshake tells."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message.rstrip(".")
    return (error.reason or "it fails").replace("_", " ").lower() if isinstance(error, ssl.SSLError) else ""


def _request(reach: Reach, address: Address, method: str) -> bytes:
    """The bytes of a request: nothing in it tells who asks, but that it is devlog."""
    target, login = address.target, ""
    proxy = reach.proxy(address)
    if proxy is not None and address.scheme == "http":
        target, login = address.url, proxy.field
    lines = [
        f"{method} {target} HTTP/1.1",
        f"Host: {address.authority}",
        f"User-Agent: {USER_AGENT}",
        "Accept: */*",
        "Accept-Encoding: identity",
        *(["Range: bytes=0-0"] if method == "GET" else []),
        "Connection: close",
    ]
    return ("\r\n".join(lines) + f"\r\n{login}\r\n").encode("ascii")


def _following(address: Address, location: str) -> Address | None:
    try:
        return address_of(urljoin(address.url, location))
    except ValueError:
        return None


def _seconds(head: Head) -> float:
    """How long a host wants to be left alone: a number, or a moment by its own clock; 0 if it does not say."""
    if re.fullmatch(r"\d{1,9}", head.retry_after):
        return float(head.retry_after)
    if not head.retry_after:
        return 0.0
    try:
        wait = parsedate_to_datetime(head.retry_after) - parsedate_to_datetime(head.date)
    except (ValueError, TypeError, OverflowError):  # no date, one past all calendars, or only one with a time zone
        return float("inf")
    return max(0.0, wait.total_seconds())


def _judged(start: Address, end: Address, status: int, *, permanent: bool) -> Answer:
    """What the last answer says about the first address. Only those who say that there is nothing are believed."""
    if status in GONE:
        return Answer("dead", "status", str(status))
    return Answer("alive", moved=end.url if permanent and status in (200, 206) and _is_move(start, end) else "")


def _is_move(start: Address, end: Address) -> bool:
    """Whether one address is the new one of the other's page, and not just a door or the front of the house."""
    if end.target == "/" and start.target != "/":
        return False
    if (start.scheme, start.authority, start.target.rstrip("/")) == (end.scheme, end.authority, end.target.rstrip("/")):
        return False
    return bool(_DOORS.search(_host_and_path(start))) or not _DOORS.search(_host_and_path(end))


def _host_and_path(address: Address) -> str:
    return f"{address.host}{address.target.partition('?')[0]}"

"""Requests many URLs: a few at once, but only one at a time per host, with retries after passing failures."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from email.utils import parsedate_to_datetime
from typing import Literal

import msgspec

from devlog import __version__
from devlog.http.reach import ForbiddenError, PrivateHostError, ProxyError, Reach
from devlog.http.request_url import REDIRECTS, Address, following, fragment_of
from devlog.http.response_head import Head, NotHttpError, read_head

USER_AGENT = f"devlog/{__version__} (checks links)"

PERMANENT = frozenset({301, 308})
BUSY = frozenset({429, 503})
GONE = frozenset({404, 410})

KNOWN_HOST = "example.com"
"""A host name that every public name server knows, which shows whether names can be resolved at all."""

Why = Literal["status", "no-host", "lookup", "refused", "slow", "broken", "certificate", "not-http", "circles", "proxy"]
Verdict = Literal["alive", "dead", "unknown", "private", "closed"]

# Pages for logging in, consent and the like, to which servers redirect unknown clients whatever they request.
_DOORS = re.compile(
    r"(?:^|[/._-])(?:log-?in|sign-?in|sign-?up|sso|saml|oauth2?|auth|authorize|account|accounts|consent|cookies?|captcha"
    r"|challenge|blocked|denied|error|404)(?:[/._-]|$)",
    re.IGNORECASE,
)


class Pace(msgspec.Struct, frozen=True):
    """Limits and delays of requests; all times are in seconds.

    Attributes:
        at_once: the maximum number of concurrent requests.
        request: the time limit for one request.
        overall: the time limit for all requests together.
        pause: the delay between two requests to one host.
        again: the delays before each retry.
        patience: the maximum delay that a host may ask for with ``Retry-After``.
        hops: the maximum number of redirects to follow.
        strikes: after this many URLs in a row without an answer in time, a host gets no more requests.
        hopeless: if this many hosts cannot be reached and none has been, the remaining ones are not tried.
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
    """The result of requesting a URL.

    Attributes:
        verdict: whether the link works; ``unknown`` if its host gave no definite answer now, ``private`` if the host
            has no public IP address, ``closed`` if the URL may never be requested.
        why: the reason if it is dead.
        detail: more about the reason, such as an HTTP status.
        moved: the new URL if the page has permanently moved; with a fragment if a redirect names one.
    """

    verdict: Verdict
    why: Why | Literal[""] = ""
    detail: str = ""
    moved: str = ""


UNKNOWN = Answer("unknown")
PRIVATE = Answer("private")
CLOSED = Answer("closed")


class _Host:
    """The state of a host during a check."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.ready = 0.0  # the earliest time of the next request
        self.strikes = 0
        self.unreachable: dict[tuple[str, int], Answer] = {}


def ask_all(
    addresses: Iterable[Address], reach: Reach, pace: Pace, on_answer: Callable[[Address, Answer], None]
) -> bool:
    """Request URLs, as many as the time limit allows.

    Args:
        addresses: the URLs, each once.
        reach: opens the connections.
        pace: limits and delays.
        on_answer: called with each answer as soon as it is known.

    Returns:
        Whether any host could be reached. If not, the answers are about this machine's connection, not about the links.
    """
    return asyncio.run(_Asking(reach, pace).all(addresses, on_answer))


class _Asking:
    """A check of many URLs."""

    def __init__(self, reach: Reach, pace: Pace) -> None:
        self._reach = reach
        self._pace = pace
        self._slots = asyncio.Semaphore(pace.at_once)
        self._hosts: dict[str, _Host] = {}
        self._reached = False
        self._silent: set[str] = set()  # hosts that cannot be reached
        self._nameless: set[str] = set()  # hosts whose names do not exist
        self._names: asyncio.Future[Sequence[str]] | None = None  # the lookup of `KNOWN_HOST`

    async def all(self, addresses: Iterable[Address], on_answer: Callable[[Address, Answer], None]) -> bool:
        async def ask(address: Address) -> None:
            on_answer(address, await self._answer(address))

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.overall), asyncio.TaskGroup() as group:
                for address in addresses:
                    group.create_task(ask(address))
        return self._reached or await self._is_online()

    async def _is_online(self) -> bool:
        """Whether this machine is online though no host could be reached: one or two hosts may be down."""
        if not self._silent and not self._nameless:
            return True
        return len(self._silent) <= 2 and await self._knows_names()

    async def _answer(self, start: Address) -> Answer:
        """Request a URL, and follow its redirects."""
        address, fragment, permanent, cookies, seen = start, "", True, False, {start}
        for _ in range(self._pace.hops + 1):
            head = await self._settled(address)
            if isinstance(head, Answer):
                return head
            if head.status not in REDIRECTS or not head.location:
                answer = _judged(start, address, head.status, permanent=permanent)
                return msgspec.structs.replace(answer, moved=answer.moved + fragment) if answer.moved else answer
            permanent = permanent and head.status in PERMANENT
            cookies = cookies or head.sets_cookie
            target = following(address, head.location)
            if target is None:
                return CLOSED
            if target in seen:
                break
            seen.add(target)
            address, fragment = target, fragment_of(head.location) or fragment
        # Bot protection redirects in circles until the client returns a cookie.
        return UNKNOWN if cookies else Answer("dead", "circles")

    async def _settled(self, address: Address) -> Head | Answer:
        """The answer of one URL, after retries until it is definite; or a verdict if there is none."""
        host = self._hosts.setdefault(address.host, _Host())
        method, waits = "HEAD", list(self._pace.again)
        while True:
            found = await self._in_turn(host, address, method)
            if isinstance(found, Head):
                if method == "HEAD" and found.status >= 400 and found.status not in BUSY:
                    method = "GET"  # some servers answer correctly only to GET
                    continue
                if not 500 <= found.status < 600 and found.status not in BUSY:
                    host.strikes = 0
                    return found
                if found.status in BUSY and not self._has_patience(host, found, waits):
                    host.strikes = self._pace.strikes  # the host wants no more requests now
                    return UNKNOWN
                if not waits:
                    return Answer("dead", "status", str(found.status))
            elif found.verdict != "dead" or found.why in ("no-host", "certificate", "not-http") or not waits:
                return self._given_up(host, address, found)
            if not (isinstance(found, Head) and found.status in BUSY):
                method, waits = "GET", waits[:2]  # a busy host gets more chances than a broken one
            await asyncio.sleep(waits.pop(0))

    def _has_patience(self, host: _Host, head: Head, waits: list[float]) -> bool:
        """Whether to retry at a busy host. If it says when, all requests to it wait until then."""
        if not waits:
            return False
        seconds = _seconds(head)
        if seconds > self._pace.patience:
            return False
        host.ready = max(host.ready, asyncio.get_running_loop().time() + seconds)
        return True

    def _given_up(self, host: _Host, address: Address, answer: Answer) -> Answer:
        """Record the failures that apply to all URLs of a host; returns the answer."""
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
        """Whether this machine seems to be offline: so many hosts could not be reached, and no other one was.

        Posts may link to hosts that never existed: these do not count if `KNOWN_HOST` can be resolved.
        """
        if self._reached or len(self._silent | self._nameless) < hosts:
            return False
        return len(self._silent) >= hosts or not await self._knows_names()

    async def _knows_names(self) -> bool:
        """Whether host names can be resolved on this machine."""
        if self._names is None:
            self._names = asyncio.ensure_future(self._reach.look_up(KNOWN_HOST, 443))
        try:
            async with asyncio.timeout(self._pace.request):
                return bool(await asyncio.shield(self._names))
        except OSError:  # includes TimeoutError
            return False

    async def _in_turn(self, host: _Host, address: Address, method: str) -> Head | Answer:
        """Make one request, once no other one to its host is running and the limit of requests allows it."""
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
    """Make one request, and return the head of its answer or the reason of its failure."""
    try:
        async with reach.connect(address) as streams:
            streams.writer.write(_request(reach, address, method))
            return await read_head(streams.reader)
    except ForbiddenError as error:
        return PRIVATE if isinstance(error, PrivateHostError) else CLOSED
    except ProxyError as error:
        return Answer("dead", "proxy", str(error)) if error.status >= 500 else UNKNOWN
    except TimeoutError:  # the system's own timeout may be shorter
        return Answer("dead", "slow")
    except (NotHttpError, UnicodeError, OSError) as error:
        why = next(why for kind, why in _WHY if isinstance(error, kind))
        return Answer("dead", "lookup" if _is_passing(error) else why, _detail(error))


# The first matching type decides.
_WHY: tuple[tuple[type[Exception], Why], ...] = (
    (NotHttpError, "not-http"),
    (UnicodeError, "no-host"),  # a name that the system rejects
    (socket.gaierror, "no-host"),
    (ssl.SSLError, "certificate"),
    (ConnectionResetError, "broken"),
    (ConnectionAbortedError, "broken"),
    (BrokenPipeError, "broken"),
    (OSError, "refused"),
)


def _is_passing(error: Exception) -> bool:
    """Whether a name could not be resolved now, which does not mean that it does not exist."""
    return isinstance(error, socket.gaierror) and error.errno in (socket.EAI_AGAIN, socket.EAI_FAIL)


def _detail(error: Exception) -> str:
    """The reason of a failed TLS handshake; else empty."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message.rstrip(".")
    return (error.reason or "it fails").replace("_", " ").lower() if isinstance(error, ssl.SSLError) else ""


def _request(reach: Reach, address: Address, method: str) -> bytes:
    """The bytes of a request. They reveal nothing about the user, except that devlog sends it."""
    fields = [
        f"User-Agent: {USER_AGENT}",
        "Accept: */*",
        "Accept-Encoding: identity",
        *(["Range: bytes=0-0"] if method == "GET" else []),
    ]
    return reach.request(method, address, fields)


def _seconds(head: Head) -> float:
    """The delay in seconds that ``Retry-After`` asks for, as a number or a date by the host's clock; 0 if missing."""
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
    """The verdict for the first URL by the status of the last one. Only 404 and 410 count as dead."""
    if status in GONE:
        return Answer("dead", "status", str(status))
    return Answer("alive", moved=end.url if permanent and status in (200, 206) and _is_move(start, end) else "")


def _is_move(start: Address, end: Address) -> bool:
    """Whether the end of redirects is the new URL of the page, rather than a login page or the home page.

    One without encryption never is: servers behind a proxy that encrypts for them often redirect so by mistake.
    """
    if (start.scheme, end.scheme) == ("https", "http"):
        return False
    if end.target == "/" and start.target != "/":
        return False
    if (start.scheme, start.authority, start.target.rstrip("/")) == (end.scheme, end.authority, end.target.rstrip("/")):
        return False
    return bool(_DOORS.search(_host_and_path(start))) or not _DOORS.search(_host_and_path(end))


def _host_and_path(address: Address) -> str:
    return f"{address.host}{address.target.partition('?')[0]}"

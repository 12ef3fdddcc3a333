"""Access control of the preview: pure functions that accept or refuse a request by its head.

The preview shows unpublished posts, and every page in the same browser can send requests to it. So it answers only
requests for the host names it was started with (an attacker's domain may resolve to this machine), and only those from
its own pages, from the address bar, and from links that are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from unicodedata import category
from urllib.parse import unquote_to_bytes

import msgspec

from devlog.model.composed import composed
from devlog.model.outpath import PREVIEW

OWN = f"/{PREVIEW}/"
"""The path prefix of the preview's own scripts and event streams, whatever the site's base path."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_NAME = re.compile(rf"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|{_LABEL}(?:\.{_LABEL})*)(?::(?P<port>[1-9][0-9]{{0,4}}))?")

_LONGEST = 16384  # bytes: longer than the percent-encoded path of any file

Headers = list[tuple[bytes, bytes]]
"""Names, in lower case, with their values."""


class Allowed(msgspec.Struct, frozen=True):
    """The hosts and origins that the preview accepts.

    Attributes:
        hosts: values of the ``Host`` header, with the port.
        origins: values of the ``Origin`` header.
    """

    hosts: frozenset[str]
    origins: frozenset[str]


class Refusal(msgspec.Struct, frozen=True):
    """The answer to a request that is refused.

    Attributes:
        status: the HTTP status.
        reason: shown to the user.
    """

    status: int
    reason: str


WRONG_HOST = Refusal(421, "This preview does not answer to this host name.")
CROSS_SITE = Refusal(403, "Other sites cannot read this preview.")
NO_PAGE = Refusal(403, "Other sites can only lead to pages of this preview.")
WRONG_METHOD = Refusal(405, "The preview is read-only.")
NOT_FOUND = Refusal(404, "Page not found.")


def allow(port: int, names: Iterable[str] = (), host: str = "") -> Allowed:
    """The hosts and origins that a preview accepts.

    Args:
        port: the port that it listens on.
        names: host names to accept in addition to those of this machine, with a port if a proxy uses another one.
        host: the host that it listens on; accepted too if it is a loopback address.
    """
    hosts: set[str] = set()
    origins: set[str] = set()
    listening = (host,) if is_loopback(host) else ()
    for name in (*LOOPBACK, *listening, *names):
        own_name, own_port = _split(name.lower())
        origin = address(name.lower(), port)
        origins.add(origin)
        hosts |= {f"{own_name}:{own_port or port}", origin.partition("://")[2]}
    return Allowed(frozenset(hosts), frozenset(origins))


def address(name: str, port: int) -> str:
    """The scheme, host and port of the preview's URLs, which browsers send as the origin of its pages.

    Args:
        name: a host name, as given on the command line; port 443 in it means that a proxy provides HTTPS.
        port: the port that the preview listens on.
    """
    host, own_port = _split(name)
    if own_port == "443":
        return f"https://{host}"
    number = own_port or str(port)
    return f"http://{host}" if number == "80" else f"http://{host}:{number}"


def is_name(name: str) -> bool:
    """Whether this is a valid host in a request: a host name or IP address, optionally with a port."""
    match = _NAME.fullmatch(name)
    if match is None or int(match["port"] or 1) > 65535:
        return False
    try:
        return not match["address"] or bool(IPv6Address(match["address"]).compressed)
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether a host name or IP address is a loopback address, which only this machine can reach."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _split(name: str) -> tuple[str, str]:
    """A host and its port, which may be empty; an IPv6 address gets brackets."""
    if name.count(":") > 1 and not name.startswith("["):
        return f"[{name}]", ""
    match = re.fullmatch(r"(.*?)(?::([0-9]+))?", name)
    return (match[1], match[2] or "") if match else (name, "")


def refusal(method: str, target: bytes, headers: Headers, allowed: Allowed) -> Refusal | None:
    """The refusal of a request; `None` if it is accepted.

    The host is checked first, so that a request for an unknown host learns nothing else.

    Args:
        method: the HTTP method.
        target: the request target as sent, without its query.
        headers: of the request.
        allowed: the hosts and origins to accept.
    """
    host = [value.decode("latin-1").lower() for value in values(headers, b"host")]
    if len(host) != 1 or host[0] not in allowed.hosts or origin_form(target, allowed) is None:
        return WRONG_HOST
    if is_foreign(headers) and (not _is_visit(headers) or _is_own(target, allowed)):
        return CROSS_SITE
    if any(value.decode("latin-1") not in allowed.origins for value in values(headers, b"origin")):
        return CROSS_SITE
    return None if method in {"GET", "HEAD"} else WRONG_METHOD


def is_foreign(headers: Headers) -> bool:
    """Whether another site's page sent this request, by ``Sec-Fetch-Site``, which old browsers and programs omit."""
    return any(value not in {b"same-origin", b"none"} for value in values(headers, b"sec-fetch-site"))


def _is_visit(headers: Headers) -> bool:
    """Whether the answer becomes the document of a tab, which no other page can read."""
    return values(headers, b"sec-fetch-mode") == [b"navigate"] and values(headers, b"sec-fetch-dest") == [b"document"]


def _is_own(target: bytes, allowed: Allowed) -> bool:
    path = decode_path(origin_form(target, allowed) or b"")
    return path is not None and path.startswith(OWN)


def origin_form(target: bytes, allowed: Allowed) -> bytes | None:
    """A request target without the scheme and host that clients send to proxies; `None` if the host is not accepted."""
    if target[:7].lower() != b"http://":
        return target
    host, slash, path = target[7:].partition(b"/")
    return slash + path or b"/" if host.decode("latin-1").lower() in allowed.hosts else None


def decode_path(raw: bytes) -> str | None:
    """A percent-encoded path, decoded once and normalized to NFC; `None` if no page can have it.

    A path that begins with two slashes is refused: as the location of a redirect it would name another server.
    """
    if len(raw) > _LONGEST:
        return None
    try:
        path = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not path.startswith("/") or path.startswith("//") or "\\" in path:
        return None
    return None if any(category(character) == "Cc" for character in path) else composed(path)


def asked_page(query: bytes) -> str | None:
    """The path of the page that a tab shows, from the query of its event stream; `None` if missing or invalid."""
    for field in query.split(b"&"):
        name, _, value = field.partition(b"=")
        if name == b"page":
            page = decode_path(value)  # a plus sign is literal: scripts encode spaces as %20
            return page if page is not None and len(page) <= 2000 else None
    return None


def values(headers: Headers, name: bytes) -> list[bytes]:
    """All values of a header."""
    return [value for other, value in headers if other == name]


def has_body(headers: Headers) -> bool:
    """Whether a request has a body."""
    return bool(values(headers, b"transfer-encoding")) or values(headers, b"content-length") not in ([], [b"0"])


def protection(policy: str) -> Headers:
    """The security headers of an answer.

    Args:
        policy: its content security policy. Other pages may never frame it, unless the policy allows that.
    """
    policy = " ".join(re.sub(r"[^\x21-\x7e]", " ", policy).split())
    if "frame-ancestors" not in {directive.split(maxsplit=1)[0].lower() for directive in _directives(policy)}:
        policy = "; ".join([*_directives(policy), "frame-ancestors 'none'"])
    return [
        (b"cache-control", b"no-store"),
        (b"content-security-policy", policy.encode("ascii")),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
    ]


def _directives(policy: str) -> list[str]:
    return [directive.strip() for directive in policy.split(";") if directive.strip()]

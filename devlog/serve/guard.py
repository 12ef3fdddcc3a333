"""Who may ask the preview, and for what: pure functions over a request's first lines.

The preview shows unpublished texts, and every page in the same browser can send requests to it. So it answers only
under the names it was started with (a stranger's name may be made to lead here), and only to its own pages, to the
address line, and to links that are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from unicodedata import category, normalize
from urllib.parse import unquote_to_bytes

import msgspec

OWN = "/__devlog__/"
"""What is below this path is the preview's own, whatever the site's base path."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_NAME = re.compile(rf"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|{_LABEL}(?:\.{_LABEL})*)(?::(?P<port>[1-9][0-9]{{0,4}}))?")

_LONGEST = 16384  # more than any file's path has, percent-encoded

Headers = list[tuple[bytes, bytes]]
"""Names, in lower case, and values."""


class Allowed(msgspec.Struct, frozen=True):
    """The names that the preview answers to.

    Attributes:
        hosts: as the ``Host`` header gives them, with the port.
        origins: as the ``Origin`` header gives them.
    """

    hosts: frozenset[str]
    origins: frozenset[str]


class Refusal(msgspec.Struct, frozen=True):
    """Why a request gets no answer from the site.

    Attributes:
        status: of HTTP.
    """

    status: int
    reason: str


WRONG_HOST = Refusal(421, "This preview does not answer to this host name.")
CROSS_SITE = Refusal(403, "Other sites cannot read this preview.")
NO_PAGE = Refusal(403, "Other sites can only lead to pages of this preview.")
WRONG_METHOD = Refusal(405, "The preview is read-only.")
NOT_FOUND = Refusal(404, "Page not found.")


def allow(port: int, names: Iterable[str] = (), host: str = "") -> Allowed:
    """What a preview on a port answers to.

    Args:
        port: that it listens on.
        names: accepted beside those of this machine; with a port of their own when something stands in between.
        host: that it listens on; accepted too when only this machine can reach it.
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
    """Scheme and authority under which browsers find the preview, and which they send as the origin of its pages.

    Args:
        name: as the preview was given it; with port 443 of its own, something that speaks HTTPS stands in between.
        port: that the preview listens on.
    """
    host, own_port = _split(name)
    if own_port == "443":
        return f"https://{host}"
    number = own_port or str(port)
    return f"http://{host}" if number == "80" else f"http://{host}:{number}"


def is_name(name: str) -> bool:
    """Whether requests can name a host so: by its name or address, and maybe its port."""
    match = _NAME.fullmatch(name)
    if match is None or int(match["port"] or 1) > 65535:
        return False
    try:
        return not match["address"] or bool(IPv6Address(match["address"]).compressed)
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens on a name or address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _split(name: str) -> tuple[str, str]:
    """A name and its port, which may be missing; an IPv6 address gets its brackets."""
    if name.count(":") > 1 and not name.startswith("["):
        return f"[{name}]", ""
    match = re.fullmatch(r"(.*?)(?::([0-9]+))?", name)
    return (match[1], match[2] or "") if match else (name, "")


def refusal(method: str, target: bytes, headers: Headers, allowed: Allowed) -> Refusal | None:
    """Why a request is refused, if it is. The name it is sent to comes first: nothing else is told to strangers.

    Args:
        method: of HTTP.
        target: up to its query, as sent.
        headers: of the request.
        allowed: the names the preview answers to.
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
    """Whether the browser says that another site's page sends this. Old browsers, and other clients, do not say."""
    return any(value not in {b"same-origin", b"none"} for value in values(headers, b"sec-fetch-site"))


def _is_visit(headers: Headers) -> bool:
    """Whether the answer becomes a tab of its own, which no other page can look into."""
    return values(headers, b"sec-fetch-mode") == [b"navigate"] and values(headers, b"sec-fetch-dest") == [b"document"]


def _is_own(target: bytes, allowed: Allowed) -> bool:
    path = decode_path(origin_form(target, allowed) or b"")
    return path is not None and path.startswith(OWN)


def origin_form(target: bytes, allowed: Allowed) -> bytes | None:
    """A target without the scheme and host that proxies are sent; `None` if they are not the preview's."""
    if target[:7].lower() != b"http://":
        return target
    host, slash, path = target[7:].partition(b"/")
    return slash + path or b"/" if host.decode("latin-1").lower() in allowed.hosts else None


def decode_path(raw: bytes) -> str | None:
    """The path that a percent-encoded one stands for, decoded once; `None` if no page can have it.

    A path that begins with two slashes is no path of this server when it is sent back as a place to go to.
    """
    if len(raw) > _LONGEST:
        return None
    try:
        path = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not path.startswith("/") or path.startswith("//") or "\\" in path:
        return None
    return None if any(category(character) == "Cc" for character in path) else normalize("NFC", path)


def asked_page(query: bytes) -> str | None:
    """The page that a tab shows, from the query of its event stream; `None` if there is none, or none can be so."""
    for field in query.split(b"&"):
        name, _, value = field.partition(b"=")
        if name == b"page":
            page = decode_path(value)  # a plus sign is one: scripts encode spaces as %20
            return page if page is not None and len(page) <= 2000 else None
    return None


def values(headers: Headers, name: bytes) -> list[bytes]:
    """Every value of a header."""
    return [value for other, value in headers if other == name]


def has_body(headers: Headers) -> bool:
    """Whether more follows a request's first lines."""
    return bool(values(headers, b"transfer-encoding")) or values(headers, b"content-length") not in ([], [b"0"])


def protection(policy: str) -> Headers:
    """What every answer says of who may use it.

    Args:
        policy: what this answer may load (Content-Security-Policy). Other pages may never frame it.
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

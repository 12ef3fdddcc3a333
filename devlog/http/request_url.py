"""Parses the URLs of links into requests, and rejects those that may not be requested."""

from __future__ import annotations

import re
import socket
from encodings.idna import nameprep
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from itertools import filterfalse
from unicodedata import normalize
from urllib.parse import quote, urljoin, urlsplit

import msgspec

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""The statuses of responses that refer to another URL."""

LONGEST = 4_000
"""The maximum number of characters in a URL."""
_LONGEST_NAME = 253
_LONGEST_LABEL = 63

_DEFAULT_PORTS = {"http": 80, "https": 443}
_DOT = re.compile("[.\u3002\uff0e\uff61]")  # what separates the labels of a name (RFC 3490, section 3.1)
_DEVIATIONS = "\u00df\u03c2\u200c\u200d"
"""Characters that IDNA 2003 drops or replaces, but browsers keep: “ß”, “ς”, the zero-width non-joiner and joiner."""
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER_AT_END = re.compile(r"(?:.*\.)?(?:0x[0-9a-f]*|\d+)", re.DOTALL)
# Special-use domain names (RFC 6761 and similar), which no public server ever has.
_SPECIAL = re.compile(
    r"(?:.*\.)?(?:localhost|local|localdomain|internal|intranet|test|example|invalid|onion|home\.arpa)"
)
_SAFE = "%/:;=@&!$'()*+,~-._"

_NAT64 = ip_network("64:ff9b::/96")
# Networks that Python's tables do not list as special, or did not in some of the supported versions.
_MORE = tuple(
    ip_network(name)
    for name in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "64:ff9b:1::/48", "3fff::/20", "5f00::/16")
)  # at 168.63.129.16, machines in the Azure cloud query data about themselves


class Address(msgspec.Struct, frozen=True):
    """A URL that can be requested.

    Attributes:
        scheme: ``http`` or ``https``.
        host: a host name or IP address.
        port: of the server.
        target: the path with the query, as it is sent.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port, as in the ``Host`` field."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The complete URL."""
        return f"{self.scheme}://{self.authority}{self.target}"


def address_of(url: str) -> Address | None:
    """The request for the URL of a link, without its fragment, which is not sent to servers.

    Returns:
        `None` for URLs that are never requested: those with other schemes, with user names or passwords, with host
        names that are not public, and invalid ones.
    """
    if len(url) > LONGEST:
        return None
    try:
        parts = urlsplit(f"https:{url}" if url.startswith("//") else url)
        port, name = parts.port, parts.hostname
        query = f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else ""
        path = quote(parts.path or "/", safe=_SAFE)
    except ValueError:  # includes UnicodeError, for a lone surrogate, which no request can contain
        return None
    if parts.scheme not in _DEFAULT_PORTS or not name or "@" in parts.netloc:
        return None
    host = _usual(name) if "[" in parts.netloc else _host(name)
    if not host:
        return None
    return Address(parts.scheme, host, _DEFAULT_PORTS[parts.scheme] if port is None else port, path + query)


def following(address: Address, location: str) -> Address | None:
    """The target of a redirect; `None` if it may not be requested."""
    if len(location) > LONGEST:
        return None
    try:
        return address_of(urljoin(address.url, location))
    except ValueError:
        return None


def fragment_of(location: str) -> str:
    """The fragment of a redirect's target with its ``#``, which counts instead of that of the link; empty if none."""
    fragment = location.partition("#")[2]
    return f"#{quote(fragment, safe=_SAFE + '?')}" if fragment else ""


def _host(name: str) -> str:
    """A host name as it is resolved, or an IPv4 address in its canonical form; empty if it is neither.

    Names that are too long are refused before they are encoded, since that takes time that grows with the square of
    their length. Hardly any name gets shorter by it. Those that browsers encode otherwise are refused, too: they would
    be the names of other servers, maybe of other owners.
    """
    labels = _DOT.split(name.rstrip("."))
    if len(name) > _LONGEST_NAME + 1 or max(map(len, labels)) > _LONGEST_LABEL:
        return ""
    if any(map(_is_ambiguous, filterfalse(str.isascii, name))):
        return ""
    try:
        host = name.encode("idna").decode().lower().rstrip(".")
    except UnicodeError:
        return ""
    if _NUMBER_AT_END.fullmatch(host):  # 127.1, 0x7f000001 and 2130706433 are all the same address
        try:
            return socket.inet_ntoa(socket.inet_aton(host))
        except (OSError, ValueError):  # not an IPv4 address, or with a null character
            return ""
    return host if _NAME.fullmatch(host) and len(host) <= _LONGEST_NAME and not _SPECIAL.fullmatch(host) else ""


def _is_ambiguous(character: str) -> bool:
    """Whether IDNA 2003, which Python has, maps a character of a name otherwise than browsers do (UTS 46)."""
    try:
        mapped = nameprep(character)
    except UnicodeError:  # prohibited
        return True
    return character in _DEVIATIONS or mapped not in ("", normalize("NFKC", normalize("NFKC", character).casefold()))


def _usual(name: str) -> str:
    """An IPv6 address in its canonical form; empty if it is invalid, or has a zone and so is only valid locally."""
    try:
        return "" if "%" in name else str(IPv6Address(name))
    except ValueError:
        return ""


def is_ip(host: str) -> bool:
    """Whether a host is an IP address rather than a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_global(text: str) -> bool:
    """Whether an IP address is on the public internet, rather than this machine or a private network."""
    if "%" in text:
        return False
    try:
        address = ip_address(text)
    except ValueError:
        return False
    inner = _inner(address)
    if inner:
        return is_global(str(inner))
    closed = address.is_multicast or address.is_reserved or (address.version == 6 and address.is_site_local)
    return address.is_global and not closed and not any(address in network for network in _MORE)


def _inner(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """The IPv4 address that is embedded in an IPv6 address (NAT64, mapped or 6to4); `None` if there is none."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour

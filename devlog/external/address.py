"""Addresses that may be asked: what of a link is sent where."""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote, urlsplit

import msgspec

LONGEST = 4_000
"""So many characters an address may have."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER_AT_END = re.compile(r"(?:.*\.)?(?:0x[0-9a-f]*|\d+)", re.DOTALL)
# RFC 6761 and its like: names that no public server ever has.
_SPECIAL = re.compile(
    r"(?:.*\.)?(?:localhost|local|localdomain|internal|intranet|test|example|invalid|onion|home\.arpa)"
)
_SAFE = "%/:;=@&!$'()*+,~-._"

_NAT64 = ip_network("64:ff9b::/96")
# What Python's tables leave out, or did in some of the versions that we support.
_MORE = tuple(
    ip_network(name)
    for name in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "64:ff9b:1::/48", "3fff::/20", "5f00::/16")
)  # 168.63.129.16 is what machines in one large cloud ask about themselves


class Address(msgspec.Struct, frozen=True):
    """What is asked: `target` is the path with the query, as it is sent."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port, as the ``Host`` field has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address as a whole."""
        return f"{self.scheme}://{self.authority}{self.target}"


def address_of(url: str) -> Address | None:
    """What to ask for a link: its fragment is of no concern to the server.

    Returns:
        `None` for what is never asked: other schemes, names or passwords in the address, names that are not public,
        and what is no address at all.
    """
    if len(url) > LONGEST:
        return None
    try:
        parts = urlsplit(f"https:{url}" if url.startswith("//") else url)
        port, name = parts.port, parts.hostname
        query = f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else ""
        path = quote(parts.path or "/", safe=_SAFE)
    except ValueError:  # or half a character, which no request can hold
        return None
    if parts.scheme not in _DEFAULT_PORTS or not name or "@" in parts.netloc:
        return None
    host = _usual(name) if "[" in parts.netloc else _host(name)
    if not host:
        return None
    return Address(parts.scheme, host, _DEFAULT_PORTS[parts.scheme] if port is None else port, path + query)


def _host(name: str) -> str:
    """The name of a host as it is looked up, or an IP address in its usual form; empty if it is neither."""
    try:
        host = name.encode("idna").decode().lower().rstrip(".")
    except UnicodeError:
        return ""
    if _NUMBER_AT_END.fullmatch(host):  # 127.1, 0x7f000001 and 2130706433 are all the same address
        try:
            return socket.inet_ntoa(socket.inet_aton(host))
        except (OSError, ValueError):  # no number, or a NUL in it
            return ""
    return host if _NAME.fullmatch(host) and len(host) <= 253 and not _SPECIAL.fullmatch(host) else ""


def _usual(name: str) -> str:
    """An IPv6 address in its usual form; empty if it is none, or one that only a part of the network here has."""
    try:
        return "" if "%" in name else str(IPv6Address(name))
    except ValueError:
        return ""


def is_ip(host: str) -> bool:
    """Whether a host is given by its address."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_global(text: str) -> bool:
    """Whether an IP address is one of the public internet, and not of this machine or the network around it."""
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
    """The IPv4 address that an IPv6 address stands for."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour

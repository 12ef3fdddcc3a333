"""Proxies, as the environment names them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment


class BadProxyError(OSError):
    """The environment names a proxy, but not by a valid URL. Hosts cannot be reached then."""

    def __init__(self, scheme: str) -> None:
        super().__init__(f"the environment variable “{scheme}_proxy” is not a valid URL of a proxy")


class Proxy(NamedTuple):
    """A proxy server.

    Attributes:
        host: of the proxy.
        port: of the proxy.
        login: user name and password, encoded in Base64; empty if there are none.
    """

    host: str
    port: int
    login: str

    @property
    def field(self) -> str:
        """The header line that authenticates to the proxy; empty if there is no login."""
        return f"Proxy-Authorization: Basic {self.login}\r\n" if self.login else ""


def proxy_of(url: str, scheme: str) -> Proxy | None:
    """The proxy that a URL names; `None` if it is of a kind that devlog does not use.

    Args:
        url: as in the environment, with or without ``http://``.
        scheme: that of the requests for which the proxy is.

    Raises:
        BadProxyError: the URL is malformed.
    """
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or 80
    except ValueError:
        raise BadProxyError(scheme) from None
    if parts.scheme != "http" or not parts.hostname:
        return None
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return Proxy(parts.hostname, port, base64.b64encode(login.encode()).decode())


def proxy_fault(proxies: Mapping[str, str] | None = None) -> str:
    """What is wrong with the proxies that the environment names; empty if nothing is.

    Args:
        proxies: URLs by scheme; `None` for those of the environment.
    """
    known = getproxies_environment() if proxies is None else proxies
    for scheme in ("https", "http"):
        try:
            proxy_of(known.get(scheme, ""), scheme)
        except BadProxyError as error:
            return str(error)
    return ""


def is_spared(host: str, spared: str) -> bool:
    """Whether a host is in a ``no_proxy`` list, whose names include all their subdomains."""
    names = (name.strip().lower().removeprefix("*").lstrip(".") for name in spared.split(","))
    return spared.strip() == "*" or any(name and f".{host}".endswith(f".{name}") for name in names)

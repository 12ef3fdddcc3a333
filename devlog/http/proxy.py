"""Proxies, as the environment names them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment


class BadProxyError(OSError):
    """The environment names a proxy, but none that devlog can use.

    Hosts cannot be reached then: to reach them directly would tell them who asks, which the proxy may be there to hide.
    """


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


def proxy_for(scheme: str, proxies: Mapping[str, str]) -> Proxy | None:
    """The proxy for requests; `None` if there is none.

    Args:
        scheme: of the requests.
        proxies: URLs by scheme, with or without ``http://``; ``all`` counts for schemes that have none.

    Raises:
        BadProxyError: the URL is malformed, or that of another kind of proxy.
    """
    name = scheme if proxies.get(scheme) else "all"
    url = proxies.get(name, "")
    if not url:
        return None
    variable = f"the environment variable “{name}_proxy”"
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port, host = parts.port or 80, parts.hostname
    except ValueError:
        host = None
    if not host:
        raise BadProxyError(f"{variable} is not a valid URL of a proxy")
    if parts.scheme != "http":
        raise BadProxyError(f"{variable} names a kind of proxy that devlog does not use: only http:// URLs work")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return Proxy(host, port, base64.b64encode(login.encode()).decode())


def proxy_fault(proxies: Mapping[str, str] | None = None, host: str = "") -> str:
    """What is wrong with the proxies that the environment names; empty if nothing is.

    Args:
        proxies: URLs by scheme; `None` for those of the environment.
        host: that is to be reached; empty for any.
    """
    known = getproxies_environment() if proxies is None else proxies
    if is_spared(host, known.get("no", "")):
        return ""
    for scheme in ("https", "http"):
        try:
            proxy_for(scheme, known)
        except BadProxyError as error:
            return str(error)
    return ""


def is_spared(host: str, spared: str) -> bool:
    """Whether a host is in a ``no_proxy`` list, whose names include all their subdomains."""
    names = (name.strip().lower().removeprefix("*").lstrip(".") for name in spared.split(","))
    return spared.strip() == "*" or any(name and f".{host}".endswith(f".{name}") for name in names)

"""Compares URLs: whether two of them may be of the same repository on another machine."""

from __future__ import annotations

import os
import posixpath
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

_PORTS = {"http": "80", "https": "443", "git": "9418"}
"""The ports without one in the URL. For ssh it is unknown, as is the user: its own configuration can name both."""
_SSH = ("ssh", "git+ssh", "ssh+git")
_SUFFIX = ".git"


class _Place(NamedTuple):
    """The parts of a URL.

    Attributes:
        protocol: its name.
        host: in lower case.
        port: in decimal digits; empty if it is unknown.
        path: from the root of the server, or of the home folder; see `_normal`.
        owner: of the home folder, in which the path is; empty if it is unknown, `None` if the path is in none.
        has_tilde: whether the path names the home folder. Otherwise, the server may have the same repositories for all
            users, as GitHub does.
    """

    protocol: str
    host: str
    port: str
    path: str
    owner: str | None
    has_tilde: bool


def may_be_same(one: str, other: str) -> bool:
    """Whether two places may be the same repository.

    In case of doubt they are, since the site could take the branch that writers are about to push. Servers have a
    repository at several URLs: of several protocols, each with a port of its own, below a home folder and not.

    Args:
        one: an absolute folder, or a URL on another machine, also as ``host:path``.
        other: likewise.
    """
    first, second = _parsed(one), _parsed(other)
    if first is None or second is None:
        return one == other
    if first.host != second.host:
        return False
    if first.protocol == second.protocol and first.port and second.port and first.port != second.port:
        return False
    if first.owner is not None and second.owner is not None:
        is_other = bool(first.owner and second.owner) and first.owner != second.owner
        return first.path == second.path and not (is_other and (first.has_tilde or second.has_tilde))
    return first.path == second.path or _is_below_home(first, second) or _is_below_home(second, first)


def _is_below_home(place: _Place, whole: _Place) -> bool:
    """Whether a place below a home folder may be another one that is not: ``~ada/log`` may be ``/home/ada/log``."""
    if place.owner is None:
        return False
    below = f"{place.owner}/{place.path}" if place.owner else place.path
    paths = whole.path, whole.path.removeprefix("~")  # as some servers name a user, whatever the protocol
    return any(f"/{path}".endswith(f"/{below.lower()}") for path in paths)


def _parsed(place: str) -> _Place | None:
    """The parts of a URL on another machine, as git finds them; `None` for a folder."""
    protocol, is_url, rest = place.partition("://")
    if is_url:
        host, slash, path = os.fsdecode(unquote_to_bytes(os.fsencode(rest))).partition("/")
        path = slash + path
    elif place.startswith("/"):
        return None
    else:
        start = place.find("@[") + 1  # a host with colons, or with a port, is in brackets
        end = max(place.find("]", start), 0) if place.startswith("[", start) else 0
        before, colon, path = place[end:].partition(":")
        if not colon:
            return None
        protocol, host = "ssh", place[:end] + before
    protocol = "ssh" if protocol.lower() in _SSH else protocol.lower()
    user, name, port = _parts_of(host)
    if protocol in ("ssh", "git") and path.startswith("/~"):
        path = path[1:]
    owner = None if path.startswith("/") else user
    has_tilde = path.startswith("~")
    if has_tilde:
        named, _, path = path[1:].partition("/")
        owner = named or user
    return _Place(protocol, name.lower().rstrip("."), port or _PORTS.get(protocol, ""), _normal(path), owner, has_tilde)


def _parts_of(host: str) -> tuple[str, str, str]:
    """The user, host and port in the part of a URL before the path; empty if they are not named."""
    name, bracket, port = host.rpartition("]")
    user, _, name = (name.replace("[", "") if bracket else host).rpartition("@")
    port = port.removeprefix(":") if bracket else ""
    if name.count(":") == 1:
        name, _, port = name.partition(":")
    return user.partition(":")[0], name, port.lstrip("0")


def _normal(path: str) -> str:
    """A path relative to the root or a home folder, without what git and servers ignore, such as the case."""
    found = posixpath.normpath(f"/{path}").strip("/")
    while found.endswith(_SUFFIX):
        found = found.removesuffix(_SUFFIX).rstrip("/")
    return found.lower()

"""Keeps user names, passwords and tokens of URLs out of messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_to_bytes

_BLANKS = re.compile(r"(\s+)")
_QUERY = re.compile(r"\?[^\s'\"]+")
_BETWEEN = re.compile(r"[/:@?#\s]+")
_HIDDEN = "…"


def shown(remote: str) -> str:
    """The name or URL of a remote for a message. It may be no valid one, so all up to its last ``@`` may be a token."""
    start, slashes, rest = remote.partition("://")
    if not slashes:
        login, _, rest = remote.rpartition("@")
        # A user has no colon in ``user@host:path``: this is a URL without its protocol, or another path.
        return f"{_HIDDEN}@{rest}" if ":" in login and not _is_path(remote) else remote
    login, _, rest = rest.rpartition("@")
    # Git and its libraries end a login at the first slash, so that a part of it would be the host.
    mark = f"{_HIDDEN}@" if "/" in login else ""
    return _QUERY.sub(f"?{_HIDDEN}", f"{start}://{mark}{rest}")


def without_passwords(text: str, urls: Iterable[str] = ()) -> str:
    """A text of git's without the user names, passwords and queries in URLs: tokens are in any of these.

    Args:
        text: a line, which a remote may have chosen: each word of it is read once.
        urls: those that git was given. What git takes for a host or a path in them, though it may be a part of a
            password, is hidden wherever it is, as in “Could not resolve host”.
    """
    words = {word for url in urls for word in _doubtful(url)}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", _HIDDEN, text)
    return "".join(shown(word) if "://" in word else word for word in _BLANKS.split(text))


def _doubtful(url: str) -> Iterator[str]:
    """The parts of a URL that may be of a password, but not for git."""
    login, at, _ = url.partition("://")[2].rpartition("@") if "://" in url else url.rpartition("@")
    if not at or _is_path(url) or not re.search(r"[/\s]" if "://" in url else ":", login):
        return
    for found in (login, os.fsdecode(unquote_to_bytes(os.fsencode(login)))):
        yield found
        yield from filter(None, _BETWEEN.split(found))


def _is_path(remote: str) -> bool:
    """Whether a remote is a path on this machine, which has no password in it."""
    return remote.startswith(("/", ".", "~", "file://"))

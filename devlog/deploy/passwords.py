"""Keeps user names, passwords and tokens of URLs out of messages."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from urllib.parse import unquote_to_bytes

_BLANKS = re.compile(r"(\s+)")
_QUERY = re.compile(r"\?[^\s'\"]+")
_BETWEEN = re.compile(r"[/:@?#\s]+")
_HIDDEN = "…"


def shown(remote: str) -> str:
    """The name or URL of a remote for a message. It may be no valid one, so all up to its last ``@`` may be a token."""
    if "://" not in remote:
        login, _, rest = remote.rpartition("@")
        # A user has no colon in ``user@host:path``: this is a URL without its protocol, or another path.
        return f"{_HIDDEN}@{rest}" if ":" in login and not _is_path(remote) else remote
    found, question, _ = _without_login(remote).partition("?")
    return f"{found}?{_HIDDEN}" if question else found


def without_passwords(text: str, urls: Iterable[str] = ()) -> str:
    """A text of git's without the user names, passwords and queries in URLs: tokens are in any of these.

    Args:
        text: a line, which a remote may have chosen: each word of it is read once.
        urls: those that git was given. What git takes for a host or a path in them, though it may be a part of a
            password, is hidden wherever it is, as in “Could not resolve host”.
    """
    text = _without_words(text, {word for url in urls for word in _doubtful(url)})
    return "".join(
        _QUERY.sub(f"?{_HIDDEN}", _without_login(word)) if "://" in word else word for word in _BLANKS.split(text)
    )


def without_logins(text: str, urls: Collection[str]) -> str:
    """What a remote says, also without what it was sent as a user name or password: either may be a token.

    Args:
        text: the text.
        urls: those that git was given.
    """
    return without_passwords(_without_words(text, {word for url in urls for word in _sent(url)}), urls)


def _without_words(text: str, words: Iterable[str]) -> str:
    for word in sorted(words, key=lambda word: (-len(word), word)):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", _HIDDEN, text)
    return text


def _sent(url: str) -> Iterator[str]:
    """The user name and the password of a URL as servers get them; ssh sends no password."""
    protocol, _, rest = url.partition("://")
    if protocol in ("http", "https"):
        login = rest.rpartition("@")[0]
        for found in (login, os.fsdecode(unquote_to_bytes(os.fsencode(login)))):
            yield from filter(None, (found, *found.split(":", 1)))


def _without_login(url: str) -> str:
    start, slashes, rest = url.partition("://")
    login, _, rest = rest.rpartition("@")
    # Git and its libraries end a login at the first slash, so that a part of it would be the host.
    return f"{start}{slashes}{_HIDDEN}@{rest}" if "/" in login else f"{start}{slashes}{rest}"


def _doubtful(url: str) -> Iterator[str]:
    """The parts of a URL that may be of a password, but not for git."""
    if _is_path(url):
        return
    protocol, is_url, rest = url.partition("://")
    if is_url and (query := rest.partition("?")[2]):
        yield query  # with all characters, of which some end a URL in a text
    login, at, _ = (rest if is_url else url).rpartition("@")
    # Git knows no login in the URLs of its own protocol, and takes any for a part of the host.
    pattern = ":" if not is_url else "" if protocol == "git" else r"[/#\s]"
    if not at or not re.search(pattern, login):
        return
    for found in (login, os.fsdecode(unquote_to_bytes(os.fsencode(login)))):
        yield found
        yield from filter(None, _BETWEEN.split(found))


def _is_path(remote: str) -> bool:
    """Whether a remote is a path on this machine, which has no password in it."""
    return remote.startswith(("/", ".", "~", "file://"))

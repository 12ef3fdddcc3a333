"""Decides which URLs no output may contain, because some program might run them as scripts."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import unquote

from devlog.model.character_references import unescape
from devlog.model.composed import composed

RUN = frozenset({"javascript", "jscript", "livescript", "mocha", "vbscript", "vbs"})
"""The schemes of URLs that are scripts."""

_WRAPPERS = ("view-source:", "feed:", "jar:", "wyciwyg:", "x-javascript:", "about:")
_IMAGE = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif)[;,]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):")
_UNDECIDED = re.compile(r"[a-z0-9+.-]*&?[#a-z0-9]*")  # a reference may have been cut
_ROUNDS = 4
_REPOSITORY = re.compile(r"https?://[\w.-]+(?::\d+)?/[\w.-]+(?:/[\w.-]+)+", re.ASCII)
_CANNOT = re.compile(r"(?:https?:|mailto:|[/?#])|[\w./-]*$", re.ASCII)
"""Matches the beginnings of URLs that no program runs as a script; nearly all URLs match."""
_HEAD = 512  # the characters that contain the scheme, however it is encoded
ENOUGH = _HEAD + 1
"""The number of characters of a URL that `runs` needs; a URL whose scheme has not ended before may be one that runs."""
_IGNORED = re.compile(
    r"[\x00-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\uffff\\]"
)


def plain(url: str) -> str:
    """The beginning of a URL as the most lenient parser reads it: decoded, lower case, without ignored characters."""
    text = url.lstrip()[:_HEAD]
    for _ in range(_ROUNDS):
        decoded = unescape(unquote(text, errors="replace"))
        decoded = _IGNORED.sub("", normalize("NFKC", decoded))
        if decoded == text:
            break
        text = decoded
    return text.lower()


def has_scheme(url: str) -> bool:
    """Whether some parser reads the beginning of a URL as a scheme (RFC 3986, section 3.1)."""
    return _SCHEME.match(plain(url)) is not None


def runs(url: str) -> bool:
    """Whether some program may run a URL as a script, or run the content of a data URL.

    Pages, feeds, Markdown versions, ``llms.txt`` and responses to programs all use this function, so that a URL which
    one program reads as a path and another as a script is treated as a script everywhere.

    Args:
        url: the URL as written in a source file or an output; may be relative.
    """
    return not _CANNOT.match(url) and _may_run(url.lstrip()[:ENOUGH])


@lru_cache(maxsize=4096)  # of beginnings: data URLs may be megabytes long
def _may_run(beginning: str) -> bool:
    text = plain(beginning)
    while text.startswith(_WRAPPERS):
        text = text.partition(":")[2]
    scheme = _SCHEME.match(text)
    if scheme is None:
        return len(beginning) > _HEAD and _UNDECIDED.fullmatch(text) is not None
    return scheme[1] in RUN or (scheme[1] == "data" and _IMAGE.match(text) is None)


def safe(url: str) -> str:
    """A URL for an output: empty if some program may run it."""
    return "" if runs(url) else url


def decoded(url: str) -> str:
    """A URL, or a part of one, in the form in which two of them are compared: percent-decoded, in Unicode form NFC."""
    return composed(unquote(url))


def is_rooted(url: str) -> bool:
    """Whether a URL is a path from the root of a host, and does not itself name a host, as ``//host/path`` does."""
    return url.startswith("/") and not url.startswith("//")


def rooted(path: str) -> str:
    """A path that begins with one slash where it began with several, which name a host if nothing is before them.

    Decoding turns ``/%2F/host/`` into ``///host/``, which browsers request from another host.
    """
    return "/" + path.lstrip("/") if path.startswith("//") else path


def absolute(url: str, origin: str) -> str:
    """A URL with the scheme and the host of the site before it, if it is a path from the root of the site's host.

    Args:
        url: as pages link to it.
        origin: the scheme and host; empty if the site has no absolute URL.
    """
    return origin + url if is_rooted(url) else url


def repository_url(url: str) -> str:
    """The URL of a repository's web page, without a trailing slash or ``.git``; empty for any other URL."""
    url = url.strip().rstrip("/").removesuffix(".git")
    return url if _REPOSITORY.fullmatch(url) else ""

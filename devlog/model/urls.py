"""The one decision on URLs: which of them no output may have, whoever reads it, and in whatever form."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import unquote

from devlog.model.character_references import unescape

RUN = frozenset({"javascript", "jscript", "livescript", "mocha", "vbscript", "vbs"})
"""Schemes of URLs that are scripts."""

_WRAPPERS = ("view-source:", "feed:", "jar:", "wyciwyg:", "x-javascript:", "about:")
_IMAGE = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif)[;,]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):")
_ROUNDS = 4
_REPOSITORY = re.compile(r"https?://[\w.-]+(?::\d+)?/[\w.-]+(?:/[\w.-]+)+", re.ASCII)
_CANNOT = re.compile(r"(?:https?:|mailto:|[/?#])|[\w./-]*$", re.ASCII)
"""What begins a URL that no reader takes for a script, as nearly all do."""
_HEAD = 512  # characters in which a scheme stands, however it is written
_IGNORED = re.compile(
    r"[\x00-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\uffff\\]"
)


def plain(url: str) -> str:
    """The beginning of a URL as its most lenient reader takes it: decoded, without what is passed over, lower case."""
    text = url.lstrip()[:_HEAD]
    for _ in range(_ROUNDS):
        decoded = unescape(unquote(text, errors="replace"))
        decoded = _IGNORED.sub("", normalize("NFKC", decoded))
        if decoded == text:
            break
        text = decoded
    return text.lower()


def has_scheme(url: str) -> bool:
    """Whether some reader of a URL takes its beginning for a scheme (RFC 3986, section 3.1)."""
    return _SCHEME.match(plain(url)) is not None


@lru_cache(maxsize=4096)
def runs(url: str) -> bool:
    """Whether some reader of a URL may run what it says, or what it holds.

    Pages, feeds, Markdown versions, lists for programs and answers to them all ask this, so that what one of them reads
    as a path and another as a script is a script for all.

    Args:
        url: as a text has it, or as an output would; may be relative.
    """
    if _CANNOT.match(url):
        return False
    text = plain(url)
    while text.startswith(_WRAPPERS):
        text = text.partition(":")[2]
    scheme = _SCHEME.match(text)
    if scheme is None:
        return False
    return scheme[1] in RUN or (scheme[1] == "data" and _IMAGE.match(text) is None)


def safe(url: str) -> str:
    """A URL for an output: empty when it may run."""
    return "" if runs(url) else url


def repository_url(url: str) -> str:
    """The URL of a repository's page on the web, without what need not be there; empty for any other URL."""
    url = url.strip().rstrip("/").removesuffix(".git")
    return url if _REPOSITORY.fullmatch(url) else ""

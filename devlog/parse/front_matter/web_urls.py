"""Reads URLs of the web in the form in which every program that reads pages and feeds accepts them."""

from __future__ import annotations

from urllib.parse import urlsplit

from devlog.config import LONGEST_URL, NEVER_IN_URLS

EXPECTED = "a URL that begins with https://"
"""What a message says of a value that is no such URL."""


def is_of_web(text: str) -> bool:
    """Whether a text begins as an absolute URL of the web does."""
    return text[:8].lower().startswith(("https://", "http://"))


def path_or_url(text: str) -> str:
    """The path of a file as written, or a URL as `web_url` returns it."""
    return web_url(text) if is_of_web(text) else text


def web_url(text: str) -> str:
    """An absolute URL of the web with the characters that RFC 3986 allows: others are encoded, as in links of posts.

    Args:
        text: such as ``https://example.org/talk.mp3``.

    Returns:
        The URL; empty for any other text.
    """
    text = text.strip()
    if not is_of_web(text) or len(text) > LONGEST_URL or not text.isprintable():
        return ""
    scheme, _, rest = text.partition("://")
    url = f"{scheme.lower()}://{rest}"
    if not _is_encoded(url):
        from markdown_it.common.normalize_url import normalizeLink  # loads all of the parser

        url = normalizeLink(url)
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and "%" not in parts.netloc and parts.port != 0
    except ValueError:  # brackets without an IP address in them, or a port that cannot be
        return ""
    return url if has_host and _is_encoded(url) else ""


def _is_encoded(url: str) -> bool:
    """Whether a URL has only characters that RFC 3986 allows."""
    return url.isascii() and not NEVER_IN_URLS.search(url)

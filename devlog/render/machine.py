"""Renders files that only programs read: ``posts.json``, ``sitemap.xml`` and ``robots.txt``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from devlog.model.outpath import markdown_path_of
from devlog.model.target import Facts
from devlog.model.view import PostRef
from devlog.render.xml import element

_MAY_BE_OBEYED = b"\xc2"
_OBEYED = re.compile(b"\xc2[\x80-\x9f]|\x7f")
"""The control characters that JSON may contain as they are, and that terminals obey: names of files have any."""


def posts(posts: Sequence[PostRef], facts: Sequence[Facts], origin: str, *, has_markdown: bool) -> bytes:
    """``posts.json``: every post with what lists and tools need, newest first."""
    records = [_record(*post, origin, has_markdown=has_markdown) for post in zip(posts, facts, strict=True)]
    return write_json(records)


def write_json(value: Any) -> bytes:
    """A value as JSON, with line breaks for people who look into it.

    Returns:
        Bytes in UTF-8: this may be the longest file of a site, and decoding it to a string would take as long again.
    """
    written = msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
    if _MAY_BE_OBEYED not in written and b"\x7f" not in written:
        return written
    return _OBEYED.sub(lambda found: b"\\u00%02x" % found[0][-1], written)


def _record(ref: PostRef, more: Facts, origin: str, *, has_markdown: bool) -> dict[str, Any]:
    markdown = markdown_path_of(ref.url) if has_markdown else ""
    return {
        "url": origin + ref.url,
        "path": ref.url,
        "markdown_url": origin + markdown if markdown else None,
        "source": more.source,
        "title": ref.title,
        "date": ref.date.iso,
        "updated": more.updated,
        "topic": more.topic,
        "topic_title": ref.topic.title if ref.topic else None,
        "authors": [
            {"name": author.name, "handle": author.handle or None, "url": origin + author.url} for author in ref.authors
        ],
        "tags": [tag.name for tag in ref.tags],
        "status": ref.status or None,
        "summary": ref.excerpt,
        "words": more.words,
        "reading_time": ref.reading_time,
    }


def sitemap(pages: tuple[tuple[str, str], ...]) -> str:
    """``sitemap.xml`` (sitemaps.org, 0.9): the URL of each page and, if known, the day of its last change."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    for url, changed in pages:
        date = element("lastmod", changed) if changed else ""
        lines.append(f"<url>{element('loc', url)}{date}</url>")
    lines += ["</urlset>", ""]
    return "\n".join(lines)


def sitemap_index(urls: tuple[str, ...]) -> str:
    """``sitemap.xml`` (sitemaps.org, 0.9) of a site with more URLs than one sitemap may have: those of its sitemaps."""
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<sitemapindex xmlns="{space}">']
    lines += [f"<sitemap>{element('loc', url)}</sitemap>" for url in urls]
    return "\n".join([*lines, "</sitemapindex>", ""])


def robots(sitemap_url: str) -> str:
    """``robots.txt`` (RFC 9309), which allows everything."""
    where = f"\nSitemap: {sitemap_url}\n" if sitemap_url else ""
    return f"User-agent: *\nAllow: /\n{where}"

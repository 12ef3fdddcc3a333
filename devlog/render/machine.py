"""Files that only programs read."""

from __future__ import annotations

import json
from typing import Any

from devlog.render.xml import element


def posts(records: tuple[dict[str, Any], ...]) -> str:
    """``posts.json``: every post with what lists and tools need, newest first."""
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def sitemap(pages: tuple[tuple[str, str], ...]) -> str:
    """``sitemap.xml`` (sitemaps.org, 0.9): URL and, where known, day of the last change."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    for url, changed in pages:
        date = element("lastmod", changed) if changed else ""
        lines.append(f"<url>{element('loc', url)}{date}</url>")
    lines += ["</urlset>", ""]
    return "\n".join(lines)


def robots(sitemap_url: str) -> str:
    """``robots.txt`` (RFC 9309): everything may be read."""
    where = f"\nSitemap: {sitemap_url}\n" if sitemap_url else ""
    return f"User-agent: *\nAllow: /\n{where}"

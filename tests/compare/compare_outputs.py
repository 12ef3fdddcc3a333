"""Outputs of a small site as several generators write them, as text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from pathlib import Path

from sites import write_site

from devlog.compare import urls
from devlog.compare.compare import compare_trees
from devlog.compare.tree import Tree, read_tree
from devlog.compare.values import Comparison

ORIGIN = "https://docs.example.org/lumen"
BASE = urls.base(f"{ORIGIN}/")

CONTENT = {
    "devlog.toml": f'title = "The Lumen log"\nbase_url = "{ORIGIN}/"\n[permalinks]\npost = "POST"\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/storage/2026-05-04-write-path.md": (
        "---\ntitle: A shorter “write path”\nauthor: Ada Quill (@adaquill), Bo Reed (@boreed)\ndate: 2026-05-04\n"
        "tags: [disk]\naliases: [/old/write-path/]\n---\n## One copy less\n\nText.\n"
    ),
    "content/storage/2026-05-20-batches.md": (
        "---\ntitle: Batches - and their limits\nauthor: Bo Reed (@boreed)\ndate: 2026-05-20T23:30:00-07:00\n---\n"
        "## Limits\n\nText.\n"
    ),
    "static/images/plan.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
}
"""The new site; ``POST`` stands for the pattern of the old one's URLs."""


def refresh(target: str) -> str:
    """A page that sends readers to an address."""
    return f'<!DOCTYPE html><title>Moved</title><meta http-equiv="refresh" content="0; url={target}">'


def hugo() -> dict[str, str]:
    """As Hugo writes it, with its own templates for cards and linked data."""

    def post(title: str, date: str, authors: str, body: str) -> str:
        return (
            f'<!DOCTYPE html>\n<html lang="en-us"><head><title>{title} | The Lumen log</title>'
            f'<meta property="og:title" content="{title}"><meta property="og:site_name" content="The Lumen log">'
            f'<meta property="og:type" content="article"><meta property="article:published_time" content="{date}">'
            f'<meta name=author content="{authors}"><link rel=stylesheet href=/lumen/css/main.min.css></head>'
            f"<body><header><h1>The Lumen log</h1></header><main><h1>{title}</h1>{body}</main></body></html>"
        )

    guids = [f"{ORIGIN}/storage/2026-05-20-batches/", f"{ORIGIN}/storage/2026-05-04-write-path/"]
    items = "".join(f"<item><title>x</title><link>{guid}</link><guid>{guid}</guid></item>" for guid in guids)
    rss = (
        f'<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<rss version="2.0"><channel>{items}</channel></rss>'
    )
    listing = "<!DOCTYPE html><title>Tags | The Lumen log</title><article></article><article></article>"
    return {
        "index.html": f'<!DOCTYPE html><title>The Lumen log</title><link rel="canonical" href="{ORIGIN}/">',
        "index.xml": rss,
        "storage/index.html": "<!DOCTYPE html><title>Storage | The Lumen log</title>",
        "storage/index.xml": rss,
        "storage/2026-05-04-write-path/index.html": post(
            "A shorter &ldquo;write path&rdquo;",
            "2026-05-04T00:00:00+00:00",
            "Ada Quill (@adaquill), Bo Reed (@boreed)",
            '<h2 id="one-copy-less">One copy less</h2>',
        ),
        "storage/2026-05-20-batches/index.html": post(
            "Batches - and their limits", "2026-05-20T23:30:00-07:00", "Bo Reed", '<h2 id="limits">Limits</h2>'
        ),
        "old/write-path/index.html": refresh(f"{ORIGIN}/storage/2026-05-04-write-path/"),
        "tags/index.html": listing,
        "tags/disk/index.html": listing,
        "tags/disk/page/1/index.html": refresh(f"{ORIGIN}/tags/disk/"),
        "css/main.min.css": "body{}",
        "images/plan.svg": "<svg/>",
        "sitemap.xml": "<urlset></urlset>",
    }


def jekyll() -> dict[str, str]:
    """As Jekyll writes it with its default theme, the feed plugin and redirects."""

    def post(title: str, date: str, shown: str, authors: str, body: str) -> str:
        names = "".join(
            f'<span itemprop="author" itemscope itemtype="http://schema.org/Person">'
            f'<span class="p-author h-card" itemprop="name">{name}</span></span>'
            for name in authors.split(", ")
        )
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><title>{title} | The Lumen log</title>'
            f'<meta property="og:title" content="{title}" /></head><body><article class="post h-entry" itemscope>'
            f'<h1 class="post-title p-name" itemprop="name headline">{title}</h1>'
            f'<time class="dt-published" datetime="{date}" itemprop="datePublished">{shown}</time>{names}'
            f'<div itemprop="articleBody">{body}</div></article></body></html>'
        )

    return {
        "index.html": "<!DOCTYPE html><title>The Lumen log | What we learn</title>",
        "storage/2026/05/04/write-path.html": post(
            "A shorter “write path”",
            "2026-05-04T00:00:00+00:00",
            "May 4, 2026",
            "Ada Quill, Bo Reed",
            '<h2 id="one-copy-less">One copy less</h2>',
        ),
        "storage/2026/05/21/batches.html": post(
            "Batches – and their limits",
            "2026-05-21T06:30:00+00:00",
            "May 21, 2026",
            "Bo Reed",
            '<h2 id="limits">Limits</h2>',
        ),
        "old/write-path/index.html": refresh(f"{ORIGIN}/storage/2026/05/04/write-path.html"),
        "feed.xml": (
            '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><entry>'
            f'<id>{ORIGIN}/storage/2026/05/04/write-path</id><link href="{ORIGIN}/storage/2026/05/04/write-path.html" '
            'rel="alternate" type="text/html"/></entry></feed>'
        ),
        "images/plan.svg": "<svg/>",
        "assets/main.css": "body{}",
    }


def zola() -> dict[str, str]:
    """As Zola writes it, with a theme that says little."""

    def post(title: str, date: str, body: str) -> str:
        return (
            f"<!doctype html><html><head><title>The Lumen log | {title}</title></head><body><h1>{title}</h1>"
            f"<time>{date}</time>{body}</body></html>"
        )

    return {
        "index.html": "<!doctype html><html><head><title>The Lumen log</title></head></html>",
        "storage/index.html": "<!doctype html><title>The Lumen log | Storage</title>",
        "storage/write-path/index.html": post(
            "A shorter “write path”", "2026-05-04", '<h2 id="one-copy-less">One copy less</h2>'
        ),
        "storage/batches/index.html": post(
            "Batches - and their limits", "May 20, 2026", '<h2 id="limits"><a class="anchor" href="#limits">#</a></h2>'
        ),
        "old/write-path/index.html": refresh(f"{ORIGIN}/storage/write-path/"),
        "images/plan.svg": "<svg/>",
        "js/search.js": "",
        "404.html": "<!doctype html><title>404 Not Found</title>",
    }


def tree(folder: Path, files: Mapping[str, str | bytes]) -> Tree:
    """Write an output and list it."""
    found = read_tree(write_site(folder, files), folder.name, None, BASE)
    assert isinstance(found, Tree), found
    return found


def compared(
    folder: Path, old: Mapping[str, str | bytes], new: Mapping[str, str | bytes], accept: tuple[str, ...] = ()
) -> Comparison:
    """Write two outputs, each with a home page, and compare them."""
    home = {"index.html": "<title>The Lumen log</title>"}
    return compare_trees(tree(folder / "old", {**home, **old}), tree(folder / "new", {**home, **new}), accept, UTC)

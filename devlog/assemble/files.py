"""The contexts of files that are not pages: feeds, redirects, and files for programs."""

from __future__ import annotations

import msgspec

from devlog.assemble import machine
from devlog.assemble.feeds import Feed, feed_view
from devlog.assemble.site_context import Context, SiteContext
from devlog.model.site import Redirect


def feed(known: SiteContext, about: Feed, own: str, indexes: tuple[int, ...]) -> Context:
    """The context of one file of a feed."""
    entries = known.entries(about, indexes)
    made = feed_view(known.config, known.views, about, own, entries)
    return {"feed": msgspec.structs.replace(made, style=known.feed_style), "entries": entries}


def redirect(known: SiteContext, item: Redirect) -> Context:
    """The context of a redirect from an old URL to a new one."""
    target = known.references.redirected(item) if item.is_configured else known.views.absolute(item.target)
    policy = "default-src 'none'" if known.config.content_security_policy else ""
    return {"title": item.title, "target": target, "content_security_policy": policy}


def posts_json(known: SiteContext) -> Context:
    """The context of ``posts.json``, the list of posts."""
    return {
        "posts": known.views.whole(known.site.posts),
        "facts": tuple(machine.facts(post) for post in known.site.posts),
        "origin": known.config.origin,
        "has_markdown": known.has_markdown,
    }


def sitemap(known: SiteContext, found: tuple[str, ...]) -> Context:
    """The context of a sitemap; `found` are the output paths of pages that search engines may index."""
    return {"pages": machine.sitemap(known.views, found, known.site.posts)}


def sitemap_index(known: SiteContext, parts: tuple[str, ...]) -> Context:
    """The context of the file that lists the sitemaps with these permalinks."""
    return {"urls": tuple(map(known.views.absolute, parts))}


def robots(_known: SiteContext, sitemap_url: str) -> Context:
    """The context of ``robots.txt``."""
    return {"sitemap": sitemap_url}

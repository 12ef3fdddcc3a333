"""The contexts of ``llms.txt`` and ``llms-full.txt``, the lists for language models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from devlog.assemble.site_context import Context, SiteContext
from devlog.assemble.views import Views
from devlog.model.diagnostic import Span
from devlog.model.outpath import collision_key
from devlog.model.site import Post, Site
from devlog.model.target import Entry, Listed
from devlog.plugin import Outline, PlannedFile

NEWEST = 1000
"""The maximum number of posts in the list: nobody reads a longer one."""
MOST_STARTS = 100
"""The maximum number of reading paths in the list."""
_HEAD = 60
"""The minimum number of bytes of an entry in the long file, besides the body of the post."""


def plan_lists(outline: Outline) -> Iterator[PlannedFile]:
    """Plan the lists for language models, unless the site has files of its own with these names."""
    if outline.config.llms.enabled:
        names = (item.permalink[1:] for item in outline.site.assets)
        brought = {collision_key(name) for name in names if "/" not in name}
        for name, recipe, make in (("llms.txt", "llms", llms), ("llms-full.txt", "llms_full", llms_full)):
            if collision_key(name) not in brought:
                yield PlannedFile(f"/{name}", recipe, span=Span(name), make=make)


def llms(known: SiteContext) -> Context:
    """The context of ``llms.txt``."""
    site, posts = known.site, known.posts(published(known.site))
    return {
        "site": known.common["site"],
        "starts": known.derived.starts[:MOST_STARTS],
        "topics": listed_topics(site, known.views, posts),
        "posts": known.views.refs(posts[:NEWEST]),
        "others": other_pages(site, known.views),
        "markdown": known.config.llms.markdown,
    }


def llms_full(known: SiteContext) -> Context:
    """The context of ``llms-full.txt``, with the newest posts."""
    posts, limit = known.posts(published(known.site)), known.config.llms.full_bytes
    chosen = tuple(that_fit(posts, limit))
    return {
        "site": known.common["site"],
        "posts": known.views.refs(chosen),
        "entries": tuple(_without_html(known.entry(post, full=True)) for post in chosen),
        "total": len(posts),
        "limit": limit,
    }


def _without_html(entry: Entry) -> Entry:
    return msgspec.structs.replace(entry, content=entry.content.only_markdown()) if entry.content else entry


def published(site: Site) -> list[int]:
    """The indexes of the published posts."""
    return [place for place, post in enumerate(site.posts) if not post.state]


def listed_topics(site: Site, views: Views, posts: Sequence[Post]) -> tuple[Listed, ...]:
    """All topics that have posts of their own, with the number of these; last an entry for posts without a topic."""
    counts = Counter(post.topic for post in posts)
    found = [
        Listed(topic.title, views.url(topic.permalink), topic.description, counts[topic.path])
        for topic in site.topics
        if counts[topic.path]
    ]
    return (*found, *([Listed("Logs", "", "", counts[""])] if counts[""] else []))


def other_pages(site: Site, views: Views) -> tuple[Listed, ...]:
    """The other pages: plain pages, then the lists."""
    pages = [
        Listed(page.title, views.url(page.permalink), page.parsed.front_matter.description or views.excerpt(page))
        for page in site.pages
        if page.is_findable
    ]
    lists = (("Archive", "/archive/"), ("Authors", "/authors/"), ("Tags", "/tags/"))
    return (*pages, *(Listed(title, views.url(permalink), "") for title, permalink in lists))


def that_fit(posts: Sequence[Post], limit: int) -> Iterator[Post]:
    """The first posts that fit in a file with a limit of bytes, and one more if there is one."""
    room = limit
    for post in posts:
        yield post
        room -= post.parsed.document.length + _HEAD
        if room < 0:
            return

"""What goes into the files for programs that read as people do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from devlog.assemble.views import Views
from devlog.model.site import Post, Site
from devlog.model.target import Listed

NEWEST = 1000
"""So many logs are listed at most: what is longer is read by nobody."""
_HEAD = 60
"""A text in the long file has at least so many bytes besides what it says."""


def published(site: Site) -> list[int]:
    """The places of the posts that everybody may read."""
    return [place for place, post in enumerate(site.posts) if not post.state]


def listed_topics(site: Site, views: Views, posts: Sequence[Post]) -> tuple[Listed, ...]:
    """All topics with how many of some posts are their own; last comes what has no topic."""
    counts = Counter(post.topic for post in posts)
    found = [
        Listed(topic.title, views.url(topic.permalink), topic.description, counts[topic.path])
        for topic in site.topics
        if counts[topic.path]
    ]
    return (*found, *([Listed("Logs", "", "", counts[""])] if counts[""] else []))


def other_pages(site: Site, views: Views) -> tuple[Listed, ...]:
    """What else there is to read: plain pages, then the lists."""
    pages = [
        Listed(page.title, views.url(page.permalink), page.parsed.front_matter.description or page.excerpt)
        for page in site.pages
        if not page.state
    ]
    lists = (("Archive", "/archive/"), ("Authors", "/authors/"), ("Tags", "/tags/"))
    return (*pages, *(Listed(title, views.url(permalink), "") for title, permalink in lists))


def that_fit(posts: Sequence[Post], limit: int) -> Iterator[Post]:
    """The first of some posts: as many as a file of so many bytes can hold, and one more if there is one."""
    room = limit
    for post in posts:
        yield post
        room -= post.parsed.document.length + _HEAD
        if room < 0:
            return

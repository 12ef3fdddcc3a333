"""What goes into the files that only programs read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devlog.assemble.urls import output_path
from devlog.assemble.views import Views, day
from devlog.model.site import Post, Topic
from devlog.model.target import Target
from devlog.model.view import PageView


def record(views: Views, post: Post, topic: Topic | None, origin: str) -> dict[str, Any]:
    """A post in ``posts.json``."""
    return {
        "url": views.absolute(post.permalink),
        "path": views.url(post.permalink),
        "source": post.parsed.file,
        "title": post.title,
        "date": day(post.date, post.day_only).iso,
        "updated": day(post.updated, post.updated_day_only).iso if post.updated else None,
        "topic": post.topic or None,
        "topic_title": topic.title if topic else None,
        "authors": [
            {"name": author.name, "handle": author.handle or None, "url": origin + author.url}
            for author in views.authors(post)
        ],
        "tags": [tag.name for tag in views.tags(post)],
        "summary": post.excerpt,
        "words": post.parsed.document.words,
        "reading_time": views.refs((post,))[0].reading_time,
    }


def sitemap(views: Views, targets: Iterable[Target], posts: Iterable[Post]) -> tuple[tuple[str, str], ...]:
    """URL and day of the last change of each page that is to be found."""
    dates = {output_path(post.permalink): day(post.updated or post.date, True).short for post in posts}
    found = []
    for target in targets:
        page = target.context.get("page")
        if target.recipe == "page" and isinstance(page, PageView) and not page.noindex:
            url = views.absolute("/" + target.path.removesuffix("index.html"))
            found.append((url, dates.get(target.path, "")))
    return tuple(sorted(found))

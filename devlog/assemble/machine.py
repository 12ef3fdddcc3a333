"""Data for the files that only programs read: ``posts.json`` and the sitemap."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.assemble.urls import output_path
from devlog.assemble.views import Views, iso_date
from devlog.model.site import Post
from devlog.model.target import Facts


def facts(post: Post) -> Facts:
    """The facts about a post in ``posts.json``, in addition to those in every list."""
    updated = iso_date(post.updated, post.updated_day_only) if post.updated else None
    return Facts(post.parsed.file, post.topic or None, updated, post.parsed.document.words)


def sitemap(views: Views, paths: Iterable[str], posts: Iterable[Post]) -> tuple[tuple[str, str], ...]:
    """URL and day of the last change of each page in `paths`, by URL."""
    dates = {output_path(post.permalink): _changed(views, post) for post in posts}
    return tuple(sorted((views.absolute("/" + path.removesuffix("index.html")), dates.get(path, "")) for path in paths))


def _changed(views: Views, post: Post) -> str:
    return iso_date(post.updated, day_only=True) if post.updated else views.refs((post,))[0].date.short

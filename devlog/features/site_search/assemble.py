"""What of a site readers can search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from devlog.assemble.views import Views
from devlog.config import Config
from devlog.features.site_search.model import Record
from devlog.model.site import Site


def is_searchable(config: Config, site: Site) -> bool:
    """Whether pages offer a search."""
    return config.search.enabled and any(not post.state for posts in (site.posts, site.pages) for post in posts)


def records(config: Config, site: Site, views: Views, transcripts: Mapping[str, str]) -> Iterator[Record]:
    """The posts and pages that are published for everybody, each with what is known of it.

    Args:
        config: of the site.
        site: that is searched.
        views: what pages see of it.
        transcripts: the digests of what is spoken, by the id of the post, where it is a text of its own.
    """
    topics = {topic.path: topic.title for topic in site.topics}
    authors = {author.key: author.name for author in site.authors}
    tags = dict(site.tags)
    start = len(config.base_path) - 1
    for post in (*site.posts, *site.pages):
        if not post.state:
            yield Record(
                url=views.url(post.permalink)[start:],
                title=post.title,
                body=post.parsed.document.body,
                date=post.date.date().isoformat() if post.date else "",
                topic=topics.get(post.topic, ""),
                authors=tuple([authors[credit.author] for credit in post.credits]),
                tags=tuple([tags[tag] for tag in post.tags]),
                transcript=transcripts.get(post.id, ""),
                status=views.status(post),
            )

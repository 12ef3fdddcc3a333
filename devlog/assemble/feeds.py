"""Feeds: which ones a site has, and what their entries contain."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from devlog.assemble.site import NEVER, parents
from devlog.assemble.views import Views
from devlog.config import Config
from devlog.model.catalog import Catalog
from devlog.model.digest import digest_bytes
from devlog.model.post_note import EntryNote
from devlog.model.site import Post
from devlog.model.target import Entry, FeedView, Filling


class Feed(msgspec.Struct, frozen=True):
    """A feed of the posts that a page lists.

    Attributes:
        folder: the permalink of the page; the feed's files are below it.
        title: the title of the feed.
        description: may be empty.
        full: whether entries contain the whole body; otherwise only a summary.
        json: whether there is a JSON Feed in addition to RSS and Atom.
    """

    folder: str
    title: str
    description: str
    full: bool
    json: bool


def feed_title(title: str, config: Config) -> str:
    """The title of the feed of a topic, an author or a tag, which names the site to tell it from other sites' feeds."""
    return f"{title} · {config.title}"


def feed_files(config: Config, folder: str, *, json: bool) -> dict[str, str]:
    """The permalinks of a feed's files, one for each configured format.

    Args:
        config: the configuration of the site.
        folder: the permalink of the page whose posts the feed contains.
        json: whether there is a JSON Feed in addition to RSS and Atom.
    """
    feeds = config.feeds
    names: dict[str, str] = {"rss": feeds.rss, "atom": feeds.atom, "json_feed": feeds.json}
    formats = {"rss": "rss", "atom": "atom", "json_feed": "json" if json else ""}
    return {recipe: folder + name for recipe, name in names.items() if formats[recipe] in feeds.formats}


def full_lists(config: Config, post: Post) -> int:
    """The number of lists that a post is in (of the site, topics, authors and tags) whose feeds have whole bodies."""
    feeds = config.feeds
    counts = (
        (feeds.site, 1),
        (feeds.topics, len({post.topic, *parents(post.topic)} - {""})),
        (feeds.authors, len(post.credits)),
        (feeds.tags, len(post.tags) + 1 if post.tags else 0),
    )
    return sum(count for content, count in counts if content == "full")


FEED_TYPES: dict[str, str] = {
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "json_feed": "application/feed+json",
}
"""The media type of each format, for links in pages."""


def feed_view(config: Config, views: Views, feed: Feed, own: str, entries: Sequence[Entry]) -> FeedView:
    """The properties of a feed as a whole; `own` is the permalink of its file."""
    return FeedView(
        title=feed.title,
        description=feed.description or config.description or feed.title,
        home=views.absolute(feed.folder),
        url=views.absolute(own),
        id=_id(config, views, feed.folder, own),
        language=config.language,
        updated=max((entry.updated for entry in entries), default=EPOCH),
        origin=config.origin,
    )


EPOCH = "1970-01-01T00:00:00Z"
"""The modification time of a feed without entries: output never depends on the clock."""


def lasting_paths(config: Config, posts: Iterable[Post]) -> dict[str, str]:
    """The paths by which feeds identify posts, by the id of the post; those of others are their permalinks.

    jekyll-feed gives one to several posts, such as those of one title at ``/:year-:month-:title/``. Here the oldest
    keeps it, so that a newer post changes no id.
    """
    if config.feeds.ids != "jekyll-feed":
        return {}
    published = [post for post in posts if not post.state]
    published.sort(key=lambda post: (post.date or NEVER, post.id), reverse=True)
    owners = {_lasting(post): post.id for post in published}
    return {id_: path for path, id_ in owners.items()}


def feed_entry(config: Config, views: Views, post: Post, content: Filling | None, path: str) -> Entry:
    """A post as an entry of a feed; `path` identifies it."""
    published = _utc(post.date)
    (ref,) = views.refs((post,))
    note = views.note(post)
    return Entry(
        id=_id(config, views, path, post.id),
        url=views.absolute(post.permalink),
        title=post.title,
        published=published,
        updated=max(_utc(post.updated), published) if post.updated else published,
        authors=(*(author.name for author in ref.authors), *_others(views.t, ref.more_authors)),
        tags=tuple(tag.name for tag in ref.tags),
        summary=post.excerpt,
        content=content,
        note=note.entry if note else EntryNote(),
        ai=views.ai(post),
        language=views.language(post),
    )


def _others(t: Catalog, count: int) -> tuple[str, ...]:
    """A note such as “and 3 more”, for the authors that an entry does not name."""
    return (t("and_more", count=count),) if count else ()


def _lasting(post: Post) -> str:
    """The path by which jekyll-feed identifies a post: its folder, and the file name without date and extension."""
    folder = posixpath.dirname(post.permalink.rstrip("/")).rstrip("/")
    return f"{folder}/{post.parsed.front_matter.slug or post.parsed.name_slug or post.parsed.name}"


def _id(config: Config, views: Views, permalink: str, name: str) -> str:
    """A permanent identifier of an entry or feed: its absolute URL, or a URN if no absolute base URL is configured."""
    if config.origin:
        return views.absolute(permalink)
    digest = digest_bytes(name.encode())
    return f"urn:uuid:{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _utc(date: datetime | None) -> str:
    if date is None:
        return EPOCH
    if 1 < date.year < 9999:  # at the limits of `datetime`, a conversion would overflow
        date = date.astimezone(UTC)
    return date.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"

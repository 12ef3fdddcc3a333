"""The properties of a post that depend on the whole site: its title, URL, topic and date."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from devlog.assemble.dates import moment
from devlog.assemble.site import Visibility
from devlog.assemble.structured import absolute
from devlog.assemble.urls import url
from devlog.config import Config
from devlog.inputs import Inputs, ask_git_dates, wanted_git_dates
from devlog.model.document import Date, Parsed
from devlog.model.site import Post

_INDEXES = ("_index", "index")


class Facts(msgspec.Struct, frozen=True):
    """The site-dependent properties of a source that has a page.

    Attributes:
        title: of the page.
        url: of the page.
        kind: ``post``, ``page``, ``topic`` or ``home``.
        day: its date as ``2026-05-03``; empty if there is none.
        moment: its date as a timestamp, for sorting.
        topic: the path of its topic.
        tags: slugs, each with a space before and after it.
        draft: whether it is a draft.
        starts: the timestamp from which it is published.
        ends: the timestamp when it expires.
    """

    title: str
    url: str
    kind: str
    day: str = ""
    moment: float | None = None
    topic: str = ""
    tags: str = ""
    draft: bool = False
    starts: float | None = None
    ends: float | None = None


def facts_of(root: Path, inputs: Inputs, parsed: Sequence[Parsed], now: datetime) -> dict[str, Facts]:
    """The facts of all sources that have a page, by path.

    Args:
        root: the site's folder.
        inputs: of the site.
        parsed: the sources, including all that affect their facts: the index files of their topics and bundles.
        now: the current time.
    """
    config = inputs.config
    zone = ZoneInfo(config.timezone)
    every = Visibility(now, drafts=True, future=True, expired=True)
    dates = ask_git_dates(root, config, wanted_git_dates(config, parsed))
    site = inputs.assemble(parsed, dates, every).site
    found = {post.id: _of_post(config, post, zone) for post in (*site.posts, *site.pages)}
    for topic in site.topics:
        if topic.index and not topic.redirect:
            link = _link(config, topic.permalink)
            found[topic.index.path] = _of_index(topic.index, zone, Facts(topic.title, link, "topic", topic=topic.path))
    if site.home:
        title = site.home.front_matter.title or site.home.document.title or config.title
        found[site.home.path] = _of_index(site.home, zone, Facts(title, _link(config, "/"), "home"))
    return found


def _link(config: Config, permalink: str) -> str:
    """The URL of a page; an absolute one if the site's ``base_url`` is known."""
    return absolute(config, url(config, permalink))


def _of_post(config: Config, post: Post, zone: ZoneInfo) -> Facts:
    front_matter = post.parsed.front_matter
    has_date = post.date or post.state == "future"  # documents of a collection show none
    start = front_matter.publish or ((front_matter.date or post.parsed.name_date) if has_date else None)
    return Facts(
        title=post.title,
        url=_link(config, post.permalink),
        kind="page" if post.is_page else "post",
        day=post.date.date().isoformat() if post.date else "",
        moment=post.date.timestamp() if post.date else None,
        topic=post.topic,
        tags=_listed(post.tags),
        draft=post.state == "draft",
        starts=_seconds(start, zone),
        ends=_seconds(front_matter.expiry, zone),
    )


def _of_index(index: Parsed, zone: ZoneInfo, facts: Facts) -> Facts:
    front_matter = index.front_matter
    return msgspec.structs.replace(
        facts,
        draft=front_matter.draft,
        starts=_seconds(front_matter.publish, zone),
        ends=_seconds(front_matter.expiry, zone),
    )


def _seconds(date: Date | None, zone: ZoneInfo) -> float | None:
    """The timestamp of a date; a day without a time begins at midnight in the site's time zone."""
    if date is None:
        return None
    if date.day_only:
        return date.value.replace(tzinfo=zone).timestamp()
    return moment(date, zone).timestamp()


def _listed(words: Iterable[str]) -> str:
    return "".join(f" {word} " for word in words)


def deciding(path: str, suffixes: Sequence[str]) -> list[str]:
    """The paths of all index files that can affect the facts of a source, whether they exist or not: see `facts_of`.

    Args:
        path: of the source.
        suffixes: of the sources of the site.
    """
    folders = [""]
    folder = path
    while folder := folder.rpartition("/")[0]:
        folders.append(f"{folder}/")
    return [f"{folder}{name}{suffix}" for folder in folders for name in _INDEXES for suffix in suffixes]


def is_index(path: str) -> bool:
    """Whether a source is the index file of a topic, which affects the facts of other sources."""
    return _stem(path) == "_index"


def is_bundle(path: str) -> bool:
    """Whether a source is an index file that makes its folder a bundle."""
    return _stem(path) == "index"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]

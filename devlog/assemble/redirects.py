"""Redirects from old URLs of posts, moved posts and topics, configured paths, and lists of other keys with tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from devlog.assemble.urls import NAMINGS, alias_permalink
from devlog.config import Config
from devlog.model.diagnostic import Span
from devlog.model.document import Parsed, Tag
from devlog.model.site import Post, Redirect, Topic
from devlog.model.slug import slug

_WEB = re.compile(r"https?://", re.IGNORECASE)


def redirects_of(
    config: Config,
    posts: Sequence[Post],
    topics: Iterable[Topic],
    moved: Sequence[tuple[Parsed, str]],
    spans: Mapping[str, Span],
) -> tuple[Redirect, ...]:
    """All redirects of a site, those that posts request first.

    Args:
        config: the configuration of the site.
        posts: the posts and plain pages.
        topics: the topics, including those whose page is a redirect.
        moved: the posts and plain pages that are redirects, with their permalinks.
        spans: the position of each redirect in the configuration.
    """
    pages = [(post.parsed, post.permalink, post.title) for post in posts]
    pages += [(topic.index, topic.permalink, topic.title) for topic in topics if topic.index]
    pages += [(parsed, link, parsed.front_matter.title or link) for parsed, link in moved]
    return (
        *_of_aliases(config, pages),
        *(_moved(*page) for page in pages if page[0].front_matter.redirect),
        *_configured(config, spans),
        *_of_other_tags(config, posts),
    )


def _of_aliases(config: Config, pages: Iterable[tuple[Parsed, str, str]]) -> Iterator[Redirect]:
    found: dict[tuple[str, str], Redirect] = {}
    from_root, ending = config.conventions.is_foreign, config.conventions.page_ending
    for parsed, link, title in pages:
        for alias in parsed.front_matter.aliases:
            old = alias_permalink(alias.url, link, config.base_path, from_root=from_root, ending=ending)
            if old != link:
                found.setdefault((old, link), Redirect(old, link, title, alias.span))
    yield from (found[key] for key in sorted(found))


def _moved(parsed: Parsed, link: str, title: str) -> Redirect:
    """The redirect in place of a page: to a page of this site, or of another one."""
    written = parsed.front_matter.redirect
    is_elsewhere = _WEB.match(written)  # front matter is not trusted: a click must not run a script
    target = written if is_elsewhere else "/" + written.lstrip("/")
    return Redirect(link, target, title, parsed.front_matter.span("redirect", parsed.file), is_configured=True)


def _configured(config: Config, spans: Mapping[str, Span]) -> Iterator[Redirect]:
    nowhere = Span("devlog.toml")
    for path, target in sorted(config.redirects.items()):
        permalink = alias_permalink(path, "/", config.base_path)
        yield Redirect(permalink, target, target, spans.get(path, nowhere), is_configured=True)


def _of_other_tags(config: Config, posts: Iterable[Post]) -> Iterator[Redirect]:
    """Redirects from the lists of other front matter keys that hold tags to the lists of tags."""
    naming = NAMINGS[config.dialect]
    places: dict[tuple[str, str], Tag] = {}
    for post in posts:
        for tag in post.parsed.front_matter.tags:
            if tag.key and not post.is_page and (own := naming.tag(tag.name)):
                places.setdefault((tag.key, own), tag)
    firsts: dict[str, Tag] = {}
    for (key, own), tag in sorted(places.items()):
        firsts.setdefault(key, tag)
        yield Redirect(f"/{slug(key)}/{own}/", f"/tags/{own}/", tag.name, tag.span, yields=True, tag=own)
    for key, tag in firsts.items():
        yield Redirect(f"/{slug(key)}/", "/tags/", "Tags", tag.span, yields=True)

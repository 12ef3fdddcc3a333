"""A snapshot of a site for MCP requests: finds posts by URL, path or id, and returns them as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from devlog.assemble.claims import Claim
from devlog.assemble.plan import Planner
from devlog.assemble.site_context import SiteContext
from devlog.assemble.urls import output_path, url
from devlog.inputs import Inputs
from devlog.model.composed import composed
from devlog.model.site import Post, Topic
from devlog.model.slug import slug
from devlog.model.target import Target

SCHEME = "devlog://post/"
"""The prefix of the URIs of posts as resources."""

LONGEST_NAME = 2000
"""The maximum length of a post's name."""

Write = Callable[[Target], str]
"""Returns the Markdown version of a page."""


class SiteSnapshot:
    """A snapshot of a site's visible posts and pages. Names are only looked up, and never become file paths.

    Attributes:
        inputs: of the site.
        texts: its posts, newest first, then its pages.
        topics: in the site's order.
    """

    def __init__(self, inputs: Inputs, planner: Planner, write: Write) -> None:
        """
        Args:
            inputs: of the site.
            planner: of the site.
            write: returns the Markdown version of a page of the plan.
        """
        self.inputs = inputs
        self._planner = planner
        self._write = write
        site = planner.site
        self._claims: dict[str, Claim] = {claim.path: claim for claim in planner.claims() if claim.recipe == "page"}
        some = (*site.posts, *site.pages)
        self.texts: tuple[Post, ...] = tuple(post for post in some if output_path(post.permalink) in self._claims)
        self.topics: tuple[Topic, ...] = tuple(site.topics)
        self._topics: Mapping[str, Topic] = {topic.path: topic for topic in site.topics}
        self._by_file = {composed(name): post for post in self.texts for name in (post.parsed.file, post.id)}
        self._by_path = self._paths()

    def _paths(self) -> dict[str, Post]:
        """The posts and pages by the paths of their URLs. One that a page has itself is no alias of another."""
        own = {post.permalink: post for post in self.texts}
        aliases = [item for item in self._planner.site.redirects if item.target in own]
        paths = {_plain(alias.permalink): own[alias.target] for alias in aliases}
        paths |= {_plain(permalink): post for permalink, post in own.items()}
        return paths | {_plain(unquote(url(self.inputs.config, permalink))): post for permalink, post in own.items()}

    @property
    def context(self) -> SiteContext:
        """The site context."""
        return self._planner.context

    # -- finding

    def find(self, name: str) -> tuple[Post, str] | None:
        """The post or page with a name, and the fragment of the name; `None` if there is none.

        Args:
            name: an absolute URL of the site, the path of a page, of its Markdown version or of its source, or the URI
                of a resource. A URL, or a path that begins with a slash, is first that of a page; any other name is
                first an id or the path of a source, whatever URLs and aliases other posts give themselves.
        """
        if len(name) > LONGEST_NAME:
            return None
        if exact := self._by_file.get(composed(name.strip())):  # it may contain `#`, `?` or `%`
            return exact, ""
        try:
            parts = urlsplit(name.strip())
            path, fragment = unquote(parts.path, errors="strict"), unquote(parts.fragment)
        except ValueError:  # not a URL: wrong brackets, or bytes that are not UTF-8
            return None
        if parts.scheme == "devlog":
            found = self._by_file.get(_plain(path)) if parts.netloc == "post" else None
            return (found, fragment) if found else None
        if (parts.scheme or parts.netloc) and f"{parts.scheme}://{parts.netloc}" not in self._origins:
            return None
        is_url, path = path.startswith("/"), _plain(path)
        by_path = self._by_path.get(path) or self._by_path.get(_page_of(path))
        by_file = self._by_file.get(path)
        found = (by_path or by_file) if is_url else (by_file or by_path)
        return (found, fragment) if found else None

    @property
    def _origins(self) -> frozenset[str]:
        return frozenset(filter(None, (self.inputs.config.origin, *map(_origin, (self.inputs.own_url,)))))

    def suggest(self, name: str) -> tuple[Post, ...]:
        """At most three posts and pages whose ids and titles share the most words with a name."""
        words = {word for word in re.split(r"[\W_]+", name[:LONGEST_NAME].casefold()) if len(word) > 2}
        words -= {"https", "http", "html", "index", "content"}
        scored = [
            (len(words & set(re.split(r"[\W_]+", f"{post.id} {post.title}".casefold()))), post) for post in self.texts
        ]
        best = sorted((item for item in scored if item[0]), key=lambda item: -item[0])
        return tuple(post for _, post in best[:3])

    def topic(self, name: str) -> Topic | None:
        """The topic with a path or a title; `None` if there is none."""
        found = self._topics.get(name.strip("/"))
        return found or next(
            (topic for topic in self._topics.values() if topic.title.casefold() == name.casefold()), None
        )

    # -- describing

    def markdown(self, post: Post) -> str:
        """A post or page as Markdown, with its front matter."""
        claim = self._claims.get(output_path(post.permalink))
        return self._write(self._planner.target(claim)) if claim else ""

    def is_spoken(self, post: Post) -> bool:
        """Whether the page of a post has a transcript."""
        claim = self._claims.get(output_path(post.permalink))
        return bool(claim and self._planner.target(claim).context.get("transcript"))

    def address(self, permalink: str) -> str:
        """The URL of a page; an absolute one if the site has a ``base_url``."""
        return self.inputs.config.origin + url(self.inputs.config, permalink)

    def about(self, post: Post) -> dict[str, Any]:
        """The description of a post in lists."""
        description = {
            "title": post.title,
            "url": self.address(post.permalink),
            "id": post.id,
            "source": post.parsed.file,
            "date": post.date.date().isoformat() if post.date else "",
            "topic": post.topic,
            "authors": [self._authors.get(credit.author, credit.author) for credit in post.credits],
            "tags": [self._tags.get(tag, tag) for tag in post.tags],
            "summary": post.excerpt[:400],
        }
        description |= {"state": post.state} if post.state else {}
        note = self._planner.notes.get(post.id)
        if note and note.status:
            description["status"] = note.status
        return description

    @cached_property
    def _authors(self) -> dict[str, str]:
        return {
            author.key: f"{author.name} (@{author.handle})" if author.handle else author.name
            for author in self._planner.site.authors
        }

    @cached_property
    def _tags(self) -> dict[str, str]:
        return dict(self._planner.site.tags)

    def about_topic(self, topic: Topic) -> dict[str, Any]:
        """The description of a topic in lists, with its number of posts and the date of the newest."""
        inside, newest = self._inside.get(topic.path, (0, None))
        return {
            "topic": topic.path,
            "title": topic.title,
            "description": topic.description,
            "posts": inside,
            "newest": newest.date().isoformat() if newest else "",
            "url": self.address(topic.permalink),
        }

    @cached_property
    def _inside(self) -> dict[str, tuple[int, datetime | None]]:
        """The number of posts in each topic, including sub-topics, and the date of the newest."""
        found: dict[str, tuple[int, datetime | None]] = {}
        for post in self._planner.site.posts:  # newest first
            parts = post.topic.split("/")
            for end in range(1, len(parts) + 1):
                count, newest = found.get(path := "/".join(parts[:end]), (0, post.date))
                found[path] = (count + 1, newest)
        return found

    def recent(self, topic: Topic | None, author: str, tag: str) -> Iterator[Post]:
        """Posts, newest first, filtered by topic (including sub-topics), author and tag, where these are given."""
        who, what = author.lstrip("@").casefold(), slug(tag)
        for post in self.texts:
            if post.is_page or (topic and not f"{post.topic}/".startswith(f"{topic.path}/")):
                continue
            if who and not any(who in self._spellings(credit.author) for credit in post.credits):
                continue
            if what and what not in post.tags:
                continue
            yield post

    def _spellings(self, key: str) -> frozenset[str]:
        shown = self._authors.get(key, key)
        return frozenset({key.casefold(), shown.casefold(), shown.partition(" (@")[0].casefold()})


def _plain(name: str) -> str:
    """A name in normal form: NFC, without slashes at its ends and without ``index.html``."""
    path = composed(name).strip("/")
    return path.removesuffix("index.html").rstrip("/")


def _page_of(path: str) -> str:
    """The path of the page to which a Markdown version belongs."""
    return _plain(path.removesuffix("index.md")) if path.endswith("index.md") else f"{path.removesuffix('.md')}.html"


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def uri(post: Post) -> str:
    """The URI of a post as a resource."""
    return SCHEME + quote(post.id, safe="/")


def page_of(items: Sequence[Any], offset: int, limit: int) -> tuple[list[Any], int]:
    """A part of a list, and the offset of the rest; 0 if nothing is left."""
    end = offset + limit
    return list(items[offset:end]), end if end < len(items) else 0

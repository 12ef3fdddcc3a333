"""The assembled site: everything that is published, sorted and complete."""

from __future__ import annotations

from datetime import datetime

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.document import Parsed
from devlog.model.source import Asset


class Author(msgspec.Struct, frozen=True):
    """An author: ``key`` is the handle in lower case, or the slug of the name of one without a handle.

    ``avatar`` is a picture as the registry has it, and ``avatar_span`` where that is; ``links`` are titles and
    addresses.
    """

    key: str
    name: str
    handle: str
    permalink: str
    bio: str = ""
    link: str = ""
    avatar: str = ""
    affiliation: str = ""
    team: bool = False
    links: tuple[tuple[str, str], ...] = ()
    avatar_span: Span = Span("the authors file")


class Credit(msgspec.Struct, frozen=True):
    """An author of one post, with the affiliation that the post names."""

    author: str
    affiliation: str = ""


class Topic(msgspec.Struct, frozen=True):
    """A folder of posts. ``path`` is relative to the content folder; ``index`` is its ``_index.md``.

    ``redirect`` is where its page leads instead of being one, as its ``_index.md`` has it.
    """

    path: str
    title: str
    description: str
    permalink: str
    index: Parsed | None = None
    weight: int = 0
    redirect: str = ""


class Post(msgspec.Struct, frozen=True):
    """A post, or a plain page.

    Attributes:
        parsed: what its file holds.
        title: never empty.
        permalink: its URL inside the site, starting with ``/``, not percent-encoded.
        date: with a time zone; `None` for plain pages and for posts that say nowhere when they were written.
        day_only: whether only the day of `date` is known.
        updated: likewise.
        topic: the path of its topic; empty outside topics.
        credits: its authors in order.
        tags: slugs, in order.
        excerpt: for listings.
        state: empty when published, else ``draft``, ``future`` or ``expired``.
        reason: of the state, in words for the writer.
        is_page: whether it is a plain page, which no list shows.
        in_menu: whether the menu shows it, if nothing else is configured.
    """

    parsed: Parsed
    title: str
    permalink: str
    date: datetime | None
    day_only: bool
    updated: datetime | None
    updated_day_only: bool
    topic: str
    credits: tuple[Credit, ...]
    tags: tuple[str, ...]
    excerpt: str
    state: str = ""
    reason: str = ""
    is_page: bool = False
    in_menu: bool = False

    @property
    def id(self) -> str:
        """The post's name inside devlog: its source path."""
        return self.parsed.path


class Skipped(msgspec.Struct, frozen=True):
    """A post that was left out: its file and why, in words for the writer."""

    path: str
    reason: str


class Published(msgspec.Struct, frozen=True):
    """An asset and the permalink under which it is published; ``folder`` is ``content``, ``static`` or ``theme``."""

    asset: Asset
    permalink: str
    folder: str


class Redirect(msgspec.Struct, frozen=True):
    """An alias: the old permalink, where it leads now, and the place that asks for it.

    Attributes:
        permalink: the old one.
        target: the new one; of a redirect that is written out somewhere, what is written there.
        title: of the page it leads to.
        span: the place that asks for it.
        is_configured: whether the configuration asks for it, so that `target` is to be resolved as links are.
        yields: whether it gives way to anything else that is published there.
        tag: the slug of the tag whose page it leads to, if that is one.
    """

    permalink: str
    target: str
    title: str
    span: Span
    is_configured: bool = False
    yields: bool = False
    tag: str = ""


class Site(msgspec.Struct, frozen=True):
    """Everything that is published.

    Attributes:
        posts: newest first; undated ones last; ties by path.
        pages: plain pages by path.
        topics: by title, sub-topics after their parents.
        authors: by name.
        tags: slug and spelling, by slug.
        assets: files that are published as is.
        redirects: aliases.
        home: the home page's text.
        skipped: what was left out, by path.
    """

    posts: tuple[Post, ...]
    pages: tuple[Post, ...]
    topics: tuple[Topic, ...]
    authors: tuple[Author, ...]
    tags: tuple[tuple[str, str], ...]
    assets: tuple[Published, ...]
    redirects: tuple[Redirect, ...]
    home: Parsed | None
    skipped: tuple[Skipped, ...]

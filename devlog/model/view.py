"""What templates see. URLs are ready for use: they begin with the site's base path or a scheme.

Every text is plain and is escaped by the template engine. The only HTML is ``content``, the parsed body of
a page with its holes filled, which a template gets beside these views.
"""

from __future__ import annotations

import msgspec

from devlog.model.document import Heading


class Day(msgspec.Struct, frozen=True):
    """A date: ``iso`` is ``2026-05-15`` or a full time stamp, ``text`` is ``May 15, 2026``, ``year`` is 2026.

    ``short`` is always ``2026-05-15``.
    """

    iso: str
    short: str
    text: str
    year: int


class Link(msgspec.Struct, frozen=True):
    """A title and where it leads."""

    title: str
    url: str


class FeedLink(msgspec.Struct, frozen=True):
    """A feed of a page: ``type`` is its media type."""

    title: str
    url: str
    type: str


class AuthorRef(msgspec.Struct, frozen=True):
    """An author in a byline. ``handle`` is without ``@`` and may be empty, as may be ``affiliation``."""

    name: str
    handle: str
    url: str
    affiliation: str = ""
    team: bool = False


class AuthorView(msgspec.Struct, frozen=True):
    """An author on their own page and in the list of authors.

    ``link`` is a page of theirs elsewhere, ``bio`` and ``avatar`` come from the registry; all may be empty.
    """

    name: str
    handle: str
    url: str
    count: int
    bio: str = ""
    link: str = ""
    avatar: str = ""
    affiliation: str = ""
    team: bool = False
    topics: tuple[Link, ...] = ()


class TagRef(msgspec.Struct, frozen=True):
    """A tag on a post, spelled as its first writer spelled it."""

    name: str
    url: str


class TagView(msgspec.Struct, frozen=True):
    """A tag on its own page and in the list of tags."""

    name: str
    url: str
    count: int


class TopicRef(msgspec.Struct, frozen=True):
    """A topic as a label: ``hue`` (0-359) is derived from its name."""

    title: str
    url: str
    hue: int


class TopicView(msgspec.Struct, frozen=True):
    """A topic in a list of topics and on its own page. ``count`` includes the topics below it."""

    title: str
    url: str
    hue: int
    count: int
    description: str = ""
    authors: tuple[AuthorRef, ...] = ()
    subtopics: tuple[Link, ...] = ()


class PostRef(msgspec.Struct, frozen=True):
    """A post in a list. ``state`` is empty for a published post, else ``draft``, ``future`` or ``expired``."""

    url: str
    title: str
    date: Day
    authors: tuple[AuthorRef, ...]
    topic: TopicRef | None
    tags: tuple[TagRef, ...]
    excerpt: str
    reading_time: int
    state: str = ""


class PostView(msgspec.Struct, frozen=True):
    """A post, or a plain page (which has no date), on its own page.

    ``edit_url`` and ``source_url`` are empty unless configured; ``updated`` is `None` unless written.
    """

    url: str
    title: str
    date: Day | None
    updated: Day | None
    authors: tuple[AuthorRef, ...]
    topic: TopicRef | None
    tags: tuple[TagRef, ...]
    headings: tuple[Heading, ...]
    summary: str
    reading_time: int
    words: int
    state: str = ""
    edit_url: str = ""
    source_url: str = ""


class YearView(msgspec.Struct, frozen=True):
    """Posts of one year, newest first."""

    year: int
    posts: tuple[PostRef, ...]


class YearCount(msgspec.Struct, frozen=True):
    """How many posts a year has in all, and the archive page on which the year begins."""

    year: int
    count: int
    url: str


class Pagination(msgspec.Struct, frozen=True):
    """Where a page of a long list stands: ``number`` of ``total``; URLs are empty at the ends."""

    number: int
    total: int
    first: str
    previous: str
    next: str


class SiteView(msgspec.Struct, frozen=True):
    """The site as every page knows it: only what configuration says, so that a new post changes no footer.

    ``base_url`` is absolute with a final slash, or ``/`` when none is configured; ``url`` is the home page
    as pages link to it; ``settings`` are the theme's.
    """

    title: str
    description: str
    language: str
    url: str
    base_url: str
    archive_url: str
    authors_url: str
    tags_url: str
    menu: tuple[Link, ...]
    feeds: tuple[FeedLink, ...]
    source_repo: str
    copyright: str
    settings: dict[str, str | int | float | bool]


class PageView(msgspec.Struct, frozen=True):
    """What the head of a page says.

    ``kind`` is ``home``, ``topic``, ``post``, ``page``, ``author``, ``authors``, ``tag``, ``tags``,
    ``archive`` or ``404``. ``canonical`` is absolute, or empty when no base URL is configured.
    ``json_ld`` is structured data for search engines, empty when there is none: write it with ``tojson``.
    """

    kind: str
    title: str
    url: str
    canonical: str
    description: str
    image: str = ""
    published: str = ""
    modified: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    feeds: tuple[FeedLink, ...] = ()
    breadcrumbs: tuple[Link, ...] = ()
    json_ld: dict[str, object] = {}
    noindex: bool = False

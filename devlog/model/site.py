"""The assembled site: everything that is published, sorted and complete."""

from __future__ import annotations

from datetime import datetime

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.document import Parsed
from devlog.model.source import Asset


class Author(msgspec.Struct, frozen=True):
    """An author: ``key`` is the handle in lower case, or the slug of the name if there is no handle.

    ``avatar`` is the image as given in the authors file or the configuration, and ``avatar_span`` its span there;
    ``links`` are titles and URLs.
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

    ``redirect`` is the target if its page is a redirect, as set in its ``_index.md``. ``folder`` is its folder,
    relative to the site's, which may be a mounted one.
    """

    path: str
    title: str
    description: str
    permalink: str
    index: Parsed | None = None
    weight: int = 0
    redirect: str = ""
    folder: str = ""


class Post(msgspec.Struct, frozen=True):
    """A post, or a plain page.

    Attributes:
        parsed: its parsed source.
        title: the title, never empty.
        permalink: its URL inside the site, starting with ``/``, not percent-encoded.
        date: the date with a time zone; `None` for plain pages, and for posts whose date is not given anywhere.
        day_only: whether only the day of `date` is known.
        updated: the date of the last update, with a time zone; `None` if it is not given.
        updated_day_only: whether only the day of `updated` is known.
        topic: the path of its topic; empty outside topics.
        credits: its authors in order.
        tags: the slugs of its tags, in order.
        excerpt: the excerpt for lists.
        state: empty if published, otherwise ``draft``, ``future`` or ``expired``.
        reason: the reason of the state, in words for authors.
        is_page: whether it is a plain page, which no list shows.
        in_menu: whether the menu shows it, if no menu is configured.
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
        """The identifier of the post inside devlog: its source path."""
        return self.parsed.path

    @property
    def is_findable(self) -> bool:
        """Whether lists, the search and search engines may lead to it: it is published, and not unlisted."""
        return not self.state and self.parsed.front_matter.listed


class Skipped(msgspec.Struct, frozen=True):
    """A post that is not published: its file and the reason, in words for authors."""

    path: str
    reason: str


class Published(msgspec.Struct, frozen=True):
    """An asset and the permalink under which it is published.

    Attributes:
        asset: the file.
        permalink: where it is published.
        folder: ``content``, ``static`` or ``theme``.
        home: the permalink of the post that it is attached to; empty if it belongs to a folder.
    """

    asset: Asset
    permalink: str
    folder: str
    home: str = ""

    def may_replace(self, home: str) -> bool:
        """Whether the file may replace what devlog makes for a page, given the permalink of that page.

        A file in the folder of a topic or list may, and so may the owner's own in the static folder. One that is
        attached to a post replaces nothing of others: its post may have any URL, and with it files below that.
        """
        return self.home in ("", home)


class Redirect(msgspec.Struct, frozen=True):
    """A redirect from an old permalink to its new URL.

    Attributes:
        permalink: the old permalink.
        target: the new permalink; for a redirect whose target is set explicitly, the target as written.
        title: the title of the target page.
        span: the span that defines the redirect.
        is_configured: whether the configuration defines it, so that `target` must be resolved like a link.
        yields: whether it is omitted if anything else has its permalink.
        tag: the slug of the tag if it leads to the page of a tag; else empty.
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
        posts: the posts, newest first; undated ones last; ties by path.
        pages: the plain pages, by path.
        topics: the topics by title, subtopics after their parents.
        authors: the authors, by name.
        tags: pairs of slug and spelling, by slug.
        assets: the files that are published unchanged.
        redirects: the redirects.
        home: the source of the home page; `None` if there is none.
        skipped: the posts that are not published, by path.
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

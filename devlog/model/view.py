"""What templates see. URLs are ready for use: they begin with the site's base path or a scheme.

Every text is plain and is escaped by the template engine. The only HTML is ``content``, the parsed body of
a page with its holes filled, which a template gets beside these views.
"""

from __future__ import annotations

import msgspec

from devlog.model.document import Heading

VERSION = 5
"""Of the contract between devlog and themes: docs/themes.md says what each version added.

A field or name that is added changes it; nothing is taken away or given another meaning under the same name.
"""


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
    """An author in a byline. ``handle`` is without ``@`` and may be empty, as may be ``affiliation``.

    ``avatar`` is the URL of a picture, or empty; ``initials``, at most two, can stand in its place.
    """

    name: str
    handle: str
    url: str
    affiliation: str = ""
    team: bool = False
    avatar: str = ""
    initials: str = ""


class CalendarYear(msgspec.Struct, frozen=True):
    """How many posts somebody wrote in a year, and in each of its twelve months."""

    year: int
    count: int
    months: tuple[int, ...]


class AuthorView(msgspec.Struct, frozen=True):
    """An author on their own page and in the list of authors.

    ``link`` is a page of theirs elsewhere, ``links`` are more of them with their names, ``bio`` and ``avatar`` come
    from the registry; all may be empty. ``first`` and ``last`` are the days of the oldest and the newest post; their
    fields are empty if none has a date. ``calendar`` holds the years between them, oldest first, without gaps, at most
    the last forty.
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
    initials: str = ""
    links: tuple[Link, ...] = ()
    first: Day = Day("", "", "", 0)
    last: Day = Day("", "", "", 0)
    calendar: tuple[CalendarYear, ...] = ()


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


class AiView(msgspec.Struct, frozen=True):
    """What a program that writes had to do with a post: ``text`` is the whole disclosure, as a sentence.

    ``drafted`` is what drafted it and ``edited_by`` who went over it, where that was said apart. ``in_text`` is whether
    the post has a quote of its own that says so.
    """

    text: str
    drafted: str = ""
    edited_by: str = ""
    in_text: bool = False


class PostRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post in a list. ``state`` is empty for a published post, else ``draft``, ``future`` or ``expired``.

    ``status`` is ``superseded`` where another post has taken its place, even if it does not say so itself; else what it
    says: ``current``, ``superseded``, ``historical`` or nothing.

    ``authors`` and ``tags`` are the first sixteen at most, fewer where names are long, ``more_authors`` and
    ``more_tags`` how many others there are: a post stands in the lists of each of them, which would otherwise grow
    with the square of their number.
    """

    url: str
    title: str
    date: Day
    authors: tuple[AuthorRef, ...]
    topic: TopicRef | None
    tags: tuple[TagRef, ...]
    excerpt: str
    reading_time: int
    state: str = ""
    status: str = ""
    more_authors: int = 0
    more_tags: int = 0


class LogRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post in a dense list, which does not change with the post's text. Fields are those of `PostRef`."""

    url: str
    title: str
    date: Day
    topic: TopicRef | None
    state: str = ""
    status: str = ""


class PostView(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post, or a plain page (which has no date), on its own page.

    ``edit_url`` and ``source_url`` are empty unless configured, and so is ``discuss_url``, where the post can be
    discussed; ``updated``, ``reviewed`` and ``ai`` are `None` unless written. ``superseded_by`` leads to what readers
    should read instead: the newest of each chain of posts that superseded one another. ``supersedes`` leads to the
    posts whose place this one took itself.
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
    discuss_url: str = ""
    status: str = ""
    superseded_by: tuple[Link, ...] = ()
    supersedes: tuple[Link, ...] = ()
    reviewed: Day | None = None
    applies_to: str = ""
    ai: AiView | None = None


class SeriesPart(msgspec.Struct, frozen=True):
    """A post of a series: ``is_current`` on its own page, ``number`` counts from 1."""

    title: str
    url: str
    is_current: bool
    number: int


class SeriesView(msgspec.Struct, frozen=True):
    """The series that a post belongs to, which has at least two parts; the post is the part ``number`` of ``total``.

    Of a long series, ``parts`` are the hundred around the post.
    """

    title: str
    number: int
    parts: tuple[SeriesPart, ...]
    total: int


class CommentsView(msgspec.Struct, frozen=True):
    """Where readers discuss a post.

    ``provider`` is ``giscus`` or ``discourse``, ``service`` its name for readers. ``url`` is a plain link to the
    discussion. ``frame`` is the page that shows it inside a frame, and ``origin`` that page's scheme and host.
    ``load`` says when the frame may be asked for: at a ``click``, or on ``scroll``, when its place comes into view.
    """

    provider: str
    service: str
    url: str
    frame: str
    origin: str
    load: str


class ChangedSource(msgspec.Struct, frozen=True):
    """A place in the source of the project that a post cites and that is no longer as it was.

    ``state`` is ``moved``, ``changed`` or ``gone``; ``name`` is such as ``src/cache.py:10-12``; ``url`` leads to it as
    it was. ``new_name`` is where it is now, empty for one that is gone, and ``new_url`` leads there.
    """

    state: str
    name: str
    url: str
    new_name: str = ""
    new_url: str = ""


class CitedView(msgspec.Struct, frozen=True):
    """What has become of the places in the source that a post cites: ``changed`` of ``total`` are not as they were."""

    total: int
    changed: int
    places: tuple[ChangedSource, ...] = ()


class PersonView(msgspec.Struct, frozen=True):
    """Somebody who speaks in an episode; ``role``, ``group``, ``url`` and ``image`` may be empty."""

    name: str
    role: str = ""
    group: str = ""
    url: str = ""
    image: str = ""


class ChapterView(msgspec.Struct, frozen=True):
    """A part of an episode: ``start`` in seconds, ``clock`` as in ``1:12``; ``url`` and ``image`` may be empty."""

    start: float
    clock: str
    title: str
    url: str = ""
    image: str = ""


class EpisodeView(msgspec.Struct, frozen=True):
    """The sound of a post.

    ``show`` is the podcast that it belongs to. ``audio_url`` is what a player loads, of the media type ``type`` and the
    ``length`` in bytes, which is 0 where it is not known. ``seconds`` is 0 where nobody knows how long it takes; then
    ``duration`` (such as ``2:29``) and ``iso_duration`` (``PT2M29S``) are empty. ``season`` and ``number`` are 0 where
    they are not given; ``kind`` is ``full``, ``trailer`` or ``bonus``. ``transcripts`` are files, and ``feed`` is the
    URL of the show's feed, or empty.
    """

    show: Link | None
    audio_url: str
    type: str
    length: int
    seconds: float
    duration: str
    iso_duration: str
    season: int = 0
    number: int = 0
    kind: str = "full"
    explicit: bool = False
    image: str = ""
    people: tuple[PersonView, ...] = ()
    chapters: tuple[ChapterView, ...] = ()
    transcripts: tuple[FeedLink, ...] = ()
    feed: str = ""


class YearView(msgspec.Struct, frozen=True):
    """Posts of one year, newest first."""

    year: int
    posts: tuple[PostRef, ...]


class YearCount(msgspec.Struct, frozen=True):
    """How many posts a year has in all, and the archive page on which the year begins."""

    year: int
    count: int
    url: str


class MonthCount(msgspec.Struct, frozen=True):
    """How many posts a month has; ``month`` is 1 to 12."""

    year: int
    month: int
    count: int


class ReferencePost(msgspec.Struct, frozen=True):
    """A post that speaks of something, and the sentence in which it does."""

    title: str
    url: str
    date: Day
    sentence: str


class ReferenceView(msgspec.Struct, frozen=True):
    """Something of the project's source that posts speak of.

    ``kind`` is ``pull``, ``issue``, ``commit``, ``file``, ``symbol`` or ``handle``. ``name`` is how a list calls it; a
    file stands in its ``folder``, which is empty for all else. ``url`` is where it is to be seen, and may be empty;
    ``anchor`` the fragment of its list that leads to it, and ``place`` the whole URL of that. ``count`` posts speak of
    it, the newest of which are ``posts``.
    """

    kind: str
    name: str
    folder: str
    url: str
    anchor: str
    place: str
    count: int
    posts: tuple[ReferencePost, ...]


class ReferenceKind(msgspec.Struct, frozen=True):
    """A list of references of one kind, and how many it has."""

    kind: str
    title: str
    url: str
    count: int


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
    as pages link to it; ``settings`` are the theme's; ``content_security_policy`` is empty unless configured.
    ``refs_url`` is the page of what posts say of the project's source; empty where they say nothing.
    ``search`` is whether readers can search, ``search_url`` the page that searches, ``index_url`` the folder that
    holds the index.
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
    content_security_policy: str = ""
    search: bool = False
    search_url: str = ""
    index_url: str = ""
    refs_url: str = ""


class PageView(msgspec.Struct, frozen=True):
    """What the head of a page says.

    ``kind`` is ``home``, ``topic``, ``post``, ``page``, ``author``, ``authors``, ``tag``, ``tags``,
    ``archive``, ``refs``, ``reflist``, ``search`` or ``404``. ``canonical`` is absolute, or empty when no base URL is
    configured.
    ``json_ld`` is structured data for search engines, empty when there is none: write it with ``tojson``.
    ``scripts`` are the URLs of what draws its diagrams, to be loaded in this order once the page is read.
    ``audio`` is the whole address of an episode's sound, ``audio_type`` its media type.
    ``markdown_url`` is the same page as Markdown; empty where it has none.
    """

    kind: str
    title: str
    url: str
    canonical: str
    description: str
    image: str = ""
    image_width: int = 0
    image_height: int = 0
    image_alt: str = ""
    published: str = ""
    modified: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    feeds: tuple[FeedLink, ...] = ()
    breadcrumbs: tuple[Link, ...] = ()
    json_ld: dict[str, object] = {}
    noindex: bool = False
    scripts: tuple[str, ...] = ()
    audio: str = ""
    audio_type: str = ""
    markdown_url: str = ""

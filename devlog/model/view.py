"""The values that templates get. URLs are ready for use: they begin with the site's base path or a scheme.

Every text is plain, and the template engine escapes it. The only HTML is ``content``, the parsed body of
a page with its holes filled, which a template gets in addition to these views.
"""

from __future__ import annotations

import msgspec

from devlog.model.document import Heading

VERSION = 9
"""The version of the contract between devlog and themes: docs/themes.md says what each version added.

Adding a field or name increases it. Nothing is removed, and no name changes its meaning.
"""


class Day(msgspec.Struct, frozen=True):
    """A date: ``iso`` is ``2026-05-15`` or a full time stamp, ``text`` is how pages show it, ``year`` is 2026.

    ``short`` is always ``2026-05-15``.
    """

    iso: str
    short: str
    text: str
    year: int


class Link(msgspec.Struct, frozen=True):
    """A link: a title and a URL. ``language`` is that of a post or page; empty for the language of the site."""

    title: str
    url: str
    language: str = ""


class FeedLink(msgspec.Struct, frozen=True):
    """A feed of a page; ``type`` is its media type."""

    title: str
    url: str
    type: str


class AuthorRef(msgspec.Struct, frozen=True):
    """An author in a byline. ``handle`` is without ``@`` and may be empty, as may be ``affiliation``.

    ``avatar`` is the URL of an image, or empty; ``initials``, at most two, can be shown instead.
    """

    name: str
    handle: str
    url: str
    affiliation: str = ""
    team: bool = False
    avatar: str = ""
    initials: str = ""


class CalendarYear(msgspec.Struct, frozen=True):
    """How many posts an author wrote in a year, and in each of its twelve months."""

    year: int
    count: int
    months: tuple[int, ...]


class AuthorView(msgspec.Struct, frozen=True):
    """An author on their own page and in the list of authors.

    ``link`` is a page of theirs elsewhere, ``links`` are more such pages with titles, and ``bio`` and ``avatar`` come
    from the authors file; all may be empty. ``first`` and ``last`` are the days of the oldest and the newest post;
    their fields are empty if no post has a date. ``calendar`` has the years between them, oldest first, without gaps,
    at most the last forty.
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
    """A topic as a label: ``hue`` (0-359) is as far from those of other topics as there is room."""

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
    """The disclosure of AI involvement in writing a post: ``text`` is the whole disclosure, as a sentence.

    ``drafted`` is the AI that drafted the post and ``edited_by`` the person who edited it, if these were given
    separately. ``in_text`` is whether the post itself has a quote with a disclosure.
    """

    text: str
    drafted: str = ""
    edited_by: str = ""
    in_text: bool = False


class ExcerptPart(msgspec.Struct, frozen=True):
    """A part of an excerpt: ``kind`` is ``code``, ``strong`` or ``em``, or empty for plain text."""

    text: str
    kind: str = ""


class Cover(msgspec.Struct, frozen=True):
    """The image that a post's front matter names, beside the post in a list.

    ``width`` and ``height`` are in pixels, 0 if unknown. ``srcset`` has smaller versions, and may be empty.
    """

    url: str
    width: int = 0
    height: int = 0
    srcset: str = ""


class PostRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post in a list. ``state`` is empty for a published post, else ``draft``, ``future`` or ``expired``.

    ``status`` is ``superseded`` if another post supersedes it, even if its own front matter does not say so; otherwise
    it is the status in its front matter: ``current``, ``superseded``, ``historical`` or empty.

    ``authors`` and ``tags`` are the first sixteen at most, fewer if names are long; ``more_authors`` and ``more_tags``
    are the numbers of the others. A post is in the lists of all its authors and tags, so without this limit the output
    would grow with the square of their number.

    In lists with excerpts, ``excerpt_parts`` are the parts of the excerpt, if it has code or emphasized words, and
    ``cover`` is the image of the post, if it has one. ``language`` is empty for a post in the language of the site.
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
    excerpt_parts: tuple[ExcerptPart, ...] = ()
    cover: Cover | None = None
    language: str = ""


class LogRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post in a compact list, which does not depend on the post's text. The fields are those of `PostRef`."""

    url: str
    title: str
    date: Day
    topic: TopicRef | None
    state: str = ""
    status: str = ""
    language: str = ""


class PostView(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post, or a plain page (which has no date), on its own page.

    ``edit_url`` and ``source_url`` are empty unless configured, and so is ``discuss_url``, the URL where the post can
    be discussed; ``updated``, ``reviewed`` and ``ai`` are `None` unless given. ``superseded_by`` links to the posts to
    read instead: the newest of each chain of posts that supersede one another. ``supersedes`` links to the posts that
    this one supersedes directly. ``language`` is empty for a post in the language of the site.
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
    language: str = ""


class SeriesPart(msgspec.Struct, frozen=True):
    """A post of a series: ``is_current`` is true on its own page, ``number`` counts from 1.

    ``language`` is empty for a post in the language of the site.
    """

    title: str
    url: str
    is_current: bool
    number: int
    language: str = ""


class SeriesView(msgspec.Struct, frozen=True):
    """The series that a post belongs to, which has at least two parts; the post is part ``number`` of ``total``.

    In a long series, ``parts`` are the hundred parts around the post.
    """

    title: str
    number: int
    parts: tuple[SeriesPart, ...]
    total: int


class BeforeView(msgspec.Struct, frozen=True):
    """Something to know before: a post or page with its ``url``, or a sentence, whose ``url`` is empty.

    ``language`` is empty for what is in the language of the site.
    """

    title: str
    url: str = ""
    language: str = ""


class PathStep(msgspec.Struct, frozen=True):
    """A step of a reading path: ``number`` counts from 1; ``why`` is the reason to read it, and may be empty."""

    number: int
    post: PostRef
    why: str = ""
    before: tuple[BeforeView, ...] = ()


class PathView(msgspec.Struct, frozen=True):
    """A reading path, on its own page: ``reading_time`` is that of all steps, in minutes."""

    steps: tuple[PathStep, ...]
    reading_time: int
    before: tuple[BeforeView, ...] = ()


class OnPath(msgspec.Struct, frozen=True):
    """A reading path that a post is on, as step ``number`` of ``total``; ``url`` is the path's page.

    ``language`` is empty for a page in the language of the site.
    """

    title: str
    url: str
    number: int
    total: int
    previous: Link | None = None
    next: Link | None = None
    language: str = ""


class PathRef(msgspec.Struct, frozen=True):
    """A reading path in a list; ``count`` is the number of its posts. ``description`` may be empty.

    ``language`` is empty for a page in the language of the site.
    """

    title: str
    url: str
    description: str
    count: int
    language: str = ""


class CommentsView(msgspec.Struct, frozen=True):
    """Where readers discuss a post.

    ``provider`` is ``giscus`` or ``discourse``, ``service`` its name for readers. ``url`` is a plain link to the
    discussion. ``frame`` is the page that shows it inside a frame, and ``origin`` that page's scheme and host.
    ``load`` is when the frame may be loaded: on ``click``, or on ``scroll``, when it comes into view.
    """

    provider: str
    service: str
    url: str
    frame: str
    origin: str
    load: str


class ChangedSource(msgspec.Struct, frozen=True):
    """A location in the project's source that a post cites and that has changed since.

    ``state`` is ``moved``, ``changed`` or ``gone``; ``name`` is for example ``src/cache.py:10-12``; ``url`` links to
    the cited version. ``new_name`` is the current location, empty if it is gone, and ``new_url`` links to that.
    """

    state: str
    name: str
    url: str
    new_name: str = ""
    new_url: str = ""


class EarlierDigest(msgspec.Struct, frozen=True):
    """The digest of the same days in an earlier year."""

    years: int
    url: str
    title: str


class DigestView(msgspec.Struct, frozen=True):
    """The series of a digest: the link to its page, and the digests of the same days in earlier years."""

    series: Link
    earlier: tuple[EarlierDigest, ...] = ()


class DigestRow(msgspec.Struct, frozen=True):
    """A digest in the list of its series. ``changes`` and ``people`` are 0 if the post does not say how many."""

    day: Day
    title: str
    url: str
    changes: int
    people: int


class DigestYear(msgspec.Struct, frozen=True):
    """The digests of a year, newest first, and their changes."""

    year: int
    rows: tuple[DigestRow, ...]
    changes: int


class CitedView(msgspec.Struct, frozen=True):
    """The changes in the source locations that a post cites: ``changed`` of ``total`` have changed since."""

    total: int
    changed: int
    places: tuple[ChangedSource, ...] = ()


class PersonView(msgspec.Struct, frozen=True):
    """A person who speaks in an episode; ``role``, ``group``, ``url`` and ``image`` may be empty."""

    name: str
    role: str = ""
    group: str = ""
    url: str = ""
    image: str = ""


class ChapterView(msgspec.Struct, frozen=True):
    """A chapter of an episode: ``start`` in seconds, ``clock`` as in ``1:12``; ``url`` and ``image`` may be empty."""

    start: float
    clock: str
    title: str
    url: str = ""
    image: str = ""


class EpisodeView(msgspec.Struct, frozen=True):
    """The audio of a post.

    ``show`` is the podcast that it belongs to. ``audio_url`` is the URL that a player loads, of the media type ``type``
    and the ``length`` in bytes, which is 0 if unknown. ``seconds`` is 0 if the duration is unknown; then ``duration``
    (such as ``2:29``) and ``iso_duration`` (``PT2M29S``) are empty. ``season`` and ``number`` are 0 if they are not
    given; ``kind`` is ``full``, ``trailer`` or ``bonus``. ``transcripts`` are files, and ``feed`` is the URL of the
    show's feed, or empty.
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
    """The total number of posts in a year, and the archive page on which the year begins."""

    year: int
    count: int
    url: str


class MonthCount(msgspec.Struct, frozen=True):
    """The number of posts in a month; ``month`` is 1 to 12."""

    year: int
    month: int
    count: int


class ReferencePost(msgspec.Struct, frozen=True):
    """A post with a source reference, and the sentence that contains it."""

    title: str
    url: str
    date: Day
    sentence: str


class ReferenceView(msgspec.Struct, frozen=True):
    """A part of the project's source that posts refer to.

    ``kind`` is ``pull``, ``issue``, ``commit``, ``file``, ``symbol`` or ``handle``. ``name`` is its name in lists;
    ``folder`` is the folder of a file, and empty for other kinds. ``url`` is its URL, and may be empty; ``anchor`` is
    its fragment in the list of references, and ``place`` the whole URL of that. ``count`` is the number of posts that
    refer to it, and ``posts`` are the newest of these.
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
    """A list of source references of one kind, and their number."""

    kind: str
    title: str
    url: str
    count: int


class SourcePost(msgspec.Struct, frozen=True):
    """A post that cites files of a directory of the project's source.

    ``files`` are the first of these files, relative to the directory, and ``more`` is the number of others. ``changed``
    of ``places`` cited places in them have changed since; ``places`` is 0 if that is not known.
    """

    title: str
    url: str
    date: Day
    files: tuple[str, ...] = ()
    more: int = 0
    places: int = 0
    changed: int = 0


class SourceDirectory(msgspec.Struct, frozen=True):
    """A directory of the project's source of which posts cite files, in it or below it.

    ``name`` is its path below the directory that lists it. ``count`` is the number of posts, and ``posts`` are the
    newest of those that cite files in the directory itself. ``places`` and ``changed`` are those of all posts, as in
    SourcePost. ``directories`` are those below it, the most cited first.
    """

    name: str
    url: str
    count: int
    posts: tuple[SourcePost, ...] = ()
    places: int = 0
    changed: int = 0
    directories: tuple[SourceDirectory, ...] = ()


class Pagination(msgspec.Struct, frozen=True):
    """The position of a page in a long list: ``number`` of ``total``; URLs are empty at the ends."""

    number: int
    total: int
    first: str
    previous: str
    next: str


class AnalyticsView(msgspec.Struct, frozen=True):
    """The script that counts visits, with the attribute by which it knows the site; ``attribute`` may be empty."""

    script: str
    attribute: str = ""
    value: str = ""


class LogoView(msgspec.Struct, frozen=True):
    """An image of the brand: its URL, and its size in pixels, which keeps its room while it is loaded."""

    url: str
    width: int
    height: int


class IconView(msgspec.Struct, frozen=True):
    """An icon of the site, as a ``link`` in the head of pages; ``sizes`` is empty for an SVG."""

    rel: str
    url: str
    type: str
    sizes: str = ""


class FontView(msgspec.Struct, frozen=True):
    """A font file that each page needs: its URL and its media type."""

    url: str
    type: str


class BrandView(msgspec.Struct, frozen=True):
    """The site's own look, from ``[brand]`` of the configuration; everything is empty without it.

    ``stylesheet`` sets the colors and fonts: pages load it after the style sheet of the theme, and ``fonts`` before it.
    ``wordmark`` is whether the logo holds the title of the site. ``manifest`` is the URL of the web app manifest.
    ``only`` is ``light`` or ``dark`` if the site has only one mode, and otherwise empty. ``light`` and ``dark`` are the
    background colors as ``#rrggbb``, empty for those of the theme.
    """

    stylesheet: str = ""
    fonts: tuple[FontView, ...] = ()
    logo: LogoView | None = None
    logo_dark: LogoView | None = None
    wordmark: bool = False
    icons: tuple[IconView, ...] = ()
    manifest: str = ""
    only: str = ""
    light: str = ""
    dark: str = ""


class SiteView(msgspec.Struct, frozen=True):
    """The site, as every page gets it: it depends only on the configuration, so that a new post changes no footer.

    ``base_url`` is absolute with a trailing slash, or ``/`` if none is configured; ``url`` is the URL of the home page
    as pages link to it; ``settings`` are the theme's; ``content_security_policy`` is empty unless configured.
    ``refs_url`` is the page of source references; empty if posts have none. ``subscribe_url`` is the page that explains
    feeds; empty without feeds.
    ``page_width`` is ``narrow``, ``normal``, ``wide`` or ``full``; ``links`` and ``social`` are those of the footer.
    ``styles`` and ``scripts`` are the URLs of the site's own style sheets and scripts, and
    ``analytics`` is what counts visits.
    ``search`` is whether readers can search, ``search_url`` the search page, ``index_url`` the folder of the index.
    ``brand`` is the look that the configuration sets.
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
    subscribe_url: str = ""
    page_width: str = "normal"
    full_width_header: bool = False
    links: tuple[Link, ...] = ()
    social: tuple[Link, ...] = ()
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    analytics: AnalyticsView | None = None
    brand: BrandView = BrandView()


class FeedGroup(msgspec.Struct, frozen=True):
    """The feeds of the site or of a topic, with their absolute URLs, on the page that explains feeds."""

    title: str
    url: str
    feeds: tuple[FeedLink, ...]


class HomeView(msgspec.Struct, frozen=True):
    """What the configuration says of the home page.

    ``hero`` is a line above all else, ``image`` a picture beside it; both may be empty. ``cards`` is whether posts are
    shown as cards, ``topics_below`` whether the topics stand below the posts on wide screens, too. ``pinned`` are posts
    that stand above the others, which do not have them again.
    """

    hero: str = ""
    image: Cover | None = None
    image_alt: str = ""
    cards: bool = False
    topics_below: bool = False
    pinned: tuple[PostRef, ...] = ()


class PageView(msgspec.Struct, frozen=True):
    """The metadata of a page, for its head.

    ``kind`` is ``home``, ``topic``, ``post``, ``page``, ``author``, ``authors``, ``tag``, ``tags``,
    ``archive``, ``refs``, ``reflist``, ``refsource``, ``search``,
    ``subscribe`` or ``404``. ``canonical`` is absolute, or empty if no
    base URL is configured.
    ``json_ld`` is structured data for search engines, empty if there is none: write it with ``tojson``.
    ``scripts`` are the URLs of scripts that draw its diagrams, to be loaded in this order after the page was parsed.
    ``styles`` are the URLs of style sheets that its formulas need.
    ``content_security_policy`` is its own policy if readers can load players of other sites in it; else it is empty,
    and the page has that of the site.
    ``audio`` is the absolute URL of an episode's audio, ``audio_type`` its media type.
    ``markdown_url`` is the URL of its Markdown version; empty if it has none.
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
    styles: tuple[str, ...] = ()
    content_security_policy: str = ""
    audio: str = ""
    audio_type: str = ""
    markdown_url: str = ""

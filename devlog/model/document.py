"""A parsed file: front matter, and Markdown turned into HTML with typed holes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.parts import Parts, T, part_of

RefKind = Literal["link", "image", "media"]


class Ref(msgspec.Struct, frozen=True, omit_defaults=True):
    """A hole in a body: a reference whose URL only the whole site can tell.

    Attributes:
        kind: ``link`` (an ``href``), ``image`` (an ``src`` with a size), ``media`` (any other URL attribute,
            such as the ``src`` of a video).
        target: as the writer wrote it.
        span: where it stands; the place of the enclosing block when the exact one is unknown.
        attribute: the HTML attribute that the hole fills; empty when it is one URL of several in a ``srcset``.
        sized: whether the writer gave the image a width or height.
        shown: whether the target is also what readers see, as that of ``<https://example.org>``: nothing but a whole
            address can stand there.
    """

    kind: RefKind
    target: str
    span: Span
    attribute: str = "href"
    sized: bool = False
    shown: bool = False


class Heading(msgspec.Struct, frozen=True):
    """A heading: level 1-6, the fragment that leads to it, its text without markup."""

    level: int
    id: str
    text: str


class Anchor(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The link of a heading to itself, which only the heading's own page shows."""

    id: str


class Image(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """An image of the site: its whole tag, whose address, the document's reference `ref`, is the hole.

    Attributes:
        ref: the index of the reference.
        start: the tag up to the hole.
        end: the rest of it.
    """

    ref: int
    start: str
    end: str


class Drawing(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A code block that is shown as a picture, where there is one.

    Attributes:
        number: the index of the document's diagram.
        source: the code block as HTML.
        alt: what stands for the picture where it is not seen.
        title: shown with it; may be empty.
    """

    number: int
    source: str
    alt: str
    title: str


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text with holes: a string stands for itself, a number for the document's reference of that index.

    Attributes:
        pieces: HTML.
        markdown: the same as Markdown, in UTF-8, whose numbers stand for URLs alone.
    """

    pieces: tuple[str | int | Anchor | Image | Drawing, ...]
    markdown: tuple[bytes | int, ...] = ()

    @property
    def length(self) -> int:
        """How many bytes it has as Markdown, without what fills its holes."""
        return sum([len(piece) for piece in self.markdown if isinstance(piece, bytes)])


class Diagram(msgspec.Struct, frozen=True):
    """A picture as a text: its language, the text, and where that stands."""

    language: str
    text: str
    span: Span


class Document(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything about a parsed text but its HTML.

    Attributes:
        body: the digest of its `Body`, which is kept apart because only rendering needs it.
        refs: the holes of the body, in order.
        headings: in order, without a first heading that repeats the title.
        anchors: every fragment that a link can lead to, sorted.
        excerpt: plain text for listings, ending in an ellipsis where it was cut; empty for an empty text.
        title: the text of the first level-1 heading, empty when there is none.
        words: the number of words, for the reading time.
        diagrams: the code blocks that can be shown as pictures.
        discloses: whether a quote in it says how it was written.
        terms: digests of what it is about, four bytes each: see `devlog.parse.markdown.keywords`.
        length: how many bytes it has as Markdown, without its URLs.
        parts: what features and plugins have read in it: see `of`.
    """

    body: str
    refs: tuple[Ref, ...] = ()
    headings: tuple[Heading, ...] = ()
    anchors: tuple[str, ...] = ()
    excerpt: str = ""
    title: str = ""
    words: int = 0
    terms: bytes = b""
    diagrams: tuple[Diagram, ...] = ()
    discloses: bool = False
    length: int = 0
    parts: Parts = ()

    def of(self, kind: type[T]) -> T:
        """What a feature or a plugin has read in the text, by the type of that; an empty one without it."""
        return part_of(self.parts, kind)


class Date(msgspec.Struct, frozen=True):
    """A date as written: with a time zone, with a naive time, or as a day.

    Attributes:
        value: the moment; naive when no zone was given, midnight when no time was given.
        day_only: whether only a day was written.
        offset: minutes by which the writer's clock was ahead of UTC: the store keeps moments only.
    """

    value: datetime
    day_only: bool
    offset: int = 0


class Byline(msgspec.Struct, frozen=True, omit_defaults=True):
    """One author as a post names them, before the whole site is known.

    Attributes:
        name: as written, empty when only a handle is given.
        handle: after an ``@``, lower-case; empty when there is none.
        aside: what stood in parentheses without an ``@``: a handle or an affiliation, which only the
            whole site can tell apart.
        url: a link given with the name.
        affiliation: given as such.
        team: whether the author is a team.
        span: where the name stands.
        written: the text that was read; empty when the parts were given apart.
    """

    name: str
    handle: str
    span: Span
    aside: str = ""
    url: str = ""
    affiliation: str = ""
    team: bool = False
    written: str = ""

    @property
    def spelling(self) -> str:
        """The canonical spelling: ``Name (@handle)`` with what else is known behind it; ``@handle`` without a name."""
        handle = f"@{self.handle}" if self.handle else ""
        parts = [self.name, f"({handle})" if handle and self.name else handle]
        parts.append(f"({self.aside})" if self.aside else "")
        parts.append(f"<{self.url}>" if self.url else "")
        return " ".join(part for part in parts if part)


class Tag(msgspec.Struct, frozen=True):
    """A tag, spelled as written, and where; ``key`` is the key of front matter that names it unless it is ``tags``."""

    name: str
    span: Span
    key: str = ""


class Alias(msgspec.Struct, frozen=True):
    """An old URL of a page as written, and where."""

    url: str
    span: Span


class FrontMatter(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a file says about itself; every field is optional.

    ``render`` is whether it has a page, ``listed`` whether lists show it, ``redirect`` where its page leads instead.
    ``part`` is its number in its series; ``comments`` whether it can be discussed, and ``comments_id`` names where.
    ``parts`` holds what features and plugins have read: see `of`. ``spans`` holds the place of each key by name,
    ``params`` the keys that nobody gives a meaning, as JSON text.
    """

    title: str = ""
    date: Date | None = None
    updated: Date | None = None
    publish: Date | None = None
    expiry: Date | None = None
    draft: bool = False
    authors: tuple[Byline, ...] = ()
    tags: tuple[Tag, ...] = ()
    categories: tuple[Tag, ...] = ()
    aliases: tuple[Alias, ...] = ()
    slug: str = ""
    url: str = ""
    summary: str = ""
    description: str = ""
    image: str = ""
    canonical_url: str = ""
    weight: int = 0
    toc: bool = True
    render: bool = True
    listed: bool = True
    redirect: str = ""
    series: str = ""
    part: int | None = None
    comments: bool = True
    comments_id: str = ""
    parts: Parts = ()
    params: str = "{}"
    spans: tuple[tuple[str, Span], ...] = ()

    def of(self, kind: type[T]) -> T:
        """What a feature or a plugin has read in keys of its own, by the type of that; an empty one without them."""
        return part_of(self.parts, kind)

    def span(self, key: str, path: str) -> Span:
        """Where `key` is written, or the file's first line when it is not."""
        for name, span in self.spans:
            if name == key:
                return span
        return Span(path, 1)


class Parsed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parsed source. Parsing cannot fail: what is wrong is in `diagnostics`.

    Attributes:
        path: relative to the content folder.
        file: relative to the site's root: the name used in messages.
        name: the file's name without its ending; for ``slug/index.md`` the folder's name.
        name_date: the date that the name begins with.
        name_slug: the name without that date.
        front_matter: what the file says about itself.
        document: what the text holds.
        diagnostics: what is wrong with it, sorted.
        is_template: whether a template makes what its page shows: its text is one of Jekyll's, or it is empty and names
            one of Zola's.
    """

    path: str
    file: str
    name: str
    name_date: Date | None
    name_slug: str
    front_matter: FrontMatter
    document: Document
    diagnostics: tuple[Diagnostic, ...] = ()
    is_template: bool = False

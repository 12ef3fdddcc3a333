"""A parsed file: front matter, and Markdown turned into HTML with typed holes."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta, timezone
from typing import Annotated, Literal

import msgspec

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.expansion import size_of
from devlog.model.parts import Parts, T, part_of
from devlog.model.record import decoded
from devlog.model.source import Asset

RefKind = Literal["link", "image", "media"]


class Ref(msgspec.Struct, frozen=True, omit_defaults=True):
    """What fills holes of a body: a link or an image, whose URL can only be resolved with the whole site.

    Attributes:
        kind: ``link`` (an ``href``), ``image`` (an ``src`` with a size), ``media`` (any other URL attribute,
            such as the ``src`` of a video).
        target: the link target as written.
        span: the span of the target; that of the enclosing block if the exact one is unknown.
        attribute: the HTML attribute that the hole fills; empty if it is one of several URLs in a ``srcset``.
        sized: whether the author gave the image a width or height.
        shown: whether the target is also the text of the link, as in ``<https://example.org>``: it must be an absolute
            URL then.
    """

    kind: RefKind
    target: str
    span: Span
    attribute: str = "href"
    sized: bool = False
    shown: bool = False


class Heading(msgspec.Struct, frozen=True):
    """A heading: its level 1-6, its fragment, and its text without markup."""

    level: int
    id: str
    text: str


class Anchor(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The permalink of a heading, which only the heading's own page shows."""

    id: str


class Image(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """An image of the site: its whole tag, with a hole for its URL, which is the document's reference `ref`.

    Attributes:
        ref: the index of the reference.
        start: the tag up to the hole.
        end: the tag after the hole.
    """

    ref: int
    start: str
    end: str


class Drawing(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A code block that is shown as an image, if the diagram was drawn.

    Attributes:
        number: the index of the document's diagram.
        source: the code block as HTML.
        alt: the alt text of the image.
        title: the title that is shown with it; may be empty.
    """

    number: int
    source: str
    alt: str
    title: str


LABEL = -1
"""A hole for what the label of a footnote begins with: a file with several texts has one note for each label."""


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text with holes: strings are literal, and a number is a hole for the document's reference of that index.

    Attributes:
        pieces: the HTML.
        markdown: the same text as Markdown, in UTF-8; its numbers stand for URLs without an attribute, and `LABEL`
            is before each label of a footnote.
    """

    pieces: tuple[str | int | Anchor | Image | Drawing, ...]
    markdown: tuple[bytes | int, ...] = ()

    @property
    def length(self) -> int:
        """The size of the Markdown in bytes, without the content of its holes."""
        return sum([len(piece) for piece in self.markdown if isinstance(piece, bytes)])

    @property
    def html_size(self) -> int:
        """The size of the HTML in bytes, without the content of its holes."""
        return sum([_size(piece) for piece in self.pieces])

    @property
    def repeats(self) -> tuple[tuple[int, int], ...]:
        """For each reference that fills several holes: its index, and their number."""
        holes = [piece for piece in self.pieces if isinstance(piece, int | Image)]
        counts = Counter([piece if isinstance(piece, int) else piece.ref for piece in holes])
        return tuple([(ref, count) for ref, count in counts.items() if count > 1]) if len(counts) < len(holes) else ()

    @classmethod
    def is_encoded(cls, data: bytes) -> bool:
        """Whether contents are an encoded body: a forged record may name any contents of the store."""
        if (body := decoded(data, cls)) is None:
            return False
        try:
            b"".join(piece for piece in body.markdown if isinstance(piece, bytes)).decode()
        except UnicodeDecodeError:
            return False
        return True


def _size(piece: str | int | Anchor | Image | Drawing) -> int:
    if isinstance(piece, str):
        return size_of(piece)
    if isinstance(piece, Image):
        return size_of(piece.start) + size_of(piece.end)
    return sum(map(size_of, (piece.source, piece.alt, piece.title))) if isinstance(piece, Drawing) else 0


class Diagram(msgspec.Struct, frozen=True):
    """The source of a diagram.

    Attributes:
        language: its language.
        text: its text.
        span: of the fence or the element that it is in.
        lines: in a converted source, the line of the file for each line of the text, 0 if there is none; else empty,
            because the lines follow the span.
    """

    language: str
    text: str
    span: Span
    lines: tuple[int, ...] = ()

    def span_of(self, line: int) -> Span:
        """The span of a line of the text, counted from 1; that of the diagram for 0."""
        if line <= 0:
            return self.span
        if not self.lines:
            return Span(self.span.path, self.span.line + line)
        at = self.lines[line - 1] if line <= len(self.lines) else 0
        return Span(self.span.path, at) if at else self.span


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """A part of an excerpt that is code or emphasized.

    Attributes:
        start: the index of its first character in the excerpt.
        end: the index after its last one.
        kind: ``code``, ``strong`` or ``em``.
    """

    start: int
    end: int
    kind: str


class Document(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything about a parsed text except its HTML.

    Attributes:
        body: the digest of its `Body`, which is stored separately because only rendering needs it.
        refs: the links and images of the site that fill the holes of the body, in the order of their first holes. Holes
            that repeat one, such as links that one definition supplies, share it.
        headings: the headings in order, without a first heading that repeats the title.
        anchors: all fragments of the text that a link can have, sorted.
        excerpt: plain text for lists, ending in an ellipsis if it was cut; empty for an empty text.
        marks: the code and the emphasized words in the excerpt, in order and without overlaps.
        title: the text of the first level-1 heading; empty if there is none.
        words: the number of words, for the reading time.
        diagrams: the code blocks that can be shown as images.
        formulas: whether it has formulas.
        players: the sites whose players readers can load, sorted: keys of `devlog.model.players.SITES`.
        discloses: whether a quote in it discloses how it was written.
        tangled: whether sanitizing its HTML, which pages show as it is, could take too long, or produce too much.
        terms: digests of its keywords, four bytes each: see `devlog.parse.markdown.keywords`.
        length: the size of its Markdown in bytes, without its URLs.
        written: the length of its file in characters.
        html: the size of its HTML in bytes, without what fills its holes.
        repeats: for each of the references that fill several holes, its index and the number of these holes.
        letters: the characters outside of ASCII in the file and in its HTML, sorted; empty unless recorded.
        parts: the data that features and plugins have found in it: see `of`.
    """

    body: str
    refs: tuple[Ref, ...] = ()
    headings: tuple[Heading, ...] = ()
    anchors: tuple[str, ...] = ()
    excerpt: str = ""
    marks: tuple[Mark, ...] = ()
    title: str = ""
    words: int = 0
    terms: bytes = b""
    diagrams: tuple[Diagram, ...] = ()
    formulas: bool = False
    players: tuple[str, ...] = ()
    discloses: bool = False
    tangled: bool = False
    length: int = 0
    written: int = 0
    html: int = 0
    repeats: tuple[tuple[int, int], ...] = ()
    letters: str = ""
    parts: Parts = ()

    def of(self, kind: type[T]) -> T:
        """The data that a feature or a plugin has found in the text, by its type; an empty value if there is none."""
        return part_of(self.parts, kind)


class Date(msgspec.Struct, frozen=True):
    """A date as written: with a time zone, with a naive time, or as a day.

    Attributes:
        value: the date and time; naive if no time zone was given, midnight if no time was given.
        day_only: whether only a day was written.
        offset: the UTC offset in minutes as written, since the store does not keep the time zone of `value`.
    """

    value: datetime
    day_only: bool
    offset: Annotated[int, msgspec.Meta(ge=-24 * 60 + 1, le=24 * 60 - 1)] = 0

    def __post_init__(self) -> None:
        """Raises ValueError if the moment is outside of the calendar where it was written, as in a forged record."""
        if self.value.tzinfo is not None:
            try:
                self.value.astimezone(timezone(timedelta(minutes=self.offset)))
            except OverflowError as error:
                raise ValueError("outside of the calendar") from error


class Byline(msgspec.Struct, frozen=True, omit_defaults=True):
    """One author as a post names them, before the whole site is known.

    Attributes:
        name: the name as written; empty if only a handle is given.
        handle: the handle after an ``@``, in lower case; empty if there is none.
        aside: the text in parentheses without an ``@``: a handle or an affiliation, which can only be distinguished
            with the whole site.
        url: a link given with the name.
        affiliation: the affiliation, if it is given in its own key.
        team: whether the author is a team.
        span: the span of the name.
        written: the text that was parsed; empty if the parts were given in separate keys.
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
        """The canonical spelling: ``Name (@handle)``, then any other parts; ``@handle`` without a name."""
        handle = f"@{self.handle}" if self.handle else ""
        parts = [self.name, f"({handle})" if handle and self.name else handle]
        parts.append(f"({self.aside})" if self.aside else "")
        parts.append(f"<{self.url}>" if self.url else "")
        return " ".join(part for part in parts if part)


class Tag(msgspec.Struct, frozen=True):
    """A tag as written, and its span; ``key`` is the front matter key that contains it, unless that is ``tags``."""

    name: str
    span: Span
    key: str = ""


class Alias(msgspec.Struct, frozen=True):
    """An old URL of a page as written, and its span."""

    url: str
    span: Span


class FrontMatter(msgspec.Struct, frozen=True, omit_defaults=True):
    """The front matter of a file; every field is optional.

    ``render`` is whether the file has a page, ``listed`` whether lists show it, and ``redirect`` the target if its page
    redirects. ``part`` is its number in its series. ``comments`` is whether it can be discussed, and ``comments_id``
    the name of the discussion. ``language`` is its language tag. ``parts`` has the values of features and plugins: see
    `of`. ``spans`` has the span of each key by name, and ``params`` the unknown keys, as JSON text.
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
    language: str = ""
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
        """The values of a feature's or plugin's own keys, by their type; an empty value if there are none."""
        return part_of(self.parts, kind)

    def span(self, key: str, path: str) -> Span:
        """The span of `key`, or the file's first line if it is not set."""
        for name, span in self.spans:
            if name == key:
                return span
        return Span(path, 1)


class Parsed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parsed source. Parsing cannot fail: problems are in `diagnostics`.

    Attributes:
        path: the path relative to the content folder.
        file: the path relative to the site's root, which messages use.
        name: the file's name without its suffix; for ``slug/index.md`` the folder's name.
        name_date: the date at the beginning of the name.
        name_slug: the name without that date.
        front_matter: the front matter.
        document: the parsed text.
        diagnostics: the problems found, sorted.
        is_template: whether a template generates the content of its page: the text is a Jekyll template, or it is empty
            and names a template of Zola.
        files: the files that the source contains, such as images in a notebook, which are published beside its page.
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
    files: tuple[Asset, ...] = ()

    def is_of(self, path: str, file: str) -> bool:
        """Whether it can be the result of parsing a source, given as its two paths; a damaged record may not be."""
        return self.path == path and self.file == file and len(self.document.terms) % 4 == 0

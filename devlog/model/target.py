"""What should exist: the plan's targets, and what rendering makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Body, RefKind
from devlog.model.markdown import markdown_path_of
from devlog.model.post_note import EntryNote
from devlog.model.source import Size
from devlog.model.theme import Theme
from devlog.model.view import AiView


class Choice(msgspec.Struct, frozen=True):
    """What a browser may load instead of a picture: pictures of one media type, as a ``srcset`` names them."""

    type: str
    srcset: str


class ResolvedLink(msgspec.Struct, frozen=True, omit_defaults=True):
    """What fills a hole of a body.

    Attributes:
        kind: of the reference.
        attribute: the HTML attribute to write; empty for a URL alone.
        url: with the site's base path, or with a scheme, or a fragment of the page itself; empty for a
            reference that leads nowhere.
        size: of an image, when it is known and the writer gave none.
        choices: what a browser may load instead of an image, the best first.
        mode: ``light`` or ``dark`` for an image that is only shown in that mode; else empty.
        dark: what stands for a light image in the dark mode.
    """

    kind: RefKind
    attribute: str
    url: str
    size: Size | None = None
    choices: tuple[Choice, ...] = ()
    mode: str = ""
    dark: ResolvedLink | None = None


class Drawn(msgspec.Struct, frozen=True):
    """The picture of a diagram: its URL, empty where there is none, and its size.

    `paper` is whether it is made for light paper, which it then brings along.
    """

    url: str = ""
    width: int = 0
    height: int = 0
    paper: bool = True


class Filling(msgspec.Struct, frozen=True):
    """A body and what fills its holes: rendering turns it into HTML.

    Attributes:
        body: the digest of the `Body`.
        places: one for each reference.
        page_url: the page's absolute URL, to which fragments belong in feeds.
        drawings: one for each diagram.
    """

    body: str
    links: tuple[ResolvedLink, ...]
    page_url: str
    drawings: tuple[Drawn, ...] = ()


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post in a feed: absolute URLs, moments in UTC. ``content`` is `None` in feeds of summaries.

    ``note`` is what there is to say of it besides; ``ai`` is what had a part in writing it.
    """

    id: str
    url: str
    title: str
    published: str
    updated: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    summary: str
    content: Filling | None
    note: EntryNote = EntryNote()
    ai: AiView | None = None


class FeedView(msgspec.Struct, frozen=True):
    """A feed as a whole.

    Attributes:
        home: the page whose posts these are.
        url: of the feed itself.
        id: what names the feed for ever.
        updated: the newest change of an entry.
        origin: scheme and host, which make the URLs of bodies absolute.
    """

    title: str
    description: str
    home: str
    url: str
    id: str
    language: str
    updated: str
    origin: str


class Facts(NamedTuple):
    """What ``posts.json`` tells of a post beside its `PostRef`: its file, its topic's path, when it was updated."""

    source: str
    topic: str | None
    updated: str | None
    words: int


class Listed(NamedTuple):
    """A place that ``llms.txt`` names: its title, its URL, what there is, and how many logs that are."""

    title: str
    url: str
    description: str
    logs: int = 0


class Target(msgspec.Struct, frozen=True):
    """A file that should exist, and everything that its recipe may see.

    Attributes:
        path: relative to the output folder.
        recipe: what makes it.
        template: the template's name, for the recipes that use one.
        context: name to value. Rendering sees nothing else, so the digest of this is the dependency list.
        markdown: the path of the same page as Markdown, which is made with it, of the same context; empty without one.
    """

    path: str
    recipe: str
    template: str
    context: dict[str, Any]
    markdown: str = ""

    def without_markdown(self) -> Target:
        """The page alone, where its Markdown version is there already."""
        return msgspec.structs.replace(self, markdown="") if self.markdown else self


COMMON = frozenset({"assets", "site"})
"""The names of those values in a context that are the same for all pages of a site."""


WITH_MARKDOWN = frozenset({"home", "topic", "post", "page", "author", "authors", "tag", "tags", "archive"})
"""The kinds of pages that have a Markdown version: the same as Markdown."""

IN_MARKDOWN = frozenset(
    """site page post content transcript episode recent topics topic posts pagination author authors tags
    years""".split()
)
"""The names of those values in a context that Markdown versions are made of."""


class Blob(msgspec.Struct, frozen=True):
    """Bytes that the store holds, by their digest: in a context, they are at hand when the target is rendered."""

    digest: str


class Resources(msgspec.Struct, frozen=True):
    """What a recipe may see besides its target.

    Attributes:
        theme: of the site.
        bodies: those that the target names, by digest.
        blobs: bytes that the target names, by digest.
    """

    theme: Theme
    bodies: Mapping[str, Body]
    blobs: Mapping[str, bytes]


class Copy(msgspec.Struct, frozen=True):
    """A file that should exist as a copy: of `file` in `folder` (``content``, ``static``, ``theme``).

    Attributes:
        path: relative to the output folder.
        folder: what `file` is relative to.
        file: what is copied.
        digest: of its bytes.
        strip: whether it is a picture whose metadata stay behind.
    """

    path: str
    folder: str
    file: str
    digest: str
    strip: bool = False


class Output(msgspec.Struct, frozen=True):
    """A rendered target: its path, its bytes, what went wrong (then the bytes are empty), and its Markdown version."""

    path: str
    data: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    markdown: bytes = b""

    def files(self) -> Iterator[tuple[str, bytes]]:
        """What is to be written: path and bytes."""
        yield self.path, self.data
        if self.markdown:
            yield markdown_path_of(self.path), self.markdown

"""Targets, the files that the plan wants to exist, and outputs, the results of rendering them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Body, RefKind
from devlog.model.outpath import markdown_path_of
from devlog.model.post_note import EntryNote
from devlog.model.source import Size
from devlog.model.theme import Theme
from devlog.model.view import AiView


class Choice(msgspec.Struct, frozen=True):
    """Alternatives of an image that a browser may load: images of one media type, as a ``srcset``."""

    type: str
    srcset: str


class ResolvedLink(msgspec.Struct, frozen=True, omit_defaults=True):
    """A resolved link or image, which fills a hole of a body.

    Attributes:
        kind: the kind of the reference.
        attribute: the HTML attribute to write; empty to write only the URL.
        url: the URL, with the site's base path or with a scheme, or a fragment of the page itself; empty if the target
            was not found.
        size: the size of an image, if it is known and the author gave none.
        choices: alternatives of an image that a browser may load, the best first.
        mode: ``light`` or ``dark`` for an image that is only shown in that mode; otherwise empty.
        dark: the image that replaces a light image in dark mode.
    """

    kind: RefKind
    attribute: str
    url: str
    size: Size | None = None
    choices: tuple[Choice, ...] = ()
    mode: str = ""
    dark: ResolvedLink | None = None


class Drawn(msgspec.Struct, frozen=True):
    """The image of a diagram: its URL, which is empty if there is no image, and its size.

    `dark` is the URL of its version for dark mode, if it has one; `paper` is whether it needs a light background, which
    is then shown behind it.
    """

    url: str = ""
    width: int = 0
    height: int = 0
    dark: str = ""
    paper: bool = False


MARKDOWN = "markdown of "
"""Stands before the digest of a body of which only the Markdown is used: the HTML may be far longer."""


class Filling(msgspec.Struct, frozen=True):
    """A body and the content of its holes, which rendering combines into HTML.

    Attributes:
        body: the name under which rendering gets the `Body`: its digest, after `MARKDOWN` if only its Markdown is used.
        links: the resolved link of each reference.
        page_url: the page's absolute URL, which feeds put before fragments.
        drawings: the image of each diagram.
    """

    body: str
    links: tuple[ResolvedLink, ...]
    page_url: str
    drawings: tuple[Drawn, ...] = ()

    def only_markdown(self) -> Filling:
        """The same body without its HTML."""
        return msgspec.structs.replace(self, body=MARKDOWN + self.body)

    def link(self, index: int) -> ResolvedLink:
        """The resolved link of a reference; one without a URL if the cache has a forged record without it."""
        return self.links[index] if 0 <= index < len(self.links) else ResolvedLink("link", "href", "")

    def drawing(self, index: int) -> Drawn:
        """The image of a diagram; one without a URL if there is none."""
        return self.drawings[index] if 0 <= index < len(self.drawings) else Drawn()


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A post in a feed, with absolute URLs and times in UTC. ``content`` is `None` in feeds of summaries.

    ``note`` has the additions of features and plugins; ``ai`` is the disclosure of AI involvement in writing it.
    ``language`` is empty for a post in the language of the feed.
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
    language: str = ""


class FeedView(msgspec.Struct, frozen=True):
    """A feed as a whole.

    Attributes:
        home: the URL of the page whose posts the feed contains.
        url: the URL of the feed itself.
        id: the permanent identifier of the feed.
        updated: the time of the latest change of an entry.
        origin: the scheme and host, with which URLs in bodies become absolute.
        style: the URL of the style sheet for people who open the feed in a browser; empty without one.
    """

    title: str
    description: str
    home: str
    url: str
    id: str
    language: str
    updated: str
    origin: str
    style: str = ""


class Facts(NamedTuple):
    """The data of a post in ``posts.json`` besides its `PostRef`: its file, its topic's path, the time of its last
    update, and its number of words.
    """

    source: str
    topic: str | None
    updated: str | None
    words: int


class Listed(NamedTuple):
    """An entry of ``llms.txt``: its title, its URL, its description, and its number of posts."""

    title: str
    url: str
    description: str
    logs: int = 0


class Target(msgspec.Struct, frozen=True):
    """A file that should exist, and everything that its recipe may use.

    Attributes:
        path: the path relative to the output folder.
        recipe: the name of the recipe that renders it.
        template: the template's name, for recipes that use one.
        context: values by name. Rendering uses nothing else, so the digest of the context covers all dependencies.
        markdown: the path of the Markdown version of the page, which is rendered with it from the same context; empty
            if there is none.
    """

    path: str
    recipe: str
    template: str
    context: dict[str, Any]
    markdown: str = ""

    def without_markdown(self) -> Target:
        """The target of the page alone, for when its Markdown version is already up to date."""
        return msgspec.structs.replace(self, markdown="") if self.markdown else self


COMMON = frozenset({"assets", "site"})
"""The names of the values in a context that are the same for all pages of a site."""


WITH_MARKDOWN = frozenset({"home", "topic", "post", "page", "author", "authors", "tag", "tags", "archive"})
"""The kinds of pages that have a Markdown version."""

IN_MARKDOWN = frozenset(
    """site page post content transcript episode recent topics topic posts pagination author authors tags
    years path starts home""".split()
)
"""The names of the values in a context that Markdown versions are made from."""


class Blob(msgspec.Struct, frozen=True):
    """A reference to bytes in the store, by their digest. If it is in a context, rendering gets the bytes."""

    digest: str


class Resources(msgspec.Struct, frozen=True):
    """The data that a recipe may use besides its target.

    Attributes:
        theme: the theme of the site.
        bodies: the bodies that the target refers to, by digest.
        blobs: the bytes that the target refers to, by digest.
    """

    theme: Theme
    bodies: Mapping[str, Body]
    blobs: Mapping[str, bytes]


class Copy(msgspec.Struct, frozen=True):
    """A file that should exist as a copy of `file` in `folder` (``content``, ``static``, ``theme``).

    Attributes:
        path: the path relative to the output folder.
        folder: the folder that `file` is relative to.
        file: the file to copy.
        digest: the digest of its bytes.
        strip: whether it is an image whose metadata is removed from the copy.
        minify: whether it is a style sheet or a script of a built-in theme, whose copy is minified.
        inside: the name of the file in `file`, if that is a source that contains it.
    """

    path: str
    folder: str
    file: str
    digest: str
    strip: bool = False
    minify: bool = False
    inside: str = ""


class Output(msgspec.Struct, frozen=True):
    """A rendered target: its path, its bytes, its problems (if there are any, the bytes are empty), and its Markdown
    version.
    """

    path: str
    data: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    markdown: bytes = b""

    def files(self) -> Iterator[tuple[str, bytes]]:
        """The files to write, as pairs of path and bytes."""
        yield self.path, self.data
        if self.markdown:
            yield markdown_path_of(self.path), self.markdown

"""The results of the read stage: source files to parse, and assets to copy."""

from __future__ import annotations

from typing import Literal

import msgspec

from devlog.model.included import IncludedFile, IncludedText


class SourceFile(msgspec.Struct, frozen=True):
    """A text file of the content folder whose text is not in memory.

    Attributes:
        path: the path relative to the content folder, in NFC, with ``/`` between segments.
        file: the path relative to the site's root, which messages use.
        digest: the digest of its bytes, hexadecimal.
        included: the files that it includes, with the digests of their bytes.
    """

    path: str
    file: str
    digest: str
    included: tuple[IncludedFile, ...] = ()


class Source(msgspec.Struct, frozen=True):
    """A text file of the content folder with its text.

    Attributes:
        path: the path relative to the content folder, in NFC, with ``/`` between segments.
        file: the path relative to the site's root, which messages use.
        text: the decoded text, with ``\\n`` line ends and no byte order mark.
        included: the files that it includes, with their texts.
        highlighted: highlighted code of its last version, by key. It changes no result, only the time that it takes.
    """

    path: str
    file: str
    text: str
    included: tuple[IncludedText, ...] = ()
    highlighted: dict[str, str] = {}

    def size(self) -> int:
        """How many characters its text and those of the files that it includes have."""
        return len(self.text) + sum(len(item.text) for item in self.included)


class Size(msgspec.Struct, frozen=True):
    """The size of an image in pixels, from its header."""

    width: int
    height: int


Location = Literal["", "removable", "kept"]
"""Whether the metadata of an image tells where it was taken: not at all, only until it is removed, or even then."""

_IMAGES = (".apng", ".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")


class Asset(msgspec.Struct, frozen=True):
    """A file that is published unchanged: from ``static/``, beside a post, or from the theme.

    Attributes:
        path: the path relative to its folder (static, content or theme), in NFC, with ``/`` between segments.
        file: the path relative to the site's root (or, for a theme's file, to the theme), which messages use.
        digest: the digest of its bytes, hexadecimal.
        length: the size in bytes.
        size: the size in pixels, for images whose header has it.
        strips: whether it is an image from which metadata can be removed, whatever its name is.
        location: whether its metadata tells where it was taken.
        active: why browsers or web servers would do more with it than display it; empty if they would not.
        minify: whether it is a style sheet or a script of a built-in theme, which is minified when it is published.
        inside: its name in `file`, if that is a source that contains it, such as a notebook.
    """

    path: str
    file: str
    digest: str
    length: int
    size: Size | None = None
    strips: bool = False
    location: Location = ""
    active: str = ""
    minify: bool = False
    inside: str = ""

    @property
    def is_damaged_image(self) -> bool:
        """Whether its name is that of an image, and its bytes are none: it is empty, or its header has no size."""
        name = self.path.lower()
        return name.endswith(_IMAGES) and (not self.length or (self.size is None and not name.endswith(".svg")))

"""What the read stage hands on: text to parse and files to copy."""

from __future__ import annotations

import msgspec


class SourceFile(msgspec.Struct, frozen=True):
    """A text file of the content folder that has been looked at, but is not held.

    Attributes:
        path: relative to the content folder, NFC, with ``/`` between segments.
        file: relative to the site's root: the name used in messages.
        digest: of its bytes, hexadecimal.
    """

    path: str
    file: str
    digest: str


class Source(msgspec.Struct, frozen=True):
    """A text file of the content folder with its text.

    Attributes:
        path: relative to the content folder, NFC, with ``/`` between segments.
        file: relative to the site's root: the name used in messages.
        text: the decoded text, with ``\\n`` line ends and no byte order mark.
    """

    path: str
    file: str
    text: str


class Size(msgspec.Struct, frozen=True):
    """The pixel size of an image as its header states it."""

    width: int
    height: int


class Asset(msgspec.Struct, frozen=True):
    """A file that is published as it is: from ``static/``, beside a post, or from the theme.

    Attributes:
        path: relative to its folder (static, content or theme), NFC, with ``/`` between segments.
        file: relative to the site's root (or, for a theme's file, to the theme): the name used in messages.
        digest: of the bytes, hexadecimal.
        length: in bytes.
        size: in pixels, for images whose header says so.
        located: whether it is a picture that says where it was taken.
        active: why browsers or web servers would do more with it than show it; empty for what is only shown.
    """

    path: str
    file: str
    digest: str
    length: int
    size: Size | None = None
    located: bool = False
    active: str = ""

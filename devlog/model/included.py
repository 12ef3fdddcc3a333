"""Files that posts include: ``{{< code file="src/x.py" >}}`` shows a file, or lines of it, as a block of code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from devlog.model.shortcode_tag import Shortcode

MOST_FILES = 100
"""The maximum number of files that one source can include."""

Obstacle = Literal["", "missing", "outside", "link", "large", "not-text", "no-checkout", "bad-commit", "no-commit"]
"""Why a file cannot be included; empty if it can be."""


class IncludedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file that a source includes. As long as only the source was read, just its name is known.

    Attributes:
        name: the path as written.
        commit: the commit or the tag of the source checkout that the source names; empty for none.
        path: its path: relative to the content folder, or in the checkout.
        file: the path relative to the site's root; empty for a file of the checkout.
        digest: the digest of its bytes, or git's name of them.
        obstacle: why it cannot be included.
        is_active: whether it is not published itself, because browsers would run it.
    """

    name: str
    commit: str = ""
    path: str = ""
    file: str = ""
    digest: str = ""
    obstacle: Obstacle = ""
    is_active: bool = False


class IncludedText(msgspec.Struct, frozen=True, array_like=True):
    """A file that a source includes, with its text.

    Attributes:
        found: the file.
        text: its text, with ``\\n`` line ends; empty if there is an obstacle.
        obstacle: why it cannot be included.
    """

    found: IncludedFile
    text: str = ""
    obstacle: Obstacle = ""


def is_inclusion(shortcode: Shortcode) -> bool:
    """Whether a tag includes a file, unless a closing tag shows that its content is the code."""
    return (
        shortcode.name in ("code", "asciinema")
        and shortcode.role != "close"
        and bool(shortcode.named.get("file", "").strip())
    )


def call_of(shortcode: Shortcode) -> tuple[str, str]:
    """The path and the commit that a tag names."""
    return shortcode.named.get("file", "").strip(), shortcode.named.get("commit", "").strip()


_TAG = re.compile(r"\{\{[<%]\s*(?:code|asciinema)\s", re.IGNORECASE)


def included_in(data: bytes) -> tuple[IncludedFile, ...]:
    """The files that a source includes, as it names them: at most `MOST_FILES`.

    Tags in code and in comments count too, since only parsing tells them apart: then a file is read in vain.
    """
    if b"{{" not in data:
        return ()
    from devlog.model.shortcode_tag import read_shortcode  # its expressions take long to compile: few files are new

    text = data.decode("utf-8", "replace")
    found: dict[tuple[str, str], None] = {}
    for place in _TAG.finditer(text):
        read = read_shortcode(text, place.start())
        if read and is_inclusion(read[0]):
            found.setdefault(call_of(read[0]))
            if len(found) == MOST_FILES:
                break
    return tuple(IncludedFile(name, commit) for name, commit in found)

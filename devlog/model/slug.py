"""Turning text into the parts of URLs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from devlog.model.composed import composed
from devlog.model.transliterate import transliterate

_KEPT_IN_SLUGS = frozenset("-_.+#~@")

# The common kind of name, of which only the letter case and the spaces change.
_PLAIN = re.compile(r"[A-Za-z0-9_]+(?:[ .-][A-Za-z0-9_]+)*")


def anchor(text: str) -> str:
    """The fragment of a heading, by GitHub's algorithm, which Hugo shares.

    Letters, digits and marks of every script, ``-`` and ``_`` stay, in lower case; spaces become ``-``,
    which do not collapse; everything else is dropped.
    """
    kept = []
    for char in text.strip().lower():
        if char.isspace():
            kept.append("-")
        elif char.isalnum() or char in "-_" or unicodedata.category(char)[0] == "M":
            kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=8192)  # few tags and topics, on many posts
def slug(text: str) -> str:
    """A name as one segment of a path, as Hugo makes it of files and tags.

    Lower case; each space becomes ``-``; letters and digits of every script and ``- _ . + # ~ @`` stay, so that
    ``torch.compile`` and ``C++`` keep their names; all else is dropped. So is a dot at an end, which would hide the
    file (``.NET``) or vanish on some systems.

    Returns:
        The segment in NFC; empty when nothing of the text can stand in a path.
    """
    if _PLAIN.fullmatch(text):
        return text.lower().replace(" ", "-")
    if "/" in text or "\\" in text:
        return "-".join(filter(None, map(slug, re.split(r"[/\\]", text))))
    segment = composed("".join(_kept(text.strip()))).strip(".")
    return segment if segment.strip("-.") else ""


def slug_of_title(title: str) -> str:
    """A title as one segment of a path, as Hugo makes it: as `slug` does, but spaces collapse and ``+`` is one."""
    return slug(_joined(title.replace("+", " ").replace("/", " ")))


def slug_of_key(text: str) -> str:
    """What front matter gives as ``slug``, as Hugo reads it: spaces collapse, ``-`` goes at the ends, ``/`` stays."""
    segments = (slug(_joined(part)).strip("-.") for part in text.split("/"))
    return "/".join(segment for segment in segments if segment)


def slug_of_file(name: str) -> str:
    """The name of a file as Jekyll has it in URLs: in its letter case, what is neither letter nor mark as ``-``."""
    kept = (char if _is_letter(char) or char in _KEPT_IN_FILES else " " for char in composed(name))
    return "-".join("".join(kept).split()).strip("-.")


def slug_in_ascii(text: str) -> str:
    """A text as one segment of a path, as Zola makes it: in ASCII, all but letters and digits as single ``-``."""
    return re.sub("[^a-z0-9]+", "-", transliterate(text).lower()).strip("-")


_KEPT_IN_FILES = frozenset("_.~!$&'()+,;=@")


def _joined(text: str) -> str:
    """A text in which what `slug` drops is dropped, and spaces are single and never beside a ``-``."""
    words = " ".join("".join(char for char in text if char.isspace() or _stays(char)).split())
    return re.sub(r" ?(-+) ?", r"\1", words)


def _kept(text: str) -> Iterator[str]:
    for char in composed(text):
        if char.isspace():
            yield "-"
        elif _stays(char):
            yield char.lower()[:1]  # as single letters go: one has two in lower case


def _stays(char: str) -> bool:
    return char in _KEPT_IN_SLUGS or _is_letter(char)


def _is_letter(char: str) -> bool:
    """Whether a character is a letter, a digit or a mark on one."""
    return char.isalpha() or char.isdecimal() or unicodedata.category(char)[0] == "M"


def humanize(name: str) -> str:
    """A folder's or file's name as a title: ``dynamic_shapes`` becomes ``Dynamic Shapes``."""
    words = name.replace("_", " ").replace("-", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words)

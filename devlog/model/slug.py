"""Converts text into parts of URLs: slugs and fragments."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from devlog.model.composed import composed
from devlog.model.directional_controls import without_directions
from devlog.model.outpath import DEVICE, UNSEEN
from devlog.model.short_texts import cache_of_short
from devlog.model.transliterate import transliterate

_KEPT_IN_SLUGS = frozenset("-_.+#~@")

# The common form of a name, in which only the letter case and the spaces change.
_PLAIN = re.compile(r"[A-Za-z0-9_]+(?:[ .-][A-Za-z0-9_]+)*")

_OF_LISTS = re.compile(r"(?:index|feed)\.(?:html|json|md|xml)|card\.png")
"""The files of lists, beside the folders of what they list."""


def anchor(text: str) -> str:
    """The fragment of a heading, by GitHub's algorithm, which Hugo uses too.

    Letters, digits and marks of every script, ``-`` and ``_`` stay, in lower case. Spaces become ``-``, without
    collapsing. Everything else is removed.
    """
    kept = []
    for char in text.strip().lower():
        if char.isspace():
            kept.append("-")
        elif char.isalnum() or char in "-_" or unicodedata.category(char)[0] == "M":
            kept.append(char)
    return "".join(kept)


@cache_of_short(8192)  # few tags and topics, on many posts
def slug(text: str) -> str:
    """A name as one segment of a path, by Hugo's algorithm for files and tags.

    Letters become lower case, and each space becomes ``-``. Letters and digits of every script and ``- _ . + # ~ @``
    stay, so that ``torch.compile`` and ``C++`` keep their names. Everything else is removed. So are dots at the ends,
    which would hide the file (``.NET``), or which some systems remove. The names of devices on Windows get a ``-``: a
    tag may be named ``aux``. So do the names of files that devlog writes into each folder: a tag may be named
    ``index.html``.

    Returns:
        The segment in NFC; empty if no character of the text that can be seen can be in a path.
    """
    if _PLAIN.fullmatch(text):
        return _as_file(text.lower().replace(" ", "-"))
    if "/" in text or "\\" in text:
        return "-".join(filter(None, map(slug, re.split(r"[/\\]", text))))
    segment = composed("".join(_kept(text.strip()))).strip(".")
    return _as_file(segment) if UNSEEN.sub("", segment).strip("-.") else ""


def _as_file(segment: str) -> str:
    """A segment that can be the name of a file on Windows too, and of a folder beside the files of a list."""
    seen = UNSEEN.sub("", segment).casefold()
    if _OF_LISTS.fullmatch(seen):
        return seen.replace(".", "-")
    device = DEVICE.match(seen)
    return f"{device[1]}-{seen[device.end(1) :]}" if device else segment


def slug_of_title(title: str) -> str:
    """A title as one segment of a path, as in Hugo: like `slug`, but spaces collapse, and ``+`` counts as a space."""
    return slug(_joined(title.replace("+", " ").replace("/", " ")))


def slug_of_key(text: str) -> str:
    """The ``slug`` of front matter, as in Hugo: spaces collapse, ``-`` at the ends is removed, and ``/`` stays."""
    segments = (slug(_joined(part)).strip("-.") for part in text.split("/"))
    return "/".join(segment for segment in segments if segment)


def slug_of_file(name: str) -> str:
    """The name of a file in URLs, as in Jekyll: the letter case stays, and other characters than letters, digits, marks
    and some punctuation become ``-``.
    """
    kept = (char if _is_letter(char) or char in _KEPT_IN_FILES else " " for char in composed(name))
    return "-".join("".join(kept).split()).strip("-.")


def slug_in_ascii(text: str) -> str:
    """A text as one segment of a path, as in Zola: in ASCII, with anything but letters and digits as single ``-``."""
    return re.sub("[^a-z0-9]+", "-", transliterate(text).lower()).strip("-")


_KEPT_IN_FILES = frozenset("_.~!$&'()+,;=@")


def _joined(text: str) -> str:
    """A text without the characters that `slug` removes, with single spaces, and without spaces beside a ``-``."""
    words = " ".join("".join(char for char in text if char.isspace() or _stays(char)).split())
    return re.sub(r" ?(-+) ?", r"\1", words)


def _kept(text: str) -> Iterator[str]:
    for char in composed(text):
        if char.isspace():
            yield "-"
        elif _stays(char):
            yield char.lower()[:1]  # one letter only, since one character becomes two in lower case


def _stays(char: str) -> bool:
    return char in _KEPT_IN_SLUGS or _is_letter(char)


def _is_letter(char: str) -> bool:
    """Whether a character is a letter, a digit or a combining mark."""
    return char.isalpha() or char.isdecimal() or unicodedata.category(char)[0] == "M"


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs") or char in "\ufffe\uffff"


def humanize(name: str) -> str:
    """A folder's or file's name as a title: ``dynamic_shapes`` becomes ``Dynamic Shapes``.

    Names may contain any characters; those that terminals obey, that no feed may contain, or that turn
    the text beside a title, are left out.
    """
    name = without_directions("".join(char for char in name if char.isprintable() or not _is_control(char)))[0]
    words = name.replace("_", " ").replace("-", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words) or name  # such as “-”, but never nothing

"""Reads the metadata of posts of Nikola and Pelican: lines above the text or in a file beside it, and HTML elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from devlog.adopt.common import OTHER_TEXTS
from devlog.adopt.foreign import EMPTY, Found, get, read_head
from devlog.adopt.ignoring import SOURCES, WITH_NOTEBOOKS
from devlog.adopt.survey import NOTEBOOK, Survey
from devlog.model.diagnostic import Span

_KEYS = ("status", "tags", "date", "password")
_LINE = re.compile(r" {0,3}(?:<!-- *)?(?:\.\. *)?(?P<key>[\w-]+):(?P<value>.*)", re.ASCII)
_FENCE = re.compile(r"(?:---|\+\+\+)[ \t]*\Z")
_META = re.compile(r"<meta\s(?P<attributes>[^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\b(?P<name>name|contents?)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'>]+))",
    re.IGNORECASE,
)


class Datum(NamedTuple):
    """One value of a post's metadata.

    Attributes:
        name: of the key, in lower case.
        value: the value; a list has a datum for each line or item.
        found: the key as reports show it.
        is_read: whether it is in the front matter of a source, of which devlog itself reads drafts and dates.
    """

    name: str
    value: str
    found: Found
    is_read: bool = False


def described(survey: Survey, content: str) -> Iterator[tuple[str, list[str]]]:
    """The files below a folder that may have metadata, each with the files that these are about.

    Args:
        survey: the files of the site.
        content: the folder.
    """
    for file in survey.below(content, (*WITH_NOTEBOOKS, ".meta")):
        stem = file.removesuffix(".meta")
        named = (stem + end for end in dict.fromkeys((*SOURCES, *OTHER_TEXTS)))
        sources = [file] if stem == file else [path for path in named if survey.has(path)]
        yield file, sources or [file]


def metadata(survey: Survey, file: str) -> Iterator[Datum]:
    """The status, tags, date and password of a post.

    Args:
        survey: the files of the site.
        file: a source, or a file of metadata beside it, whose name ends in ``.meta``.
    """
    is_apart = file.endswith((".meta", NOTEBOOK))  # of a notebook, devlog reads less
    head = read_head(survey, file)
    for name in _KEYS:
        key = get(head, (name,))
        for value in (*key.texts, key.text) if key else ():
            yield Datum(name, value, key, not is_apart)  # type: ignore[arg-type]
    if head.entries or file.endswith(NOTEBOOK):
        return
    text = survey.head(file)
    for number, name, value in _lines(text, whole=is_apart):
        yield Datum(name, value, Found(f"{name}: {value}", Span(file, number), EMPTY))
    if file.endswith((".html", ".htm")):
        yield from _elements(text, file)


def _lines(text: str, *, whole: bool) -> Iterator[tuple[int, str, str]]:
    """The number, the key and the value of each line above a text, as Python-Markdown's extension ``meta`` reads them.

    Nikola has two dots before each, and usually an HTML comment around all. Where the two differ, more is read: what
    hides a post must not be missed.

    Args:
        text: the text of a file.
        whole: whether the metadata do not end at a blank line.
    """
    name, in_comment = "", False
    for number, written in enumerate(text.split("\n"), 1):
        line = written.expandtabs(4)
        bare = line.strip()
        in_comment = in_comment or bare.startswith("<!--")
        if key := _LINE.match(line):
            name = key["key"].lower()
            yield number, name, key["value"].strip().removesuffix("-->").strip()
        elif not bare:
            if name and not whole:
                return
        elif name and line.startswith("    "):  # a line that continues the value
            yield number, name, bare
        elif number > 1 or not _FENCE.match(bare):
            is_metadata = whole or in_comment or bare.startswith("..")
            if not is_metadata or (name and _FENCE.match(bare)):
                return
        if "-->" in bare:
            if name:
                return
            in_comment = False


def _elements(text: str, file: str) -> Iterator[Datum]:
    """The metadata in ``<meta>`` elements."""
    number, at = 1, 0
    for element in _META.finditer(text):
        found = {key["name"].lower(): key for key in _ATTRIBUTE.finditer(element["attributes"])}
        values = {name: key["double"] or key["single"] or key["bare"] or "" for name, key in found.items()}
        number, at = number + text.count("\n", at, element.start()), element.start()
        name, value = values.get("name", "").lower(), values.get("content") or values.get("contents", "")
        yield Datum(name, value.strip(), Found(f"{name}: {value}", Span(file, number), EMPTY))

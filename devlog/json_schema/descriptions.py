"""Reads the descriptions of keys from the tables of the documents, so that they are written once."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from devlog.built_in import documents

_FENCE = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{2,6}) +(.+)$", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(r"`([^`]+)`|\*\*([^*`]+)\*\*")
_LINK = re.compile(r"\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)")


class Row(NamedTuple):
    """A row of a table that describes keys.

    Attributes:
        keys: the keys that it describes.
        cells: its other cells, as Markdown.
    """

    keys: tuple[str, ...]
    cells: tuple[str, ...]


class Section(NamedTuple):
    """A section of a document, without the sections below it.

    Attributes:
        title: the heading, as Markdown; empty for the beginning of the document.
        intro: its first sentence, as Markdown; empty if it begins with something else.
        rows: the rows of its tables whose first cell has keys.
    """

    title: str
    intro: str
    rows: tuple[Row, ...]


def sections(document: str) -> tuple[Section, ...]:
    """The sections of a document.

    Args:
        document: the name of the document, such as ``configuration.md``.
    """
    return _sections((documents() / document).read_text("utf-8"))


@lru_cache(maxsize=16)
def _sections(text: str) -> tuple[Section, ...]:
    parts = _HEADING.split(_FENCE.sub("", text))
    titles, bodies = ["", *parts[2::3]], parts[0::3]
    return tuple(_section(title, body) for title, body in zip(titles, bodies, strict=True))


def section(document: str, title: str) -> Section:
    """The section of a document with a title, or with its fragment; an empty one if there is none."""
    found = (one for one in sections(document) if title in (one.title, fragment(one.title)))
    return next(found, Section(title, "", ()))


def fragment(title: str) -> str:
    """The fragment of a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def plain(markdown: str) -> str:
    """Markdown of one line as plain text: links and code without their marks."""
    text = _LINK.sub(r"\1", markdown).replace("\\|", "|")
    return _MARKED.sub(lambda found: found[1] or found[2], text)


def linked(markdown: str, document: str) -> Section:
    """The section that the first link leads to which leads to a document; an empty one if there is none."""
    for _, target in _LINK.findall(markdown):
        name, _, place = target.partition("#")
        if not name or (name.endswith(".md") and _has(name)):
            return section(name or document, place) if place else _first_table(name)
    return Section("", "", ())


def _has(document: str) -> bool:
    """Whether a document is installed: a wheel has those that describe keys."""
    return (documents() / document).is_file()


def _first_table(document: str) -> Section:
    return next((one for one in sections(document) if one.rows), Section("", "", ()))


def _section(title: str, body: str) -> Section:
    blocks = [block.strip() for block in re.split(r"\n{2,}", body.strip())]
    intro = " ".join(blocks[0].split()) if blocks and not blocks[0].startswith(("|", "-", "<")) else ""
    return Section(title, re.split(r"(?<=\.) (?=[A-Z`])", intro, maxsplit=1)[0], tuple(_rows(body)))


def _rows(body: str) -> list[Row]:
    rows = []
    for line in body.splitlines():
        if line.startswith("| ") and line.endswith(" |"):
            first, *cells = (cell.strip() for cell in _CELL.split(line[1:-1]))
            keys = tuple(re.findall(r"`(\w+)`", first)) or ((first,) if re.fullmatch(r"[a-z]\w*", first) else ())
            if keys:
                rows.append(Row(keys, tuple(cells)))
    return rows

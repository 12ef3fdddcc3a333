"""Reads one source for the index: its front matter, its sections, and those of a file shown in its page."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from devlog.model.digest import digest_bytes
from devlog.model.document import Document, Parsed
from devlog.model.source import Source
from devlog.parse.convert import Conversion, convert
from devlog.parse.head import parsed_of, read_head
from devlog.parse.options import ParseOptions
from devlog.plugins.features import lookups_of
from devlog.search.database import PER_TEXT
from devlog.search.names import parts
from devlog.search.plain import one_line
from devlog.search.sections import read_sections
from devlog.search.values import Section

_SUMMARY = 200


class Reading(NamedTuple):
    """The content of a source for the index.

    Attributes:
        parsed: its front matter and its title, without a body or problems.
        head: `parsed`, encoded.
        own: the digest of `head`.
        sections: those that are not empty.
        names: for each section, the parts of the names in it.
        summary: its summary or description; else its first words.
    """

    parsed: Parsed
    head: bytes
    own: str
    sections: tuple[Section, ...]
    names: tuple[str, ...]
    summary: str


def read(source: Source, options: ParseOptions, companion: tuple[str, str] | None = None) -> Reading:
    """Read a source.

    Args:
        source: the source file with its content.
        options: of the site.
        companion: the path and content of another file that its page shows, such as a transcript.
    """
    conversion = convert(source, options)
    if conversion:
        source = conversion.source
    head = read_head(source, options)
    front_matter = head.front_matter
    html = source.path.lower().endswith((".html", ".htm"))
    found = read_sections(head.text, head.first_line, front_matter.title, html=html, profile=options.anchors)
    parsed = parsed_of(source, options, head, Document("", title=found.title), ())
    own = [_in_file(section, conversion) for section in found.sections] if conversion else found.sections
    pairs = [pair for pair in zip(own, found.names, strict=True) if pair[0].level or pair[0].text.strip()]
    lookups = lookups_of(parsed)
    for lookup in lookups:
        pairs = [part for pair in pairs for part in lookup.split(parsed, *pair)]
    summary = front_matter.summary or front_matter.description or _first_words([section for section, _ in pairs])
    if companion:
        some = (lookup.read(*companion) for lookup in lookups if lookup.companion(parsed))
        pairs += [(section, parts(section.text, ())) for section in next(some, ())]
    pairs = pairs[:PER_TEXT] or [(Section("", "", head.first_line, ""), "")]
    encoded = msgspec.msgpack.encode(parsed)
    sections, names = tuple(section for section, _ in pairs), tuple(names for _, names in pairs)
    return Reading(parsed, encoded, digest_bytes(encoded), sections, names, summary)


def _in_file(section: Section, conversion: Conversion) -> Section:
    """A section of a converted source, each line of its text at its line in the file."""
    known = conversion.lines[section.line - 1 :]
    texts: dict[int, list[str]] = {}
    last = first = next((line for line in known if line), 1)
    for index, text in enumerate(section.text.split("\n")):
        last = max(last, known[index] if index < len(known) else 0)
        texts.setdefault(last, []).append(text)
    lines = (" ".join(filter(None, texts.get(line, ()))) for line in range(first, last + 1))
    return msgspec.structs.replace(section, line=first, text="\n".join(lines))


def _first_words(sections: list[Section]) -> str:
    for section in sections:
        words = one_line(section.text)
        if words:
            return words if len(words) <= _SUMMARY else words[:_SUMMARY].rpartition(" ")[0] + " …"
    return ""

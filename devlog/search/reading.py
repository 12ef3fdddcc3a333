"""One text as the index holds it: what it says about itself, its sections, and a transcript in a file of its own."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from devlog.features.episodes.model.episode import Sound, paragraphs
from devlog.model.digest import digest_bytes
from devlog.model.document import Document, Parsed
from devlog.model.source import Source
from devlog.parse.head import parsed_of, read_head
from devlog.parse.options import ParseOptions
from devlog.search.database import PER_TEXT
from devlog.search.names import parts
from devlog.search.plain import one_line
from devlog.search.sections import read_sections
from devlog.search.values import Section

TRANSCRIPT = "Transcript"
"""The heading of what is spoken."""

_TURN = re.compile(
    r"^(?:[^\n\[(]{1,80}?[ \t:–—-]*)?[\[(](?P<time>(?:[0-9]+:)?[0-9]{1,4}:[0-9]{2}(?:[.,][0-9]{1,3})?)[\])]",
    re.MULTILINE,
)
_SUMMARY = 200


class Reading(NamedTuple):
    """What was read of a text.

    Attributes:
        parsed: what it says about itself, with its title; without a body or problems.
        head: the same, encoded.
        own: a digest of that.
        sections: those that hold anything.
        names: for each of them, the parts of the names in it.
        summary: its first words.
    """

    parsed: Parsed
    head: bytes
    own: str
    sections: tuple[Section, ...]
    names: tuple[str, ...]
    summary: str


def read(source: Source, options: ParseOptions, spoken: tuple[str, str] | None = None) -> Reading:
    """Read a text.

    Args:
        source: the text.
        options: of the site.
        spoken: the file and the text of a transcript that stands apart.
    """
    head = read_head(source, options)
    front_matter = head.front_matter
    html = source.path.lower().endswith((".html", ".htm"))
    found = read_sections(head.text, head.first_line, front_matter.title, html=html, profile=options.anchors)
    parsed = parsed_of(source, options, head, Document("", title=found.title), ())
    pairs = [pair for pair in zip(found.sections, found.names, strict=True) if pair[0].level or pair[0].text.strip()]
    if front_matter.of(Sound).is_transcript:
        pairs = [part for pair in pairs for part in _by_turns(*pair)]
    summary = front_matter.summary or front_matter.description or _first_words([section for section, _ in pairs])
    if spoken:
        pairs += [(section, parts(section.text, ())) for section in _transcript(*spoken)]
    pairs = pairs[:PER_TEXT] or [(Section("", "", head.first_line, ""), "")]
    encoded = msgspec.msgpack.encode(parsed)
    sections, names = tuple(section for section, _ in pairs), tuple(names for _, names in pairs)
    return Reading(parsed, encoded, digest_bytes(encoded), sections, names, summary)


def _first_words(sections: list[Section]) -> str:
    for section in sections:
        words = one_line(section.text)
        if words:
            return words if len(words) <= _SUMMARY else words[:_SUMMARY].rpartition(" ")[0] + " …"
    return ""


def _by_turns(section: Section, names: str) -> list[tuple[Section, str]]:
    """A section of what is spoken, by who speaks."""
    turns = list(_TURN.finditer(section.text))
    if not turns:
        return [(section, names)]
    starts = [turn.start() for turn in turns]
    made = (
        [msgspec.structs.replace(section, text=section.text[: starts[0]])] if section.text[: starts[0]].strip() else []
    )
    for turn, end in zip(turns, [*starts[1:], len(section.text)], strict=True):
        line = section.line + section.text.count("\n", 0, turn.start())
        text = section.text[turn.start() : end]
        heading = section.heading or TRANSCRIPT
        made.append(Section(heading, f"t{_seconds(turn['time'])}", line, text, section.level))
    return [(part, parts(part.text, ())) for part in made]


def _seconds(time: str) -> int:
    total = 0
    for part in re.split("[.,]", time)[0].split(":"):
        total = total * 60 + int(part)
    return total


def _transcript(file: str, text: str) -> list[Section]:
    """A transcript by who speaks, on the lines of its file."""
    if file.lower().endswith((".md", ".markdown")):
        head = read_head(Source(file, file, text), ParseOptions())
        whole = read_sections(head.text, head.first_line, "", html=False, profile="github").sections
        return [
            msgspec.structs.replace(part, heading=TRANSCRIPT, source=file)
            for section in whole
            for part, _ in _by_turns(section, "")
            if part.text.strip()
        ]
    from devlog.features.episodes.parse.transcripts import read_cues  # with the Markdown parser

    spoken = read_cues(text, file).cues
    found = []
    for place in paragraphs([item.cue for item in spoken]):
        some = spoken[place.start : place.stop]
        lines = [""] * (some[-1].first - some[0].first + 1)
        for item in some:
            lines[item.first - some[0].first] += f" {item.cue.text}"
        words = "\n".join(line.strip() for line in lines)
        start = some[0].cue
        who = f"{start.speaker}: " if start.speaker else ""
        timed = f"t{int(start.start)}" if any(item.cue.end > 0 for item in spoken) else ""
        found.append(Section(TRANSCRIPT, timed, some[0].first + 1, who + words, 0, file))
    return found

"""Search in transcripts: splits what is said by turns of speakers, in a post or in a file beside it."""

from __future__ import annotations

import re

import msgspec

from devlog.features.episodes.model.episode import BODY, AudioFrontMatter, audio_of, paragraphs
from devlog.model.document import Parsed
from devlog.model.source import Source
from devlog.parse.head import read_head
from devlog.parse.options import ParseOptions
from devlog.search.names import parts
from devlog.search.sections import read_sections
from devlog.search.values import Section

TRANSCRIPT = "Transcript"
"""The heading of search results in transcripts."""

_TURN = re.compile(
    r"^(?:[^\n\[(]{1,80}?[ \t:–—-]*)?[\[(](?P<time>(?:[0-9]{1,4}:)?[0-9]{1,4}:[0-9]{2}(?:[.,][0-9]{1,3})?)[\])]",
    re.MULTILINE,
)


def transcript_of(parsed: Parsed) -> str:
    """The transcript file that a post names; empty without one."""
    audio = audio_of(parsed)
    return audio.transcript if audio and audio.transcript != BODY else ""


def split_turns(parsed: Parsed, section: Section, names: str) -> list[tuple[Section, str]]:
    """Split a section, with the names in it, into turns of speakers if the source is a transcript."""
    return _by_turns(section, names) if parsed.front_matter.of(AudioFrontMatter).is_transcript else [(section, names)]


def _by_turns(section: Section, names: str) -> list[tuple[Section, str]]:
    """Split a section of a transcript into turns of speakers."""
    turns = list(_TURN.finditer(section.text))
    if not turns:
        return [(section, names)]
    starts = [turn.start() for turn in turns]
    made = (
        [msgspec.structs.replace(section, text=section.text[: starts[0]])] if section.text[: starts[0]].strip() else []
    )
    line, counted = section.line, 0
    for turn, end in zip(turns, [*starts[1:], len(section.text)], strict=True):
        line, counted = line + section.text.count("\n", counted, turn.start()), turn.start()
        text = section.text[turn.start() : end]
        heading = section.heading or TRANSCRIPT
        made.append(Section(heading, f"t{_seconds(turn['time'])}", line, text, section.level))
    return [(part, parts(part.text, ())) for part in made]


def _seconds(time: str) -> int:
    total = 0
    for part in re.split("[.,]", time)[0].split(":"):
        total = total * 60 + int(part)
    return total


def read_transcript(file: str, text: str) -> list[Section]:
    """Read a transcript as one section for each turn, with the lines of its file; none if it is an episode itself."""
    if file.lower().endswith((".md", ".markdown")):
        head = read_head(Source(file, file, text), ParseOptions())
        if head.front_matter.of(AudioFrontMatter).audio:
            return []
        whole = read_sections(head.text, head.first_line, "", html=False, profile="github").sections
        return [
            msgspec.structs.replace(part, heading=TRANSCRIPT, source=file)
            for section in whole
            for part, _ in _by_turns(section, "")
            if part.text.strip()
        ]
    from devlog.features.episodes.parse.transcripts import read_cues  # imported here since it loads the Markdown parser

    spoken = read_cues(text, file).cues
    found = []
    end = 0  # the last line of the sections so far
    for place in paragraphs([item.cue for item in spoken]):
        some = spoken[place.start : place.stop]
        first, last = some[0].first, some[-1].first
        # Cues are by time, whatever their lines. Sections of several lines never overlap: each could span the file.
        is_in_order = end <= first and all(first <= item.first <= last for item in some)
        end = last if is_in_order else end
        lines = [""] * (last - first + 1 if is_in_order else 1)
        for item in some:
            lines[item.first - first if is_in_order else 0] += f" {item.cue.text}"
        words = "\n".join(line.strip() for line in lines)
        start = some[0].cue
        who = f"{start.speaker}: " if start.speaker else ""
        timed = f"t{int(start.start)}" if any(item.cue.end > 0 for item in spoken) else ""
        found.append(Section(TRANSCRIPT, timed, some[0].first + 1, who + words, 0, file))
    return found

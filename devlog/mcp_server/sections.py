"""Extracts parts of a post's Markdown: one section, its transcript, or as much as fits into an answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from devlog.model.document import Heading

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LONGEST = 2000  # the maximum number of characters in the line of a heading
_ATX = re.compile(r" {0,3}(?:> ?)*(#{1,6})(?:[ \t]+(.*))?$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
# No part scans beyond characters that can start another match, so that the time is linear in the length of the text.
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^)\[]*\)")
_ID = re.compile(r"\{[:#][^{}]*\}[ \t]*$")
_UNSPOKEN = re.compile(r"[\W_]+")
_SECOND = re.compile(r"#?t=?([0-9]{1,9})(?:-[0-9]+)?")
_TURN = re.compile(r"^(?:\*\*.{1,200}?\*\* )?\[(?:([0-9]{1,4}):)?([0-9]{1,2}):([0-9]{2})[\].]", re.MULTILINE)
TRANSCRIPT = "Transcript"
"""The heading of an episode's transcript."""


class _Line(NamedTuple):
    """The line of a heading.

    Attributes:
        start: the offset of the line.
        level: of the heading.
        text: its text, reduced to letters and digits.
    """

    start: int
    level: int
    text: str


def section(text: str, headings: Sequence[Heading], wanted: str) -> str | None:
    """A section of a post, with its heading and all subsections.

    Args:
        text: the post as Markdown.
        headings: of the post.
        wanted: the fragment or the text of one of the headings.

    Returns:
        The Markdown of the section; `None` if there is no such section.
    """
    lines = list(_lines(text))
    # An index instead of a search for each heading, since a post may have any number of headings without a line.
    of_text: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        of_text[line.text].append(at)
    places: list[tuple[Heading, int]] = []
    done = 0
    for heading in headings:
        same = of_text.get(_reduced(heading.text), [])
        first = bisect_left(same, done)
        if first < len(same):
            places.append((heading, lines[same[first]].start))
            done = same[first] + 1
    chosen = _chosen(places, wanted)
    if chosen is None:
        return None
    heading, start = places[chosen]
    end = next((place for other, place in places[chosen + 1 :] if other.level <= heading.level), len(text))
    return text[start:end]


def spoken(text: str, wanted: str) -> str | None:
    """The transcript of an episode: all of it, or from a given second on.

    Args:
        text: the episode as Markdown.
        wanted: the heading of the transcript, or the fragment of a turn, such as ``#t72``.

    Returns:
        `None` if `wanted` is neither of these, or if there is no transcript.
    """
    begin = text.rfind(f"\n## {TRANSCRIPT}\n") + 1
    second = _SECOND.fullmatch(wanted)
    if not begin or not (second or _reduced(wanted) == _reduced(TRANSCRIPT)):
        return None
    part = text[begin:]
    turns = [turn.start() for turn in _TURN.finditer(part) if second and _seconds(turn) <= int(second[1])]
    return part[turns[-1] :] if turns else part


def _seconds(turn: re.Match[str]) -> int:
    return int(turn[1] or 0) * 3600 + int(turn[2]) * 60 + int(turn[3])


def _chosen(places: Sequence[tuple[Heading, int]], wanted: str) -> int | None:
    fragment, words = wanted.lstrip("#"), _reduced(wanted)
    for place, (heading, _) in enumerate(places):
        if heading.id == fragment:
            return place
    return next((place for place, (heading, _) in enumerate(places) if words and _reduced(heading.text) == words), None)


def _lines(text: str) -> Iterator[_Line]:
    """The lines that may be headings, outside code blocks."""
    start, fence, before = 0, "", ("", 0)
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if fence:
            if (
                opening
                and opening[1][0] == fence[0]
                and len(opening[1]) >= len(fence)
                and not line[opening.end() :].strip()
            ):
                fence = ""
        elif opening:
            fence = opening[1]
        elif len(line) > _LONGEST:
            pass
        elif atx := _ATX.match(line.rstrip()):
            yield _Line(start, len(atx[1]), _reduced(_ID.sub("", _unclosed(atx[2] or ""))))
        elif len(before[0]) <= _LONGEST and before[0].strip() and (under := _SETEXT.match(line)):
            yield _Line(before[1], 1 if under[1][0] == "=" else 2, _reduced(_ID.sub("", before[0].strip())))
        before = (line, start)
        start += len(line)


def _unclosed(text: str) -> str:
    """The text of a heading without its closing number signs."""
    rest = text.rstrip("#")
    return rest if rest[-1:] in ("", " ", "\t") else text


def _reduced(text: str) -> str:
    """A text reduced to letters and digits, ignoring case and links, so that headings match whatever their markup."""
    return _UNSPOKEN.sub("", _LINK.sub(r"\1", text)).casefold()


def cut(text: str, offset: int, most: int) -> tuple[str, int]:
    """A part of a text that fits into an answer.

    Args:
        text: the whole text.
        offset: of the first character.
        most: the maximum number of characters.

    Returns:
        The part, which ends at the end of a line if possible, and the offset of the rest: the length of the text if
        nothing is left.
    """
    end = min(len(text), offset + most)
    if end < len(text):
        line = text.rfind("\n", offset + most // 2, end)
        end = line + 1 if line >= 0 else end
    return text[offset:end], end

"""Extracts a section of a post's Markdown, or its transcript."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from devlog.mcp_server.blocks import blocks
from devlog.model.document import Heading

_LONGEST = 2000  # the maximum number of characters of a heading
# No part scans beyond characters that can start another match, so that the time is linear in the length of the text.
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^)\[]*\)")
_ID = re.compile(r"\{[:#][^{}]*\}[ \t]*$")
_UNSPOKEN = re.compile(r"[\W_]+")
_SECOND = re.compile(r"#?t=?([0-9]{1,9})(?:-[0-9]+)?")
_TURN = re.compile(r"^(?:\*\*.{1,200}?\*\* )?\[(?:([0-9]{1,4}):)?([0-9]{1,2}):([0-9]{2})[\].]", re.MULTILINE)
TRANSCRIPT = "Transcript"
"""The heading of an episode's transcript."""


def section(text: str, headings: Sequence[Heading], wanted: str) -> str | None:
    """A section of a post, with its heading and all subsections.

    A section in a quote or an item of a list comes with all of it: what begins inside may be read as something else.

    Args:
        text: the post as Markdown.
        headings: of the post.
        wanted: the fragment or the text of one of the headings.

    Returns:
        The Markdown of the section; `None` if there is no such section.
    """
    known = blocks(text)
    lines = [line for line in known.headings if len(line.text) <= _LONGEST]
    # An index instead of a search for each heading, since a post may have any number of headings without a line.
    of_text: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        of_text[_reduced(_ID.sub("", line.text))].append(at)
    places: list[tuple[Heading, int]] = []
    done = 0
    for heading in headings:
        same = of_text.get(_reduced(heading.text), [])
        first = bisect_left(same, done)
        if first < len(same):
            places.append((heading, known.at(lines[same[first]].start)))
            done = same[first] + 1
    chosen = _chosen(places, wanted)
    if chosen is None:
        return None
    heading, start = places[chosen]
    later = (place for other, place in places[chosen + 1 :] if other.level <= heading.level and place > start)
    return text[start : next(later, len(text))]


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
    return text[blocks(text).at(begin + turns[-1] if turns else begin) :]


def _seconds(turn: re.Match[str]) -> int:
    return int(turn[1] or 0) * 3600 + int(turn[2]) * 60 + int(turn[3])


def _chosen(places: Sequence[tuple[Heading, int]], wanted: str) -> int | None:
    fragment, words = wanted.lstrip("#"), _reduced(wanted)
    for place, (heading, _) in enumerate(places):
        if heading.id == fragment:
            return place
    return next((place for place, (heading, _) in enumerate(places) if words and _reduced(heading.text) == words), None)


def _reduced(text: str) -> str:
    """A text reduced to letters and digits, ignoring case and links, so that headings match whatever their markup."""
    return _UNSPOKEN.sub("", _LINK.sub(r"\1", text)).casefold()

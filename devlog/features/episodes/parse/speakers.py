"""Finds the turns of speakers in a transcript that is written in Markdown: ``**Ada Quill** [00:01:12] …``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from markdown_it.token import Token

from devlog.features.episodes import problems
from devlog.features.episodes.model.episode import Cue, Cues, clock, iso_duration
from devlog.features.episodes.parse.front_matter import seconds_of
from devlog.model.diagnostic import Span
from devlog.parse.markdown.body import BodyWriter
from devlog.parse.markdown.excerpt import plain_text, shown

_TIME = re.compile(
    r"[ \t]*(?:[:–—-][ \t]*)?[\[(]((?:[0-9]+:)?[0-9]{1,4}:[0-9]{2}(?:[.,][0-9]{1,3})?)[\])][ \t]*[:–—-]?[ \t]*"
)
_COLON = re.compile(r"[ \t]*:[ \t]*")
PER_SECOND = 15
"""Spoken characters per second, to estimate the end of a turn if nothing else determines it."""


class _Mark(NamedTuple):
    """The beginning of a turn: the speaker and the start, if given; `children` are the tokens after them."""

    speaker: str
    start: float | None
    children: list[Token]


class _Turn:
    """A turn of a speaker while its words are collected."""

    def __init__(self, speaker: str, start: float | None) -> None:
        self.speaker = speaker
        self.start = start
        self.texts: list[str] = []


def mark_turns(tokens: Sequence[Token], writer: BodyWriter, file: str, first_line: int) -> Cues:
    """Find the turns of speakers, and mark their paragraphs.

    Args:
        tokens: the tokens of the transcript, which are changed in place.
        writer: the writer of the document, in which anchors and diagnostics are recorded.
        file: the name used in messages.
        first_line: the line of the file on which the tokens begin.

    Returns:
        The cues of the transcript.
    """
    turns: list[_Turn] = []
    pending: _Mark | None = None
    numbers: dict[str, int] = {}
    last = 0.0
    silent = False
    for index, token in enumerate(tokens):
        if token.type in ("heading_open", "footnote_block_open", "table_open"):
            silent = True
        elif token.type in ("heading_close", "footnote_block_close", "table_close"):
            silent = False
        if token.type != "inline" or silent:
            continue
        paragraph = tokens[index - 1]
        own = _mark(token) if paragraph.type == "paragraph_open" and not token.level - 1 else None
        if own and own.start is not None and own.start < last:
            span = Span(file, first_line + (token.map[0] if token.map else 0))
            writer.diagnostics.append(problems.bad_transcript(span, f"{clock(own.start)} is before what is said above"))
            own = own._replace(start=None)
        if own and not plain_text(own.children).strip():  # its words are in the next paragraph
            pending = own
            paragraph.hidden = tokens[index + 1].hidden = True
            token.children = []
            continue
        mark = own or pending
        if mark:
            turn = _Turn(mark.speaker or (turns[-1].speaker if turns and mark.start is not None else ""), mark.start)
            turns.append(turn)
            last = mark.start if mark.start is not None else last
            _write(paragraph, token, own.children if own else token.children or [], mark, writer, numbers)
        elif not turns or (turns[-1].start is None and not turns[-1].speaker):  # belongs to no speaker's turn
            turns.append(_Turn("", None))
        pending = None
        turns[-1].texts.append(" ".join(plain_text(list(shown(token.children or []))).split()))
    return Cues(_cues(turns), int(last))


def _mark(token: Token) -> _Mark | None:
    """The speaker and the time at the beginning of a paragraph; `None` if it does not begin with them."""
    children = [child for child in token.children or [] if child.type != "text" or child.content]
    speaker, start, place, rest = "", None, 0, ""
    if children and children[0].type == "text" and (time := _TIME.match(children[0].content)):
        start, place, rest = seconds_of(time[1]), 1, children[0].content[time.end() :]
        if rest.strip():
            return _Mark("", start, [_text(rest), *children[1:]]) if start is not None else None
    end = place
    if len(children) > place and children[place].type == "strong_open":
        end = next((at for at, child in enumerate(children) if at > place and child.type == "strong_close"), place)
        speaker = " ".join(plain_text(children[place + 1 : end]).split())
    named = end > place and 0 < len(speaker) <= 80
    if not named:
        return _Mark("", start, children[place:]) if start is not None else None
    after = children[end + 1].content if len(children) > end + 1 and children[end + 1].type == "text" else ""
    has_colon = speaker.endswith(":")
    time = _TIME.match(after) if start is None else None
    colon = None if time else _COLON.match(after)
    if time:
        start = seconds_of(time[1])
        after = after[time.end() :]
    elif colon:
        after = after[colon.end() :]
    elif start is None and not has_colon:
        return None
    skip = end + 2 if len(children) > end + 1 and children[end + 1].type == "text" else end + 1
    following = [*([_text(after.lstrip())] if after.strip() else []), *children[skip:]]
    return _Mark(speaker.removesuffix(":").strip(), start, following)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _write(
    paragraph: Token,
    inline: Token,
    children: list[Token],
    mark: _Mark,
    writer: BodyWriter,
    numbers: dict[str, int],
) -> None:
    """Write the speaker and the time into a paragraph, and give it an anchor.

    `numbers` are the last suffixes that made the anchor of a second unique: thousands of turns may begin in one second.
    """
    breaks = ("softbreak", "hardbreak")
    children = children[next((at for at, child in enumerate(children) if child.type not in breaks), len(children)) :]
    paragraph.attrs["class"] = "turn"
    name = place = ""
    if mark.start is not None:
        second = f"t{int(mark.start)}"
        name, number = second, numbers.get(second, 1)
        while name in writer.anchors or name in writer.named:
            number += 1
            name = f"{second}-{number}"
        numbers[second] = number
        place = f"t={int(mark.start)}"
        place = "" if place in writer.anchors or place in writer.named else place
        writer.anchors |= {name, place} - {""}
        paragraph.attrs["id"] = name
        paragraph.attrs["data-start"] = f"{mark.start:g}" if mark.start < 100_000 else str(int(mark.start))
    meta = {"write": write_mark, "speaker": mark.speaker, "start": mark.start, "place": place}
    token = Token("rewritten", "", 0, meta=meta)
    stamp = f"[{clock(mark.start)}]" if mark.start is not None else ""
    token.content = " ".join(part for part in (f"**{mark.speaker}**" if mark.speaker else "", stamp) if part)
    inline.children = [token, *children]


def write_mark(token: Token, writer: BodyWriter) -> str:
    """The speaker and the time at the beginning of a turn, as HTML."""
    speaker, start = token.meta["speaker"], token.meta["start"]
    parts = [f"<cite>{escape(speaker)}</cite>"] if speaker else []
    if start is not None:
        link = writer.fragment(f"#t={int(start)}")
        # An anchor with that name, too, so that such links work without a script.
        place = f' id="{token.meta["place"]}"' if token.meta["place"] else ""
        parts.append(f'<a class="time"{place}{link}><time datetime="{iso_duration(start)}">{clock(start)}</time></a>')
    return writer.trusted(" ".join(parts) + " ", block=False)


def _cues(turns: Sequence[_Turn]) -> tuple[Cue, ...]:
    """The cues of the turns. Times between given ones are interpolated by the length of the texts."""
    turns = [turn for turn in turns if any(turn.texts)]
    first = next((at for at, turn in enumerate(turns) if turn.speaker or turn.start is not None), 0)
    turns = turns[first:]  # text before the first turn is an introduction
    texts = [" ".join(filter(None, turn.texts)) for turn in turns]
    if all(turn.start is None for turn in turns):
        return tuple(Cue(0, 0, turn.speaker, text) for turn, text in zip(turns, texts, strict=True))
    starts = _starts([turn.start for turn in turns], texts)
    ends = [*starts[1:], starts[-1] + max(2.0, len(texts[-1]) / PER_SECOND)]
    return tuple(
        Cue(start, round(max(start, end), 3), turn.speaker, text)
        for start, end, turn, text in zip(starts, ends, turns, texts, strict=True)
    )


def _starts(known: Sequence[float | None], texts: Sequence[str]) -> list[float]:
    starts: list[float] = []
    place = 0
    while place < len(known):
        stop = next((at for at in range(place + 1, len(known)) if known[at] is not None), len(known))
        begin = known[place] if known[place] is not None else (starts[-1] if starts else 0.0)
        assert begin is not None
        end = known[stop] if stop < len(known) else None
        lengths = [len(text) + 1 for text in texts[place:stop]]
        whole = sum(lengths)
        span = (end - begin) if end is not None else whole / PER_SECOND
        passed = 0
        for length in lengths:
            starts.append(round(begin + span * passed / whole, 3))
            passed += length
        place = stop
    return starts

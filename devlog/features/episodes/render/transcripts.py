"""Renders the transcript of an episode in the formats of players and readers, and its chapters."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import msgspec

from devlog.features.episodes.model.episode import Chapter, Cue, clock, is_timed, iso_duration, paragraphs
from devlog.model.record import decoded
from devlog.model.target import Blob, Resources, Target
from devlog.render.machine import write_json

LINE = 32
"""The maximum number of characters in a line of SubRip; a cue has up to two lines."""
_LONG = 240  # maximum characters of a WebVTT cue
_LEAST = 0.002  # seconds for each character that let the times of two cues differ, which are whole milliseconds
_BRIEF = 1.0  # so many seconds a cue is shown that has no length

Number = int | float


def transcript(target: Target, resources: Resources) -> str | bytes:
    """The recipe for a transcript file."""
    context = target.context
    cues: Any = context["cues"]
    if isinstance(cues, Blob):
        cues = decoded(resources.blobs[cues.digest], tuple[Cue, ...]) or ()  # a forged record may name other contents
    cues = _until(cues, context.get("seconds", 0.0))
    if context["format"] == "html":
        return html(cues, context["title"], context["language"])
    return WRITERS[context["format"]](cues)


def _until(cues: tuple[Cue, ...], seconds: float) -> tuple[Cue, ...]:
    """The cues, the last of which ends with the audio if its duration is known."""
    if not is_timed(cues) or seconds <= cues[-1].start:
        return cues
    return (*cues[:-1], msgspec.structs.replace(cues[-1], end=seconds))


def chapters(target: Target, _resources: Resources) -> bytes:
    """The recipe for chapters as JSON (version 1.2)."""
    return write_chapters(target.context["title"], target.context["chapters"])


def vtt(cues: Sequence[Cue]) -> str:
    """WebVTT, with the speakers as voices."""
    blocks = ["WEBVTT\n"]
    for cue in cues:
        for piece in _split(cue, lambda text: textwrap.wrap(text, _LONG, break_on_hyphens=False)):
            voice = _apart(f"<v {_in_vtt(piece.speaker)}>") if piece.speaker else ""
            blocks.append(f"{_stamp(piece.start, '.')} --> {_stamp(piece.end, '.')}\n{voice}{_in_vtt(piece.text)}\n")
    return "\n".join(blocks)


def srt(cues: Sequence[Cue]) -> str:
    """SubRip: at most two short lines at once; the speaker is named at each change."""
    blocks: list[str] = []
    speaker = ""
    for cue in cues:
        named = f"{cue.speaker}: {cue.text}" if cue.speaker not in ("", speaker) else cue.text
        speaker = cue.speaker
        for piece in _split(msgspec.structs.replace(cue, text=_apart(named)), _two_lines):
            times = f"{_stamp(piece.start, ',')} --> {_stamp(piece.end, ',')}"
            blocks.append(f"{len(blocks) + 1}\n{times}\n{piece.text}\n")
    return "\n".join(blocks)


def segments(cues: Sequence[Cue]) -> bytes:
    """The JSON transcript format of podcasts (version 1.0.0)."""
    items = []
    for cue in cues:
        item: dict[str, Any] = {"speaker": cue.speaker} if cue.speaker else {}
        items.append(item | {"startTime": number(cue.start), "endTime": number(cue.end), "body": cue.text})
    return write_json({"version": "1.0.0", "segments": items})


def txt(cues: Sequence[Cue]) -> str:
    """Plain text, a paragraph for each turn."""
    return "\n".join(f"{f'{speaker}: ' if speaker else ''}{text}\n" for speaker, _, text in _turns(cues))


def html(cues: Sequence[Cue], title: str, language: str) -> str:
    """HTML in the structure that players expect: speaker, time and words of each turn."""
    timed = is_timed(cues)
    lines = [
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">',
        '<meta name="robots" content="noindex">',  # the episode's page has the same text
        f"<title>{escape(title)}</title>\n</head>\n<body>",
    ]
    for speaker, start, text in _turns(cues):
        if speaker:
            lines.append(f"<cite>{escape(speaker)}:</cite>")
        if timed:
            lines.append(f'<time datetime="{iso_duration(start)}">{clock(start)}</time>')
        lines.append(f"<p>{escape(text)}</p>")
    return "\n".join([*lines, "</body>\n</html>\n"])


WRITERS: dict[str, Callable[[Sequence[Cue]], str | bytes]] = {"vtt": vtt, "srt": srt, "json": segments, "txt": txt}
"""The functions that write cues, by file extension."""


def write_chapters(title: str, parts: Sequence[Chapter]) -> bytes:
    """The chapters of an episode as JSON."""
    items = []
    for part in parts:
        item: dict[str, Any] = {"startTime": number(part.start), "title": part.title}
        optional = {"endTime": number(part.end) if part.end is not None else None, "img": part.image, "url": part.url}
        item |= {key: value for key, value in optional.items() if value not in ("", None)}
        items.append(item if part.toc else item | {"toc": False})
    return write_json({"version": "1.2.0", "title": title, "chapters": items})


def number(seconds: float) -> Number:
    """Seconds as a number for JSON and attributes."""
    return int(seconds) if seconds == int(seconds) else round(seconds, 3)


def _turns(cues: Sequence[Cue]) -> Iterator[tuple[str, float, str]]:
    """Speaker, start and words of each turn. Without times, each cue already is a paragraph."""
    places = paragraphs(cues) if is_timed(cues) else [range(place, place + 1) for place in range(len(cues))]
    for place in places:
        first = cues[place.start]
        yield first.speaker, first.start, " ".join(cues[at].text for at in place)


def _split(cue: Cue, cut: Callable[[str], list[str]]) -> Iterator[Cue]:
    """Split a cue into several, which share its time in proportion to their length.

    Each ends after it begins, as WebVTT demands. If there is not enough time for that, all are shown at once.
    """
    texts = cut(cue.text)
    total = sum(map(len, texts)) or 1
    if cue.end - cue.start < total * _LEAST:
        end = cue.end if cue.end > cue.start else round(cue.start + _BRIEF, 3)
        yield from (Cue(cue.start, end, cue.speaker, text) for text in texts)
        return
    passed, start = 0, cue.start
    for text in texts:
        passed += len(text)
        end = cue.end if passed == total else round(cue.start + (cue.end - cue.start) * passed / total, 3)
        yield Cue(start, end, cue.speaker, text)
        start = end


def _two_lines(text: str) -> list[str]:
    lines = textwrap.wrap(text, LINE, break_on_hyphens=False)
    return ["\n".join(lines[at : at + 2]) for at in range(0, len(lines), 2)]


def _stamp(seconds: float, mark: str) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{mark}{thousandths:03}"


def _apart(text: str) -> str:
    """Words without the arrow by which players recognize the line with the times."""
    return text.replace("-->", "-- >")


def _in_vtt(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

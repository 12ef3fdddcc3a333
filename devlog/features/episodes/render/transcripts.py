"""What is spoken in an episode, in the formats that players and readers know, and its chapters."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import msgspec

from devlog.features.episodes.model.episode import Chapter, Cue, clock, is_timed, iso_duration, paragraphs
from devlog.model.target import Blob, Resources, Target
from devlog.render.machine import write_json

LINE = 32
"""So many characters has a line of SubRip at most; a cue has two."""
_LONG = 240  # characters of a cue of WebVTT

Number = int | float


def transcript(target: Target, resources: Resources) -> str | bytes:
    """A file of a transcript: the recipe of that name."""
    context = target.context
    cues: Any = context["cues"]
    if isinstance(cues, Blob):
        cues = msgspec.msgpack.decode(resources.blobs[cues.digest], type=tuple[Cue, ...])
    cues = _until(cues, context.get("seconds", 0.0))
    if context["format"] == "html":
        return html(cues, context["title"], context["language"])
    return WRITERS[context["format"]](cues)


def _until(cues: tuple[Cue, ...], seconds: float) -> tuple[Cue, ...]:
    """Cues whose last one ends with the sound, if that is known."""
    if not is_timed(cues) or seconds <= cues[-1].start:
        return cues
    return (*cues[:-1], msgspec.structs.replace(cues[-1], end=seconds))


def chapters(target: Target, _resources: Resources) -> bytes:
    """Chapters as JSON (version 1.2): the recipe of that name."""
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
    """SubRip: at most two short lines at once; who speaks is named where that changes."""
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
    """The JSON of podcasts (version 1.0.0)."""
    items = []
    for cue in cues:
        item: dict[str, Any] = {"speaker": cue.speaker} if cue.speaker else {}
        items.append(item | {"startTime": number(cue.start), "endTime": number(cue.end), "body": cue.text})
    return write_json({"version": "1.0.0", "segments": items})


def txt(cues: Sequence[Cue]) -> str:
    """Plain text, a paragraph for each turn."""
    return "\n".join(f"{f'{speaker}: ' if speaker else ''}{text}\n" for speaker, _, text in _turns(cues))


def html(cues: Sequence[Cue], title: str, language: str) -> str:
    """HTML as players read it: who, when, and what, one after the other."""
    timed = is_timed(cues)
    lines = [
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">',
        '<meta name="robots" content="noindex">',  # the page itself says the same
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
"""How cues are written, by the ending of the file."""


def write_chapters(title: str, parts: Sequence[Chapter]) -> bytes:
    """Chapters of an episode as JSON."""
    items = []
    for part in parts:
        item: dict[str, Any] = {"startTime": number(part.start), "title": part.title}
        optional = {"endTime": number(part.end) if part.end is not None else None, "img": part.image, "url": part.url}
        item |= {key: value for key, value in optional.items() if value not in ("", None)}
        items.append(item if part.toc else item | {"toc": False})
    return write_json({"version": "1.2.0", "title": title, "chapters": items})


def number(seconds: float) -> Number:
    """Seconds as JSON and attributes have them."""
    return int(seconds) if seconds == int(seconds) else round(seconds, 3)


def _turns(cues: Sequence[Cue]) -> Iterator[tuple[str, float, str]]:
    """Who says what from when on; without times each cue is a paragraph already."""
    places = paragraphs(cues) if is_timed(cues) else [range(place, place + 1) for place in range(len(cues))]
    for place in places:
        first = cues[place.start]
        yield first.speaker, first.start, " ".join(cues[at].text for at in place)


def _split(cue: Cue, cut: Callable[[str], list[str]]) -> Iterator[Cue]:
    """A cue as several, which share its time by their length."""
    texts = cut(cue.text)
    total = sum(map(len, texts)) or 1
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
    """Words without the sign by which players know the line with the times."""
    return text.replace("-->", "-- >")


def _in_vtt(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""Episodes: what a post says of its sound, what a topic says of its show, and what is spoken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.document import Parsed

BODY = "body"
"""What `Audio.transcript` is where the text of the post itself is the transcript."""

Kind = Literal["full", "trailer", "bonus"]


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody who speaks in an episode or works for it; all but the name may be empty.

    ``role`` and ``group`` are words of the Podcast Taxonomy such as ``guest`` and ``cast``; ``image`` is as written.
    """

    name: str
    role: str = ""
    group: str = ""
    url: str = ""
    image: str = ""
    image_span: Span | None = None


class Chapter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of an episode: its first second, its title, a link and a picture, which may be empty.

    ``end`` is its last second where that is not the beginning of the next; ``toc`` whether it is listed.
    """

    start: float
    title: str
    url: str = ""
    image: str = ""
    end: float | None = None
    toc: bool = True
    span: Span | None = None


class Cue(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something spoken: from which second to which, by whom (may be empty), and the words as plain text."""

    start: float
    end: float
    speaker: str
    text: str


class Cues(msgspec.Struct, frozen=True):
    """What is spoken in a text that is a transcript; all of it begins and ends at 0 where that has no times."""

    cues: tuple[Cue, ...] = ()

    @property
    def shape(self) -> str:
        """Which files there are of it: none, those that need no times, or all."""
        return "timed" if is_timed(self.cues) else "untimed" if self.cues else "empty"


class Audio(msgspec.Struct, frozen=True, omit_defaults=True):
    """The sound of a post as written; what is not written is empty or `None`.

    Attributes:
        file: a file of the site.
        url: where the sound lies instead, elsewhere.
        length: in bytes; of a file it is counted.
        type: the media type; of a file it follows from the name.
        duration: in seconds; of a file it is measured.
        season: a number.
        episode: a number.
        episode_type: ``full``, ``trailer`` or ``bonus``.
        explicit: whether it is not for children; `None` leaves that to the show.
        people: who speaks.
        image: a picture as written.
        chapters: as written here.
        chapters_file: a file of the site that has them instead.
        transcript: a file of the site, or ``body`` where the post's own text is the transcript.
        spans: the place of each key, by name.
    """

    file: str = ""
    url: str = ""
    length: int | None = None
    type: str = ""
    duration: float | None = None
    season: int | None = None
    episode: int | None = None
    episode_type: Kind = "full"
    explicit: bool | None = None
    people: tuple[Person, ...] = ()
    image: str = ""
    chapters: tuple[Chapter, ...] = ()
    chapters_file: str = ""
    transcript: str = ""
    spans: tuple[tuple[str, Span], ...] = ()

    def span(self, key: str, path: str) -> Span:
        """Where `key` is written, or where the whole block begins."""
        known = dict(self.spans)
        return known.get(key) or known.get("") or Span(path, 1)


class Podcast(msgspec.Struct, frozen=True, omit_defaults=True):
    """The show of a topic as written; what is not written is empty or `None`.

    ``categories`` are pairs of a category and a subcategory that may be empty; ``type`` is ``episodic`` or ``serial``;
    ``guid`` is what names the show for ever, where it had one before; ``funding`` is an address and what to call it.
    """

    title: str = ""
    description: str = ""
    author: str = ""
    owner_name: str = ""
    owner_email: str = ""
    image: str = ""
    categories: tuple[tuple[str, str], ...] = ()
    explicit: bool = False
    type: str = ""
    language: str = ""
    copyright: str = ""
    license: str = ""
    license_url: str = ""
    locked: bool | None = None
    guid: str = ""
    link: str = ""
    funding: tuple[str, str] = ("", "")
    people: tuple[Person, ...] = ()
    spans: tuple[tuple[str, Span], ...] = ()

    def span(self, key: str, path: str) -> Span:
        """Where `key` is written, or where the whole block begins."""
        known = dict(self.spans)
        return known.get(key) or known.get("") or Span(path, 1)


class Sound(msgspec.Struct, frozen=True, omit_defaults=True):
    """What front matter says: ``audio`` makes a post an episode, ``podcast`` a topic a show."""

    audio: Audio | None = None
    podcast: Podcast | None = None

    @property
    def is_transcript(self) -> bool:
        """Whether the text itself is what is spoken."""
        return self.audio is not None and self.audio.transcript == BODY


def audio_of(parsed: Parsed) -> Audio | None:
    """The sound of a post; `None` of any other."""
    return parsed.front_matter.of(Sound).audio if parsed.front_matter.parts else None


def podcast_of(parsed: Parsed | None) -> Podcast | None:
    """The show of a topic, by its text; `None` of any other."""
    return parsed.front_matter.of(Sound).podcast if parsed and parsed.front_matter.parts else None


def clock(seconds: float) -> str:
    """A time as people read it: ``2:29``, ``1:02:03``."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def iso_duration(seconds: float) -> str:
    """A duration as ISO 8601 writes it: ``PT2M29S``."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    parts = [f"{hours}H" if hours else "", f"{minutes}M" if minutes else "", f"{rest}S" if rest or not whole else ""]
    return "PT" + "".join(parts)


def is_timed(cues: Sequence[Cue]) -> bool:
    """Whether a transcript says when something is spoken."""
    return any(cue.end > 0 for cue in cues)


_ENDS_SENTENCE = re.compile(r"[.!?…。！？][\"”’»)]*$")
_GAP = 2.5  # seconds of silence, after which a new paragraph begins
_LONG = 420  # characters, after which it begins with the next sentence
_TOO_LONG = 1200  # characters, after which it begins anyway
_NO_CAPTION = 160  # characters, which no caption has: whoever wrote so long a cue meant a paragraph


def paragraphs(cues: Sequence[Cue]) -> list[range]:
    """Cues, which are short, joined to paragraphs of one speaker each: the places of each paragraph's cues."""
    starts: list[int] = []
    length = 0
    for place, cue in enumerate(cues):
        before = cues[place - 1] if place else None
        if before is None or before.speaker != cue.speaker or _is_break(before, cue, length):
            starts.append(place)
            length = 0
        length += len(cue.text) + 1
    return [range(start, end) for start, end in pairwise([*starts, len(cues)])]


def _is_break(before: Cue, cue: Cue, length: int) -> bool:
    """Whether the same speaker begins anew, after so many characters."""
    if length > _TOO_LONG:
        return True
    new = length > _LONG or cue.start - before.end > _GAP or max(len(before.text), len(cue.text)) > _NO_CAPTION
    return new and _ENDS_SENTENCE.search(before.text) is not None

"""Episodes as written: the audio of a post, the show of a topic, and the cues of a transcript."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.document import Parsed
from devlog.model.record import Finite

BODY = "body"
"""The value of `Audio.transcript` if the body of the post itself is the transcript."""

Kind = Literal["full", "trailer", "bonus"]


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody who speaks in an episode or works on it; all fields but the name may be empty.

    ``role`` and ``group`` are terms of the Podcast Taxonomy such as ``guest`` and ``cast``; ``image`` is as written.
    """

    name: str
    role: str = ""
    group: str = ""
    url: str = ""
    image: str = ""
    image_span: Span | None = None


class Chapter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chapter of an episode: its start in seconds, its title, and an optional link and image.

    ``end`` is its end in seconds if that is not the start of the next one; ``toc`` is whether it is listed.
    """

    start: Finite
    title: str
    url: str = ""
    image: str = ""
    end: Finite | None = None
    toc: bool = True
    span: Span | None = None


class Cue(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a transcript: start and end in seconds, the speaker (may be empty), and the words as plain text."""

    start: Finite
    end: Finite
    speaker: str
    text: str


class Cues(msgspec.Struct, frozen=True):
    """The cues of a source that is a transcript; without times, all of them start and end at 0.

    Attributes:
        cues: in order.
        last: the last time that is written in it, in whole seconds; 0 if there is none.
    """

    cues: tuple[Cue, ...] = ()
    last: int = 0

    @property
    def shape(self) -> str:
        """Which files can be made of it: none, those that need no times, or all; and what `derive` reports of it."""
        return f"timed {self.last}" if is_timed(self.cues) else "untimed" if self.cues else "empty"


class Audio(msgspec.Struct, frozen=True, omit_defaults=True):
    """The audio of a post as written; values that are not written are empty or `None`.

    Attributes:
        file: an audio file of the site.
        url: the URL of audio on another site, instead of a file.
        length: the size in bytes; for a file, devlog determines it.
        type: the media type; for a file, it follows from the name.
        duration: in seconds; for a file, devlog measures it.
        season: the number of the season.
        episode: the number of the episode.
        episode_type: ``full``, ``trailer`` or ``bonus``.
        explicit: whether it is unsuitable for children; if it is `None`, the value of the show applies.
        people: who speaks.
        image: an image as written.
        chapters: the chapters in front matter.
        chapters_file: a file of the site with chapters, instead of these.
        transcript: a file of the site, or ``body`` if the body of the post is the transcript.
        spans: the position of each key, by name.
    """

    file: str = ""
    url: str = ""
    length: int | None = None
    type: str = ""
    duration: Finite | None = None
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
        """The position of `key`, or that of the whole block."""
        known = dict(self.spans)
        return known.get(key) or known.get("") or Span(path, 1)


class Podcast(msgspec.Struct, frozen=True, omit_defaults=True):
    """The show of a topic as written; values that are not written are empty or `None`.

    ``categories`` are pairs of a category and a subcategory that may be empty; ``type`` is ``episodic`` or ``serial``;
    ``guid`` is a permanent identifier, if the show already had one; ``funding`` is a URL and its title.
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
        """The position of `key`, or that of the whole block."""
        known = dict(self.spans)
        return known.get(key) or known.get("") or Span(path, 1)


class AudioFrontMatter(msgspec.Struct, frozen=True, omit_defaults=True):
    """The front matter of this feature: ``audio`` makes a post an episode, ``podcast`` makes a topic a show."""

    audio: Audio | None = None
    podcast: Podcast | None = None

    @property
    def is_transcript(self) -> bool:
        """Whether the source itself is the transcript."""
        return self.audio is not None and self.audio.transcript == BODY


def audio_of(parsed: Parsed) -> Audio | None:
    """The audio of a post; `None` if it has none."""
    return parsed.front_matter.of(AudioFrontMatter).audio if parsed.front_matter.parts else None


def podcast_of(parsed: Parsed | None) -> Podcast | None:
    """The show of a topic, given its index source; `None` if it is not a show."""
    return parsed.front_matter.of(AudioFrontMatter).podcast if parsed and parsed.front_matter.parts else None


def clock(seconds: float) -> str:
    """A time in the usual form: ``2:29``, ``1:02:03``."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def iso_duration(seconds: float) -> str:
    """A duration in ISO 8601: ``PT2M29S``."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    parts = [f"{hours}H" if hours else "", f"{minutes}M" if minutes else "", f"{rest}S" if rest or not whole else ""]
    return "PT" + "".join(parts)


def is_timed(cues: Sequence[Cue]) -> bool:
    """Whether a transcript has times."""
    return any(cue.end > 0 for cue in cues)


_ENDS_SENTENCE = re.compile(r"[.!?…。！？][\"”’»)]*$")
_GAP = 2.5  # seconds of silence, after which a new paragraph begins
_LONG = 420  # characters, after which a new paragraph begins with the next sentence
_TOO_LONG = 1200  # characters, after which a new paragraph begins anyway
_NO_CAPTION = 160  # characters: no caption is that long, so a longer cue is meant as a paragraph


def paragraphs(cues: Sequence[Cue]) -> list[range]:
    """Join cues, which are short, into paragraphs with one speaker each: the range of each paragraph's cues."""
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
    """Whether a new paragraph of the same speaker begins, if the current one has `length` characters."""
    if length > _TOO_LONG:
        return True
    new = length > _LONG or cue.start - before.end > _GAP or max(len(before.text), len(cue.text)) > _NO_CAPTION
    return new and _ENDS_SENTENCE.search(before.text) is not None

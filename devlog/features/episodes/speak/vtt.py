"""Writes transcripts as WebVTT (https://www.w3.org/TR/webvtt1/)."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.features.episodes.speak.audio import Spoken


def vtt(passages: Iterable[Spoken], voice: str) -> str:
    """A transcript with a cue for each passage.

    Args:
        passages: the passages with their times.
        voice: the name of the voice; may be empty.
    """
    name = " ".join(_escaped(voice).split())
    span = f"<v {name}>" if name else ""
    cues = [f"{_time(item.start)} --> {_time(item.end)}\n{span}{_escaped(item.passage.text)}\n" for item in passages]
    return "\n".join(["WEBVTT\n", *cues])


def _time(seconds: float) -> str:
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"


def _escaped(text: str) -> str:
    """A text without characters that WebVTT would read as tags or as the arrow between two times."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""Reads the chapters of an episode that are in a file of their own, as JSON (version 1.2 of the podcast namespace)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from devlog.features.episodes.model.episode import Chapter
from devlog.features.episodes.parse.front_matter import MAX_LIST, MAX_SECONDS
from devlog.model.derived import Made
from devlog.model.json_depth import JsonDepthError, check_json_depth
from devlog.parse.front_matter.web_urls import path_or_url, web_url


class _WrittenChapter(msgspec.Struct, frozen=True):
    startTime: float = -1.0  # noqa: N815 - the name in the format
    title: str = ""
    url: str = ""
    img: str = ""
    endTime: float | None = None  # noqa: N815
    toc: bool = True


class _Chapters(msgspec.Struct, frozen=True):
    chapters: list[_WrittenChapter]


def chapters_work(_parts: dict[str, Any], files: tuple[bytes, ...]) -> Made:
    """Read a chapters file; runs in a worker."""
    (data,) = files
    read = read_chapters(data)
    return Made(problem=read) if isinstance(read, str) else Made({"chapters": msgspec.to_builtins(read)})


def read_chapters(data: bytes) -> tuple[Chapter, ...] | str:
    """The chapters of a JSON file (version 1.2), or the reason why they cannot be read."""
    try:
        check_json_depth(data)
        read = msgspec.json.decode(data, type=_Chapters)
    except (JsonDepthError, msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        return str(error)
    if len(read.chapters) > MAX_LIST:
        return f"it has more than {MAX_LIST} chapters"
    wrong: Literal["", "url", "time"] = ""
    chapters = []
    for item in read.chapters:
        if not 0 <= item.startTime <= MAX_SECONDS:
            wrong = "time"
        elif item.url and not web_url(item.url):
            wrong = "url"
        else:
            title = " ".join(item.title.split())
            chapters.append(
                Chapter(item.startTime, title, web_url(item.url), path_or_url(item.img), item.endTime, item.toc)
            )
    if wrong == "time":
        return "a chapter has no “startTime”"
    if wrong == "url":
        return "the “url” of a chapter is not a web URL"
    return tuple(sorted(chapters, key=lambda chapter: chapter.start))

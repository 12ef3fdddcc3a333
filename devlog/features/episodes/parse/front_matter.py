"""Reads the blocks ``audio`` of an episode and ``podcast`` of a show in front matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from devlog.features.episodes import problems
from devlog.features.episodes.model.episode import BODY, Audio, Chapter, Person, Podcast
from devlog.model.closest import closest
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.media import media_type
from devlog.parse.front_matter import problems as front_matter_problems
from devlog.parse.front_matter import values
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar, Sequence
from devlog.parse.front_matter.web_urls import EXPECTED, is_of_web, path_or_url, web_url

Found = tuple[Diagnostic, ...]
T = TypeVar("T")

MAX_LIST = 500
"""The maximum number of people or chapters of an episode."""
MAX_SECONDS = 7 * 24 * 3600

_CLOCK = re.compile(r"(?:([0-9]{1,3}):)?([0-9]{1,4}):([0-5]?[0-9](?:[.,][0-9]{1,6})?)")
_SECONDS = re.compile(r"[0-9]{1,7}(?:\.[0-9]{1,6})?")
_ISO = re.compile(
    r"P(?:([0-9]{1,3})D)?(?:T(?:([0-9]{1,4})H)?(?:([0-9]{1,6})M)?(?:([0-9]{1,7}(?:[.,][0-9]{1,6})?)S)?)?", re.IGNORECASE
)
_TIMED = re.compile(r"\[?((?:[0-9]+:)?[0-9]+:[0-9]{2}(?:[.,][0-9]+)?)\]?[ \t]+(?:[-–—][ \t]+)?(\S.*)")
_TYPE = re.compile(r"(?:audio|video)/[a-z0-9.+-]+")
_MAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")


def seconds_of(text: str) -> float | None:
    """A time or duration in seconds, from ``PT2M29S``, ``2:29``, ``1:02:03.5`` or ``149``; `None` for anything else."""
    text = text.strip()
    clock, iso = _CLOCK.fullmatch(text), _ISO.fullmatch(text)
    if _SECONDS.fullmatch(text):
        seconds = float(text)
    elif clock:
        hours, minutes, rest = clock[1], clock[2], clock[3].replace(",", ".")
        if hours and int(minutes) > 59:
            return None
        seconds = int(hours or 0) * 3600 + int(minutes) * 60 + float(rest)
    elif iso and any(iso.groups()):
        days, hours, minutes, rest = (part.replace(",", ".") if part else "0" for part in iso.groups())
        seconds = int(days) * 86400 + int(hours) * 3600 + int(minutes) * 60 + float(rest)
    else:
        return None
    return round(seconds, 3) if seconds <= MAX_SECONDS else None


class _Block:
    """A block of front matter while it is read.

    Attributes:
        fields: the values that were read, by the name of the field.
        spans: the position of each.
        found: diagnostics.
    """

    def __init__(self, entry: Entry, limits: dict[str, int] | None = None) -> None:
        """
        Args:
            entry: the key and its value.
            limits: the maximum number of characters of each string in the value of a key; the empty name stands for
                all other keys.
        """
        self.name = entry.key.text
        self._limits = limits or {}
        self.fields: dict[str, Any] = {}
        self.spans: dict[str, Span] = {"": entry.key.span}
        self.found: list[Diagnostic] = []

    def wrong(self, span: Span, key: str, expected: str) -> None:
        self.found.append(front_matter_problems.bad_value(span, f"{self.name}.{key}", expected))

    def read(self, node: Mapping, readers: dict[str, Callable[[_Block, Entry], Any]]) -> bool:
        """Read all keys that have a reader; returns whether there was one."""
        known = False
        for entry in node.entries:
            key = entry.key.text.strip().lower().replace("-", "_")
            if key not in readers:
                near = closest(key, readers, 0.75)
                if near:
                    self.found.append(
                        front_matter_problems.unknown_key(entry.key.span, f"{self.name}.{entry.key.text}", near)
                    )
                continue
            known = True
            value = entry.value
            if isinstance(value, Scalar) and (value.is_null or not value.text.strip()):
                continue
            if problem := self._too_long(key, value):
                self.found.append(problem)
                continue
            read = readers[key](self, entry)
            if isinstance(read, Diagnostic):
                self.wrong(read.span, key, _EXPECTED.get(key, "a string"))
            elif read is not None:
                self.fields[key] = read
                self.spans[key] = value.span if value.span.length else entry.key.span
        return known

    def _too_long(self, key: str, value: Node) -> Diagnostic | None:
        """A diagnostic about the first string in the value of a key that is too long."""
        limit = self._limits.get(key) or self._limits.get("")
        long = (text for text in _texts_in(value) if limit and len(text.text) > limit)
        if limit and (text := next(long, None)):
            return front_matter_problems.too_long(text.span, f"{self.name}.{key}", len(text.text), limit)
        return None

    @property
    def sorted_spans(self) -> tuple[tuple[str, Span], ...]:
        return tuple(sorted(self.spans.items()))


def _texts_in(node: Node) -> Iterator[Scalar]:
    """All strings in a value, including keys."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for entry in node.entries:
            yield entry.key
            yield from _texts_in(entry.value)
    else:
        for item in node.items:
            yield from _texts_in(item)


def _line(_block: _Block, entry: Entry) -> str | Diagnostic:
    return values.line_of(entry)


def _text(_block: _Block, entry: Entry) -> str | Diagnostic:
    return values.text_of(entry)


def _boolean(_block: _Block, entry: Entry) -> bool | Diagnostic:
    """A boolean; ``clean`` and ``explicit`` are values of older podcasts."""
    if isinstance(entry.value, Scalar) and entry.value.text.strip().lower() in ("clean", "explicit"):
        return entry.value.text.strip().lower() == "explicit"
    return values.boolean_of(entry)


def _positive(block: _Block, entry: Entry) -> int | None:
    text = entry.value.text.strip() if isinstance(entry.value, Scalar) else ""
    if not re.fullmatch(r"[0-9]{1,15}", text) or not int(text):
        block.wrong(entry.value.span, entry.key.text, "a whole number above 0")
        return None
    return int(text)


def _duration(block: _Block, entry: Entry) -> float | None:
    seconds = seconds_of(entry.value.text) if isinstance(entry.value, Scalar) else None
    if not seconds:
        block.wrong(entry.value.span, entry.key.text, "a duration such as 2:29, PT2M29S or 149")
        return None
    return seconds


def _one_of(*words: str) -> Callable[[_Block, Entry], str | None]:
    def read(block: _Block, entry: Entry) -> str | None:
        text = entry.value.text.strip().lower() if isinstance(entry.value, Scalar) else ""
        if text not in words:
            block.wrong(entry.value.span, entry.key.text, " or ".join((", ".join(words[:-1]), words[-1])))
            return None
        return text

    return read


def _media_type(block: _Block, entry: Entry) -> str | None:
    text = entry.value.text.strip().lower() if isinstance(entry.value, Scalar) else ""
    if not _TYPE.fullmatch(text):
        block.wrong(entry.value.span, entry.key.text, "a media type such as audio/mpeg")
        return None
    return text


def _address(block: _Block, entry: Entry) -> str | None:
    text = entry.value.text.strip() if isinstance(entry.value, Scalar) else ""
    url = web_url(text)
    if not url:
        block.wrong(entry.value.span, entry.key.text, EXPECTED)
    return url or None


def _image(block: _Block, entry: Entry) -> str | Diagnostic | None:
    text = values.line_of(entry)
    if isinstance(text, Diagnostic) or path_or_url(text):
        return text if isinstance(text, Diagnostic) else path_or_url(text)
    block.wrong(entry.value.span, entry.key.text, "the path or the URL of an image")
    return None


def _field(node: Mapping, *names: str) -> tuple[str, Span | None]:
    """The string of the first of the given keys that has one."""
    for name in names:
        value = node.get(name)
        if isinstance(value, Scalar) and value.text.strip() and not value.is_null:
            return " ".join(value.text.split()), value.span
    return "", None


def _items(block: _Block, entry: Entry) -> tuple[Node, ...]:
    node = entry.value
    return _some(block, entry, node.items if isinstance(node, Sequence) else (node,))


def _some(block: _Block, entry: Entry, items: tuple[T, ...]) -> tuple[T, ...]:
    """The first items of a value; that it has too many is reported."""
    if len(items) > MAX_LIST:
        block.wrong(entry.key.span, entry.key.text, f"a list of at most {MAX_LIST}")
    return items[:MAX_LIST]


def _people(block: _Block, entry: Entry) -> tuple[Person, ...]:
    people: list[Person] = []
    for item in _items(block, entry):
        person = None
        if isinstance(item, Scalar) and item.text.strip():
            person = Person(" ".join(item.text.split()))
        elif isinstance(item, Mapping):
            name, _ = _field(item, "name")
            url, image, image_span = _links(block, entry.key.text, item)
            role, group = _field(item, "role")[0].lower(), _field(item, "group")[0].lower()
            person = Person(name, role, group, url, image, image_span) if name else None
        if person is None:
            block.wrong(item.span, entry.key.text, "names, or tables with a “name”")
        else:
            people.append(person)
    return tuple(people)


def _chapters(block: _Block, entry: Entry) -> tuple[Chapter, ...] | None:
    """The chapters in front matter; `None` if the value is the name of a file, which is recorded."""
    if isinstance(entry.value, Scalar):
        block.fields["chapters_file"] = entry.value.text.strip()
        block.spans["chapters_file"] = entry.value.span
        return None
    chapters = []
    pairs = entry.value.entries if isinstance(entry.value, Mapping) else ()
    for item in _some(block, entry, pairs) or _items(block, entry):
        chapter = _pair(item) if isinstance(item, Entry) else _chapter(block, item)
        if chapter is None:
            span = item.key.span if isinstance(item, Entry) else item.span
            block.wrong(span, entry.key.text, "a list such as “1:12: Kernels”, or of tables with “start” and “title”")
        else:
            chapters.append(chapter)
    return tuple(sorted(chapters, key=lambda chapter: chapter.start))


def _chapter(block: _Block, node: Node) -> Chapter | None:
    if isinstance(node, Scalar):
        match = _TIMED.fullmatch(node.text.strip())
        start = seconds_of(match[1]) if match else None
        return Chapter(start, " ".join(match[2].split()), span=node.span) if match and start is not None else None
    if not isinstance(node, Mapping):
        return None
    if len(node.entries) == 1 and node.get("start") is None:
        return _pair(node.entries[0])
    start, span = seconds_of(_field(node, "start", "starttime", "time")[0]), node.span
    end = seconds_of(_field(node, "end", "endtime")[0])
    title, place = _field(node, "title", "name")
    if start is None or not title:
        return None
    url, image, _ = _links(block, "chapters", node)
    toc = _field(node, "toc")[0].lower() not in ("false", "no")
    return Chapter(start, title, url, image, end, toc, place or span)


def _links(block: _Block, key: str, node: Mapping) -> tuple[str, str, Span | None]:
    """The URL and the image of a person or a chapter, with the place of the image; wrong ones are reported.

    Args:
        block: the block of the episode.
        key: the key of the list.
        node: the table of the person or the chapter.
    """
    written, span = _field(node, "url", "href", "link")
    url = web_url(written)
    if written and not url:
        block.wrong(span or node.span, f"{key}.url", EXPECTED)
    picture, image_span = _field(node, "image", "img", "avatar")
    image = path_or_url(picture)
    if picture and not image:
        block.wrong(image_span or node.span, f"{key}.image", "the path or the URL of an image")
    return url, image, image_span


def _pair(entry: Entry) -> Chapter | None:
    start = seconds_of(entry.key.text)
    title = " ".join(entry.value.text.split()) if isinstance(entry.value, Scalar) else ""
    return Chapter(start, title, span=entry.value.span) if start is not None and title else None


_EXPECTED = {
    "explicit": "true or false",
    "locked": "true or false",
}
_AUDIO: dict[str, Callable[[_Block, Entry], Any]] = {
    "file": _line,
    "url": _line,
    "length": _positive,
    "type": _media_type,
    "duration": _duration,
    "season": _positive,
    "episode": _positive,
    "episode_type": _one_of("full", "trailer", "bonus"),
    "explicit": _boolean,
    "people": _people,
    "image": _image,
    "chapters": _chapters,
    "transcript": _line,
}


def read_audio_block(field: str, entry: Entry) -> tuple[Audio | Podcast | None, Found]:
    """Read the block of an episode or a show: the value of a field of `AudioFrontMatter`, from its key."""
    return read_audio(entry) if field == "audio" else read_podcast(entry)


def read_audio(entry: Entry) -> tuple[Audio | None, Found]:
    """Read the block ``audio`` of an episode, or the name of a file alone.

    Args:
        entry: the key and its value.

    Returns:
        The audio, and diagnostics; `None` if this is not an episode, since other generators use the key differently.
    """
    node, block = entry.value, _Block(entry)
    if isinstance(node, Scalar):
        text = node.text.strip()
        block.fields["file"], block.spans["file"] = text, node.span
        if not media_type(text.partition("?")[0]).startswith(("audio/", "video/")):
            return None, ()
    elif not isinstance(node, Mapping) or not block.read(node, _AUDIO):
        return None, tuple(block.found)
    fields = block.fields
    _tell_apart(block)
    if not (fields.get("file") or fields.get("url")):
        return None, (*block.found, problems.no_sound(entry.key.span))
    if "file" in fields:
        fields.pop("length", None)
    if fields.get("transcript", "").lower() == BODY:
        fields["transcript"] = BODY
    return Audio(**fields, spans=block.sorted_spans), tuple(block.found)


def _tell_apart(block: _Block) -> None:
    """Correct a file that is a URL, or a URL that is a file; one of both stays."""
    fields = block.fields
    for key, other in (("file", "url"), ("url", "file")):
        written = fields.get(key, "")
        if written and is_of_web(written) != (key == "url"):
            if other in fields or (key == "url" and "://" in written):
                block.wrong(block.spans[key], key, EXPECTED if key == "url" else "a file")
                del fields[key]
            else:
                fields[other], block.spans[other] = fields.pop(key), block.spans[key]
    if "url" in fields:
        url = web_url(fields.pop("url"))
        if url:
            fields["url"] = url
        else:
            block.wrong(block.spans["url"], "url", EXPECTED)
    if "file" in fields and "url" in fields:
        block.found.append(problems.two_sounds(block.spans["url"], fields["file"]))
        del fields["url"]


# -- shows


def _owner(block: _Block, entry: Entry) -> None:
    node = entry.value
    if isinstance(node, Scalar):
        name, mail = "", node.text.strip()
        if match := re.fullmatch(r"(.*?)\s*<([^<>]+)>", mail):
            name, mail = match.groups()
    elif isinstance(node, Mapping):
        name, mail = _field(node, "name")[0], _field(node, "email", "mail")[0]
    else:
        name = mail = ""
    if not _MAIL.fullmatch(mail):
        block.wrong(node.span, entry.key.text, "“Name <name@example.org>”, or a table with “name” and “email”")
    else:
        block.fields |= {"owner_name": name, "owner_email": mail}


def _categories(block: _Block, entry: Entry) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    items: Iterable[Node] = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    for item in items:
        if isinstance(item, Scalar) and item.text.strip():
            head, _, sub = item.text.partition(">")
            pairs.append((" ".join(head.split()), " ".join(sub.split())))
        elif isinstance(item, Mapping) and all(isinstance(child.value, Scalar) for child in item.entries):
            for child in item.entries:
                assert isinstance(child.value, Scalar)
                pairs.append(
                    (child.key.text.strip(), "" if child.value.is_null else " ".join(child.value.text.split()))
                )
        else:
            block.wrong(item.span, entry.key.text, "a name such as “Technology” or “Education > How To”")
    return tuple(dict.fromkeys(pair for pair in pairs if pair[0]))


def _license(block: _Block, entry: Entry) -> str | None:
    if isinstance(entry.value, Mapping):
        written = _field(entry.value, "url")[0]
        block.fields["license_url"] = web_url(written)
        if written and not block.fields["license_url"]:
            block.wrong(entry.value.span, f"{entry.key.text}.url", EXPECTED)
        return _field(entry.value, "name", "id", "identifier")[0] or None
    return values.line_of(entry) if isinstance(values.line_of(entry), str) else None  # type: ignore[return-value]


def _funding(block: _Block, entry: Entry) -> tuple[str, str] | None:
    if isinstance(entry.value, Mapping):
        written, title = _field(entry.value, "url", "link")[0], _field(entry.value, "title", "text", "name")[0]
    else:
        written, title = entry.value.text.strip() if isinstance(entry.value, Scalar) else "", ""
    url = web_url(written)
    if not url:
        block.wrong(entry.value.span, entry.key.text, "a URL, or a table with “url” and “title”")
        return None
    return url, title


def _guid(block: _Block, entry: Entry) -> str | None:
    text = entry.value.text.strip().lower() if isinstance(entry.value, Scalar) else ""
    if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text):
        block.wrong(entry.value.span, entry.key.text, "a UUID such as 9b024349-ccf0-5f69-a609-6b82873eab3c")
        return None
    return text


_PODCAST: dict[str, Callable[[_Block, Entry], Any]] = {
    "title": _line,
    "description": _text,
    "author": _line,
    "owner": _owner,
    "image": _image,
    "category": _categories,
    "categories": _categories,
    "explicit": _boolean,
    "type": _one_of("episodic", "serial"),
    "language": _line,
    "copyright": _line,
    "license": _license,
    "locked": _boolean,
    "guid": _guid,
    "link": _address,
    "funding": _funding,
    "people": _people,
}


def read_podcast(entry: Entry) -> tuple[Podcast | None, Found]:
    """Read the block ``podcast`` of a topic that is a show.

    Args:
        entry: the key and its value: a block, or ``true`` for a show with all defaults.
    """
    block = _Block(entry, {"": values.LONGEST, "description": values.LONGEST_TEXT})
    if isinstance(entry.value, Scalar):
        is_show = values.boolean_of(entry) is True
        return (Podcast(spans=block.sorted_spans) if is_show else None), ()
    if not isinstance(entry.value, Mapping) or not block.read(entry.value, _PODCAST):
        return None, tuple(block.found)
    fields = block.fields
    fields.pop("owner", None)
    both = (*fields.pop("category", ()), *fields.pop("categories", ()))
    return Podcast(**fields, categories=tuple(dict.fromkeys(both)), spans=block.sorted_spans), tuple(block.found)

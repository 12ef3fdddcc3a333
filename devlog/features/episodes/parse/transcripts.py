"""Reads transcripts in files of their own: WebVTT, SubRip, the JSON format of podcasts, and Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from devlog.features.episodes import problems
from devlog.features.episodes.model.episode import Cue, Cues, is_timed, paragraphs
from devlog.features.episodes.model.transcript import Transcript
from devlog.features.episodes.parse.speakers import mark_turns
from devlog.model.character_references import unescape
from devlog.model.check_facts import CheckFacts
from devlog.model.derived import Made
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Document, FrontMatter, Parsed
from devlog.model.json_depth import check_json_depth
from devlog.model.source import Source
from devlog.parse import problems as parse_problems
from devlog.parse.check_facts import note_matches, note_waivers
from devlog.parse.dialects.liquid import Filled
from devlog.parse.front_matter.block import read_front_matter
from devlog.parse.head import without_illegal
from devlog.parse.html.ruby import with_readings
from devlog.parse.html.tangled import TangledError
from devlog.parse.markdown.body import BodyText
from devlog.parse.markdown.expansion import ExpansionError
from devlog.parse.markdown.parser import Rendered, render_markdown
from devlog.parse.options import ParseOptions

MAX_BYTES = 4 * 1024 * 1024
MAX_CUES = 20_000
MAX_TEXT = 900_000
"""The maximum number of characters in a transcript, names included: more than two days of speech."""
MAX_NAME = 200
"""The maximum length of a speaker's name, which stands at each cue."""
MAX_PROBLEMS = 20
MAX_IN_VAIN = 1 << 28
"""The maximum number of characters to search in vain for strings that the file writes in another form."""
FORMATS = (".vtt", ".srt", ".json", ".md", ".markdown")
"""The extensions of transcript files."""

_TIMING = re.compile(
    r"[ \t]*(?:([0-9]{1,4}):)?([0-9]{1,2}):([0-9]{1,2})[.,]([0-9]{1,3})[ \t]*-->[ \t]*"
    r"(?:([0-9]{1,4}):)?([0-9]{1,2}):([0-9]{1,2})[.,]([0-9]{1,3})(?:[ \t].*)?"
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]([^>\n]{1,200})>", re.IGNORECASE)
_END_OF_VOICE = re.compile(r"</v>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:[cbiuv]|ruby|rt|lang|font)?(?:[.\s][^<>\n]{0,200})?>|<[0-9:.]{5,16}>", re.IGNORECASE)
_NAMED = re.compile(r"(?:>>[ \t]*)?((?:[^\W\d_a-z][\w.'’-]*)(?:[ \t]+[^\W\d_a-z][\w.'’-]*){0,3}):[ \t]+(?=\S)")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+")


class Spoken(NamedTuple):
    """A cue and the lines of the file with its words, counted from 0."""

    cue: Cue
    first: int
    last: int


class Read(NamedTuple):
    """The cues of a file, and its diagnostics."""

    cues: tuple[Spoken, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_cues(text: str, file: str) -> Read:
    """Read the cues of a file.

    Args:
        text: the text of the file.
        file: its name in messages, whose extension determines the format.
    """
    name = file.lower()
    if name.endswith(".json"):
        return _read_json(text, file)
    if name.endswith(".vtt"):
        return _read_blocks(text, file, vtt=True)
    return _read_blocks(text, file, vtt=False)


# -- WebVTT and SubRip


def _read_blocks(text: str, file: str, *, vtt: bool) -> Read:
    """Read blocks of cues: a line with two times, and lines of words up to a blank line."""
    lines = text.split("\n")
    found: list[Diagnostic] = []
    cues: list[Spoken] = []
    if vtt and not re.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
        found.append(problems.bad_transcript(Span(file, 1), "a WebVTT file begins with “WEBVTT”"))
    speaker = ""
    for begin, end in _blocks(lines):
        if vtt and re.match(r"(?:NOTE|STYLE|REGION|WEBVTT)(?:[ \t]|$)", lines[begin]):
            continue
        at = next((at for at in range(begin, min(begin + 2, end)) if "-->" in lines[at]), None)
        if at is None:
            found.append(problems.bad_transcript(Span(file, begin + 1), "this cue has no time", _TIME_HINT[vtt]))
            continue
        times = _times(lines[at])
        if times is None or times[1] < times[0]:
            wrong = "this is not a time" if times is None else "this cue ends before it begins"
            column = len(lines[at]) - len(lines[at].lstrip()) + 1
            span = Span(file, at + 1, column, len(lines[at].strip()))
            found.append(problems.bad_transcript(span, wrong, _TIME_HINT[vtt] if times is None else ""))
            continue
        payload = "\n".join(lines[at + 1 : end])
        for who, words in _voices(payload) if vtt else [_named(payload, speaker)]:
            speaker = who
            if words:
                cues.append(Spoken(Cue(*times, who, words), at + 1, end - 1))
        if len(cues) > MAX_CUES:
            found.append(problems.bad_transcript(Span(file, at + 1), f"it has more than {MAX_CUES:,} cues"))
            break
    return Read(_ordered(cues[:MAX_CUES]), tuple(found[:MAX_PROBLEMS]))


_TIME_HINT = {True: "write “00:01:12.000 --> 00:01:15.500”", False: "write “00:01:12,000 --> 00:01:15,500”"}


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    begin = None
    for number, line in enumerate((*lines, "")):
        if not line.strip():
            if begin is not None:
                yield begin, number
            begin = None
        elif begin is None:
            begin = number


def _times(line: str) -> tuple[float, float] | None:
    match = _TIMING.fullmatch(line)
    if match is None or any(int(match[group]) > 59 for group in (2, 3, 6, 7)):
        return None
    times = [
        int(match[group] or 0) * 3600 + int(match[group + 1]) * 60 + int(match[group + 2]) + _fraction(match[group + 3])
        for group in (1, 5)
    ]
    return round(times[0], 3), round(times[1], 3)


def _fraction(digits: str) -> float:
    return int(digits.ljust(3, "0")) / 1000


def _voices(payload: str) -> list[tuple[str, str]]:
    """The speakers and words in a cue of WebVTT."""
    first, *rest = _VOICE.split(payload)
    parts = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    return [(_plain(who), words) for who, text in parts if (words := _plain(_END_OF_VOICE.sub("", text)))]


def _named(payload: str, before: str) -> tuple[str, str]:
    """The speaker and words in a cue of SubRip, which names speakers only where they change, if at all."""
    words = _plain(payload)
    match = _NAMED.match(words)
    return (match[1], words[match.end() :]) if match and len(match[1]) <= MAX_NAME else (before, words)


def _plain(text: str) -> str:
    """The words without tags, entities and line breaks."""
    return " ".join(_CONTROL.sub(" ", unescape(_TAG.sub("", with_readings(text)))).replace("\xa0", " ").split())


def _ordered(cues: Sequence[Spoken]) -> tuple[Spoken, ...]:
    return tuple(sorted(cues, key=lambda spoken: spoken.cue.start))


# -- JSON


def _read_json(text: str, file: str) -> Read:
    try:
        check_json_depth(text)
        data = json.loads(text, parse_constant=lambda _name: None)
    except json.JSONDecodeError as error:
        return Read((), (problems.bad_transcript(Span(file, error.lineno, error.colno), f"not JSON: {error.msg}"),))
    except (RecursionError, ValueError):
        return Read((), (problems.bad_transcript(Span(file, 1), "this JSON cannot be read"),))
    segments = data.get("segments") if isinstance(data, dict) else None
    if not isinstance(segments, list):
        reason = "a transcript is an object with a list “segments”"
        return Read((), (problems.bad_transcript(Span(file, 1), reason),))
    found: list[Diagnostic] = []
    cues: list[Spoken] = []
    offset, line, places = 0, 0, _JsonStrings(text)
    for number, segment in enumerate(segments[:MAX_CUES]):
        body = segment.get("body") if isinstance(segment, dict) else None
        place = places.find(body, offset) if isinstance(body, str) else -1
        if place >= 0:
            line, offset = line + text.count("\n", offset, place), place
        cue = _segment(segment)
        if cue is None:
            reason = f"segment {number + 1} needs “startTime”, “endTime” in seconds and “body”"
            found.append(problems.bad_transcript(Span(file, line + 1), reason))
        elif len(cue.speaker) > MAX_NAME:
            reason = f"the name of the speaker in segment {number + 1} has more than {MAX_NAME} characters"
            found.append(problems.bad_transcript(Span(file, line + 1), reason))
            cue = msgspec.structs.replace(cue, speaker="")
        if cue and cue.text:
            cues.append(Spoken(cue, line, line))
    if len(segments) > MAX_CUES:
        found.append(problems.bad_transcript(Span(file, line + 1), f"it has more than {MAX_CUES:,} segments"))
    return Read(_ordered(cues), tuple(found[:MAX_PROBLEMS]))


class _JsonStrings:
    """Finds the positions of strings in a JSON file, in any of the forms in which it may write them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._forms = (True,) if text.isascii() else (False, True)
        self._left = MAX_IN_VAIN

    def find(self, body: str, offset: int) -> int:
        """The position of a string at or after `offset`; -1 if it is not found, or after too many searches in vain."""
        for plain in self._forms:
            part = json.dumps(body, ensure_ascii=plain)[1:-1]
            if part and self._left > 0:
                place = self._text.find(part, offset)
                if place >= 0:
                    return place
                self._left -= len(self._text) - offset
        return -1


def _segment(segment: Any) -> Cue | None:
    if not isinstance(segment, dict):
        return None
    start: Any = segment.get("startTime")
    end: Any = segment.get("endTime")
    body = segment.get("body")
    speaker = segment.get("speaker") or ""
    if not _is_time(start) or not isinstance(body, str) or not isinstance(speaker, str):
        return None
    end = start if end is None else end
    if not _is_time(end) or end < start:
        return None
    words, who = (" ".join(_CONTROL.sub(" ", part).split()) for part in (body, speaker))
    return Cue(round(float(start), 3), round(float(end), 3), who, words)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 36_000_000


# -- one model for all formats: cues as Markdown


def as_markdown(cues: Sequence[Spoken]) -> Filled:
    """Cues as a transcript in Markdown, on the same lines as in their file as far as possible."""
    lines: list[str] = []
    inserted: list[int] = []
    for place in paragraphs([spoken.cue for spoken in cues]):
        some = cues[place.start : place.stop]
        want = some[0].first
        lines += [""] * (want - (len(lines) - len(inserted)))
        while lines and lines[-1]:  # a paragraph ends with a blank line
            inserted.append(len(lines))
            lines.append("")
        if len(lines) - len(inserted) > want:
            inserted.append(len(lines))
        cue = some[0].cue
        who = f"**{_escaped(cue.speaker)}** " if cue.speaker else ""
        # The dash is not part of the words; with it, a dash at their beginning stays.
        lines.append(f"{who}[{_stamp(cue.start)}] – {_escaped(' '.join(spoken.cue.text for spoken in some))}")
    return Filled("\n".join(lines) + "\n", tuple(inserted))


def _stamp(seconds: float) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    stamp = f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
    return f"{stamp}.{thousandths:03}" if thousandths else stamp


_MARKUP = re.compile(r"[\\`*\[\]<&~$|{}]|(?<![^\W_])_|_(?![^\W_])|:(?=\w+:)")
_URL = re.compile(r"(https?:/|ftp:/|www)([/.][^\s<>]*[^\s<>?!.,:;*_~'\")])", re.IGNORECASE)
_HOST = re.compile(r"/[\w.-]+(?=[/:?#]|$)")  # without one, it is no link


def _escaped(text: str) -> str:
    """Words escaped for Markdown, so that they are shown unchanged."""
    parts, done = list[str](), 0
    for found in _URL.finditer(text):
        parts += (_words_escaped(text[done : found.start()]), _escaped_url(found[1], found[2]))
        done = found.end()
    return "".join((*parts, _words_escaped(text[done:])))


def _words_escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: f"\\{found[0]}", text)


def _escaped_url(scheme: str, rest: str) -> str:
    """A URL, of which Markdown takes backslashes for a part: one with markup is written as a link to itself."""
    escaped = _words_escaped(scheme + rest)
    if escaped == scheme + rest:
        return escaped
    return f"[{escaped}](<{escaped}>)" if _HOST.match(rest) else f"{scheme}\\{_words_escaped(rest)}"  # as no link


# -- work for workers


def work(parts: dict[str, Any], files: tuple[bytes, ...]) -> Made:
    """Read a transcript. Runs in a worker, and is cached by the digest of the file.

    Args:
        parts: ``path`` relative to the content folder, ``file`` as the name in messages, and ``options`` for parsing.
        files: the bytes of the file.

    Returns:
        Its body and its cues as blobs; the fact ``transcript`` is the encoded `Transcript`.
    """
    path, file, options = parts["path"], parts["file"], parts["options"]
    (data,) = files
    parsed, body, cues, timed, facts = _read(data, path, file, options)
    known = Transcript(parsed, digest_bytes(cues), timed, facts)
    return Made({"transcript": msgspec.msgpack.encode(known)}, (body, cues))


def _read(data: bytes, path: str, file: str, options: ParseOptions) -> tuple[Parsed, bytes, bytes, bool, CheckFacts]:
    found: tuple[Diagnostic, ...] = ()
    text = ""
    if len(data) > MAX_BYTES:
        found = (problems.bad_transcript(Span(file), f"is larger than {MAX_BYTES // 2**20} MB"),)
    else:
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            found = (problems.bad_transcript(Span(file), "is not UTF-8"),)
    rendered, cues, more = transcribe(text, path, file, options)
    body = msgspec.msgpack.encode(rendered.body)
    document = Document(
        digest_bytes(body),
        rendered.refs,
        anchors=rendered.anchors,
        words=rendered.prose.words,
        written=len(text),
        html=rendered.body.html_size,
        repeats=rendered.body.repeats,
        parts=rendered.parts,
    )
    diagnostics = (*found, *(more if not found else ()), *rendered.diagnostics)
    if not cues and not diagnostics:
        diagnostics = (problems.bad_transcript(Span(file), "contains no words"),)
    parsed = Parsed(path, file, "", None, "", FrontMatter(), document, tuple(diagnostics))
    facts = CheckFacts(
        outside=rendered.outside,
        matches=note_matches(text, file, options.patterns),
        waivers=note_waivers(text, file, rendered.shown_waivers),
    )
    return parsed, body, msgspec.msgpack.encode(cues), is_timed(cues), facts


def transcribe(
    text: str, path: str, file: str, options: ParseOptions
) -> tuple[Rendered, tuple[Cue, ...], tuple[Diagnostic, ...]]:
    """A transcript as a rendered body, its cues, and diagnostics about its format."""
    if path.lower().endswith((".md", ".markdown")):
        original = text
        source, illegal = without_illegal(Source(path, file, text))
        _, text, line, found, _ = read_front_matter(source, options)
        found = (*illegal, *found)
        try:
            rendered = render_markdown(BodyText(text, file, line), options, rewrite=mark_turns)
        except ExpansionError as error:
            rendered = render_markdown(BodyText("", file, line), options, rewrite=mark_turns)
            found = (*found, parse_problems.expands_too_much(error.span, error.limit))
        except TangledError as error:
            rendered, cues, _ = transcribe(original, path, file, msgspec.structs.replace(options, html="escape"))
            return rendered, cues, (*found, parse_problems.tangled_html(error.span))
        cues = rendered.rewritten.cues if isinstance(rendered.rewritten, Cues) else ()
        return rendered, cues, found
    read = read_cues(text, file)
    spoken = _within(read.cues)
    found = read.diagnostics
    if len(spoken) < len(read.cues):
        found = (*found, problems.bad_transcript(Span(file), "is too long: the rest is left out"))
    plain = msgspec.structs.replace(options, html="escape", emoji=False, math=False, diagrams=(), dialect="devlog")
    rendered = render_markdown(BodyText(text, file), plain, as_markdown(spoken), mark_turns)
    return rendered, tuple(item.cue for item in spoken), found


def _within(cues: tuple[Spoken, ...]) -> tuple[Spoken, ...]:
    length = 0
    for number, spoken in enumerate(cues):
        length += len(spoken.cue.speaker) + len(spoken.cue.text)
        if length > MAX_TEXT:
            return cues[:number]
    return cues

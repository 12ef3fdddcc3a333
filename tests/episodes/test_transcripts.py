"""Transcripts: what is read of each format, what is written, and that one leads back to the other."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeGuard

import msgspec
import pytest
import webvtt
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import build_site, write_site

from devlog.features.episodes.model.episode import Chapter, Cue, is_timed, paragraphs
from devlog.features.episodes.model.transcript import Transcript
from devlog.features.episodes.parse import transcripts
from devlog.features.episodes.parse.chapters import read_chapters
from devlog.features.episodes.parse.front_matter import MAX_LIST
from devlog.features.episodes.parse.speakers import _starts
from devlog.features.episodes.parse.transcripts import MAX_BYTES, MAX_CUES, read_cues, transcribe, work
from devlog.features.episodes.render import transcripts as write
from devlog.model.digest import digest_bytes
from devlog.model.document import Body
from devlog.parse.markdown.body import BodyWriter
from devlog.parse.options import ParseOptions

OPTIONS = ParseOptions()


@pytest.mark.parametrize("length", [0, 0.001, 0.01, 0.5])
@pytest.mark.parametrize("text", ["Yes.", "A word, " * 80, f"{'a' * 240} b {'c' * 240}"])
def test_each_cue_ends_after_it_begins(text: str, length: float) -> None:
    cues = (Cue(2, 2 + length, "Ada", text.strip()), Cue(2, 3, "Bo", "No."))
    for written in (write.vtt(cues), write.srt(cues).replace(",", ".")):
        found = re.findall(r"00:00:0(\S+) --> 00:00:0(\S+)", written)
        assert all(float(begin) < float(end) for begin, end in found)
        assert found[-1] == ("2.000", "3.000")


def cues_of(text: str, file: str = "talk.vtt") -> tuple[Cue, ...]:
    return tuple(spoken.cue for spoken in read_cues(text, file).cues)


def wrong(text: str, file: str = "talk.vtt") -> list[tuple[int, int, str]]:
    return [(item.span.line, item.span.column, item.message) for item in read_cues(text, file).diagnostics]


def html_of(text: str, path: str = "talk.vtt") -> str:
    """The HTML of a transcript, with its links as they are written."""
    rendered, _, _ = transcribe(text, path, path, OPTIONS)
    targets = [f'href="{ref.target}"' for ref in rendered.refs]
    pieces = (piece if isinstance(piece, str) else targets[piece] for piece in rendered.body.pieces if piece_of(piece))
    return "".join(pieces)


def piece_of(piece: object) -> TypeGuard[str | int]:
    """Whether a piece is text or a hole: the links of headings to themselves do not count here."""
    return isinstance(piece, str | int)


# -- WebVTT


def test_webvtt() -> None:
    text = """\
WEBVTT - The Lumen show
Kind: captions

STYLE
::cue { color: red }

NOTE not 00:00.000 --> 00:01.000
spoken

intro
00:00.000 --> 00:02.500 align:start position:10%
<v.loud Ada Quill>Good <b>morning</b>,
it is <i.x>June</i>.</v>

01:02:03.004 --> 01:02:04.000
<v Bo Reed>1 &lt; 2 &amp; <c.yellow>3</c><00:00:01.500> a&nbsp;b <undef> 2 < 3
<v Ada Quill>Yes.
"""
    assert cues_of(text) == (
        Cue(0, 2.5, "Ada Quill", "Good morning, it is June."),
        Cue(3723.004, 3724, "Bo Reed", "1 < 2 & 3 a b <undef> 2 < 3"),
        Cue(3723.004, 3724, "Ada Quill", "Yes."),
    )
    assert wrong(text) == []


def test_what_is_wrong_is_told_at_its_line() -> None:
    text = (
        "WEBVT\n\n00:01.000 --> 00:00.500\nBack\n\n  00:0x --> 1\nNo time\n\nAlone\n\n00:02.000 --> 00:03.000\nGood\n"
    )
    assert wrong(text) == [
        (1, 0, "a WebVTT file begins with “WEBVTT”"),
        (1, 0, "this cue has no time"),
        (3, 1, "this cue ends before it begins"),
        (6, 3, "this is not a time"),
        (9, 0, "this cue has no time"),
    ]
    assert cues_of(text) == (Cue(2, 3, "", "Good"),)


def test_cues_are_in_the_order_of_their_times() -> None:
    assert [cue.text for cue in cues_of("WEBVTT\n\n00:02.000 --> 00:03.000\nb\n\n00:01.000 --> 00:02.000\na\n")] == [
        "a",
        "b",
    ]


# -- SubRip


def test_subrip() -> None:
    text = (
        "1\n00:00:01,000 --> 00:00:02,500\nAda Quill: Good\n<font color=red>morning</font>\n\n"
        "2\n00:00:03,000 --> 00:00:04,000\nthe same\n\n3\n00:00:05,000 --> 00:00:06,000\n>> Bo Reed: Note: this\n"
    )
    assert cues_of(text, "talk.srt") == (
        Cue(1, 2.5, "Ada Quill", "Good morning"),
        Cue(3, 4, "Ada Quill", "the same"),
        Cue(5, 6, "Bo Reed", "Note: this"),
    )


def test_subrip_is_short() -> None:
    text = "Every pull request of this week has been merged, and the guards are twice as fast as before, says Bo. " * 3
    written = write.srt([Cue(0, 30, "Ada Quill", f"{text} {'x' * 70}")])
    blocks = [block.split("\n") for block in written.strip().split("\n\n")]
    assert [int(block[0]) for block in blocks] == list(range(1, len(blocks) + 1))
    assert all(len(block) <= 4 and all(len(line) <= 32 for line in block[2:]) for block in blocks)
    assert " ".join(line for block in blocks for line in block[2:]).startswith("Ada Quill: Every pull request")
    times = [tuple(block[1].split(" --> ")) for block in blocks]
    assert times[0][0] == "00:00:00,000"
    assert times[-1][1] == "00:00:30,000"
    assert all(start < end for start, end in times)
    assert [end for _, end in times[:-1]] == [start for start, _ in times[1:]]


# -- JSON


def test_names_of_speakers_are_short() -> None:
    def srt(length: int) -> str:
        cues = [f"{number}\n00:00:01,000 --> 00:00:02,000\nWords.\n" for number in range(length // 40)]
        return f"0\n00:00:00,000 --> 00:00:01,000\nA{'a' * length}: Hi.\n\n" + "\n".join(cues)

    assert {cue.speaker for cue in cues_of(srt(400), "talk.srt")} == {""}
    assert sum(len(cue.speaker) for cue in cues_of(srt(40_000), "talk.srt")) == 0
    segment = {"startTime": 0, "endTime": 1, "speaker": "a" * 201, "body": "Hi."}
    text = json.dumps({"segments": [segment, {**segment, "speaker": "a" * 200}]})
    assert [cue.speaker for cue in cues_of(text, "talk.json")] == ["", "a" * 200]
    ((_, _, message),) = wrong(text, "talk.json")
    assert message.startswith("the name of the speaker in segment 1 has more than 200 characters")


def test_json_has_a_limited_number_of_segments() -> None:
    def written(number: int) -> str:
        lines = [json.dumps({"startTime": at, "body": f"w{at}"}) for at in range(number)]
        return '{"segments": [\n' + ",\n".join(lines) + "\n]}"

    assert wrong(written(MAX_CUES), "talk.json") == []
    assert wrong(written(MAX_CUES + 1), "talk.json") == [(MAX_CUES + 1, 0, "it has more than 20,000 segments")]
    assert len(cues_of(written(MAX_CUES + 1), "talk.json")) == MAX_CUES


def test_a_cue_has_a_limited_number_of_voices() -> None:
    voices = "".join(f"<v {number}>x" for number in range(MAX_CUES + 10))
    assert len(cues_of(f"WEBVTT\n\n00:00.000 --> 00:01.000\n{voices}\n")) == MAX_CUES


def test_names_count_as_text() -> None:
    cue = transcripts.Spoken(Cue(0, 1, "a" * 200, "b" * 200), 0, 0)
    assert len(transcripts._within((cue,) * 3_000)) == 2_250


def test_json() -> None:
    segments = [
        {"speaker": "Ada Quill", "startTime": 0, "endTime": 1.5, "body": "Good\nmorning"},
        {"startTime": 2, "body": "And"},
        {"startTime": 3, "endTime": 2, "body": "x"},
        {"startTime": True, "endTime": 2, "body": "x"},
        {"startTime": -1, "endTime": 2, "body": "x"},
        {"startTime": 1e300, "body": "x"},
        {"startTime": 1},
        "x",
    ]
    text = json.dumps({"version": "1.0.0", "segments": segments}, indent=1)
    assert cues_of(text, "talk.json") == (Cue(0, 1.5, "Ada Quill", "Good morning"), Cue(2, 2, "", "And"))
    assert [message.split(" needs ")[0] for _, _, message in wrong(text, "talk.json")] == [
        f"segment {number}" for number in range(3, 9)
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [("[]", 1), ("{}", 1), ('{"segments": 3}', 1), ('{\n"segments": [,]}', 2), ("[" * 100_000, 1), ("", 1), ("NaN", 1)],
)
def test_what_is_no_transcript(text: str, line: int) -> None:
    assert [found[0] for found in wrong(text, "talk.json")] == [line]
    assert cues_of(text, "talk.json") == ()


# -- Markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Ada Quill** [00:01:12] Hello.", Cue(72, 74, "Ada Quill", "Hello.")),
        ("**Ada Quill:** [1:12] Hello.", Cue(72, 74, "Ada Quill", "Hello.")),
        ("**Ada Quill** (1:12): Hello.", Cue(72, 74, "Ada Quill", "Hello.")),
        ("**Ada Quill** [1:12]\nHello.", Cue(72, 74, "Ada Quill", "Hello.")),
        ("**Ada Quill** [1:12]\n\nHello.", Cue(72, 74, "Ada Quill", "Hello.")),
        ("[1:12] **Ada Quill**: Hello.", Cue(72, 74, "Ada Quill", "Hello.")),
        ("[1:12.5] Hello.", Cue(72.5, 74.5, "", "Hello.")),
        ("[1:12]\n\nHello.", Cue(72, 74, "", "Hello.")),
        ("**Ada Quill:** Hello.", Cue(0, 0, "Ada Quill", "Hello.")),
        ("**Ada Quill**: *Hello* `x`.", Cue(0, 0, "Ada Quill", "Hello x.")),
        ("**Never** do this.", Cue(0, 0, "", "Never do this.")),
        ("Hello.", Cue(0, 0, "", "Hello.")),
    ],
)
def test_turns(text: str, expected: Cue) -> None:
    _, cues, found = transcribe(text, "talk.md", "talk.md", OPTIONS)
    assert cues == (expected,)
    assert not found


def test_what_no_output_may_contain_is_removed_as_from_posts() -> None:
    text = "**A\x1b[31mda** [0:00] Hello \x07 and \ufffe good bye.\n"
    rendered, cues, found = transcribe(text, "talk.md", "talk.md", OPTIONS)
    assert [cue.text for cue in cues] == ["Hello and good bye."]
    shown = "".join(piece for piece in rendered.body.pieces if isinstance(piece, str))
    assert not re.search("[\x00-\x08\x0b-\x1f\ufffe]", shown + cues[0].speaker)
    assert [(item.code, item.span.line, item.span.column) for item in found] == [
        ("control-character", 1, 4),
        ("control-character", 1, 27),
        ("control-character", 1, 33),
    ]


def test_a_transcript_in_markdown() -> None:
    text = """\
---
title: unused
---
This was written by hand.

**Ada Quill** [0:10] One two.

Three four.

**Bo Reed:** Five.

**Ada Quill** [0:20] Six.

## A heading

- a list
"""
    rendered, cues, _ = transcribe(text, "talk.md", "content/talk.md", OPTIONS)
    assert cues == (  # who speaks without a time begins where the length of the words before has it
        Cue(10, 17.778, "Ada Quill", "One two. Three four."),
        Cue(17.778, 20, "Bo Reed", "Five."),
        Cue(20, 22, "Ada Quill", "Six. a list"),
    )
    assert html_of(text, "talk.md") == (
        "<p>This was written by hand.</p>\n"
        '<p class="turn" id="t10" data-start="10"><cite>Ada Quill</cite> <a class="time" id="t=10" href="#t=10">'
        '<time datetime="PT10S">0:10</time></a> One two.</p>\n'
        "<p>Three four.</p>\n"
        '<p class="turn"><cite>Bo Reed</cite> Five.</p>\n'
        '<p class="turn" id="t20" data-start="20"><cite>Ada Quill</cite> <a class="time" id="t=20" href="#t=20">'
        '<time datetime="PT20S">0:20</time></a> Six.</p>\n'
        '<h2 id="a-heading">A heading</h2>\n<ul>\n<li>a list</li>\n</ul>\n'
    )
    assert {"t10", "t20", "t=10", "t=20"} <= set(rendered.anchors)


def test_times_that_go_back() -> None:
    rendered, cues, _ = transcribe("**A:** [1:00] x\n\n**B:** [0:30] y\n", "t.md", "content/t.md", OPTIONS)
    assert [(item.code, item.span.line, item.message) for item in rendered.diagnostics] == [
        ("bad-transcript", 3, "0:30 is before what is said above")
    ]
    assert [cue.speaker for cue in cues] == ["A", "B"]
    assert cues[1].start >= cues[0].start


@pytest.mark.usefixtures("linear")
def test_a_turn_may_begin_with_many_line_breaks() -> None:
    lines = "\\\n" * 200_000
    text = f"**Ada:** \n{lines}x\n"
    assert "x</p>" in html_of(text, "talk.md")


def test_turns_in_one_second_have_names_of_their_own() -> None:
    html = html_of("**A:** [0:01.2] x\n\n**B:** [0:01.7] y\n\n## t1\n", "t.md")
    names = re.findall(r' id="([^"]+)"', html)
    assert names == ["t1", "t=1", "t1-2", "t1-1"]


# -- one text model


def test_words_of_cues_are_no_markup() -> None:
    words = (
        "*a* _b_ __init__ `c` [d](e) <b>f</b> # g 1. h $x$ {{ i }} :rocket: | j ~~k~~ \\n &amp; ![l](m) [^1] snake_case"
    )
    text = f"WEBVTT\n\n00:00.000 --> 00:01.000\n{words.replace('&', '&amp;').replace('<', '&lt;')}\n"
    assert cues_of(text)[0].text == words
    html = html_of(text)
    shown = HTMLText(html).text
    assert shown == f"0:00 {words}"
    assert set(re.findall(r"<(\w+)", html)) == {"p", "a", "time"}


class HTMLText(HTMLParser):
    """The text of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(html.strip())

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.slow
@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=60))
@settings(max_examples=150)
def test_all_words_are_shown_as_they_are(words: str) -> None:
    words = " ".join(words.split())
    data = {"segments": [{"startTime": 1, "endTime": 2, "body": words, "speaker": "Ada Quill"}]}
    shown = HTMLText(html_of(json.dumps(data), "talk.json")).text
    assert shown == (f"Ada Quill 0:01 {words}" if words else "")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("http://lumen.example/~ada", "http://lumen.example/~ada"),
        ("See https://lumen.example/a_b*c|d, and more.", "https://lumen.example/a_b*c%7Cd"),
        ("(HTTP://lumen.example/[a]{b}$c$)", "HTTP://lumen.example/%5Ba%5D%7Bb%7D$c$"),
        ("https://lumen.example/a_b", "https://lumen.example/a_b"),
        ("http://{", ""),
        ("https://{host}/~ada", ""),
        ("www.lumen.example/~ada", ""),
    ],
)
def test_addresses_in_words_lead_where_they_say(words: str, target: str) -> None:
    html = html_of(json.dumps({"segments": [{"startTime": 1, "endTime": 2, "body": words}]}), "talk.json")
    assert HTMLText(html).text == f"0:01 {words}"
    assert re.findall('href="(?!#)(.*?)"', html) == ([target] if target else [])


def test_cues_become_paragraphs() -> None:
    cues = [Cue(n, n + 1, "Ada" if n < 300 else "Bo", f"These are some words {n}.") for n in range(320)]
    places = paragraphs(cues)
    assert [at for place in places for at in place] == list(range(320))
    assert all(len({cues[at].speaker for at in place}) == 1 for place in places)
    assert all(sum(len(cues[at].text) for at in place) < 1300 for place in places)
    assert len(places) < 30
    assert len(paragraphs([Cue(0, 1, "A", "One."), Cue(9, 10, "A", "Two.")])) == 2
    assert len(paragraphs([Cue(0, 1, "A", "One"), Cue(9, 10, "A", "two.")])) == 1


def test_places_of_references_are_those_of_the_file() -> None:
    text = "WEBVTT\n\n00:00.000 --> 00:01.000\nOne.\n\n00:09.000 --> 00:10.000\n<v Bo>See https://lumen.example/a.\n"
    rendered, _, _ = transcribe(text, "talk.vtt", "content/talk.vtt", OPTIONS)
    (outside,) = rendered.outside
    assert (outside.url, outside.span.line) == ("https://lumen.example/a", 7)


# -- there and back

NAMES = st.sampled_from(["Ada Quill", "Bo Reed", "Cy"])
WORDS = st.lists(st.text("abcdefgh.,&<>é語'-", min_size=1, max_size=9), min_size=1, max_size=30).map(" ".join)
TIMES = st.lists(st.integers(0, 5_000_000), min_size=2, max_size=24, unique=True).map(sorted)


@st.composite
def spoken(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES) -> tuple[Cue, ...]:
    times = draw(TIMES)
    return tuple(
        Cue(start / 1000, end / 1000, draw(names), draw(WORDS))
        for start, end in zip(times[::2], times[1::2], strict=False)
    )


def same(cues: Sequence[Cue], others: Sequence[Cue]) -> bool:
    """Whether two transcripts say the same, however they cut it."""
    return joined(cues) == joined(others)


def joined(cues: Sequence[Cue]) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for cue in cues:
        if turns and turns[-1][0] == cue.speaker:
            turns[-1] = (cue.speaker, f"{turns[-1][1]} {cue.text}")
        else:
            turns.append((cue.speaker, cue.text))
    return turns


@pytest.mark.slow
@given(spoken(st.sampled_from(["Ada Quill", "Bo <b> & co", ""])))
@settings(max_examples=100)
def test_webvtt_and_back(cues: tuple[Cue, ...]) -> None:
    written = write.vtt(cues)
    again = cues_of(written)
    assert write.vtt(again) == written
    short = all(len(cue.text) <= 240 for cue in cues)
    assert again == cues if short else same(again, cues)
    assert not wrong(written)


@pytest.mark.slow
@given(spoken())
@settings(max_examples=60)
def test_another_reader_of_webvtt_agrees(cues: tuple[Cue, ...]) -> None:
    plain = tuple(msgspec.structs.replace(cue, text=re.sub("[&<>]", "x", cue.text)[:200].strip()) for cue in cues)
    read = webvtt.from_string(write.vtt(plain))
    assert [(caption.voice, caption.text, caption.start_in_seconds) for caption in read] == [
        (cue.speaker, cue.text, int(cue.start)) for cue in plain
    ]


@pytest.mark.slow
@given(spoken())
@settings(max_examples=100)
def test_subrip_and_back(cues: tuple[Cue, ...]) -> None:
    cues = tuple(msgspec.structs.replace(cue, text=re.sub("[&<>]", "x", cue.text)) for cue in cues)
    written = write.srt(cues)
    again = cues_of(written, "talk.srt")
    assert not wrong(written, "talk.srt")
    assert same(again, cues)
    assert (again[0].start, again[-1].end) == (cues[0].start, cues[-1].end)


@pytest.mark.slow
@given(spoken(st.sampled_from(["Ada Quill", "", "“Bo”"])))
@settings(max_examples=100)
def test_json_and_back(cues: tuple[Cue, ...]) -> None:
    assert cues_of(write.segments(cues).decode(), "talk.json") == cues


@pytest.mark.slow
@given(spoken())
@settings(max_examples=60)
def test_all_formats_say_the_same(cues: tuple[Cue, ...]) -> None:
    text = re.sub(r"^(?:Ada Quill|Bo Reed|Cy): ", "", write.txt(cues), flags=re.MULTILINE)
    words = " ".join(cue.text for cue in cues).split()
    assert text.split() == words
    page = write.html(cues, "T", "en")
    body = page.partition("<body>")[2]
    assert re.sub(r"Ada Quill:|Bo Reed:|Cy:|\d+:\d\d(?::\d\d)?", " ", HTMLText(body).text).split() == words
    assert set(re.findall(r"<(\w+)", body)) == {"cite", "time", "p"}


def test_without_times() -> None:
    cues = (Cue(0, 0, "Ada Quill", "One."), Cue(0, 0, "", "Two."))
    assert not is_timed(cues)
    assert write.txt(cues) == "Ada Quill: One.\n\nTwo.\n"
    assert "<time" not in write.html(cues, "T", "en")


def test_chapters_and_back() -> None:
    chapters = (
        Chapter(0, "Start"),
        Chapter(72.5, "“K”", "https://lumen.example/", "https://lumen.example/k.png", 80, False),
    )
    written = write.write_chapters("First", chapters)
    data = json.loads(written)
    assert (data["version"], data["chapters"][0]) == ("1.2.0", {"startTime": 0, "title": "Start"})
    assert read_chapters(written) == chapters


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"chapters": 3}', b'{"chapters": [{"title": "x"}]}', b"\xff", b"[" * 100_000,
     b'{"chapters": [{"startTime": 1, "title": "x", "url": "javascript:alert(1)"}]}'],
)  # fmt: skip
def test_chapters_that_are_none(data: bytes) -> None:
    assert isinstance(read_chapters(data), str)


def test_a_file_has_a_limited_number_of_chapters() -> None:
    def written(number: int) -> bytes:
        return json.dumps({"chapters": [{"startTime": at, "title": "x"} for at in range(number)]}).encode()

    assert len(read_chapters(written(MAX_LIST))) == MAX_LIST
    assert read_chapters(written(MAX_LIST + 1)) == "it has more than 500 chapters"


# -- bounds


HOSTILE = {
    "cues": "WEBVTT\n\n" + "00:00.000 --> 00:01.000\nx\n\n" * 40_000,
    "tags": "WEBVTT\n\n00:00.000 --> 00:01.000\n" + "<v a" * 200_000,
    "opened tags": "WEBVTT\n\n00:00.000 --> 00:01.000\n" + "<b>" * 200_000,
    "arrows": "WEBVTT\n\n" + "-->" * 300_000,
    "colons": "1\n00:00:00,000 --> 00:00:01,000\n" + "A" * 500_000 + ":",
    "names": "1\n00:00:00,000 --> 00:00:01,000\n" + "A B. " * 100_000,
    "entities": "WEBVTT\n\n00:00.000 --> 00:01.000\n" + "&amp;" * 150_000,
    "blank lines": "WEBVTT" + "\n" * 1_000_000,
    "stars": "WEBVTT\n\n00:00.000 --> 00:01.000\n" + "**_[<" * 150_000,
    "times": "WEBVTT\n\n" + "0" * 300_000 + ":00.000 --> 00:01.000\nx\n",
    "a gap": "**A**" + " " * 300_000 + "x",
    "controls": "WEBVTT\n\n00:00.000 --> 00:01.000\n\x00\x1b[31mred\u202e\x07\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_read_is_bounded(name: str) -> None:
    ending = "srt" if HOSTILE[name].startswith("1\n") else "vtt"
    read = read_cues(HOSTILE[name], f"talk.{ending}")
    assert len(read.cues) <= MAX_CUES + 1
    assert len(read.diagnostics) <= 20
    assert not any(re.search("[\x00-\x1f\x7f]", spoken.cue.text) for spoken in read.cues)


def test_a_search_for_what_is_not_there_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where segments are written in another way than anybody writes them, only their lines are lost."""
    segments = [{"startTime": n, "endTime": n, "body": f"A{n:02}"} for n in range(50)]
    written = json.dumps({"segments": segments}, indent=1)
    monkeypatch.setattr("devlog.features.episodes.parse.transcripts.MAX_IN_VAIN", 3 * len(written))
    odd = written.replace('"A', '"\\u0041', 10)
    assert [spoken.cue.text for spoken in read_cues(odd, "a.json").cues] == [f"A{n:02}" for n in range(50)]
    assert {spoken.first for spoken in read_cues(odd, "a.json").cues} == {0}
    assert len({spoken.first for spoken in read_cues(written, "a.json").cues}) == 50


def test_many_turns_in_one_second_are_named_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    class Counted(set[str]):
        def __contains__(self, name: object) -> bool:
            nonlocal looks
            looks += 1
            return super().__contains__(name)

    begin = BodyWriter.__init__

    def counting(self: BodyWriter, *args: Any, **named: Any) -> None:
        begin(self, *args, **named)
        self.anchors = Counted()

    monkeypatch.setattr(BodyWriter, "__init__", counting)
    html = html_of("\n\n".join(f"**A:** [0:00] word {number}" for number in range(300)), "t.md")
    assert 'id="t0-300"' in html
    assert 300 < looks < 3000


def made_of(data: bytes, ending: str) -> tuple[Body, tuple[Cue, ...], Transcript]:
    path = f"talk.{ending}"
    made = work({"path": path, "file": f"content/{path}", "options": OPTIONS}, (data,))
    body, cues = made.blobs
    assert not made.problem
    known = msgspec.msgpack.decode(made.facts["transcript"], type=Transcript)
    assert (known.text.document.body, known.cues) == (digest_bytes(body), digest_bytes(cues))
    return msgspec.msgpack.decode(body, type=Body), msgspec.msgpack.decode(cues, type=tuple[Cue, ...]), known


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("ending", ["vtt", "srt", "json", "md"])
def test_the_work_gives_a_transcript_of_anything(name: str, ending: str) -> None:
    _, cues, known = made_of(HOSTILE[name].encode()[:60_000], ending)
    assert cues or known.text.diagnostics
    assert known.is_timed == is_timed(cues)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x" * (MAX_BYTES + 1), "is larger than 4 MB"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"WEBVTT\n", "contains no words"),
    ],
)
def test_files_without_words(data: bytes, message: str) -> None:
    body, cues, known = made_of(data, "vtt")
    assert (body.pieces, cues, known.is_timed) == ((), (), False)
    assert [item.message for item in known.text.diagnostics] == [message]


def test_a_text_that_is_too_long_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlog.features.episodes.parse.transcripts.MAX_TEXT", 10)
    cue = "00:00.000 --> 00:01.000\n12345\n\n"
    _, cues, known = made_of(("WEBVTT\n\n" + cue * 3).encode(), "vtt")
    assert len(cues) == 2
    assert [item.message for item in known.text.diagnostics] == ["is too long: the rest is left out"]


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
def test_many_turns_without_a_time_share_it_out_soon() -> None:
    """Adding up the lengths of all anew for each would take minutes."""
    starts = _starts([0.0, *[None] * 200_000], ["words"] * 200_001)
    assert len(starts) == 200_001
    assert starts == sorted(starts)


def test_a_fault_of_devlog_costs_one_transcript_and_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("nobody has thought of this")

    monkeypatch.setattr(transcripts, "transcribe", fail)
    audio = "{url: 'https://radio.example/a.mp3', length: 3, transcript: a.vtt, duration: 9}"
    head = f"---\ntitle: A talk\naudio: {audio}\n---\n"
    root = write_site(tmp_path, {"content/log/2026-05-01-a.md": head, "content/log/a.vtt": "WEBVTT\n"})
    for _ in range(2):  # it is not remembered
        (problem,) = [item for item in build_site(root).diagnostics if item.code == "bad-transcript"]
        assert problem.span.path == "content/log/a.vtt"
        assert "ValueError: nobody has thought of this" in problem.message

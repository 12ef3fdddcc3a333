"""The feed of a show keeps the rules of directories and players, whatever stands in its posts."""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from podcast_rules import CONTENT, ITUNES, PODCAST, faults
from radio import BASE, FIRST, build, post, read, sound, told

from devlog.features.episodes.assemble.episodes import guid
from devlog.features.episodes.render.podcast_feed import MOST, shortened

FEED = "radio/podcast.xml"

WHOLE_SHOW = """\
---
title: Lumen Radio
description: What happens in the Lumen database.
podcast:
  title: Lumen Weekly
  description: "All of it: every week"
  author: Ada Quill
  owner: {name: Ada Quill, email: ada@lumen.example}
  image: cover.png
  category: [Technology, "Education > How To"]
  explicit: false
  type: serial
  language: en-GB
  copyright: "© Ada Quill"
  license: {name: cc-by-4.0, url: "https://lumen.example/license"}
  locked: true
  link: https://lumen.example/weekly
  funding: {url: "https://lumen.example/fund", title: "Buy Lumen a disk"}
  people: [Ada Quill]
---
"""

WHOLE_EPISODE = """\
file: first.wav
season: 2
episode: 3
episode_type: bonus
explicit: true
image: first.png
people:
  - {name: Bo Reed, role: guest, group: cast, url: "https://lumen.example/bo", image: bo.png}
chapters:
  - 0:00: Start
  - {start: 0:01, title: Kernels, url: "https://lumen.example/kernels", image: first.png}
transcript: first.vtt
"""


def png(size: int = 1400) -> bytes:
    """The head of a picture: its size is all that is looked at."""
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + size.to_bytes(4) * 2 + b"\x08\x02\x00\x00\x00"


def channel(folder: Path) -> etree._Element:
    return etree.fromstring((folder / "public" / FEED).read_bytes())[0]


def test_a_whole_show(tmp_path: Path) -> None:
    files = {
        "content/radio/_index.md": WHOLE_SHOW,
        "content/radio/cover.png": png(),
        "content/radio/first.png": png(64),
        "content/radio/bo.png": png(64),
        FIRST: post(WHOLE_EPISODE),
        "content/radio/2026-05-11-second.md": post("file: second.wav", title="Second"),
        "content/radio/second.wav": sound(3),
    }
    report = build(tmp_path, files)
    assert not [item for item in report.diagnostics if item.code != "unfit-image"]
    assert faults((tmp_path / "public" / FEED).read_bytes()) == []
    show = channel(tmp_path)
    assert [item.findtext("title") for item in show.findall("item")] == ["Second", "First light"]
    assert show.findtext("title") == "Lumen Weekly"
    assert show.findtext("link") == "https://lumen.example/weekly"
    assert show.findtext("language") == "en-GB"
    assert show.findtext(f"{ITUNES}type") == "serial"
    assert show.find(f"{ITUNES}image").get("href") == f"{BASE}radio/cover.png"
    assert [
        (found.get("text"), [below.get("text") for below in found]) for found in show.findall(f"{ITUNES}category")
    ] == [("Technology", []), ("Education", ["How To"])]
    assert show.findtext(f"{ITUNES}owner/{ITUNES}email") == "ada@lumen.example"
    assert (show.findtext(f"{PODCAST}locked"), show.find(f"{PODCAST}locked").get("owner")) == (
        "yes",
        "ada@lumen.example",
    )
    assert show.find(f"{PODCAST}license").get("url") == "https://lumen.example/license"
    assert show.findtext(f"{PODCAST}funding") == "Buy Lumen a disk"
    item = show.findall("item")[1]
    assert dict(item.find("enclosure").attrib) == {
        "url": f"{BASE}radio/first.wav",
        "length": str(len(sound(2))),
        "type": "audio/wav",
    }
    values = {
        name: item.findtext(f"{ITUNES}{name}") for name in ("duration", "season", "episode", "episodeType", "explicit")
    }
    assert values == {"duration": "2", "season": "2", "episode": "3", "episodeType": "bonus", "explicit": "true"}
    person = item.find(f"{PODCAST}person")
    assert (person.text, dict(person.attrib)) == (
        "Bo Reed",
        {"role": "guest", "group": "cast", "img": f"{BASE}radio/bo.png", "href": "https://lumen.example/bo"},
    )
    page = f"{BASE}radio/2026-05-04-first/"
    assert {found.get("type"): found.get("url") for found in item.findall(f"{PODCAST}transcript")} == {
        "text/vtt": f"{page}transcript.vtt",
        "application/x-subrip": f"{page}transcript.srt",
        "application/json": f"{page}transcript.json",
        "text/plain": f"{page}transcript.txt",
        "text/html": f"{page}transcript.html",
    }
    assert item.find(f"{PODCAST}chapters").get("url") == f"{page}chapters.json"
    assert item.findtext(f"{CONTENT}encoded").strip() == "<p>What Lumen did this week.</p>"
    for found in show.iter():  # whatever it names of the site is there
        for url in (*found.attrib.values(), found.text or ""):
            if url.startswith(BASE) and found.tag not in ("guid", "link"):
                path = tmp_path / "public" / url.removeprefix(BASE)
                assert path.is_file() or (path / "index.html").is_file(), url


def test_the_names_of_shows() -> None:
    assert guid("https://podnews.net/rss") == "9b024349-ccf0-5f69-a609-6b82873eab3c"
    assert guid("http://podnews.net/rss//") == guid("https://podnews.net/rss")


def test_a_name_stays_when_the_show_moves(tmp_path: Path) -> None:
    own = "917393e3-1b1e-5cef-ace4-edaa54e1f810"
    show = f"---\ntitle: R\npodcast: {{guid: {own}, category: Technology, image: 'https://lumen.example/a.png'}}\n---\n"
    build(tmp_path, {"content/radio/_index.md": show})
    assert channel(tmp_path).findtext(f"{PODCAST}guid") == own


def test_pages_announce_the_feed(tmp_path: Path) -> None:
    build(tmp_path, {"content/other/2026-05-04-x.md": "---\ntitle: X\nauthor: Ada Quill (@adaquill)\n---\nText.\n"})
    link = 'href="/devlog/radio/podcast.xml"'
    assert link in read(tmp_path, "radio/index.html")
    assert link in read(tmp_path, "radio/2026-05-04-first/index.html")
    assert link not in read(tmp_path, "index.html")
    assert link not in read(tmp_path, "other/2026-05-04-x/index.html")


def test_a_show_without_episodes(tmp_path: Path) -> None:
    assert told(build(tmp_path, {FIRST: "---\ntitle: T\nauthor: Ada Quill (@adaquill)\n---\nText.\n"})) == []
    assert faults((tmp_path / "public" / FEED).read_bytes()) == []
    assert not channel(tmp_path).findall("item")


def test_a_topic_that_is_no_show(tmp_path: Path) -> None:
    build(tmp_path, {"content/radio/_index.md": "---\ntitle: Radio\n---\n"})
    assert not (tmp_path / "public" / FEED).exists()
    assert "podcast.xml" not in read(tmp_path, "radio/index.html")
    assert (tmp_path / "public/radio/2026-05-04-first/transcript.vtt").exists()


def test_drafts_are_not_in_the_feed(tmp_path: Path) -> None:
    text = post("file: first.wav").replace("title:", "draft: true\ntitle:", 1)
    build(tmp_path, {FIRST: text})
    assert not channel(tmp_path).findall("item")


@pytest.mark.parametrize(("lines", "is_whole"), [(4_000, True), (12_000, False)])
def test_an_episode_far_longer_than_its_file_is_not_whole(tmp_path: Path, lines: int, *, is_whole: bool) -> None:
    text = 'What Lumen did this week.\n\n{{< code file="list.txt" >}}\n'
    build(tmp_path, {FIRST: post("file: first.wav", text), "content/radio/list.txt": "a line\n" * lines})
    (item,) = channel(tmp_path).findall("item")
    assert ("a line" in item.findtext(f"{CONTENT}encoded", "")) is is_whole
    assert "What Lumen did" in item.findtext("description")


def test_two_episodes_with_one_sound(tmp_path: Path) -> None:
    report = build(tmp_path, {"content/radio/2026-05-11-second.md": post("file: first.wav", title="Again")})
    assert told(report) == [("same-audio", "content/radio/2026-05-11-second.md", 5, 9)]
    assert report.diagnostics[0].severity == "error"
    assert not (tmp_path / "public").exists()


def test_what_directories_refuse(tmp_path: Path) -> None:
    show = "---\ntitle: Radio\npodcast:\n  category: Tecnology\n  image: small.png\n---\n"
    report = build(tmp_path, {"content/radio/_index.md": show, "content/radio/small.png": png(100)})
    found = [(item.span.line, item.message.partition(": ")[2], item.hint) for item in report.diagnostics]
    assert found == [
        (3, "it has no “description”", "say what it is about"),
        (4, "“Tecnology” is not a category", "did you mean “Technology”?"),
        (5, "its image has 100 by 100 pixels", "make it square, of 1400 to 3000 pixels"),
    ]
    assert {item.code for item in report.diagnostics} == {"incomplete-podcast"}


def test_an_address_elsewhere(tmp_path: Path) -> None:
    audio = "url: https://cdn.example/a.mp3?key=1&b=2\nlength: 1234567\nduration: PT2M29S"
    assert told(build(tmp_path, {FIRST: post(audio)})) == []
    item = channel(tmp_path).find("item")
    assert dict(item.find("enclosure").attrib) == {
        "url": "https://cdn.example/a.mp3?key=1&b=2",
        "length": "1234567",
        "type": "audio/mpeg",
    }
    assert item.findtext(f"{ITUNES}duration") == "149"


@pytest.mark.parametrize("length", [3999, 4000, 4001, 4500])
@pytest.mark.parametrize("letter", ["a", "ü", "語", "😀", "ab "])
def test_long_descriptions(letter: str, length: int) -> None:
    text = (letter * length)[:length]
    cut = shortened(text)
    assert len(cut.encode()) <= MOST
    assert cut == text or text.startswith(cut.removesuffix(" …"))
    assert (cut == text) == (len(text.encode()) <= MOST)


TEXTS = st.text(min_size=1, max_size=40)
HOSTILE = TEXTS.map(lambda text: re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", " ", text)).filter(str.strip)


@pytest.mark.slow
@given(HOSTILE, HOSTILE)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_in_the_fields(tmp_path: Path, one: str, other: str) -> None:
    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    show = WHOLE_SHOW.replace("Lumen Weekly", quoted(one)).replace('"© Ada Quill"', quoted(other))
    show = show.replace("people: [Ada Quill]", f"people: [{quoted(one)}]").replace("cc-by-4.0", quoted(other))
    audio = WHOLE_EPISODE.replace("Bo Reed", quoted(other)).replace("Kernels", quoted(one))
    audio = audio.replace("role: guest", f"role: {quoted(one)}")
    files = {
        "content/radio/_index.md": show,
        "content/radio/cover.png": png(),
        "content/radio/first.png": png(64),
        "content/radio/bo.png": png(64),
        "content/radio/first.vtt": f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v {one}>{other}\n",
        FIRST: post(audio, f"{other}\n", title=quoted(f"T {one}")),
    }
    report = build(tmp_path, files)
    assert not [item for item in report.diagnostics if item.severity == "error"], report.diagnostics
    data = (tmp_path / "public" / FEED).read_bytes()
    expat.ParserCreate().Parse(data, True)
    assert faults(data) == []
    item = channel(tmp_path).find("item")
    assert " ".join(item.findtext("title").split()) == " ".join(f"T {one}".split())

"""Episodes in whole small sites: what is published, what is told, and what is made anew."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from check_cases import check_site
from radio import BASE, CONFIG, CUES, FIRST, SHOW, build, post, read, sound, told, write
from sites import NOW, build_site, read_tree

from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.external.run import outside_links
from devlog.search.lookup import Lookup
from devlog.search.values import Filters
from devlog.stages import BUILD_RECORD

PAGE = "radio/2026-05-04-first/"
SECRET = "zyxcorporation"
NOTES = "---\ntitle: T\nauthor: Ada Quill (@adaquill)\n---\n"


def names(folder: Path, below: str = PAGE) -> set[str]:
    return {file.name for file in (folder / "public" / below).iterdir()}


def test_an_episode(tmp_path: Path) -> None:
    assert told(build(tmp_path)) == []
    page = read(tmp_path, f"{PAGE}index.html")
    assert 'src="/devlog/radio/first.wav"' in page
    assert '<p class="turn" id="t1" data-start="1"><cite>Bo Reed</cite>' in page
    assert "<p>What Lumen did this week.</p>" in page
    assert {f"transcript.{ending}" for ending in ("vtt", "srt", "json", "txt", "html")} <= names(tmp_path)
    assert read(tmp_path, f"{PAGE}transcript.vtt") == CUES.replace("<i>night</i>", "night").replace(
        "00:00.000 --> 00:01.000", "00:00:00.000 --> 00:00:01.000"
    ).replace("00:01.000 --> 00:01.500", "00:00:01.000 --> 00:00:01.500")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["default", "paper"])
def test_both_themes_show_everything(tmp_path: Path, theme: str) -> None:
    config = f'title = "Lumen"\nbase_url = "{BASE}"\ntheme = "{theme}"\n'
    audio = "file: first.wav\nseason: 4\nepisode: 7\npeople: [Cy Vale]\nchapters: [0:01 Kernels]\ntranscript: first.vtt"
    build(tmp_path, {"devlog.toml": config, FIRST: post(audio)})
    page = read(tmp_path, f"{PAGE}index.html")
    for part in ("Lumen Radio", "first.wav", "Cy Vale", "Kernels", "Good morning.", "transcript.vtt", "0:02", "PT2S"):
        assert part in page, part


def test_without_a_sound_nothing_is_there(tmp_path: Path) -> None:
    build(tmp_path, {FIRST: f"{NOTES}Text.\n"})
    page = read(tmp_path, f"{PAGE}index.html")
    assert "<audio" not in page
    assert "episode" not in page
    assert not [name for name in names(tmp_path) if name.startswith(("transcript", "chapters"))]


def test_of_two_texts_of_one_name_only_the_transcript_is_no_page(tmp_path: Path) -> None:
    files = {"content/radio/words.md": "[0:01] One.\n", "content/words.md": f"{NOTES}A page of its own.\n"}
    build(tmp_path, {FIRST: post("file: first.wav\ntranscript: words.md"), **files})
    assert (tmp_path / "public/words/index.html").exists()
    assert not (tmp_path / "public/radio/words").exists()


def test_an_episode_is_no_transcript_not_even_its_own(tmp_path: Path) -> None:
    name = FIRST.rpartition("/")[2]
    found = told(build(tmp_path, {FIRST: post(f"file: first.wav\ntranscript: {name}")}))
    assert ["bad-transcript" in str(item) for item in found] == [True]
    assert "first.wav" in read(tmp_path, f"{PAGE}index.html")


def test_an_episode_that_is_a_draft_is_no_transcript(tmp_path: Path) -> None:
    draft = f"---\ntitle: B\ndraft: true\naudio: {{file: first.wav, transcript: body}}\n---\n**Ada** [0:01] {SECRET}\n"
    files = {FIRST: post("file: first.wav\ntranscript: b.md"), "content/radio/b.md": draft}
    found = told(build(tmp_path, files))
    assert ["bad-transcript" in str(item) for item in found] == [True]
    published = [file for file in (tmp_path / "public").rglob("*") if file.is_file()]
    assert not [file for file in published if SECRET.encode() in file.read_bytes()]
    with closing(Lookup(tmp_path, NOW)) as lookup:
        lookup.refresh()
        assert not lookup.search(SECRET)
        assert lookup.search(SECRET, Filters(drafts=True))


def test_a_bundle_that_brings_its_own_files(tmp_path: Path) -> None:
    chapters = '{"chapters": [{"startTime": 1, "title": "B", "img": "x.png"}]}'
    build(
        tmp_path,
        {
            FIRST: f"{NOTES}Text.\n",
            "content/radio/2026-05-06-talk/index.md": post(
                "file: a.wav\nchapters: chapters.json\ntranscript: transcript.vtt"
            ),
            "content/radio/2026-05-06-talk/a.wav": sound(2),
            "content/radio/2026-05-06-talk/transcript.vtt": CUES,
            "content/radio/2026-05-06-talk/chapters.json": chapters,
            "content/radio/2026-05-06-talk/x.png": b"\x89PNG\r\n\x1a\n",
        },
    )
    assert read(tmp_path, "radio/2026-05-06-talk/transcript.vtt") == CUES
    assert "startTime" in read(tmp_path, "radio/2026-05-06-talk/chapters.json")
    assert {"transcript.srt", "transcript.txt"} <= names(tmp_path, "radio/2026-05-06-talk")
    feed = read(tmp_path, "radio/podcast.xml")
    assert f'url="{BASE}radio/2026-05-06-talk/transcript.vtt"' in feed
    assert f'url="{BASE}radio/2026-05-06-talk/chapters.json"' in feed


def test_chapters(tmp_path: Path) -> None:
    build(
        tmp_path,
        {
            FIRST: post(
                "file: first.wav\nchapters:\n  - 0:00: A\n  - {start: 1, title: B, url: 'https://lumen.example/'}"
            )
        },
    )
    assert json.loads(read(tmp_path, f"{PAGE}chapters.json")) == {
        "version": "1.2.0",
        "title": "First light",
        "chapters": [{"startTime": 0, "title": "A"}, {"startTime": 1, "title": "B", "url": "https://lumen.example/"}],
    }


def test_a_transcript_in_markdown_is_no_post(tmp_path: Path) -> None:
    spoken = "**Ada Quill** [0:00] Good [morning](2026-05-04-first.md).\n\n**Bo Reed** [0:01] See [this](gone.md).\n"
    files = {FIRST: post("file: first.wav\ntranscript: first-words.md"), "content/radio/first-words.md": spoken}
    report = build(tmp_path, files)
    assert told(report) == [("broken-link", "content/radio/first-words.md", 3, 31)]
    assert report.posts == 1
    assert not (tmp_path / "public/radio/first-words").exists()
    page = read(tmp_path, f"{PAGE}index.html")
    assert f'Good <a href="/devlog/{PAGE}">morning</a>.' in page
    assert "00:00:01.000 --> 00:00:02.000" in read(tmp_path, f"{PAGE}transcript.vtt")


def test_a_transcript_without_times(tmp_path: Path) -> None:
    text = post("file: first.wav\ntranscript: body", "**Ada Quill:** Good morning.\n\nAnd more.\n")
    build(tmp_path, {FIRST: text})
    assert {name for name in names(tmp_path) if name.startswith("transcript")} == {"transcript.txt", "transcript.html"}
    assert read(tmp_path, f"{PAGE}transcript.txt") == "Ada Quill: Good morning. And more.\n"


def test_a_page_that_is_a_file(tmp_path: Path) -> None:
    text = post("file: first.wav\ntranscript: first.vtt").replace("title:", "url: /old/talk.html\ntitle:", 1)
    build(tmp_path, {FIRST: text})
    assert {"talk.html", "talk-transcript.vtt", "talk-transcript.json"} <= names(tmp_path, "old")


def test_links_lead_to_a_second(tmp_path: Path) -> None:
    text = " ".join(f"[{name}](2026-05-04-first.md#{name})" for name in ("t1", "t=1", "t=99", "t2")) + "\n"
    own = post("file: first.wav\ntranscript: first.vtt", "See [here](#t=1) and [there](#t9).\n")
    report = build(tmp_path, {"content/radio/2026-05-05-x.md": NOTES + text, FIRST: own})
    assert [(item.code, item.message) for item in report.diagnostics] == [
        ("broken-anchor", "“#t9”: no heading or anchor “#t9” on the page"),
        ("broken-anchor", "“2026-05-04-first.md#t2”: no heading or anchor “#t2” on the page"),
    ]


def test_files_of_episodes_can_be_linked_to(tmp_path: Path) -> None:
    text = f"{NOTES}[a](/{PAGE}transcript.vtt) [b](/radio/podcast.xml) [c](2026-05-04-first/transcript.txt)\n"
    assert told(build(tmp_path, {"content/radio/2026-05-05-x.md": text})) == []


@pytest.mark.feature("source_references")
def test_what_is_spoken_is_spoken_of(tmp_path: Path) -> None:
    config = f'title = "Lumen"\nbase_url = "{BASE}"\nsource_repo = "https://git.example/lumen/lumen"\n'
    config = config.replace("git.example", "github.com")
    cues = "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Bo Reed>PR 18598 is in.\n"
    build(tmp_path, {"devlog.toml": config, "content/radio/first.vtt": cues})
    link = '<a href="https://github.com/lumen/lumen/pull/18598">PR 18598</a> is in.'
    assert link in read(tmp_path, f"{PAGE}index.html")
    (ref,) = json.loads(read(tmp_path, "refs.json"))["refs"]
    assert (ref["kind"], ref["id"]) == ("pull", "18598")
    assert ref["posts"] == [{"url": f"{BASE}{PAGE}", "source": FIRST, "line": 6, "sentence": "PR 18598 is in."}]


def test_nobody_elsewhere_learns_who_reads(tmp_path: Path) -> None:
    audio = """\
file: first.wav
image: https://cdn.example/e.png
people: [{name: Bo Reed, image: "https://cdn.example/bo.png"}]
chapters: [{start: 0, title: A, image: "https://cdn.example/a.png"}]"""
    build(tmp_path, {FIRST: post(audio)})
    page = read(tmp_path, f"{PAGE}index.html")
    assert not re.findall(r'<img[^>]+cdn\.example|data-image="https://cdn', page)
    assert "https://cdn.example/bo.png" in read(tmp_path, "radio/podcast.xml")


def test_pictures_that_are_not_there(tmp_path: Path) -> None:
    show = SHOW.replace("https://lumen.example/cover.png", "cover.png")
    people, chapters = "people: [{name: Bo, image: b.png}]", "chapters: [{start: 0, title: C, image: c.png}]"
    audio = f"file: first.wav\nimage: a.png\n{people}\n{chapters}"
    report = build(tmp_path, {"content/radio/_index.md": show, FIRST: post(audio)})
    found = [(item.code, item.span.path.rpartition("/")[2], item.span.line) for item in report.diagnostics]
    assert found == [
        ("broken-image", "2026-05-04-first.md", 6),
        ("broken-image", "2026-05-04-first.md", 7),
        ("broken-image", "2026-05-04-first.md", 8),
        ("broken-image", "_index.md", 6),
    ]


def test_hostile_words(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>]]>&amp;\u202e"
    cues = f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v {evil.replace('>', '')}>{evil}\n\n00:01.000 --> 00:02.000\n{evil}\n"
    body = f"**{evil}** [0:00] {evil}\n"
    files = {
        "content/radio/first.vtt": cues,
        "content/radio/2026-05-05-body.md": post("url: https://cdn.example/b.mp3\nlength: 3\ntranscript: body", body),
    }
    report = build(tmp_path, files)
    assert not [item for item in report.diagnostics if item.severity == "error"]
    for path, data in read_tree(tmp_path / "public").items():
        if path.endswith(".html"):
            text = data.decode()
            assert "<script>alert" not in text, path
            assert not re.search(r"<[^>]*\sonerror\s*=", text), path


def test_nothing_is_made_twice(tmp_path: Path) -> None:
    build(tmp_path)
    again = build_site(tmp_path)
    assert (again.parsed, again.rendered, again.written) == (0, 0, ())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("content/radio/first.vtt", CUES.replace("morning", "evening")),
        ("content/radio/first.vtt", "WEBVTT\n"),
        ("content/radio/first.wav", sound(3)),
        (FIRST, post("file: first.wav")),
        (FIRST, post("file: first.wav\ntranscript: body", "**Ada:** [0:01] Hello.\n")),
        (FIRST, f"{NOTES}Text.\n"),
        ("content/radio/_index.md", "---\ntitle: Radio\n---\n"),
        ("content/radio/_index.md", SHOW.replace("Technology", "Arts")),
    ],
)
def test_after_an_edit_all_is_as_if_built_anew(tmp_path: Path, path: str, data: str | bytes) -> None:
    build(tmp_path / "a")
    edited = build(tmp_path / "a", {path: data})
    anew = build(tmp_path / "b", {path: data})
    strip = {".devlog-manifest.json"}
    one, other = (
        {name: value for name, value in read_tree(tmp_path / side / "public").items() if name not in strip}
        for side in "ab"
    )
    assert one == other
    assert edited.diagnostics == anew.diagnostics


@pytest.mark.slow
def test_damaged_memory_is_made_up_for(tmp_path: Path) -> None:
    """What a transcript has left in the store is looked at only when a page is rendered anew."""
    build(tmp_path / "a")
    with closing(sqlite3.connect(tmp_path / "a/.devlog/cache.db")) as store, store:
        damaged = [key for key, value in store.execute("SELECT key, value FROM record") if b"Good morning" in value]
        for key in damaged:
            store.execute("UPDATE record SET value = ? WHERE key = ?", (b"damaged", key))
    assert damaged
    themed = {"templates/partials/footer.html": "<footer>Another one.</footer>\n"}
    assert told(build(tmp_path / "a", themed)) == told(build(tmp_path / "b", themed)) == []
    one, other = (read_tree(tmp_path / side / "public" / PAGE) for side in "ab")
    assert one == other


@pytest.mark.slow
def test_a_transcript_that_is_longer_than_the_sound(tmp_path: Path) -> None:
    late = "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada>Hi.\n\n01:12.000 --> 01:13.000\n<v Bo>Late.\n"
    report = build(tmp_path, {"content/radio/first.vtt": late})
    assert told(report) == [("bad-transcript", FIRST, 6, 15)]
    assert "at 1:12, but the audio ends at 0:02" in report.diagnostics[0].message
    body = post("file: first.wav\ntranscript: body", "**Ada** [0:00] Hi.\n\n**Bo** [1:12] Late.\n")
    assert told(build(tmp_path, {FIRST: body})) == [("bad-transcript", FIRST, 6, 15)]


def test_a_post_without_words_is_no_transcript(tmp_path: Path) -> None:
    report = build(tmp_path, {FIRST: post("file: first.wav\ntranscript: body", "")})
    assert told(report) == [("bad-transcript", FIRST, 6, 15)]


def test_transcripts_are_checked_as_posts_are(tmp_path: Path) -> None:
    spoken = "see https://wiki.corp/x in /home/adaquill/lumen"
    cues = f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada Quill>{spoken}\n"
    checked = check_site(write(tmp_path, {"content/radio/first.vtt": cues}))
    places = [(item.code, item.span.path, item.span.line, item.span.column) for item in checked.diagnostics]
    file = "content/radio/first.vtt"
    assert places == [("leaks.internal-host", file, 4, 18), ("leaks.home-path", file, 4, 41)]
    assert checked.evidence
    found = outside_links(checked.evidence, BASE)
    assert [link.url for links in found.values() for link in links] == ["https://wiki.corp/x"]


def test_a_transcript_in_markdown_is_asked_about_elsewhere(tmp_path: Path) -> None:
    files = {"content/radio/first.md": "**Ada:** See <https://wiki.corp/x>.\n"}
    checked = check_site(write(tmp_path, {**files, FIRST: post("file: first.wav\ntranscript: first.md")}))
    assert checked.evidence
    assert [url.url for url in outside_links(checked.evidence, BASE)] == ["https://wiki.corp/x"]


def test_an_owner_may_publish_without_a_sound(tmp_path: Path) -> None:
    config = CONFIG + '[severity]\nmissing-audio = "warning"\n'
    report = build(tmp_path, {"devlog.toml": config, FIRST: post("file: gone.wav")})
    assert [(item.code, item.severity) for item in report.diagnostics] == [("missing-audio", "warning")]
    assert "<audio" not in read(tmp_path, f"{PAGE}index.html")
    assert "<item>" not in read(tmp_path, "radio/podcast.xml")


CRATE = """
from devlog.model.converted import ContainedFile, Converted
from devlog.plugin import Plugin

def convert(given):
    names = ("talk.wav", "talk.vtt", "talk.json")
    files = tuple(ContainedFile(name, f"{given.text} {name}".encode()) for name in names)
    return Converted("---\\ntitle: A crate\\nauthor: Ada Quill (@adaquill)\\n---\\nText.\\n", files=files)

plugin = Plugin("crates", sources={".crate": convert})
"""


def test_files_inside_of_others_are_not_read(tmp_path: Path) -> None:
    """And nothing changes meanwhile, which would keep a build from being remembered."""
    inside = "2026-05-02-a/talk"
    files = {
        "devlog.toml": CONFIG.replace("search.enabled", 'plugins = ["crates.py"]\nsearch.enabled'),
        "crates.py": CRATE,
        "content/radio/2026-05-02-a.crate": "A crate",
        FIRST: post(f"file: {inside}.wav\ntranscript: {inside}.vtt\nchapters: {inside}.json"),
    }
    report = build(tmp_path, files)
    assert [(item.code, item.message) for item in report.diagnostics] == [
        ("unmeasured", f"cannot tell the duration of “{inside}.wav”: it is inside another file"),
        ("bad-transcript", f"“{inside}.vtt” cannot be read: it is inside another file"),
        ("bad-chapters", f"the chapters in “{inside}.json” cannot be read: it is inside another file"),
    ]
    assert (tmp_path / "public/radio/2026-05-02-a/talk.wav").read_text() == "A crate talk.wav"
    with closing(Store(tmp_path / ".devlog/cache.db")) as store:
        assert store.read([f"{BUILD_RECORD} {toolchain()}"])
    assert build_site(tmp_path).diagnostics == report.diagnostics

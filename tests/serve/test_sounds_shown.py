"""Episodes in the preview: it shows what a build publishes after every edit, and players can seek in their sounds."""

from __future__ import annotations

import io
import sqlite3
import wave
from contextlib import closing
from pathlib import Path

import pytest
from http_raw import ask
from http_site import Shown, serving
from outcomes import clean_outcome
from serve_sites import ORIGIN, all_shown, data_of, shown
from sites import NOW, write_site

from devlog.engine.jobs import Jobs
from devlog.serve import sources
from devlog.serve.preview import Options, Preview
from devlog.stages import CACHE

pytestmark = pytest.mark.feature("episodes")

FIRST = "content/radio/2026-05-04-first.md"
SPOKEN = "content/radio/words.md"


def sound(seconds: int) -> bytes:
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(bytes(8000 * seconds))
    return data.getvalue()


def post(audio: str, text: str = "Some notes.\n") -> str:
    return f"---\ntitle: First\nauthor: Ada Quill (@adaquill)\naudio: {{{audio}}}\n---\n{text}"


SITE: dict[str, str | bytes] = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example/devlogs/"\nsearch.enabled = false\n',
    "content/_index.md": "---\ntitle: Lumen\n---\n",
    "content/radio/_index.md": (
        "---\ntitle: Radio\ndescription: D.\npodcast: {category: Arts, image: 'https://lumen.example/a.png'}\n---\n"
    ),
    "content/radio/first.wav": sound(2),
    "content/radio/first.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada Quill>Good morning.\n",
    FIRST: post("file: first.wav, transcript: first.vtt"),
    "content/radio/2026-05-05-second.md": (
        "---\ntitle: Second\nauthor: Ada Quill (@adaquill)\n---\nSee [it](2026-05-04-first.md#t0).\n"
    ),
}
EDITS: tuple[dict[str, str | bytes], ...] = (
    {"content/radio/first.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Bo Reed>Good evening.\n"},
    {FIRST: post("file: first.wav, transcript: first.vtt", "Other notes.\n")},
    {"content/radio/first.wav": sound(3)},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill** [0:00] Hello.\n")},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill** [0:00] Hello.\n\n**Bo Reed** [0:01] Bye.\n")},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill** [9:59] Hello.\n")},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill** [0:00] Hello.\n")},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill:** Hello.\n")},
    {FIRST: post("file: first.wav, transcript: body", "")},
    {FIRST: post("file: first.wav, transcript: body", "## Notes\n")},
    {FIRST: post("file: first.wav, transcript: body", "")},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill** [0:04.6] Hello.\n")},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill** [0:05.4] Hello.\n")},
    {FIRST: post("file: first.wav, transcript: body", "**Ada Quill** [0:04.6] Hello.\n")},
    {FIRST: post("file: first.wav, transcript: body", '**Ada Quill** [0:04.6] Hello.\n\n<p id="t=900">x</p>\n')},
    {SPOKEN: "---\ntitle: W\nauthor: Ada Quill (@adaquill)\n---\n[0:01] One.\n"},
    {FIRST: post("file: first.wav, transcript: words.md")},
    {SPOKEN: "---\ntitle: W\nauthor: Ada Quill (@adaquill)\n---\n[0:01] Two.\n"},
    {"devlog.toml": "[[["},
    {SPOKEN: "---\ntitle: W\nauthor: Ada Quill (@adaquill)\n---\n[0:01] Three.\n"},
    {"devlog.toml": SITE["devlog.toml"]},
    {"content/radio/_index.md": "---\ntitle: Radio\n---\n"},
    {FIRST: post("file: gone.wav")},
    {FIRST: post("file: first.wav, chapters: [0:01 One]")},
)


@pytest.mark.slow
@pytest.mark.parametrize("sketched", [False, True])
def test_the_preview_shows_what_a_build_publishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, sketched: bool
) -> None:
    if sketched:
        monkeypatch.setattr(sources, "MANY", 0)
        monkeypatch.setattr(sources, "CHUNK", 1)
    files = dict(SITE)
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs, lambda: ["/devlogs/"])
    try:
        for number, edit in enumerate(({}, *EDITS)):
            files |= edit
            write_site(root, edit)
            preview.change(frozenset(edit))
            clean, report = clean_outcome(files, base_url=f"{ORIGIN}/devlogs/", now=NOW)
            if not report.failed:
                shown = all_shown(preview, jobs, clean.files)
                assert {path: shown[path] for path in clean.files} == clean.files, number
            while preview.is_reading:
                preview.read_more()
            expected = {(item.sort_key, item.severity) for item in report.diagnostics}
            assert {(item.sort_key, item.severity) for item in preview.diagnostics} == expected, number
    finally:
        preview.close()


@pytest.mark.slow
def test_players_can_seek(tmp_path: Path) -> None:
    root, data = write_site(tmp_path / "site", SITE), sound(2)
    path = "/devlogs/radio/first.wav"
    with Shown(root) as site, serving(site) as running:

        def got(method: str = "GET", **headers: str) -> tuple[int, bytes, str, list[str]]:
            answer = ask(running.port, path, method, headers)
            return answer.status, answer.body, answer.one("content-length"), answer.headers.get("content-range", [])

        length = len(data)
        assert got() == (200, data, str(length), [])
        head = ask(running.port, path, "HEAD")
        assert (head.status, head.body, head.one("content-length")) == (200, b"", str(length))
        assert (head.one("accept-ranges"), head.one("content-type")) == ("bytes", "audio/wav")
        assert got(Range="bytes=0-1") == (206, data[:2], "2", [f"bytes 0-1/{length}"])  # what Safari asks first
        assert got(Range="bytes=44-99") == (206, data[44:100], "56", [f"bytes 44-99/{length}"])
        assert got(Range=f"bytes={length - 4}-") == (206, data[-4:], "4", [f"bytes {length - 4}-{length - 1}/{length}"])
        assert got(Range="bytes=-4") == (206, data[-4:], "4", [f"bytes {length - 4}-{length - 1}/{length}"])
        assert got(Range=f"bytes=0-{length * 9}") == (206, data, str(length), [f"bytes 0-{length - 1}/{length}"])
        status, _, _, told = got(Range=f"bytes={length}-")
        assert (status, told) == (416, [f"bytes */{length}"])
        assert got("HEAD", Range="bytes=0-1") == (200, b"", str(length), [])
        assert got(Range="bytes=5-2")[0] == 200
        assert got(Range="seconds=0-1")[0] == 200
        assert running.log == []


def test_files_of_episodes_have_their_types(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    page = "/devlogs/radio/2026-05-04-first/transcript"
    with Shown(root) as site, serving(site) as running:
        types = {ending: ask(running.port, f"{page}.{ending}").one("content-type") for ending in ("vtt", "srt", "json")}
        assert types == {
            "vtt": "text/vtt; charset=utf-8",
            "srt": "application/x-subrip",
            "json": "application/json",
        }


def test_the_cache_forgets_old_versions_of_transcripts(tmp_path: Path) -> None:
    root, jobs = write_site(tmp_path / "site", SITE), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)
    counts = []
    try:
        preview.change(frozenset())
        for number in range(20):
            name = "content/radio/first.vtt"
            write_site(root, {name: f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada Quill>Take {number}.\n"})
            preview.change(frozenset({name}))
            with closing(sqlite3.connect(f"file:{root / CACHE}?mode=ro", uri=True)) as connection:
                counts.append(connection.execute("SELECT COUNT(*) FROM record").fetchone()[0])
        assert b"Take 19." in data_of(shown(preview, jobs, "radio/2026-05-04-first/index.html"))
    finally:
        preview.close()
    assert counts[-1] == counts[5] > counts[0]

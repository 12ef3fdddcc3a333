"""A payload in every field of an episode, of its show and of what is spoken: no page and no file comes to harm."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import TYPE_CHECKING

import lxml.html
import pytest
from harm import harm_in
from hostile_site import in_front_matter, shown
from payloads import CANARY, PAYLOADS
from sites import build_site, read_tree, write_site
from watch import offline, watching

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

CONFIG = """\
title = "Lumen"
base_url = "https://lumen.example/log/"
source_repo = "https://code.example/lumen"
"""
THEMES = ("default", "paper")

pytestmark = [pytest.mark.slow, pytest.mark.feature("episodes")]


def hostile_episodes(payloads: tuple[str, ...]) -> dict[str, str | bytes]:
    """The files of a site: for each payload an episode that has it everywhere, in one of the forms of transcripts."""
    files: dict[str, str | bytes] = {}
    for number, payload in enumerate(payloads):
        said = in_front_matter(payload)
        line = " ".join(said.split())
        name, ending = f"e{number:03}", ("vtt", "srt", "json", "md", "body")[number % 5]
        topic = f"t{number // 20}"
        files[f"content/{topic}/_index.md"] = json.dumps({"title": said, "podcast": _show(said)}) + "\n"
        audio = {
            "url": f"https://sounds.example/{name}.mp3",
            "length": 1000 + number,
            "duration": "1:00:40",
            "image": said,
            "people": [{"name": said, "role": said, "group": said, "url": said, "image": said}, said],
            "chapters": [
                {"start": 1, "title": said, "image": said},
                {"start": 2, "title": said, "url": "https://code.example/" + line},
            ],
            "transcript": "body" if ending == "body" else f"{name}-said.{ending}",
        }
        front = {"title": f"Episode {number} {said}", "date": "2026-05-04", "author": f"N{number}", "audio": audio}
        body = _spoken("md", line) if ending == "body" else said + "\n"
        files[f"content/{topic}/{name}.md"] = json.dumps(front, indent=1) + "\n" + body
        if ending != "body":
            files[f"content/{topic}/{name}-said.{ending}"] = _spoken(ending, line)
    return files


def _show(payload: str) -> dict[str, object]:
    return {
        "title": payload,
        "description": payload,
        "author": payload,
        "owner": {"name": payload, "email": "log@lumen.example"},
        "image": payload,
        "category": [payload],
        "copyright": payload,
        "license": {"name": payload, "url": payload},
        "funding": {"title": payload, "url": payload},
        "people": [{"name": payload, "role": payload, "url": payload}],
        "language": payload,
    }


def _spoken(ending: str, payload: str) -> str:
    if ending == "vtt":
        return (
            f"WEBVTT\n\n00:00.000 --> 00:30.000\n<v {payload}>{payload}\n\n01:00:30.500 --> 01:00:40.000\n{payload}\n"
        )
    if ending == "srt":
        return f"1\n00:00:00,000 --> 00:00:30,000\nName: {payload}\n\n2\n01:00:30,500 --> 01:00:40,000\n{payload}\n"
    if ending == "json":
        segments = [
            {"speaker": payload, "startTime": 0, "endTime": 30, "body": payload},
            {"speaker": payload, "startTime": 3630.5, "endTime": 3640, "body": payload},
        ]
        return json.dumps({"version": "1.0.0", "segments": segments})
    return f"**{payload}** [00:00:00] {payload}\n\n**A** [01:00:30] {payload}\n\n{payload}\n"


@pytest.fixture(scope="module", params=THEMES)
def public(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _published(tmp_path_factory.mktemp("episodes"), request.param, PAYLOADS)


@pytest.fixture(scope="module")
def tree(public: Path) -> dict[str, bytes]:
    return read_tree(public)


def _published(folder: Path, theme: str, payloads: tuple[str, ...]) -> Path:
    files = {"devlog.toml": CONFIG.replace("\n", f'\ntheme = "{theme}"\n', 1), **hostile_episodes(payloads)}
    report = build_site(write_site(folder, files), cache=False, search=True)
    assert report.posts == len(payloads)
    errors = {item.code for item in report.diagnostics if item.severity == "error"}
    assert errors == set()
    return folder / "public"


def _pages(tree: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    for path, data in tree.items():
        if path.endswith(".html"):
            yield path, data.decode()


@pytest.mark.slow
def test_every_page_and_transcript_is_harmless(tree: dict[str, bytes]) -> None:
    wrong, players, spoken = {}, 0, 0
    for path, page in _pages(tree):
        root = lxml.html.document_fromstring(page)
        own = tuple(root.xpath("//head/script[not(@type)]/@src"))
        assert all(source.startswith("/log/theme/") for source in own), path
        players += len(root.xpath("//section[contains(@class, 'episode')]//audio"))
        spoken += "<cite>" in page
        if found := harm_in(page, own):
            wrong[path] = found
    assert wrong == {}
    assert players == len(PAYLOADS)
    assert spoken > len(PAYLOADS)


@pytest.mark.slow
def test_names_and_titles_are_shown_as_they_were_written(tree: dict[str, bytes]) -> None:
    names, chapters = [], []
    for path, page in _pages(tree):
        if path.endswith("/index.html") and "<audio " in page:
            root = lxml.html.document_fromstring(page)
            [people] = root.xpath("//p[@class='episode-people' or @class='people']")
            names.append(" ".join(people.text_content().split()))
            chapters.append(" ".join("".join(root.xpath("//ol[@class='chapters']/li")[0].itertext()).split()))
    assert len(names) == len(PAYLOADS)
    for payload in PAYLOADS:
        assert any(shown(payload) in found for found in names), payload
        assert any(shown(payload) in found for found in chapters), payload


def test_structured_data_holds_the_original_strings(tree: dict[str, bytes]) -> None:
    names = set()
    for path, page in _pages(tree):
        found = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
        for record in map(json.loads, found):
            if record["@type"] == "PodcastEpisode":
                assert record["duration"] == "PT1H40S", path
                assert record["associatedMedia"]["contentUrl"].startswith("https://sounds.example/e")
                names.add(record["contributor"][0]["name"])
    assert names == set(map(shown, PAYLOADS))


def test_files_for_programs_can_be_read(tree: dict[str, bytes]) -> None:
    feeds = 0
    for path, data in tree.items():
        if path.endswith("podcast.xml"):
            feeds += len(ET.fromstring(data).findall("channel/item"))
        elif path.endswith(("transcript.json", "chapters.json")):
            json.loads(data)
        elif path.endswith("transcript.vtt"):
            assert data.startswith(b"WEBVTT")
            assert data.count(b"-->") == len(re.findall(rb"(?m)^[0-9:.]+ --> [0-9:.]+$", data)), path
        elif path.endswith("transcript.srt"):
            assert data.count(b"-->") == len(re.findall(rb"(?m)^[0-9]+\n[0-9:,]+ --> [0-9:,]+$", data)), path
    assert feeds == len(PAYLOADS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with offline() as found:
        yield found


@pytest.mark.browser
def test_no_episode_does_harm_in_a_browser(browser: Browser, public: Path, tree: dict[str, bytes]) -> None:
    pages = [path for path, page in _pages(tree) if "<audio " in page or path.endswith("transcript.html")][::5]
    wrong: dict[str, object] = {}
    with watching(browser, public) as watch:
        for path in pages:
            watch.open(path)
            watch.press()
            watch.page.evaluate("() => document.querySelectorAll('.time[href^=\"#\"]').forEach((link) => link.click())")
            seen = watch.look()
            if any(not str(source).startswith("/log/theme/") for source in seen.pop("scripts")) or any(seen.values()):
                wrong[path] = seen
    assert watch.dialogs == []
    assert [line for line in watch.asked if CANARY in line] == []
    assert wrong == {}
    assert len(pages) > len(PAYLOADS) / 3

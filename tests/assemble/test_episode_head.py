"""What the head of an episode's page tells programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from sites import build_site, write_site
from validity.rich_site import png

CONFIG = 'title = "Lumen"\nbase_url = "https://lumen.example/log/"\n[cards]\nenabled = false\n'
AUDIO = """\
audio:
  url: https://sounds.example/week.mp3
  length: 1200345
  duration: 1:02:03
  season: 2
  episode: 14
  image: /week.png
  people: [{name: Ada Quill, role: host, url: "https://quill.example/"}, Bo Reed]
  chapters: [{start: 0, title: Beginning}, {start: 1:12.5, title: Middle}]
  transcript: week.vtt
"""
POST = "---\ntitle: The week\ndate: 2026-05-04\nauthor: Ada Quill (@adaquill)\ntags: [vacuum]\n{}---\n\nWhat we did.\n"
SPOKEN = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada Quill>Good morning.\n"


def head(root: Path, theme: str, audio: str, topic: str = "") -> tuple[lxml.html.HtmlElement, dict[str, Any]]:
    """The head of a post's page, and its structured data."""
    files: dict[str, str | bytes] = {
        "devlog.toml": f'theme = "{theme}"\n{CONFIG}',
        "content/talks/_index.md": f"---\ntitle: Lumen aloud\n{topic}---\n",
        "content/talks/week.md": POST.format(audio),
        "content/talks/week.vtt": SPOKEN,
        "static/week.png": png(8, 8),
    }
    report = build_site(write_site(root, files))
    assert [item.code for item in report.diagnostics if item.severity == "error"] == []
    page = lxml.html.document_fromstring((root / "public/talks/week/index.html").read_bytes())
    [data] = page.xpath("//script[@type='application/ld+json']/text()")
    return page, json.loads(data)


@pytest.mark.feature("episodes")
@pytest.mark.parametrize("theme", ["default", "paper"])
def test_an_episode_is_told_in_full(tmp_path: Path, theme: str) -> None:
    page, data = head(tmp_path, theme, AUDIO, "podcast: true\n")
    url = "https://lumen.example/log/talks/week/"
    assert data == {
        "@context": "https://schema.org",
        "@type": "PodcastEpisode",
        "name": "The week",
        "url": url,
        "mainEntityOfPage": url,
        "inLanguage": "en",
        "author": [{"@type": "Person", "name": "Ada Quill", "url": "https://lumen.example/log/authors/adaquill/"}],
        "isPartOf": {"@type": "Blog", "name": "Lumen"},
        "datePublished": "2026-05-04",
        "dateModified": "2026-05-04",
        "description": "What we did.",
        "keywords": ["vacuum"],
        "image": "https://lumen.example/log/week.png",
        "duration": "PT1H2M3S",
        "timeRequired": "PT1H2M3S",
        "episodeNumber": 14,
        "partOfSeason": {"@type": "PodcastSeason", "seasonNumber": 2},
        "partOfSeries": {
            "@type": "PodcastSeries",
            "name": "Lumen aloud",
            "url": "https://lumen.example/log/talks/",
            "webFeed": "https://lumen.example/log/talks/podcast.xml",
        },
        "contributor": [
            {"@type": "Person", "name": "Ada Quill", "url": "https://quill.example/"},
            {"@type": "Person", "name": "Bo Reed"},
        ],
        "hasPart": [
            {"@type": "Clip", "name": "Beginning", "startOffset": 0, "url": f"{url}#t=0"},
            {"@type": "Clip", "name": "Middle", "startOffset": 72.5, "url": f"{url}#t=72.5"},
        ],
        "associatedMedia": {
            "@type": "AudioObject",
            "contentUrl": "https://sounds.example/week.mp3",
            "encodingFormat": "audio/mpeg",
            "contentSize": "1200345",
            "duration": "PT1H2M3S",
            "transcript": f"{url}transcript.vtt",
        },
    }
    assert page.xpath("//meta[@property='og:audio']/@content") == ["https://sounds.example/week.mp3"]
    assert page.xpath("//meta[@property='og:audio:type']/@content") == ["audio/mpeg"]


@pytest.mark.feature("episodes")
def test_what_is_not_known_is_not_told(tmp_path: Path) -> None:
    page, data = head(
        tmp_path, "default", "audio: {url: https://sounds.example/week.mp3, length: 12, type: audio/mpeg}\n"
    )
    assert data["associatedMedia"] == {
        "@type": "AudioObject",
        "contentUrl": "https://sounds.example/week.mp3",
        "encodingFormat": "audio/mpeg",
        "contentSize": "12",
    }
    missing = {"duration", "timeRequired", "episodeNumber", "partOfSeason", "partOfSeries", "contributor", "hasPart"}
    assert missing.isdisjoint(data)
    assert page.xpath("//section[@class='episode']//li//text()[contains(., 'Season') or contains(., '0:00')]") == []


def test_other_posts_are_what_they_were(tmp_path: Path) -> None:
    page, data = head(tmp_path, "default", "")
    assert data["@type"] == "BlogPosting"
    assert page.xpath("//meta[starts-with(@property, 'og:audio')] | //audio | //*[contains(@class, 'episode')]") == []
    assert not re.search(r"episode\.(?:js|css)", lxml.html.tostring(page).decode())

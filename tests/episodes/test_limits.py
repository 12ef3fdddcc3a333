"""How long what a show says may be, and how many episodes may share a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from sites import build_site, write_site
from small_posts import TOO_LONG, parsed_post, post_text

from devlog.features.episodes.assemble import episodes
from devlog.features.episodes.derive.files import MOST_USES


@pytest.mark.parametrize(("key", "file"), [("transcript", "said.vtt"), ("chapters", "parts.json")])
@pytest.mark.parametrize("more", [0, 1])
def test_many_episodes_do_not_share_a_file(tmp_path: Path, key: str, file: str, more: int) -> None:
    files = {
        "content/log/said.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\nHello.\n",
        "content/log/parts.json": '{"version": "1.2.0", "chapters": [{"startTime": 0, "title": "One"}]}',
    }
    for number in range(MOST_USES + more):
        audio = f"{{url: 'https://s.example/{number}.mp3', length: 9, duration: 60, {key}: {file}}}"
        files[f"content/log/p{number}.md"] = post_text(title=f"Post {number}", audio=audio)
    report = build_site(write_site(tmp_path, files))
    errors = [(item.code, item.span.path) for item in report.diagnostics if item.severity == "error"]
    assert len(errors) == more
    assert {code for code, _ in errors} <= {"shared-by-too-many"}
    assert bool(report.written) is not bool(more)


def test_the_shows_of_a_site_share_the_search_for_their_episodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search for each show would take shows times episodes."""
    count, searched = 60, list[str]()
    show_of = episodes.show_of
    monkeypatch.setattr(episodes, "show_of", lambda shows, topic: (searched.append(topic), show_of(shows, topic))[1])
    files = {f"content/s{number}/_index.md": post_text(title="A show", podcast=True) for number in range(count)}
    for number in range(count):
        audio = f"{{url: 'https://s.example/{number}.mp3', length: 9, duration: 60}}"
        files[f"content/s0/p{number}.md"] = post_text(title=f"Post {number}", date="2026-05-01", audio=audio)
    report = build_site(write_site(tmp_path, files))
    assert not report.failed
    assert (tmp_path / "public/s0/podcast.xml").read_text().count("<item>") == count
    assert (tmp_path / "public/s1/podcast.xml").read_text().count("<item>") == 0
    assert len(searched) < 4 * count


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", TOO_LONG),
        ("description", TOO_LONG * 4),
        ("author", TOO_LONG),
        ("owner", f"{{name: {TOO_LONG}, email: a@b.example}}"),
        ("image", f"{TOO_LONG}.png"),
        ("category", f"[Technology > {TOO_LONG}]"),
        ("categories", f"{{{TOO_LONG}: How To}}"),
        ("copyright", TOO_LONG),
        ("license", f"{{name: a, url: 'https://s.example/{TOO_LONG}'}}"),
        ("funding", f"{{url: 'https://s.example/', title: {TOO_LONG}}}"),
        ("people", f"[Ada Quill, {TOO_LONG}]"),
        ("people", f"[{{name: Ada Quill, role: {TOO_LONG}}}]"),
    ],
)
def test_what_a_show_says_is_not_too_long(key: str, value: str) -> None:
    parsed = parsed_post("_index", podcast=f"{{{key}: {value}}}")
    (problem,) = parsed.diagnostics
    assert (problem.code, problem.severity, problem.span.line) == ("too-long-value", "error", 5)
    assert problem.message.startswith(f"“podcast.{key}” has ")


def test_what_a_show_is_about_may_be_longer_than_names() -> None:
    assert not parsed_post("_index", podcast=f"{{description: {TOO_LONG * 3}}}").diagnostics

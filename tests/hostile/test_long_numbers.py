"""Numbers of more digits than Python makes an integer of: wherever one can be written, no command ends with it."""

from __future__ import annotations

from contextlib import closing
from html import unescape as of_library
from pathlib import Path

import pytest
from check_cases import check_site
from sites import NOW, build_site, write_site

from devlog.mcp_server.sections import spoken
from devlog.model.character_references import unescape
from devlog.parse.dialects.liquid_filters import FILTERS
from devlog.search.lookup import Lookup

LONG = "9" * 5000
REFERENCE = f"&#{LONG};"
HEAD = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\n"
AUDIO = "audio: {{url: 'https://radio.example/a.mp3', length: 3, type: audio/mpeg, {}}}"
TALK = f"---\ntitle: A talk\n{AUDIO}\n---\nText.\n\n## Transcript\n\n"

SITES: dict[str, dict[str, str]] = {
    "link": {"log/2026-05-01-a.md": f"{HEAD}[a](x{REFERENCE}) ![x](data:{REFERENCE})\n"},
    "html": {
        "log/2026-05-01-a.md": f"{HEAD}<p title='{REFERENCE}'>{REFERENCE}</p> <a href='{REFERENCE}'>{REFERENCE}</a>\n"
    },
    "post in html": {
        "log/2026-05-01-a.html": f"{HEAD}<h2>{REFERENCE}</h2><p title='{REFERENCE}'>{REFERENCE}</p>"
        f"<a href='{REFERENCE}'>{REFERENCE}</a><img alt='{REFERENCE}' src='{REFERENCE}'><title>{REFERENCE}</title>"
    },
    "shortcode": {
        "log/2026-05-01-a.md": f"{HEAD}{{{{< highlight html >}}}}\n{REFERENCE}\n{{{{< /highlight >}}}}\n"
        f"{{{{< figure src='{REFERENCE}' link='{REFERENCE}' >}}}}\n"
    },
    "captions": {
        "log/2026-05-01-a.md": f"---\ntitle: A talk\n{AUDIO.format('transcript: t.vtt')}\n---\nText.\n",
        "log/t.vtt": f"WEBVTT\n\n00:00.000 --> 00:02.000\n{REFERENCE} words\n",
    },
    "transcript": {
        "log/2026-05-01-a.md": f"{TALK.format('transcript: body')}**Ada Quill** [{LONG}:00:00] Words.\n",
    },
    "toml": {"log/2026-05-01-a.md": f"+++\ntitle = 'a'\nweight = {LONG}\n[params]\na = 1e{LONG}\n+++\n\nText.\n"},
    "json": {"log/2026-05-01-a.md": f'{{"title": "a", "weight": {LONG}, "params": {{"a": 1e{LONG}}}}}\n\nText.\n'},
    "yaml": {"log/2026-05-01-a.md": f"---\ntitle: a\nweight: {LONG}\npart: {LONG}\ndate: {LONG}-01-01\n---\n\nText.\n"},
}


def test_liquid_cuts_nothing_at_a_length_that_is_no_length() -> None:
    truncate, _ = FILTERS["truncate"]
    assert truncate("abc", LONG) == "abc"


@pytest.mark.parametrize("name", SITES)
def test_no_command_ends_with_it(tmp_path: Path, name: str) -> None:
    root = write_site(tmp_path, {f"content/{path}": text for path, text in SITES[name].items()})
    for report in (build_site(root), check_site(root)):
        assert "internal-error" not in [problem.code for problem in report.diagnostics]
        assert not [problem for problem in report.diagnostics if "devlog failed" in problem.message]
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()


@pytest.mark.feature("episodes")
@pytest.mark.parametrize("name", SITES)
def test_it_can_be_spoken(tmp_path: Path, name: str) -> None:
    from devlog.features.episodes.speak.run import Options, run

    root = write_site(tmp_path, {f"content/{path}": text for path, text in SITES[name].items()})
    for file in (root / "content").rglob("2026-*"):
        run(Options(root, file, dry_run=True))


@pytest.mark.feature("episodes")
def test_a_turn_at_no_second_is_no_turn_for_programs_either() -> None:
    text = f"# A talk\n\n## Transcript\n\n**Ada Quill** [0:00:05] Words.\n\n**Bo Reed** [{LONG}:00:00] Others.\n"
    assert (spoken(text, "#t9") or "").startswith("**Ada Quill**")


@pytest.mark.parametrize("number", ["65", "00065", "0", "", "x41", "1114111", "1114112", "999999999", "55296", "128"])
@pytest.mark.parametrize("end", [";", "", "a", "&"])
def test_character_references_are_read_as_by_the_library(number: str, end: str) -> None:
    assert unescape(f"a&#{number}{end}") == of_library(f"a&#{number}{end}")


def test_long_references_stand_for_what_they_mean() -> None:
    assert unescape(f"a{REFERENCE}b&#{'0' * 5000}65;&#{'0' * 5000};&#x{LONG};") == "a\ufffdbA\ufffd\ufffd"
    assert unescape("no reference") == "no reference"

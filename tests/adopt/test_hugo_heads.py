"""Front matter that only Hugo and Zola read is not published as text: the file is ignored, and reported."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from adopt.old_sites import post
from sites import write_site

from devlog.adopt.adopt import adopt

NOW = datetime(2026, 6, 15, tzinfo=UTC)
YAML = "---\ntitle: A\ndate: 2026-01-01\ndraft: true\n---\nText\n"
TOML = '+++\ntitle = "A"\ndate = 2026-01-01\ndraft = true\n+++\nText\n'
JSON = '{"title": "A", "draft": true}\nText\n'
FIRST = "ignored until the first line has nothing in front of it"
ABOVE = "ignored until it is at the top, and in no comment"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f" {YAML}", FIRST),
        (f"\n \n    {YAML}", FIRST),
        (f"\t{TOML}", FIRST),
        (f" \t {JSON}", FIRST),
        (" ---\ntitle: [A\n---\n", FIRST),
        ("--- # A\ntitle: A\n---\n", "ignored until the line “---” has nothing else"),
        ("---title: A\ndraft: true\n---\n", "ignored until the line “---” has nothing else"),
        (f"<!--\n{YAML}-->\n", ABOVE),
        (f"<!-- A -->\n\n{TOML}", ABOVE),
        (f"<!--\n{JSON}-->\n", ABOVE),
        ("#+title: A\n#+draft: true\nText\n", "ignored until it is between lines “---”, and no longer behind “#+”"),
        # devlog reads these, or they are text for Hugo, too.
        ("\n\n" + post("A"), ""),
        ("---\ntitle: A\n----\nText\n", ""),
        ('---json\n{"title": "A"}\n---\nText\n', ""),
        ("<!-- A -->\n\n---\n\nText\n\n---\n", ""),
        ("<!-- A -->\n\nText: a\n", ""),
        (" ---\n\nText\n", ""),
        (' {{< figure src="a.png" >}}\n', ""),
        ("# Title\n", ""),
    ],
)
def test_front_matter_that_only_hugo_reads(text: str, wanted: str, tmp_path: Path) -> None:
    files = {"hugo.toml": 'title = "L"\n', "content/posts/a.md": text, "content/posts/b.md": post("B")}
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.adoption
    told = [note.text for note in done.adoption.unmapped if note.span.path == "content/posts/a.md"]
    assert told == ([wanted] if wanted else [])
    ignored = [setting.value for setting in done.adoption.settings if setting.key == "ignore"]
    assert ignored == ([("/posts/a.md",)] if wanted else [])


def test_front_matter_that_only_zola_reads(tmp_path: Path) -> None:
    files = {
        "zola.toml": 'base_url = "https://log.example.org"\n',
        "content/a.md": f"  {TOML}",
        "content/b.md": '+++\ntitle = "B"\n+++\n',
    }
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.adoption
    assert [setting.value for setting in done.adoption.settings if setting.key == "ignore"] == [("/a.md",)]
    assert [note.text for note in done.adoption.unmapped if note.key == "front matter"] == [FIRST]

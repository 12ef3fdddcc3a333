"""From merges to a show: a digest of a day, spoken, with its page, transcripts and feed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image
from podcast_rules import faults
from repositories import HOUR, NOON, Repository
from sites import build_site, write_site

from devlog.cli import main

pytestmark = [pytest.mark.voices, pytest.mark.feature("episodes")]

DAY = {
    "dynamo": [
        (
            185998,
            "Fix class definitions that close over non-constant objects",
            "The class was traced as a constant, and saw the objects of the first call for ever.",
        ),
        (185999, "Address list sorting with traced key comparisons", "Keys are now compared while they are traced."),
        (
            186042,
            "Resolve set operations over generators that exist before tracing",
            "They are read once, in their own order, and what they have yielded is kept.",
        ),
        (
            186013,
            "Improve attribute access to mimic the interpreter",
            "Lookups take the same steps in the same order, so that slots behave as without a compiler.",
        ),
    ],
    "cache": [
        (
            186003,
            "Fix frame skip caching that depends on the condition",
            "What was compiled depended on which of two calls came first, a mistake that few tests could show.",
        ),
        (186039, "Resolve verbose guard checks for frame locals", "Each guard is evaluated once per frame."),
        (
            186044,
            "Eliminate loading of optional libraries at import time",
            "Starting is quicker, and conflicts between versions are fewer.",
        ),
    ],
    "tensors": [
        (
            185980,
            "Support data assignment across devices",
            "Libraries for images manage the memory of large models this way.",
        ),
        (185984, "Fix resizing of tensors for output parameters", "The storage grows before the kernel is called."),
    ],
    "ci": [
        (
            186012,
            "Add ownership headers to all workflows",
            "A failure is routed to the team that owns the workflow, and a linter asks for the header.",
        ),
        (186015, "Restore binary builds for Linux", "They were dropped by mistake when the toolchain was updated."),
    ],
}
AREAS = {"dynamo": "Dynamo", "cache": "Cache", "tensors": "Tensors", "ci": "CI"}
CONFIG = """
title = "Lumen DevLog"
base_url = "https://lumen.example.org/"
source_repo = "https://github.com/lumen/db"
[digest.nightly]
source = "{source}"
topic = "nightly"
draft = false
[speak]
command = ["espeak-ng", "-v", "en", "-f", "{{input}}", "-w", "{{output}}"]
encode = ["lame", "--quiet", "-m", "m", "-b", "48", "--tt", "{{title}}", "--ti", "{{cover}}", "{{input}}", "{{output}}"]
voice = "Lumen"
"""
SHOW = """---
title: Nightly
description: What happened in Lumen, each day.
podcast:
  author: Team Lumen
  owner: Team Lumen <radio@lumen.example>
  image: cover.png
  category: Technology
---
"""


SEED = 2 * 60 + 29
"""The length in seconds of the episode of which this is the shape: a show about a repository, of eleven requests."""


def test_a_day_becomes_a_show(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "lumen")
    repository.time = NOON - 30 * HOUR
    for area, changes in DAY.items():
        for number, title, detail in changes:
            repository.commit(f"[{area}] {title} (#{number})\n\n{detail}", {f"{area}/{number}.py": "x\n" * 5})
    root = write_site(
        tmp_path / "site",
        {"devlog.toml": CONFIG.format(source=repository.folder), "content/nightly/_index.md": SHOW},
    )
    Image.new("RGB", (1400, 1400), "teal").save(root / "content/nightly/cover.png")
    for command in (
        ["digest", "nightly", "--now", "2026-06-03T20:00:00Z"],
        ["speak", str(root / "content/nightly/2026-06-03-digest.md")],
    ):
        done = CliRunner().invoke(main, [*command, "--root", str(root)])
        assert done.exit_code == 0, done.output
    post = (root / "content/nightly/2026-06-03-digest.md").read_text("utf-8")
    assert '\ntitle: "Lumen: Dynamo' in post
    for area, changes in DAY.items():
        paragraph = post.partition(f"\n## {AREAS[area]}\n\n")[2].partition("\n\n")[0]
        assert {int(number) for number in re.findall(r"#(\d+)", paragraph)} == {number for number, _, _ in changes}

    report = build_site(root)
    assert not report.diagnostics
    page = root / "public/nightly/2026-06-03-digest"
    texts = {name: (page / f"transcript.{name}").read_text("utf-8") for name in ("vtt", "srt", "json", "txt", "html")}
    for number in (number for changes in DAY.values() for number, _, _ in changes):
        assert all(f"PR {number}" in " ".join(text.split()) for name, text in texts.items() if name in {"json", "txt"})
        assert all(str(number) in text for text in texts.values())
    said = [segment["body"] for segment in json.loads(texts["json"])["segments"]]
    assert said[1] == "Good morning, it's June 3rd, 2026."
    assert said[-1] == "That's your Lumen update for today."
    chapters = json.loads((page / "chapters.json").read_text("utf-8"))["chapters"]
    assert [chapter["title"] for chapter in chapters][1:] == [*AREAS.values()]

    feed = (root / "public/nightly/podcast.xml").read_bytes()
    assert faults(feed) == []
    minutes, seconds = re.search(rb"<itunes:duration>(?:(\d+):)?(\d+)</itunes:duration>", feed).groups()
    assert abs(int(minutes or 0) * 60 + int(seconds) - SEED) <= 30

"""A small show about the Lumen database, with sounds that the standard library makes."""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping
from pathlib import Path

from sites import build_site, write_site

from devlog.model.report import Report

BASE = "https://lumen.example.org/devlog/"

CONFIG = f"""\
title = "Lumen"
base_url = "{BASE}"
search.enabled = false
cards.enabled = false
"""

SHOW = """\
---
title: Lumen Radio
description: What happens in the Lumen database.
podcast:
  category: Technology
  image: https://lumen.example/cover.png
---
"""

CUES = """\
WEBVTT

00:00.000 --> 00:01.000
<v Ada Quill>Good morning.

00:01.000 --> 00:01.500
<v Bo Reed>Good <i>night</i> &amp; bye.
"""


def sound(seconds: float = 2) -> bytes:
    """A silent WAV file: 8,000 bytes for each second, and a head of 44."""
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * int(8000 * seconds))
    return data.getvalue()


def post(audio: str, text: str = "What Lumen did this week.\n", title: str = "First light") -> str:
    """A post with a block of YAML for its sound."""
    lines = "".join(f"  {line}\n" for line in audio.strip("\n").split("\n"))
    return f"---\ntitle: {title}\nauthor: Ada Quill (@adaquill)\naudio:\n{lines}---\n{text}"


FIRST = "content/radio/2026-05-04-first.md"


def write(folder: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Write a show with one episode of two seconds; `files` come on top of that."""
    return write_site(
        folder,
        {
            "devlog.toml": CONFIG,
            "content/radio/_index.md": SHOW,
            "content/radio/first.wav": sound(2),
            "content/radio/first.vtt": CUES,
            FIRST: post("file: first.wav\ntranscript: first.vtt"),
            **(files or {}),
        },
    )


def build(folder: Path, files: Mapping[str, str | bytes] | None = None) -> Report:
    """Write and build it."""
    return build_site(write(folder, files))


def told(report: Report) -> list[tuple[str, str, int, int]]:
    """The problems of a build: code, file, line and column."""
    return [(item.code, item.span.path, item.span.line, item.span.column) for item in report.diagnostics]


def read(folder: Path, path: str) -> str:
    """An output of the site."""
    return (folder / "public" / path).read_text("utf-8")

"""`devlog speak` with programs that really speak and encode: Debian's espeak-ng, lame, opusenc and ffmpeg."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from PIL import Image
from sites import build_site, write_site
from tinytag import TinyTag

from devlog.features.episodes.speak.run import Options, run

pytestmark = pytest.mark.voices


def heard(audio: Path) -> tuple[float, float]:
    """The integrated loudness in LUFS and the true peak in decibels, as ffmpeg measures them."""
    command = ["ffmpeg", "-hide_banner", "-nostats", "-i", str(audio), "-af", "ebur128=peak=true", "-f", "null", "-"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr.rpartition("Summary:")[2]
    loudness, peak = re.search(r"I: +(-?[\d.]+) LUFS", said), re.search(r"Peak: +(-?[\d.]+) dBFS", said)
    assert loudness
    assert peak
    return float(loudness[1]), float(peak[1])


SPEAK = """
title = "The Lumen log"
[speak]
command = ["espeak-ng", "-v", "en", "-a", "30", "-f", "{input}", "-w", "{output}"]
voice = "Ada Quill"
greeting = "Good morning, it's {date}."
farewell = "That was {show}."
"""
LAME = """
encode = ["lame", "--quiet", "-m", "m", "-b", "48", "--tt", "{title}", "--ta", "{author}", "--tl", "{show}",
    "--ty", "{year}", "--ti", "{cover}", "{input}", "{output}"]
"""
OPUS = """
format = "opus"
encode = ["opusenc", "--quiet", "--bitrate", "24", "--title", "{title}", "--artist", "{author}", "--album", "{show}",
    "--date", "{date}", "--picture", "{cover}", "{input}", "{output}"]
"""
FFMPEG = """
format = "m4a"
encode = ["ffmpeg", "-v", "error", "-i", "{input}", "-i", "{metadata}", "-map_metadata", "1", "-b:a", "48k", "{output}"]
"""
TEXT = """---
title: A week of “Lumen”
author: Ada Quill
---

This week the store learned to start warm. PR 185998 did most of it.

```python
store.warm()
```

## What is next

We measure it.
"""
SHOW = """---
title: Talks
description: Weeks of Lumen.
podcast: {title: Lumen Radio, image: cover.png}
---
"""


def radio(folder: Path) -> Path:
    """A site with a show, which has a cover."""
    root = write_site(folder, {"content/talks/_index.md": SHOW, "content/talks/2026-05-04-a-week.md": TEXT})
    Image.new("RGB", (1400, 1400), "teal").save(root / "content/talks/cover.png")
    return root


def test_a_post_becomes_an_episode(tmp_path: Path) -> None:
    root = radio(tmp_path)
    (root / "devlog.toml").write_text(SPEAK + LAME, "utf-8")
    episode = run(Options(root, root / "content/talks/2026-05-04-a-week.md"))
    assert not episode.diagnostics
    audio = root / "content/talks/2026-05-04-a-week.mp3"
    tags = TinyTag.get(audio, image=True)
    assert tags.duration is not None
    assert abs(tags.duration - episode.seconds) < 0.2  # an encoder fills its last frame
    assert 8 < episode.seconds < 60
    assert (tags.title, tags.artist, tags.album, tags.year) == ("A week of “Lumen”", "Ada Quill", "Lumen Radio", "2026")
    assert tags.images.any
    assert tags.images.any.data == (root / "content/talks/cover.png").read_bytes()

    transcript = (root / "content/talks/2026-05-04-a-week.vtt").read_text("utf-8")
    assert "<v Ada Quill>This week the store learned to start warm. PR 185998 did most of it.\n" in transcript
    assert "store.warm" not in transcript
    assert transcript.splitlines()[3] == "<v Ada Quill>Good morning, it's May 4th, 2026."
    assert transcript.endswith("<v Ada Quill>That was Lumen Radio.\n")

    report = build_site(root)
    assert not [item for item in report.diagnostics if item.severity == "error"]
    page = (root / "public/talks/2026-05-04-a-week/index.html").read_text("utf-8")
    assert "<audio" in page
    assert "A block of Python code follows." in page
    assert "What is next" in (root / "public/talks/2026-05-04-a-week/chapters.json").read_text("utf-8")


def test_audio_is_as_loud_as_another_meter_says(tmp_path: Path) -> None:
    root = radio(tmp_path)
    post, wave = root / "content/talks/2026-05-04-a-week.md", root / "content/talks/2026-05-04-a-week.wav"
    (root / "devlog.toml").write_text(f"{SPEAK}loudness = 0", "utf-8")
    run(Options(root, post))
    before, _ = heard(wave)
    assert abs(before + 16) > 3
    (root / "devlog.toml").write_text(SPEAK, "utf-8")
    assert not run(Options(root, post, force=True)).diagnostics
    loudness, peak = heard(wave)
    assert loudness == pytest.approx(-16, abs=0.15)
    assert peak <= -0.9


@pytest.mark.parametrize(("encode", "suffix"), [(OPUS, "opus"), (FFMPEG, "m4a")])
def test_other_formats_have_tags_too(tmp_path: Path, encode: str, suffix: str) -> None:
    root = radio(tmp_path)
    (root / "devlog.toml").write_text(SPEAK + encode, "utf-8")
    assert not run(Options(root, root / "content/talks/2026-05-04-a-week.md")).diagnostics
    audio = root / f"content/talks/2026-05-04-a-week.{suffix}"
    tags = TinyTag.get(audio, image=True)
    found = (tags.title, tags.artist, tags.album, tags.year)
    assert found == ("A week of “Lumen”", "Ada Quill", "Lumen Radio", "2026-05-04")
    assert bool(tags.images.any) == (suffix == "opus")
    if suffix == "opus":
        loudness, peak = heard(audio)
        assert loudness == pytest.approx(-16, abs=0.5)
        assert peak < 0
    else:
        command = ["ffprobe", "-v", "error", "-show_chapters", str(audio)]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert re.findall(r"TAG:title=(.*)", shown) == ["A week of “Lumen”", "What is next"]

"""`devlog speak` with programs that really speak and encode: Debian's espeak-ng and lame."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
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


CONFIGURATION = """
title = "The Lumen log"
[speak]
command = ["espeak-ng", "-v", "en", "-f", "{input}", "-w", "{output}"]
encode = ["lame", "--quiet", "-m", "m", "-b", "32", "{input}", "{output}"]
voice = "Ada Quill"
"""
TEXT = """---
title: A week of Lumen
---

This week the store learned to start warm. PR 185998 did most of it.

```python
store.warm()
```

## What is next

We measure it.
"""


def test_a_post_becomes_an_episode(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "devlog.toml": CONFIGURATION,
            "content/talks/_index.md": "---\ntitle: Talks\ndescription: Weeks of Lumen.\n---\n",
            "content/talks/2026-05-04-a-week.md": TEXT,
        },
    )
    episode = run(Options(root, root / "content/talks/2026-05-04-a-week.md"))
    assert not episode.diagnostics
    audio = root / "content/talks/2026-05-04-a-week.mp3"
    heard = TinyTag.get(audio)
    assert heard.duration is not None
    assert abs(heard.duration - episode.seconds) < 0.2  # an encoder fills its last frame
    assert 8 < episode.seconds < 60
    assert audio.stat().st_size == pytest.approx(episode.seconds * 4000, rel=0.1)

    transcript = (root / "content/talks/2026-05-04-a-week.vtt").read_text()
    assert "<v Ada Quill>This week the store learned to start warm. PR 185998 did most of it.\n" in transcript
    assert "store.warm" not in transcript

    report = build_site(root)
    assert not report.diagnostics
    page = (root / "public/talks/2026-05-04-a-week/index.html").read_text()
    assert "<audio" in page
    assert "A block of Python code follows." in page

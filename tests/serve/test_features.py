"""Features stand by themselves: without the folder of one, devlog builds, checks and serves."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lumen import lumen
from serve_process import serving
from sites import NOW, write_site
from test_layers import PACKAGE

from devlog.packages import version

FEATURES = sorted(path.parent.name for path in PACKAGE.glob("features/*/__init__.py"))


def _line() -> bytes:
    """An image that is larger than a page shows it."""
    from PIL import Image

    data = io.BytesIO()
    Image.linear_gradient("L").resize((2000, 400)).save(data, "PNG", compress_level=0)
    return data.getvalue()


SITE: dict[str, str | bytes] = {
    **lumen(),
    "devlog.toml": """
base_url = "https://lumen.example.org/"
source_repo = "https://github.com/lumen/db"

[avatars]
fetch = true
url = "https://127.0.0.1/{handle}.png"

[brand]
accent = { light = "#7a2048" }

[diagrams.dot]
command = ["cat", "{root}/drawn.svg"]
""",
    "drawn.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>\n',
    "content/storage/2026-05-10-uses.md": """---
title: A post that uses each feature
date: 2026-05-10
author: Ada Quill (@adaquill)
status: historical
audio: {url: "https://lumen.example.org/a.mp3", transcript: body, length: 1000, duration: 60, type: audio/mpeg}
---
Ada Quill: See PR #123, and [all references](/refs/).

```dot
digraph { a -> b }
```

```csv plot=bar
area,changes
wal,3
```

![A long line](line.png)

A formula: $x^2$
""",
    "content/storage/2026-05-11-run.ipynb": '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# Run"}]}',
    "content/begin.md": "---\ntitle: Begin\nreading_path: [storage/2026-05-10-uses.md]\n---\nAt the beginning.\n",
    "content/storage/line.png": _line(),
}

MADE = {
    "brand": "brand/style-*.css",
    "diagrams": "diagrams/*.svg",
    "episodes": "storage/2026-05-10-uses/transcript.txt",
    "images": "images/*.webp",
    "markdown_versions": "index.md",
    "math_font": "fonts/math-*.woff2",
    "notebooks": "storage/2026-05-11-run/index.html",
    "site_search": "search/index.html",
    "social_cards": "card.png",
    "source_references": "refs/index.html",
}
"""Files that are published only with a feature. Supersession and reading paths say something on pages; digests are a
command; avatars are not fetched from this machine, which a note says."""

NOT_INSTALLED = set() if all(map(version, ("ziamath", "fonttools", "brotli"))) else {"math_font"}
"""Features that do nothing without the packages of an extra."""


def without(feature: str, folder: Path) -> Path:
    """A copy of devlog and of its own site, without a feature, or with all of them.

    What Python has compiled is copied, too: it holds for files with the same time and size.
    """
    skip = shutil.ignore_patterns(".devlog")
    for name in ("devlog", "themes", "docs", "content", "static", "templates"):
        shutil.copytree(PACKAGE.parent / name, folder / name, ignore=skip)
    for name in ("devlog.toml", "reference.py"):
        shutil.copy(PACKAGE.parent / name, folder)
    if feature:
        shutil.rmtree(folder / "devlog" / "features" / feature)
    return folder


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "devlog", *arguments],
        env={**os.environ, "PYTHONPATH": str(copy)},
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.slow
def test_the_own_site_and_a_new_one_without_a_feature(feature: str, tmp_path: Path) -> None:
    copy = without(feature, tmp_path / "copy")
    new = ("--root", str(tmp_path / "new"))
    for command in (("check", "--strict"), ("init", str(tmp_path / "new")), ("build", *new), ("check", *new)):
        done = run(copy, *command)
        assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), (command, done.stdout, done.stderr)
    workflows = run(copy, "init", str(tmp_path / "more"), "--github", "--digest", "https://github.com/lumen/db")
    assert workflows.returncode == (2 if feature == "digests" else 0), workflows.stderr


@pytest.mark.parametrize("feature", ["", *FEATURES], ids=lambda feature: feature or "none")
@pytest.mark.slow
def test_without_a_feature(feature: str, tmp_path: Path) -> None:
    copy = without(feature, tmp_path / "copy")
    site = write_site(tmp_path / "site", SITE)
    now = ("--now", NOW.isoformat(), "--root", str(site))
    said = ""
    for command in (("build", "--jobs", "1"), ("check",), ("check", "--fix", "--dry-run"), ("search", "PR 123")):
        done = run(copy, *command, *now)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
        said += done.stdout + done.stderr
    assert (site / "public" / "index.html").exists()
    there = {name for name, pattern in MADE.items() if list((site / "public").glob(pattern))}
    page = (site / "public" / "storage" / "2026-05-10-uses" / "index.html").read_text("utf-8")
    there |= {"avatars"} if "no avatar was fetched" in said else set()
    there |= {"supersession"} if "no longer maintained" in page else set()
    there |= {"reading_paths"} if "Step 1 of 1" in page else set()
    there |= {"plots"} if '<svg class="plot"' in page else set()
    there |= {"digests"} if "digest" in run(copy, "--help").stdout else set()
    assert there == set(FEATURES) - {feature} - NOT_INSTALLED
    environment = {"PYTHONPATH": str(copy)}
    with serving(site, command=(sys.executable, "-m", "devlog"), **environment) as preview:
        assert preview.get("/").status == 200

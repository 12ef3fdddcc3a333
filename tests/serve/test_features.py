"""Features stand by themselves: without the folder of one, devlog builds, checks and serves."""

from __future__ import annotations

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

FEATURES = sorted(path.parent.name for path in PACKAGE.glob("features/*/__init__.py"))


def without(feature: str, folder: Path) -> Path:
    """A copy of devlog, with its themes, without a feature."""
    skip = shutil.ignore_patterns("__pycache__", ".devlog")
    shutil.copytree(PACKAGE, folder / "devlog", ignore=skip)
    shutil.copytree(PACKAGE.parent / "themes", folder / "themes", ignore=skip)
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
def test_without_a_feature(feature: str, tmp_path: Path) -> None:
    copy = without(feature, tmp_path / "copy")
    site = write_site(tmp_path / "site", {**lumen(), "devlog.toml": 'base_url = "https://lumen.example.org/"\n'})
    now = ("--now", NOW.isoformat(), "--root", str(site))
    for command in (("build", "--jobs", "1"), ("check",)):
        done = run(copy, *command, *now)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert (site / "public" / "index.html").exists()
    assert bool(list(site.glob("public/**/card.png"))) == (feature != "social_cards")
    environment = {"PYTHONPATH": str(copy)}
    with serving(site, command=(sys.executable, "-m", "devlog"), **environment) as preview:
        assert preview.get("/").status == 200

"""A folder that the user may not enter ends no command with a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sites import build_site, write_site

REPOSITORY = Path(__file__).parents[2]
WITHOUT = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
"""The superuser may enter everything, until it gives that right away."""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
@pytest.mark.parametrize("folder", [".", "content", "static", "public", ".devlog", "templates"])
@pytest.mark.parametrize("mode", [0o000, 0o444], ids=oct)
def test_it_is_reported(tmp_path: Path, folder: str, mode: int) -> None:
    privileged = os.geteuid() == 0
    if privileged and not shutil.which("setpriv"):
        pytest.skip("the superuser needs setpriv to give rights away")
    files = {
        "devlog.toml": 'title = "The Lumen log"\n',
        "content/storage/2026-05-01-a.md": "---\ntitle: A\n---\nText.\n",
    }
    write_site(tmp_path, {**files, "static/robots.txt": "", "templates/partials/head_extra.html": ""})
    assert not build_site(tmp_path).failed
    closed = tmp_path / folder
    was = closed.stat().st_mode
    for command in (["build"], ["check"], ["search", "text"]):
        closed.chmod(mode)
        try:
            done = subprocess.run(
                [*(WITHOUT if privileged else []), sys.executable, "-P", "-m", "devlog", *command],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
        finally:
            closed.chmod(was)
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 1)
        assert "permission denied" in done.stdout + done.stderr or not done.returncode

"""The package as people install it: its wheel in an environment of its own, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from http_raw import Listener
from serve_process import PATH, REPOSITORY, serving, until, write


@pytest.mark.index
def test_the_installed_preview(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    place = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", place], env=environment, check=True)
    install = [place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", REPOSITORY]
    done = subprocess.run(install, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    root = write(tmp_path / "site")
    with serving(root, command=[place / "bin/devlog"]) as running:
        assert "It keeps them for a day." in running.page()
        listener = Listener(running.port, PATH)
        listener.next()
        running.edit("for a day", "for a week")
        update = listener.next()
        assert list(update["changed"]) == [PATH]
        running.until_page("for a week")
        script = running.get("/__devlog__/live.js")
        assert (script.status, script.one("content-type")) == (200, "text/javascript; charset=utf-8")
        listener.close()
        assert running.end() == 0
        until(lambda: not running.has_group(), "it leaves no child")
        assert "Traceback" not in running.told()

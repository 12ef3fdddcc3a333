"""The preview goes on if nobody reads what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from http_raw import ask
from pipes_unread import fill
from serve_process import FILE, PATH, REPOSITORY, until, write


@pytest.mark.slow
def test_a_full_pipe_in_the_place_of_the_terminal(tmp_path: Path) -> None:
    root = write(tmp_path)
    reader, writer = os.pipe()
    fill(writer)
    process = subprocess.Popen(
        [sys.executable, "-m", "devlog", "serve", "--port", "0"],
        cwd=root, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer, text=True,
    )  # fmt: skip
    os.close(writer)
    try:
        assert process.stdout
        port = urlsplit(process.stdout.readline().strip()).port
        assert port
        for number in range(3):
            text = (root / FILE).read_text("utf-8")
            (root / FILE).write_text(f"{text}\nEdit {number}.\n", "utf-8")
            until(lambda edit=number: f"Edit {edit}." in ask(port, PATH).body.decode(), f"edit {number}", 20)
    finally:
        process.kill()
        process.communicate()
        os.close(reader)

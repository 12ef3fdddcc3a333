"""The preview goes on if nobody reads what it prints."""

from __future__ import annotations

import os
import signal
import socket
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


PLUGIN = """import os, subprocess
from devlog.plugin import Plugin

def plan(outline):
    subprocess.run(["sh", "-c", "yes rowing | head -c 300000; yes rowing | head -c 300000 >&2"])
    os.write(2, b"below Python")
    return ()

plugin = Plugin("rowing", plans=(plan,))
"""


@pytest.mark.slow
@pytest.mark.parametrize("together", [True, False])
def test_a_program_of_a_plugin_whose_output_nobody_reads(tmp_path: Path, *, together: bool) -> None:
    root = write(tmp_path)
    (root / "p.py").write_text(PLUGIN, "utf-8")
    (root / "devlog.toml").write_text(f'plugins = ["p.py"]\n{(root / "devlog.toml").read_text("utf-8")}', "utf-8")
    reader, writer = os.pipe()
    fill(writer)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "devlog", "serve", "--port", str(port)],
        cwd=root, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL, stdout=writer if together else subprocess.PIPE, stderr=writer,
    )  # fmt: skip
    os.close(writer)
    try:
        until(lambda: _is_shown(port), "the page", 20)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()
        os.close(reader)


def _is_shown(port: int) -> bool:
    try:
        return ask(port, PATH).status == 200
    except OSError:  # it does not listen yet
        return False

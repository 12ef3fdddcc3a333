"""The preview goes on if nobody reads what it prints."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from http_raw import ask
from pipes_unread import fill
from serve_process import CONFIG, DEADLINE, FILE, PATH, REPOSITORY, until, write
from sites import write_site

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="no other system opens a pipe again")


PLUGIN = """\
import subprocess
import sys
from devlog.plugin import Plugin
program = [sys.executable, "-c", "import os; os.write(2, bytes(1000))"]
subprocess.run(program, stdout=subprocess.DEVNULL, check=False)
plugin = Plugin("loud")
"""


@pytest.mark.slow
@pytest.mark.parametrize("prints", [False, pytest.param(True, marks=ON_LINUX)])
def test_a_full_pipe_in_the_place_of_the_terminal(tmp_path: Path, prints: bool) -> None:
    """A plugin may start programs, which print there, too."""
    root = write(tmp_path)
    if prints:
        write_site(root, {"plugins.py": PLUGIN, "devlog.toml": f'plugins = ["plugins.py"]\n{CONFIG}'})
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
        assert select.select([process.stdout], [], [], DEADLINE)[0], "it waits"
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

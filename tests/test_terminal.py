"""Commands on a terminal: who wants no colors gets none, and Ctrl-C at a prompt ends a command as anywhere else."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from check.fixable_site import POST, SITE, A
from sites import write_site

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")

At = Callable[["subprocess.Popen[bytes]", int], object]
"""What happens at a prompt: called with the process and the other end of its terminal."""


def on_terminal(folder: Path, *arguments: str, at_prompt: At | None = None, **variables: str) -> tuple[int, bytes]:
    """Run a command on a terminal.

    Args:
        folder: the current folder.
        arguments: of the command.
        at_prompt: what happens whenever the command waits at a prompt.
        variables: of the environment.

    Returns:
        The exit code, and all output.
    """
    import pty

    main, side = pty.openpty()
    command = [sys.executable, "-m", "devlog", *arguments]
    environment = {**os.environ, **variables}
    output = b""
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, cwd=folder, env=environment) as process:
        os.close(side)
        while True:
            if not select.select([main], [], [], 0.5)[0]:
                # Again and again: what comes while a prompt changes the terminal's mode may be lost.
                if at_prompt and output.rstrip().endswith(b":"):
                    at_prompt(process, main)
                continue
            try:
                data = os.read(main, 65536)
            except OSError:  # on Linux, the end
                break
            if not data:
                break
            output += data
    os.close(main)
    return process.returncode, output


@pytest.mark.parametrize("variable", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["usual", "NO_COLOR", "dumb"])
@pytest.mark.parametrize("command", [("check",), ("check", "--explain", "broken-link")], ids=" ".join)
def test_colors(tmp_path: Path, command: tuple[str, ...], variable: dict[str, str]) -> None:
    root = write_site(tmp_path, {"content/a.md": "---\ntitle: A\n---\n[x](gone.md)\n"})
    code, output = on_terminal(root, *command, **{"TERM": "xterm", "NO_COLOR": "", **variable})
    assert code in (0, 1)
    assert b"broken-link" in output
    assert (re.search(rb"\x1b\[[\d;]*m", output) is not None) == (not variable)  # progress may move the cursor


@pytest.mark.parametrize(
    ("at_prompt", "code"),
    [
        (lambda process, _main: process.send_signal(signal.SIGINT), 130),
        (lambda _process, main: os.write(main, b"\x04"), 1),
    ],
    ids=["Ctrl-C", "end of input"],
)
def test_keys_at_a_prompt(tmp_path: Path, at_prompt: At, code: int) -> None:
    root = write_site(tmp_path, {"devlog.toml": "", "content/a/_index.md": "---\ntitle: A\n---\n"})
    ended, output = on_terminal(root, "new", "post", at_prompt=at_prompt)
    assert ended == code
    assert b"Traceback" not in output
    assert (b"Interrupted." in output) == (code == 130)


def test_a_patch_is_for_reading(tmp_path: Path) -> None:
    """Elsewhere it can be applied, see test_fixing.py."""
    root = write_site(tmp_path, {**SITE, A: POST.replace("Text.", "\tgo\x1b[1m").replace("\n", "\r\n")})
    _, output = on_terminal(root, "check", "--fix", "--dry-run", NO_COLOR="1")
    assert b"\n \tgo\\x1b[1m\r\n" in output  # the terminal's own carriage return
    assert b"\x1b[1m" not in output
    assert b"\r\r" not in output

"""Commands on a terminal: who wants no colors gets none, and Ctrl-C at a prompt ends a command as anywhere else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from sites import write_site

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")


def on_terminal(folder: Path, *arguments: str, keys: bytes = b"", **variables: str) -> tuple[int, bytes]:
    """Run a command on a terminal.

    Args:
        folder: the current folder.
        arguments: of the command.
        keys: what is typed once the command has printed a prompt.
        variables: of the environment.

    Returns:
        The exit code, and all output.
    """
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(variables)
        os.execv(sys.executable, [sys.executable, "-m", "devlog", *arguments])
    output = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # on Linux, the end
            data = b""
        if not data:
            break
        output += data
        if keys and output.rstrip().endswith(b":"):
            os.write(terminal, keys)
            keys = b""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), output


@pytest.mark.parametrize("variable", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["usual", "NO_COLOR", "dumb"])
@pytest.mark.parametrize("command", [("check",), ("check", "--explain", "broken-link")], ids=" ".join)
def test_colors(tmp_path: Path, command: tuple[str, ...], variable: dict[str, str]) -> None:
    root = write_site(tmp_path, {"content/a.md": "---\ntitle: A\n---\n[x](gone.md)\n"})
    code, output = on_terminal(root, *command, **{"TERM": "xterm", "NO_COLOR": "", **variable})
    assert code in (0, 1)
    assert b"broken-link" in output
    assert (b"\x1b[" in output) == (not variable)


@pytest.mark.parametrize(("keys", "code"), [(b"\x03", 130), (b"\x04", 1)], ids=["Ctrl-C", "end of input"])
def test_keys_at_a_prompt(tmp_path: Path, keys: bytes, code: int) -> None:
    root = write_site(tmp_path, {"devlog.toml": "", "content/a/_index.md": "---\ntitle: A\n---\n"})
    ended, output = on_terminal(root, "new", "post", keys=keys)
    assert ended == code
    assert b"Traceback" not in output
    assert (b"Interrupted." in output) == (code == 130)

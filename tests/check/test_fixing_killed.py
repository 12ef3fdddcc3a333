"""A command that is killed while it fixes a file leaves the file whole, with its old text or its new one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sites import write_site

from devlog.disk.single_files import is_spare

PACKAGE = Path(__file__).parent.parent.parent
OLD, NEW = "Old text.\n", "New text.\n"
KILLED = """
import errno, json, os, signal, sys
from pathlib import Path
from devlog.disk import single_files
from devlog.fixing.change import Change, make

def not_supported():
    raise OSError(errno.ENOSYS, "no such call")

root, change = Path(sys.argv[1]), Change(*sys.argv[2:6])
if sys.argv[6] == "plain":
    single_files.exchanger = single_files.renamer = not_supported
folder = (root / change.file).parent

def fix_until(left):
    def trace(frame, event, _argument):
        nonlocal left
        if Path(frame.f_code.co_filename).name not in ("change.py", "single_files.py", "folder.py"):
            return None
        left -= event == "line"
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    make(root, change)

ended = False
for lines in range(10_000):
    for file in folder.iterdir():
        file.unlink()
    (root / change.file).write_text(change.before)
    pid = os.fork()
    if not pid:
        try:
            fix_until(lines)
        finally:
            os._exit(0)
    ended = not os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    print(json.dumps([ended, {file.name: file.read_text() for file in folder.iterdir()}]))
    if ended:
        break
"""
"""Fixes a file in forks of itself that are killed before one line of devlog after the other."""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be forked")
@pytest.mark.parametrize("way", ["exchange", "plain"])
def test_a_kill_at_any_line_leaves_the_file_whole(tmp_path: Path, way: str) -> None:
    root = write_site(tmp_path, {"content/a.md": OLD})
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(root), "content/a.md", "content/b.md", OLD, NEW, way],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    whole = [{name: text for name, text in files.items() if not is_spare(name)} for _, files in found]
    old, edited, renamed = {"a.md": OLD}, {"a.md": NEW}, {"b.md": NEW}
    assert whole[0] == old
    assert found[-1] == [True, renamed]
    both = {**edited, **renamed} if way == "plain" else renamed  # a link under the new name before the old one goes
    changes = [state for state, before in zip(whole[1:], whole, strict=False) if state != before]
    assert changes == [edited, both, *([renamed] if both != renamed else [])]

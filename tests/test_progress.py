"""How far long work has come: a bar for people at a terminal, a line now and then in a log, nothing for short work."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from devlog.report import progress as module
from devlog.report.progress import progress

ROOT = Path(__file__).parents[1]


def clock(monkeypatch: pytest.MonkeyPatch, seconds: list[float]) -> None:
    """Let each look at the clock find the next of these moments."""
    moments = iter(seconds)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(moments))


def test_a_log_gets_a_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock(monkeypatch, [0, 1, 9.9, 10, 15, 20.5])
    with progress(shown=True) as show_progress:
        show_progress("Reading posts", 100, 12_000)
        show_progress("Resizing images", 13, 60)
        show_progress("Resizing images", 14, 60)
        show_progress("Writing pages", 1200, 0)
        show_progress("Writing pages", 1300, 0)
    assert capsys.readouterr() == ("", "Resizing images 14/60\nWriting pages 1,300\n")


def test_what_is_for_programs_has_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock(monkeypatch, [])
    with progress(shown=False) as show_progress:
        show_progress("Reading posts", 1, 2)
    assert capsys.readouterr() == ("", "")


SCRIPT = """
import sys
from devlog.report import progress as module
moments = iter({moments})
module.time.monotonic = lambda: next(moments, 99)
with module.progress(shown=True) as show_progress:
    for stage, done, total in {calls}:
        show_progress(stage, done, total)
print("done")
"""


def on_terminal(moments: list[float], calls: list[tuple[str, int, int]]) -> str:
    """What a terminal of 80 columns gets."""
    main, side = pty.openpty()
    script = SCRIPT.format(moments=moments, calls=calls)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": "1"}
    with subprocess.Popen([sys.executable, "-c", script], stdout=side, stderr=side, env=environment) as process:
        os.close(side)
        shown = b""
        try:
            while piece := os.read(main, 1 << 16):
                shown += piece
        except OSError:  # the other end is closed
            pass
        os.close(main)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", shown.decode())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_terminal_gets_a_bar_in_words() -> None:
    shown = on_terminal(
        [0, 0.5, 1.5, 2, 2], [("Reading posts", 5, 60), ("Resizing images", 14, 60), ("Indexing pages", 700, 750)]
    )
    assert "Resizing images" in shown
    assert "14/60" in shown
    assert "Indexing pages" in shown
    assert "700/750" in shown
    assert "Reading posts" not in shown, "it took less than a second"
    assert shown.rstrip().endswith("done")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_terminal_gets_nothing_of_short_work() -> None:
    assert on_terminal([0, 0.5, 0.9], [("Reading posts", 5, 60), ("Writing pages", 6, 0)]).strip() == "done"

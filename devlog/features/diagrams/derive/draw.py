"""Renders a diagram with a program: without a shell, in an empty folder, within limits."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from devlog import programs
from devlog.engine.time_left import TimeLeft
from devlog.features.diagrams.derive.dark import drawn
from devlog.features.diagrams.derive.svg import BadDrawingError
from devlog.model.derived import Made, OwnerOf, Work
from devlog.programs import Limits, Program

SECONDS = 60.0
"""The maximum running time of a command: some start a browser."""
MAX_BYTES = 4 * 1024 * 1024
"""The maximum output of a command."""

MEMORY = 1 << 30
"""The maximum memory of a command."""
SECONDS_OF_POST = 120.0
"""The maximum running time of all commands for one post, whose text asks for them."""

_LINE = re.compile(r"\bline (\d{1,6})\b", re.IGNORECASE)


def draw(parts: Mapping[str, Any], _files: Sequence[bytes] = (), stop: Event | None = None) -> Made:
    """Render a diagram with a command.

    Args:
        parts: ``language``, ``text``, and ``command``, a list of arguments. In these, ``{input}`` stands for a file
            with the text, which is otherwise passed on standard input, ``{output}`` for the file to write instead of
            standard output, and ``{root}`` for the site's folder, which is ``root``; ``environment``, further
            variables for it; and ``dark``, whether to make a version for dark mode.
        stop: ends the command early once it is set.

    Returns:
        The SVG, for light and for dark mode, with its ``width`` and ``height``, or the problem.
    """
    with TemporaryDirectory(prefix="devlog-diagram-", ignore_cleanup_errors=True) as folder:
        return _draw(Path(folder), parts, stop)


def _alone(work: Work) -> str:
    """A name for a diagram of no post."""
    return str(work.parts["text"])


def draw_all(works: Sequence[Work], owner_of: OwnerOf = _alone) -> list[Made]:
    """Render diagrams, several at a time: each command is a process of its own anyway.

    Args:
        works: the diagrams.
        owner_of: returns the post of a diagram: the diagrams of one post share a time limit.
    """
    if not works:
        return []
    at_once = min(len(works), os.cpu_count() or 1)
    left = TimeLeft(SECONDS_OF_POST)

    def one(work: Work, stop: Event) -> Made:
        owner = owner_of(work)
        if left.is_over(owner):
            return Made(problem=left.problem, retry=True)
        start = time.monotonic()
        made = draw(work.parts, stop=stop)
        left.take(owner, time.monotonic() - start)
        return made

    return programs.run_all(one, works, at_once)


def _draw(folder: Path, parts: Mapping[str, Any], stop: Event | None) -> Made:
    language, text, command = parts["language"], parts["text"], parts["command"]
    source, drawing = folder / f"diagram.{language}", folder / "diagram.svg"
    source.write_text(text, "utf-8", newline="\n")
    names = {"{input}": str(source), "{output}": str(drawing), "{root}": programs.as_recorded(parts.get("root", ""))}
    printed = folder / "stdout"
    given = None if programs.mentions(command, "{input}") else source
    limits = Limits(SECONDS, MAX_BYTES, "writes more than a drawing may have", MEMORY)
    program = Program(command, names, parts.get("environment", {}))
    ended = programs.run(program, folder, given, printed, limits, stop)
    if ended.problem:
        line = _LINE.search(ended.complaint)
        known = line and int(line[1]) <= text.count("\n") + 1
        return Made(problem=ended.problem, line=int(line[1]) if line and known else 0, retry=ended.retry)
    try:
        data = _bytes_of(drawing if programs.mentions(command, "{output}") else printed)
        return drawn(data, dark=parts.get("dark", False))
    except OSError:
        return Made(problem=f"“{command[0]}” produced no diagram")
    except BadDrawingError as error:
        return Made(problem=f"what “{command[0]}” produced cannot be shown: {error}")


def _bytes_of(path: Path) -> bytes:
    """The output of a command. Raises OSError, also if it is not a regular file."""
    if programs.size_of(programs.written(path)) > MAX_BYTES:
        raise BadDrawingError(f"it is larger than {MAX_BYTES // 1024**2} MB")
    return path.read_bytes()

"""Having a diagram drawn by a command of the configuration: without a shell, in an empty folder, within limits."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from devlog.diagrams.svg import BadDrawingError, read_svg
from devlog.model.derived import Made, Work

SECONDS = 60.0
"""How long a command may take: some start a browser."""
MAX_BYTES = 4 * 1024 * 1024
"""How much a command may write."""

_KEPT = ("PATH", "HOME", "SYSTEMROOT", "PATHEXT", "USERPROFILE", "LOCALAPPDATA")
"""What a command needs to find itself and its own files; secrets of the environment are not for it."""
_LINE = re.compile(r"\bline (\d{1,6})\b", re.IGNORECASE)
_OFTEN = 0.02
"""How many seconds pass between two looks at a command that runs."""


def draw(parts: Mapping[str, Any], _files: Sequence[bytes] = ()) -> Made:
    """Have a diagram drawn.

    Args:
        parts: ``language``, ``text``, and ``command``, a list of arguments. There ``{input}`` stands for a file with
            the text, which otherwise is given to the standard input, ``{output}`` for the file that is to be written
            in place of the standard output, and ``{root}`` for the site's folder, which is ``root``.

    Returns:
        The drawing with its ``width`` and ``height``, or why there is none.
    """
    with TemporaryDirectory(prefix="devlog-diagram-", ignore_cleanup_errors=True) as folder:
        return _draw(Path(folder), parts["language"], parts["text"], parts["command"], parts.get("root", ""))


def draw_all(works: Sequence[Work]) -> list[Made]:
    """Have diagrams drawn, several at a time: each of these commands is a process anyway."""
    if not works:
        return []
    with ThreadPoolExecutor(max_workers=min(len(works), os.cpu_count() or 1)) as pool:
        return list(pool.map(lambda work: draw(work.parts), works))


def _draw(folder: Path, language: str, text: str, command: Sequence[str], root: str) -> Made:
    source, drawing = folder / f"diagram.{language}", folder / "diagram.svg"
    source.write_text(text, "utf-8", newline="\n")
    names = {"{input}": str(source), "{output}": str(drawing), "{root}": root}
    arguments = [_filled(argument, names) for argument in command]
    printed, complaints = folder / "stdout", folder / "stderr"
    wants_input = not any("{input}" in argument for argument in command)
    result = printed if not any("{output}" in argument for argument in command) else drawing
    try:
        with (
            (source if wants_input else Path(os.devnull)).open("rb") as given,
            printed.open("wb") as out,
            complaints.open("wb") as err,
        ):
            status = _run(arguments, folder, given, out, err)
    except OSError as error:
        return Made(problem=f"“{command[0]}” cannot be started: {error.strerror or error}", retry=True)
    if isinstance(status, str):
        return Made(problem=f"“{command[0]}” {status}", retry=True)
    if status:
        complaint = _complaint(complaints, str(folder), root)
        line = _LINE.search(complaint)
        known = line and int(line[1]) <= text.count("\n") + 1
        said = f"says: {complaint}" if complaint else f"fails with status {status}"
        return Made(problem=f"“{command[0]}” {said}", line=int(line[1]) if line and known else 0)
    try:
        data = _bytes_of(result)
        found = read_svg(data)
    except OSError:
        return Made(problem=f"“{command[0]}” has written no drawing")
    except BadDrawingError as error:
        return Made(problem=f"what “{command[0]}” has drawn cannot be shown: {error}")
    return Made({"width": found.width, "height": found.height}, (found.data,))


def _filled(argument: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        argument = argument.replace(name, value)
    return argument


def _run(arguments: Sequence[str], folder: Path, given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> int | str:
    """Run a command; gives its status, or says what became of it."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(folder), "TEMP": str(folder)}
    process = subprocess.Popen(  # noqa: S603 - the configuration is trusted, and there is no shell
        arguments,
        stdin=given,
        stdout=out,
        stderr=err,
        cwd=folder,
        env=environment,
        start_new_session=True,  # so that what it starts ends with it
    )
    left = SECONDS
    try:
        while True:
            try:
                return process.wait(_OFTEN)
            except subprocess.TimeoutExpired:
                left -= _OFTEN
            if left <= 0:
                return f"takes longer than {SECONDS:g} seconds"
            if sum(_size_of(path) for path in folder.iterdir()) > MAX_BYTES:
                return "writes more than a drawing may have"
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command with all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _size_of(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def _bytes_of(path: Path) -> bytes:
    """What a command has written. Raises OSError, also for what is no plain file."""
    if path.is_symlink() or not path.is_file():
        raise OSError
    if _size_of(path) > MAX_BYTES:
        raise BadDrawingError(f"it is larger than {MAX_BYTES // 1024**2} MB")
    return path.read_bytes()


def _complaint(path: Path, *folders: str) -> str:
    """The first line that a command has complained with, wherever the site and our own folder may lie."""
    text = path.read_bytes()[:4096].decode(errors="replace")
    for folder in filter(None, folders):
        text = text.replace(f"{folder}{os.sep}", "")
    lines = ("".join(char if char.isprintable() else " " for char in line).strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:200]

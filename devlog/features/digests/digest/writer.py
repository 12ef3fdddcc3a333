"""A program of the team's choice that writes the text of a digest: it reads an activity and prints Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from devlog.disk.scratch import scratch_folder
from devlog.features.digests.model.activity import Activity, encode
from devlog.programs import Limits, Program, run

_LIMITS = Limits(seconds=300, bytes=10_000_000)


class WriterFailedError(Exception):
    """The program failed; the message is a sentence without a full stop."""


def write(command: Sequence[str], activity: Activity, root: Path) -> str:
    """Have a program write a text.

    The program runs without a shell, in an empty folder, with a minimal environment and within limits.

    Args:
        command: its name and arguments; ``{root}`` stands for the site's folder.
        activity: what it gets on its standard input, as JSON.
        root: the site's folder.

    Raises:
        WriterFailedError: it fails, takes too long, or prints something that is no text.
    """
    with scratch_folder("digest") as folder:
        given, printed = folder / "activity.json", folder / "text.md"
        given.write_bytes(encode(activity))
        ended = run(Program(command, {"{root}": str(root.resolve())}), folder, given, printed, _LIMITS)
        if ended.problem:
            raise WriterFailedError(ended.problem)
        data = printed.read_bytes()
    try:
        text = data.decode("utf-8").replace("\r\n", "\n").strip("\n") + "\n"
    except UnicodeDecodeError:
        raise WriterFailedError(f"“{command[0]}” prints something that is not UTF-8") from None
    if not text.strip():
        raise WriterFailedError(f"“{command[0]}” prints nothing")
    return text

"""Shows the progress of long work: as a bar on a terminal, as an occasional line in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

ReportProgress = Callable[[str, int, int], None]
"""Called with the name of a stage, the number of finished items, and their total; 0 if that is unknown."""

WORDS = {
    "parse": "Reading posts",
    "files": "Reading files",
    "images": "Resizing images",
    "avatars": "Fetching avatars",
    "diagrams": "Drawing diagrams",
    "source": "Reading the source repository",
    "render": "Writing pages",
    "index": "Indexing pages",
    "ask": "Checking external links",
}
"""The descriptions of stages for users."""

FIRST_SECONDS = 1.0
"""After how many seconds of work the bar appears."""

LINE_SECONDS = 10.0
"""The seconds between two lines in a log."""


@contextmanager
def progress(*, shown: bool) -> Iterator[ReportProgress]:
    """Show the progress of work on the error stream, if it takes long.

    Args:
        shown: whether to show it; `False` for output that is not for people.

    Yields:
        The function to call with the progress.
    """
    if not shown:
        yield lambda _stage, _done, _total: None
    elif sys.stderr.isatty():
        bar = _Bar()
        try:
            yield bar.update
        finally:
            bar.close()
    else:
        yield _Lines().update


class _Lines:
    """Shows progress as a line every ten seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def update(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= LINE_SECONDS:
            self._last = now
            click.echo(f"{WORDS[stage]} {done:,}{f'/{total:,}' if total else ''}", err=True)


class _Bar:
    """Shows progress as a bar for the current stage. The bars of finished stages disappear."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._bar: Progress | None = None
        self._stage = ""
        self._task: TaskID | None = None

    def update(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._begin < FIRST_SECONDS:
            return
        if self._bar is None:
            self._bar = _started()
        if stage != self._stage or self._task is None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._stage, self._task = stage, self._bar.add_task(WORDS[stage], total=total or None, completed=done)
        self._bar.update(self._task, completed=done, total=total or None)

    def close(self) -> None:
        if self._bar:
            self._bar.stop()


def _started() -> Progress:
    from rich import progress as columns  # imported here, so that only long work spends time on it
    from rich.console import Console

    bar = columns.Progress(
        columns.TextColumn("{task.description}"),
        columns.BarColumn(bar_width=None),
        columns.MofNCompleteColumn(),
        columns.TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
    bar.start()
    return bar

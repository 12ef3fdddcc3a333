"""Terminal output of the preview: one line for each change, followed by new problems."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import click

from devlog.model.diagnostic import Diagnostic
from devlog.report import as_text, count, printable
from devlog.serve.changes import Change

_NAMED = 3
"""The maximum number of files of a change that are listed by name."""

_SHOWN = 20
"""The maximum number of problems shown after a change."""


class Console:
    """Writes to the terminal. Only the URL goes to standard output, for programs that wait for it."""

    def __init__(self) -> None:
        self._known: frozenset[tuple[object, ...]] = frozenset()

    def address(self, url: str) -> None:
        """Print the URL of the preview."""
        _echo(url, err=False)

    def note(self, text: str) -> None:
        """Print a line of text."""
        _echo(printable(text))

    def began(self, title: str, change: Change, posts: int, reading: int, diagnostics: Sequence[Diagnostic]) -> None:
        """Report that the preview is ready.

        Args:
            title: of the site.
            change: the first one, which read the site.
            posts: the number of posts shown.
            reading: the number of posts and pages that are not parsed yet.
            diagnostics: all problems so far.
        """
        behind = f", {count(reading, 'post')} still loading" if reading else ""
        head = click.style(f"Previewing “{printable(title)}”", fg="green", bold=True)
        ready = f"{count(posts, 'post')}{behind}, ready in {change.seconds:.2f} s"
        _echo(f"{head}: {ready}. Press Ctrl-C to stop.")
        self.problems(diagnostics)

    def changed(self, change: Change, diagnostics: Sequence[Diagnostic]) -> None:
        """Report the files of a change, and the work and time that it took."""
        clock = click.style(time.strftime("%H:%M:%S"), dim=True)
        what = printable(_names(change.files)) or ("all posts are loaded" if change.parsed else "problems changed")
        work = f"parsed {change.parsed:,}, rendered {change.rendered:,}"
        took = f"{change.seconds * 1000:.0f} ms"
        kept = click.style(" · showing the last successful build", fg="yellow") if change.kept else ""
        _echo(f"{clock} {what} · {work} · {took}{kept}")
        self.problems(diagnostics)

    def problems(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Show the problems that are new, or report that all are fixed."""
        current = frozenset(diagnostic.sort_key for diagnostic in diagnostics)
        new = [diagnostic for diagnostic in diagnostics if diagnostic.sort_key not in self._known]
        for diagnostic in new[:_SHOWN]:
            _echo(as_text(diagnostic))
        if len(new) > _SHOWN:
            _echo(f"  and {len(new) - _SHOWN:,} more: run “devlog build”")
        if self._known and not current:
            _echo(click.style("  all problems are fixed", fg="green"))
        self._known = current


def _echo(text: str, *, err: bool = True) -> None:
    """Print a line if possible: the preview goes on if the terminal is closed, or the disk of its log is full."""
    with suppress(OSError, ValueError):  # a closed stream raises the latter
        click.echo(text, err=err)


def _names(files: Sequence[str]) -> str:
    """The names of a change's files; if there are many, their number and common folder."""
    if len(files) <= _NAMED:
        return ", ".join(files)
    folders = {name.lstrip("+- ").rpartition("/")[0] for name in files}
    folder = folders.pop() if len(folders) == 1 else ""
    where = f" in {folder}" if folder else ""
    return f"{len(files):,} files{where}"

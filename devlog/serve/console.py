"""What the preview says in the terminal: one line for each change, and what is wrong under it."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from devlog.model.diagnostic import Diagnostic
from devlog.report import as_text, count, printable
from devlog.serve.changes import Change

_NAMED = 3
"""So many files of a change are named."""

_SHOWN = 20
"""So many problems are shown."""


class Console:
    """Tells of changes. The address alone goes to the standard output, for programs that wait for it."""

    def __init__(self) -> None:
        self._known: frozenset[tuple[object, ...]] = frozenset()

    def address(self, url: str) -> None:
        """Say where the preview is."""
        click.echo(url)

    def note(self, text: str) -> None:
        """Say something in a line."""
        click.echo(printable(text), err=True)

    def began(self, title: str, change: Change, posts: int, reading: int, diagnostics: Sequence[Diagnostic]) -> None:
        """Say that the first page can be asked for."""
        behind = f", {count(reading, 'post')} still loading" if reading else ""
        head = click.style(f"Previewing “{printable(title)}”", fg="green", bold=True)
        ready = f"{count(posts, 'post')}{behind}, ready in {change.seconds:.2f} s"
        click.echo(f"{head}: {ready}. Press Ctrl-C to stop.", err=True)
        self.problems(diagnostics)

    def changed(self, change: Change, diagnostics: Sequence[Diagnostic]) -> None:
        """Say what a change was and took."""
        clock = click.style(time.strftime("%H:%M:%S"), dim=True)
        what = printable(_names(change.files)) or ("all posts are loaded" if change.parsed else "problems changed")
        work = f"parsed {change.parsed:,}, rendered {change.rendered:,}"
        took = f"{change.seconds * 1000:.0f} ms"
        kept = click.style(" · showing the last successful build", fg="yellow") if change.kept else ""
        click.echo(f"{clock} {what} · {work} · {took}{kept}", err=True)
        self.problems(diagnostics)

    def problems(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Show the problems that have not been shown yet; say when all are gone."""
        told = frozenset(diagnostic.sort_key for diagnostic in diagnostics)
        new = [diagnostic for diagnostic in diagnostics if diagnostic.sort_key not in self._known]
        for diagnostic in new[:_SHOWN]:
            click.echo(as_text(diagnostic), err=True)
        if len(new) > _SHOWN:
            click.echo(f"  and {len(new) - _SHOWN:,} more: run “devlog build”", err=True)
        if self._known and not told:
            click.echo(click.style("  all problems are fixed", fg="green"), err=True)
        self._known = told


def _names(files: Sequence[str]) -> str:
    """The files of a change; of many, how many there are and where."""
    if len(files) <= _NAMED:
        return ", ".join(files)
    folders = {name.lstrip("+- ").rpartition("/")[0] for name in files}
    folder = folders.pop() if len(folders) == 1 else ""
    where = f" in {folder}" if folder else ""
    return f"{len(files):,} files{where}"

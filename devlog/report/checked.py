"""Telling people and programs what a check found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from devlog.model.diagnostic import Diagnostic
from devlog.report import COLORS, as_annotation, as_json, as_text, count, json_text, printable
from devlog.report.sarif import as_sarif


def show(
    title: str,
    posts: int,
    diagnostics: Sequence[Diagnostic],
    seconds: float,
    style: str,
    explain: Callable[[str], str],
    folder: str = "",
) -> None:
    """Print what was found: for people problems on the error stream, and a summary on the standard one.

    Args:
        title: of the site.
        posts: how many posts it has.
        diagnostics: what was found.
        seconds: how long that took.
        style: ``text``, ``json``, ``github`` or ``sarif``.
        explain: gives the documentation of a code.
        folder: of the site, as a code host knows it.
    """
    if style in ("json", "sarif"):
        document = as_sarif(diagnostics, explain, folder)
        if style == "json":
            found = [as_json(item) for item in diagnostics]
            document = json_text({"title": title, "posts": posts, "diagnostics": found, "seconds": round(seconds, 4)})
        click.echo(document.encode())  # JSON is UTF-8 (RFC 8259), whatever the terminal
        return
    for item in diagnostics:
        if style == "github":
            click.echo(as_annotation(item, folder))
        else:
            click.echo(as_text(item), err=True)
    click.echo(summary(title, posts, diagnostics, seconds))


def summary(title: str, posts: int, diagnostics: Sequence[Diagnostic], seconds: float) -> str:
    """What was found, in a line or two."""
    checked = f"“{printable(title)}”, {count(posts, 'post')}, in {seconds:.2f} s"
    if not diagnostics:
        return f"{click.style('No problems found', fg='green', bold=True)} in {checked}"
    lines = [f"{_counted(diagnostics)} in {checked}"]
    fixable = sum(item.fix is not None for item in diagnostics)
    if fixable:
        lines.append(f"  devlog check --fix fixes {fixable:,} of them; add --dry-run to preview them")
    return "\n".join(lines)


def _counted(diagnostics: Sequence[Diagnostic]) -> str:
    counts = [(level, sum(item.severity == level for item in diagnostics)) for level in COLORS]
    return ", ".join(
        click.style(count(number, level), fg=COLORS[level], bold=True) for level, number in counts if number
    )


def show_rest(diagnostics: Sequence[Diagnostic]) -> None:
    """Print how much would be left after mending."""
    click.echo(f"{_counted(diagnostics) or 'Nothing'} would be left.")


def show_changes(diffs: Sequence[str], *, dry_run: bool) -> None:
    """Print what was fixed, or would be, as a patch, and how many files that are."""
    for diff in diffs:
        for line in diff.removesuffix("\n").split("\n"):
            words = line.removesuffix("\r").split("\t")
            click.echo(_painted("\t".join(map(printable, words))))
    if diffs:
        click.echo(f"{'Would fix' if dry_run else 'Fixed'} {count(len(diffs), 'file')}.", err=True)
    else:
        click.echo("Nothing can be fixed automatically.", err=True)


def _painted(line: str) -> str:
    if line.startswith(("---", "+++", "rename ")):
        return click.style(line, bold=True)
    colors = {"-": "red", "+": "green", "@": "cyan"}
    return click.style(line, fg=colors[line[:1]]) if line[:1] in colors else line

"""Prints the results of a check, for people or programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from devlog.model.diagnostic import Diagnostic
from devlog.model.report import CheckReport
from devlog.report import COLORS, Rows, as_annotation, as_json, as_text, count, echo_json, printable
from devlog.report.sarif import as_sarif


def show(report: CheckReport, style: str, explain: Callable[[str], str], folder: str = "") -> None:
    """Print the results of a check. Problems as text go to the error stream, everything else to the standard one.

    Args:
        report: the results.
        style: ``text``, ``json``, ``github`` or ``sarif``.
        explain: returns the documentation of a code.
        folder: the site's folder in the repository.
    """
    if style == "sarif":
        echo_json(as_sarif(report.diagnostics, explain, folder))
        return
    if style == "json":
        found = Rows(report.diagnostics, as_json)
        seconds = round(report.seconds, 4)
        echo_json({"title": report.title, "posts": report.posts, "diagnostics": found, "seconds": seconds})
        return
    for item in report.diagnostics:
        if style == "github":
            click.echo(as_annotation(item, folder))
        else:
            click.echo(as_text(item), err=True)
    click.echo(summary(report))


def summary(report: CheckReport) -> str:
    """The summary of a check, in one or two lines."""
    diagnostics = report.diagnostics
    checked = f"“{printable(report.title)}”, {count(report.posts, 'post')}, in {report.seconds:.2f} s"
    if not diagnostics:
        return f"{click.style('No problems found', fg='green', bold=True)} in {checked}"
    lines = [f"{_counted(diagnostics)} in {checked}"]
    if report.fixable:
        lines.append(f"  devlog check --fix fixes {report.fixable:,} of them; add --dry-run to preview them")
    return "\n".join(lines)


def _counted(diagnostics: Sequence[Diagnostic]) -> str:
    counts = [(level, sum(item.severity == level for item in diagnostics)) for level in COLORS]
    return ", ".join(
        click.style(count(number, level), fg=COLORS[level], bold=True) for level, number in counts if number
    )


def show_rest(diagnostics: Sequence[Diagnostic]) -> None:
    """Print how many problems would be left after fixing."""
    click.echo(f"{_counted(diagnostics) or 'Nothing'} would be left.")


def show_changes(diffs: Sequence[str], *, dry_run: bool) -> None:
    """Print the changes that were made, or would be made, as a patch, and the number of files.

    Args:
        diffs: the change of each file. What could control a terminal is escaped. A carriage return at the end of a line
            could not, and stays for what applies the patch; people are not shown it.
        dry_run: whether the changes would be made.
    """
    is_read = sys.stdout.isatty()
    for diff in diffs:
        for line in diff.removesuffix("\n").split("\n"):
            words = line.removesuffix("\r").split("\t")
            end = "\r" if line.endswith("\r") and not is_read else ""
            click.echo(_painted("\t".join(map(printable, words))) + end)
    if diffs:
        click.echo(f"{'Would fix' if dry_run else 'Fixed'} {count(len(diffs), 'file')}.", err=True)
    else:
        click.echo("Nothing can be fixed automatically.", err=True)


def _painted(line: str) -> str:
    if line.startswith(("---", "+++", "rename ")):
        return click.style(line, bold=True)
    colors = {"-": "red", "+": "green", "@": "cyan"}
    return click.style(line, fg=colors[line[:1]]) if line[:1] in colors else line

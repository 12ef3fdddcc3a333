"""Prints the report of a build, for people or programs."""

from __future__ import annotations

import click

from devlog.model.report import Report
from devlog.report import COLORS, as_annotation, as_json, as_text, count, json_text, printable


def show(report: Report, style: str, folder: str = "", *, verbose: bool, quiet: bool) -> None:
    """Print a report: problems as text on the error stream, everything else on the standard one.

    Args:
        report: the report of a build.
        style: ``text``, ``json`` or ``github``.
        folder: the site's folder in the repository.
        verbose: whether to list every file.
        quiet: whether to print only problems.
    """
    if style == "json":
        click.echo(document(report).encode())  # JSON is UTF-8 (RFC 8259), whatever the terminal
        return
    for diagnostic in report.diagnostics:
        if style == "github":
            click.echo(as_annotation(diagnostic, folder))
        elif not (quiet and diagnostic.severity == "info"):
            click.echo(as_text(diagnostic), err=True)
    if not quiet:
        click.echo(summary(report, verbose=verbose))


def document(report: Report) -> str:
    """A report as one JSON document; numbers are counts of files, or of work that was done, not read from the cache."""
    return json_text(
        {
            "title": report.title,
            "output": report.output,
            "posts": report.posts,
            "pages": report.pages,
            "feeds": report.feeds,
            "outputs": report.outputs,
            "written": len(report.written),
            "unchanged": report.unchanged,
            "removed": len(report.removed),
            "parsed": report.parsed,
            "rendered": report.rendered,
            "skipped": [{"path": item.path, "reason": item.reason} for item in report.skipped],
            "diagnostics": [as_json(item) for item in report.diagnostics],
            "seconds": report.seconds,
            "search": {"indexed": report.indexed, "seconds": report.indexing},
        }
    )


def summary(report: Report, *, verbose: bool = False) -> str:
    """The summary of a build, in a few lines."""
    total = sum(report.seconds.values())
    counts = {level: sum(d.severity == level for d in report.diagnostics) for level in COLORS}
    lines = []
    if report.failed:
        head = click.style(f"Build failed: {count(counts['error'], 'error')}.", fg="red", bold=True)
        if report.written or report.removed:  # the system failed while the site was being published file by file
            files = f"{count(len(report.written), 'file')} written and {len(report.removed):,} removed"
            lines.append(f"{head} The existing site was changed in part ({files}); the next build completes it.")
        else:
            lines.append(f"{head} The existing site is unchanged.")
    else:
        head = click.style(f"Built “{printable(report.title)}”", fg="green", bold=True)
        lines.append(f"{head} into {printable(report.output)} in {total:.2f} s")
        others = report.outputs - report.pages - report.feeds
        lines.append(
            f"  {count(report.posts, 'post')} · {count(report.pages, 'page')} · {count(report.feeds, 'feed')}"
            f" · {count(others, 'other file')}"
        )
        lines.append(
            f"  {len(report.written):,} written, {report.unchanged:,} unchanged, {len(report.removed):,} removed"
        )
    if report.skipped:
        lines.append(f"  {count(len(report.skipped), 'post')} not published:")
        lines += [f"    {printable(item.path)}: {item.reason}" for item in report.skipped]
    if verbose:
        lines += [f"  + {printable(path)}" for path in report.written]
        lines += [f"  - {printable(path)}" for path in report.removed]
    if counts["warning"]:
        lines.append(f"  {count(counts['warning'], 'warning')}")
    stages = " · ".join(f"{stage} {seconds:.2f}" for stage, seconds in report.seconds.items())
    lines += [click.style(f"  seconds: {stages}", dim=True)] if stages and verbose else []
    if report.indexed and verbose:
        pages = count(report.indexed, "page")
        lines.append(click.style(f"  search: {pages} indexed in {report.indexing:.2f} s", dim=True))
    return "\n".join(lines)

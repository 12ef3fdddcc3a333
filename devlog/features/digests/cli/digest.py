"""``devlog digest``."""

from __future__ import annotations

import os
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devlog.cli.options import completed, moment, nearest_root, serve_command
from devlog.cli.output import only_for_the_report

if TYPE_CHECKING:
    from devlog.features.digests.digest.run import Result
    from devlog.scaffold.site import Existing


@click.command("digest", short_help="Write a post about what happened in a repository.")
@click.argument("name", default="", required=False)
@click.option(
    "--source", metavar="FOLDER", default="", show_default="source_checkout", help="A clone of the repository."
)
@click.option("--since", metavar="DATE", default="", help="The first day.")
@click.option("--until", metavar="DATE", default="", show_default="today", help="The last day.")
@click.option("--range", "commits", metavar="A..B", default="", help="A range of commits, instead of days.")
@click.option("--topic", metavar="NAME", default="", help="The topic.", shell_complete=completed("topics"))
@click.option(
    "--again", metavar="FILE", default="", help="Print a digest as it was written, from its recorded activity."
)
@click.option(
    "--forge/--no-forge",
    default=None,
    show_default="as configured",
    help="Also ask GitHub, GitLab or Gitea about the changes, and for milestones.",
)
@click.option(
    "--gaps/--no-gaps",
    default=None,
    show_default="as configured",
    help="Also list what has changed and no post is about.",
)
@click.option("--now", metavar="DATE", default="", help="Use this as the current time.")
@click.option("--dry-run", is_flag=True, help="Print the post and write nothing.")
@nearest_root
def command(
    name: str,
    source: str,
    since: str,
    until: str,
    commits: str,
    topic: str,
    again: str,
    forge: bool | None,
    gaps: bool | None,
    now: str,
    dry_run: bool,
    root: Path | None,
) -> None:
    """Write a digest: a post about what happened in a repository.

    NAME is a series of digests, configured as [digest.NAME]: the command writes one post for each complete day or
    week, or each release, that has none yet. Without a name, --since or --range says what the post is about.
    """
    from devlog.disk.site_folder import find_root
    from devlog.features.digests.digest import run
    from devlog.scaffold.site import read_site

    if not (name or since or commits or again):
        raise click.UsageError("name a series, or give --since, --range or --again")
    first, last = _day(since, "--since"), _day(until, "--until")
    _require_fit(first, last, commits)
    at = moment(now)
    with only_for_the_report():
        site = read_site(root or find_root(Path()), at)
    if again:
        # `Path.resolve` may raise for a loop of links.
        file = os.path.relpath(os.path.realpath(again), os.path.realpath(site.root)).replace(os.sep, "/")
        with only_for_the_report():
            result = run.again(site, file)
        _show(site, root, (result,), printed=True)
    options = run.Options(name, source, first, last, commits, topic, dry_run, forge, gaps)
    with only_for_the_report():
        results = run.digest(site, Path.cwd(), options)
    _show(site, root, results, printed=dry_run)


def _require_fit(since: date | None, until: date | None, commits: str) -> None:
    """Refuse options of which one would decide nothing, or that no change can fulfill.

    Args:
        since: the first day.
        until: the last day.
        commits: the range.

    Raises:
        click.UsageError: the options do not fit together.
    """
    if commits and (since or until):
        raise click.UsageError("--range cannot be combined with --since or --until")
    if "..." in commits:
        raise click.BadParameter(f"“{commits}” has three dots; write A..B", param_hint="--range")
    if until and not since:
        raise click.UsageError("--until needs --since")
    if since and until and until < since:
        raise click.UsageError("--until is before --since")


def _day(text: str, option: str) -> date | None:
    from devlog.parse.front_matter.dates import parse_date

    found = parse_date(text) if text else None
    if text and found is None:
        raise click.BadParameter(f"“{text}” is not a date; write 2026-05-03", param_hint=option)
    return found.value.date() if found else None


def _harmless(text: str) -> str:
    """A text that cannot control the terminal that shows it, nor change the order of what is shown there."""
    from devlog.report import printable

    return "\n".join(map(printable, text.split("\n")))


def _show(site: Existing, root: Path | None, results: tuple[Result, ...], *, printed: bool) -> None:
    from devlog.report import as_text, printable

    for result in results:
        for diagnostic in result.diagnostics:
            click.echo(as_text(diagnostic), err=True)
        if printed and not result.failed:
            click.echo(_harmless(result.text) if sys.stdout.isatty() else result.text, nl=False)
        elif result.file and not result.failed:
            click.echo(f"{printable(os.path.relpath(site.root / result.file))}: {result.coverage}")
    if not results:
        click.echo("Up to date: no digest is missing.")
    elif not printed and results[-1].file:
        serve = serve_command(root)
        if results[-1].is_draft:
            click.echo(f"Read it, edit it, and remove “draft: true” to publish it: {serve} --drafts")
        else:
            click.echo(f"Read it, and edit it before you publish the site: {serve}")
    sys.exit(1 if any(result.failed for result in results) else 0)

"""The command ``devlog adopt``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devlog.cli.options import moment, site_root


@click.command("adopt", short_help="Import a site from another generator.")
@site_root
@click.option("--dry-run", is_flag=True, help="Show devlog.toml without writing it.")
@click.option("--now", metavar="DATETIME", default="", help="Use this as the current time.")
def command(root: Path, dry_run: bool, now: str) -> None:
    """Import a Hugo, Jekyll or Zola site, or a folder of Markdown.

    Its configuration is converted to devlog.toml, so that the content is published unchanged at the same URLs.
    Nothing else is written.
    """
    from devlog import report
    from devlog.adopt.adopt import adopt
    from devlog.adopt.report import lines
    from devlog.report.progress import progress

    with progress(shown=True) as show_progress:
        adopted = adopt(root, moment(now), show_progress, write=not dry_run)
    for diagnostic in adopted.diagnostics:
        click.echo(report.as_text(diagnostic), err=True)
    for line in lines(adopted, dry=dry_run):
        click.echo(line)
    if adopted.diagnostics or (adopted.trial and adopted.trial.fails):
        sys.exit(1)
